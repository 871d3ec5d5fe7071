/** Survival curves: which share has not had the event by each time, and how many are at risk. */

import { MOST_CURVES, MOST_STEPS } from "../rows/curves.js";
import { NO_AND_YES } from "../rows/expressions/meaning.js";
import { below, risingOf, take, within } from "../rows/groups.js";
import { inOrder } from "../rows/order.js";
import { complete } from "../rows/part.js";
import { Refused } from "../rows/refused.js";
import { NORMAL } from "../rows/student.js";

export const survival = {
  /** Until when the curves of parts that are drawn beside each other go. */
  grid: (part, spec) => ({ until: Math.max(0, allTimes(part, spec).values.at(-LEAST_AT_RISK)) }),

  make(part, spec, facts, grid) {
    const { event, names } = eventIn(part, spec);
    const curves = observed(part, spec).map((it) =>
      ({ level: it.label, ...survivalOf(it.values, happened(part, spec, event, it.rows)) }));
    const places = roundPlaces(Math.max(grid?.until ?? 0, ...curves.map((it) => it.end)));
    return {
      kind: "survival",
      columns: spec.columns,
      event_is: event,
      by: spec.by?.[0] ?? null,
      curves: curves.map(({ atRisk, ...it }) => ({ ...it, at_risk: atRisk(places) })),
      places,
      events: names,
      shown: curves.reduce((sum, it) => sum + it.rows, 0),
    };
  },

  lit(part, spec, view, mask) {
    const { values, rows } = allTimes(part, spec);
    const kept = within(rows.subarray(below(values, 0)), mask);
    if (kept.length < LEAST_AT_RISK) return null;
    const found = survivalOf(take(part.number(spec.columns[0]), kept), happened(part, spec, view.event_is, kept));
    return { times: found.times, heights: found.shares, end: found.end };
  },
};

/** A curve ends where fewer rows are at risk: each would be a large step. */
const LEAST_AT_RISK = 10;

const MOST_TIMES = 6;

/** @returns {object} The rows that have a time, an event and a level, in the order of times. */
const allTimes = (part, { columns, by }) =>
  risingOf(part, [...columns, ...(by || [])], columns[0])[0];

/**
 * Return the rows of each level that has enough of them, in the order of times from 0 on.
 * @param {{columns: string[], by?: string[]}} spec - The time and the event, and what divides them.
 * @returns {{label: string, rows: Int32Array, values: Float64Array}[]}
 */
function observed(part, spec) {
  const { columns, by } = spec;
  const groups = risingOf(part, [...columns, ...(by || [])], columns[0], by?.[0]);
  if (groups.length > MOST_CURVES) {
    throw new Refused(`“${by[0]}” has more than ${MOST_CURVES} levels, too many to be told apart.`, {
      alternative: { ...spec, by: undefined },
    });
  }
  const known = groups.map(({ label, rows, values }) => {
    const first = below(values, 0);
    return { label, rows: rows.subarray(first), values: values.subarray(first) };
  });
  const large = known.filter((it) => it.rows.length >= LEAST_AT_RISK);
  if (!large.length) {
    throw new Refused(`Fewer than ${LEAST_AT_RISK} rows have a time and an event.`, {
      ...(by && { alternative: { ...spec, by: undefined } }),
    });
  }
  return large;
}

/** @returns {Uint8Array} Whether each of some rows has one of the levels that are the event. */
function happened(part, { columns }, event, rows) {
  const { codes, levels } = part.level(columns[1]);
  const is = Uint8Array.from(levels, (name) => Number(event.includes(name)));
  const found = new Uint8Array(rows.length);
  for (let i = 0; i < rows.length; i += 1) found[i] = is[codes[rows[i]]];
  return found;
}

/**
 * Return which levels of the second column are the event, or refuse what is not clear.
 * @param {object} spec - With `event_is`, a level or a list of levels; of nothing it is 1 of 0 and
 *   1, or yes of no and yes.
 */
function eventIn(part, spec) {
  const { columns: [time, event], by } = spec;
  if (part.column(time).dates) {
    throw new Refused(`“${time}” holds dates. A survival curve needs how long each was observed, as a number.`, {
      alternative: { ...spec, kind: "over_time", columns: [time], event_is: undefined },
    });
  }
  const { codes, levels } = part.level(event);
  const there = new Set();
  for (const row of complete(part, [time, event, ...(by || [])])) there.add(codes[row]);
  const names = inOrder([...there].map((code) => levels[code]), levels);
  return { event: eventOf(names, spec), names };
}

function eventOf(names, spec) {
  const { columns: [, column], event_is: asked } = spec;
  const wanted = [asked ?? []].flat().map(String);
  const known = new Map(names.map((name) => [plain(name), name]));
  const unknown = wanted.find((it) => !known.has(plain(it)));
  const beside = { alternative: { ...spec, event_is: names.at(-1) } };
  if (unknown !== undefined) {
    throw new Refused(`“${unknown}” is not a level of “${column}”. ${thereAre(names)}`, beside);
  }
  if (wanted.length) return [...new Set(wanted.map((it) => known.get(plain(it))))];
  const found = new Map(names.map((name) => [name.toLowerCase(), name]));
  const pair = NO_AND_YES.find((it) => names.length === 2 && it.every((word) => found.has(word)));
  if (pair) return [found.get(pair[1])];
  throw new Refused(`Which level of “${column}” is the event is not clear. ${thereAre(names)}`, beside);
}

const thereAre = (names) => `There are ${names.slice(0, 8).join(", ")}.`;

/** A number in one way of writing it, and true and false as a column has them. */
function plain(word) {
  if (word === "True" || word === "False") return word.toLowerCase();
  const number = word.trim() === "" ? NaN : Number(word);
  return Number.isNaN(number) ? word : String(Number(number.toPrecision(15)));
}

/**
 * Return the curve of some rows, as far as enough of them are at risk.
 * @param {Float64Array} times - How long each was observed, rising from 0 on; at least ten.
 * @returns {object} `rows`, `events`, `times`, `shares`, `low`, `high`, `end`, and
 *   `atRisk(places)`, how many are observed until each of some times, or longer.
 */
function survivalOf(times, ended) {
  const fell = times.filter((_, i) => ended[i]);
  const end = times.at(-LEAST_AT_RISK);
  const atRisk = (at) => times.length - below(times, at);
  const found = productLimit(fell, atRisk);
  const kept = found.times.length > MOST_STEPS ? lastOfEach(found.times, end) : null;
  const some = (all) => (kept ? all.filter((_, i) => kept[i]) : all);
  return {
    rows: times.length,
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

/** Return round times from 0 up to an end. */
function roundPlaces(end) {
  if (!(end > 0)) return [0];
  const power = Number(`1e${Math.floor(Math.log10(end / MOST_TIMES))}`);
  const step = [1, 2, 5, 10].find((it) => end / (it * power) <= MOST_TIMES) * power;
  const count = Math.floor(end / step + 1e-9) + 1;
  return Array.from({ length: count }, (_, i) => Number((i * step).toPrecision(12)));
}
