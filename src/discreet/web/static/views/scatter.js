/**
 * The numbers of a scatter plot. Of more than 2,000 rows the view holds how many lie in the cells of
 * a grid, as the package's does; up to 20,000 of them are there as points, too.
 */

import { hitsOf } from "../draw/hits.js";
import { edgesOf, placesIn, shortEdges, stepOf } from "../rows/cells.js";
import { short } from "../rows/ends.js";
import { byLetters, inOrder } from "../rows/order.js";
import { complete } from "../rows/part.js";
import { Refused } from "../rows/refused.js";

const MANY = 2000;

/** Of each view of cells the cell of each row, which is asked for at each highlight. */
const CELLS = new WeakMap();

export const scatter = {
  /** Panels have points, however many: cells of each would have ends of their own. */
  grid: () => ({ show: "points" }),

  make(part, spec, facts, grid) {
    const rows = rowsOf(part, spec);
    const show = grid?.show || spec.show;
    const asCells = show === "density" || (rows.length > MANY && show !== "points");
    return (asCells ? cellsView : pointsView)(part, spec, rows);
  },

  marks(part, spec, view) {
    const hits = hitsOf(view);
    const [x, y] = spec.columns.map((name) => part.number(name));
    const panelOf = panelOfRow(part, spec, view);
    const of = new Int32Array(part.size).fill(-1);
    for (const row of rowsOf(part, spec)) {
      const panel = panelOf(row);
      if (panel >= 0) of[row] = hits.markOf(panel, x[row], y[row]);
    }
    return { of, size: hits.list.length };
  },

  /** Lit rows are shown each, however few, as those of the copy are. */
  litByRow: true,

  lit(part, spec, view, mask) {
    if (view.panels && !view.points) return { counts: countsIn(cellsOf(part, spec, view), view, mask) };
    const [x, y] = spec.columns.map((name) => part.number(name));
    const panelOf = panelOfRow(part, spec, view);
    const rows = rowsOf(part, spec);
    const found = { x: new Float64Array(rows.length), y: new Float64Array(rows.length), panel: new Int16Array(rows.length) };
    let size = 0;
    for (const row of rows) {
      const panel = mask[row] ? panelOf(row) : -1;
      if (panel < 0) continue;
      found.x[size] = x[row];
      found.y[size] = y[row];
      found.panel[size++] = panel;
    }
    return Object.fromEntries(Object.entries(found).map(([name, it]) => [name, it.slice(0, size)]));
  },
};

const rowsOf = (part, { columns, by = [] }) => complete(part, [...columns, ...by]);

function cellsOf(part, spec, view) {
  if (!CELLS.has(view)) CELLS.set(view, cellOfRows(part, spec, view, rowsOf(part, spec)));
  return CELLS.get(view);
}

/** Which panel of a view a row is in; -1 where it is not drawn. */
function panelOfRow(part, spec, view) {
  if (!view.panels) return () => 0;
  const cells = cellsOf(part, spec, view);
  const each = (view.x_edges.length - 1) * (view.y_edges.length - 1);
  return (row) => Math.floor(cells[row] / each);
}

/** How many lit rows lie in each cell, through all panels. */
function countsIn(cells, { panels, x_edges: x, y_edges: y }, mask) {
  const counts = new Float64Array(panels.length * (x.length - 1) * (y.length - 1) + 1);
  for (let i = 0; i < mask.length; i += 1) counts[cells[i] + 1] += mask[i];
  return counts.subarray(1);
}

/** A level of fewer rows is not drawn, nor are those beyond the largest of them. */
const [LEAST_ROWS, MOST_LEVELS] = [10, 12];
const ROWS_A_CELL = 5;
/** A grid has so many cells a side at least and at most. */
const SIDES = [20, 50];
/** So many points can still be drawn one by one, coloured by how many are near. */
const MOST_POINTS = 20000;
const NOWHERE = -1;

/** Return the different points of some rows, in order of their values. */
function pointsView(part, { columns, by = [], trend }, rows) {
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
 * @returns {object} The view; and `points`, where they are not too many and cells were not asked
 *   for.
 */
function cellsView(part, spec, rows) {
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
 * @returns {Int32Array} Of each row of the part the number of the cell, through all panels; or -1.
 */
function cellOfRows(part, spec, view, rows) {
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

const DIGITS = 12;
const INTERCEPT_DIGITS = 15;

/**
 * Return the least-squares line of points.
 * @param {string} level - Of which level they are; empty for all rows.
 * @returns {{of: string, level: string, slope: number, intercept: number}}
 */
function trendOf(level, x, y, size) {
  const weight = (i) => (size ? size[i] : 1);
  let [all, xs, ys] = [0, 0, 0];
  for (let i = 0; i < x.length; i += 1) {
    all += weight(i);
    xs += weight(i) * x[i];
    ys += weight(i) * y[i];
  }
  const [atX, atY] = [xs / all, ys / all];
  let [along, across] = [0, 0];
  for (let i = 0; i < x.length; i += 1) {
    const away = x[i] - atX;
    along += weight(i) * away * (y[i] - atY);
    across += weight(i) * away * away;
  }
  if (!x.some((it) => it !== x[0])) {
    throw new Refused("All points lie above one another, so there is no trend; draw none.");
  }
  const slope = short(along / across, DIGITS);
  const intercept = short(atY - slope * atX, INTERCEPT_DIGITS);
  if (![along, across, slope, intercept].every(Number.isFinite)) {
    throw new Refused("The points lie too close together or too far apart for a trend; draw none.");
  }
  return { of: "what is drawn", level, slope, intercept };
}
