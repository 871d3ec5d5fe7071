/** Intervals of a column under a curve: what is pointed at where no bars are drawn. */

import { binsOf, extent, placesOn } from "./ends.js";
import { take } from "./groups.js";
import { complete } from "./part.js";

const BINS = 20;

/**
 * Count the rows of a curve in the bins that a histogram of the column has.
 *
 * @param {Part} part - The rows.
 * @param {{columns: string[], by?: string[]}} spec - The column, and what divides it.
 * @param {object} facts - Of the copy.
 * @returns {{edges: number[], counts: number[]}}
 */
export function stripsOf(part, { columns: [name], by }, facts) {
  const values = take(part.number(name), complete(part, [name, ...(by || [])]));
  const [low, high] = extent(values);
  if (low === high) return { edges: [low - 0.5, low + 0.5], counts: [values.length] };
  const bins = binsOf(name, values, facts.bins || BINS, facts.axes?.[name]);
  const counts = new Array(bins.bins).fill(0);
  for (const value of values) counts[bins.placeOf(value)] += 1;
  return { edges: bins.edges, counts };
}

/**
 * Return the interval of each row, for linked highlighting.
 *
 * @param {Part} part - The rows.
 * @param {{columns: string[], by?: string[]}} spec - The column, and what divides it.
 * @param {{edges: number[]}} strips - As `stripsOf` returns them.
 * @returns {{of: Int32Array, size: number}}
 */
export function marksOfStrips(part, { columns: [name], by }, { edges }) {
  const placeOf = placesOn(edges);
  const values = part.number(name);
  const of = new Int32Array(part.size).fill(-1);
  for (const row of complete(part, [name, ...(by || [])])) of[row] = placeOf(values[row]);
  return { of, size: edges.length - 1 };
}
