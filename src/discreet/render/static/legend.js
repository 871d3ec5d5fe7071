// What colours, lines and sizes mean: rows of signs above the marks, once for panels that agree;
// and a bar beside cells. As render/legend.py has it.

import { fitted, numberText, roundNumbers } from "./axes.js";
import { boxGroups, radiusOf, seriesNames, shadeOf, sizesShown, spanOf } from "./marks.js";
import { textWidth } from "./paint.js";
import { dot, hiddenSign, levelColors, lineLook, patch, placeOf, seriesLook, shapeOf } from "./signs.js";
import { mixed } from "./theme.js";

const LETTERS = 12;
const ROW = 20;
const GAP = 18; // pixels between entries
const LONGEST = 280; // pixels of the words of an entry
const MOST_LEVELS = 8;
const [BAR, BAR_STEPS] = [12, 40]; // pixels a colour bar is wide, and its shades

/**
 * List what needs words in a panel, as plain values that tell whether two panels agree.
 *
 * @param {object} panel of a scene.
 * @param {object} theme colours.
 * @param {{width: number, height: number}} inner box of its marks.
 * @returns {{words: string, sign: string, look: object}[]} sign is "line", "dot", "patch", "hidden"
 *     or, for words that stand before what follows, "head".
 */
export function entriesOf(panel, theme, inner) {
  const plain = panel.marks.flatMap((mark) => NAMED[mark.mark]?.(mark, panel, theme) ?? []);
  const levels = panel.marks.filter((mark) => mark.look === "level" && mark.x.length);
  const headed = levels.flatMap((mark) => levelled(mark, theme));
  const found = [...plain, ...headed, ...sized(panel, theme, inner)];
  const keys = found.map((entry) => JSON.stringify(entry));
  return found.filter((_, i) => keys.indexOf(keys[i]) === i);
}

/**
 * Say whether panels have one legend: the entries of all are among those of the fullest.
 *
 * @param {object[][]} each the entries of each panel.
 * @returns {object[]|null} the entries of all, or null.
 */
export function sharedEntries(each) {
  if (each.filter((entries) => entries.length).length < 2) return null;
  const fullest = each.reduce((a, b) => (b.length > a.length ? b : a));
  const keys = new Set(fullest.map((entry) => JSON.stringify(entry)));
  return each.flat().every((entry) => keys.has(JSON.stringify(entry))) ? fullest : null;
}

/**
 * Lay out the entries of a legend in rows.
 *
 * @param {object[]} entries of `entriesOf`.
 * @param {number} width pixels that a row may have.
 * @returns {{placed: object[], height: number}} height is 0 where there are none.
 */
export function legendOf(entries, width) {
  const needs = entries.map(({ look }) => 2 * (look.radius ?? 0) + 4);
  const tallest = Math.max(ROW, ...needs);
  let [at, row] = [0, 0];
  const placed = entries.map((entry) => {
    const sign = entry.sign === "head" ? 0 : Math.max(30, 2 * (entry.look.radius ?? 0) + 6);
    const words = fitted(entry.words, Math.min(LONGEST, width - sign), LETTERS);
    const wide = sign + textWidth(words, LETTERS) + (entry.sign === "head" ? 8 : GAP);
    if (at > 0 && at + wide - GAP > width) [at, row] = [0, row + 1];
    const here = { ...entry, words, wide: sign, x: at, y: (row + 0.5) * tallest };
    at += wide;
    return here;
  });
  return { placed, height: entries.length ? (row + 1) * tallest + 8 : 0 };
}

/**
 * Paint a legend.
 *
 * @param {object} painter with the verbs of paint.js.
 * @param {object} legend of `legendOf`.
 * @param {number} x its left end.
 * @param {number} y its upper end.
 * @param {object} theme colours.
 */
export function paintLegend(painter, legend, x, y, theme) {
  for (const entry of legend.placed) {
    const [left, middle] = [x + entry.x, y + entry.y];
    SIGNS[entry.sign]?.(painter, left, middle, entry, theme);
    const fill = entry.sign === "head" ? theme.grey : theme.ink;
    const look = { size: LETTERS, fill, baseline: "middle" };
    painter.text(left + entry.wide, middle, entry.words, look);
  }
}

/**
 * Say how many pixels a colour bar takes on the right.
 *
 * @param {object} panel of a scene.
 * @returns {number} 0 where there are no cells, or all are hidden.
 */
export function barRoom(panel) {
  const mark = cellsOf(panel);
  if (!mark) return 0;
  const names = barTicks(mark, 5).map((value) => textWidth(numberText(value), LETTERS));
  return 12 + BAR + 8 + Math.max(0, ...names) + (mark.label ? 20 : 0);
}

/**
 * Paint the bar that tells the colours of cells, on the right of the frame.
 *
 * @param {object} painter with the verbs of paint.js.
 * @param {object} panel of a scene.
 * @param {object} frame of `frameOf`.
 * @param {object} theme colours.
 */
export function paintBar(painter, panel, frame, theme) {
  const mark = cellsOf(panel);
  if (!mark) return;
  const { x, y, width, height } = frame.inner;
  const [low, high] = spanOf(mark);
  const left = x + width + 12;
  const foot = y + height;
  for (let i = 0; i < BAR_STEPS; i += 1) {
    const top = foot - ((i + 1) * height) / BAR_STEPS;
    // A little more than its share, or the ground would shine through between two shades.
    const tall = height / BAR_STEPS + (i ? 0.6 : 0);
    const shade = low === high ? shadeOf(low, [low, high]) : (i + 0.5) / BAR_STEPS;
    painter.rect(left, top, BAR, tall, { fill: mixed(mark.signed ? theme.signed : theme.ramp, shade) });
  }
  const words = { size: LETTERS, fill: theme.ink, baseline: "middle" };
  for (const value of barTicks(mark, Math.max(2, Math.floor(height / 45)))) {
    const up = low === high ? 0.5 : (value - low) / (high - low);
    const at = Math.round(foot - up * height - 0.5) + 0.5;
    painter.line([[left + BAR, at], [left + BAR + 4, at]], { stroke: theme.line, width: 1 });
    painter.text(left + BAR + 7, at, numberText(value), words);
  }
  const label = fitted(mark.label, height, LETTERS);
  const look = { ...words, baseline: "alphabetic", align: "center", angle: -90 };
  painter.text(x + width + barRoom(panel) - 2, y + height / 2, label, look);
}

function cellsOf(panel) {
  const mark = panel.marks.find((one) => one.mark === "cells");
  return mark?.values.flat().some((value) => value !== null) ? mark : null;
}

function barTicks(mark, most) {
  const whole = mark.values.flat().every((value) => value === null || Number.isInteger(value));
  const [low, high] = spanOf(mark);
  if (low === high) return [low];
  const ticks = roundNumbers(low, high, most);
  return whole ? ticks.filter(Number.isInteger) : ticks;
}

const NAMED = {
  lines(mark, panel, theme) {
    if (mark.look === "level" || !mark.label || !mark.x.length) return [];
    return [{ words: mark.label, sign: "line", look: lineLook(mark, panel, theme) }];
  },
  dots(mark, panel, theme) {
    if (!mark.series || !mark.x.length) return [];
    const { color, shape } = seriesLook(theme, placeOf(mark.series, seriesNames(panel), panel.order));
    return [{ words: mark.series, sign: "dot", look: { fill: color, shape } }];
  },
  columns(mark, panel, theme) {
    const placed = (words) => placeOf(words, mark.series, panel.order);
    const entry = (words) => ({ words, sign: "patch", look: seriesLook(theme, placed(words)) });
    const named = mark.series.map(entry).filter(({ words }) => words);
    const hidden = mark.heights.flat().includes(null);
    return hidden ? [...named, { words: "hidden", sign: "hidden", look: {} }] : named;
  },
  boxes(mark, panel, theme) {
    if (!mark.group) return [];
    const look = seriesLook(theme, placeOf(mark.group, boxGroups(panel), panel.order));
    return [{ words: mark.group, sign: "patch", look }];
  },
  intervals(mark, panel, theme) {
    const fill = (order) => seriesLook(theme, order).color;
    const look = (order) => ({ fill: fill(order), shape: shapeOf(order), through: true });
    const entry = (words) => ({ words, sign: "dot", look: look(placeOf(words, mark.series, panel.order)) });
    return mark.series.map(entry).filter(({ words }) => words);
  },
};

function head(words) {
  return words ? [{ words: `${words}:`, sign: "head", look: {} }] : [];
}

/** Name the levels, the highest first as on paper; of very many only some, in even steps. */
function levelled(mark, theme) {
  const colors = levelColors(mark, theme);
  let levels = [...colors.keys()].reverse();
  if (levels.length > MOST_LEVELS) {
    const step = (levels.length - 1) / (MOST_LEVELS - 1);
    levels = Array.from({ length: MOST_LEVELS }, (_, i) => levels[Math.round(i * step)]);
  }
  const line = (level) => ({ stroke: colors.get(level), width: 2, dash: [] });
  return [
    ...head(mark.label),
    ...levels.map((level) => ({ words: numberText(level), sign: "line", look: line(level) })),
  ];
}

/** Say how many records a dot of which area stands for. */
function sized(panel, theme, inner) {
  const sizes = sizesShown(panel);
  if (!sizes.length) return [];
  const low = sizes.reduce((a, b) => Math.min(a, b));
  const high = sizes.reduce((a, b) => Math.max(a, b));
  const steps = roundNumbers(0, high, 3).filter((n) => n >= low && n > 0 && Number.isInteger(n));
  const fill = seriesNames(panel).length < 2 ? seriesLook(theme, 0).color : theme.muted;
  const look = (n) => ({ fill, shape: "disc", alpha: 0.7, radius: radiusOf(n, sizes, inner) });
  const { label } = panel.marks.find((mark) => mark.mark === "dots" && mark.by_size);
  const entry = (n) => ({ words: numberText(n), sign: "dot", look: look(n) });
  return [...head(label), ...(steps.length ? steps : [high]).map(entry)];
}

const SIGNS = {
  line(painter, x, y, { look, wide }) {
    painter.line([[x, y], [x + wide - 6, y]], look);
    if (look.shape) dot(painter, look.shape, x + (wide - 6) / 2, y, 3.3, { fill: look.stroke });
  },
  dot(painter, x, y, { look, wide }) {
    const middle = x + (wide - 6) / 2;
    if (look.through) painter.line([[x, y], [x + wide - 6, y]], { stroke: look.fill, width: 2.1 });
    dot(painter, look.shape, middle, y, look.radius ?? 3.6, { fill: look.fill, alpha: look.alpha });
  },
  patch(painter, x, y, { look, wide }, theme) {
    const box = { x, y: y - 6, width: wide - 6, height: 12 };
    patch(painter, box, { fill: look.color }, look.hatch, { stroke: theme.edge, width: 1 });
  },
  hidden(painter, x, y, { wide }, theme) {
    hiddenSign(painter, { x, y: y - 6, width: wide - 6, height: 12 }, theme);
  },
};
