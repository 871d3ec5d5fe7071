/** How numbers, columns and levels are said in pictures. */

import { MISSING_NAMES } from "../rows/levels.js";
import { d3 } from "../vendor/d3.js";
import { placesOf } from "./colour.js";

export const DAY = 86400000;
const date = d3.utcFormat("%-d %b %Y");

/**
 * Return how a picture says what it shows.
 * @param {Map<string, object>} columns - What is known of each column: label, unit, dates.
 * @param {object} how - `dark`; `mini` and `bare` pictures have less beside them.
 */
export function lookOf(columns, how = {}) {
  const of = (name) => columns.get(name) || {};
  const isDate = (name) => of(name).dates === true;
  const label = (name) => apart(of(name).label || name);
  const unit = (name) => of(name).unit || "";
  const say = (name, value) => (isDate(name) ? date(new Date(value * DAY)) : number(value));
  const amount = (name, value) =>
    isDate(name) ? `${number(value)} days` : [number(value), unit(name)].filter(Boolean).join(" ");
  const between = (name, from, to) => {
    const ends = of(name).whole ? [Math.ceil(from), Math.floor(to)] : [from, to];
    const [low, high] = (ends[0] > ends[1] ? [from, to] : ends).map((it) => say(name, it));
    return low === high ? low : `${low}${low.startsWith("−") ? " to " : "–"}${high}`;
  };
  return {
    dark: false,
    mini: false,
    bare: false,
    counted: "rows",
    ...how,
    isDate,
    label,
    unit,
    isWhole: (name) => of(name).whole === true,
    /** The least and the largest value, as far as they are known and within what is drawn. */
    within: (name, [from, to]) => {
      const [low, high] = of(name).ends || [from, to];
      return [Math.max(from, low), Math.min(to, high)];
    },
    say,
    amount,
    full: (name) => [label(name), unit(name)].filter(Boolean).join(", "),
    range: (name, from, to) => `${label(name)} ${between(name, from, to)}`,
    between,
    level: (name, word) => `${label(name)}: ${apart(word)}`,
    orderOf: (name) => of(name).levels || [],
    // Levels that were joined for being small are none of the copy's.
    lightOf: (name, word) => {
      const known = of(name).levels;
      const held = !known || known.includes(word) || MISSING_NAMES.includes(word);
      return held ? [{ column: name, levels: [word] }] : null;
    },
    share: (count, total) => (count && total ? `${percent(count / total)} of ${whole(total)}` : ""),
  };
}

/** Return how a view says what it shows, whose levels may be numbers that are no levels elsewhere. */
export function lookFor(look, view) {
  const orders = new Map(view.origin?.orders || []);
  const orderOf = (name) => orders.get(name) || look.orderOf(name);
  const counted = view.origin?.counted;
  return {
    ...look,
    orderOf,
    placesOf: (name, words) => placesOf(words, orderOf(name)),
    counted: !counted || counted.includes("rows") ? "rows" : counted,
  };
}

const RIGHT_TO_LEFT = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc\u{10800}-\u{10fff}\u{1e800}-\u{1efff}]|\p{Bidi_C}/u;

/** A name from right to left does not turn the sentence around it. */
const apart = (text) =>
  RIGHT_TO_LEFT.test(text) ? `\u2068${text.replace(/\p{Bidi_C}/gu, "")}\u2069` : text;

const grouped = d3.format(",");
export const GROUPED = 10000; // as tables have it: years, too, are numbers of four digits

/** @param {number} count - Of rows or persons. @returns {string} */
export const whole = (count) => grouped(Math.round(count));

/** @param {number} share - From 0 to 1. @returns {string} */
export const percent = (share) =>
  `${(100 * share).toFixed(share < 0.0995 ? 1 : 0).replace(/\.0$/, "")} %`;

/**  */
export function number(value, digits = 4) {
  if (!Number.isFinite(value)) return "–";
  const size = Math.abs(value);
  if (size >= 1e7 || (size > 0 && size < 1e-4)) return d3.format(`.${digits - 1}~e`)(value);
  const short = size >= 10 ** digits ? Math.round(value) : Number(value.toPrecision(digits));
  return (Math.abs(short) < GROUPED ? String(short) : grouped(short)).replace("-", "−");
}
