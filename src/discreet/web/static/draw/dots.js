/** Points on a canvas: hundreds of thousands within a frame, and where they are many. */

import { d3 } from "../vendor/d3.js";

/** Places within a pixel, along each side, at which the middle of a point may lie. */
const PLACES = 4;
/** Very many points are squares of so many pixels. */
const MIST = 1.5;
/** The grid on which neighbours are counted, and how a row counts in cells around its own. */
const [ACROSS, UP] = [56, 36];
const SPREAD = [1, 4, 6, 4, 1];

/**
 * Return a sheet with points, the later over the earlier; so many that they hide each other are
 * small squares, coloured as the one in them that has the most neighbours.
 * @param {number} scale - Pixels of the screen to one of the picture.
 * @param {{x: ArrayLike<number>, y: ArrayLike<number>, of?: Uint8Array, colours: string[], radius:
 *   number, alpha: number}[]} sets - Where they lie; `of` names the colour of each.
 */
export function sheetOf(box, scale, sets, misty) {
  const wide = Math.ceil(box.width * scale);
  const high = Math.ceil(box.height * scale);
  if (!wide || !high) return null;
  // A point at the end of an axis may lie partly beyond the sheet: it is drawn on a larger one, and cut.
  const beyond = misty ? 0 : Math.max(...sets.map(({ radius }) => Math.ceil(radius * scale + 1)));
  const image = new ImageData(wide + 2 * beyond, high + 2 * beyond);
  for (const set of sets) (misty ? mistOf : stampAll)(image, set, scale, beyond);
  const sheet = document.createElement("canvas");
  sheet.width = wide;
  sheet.height = high;
  sheet.getContext("2d").putImageData(image, -beyond, -beyond);
  return sheet;
}

function mistOf({ data, width, height }, { x, y, of, colours, alpha }, scale) {
  const side = Math.max(1, Math.round(MIST * scale));
  const across = Math.ceil(width / side);
  const held = new Uint8Array(across * Math.ceil(height / side));
  for (let i = 0; i < x.length; i += 1) {
    const at = Math.floor((y[i] * scale) / side) * across + Math.floor((x[i] * scale) / side);
    const colour = of ? of[i] + 1 : 1;
    if (colour > held[at]) held[at] = colour;
  }
  const pixels = new Uint32Array(data.buffer);
  const inks = colours.map((it) => (Math.round(255 * alpha) << 24) | packed(it));
  held.forEach((colour, at) => {
    if (!colour) return;
    const [left, top] = [(at % across) * side, Math.floor(at / across) * side];
    for (let down = top; down < Math.min(top + side, height); down += 1) {
      pixels.fill(inks[colour - 1], down * width + left, down * width + Math.min(left + side, width));
    }
  });
}

/** A colour as the bytes of a pixel hold it, but for how much is seen of it. */
function packed(colour) {
  const { r, g, b } = d3.rgb(colour);
  return (b << 16) | (g << 8) | r;
}

function stampAll({ data, width, height }, { x, y, of, colours, radius, alpha }, scale, beyond) {
  const reach = Math.ceil(radius * scale + 1);
  const stamps = stampsOf(radius * scale, reach, alpha, width);
  const inks = colours.map(packed);
  const pixels = new Uint32Array(data.buffer);
  for (let i = 0; i < x.length; i += 1) {
    const [acrossAt, downAt] = [x[i] * scale + beyond, y[i] * scale + beyond];
    const [left, top] = [Math.floor(acrossAt), Math.floor(downAt)];
    if (!(left >= reach && left < width - reach && top >= reach && top < height - reach)) continue;
    const place = PLACES * Math.floor((downAt - top) * PLACES) + Math.floor((acrossAt - left) * PLACES);
    stamp(data, pixels, top * width + left, stamps[place], inks[of ? of[i] : 0]);
  }
}

/** Lay a point over what is there: colours weigh as much as each is seen. */
function stamp(data, pixels, middle, { steps, shares, seen }, ink) {
  for (let k = 0; k < steps.length; k += 1) {
    const pixel = middle + steps[k];
    if (pixels[pixel] === 0) {
      pixels[pixel] = seen[k] | ink;
      continue;
    }
    const at = 4 * pixel;
    const below = (data[at + 3] / 255) * (1 - shares[k]);
    const all = shares[k] + below;
    const [own, other] = [shares[k] / all, below / all];
    data[at] = (ink & 255) * own + data[at] * other;
    data[at + 1] = ((ink >> 8) & 255) * own + data[at + 1] * other;
    data[at + 2] = ((ink >> 16) & 255) * own + data[at + 2] * other;
    data[at + 3] = 255 * all;
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
        steps.push(down * width + across);
        shares.push(share);
      }
    }
    return { steps, shares, seen: shares.map((share) => Math.round(255 * share) << 24) };
  });
}

/**
 * Say how many lie near each point, of all that lie there: on a grid that is the same whatever the
 * size of the picture.
 * @param {{x: ArrayLike<number>, y: ArrayLike<number>, size?: ArrayLike<number>}} points - Where
 *   they lie, and how often each counts.
 */
export function nearby({ x, y, size }, along, upward) {
  const held = new Float64Array(ACROSS * UP);
  const cell = new Uint16Array(x.length);
  const placeOf = (value, [from, to], many) =>
    Math.max(0, Math.min(many - 1, Math.floor(((value - from) / (to - from)) * many)));
  let all = 0;
  for (let i = 0; i < x.length; i += 1) {
    cell[i] = placeOf(x[i], along, ACROSS) * UP + placeOf(y[i], upward, UP);
    held[cell[i]] += size ? size[i] : 1;
    all += size ? size[i] : 1;
  }
  const around = spread(held, all);
  const found = new Float64Array(x.length);
  for (let i = 0; i < x.length; i += 1) found[i] = around[cell[i]];
  return found;
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

/** Return which colour each point has for its neighbours. */
export function colourOf(near, top, steps) {
  const of = new Uint8Array(near.length);
  for (let i = 0; i < of.length; i += 1) {
    of[i] = Math.min(steps - 1, Math.floor(Math.sqrt(near[i] / top) * steps));
  }
  return of;
}

/** Order points so that those of the last colour are painted last. */
export function inOrderOf(of, steps) {
  const starts = new Uint32Array(steps + 1);
  for (let i = 0; i < of.length; i += 1) starts[of[i] + 1] += 1;
  for (let k = 1; k <= steps; k += 1) starts[k] += starts[k - 1];
  const order = new Uint32Array(of.length);
  for (let i = 0; i < of.length; i += 1) order[starts[of[i]]++] = i;
  return order;
}
