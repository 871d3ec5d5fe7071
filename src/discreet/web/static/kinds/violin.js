/** Violins: mirrored densities of a column, of all rows or of each level, with their quartiles. */

import { bottom, scaleOf } from "../draw/axes.js";
import { AXIS, gridOf, lanesOf, LOWEST, markOf } from "../draw/lanes.js";
import { HOT } from "../draw/lines.js";
import { whole } from "../draw/look.js";
import { circle, path, px, rect } from "../draw/svg.js";
import { extent } from "../rows/ends.js";

const HALF = 0.44; // of a lane, to each side

export const violin = {
  name: "violin",

  title: ({ columns: [name], by }, say) =>
    by ? `${say.label(name)} across ${say.label(by[0])}` : `How ${say.label(name)} is distributed`,

  tall: (view, look) => (look.mini ? 0 : LOWEST * view.curves.length + AXIS),

  alike: (views) => ({ ends: extent(views.flatMap(endsOf)), widest: Math.max(...views.map(widestOf)) }),

  draw(view, box, look) {
    const [column] = view.columns;
    const lanes = lanesOf(box, view.curves.map((it) => (view.by ? it.label : "")), AXIS, look, view.by);
    const { inner, each, height } = lanes;
    const x = scaleOf(column, look.alike?.ends || endsOf(view), [inner.left, inner.right], look);
    const widest = look.alike?.widest || widestOf(view);
    const at = (i) => ({ x, mid: each[i].top + height / 2, up: (HALF * height) / widest });
    const shapes = view.curves.map((it, i) => shapeOf(it, view.quarters[i], at(i), height));
    const counted = view.by && !look.bare && look.counted;
    return {
      svg: gridOf(x, inner) + bottom(x, inner, column, look) +
        `<g class="base">${shapes.join("")}</g>` +
        lanes.words(height / 2 + 4, view.by ? view.rows.map(whole) : [], counted) + lanes.hits(),
      zones: lanes.zones,
      marks: view.curves.map(({ label }, i) => markOf(view, label, view.quarters[i], view.rows[i], look)),
      overlay: ({ view: lit }) =>
        (lit ? lit.each : []).map((it, i) => it && hotOf(it, at(i))).filter(Boolean).join(""),
    };
  },
};

const endsOf = ({ curves }) => extent(curves.flatMap((it) => extent(it.x)));
const widestOf = ({ curves }) => Math.max(...curves.flatMap((it) => it.y));

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
