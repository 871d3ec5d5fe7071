/** Lines of levels: their colours and dashes, their keys, and their names where they end. */

import { inOrder } from "../rows/order.js";
import { level } from "./colour.js";
import { clip, px, text, wide } from "./svg.js";

const DASHES = ["", "7 3", "2 3"];
const LETTERS = 13; // a line of text

/** How the shape of highlighted rows is drawn. */
export const HOT = { fill: "var(--hot)", "fill-opacity": 0.16, stroke: "var(--hot)", "stroke-width": 1.5 };

/**
 * Return how the line of a level is drawn.
 * @param {number} place - Of the level; those beyond the fifth have dashes.
 */
export const strokeOf = (place) => ({
  fill: "none",
  stroke: level(place),
  "stroke-width": 2,
  "stroke-linejoin": "round",
  "stroke-dasharray": dashOf(place),
});

const dashOf = (place) => DASHES[Math.max(0, Math.floor(place / 5)) % DASHES.length];

/**
 * Return the keys of lines of levels.
 * @param {?string} by - The column; without one there are none.
 */
export function keysOf(by, names, look) {
  if (!by) return [];
  const places = look.placesOf(by, names);
  return names.map((name, i) => (
    { name, colour: level(places[i]), dash: dashOf(places[i]), light: look.lightOf(by, name) }));
}

/**
 * Return the place by which a level has its colour and dashes, among the levels of some lines.
 * @param {?string} by - The column; without one the only line has the first.
 * @param {string[]} names - Of all lines, in panels beside it too.
 */
export function placeIn(by, names, look) {
  const places = by ? look.placesOf(by, names) : names.map(() => 0);
  return (name) => places[names.indexOf(name)];
}

/** @returns {string[]} The labels of the lines of some views, in the order of their column's levels. */
export const labelsOf = (lines, order) => inOrder(lines.map((it) => it.label ?? it.level), order);

/** Return how much room names to the right of a picture take. */
export const roomOf = (names, box) => Math.min(Math.max(0, ...names.map(wide)) + 12, box.width * 0.2);

/** Draw the names of lines where they end, so that none lies on another. */
export function namesAtEnds(ends, inner, room) {
  if (ends.length * LETTERS > inner.bottom - inner.top + LETTERS) return "";
  const sorted = ends.map((it) => ({ ...it })).sort((a, b) => a.y - b.y);
  const near = (it, other) => Math.abs(it.x - other.x) < room;
  sorted.forEach((it, i) => {
    for (const above of sorted.slice(0, i)) if (near(it, above)) it.y = Math.max(it.y, above.y + LETTERS);
  });
  sorted.reverse().forEach((it, i) => {
    it.y = Math.min(it.y, inner.bottom);
    for (const under of sorted.slice(0, i)) if (near(it, under)) it.y = Math.min(it.y, under.y - LETTERS);
  });
  return sorted
    .map(({ name, x, y }) => text(x + 6, y + 4, clip(name, room - 10), "start", "b halo"))
    .join("");
}

/**
 * Draw the names of more than two curves beside them; fewer are told apart by their keys.
 * @param {{name: string, x: number, y: number}[]} places - Of each the place that is most its own.
 */
export function namesBeside(places, inner, look) {
  if (places.length < 3 || look.mini) return "";
  const room = roomOf(places.map((it) => it.name), { width: 3 * (inner.right - inner.left) });
  return namesAtEnds(places.map((it) => ({ ...it, x: Math.min(it.x, inner.right - room) })), inner, room);
}

/**
 * Return a line in steps.
 * @param {{times: number[], heights: number[], end: number}} steps - It is so high from each time.
 * @param {boolean} [back] - From the end to the first, and without a beginning of its own.
 */
export function stepPath({ times, heights, end }, x, y, back = false) {
  const corners = times.flatMap((time, i) => {
    const height = px(y(heights[i]));
    return [[px(x(time)), height], [px(x(times[i + 1] ?? end)), height]];
  });
  if (back) corners.reverse();
  return `${back ? "L" : "M"}${corners.map((it) => it.join(" ")).join("L")}`;
}
