/** Means of a number by the levels of one or two columns, in a table. */

import { drawTable } from "../draw/table.js";
import { meansOf } from "../rows/means.js";
import { Refused } from "../rows/refused.js";
import { roughOf } from "../rows/tables.js";

const OF_ROWS =
  "intervals are of these rows, by t, and leave out how far the copy is off: those of study.means in Python hold it";

export const means = {
  name: "means",

  title: ({ columns: [value], by = [] }, say) =>
    `Mean ${say.label(value)} by ${by.map(say.label).join(" and ")}`,

  make(part, { columns: [value], by = [] }, facts) {
    check(part, value, by);
    const labels = new Map(facts.columns.map(({ name, label }) => [name, label || name]));
    const label = (name) => labels.get(name) ?? name;
    const { sizes, ...found } = meansOf(part, value, by, label);
    const rough = roughOf(sizes.map(([name]) => name), sizes.map(([, size]) => size));
    return {
      kind: "means",
      names: [by[0], by.at(-1)],
      ...found,
      notes: [...rough, OF_ROWS],
      shown: part.size,
    };
  },

  draw: (view, box, look) => drawTable(view, look),
};

function check(part, value, by) {
  if (![1, 2].includes(by.length) || new Set([value, ...by]).size < by.length + 1) {
    throw new Refused("Means are of one column by the levels of one or two others; name those.");
  }
  const { kind, dates } = part.column(value);
  if (dates) throw new Refused(`“${value}” holds dates, which have no mean; a summary has their median.`);
  if (kind === "level") {
    throw new Refused(`“${value}” has levels and no mean; a summary has the share of each level.`);
  }
}
