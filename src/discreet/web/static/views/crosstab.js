/** The cross-table: how many rows have each pair of levels of two columns, and their sums. */

import { countPairs, marksOfPairs, sum } from "../rows/counts.js";
import { levelsIn, placesAmong } from "../rows/levels.js";
import { Refused } from "../rows/refused.js";

const MOST_CELLS = 1000;

export const crosstab = {
  make(part, spec) {
    const [rows, columns] = placed(part, spec);
    const counts = countPairs(rows, columns);
    const total = sum(counts.map(sum));
    return {
      kind: "crosstab",
      columns: spec.columns,
      row_levels: rows.names,
      column_levels: columns.names,
      counts,
      row_totals: counts.map(sum),
      column_totals: columns.names.map((_, j) => sum(counts.map((row) => row[j]))),
      total,
      shown: total,
    };
  },

  marks(part, { columns }, view) {
    const found = [view.row_levels, view.column_levels].map((names, i) => (
      { names, of: placesAmong(part.level(columns[i]), names) }));
    return marksOfPairs(...found);
  },
};

function placed(part, { columns }) {
  const found = columns.map((name) => levelsIn(part.level(name), { missing: true }));
  if (found[0].names.length * found[1].names.length > MOST_CELLS) {
    throw new Refused(
      `A table of these levels has more than ${MOST_CELLS} cells. Join some levels in a new column.`);
  }
  return found;
}
