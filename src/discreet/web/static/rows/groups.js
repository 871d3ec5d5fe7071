/** Rows in groups by the levels of a column, and what is said of the numbers of a group. */

import { inOrder } from "./order.js";

/** A curve of fewer rows would be drawn finer than it is known. */
export const LEAST_ROWS = 10;

/**
 * Return some rows by the levels of a column, in the order in which levels are drawn.
 *
 * @param {Part} part - The rows.
 * @param {Int32Array} rows - Those that are looked at; each has a level.
 * @param {string} [by] - The column; without one there is one group, without a name.
 * @returns {{label: string, rows: Int32Array}[]} Levels that some of the rows have.
 */
export function groupsOf(part, rows, by) {
  if (!by) return [{ label: "", rows }];
  const { codes, levels } = part.level(by);
  const sizes = new Int32Array(levels.length);
  for (const row of rows) sizes[codes[row]] += 1;
  const found = Array.from(sizes, (size) => new Int32Array(size));
  sizes.fill(0);
  for (const row of rows) found[codes[row]][sizes[codes[row]]++] = row;
  const places = new Map(levels.map((label, code) => [label, code]));
  const there = inOrder(levels.filter((_, code) => sizes[code]));
  return there.map((label) => ({ label, rows: found[places.get(label)] }));
}

/**
 * Return the group of each row of a part, for linked highlighting.
 *
 * @param {number} size - How many rows the part has.
 * @param {{rows: Int32Array}[]} groups - Those that are drawn.
 * @returns {{of: Int32Array, size: number}}
 */
export function marksOfGroups(size, groups) {
  const of = new Int32Array(size).fill(-1);
  groups.forEach(({ rows }, place) => {
    for (const row of rows) of[row] = place;
  });
  return { of, size: groups.length };
}

/** @returns {Float64Array} The values of some rows. */
export function take(values, rows) {
  const found = new Float64Array(rows.length);
  for (let i = 0; i < rows.length; i += 1) found[i] = values[rows[i]];
  return found;
}

/** @returns {Int32Array} Those of some rows that a mask holds. */
export const within = (rows, mask) => rows.filter((row) => mask[row] === 1);

/**
 * Return a quantile as numpy has it: on the line between the two values beside it.
 *
 * @param {Float64Array} values - Rising.
 * @param {number} share - From 0 to 1.
 * @returns {number}
 */
export function quantile(values, share) {
  const place = share * (values.length - 1);
  const below = Math.floor(place);
  const [low, high] = [values[below], values[Math.min(below + 1, values.length - 1)]];
  const part = place - below;
  return part < 0.5 ? low + (high - low) * part : high - (high - low) * (1 - part);
}

/** @returns {number} The mean of some numbers. */
export const meanOf = (values) => values.reduce((sum, it) => sum + it, 0) / values.length;
