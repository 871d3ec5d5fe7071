/** Where parallel axes lie: side by side, or one below the other in a narrow picture. */

import { px, wide } from "./svg.js";

const NARROW = 92;
const LOW = 56;
const GRIP = 24;
const RAIL = 4;

/** How much wider the letters of names are than others. */
export const BOLD = 1.2;

const isNarrow = (axes, width) => (width - 48) / (axes - 1) < NARROW;

/** @param {number} axes - How many. @param {number} width - In pixels. @returns {number} A height. */
export const tallOf = (axes, width) => (isNarrow(axes, width) ? 24 + 96 * axes : 360);

/**
 * Return where axes lie. A place is where an axis is, and how far from its foot, both in pixels.
 * @param {object[]} axes - Each with a `name`, and with `levels` where it has any.
 * @returns {object} `down` where axes lie one below the other; `at` of each, their `length`, the
 *   `room` between two, `xy(at, far)`, and `grip(i, words)`, the place of an axis' name.
 */
export function placed(axes, box) {
  const count = axes.length;
  const down = isNarrow(count, box.width) && box.height / count >= LOW;
  return down ? below(count, box) : beside(axes, count, box);
}

function beside(axes, count, { width, height }) {
  const widest = ({ levels = [] }) => Math.max(0, ...levels.map(wide));
  const most = Math.min(96, width * 0.2);
  const left = Math.min(most, Math.max(44, widest(axes[0]) + 14));
  const right = width - Math.min(most, Math.max(16, widest(axes.at(-1)) + 16));
  const foot = height - 22;
  const room = (right - left) / (count - 1);
  return {
    down: false,
    at: axes.map((_, i) => left + room * i),
    length: foot - 38,
    room,
    left,
    width,
    xy: (at, far) => [at, foot - far],
    grip(i, words) {
      const at = left + room * i;
      const half = Math.min(room - 6, wide(words) * BOLD + 30) / 2;
      const most = at + room / 2 - 3;
      const least = i ? at - room / 2 + 3 : 0;
      const x = Math.max(least, Math.min(width - 2 * half, at - half), 0);
      return { x, y: 0, width: Math.min(2 * half, Math.min(most, width) - x), height: GRIP };
    },
  };
}

function below(count, { width, height }) {
  const left = 8;
  const top = GRIP + 8;
  const room = (height - 22 - top) / (count - 1);
  return {
    down: true,
    at: Array.from({ length: count }, (_, i) => top + room * i),
    length: width - 2 * left,
    room,
    left,
    width,
    xy: (at, far) => [left + far, at],
    grip: (i, words) => ({
      x: 0,
      y: top + room * i - GRIP - RAIL - 2,
      width: Math.min(width, wide(words) * BOLD + 30),
      height: GRIP,
    }),
  };
}

/**
 * Return the outline of a band between two neighbouring axes.
 * @param {number[]} one - How far from the foot it begins and ends on that axis.
 */
export function outline({ at, xy }, gap, one, other) {
  const [from, to] = [at[gap] + RAIL, at[gap + 1] - RAIL];
  const middle = (from + to) / 2;
  const point = (main, far) => xy(main, far).map(px).join(" ");
  const edge = (a, far, b, end) => `C${point(middle, far)} ${point(middle, end)} ${point(b, end)}`;
  return (
    `M${point(from, one[0])}${edge(from, one[0], to, other[0])}L${point(to, other[1])}` +
    `${edge(to, other[1], from, one[1])}Z`
  );
}

/** @returns {number[]} A rectangle along an axis: x, y, width, height. */
export function along({ at, xy, down }, axis, from, to, half = RAIL) {
  const [[x0, y0], [x1, y1]] = [xy(at[axis], from), xy(at[axis], to)];
  return down ? [x0, y0 - half, x1 - x0, 2 * half] : [x0 - half, y1, 2 * half, y0 - y1];
}
