/** Densities: the distribution of a column as a smooth curve, of all rows or of each level. */

import { densitiesOf, densityOf, litValues, marksOfStrips, stripsOf } from "../rows/curves.js";

export const density = {
  make(part, spec, facts) {
    const { curves, few, others, constant, shown } = densitiesOf(part, spec);
    return {
      kind: "density",
      columns: spec.columns,
      curves: curves.map(({ label, x, y }) => ({ label, x, y })),
      bandwidths: curves.map((it) => it.bandwidth),
      by: spec.by?.[0] ?? null,
      few,
      others,
      constant,
      strips: stripsOf(part, spec, facts),
      shown,
    };
  },

  marks: (part, spec, view) => marksOfStrips(part, spec, view.strips),

  lit(part, spec, view, mask) {
    const found = litValues(part, spec, mask);
    if (!found || found.values[0] === found.values.at(-1)) return null;
    const { x, y } = densityOf(found.values);
    // The area is their share, so that it lies within that of all rows.
    return { x, y: y.map((height) => height * found.share) };
  },
};
