/** Violins: mirrored densities of a column, of all rows or of each level, with their quartiles. */

import { densitiesOf, densityOf } from "../rows/curves.js";
import { short } from "../rows/ends.js";
import { LEAST_ROWS, marksOfGroups, quantile, risingOf, risingWithin } from "../rows/groups.js";

const DIGITS = 6;

export const violin = {
  make(part, spec) {
    const { curves, few, others, constant, shown } = densitiesOf(part, spec);
    return {
      kind: "violin",
      columns: spec.columns,
      curves: curves.map(({ label, x, y }) => ({ label: spec.by ? label : spec.columns[0], x, y })),
      quarters: curves.map(({ values }) => quartersOf(values)),
      rows: curves.map(({ values }) => values.length),
      by: spec.by?.[0] ?? null,
      few,
      others,
      constant,
      shown,
    };
  },

  marks: (part, spec, view) => marksOfGroups(part.size, drawn(part, spec, view)),

  lit(part, spec, view, mask) {
    const each = drawn(part, spec, view).map((all) => {
      const kept = risingWithin(all, mask);
      if (kept.length < LEAST_ROWS || kept[0] === kept.at(-1)) return null;
      const { x, y } = densityOf(kept);
      // The area is their share, so that it lies within that of all rows.
      const share = kept.length / all.rows.length;
      return { x, y: y.map((height) => height * share), median: quantile(kept, 0.5) };
    });
    return { each };
  },
};

/** The rows of the levels that are drawn. */
function drawn(part, { columns: [name], by }, view) {
  const groups = risingOf(part, [name, ...(by || [])], name, by?.[0]);
  if (!by) return groups;
  return view.curves.map((it) => groups.find(({ label }) => label === it.label));
}

/** The quartiles; in six digits one may come to lie beyond an end. */
function quartersOf(values) {
  const [q1, median, q3] = [0.25, 0.5, 0.75].map((it) => short(quantile(values, it), DIGITS));
  const [low, high] = [values[0], values.at(-1)];
  return [Math.max(q1, low), Math.min(Math.max(median, low), high), Math.min(q3, high)];
}
