/** The numbers of a scatter plot: points, or the cells that hold them. */

import { d3 } from "../vendor/d3.js";
import { edgesOf, placesIn, shortEdges, stepOf } from "./cells.js";
import { extent } from "./ends.js";
import { byLetters, inOrder } from "./order.js";
import { Refused } from "./refused.js";
import { trendOf } from "./trend.js";

/** A level of fewer rows is not drawn, nor are those beyond the largest of them. */
const [LEAST_ROWS, MOST_LEVELS] = [10, 12];
const ROWS_A_CELL = 5;
/** A grid has so many cells a side at least and at most. */
const SIDES = [20, 50];
/** So many points can still be drawn one by one, coloured by how many are near. */
const MOST_POINTS = 20000;
/** What a pointer finds has at most so many ranges along and upward. */
const HITS = [14, 12];
const NOWHERE = -1;

/**
 * Return the different points of some rows, in order of their values.
 *
 * @param {Part} part - The rows of a copy.
 * @param {object} spec - `columns`, `by` and `trend`.
 * @param {Int32Array} rows - Those that have all values.
 * @returns {object} The view.
 */
export function pointsView(part, { columns, by = [], trend }, rows) {
  const [x, y] = columns.map((name) => part.number(name));
  const words = by.length ? part.level(by[0]) : { codes: new Uint8Array(part.size), levels: [""] };
  const sorted = [...words.levels].sort(byLetters);
  const place = words.levels.map((word) => sorted.indexOf(word));
  const codes = words.codes;
  const order = Int32Array.from(rows).sort(
    (a, b) => x[a] - x[b] || y[a] - y[b] || place[codes[a]] - place[codes[b]],
  );
  const found = { x: [], y: [], size: [], level: [] };
  order.forEach((row, i) => {
    const before = order[i - 1];
    if (i && x[row] === x[before] && y[row] === y[before] && codes[row] === codes[before]) {
      found.size[found.size.length - 1] += 1;
      return;
    }
    found.x.push(x[row]);
    found.y.push(y[row]);
    found.size.push(1);
    found.level.push(words.levels[codes[row]]);
  });
  return {
    kind: "scatter",
    columns,
    ...found,
    by: by[0] ?? null,
    level: by.length ? found.level : [],
    trends: trend ? trendsOf(found, words.levels) : [],
    shown: rows.length,
  };
}

function trendsOf({ x, y, size, level }, levels) {
  return inOrder(level, levels).map((name) => {
    const here = (_, i) => level[i] === name;
    return trendOf(name, x.filter(here), y.filter(here), size.filter(here));
  });
}

/**
 * Return how many of some rows lie in the cells of a grid, those of each level by themselves.
 *
 * @param {Part} part - The rows of a copy.
 * @param {object} spec - `columns`, `by` and `trend`.
 * @param {Int32Array} rows - Those that have all values.
 * @returns {object} The view; and `points`, where they are not too many and cells were not asked for.
 */
export function cellsView(part, spec, rows) {
  const { columns, by = [], trend, show } = spec;
  const values = columns.map((name) => picked(part.number(name), rows));
  const { names, few, others, of } = panelsOf(part, spec, rows);
  const sizes = names.map((_, k) => of.reduce((sum, it) => sum + (it === k ? 1 : 0), 0));
  const shown = sizes.reduce((sum, it) => sum + it, 0);
  const side = Math.floor(Math.sqrt(Math.floor(Math.floor(shown / names.length) / ROWS_A_CELL)));
  const within = Math.min(Math.max(side, SIDES[0]), SIDES[1]);
  const edges = values.map((it) => edgesOf(it, within));
  const counts = countedIn(edges, values, of, names.length);
  const rowsOfLevel = (k, it) => it.filter((_, i) => of[i] === k);
  return {
    kind: "scatter_density",
    columns,
    x_edges: shortEdges(edges[0]),
    y_edges: shortEdges(edges[1]),
    panels: names.map((level, k) => ({ level, rows: sizes[k], counts: counts[k] })),
    by: by[0] ?? null,
    trends: trend ? names.map((it, k) => trendOf(it, ...values.map((v) => rowsOfLevel(k, v)))) : [],
    few,
    others,
    shown,
    ...(shown <= MOST_POINTS && show !== "density" && {
      points: { x: values[0], y: values[1], panel: of, steps: values.map(stepOf) },
    }),
  };
}

const picked = (values, rows) => Float64Array.from(rows, (row) => values[row]);

/** The levels that are drawn, and the place of each row's among them. */
function panelsOf(part, { by = [], ...spec }, rows) {
  const of = new Int16Array(rows.length);
  if (!by.length) return { names: [""], few: [], others: [], of };
  const { codes, levels } = part.level(by[0]);
  const size = new Array(levels.length).fill(0);
  for (const row of rows) size[codes[row]] += 1;
  const sizeOf = (name) => size[levels.indexOf(name)];
  const ordered = inOrder(levels.filter((_, code) => size[code] > 0), levels);
  const enough = ordered.filter((it) => sizeOf(it) >= LEAST_ROWS);
  const kept = new Set([...enough].sort((a, b) => sizeOf(b) - sizeOf(a)).slice(0, MOST_LEVELS));
  const names = ordered.filter((it) => kept.has(it));
  if (!names.length) {
    throw new Refused(
      `No level of “${by[0]}” has ${LEAST_ROWS} rows. The rows can be drawn without it.`,
      { alternative: spec },
    );
  }
  const place = levels.map((it) => names.indexOf(it));
  rows.forEach((row, i) => { of[i] = place[codes[row]]; });
  return {
    names,
    few: ordered.filter((it) => sizeOf(it) < LEAST_ROWS),
    others: enough.filter((it) => !kept.has(it)),
    of,
  };
}

/** Counts by panel, by interval of x, by interval of y. */
function countedIn(edges, [x, y], of, panels) {
  const [across, up] = edges.map((it) => it.length - 1);
  const [alongOf, upOf] = edges.map((it) => placesIn(it));
  const flat = new Array(panels * across * up).fill(0);
  for (let i = 0; i < of.length; i += 1) {
    if (of[i] === NOWHERE) continue;
    const [i0, j0] = [alongOf(x[i]), upOf(y[i])];
    if (i0 !== NOWHERE && j0 !== NOWHERE) flat[(of[i] * across + i0) * up + j0] += 1;
  }
  return Array.from({ length: panels }, (_, k) =>
    Array.from({ length: across }, (__, i) => flat.slice((k * across + i) * up, (k * across + i + 1) * up)),
  );
}

/**
 * Return the place of each row of a part in the panels of a view of cells, and its cell there.
 *
 * @param {Part} part - The rows of a copy.
 * @param {object} spec - As the view was made with.
 * @param {object} view - Of cells.
 * @param {Int32Array} rows - Those that have all values.
 * @returns {Int32Array} Of each row of the part the number of the cell, through all panels; or -1.
 */
export function cellOfRows(part, spec, view, rows) {
  const { of } = panelsOf(part, spec, rows);
  const [x, y] = spec.columns.map((name) => part.number(name));
  const [alongOf, upOf] = [view.x_edges, view.y_edges].map((it) => placesIn(it, true));
  const [across, up] = [view.x_edges.length - 1, view.y_edges.length - 1];
  const cells = new Int32Array(part.size).fill(NOWHERE);
  rows.forEach((row, i) => {
    if (of[i] !== NOWHERE) cells[row] = (of[i] * across + alongOf(x[row])) * up + upOf(y[row]);
  });
  return cells;
}

/**
 * Return the coarse cells of a view that a pointer finds: those that hold something.
 *
 * @param {object} view - Of points or of cells, from these rows or from a server.
 * @returns {{x: number[], y: number[], list: {panel: number, i: number, j: number, count: number,
 *   levels: object}[], markOf: (panel: number, x: number, y: number) => number}}
 */
export function hitsOf(view) {
  const [x, y] = view.panels
    ? [coarser(view.x_edges, HITS[0]), coarser(view.y_edges, HITS[1])]
    : [around(view.x, HITS[0]), around(view.y, HITS[1])];
  const [alongOf, upOf] = [placesIn(x, true), placesIn(y, true)];
  const [across, up] = [x.length - 1, y.length - 1];
  const keyOf = (panel, atX, atY) => (panel * across + alongOf(atX)) * up + upOf(atY);
  const counts = new Float64Array((view.panels?.length ?? 1) * across * up);
  const levels = new Map();
  eachOf(view, (panel, atX, atY, count, level) => {
    const key = keyOf(panel, atX, atY);
    counts[key] += count;
    if (!level) return;
    if (!levels.has(key)) levels.set(key, {});
    levels.get(key)[level] = (levels.get(key)[level] || 0) + count;
  });
  const marks = new Int32Array(counts.length).fill(NOWHERE);
  const list = [];
  counts.forEach((count, key) => {
    if (!count) return;
    marks[key] = list.length;
    const [panel, i, j] = [Math.floor(key / (across * up)), Math.floor(key / up) % across, key % up];
    list.push({ panel, i, j, count, levels: levels.get(key) || {} });
  });
  return { x, y, list, markOf: (panel, atX, atY) => marks[keyOf(panel, atX, atY)] };
}

function eachOf(view, add) {
  if (!view.panels) {
    for (let i = 0; i < view.x.length; i += 1) add(0, view.x[i], view.y[i], view.size[i], view.level?.[i]);
    return;
  }
  if (view.points) {
    // As conditions count them: a value at an end of cells may be in the next one by its last digit.
    const { x, y, panel } = view.points;
    for (let i = 0; i < x.length; i += 1) if (panel[i] !== NOWHERE) add(panel[i], x[i], y[i], 1);
    return;
  }
  const middle = (edges, i) => (edges[i] + edges[i + 1]) / 2;
  view.panels.forEach(({ counts }, panel) => {
    counts.forEach((row, i) => row.forEach((count, j) => {
      if (count) add(panel, middle(view.x_edges, i), middle(view.y_edges, j), count);
    }));
  });
}

function coarser(edges, most) {
  const each = Math.ceil((edges.length - 1) / most);
  const last = edges.length - 1;
  return edges.filter((_, i) => (i < last && i % each === 0) || i === last);
}

function around(values, most) {
  const [low, high] = extent(values);
  // Values that are alike, or as good as alike, lie in one cell.
  if (!(high - low > 1e-9 * Math.max(Math.abs(low), Math.abs(high)))) {
    const half = 0.5 * (Math.abs(low) || 1);
    return Number.isFinite(low) ? [low - half, high + half] : [0, 1];
  }
  const { ticks, domain } = d3.scaleLinear([low, high], [0, 1]).nice(most);
  const edges = ticks(most);
  return [...new Set([domain()[0], ...edges, domain()[1]])];
}
