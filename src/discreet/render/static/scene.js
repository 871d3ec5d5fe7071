// Draw a Scene of discreet: on canvas, as an SVG, and as tables for whoever reads with other senses.
//
// It knows Scenes alone: plain numbers that were let out. Nothing is asked of any server.

import { frameOf } from "./axes.js";
import { barRoom, legendOf, paintBar, paintLegend } from "./legend.js";
import { paintMarks } from "./marks.js";
import { canvasPainter, printable, svgPainter, textWidth } from "./paint.js";
import { parallelPanel } from "./parallel.js";
import { colour, dress } from "./style.js";
import { tablesOf } from "./table.js";
import { themeOf } from "./theme.js";
import { paintWords, wordsHeight } from "./words.js";

const MOST_COLUMNS = 3; // panels side by side
const NARROWEST = 300; // pixels of a panel, where there is a choice
const PNG_SCALE = 2;
const SVG_WIDTH = 900;

/**
 * Draw a scene into an element, in place of what is there.
 *
 * @param {HTMLElement} host where to.
 * @param {object} scene as the server, a file or a notebook holds it.
 * @param {object} [options] `theme` ("auto", "light", "dark"); `table` (false leaves the tables out);
 *     of parallel coordinates `moves`, `onOrder(from, to)` and `onRefused(why)`.
 * @returns {object} `svg()`, `png()`, `redraw()`, `table()`, `light(gap, cluster)`, `order()` and
 *     `destroy()`.
 */
export function draw(host, scene, options = {}) {
  dress(host);
  const figure = document.createElement("figure");
  figure.className = "discreet-figure";
  const title = scene.title ? add(figure, "p", "discreet-title", scene.title) : null;
  const row = add(figure, "div", "discreet-panels");
  const panels = scene.panels.map((panel) => panelOf(row, panel, scene, options));
  const caption = add(figure, "figcaption");
  scene.notes.forEach((note) => add(caption, "p", "", note));
  const tables = panels.flatMap(({ panel, parallel }) => parallel?.tables?.() ?? tablesOf(panel));
  if (options.table !== false && tables.length) numbers(figure, tables);
  host.replaceChildren(figure);

  let theme = themeOf(host, options.theme);
  const redraw = () => {
    theme = themeOf(host, options.theme);
    colour(figure, theme);
    const width = figure.clientWidth;
    if (width > 0) layOut(panels, width).forEach(({ one, wide }) => one.redraw(theme, wide));
  };
  const stop = watch(figure, redraw);
  redraw();
  const inFile = () => themeOf(null, "light");
  return {
    redraw,
    svg: () => whole(scene, panels, inFile(), (width, height, paper) => svgPainter(width, height, { title: scene.title, paper })).toString(),
    png: () => pictured(scene, panels, inFile()),
    table: () => tables,
    light: (gap, cluster) => panels.find((one) => one.parallel)?.parallel.light(gap, cluster),
    order: () => panels.find((one) => one.parallel)?.parallel.order() ?? [],
    element: title ? figure : figure,
    destroy() {
      stop();
      panels.forEach((one) => one.parallel?.destroy());
      figure.remove();
    },
  };
}

function add(parent, kind, name = "", words) {
  const made = parent.appendChild(document.createElement(kind));
  if (name) made.className = name;
  if (words !== undefined) made.textContent = printable(words);
  return made;
}

/** A panel in its place on the page. */
function panelOf(row, panel, scene, options) {
  const place = add(row, "div", "discreet-panel");
  if (panel.title) add(place, "h3", "", panel.title);
  if (panel.marks.some((mark) => mark.mark === "uprights")) {
    const theme = themeOf(row, options.theme);
    const parallel = parallelPanel(add(place, "div"), panel, { theme, options, width: row.clientWidth });
    const redraw = (now, wide) => {
      place.style.width = `${wide}px`;
      parallel.redraw(now);
    };
    return { panel, place, parallel, redraw, height: parallel.height, paint: parallel.paint };
  }
  const canvas = add(place, "canvas");
  canvas.setAttribute("role", "img");
  canvas.setAttribute("aria-label", printable([scene.title, panel.title, ...scene.notes.slice(0, 1)].filter(Boolean).join(". ")));
  const redraw = (theme, wide) => {
    place.style.width = `${wide}px`;
    paintCanvas(canvas, wide, heightOf(panel, wide, theme), globalThis.devicePixelRatio || 1, (painter, width, height) =>
      paintPanel(painter, panel, { x: 0, y: 0, width, height }, theme),
    );
  };
  return { panel, place, redraw, height: (wide) => heightOf(panel, wide, themeOf(null, "light")), paint: null };
}

function numbers(figure, tables) {
  const details = add(figure, "details", "discreet-numbers");
  add(details, "summary", "", "The numbers as a table");
  tables.forEach((table) => {
    const frame = add(details, "div");
    frame.tabIndex = 0; // it can be scrolled with the keys
    frame.append(table);
  });
}

/** How high a panel is drawn. */
function heightOf(panel, width, theme) {
  const words = panel.marks.find((mark) => mark.mark === "words");
  if (words) return wordsHeight(words, panel);
  const legend = legendOf(panel, theme, width - 20).height;
  const rows = panel.y.ticks.length;
  if (rows) return legend + 70 + Math.max(180, 28 * rows);
  return legend + Math.round(Math.min(460, Math.max(260, 0.62 * width)));
}

/** Paint a panel into a box: its legend, its frame, its marks. */
function paintPanel(painter, panel, box, theme) {
  const words = panel.marks.find((mark) => mark.mark === "words");
  if (words) {
    paintWords(painter, words, panel, box, theme);
    return;
  }
  const legend = legendOf(panel, theme, box.width - 20);
  const below = { ...box, y: box.y + legend.height, height: box.height - legend.height };
  const frame = frameOf(panel, below, barRoom(panel));
  frame.paint(painter, theme);
  paintMarks(painter, panel, frame, theme);
  paintLegend(painter, legend, box.x + 12, box.y, theme, frame, panel);
  paintBar(painter, panel, frame, theme);
}

/** Make a canvas as large as it is shown, sharp on this screen, and paint it. */
function paintCanvas(canvas, width, height, scale, paint) {
  canvas.width = Math.round(width * scale);
  canvas.height = Math.round(height * scale);
  canvas.style.width = `${width}px`;
  canvas.style.height = `${height}px`;
  const context = canvas.getContext("2d");
  context.scale(scale, scale);
  paint(canvasPainter(context), width, height);
}

/** Say how wide each panel is, side by side as far as there is room. */
function layOut(panels, width) {
  const most = Math.min(MOST_COLUMNS, panels.length, Math.max(1, Math.floor(width / NARROWEST)));
  const wide = Math.floor((width - 8 * (most - 1)) / most);
  return panels.map((one) => ({ one, wide }));
}

/** Paint the whole picture, its title above and its notes below, with a painter that is made for it. */
function whole(scene, panels, theme, painterOf) {
  const laid = layOut(panels, SVG_WIDTH - 40);
  const across = Math.max(1, Math.floor((SVG_WIDTH - 40) / laid[0].wide));
  const heads = panels.some(({ panel }) => panel.title) ? 24 : 0;
  const heights = laid.map(({ one, wide }) => one.height(wide) + heads);
  const rows = [];
  for (let i = 0; i < laid.length; i += across) rows.push(Math.max(...heights.slice(i, i + across)));
  const notes = scene.notes.flatMap((note) => wrapped(note, SVG_WIDTH - 40, 11));
  const top = scene.title ? 40 : 14;
  const tall = top + rows.reduce((sum, one) => sum + one, 0) + 16 * notes.length + 24;
  const painter = painterOf(SVG_WIDTH, tall, theme.paper);
  if (scene.title) painter.text(20, 26, scene.title, { size: 17, weight: 600, fill: theme.ink });
  laid.forEach(({ one, wide }, i) => {
    const row = Math.floor(i / across);
    const y = top + rows.slice(0, row).reduce((sum, high) => sum + high, 0);
    const x = 20 + (i % across) * (wide + 8);
    if (one.panel.title) painter.text(x + 12, y + 14, one.panel.title, { size: 13, weight: 600, fill: theme.ink });
    if (one.parallel) one.paint(painter, x, y + heads, wide, heights[i] - heads, theme);
    else paintPanel(painter, one.panel, { x, y: y + heads, width: wide, height: heights[i] - heads }, theme);
  });
  const foot = tall - 16 * notes.length - 4;
  notes.forEach((line, i) => painter.text(20, foot + 16 * i, line, { size: 11, fill: theme.grey }));
  return painter;
}

/** Break a text into lines no wider than so many pixels. */
function wrapped(text, room, size) {
  const lines = [""];
  for (const word of printable(text).split(" ")) {
    const longer = lines.at(-1) ? `${lines.at(-1)} ${word}` : word;
    if (textWidth(longer, size) <= room || !lines.at(-1)) lines[lines.length - 1] = longer;
    else lines.push(word);
  }
  return lines;
}

function pictured(scene, panels, theme) {
  const canvas = document.createElement("canvas");
  whole(scene, panels, theme, (width, height, paper) => {
    canvas.width = width * PNG_SCALE;
    canvas.height = height * PNG_SCALE;
    const context = canvas.getContext("2d");
    context.scale(PNG_SCALE, PNG_SCALE);
    const painter = canvasPainter(context);
    painter.rect(0, 0, width, height, { fill: paper });
    return painter;
  });
  return new Promise((resolve) => canvas.toBlob(resolve, "image/png"));
}

/** Redraw when the figure gets another width, the page another scheme, or the screen another scale. */
function watch(figure, redraw) {
  let width = figure.clientWidth;
  const sizes = new ResizeObserver(() => {
    if (figure.clientWidth !== width) {
      width = figure.clientWidth;
      redraw();
    }
  });
  sizes.observe(figure);
  const queries = ["(prefers-color-scheme: dark)", `(resolution: ${globalThis.devicePixelRatio || 1}dppx)`];
  const lists = queries.map((query) => globalThis.matchMedia(query));
  lists.forEach((list) => list.addEventListener("change", redraw));
  return () => {
    sizes.disconnect();
    lists.forEach((list) => list.removeEventListener("change", redraw));
  };
}

/** For notebooks: anywidget calls `render` with a model that holds a scene as JSON text. */
export default {
  render({ model, el }) {
    let drawing = null;
    const again = () => {
      drawing?.destroy();
      drawing = draw(el, JSON.parse(model.get("scene")));
    };
    model.on("change:scene", again);
    again();
    return () => drawing?.destroy();
  },
};
