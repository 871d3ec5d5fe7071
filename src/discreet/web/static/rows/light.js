/** Which rows fulfil the condition that a mark of a picture stands for. */

import { MISSING_NAMES } from "./levels.js";

/**
 * Return a mask of the rows of a part for which all of some conditions hold.
 * @param {{column: string, from?: number, to?: number, closed?: boolean, level?: string}[]} all - A
 *   range holds its `from` and, where it is `closed`, its `to`; without one of them it is open.
 */
export function maskOf(part, all) {
  const mask = new Uint8Array(part.size).fill(1);
  for (const it of all) {
    if (it.level !== undefined) keepLevel(mask, part.level(it.column), it.level);
    else keepRange(mask, part.number(it.column), it);
  }
  return mask;
}

/**
 * Count the rows of a mask in each mark of a picture.
 * @param {Int32Array} of - The mark of each row; -1 where it has none. Where rows have several
 *   marks, it holds all rows several times.
 */
export function countsOf(of, size, mask) {
  const counts = new Float64Array(size + 1); // the first takes the rows that have no mark
  const rows = mask.length;
  for (let from = 0; rows && from < of.length; from += rows) {
    for (let i = 0; i < rows; i += 1) counts[of[from + i] + 1] += mask[i];
  }
  return counts.subarray(1);
}

function keepLevel(mask, { codes, levels, missing }, level) {
  const place = levels.indexOf(level);
  const wanted = place < 0 && MISSING_NAMES.includes(level) ? missing : place;
  for (let i = 0; i < mask.length; i += 1) if (codes[i] !== wanted) mask[i] = 0;
}

function keepRange(mask, values, { from = -Infinity, to = Infinity, closed = false }) {
  for (let i = 0; i < mask.length; i += 1) {
    const value = values[i];
    if (!(value >= from && (value < to || (closed && value === to)))) mask[i] = 0;
  }
}
