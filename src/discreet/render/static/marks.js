// The marks of a panel within its frame: bars, columns, cells, dots, lines, boxes, intervals. As
// render/marks.py and render/lines.py have them; what lies outside the frame is left out.

import { cut, inside, isReference, through } from "./reach.js";
import { dot, hiddenSign, levelColors, lineLook, patch, placeOf, seriesLook, shapeOf } from "./signs.js";
import { isDark, mixed, shaded } from "./theme.js";

const GROUP = 0.8; // how much of the place of a group its columns take
const SIGN = 6; // pixels that the sign of a hidden bar hangs below the axis
const [DOT, LARGEST_DOT] = [0.02, 0.07]; // diameters, as parts of the shorter side of the axes
const MOST_DOT = 5.4; // pixels of the diameter of a dot that stands for one place
const MANY_DOTS = 2000;
const BAND = 0.16; // how dark a band is: lines, and other bands, are seen through it
const THIN = 0.01; // of the axes: an edge would wipe out a bar that is hardly wider than it

/**
 * Paint all marks of a panel; those that are only compared with lie below, as on paper, and trends
 * above the line of raw records, which is wider.
 *
 * @param {object} painter with the verbs of paint.js.
 * @param {object} panel of a scene.
 * @param {object} frame of `frameOf`.
 * @param {object} theme colours.
 */
export function paintMarks(painter, panel, frame, theme) {
  const { x, y, width, height } = frame.inner;
  const order = [...panel.marks].sort((a, b) => rankOf(a) - rankOf(b));
  // A mark at the very edge may be seen whole.
  painter.clipped(x - 1, y - 4, width + 4, height + 5, () => {
    order.forEach((mark) => PAINT[mark.mark]?.(painter, mark, frame, theme, panel));
  });
  // Below the axis, where no sign is taller than a small bar.
  for (const [from, to] of panel.marks.flatMap((mark) => HIDDEN[mark.mark]?.(mark) ?? [])) {
    const [left, right] = [from, to].map((v) => Math.min(Math.max(frame.x(v), x), x + width));
    const box = { x: left, y: y + height, width: right - left, height: SIGN };
    if (box.width > 0) hiddenSign(painter, box, theme);
  }
}

/** Say how far up a mark lies: what is compared with at the bottom, and bands; trends on top. */
function rankOf(mark) {
  if (isReference(mark) || mark.mark === "bands") return 0;
  return mark.look === "trend" ? 2 : 1;
}

/**
 * Name the series of dots of a panel, in the order of their colours.
 *
 * @param {object} panel of a scene.
 * @returns {string[]} the names.
 */
export function seriesNames(panel) {
  const named = panel.marks.filter((mark) => mark.mark === "dots" && mark.series);
  return [...new Set(named.map((mark) => mark.series))];
}

/**
 * Give the values that the first and the last colour of cells stand for.
 *
 * @param {object} mark "cells".
 * @returns {[number, number]} low and high; the same where there is one value alone.
 */
export function spanOf(mark) {
  const shown = mark.values.flat().filter((value) => value !== null);
  const least = shown.reduce((a, b) => Math.min(a, b), Infinity);
  const most = shown.reduce((a, b) => Math.max(a, b), -Infinity);
  return mark.span ?? (shown.length ? [least, most] : [0, 1]);
}

/**
 * Say how far along the colours a value is; one value alone has the last.
 *
 * @param {number} value of a cell.
 * @param {[number, number]} span of `spanOf`.
 * @returns {number} 0 to 1.
 */
export function shadeOf(value, [low, high]) {
  return low === high ? 1 : (value - low) / (high - low);
}

/**
 * List how many records the dots stand for whose area says it.
 *
 * @param {object} panel of a scene.
 * @returns {number[]} of those within the panel's limits.
 */
export function sizesShown(panel) {
  const sized = panel.marks.filter((mark) => mark.mark === "dots" && mark.by_size);
  return sized.flatMap((mark) => kept(mark, panel).map((i) => mark.size[i]));
}

/**
 * Give the radius of a dot that stands for so many records; all dots of a panel have one scale.
 *
 * @param {number} size in records.
 * @param {number[]} sizes of all dots of the panel.
 * @param {{width: number, height: number}} inner box of the marks.
 * @returns {number} pixels.
 */
export function radiusOf(size, sizes, { width, height }) {
  const most = sizes.reduce((a, b) => Math.max(a, b), 1);
  return (LARGEST_DOT * Math.min(width, height) * Math.sqrt(size / most)) / 2;
}

function bars(painter, mark, { x, y, inner }, theme) {
  mark.heights.forEach((height, i) => {
    if (height === null) return;
    const [left, right, foot, top] = [x(mark.edges[i]), x(mark.edges[i + 1]), y(0), y(height)];
    const low = height > 0 && foot - top < THIN * inner.height;
    const stroke = low || right - left < THIN * inner.width ? theme.accent : theme.edge;
    painter.rect(left, top, right - left, foot - top, { fill: theme.accent, stroke, width: 0.8 });
  });
}

/** The place by which a row of bars or intervals has its colour; one may have no name. */
const placeOfRow = ({ series }, row, { order }) =>
  row < series.length ? placeOf(series[row], series, order) : row;

function columns(painter, mark, { x, y }, theme, panel) {
  const wide = GROUP / mark.heights.length;
  mark.heights.forEach((heights, order) => {
    const place = placeOfRow(mark, order, panel);
    const { color, hatch } = seriesLook(theme, place);
    heights.forEach((height, i) => {
      const from = i + order * wide - GROUP / 2;
      const [left, width] = [x(from), x(from + wide) - x(from)];
      if (height === null) return;
      const [top, low] = [Math.min(y(height), y(0)), Math.max(y(height), y(0))];
      const look = { fill: color, stroke: theme.edge, width: Math.min(0.8, width / 20) };
      const ink = { stroke: theme.edge, width: 1 };
      patch(painter, { x: left, y: top, width, height: low - top }, look, hatch, ink);
    });
  });
}

function cells(painter, mark, { x, y }, theme) {
  const span = spanOf(mark);
  const lines = Math.max(mark.values.length, mark.values[0]?.length ?? 1);
  const edge = { stroke: theme.edge, width: Math.min(0.7, 12 / lines) };
  mark.values.forEach((column, i) => {
    column.forEach((value, j) => {
      const ramp = mark.signed ? theme.signed : theme.ramp;
      const fill = value === null ? theme.hidden : mixed(ramp, shadeOf(value, span));
      const [left, right] = [x(mark.x_edges[i]), x(mark.x_edges[i + 1])];
      const [foot, top] = [y(mark.y_edges[j]), y(mark.y_edges[j + 1])];
      painter.rect(left, top, right - left, foot - top, { fill, ...edge });
      if (!mark.texts?.[i]?.[j]) return;
      const size = Math.min(12, (right - left) / 3, (foot - top) / 1.6);
      const look = { size, fill: isDark(fill) ? "#ffffff" : "#10202f", align: "center", baseline: "middle" };
      const words = mark.texts[i][j].replace(/^-(?=\d)/, "−");
      painter.text((left + right) / 2, (foot + top) / 2, words, look);
    });
  });
}

/** Which dots lie within the limits of a panel. */
function kept(mark, panel) {
  const shown = (i) => inside(mark.x[i], panel.x.limits) && inside(mark.y[i], panel.y.limits);
  return [...mark.x.keys()].filter(shown);
}

function dots(painter, mark, frame, theme, panel) {
  const places = kept(mark, panel);
  const order = mark.series ? placeOf(mark.series, seriesNames(panel), panel.order) : 0;
  const { color, shape } = seriesLook(theme, order);
  const looks = dotLooks(mark, color, theme, places.length <= MANY_DOTS ? 0.55 : 0.25);
  const sizes = mark.by_size ? sizesShown(panel) : [];
  const side = Math.min(frame.inner.width, frame.inner.height);
  const small = (Math.min(MOST_DOT, DOT * side) / 2) * (mark.series ? Math.sqrt(1.6) : 1);
  for (const i of places) {
    const radius = mark.by_size ? radiusOf(mark.size[i], sizes, frame.inner) : small;
    const look = mark.size[i] > 1 ? looks.several : looks.one;
    dot(painter, shape, frame.x(mark.x[i]), frame.y(mark.y[i]), radius, look);
  }
}

/** How dots look that stand for one record, and for several. */
function dotLooks(mark, color, theme, alpha) {
  if (mark.by_size) {
    const look = { fill: color, alpha: 0.7, stroke: theme.edge, width: 0.7 };
    return { one: look, several: look };
  }
  if (!mark.series) {
    return { one: { fill: color, alpha }, several: { fill: theme.strong, alpha: 0.9 } };
  }
  const several = { fill: shaded(color, 0.6), alpha: 0.9, stroke: theme.strong, width: 1.2 };
  return { one: { fill: color, alpha: alpha + 0.2 }, several };
}

function lines(painter, mark, { x, y, ends }, theme, panel) {
  const levels = mark.look === "level" ? levelColors(mark, theme) : null;
  mark.x.forEach((xs, i) => {
    const level = levels && { stroke: levels.get(mark.levels[i]), width: 2 };
    const look = level ?? lineLook(mark, panel, theme);
    const given = xs.map((value, j) => [value, mark.y[i][j]]);
    const whole = mark.look === "reference" ? through(given, ends) : given;
    for (const piece of cut(whole, ends)) {
      const points = piece.map(([across, up]) => [x(across), y(up)]);
      if (look.around && points.length > 1) painter.line(points, { stroke: look.around, width: 5 });
      if (points.length > 1) painter.line(points, look);
      else dot(painter, "disc", ...points[0], 2.7, { fill: look.stroke }); // it would not be seen
    }
    if (look.shape) {
      const shown = whole.filter(([a, b]) => inside(a, ends.x) && inside(b, ends.y));
      shown.forEach(([a, b]) => dot(painter, look.shape, x(a), y(b), 3.3, { fill: look.stroke }));
    }
  });
}

function bands(painter, mark, { x, y }, theme, panel) {
  const alike = panel.marks.filter((it) => it.mark === "bands").map((it) => it.label);
  const { color } = seriesLook(theme, placeOf(mark.label, [...new Set(alike)], panel.order));
  mark.x.forEach((xs, i) => {
    const upper = xs.map((at, j) => [x(at), y(mark.high[i][j])]);
    const lower = xs.map((at, j) => [x(at), y(mark.low[i][j])]).reverse();
    painter.area([...upper, ...lower], { fill: color, alpha: BAND });
  });
}

/**
 * Name the groups of boxes of a panel, in the order of their colours.
 *
 * @param {object} panel of a scene.
 * @returns {string[]} the names.
 */
export function boxGroups(panel) {
  const groups = panel.marks.filter((mark) => mark.mark === "boxes" && mark.group);
  return [...new Set(groups.map((mark) => mark.group))];
}

function boxes(painter, mark, { x, y }, theme, panel) {
  const groups = boxGroups(panel);
  const order = groups.indexOf(mark.group);
  const place = mark.group ? placeOf(mark.group, groups, panel.order) : 0;
  const color = mark.group ? seriesLook(theme, place).color : theme.accent;
  const pale = mark.group ? mixed([theme.paper, color], 0.3) : theme.pale;
  const line = { stroke: color, width: 1.4 };
  const half = groups.length > 1 ? 0.375 / groups.length : 0.25;
  const shift = mark.group ? ((order - (groups.length - 1) / 2) * GROUP) / groups.length : 0;
  mark.boxes.forEach((box, i) => {
    const at = shift + (mark.group ? panel.x.ticks.indexOf(box.label) : i);
    const [left, right, middle] = [x(at - half), x(at + half), x(at)];
    for (const [from, to] of [[box.q3, box.high], [box.q1, box.low]]) {
      painter.line([[middle, y(from)], [middle, y(to)]], line);
      painter.line([[x(at - half / 2), y(to)], [x(at + half / 2), y(to)]], line);
    }
    const tall = y(box.q1) - y(box.q3);
    painter.rect(left, y(box.q3), right - left, tall, { fill: pale, ...line });
    const median = [[left, y(box.median)], [right, y(box.median)]];
    painter.line(median, { stroke: theme.strong, width: 2.4 });
    const edge = { stroke: theme.edge, width: 0.8 };
    const point = { fill: color, ...edge };
    const far = box.outliers.filter((value) => inside(value, panel.y.limits));
    far.forEach((value) => dot(painter, "disc", middle, y(value), 2.7, point));
    if (box.mean === null) return;
    dot(painter, "diamond", middle, y(box.mean), 3.6, { fill: theme.strong, ...edge });
  });
}

function intervals(painter, mark, { x, y, ends }, theme, panel) {
  const band = (0.6 * GROUP) / Math.max(mark.ends.length, 1);
  const down = ends.y[0] > ends.y[1] ? 1 : -1; // the first series stands on top either way
  const [least, most] = [Math.min(...ends.x), Math.max(...ends.x)];
  mark.ends.forEach((row, order) => {
    const shift = (order - (mark.ends.length - 1) / 2) * band * down;
    const place = placeOfRow(mark, order, panel);
    const { color } = seriesLook(theme, place);
    row.forEach((found, tick) => {
      if (!found) return;
      const [low, middle, high] = found;
      const up = y(tick + shift);
      if (low <= most && high >= least) {
        const drawn = [x(Math.max(low, least)), x(Math.min(high, most))];
        painter.line(drawn.map((end) => [end, up]), { stroke: color, width: 2.1 });
      }
      if (inside(middle, ends.x)) dot(painter, shapeOf(place), x(middle), up, 3.3, { fill: color });
    });
  });
}

/** From where to where bars are hidden. */
const HIDDEN = {
  bars(mark) {
    const ends = mark.heights.map((height, i) => [height, mark.edges[i], mark.edges[i + 1]]);
    return ends.filter(([height]) => height === null).map(([, ...places]) => places);
  },
  columns(mark) {
    const wide = GROUP / mark.heights.length;
    const from = (i, order) => i + (order + 0.1) * wide - GROUP / 2;
    const places = mark.heights.flatMap((heights, order) =>
      heights.map((height, i) => [height, from(i, order), from(i, order) + 0.8 * wide]),
    );
    return places.filter(([height]) => height === null).map(([, ...ends]) => ends);
  },
};

/** Shapes about their ticks, with a bar between the quartiles and a dot at the median. */
function violins(painter, mark, { x, y }, theme) {
  mark.violins.forEach(({ values, halves, q1, median, q3 }, at) => {
    const side = (sign) => values.map((value, i) => [x(at + sign * halves[i]), y(value)]);
    const outline = [...side(1), ...side(-1).reverse()];
    painter.area(outline, { fill: theme.pale });
    painter.line([...outline, outline[0]], { stroke: theme.accent, width: 1.4 });
    painter.line([[x(at), y(q1)], [x(at), y(q3)]], { stroke: theme.strong, width: 5 });
    const edge = { stroke: theme.strong, width: 1.2 };
    dot(painter, "disc", x(at), y(median), 4, { fill: theme.edge, ...edge });
  });
}

const PAINT = { bands, bars, columns, cells, dots, lines, boxes, intervals, violins };
