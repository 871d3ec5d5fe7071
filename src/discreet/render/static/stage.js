// What parallel coordinates consist of on a page: a bitmap for each gap and for each axis, one more
// for what is lit, and what can be focused. A bitmap is moved and stretched, not painted again.

import { canvasPainter, printable } from "./paint.js";
import { paintGap } from "./gaps.js";
import { paintNothing, paintUpright, paintUprightName, uprightLayout } from "./uprights.js";

// Pixels about an axis where it can be grasped, by a finger or by a pointer that is finer.
const HANDLE = globalThis.matchMedia?.("(pointer: coarse)").matches ? 36 : 18;

/**
 * Make the elements of a stage.
 *
 * @param {HTMLElement} place an empty element.
 * @param {object[]} axes of an "uprights" mark.
 * @param {object[]} gaps the mark of each gap, undefined where there is none.
 * @param {boolean} moves whether axes can be moved.
 * @returns {object} the elements, by name.
 */
export function stageOf(place, axes, gaps, moves) {
  const names = axes.map((axis) => printable(axis.label));
  const root = made(place, "div", `discreet-parallel${moves ? "" : " discreet-still"}`);
  root.setAttribute("role", "group");
  root.setAttribute("aria-label", `parallel coordinates of ${names.join(", ")}`);
  const frame = made(root, "div", "discreet-frame");
  const stage = made(frame, "div", "discreet-stage");
  const base = made(stage, "div", "discreet-base");
  const picks = gaps.map((mark, gap) => pickOf(stage, mark, gap, names));
  const over = canvasOf(stage, "discreet-over");
  const els = {
    root,
    frame,
    stage,
    base,
    picks,
    over,
    gaps: gaps.map(() => canvasOf(base, "discreet-gap")),
    uprights: axes.map(() => canvasOf(stage, "discreet-upright")),
    handles: axes.map(() => made(stage, "div", "discreet-handle")),
    heads: axes.map((axis, i) => headOf(stage, axis, i, names, moves)),
    tip: made(stage, "div", "discreet-tip"),
    live: made(root, "div", "discreet-live"),
  };
  els.tip.hidden = true;
  els.tip.setAttribute("aria-hidden", "true");
  els.live.setAttribute("aria-live", "polite");
  return els;
}

/**
 * Lay out the stage for the width it has, and paint all of it.
 *
 * @param {object} els of `stageOf`.
 * @param {object[]} axes of an "uprights" mark.
 * @param {object[]} gaps the mark of each gap.
 * @param {number} width in pixels.
 * @param {object} theme colours.
 * @returns {object} the layout.
 */
export function paintStage(els, axes, gaps, width, theme) {
  const layout = uprightLayout(axes, width);
  const scale = globalThis.devicePixelRatio || 1;
  size(els.stage, 0, 0, layout.width, layout.height);
  const scrolls = layout.width > width + 1;
  if (scrolls) els.frame.tabIndex = 0;
  else els.frame.removeAttribute("tabindex");
  els.root.style.setProperty("--discreet-apart", theme.apart);
  gaps.forEach((mark, gap) => {
    const box = gapBox(layout, gap);
    const canvas = els.gaps[gap];
    const painter = fresh(canvas, box.x, box.y - 2, box.width, box.height + 4, scale);
    paintOneGap(painter, mark, { x: 0, y: 2, width: box.width, height: box.height }, theme);
    size(els.picks[gap], box.x, box.y - 6, box.width, box.height + 12);
  });
  fresh(els.over, 0, 0, layout.width, layout.height, scale, false);
  axes.forEach((axis, i) => {
    const reach = Math.max(layout.gap, ...layout.sides);
    const painter = fresh(els.uprights[i], layout.xs[i] - reach, 0, 2 * reach, layout.height, scale);
    paintUpright(painter, axis, i, reach, layout, theme);
    paintUprightName(painter, axis, i, reach, layout, theme);
    const wide = Math.min(0.94 * layout.gap, 180);
    const left = Math.max(0, layout.xs[i] - wide / 2);
    const right = Math.min(layout.width, layout.xs[i] + wide / 2);
    size(els.heads[i], left, 0, right - left, layout.top - 1);
    size(els.handles[i], layout.xs[i] - HANDLE / 2, layout.top, HANDLE, layout.tall);
  });
  return layout;
}

/** Paint the whole into a picture that is kept: an SVG, or a PNG. */
export function paintParallel(painter, axes, gaps, box, theme) {
  const layout = uprightLayout(axes, box.width, { height: box.height, least: 24 });
  const shifted = { ...layout, top: layout.top + box.y, foot: layout.foot + box.y };
  gaps.forEach((mark, gap) => {
    const place = gapBox(shifted, gap);
    paintOneGap(painter, mark, { ...place, x: place.x + box.x }, theme);
  });
  axes.forEach((axis, i) => {
    paintUpright(painter, axis, i, layout.xs[i] + box.x, shifted, theme);
    paintUprightName(painter, axis, i, layout.xs[i] + box.x, shifted, theme);
  });
}

/** Paint what is lit upon the dimmed rest; nothing, if nothing is lit. */
export function paintLit(els, gaps, lit, layout, theme) {
  const context = els.over.getContext("2d");
  context.save();
  context.setTransform(1, 0, 0, 1, 0, 0);
  context.clearRect(0, 0, els.over.width, els.over.height);
  context.restore();
  const painter = canvasPainter(context);
  const places = new Map();
  for (const [gap, cluster] of lit) places.set(gap, [...(places.get(gap) ?? []), cluster]);
  for (const [gap, clusters] of places) {
    const ends = clusters.map((cluster) => gaps[gap].ends[cluster]);
    const bright = { ...gaps[gap], ends };
    paintGap(painter, bright, gapBox(layout, gap), theme, clusters.map(() => true));
  }
  els.base.classList.toggle("discreet-dimmed", lit.length > 0);
}

/** Where a gap lies. */
export function gapBox(layout, gap) {
  const [x, right] = layout.xs.slice(gap, gap + 2);
  return { x, y: layout.top, width: right - x, height: layout.tall };
}

function paintOneGap(painter, mark, box, theme) {
  if (mark && mark.ends.length) paintGap(painter, mark, box, theme);
  else if (mark) paintNothing(painter, box, theme);
}

function made(parent, kind, name) {
  const element = parent.appendChild(document.createElement(kind));
  element.className = name;
  return element;
}

function canvasOf(parent, name) {
  const canvas = made(parent, "canvas", name);
  canvas.setAttribute("aria-hidden", "true");
  return canvas;
}

function pickOf(stage, mark, gap, names) {
  const pick = made(stage, "div", "discreet-pick");
  const many = mark?.ends.length ?? 0;
  const what = mark?.mark === "strands" ? "records" : "clusters";
  const how = many ? "up and down arrow keys go through them" : "nothing is shown";
  pick.tabIndex = 0;
  pick.setAttribute("role", "application"); // or a screen reader would keep the arrow keys
  pick.setAttribute("aria-roledescription", "gap between two axes");
  pick.setAttribute("aria-label", `${what} between ${names[gap]} and ${names[gap + 1]}: ${how}`);
  return pick;
}

function headOf(stage, axis, i, names, moves) {
  const head = made(stage, moves ? "button" : "div", "discreet-axis");
  head.title = names[i];
  const secret = axis.apart ? ", sensitive" : "";
  const said = `${names[i]}${secret}, axis ${i + 1} of ${names.length}`;
  if (moves) head.type = "button";
  else head.setAttribute("role", "img"); // its name is painted
  head.setAttribute("aria-label", moves ? `${said}; left and right arrow keys move it` : said);
  return head;
}

function size(element, x, y, width, height) {
  Object.assign(element.style, {
    left: `${x}px`,
    top: `${y}px`,
    width: `${width}px`,
    height: `${height}px`,
  });
}

/** Empty a canvas of a place and a size, and return what paints on it. */
function fresh(canvas, x, y, width, height, scale, still = true) {
  size(canvas, x, y, width, height);
  canvas.style.transform = "";
  canvas.width = Math.max(1, Math.round(width * scale));
  canvas.height = Math.max(1, Math.round(height * scale));
  // What is painted once is painted by the processor: thousands of small shapes are slow on a card,
  // or on what stands for it.
  const context = canvas.getContext("2d", { willReadFrequently: still });
  context.scale(canvas.width / width, canvas.height / height);
  return canvasPainter(context);
}
