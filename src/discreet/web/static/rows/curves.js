/** Curves of the values of a column, of all rows or of each level. */

import { BINS, binsOf, countedIn, extent, placesOn, roundHalfEven, short } from "./ends.js";
import { LEAST_ROWS, quantile, risingOf, risingWithin, take } from "./groups.js";
import { complete } from "./part.js";
import { Refused } from "./refused.js";

export const MOST_CURVES = 12; // more colours and dashes are not told apart
export const MOST_STEPS = 1000;
const CELLS = 1024;
const POINTS = 256;
const NARROWEST = 1 / 200; // of what a curve spans
const REACH = 6; // of the kernel, in bandwidths
const DIGITS = 6;

/**
 * Return the rising values of each level that has a curve; the level is empty where none is asked.
 * @returns {{drawn: {label: string, rows: Int32Array, values: Float64Array}[], few: string[],
 *   others: string[], shown: number}} `few` have too few rows, `others` fewer than the levels that
 *   are drawn.
 */
export function valuesOf(part, spec) {
  const { columns: [name], by } = spec;
  const groups = risingOf(part, [name, ...(by || [])], name, by?.[0]);
  const { drawn, few, others } = largest(groups);
  if (!drawn.length) {
    throw new Refused(by
      ? `No level of “${by[0]}” has ${LEAST_ROWS} rows with a value, which a curve rests on at least.`
      : `Fewer than ${LEAST_ROWS} rows have a value of “${name}”, which a curve rests on at least.`,
    by && { alternative: { ...spec, by: undefined } });
  }
  return { drawn, few, others, shown: groups.reduce((sum, it) => sum + it.rows.length, 0) };
}

/**
 * Return the density of each level that has one: not of rows that have one value alone.
 * @returns {object} `curves`, each with its `values`; `constant`, and as `valuesOf` says.
 */
export function densitiesOf(part, spec) {
  const { drawn, ...beside } = valuesOf(part, spec);
  const flat = ({ values }) => values[0] === values.at(-1);
  const spread = drawn.filter((it) => !flat(it));
  if (!spread.length) {
    throw new Refused(`“${spec.columns[0]}” has one value alone in these rows, so it has no density.`, {
      alternative: { kind: "bars", columns: spec.columns },
    });
  }
  const curves = spread.map((it) => ({ ...it, ...densityOf(it.values) }));
  return { curves, constant: drawn.filter(flat).map((it) => it.label), ...beside };
}

/**
 * Return the groups that have a line of their own: those with the most rows.
 * @param {{label: string, rows: Int32Array}[]} groups - In the order in which they are drawn.
 * @returns {{drawn: object[], few: string[], others: string[]}}
 */
export function largest(groups) {
  const few = groups.filter((it) => it.rows.length < LEAST_ROWS);
  const enough = groups.filter((it) => !few.includes(it)).sort((a, b) => b.rows.length - a.rows.length);
  const [first, others] = [enough.slice(0, MOST_CURVES), enough.slice(MOST_CURVES)];
  const named = (some) => groups.filter((it) => some.includes(it)).map((it) => it.label);
  return { drawn: groups.filter((it) => first.includes(it)), few: named(few), others: named(others) };
}

/**
 * Return the rising values of the rows of a mask, all levels together; none of too few.
 * @returns {?{values: Float64Array, share: number}} And which share of the rows they are.
 */
export function litValues(part, { columns: [name], by }, mask) {
  const [all] = risingOf(part, [name, ...(by || [])], name);
  const values = risingWithin(all, mask);
  return values.length < LEAST_ROWS ? null : { values, share: values.length / all.rows.length };
}

/**
 * Return the density of rising values by a Gaussian kernel that is reflected at both ends.
 * @returns {{x: number[], y: number[], bandwidth: number}}
 */
export function densityOf(values) {
  const [low, high] = [values[0], values.at(-1)];
  const width = bandwidthOf(values);
  const cell = (high - low) / CELLS;
  const heights = new Float64Array(CELLS);
  const unit = 1 / (values.length * cell);
  for (const value of values) heights[Math.min(Math.floor((value - low) / cell), CELLS - 1)] += 1;
  const smooth = smoothed(heights, width / cell);
  const kept = [0];
  for (let at = CELLS / POINTS / 2; at < CELLS; at += CELLS / POINTS) kept.push(at);
  kept.push(CELLS - 1);
  const x = kept.map((at, i) => (i === 0 ? low : i === kept.length - 1 ? high : low + (at + 0.5) * cell));
  const y = kept.map((at) => short(smooth(at) * unit, DIGITS));
  if (![...x, ...y].every(Number.isFinite)) {
    throw new Refused("The values lie too close together or too far apart for a density.");
  }
  return { x, y, bandwidth: short(width, DIGITS) };
}

/** Silverman's rule of thumb; half of the rows may have one value, and their quartiles no range. */
function bandwidthOf(values) {
  const mean = values.reduce((sum, it) => sum + it, 0) / values.length;
  const square = values.reduce((sum, it) => sum + (it - mean) ** 2, 0) / values.length;
  const range = (quantile(values, 0.75) - quantile(values, 0.25)) / 1.34;
  const spreads = [Math.sqrt(square), range].filter((it) => it > 0);
  const rule = 0.9 * Math.min(...spreads) * values.length ** -0.2;
  return Math.max(rule, NARROWEST * (values.at(-1) - values[0]));
}

/** Heights under a Gaussian kernel, with mirrors at the outer edges of the first and last. */
function smoothed(heights, sd) {
  const reach = Math.floor(REACH * sd + 0.5);
  const kernel = Float64Array.from({ length: reach + 1 }, (_, i) => Math.exp((-0.5 * i * i) / (sd * sd)));
  const area = kernel.reduce((sum, it) => sum + 2 * it, -kernel[0]);
  const at = (i) => {
    const place = ((i % (2 * CELLS)) + 2 * CELLS) % (2 * CELLS);
    return heights[place < CELLS ? place : 2 * CELLS - 1 - place];
  };
  const all = Float64Array.from({ length: CELLS + 2 * reach }, (_, i) => at(i - reach));
  return (place) => {
    const middle = place + reach;
    let sum = kernel[0] * all[middle];
    for (let i = 1; i <= reach; i += 1) sum += kernel[i] * (all[middle - i] + all[middle + i]);
    return sum / area;
  };
}

/**
 * Return at which values the distribution of rising values steps up, and how far.
 * @param {Float64Array} values - Of more than a thousand different ones every so many are taken.
 */
export function stepsOf(values) {
  let at = [];
  for (let i = 0; i < values.length; i += 1) if (i + 1 === values.length || values[i] !== values[i + 1]) at.push(i + 1);
  if (at.length > MOST_STEPS) at = everySoMany(at, values.length);
  const share = (upto) => roundHalfEven((upto / values.length) * 10 ** DIGITS) / 10 ** DIGITS;
  return { x: at.map((upto) => values[upto - 1]), y: at.map(share) };
}

/** The first of some rising ranks, and that at or above each thousandth of all. */
function everySoMany(ranks, size) {
  const kept = [ranks[0]];
  for (let step = 1, i = 0; step <= MOST_STEPS; step += 1) {
    const wanted = Math.ceil((size * step) / MOST_STEPS);
    while (ranks[i] < wanted) i += 1;
    if (ranks[i] > kept.at(-1)) kept.push(ranks[i]);
  }
  return kept;
}

/** Count the rows of a curve in the bins that a histogram of the column has. */
export function stripsOf(part, { columns: [name], by }, facts) {
  const values = take(part.number(name), complete(part, [name, ...(by || [])]));
  const [low, high] = extent(values);
  if (low === high) return { edges: [low - 0.5, low + 0.5], counts: [values.length] };
  return countedIn(binsOf(name, values, facts.bins || BINS, facts.axes?.[name]), values);
}

/** Return the interval of each row, for linked highlighting. */
export function marksOfStrips(part, { columns: [name], by }, { edges }) {
  const placeOf = placesOn(edges);
  const values = part.number(name);
  const of = new Int32Array(part.size).fill(-1);
  for (const row of complete(part, [name, ...(by || [])])) of[row] = placeOf(values[row]);
  return { of, size: edges.length - 1 };
}
