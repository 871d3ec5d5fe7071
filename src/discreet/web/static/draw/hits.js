/** What a pointer finds in a scatter plot: coarse cells that hold points. */

import { placesIn } from "../rows/cells.js";
import { extent } from "../rows/ends.js";
import { d3 } from "../vendor/d3.js";

/** There are at most so many ranges along and upward. */
const HITS = [14, 12];
const NOWHERE = -1;

/**
 * Return the coarse cells of a view that a pointer finds: those that hold something.
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
