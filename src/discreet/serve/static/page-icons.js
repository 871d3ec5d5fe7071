/** A small drawing for each kind of picture. */

import { makeSvg } from "./page-dom.js";

const LINE = { fill: "none", stroke: "currentColor", "stroke-width": 1.6, "stroke-linecap": "round" };
const FULL = { fill: "currentColor" };
const FRAME = { d: "M4 4v20h26", ...LINE, opacity: 0.55 };

const DRAWN = {
  histogram: () => bars([[7, 8], [12, 14], [17, 17], [22, 10], [27, 5]], 4.4),
  bars: () => bars([[8, 15], [16, 9], [24, 12]], 5),
  scatter: () => dots([[9, 19], [12, 15], [15, 17], [18, 12], [21, 13], [23, 8], [27, 7]]),
  heatmap: () => cells([[1, 2, 1], [2, 5, 3], [1, 3, 6]]),
  crosstab: () => [...cells([[2, 1, 1], [1, 2, 1]]), path("M4 4h26v20H4zM4 10.7h26M12.7 4v20")],
  contour: () => [
    oval(17, 14, 12, 8.5, 0.45),
    oval(18, 13.5, 8, 5.4, 0.75),
    oval(19, 13, 3.6, 2.4, 1),
  ],
  box: () => [
    path("M12 4v4M12 18v5M24 6v4M24 20v4M8.5 12.5h7M20.5 15.5h7"),
    makeSvg("rect", { x: 8.5, y: 8, width: 7, height: 10, ...LINE }),
    makeSvg("rect", { x: 20.5, y: 10, width: 7, height: 10, ...LINE }),
  ],
  parallel: () => [
    path("M5 4v20M17 4v20M29 4v20", 1.8),
    makeSvg("path", { d: "M5 7L17 14L29 5V10L17 19L5 12Z", ...FULL, opacity: 0.45 }),
    makeSvg("path", { d: "M5 17L17 8L29 18V21L17 11L5 20Z", ...FULL, opacity: 0.75 }),
  ],
  residuals: () => [path("M4 14h26"), ...dots([[8, 10], [12, 17], [16, 12], [20, 16], [24, 9], [27, 18]])],
  qq: () => [path("M5 23L29 5"), ...dots([[8, 23], [12, 18], [16, 14.5], [20, 12], [24, 9.5], [27, 4]])],
  leverage: () => [
    path("M29 6C22 7 15 10 12 13M29 22C22 21 15 18 12 15"),
    ...dots([[7, 11], [8, 16], [10, 14], [13, 12], [24, 8]]),
  ],
};

/**
 * Return the drawing of a kind of picture; of an unknown one, its frame.
 *
 * @param {string} kind - The kind.
 * @returns {SVGElement}
 */
export function icon(kind) {
  const inside = (DRAWN[kind] || (() => []))();
  const framed = !["crosstab", "parallel", "residuals"].includes(kind);
  if (framed) inside.unshift(makeSvg("path", FRAME));
  const look = { viewBox: "0 0 34 28", class: "icon", "aria-hidden": "true", focusable: "false" };
  return makeSvg("svg", look, ...inside);
}

function bars(list, width) {
  return list.map(([x, height]) =>
    makeSvg("rect", { x: x - 1, y: 24 - height, width, height, ...FULL, opacity: 0.85 }),
  );
}

function dots(list) {
  return list.map(([cx, cy]) => makeSvg("circle", { cx, cy, r: 1.7, ...FULL }));
}

function cells(rows) {
  return rows.flatMap((row, j) =>
    row.map((weight, i) =>
      makeSvg("rect", {
        x: 5 + (i * 25) / 3,
        y: 4 + (j * 19) / rows.length,
        width: 25 / 3,
        height: 19 / rows.length,
        ...FULL,
        opacity: weight / 7,
      }),
    ),
  );
}

function oval(cx, cy, rx, ry, opacity) {
  return makeSvg("ellipse", { cx, cy, rx, ry, ...LINE, opacity });
}

function path(d, width = 1.4) {
  return makeSvg("path", { d, ...LINE, "stroke-width": width });
}
