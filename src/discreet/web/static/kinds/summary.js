/** The summary: columns described in a table, in all and by the levels of another one. */

import { drawTable } from "../draw/table.js";
import { described } from "../rows/described.js";
import { Refused } from "../rows/refused.js";
import { roughOf } from "../rows/tables.js";

const NO_INTERVALS =
  "means have no intervals here: those of study.summary in Python hold how far the copy is off";

export const summary = {
  name: "summary",

  title: ({ columns, by = [] }, say) => {
    const many = columns?.length ? `${columns.length} columns` : "All columns";
    const of = columns?.length && columns.length < 4 ? columns.map(say.label).join(", ") : many;
    return `${of}, in numbers${by.length ? `, by ${by.map(say.label).join(" and ")}` : ""}`;
  },

  make(part, { columns, by = [] }, facts) {
    if (by.length > 1) throw new Refused("A summary is by the levels of one column; name one.");
    const [level] = by;
    if (columns?.includes(level)) {
      throw new Refused(`“${level}” cannot be described by its own levels; name other columns.`);
    }
    const wanted = columns?.length ? columns : facts.columns.map(({ name }) => name);
    const shown = wanted.filter((name) => name !== level && part.has(name));
    const { sizes, lines, head, figures } = described(part, shown, level);
    const label = labelIn(facts);
    return {
      kind: "summary",
      names: ["column", "figure"],
      head,
      lines: lines.map((it) => ({ ...it, section: label(it.section) })),
      notes: [...roughOf(head, sizes), NO_INTERVALS],
      figures,
      shown: part.size,
    };
  },

  draw: (view, box, look) => drawTable(view, look),
};

const labelIn = ({ columns }) => {
  const labels = new Map(columns.map(({ name, label }) => [name, label || name]));
  return (name) => labels.get(name) ?? name;
};
