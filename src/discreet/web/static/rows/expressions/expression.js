/**
 * An expression: read and checked once, and computed of columns as often as they come.
 *
 * It is the twin of the room `expressions` of the package: the same texts, the same words for what
 * is wrong, the same values. Nothing of a text is handed to JavaScript's own grammar.
 */

import { Reader } from "./grammar.js";
import { conditionOf } from "./meaning.js";
import { Mistake } from "./mistake.js";
import { cutUp } from "./tokens.js";
import { valuesOf } from "./values.js";

/** How many characters an expression may have. */
export const LONGEST = 2000;

const SHOWN = 30;

/**
 * Read a condition or a formula of columns, such as `age >= 50 and sex == 'F'`.
 * @param {string} text - At most 2,000 characters, nested at most 40 deep.
 * @param {Map<string, string>} kinds - Of each column: "number", "level" or "date".
 * @param {{get: (name: string) => string | undefined}} [yes] - Of columns that say yes or no, the
 *   value that is true; `yesOf` finds it.
 * @returns {Expression} `kind` is what comes out: "truth", "number", "level" or "date"; `names` are
 *   the columns in order of first use.
 * @throws {Mistake} Whose `place` is in characters, not in UTF-16.
 */
export function parseExpression(text, kinds, yes = new Map()) {
  if (text.length > LONGEST && [...text].length > LONGEST) {
    throw new Mistake(null, `the expression is too long; it may have ${LONGEST} characters`);
  }
  try {
    const reader = new Reader(cutUp(text), kinds, yes);
    const tree = reader.whole();
    if (!reader.names.size) {
      throw new Mistake([0, text.length], "an expression names at least one column");
    }
    return { text, names: [...reader.names], kind: tree.kind, tree };
  } catch (error) {
    throw error instanceof Mistake ? new Mistake(placed(text, error.place), error.message) : error;
  }
}

/** Return a column that says yes or no as a condition; any other expression as it is. */
export function asCondition(expression) {
  const tree = conditionOf(expression.tree);
  return { ...expression, kind: tree.kind, tree };
}

/**
 * Compute an expression for each row.
 * @param {Map<string, object>} columns - Those that it names, all of `rows` rows. A column has
 *   `kind`; one of numbers has `values` and `dates`, one of levels `codes`, `levels` and `missing`.
 * @returns {object} A column, or of a condition `values` that are 0, 1, and 2 where it is unknown.
 */
export function evaluate({ tree }, columns, rows) {
  const held = new Map();
  const column = ({ name, kind }) => {
    if (!held.has(name)) held.set(name, taken(columns.get(name), kind));
    return held.get(name);
  };
  return valuesOf(tree, { rows, column });
}

/** Return the values of a column; what is not finite is missing. */
function taken({ values, ...levels }, kind) {
  if (kind === "level") return levels;
  for (let i = 0; i < values.length; i += 1) {
    if (values[i] === Infinity || values[i] === -Infinity) {
      return values.map((it) => (Number.isFinite(it) ? it : NaN));
    }
  }
  return values;
}

/** Say where a mistake is, in characters, and no more of it than is shown. */
function placed(text, [start, stop]) {
  const at = [...text.slice(0, start)].length;
  const all = [...text].length;
  const end = at + [...text.slice(start, stop)].length + Math.max(stop - text.length, 0);
  const last = Math.max(Math.min(end, all, at + SHOWN), at + 1);
  return { at, length: Math.min(last, all) - at };
}
