/** Survival curves: which share has not had an event by each time (Kaplan and Meier). */

import { NO_AND_YES } from "./expressions/meaning.js";
import { inOrder } from "./order.js";
import { Refused } from "./refused.js";

/** A curve ends where fewer rows are at risk: each would be a large step. */
export const LEAST_AT_RISK = 10;

const MOST_STEPS = 1000;
const MOST_TIMES = 6;
const NORMAL = 1.959963984540054; // of an interval of 95 %

/**
 * Return which of a column's levels are the event, or refuse what is not clear.
 *
 * @param {string[]} names - The levels there are.
 * @param {*} asked - A level, or a list of levels; of nothing it is 1 of 0 and 1, or yes.
 * @param {string} column - For a message.
 * @returns {string[]}
 */
export function eventOf(names, asked, column) {
  const wanted = (asked === undefined || asked === null ? [] : [asked].flat()).map(String);
  if (wanted.length) {
    const known = new Map(names.map((name) => [plain(name), name]));
    const unknown = wanted.find((it) => !known.has(plain(it)));
    if (unknown !== undefined) {
      throw new Refused(`“${unknown}” is no level of “${column}”. ${thereAre(names)}`);
    }
    return [...new Set(wanted.map((it) => known.get(plain(it))))];
  }
  const found = new Map(names.map((name) => [name.toLowerCase(), name]));
  const pair = NO_AND_YES.find((it) => names.length === 2 && it.every((word) => found.has(word)));
  if (pair) return [found.get(pair[1])];
  throw new Refused(`Which values of “${column}” are the event is not clear. Choose one. ${thereAre(names)}`);
}

const thereAre = (names) => `There are ${inOrder(names).slice(0, 8).join(", ")}.`;

/** A number in one way of writing it, and true and false as a column has them. */
function plain(word) {
  if (word === "True" || word === "False") return word.toLowerCase();
  const number = word.trim() === "" ? NaN : Number(word);
  return Number.isNaN(number) ? word : String(Number(number.toPrecision(15)));
}

/**
 * Return the curve of some rows, as far as enough of them are at risk.
 *
 * @param {Float64Array} times - How long each was observed; 0 or more; at least ten.
 * @param {Uint8Array} happened - Whether that ended with the event.
 * @returns {object} `rows`, `events`, `times`, `shares`, `low`, `high`, `end`, and
 *   `atRisk(places)`, how many are observed until each of some times, or longer.
 */
export function survivalOf(times, happened) {
  const sorted = times.slice().sort();
  const fell = times.filter((_, i) => happened[i]).sort();
  const end = sorted.at(-LEAST_AT_RISK);
  const atRisk = (at) => sorted.length - below(sorted, at);
  const found = productLimit(fell, atRisk);
  const kept = found.times.length > MOST_STEPS ? lastOfEach(found.times, end) : null;
  const some = (all) => (kept ? all.filter((_, i) => kept[i]) : all);
  return {
    rows: sorted.length,
    events: fell.length,
    times: some(found.times),
    shares: some(found.shares),
    low: some(found.low),
    high: some(found.high),
    end,
    atRisk: (places) => places.map(atRisk),
  };
}

/** The product limit, and its interval by Greenwood's variance of log(-log(share)). */
function productLimit(fell, atRisk) {
  const out = { times: [0], shares: [1], low: [1], high: [1] };
  let [share, variance] = [1, 0];
  for (let i = 0, next; i < fell.length; i = next) {
    for (next = i; next < fell.length && fell[next] === fell[i]; next += 1);
    const [events, risk] = [next - i, atRisk(fell[i])];
    if (risk < LEAST_AT_RISK) break;
    share *= 1 - events / risk;
    variance += events / (risk * (risk - events));
    const half = (NORMAL * Math.sqrt(variance)) / -Math.log(share);
    out.times.push(fell[i]);
    out.shares.push(share);
    out.low.push(share > 0 ? share ** Math.exp(half) : 0);
    out.high.push(share > 0 ? share ** Math.exp(-half) : out.high.at(-1));
  }
  return out;
}

/** Of very many steps the last in each thousandth of the axis, and the first of all. */
function lastOfEach(times, end) {
  const cell = times.map((it) => Math.min(Math.floor((it / end) * MOST_STEPS), MOST_STEPS - 1));
  return cell.map((it, i) => i === 0 || i === cell.length - 1 || cell[i + 1] > it);
}

/** How many of some rising values are less than a value. */
function below(values, value) {
  let [low, high] = [0, values.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (values[middle] < value) low = middle + 1;
    else high = middle;
  }
  return low;
}

/**
 * Return round times from 0 up to an end.
 *
 * @param {number} end - The last time.
 * @returns {number[]}
 */
export function roundPlaces(end) {
  if (!(end > 0)) return [0];
  const power = Number(`1e${Math.floor(Math.log10(end / MOST_TIMES))}`);
  const step = [1, 2, 5, 10].find((it) => end / (it * power) <= MOST_TIMES) * power;
  const count = Math.floor(end / step + 1e-9) + 1;
  return Array.from({ length: count }, (_, i) => Number((i * step).toPrecision(12)));
}
