// The whole picture on one sheet, as a file holds it: title, panels, notes.

import { brokenInto } from "./axes.js";
import { legendOf, paintLegend, sharedEntries } from "./legend.js";
import { leastWidth, panelLayout } from "./panel.js";

const MOST_COLUMNS = 3; // panels side by side
const [NARROWEST, WIDEST] = [300, 1000]; // pixels of a panel, where there is a choice
const NARROWEST_IN_GRID = 150; // pixels of a panel in rows and columns
const BETWEEN = 16; // pixels
const [SHEET, WIDE_SHEET] = [900, 1040]; // pixels; the wide one holds three panels in a row
const MARGIN = 20;
const [TITLE, HEADING, NOTE] = [18, 14, 12]; // pixels of letters
const SMALL_NOTE = 10;
const LINE = 1.35;
const BOLD = 600;

/**
 * Say how wide panels stand side by side.
 *
 * @param {number} count of panels.
 * @param {number} width in pixels of all.
 * @param {object|null} [grid] of the scene: its columns stand side by side, if they fit.
 * @returns {{across: number, wide: number, gridded: boolean}} how many there are in a row, how wide
 *     each is, and whether they stand in the rows and columns of the grid.
 */
export function sideBySide(count, width, grid) {
  const each = (across) => Math.floor((width - BETWEEN * (across - 1)) / across);
  const columns = grid?.columns.length ?? 0;
  if (columns && each(columns) >= Math.min(width, NARROWEST_IN_GRID)) {
    return { across: columns, wide: each(columns), gridded: true };
  }
  const fit = Math.max(1, Math.floor((width + BETWEEN) / (NARROWEST + BETWEEN)));
  const across = Math.min(MOST_COLUMNS, count, fit);
  return { across, wide: each(across), gridded: false };
}

/**
 * Return what stands below a picture: what it says, and how it was made.
 *
 * @param {object} scene of discreet.
 * @returns {{says: string[], code: string}} all notes of a scene that has no such lines.
 */
export const subtitleOf = (scene) => ({ says: scene.notes, code: "", ...scene.subtitle });

/**
 * Lay out panels side by side, with one legend where they agree.
 *
 * @param {{panel: object, parallel: object|null}[]} panels of a scene.
 * @param {number} width in pixels.
 * @param {object} theme colours.
 * @param {object|null} [grid] of the scene.
 * @returns {{across: number, gridded: boolean, shared: object[]|null, laid: object[]}} `shared` are
 *     the entries of one legend for all; of each panel `width`, `height` and
 *     `paint(painter, x, y)`.
 */
export function layOut(panels, width, theme, grid) {
  const { across, wide, gridded } = sideBySide(panels.length, width, grid);
  const plain = panels.filter(({ parallel }) => !parallel);
  const seen = Math.min(wide, WIDEST);
  const shared = sharedEntries(plain.map(({ panel }) => panelLayout(panel, seen, theme).entries));
  const how = { seen: wide, grid: gridded };
  const laid = panels.map(({ panel, parallel }) => {
    if (parallel) {
      const height = parallel.height(wide);
      const paint = (painter, x, y) => parallel.paint(painter, x, y, wide, height, theme);
      return { width: wide, height, paint };
    }
    const drawn = Math.max(seen, Math.ceil(leastWidth(panel)));
    return { width: drawn, ...panelLayout(panel, drawn, theme, { ...how, legend: !shared }) };
  });
  return { across, gridded, shared, laid };
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
  const { across, gridded, shared, laid } = layOut(panels, inner, theme, scene.grid);
  const title = brokenInto(scene.title, inner, TITLE, 4, BOLD);
  const legend = legendOf(shared ?? [], inner);
  const { says, code } = subtitleOf(scene);
  const notes = says.length ? brokenInto(says.join(" · "), inner, NOTE, 1) : [];
  const made = code ? brokenInto(code, inner, SMALL_NOTE, 1) : [];
  const rows = rowsOf(panels, laid, across, gridded ? scene.grid : null);
  const head = MARGIN + title.length * LINE * TITLE + (title.length ? 10 : 0);
  const body = rows.reduce((sum, row) => sum + row.head + row.height + BETWEEN, 0);
  const small = made.length * LINE * SMALL_NOTE;
  const foot = notes.length * LINE * NOTE + small + (notes.length + made.length ? 8 : 0);
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
    const named = y + row.head - row.name.length * LINE * HEADING - 4;
    paintLines(painter, row.name, MARGIN, named, { size: HEADING, weight: BOLD, fill: theme.ink });
    y += row.head + row.height + BETWEEN;
  }
  paintLines(painter, notes, MARGIN, y, { size: NOTE, fill: theme.grey });
  y += notes.length * LINE * NOTE;
  paintLines(painter, made, MARGIN, y, { size: SMALL_NOTE, fill: theme.grey });
  return painter;
}

/**
 * Panels in rows: the title of each broken into lines, and how high the highest is. In a grid a
 * column is named above its first panel, and a row once above its panels.
 */
function rowsOf(panels, laid, across, grid) {
  const rows = [];
  laid.forEach((one, i) => {
    const place = Math.floor(i / across);
    if (i % across === 0) {
      const all = across * (one.width + BETWEEN);
      const name = grid ? brokenInto(grid.rows[place], all, HEADING, 1, BOLD) : [];
      rows.push({ items: [], head: 0, height: 0, name });
    }
    const row = rows.at(-1);
    const column = place ? "" : grid?.columns[i];
    const title = grid ? column : panels[i].panel.title;
    const lines = brokenInto(title, one.width - 10, HEADING, 2, BOLD);
    row.items.push({ one, lines });
    const named = row.name.length ? LINE * HEADING + 8 : 0;
    const headed = lines.length * LINE * HEADING + (lines.length ? 8 : 0);
    row.head = Math.max(row.head, headed + named);
    row.height = Math.max(row.height, one.height);
  });
  return rows;
}

function paintLines(painter, lines, x, y, look) {
  lines.forEach((words, i) => painter.text(x, y + (i + 0.8) * LINE * look.size, words, look));
}
