// The whole picture on one sheet, as a file holds it: title, panels, notes.

import { brokenInto } from "./axes.js";
import { legendOf, paintLegend, sharedEntries } from "./legend.js";
import { leastWidth, panelLayout } from "./panel.js";

const MOST_COLUMNS = 3; // panels side by side
const [NARROWEST, WIDEST] = [300, 1000]; // pixels of a panel, where there is a choice
const BETWEEN = 16; // pixels
const [SHEET, WIDE_SHEET] = [900, 1040]; // pixels; the wide one holds three panels in a row
const MARGIN = 20;
const [TITLE, HEADING, NOTE] = [18, 14, 12]; // pixels of letters
const LINE = 1.35;
const BOLD = 600;

/**
 * Say how wide panels stand side by side.
 *
 * @param {number} count of panels.
 * @param {number} width in pixels of all.
 * @returns {{across: number, wide: number}} how many there are in a row, and how wide each is.
 */
export function sideBySide(count, width) {
  const fit = Math.max(1, Math.floor((width + BETWEEN) / (NARROWEST + BETWEEN)));
  const across = Math.min(MOST_COLUMNS, count, fit);
  const wide = Math.floor((width - BETWEEN * (across - 1)) / across);
  return { across, wide };
}

/**
 * Lay out panels side by side, with one legend where they agree.
 *
 * @param {{panel: object, parallel: object|null}[]} panels of a scene.
 * @param {number} width in pixels.
 * @param {object} theme colours.
 * @returns {{across: number, shared: object[]|null, laid: object[]}} `shared` are the entries of
 *     one legend for all; of each panel `width`, `height` and `paint(painter, x, y)`.
 */
export function layOut(panels, width, theme) {
  const { across, wide } = sideBySide(panels.length, width);
  const plain = panels.filter(({ parallel }) => !parallel);
  const seen = Math.min(wide, WIDEST);
  const shared = sharedEntries(plain.map(({ panel }) => panelLayout(panel, seen, theme).entries));
  const laid = panels.map(({ panel, parallel }) => {
    if (parallel) {
      const height = parallel.height(wide);
      const paint = (painter, x, y) => parallel.paint(painter, x, y, wide, height, theme);
      return { width: wide, height, paint };
    }
    const drawn = Math.max(seen, Math.ceil(leastWidth(panel)));
    return { width: drawn, ...panelLayout(panel, drawn, theme, { legend: !shared, seen: wide }) };
  });
  return { across, shared, laid };
}

/**
 * Paint the whole picture with a painter that is made for its size.
 *
 * @param {object} scene of discreet.
 * @param {{panel: object, parallel: object|null}[]} panels of it.
 * @param {object} theme colours.
 * @param {function} painterOf `(width, height)` to a painter.
 * @returns {object} the painter.
 */
export function paintSheet(scene, panels, theme, painterOf) {
  const least = Math.max(0, ...panels.map(({ panel }) => leastWidth(panel)));
  const sheet = panels.length < MOST_COLUMNS ? SHEET : WIDE_SHEET;
  const inner = Math.ceil(Math.max(sheet - 2 * MARGIN, least));
  const { across, shared, laid } = layOut(panels, inner, theme);
  const title = brokenInto(scene.title, inner, TITLE, 4, BOLD);
  const legend = legendOf(shared ?? [], inner);
  const notes = scene.notes.flatMap((note) => brokenInto(note, inner, NOTE, 6));
  const rows = rowsOf(panels, laid, across);
  const head = MARGIN + title.length * LINE * TITLE + (title.length ? 10 : 0);
  const body = rows.reduce((sum, row) => sum + row.head + row.height + BETWEEN, 0);
  const foot = notes.length * LINE * NOTE + (notes.length ? 8 : 0);
  const painter = painterOf(inner + 2 * MARGIN, Math.ceil(head + legend.height + body + foot + 6));
  paintLines(painter, title, MARGIN, MARGIN, { size: TITLE, weight: BOLD, fill: theme.ink });
  paintLegend(painter, legend, MARGIN + 8, head, theme);
  let y = head + legend.height;
  for (const row of rows) {
    row.items.forEach(({ one, lines }, i) => {
      const x = MARGIN + i * ((inner + BETWEEN) / across);
      paintLines(painter, lines, x + 8, y, { size: HEADING, weight: BOLD, fill: theme.ink });
      one.paint(painter, x, y + row.head);
    });
    y += row.head + row.height + BETWEEN;
  }
  paintLines(painter, notes, MARGIN, y, { size: NOTE, fill: theme.grey });
  return painter;
}

/** Panels in rows: the title of each broken into lines, and how high the highest is. */
function rowsOf(panels, laid, across) {
  const rows = [];
  laid.forEach((one, i) => {
    if (i % across === 0) rows.push({ items: [], head: 0, height: 0 });
    const row = rows.at(-1);
    const lines = brokenInto(panels[i].panel.title, one.width - 10, HEADING, 2, BOLD);
    row.items.push({ one, lines });
    row.head = Math.max(row.head, lines.length * LINE * HEADING + (lines.length ? 8 : 0));
    row.height = Math.max(row.height, one.height);
  });
  return rows;
}

function paintLines(painter, lines, x, y, look) {
  lines.forEach((words, i) => painter.text(x, y + (i + 0.8) * LINE * look.size, words, look));
}
