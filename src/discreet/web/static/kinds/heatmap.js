/** The heat map: how many rows lie in each cell of a grid of two columns. */

import { bottom, left, plotBox, roomBeside, scaleOf } from "../draw/axes.js";
import { many, rampOf } from "../draw/colour.js";
import { whole } from "../draw/look.js";
import { rect } from "../draw/svg.js";
import { ofEdges } from "../draw/zones.js";
import { sum } from "../rows/counts.js";
import { lightOfBin } from "../rows/ends.js";

const NARROW = 8; // cells of fewer pixels stand without lines between them

export const heatmap = {
  name: "heatmap",

  title: ({ columns: [first, second] }, say) =>
    `Where rows lie: ${say.label(first)} and ${say.label(second)}`,

  top: (view) => Math.max(...view.counts.flat(), 1),

  draw(view, box, look) {
    const [first, second] = view.columns;
    const { x_edges: xs, y_edges: ys } = view;
    const inner = plotBox(box, look, { top: look.bare || look.mini ? 6 : 22 });
    const y = scaleOf(second, [ys[0], ys.at(-1)], [inner.bottom, inner.top], look);
    if (!look.mini) inner.left = roomBeside(y, inner, inner.left);
    const x = scaleOf(first, [xs[0], xs.at(-1)], [inner.left, inner.right], look);
    const top = look.top ?? heatmap.top(view);
    const narrowest = Math.min((inner.right - inner.left) / xs.length, (inner.bottom - inner.top) / ys.length);
    const gap = narrowest < NARROW ? 0 : 1;
    const cell = (i, j, share, more) => {
      const [from, to, low, high] = [x(xs[i]), x(xs[i + 1]), y(ys[j]), y(ys[j + 1])];
      const [wide, tall] = [(to - from) * share, (low - high) * share];
      return rect((from + to - wide + gap) / 2, (low + high - tall + gap) / 2, wide - gap, tall - gap, more);
    };
    const up = ys.length - 1;
    const each = (counts, drawn) => counts.map((count, at) =>
      (count ? drawn(count, Math.floor(at / up), at % up, at) : "")).join("");
    const flat = view.counts.flat();
    const colour = (share) => many(Math.sqrt(share), look.dark);
    const cells = each(flat, (count, i, j, at) =>
      cell(i, j, 1, { fill: colour(count / top), class: "cell", "data-m": at }));
    const ground = rect(inner.left, inner.top, inner.right - inner.left, inner.bottom - inner.top, { class: "few" });
    const scale = { says: `${look.counted} in a cell`, from: whole(leastOf(flat)), to: whole(top) };
    return {
      svg: left(y, inner, look.full(second), look) + ground + `<g class="base">${cells}</g>` +
        bottom(x, inner, first, look),
      at: { x, y, inner, top, colour },
      marks: marksOf(view, flat, look),
      zones: [{ ...inner, x: ofEdges(first, xs, x), y: ofEdges(second, ys, y) }],
      steps: { ArrowRight: up, ArrowLeft: -up, ArrowUp: 1, ArrowDown: -1 },
      keys: [{ ramp: { ...scale, colours: rampOf(colour) } }],
      overlay(lit) {
        const counts = Array.from(lit.counts);
        const most = Math.max(...counts, 1);
        return each(counts, (count, i, j) =>
          cell(i, j, 0.1 + 0.9 * Math.sqrt(count / most), { class: "hot" }));
      },
    };
  },
};

const leastOf = (counts) => Math.min(...counts.filter((count) => count));

function marksOf({ columns: [first, second], x_edges: xs, y_edges: ys }, flat, look) {
  const total = sum(flat);
  const up = ys.length - 1;
  return flat.map((count, at) => {
    const [i, j] = [Math.floor(at / up), at % up];
    return {
      say: `${look.range(first, xs[i], xs[i + 1])} · ${look.range(second, ys[j], ys[j + 1])}`,
      count,
      more: look.share(count, total),
      light: [lightOfBin(first, xs, i), lightOfBin(second, ys, j)],
    };
  });
}
