/** Boxes: the middle and the spread of columns, or of the levels of one, with where rows lie. */

import { BINS, binsOf, countedIn } from "../rows/ends.js";
import { below, LEAST_ROWS, marksOfGroups, meanOf, once, quantile, risingOf, risingWithin } from "../rows/groups.js";
import { d3 } from "../vendor/d3.js";

const MOST_OUTLIERS = 1000;

export const box = {
  make(part, spec, facts) {
    const groups = grouped(part, spec);
    const bins = binsOfEach(part, spec, facts);
    return {
      kind: "box",
      columns: spec.columns,
      groups: groups.map(({ label, values }) => boxOf(label, values)),
      by: spec.by?.[0] ?? null,
      ridges: groups.map(({ name, values }) => countedIn(bins.get(name), values)),
      shown: spec.by ? groups.reduce((sum, it) => sum + it.rows.length, 0) : groups[0].rows.length,
    };
  },

  // Without levels each row is in every box.
  marks: (part, spec, view) =>
    marksOfGroups(part.size, spec.by ? known(part, spec, view) : view.groups.map(() => ({ rows: [] }))),

  lit(part, spec, view, mask, facts) {
    const bins = once(view, () => binsOfEach(part, spec, facts));
    const each = known(part, spec, view).map((all) => {
      const values = risingWithin(all, mask);
      if (values.length < LEAST_ROWS) return null;
      return { box: boxOf("", values), ridge: countedIn(bins.get(all.name), values) };
    });
    return { each };
  },
};

function grouped(part, { columns, by }) {
  const needed = [...columns, ...(by || [])];
  const one = (name) => risingOf(part, needed, name, by?.[0]).map((it) => ({ ...it, name }));
  return by ? one(columns[0]) : columns.flatMap(one).map((it) => ({ ...it, label: it.name }));
}

/** The groups that are drawn; some of them may be of levels that were joined elsewhere. */
function known(part, spec, { groups }) {
  const found = new Map(grouped(part, spec).map((it) => [it.label, it]));
  return groups.map(({ label }) => found.get(label) || { label, rows: new Int32Array(0), values: [] });
}

function binsOfEach(part, { columns, by }, facts) {
  return new Map(columns.map((name) => {
    const [{ values }] = risingOf(part, [...columns, ...(by || [])], name);
    const bins = values[0] < values.at(-1)
      ? binsOf(name, values, facts.bins || BINS, facts.axes?.[name])
      : { edges: [values[0], values[0]], bins: 1, placeOf: () => 0 };
    return [name, bins];
  }));
}

/** The box of rising values as Tukey draws it, with mean and outliers. */
function boxOf(label, values) {
  const [q1, median, q3] = [0.25, 0.5, 0.75].map((share) => quantile(values, share));
  const reach = 1.5 * (q3 - q1);
  const [first, last] = [below(values, q1 - reach), d3.bisectRight(values, q3 + reach)];
  // A quartile lies between two values: the nearest within reach may be on its other side.
  const [low, high] = [Math.min(values[first], q1), Math.max(values[last - 1], q3)];
  const outliers = apart([...values.subarray(0, first), ...values.subarray(last)]);
  return { label, low, q1, median, q3, high, mean: meanOf(values), outliers };
}

/** Of many outliers, in order, one for each place on the axis: more cannot be seen apart. */
function apart(outliers) {
  if (outliers.length <= MOST_OUTLIERS) return outliers;
  const width = (outliers.at(-1) - outliers[0]) / MOST_OUTLIERS || 1;
  const places = outliers.map((it) => Math.floor((it - outliers[0]) / width));
  return outliers.filter((_, i) => i === 0 || places[i] !== places[i - 1]);
}
