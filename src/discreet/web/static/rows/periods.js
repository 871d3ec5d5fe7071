/** Periods of time: days, weeks, months, quarters and years, and steps of whole numbers. */

import { d3 } from "../vendor/d3.js";
import { extent, stepBelow } from "./ends.js";
import { Refused } from "./refused.js";

export const EVERY = ["day", "week", "month", "quarter", "year"];
export const STEP = "step";

export const DAY = 86400000;
const ENOUGH = 60; // the shortest period is taken that there are no more of
const MOST = 1000;
const MONTHS = { month: 1, quarter: 3, year: 12 };
const MONDAY = 3; // 1970-01-01 is a Thursday
const [COVERED, LATE] = [0.1, 5];
const STEP_IN_SDS = 0.02;
const YEARS = [1000, 2999];

/**
 * Divide a column of dates, or of whole numbers such as years.
 * @param {{spec: object, dates: boolean}} of - `every` of the spec says how long a period is;
 *   without it it is the shortest of at most sixty.
 * @param {number} [beyond] - How many rows may lie beyond the ends of a copy, as these are drawn
 *   in.
 * @returns {{every: string, starts: number[], covered: boolean[]}} Whether the rows reach to the
 *   outer ends of the first and of the last.
 */
export function periodsOf(values, { spec, dates }, beyond = 0) {
  const [least, most] = extent(values);
  const every = spec.every === "auto" ? undefined : spec.every;
  if (dates) return ofDays(values, { ...spec, every: every || shortest(least, most) }, beyond);
  const ofYears = every === "year" && YEARS[0] <= least && most <= YEARS[1];
  if (every && !ofYears) {
    throw new Refused(`Every ${every} is for dates, and “${spec.columns[0]}” holds numbers.`, {
      alternative: { ...spec, every: undefined },
    });
  }
  return { every: STEP, starts: stepsOf(values, spec, least), covered: [true, true] };
}

const shortest = (least, most) =>
  EVERY.find((it) => numberOf(most, it) - numberOf(least, it) + 1 <= ENOUGH) || "year";

function ofDays(days, spec, beyond) {
  const { every } = spec;
  if (!EVERY.includes(every)) throw new Refused(`A period is one of ${EVERY.join(", ")}.`);
  const [first, last] = extent(days).map((it) => numberOf(it, every));
  if (last - first >= MOST) {
    throw new Refused(`There are more than ${MOST} periods of a ${every}. Take longer ones.`, {
      alternative: { ...spec, every: shortest(...extent(days)) },
    });
  }
  const edges = Array.from({ length: last - first + 2 }, (_, i) => startOf(first + i, every));
  return { every, starts: edges.slice(0, -1), covered: covered(days, edges, beyond) };
}

/** The number of the period that a day lies in, 0 being that of 1970-01-01. */
function numberOf(day, every) {
  const whole = Math.floor(day);
  if (every === "day") return whole;
  if (every === "week") return Math.floor((whole + MONDAY) / 7);
  const date = new Date(whole * DAY);
  return Math.floor(((date.getUTCFullYear() - 1970) * 12 + date.getUTCMonth()) / MONTHS[every]);
}

function startOf(number, every) {
  if (every === "day") return number;
  if (every === "week") return 7 * number - MONDAY;
  const months = number * MONTHS[every];
  const date = new Date(0);
  date.setUTCFullYear(1970 + Math.floor(months / 12), ((months % 12) + 12) % 12, 1);
  return date.getTime() / DAY;
}

/** @returns {number} When the period after the last of some ends. */
export function endOf(starts, every) {
  const last = starts.at(-1);
  if (every === STEP) return last + (starts.length > 1 ? last - starts.at(-2) : 1);
  return startOf(numberOf(last, every) + 1, every);
}

/** @returns {number} The place of the period that a value lies in. */
export const placeOf = (starts, value) => d3.bisectRight(starts, value) - 1;

function covered(days, edges, beyond) {
  const [least, most] = extent(days);
  const counts = new Array(edges.length - 1).fill(0);
  for (const day of days) counts[placeOf(edges, day)] += 1;
  const usual = d3.median(counts.filter((count) => count > 0));
  const mean = days.reduce((sum, it) => sum + it, 0) / days.length;
  const sd = Math.sqrt(days.reduce((sum, it) => sum + (it - mean) ** 2, 0) / days.length);
  // Where the ends are drawn in, days are rounded, too: by one step more they may be off.
  const step = beyond && least < most ? stepBelow(STEP_IN_SDS * sd) : 0;
  const missing = [Math.floor(least) - edges[0], edges.at(-1) - Math.floor(most) - 1];
  const spans = [edges[1] - edges[0], edges.at(-1) - edges.at(-2)];
  return spans.map((span, i) =>
    missing[i] / span < Math.max(COVERED, LATE / usual) + beyond / usual + step / span);
}

/** Steps as wide as all differences of whole numbers allow. */
function stepsOf(values, { columns: [name, ...more] }, first) {
  const instead = { alternative: { kind: more.length ? "scatter" : "histogram", columns: [name, ...more] } };
  let step = 0;
  for (const value of values) {
    if (!Number.isSafeInteger(value)) {
      throw new Refused(
        `“${name}” holds neither dates nor whole numbers such as years. Make one of a date: year(visit).`,
        instead);
    }
    step = divisor(step, value - first);
  }
  step = Math.max(step, 1);
  const count = (extent(values)[1] - first) / step + 1;
  if (count > MOST) throw new Refused(`The numbers of “${name}” are more than ${MOST} steps apart.`, instead);
  return Array.from({ length: count }, (_, i) => first + step * i);
}

function divisor(a, b) {
  while (b) [a, b] = [b, a % b];
  return a;
}

/** Return what a period is called in a view: by its first day, as far as that says more. */
export function wordsOf(start, every) {
  const day = new Date(start * DAY).toISOString().slice(0, 10);
  const quarter = `${day.slice(0, 4)} Q${Math.floor((Number(day.slice(5, 7)) + 2) / 3)}`;
  const words = { week: `week of ${day}`, month: day.slice(0, 7), quarter, year: day.slice(0, 4) };
  return words[every] || day;
}
