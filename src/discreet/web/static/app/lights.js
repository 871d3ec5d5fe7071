/** The rows that are highlighted in all pictures at once. */

/**
 * Return what lights rows up.
 *
 * @param {() => object} board - Holds the rows, the part that is shown, and the cards.
 * @returns {object} `point(mark)`, `keep(mark)`, `clear()`, `kept()`, `again()`.
 */
export function lightsOf(board) {
  let shown = null; // the mark whose rows are lit
  let kept = false;
  let asked = 0;
  let waiting = false;

  async function relight() {
    waiting = false;
    const mark = shown;
    asked += 1;
    const mine = asked;
    const cards = board().litCards();
    if (!mark) {
      cards.forEach((card) => card.light(null));
      return;
    }
    const found = await board().rows.light(board().part, mark.light, cards.map((it) => it.spec));
    if (mine !== asked) return; // something else was pointed at meanwhile
    cards.forEach((card, i) => card.light(found.each[i], found.size));
    board().litRows(found.size);
  }
  const soon = () => {
    if (waiting) return;
    waiting = true;
    requestAnimationFrame(() => relight().catch(board().failed));
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
