/** The histogram: bars on the intervals of one column. */

import { bottom, left, plotBox, scaleOf } from "../draw/axes.js";
import { rect } from "../draw/svg.js";
import { binsOf, lightOfBin, placesOn } from "../rows/ends.js";
import { complete } from "../rows/part.js";
import { d3 } from "../vendor/d3.js";

const BINS = 20;

export const histogram = {
  name: "histogram",

  title: ({ columns }, say) => say.label(columns[0]),

  grid: (part, spec, facts) => binned(part, spec, facts).bins,

  make(part, spec, facts, grid) {
    const { rows, values, bins } = binned(part, spec, facts, grid);
    const counts = new Array(bins.bins).fill(0);
    for (const row of rows) counts[bins.placeOf(values[row])] += 1;
    const density = counts.map((count, i) => {
      const wide = bins.edges[i + 1] - bins.edges[i];
      return Number((count / (rows.length * wide)).toPrecision(6));
    });
    return { kind: "histogram", columns: spec.columns, edges: bins.edges, counts, density, shown: rows.length };
  },

  marks(part, { columns: [name] }, { edges }) {
    const values = part.number(name);
    const placeOf = placesOn(edges);
    const of = new Int32Array(part.size);
    for (let i = 0; i < of.length; i += 1) of[i] = Number.isFinite(values[i]) ? placeOf(values[i]) : -1;
    return { of, size: edges.length - 1 };
  },

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
    return {
      svg: `${left(y, inner, upwards(view, look), look)}<g class="base">${bars}</g>${bottom(x, inner, name, look)}`,
      marks: marksOf(view, look),
      overlay: (lit) => each(Array.from(lit.counts), () => ({ class: "hot" })),
    };
  },
};

function binned(part, { columns: [name], bins }, facts, grid) {
  const rows = complete(part, [name]);
  const values = part.number(name);
  if (grid) return { rows, values, bins: grid };
  const kept = Float64Array.from(rows, (row) => values[row]);
  return { rows, values, bins: binsOf(name, kept, bins || facts.bins || BINS, facts.axes?.[name]) };
}

/** Bars of unlike widths are as high as their persons are dense; the narrowest as they are many. */
function height(view, i, count) {
  return ((count || 0) * narrowest(view)) / (view.edges[i + 1] - view.edges[i]);
}

const narrowest = ({ edges }) => Math.min(...edges.slice(1).map((edge, i) => edge - edges[i]));

const upwards = (view, look) => "rows" + perWidth(view, look);

/**
 * Say of bins of unlike widths what their heights are for.
 *
 * @param {object} view - Of a histogram.
 * @param {object} look - How things are said.
 * @returns {string} Nothing where all are alike.
 */
export function perWidth(view, look) {
  const wide = narrowest(view);
  const alike = view.edges.slice(1).every((edge, i) => edge - view.edges[i] < wide * 1.000001);
  return alike ? "" : ` per ${look.amount(view.columns[0], wide)}`;
}

/**
 * Return what the marks of bins say and stand for.
 *
 * @param {object} view - Of a histogram.
 * @param {object} look - How things are said.
 * @returns {object[]}
 */
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
