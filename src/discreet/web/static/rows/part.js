/** Some rows of a copy, with new columns: what pictures are computed from. */

import { asLevels } from "./levels.js";
import { Refused } from "./refused.js";

/** Fewer rows say next to nothing of the persons they stand for. */
export const FEWEST = 50;

const GAPS_ARE_LEVELS = ["bars", "crosstab"];

/** Of fewer rows a picture is rough, and says so. */
export const ROUGH = 300;

/**
 * Return all rows of a copy.
 * @param {{size: number, columns: Map<string, object>}} copy - As `readBundle` gives it.
 * @returns {Part} `size` rows out of `total`, and `column(name)`.
 */
export function whole(copy) {
  return partOf(copy.columns, null, copy.size, copy.size);
}

/** Return the rows of a part for which a mask holds 1. */
export function rowsOf(part, mask) {
  let size = 0;
  for (let i = 0; i < mask.length; i += 1) size += mask[i] === 1 ? 1 : 0;
  const rows = new Int32Array(size);
  for (let i = 0, at = 0; i < mask.length; i += 1) if (mask[i] === 1) rows[at++] = i;
  return rowsAt(part, rows);
}

/** Return some rows of a part. */
export function rowsAt(part, rows) {
  const columns = new Map([...part.names()].map((name) => [name, part.column(name)]));
  return partOf(columns, rows, rows.length, part.total);
}

/**
 * Return a part with a new column.
 * @param {object} column - With a name that no other column has.
 */
export function withNew(part, column) {
  const columns = new Map([...part.names()].map((name) => [name, part.column(name)]));
  columns.set(column.name, column);
  return partOf(columns, null, part.size, part.total);
}

function partOf(columns, rows, size, total) {
  const gathered = new Map();
  const words = new Map();
  const column = (name) => {
    const held = columns.get(name);
    if (!held) throw new Refused(`There is no column “${name}” in the protected copy.`);
    if (rows === null) return held;
    if (!gathered.has(name)) gathered.set(name, gather(held, rows));
    return gathered.get(name);
  };
  return {
    size,
    total,
    names: () => columns.keys(),
    has: (name) => columns.has(name),
    column,
    number: (name) => {
      const { kind, values } = column(name);
      if (kind !== "number") throw new Refused(`“${name}” has levels and no numbers; draw bars of it.`);
      return values;
    },
    level: (name) => {
      if (!words.has(name)) words.set(name, levelsOf(columns.get(name), rows) || asLevels(column(name)));
      return words.get(name);
    },
  };
}

const coded = new WeakMap();

/** Codes of a part as levels of the whole copy, so that each keeps its place; null where it has too many. */
function levelsOf(held, rows) {
  if (!held || rows === null || held.kind === "level") return null;
  if (!coded.has(held)) {
    try {
      coded.set(held, asLevels(held));
    } catch {
      coded.set(held, null); // the part may have few
    }
  }
  return coded.get(held) && gather(coded.get(held), rows);
}

function gather(held, rows) {
  const from = held.kind === "level" ? held.codes : held.values;
  const to = new from.constructor(rows.length);
  for (let i = 0; i < rows.length; i += 1) to[i] = from[rows[i]];
  return held.kind === "level" ? { ...held, codes: to } : { ...held, values: to };
}

/**
 * Return in how many rows each column of a picture has no value, the most first.
 * @returns {[string, number][]} Nothing where it shows all rows, or where a gap is a level.
 */
export function gapsOf(part, { kind, columns, by = [] }, { shown }) {
  if (!(shown < part.size) || GAPS_ARE_LEVELS.includes(kind)) return [];
  return [...columns, ...by]
    .map((name) => [name, part.size - countOf(part.column(name))])
    .filter(([, gaps]) => gaps > 0)
    .sort(([, a], [, b]) => b - a);
}

function countOf(held) {
  let known = 0;
  if (held.kind === "level") for (const code of held.codes) known += code === held.missing ? 0 : 1;
  else for (const value of held.values) known += Number.isFinite(value) ? 1 : 0;
  return known;
}

/** Return the rows of a part that have a value in each of some columns. */
export function complete(part, names) {
  const held = names.map((name) => part.column(name));
  const rows = new Int32Array(part.size);
  let size = 0;
  for (let i = 0; i < part.size; i += 1) {
    let known = true;
    for (const it of held) {
      known &&= it.kind === "level" ? it.codes[i] !== it.missing : Number.isFinite(it.values[i]);
    }
    if (known) rows[size++] = i;
  }
  if (!size) {
    throw new Refused(`No row of the copy has values in all of ${names.join(", ")}.`);
  }
  return rows.subarray(0, size);
}
