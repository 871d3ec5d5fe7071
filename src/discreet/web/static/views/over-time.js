/** Counts, or means of a number, over time: a line of all rows or of each level. */

import { largest } from "../rows/curves.js";
import { groupsOf, LEAST_ROWS, once, take, within } from "../rows/groups.js";
import { complete } from "../rows/part.js";
import { endOf, periodsOf, placeOf, STEP, wordsOf } from "../rows/periods.js";
import { Refused } from "../rows/refused.js";
import { quantileOfT } from "../rows/student.js";

export const over_time = {
  grid: timeOf,

  make: (part, spec, facts, time) => overTimeOf(part, spec, time || timeOf(part, spec, facts)),

  marks: (part, spec, view) => ({ of: periodOfEach(part, spec, view), size: view.starts.length }),

  lit(part, spec, view, mask) {
    const rows = within(rowsOfTime(part, spec), mask);
    if (view.columns.length > 1) return { lines: [seriesOf(part, rows, spec, view).means] };
    const groups = groupsOf(part, rows, spec.by?.[0]);
    const drawn = groups.filter(({ label }) => view.series.some((it) => it.level === label));
    return { lines: drawn.map((it) => seriesOf(part, it.rows, spec, view).counts) };
  },
};

const LEAST_WHOLE = 3; // periods in part are left off beside so many others
const BEYOND = 3; // so many times k rows may lie beyond an end of the copy

/** @returns {Int32Array} The rows that can be drawn over time. */
const rowsOfTime = (part, { columns, by }) => complete(part, [...columns, ...(by || [])]);

/** @returns {object} The periods of the rows of a part, as `periodsOf` returns them. */
function timeOf(part, spec, facts) {
  const [date, value] = spec.columns;
  if (value && part.column(value).dates) {
    throw new Refused(`“${value}” holds dates, of which no mean is drawn.`, { alternative: { ...spec, columns: [date] } });
  }
  const days = take(part.number(date), rowsOfTime(part, spec));
  return periodsOf(days, { spec, dates: part.column(date).dates }, BEYOND * facts.k);
}

/**
 * Return the view of counts or means over time.
 * @param {{columns: string[], by?: string[]}} spec - The date, perhaps a number, what divides it.
 */
function overTimeOf(part, spec, time) {
  const value = spec.columns[1];
  const { starts, off, named } = keptOf(time, value);
  const { drawn, few, others } = largest(groupsOf(part, rowsOfTime(part, spec), spec.by?.[0]));
  const view = { kind: "over_time", columns: spec.columns, every: time.every, starts };
  const series = drawn.map(({ label, rows }) => ({ level: label, ...seriesOf(part, rows, spec, view) }));
  const shown = series.flatMap(({ counts, means }) => counts.filter((_, i) => !value || means[i] !== null));
  if (!shown.some(Boolean)) {
    throw new Refused(`No point stands on ${LEAST_ROWS} rows. Take longer periods.`, {
      alternative: { ...spec, every: time.every === STEP ? undefined : "year", by: undefined },
    });
  }
  return Object.assign(view, {
    series,
    by: spec.by?.[0] ?? null,
    partly: off ? named : [],
    few,
    others,
    ...(named.length && !off && { partly_drawn: named }),
    shown: shown.reduce((sum, count) => sum + count, 0),
  });
}

/** Which periods are drawn, and what those are called that are covered in part. */
function keptOf({ every, starts, covered }, value) {
  const parts = [...new Set([0, starts.length - 1].filter((_, i) => !covered[i]))];
  // A mean does not fall where a period is covered in part, as a count does.
  const off = !value && parts.length > 0 && starts.length - parts.length >= LEAST_WHOLE;
  const kept = starts.filter((_, i) => !off || !parts.includes(i));
  return { starts: kept, off, named: parts.map((i) => wordsOf(starts[i], every)) };
}

/** @returns {Int32Array} The period of each row of a part; -1 of those that are not drawn. */
const periodOfEach = (part, spec, view) => once(view, () => placesOf(part, spec, view));

function placesOf(part, spec, view) {
  const of = new Int32Array(part.size).fill(-1);
  const values = part.number(spec.columns[0]);
  const rows = rowsOfTime(part, spec);
  const end = endOf(view.starts, view.every);
  for (const row of rows) if (values[row] < end) of[row] = placeOf(view.starts, values[row]);
  return of;
}

/**
 * Return how many of some rows each period has, and their means where a number is named.
 * @param {object} view - With its `columns`, `starts` and `every`.
 * @returns {{counts: number[], means: ?number[], low: ?number[], high: ?number[]}}
 */
function seriesOf(part, rows, spec, view) {
  const of = periodOfEach(part, spec, view);
  const numbers = view.columns.length > 1 ? part.number(view.columns[1]) : null;
  const zeros = () => new Array(view.starts.length).fill(0);
  const [counts, sums, squares] = [zeros(), zeros(), zeros()];
  for (const row of rows) if (of[row] >= 0) counts[of[row]] += 1;
  if (!numbers) return { counts, means: [], low: [], high: [] };
  for (const row of rows) if (of[row] >= 0) sums[of[row]] += numbers[row];
  const means = sums.map((sum, at) => (counts[at] < LEAST_ROWS ? null : sum / counts[at]));
  for (const row of rows) if (of[row] >= 0) squares[of[row]] += (numbers[row] - means[of[row]]) ** 2;
  const ends = means.map((mean, at) => {
    if (mean === null) return [null, null];
    const half = quantileOfT(counts[at] - 1) * Math.sqrt(squares[at] / (counts[at] - 1) / counts[at]);
    return [mean - half, mean + half];
  });
  return { counts, means, low: ends.map((it) => it[0]), high: ends.map((it) => it[1]) };
}
