/** Rows in groups by the levels of a column, and what is said of the numbers of a group. */

import { inOrder } from "./order.js";
import { complete } from "./part.js";

/** A curve of fewer rows would be drawn finer than it is known. */
export const LEAST_ROWS = 10;

/**
 * Return some rows by the levels of a column, in the order in which levels are drawn.
 * @param {Int32Array} rows - Those that are looked at; each has a level.
 * @param {string} [by] - The column; without one there is one group, without a name.
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
  const there = inOrder(levels.filter((_, code) => sizes[code]), levels);
  return there.map((label) => ({ label, rows: found[places.get(label)] }));
}

const sorted = new WeakMap();
const MOST_SORTED = 24; // of a part, as each takes room

/**
 * Return some rows by the levels of a column, those of each level in the order of their values.
 * @param {string[]} needed - The columns that each row has a value of.
 * @param {string} name - The one of them that they are in the order of.
 * @returns {{label: string, rows: Int32Array, values: Float64Array}[]} As `groupsOf` says. They are
 *   kept, so that highlighted rows need not be sorted again.
 */
export function risingOf(part, needed, name, by) {
  if (!sorted.has(part)) sorted.set(part, new Map());
  const known = sorted.get(part);
  const key = JSON.stringify([needed, name, by]);
  if (!known.has(key)) {
    if (known.size >= MOST_SORTED) known.delete(known.keys().next().value);
    const numbers = part.number(name);
    const groups = groupsOf(part, complete(part, needed), by);
    known.set(key, groups.map(({ label, rows }) => ({ label, ...rising(numbers, rows) })));
  }
  return known.get(key);
}

/** Numbers are sorted many times faster than rows by a comparison of their numbers. */
function rising(numbers, rows) {
  const values = take(numbers, rows).sort();
  const found = new Int32Array(rows.length);
  const filled = new Int32Array(rows.length);
  for (const row of rows) {
    const first = below(values, numbers[row]);
    found[first + filled[first]] = row;
    filled[first] += 1;
  }
  return { rows: found, values };
}

/**  */
export function below(values, value) {
  let [low, high] = [0, values.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (values[middle] < value) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** @returns {Float64Array} The values of those of some rows that a mask holds, rising. */
export function risingWithin({ rows, values }, mask) {
  const found = new Float64Array(rows.length);
  let size = 0;
  for (let i = 0; i < rows.length; i += 1) if (mask[rows[i]] === 1) found[size++] = values[i];
  return found.subarray(0, size);
}

/** Return the group of each row of a part, for linked highlighting. */
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
export function within(rows, mask) {
  const found = new Int32Array(rows.length);
  let size = 0;
  for (let i = 0; i < rows.length; i += 1) if (mask[rows[i]] === 1) found[size++] = rows[i];
  return found.subarray(0, size);
}

/** Return a quantile as numpy has it: on the line between the two values beside it. */
export function quantile(values, share) {
  const place = share * (values.length - 1);
  const below = Math.floor(place);
  const [low, high] = [values[below], values[Math.min(below + 1, values.length - 1)]];
  const part = place - below;
  return part < 0.5 ? low + (high - low) * part : high - (high - low) * (1 - part);
}

const made = new WeakMap();

/** @returns {*} What is made once for a view, and kept as long as it is. */
export function once(view, make) {
  if (!made.has(view)) made.set(view, make());
  return made.get(view);
}

/** @returns {number} The mean of some numbers. */
export const meanOf = (values) => values.reduce((sum, it) => sum + it, 0) / values.length;
