/** Points on a canvas: hundreds of thousands within a frame, and where they are many. */

import { d3 } from "../vendor/d3.js";

/** Places within a pixel, along each side, at which the middle of a point may lie. */
const PLACES = 4;
/** The grid on which neighbours are counted, and how a row counts in cells around its own. */
const [ACROSS, UP] = [56, 36];
const SPREAD = [1, 4, 6, 4, 1];

/**
 * Paint points, the later over the earlier.
 *
 * @param {CanvasRenderingContext2D} context - Scaled to the pixels of the screen.
 * @param {{width: number, height: number}} box - Of the picture.
 * @param {{x: ArrayLike<number>, y: ArrayLike<number>, of?: Uint8Array, colours: string[],
 *   radius: number, alpha: number}[]} sets - Where they lie; `of` names the colour of each.
 */
export function paintDots(context, box, sets) {
  const scale = context.getTransform().a;
  const wide = Math.ceil(box.width * scale);
  const high = Math.ceil(box.height * scale);
  if (!wide || !high) return;
  const image = new ImageData(wide, high);
  for (const set of sets) stampAll(image, set, scale);
  const sheet = document.createElement("canvas");
  sheet.width = wide;
  sheet.height = high;
  sheet.getContext("2d").putImageData(image, 0, 0);
  context.drawImage(sheet, 0, 0, wide / scale, high / scale);
}

function stampAll({ data, width, height }, { x, y, of, colours, radius, alpha }, scale) {
  const reach = Math.ceil(radius * scale + 1);
  const stamps = stampsOf(radius * scale, reach, alpha, width);
  const inks = colours.map((it) => d3.rgb(it)).map(({ r, g, b }) => [r, g, b]);
  for (let i = 0; i < x.length; i += 1) {
    const [acrossAt, downAt] = [x[i] * scale, y[i] * scale];
    const [left, top] = [Math.floor(acrossAt), Math.floor(downAt)];
    if (!(left >= reach && left < width - reach && top >= reach && top < height - reach)) continue;
    const place = PLACES * Math.floor((downAt - top) * PLACES) + Math.floor((acrossAt - left) * PLACES);
    stamp(data, 4 * (top * width + left), stamps[place], inks[of ? of[i] : 0]);
  }
}

/** Lay a point over what is there: colours weigh as much as each is seen. */
function stamp(data, middle, { steps, shares }, [red, green, blue]) {
  for (let k = 0; k < steps.length; k += 1) {
    const at = middle + steps[k];
    const share = shares[k];
    const below = (data[at + 3] / 255) * (1 - share);
    const seen = share + below;
    data[at] = (red * share + data[at] * below) / seen;
    data[at + 1] = (green * share + data[at + 1] * below) / seen;
    data[at + 2] = (blue * share + data[at + 2] * below) / seen;
    data[at + 3] = 255 * seen;
  }
}

/** The pixels of a point, for each place of its middle, and how much of each it covers. */
function stampsOf(radius, reach, alpha, width) {
  return Array.from({ length: PLACES * PLACES }, (_, place) => {
    const middle = [place % PLACES, Math.floor(place / PLACES)].map((it) => (it + 0.5) / PLACES - 0.5);
    const [steps, shares] = [[], []];
    for (let down = -reach; down <= reach; down += 1) {
      for (let across = -reach; across <= reach; across += 1) {
        const away = Math.hypot(across - middle[0], down - middle[1]);
        const share = alpha * Math.min(1, Math.max(0, radius + 0.5 - away));
        if (share < 0.02) continue;
        steps.push(4 * (down * width + across));
        shares.push(share);
      }
    }
    return { steps, shares };
  });
}

/**
 * Say how many lie near each point, of all that lie there: on a grid that is the same whatever the
 * size of the picture.
 *
 * @param {{x: ArrayLike<number>, y: ArrayLike<number>, size?: ArrayLike<number>}} points - Where
 *   they lie, each from 0 to 1, and how often each counts.
 * @returns {Float64Array} Shares of all points.
 */
export function nearby({ x, y, size }) {
  const held = new Float64Array(ACROSS * UP);
  const cell = new Uint16Array(x.length);
  let all = 0;
  for (let i = 0; i < x.length; i += 1) {
    const across = Math.max(0, Math.min(ACROSS - 1, Math.floor(x[i] * ACROSS)));
    const up = Math.max(0, Math.min(UP - 1, Math.floor(y[i] * UP)));
    cell[i] = across * UP + up;
    held[cell[i]] += size ? size[i] : 1;
    all += size ? size[i] : 1;
  }
  const around = spread(held, all);
  return Float64Array.from(cell, (it) => around[it]);
}

function spread(held, all) {
  const around = new Float64Array(held.length);
  for (let across = 0; across < ACROSS; across += 1) {
    for (let up = 0; up < UP; up += 1) {
      const here = held[across * UP + up] / all;
      for (let p = -2; here && p <= 2; p += 1) {
        for (let q = -2; q <= 2; q += 1) {
          const [to, on] = [across + p, up + q];
          if (to < 0 || to >= ACROSS || on < 0 || on >= UP) continue;
          around[to * UP + on] += here * SPREAD[p + 2] * SPREAD[q + 2];
        }
      }
    }
  }
  return around;
}

/**
 * Order points so that those with the most neighbours are painted last, each with its colour.
 *
 * @param {Float64Array} near - As `nearby` gives it.
 * @param {number} top - What has the last colour.
 * @param {number} steps - How many colours there are.
 * @returns {{order: Uint32Array, of: Uint8Array}} The points in that order, and their colours.
 */
export function byNeighbours(near, top, steps) {
  const colour = (i) => Math.min(steps - 1, Math.floor(Math.sqrt(near[i] / top) * steps));
  const starts = new Uint32Array(steps + 1);
  for (let i = 0; i < near.length; i += 1) starts[colour(i) + 1] += 1;
  for (let k = 1; k <= steps; k += 1) starts[k] += starts[k - 1];
  const order = new Uint32Array(near.length);
  const of = new Uint8Array(near.length);
  for (let i = 0; i < near.length; i += 1) {
    const at = starts[colour(i)]++;
    order[at] = i;
    of[at] = colour(i);
  }
  return { order, of };
}
