// The shown numbers as tables of the page: for screen readers, and for whoever would rather read.

import { numberText } from "./axes.js";
import { printable } from "./paint.js";

const HIDDEN = "hidden";
const MOST_ROWS = 500; // more would make a page slow that is read aloud

/** Tables of what a panel shows. */
export function tablesOf(panel) {
  const named = (i) => panel.x.ticks[i] ?? String(i + 1);
  return panel.marks.flatMap((mark) => {
    const found = TABLES[mark.mark]?.(mark, panel, named);
    return found ? [tableOf(found)] : [];
  });
}

/** A table element of a caption, a head and rows; all of it text. */
export function tableOf({ caption, head, rows }) {
  const table = document.createElement("table");
  const add = (parent, kind, words, scope) => {
    const made = parent.appendChild(document.createElement(kind));
    if (words !== undefined) made.textContent = words;
    if (scope) made.scope = scope;
    return made;
  };
  const more = rows.length - MOST_ROWS;
  add(table, "caption", more > 0 ? `${caption} (the first ${MOST_ROWS})` : caption);
  const top = add(add(table, "thead"), "tr");
  head.forEach((words) => add(top, "th", printable(words), "col"));
  const body = add(table, "tbody");
  for (const row of rows.slice(0, MOST_ROWS)) {
    const line = add(body, "tr");
    row.forEach((words, i) => add(line, i ? "td" : "th", printable(words), i ? "" : "row"));
  }
  return table;
}

const shown = (value) => (value === null || value === undefined ? HIDDEN : numberText(value));
const fromTo = (low, high) => `${numberText(low)} to ${numberText(high)}`;

const TABLES = {
  bars: (mark, panel) => ({
    caption: `${panel.y.label || "height"} of each bar`,
    head: [panel.x.label || "from, to", panel.y.label || "height"],
    rows: mark.heights.map((height, i) => [fromTo(mark.edges[i], mark.edges[i + 1]), shown(height)]),
  }),
  columns: (mark, panel, named) => ({
    caption: `${panel.y.label || "height"} of each column`,
    head: [panel.x.label || "level", ...mark.series.map((name) => name || panel.y.label || "height")],
    rows: mark.heights[0].map((_, i) => [named(i), ...mark.heights.map((heights) => shown(heights[i]))]),
  }),
  cells: (mark, panel) => ({
    caption: `${mark.label} in each cell; others are ${HIDDEN} or empty`,
    head: [panel.x.label || "x", panel.y.label || "y", mark.label],
    rows: mark.values.flatMap((column, i) =>
      column.flatMap((value, j) =>
        value === null
          ? []
          : [[fromTo(mark.x_edges[i], mark.x_edges[i + 1]), fromTo(mark.y_edges[j], mark.y_edges[j + 1]), shown(value)]],
      ),
    ),
  }),
  dots: (mark, panel) => ({
    caption: mark.series ? `points of ${mark.series}` : "points",
    head: [panel.x.label || "x", panel.y.label || "y", mark.label],
    rows: mark.x.map((x, i) => [numberText(x), numberText(mark.y[i]), shown(mark.size[i])]),
  }),
  lines: (mark, panel) => ({
    caption: mark.label ? `lines: ${mark.label}` : "lines",
    head: ["line", panel.x.label || "x", panel.y.label || "y"],
    rows: mark.x.flatMap((xs, i) =>
      xs.map((x, j) => [
        mark.look === "level" ? `at ${numberText(mark.levels[i])}` : mark.label || String(i + 1),
        numberText(x),
        numberText(mark.y[i][j]),
      ]),
    ),
  }),
  boxes: (mark, panel) => ({
    caption: `boxes of ${panel.y.label || "values"}`,
    head: ["box", "low", "quarter", "median", "three quarters", "high", "mean"],
    rows: mark.boxes.map((box) => [
      box.label,
      ...[box.low, box.q1, box.median, box.q3, box.high].map(numberText),
      box.mean === null ? "" : numberText(box.mean),
    ]),
  }),
  intervals: (mark, panel) => ({
    caption: "estimates and their intervals",
    head: ["of", "series", "low", "estimate", "high"],
    rows: mark.ends.flatMap((row, s) =>
      row.map((ends, i) => [panel.y.ticks[i] ?? String(i + 1), mark.series[s], ...(ends ?? [null, null, null]).map(shown)]),
    ),
  }),
  words: (mark, panel) => ({
    caption: [panel.y.label, panel.x.label].filter(Boolean).join(" by ") || "table",
    head: ["", ...panel.x.ticks],
    rows: mark.texts.map((row, i) => [panel.y.ticks[i] ?? "", ...row]),
  }),
};
