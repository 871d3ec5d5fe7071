// A table of texts as a picture: names above and to the left, thin rules, sums set apart. As
// render/words.py has it.

import { brokenInto, fitted } from "./axes.js";
import { printable, textWidth } from "./paint.js";

const ROW = 30;
const HEAD = 30;
const LETTERS = 13;
const LINE = 1.2; // from line to line, of the size of the letters
const NAMES = 0.42; // of the width, that names of rows may have
const [LEAST, MOST] = [48, 190]; // pixels of a column, where texts decide

/**
 * Say how wide a table must be at least for its texts to be read.
 *
 * @param {object} mark "words".
 * @param {object} panel that holds it.
 * @returns {number} pixels.
 */
export function wordsWidth(mark, panel) {
  const column = Math.min(MOST, Math.max(LEAST, widest(mark.texts.flat(), "bold") + 14));
  const names = Math.min(110, namesWidth(panel, Infinity));
  return names + countOf(mark, panel).across * column;
}

/**
 * Lay out a table.
 *
 * @param {object} mark "words".
 * @param {object} panel that holds it.
 * @param {number} width in pixels.
 * @param {number} [seen] how much of it is seen at once.
 * @returns {{height: number, paint: function}} `paint(painter, x, y, theme)`.
 */
export function wordsOf(mark, panel, width, seen = width) {
  const { rows, across } = countOf(mark, panel);
  const left = namesWidth(panel, NAMES * width);
  const column = (width - left) / across;
  const heads = panel.x.ticks.map((name) => brokenInto(name, column - 8, LETTERS, 3));
  const lines = Math.max(1, ...heads.map((one) => one.length));
  const above = panel.x.label ? 24 : 0;
  const top = above + HEAD + (lines - 1) * LINE * LETTERS;
  const of = { mark, panel, rows, across, left, column, heads, top, width, seen };
  const paint = (painter, x, y, theme) => {
    paintNames(painter, x, y, of, theme);
    paintTexts(painter, x, y, of, theme);
    paintRules(painter, x, y, of, theme);
  };
  return { height: top + rows * ROW + 8, paint };
}

function countOf(mark, panel) {
  const across = Math.max(panel.x.ticks.length, 1, ...mark.texts.map((row) => row.length));
  return { rows: Math.max(mark.texts.length, panel.y.ticks.length, 1), across };
}

function widest(texts, weight) {
  return texts.reduce((most, text) => Math.max(most, textWidth(text, LETTERS, weight)), 0);
}

function namesWidth(panel, most) {
  return Math.min(widest([panel.y.label, ...panel.y.ticks]) + 18, most);
}

function paintNames(painter, x, y, of, theme) {
  const { panel, left, column, heads, top, width, seen } = of;
  const label = { size: LETTERS, fill: theme.grey, baseline: "middle" };
  const name = { size: LETTERS, fill: theme.ink, baseline: "middle" };
  if (panel.x.label) {
    const room = Math.min(width, seen) - left;
    const words = fitted(panel.x.label, room, LETTERS);
    painter.text(x + left + room / 2, y + 12, words, { ...label, align: "center" });
  }
  if (printable(panel.y.label)) {
    painter.text(x, y + top - HEAD / 2, fitted(panel.y.label, left - 10, LETTERS), label);
  }
  heads.forEach((lines, j) => {
    const middle = x + left + (j + 0.5) * column;
    const low = y + top - HEAD / 2 - (lines.length - 1) * LINE * LETTERS;
    lines.forEach((words, i) => {
      painter.text(middle, low + i * LINE * LETTERS, words, { ...name, align: "center" });
    });
  });
  panel.y.ticks.forEach((words, i) => {
    painter.text(x, y + top + (i + 0.5) * ROW, fitted(words, left - 10, LETTERS), name);
  });
}

function paintTexts(painter, x, y, { mark, rows, across, left, column, top }, theme) {
  mark.texts.forEach((row, i) => {
    row.forEach((text, j) => {
      const total = mark.totals && (i === rows - 1 || j === across - 1);
      const look = { size: LETTERS, fill: theme.ink, align: "center", baseline: "middle" };
      look.weight = total ? "bold" : "normal";
      const words = fitted(text, column - 6, LETTERS, look.weight);
      painter.text(x + left + (j + 0.5) * column, y + top + (i + 0.5) * ROW, words, look);
    });
  });
}

/** Rule off the head, each row, and the sums. */
function paintRules(painter, x, y, { mark, rows, across, left, column, top, width }, theme) {
  const look = (strong) => ({ stroke: strong ? theme.line : theme.grid, width: 1 });
  for (let i = 0; i <= rows; i += 1) {
    const at = Math.round(y + top + i * ROW) + 0.5;
    const strong = i === 0 || (mark.totals && i === rows - 1);
    painter.line([[x, at], [x + width, at]], look(strong));
  }
  if (mark.totals && across > 1) {
    const beside = Math.round(x + left + (across - 1) * column) + 0.5;
    painter.line([[beside, y + top], [beside, y + top + rows * ROW]], look(true));
  }
}
