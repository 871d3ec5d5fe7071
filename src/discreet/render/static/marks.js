// The marks of a panel within its frame: bars, columns, cells, dots, lines, boxes, intervals.

import { mixed, shaded } from "./theme.js";

const GROUP = 0.8; // how much of the place of a group its columns take
const STUB = 0.045; // height of the sign of a hidden column, as a part of the axes
const LARGEST_DOT = 0.07; // diameter, as a part of the shorter side of the axes
const MANY_DOTS = 2000;
const DASHES = [[], [6, 3], [2, 2], [10, 3, 2, 3]];
const FAR = [[8, 5], [3, 3], [14, 4, 3, 4]];

/** Paint all marks of a panel; what is only compared with comes last, and is cut at the frame. */
export function paintMarks(painter, panel, frame, theme) {
  const { inner } = frame;
  painter.clipped(inner.x - 1, inner.y - 1, inner.width + 2, inner.height + 2, () => {
    for (const mark of panel.marks) (PAINT[mark.mark] ?? (() => {}))(painter, mark, frame, theme, panel);
  });
}

/** The colour of the series that is the `order`-th. */
export function seriesColor(theme, order) {
  return theme.series[order % theme.series.length];
}

/** The series of dots of a panel, in the order of their colours. */
export function seriesNames(panel) {
  const names = panel.marks.filter((mark) => mark.mark === "dots" && mark.series).map((m) => m.series);
  return [...new Set(names)];
}

/** The lowest and the highest value that colours of cells stand for. */
export function spanOf(mark) {
  const shown = mark.values.flat().filter((value) => value !== null);
  let [low, high] = mark.span ?? [Math.min(...shown, Infinity), Math.max(...shown, -Infinity)];
  if (!Number.isFinite(low) || !Number.isFinite(high)) [low, high] = [0, 1];
  return low === high ? [Math.min(0, low), Math.max(1, high)] : [low, high];
}

/** The look of lines that are no levels: of one look, each label has dashes of its own. */
export function lineLook(mark, panel, theme) {
  const labels = panel.marks.filter((m) => m.mark === "lines" && m.look === mark.look).map((m) => m.label);
  const order = [...new Set(labels)].indexOf(mark.label);
  const dashes = mark.look === "far reference" ? FAR : DASHES;
  const dash = dashes[order % dashes.length];
  if (mark.look === "series") return { stroke: seriesColor(theme, order), width: 1.6, dash };
  if (mark.look === "raw") return { stroke: theme.raw, width: 1.8, dash };
  if (mark.look === "trend") return { stroke: theme.trend, width: 1.8, dash };
  return { stroke: theme.reference, width: 1, dash };
}

/** The colour of each level of contours, the higher the stronger. */
export function levelColors(mark, theme) {
  const levels = [...new Set(mark.levels)].sort((a, b) => a - b);
  const ramp = theme.ramp.slice(1);
  return new Map(levels.map((level, i) => [level, mixed(ramp, levels.length > 1 ? i / (levels.length - 1) : 1)]));
}

/** How large the area of a dot of one record is; all dots of a panel have one scale. */
export function dotScale(panel, frame) {
  const sizes = panel.marks.filter((m) => m.mark === "dots" && m.by_size).flatMap((m) => m.size);
  const side = Math.min(frame.inner.width, frame.inner.height);
  return (LARGEST_DOT * side) ** 2 / Math.max(1, ...sizes);
}

/** Lines from the lower left to the upper right of a box: the sign of what is hidden. */
export function hatch(painter, x, y, width, height, look) {
  painter.clipped(x, y, width, height, () => {
    for (let at = -height; at < width; at += 5) {
      painter.line([[x + at, y + height], [x + at + height, y]], look);
    }
  });
}

function bars(painter, mark, { x, y, inner }, theme) {
  mark.heights.forEach((height, i) => {
    if (height === null) return;
    const [left, right] = [x(mark.edges[i]), x(mark.edges[i + 1])];
    const top = y(height);
    const thin = right - left < 0.01 * inner.width || (height > 0 && y(0) - top < 0.01 * inner.height);
    const edge = thin ? {} : { stroke: theme.edge, width: 0.8 };
    painter.rect(left, top, right - left, y(0) - top, { fill: theme.accent, ...edge });
  });
}

function columns(painter, mark, { x, y, inner }, theme) {
  const width = GROUP / mark.heights.length;
  mark.heights.forEach((heights, order) => {
    heights.forEach((height, i) => {
      const from = i + order * width - GROUP / 2;
      const [left, right] = [x(from), x(from + width)];
      if (height === null) hiddenColumn(painter, left, right, inner, theme);
      else {
        const look = { fill: seriesColor(theme, order), stroke: theme.edge, width: 0.6 };
        painter.rect(left, y(height), right - left, y(0) - y(height), look);
      }
    });
  });
}

function hiddenColumn(painter, left, right, inner, theme) {
  const [tall, wide] = [STUB * inner.height, 0.8 * (right - left)];
  const [x, y] = [left + 0.1 * (right - left), inner.y + inner.height - tall];
  painter.rect(x, y, wide, tall, { fill: theme.paper });
  hatch(painter, x, y, wide, tall, { stroke: theme.hiddenEdge, width: 0.8 });
  painter.rect(x, y, wide, tall, { stroke: theme.hiddenEdge, width: 0.8 });
}

function cells(painter, mark, { x, y }, theme) {
  const [low, high] = spanOf(mark);
  const lines = Math.max(mark.values.length, mark.values[0]?.length ?? 1);
  const edge = { stroke: theme.edge, width: Math.min(0.6, 10 / lines) };
  mark.values.forEach((column, i) => {
    column.forEach((value, j) => {
      const fill = value === null ? theme.hidden : mixed(theme.ramp, (value - low) / (high - low));
      const [left, right] = [x(mark.x_edges[i]), x(mark.x_edges[i + 1])];
      const [foot, top] = [y(mark.y_edges[j]), y(mark.y_edges[j + 1])];
      painter.rect(left, top, right - left, foot - top, { fill, ...edge });
    });
  });
}

function dots(painter, mark, frame, theme, panel) {
  const { x, y, inner } = frame;
  const names = seriesNames(panel);
  const color = seriesColor(theme, mark.series ? names.indexOf(mark.series) : 0);
  const alpha = mark.x.length <= MANY_DOTS ? 0.55 : 0.25;
  const small = Math.min(3, 0.011 * Math.min(inner.width, inner.height));
  const scale = dotScale(panel, frame);
  mark.x.forEach((value, i) => {
    const several = mark.size[i] > 1;
    const at = [x(value), y(mark.y[i])];
    if (mark.by_size) {
      const look = { fill: color, alpha: 0.7, stroke: theme.edge, width: 0.5 };
      painter.disc(...at, Math.sqrt(scale * mark.size[i]) / 2, look);
    } else if (mark.series) {
      const look = { fill: several ? shaded(color, 0.6) : color, alpha: several ? 0.9 : alpha + 0.2 };
      painter.disc(...at, 1.25 * small, several ? { ...look, stroke: theme.strong, width: 0.9 } : look);
    } else {
      painter.disc(...at, small, { fill: several ? theme.strong : color, alpha: several ? 0.9 : alpha });
    }
  });
}

function lines(painter, mark, { x, y }, theme, panel) {
  const levels = mark.look === "level" ? levelColors(mark, theme) : null;
  mark.x.forEach((xs, i) => {
    const look = levels ? { stroke: levels.get(mark.levels[i]), width: 1.5 } : lineLook(mark, panel, theme);
    const points = xs.map((value, j) => [x(value), y(mark.y[i][j])]);
    if (points.length > 1) painter.line(points, look);
    if (points.length === 1 || mark.look === "series") {
      points.forEach((point) => painter.disc(...point, 2.5, { fill: look.stroke }));
    }
  });
}

function boxes(painter, mark, { x, y }, theme) {
  const line = { stroke: theme.accent, width: 1.3 };
  mark.boxes.forEach((box, at) => {
    const [left, right, middle] = [x(at - 0.25), x(at + 0.25), x(at)];
    const cap = (value) => painter.line([[x(at - 0.125), y(value)], [x(at + 0.125), y(value)]], line);
    painter.line([[middle, y(box.q3)], [middle, y(box.high)]], line);
    painter.line([[middle, y(box.q1)], [middle, y(box.low)]], line);
    cap(box.low);
    cap(box.high);
    painter.rect(left, y(box.q3), right - left, y(box.q1) - y(box.q3), { fill: theme.pale, ...line });
    painter.line([[left, y(box.median)], [right, y(box.median)]], { stroke: theme.strong, width: 2 });
    box.outliers.forEach((value) => painter.disc(middle, y(value), 2.2, { fill: theme.accent }));
    if (box.mean !== null) {
      const [cx, cy] = [middle, y(box.mean)];
      const diamond = [[cx, cy - 4], [cx + 4, cy], [cx, cy + 4], [cx - 4, cy]];
      painter.area(diamond, { fill: theme.strong, stroke: theme.edge, width: 0.8 });
    }
  });
}

function intervals(painter, mark, { x, y, ends }, theme) {
  const band = (0.6 * GROUP) / Math.max(mark.ends.length, 1);
  const down = ends.y[0] > ends.y[1] ? 1 : -1;
  mark.ends.forEach((row, order) => {
    const shift = (order - (mark.ends.length - 1) / 2) * band * down;
    const color = seriesColor(theme, order);
    row.forEach((found, place) => {
      if (!found) return;
      const up = y(place + shift);
      painter.line([[x(found[0]), up], [x(found[2]), up]], { stroke: color, width: 1.6 });
      painter.disc(x(found[1]), up, 2.6, { fill: color });
    });
  });
}

const PAINT = { bars, columns, cells, dots, lines, boxes, intervals };
