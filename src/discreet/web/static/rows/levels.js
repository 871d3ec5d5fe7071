/** The levels of a column, as pictures show them. */

import { Refused } from "./refused.js";

const MOST_CODES = 30;

/**
 * Return a column as levels: words as they are, and numbers of few different values as words.
 *
 * @param {object} column - Of numbers or of levels.
 * @returns {{codes: Uint8Array, levels: string[], missing: number}}
 */
export function asLevels(column) {
  if (column.kind === "level") return column;
  const found = new Map();
  const codes = new Uint8Array(column.values.length).fill(255);
  const distinct = new Set();
  for (const value of column.values) {
    if (Number.isFinite(value)) distinct.add(value);
    if (distinct.size > MOST_CODES || column.dates) {
      throw new Refused(`“${column.name}” has too many different values to divide a picture by.`);
    }
  }
  const sorted = [...distinct].sort((a, b) => a - b);
  sorted.forEach((value, code) => found.set(value, code));
  column.values.forEach((value, i) => {
    if (Number.isFinite(value)) codes[i] = found.get(value);
  });
  return { ...column, kind: "level", codes, levels: sorted.map(word), missing: 255 };
}

/** A number as Python's "%.15g" writes it. */
function word(value) {
  return String(Number(value.toPrecision(15)));
}
