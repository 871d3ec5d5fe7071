// The axes of parallel coordinates: where they stand, and what is written above and beside them.
// As render/trapezoids.py and render/ticks.py have it.

import { printable, textWidth } from "./paint.js";
import { fitted, numberText } from "./axes.js";

const UPRIGHT = Object.freeze({
  name: 13, // pixels of letters
  small: 11,
  leading: 1.2,
  gap: 92, // pixels of a gap at least, or its names could not be read
  few: 0.18, // how far apart two numbers are at least, as a part of the axis
  badge: 20, // pixels that "sensitive" takes
});

/**
 * Say where the axes stand.
 *
 * @param {object[]} axes of an "uprights" mark.
 * @param {number} width of the whole in pixels.
 * @param {{height?: number, least?: number}} [wish] the height of the whole, and how wide a gap
 *     must be; where gaps would be narrower, the whole becomes wider.
 * @returns {object} `xs` (of each axis), `gap`, `top` and `foot` of the axes, `tall`, `names`
 *     (lines above each axis), `width` and `height` of the whole.
 */
export function uprightLayout(axes, width, { height = 0, least = UPRIGHT.gap } = {}) {
  const gaps = Math.max(axes.length - 1, 1);
  const sides = [0, axes.length - 1].map((i) => besideWidth(axes[i], width) + 12);
  const first = Math.max(least, (width - sides[0] - sides[1]) / gaps);
  [axes[0], axes.at(-1)].forEach((axis, side) => {
    const words = [axis?.label ?? "", ...(axis?.ends ?? []), ...(axis?.apart ? ["sensitive"] : [])];
    const widest = Math.max(...words.map((word) => textWidth(word, UPRIGHT.name)));
    sides[side] = Math.max(sides[side], 0.5 * Math.min(1.08 * widest, 0.96 * first) + 4);
  });
  const gap = Math.max(least, (width - sides[0] - sides[1]) / gaps);
  const names = axes.map((axis) => wrappedWords(axis.label, 0.9 * gap, UPRIGHT.name, 3));
  const line = UPRIGHT.leading * UPRIGHT.name;
  const ends = axes.some((axis) => axis.ends) ? UPRIGHT.leading * UPRIGHT.small + 4 : 6;
  const badge = axes.some((axis) => axis.apart) ? UPRIGHT.badge : 0;
  const top = badge + Math.max(1, ...names.map((lines) => lines.length)) * line + ends + 6;
  const whole = sides[0] + gap * gaps + sides[1];
  const tall = Math.max(80, height ? height - top - ends - 4 : Math.min(Math.max(0.45 * width, 300), 500));
  return {
    xs: axes.map((_, i) => sides[0] + i * gap),
    gap,
    sides,
    top,
    foot: top + tall,
    tall,
    ends,
    names,
    width: whole,
    height: top + tall + ends + 4,
  };
}

/**
 * Paint one axis, and what stands beside it.
 *
 * @param {object} painter with the verbs of paint.js.
 * @param {object} axis of an "uprights" mark.
 * @param {number} i which of the axes it is.
 * @param {number} x where it stands.
 * @param {object} layout of `uprightLayout`.
 * @param {object} theme colours.
 */
export function paintUpright(painter, axis, i, x, layout, theme) {
  const { top, foot } = layout;
  if (axis.apart) {
    painter.rect(x - 3, top, 6, foot - top, { fill: theme.apart });
    painter.rect(x - 1.25, top, 2.5, foot - top, { fill: theme.paper });
  } else {
    painter.line([[x, top], [x, foot]], { stroke: theme.ink, width: 1.6 });
  }
  const small = { size: UPRIGHT.small, fill: theme.ink, align: "center" };
  const room = 0.92 * layout.gap;
  if (axis.ends) {
    painter.text(x, foot + 4, fitted(axis.ends[0], room, UPRIGHT.small), { ...small, baseline: "top" });
    painter.text(x, top - 4, fitted(axis.ends[1], room, UPRIGHT.small), { ...small, baseline: "bottom" });
  }
  paintBeside(painter, axis, i, x, layout, theme);
}

/**
 * Paint the name above an axis, and whether it is sensitive.
 *
 * @param {object} painter with the verbs of paint.js.
 * @param {object} axis of an "uprights" mark.
 * @param {number} i which of the axes it is.
 * @param {number} x where it stands.
 * @param {object} layout of `uprightLayout`.
 * @param {object} theme colours.
 */
export function paintUprightName(painter, axis, i, x, layout, theme) {
  const line = UPRIGHT.leading * UPRIGHT.name;
  const lines = layout.names[i];
  const low = layout.top - layout.ends - 4;
  lines.forEach((words, j) => {
    const y = low - (lines.length - 1 - j) * line;
    painter.text(x, y, words, { size: UPRIGHT.name, fill: theme.ink, align: "center" });
  });
  if (!axis.apart) return;
  const wide = textWidth("sensitive", UPRIGHT.small) + 8;
  const y = low - lines.length * line - 7;
  painter.rect(x - wide / 2, y - 7, wide, 15, { fill: theme.paper, stroke: theme.apart, width: 1 });
  const look = { size: UPRIGHT.small, fill: theme.apart, align: "center", baseline: "middle" };
  painter.text(x, y + 0.5, "sensitive", look);
}

/** Say in a gap that it shows nothing, on the ground of what is hidden. */
export function paintNothing(painter, box, theme) {
  painter.rect(box.x + 0.06 * box.width, box.y, 0.88 * box.width, box.height, { fill: theme.hidden });
  const lines = wrappedWords("nothing is shown", 0.8 * box.width, UPRIGHT.small, 4);
  const line = UPRIGHT.leading * UPRIGHT.small;
  lines.forEach((words, i) => {
    const y = box.y + box.height / 2 + (i - (lines.length - 1) / 2) * line;
    const look = { size: UPRIGHT.small, fill: theme.grey, align: "center", baseline: "middle" };
    painter.text(box.x + box.width / 2, y, words, look);
  });
}

/**
 * Break a text into lines no wider than so many pixels, at spaces and after "_"; what is too much
 * ends in "…".
 *
 * @param {string} words the text.
 * @param {number} room in pixels.
 * @param {number} size of its letters.
 * @param {number} most lines.
 * @returns {string[]} the lines.
 */
export function wrappedWords(words, room, size, most) {
  const lines = [];
  for (const word of printable(words).split(/(?<=[ _])/)) {
    const longer = (lines.at(-1) ?? "") + word;
    if (lines.length && textWidth(longer.trimEnd(), size) <= room) lines[lines.length - 1] = longer;
    else lines.push(word);
  }
  if (lines.length > most) lines.splice(most - 1, Infinity, lines.slice(most - 1).join(""));
  return lines.map((line) => fitted(line.trimEnd(), room, size));
}

/**
 * Give the round numbers strictly between the ends of an axis.
 *
 * @param {[number, number]} scale the numbers at the foot and at the head.
 * @param {number} least how much of the axis the letters of a number take.
 * @returns {[number, string][]} place, 0 to 1, and name.
 */
export function uprightNumbers([low, high], least) {
  const span = high - low;
  const wanted = span * Math.max(least, UPRIGHT.few);
  if (!(wanted > 0 && wanted < Infinity)) return [];
  const power = 10 ** Math.floor(Math.log10(wanted));
  if (!(power > 0 && Number.isFinite(low / power) && Number.isFinite(high / power))) return [];
  const step = power * ([1, 2, 5, 10].find((m) => m * power >= wanted * (1 - 1e-9)) ?? 10);
  const found = [];
  const first = Math.floor(low / step) + 1;
  for (let k = first; k * step < high && k <= first + 7; k += 1) {
    const place = (k * step - low) / span;
    if (place >= least && place <= 1 - least && place > 0 && place < 1) {
      found.push([place, numberText(k * step)]);
    }
  }
  const read = (name) => Number(name.replaceAll("−", "-"));
  const tells = ([place, name]) => Math.abs(low + place * span - read(name)) <= step / 50;
  return found.every(tells) ? found : [];
}

/** Choose the levels whose names do not overlap; the last one in any case. */
export function namedLevels(levels, least) {
  const rising = [...levels].sort((a, b) => a[0] - b[0]);
  const kept = [];
  for (const level of rising) if (!kept.length || level[0] - kept.at(-1)[0] >= least) kept.push(level);
  if (kept.length > 1 && kept.at(-1) !== rising.at(-1)) kept[kept.length - 1] = rising.at(-1);
  return kept;
}

function besideNames(axis, least) {
  if (axis.dates?.length) {
    return namedLevels(axis.dates.filter(([at]) => at >= least && at <= 1 - least), least);
  }
  if (axis.levels.length || !axis.scale) return namedLevels(axis.levels, least);
  return uprightNumbers(axis.scale, least);
}

function besideWidth(axis, width) {
  const names = axis ? besideNames(axis, 0) : [];
  const widest = Math.max(0, ...names.map(([, name]) => textWidth(name, UPRIGHT.small)));
  return Math.min(widest + 2, 120, 0.22 * width);
}

function paintBeside(painter, axis, i, x, layout, theme) {
  const least = (UPRIGHT.leading * UPRIGHT.small) / layout.tall;
  const last = layout.xs.length - 1;
  const inner = i > 0 && i < last;
  const room = inner ? Math.max(0.46 * layout.gap, 36) : layout.sides[i === 0 ? 0 : 1] - 10;
  const kept = besideNames(axis, least);
  const numbers = axis.levels.length === 0;
  if (numbers && kept.some(([, name]) => textWidth(name, UPRIGHT.small) > room)) return;
  const color = axis.apart ? theme.apart : theme.ink;
  for (const [place] of numbers ? kept : axis.levels) {
    const y = layout.foot - place * layout.tall;
    painter.line([[x - 4.5, y], [x + 4.5, y]], { stroke: color, width: 1.4 });
  }
  const places = kept.map(([place]) => place);
  const nearest = Math.min(1, ...places.slice(1).map((place, j) => place - places[j]));
  const most = Math.max(1, Math.min(3, Math.floor(nearest / least)));
  const side = i === 0 ? -1 : 1;
  for (const [place, name] of kept) {
    const lines = wrappedWords(name, room, UPRIGHT.small, most);
    paintName(painter, lines, x + 8 * side, layout.foot - place * layout.tall, side, {
      ground: inner ? theme.ground : null,
      fill: numbers ? theme.grey : theme.ink,
    });
  }
}

function paintName(painter, lines, x, y, side, { ground, fill }) {
  const line = UPRIGHT.leading * UPRIGHT.small;
  if (ground) {
    const wide = Math.max(...lines.map((words) => textWidth(words, UPRIGHT.small))) + 4;
    painter.rect(x - 2, y - (lines.length * line) / 2, wide, lines.length * line, { fill: ground });
  }
  lines.forEach((words, j) => {
    const at = y + (j - (lines.length - 1) / 2) * line;
    const align = side < 0 ? "right" : "left";
    painter.text(x, at, words, { size: UPRIGHT.small, fill, align, baseline: "middle" });
  });
}
