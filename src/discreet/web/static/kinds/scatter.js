/**
 * The scatter plot: points of two columns. Of more than 2,000 rows the view holds how many lie in
 * the cells of a grid, as the package's does; up to 20,000 of them are drawn as points none the
 * less, coloured by how many are near, for the eye sees more in points than in cells. Beyond that,
 * and where the rows are not in the browser, cells are drawn.
 */

import { drawScatter, endsOfAll, tallScatter } from "../draw/scatter.js";
import { complete } from "../rows/part.js";
import { cellOfRows, cellsView, hitsOf, pointsView } from "../rows/scatter-views.js";

const MANY = 2000;
/** Of each view of cells the cell of each row, which is asked for at each highlight. */
const CELLS = new WeakMap();

export const scatter = {
  name: "scatter",

  title: ({ columns: [a, b], by = [] }, say) =>
    `${say.label(b)} against ${say.label(a)}${by.length ? `, by ${say.label(by[0])}` : ""}`,

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
    const panelOf = panelsOf(part, spec, view);
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
    const panelOf = panelsOf(part, spec, view);
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

  alike: endsOfAll,
  tall: tallScatter,
  draw: drawScatter,
};

const rowsOf = (part, { columns, by = [] }) => complete(part, [...columns, ...by]);

function cellsOf(part, spec, view) {
  if (!CELLS.has(view)) CELLS.set(view, cellOfRows(part, spec, view, rowsOf(part, spec)));
  return CELLS.get(view);
}

/** Which panel of a view a row is in; -1 where it is not drawn. */
function panelsOf(part, spec, view) {
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
