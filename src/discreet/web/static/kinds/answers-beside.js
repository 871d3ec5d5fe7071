/** How the data's answer stands in tables: beside each figure of the copy, or below its line. */

import { percent, whole } from "../draw/look.js";

/** Counts of the data below those of the copy, in each cell and each sum. */
export function besideCounts(view, cells, look) {
  const [first, second] = view.columns;
  const groupOf = (i, j) => [
    ...(i < 0 ? [] : [[first, view.row_levels[i]]]),
    ...(j < 0 ? [] : [[second, view.column_levels[j]]]),
  ];
  const rowOf = (i) => cells.sum(view.column_levels.map((_, j) => groupOf(i, j)), groupOf(i, -1));
  const beside = (i, j) => {
    const found = cells.of(groupOf(i, j));
    if (!found) return "";
    if (typeof found.count !== "number") return "few";
    const all = look.spec?.percent && i >= 0 && j >= 0 && rowOf(i);
    return all ? percent(Math.round((100 * found.count) / all) / 100) : whole(found.count);
  };
  const data = view.row_levels.flatMap((_, i) => view.column_levels.map((__, j) => cells.says(groupOf(i, j))));
  return { view, beside, data };
}

const OF_DATA = "the data";

/** Below each line one of the data: people, the mean or share with its noise, and the rest. */
export function besideMeans(view, cells, { answer }) {
  const lineOf = linesByGroup(answer.table);
  const groups = distinct(view.figures);
  return below(view, (line, i) => {
    const found = groups[i] && lineOf(groups[i]);
    if (!found) return null;
    const own = (name) => found.cells[answer.table.head.indexOf(name)] ?? "";
    const cellOf = (name) => {
      if (name === "n, missing") return own("people");
      const noisy = (name === "mean" || name === "share") && own(name);
      return noisy ? `${noisy} ± ${own("± noise")}` : own(name);
    };
    return view.head.map(cellOf);
  });
}

/** Below each term that of the data, in the same columns. */
export function besideModel(view, cells, { answer }) {
  const { head, lines } = answer.table;
  const nameOf = ({ section, name }) => JSON.stringify([section, name.replace("rows of the copy", "people")]);
  const found = new Map(lines.map((line) => [nameOf(line), line.cells]));
  return below(view, (line) => {
    const own = found.get(nameOf(line));
    return own ? view.head.map((name) => own[head.indexOf(name)] ?? "") : null;
  });
}

function below(view, cellsOf) {
  const lines = view.lines.flatMap((line, i) => {
    const cells = cellsOf(line, i);
    return cells ? [line, { section: line.section, name: OF_DATA, cells, ofData: true }] : [line];
  });
  return { view: { ...view, lines } };
}

/** The lines of a table by the groups of its figures, which follow each other as the lines do. */
function linesByGroup({ figures, lines }) {
  const places = new Map(distinct(figures).map((group, i) => [group, i]));
  return (group) => lines[places.get(group)];
}

const distinct = (figures) => [...new Set(figures.map(({ group }) => JSON.stringify(Object.entries(group).sort())))];
