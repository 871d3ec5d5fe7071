/** Tables of figures: a summary, and means. */

import { drawTable } from "../draw/table.js";

export const summary = {
  name: "summary",

  title: ({ columns, by = [] }, say) => {
    const many = columns?.length ? `${columns.length} columns` : "All columns";
    const of = columns?.length && columns.length < 4 ? columns.map(say.label).join(", ") : many;
    return `${of}, in numbers${by.length ? `, by ${by.map(say.label).join(" and ")}` : ""}`;
  },

  draw: (view, box, look) => drawTable(view, look),
};

export const means = {
  name: "means",

  title: ({ columns: [value], by = [] }, say) =>
    `Mean ${say.label(value)} by ${by.map(say.label).join(" and ")}`,

  draw: (view, box, look) => drawTable(view, look),
};
