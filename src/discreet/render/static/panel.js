// One panel as it is painted: its legend above, its frame, its marks, its colour bar.

import { brokenInto, frameOf } from "./axes.js";
import { barRoom, entriesOf, legendOf, paintBar, paintLegend } from "./legend.js";
import { paintMarks } from "./marks.js";
import { wordsOf, wordsWidth } from "./words.js";

const [LOWEST, HIGHEST, SHAPE] = [250, 560, 0.62]; // pixels of a plot's height, and of its width
const LOWEST_IN_GRID = 190;
const ROW_BENEATH = 17; // pixels for each row of words beneath the axis
const [CELL, CELLS_BESIDE] = [34, 200]; // pixels of a cell that holds a text, and of names and bar
const SAYS = 12; // pixels of letters
const ROW = 34; // pixels for each name beside a panel

/**
 * Say how wide a panel must be at least to be read; it is scrolled where there is less room.
 *
 * @param {object} panel of a scene.
 * @returns {number} pixels; 0 where any width will do.
 */
export function leastWidth(panel) {
  const words = panel.marks.find((mark) => mark.mark === "words");
  const told = panel.marks.find((mark) => mark.mark === "cells" && mark.texts);
  if (told) return CELLS_BESIDE + CELL * told.texts.length;
  return words ? wordsWidth(words, panel) : 0;
}

/**
 * Lay out a panel that has no uprights.
 *
 * @param {object} panel of a scene.
 * @param {number} width in pixels.
 * @param {object} theme colours.
 * @param {{legend?: boolean, seen?: number, grid?: boolean}} [how] without a legend where one is
 *     shared by all panels; how much of the width is seen at once; whether it is one of a grid,
 *     where it may be lower.
 * @returns {{height: number, entries: object[], paint: function}} `entries` of its legend, shown or
 *     not; `paint(painter, x, y)`.
 */
export function panelLayout(panel, width, theme, { legend: own = true, seen = width, grid = false } = {}) {
  const words = panel.marks.find((mark) => mark.mark === "words");
  if (words) {
    const table = wordsOf(words, panel, width, seen);
    const paint = (painter, x, y) => table.paint(painter, x, y, theme);
    return { height: table.height, entries: [], paint };
  }
  const height = plotHeight(panel, width, grid ? LOWEST_IN_GRID : LOWEST);
  const beside = barRoom(panel);
  const box = { x: 0, y: 0, width, height };
  const entries = entriesOf(panel, theme, frameOf(panel, box, beside).inner);
  const legend = legendOf(own ? entries : [], width - 16);
  const paint = (painter, x, y) => {
    const frame = frameOf(panel, { ...box, x, y: y + legend.height }, beside);
    frame.paintGround(painter, theme);
    paintMarks(painter, panel, frame, theme);
    frame.paint(painter, theme);
    paintSays(painter, panel, frame.inner, theme);
    paintLegend(painter, legend, x + 8, y, theme);
    paintBar(painter, panel, frame, theme);
  };
  return { height: legend.height + height, entries, paint };
}

/** What a panel without marks says, in its middle. */
function paintSays(painter, panel, { x, y, width, height }, theme) {
  const lines = brokenInto(panel.says ?? "", width - 8, SAYS, 4);
  const look = { size: SAYS, fill: theme.grey, align: "center", baseline: "middle" };
  const top = y + height / 2 - ((lines.length - 1) / 2) * 1.3 * SAYS;
  lines.forEach((words, i) => painter.text(x + width / 2, top + i * 1.3 * SAYS, words, look));
}

function plotHeight(panel, width, lowest) {
  const rows = panel.y.ticks.length;
  if (rows) return 70 + Math.max(120, ROW * rows);
  const beneath = ROW_BENEATH * (panel.x.beneath ?? []).length;
  return Math.round(Math.min(HIGHEST, Math.max(lowest, SHAPE * width))) + beneath;
}
