// Small signs that tell series apart: colours, shapes of dots, hatching of bars. A legend draws the
// same signs as the marks.

import { mixed } from "./theme.js";

const SHAPES = ["disc", "square", "triangle", "diamond"];
const HATCHES = ["", "lines", "dots", "crosses"];
const DASHES = [[], [7, 2.7], [2.2, 2.2], [12.6, 2.7, 2.2, 2.7]];
const FAR = [[8, 5.4], [2.7, 2.7], [13.5, 2.7, 2.7, 2.7]];
const HATCH = 5; // pixels from line to line

/**
 * Give the look of the series that is the `order`-th; after the last colour, shapes and hatching
 * change.
 *
 * @param {object} theme colours.
 * @param {number} order of the series, from 0.
 * @returns {{color: string, shape: string, hatch: string}} its look.
 */
export function seriesLook(theme, order) {
  const again = Math.floor(order / theme.series.length) % SHAPES.length;
  const color = theme.series[order % theme.series.length];
  return { color, shape: SHAPES[again], hatch: HATCHES[again] };
}

/**
 * Give the place by which a series has its colour, among all in order and then those drawn.
 *
 * @param {string} name of the series.
 * @param {string[]} drawn those that have marks.
 * @param {string[]} [order] all of the panel, where it names them.
 * @returns {number} its place, from 0.
 */
export function placeOf(name, drawn, order = []) {
  return [...order, ...drawn.filter((it) => !order.includes(it))].indexOf(name);
}

/**
 * Give the shape of the dots of lines and intervals, which tells their series by more than colour.
 *
 * @param {number} order of the series, from 0.
 * @returns {string} the shape.
 */
export function shapeOf(order) {
  return SHAPES[order % SHAPES.length];
}

/**
 * Give the look of lines that are no levels: of one look, each label has dashes of its own.
 *
 * @param {object} mark "lines".
 * @param {object} panel that holds it.
 * @param {object} theme colours.
 * @returns {{stroke: string, width: number, dash: number[], shape?: string}} its look.
 */
export function lineLook(mark, panel, theme) {
  const alike = panel.marks.filter((m) => m.mark === "lines" && m.look === mark.look);
  const known = ["series", "curve"].includes(mark.look) ? panel.order : [];
  const order = placeOf(mark.label, [...new Set(alike.map((m) => m.label))], known);
  const dashes = mark.look === "far reference" ? FAR : DASHES;
  const dash = dashes[order % dashes.length];
  if (mark.look === "series") {
    return { stroke: seriesLook(theme, order).color, width: 2, dash, shape: shapeOf(order) };
  }
  if (mark.look === "curve") return { stroke: seriesLook(theme, order).color, width: 2, dash };
  if (mark.look === "raw") return { stroke: theme.raw, width: 4.8, dash };
  if (mark.look === "trend") {
    const dots = panel.marks.filter((m) => m.mark === "dots" && m.series);
    const of = mark.group ? [...new Set(dots.map((m) => m.series))].indexOf(mark.group) : -1;
    if (of < 0) return { stroke: theme.trend, width: 2, dash };
    return { stroke: seriesLook(theme, of).color, width: 3, dash, around: theme.paper };
  }
  return { stroke: theme.reference, width: 1.2, dash };
}

/**
 * Give the colour of each level of contours, the higher the stronger.
 *
 * @param {object} mark "lines" of look "level".
 * @param {object} theme colours.
 * @returns {Map<number, string>} a colour for each level, the lowest first.
 */
export function levelColors(mark, theme) {
  const scale = [...new Set([...(mark.scale ?? []), ...mark.levels])].sort((a, b) => a - b);
  const ramp = theme.ramp.slice(1); // the faintest of cells would hardly be seen as a line
  const last = scale.length - 1;
  const colors = scale.map((level, i) => [level, mixed(ramp, last ? i / last : 1)]);
  return new Map(colors.filter(([level]) => mark.levels.includes(level)));
}

/**
 * Paint a dot of some shape.
 *
 * @param {object} painter with the verbs of paint.js.
 * @param {string} shape "disc", "square", "triangle" or "diamond".
 * @param {number} x its middle.
 * @param {number} y its middle.
 * @param {number} radius of a disc of its size.
 * @param {object} look as of paint.js.
 */
export function dot(painter, shape, x, y, radius, look) {
  const r = radius;
  if (shape === "square") painter.rect(x - r, y - r, 2 * r, 2 * r, look);
  else if (shape === "triangle") painter.area([[x - r, y + r], [x, y - r], [x + r, y + r]], look);
  else if (shape === "diamond") {
    const d = r * Math.SQRT2;
    painter.area([[x, y - d], [x + d, y], [x, y + d], [x - d, y]], look);
  } else painter.disc(x, y, r, look);
}

/**
 * Paint a box that is hatched, or is not.
 *
 * @param {object} painter with the verbs of paint.js.
 * @param {{x: number, y: number, width: number, height: number}} box where.
 * @param {object} look of the box itself.
 * @param {string} hatching "", "lines", "dots" or "crosses".
 * @param {object} ink look of the hatching.
 */
export function patch(painter, { x, y, width, height }, look, hatching = "", ink = {}) {
  if (!hatching || !(width > 0 && height > 0)) {
    painter.rect(x, y, width, height, look);
    return;
  }
  painter.rect(x, y, width, height, { ...look, stroke: null });
  painter.clipped(x, y, width, height, () => {
    if (hatching === "dots") hatchDots(painter, x, y, width, height, ink);
    else hatchLines(painter, x, y, width, height, ink, hatching === "crosses");
  });
  if (look.stroke) painter.rect(x, y, width, height, { ...look, fill: null });
}

/**
 * Paint the sign of a bar that is hidden.
 *
 * @param {object} painter with the verbs of paint.js.
 * @param {{x: number, y: number, width: number, height: number}} box where.
 * @param {object} theme colours.
 */
export function hiddenSign(painter, box, theme) {
  const ink = { stroke: theme.hiddenEdge, width: 0.8 };
  patch(painter, box, { fill: theme.paper, ...ink }, "lines", ink);
}

function hatchLines(painter, x, y, width, height, ink, crossed) {
  for (let at = -height; at < width; at += HATCH) {
    painter.line([[x + at, y + height], [x + at + height, y]], ink);
    if (crossed) painter.line([[x + at, y], [x + at + height, y + height]], ink);
  }
}

function hatchDots(painter, x, y, width, height, ink) {
  for (let i = HATCH / 2; i < width; i += HATCH) {
    for (let j = HATCH / 2; j < height; j += HATCH) {
      painter.disc(x + i, y + j, 0.9, { fill: ink.stroke });
    }
  }
}
