/** One view drawn by itself: in a file, in a notebook, on the custodian's page. */

import { fill, h } from "../app/dom.js";
import { keysOf } from "../app/legend.js";
import { asPng, onPaper } from "../app/paper.js";
import { tipsIn } from "../app/tips.js";
import { walked } from "../app/walk.js";
import { lookOf } from "../draw/look.js";
import { panelsDrawn } from "../draw/panels.js";
import { drawPicture } from "../draw/picture.js";
import { unreliableIn } from "../draw/unreliable.js";
import { numbersIn } from "./numbers.js";

const [LEAST, MOST, HIGH] = [280, 460, 0.56]; // pixels of a picture's height, and of its width

/**
 * Draw a view in place of what is in an element.
 * @param {object} kinds - What draws it, by name, as kinds/index.js has it.
 * @returns {{svg: () => string, png: () => Promise<Blob>, destroy: () => void}}
 */
export function drawFigure(host, view, kinds, words = {}) {
  const kind = kindOf(view, kinds);
  const columns = columnsOf(view);
  const lookIn = (dark) => lookOf(columns, { dark, spec: { ...view, persons: false } });
  const warning = unreliableIn(view);
  const [keys, pic, read] = [h("div.ctl"), h("div.pic"), h("p.read")];
  const [box, live] = [h("div.tip", { "aria-hidden": "true", hidden: true }), h("p.unseen", { "aria-live": "polite" })];
  const numbers = h("div.scroll", { role: "region", tabindex: 0, "aria-label": "The numbers" });
  const details = h("details.numbers", {}, h("summary", {}, "The numbers as a table"), numbers);
  const figure = h("figure.figure", {}, warning.says && h("p.unreliable", {}, warning.says), keys, pic, read, details, box, live);
  pic.classList.toggle("greyed", warning.all);
  fill(host, figure);

  const divided = () => view.by && [view.by].flat().map(lookIn(false).label).join(" and ");
  let drawn = null;
  let width = 0;
  function redraw() {
    width = pic.clientWidth;
    if (!width) return; // not on the page yet
    const dark = isDark(host);
    figure.style.setProperty("color-scheme", dark ? "dark" : "light");
    const look = lookIn(dark);
    const usual = Math.min(MOST, Math.max(LEAST, HIGH * width), kind.most?.(view) ?? Infinity);
    const high = Math.max(usual, kind.tall?.(view, look, width) || 0);
    pic.style.setProperty("height", `${high}px`);
    drawn = drawPicture(pic, kind, view, look);
    pic.style.setProperty("height", drawn.html ? "auto" : `${high}px`);
    fill(keys, keysOf(drawn.keys || [], divided()));
    keys.hidden = !keys.childNodes.length;
    read.textContent = drawn.read ? drawn.read(null) : "";
    read.hidden = !drawn.read;
    named(pic, words.title || `${view.kind.replaceAll("_", " ")} of ${(view.columns || []).map(look.label).join(", ")}`, drawn);
    details.hidden = Boolean(drawn.html) || !numbersIn(numbers, view, drawn);
    point(selectedIn(view, drawn));
  }
  const point = (mark) => drawn.light(mark && drawn.joined ? drawn.joined(drawn.marks.indexOf(mark)) : null);
  const lights = { point: (mark) => point(mark || selectedIn(view, drawn)), keep: () => {}, clear: () => {} };
  walked(pic, () => drawn, lights, { ...tipsIn(() => box, () => live), opens: () => {} });

  const sizes = new ResizeObserver(() => pic.clientWidth !== width && redraw());
  sizes.observe(figure);
  const scheme = globalThis.matchMedia("(prefers-color-scheme: dark)");
  scheme.addEventListener("change", redraw);
  redraw();
  const paper = () => onPaper(pic, drawn.box, kind, view, lookIn(false), { title: "", says: "", by: divided(), ...words });
  return {
    svg: () => paper().text,
    png: () => asPng(paper()),
    destroy() {
      sizes.disconnect();
      scheme.removeEventListener("change", redraw);
      figure.remove();
    },
  };
}

/** What draws a view: its kind, or panels of that of its views. */
function kindOf(view, kinds) {
  if (view.overlaid) return kinds.outlines;
  if (view.views) return panelsDrawn(kindOf(view.views.find(Boolean), kinds));
  return kinds[view.kind];
}

/** What a view says of its columns. */
function columnsOf({ origin = {} }) {
  const columns = new Map();
  const put = (name, more) => columns.set(name, { ...columns.get(name), ...more });
  for (const [name, label] of origin.labels || []) put(name, { label });
  for (const name of origin.dates || []) put(name, { dates: true });
  for (const [name, levels] of origin.orders || []) put(name, { levels });
  return columns;
}

/** What is said of a picture to a screen reader; one tab stop, from which arrow keys walk. */
function named(pic, title, { marks }) {
  const it = pic.querySelector("svg, table");
  const walks = marks?.length ? " Arrow keys walk through it." : "";
  it.setAttribute("tabindex", "0");
  it.setAttribute("role", it.tagName === "table" ? "table" : "group");
  it.removeAttribute("aria-hidden");
  it.setAttribute("aria-label", `${title}.${walks}`);
}

/** The cluster of parallel axes that the view has chosen. */
function selectedIn({ selected, clusters }, { marks }) {
  if (!selected) return null;
  const [gap, place] = selected;
  const before = clusters.slice(0, gap).reduce((sum, it) => sum + it.length, 0);
  return marks[before + place];
}

/** Whether what is behind the picture is dark: of a page of its own colour, or of the reader's system. */
function isDark(host) {
  for (let at = host; at; at = at.parentElement || at.parentNode?.host) {
    const [red, green, blue, seen = 1] = getComputedStyle(at).backgroundColor.match(/[\d.]+/g)?.map(Number) || [];
    if (blue !== undefined && seen > 0.5) return 0.2126 * red + 0.7152 * green + 0.0722 * blue < 102;
  }
  return globalThis.matchMedia("(prefers-color-scheme: dark)").matches;
}
