// The shown numbers as tables of the page: for screen readers, and for whoever would rather read.

import { numberText, textOf } from "./axes.js";
import { printable } from "./paint.js";

const HIDDEN = "hidden";
const MOST_ROWS = 500; // more would make a page slow that is read aloud

/**
 * Make tables of what a panel shows.
 *
 * @param {object} panel of a scene.
 * @returns {HTMLTableElement[]} one for each mark that has numbers or words.
 */
export function tablesOf(panel) {
  const marks = panel.marks.map((mark) => TABLES[mark.mark]?.(mark, panel)).filter(Boolean);
  const found = [...marks, ...beneath(panel)];
  const title = printable(panel.title);
  return found.map((of) => tableOf(title ? { ...of, caption: `${title}: ${of.caption}` } : of));
}

/**
 * Make a table element; all of it is text.
 *
 * @param {{caption: string, head: string[], rows: string[][]}} of what it says; the first text of
 *     each row names it.
 * @returns {HTMLTableElement} the table, of its first rows where there are very many.
 */
export function tableOf({ caption, head, rows }) {
  const table = document.createElement("table");
  const add = (parent, kind, words, scope) => {
    const made = parent.appendChild(document.createElement(kind));
    if (words !== undefined) made.textContent = printable(words);
    if (scope) made.scope = scope;
    return made;
  };
  const cut = rows.length > MOST_ROWS ? ` (the first ${MOST_ROWS} rows of ${rows.length})` : "";
  add(table, "caption", `${caption}${cut}`);
  const top = add(add(table, "thead"), "tr");
  head.forEach((words) => add(top, "th", words, "col"));
  const body = add(table, "tbody");
  for (const row of rows.slice(0, MOST_ROWS)) {
    const line = add(body, "tr");
    row.forEach((words, i) => add(line, i ? "td" : "th", words, i ? "" : "row"));
  }
  return table;
}

/** The rows of words that stand beneath the x axis. */
function beneath(panel) {
  const rows = (panel.x.beneath ?? []).filter(({ words }) => words.length);
  if (!rows.length) return [];
  const [heading] = panel.x.beneath.filter(({ words }) => !words.length);
  const caption = heading ? heading.name : "beneath the axis";
  const head = ["", ...rows[0].words.map(([at]) => textOf(panel.x)(at))];
  return [{ caption, head, rows: rows.map(({ name, words }) => [name, ...words.map(([, it]) => it)]) }];
}

const shown = (value) => (value === null || value === undefined ? HIDDEN : numberText(value));
const fromTo = (edges, i, axis) => axis.ticks[i] ?? `${textOf(axis)(edges[i])} to ${textOf(axis)(edges[i + 1])}`;
const xOf = (panel) => panel.x.label || "x";
const yOf = (panel) => panel.y.label || "y";
const named = (ticks, i) => ticks[i] ?? String(i + 1);

const TABLES = {
  bars(mark, panel) {
    const row = (height, i) => [fromTo(mark.edges, i, panel.x), shown(height)];
    const caption = `${yOf(panel)} of each bar`;
    return { caption, head: [xOf(panel), yOf(panel)], rows: mark.heights.map(row) };
  },
  columns(mark, panel) {
    const names = mark.series.map((name) => name || yOf(panel));
    const levels = [...(mark.heights[0] ?? []).keys()];
    const row = (i) => [named(panel.x.ticks, i), ...mark.heights.map((all) => shown(all[i]))];
    const caption = `${yOf(panel)} of each level of ${xOf(panel)}`;
    return { caption, head: [xOf(panel), ...names], rows: levels.map(row) };
  },
  cells(mark, panel) {
    const across = (i) => fromTo(mark.x_edges, i, panel.x);
    const up = (j) => fromTo(mark.y_edges, j, panel.y);
    const all = mark.values.flatMap((column, i) =>
      column.map((value, j) => [across(i), up(j), shown(value), value]),
    );
    // Of a fine grid most cells are empty or hidden, and nobody reads all of them.
    const rows = all.length > MOST_ROWS ? all.filter(([, , , value]) => value !== null) : all;
    const left = rows.length < all.length ? `; all others are ${HIDDEN} or empty` : "";
    const what = mark.label || "value";
    const caption = `${what} of each cell${left}`;
    const texts = rows.map((row) => row.slice(0, 3));
    return { caption, head: [xOf(panel), yOf(panel), what], rows: texts };
  },
  dots(mark, panel) {
    const [xText, yText] = [textOf(panel.x), textOf(panel.y)];
    const rows = mark.x.map((x, i) => [xText(x), yText(mark.y[i]), shown(mark.size[i])]);
    const caption = mark.series ? `points of ${mark.series}` : "points";
    return { caption, head: [xOf(panel), yOf(panel), mark.label || "records"], rows };
  },
  lines(mark, panel) {
    if (!mark.x.length) return null;
    const level = mark.look === "level";
    const name = (i) => (level ? numberText(mark.levels[i]) : mark.label || String(i + 1));
    const rows = mark.x.flatMap((xs, i) =>
      xs.map((x, j) => [name(i), textOf(panel.x)(x), textOf(panel.y)(mark.y[i][j])]),
    );
    const what = level ? "lines of equal value" : "lines";
    const caption = mark.label ? `${what}: ${mark.label}` : what;
    const first = level ? mark.label || "level" : "line";
    return { caption, head: [first, xOf(panel), yOf(panel)], rows };
  },
  bands(mark, panel) {
    if (!mark.x.length) return null;
    const row = (i) => (at, j) =>
      [at, mark.low[i][j], mark.high[i][j]].map((v, k) => textOf(k ? panel.y : panel.x)(v));
    const rows = mark.x.flatMap((xs, i) => xs.map(row(i)));
    const caption = mark.label ? `band of ${mark.label}` : "band";
    return { caption, head: [xOf(panel), "low end", "high end"], rows };
  },
  boxes(mark, panel) {
    const means = mark.boxes.some((box) => box.mean !== null);
    const far = mark.boxes.some((box) => box.outliers.length);
    const head = ["box", "low", "first quarter", "median", "third quarter", "high"];
    const rows = mark.boxes.map((box) => [
      box.label,
      ...[box.low, box.q1, box.median, box.q3, box.high].map(textOf(panel.y)),
      ...(means ? [box.mean === null ? "" : textOf(panel.y)(box.mean)] : []),
      ...(far ? [box.outliers.map(textOf(panel.y)).join(", ")] : []),
    ]);
    const more = [...(means ? ["mean"] : []), ...(far ? ["outliers"] : [])];
    const group = mark.group ? `, ${mark.group}` : "";
    const caption = `boxes of ${panel.y.label || panel.x.label || "values"}${group}`;
    return { caption, head: [...head, ...more], rows };
  },
  violins(mark, panel) {
    const head = [xOf(panel), "low", "first quarter", "median", "third quarter", "high"];
    const rows = mark.violins.map(({ values, q1, median, q3 }, i) => [
      named(panel.x.ticks, i),
      ...[values[0], q1, median, q3, values.at(-1)].map(textOf(panel.y)),
    ]);
    return { caption: `violins of ${panel.y.label || panel.x.label || "values"}`, head, rows };
  },
  intervals(mark, panel) {
    const several = mark.series.some(Boolean);
    const rows = mark.ends.flatMap((row, s) =>
      row.map((ends, i) => [
        named(panel.y.ticks, i),
        ...(several ? [mark.series[s]] : []),
        ...(ends ? ends.map(numberText) : ["not known", "", ""]),
      ]),
    );
    const head = [panel.y.label || "of", ...(several ? ["series"] : [])];
    const ends = ["low end", "estimate", "high end"];
    const caption = `${panel.x.label || "estimates"}, in intervals`;
    return { caption, head: [...head, ...ends], rows };
  },
  words(mark, panel) {
    const caption = [panel.y.label, panel.x.label].filter(Boolean).join(" by ") || "table";
    const rows = mark.texts.map((row, i) => [panel.y.ticks[i] ?? "", ...row]);
    return { caption, head: [panel.y.label, ...panel.x.ticks], rows };
  },
};
