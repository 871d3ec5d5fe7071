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

/**
 * Compare two sides of one kind; of `days` the times are left out. A side of one value is a constant,
 * which is compared with all rows.
 */
export function compared(sign, left, right, days, rows) {
  if (left.codes) return comparedLevels(sign, left, right, rows);
  if (!days) return comparedNumbers(sign, left, right, rows);
  const steps = comparedNumbers(sign, left.map(dayOf), right.map(dayOf), rows);
  const [l, r] = [stride(left), stride(right)];
  for (let i = 0; i < rows; i += 1) {
    // A date past the calendar has no day, and is not missing.
    if (steps[i] === UNKNOWN && !Number.isNaN(left[i * l]) && !Number.isNaN(right[i * r])) {
      steps[i] = sign === "!=" ? 1 : 0;
    }
  }
  return steps;
}

const stride = (values) => (values.length === 1 ? 0 : 1);

function comparedNumbers(sign, left, right, rows) {
  const [less, equal, more] = COMPARED.get(sign);
  const [l, r] = [stride(left), stride(right)];
  const steps = new Uint8Array(rows);
  for (let i = 0; i < rows; i += 1) {
    const a = left[i * l];
    const b = right[i * r];
    steps[i] = a < b ? less : a > b ? more : a === b ? equal : UNKNOWN;
  }
  return steps;
}

function comparedLevels(sign, left, right, rows) {
  const [other, same] = COMPARED.get(sign);
  const codes = new Map(left.levels.map((level, code) => [level, code]));
  const asLeft = right.levels.map((level) => (codes.has(level) ? codes.get(level) : -1));
  const [l, r] = [stride(left.codes), stride(right.codes)];
  const steps = new Uint8Array(rows);
  for (let i = 0; i < rows; i += 1) {
    const a = left.codes[i * l];
    const b = right.codes[i * r];
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
