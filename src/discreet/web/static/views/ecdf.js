/** Which share of the rows lies at or below each value, of all rows or of each level. */

import { litValues, marksOfStrips, stepsOf, stripsOf, valuesOf } from "../rows/curves.js";

export const ecdf = {
  make(part, spec, facts) {
    const { drawn, few, others, shown } = valuesOf(part, spec);
    return {
      kind: "ecdf",
      columns: spec.columns,
      curves: drawn.map(({ label, values }) => ({ label, ...stepsOf(values) })),
      by: spec.by?.[0] ?? null,
      few,
      others,
      strips: stripsOf(part, spec, facts),
      shown,
    };
  },

  marks: (part, spec, view) => marksOfStrips(part, spec, view.strips),

  lit(part, spec, view, mask) {
    const found = litValues(part, spec, mask);
    return found && stepsOf(found.values);
  },
};
