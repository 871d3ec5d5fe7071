/**
 * Where a picture can be brushed. A zone is a part of it with an axis along (`x`), upward (`y`) or
 * both: the `stops` of an axis, in pixels, end its cells, and these are ranges between `edges` or
 * `levels`. A brush goes from one cell to another; both are {x, y}, the numbers of cells.
 */

import { d3 } from "../vendor/d3.js";

const FINE = 100; // cells of an axis that has none of its own
const BEYOND = 0.001; // of a pixel

/** An axis whose cells lie between edges; the first and the last hold what lies beyond them, too. */
export function ofEdges(column, edges, place, beyond = true) {
  const both = edges.map((edge) => ({ edge, stop: place(edge) })).sort((a, b) => a.stop - b.stop);
  return { column, beyond, edges: both.map((it) => it.edge), stops: both.map((it) => it.stop) };
}

/** An axis with cells so small that a brush seems to end anywhere, between round values. */
export function fine(column, scale) {
  const [low, high] = scale.domain();
  const within = scale.ticks(FINE).filter((it) => it > low && it < high);
  return ofEdges(column, [low, ...within, high], scale);
}

/** An axis of levels; none where there is no condition of one of them. */
export function ofLevels(column, levels, stops, look) {
  return levels.length > 1 && levels.every((it) => look.lightOf(column, it)) ? { column, levels, stops } : null;
}

/** Of some zones those that have an axis; those of a panel stand elsewhere, and its rows have more in common. */
export const zonesIn = (zones, [dx, dy] = [0, 0], also = []) =>
  zones.filter((it) => it.x || it.y).map(({ left, right, top, bottom, x, y, also: own = [] }) => ({
    ...{ left: left + dx, right: right + dx, top: top + dy, bottom: bottom + dy },
    ...(x && { x: moved(x, dx) }),
    ...(y && { y: moved(y, dy) }),
    also: [...own, ...also],
  }));

const moved = (axis, by) => ({ ...axis, stops: axis.stops.map((it) => it + by) });

/** @returns {number} Which zone holds a point, the smallest where several do; -1 where none does. */
export function zoneAt(zones, x, y) {
  const size = ({ left, right, top, bottom }) => (right - left) * (bottom - top);
  const held = zones.filter((it) => x >= it.left && x <= it.right && y >= it.top && y <= it.bottom);
  held.sort((a, b) => size(a) - size(b));
  return zones.indexOf(held[0]);
}

/** @returns {{x?: number, y?: number}} The cell of a zone that is nearest to a point. */
export function cellAt({ x, y }, atX, atY) {
  const place = ({ stops }, at) => clamped(d3.bisectRight(stops, at + BEYOND) - 1, stops);
  return { ...(x && { x: place(x, atX) }), ...(y && { y: place(y, atY) }) };
}

/** @returns {object} A cell that lies so many further, as far as there are any. */
export const cellBeside = (zone, cell, by) =>
  Object.fromEntries(Object.entries(cell).map(([way, at]) => [way, clamped(at + (by[way] || 0), zone[way].stops)]));

const clamped = (at, stops) => Math.max(0, Math.min(at, stops.length - 2));

/**
 * Return what a brush from one cell to another holds.
 * @returns {{light: object[], box: object}} The conditions of its rows, and where it lies.
 */
export function brushOf(zone, one, other) {
  const box = { left: zone.left, right: zone.right, top: zone.top, bottom: zone.bottom };
  const light = [];
  for (const [way, from, to] of [["x", "left", "right"], ["y", "top", "bottom"]]) {
    if (!zone[way]) continue;
    const first = Math.min(one[way], other[way]);
    const end = Math.max(one[way], other[way]) + 1;
    Object.assign(box, { [from]: zone[way].stops[first], [to]: zone[way].stops[end] });
    light.push(conditionOf(zone[way], first, end));
  }
  return { light: [...light, ...zone.also], box };
}

function conditionOf({ column, edges, levels, beyond }, first, end) {
  if (levels) return { column, levels: levels.slice(first, end) };
  const [from, to] = [edges[first], edges[end]].sort((a, b) => a - b);
  const [low, high] = d3.extent(edges);
  return { column, ...(!(beyond && from === low) && { from }), ...(!(beyond && to === high) && { to }) };
}
