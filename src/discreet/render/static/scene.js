// Draw a Scene of discreet: on canvas, as an SVG, and as tables for whoever would rather read.
//
// It knows Scenes alone: plain numbers that were let out. Nothing is asked of any server.

import { legendOf, paintLegend } from "./legend.js";
import { canvasPainter, printable, svgPainter } from "./paint.js";
import { parallelPanel } from "./parallel.js";
import { layOut, paintSheet, subtitleOf } from "./sheet.js";
import { colour, dress } from "./style.js";
import { tablesOf } from "./table.js";
import { themeOf } from "./theme.js";
import { unreliableOf } from "./unreliable.js";

const PNG_SCALE = 2;
const MOST_PIXELS = 16000; // of a side of a canvas: browsers make no larger ones

/**
 * Draw a scene into an element, in place of what is there.
 *
 * @param {HTMLElement} host where to.
 * @param {object} scene as the server, a file or a notebook holds it.
 * @param {object} [options] `theme` ("auto", "light", "dark"); `table` (false leaves the tables
 *     out); of parallel coordinates `moves`, `onOrder(from, to)` and `onRefused(why)`.
 * @returns {object} `svg()` and `png()`, on white paper as they are for files; `redraw()`;
 *     `table()`; `destroy()`; of parallel coordinates `light(gap, cluster)` and `order()`.
 */
export function draw(host, scene, options = {}) {
  dress(host);
  const figure = document.createElement("figure");
  figure.className = "discreet-figure";
  host.replaceChildren(figure);
  const els = fill(figure, scene, options);
  const redraw = () => show(els, figure, themeOf(host, options.theme), scene);
  const stop = watch(figure, redraw);
  redraw();
  const parallel = els.panels.find((one) => one.parallel)?.parallel;
  return {
    redraw,
    svg: () => asSvg(scene, els.panels),
    png: () => asPng(scene, els.panels),
    table: () => els.tables,
    light: (gap, cluster) => parallel?.light(gap, cluster),
    order: () => parallel?.order() ?? [],
    destroy() {
      stop();
      els.panels.forEach((one) => one.parallel?.destroy());
      figure.remove();
    },
  };
}

/** Add an element; what it says is text, never markup. */
function add(parent, kind, name = "", words) {
  const made = parent.appendChild(document.createElement(kind));
  if (name) made.className = name;
  if (words !== undefined) made.textContent = printable(words);
  return made;
}

/** Fill a figure with all but what is painted. */
function fill(figure, scene, options) {
  if (printable(scene.title)) add(figure, "p", "discreet-title", scene.title);
  const unreliable = unreliableOf(scene.notes);
  if (unreliable.says) add(figure, "p", "discreet-unreliable", unreliable.says);
  figure.classList.toggle("discreet-greyed", unreliable.all);
  const legend = add(figure, "canvas", "discreet-legend");
  legend.hidden = true;
  legend.setAttribute("aria-hidden", "true"); // the tables name what its colours mean
  const row = add(figure, "div", "discreet-panels");
  (scene.grid?.columns ?? []).forEach((name) => add(row, "div", "discreet-column", name));
  const panels = scene.panels.map((panel, i) => {
    const across = scene.grid?.columns.length ?? 0;
    if (across && i % across === 0) add(row, "div", "discreet-row", scene.grid.rows[i / across]);
    return panelIn(row, panel, scene, options);
  });
  if (scene.notes.length) add(figure, "figcaption");
  const tables = panels.flatMap(({ panel, parallel }) => parallel?.tables?.() ?? tablesOf(panel));
  if (options.table !== false && tables.length) addNumbers(figure, tables);
  return { legend, row, panels, tables };
}

/** A panel in its place on the page. */
function panelIn(row, panel, scene, options) {
  const place = add(row, "div", "discreet-panel");
  if (printable(panel.title)) add(place, "h3", "", panel.title);
  if (panel.marks.some((mark) => mark.mark === "uprights")) {
    const how = { theme: themeOf(row, options.theme), options, width: row.clientWidth };
    return { panel, place, parallel: parallelPanel(add(place, "div"), panel, how) };
  }
  const frame = add(place, "div", "discreet-scroll");
  const canvas = add(frame, "canvas");
  canvas.setAttribute("role", "img");
  canvas.setAttribute("aria-label", labelOf(panel, scene));
  return { panel, place, frame, canvas, parallel: null };
}

function labelOf(panel, scene) {
  const axes = [panel.x.label, panel.y.label].filter(Boolean).join(" and ");
  const said = [scene.title, panel.title, axes, scene.notes[0] ?? ""].map(printable);
  return said.filter(Boolean).join(". ") || "a picture";
}

/**
 * Say what warns, and small how the picture was made; what a note calls dark is light where the
 * paper is dark.
 */
function showNotes(figure, scene, theme) {
  const caption = figure.querySelector("figcaption");
  caption?.replaceChildren();
  const said = (note) => (theme.dark ? note.replace(/^dark: /, "light: ") : note);
  const { says: all, code } = subtitleOf(scene);
  const says = all.filter((note) => !unreliableOf([note]).says); // it stands above, and large
  if (says.length) add(caption, "p", "", says.map(said).join(" · "));
  if (code) add(caption, "p", "discreet-code", code);
}

function addNumbers(figure, tables) {
  const details = add(figure, "details", "discreet-numbers");
  const several = tables.length > 1;
  add(details, "summary", "", several ? "The numbers as tables" : "The numbers as a table");
  tables.forEach((table) => {
    const frame = add(details, "div");
    frame.tabIndex = 0; // it can be scrolled with the keys
    frame.setAttribute("role", "region");
    frame.setAttribute("aria-label", table.caption?.textContent || "numbers");
    frame.append(table);
  });
}

/** Paint all canvases of a figure as wide as it is now. */
function show({ legend, row, panels }, figure, theme, scene) {
  colour(figure, theme);
  showNotes(figure, scene, theme);
  const width = figure.clientWidth;
  if (!(width > 0)) return; // not on the page yet; it is drawn as soon as it has a width
  const { across, gridded, shared, laid } = layOut(panels, width, theme, scene.grid);
  row.classList.toggle("discreet-grid", gridded);
  row.style.setProperty("--discreet-across", across);
  const head = legendOf(shared ?? [], width - 16);
  legend.hidden = !shared;
  if (shared) {
    paintCanvas(legend, width, head.height, (it) => paintLegend(it, head, 8, 0, theme));
  }
  panels.forEach((one, i) => {
    const at = laid[i];
    one.place.style.width = `${Math.min(at.width, width)}px`;
    if (one.parallel) {
      one.parallel.redraw(theme);
      return;
    }
    const scrolls = at.width > width;
    one.frame.tabIndex = scrolls ? 0 : -1;
    if (!scrolls) one.frame.removeAttribute("tabindex");
    paintCanvas(one.canvas, at.width, at.height, (painter) => at.paint(painter, 0, 0));
  });
}

/** Make a canvas as large as it is shown, sharp on this screen, and paint it. */
function paintCanvas(canvas, width, height, paint) {
  const sharp = globalThis.devicePixelRatio || 1;
  const scale = Math.min(sharp, MOST_PIXELS / Math.max(width, height));
  canvas.width = Math.round(width * scale);
  canvas.height = Math.round(height * scale);
  canvas.style.width = `${width}px`;
  canvas.style.height = `${height}px`;
  const context = canvas.getContext("2d");
  context.scale(scale, scale);
  paint(canvasPainter(context));
}

/** What a file shows is on white paper, whatever the page is on. */
function asSvg(scene, panels) {
  const theme = themeOf(null, "light");
  const about = { title: scene.title || scene.notes[0] || "", paper: theme.paper };
  const painterOf = (width, height) => svgPainter(width, height, about);
  return paintSheet(scene, panels, theme, painterOf).toString();
}

function asPng(scene, panels) {
  const theme = themeOf(null, "light");
  const canvas = document.createElement("canvas");
  paintSheet(scene, panels, theme, (width, height) => {
    const scale = Math.min(PNG_SCALE, MOST_PIXELS / Math.max(width, height));
    canvas.width = Math.round(width * scale);
    canvas.height = Math.round(height * scale);
    const context = canvas.getContext("2d");
    context.scale(scale, scale);
    const painter = canvasPainter(context);
    painter.rect(0, 0, width, height, { fill: theme.paper });
    return painter;
  });
  return new Promise((resolve) => canvas.toBlob(resolve, "image/png"));
}

/** Redraw when the figure gets another width, the page other light, the screen another scale. */
function watch(figure, redraw) {
  let width = figure.clientWidth;
  const sizes = new ResizeObserver(() => {
    if (figure.clientWidth === width) return;
    width = figure.clientWidth;
    redraw();
  });
  sizes.observe(figure);
  const gone = new AbortController();
  const { signal } = gone;
  const scheme = globalThis.matchMedia("(prefers-color-scheme: dark)");
  scheme.addEventListener("change", redraw, { signal });
  const sharpness = () => {
    // The query asks for the scale of now, so another one is needed after each change.
    const query = globalThis.matchMedia(`(resolution: ${globalThis.devicePixelRatio || 1}dppx)`);
    const changed = () => {
      redraw();
      sharpness();
    };
    query.addEventListener("change", changed, { signal, once: true });
  };
  sharpness();
  return () => {
    sizes.disconnect();
    gone.abort();
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
    return () => {
      model.off("change:scene", again);
      drawing?.destroy();
    };
  },
};
