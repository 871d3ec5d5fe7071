/** Which rows fulfil the condition that a mark of a picture stands for. */

import { MISSING_NAMES } from "./levels.js";

/**
 * Return a mask of the rows of a part for which all of some conditions hold.
 * @param {{column: string, from?: number, to?: number, closed?: boolean, levels?: string[]}[]} all - A
 *   range holds its `from` and, where it is `closed`, its `to`; without one of them it is open. Or
 *   the column has one of some levels.
 */
export function maskOf(part, all) {
  const mask = new Uint8Array(part.size).fill(1);
  for (const it of all) {
    if (it.levels) keepLevels(mask, part.level(it.column), it.levels);
    else keepRange(mask, part.number(it.column), it);
  }
  return mask;
}

/**
 * Return which rows of a mask are lit, as what counts them reads it.
 * @returns {{size: number, mask: Uint8Array, rows: Uint32Array, isDark: boolean}} `rows` are those
 *   that are lit, or, where these are more than half, those that are not: `isDark`.
 */
export function litOf(mask) {
  let size = 0;
  for (let i = 0; i < mask.length; i += 1) size += mask[i];
  const isDark = size > mask.length / 2;
  const rows = new Uint32Array(isDark ? mask.length - size : size);
  const wanted = isDark ? 0 : 1;
  for (let i = 0, at = 0; at < rows.length; i += 1) {
    rows[at] = i;
    at += mask[i] === wanted ? 1 : 0;
  }
  return { size, mask, rows, isDark };
}

/**
 * Return the marks of a picture in as few bytes as there are marks, and how many rows each has.
 * @param {Int32Array} of - The mark of each row; -1 where it has none. Where rows have several
 *   marks, it holds all rows several times.
 * @returns {{of: Uint8Array|Uint16Array|Uint32Array, totals: Float64Array}} Marks count from 1.
 */
export function packed({ of, size }) {
  const Kind = size < 256 ? Uint8Array : size < 65536 ? Uint16Array : Uint32Array;
  const small = new Kind(of.length);
  const totals = new Float64Array(size + 1);
  for (let i = 0; i < of.length; i += 1) {
    small[i] = of[i] + 1;
    totals[of[i] + 1] += 1;
  }
  return { of: small, totals };
}

/** Count the lit rows in each mark, of `packed` marks. */
export function countsOf({ of, totals }, { mask, rows, isDark }) {
  const counts = new Uint32Array(totals.length); // the first takes the rows that have no mark
  for (let from = 0; mask.length && from < of.length; from += mask.length) {
    const here = of.subarray(from, from + mask.length);
    for (let i = 0; i < rows.length; i += 1) counts[here[rows[i]]] += 1;
  }
  return Float64Array.from(counts.subarray(1), isDark ? (count, mark) => totals[mark + 1] - count : undefined);
}

function keepLevels(mask, { codes, levels, missing }, wanted) {
  const kept = new Uint8Array(65536);
  levels.forEach((it, code) => { kept[code] = Number(wanted.includes(it)); });
  if (wanted.some((it) => MISSING_NAMES.includes(it) && !levels.includes(it))) kept[missing] = 1;
  for (let i = 0; i < mask.length; i += 1) mask[i] &= kept[codes[i]];
}

function keepRange(mask, values, { from = -Infinity, to = Infinity, closed = false }) {
  for (let i = 0; i < mask.length; i += 1) {
    const value = values[i];
    if (!(value >= from && (value < to || (closed && value === to)))) mask[i] = 0;
  }
}
