/** Where the axis of a column begins and ends, and the bins on it: as the server has them. */

import { Refused } from "./refused.js";

const TOLERANCE = 1e-9;
/** So many bins a histogram has, unless the study says otherwise. */
export const BINS = 20;
const DIGITS = 12;
// As the server has them: how many decimals a step may have, and how many steps an axis.
const [MOST_DECIMALS, MOST_WHOLE, MOST_STEPS, ON_STEP] = [6, 1e15, 1000, 1e-6];

/** Return a number as a reader would write it, without the last digits of its arithmetic. */
export function short(value, digits = DIGITS) {
  const found = Number(value.toPrecision(digits));
  if (Number(value.toPrecision(digits + 1)) !== value) return found;
  const beyond = value.toExponential(digits + 40).replace(/^-|\.|e.*$/g, "").slice(digits);
  const odd = Number(found.toExponential(digits - 1).split("e")[0].at(-1)) % 2 === 1;
  // Of two that are as near, Python takes the even one, and browsers the larger.
  return odd && /^50*$/.test(beyond) ? Number((2 * value - found).toPrecision(digits)) : found;
}

/**
 * Return the bins of a column, by the rule by which the server bins rows of a copy.
 * @param {{limits?: number[], edges?: number[]}} [fixed] - What the policy declares of the column.
 * @returns {{edges: number[], placeOf: (value: number) => number, bins: number}}
 */
export function binsOf(name, values, bins, fixed = {}) {
  if (fixed.edges) return declared(fixed.edges, bins);
  const [low, high] = fixed.limits || extent(values);
  if (!(high > low)) {
    throw new Refused(`“${name}” has one value alone in these rows, so it cannot be drawn.`);
  }
  return fixed.limits ? even(low, high, bins) : trimmed(low, high, values, bins);
}

/** Count values in bins, as `binsOf` returns them. */
export function countedIn({ bins, edges, placeOf }, values) {
  const counts = new Array(bins).fill(0);
  for (const value of values) counts[placeOf(value)] += 1;
  return { edges, counts };
}

/** Return the bins of a column that a spec itself names the edges of. */
export function ownBins(edges, name) {
  const own = edges && Object.hasOwn(edges, name) && edges[name];
  return own ? { edges: own, bins: own.length - 1, placeOf: placesOn(own) } : null;
}

/** Return which bin each value is in, by the edges alone; the end bins take what lies beyond them. */
export function placesOn(edges) {
  const inner = edges.slice(1, -1).map((edge, i) => edge - TOLERANCE * (edge - edges[i]));
  return (value) => {
    let low = 0;
    let high = inner.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (value >= inner[middle]) low = middle + 1;
      else high = middle;
    }
    return low;
  };
}

/**
 * Return the condition of a bin; the first and the last hold what lies beyond them too.
 * @returns {{column: string, from?: number, to?: number}}
 */
export const lightOfBin = (column, edges, i) => ({
  column,
  ...(i > 0 && { from: edges[i] }),
  ...(i < edges.length - 2 && { to: edges[i + 1] }),
});

/**
 * Return the least and the largest of some numbers.
 * @param {ArrayLike<number>} values - At least one; gaps are passed over.
 */
export function extent(values) {
  let low = Infinity;
  let high = -Infinity;
  for (let i = 0; i < values.length; i += 1) {
    if (values[i] < low) low = values[i];
    if (values[i] > high) high = values[i];
  }
  return [low, high];
}

/** Return the largest of 1, 2 or 5 times a power of ten that is no larger than a width. */
export function stepBelow(width) {
  const power = Math.floor(Math.log10(width));
  const found = [5, 2, 1].find((it) => it * 10 ** power <= width * (1 + 1e-12));
  return Number(`${found}e${power}`);
}

function trimmed(low, high, values, bins) {
  const step = stepOf(values, low, high);
  if (!step) {
    const nice = stepBelow((high - low) * 0.05);
    return even(short(Math.floor(low / nice) * nice), short(Math.ceil(high / nice) * nice), bins);
  }
  const [from, to] = [short(low - step / 2), short(high + step / 2)];
  const reach = roundHalfEven((to - from) / step);
  const width = Math.ceil(reach / bins);
  const used = Math.ceil(reach / width);
  const start = short(from - step * Math.floor((width * used - reach) / 2));
  return even(start, short(start + step * width * used), used);
}

/** Return the largest step by which all values go, 0 of values that go by none: of tenths 0.1. */
function stepOf(values, low, high) {
  const largest = Math.max(Math.abs(low), Math.abs(high));
  for (let decimals = 0; decimals <= MOST_DECIMALS; decimals += 1) {
    const scale = 10 ** decimals;
    if (largest * scale > MOST_WHOLE) return decimals === 0 && values.every(Number.isInteger) ? 1 : 0;
    const near = decimals ? ON_STEP : 0;
    if (values.every((it) => Math.abs(it * scale - Math.round(it * scale)) <= near)) {
      const first = Math.round(low * scale);
      const steps = values.reduce((found, it) => gcd(found, Math.round(it * scale) - first), 0);
      const many = (high - low) * scale > MOST_STEPS * steps;
      return decimals && many ? 0 : steps / scale;
    }
  }
  return 0;
}

function gcd(a, b) {
  while (b) [a, b] = [b, a % b];
  return a;
}

function even(low, high, bins) {
  const width = (high - low) / bins;
  const edges = Array.from({ length: bins + 1 }, (_, i) => (i === bins ? high : low + i * width));
  const last = bins - 1;
  const placeOf = (value) => {
    const found = Math.floor((value - low) / width + TOLERANCE);
    return found < 0 ? 0 : found > last ? last : found;
  };
  return { edges: edges.map((it) => short(it)), placeOf, bins };
}

function declared(all, bins) {
  const used = Math.min(bins, all.length - 1);
  const edges = Array.from(
    { length: used + 1 },
    (_, i) => all[roundHalfEven((i * (all.length - 1)) / used)],
  );
  const inner = edges.slice(1, -1);
  const placeOf = (value) => {
    let place = 0;
    while (place < inner.length && value >= inner[place]) place += 1;
    return place;
  };
  return { edges, placeOf, bins: used };
}

/** Return the nearest whole number, of two the even one. */
export function roundHalfEven(value) {
  const below = Math.floor(value);
  const odd = below % 2 !== 0;
  return value - below > 0.5 || (value - below === 0.5 && odd) ? below + 1 : below;
}
