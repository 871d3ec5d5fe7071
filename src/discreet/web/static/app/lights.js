/** The rows that are highlighted in all pictures at once. */

/**
 * Return what lights rows up.
 * @param {() => object} board - Holds the rows, the part that is shown, and the cards.
 * @returns {object} `point(mark)`, `keep(mark)`, which clears it the second time, `hold(mark)`, `clear()`, `kept()`, `lit()`.
 */
export function lightsOf(board) {
  let shown = null; // the mark whose rows are lit
  let kept = false;
  let turn = 0;

  /** Light what is pointed at; an answer that comes after that has changed is dropped. */
  async function relight() {
    const mark = shown;
    turn += 1;
    const mine = turn;
    const cards = board().litCards();
    const found = mark && await board().rows.light(board().part, mark.light, cards.map((it) => it.asked?.() ?? it.spec));
    if (mine !== turn) return;
    const isAll = !kept && found?.size === board().partSize().size; // nothing stands out
    cards.forEach((card, i) => card.light(found && !isAll ? found.each[i] : null, found?.size));
    if (found) board().litRows(found.size);
  }
  const soon = () => relight().catch(board().failed);
  const set = (mark, keep) => {
    if (shown === mark && kept === keep) return;
    const wasKept = kept;
    shown = mark;
    kept = keep && mark !== null;
    soon();
    if (kept || wasKept) board().keptChanged();
  };
  return {
    point: (mark) => !kept && board().rows && set(mark?.light ? mark : null, false),
    keep: (mark) => board().rows && mark?.light && set(kept && shown === mark ? null : mark, true),
    hold: (mark) => board().rows && set(mark, true),
    clear: () => set(null, false),
    kept: () => (kept ? shown : null),
    lit: () => shown,
  };
}
