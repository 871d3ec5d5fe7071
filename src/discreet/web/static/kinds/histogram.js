/** The histogram: bars on the intervals of one column. */

import { bottom, left, plotBox, scaleOf } from "../draw/axes.js";
import { hatched, rect } from "../draw/svg.js";
import { ofEdges } from "../draw/zones.js";
import { lightOfBin } from "../rows/ends.js";
import { d3 } from "../vendor/d3.js";

export const histogram = {
  name: "histogram",

  title: ({ columns }, say) => say.label(columns[0]),

  top: (view) => 1.04 * Math.max(...view.counts.map((count, i) => height(view, i, count)), 0),

  draw(view, box, look) {
    const [name] = view.columns;
    const inner = plotBox(box, look);
    const x = scaleOf(name, [view.edges[0], view.edges.at(-1)], [inner.left, inner.right], look);
    const y = d3.scaleLinear([0, look.top ?? histogram.top(view)], [inner.bottom, inner.top]);
    const bar = (i, count, more) => {
      const at = x(view.edges[i]) + 0.5;
      const up = y(height(view, i, count));
      const wide = Math.max(1, x(view.edges[i + 1]) - at - 0.5);
      return count ? rect(at, up, wide, inner.bottom - up, more) : "";
    };
    const each = (counts, more) => counts.map((count, i) => bar(i, count, more(i))).join("");
    const bars = each(view.counts, (i) => ({ class: "bar", "data-m": i }));
    const hidden = view.counts.map((count, i) => (count === null
      ? hatched(x(view.edges[i]) + 0.5, inner.bottom + 1, x(view.edges[i + 1]) - x(view.edges[i]) - 1, { "data-m": i })
      : ""));
    return {
      svg: `${left(y, inner, upwards(view, look), look)}<g class="base">${bars}</g>${bottom(x, inner, name, look)}` +
        hidden.join(""),
      at: { x, y, inner, narrowest: narrowest(view) },
      marks: marksOf(view, look),
      zones: [{ ...inner, x: ofEdges(name, view.edges, x) }],
      overlay: (lit) => each(Array.from(lit.counts), () => ({ class: "hot" })),
    };
  },
};

/** Bars of unlike widths are as high as their persons are dense; the narrowest as they are many. */
function height(view, i, count) {
  // Of weighted rows the densities alone are weighted.
  if (view.weights) return view.counts[i] ? (view.density[i] * count) / view.counts[i] : 0;
  return ((count || 0) * narrowest(view)) / (view.edges[i + 1] - view.edges[i]);
}

export const narrowest = ({ edges }) => Math.min(...edges.slice(1).map((edge, i) => edge - edges[i]));
const upwards = (view, look) =>
  (view.weights ? `density, weighted by ${look.label(view.weights)}` : look.counted + perWidth(view, look));

/** Say of bins of unlike widths what their heights are for. */
export function perWidth(view, look) {
  const wide = narrowest(view);
  const alike = view.edges.slice(1).every((edge, i) => edge - view.edges[i] < wide * 1.000001);
  return alike ? "" : ` per ${look.amount(view.columns[0], wide)}`;
}

/** Return what the marks of bins say and stand for. */
export function marksOf(view, look) {
  const [column] = view.columns;
  const total = view.counts.reduce((sum, count) => sum + (count || 0), 0);
  return view.counts.map((count, i) => ({
    say: look.range(column, view.edges[i], view.edges[i + 1]),
    count,
    more: look.share(count, total),
    light: [lightOfBin(column, view.edges, i)],
  }));
}
