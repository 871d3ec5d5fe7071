/** Violins: mirrored densities of a column, of all rows or of each level, with their quartiles. */

import { bottom, scaleOf } from "../draw/axes.js";
import { AXIS, gridOf, lanesOf, LOWEST } from "../draw/lanes.js";
import { HOT } from "../draw/lines.js";
import { whole } from "../draw/look.js";
import { circle, path, px, rect } from "../draw/svg.js";
import { densitiesOf, densityOf } from "../rows/curves.js";
import { extent, short } from "../rows/ends.js";
import { LEAST_ROWS, marksOfGroups, quantile, risingOf, risingWithin } from "../rows/groups.js";

const HALF = 0.44; // of a lane, to each side
const DIGITS = 6;

export const violin = {
  name: "violin",

  title: ({ columns: [name], by }, say) =>
    by ? `${say.label(name)} across ${say.label(by[0])}` : `How ${say.label(name)} is distributed`,

  tall: (view, look) => (look.mini ? 0 : LOWEST * view.curves.length + AXIS),

  make(part, spec) {
    const { curves, few, others, constant, shown } = densitiesOf(part, spec);
    return {
      kind: "violin",
      columns: spec.columns,
      curves: curves.map(({ label, x, y }) => ({ label: spec.by ? label : spec.columns[0], x, y })),
      quarters: curves.map(({ values }) => quartersOf(values)),
      rows: curves.map(({ values }) => values.length),
      by: spec.by?.[0] ?? null,
      few,
      others,
      constant,
      shown,
    };
  },

  marks: (part, spec, view) => marksOfGroups(part.size, drawn(part, spec, view)),

  lit(part, spec, view, mask) {
    const each = drawn(part, spec, view).map((all) => {
      const kept = risingWithin(all, mask);
      if (kept.length < LEAST_ROWS || kept[0] === kept.at(-1)) return null;
      const { x, y } = densityOf(kept);
      // The area is their share, so that it lies within that of all rows.
      const share = kept.length / all.rows.length;
      return { x, y: y.map((height) => height * share), median: quantile(kept, 0.5) };
    });
    return { each };
  },

  alike: (views) => ({ ends: extent(views.flatMap(endsOf)), widest: Math.max(...views.map(widestOf)) }),

  draw(view, box, look) {
    const [column] = view.columns;
    const lanes = lanesOf(box, view.curves.map((it) => (view.by ? it.label : "")), AXIS, look);
    const { inner, each, height } = lanes;
    const x = scaleOf(column, look.alike?.ends || endsOf(view), [inner.left, inner.right], look);
    const widest = look.alike?.widest || widestOf(view);
    const at = (i) => ({ x, mid: each[i].top + height / 2, up: (HALF * height) / widest });
    const shapes = view.curves.map((it, i) => shapeOf(it, view.quarters[i], at(i), height));
    const counted = view.by && !look.bare && "rows";
    return {
      svg: gridOf(x, inner) + bottom(x, inner, column, look) +
        `<g class="base">${shapes.join("")}</g>` +
        lanes.words(height / 2 + 4, view.by ? view.rows.map(whole) : [], counted) + lanes.hits(),
      marks: view.curves.map((it, i) => markOf(view, i, look)),
      overlay: ({ view: lit }) =>
        (lit ? lit.each : []).map((it, i) => it && hotOf(it, at(i))).filter(Boolean).join(""),
    };
  },
};

const endsOf = ({ curves }) => extent(curves.flatMap((it) => extent(it.x)));
const widestOf = ({ curves }) => Math.max(...curves.flatMap((it) => it.y));

/** The rows of the levels that are drawn. */
function drawn(part, { columns: [name], by }, view) {
  const groups = risingOf(part, [name, ...(by || [])], name, by?.[0]);
  if (!by) return groups;
  return view.curves.map((it) => groups.find(({ label }) => label === it.label));
}

/** The quartiles; in six digits one may come to lie beyond an end. */
function quartersOf(values) {
  const [q1, median, q3] = [0.25, 0.5, 0.75].map((it) => short(quantile(values, it), DIGITS));
  const [low, high] = [values[0], values.at(-1)];
  return [Math.max(q1, low), Math.min(Math.max(median, low), high), Math.min(q3, high)];
}

function shapeOf(curve, [q1, median, q3], at, height) {
  const { x, mid } = at;
  const bar = Math.min(3, height / 6);
  return path(mirrored(curve, at), { fill: "var(--soft0)", stroke: "var(--s0)", "stroke-width": 1 }) +
    rect(x(q1), mid - bar, x(q3) - x(q1), 2 * bar, { rx: bar, fill: "var(--s0)" }) +
    circle(x(median), mid, bar + 1.5, { fill: "var(--card)", stroke: "var(--ink)", "stroke-width": 1.5 });
}

const hotOf = (it, at) =>
  path(mirrored(it, at), HOT) + circle(at.x(it.median), at.mid, 3.5, { fill: "var(--hot)" });

function mirrored(curve, { x, mid, up }) {
  const over = curve.x.map((value, i) => `${px(x(value))} ${px(mid - up * curve.y[i])}`);
  const under = curve.x.map((value, i) => `${px(x(value))} ${px(mid + up * curve.y[i])}`).reverse();
  return `M${[...over, ...under].join("L")}Z`;
}

function markOf(view, i, look) {
  const [column] = view.columns;
  const [q1, median, q3] = view.quarters[i].map((it) => look.say(column, it));
  const { label } = view.curves[i];
  return {
    say: view.by ? look.level(view.by, label) : look.label(column),
    count: view.rows[i],
    more: `median ${median} · middle half ${q1}–${q3} ${look.unit(column)}`.trim(),
    light: view.by ? look.lightOf(view.by, label) : null,
  };
}
