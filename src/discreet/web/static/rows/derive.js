/** New columns and conditions: expressions over the rows of a part. */

import { UNKNOWN } from "./expressions/conditions.js";
import { asCondition, evaluate, parseExpression } from "./expressions/expression.js";
import { yesOf } from "./expressions/meaning.js";
import { Mistake, quoted } from "./expressions/mistake.js";
import { packed } from "./expressions/values.js";
import { inOrder } from "./order.js";
import { Refused } from "./refused.js";

const NO_AND_YES = ["no", "yes"];

/** Return the column that an expression makes of a part's rows. */
export function columnOf(part, name, text) {
  if (!name.trim()) throw new Refused("a new column needs a name that is text");
  if (part.has(name)) {
    const says = `there is a column ${quoted(name)}; choose another name for the new one`;
    throw new Refused(says, { taken: true });
  }
  const { expression, columns } = read(part, text);
  const made = evaluate(expression, columns, part.size);
  if (made.kind === "truth") return { name, ...asLevels(made.values) };
  if (made.kind === "level") return { ...ordered(made), name };
  if (made.kind === "number" && made.values.every(Number.isNaN)) {
    const says = "has no value in any row of the copy; check the columns that it is made from";
    throw new Refused(`${quoted(text)} ${says}`, { text });
  }
  return { ...made, name };
}

/**
 * Return a mask of the rows of a part for which a condition holds; not those for which it is
 * unknown.
 */
export function maskWhere(part, text) {
  const { expression, columns } = read(part, text);
  const found = asCondition(expression);
  if (found.kind !== "truth") {
    const what = `${quoted(text)} is not a condition but a ${found.kind}`;
    throw new Refused(`${what}; compare it with something: 'age >= 50'`, { text });
  }
  const mask = evaluate(found, columns, part.size).values;
  for (let i = 0; i < mask.length; i += 1) if (mask[i] === UNKNOWN) mask[i] = 0;
  return mask;
}

/**
 * Read an expression; levels that are stored as numbers may be written as either.
 * @param {Part} part - The rows, or what is known of them: of levels those that there are.
 * @returns {{expression: object, columns: Map<string, object>}}
 */
export function read(part, text) {
  try {
    return readAs(part, text, true);
  } catch (error) {
    if (!(error instanceof Mistake)) throw error;
    try {
      return readAs(part, text, false);
    } catch {
      throw new Refused(error.message, { text, ...error.place });
    }
  }
}

/** Read an expression, with numbers that are levels as numbers, or as levels. */
function readAs(part, text, coded) {
  const columns = new Map();
  const column = (name) => {
    if (!columns.has(name)) columns.set(name, taken(part.column(name), coded));
    return columns.get(name);
  };
  const kinds = {
    has: (name) => part.has(name),
    get: (name) => (column(name).dates ? "date" : column(name).kind),
    keys: () => part.names(),
  };
  const yes = {
    get: (name) => (part.column(name).kind === "level" ? yesOf(present(part.column(name))) : ""),
  };
  return { expression: parseExpression(text, kinds, yes), columns };
}

/** Return a column as an expression reads it. */
function taken(held, coded) {
  if (!coded || !held.coded) return held;
  const there = present(held);
  if (!there.length || !there.every((word) => Number.isFinite(Number(word)))) return held;
  const numbers = held.levels.map(Number);
  const values = Float64Array.from(held.codes, (it) => (it === held.missing ? NaN : numbers[it]));
  return { kind: "number", values };
}

/** List the levels that these rows have. */
function present({ codes, levels, missing }) {
  const found = new Set();
  for (let i = 0; i < codes.length && found.size < levels.length; i += 1) {
    if (codes[i] !== missing) found.add(codes[i]);
  }
  return [...found].map((code) => levels[code]);
}

/** Return levels in order, with their codes: an expression has them as they first come out. */
function ordered({ codes, levels, missing, ...more }) {
  const names = inOrder(levels);
  const place = levels.map((name) => names.indexOf(name));
  return { ...more, levels: names, missing, codes: codes.map((it) => (it === missing ? it : place[it])) };
}

function asLevels(steps) {
  const codes = Int8Array.from(steps, (step) => (step === UNKNOWN ? -1 : step));
  return { kind: "level", ...packed(NO_AND_YES, codes) };
}
