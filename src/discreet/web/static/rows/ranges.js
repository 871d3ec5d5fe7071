/** Columns cut into ranges or levels: what parallel axes are made of. */

import { binsOf } from "./ends.js";
import { inOrder } from "./order.js";
import { Refused } from "./refused.js";

const MOST_LEVELS = 30;
const CODES = 5;

/**
 * Return a column cut into ranges, or its levels: how many rows each has, and which each row has.
 * @param {string} name - The column; numbers of few different values are levels.
 * @param {number} ranges - How many there are of a number, at most.
 * @param {{limits?: number[], edges?: number[]}} [fixed] - What the policy declares of the column.
 * @returns {{name: string, kind: string, edges?: number[], whole?: boolean, levels?: string[],
 *   counts: number[], codes: Uint8Array}} As Python's axes have it, `kind` is "continuous" or
 *   "categorical", and ranges of `whole` numbers end between them.
 */
export function cut(part, name, rows, ranges, fixed) {
  const column = part.column(name);
  if (column.kind === "level" || isCoded(column)) return ofLevels(part.level(name), name, rows);
  const kept = new Float64Array(rows.length);
  for (let i = 0; i < rows.length; i += 1) kept[i] = column.values[rows[i]];
  const bins = binsOf(name, kept, ranges, fixed);
  const codes = new Uint8Array(rows.length);
  for (let i = 0; i < rows.length; i += 1) codes[i] = bins.placeOf(kept[i]);
  const whole = !fixed && kept.every(Number.isInteger);
  const counts = tally(codes, bins.bins);
  return { name, kind: "continuous", edges: bins.edges, whole, counts, codes };
}

function isCoded({ values, dates }) {
  if (dates) return false;
  const found = new Set();
  for (let i = 0; i < values.length && found.size <= CODES; i += 1) {
    if (Number.isFinite(values[i])) found.add(values[i]);
  }
  return found.size > 1 && found.size <= CODES;
}

function ofLevels(column, name, rows) {
  const all = new Array(column.levels.length).fill(0);
  for (let i = 0; i < rows.length; i += 1) all[column.codes[rows[i]]] += 1;
  const found = column.levels.filter((_, code) => all[code]);
  const held = inOrder(found, column.levels).map((word) => column.levels.indexOf(word));
  if (held.length > MOST_LEVELS) {
    throw new Refused(
      `“${name}” has ${held.length} levels, more than an axis has room for; make a new column that joins some.`,
    );
  }
  const place = new Uint8Array(column.levels.length);
  held.forEach((code, i) => {
    place[code] = i;
  });
  const codes = new Uint8Array(rows.length);
  for (let i = 0; i < rows.length; i += 1) codes[i] = place[column.codes[rows[i]]];
  return {
    name,
    kind: "categorical",
    levels: held.map((code) => column.levels[code]),
    counts: held.map((code) => all[code]),
    codes,
  };
}

function tally(codes, size) {
  const counts = new Array(size).fill(0);
  for (let i = 0; i < codes.length; i += 1) counts[codes[i]] += 1;
  return counts;
}
