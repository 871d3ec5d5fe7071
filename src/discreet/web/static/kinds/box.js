/** Boxes: the middle and the spread of columns, or of the levels of one, with where rows lie. */

import { bottom, scaleOf } from "../draw/axes.js";
import { AXIS, gridOf, lanesOf, LOWEST } from "../draw/lanes.js";
import { HOT } from "../draw/lines.js";
import { whole } from "../draw/look.js";
import { circle, line, path, px, rect, text } from "../draw/svg.js";
import { binsOf, extent } from "../rows/ends.js";
import {
  below, LEAST_ROWS, marksOfGroups, meanOf, once, quantile, risingOf, risingWithin,
} from "../rows/groups.js";
import { d3 } from "../vendor/d3.js";

const BINS = 20;
const MOST_OUTLIERS = 1000;
const SMALL = 30; // lower lanes have no room for a curve

export const box = {
  name: "box",

  tall: (view, look) => (look.mini ? 0 : LOWEST * view.groups.length + AXIS),

  title: ({ columns, by }, say) => {
    const names = columns.map((name) => say.label(name));
    return by ? `${names[0]} across ${say.label(by[0])}` : `Spread of ${names.join(", ")}`;
  },

  make(part, spec, facts) {
    const groups = grouped(part, spec);
    const bins = binsOfEach(part, spec, facts);
    return {
      kind: "box",
      columns: spec.columns,
      groups: groups.map(({ label, values }) => boxOf(label, values)),
      by: spec.by?.[0] ?? null,
      ridges: groups.map(({ name, values }) => ridgeOf(bins.get(name), values)),
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
      return { box: boxOf("", values), ridge: ridgeOf(bins.get(all.name), values) };
    });
    return { each };
  },

  alike: (views) => ({ ends: extent(views.flatMap(allEnds)) }),

  draw(view, size, look) {
    const [column] = view.columns;
    const alone = view.by !== null || view.groups.length === 1;
    const names = view.groups.map((it) => (view.by ? it.label : alone ? "" : look.full(it.label)));
    const lanes = lanesOf(size, names, alone ? AXIS : 4, look);
    const { inner } = lanes;
    const ends = alone ? look.alike?.ends || extent(allEnds(view)) : null;
    const drawn = view.groups.map((it, i) => {
      const x = scaleOf(alone ? column : it.label, ends || endsOf(view, i), [inner.left, inner.right], look);
      return placed(x, lanes, i, alone);
    });
    const [{ x }] = drawn;
    const across = alone ? gridOf(x, inner) + bottom(x, inner, column, look) : "";
    const own = alone ? "" : drawn.map(ticksOf).join("");
    const sizes = (view.ridges || []).map(sizeOf);
    const said = view.by ? sizes.map(whole) : [];
    const each = view.groups.map((it, i) => groupOf(it, view.ridges?.[i], drawn[i]));
    return {
      svg: `${across}${own}<g class="base">${each.join("")}</g>` +
        lanes.words(drawn[0].named, said, view.by && sizes.length && !look.bare && "rows") +
        lanes.hits(),
      marks: view.groups.map((it, i) => markOf(view, it, sizes[i], look)),
      overlay: ({ view: lit }) =>
        (lit ? lit.each : []).map((it, i) => it && hotOf(it, drawn[i])).filter(Boolean).join(""),
    };
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

/** How many rows of a group lie in each bin. */
function ridgeOf(bins, values) {
  const counts = new Array(bins.bins).fill(0);
  for (const value of values) counts[bins.placeOf(value)] += 1;
  return { edges: bins.edges, counts };
}

const sizeOf = ({ counts }) => counts.reduce((sum, it) => sum + it, 0);

function endsOf({ groups, ridges }, i) {
  const { low, high, outliers } = groups[i];
  const { edges = [] } = ridges?.[i] || {};
  const found = extent([low, high, ...extent(outliers).filter(Number.isFinite), ...edges]);
  return found[0] < found[1] ? found : [found[0] - 0.5, found[1] + 0.5];
}

const allEnds = (view) => view.groups.flatMap((_, i) => endsOf(view, i));

/** Where the curve of a group stands, and its box below. */
function placed(x, { each, height, inner }, i, alone) {
  const { top } = each[i];
  const flat = height < SMALL;
  const base = top + height * (flat ? 0.5 : alone ? 0.66 : 0.52);
  const mid = flat ? base : base + Math.max(6, height * 0.15);
  const half = Math.min(4, height * 0.3);
  const named = flat ? height / 2 + 4 : base - top;
  return { x, base, up: flat ? 0 : base - top - height * 0.08, mid, half, named, inner };
}

/** Each column has units of its own, and so the least and the largest of its axis. */
function ticksOf({ x, mid, up, inner }) {
  if (!up) return "";
  const count = Math.max(2, Math.round((inner.right - inner.left) / 90));
  const say = x.tickFormat(count);
  return x.ticks(count)
    .map((it) => line(x(it), mid + 6, x(it), mid + 9, "bl") + text(x(it), mid + 20, say(it), "middle"))
    .join("") + line(inner.left, mid + 6, inner.right, mid + 6, "bl");
}

function groupOf(it, ridge, at) {
  const { x, base, mid, half } = at;
  const curve = ridge && at.up
    ? path(shapeOf(ridge, at), { fill: "var(--soft0)", stroke: "var(--s0)", "stroke-width": 1 })
    : "";
  const stroke = { stroke: "var(--s0)", "stroke-width": 1.5 };
  return curve +
    line(x(it.low), mid, x(it.high), mid, "", stroke) +
    pixels(it.outliers, x).map((cx) => circle(cx, mid, 1.2, { fill: "var(--s0)" })).join("") +
    rect(x(it.q1), mid - half, x(it.q3) - x(it.q1), 2 * half, { rx: Math.min(2, half), fill: "var(--s0)" }) +
    line(x(it.median), mid - 1.75 * half, x(it.median), mid + 1.75 * half, "", { stroke: "var(--ink)", "stroke-width": 2 });
}

/** Of thousands of outliers many lie on one pixel. */
const pixels = (values, x) => [...new Set(values.map((it) => Math.round(x(it) * 2) / 2))];

function shapeOf({ edges, counts }, { x, base, up }) {
  const top = Math.max(...counts, 1);
  const middles = counts.map((count, i) => [x((edges[i] + edges[i + 1]) / 2), base - (count / top) * up]);
  const points = [[x(edges[0]), base], ...middles, [x(edges.at(-1)), base]];
  return `${d3.line().curve(d3.curveBumpX)(points.map((it) => it.map(px)))}Z`;
}

function hotOf({ box: it, ridge }, at) {
  return (at.up ? path(shapeOf(ridge, at), HOT) : "") +
    circle(at.x(it.median), at.mid, Math.min(4, at.half + 1), { fill: "var(--hot)" });
}

function markOf(view, it, count, look) {
  const column = view.by ? view.columns[0] : it.label;
  const say = (value) => look.say(column, value);
  const middle = `median ${say(it.median)} · middle half ${say(it.q1)}–${say(it.q3)} ${look.unit(column)}`;
  return {
    say: view.by ? look.level(view.by, it.label) : look.label(column),
    count,
    more: middle.trim(),
    light: view.by ? look.lightOf(view.by, it.label) : null,
  };
}
