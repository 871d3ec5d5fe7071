/** The contour plot: the grid of a heat map, drawn as areas of equal count. */

import { short } from "../rows/ends.js";
import { heatmap } from "./heatmap.js";

export const contour = {
  grid: heatmap.grid,

  marks: heatmap.marks,

  make(part, spec, facts, grid) {
    const view = heatmap.make(part, spec, facts, grid);
    const held = view.counts.flat().filter(Boolean);
    const levels = contourLevels(Math.max(0, ...held), held.length ? Math.min(...held) : 0);
    return { ...view, kind: "contour", levels };
  },

  /** Panels have lines at the same counts. */
  together(views) {
    const held = views.filter(Boolean).map((view) => view.counts.flat().filter(Boolean));
    const levels = sharedLevels(held.map((it) => Math.max(0, ...it)), Math.min(...held.flat()));
    return views.map((view) => view && { ...view, levels });
  },
};

const STEPS = 8;
const FEWEST = 3;

/**
 * Return about eight nice counts below the largest; below them half of the least, which is the edge
 * of what is shown.
 */
function contourLevels(most, least = 0) {
  if (!(most > 0)) return [];
  const power = 10 ** Math.floor(Math.log10(most / STEPS));
  const step = [1, 2, 2.5, 5, 10].find((it) => it * power >= most / STEPS) * power;
  const count = Math.max(0, Math.ceil(most / step) - 1);
  const levels = Array.from({ length: count }, (_, i) => short((i + 1) * step, 6));
  return fromEdge(levels, least / 2, step / 2);
}

const fromEdge = (levels, edge, apart) =>
  [...(edge ? [edge] : []), ...levels.filter((it) => it >= edge + apart)];

/**
 * Return nice counts for several panels: in even steps, or of 1, 2, 5 and 10 where a panel of few
 * would have fewer than three lines then.
 * @param {number[]} peaks - The count of the fullest cell of each.
 * @param {number} least - Of the emptiest cell of all that holds any.
 */
function sharedLevels(peaks, least) {
  const most = Math.max(0, ...peaks);
  const [first] = contourLevels(most);
  const lowest = Math.min(...peaks.filter((it) => it > 0));
  if (first === undefined || lowest > FEWEST * first) return contourLevels(most, least);
  const [from, to] = [lowest / 5, most].map((it) => Math.floor(Math.log10(it)));
  const powers = Array.from({ length: to - from + 1 }, (_, i) => from + i);
  const steps = powers.flatMap((power) => [1, 2, 5].map((it) => Number(`${it}e${power}`)));
  return fromEdge(steps.filter((it) => it >= lowest / 5 && it < most), least / 2, lowest / 10);
}
