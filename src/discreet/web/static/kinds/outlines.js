/** Histograms of the levels of a column as outlines on one pair of axes. */

import { bottom, left, plotBox, scaleOf } from "../draw/axes.js";
import { level } from "../draw/colour.js";
import { namesBeside, placeIn } from "../draw/lines.js";
import { percent, whole } from "../draw/look.js";
import { path, px, rect } from "../draw/svg.js";
import { ofEdges } from "../draw/zones.js";
import { sum } from "../rows/counts.js";
import { inOrder } from "../rows/order.js";
import { d3 } from "../vendor/d3.js";
import { histogram, marksOf as marksOfBins, perWidth } from "./histogram.js";

const FEWEST = 50;

export const outlines = {
  name: "histogram",

  title: ({ columns: [name], by = [] }, say) => [name, ...by].map(say.label).join(" by "),

  top: (view, look) => 1.04 * Math.max(...heights(view, look).flat(), 0),

  alike: (views, look) => ({
    ends: d3.extent(views.flatMap((view) => view.views[0].edges)),
    labels: inOrder(views.flatMap((view) => view.levels), look.orderOf(views[0].by)),
  }),

  draw(view, box, look) {
    const [name] = view.columns;
    const [{ edges }] = view.views;
    const inner = plotBox(box, look);
    const ends = look.alike?.ends || [edges[0], edges.at(-1)];
    const x = scaleOf(name, ends, [inner.left, inner.right], look);
    const top = look.top ?? outlines.top(view, look);
    const y = d3.scaleLinear([0, top], [inner.bottom, inner.top]).clamp(true);
    const placeOf = placeIn(view.by, look.alike?.labels || view.levels, look);
    const places = view.levels.map(placeOf);
    const high = heights(view, look);
    const peaks = high.map((each, j) => {
      const at = d3.maxIndex(each);
      return { name: view.levels[j], x: x(edges[at + 1]), y: y(each[at]) };
    });
    const drawn = high.map((each, j) => {
      const colour = level(places[j]);
      return path(steps(each, edges, x, y), { fill: colour, class: "area" }) +
        path(steps(each, edges, x, y), { stroke: colour, class: "outline" });
    });
    const all = edges.slice(1).map((_, i) => sum(view.views.map((each) => each.counts[i])));
    const hits = all.map((count, i) => count &&
      rect(x(edges[i]), inner.top, x(edges[i + 1]) - x(edges[i]), inner.bottom - inner.top,
        { class: "hit", "data-m": i }));
    const words = (isShare(look) ? "% of each level" : look.counted) + perWidth(view.views[0], look);
    const say = isShare(look) ? (value) => percent(value) : whole;
    return {
      svg: left(y, inner, words, look, say) + `<g class="base">${drawn.join("")}</g>` +
        bottom(x, inner, name, look) + namesBeside(peaks, inner, look) + hits.filter(Boolean).join(""),
      at: { x, y, inner, places, narrowest: narrowestOf(edges), isShare: isShare(look) },
      marks: marksOf(view, all, look),
      zones: [{ ...inner, x: ofEdges(name, edges, x) }],
      keys: view.levels.map((word, j) => (
        { name: word, colour: level(places[j]), light: look.lightOf(view.by, word) })),
      overlay: (lit) => litOf(Array.from(lit.counts), edges, x, y, look),
    };
  },
};

const isShare = (look) => !look.spec?.persons;
const narrowestOf = (edges) => d3.min(d3.pairs(edges), ([from, to]) => to - from);

/** How high each level is: its share in a bin, or its rows; of bins of unlike widths per the narrowest. */
function heights({ views }, look) {
  const [{ edges }] = views;
  const narrowest = narrowestOf(edges);
  return views.map(({ counts, density }) => {
    const total = isShare(look) ? 1 : sum(counts);
    const area = sum(density.map((each, i) => (each || 0) * (edges[i + 1] - edges[i]))) || 1;
    return density.map((each) => (each === null ? null : (each / area) * narrowest * total));
  });
}

/** The upper edge of bars, from the axis and back to it, with gaps where they are hidden. */
function steps(heights_, edges, x, y) {
  const ground = px(y(0));
  let inGap = true;
  const drawn = heights_.map((height, i) => {
    if (height === null) {
      const end = inGap ? "" : `V${ground}`;
      inGap = true;
      return end;
    }
    const start = inGap ? `M${px(x(edges[i]))} ${ground}` : "";
    inGap = false;
    return `${start}V${px(y(height))}H${px(x(edges[i + 1]))}`;
  });
  return drawn.join("") + (inGap ? "" : `V${ground}`);
}

/** The highlighted rows as an outline of their own; of few a share says next to nothing. */
function litOf(counts, edges, x, y, look) {
  const total = sum(counts);
  if (total < FEWEST) return "";
  const narrowest = narrowestOf(edges);
  const scaled = counts.map((count, i) =>
    ((count * narrowest) / (edges[i + 1] - edges[i])) / (isShare(look) ? total : 1));
  return path(steps(scaled, edges, x, y), { class: "hotl" });
}

function marksOf(view, all, look) {
  const [name] = view.columns;
  const [first] = view.views;
  return marksOfBins({ ...first, columns: [name], counts: all }, look).map((mark, i) => ({
    ...mark,
    more: view.levels.map((word, j) => {
      const { counts } = view.views[j];
      const share = percent((counts[i] || 0) / (sum(counts) || 1));
      return `${word}: ${counts[i] === null ? "few" : isShare(look) ? share : whole(counts[i])}`;
    }).join(" · "),
  }));
}
