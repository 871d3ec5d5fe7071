/** Bars of the levels of a column, divided by the levels of a second one where there is one. */

import { level } from "../draw/colour.js";
import { percent } from "../draw/look.js";
import { countPairs, marksOfPairs, sum } from "../rows/counts.js";
import { levelsIn, placesAmong } from "../rows/levels.js";
import { Refused } from "../rows/refused.js";

const MOST = 200;

export const bars = {
  /** The levels that panels of bars have together; each by itself has its own. */
  grid(part, spec) {
    const { own, other } = placed(part, spec);
    return { own: own.names, other: other && other.names };
  },

  make(part, spec) {
    const { own, other } = placed(part, spec);
    const pairs = countPairs(own, other || everyone(part));
    const counts = pairs.map(sum);
    return {
      kind: "bars",
      columns: spec.columns,
      levels: own.names,
      counts,
      by: other ? spec.by[0] : null,
      by_levels: other ? other.names : [],
      by_counts: other ? other.names.map((_, j) => pairs.map((row) => row[j])) : [],
      ...(spec.percent && { percent: true }),
      shown: sum(counts),
    };
  },

  marks(part, { columns: [name] }, view, facts, grid) {
    const among = (column, names) => ({ names, of: placesAmong(part.level(column), names) });
    const other = view.by === null ? everyone(part) : among(view.by, grid?.other || view.by_levels);
    return marksOfPairs(among(name, grid?.own || view.levels), other);
  },
};

function placed(part, { columns: [name], by = [] }) {
  const own = levelsIn(part.level(name), { missing: true });
  const other = by.length ? levelsIn(part.level(by[0]), { missing: true }) : null;
  if (own.names.length * (other ? other.names.length : 1) > MOST) {
    throw new Refused(
      `There are more than ${MOST} levels, too many to be told apart. Join some in a new column.`);
  }
  return { own, other };
}

const everyone = (part) => ({ names: [""], of: new Int16Array(part.size) });
