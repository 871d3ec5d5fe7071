/** The focus stays where it was when what had it is made anew. */

const WHICH = ["act", "column", "place", "show", "many"];

/**
 * Remember what has the focus before the board is laid out again.
 * @returns {() => void} Gives the focus back, if it was lost: to the same control, of a card to the
 *   card in its place.
 */
export function rememberedFocus(board) {
  const before = document.activeElement;
  const place = board.cards.findIndex((it) => it.element.contains(before));
  const spec = place < 0 ? null : board.cards[place].spec;
  const which = WHICH.filter((name) => before?.dataset?.[name] !== undefined).map((name) => `[data-${name}="${CSS.escape(before.dataset[name])}"]`).join("");
  const isMaking = board.adding || before?.dataset?.act === "make";
  return () => {
    if (!isMaking && (before === document.body || before?.isConnected)) return;
    const moved = board.cards.find((it) => JSON.stringify(it.spec) === JSON.stringify(spec));
    const card = isMaking ? board.cards.at(-1) : spec && (moved || board.cards[Math.min(place, board.cards.length - 1)]);
    const same = which && (card ? card.element : document).querySelector(which);
    (same || card?.element || board.main).focus({ preventScroll: true });
  };
}
