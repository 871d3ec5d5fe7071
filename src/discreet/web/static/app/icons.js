/** The icons of the page: strokes on a square of 16. */

import { drawnAs } from "./dom.js";

const STROKES = {
  find: "M7 12A5 5 0 1 0 7 2a5 5 0 0 0 0 10ZM11 11l3 3",
  plus: "M8 3v10M3 8h10",
  check: "M3 8.5l3.5 3.5L13 4.5",
  x: "M4 4l8 8M12 4l-8 8",
  info: "M8 14A6 6 0 1 0 8 2a6 6 0 0 0 0 12ZM8 7.5V11M8 5v.01",
  more: "M3.5 8h.01M8 8h.01M12.5 8h.01",
  undo: "M6 3 2.5 6.5 6 10M3 6.5h6.5a3.5 3.5 0 0 1 0 7H7",
  redo: "M10 3l3.5 3.5L10 10M13 6.5H6.5a3.5 3.5 0 0 0 0 7H9",
  link: "M7 9a3 3 0 0 0 4.2 0l2-2A3 3 0 0 0 9 2.8L8 3.7M9 7a3 3 0 0 0-4.2 0l-2 2A3 3 0 0 0 7 13.2l1-.9",
  theme: "M8 14A6 6 0 1 0 8 2a6 6 0 0 0 0 12ZM8 2v12M10 3.5v9M12 5.5v5",
  side: "M2.5 3h11v10h-11zM6 3v10",
  shield: "M8 2l5 2v4c0 3-2.2 5-5 6-2.8-1-5-3-5-6V4zM6 8l1.5 1.5L10.5 6.5",
  user: "M8 8a2.5 2.5 0 1 0 0-5 2.5 2.5 0 0 0 0 5ZM3.5 13.5c.5-2.5 2.3-3.7 4.5-3.7s4 1.2 4.5 3.7",
  boards: "M2.5 3h11v10h-11zM2.5 7.5h11M8 7.5V13",
  pause: "M8 14A6 6 0 1 0 8 2a6 6 0 0 0 0 12ZM6.5 6v4M9.5 6v4",
  number: "M2 13.5h12M3.5 11V8.5M6.5 11V4.5M9.5 11V3M12.5 11V7",
  level: "M3 4h9M3 8h5M3 12h7",
  date: "M2.5 4h11v9.5h-11zM2.5 7h11M5.5 2.5V5M10.5 2.5V5",
  histogram: "M2 13.5h12M3.5 11V9M6.5 11V5M9.5 11V3M12.5 11V7",
  bars: "M3 2.5v11M3 4.5h9M3 8h5M3 11.5h7",
  scatter: "M2.5 2.5v11h11M6 10v.01M7.5 7.5v.01M9.5 8.5v.01M10.5 5v.01M12.5 4v.01",
  heatmap: "M2.5 2.5h11v11h-11zM6.2 2.5v11M9.8 2.5v11M2.5 6.2h11M2.5 9.8h11",
  contour: "M8 14A6 6 0 1 0 8 2a6 6 0 0 0 0 12ZM8 11.5a3.5 3.5 0 1 0 0-7 3.5 3.5 0 0 0 0 7ZM8 8v.01",
  box: "M2 5h2M12 5h2M4 3h8v4H4zM7 3v4M2 12h4M13 12h1M6 10h7v4H6zM10 10v4",
  violin: "M8 2c0 2-3 3-3 5.5S8 11 8 14c0-3 3-4 3-6.5S8 4 8 2Z",
  density: "M2 13.5h12M2.5 13c3 0 3-8 5.5-8s2.5 8 5.5 8",
  ecdf: "M2.5 2.5v11h11M3 13h2v-3h2.5V7h2.5V4h3.5",
  survival: "M2.5 2.5v11h11M2.5 3.5h3v2h3V8h3v3h2",
  over_time: "M2.5 2.5v11h11M3.5 10l3-3 2.5 1.5 4-5",
  crosstab: "M2.5 3h11v10h-11zM2.5 6h11M6 3v10",
  correlations: "M3 3.5h.01M3 8h4M5 6v4M3 12.5h10M3 12.5v-9M10 12.5V9",
  parallel: "M3 2.5v11M8 2.5v11M13 2.5v11M3 5l5 6 5-7M3 10l5-5 5 6",
  residuals: "M2.5 2.5v11h11M2.5 8h11M5 6v.01M7 10v.01M9 5.5v.01M11.5 9.5v.01",
  qq: "M2.5 2.5v11h11M3 13 13 3M6 10.5v.01M8.5 7v.01M11 4.5v.01",
  leverage: "M2.5 2.5v11h11M4 11v.01M5.5 9v.01M7 11v.01M12 5v.01",
  summary: "M2.5 3h11v10h-11zM2.5 6h11M2.5 9.5h11M9 3v10",
  means: "M3 3v10M3 5h6M3 8h9M3 11h4M9 4v2M12 7v2M7 10v2",
  model: "M2 13 14 3M5 12v.01M7 7v.01M10 9v.01M11.5 4v.01",
};

/** @param {string} name - Of an icon. @returns {Element} */
export const icon = (name) => drawnAs(iconText(name));

/** @param {string} name - Of an icon. @returns {string} Its markup. */
export const iconText = (name) =>
  `<svg class="ico" viewBox="0 0 16 16" aria-hidden="true"><path d="${STROKES[name] || STROKES.histogram}"${name === "more" ? ' stroke-width="2.5"' : ""}/></svg>`;
