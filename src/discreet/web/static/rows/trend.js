/** Least-squares lines of the rows that are drawn. */

import { short } from "./ends.js";
import { Refused } from "./refused.js";

const DIGITS = 12;
const INTERCEPT_DIGITS = 15;

/**
 * Return the least-squares line of points.
 *
 * @param {string} level - Of which level they are; empty for all rows.
 * @param {ArrayLike<number>} x - Where they lie.
 * @param {ArrayLike<number>} y - As many.
 * @param {ArrayLike<number>} [size] - How often each counts.
 * @returns {{of: string, level: string, slope: number, intercept: number}}
 */
export function trendOf(level, x, y, size) {
  const weight = (i) => (size ? size[i] : 1);
  let [all, xs, ys] = [0, 0, 0];
  for (let i = 0; i < x.length; i += 1) {
    all += weight(i);
    xs += weight(i) * x[i];
    ys += weight(i) * y[i];
  }
  const [atX, atY] = [xs / all, ys / all];
  let [along, across] = [0, 0];
  for (let i = 0; i < x.length; i += 1) {
    const away = x[i] - atX;
    along += weight(i) * away * (y[i] - atY);
    across += weight(i) * away * away;
  }
  if (!x.some((it) => it !== x[0])) {
    throw new Refused("All points lie above one another, so there is no trend; draw none.");
  }
  const slope = short(along / across, DIGITS);
  const intercept = short(atY - slope * atX, INTERCEPT_DIGITS);
  if (![along, across, slope, intercept].every(Number.isFinite)) {
    throw new Refused("The points lie too close together or too far apart for a trend; draw none.");
  }
  return { of: "what is drawn", level, slope, intercept };
}
