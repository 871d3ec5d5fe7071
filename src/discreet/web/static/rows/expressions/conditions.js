/** What conditions are for each row: 0 where false, 1 where true, 2 where that is unknown. */

import { dayOf } from "./calendar.js";

/** What is neither true nor false, as something missing has a part in it. */
export const UNKNOWN = 2;

// What a comparison is where the left side is less, equal or more.
const COMPARED = new Map([
  ["==", [0, 1, 0]],
  ["!=", [1, 0, 1]],
  ["<", [1, 0, 0]],
  ["<=", [1, 1, 0]],
  [">", [0, 0, 1]],
  [">=", [0, 1, 1]],
]);

/** Join by `and`: false if one of them is false, whatever the other may be. */
export function both(left, right) {
  for (let i = 0; i < left.length; i += 1) {
    left[i] = left[i] === 0 || right[i] === 0 ? 0 : Math.max(left[i], right[i]);
  }
  return left;
}

/** Join by `or`: true if one of them is true, whatever the other may be. */
export function either(left, right) {
  for (let i = 0; i < left.length; i += 1) {
    left[i] = left[i] === 1 || right[i] === 1 ? 1 : Math.max(left[i], right[i]);
  }
  return left;
}

/** Return the opposite. */
export function opposite(steps) {
  return steps.map((step) => (step === UNKNOWN ? UNKNOWN : 1 - step));
}

/** Compare two sides of one kind; of `days` the times are left out. */
export function compared(sign, left, right, days) {
  if (left.codes) return comparedLevels(sign, left, right);
  if (!days) return comparedNumbers(sign, left, right);
  const steps = comparedNumbers(sign, left.map(dayOf), right.map(dayOf));
  for (let i = 0; i < steps.length; i += 1) {
    // A date past the calendar has no day, and is not missing.
    if (steps[i] === UNKNOWN && left[i] === left[i] && right[i] === right[i]) {
      steps[i] = sign === "!=" ? 1 : 0;
    }
  }
  return steps;
}

function comparedNumbers(sign, left, right) {
  const [less, equal, more] = COMPARED.get(sign);
  const steps = new Uint8Array(left.length);
  for (let i = 0; i < steps.length; i += 1) {
    const a = left[i];
    const b = right[i];
    steps[i] = a < b ? less : a > b ? more : a === b ? equal : UNKNOWN;
  }
  return steps;
}

function comparedLevels(sign, left, right) {
  const [other, same] = COMPARED.get(sign);
  const codes = new Map(left.levels.map((level, code) => [level, code]));
  const asLeft = right.levels.map((level) => (codes.has(level) ? codes.get(level) : -1));
  const steps = new Uint8Array(left.codes.length);
  for (let i = 0; i < steps.length; i += 1) {
    const a = left.codes[i];
    const b = right.codes[i];
    const unknown = a === left.missing || b === right.missing;
    steps[i] = unknown ? UNKNOWN : asLeft[b] === a ? same : other;
  }
  return steps;
}

/** Tell where values of a kind are missing. */
export function missing(kind, values) {
  if (kind === "level") {
    return Uint8Array.from(values.codes, (it) => (it === values.missing ? 1 : 0));
  }
  if (kind === "truth") return values.map((step) => (step === UNKNOWN ? 1 : 0));
  return Uint8Array.from(values, (it) => (it === it ? 0 : 1));
}
