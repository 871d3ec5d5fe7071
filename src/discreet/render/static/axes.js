// The frame of a panel: from numbers to places, round numbers beside the axes, names of ticks.

import { printable, textWidth } from "./paint.js";

const LETTERS = 12; // pixels, of ticks and labels
const NAME_LETTERS = 20; // of the name of a slanted tick
const ROOM = 0.05; // beside dots and lines that end nowhere else
const STEPS = [1, 2, 5, 10];

/** Round numbers from low to high, so many at most. */
export function roundNumbers(low, high, most) {
  const span = high - low;
  if (!(span > 0) || most < 1) return [];
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

/** A number as it stands beside an axis. */
export function numberText(value) {
  const size = Math.abs(value);
  if (size !== 0 && (size >= 1e7 || size < 1e-4)) return value.toExponential(2).replace(/\.?0+e/, "e");
  return String(Number(value.toPrecision(7))).replace("-", "−");
}

/** From where to where the marks of a panel reach, with the room around them. */
export function reach(panel) {
  const found = { x: [], y: [], kinds: new Set(panel.marks.map((mark) => mark.mark)) };
  for (const mark of panel.marks) (REACHES[mark.mark] ?? (() => {}))(mark, found);
  const bare = found.kinds.has("cells");
  const side = (axis, values, ticks) => {
    if (axis.limits) return widened(axis.limits);
    const beside = bare ? 0.5 : 0.6;
    if (ticks) return [-beside, ticks - 1 + beside];
    return roomy(values, bare, found.kinds);
  };
  const boxes = panel.marks.find((mark) => mark.mark === "boxes");
  const names = panel.x.ticks.length || (boxes ? boxes.boxes.length : 0);
  return { x: side(panel.x, found.x, names), y: side(panel.y, found.y, panel.y.ticks.length) };
}

function widened([low, high]) {
  return low === high ? [low, low + (Math.abs(low) || 1)] : [low, high];
}

function roomy(values, bare, kinds) {
  const finite = values.filter(Number.isFinite);
  if (!finite.length) return [0, 1];
  let [low, high] = widened([Math.min(...finite), Math.max(...finite)]);
  if (bare) return [low, high];
  const room = ROOM * (high - low);
  const standing = (kinds.has("bars") || kinds.has("columns")) && low === 0;
  return [standing ? 0 : low - room, high + room];
}

const many = (list, values) => values.forEach((value) => list.push(value));
const REACHES = {
  bars(mark, found) {
    const shown = mark.heights.map((height, i) => [height, i]).filter(([height]) => height !== null);
    many(found.y, [0, ...shown.map(([height]) => height)]);
    many(found.x, shown.flatMap(([, i]) => [mark.edges[i], mark.edges[i + 1]]));
  },
  columns: (mark, found) => many(found.y, [0, ...mark.heights.flat().filter((h) => h !== null)]),
  dots(mark, found) {
    many(found.x, mark.x);
    many(found.y, mark.y);
  },
  lines(mark, found) {
    if (mark.look === "reference" || mark.look === "far reference") return;
    many(found.x, mark.x.flat());
    many(found.y, mark.y.flat());
  },
  cells(mark, found) {
    many(found.x, mark.x_edges);
    many(found.y, mark.y_edges);
  },
  boxes: (mark, found) =>
    many(found.y, mark.boxes.flatMap((box) => [box.low, box.high, ...box.outliers])),
  intervals: (mark, found) => many(found.x, mark.ends.flat().filter(Boolean).flat()),
};

/**
 * Lay out the frame of a panel.
 *
 * @param {object} panel of a scene.
 * @param {{x: number, y: number, width: number, height: number}} box what it may take.
 * @param {number} beside pixels that are kept free on the right, for a colour bar.
 * @returns {object} `inner` (the box of the marks), `x(value)`, `y(value)` and `paint(painter, theme)`.
 */
export function frameOf(panel, box, beside = 0) {
  const ends = reach(panel);
  const boxes = panel.marks.find((mark) => mark.mark === "boxes");
  const xNames = panel.x.ticks.length ? panel.x.ticks : boxes ? boxes.boxes.map((b) => b.label) : [];
  const yTicks = ticksOf(panel.y.ticks, ends.y, Math.max(2, Math.floor(box.height / 55)));
  const left = 10 + (panel.y.label ? LETTERS + 8 : 0) + Math.min(widest(yTicks), box.width * 0.4) + 6;
  const width = Math.max(40, box.width - left - beside - 10);
  const xTicks = ticksOf(xNames, ends.x, Math.max(2, Math.floor(width / 48)));
  const slanted = xNames.length > 0 && widest(xTicks) > width / xNames.length - 6;
  if (slanted) xTicks.forEach((tick) => (tick.text = cutTo(tick.text, NAME_LETTERS)));
  const low = (slanted ? widest(xTicks) * 0.72 + 10 : LETTERS + 6) + (panel.x.label ? LETTERS + 12 : 4);
  const inner = { x: box.x + left, y: box.y + 6, width, height: Math.max(40, box.height - low - 8) };
  const x = (value) => inner.x + ((value - ends.x[0]) / (ends.x[1] - ends.x[0])) * inner.width;
  const y = (value) => inner.y + inner.height - ((value - ends.y[0]) / (ends.y[1] - ends.y[0])) * inner.height;
  const paint = (painter, theme) => paintFrame(painter, theme, { panel, box, inner, x, y, xTicks, yTicks, slanted });
  return { inner, x, y, ends, paint };
}

function ticksOf(names, ends, most) {
  if (names.length) return names.map((text, at) => ({ at, text: printable(text) }));
  const [low, high] = [...ends].sort((a, b) => a - b);
  return roundNumbers(low, high, Math.min(8, most)).map((at) => ({ at, text: numberText(at) }));
}

function widest(ticks) {
  return Math.max(0, ...ticks.map((tick) => textWidth(tick.text, LETTERS)));
}

/** A text with at most so many letters. */
export function cutTo(text, letters) {
  const all = [...text];
  return all.length > letters ? `${all.slice(0, letters - 1).join("")}…` : text;
}

/** A text no wider than so many pixels. */
export function fitted(text, room, size, weight) {
  let shown = printable(text);
  const all = [...shown];
  for (let keep = all.length - 1; keep > 0 && textWidth(shown, size, weight) > room; keep -= 1) {
    shown = `${all.slice(0, keep).join("").trimEnd()}…`;
  }
  return shown;
}

function paintFrame(painter, theme, of) {
  const { panel, box, inner, x, y, xTicks, yTicks, slanted } = of;
  const [foot, right] = [inner.y + inner.height, inner.x + inner.width];
  const kinds = new Set(panel.marks.map((mark) => mark.mark));
  const grid = { stroke: theme.grid, width: 1 };
  const upOnly = kinds.has("intervals");
  const both = kinds.has("dots") || [...kinds].every((kind) => kind === "lines");
  if (!kinds.has("cells")) {
    if (!upOnly) yTicks.forEach(({ at }) => painter.line([[inner.x, y(at)], [right, y(at)]], grid));
    if (upOnly || both) xTicks.forEach(({ at }) => painter.line([[x(at), inner.y], [x(at), foot]], grid));
  }
  const line = { stroke: theme.line, width: 1 };
  painter.line([[inner.x, inner.y], [inner.x, foot], [right, foot]], line);
  const words = { size: LETTERS, fill: theme.ink };
  for (const { at, text } of xTicks) {
    painter.line([[x(at), foot], [x(at), foot + 4]], line);
    if (slanted) painter.text(x(at) + 4, foot + 9, text, { ...words, align: "right", baseline: "middle", angle: -45 });
    else painter.text(x(at), foot + 7, text, { ...words, align: "center", baseline: "top" });
  }
  for (const { at, text } of yTicks) {
    painter.line([[inner.x - 4, y(at)], [inner.x, y(at)]], line);
    const shown = fitted(text, inner.x - box.x - (panel.y.label ? 26 : 8), LETTERS);
    painter.text(inner.x - 7, y(at), shown, { ...words, align: "right", baseline: "middle" });
  }
  const label = { size: LETTERS + 0.5, fill: theme.ink, align: "center" };
  if (panel.x.label) {
    const shown = fitted(panel.x.label, box.width - 10, LETTERS + 0.5);
    painter.text(inner.x + inner.width / 2, box.y + box.height - 4, shown, label);
  }
  if (panel.y.label) {
    const shown = fitted(panel.y.label, inner.height + 20, LETTERS + 0.5);
    painter.text(box.x + 15, inner.y + inner.height / 2, shown, { ...label, angle: -90 });
  }
}
