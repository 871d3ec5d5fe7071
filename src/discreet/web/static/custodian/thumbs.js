/** A small drawing for each kind of picture: it says which kind it is, and nothing of the data. */

import { makeSvg } from "./dom.js";

const WIDE = 140;
const HIGH = 40;
const LEVELS = [0.3, 0.55, 0.8, 1, 0.9, 0.65, 0.5, 0.35, 0.25, 0.15, 0.1];

const DRAWN = {
  points: () =>
    Array.from({ length: 36 }, (_, i) => {
      const [x, wave] = [(i + 0.5) / 36, ((i * 7) % 11) / 11 - 0.5];
      return makeSvg("circle", { cx: x * WIDE, cy: HIGH * (0.75 - 0.5 * x + 0.4 * wave), r: 1.5 });
    }),
  cells: () =>
    Array.from({ length: 40 }, (_, i) => {
      const [column, row] = [i % 10, Math.floor(i / 10)];
      const near = Math.max(0.1, 1 - Math.abs(column / 9 - row / 3));
      const place = { x: column * 14, y: row * 10, width: 13, height: 9 };
      return makeSvg("rect", { ...place, "fill-opacity": near });
    }),
  lines: () =>
    [0, 1, 2].map((i) => {
      const steps = LEVELS.map((_, k) => `${k * 14},${4 + k * (i + 1.2)}`).join(" ");
      return makeSvg("polyline", { points: steps, fill: "none", stroke: "currentColor", "stroke-width": 1.5 });
    }),
  boxes: () =>
    [0, 1, 2].flatMap((i) => {
      const x = 18 + i * 40;
      const line = { stroke: "currentColor", x1: x + 12, x2: x + 12, y1: 2 + i * 3, y2: 38 };
      return [makeSvg("line", line), makeSvg("rect", { x, y: 12 + i * 3, width: 24, height: 16, rx: 1 })];
    }),
  rows: () =>
    [0, 1, 2, 3].flatMap((i) =>
      [0, 1, 2].map((k) => makeSvg("rect", { x: k * 48, y: i * 10, width: 44, height: 7, "fill-opacity": i ? 0.5 : 1 })),
    ),
  bars: () =>
    LEVELS.map((share, i) =>
      makeSvg("rect", { x: i * 12.8, width: 11.8, y: HIGH * (1 - share), height: HIGH * share }),
    ),
};

const LIKE = {
  points: ["scatter", "residuals", "qq", "leverage"],
  cells: ["heatmap", "crosstab", "correlations", "contour"],
  lines: ["survival", "over_time", "parallel", "ecdf", "density"],
  boxes: ["box", "violin"],
  rows: ["rows", "summary", "means", "model"],
};

/** @param {string} kind - Of a picture. @returns {SVGElement} */
export function thumb(kind) {
  const like = Object.keys(LIKE).find((name) => LIKE[name].includes(kind)) || "bars";
  const look = { class: "thumb", viewBox: `0 0 ${WIDE} ${HIGH}`, preserveAspectRatio: "none" };
  return makeSvg("svg", { ...look, "aria-hidden": "true", focusable: "false" }, ...DRAWN[like]());
}
