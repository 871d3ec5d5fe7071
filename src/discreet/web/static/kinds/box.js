/** Boxes: the middle and the spread of columns, or of the levels of one, with where rows lie. */

import { bottom, scaleOf } from "../draw/axes.js";
import { AXIS, gridOf, lanesOf, LOWEST, markOf } from "../draw/lanes.js";
import { HOT } from "../draw/lines.js";
import { whole } from "../draw/look.js";
import { circle, line, path, px, rect, text } from "../draw/svg.js";
import { extent } from "../rows/ends.js";
import { d3 } from "../vendor/d3-drawn.js";

const SMALL = 30; // lower lanes have no room for a curve

export const box = {
  name: "box",

  tall: (view, look) => (look.mini ? 0 : LOWEST * view.groups.length + AXIS),

  title: ({ columns, by }, say) => {
    const names = columns.map((name) => say.label(name));
    return by ? `${names[0]} across ${say.label(by[0])}` : `Spread of ${names.join(", ")}`;
  },

  alike: (views) => ({ ends: extent(views.flatMap(allEnds)) }),

  draw(view, size, look) {
    const [column] = view.columns;
    const alone = view.by !== null || view.groups.length === 1;
    const names = view.groups.map((it) => (view.by ? it.label : alone ? "" : look.full(it.label)));
    const lanes = lanesOf(size, names, alone ? AXIS : 4, look, view.by);
    const { inner } = lanes;
    const ends = alone ? look.alike?.ends || extent(allEnds(view)) : null;
    const drawn = view.groups.map((it, i) => {
      const x = scaleOf(alone ? column : it.label, ends || endsOf(view, i), [inner.left, inner.right], look);
      return placed(x, lanes, i, alone, Boolean(view.ridges));
    });
    const [{ x }] = drawn;
    const across = alone ? gridOf(x, inner) + bottom(x, inner, column, look) : "";
    const own = alone ? "" : drawn.map(ticksOf).join("");
    const sizes = (view.ridges || []).map(sizeOf);
    const said = view.by ? sizes.map(whole) : [];
    const each = view.groups.map((it, i) => groupOf(it, view.ridges?.[i], drawn[i]));
    return {
      svg: `${across}${own}<g class="base">${each.join("")}</g>` +
        lanes.words(drawn[0].named, said, view.by && sizes.length && !look.bare && look.counted) +
        lanes.hits(),
      at: drawn,
      zones: lanes.zones,
      marks: view.groups.map((it, i) => markOf(view, it.label, [it.q1, it.median, it.q3], sizes[i], look)),
      overlay: ({ view: lit }) =>
        (lit ? lit.each : []).map((it, i) => it && hotOf(it, drawn[i])).filter(Boolean).join(""),
    };
  },
};

const sizeOf = ({ counts }) => counts.reduce((sum, it) => sum + it, 0);

function endsOf({ groups, ridges }, i) {
  const { low, high, outliers } = groups[i];
  const { edges = [] } = ridges?.[i] || {};
  const found = extent([low, high, ...extent(outliers).filter(Number.isFinite), ...edges]);
  return found[0] < found[1] ? found : [found[0] - 0.5, found[1] + 0.5];
}

const allEnds = (view) => view.groups.flatMap((_, i) => endsOf(view, i));

/** Where the curve of a group stands, and its box below. */
function placed(x, { each, height, inner }, i, alone, hasCurve) {
  const { top } = each[i];
  const flat = height < SMALL || !hasCurve;
  const base = top + height * (flat ? 0.5 : alone ? 0.66 : 0.52);
  const mid = flat ? base : base + Math.max(6, height * 0.15);
  const half = Math.min(hasCurve ? 4 : 10, height * 0.3);
  const named = flat ? height / 2 + 4 : base - top;
  return { x, base, up: flat ? 0 : base - top - height * 0.08, mid, half, named, inner, ticked: height >= SMALL };
}

/** Each column has units of its own, and so the least and the largest of its axis. */
function ticksOf({ x, mid, half, ticked, inner }) {
  if (!ticked) return "";
  const y = mid + half + 2;
  const count = Math.max(2, Math.round((inner.right - inner.left) / 90));
  const say = x.tickFormat(count);
  return x.ticks(count)
    .map((it) => line(x(it), y, x(it), y + 3, "bl") + text(x(it), y + 14, say(it), "middle"))
    .join("") + line(inner.left, y, inner.right, y, "bl");
}

function groupOf(it, ridge, at) {
  const { x, base, mid, half } = at;
  const curve = ridge && at.up
    ? path(shapeOf(ridge, at), { fill: "var(--soft0)" })
    : "";
  const stroke = { stroke: "var(--s0)", "stroke-width": 1.5 };
  const cap = (value) => line(x(value), mid - half, x(value), mid + half, "", stroke);
  return curve +
    line(x(it.low), mid, x(it.high), mid, "", stroke) + cap(it.low) + cap(it.high) +
    pixels(it.outliers, x).map((cx) => circle(cx, mid, 1.6, { fill: "none", stroke: "var(--s0)" })).join("") +
    rect(x(it.q1), mid - half, x(it.q3) - x(it.q1), 2 * half, { rx: Math.min(2, half), fill: "var(--s0)" }) +
    line(x(it.median), mid - 1.75 * half, x(it.median), mid + 1.75 * half, "", { stroke: "var(--ink)", "stroke-width": 2 }) +
    (ridge || typeof it.mean !== "number" ? "" : diamond(x(it.mean), mid, half / 2));
}

const diamond = (x, y, half) =>
  path(`M${px(x - half)} ${px(y)}l${half} ${half}l${half} -${half}l-${half} -${half}Z`, { fill: "var(--card)" });

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
