/** Cells over two columns: where they end, and which of them a value lies in. */

import { extent, roundHalfEven, short } from "./ends.js";
import { Refused } from "./refused.js";

/** Where so large a share of the values are multiples of one step, cells end between these. */
const ON_GRID = 0.9;
const DIGITS = 12;

/**
 * Return the ends of about so many cells that hold all values; of values that are multiples of a
 * step each cell holds as many multiples, or stripes would be seen where there are none.
 */
export function edgesOf(values, side) {
  const [low, high] = extent(values);
  if (!Number.isFinite(high - low)) {
    throw new Refused("The values lie too far apart for cells; rescale the column.");
  }
  if (low === high) {
    const half = 0.5 * (Math.abs(low) || 1);
    return [low - half, low + half];
  }
  const step = stepOf(values);
  if (step && high - low >= step) {
    const first = Math.floor(low / step + 0.5) - 0.5;
    const count = Math.floor(high / step + 0.5) + 0.5 - first;
    const many = Math.max(1, roundHalfEven(count / side));
    const length = Math.ceil(count / many) + 1;
    return Array.from({ length }, (_, i) => step * (first + many * i));
  }
  const width = (high - low) / side;
  return Array.from({ length: side + 1 }, (_, i) => (i === side ? high : i * width + low));
}

/** Return the step that nearly all values are multiples of, or 0. */
export function stepOf(values) {
  const sorted = Float64Array.from(values).sort();
  const gaps = new Map();
  for (let i = 1; i < sorted.length; i += 1) {
    if (sorted[i] === sorted[i - 1]) continue;
    const gap = Number((sorted[i] - sorted[i - 1]).toPrecision(6));
    gaps.set(gap, (gaps.get(gap) || 0) + 1);
  }
  let [step, most] = [0, 0];
  for (const [gap, count] of gaps) {
    if (count > most || (count === most && gap < step)) [step, most] = [gap, count];
  }
  let near = 0;
  for (const value of values) {
    const place = value / step;
    if (!(Math.abs(place) < 1e6)) return 0;
    near += Math.abs(place - Math.round(place)) < 1e-6 * Math.max(1, Math.abs(place)) ? 1 : 0;
  }
  return near >= ON_GRID * values.length ? step : 0;
}

/** Return ends of cells without the last digits of their arithmetic; narrow ones keep more. */
export function shortEdges(edges) {
  const [away] = extent(edges.map((it) => -Math.abs(it)));
  const [narrowest] = extent(edges.slice(1).map((edge, i) => edge - edges[i]));
  const digits = Math.max(DIGITS, 10 + Math.ceil(Math.log10(Math.max(-away / narrowest, 1))));
  return edges.map((it) => short(it, Math.min(digits, 17)));
}

/**
 * Return what says in which cell a value lies.
 * @param {boolean} [open] - Whether the first and the last cell hold what lies beyond them.
 * @returns {(value: number) => number} The place; -1 of what lies in none.
 */
export function placesIn(edges, open = false) {
  const last = edges.length - 2;
  const [low, high] = [edges[0], edges[last + 1]];
  const perCell = (last + 1) / (high - low);
  return (value) => {
    if (!open && !(value >= low && value <= high)) return -1;
    // A guess, as cells are about alike, and then as the edges say.
    let place = Math.min(last, Math.max(0, Math.floor((value - low) * perCell)));
    while (place < last && value >= edges[place + 1]) place += 1;
    while (place > 0 && value < edges[place]) place -= 1;
    return place;
  };
}
