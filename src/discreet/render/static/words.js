// A table of texts as a picture: names above and to the left, thin rules, sums set apart.

import { cutTo, fitted } from "./axes.js";
import { printable, textWidth } from "./paint.js";

const ROW = 28;
const HEAD = 30;
const LETTERS = 13;
const NAME_LETTERS = 36;

/** How high a table is drawn. */
export function wordsHeight(mark, panel) {
  return HEAD + (panel.x.label ? 22 : 0) + ROW * Math.max(mark.texts.length, panel.y.ticks.length, 1) + 12;
}

/** Paint a table into a box. */
export function paintWords(painter, mark, panel, box, theme) {
  const rows = Math.max(mark.texts.length, panel.y.ticks.length);
  const across = Math.max(panel.x.ticks.length, ...mark.texts.map((row) => row.length), 1);
  const names = panel.y.ticks.map((name) => cutTo(printable(name), NAME_LETTERS));
  const wide = Math.max(0, textWidth(panel.y.label, LETTERS), ...names.map((n) => textWidth(n, LETTERS)));
  const left = Math.min(wide + 16, 0.45 * box.width);
  const column = (box.width - left) / across;
  const top = box.y + (panel.x.label ? 22 : 0) + HEAD;
  const size = Math.max(8, Math.min(LETTERS, column / 4));
  const words = { size, fill: theme.ink, baseline: "middle" };
  if (panel.x.label) {
    const head = { size: LETTERS, fill: theme.grey, align: "center", baseline: "middle" };
    painter.text(box.x + left + (box.width - left) / 2, box.y + 11, panel.x.label, head);
  }
  const named = fitted(panel.y.label, left - 8, LETTERS);
  painter.text(box.x, top - HEAD / 2, named, { size: LETTERS, fill: theme.grey, baseline: "middle" });
  panel.x.ticks.forEach((name, j) => {
    const middle = box.x + left + (j + 0.5) * column;
    painter.text(middle, top - HEAD / 2, fitted(name, column - 6, size), { ...words, align: "center" });
  });
  for (let i = 0; i < rows; i += 1) {
    const y = top + (i + 0.5) * ROW;
    painter.text(box.x, y, fitted(names[i] ?? "", left - 8, size), words);
    (mark.texts[i] ?? []).forEach((text, j) => {
      const sum = mark.totals && (i === rows - 1 || j === across - 1);
      const look = { ...words, align: "center", weight: sum ? "bold" : "normal" };
      painter.text(box.x + left + (j + 0.5) * column, y, fitted(text, column - 6, size, look.weight), look);
    });
  }
  rules(painter, { box, top, rows, left, column, across, totals: mark.totals }, theme);
}

function rules(painter, { box, top, rows, left, column, across, totals }, theme) {
  for (let i = 0; i <= rows; i += 1) {
    const strong = i === 0 || (totals && i === rows - 1);
    const y = top + i * ROW;
    painter.line([[box.x, y], [box.x + box.width, y]], { stroke: strong ? theme.line : theme.grid });
  }
  if (totals && across > 1) {
    const x = box.x + left + (across - 1) * column;
    painter.line([[x, top], [x, top + rows * ROW]], { stroke: theme.line });
  }
}
