/** The contour plot: the grid of a heat map, drawn as areas of equal count. */

import { bottom, left } from "../draw/axes.js";
import { many, rampOf } from "../draw/colour.js";
import { number } from "../draw/look.js";
import { path, rect } from "../draw/svg.js";
import { sum } from "../rows/counts.js";
import { FEWEST } from "../rows/part.js";
import { d3 } from "../vendor/d3-drawn.js";
import { heatmap } from "./heatmap.js";

/** The lines of what is lit, as shares of its fullest cell. */
const LIT = [0.25, 0.5, 0.75];

export const contour = {
  name: "contour",

  title: ({ columns: [first, second] }, say) =>
    `Where rows lie closest: ${say.label(first)} and ${say.label(second)}`,

  draw(view, box, look) {
    const [first, second] = view.columns;
    const { x_edges: xs, y_edges: ys, levels } = view;
    const grid = heatmap.draw(view, box, look);
    const { x, y, inner } = grid.at;
    const areas = areasOf(xs, ys, x, y);
    const colour = (share) => many(0.1 + 0.9 * Math.sqrt(share), look.dark);
    const drawn = areas(view.counts.flat(), levels).map((d, i) =>
      path(d, { fill: colour(levels[i] / (levels.at(-1) || 1)), stroke: "var(--card)", "stroke-width": 0.7 }));
    const cells = view.counts.flat().map((count, at) => {
      const [i, j] = [Math.floor(at / (ys.length - 1)), at % (ys.length - 1)];
      const [from, high] = [x(xs[i]), y(ys[j + 1])];
      return count ? rect(from, high, x(xs[i + 1]) - from, y(ys[j]) - high, { class: "hit", "data-m": at }) : "";
    });
    const ends = { from: number(levels[0]), to: number(levels.at(-1)) };
    return {
      svg: left(y, inner, look.full(second), look) + `<g class="base">${drawn.join("")}</g>` +
        bottom(x, inner, first, look) + cells.join(""),
      marks: grid.marks,
      zones: grid.zones,
      keys: levels.length ? [{ ramp: { says: `${look.counted} in a cell`, ...ends, colours: rampOf(colour) } }] : [],
      overlay(lit) {
        const held = Array.from(lit.counts);
        if (sum(held) < FEWEST) return grid.overlay(lit);
        const most = Math.max(...held);
        return areas(held, LIT.map((it) => it * most)).map((d) => path(d, { class: "hotl" })).join("");
      },
    };
  },
};

/** Return what draws the areas in which counts reach each of some levels. */
function areasOf(xs, ys, x, y) {
  const [across, up] = [xs.length - 1, ys.length - 1];
  const [placeX, placeY] = [between(xs, x), between(ys, y)];
  return (flat, levels) => {
    const heights = Array.from({ length: flat.length }, (_, k) => flat[(k % across) * up + Math.floor(k / across)] || 0);
    const found = d3.contours().size([across, up]).thresholds(levels)(heights);
    const ring = (points) => `M${points.map(([a, b]) => `${placeX(a)} ${placeY(b)}`).join("L")}Z`;
    return found.map(({ coordinates }) => coordinates.flatMap((area) => area.map(ring)).join(""));
  };
}

/** Where a place among cells is: their counts are those of their middles. */
function between(edges, scale) {
  const count = edges.length - 1;
  const middles = d3.range(count).map((i) => (edges[i] + edges[i + 1]) / 2);
  const place = d3.scaleLinear([0, ...middles.map((_, i) => i + 0.5), count], [edges[0], ...middles, edges[count]]);
  return (at) => Math.round(10 * scale(place(at))) / 10;
}
