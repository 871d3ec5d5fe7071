/** The levels of a column, as pictures show them. */

import { inOrder } from "./order.js";
import { Refused } from "./refused.js";

const MOST_CODES = 30;

/**
 * Return a column as levels: words as they are, and numbers of few different values as words.
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

/** How rows without a level are shown: the second where a level has the first as its name. */
export const MISSING_NAMES = ["(missing)", "(no value)"];

/**
 * Return the levels that some rows have, in the order of pictures, and which each row has.
 * @param {{rows?: Int32Array, missing?: boolean}} [how] - Which rows, if not all; whether a gap is
 *   a level, the last one.
 * @returns {{names: string[], of: Int16Array}} The place of each row's level; -1 where it has none.
 */
export function levelsIn({ codes, levels, missing }, how = {}) {
  const rows = how.rows || codes.keys();
  const held = new Set();
  for (const row of rows) held.add(codes[row]);
  const gap = held.delete(missing) && how.missing;
  const names = inOrder([...held].map((code) => levels[code]), levels);
  const placeOf = new Int16Array(65536).fill(-1);
  for (const code of held) placeOf[code] = names.indexOf(levels[code]);
  if (gap) placeOf[missing] = names.push(MISSING_NAMES[Number(levels.includes(MISSING_NAMES[0]))]) - 1;
  const of = new Int16Array(codes.length).fill(-1);
  for (const row of how.rows || codes.keys()) of[row] = placeOf[codes[row]];
  return { names, of };
}

/**
 * Return which of the levels of a view each row has. Those that the view does not name are in the
 * one that was joined of small ones, where it has one.
 * @returns {Int16Array} Their places; -1 where a row has none.
 */
export function placesAmong({ codes, levels, missing }, names) {
  const isGap = (name) => MISSING_NAMES.includes(name);
  const others = names.map((name, i) => (levels.includes(name) ? -1 : i)).filter((i) => i >= 0);
  const rest = others.find((i) => !isGap(names[i])) ?? -1;
  const placeOf = new Int16Array(65536).fill(-1);
  levels.forEach((name, code) => { placeOf[code] = names.includes(name) ? names.indexOf(name) : rest; });
  placeOf[missing] = others.find((i) => isGap(names[i])) ?? -1;
  return new Int16Array(codes.length).map((_, row) => placeOf[codes[row]]);
}
