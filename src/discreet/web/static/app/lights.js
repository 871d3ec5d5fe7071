/** The rows that are highlighted in all pictures at once. */

/**
 * Return what lights rows up.
 * @param {() => object} board - Holds the rows, the part that is shown, and the cards.
 * @returns {object} `point(mark)`, `keep(mark)`, `clear()`, `kept()`, `again()`.
 */
export function lightsOf(board) {
  let shown = null; // the mark whose rows are lit
  let kept = false;
  let busy = false;
  let again = false;

  /** Light what is pointed at; what changes meanwhile is lit next, and nothing in between. */
  async function relight() {
    const mark = shown;
    const cards = board().litCards();
    const found = mark && await board().rows.light(board().part, mark.light, cards.map((it) => it.asked?.() ?? it.spec));
    if (mark !== shown) return;
    cards.forEach((card, i) => card.light(found ? found.each[i] : null, found?.size));
    if (found) board().litRows(found.size);
  }
  const soon = async () => {
    again = true;
    if (busy) return;
    busy = true;
    while (again) {
      again = false;
      await relight().catch(board().failed);
    }
    busy = false;
  };
  const set = (mark, keep) => {
    if (shown === mark && kept === keep) return;
    shown = mark;
    kept = keep && mark !== null;
    soon();
    board().keptChanged();
  };
  return {
    point: (mark) => !kept && board().rows && set(mark?.light ? mark : null, false),
    keep: (mark) => board().rows && mark?.light && set(kept && shown === mark ? null : mark, true),
    clear: () => set(null, false),
    kept: () => (kept ? shown : null),
    lit: () => shown,
    again: () => shown && soon(),
  };
}
