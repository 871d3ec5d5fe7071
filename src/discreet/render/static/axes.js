// The frame of a panel: from numbers to places, round numbers and names beside the axes.

import { printable, textWidth } from "./paint.js";
import { inside, reach, xNames } from "./reach.js";

const LETTERS = 12; // pixels, of ticks
const LABEL = 12.5; // of labels
const LINE = 1.25; // from line to line, of the size of the letters
const ROW = 17; // pixels from row to row of words beneath an axis
const SMALLEST = 9;
const NAME_LETTERS = 20; // of the name of a slanted tick
const MOST_TICKS = 8;
const STEPS = [1, 2, 5, 10];
const LONGEST = 300; // letters that are looked at: no place has room for more

/**
 * List round numbers from low to high.
 *
 * @param {number} low end of an axis.
 * @param {number} high end of it.
 * @param {number} most how many steps there are at most.
 * @returns {number[]} multiples of 1, 2 or 5 times a power of ten.
 */
export function roundNumbers(low, high, most) {
  const span = high - low;
  if (!(span > 0) || !Number.isFinite(span) || most < 1) return [];
  const raw = span / most;
  const power = 10 ** Math.floor(Math.log10(raw));
  const step = power * STEPS.find((m) => m * power >= raw * (1 - 1e-9));
  const first = Math.ceil(low / step - 1e-9);
  const found = [];
  for (let k = first; k * step <= high + step * 1e-9 && found.length <= most + 1; k += 1) {
    found.push(Number((k * step).toPrecision(12)));
  }
  return found;
}

/**
 * Write a number as it stands beside an axis.
 *
 * @param {number} value any finite number.
 * @returns {string} seven digits at most, with a true minus sign.
 */
export function numberText(value) {
  const size = Math.abs(value);
  const plain = size === 0 || (size < 1e7 && size >= 1e-4);
  const short = (text) => text.replace(/\.?0+e/, "e").replace("e+", "e");
  const text = plain ? String(Number(value.toPrecision(7))) : short(value.toExponential(2));
  const grouped = text.replace(/^-?\d{5,}(?!\d)/, (it) => it.replace(/\B(?=(\d{3})+$)/g, ","));
  return grouped.replaceAll("-", "−");
}

/**
 * Write days since 1970-01-01 as ISO 8601 has them, without a time where it is midnight: as
 * render/dates.py has it.
 *
 * @param {number} days any finite number.
 * @returns {string} the date; of a year that has no four digits, the number.
 */
export function dateText(days) {
  const moment = new Date(Math.round(days * 86400) * 1000);
  const year = moment.getUTCFullYear();
  if (!(year >= 1 && year <= 9999)) return numberText(days);
  const text = moment.toISOString().slice(0, 19);
  return text.replace(/T00:00:00$/, "").replace(/(T..:..):00$/, "$1");
}

/**
 * Say how the numbers of an axis are written.
 *
 * @param {object} axis of a panel, or of an "uprights" mark.
 * @returns {(value: number) => string} what writes one.
 */
export function textOf(axis) {
  return axis.dates?.length ? dateText : numberText;
}

/**
 * Lay out the frame of a panel.
 *
 * @param {object} panel of a scene.
 * @param {{x: number, y: number, width: number, height: number}} box what it may take.
 * @param {number} beside pixels that are kept free on the right, for a colour bar.
 * @returns {object} `inner` (the box of the marks), `ends` (of both axes), `x(value)`, `y(value)`;
 *     `paintGround(painter, theme)` what lies behind the marks, `paint(painter, theme)` the rest.
 */
export function frameOf(panel, box, beside = 0) {
  const ends = reach(panel);
  const named = xNames(panel);
  const most = Math.max(2, Math.floor(box.height / 50));
  const yDates = fittingDates(panel.y, ends.y, (kept) => kept.length <= most);
  const yTicks = yDates.length ? yDates : ticksOf(panel.y.ticks, ends.y, most, panel.y.whole);
  const labels = { y: labelLines(panel.y.label, 0.8 * box.height) };
  const aside = 8 + labels.y.length * LINE * LABEL;
  const rows = (panel.x.beneath ?? []).map((it) => ({ ...it, name: fitted(it.name, 0.3 * box.width, LETTERS) }));
  const first = rows.map(({ words }) => (words.length ? textWidth(words[0][1], LETTERS) : 0));
  const apart = Math.max(0, ...first) / 2 + 8; // from a row's name to the axis
  const names = rows.map(({ name }) => textWidth(name, LETTERS) + apart);
  const upright = aside + Math.min(widest(yTicks), 0.4 * box.width);
  const left = Math.round(Math.max(upright, ...names) + 9);
  const width = Math.max(40, Math.round(box.width - left - beside - 14));
  labels.x = labelLines(panel.x.label, box.width - 12);
  const xDates = fittingDates(panel.x, ends.x, (kept) => fits(kept, ends.x, width));
  const xRows = fittingPlaces(rows, ends.x, width);
  const xNumbers = () => (xDates.length ? xDates : fittingNumbers(ends.x, width, panel.x.whole));
  const xAt = () => (rows.length ? xRows.map((at) => ({ at, lines: [numberText(at)] })) : xNumbers());
  const xTicks = named.length ? ticksOf(named, ends.x, 1) : xAt();
  const level = { angle: 0, low: LETTERS + 8 };
  const how = named.length ? nameTicks(xTicks, ends.x, left, width, box.height) : level;
  const low = how.low + rows.length * ROW + labels.x.length * LINE * LABEL + 6;
  const height = Math.max(40, Math.round(box.height - low - 10));
  const inner = { x: Math.round(box.x) + left, y: Math.round(box.y) + 8, width, height };
  const along = (value, [from, to]) => (value - from) / (to - from);
  const x = (value) => inner.x + along(value, ends.x) * inner.width;
  const y = (value) => inner.y + (1 - along(value, ends.y)) * inner.height;
  const parts = { panel, box, inner, x, y, xTicks, yTicks, how, labels, aside, rows, apart };
  const paintGround = (painter, theme) => paintGrid(painter, theme, parts);
  const paint = (painter, theme) => {
    paintTicks(painter, theme, parts);
    paintRows(painter, theme, parts);
    paintLabels(painter, theme, parts);
  };
  return { inner, ends, x, y, paintGround, paint };
}

/**
 * Cut a text to so many pixels.
 *
 * @param {string} text any text.
 * @param {number} room in pixels.
 * @param {number} size of its letters.
 * @param {string|number} [weight] of its letters.
 * @returns {string} the text, or its beginning and "…".
 */
export function fitted(text, room, size, weight) {
  const all = [...printable(text)].slice(0, LONGEST);
  const whole = printable(text);
  if (all.length < LONGEST && textWidth(whole, size, weight) <= room) return whole;
  let [keep, more] = [0, all.length];
  const cutTo = (count) => `${all.slice(0, count).join("").trimEnd()}…`;
  while (keep < more) {
    const middle = Math.ceil((keep + more) / 2);
    if (textWidth(cutTo(middle), size, weight) <= room) keep = middle;
    else more = middle - 1;
  }
  return cutTo(Math.max(keep, 1));
}

/**
 * Break a text into lines of so many pixels.
 *
 * @param {string} text any text.
 * @param {number} room in pixels.
 * @param {number} size of its letters.
 * @param {number} most lines; the last one is cut.
 * @param {string|number} [weight] of its letters.
 * @returns {string[]} the lines; none of an empty text.
 */
export function brokenInto(text, room, size, most, weight) {
  const lines = [];
  for (const word of printable(text).split(" ").filter(Boolean)) {
    const longer = lines.length ? `${lines.at(-1)} ${word}` : word;
    const fits = lines.length === most || textWidth(longer, size, weight) <= room;
    if (lines.length && fits) lines[lines.length - 1] = longer;
    else lines.push(word);
  }
  return lines.map((line) => fitted(line, room, size, weight));
}

function labelLines(label, room) {
  return brokenInto(label, room, LABEL, 2);
}

function ticksOf(names, ends, most, whole) {
  if (names.length) return names.map((name, at) => ({ at, lines: [printable(name)] }));
  const [low, high] = [...ends].sort((a, b) => a - b);
  const numbers = roundNumbers(low, high, Math.min(MOST_TICKS, most));
  const shown = whole ? numbers.filter(Number.isInteger) : numbers;
  return shown.map((at) => ({ at, lines: [numberText(at)] }));
}

/** As many numbers below a panel as stand there without touching each other. */
function fittingNumbers(ends, width, whole) {
  for (let most = MOST_TICKS; ; most -= 1) {
    const ticks = ticksOf([], ends, most, whole);
    if (most <= 2 || fits(ticks, ends, width)) return ticks;
  }
}

/** The dates of an axis: all that lie within its ends, or every second, third ... that fits. */
function fittingDates(axis, ends, fit) {
  const shown = (axis.dates ?? []).filter(([at]) => inside(at, ends));
  const within = shown.map(([at, words]) => ({ at, lines: [printable(words)] }));
  for (let each = 1; ; each += 1) {
    const kept = within.filter((_, i) => i % each === 0);
    if (kept.length <= 2 || fit(kept)) return kept;
  }
}

/** The places of rows of words beneath an axis: all, or every second, third ... that fits. */
function fittingPlaces(rows, ends, width) {
  const words = rows.flatMap((row) => row.words);
  const places = [...new Set(words.map(([at]) => at))].sort((a, b) => a - b);
  const linesAt = (at) => words.filter(([there]) => there === at).map(([, it]) => it);
  for (let each = 1; ; each += 1) {
    const kept = places.filter((_, i) => i % each === 0).map((at) => ({ at, lines: linesAt(at) }));
    if (kept.length <= 2 || fits(kept, ends, width, 8)) return kept.map(({ at }) => at);
  }
}

/** Whether ticks stand below a panel without touching each other. */
function fits(ticks, ends, width, apart = 14) {
  const [low, high] = [...ends].sort((a, b) => a - b);
  const step = ticks.length > 1 ? ((ticks[1].at - ticks[0].at) / (high - low)) * width : width;
  return widest(ticks) + apart <= step;
}

function widest(ticks) {
  const wide = ticks.flatMap(({ lines }) => lines.map((line) => textWidth(line, LETTERS)));
  return wide.reduce((a, b) => Math.max(a, b), 0);
}

/**
 * Write names below a panel level in three lines at most; or slanted, where a word is too long; or
 * upright, where there are too many for that. Returns the angle and how deep they reach.
 */
function nameTicks(ticks, [first, last], left, width, height) {
  const each = width / Math.max(1, last - first);
  const words = ticks.flatMap(({ lines }) => lines[0].split(" "));
  if (words.every((word) => textWidth(word.slice(0, LONGEST), LETTERS) <= each - 8)) {
    ticks.forEach((tick) => (tick.lines = brokenInto(tick.lines[0], each - 8, LETTERS, 3)));
    const most = Math.max(1, ...ticks.map((tick) => tick.lines.length));
    return { angle: 0, size: LETTERS, low: 8 + most * LINE * LETTERS };
  }
  const upright = each * Math.SQRT1_2 < LETTERS;
  const size = upright ? Math.max(SMALLEST, Math.min(LETTERS, each - 1)) : LETTERS;
  const steep = upright ? 1 : Math.SQRT1_2;
  const step = Math.ceil(upright ? size / each : 1); // of very many, only some are named
  const room = Math.min(0.35 * height, 150) / steep;
  ticks.forEach((tick, i) => {
    const name = [...tick.lines[0]];
    const begin = `${name.slice(0, NAME_LETTERS - 1).join("")}…`;
    const short = name.length > NAME_LETTERS ? begin : tick.lines[0];
    const before = upright ? room : (left + (tick.at - first) * each) / steep;
    tick.lines = i % step ? [] : [fitted(short, Math.min(room, before), size)];
  });
  const deep = (widest(ticks) * size) / LETTERS + (upright ? 0 : size / 2);
  return { angle: upright ? -90 : -45, size, low: 12 + steep * deep };
}

/** A place at which a line of one pixel is sharp. */
function crisp(at) {
  return Math.round(at - 0.5) + 0.5;
}

function paintGrid(painter, theme, { panel, inner, x, y, xTicks, yTicks }) {
  const kinds = new Set(panel.marks.map((mark) => mark.mark));
  const look = { stroke: theme.grid, width: 1 };
  const [foot, right] = [inner.y + inner.height, inner.x + inner.width];
  if (kinds.has("cells")) return;
  const sideways = kinds.has("intervals");
  const both = kinds.has("dots") || ([...kinds].every((it) => it === "lines" || it === "bands"));
  if (!sideways) {
    const heights = yTicks.map(({ at }) => crisp(y(at)));
    heights.forEach((at) => painter.line([[inner.x, at], [right, at]], look));
  }
  if (sideways || both) {
    const places = xTicks.map(({ at }) => crisp(x(at)));
    places.forEach((at) => painter.line([[at, inner.y], [at, foot]], look));
  }
}

function paintTicks(painter, theme, { box, inner, x, y, xTicks, yTicks, how, aside }) {
  const [foot, right] = [crisp(inner.y + inner.height), inner.x + inner.width];
  const line = { stroke: theme.line, width: 1 };
  painter.line([[crisp(inner.x), inner.y], [crisp(inner.x), foot], [right, foot]], line);
  const words = { size: LETTERS, fill: theme.ink };
  for (const { at, lines } of xTicks) {
    const place = crisp(x(at));
    painter.line([[place, foot], [place, foot + 4]], line);
    if (how.angle) {
      const turned = { size: how.size, align: "right", baseline: "middle", angle: how.angle };
      const shift = how.angle === -45 ? 3 : 0;
      lines.forEach((text) => painter.text(place + shift, foot + 8, text, { ...words, ...turned }));
    } else {
      const look = { ...words, align: "center", baseline: "top" };
      lines.forEach((text, i) => painter.text(x(at), foot + 8 + i * LINE * LETTERS, text, look));
    }
  }
  for (const { at, lines } of yTicks) {
    painter.line([[inner.x - 4, crisp(y(at))], [inner.x, crisp(y(at))]], line);
    const text = fitted(lines[0], inner.x - box.x - aside, LETTERS);
    painter.text(inner.x - 8, y(at), text, { ...words, align: "right", baseline: "middle" });
  }
}

/** Rows of words beneath the axis, each below the tick where it stands; a heading is grey. */
function paintRows(painter, theme, { inner, x, xTicks, how, rows, apart }) {
  rows.forEach(({ name, words }, i) => {
    const y = inner.y + inner.height + how.low + i * ROW;
    const look = { size: LETTERS, fill: words.length ? theme.ink : theme.grey, baseline: "top" };
    painter.text(inner.x - apart, y, name, { ...look, align: "right" });
    const shown = words.filter(([at]) => xTicks.some((tick) => tick.at === at));
    shown.forEach(([at, it]) => painter.text(x(at), y, it, { ...look, align: "center" }));
  });
}

function paintLabels(painter, theme, { box, inner, labels }) {
  const look = { size: LABEL, fill: theme.ink, align: "center" };
  const step = LINE * LABEL;
  // In the middle of the axis, but on the paper.
  const middle = (text, wish, start, room) => {
    const half = textWidth(text, LABEL) / 2 + 2;
    return Math.max(start + half, Math.min(wish, start + room - half));
  };
  labels.x.forEach((text, i) => {
    const x = middle(text, inner.x + inner.width / 2, box.x, box.width);
    painter.text(x, box.y + box.height - 5 - (labels.x.length - 1 - i) * step, text, look);
  });
  labels.y.forEach((text, i) => {
    const y = middle(text, inner.y + inner.height / 2, box.y, box.height);
    painter.text(box.x + 14 + i * step, y, text, { ...look, angle: -90 });
  });
}
