/** Means, spreads, quartiles and intervals of numbers, as the package has them. */

const known = (value) => (Number.isFinite(value) ? value : null);

const BLOCK = 128;
const LANES = 8;

/**
 * @returns {number} Their sum, added pair by pair as numpy does: the same to the last digit.
 */
export function sumOf(values) {
  const count = values.length;
  if (count > BLOCK) {
    const half = Math.floor(count / 2);
    const at = half - (half % LANES);
    return sumOf(values.subarray(0, at)) + sumOf(values.subarray(at));
  }
  if (count < LANES) return values.reduce((sum, it) => sum + it, 0);
  const r = values.slice(0, LANES);
  const even = count - (count % LANES);
  for (let i = LANES; i < even; i += LANES) {
    for (let lane = 0; lane < LANES; lane += 1) r[lane] += values[i + lane];
  }
  const sum = r[0] + r[1] + (r[2] + r[3]) + (r[4] + r[5] + (r[6] + r[7]));
  return values.subarray(even).reduce((all, it) => all + it, sum);
}

/** @param {Float64Array} values - Without gaps. @returns {number|null} Null of none. */
export const meanOf = (values) => (values.length ? known(sumOf(values) / values.length) : null);

/** @param {Float64Array} values - Without gaps. @returns {number|null} With divisor n - 1. */
export function sdOf(values) {
  if (values.length < 2) return null;
  const mean = sumOf(values) / values.length;
  const squares = sumOf(values.map((it) => (it - mean) * (it - mean)));
  return known(Math.sqrt(squares / (values.length - 1)));
}

/**
 * @returns {number[]} Those between two values on the straight line, as numpy has them.
 */
export function quantilesOf(values, shares = [0.25, 0.5, 0.75]) {
  if (!values.length) return shares.map(() => null);
  const sorted = Float64Array.from(values).sort();
  return shares.map((share) => {
    const at = (sorted.length - 1) * share;
    const [low, high] = [sorted[Math.floor(at)], sorted[Math.min(Math.floor(at) + 1, sorted.length - 1)]];
    const part = at - Math.floor(at);
    return part < 0.5 ? low + (high - low) * part : high - (high - low) * (1 - part);
  });
}

/** Return the 95 % interval of a mean, by Student's t. */
export function intervalOf(values) {
  const [mean, sd] = [meanOf(values), sdOf(values)];
  if (mean === null || sd === null) return null;
  const half = (studentT(values.length - 1) * sd) / Math.sqrt(values.length);
  return [mean - half, mean + half];
}

/** Return where Student's t leaves 2.5 % above it. */
export function studentT(freedom) {
  let [low, high] = [1.9, 13];
  for (let i = 0; i < 80 && high - low > 1e-15 * high; i += 1) {
    const middle = (low + high) / 2;
    if (above(middle, freedom) > 0.025) low = middle;
    else high = middle;
  }
  return (low + high) / 2;
}

/** The chance of more than t: half the regularised incomplete beta function. */
function above(t, freedom) {
  const x = freedom / (freedom + t * t);
  const [a, b] = [freedom / 2, 0.5];
  const log = a * Math.log(x) + b * Math.log1p(-x) - logBeta(a, b);
  if (x < (a + 1) / (a + b + 2)) return (0.5 * Math.exp(log) * fraction(a, b, x)) / a;
  return 0.5 * (1 - (Math.exp(log) * fraction(b, a, 1 - x)) / b);
}

/** The continued fraction of the incomplete beta function, by Lentz. */
function fraction(a, b, x) {
  let c = 1;
  let d = 1 / (1 - ((a + b) * x) / (a + 1));
  let found = d;
  for (let m = 1; m < 10000; m += 1) {
    const even = (m * (b - m) * x) / ((a + 2 * m - 1) * (a + 2 * m));
    d = 1 / (1 + even * d);
    c = 1 + even / c;
    found *= d * c;
    const odd = (-(a + m) * (a + b + m) * x) / ((a + 2 * m) * (a + 2 * m + 1));
    d = 1 / (1 + odd * d);
    c = 1 + odd / c;
    found *= d * c;
    if (Math.abs(d * c - 1) < 1e-16) break;
  }
  return found;
}

/** The logarithm of the beta function of a half or more, and a half. */
function logBeta(a, b) {
  // Of a large one the two gamma functions are near each other: their quotient as a series.
  if (a > 200) return 0.5 * Math.log(Math.PI / a) + 1 / (8 * a) - 1 / (192 * a ** 3);
  return logGamma(a) + logGamma(b) - logGamma(a + b);
}

const LANCZOS = [
  0.99999999999980993, 676.5203681218851, -1259.1392167224028, 771.32342877765313,
  -176.61502916214059, 12.507343278686905, -0.13857109526572012, 9.9843695780195716e-6,
  1.5056327351493116e-7,
];

function logGamma(value) {
  const x = value - 1;
  const t = x + 7.5;
  const sum = LANCZOS.reduce((all, it, i) => all + (i ? it / (x + i) : it), 0);
  return 0.5 * Math.log(2 * Math.PI) + (x + 0.5) * Math.log(t) - t + Math.log(sum);
}
