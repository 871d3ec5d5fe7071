/** The quantile of Student's t that an interval of 95 % of a mean lies between. */

/** Of an interval of 95 %. */
export const NORMAL = 1.959963984540054;
const SHARE = 0.95;
const EXACT = 200;
const known = new Map();

/**
 * Return the quantile 0.975 of t.
 * @param {number} degrees - Of freedom: a whole number of 1 or more.
 */
export function quantileOfT(degrees) {
  if (!known.has(degrees)) known.set(degrees, degrees > EXACT ? expanded(degrees) : searched(degrees));
  return known.get(degrees);
}

/** Fisher and Cornish's expansion, of many degrees. */
function expanded(degrees) {
  const z = NORMAL;
  const terms = [
    z,
    (z ** 3 + z) / 4,
    (5 * z ** 5 + 16 * z ** 3 + 3 * z) / 96,
    (3 * z ** 7 + 19 * z ** 5 + 17 * z ** 3 - 15 * z) / 384,
    (79 * z ** 9 + 776 * z ** 7 + 1482 * z ** 5 - 1920 * z ** 3 - 945 * z) / 92160,
  ];
  return terms.reduce((sum, term, i) => sum + term / degrees ** i, 0);
}

function searched(degrees) {
  let [low, high] = [0, Math.PI / 2];
  for (let i = 0; i < 60; i += 1) {
    const middle = (low + high) / 2;
    if (within(middle, degrees) < SHARE) low = middle;
    else high = middle;
  }
  return Math.sqrt(degrees) * Math.tan((low + high) / 2);
}

/** Which share lies between -t and t, where t is the root of the degrees times an angle's tangent. */
function within(angle, degrees) {
  const [sine, square] = [Math.sin(angle), Math.cos(angle) ** 2];
  const odd = degrees % 2;
  let term = odd ? Math.cos(angle) : 1;
  let sum = 0;
  for (let i = 1 + odd; i < degrees; i += 2) {
    sum += term;
    term *= (square * i) / (i + 1);
  }
  return odd ? (2 / Math.PI) * (angle + sine * sum) : sine * sum;
}
