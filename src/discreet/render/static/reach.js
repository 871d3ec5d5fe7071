// From where to where a panel reaches, and what of its marks lies within: as render/marks.py,
// render/lines.py and matplotlib's own margins have it. Nothing here draws.

const ROOM = 0.05; // beside marks that end nowhere else, as a part of the axis
const BAR_ROOM = 0.02; // beside the first and the last bar of a histogram
const REFERENCES = ["reference", "far reference"];

/**
 * Say whether a mark is only compared with, and must not widen the axes.
 *
 * @param {object} mark of a panel.
 * @returns {boolean} whether it is.
 */
export function isReference(mark) {
  return mark.mark === "lines" && REFERENCES.includes(mark.look);
}

/**
 * Say from where to where both axes go.
 *
 * @param {object} panel of a scene.
 * @returns {{x: number[], y: number[]}} the values at the left and right, and at the foot and head.
 */
export function reach(panel) {
  const kinds = new Set(panel.marks.map((mark) => mark.mark));
  const found = { x: [Infinity, -Infinity], y: [Infinity, -Infinity] };
  panel.marks.forEach((mark) => REACHES[mark.mark]?.(mark, found, panel));
  const beside = kinds.has("cells") ? 0.5 : 0.6;
  const side = (axis, values, count, room, stand) => {
    if (axis.limits) return widened(axis.limits);
    return count ? [-beside, count - 1 + beside] : roomy(values, room, stand);
  };
  const room = kinds.has("cells") ? 0 : ROOM;
  const stand = kinds.has("bars") || kinds.has("columns");
  return {
    x: side(panel.x, found.x, xNames(panel).length, kinds.has("bars") ? BAR_ROOM : room, false),
    y: side(panel.y, found.y, panel.y.ticks.length, room, stand),
  };
}

/**
 * Name the ticks below a panel; boxes bring their own.
 *
 * @param {object} panel of a scene.
 * @returns {string[]} the i-th stands at i; none where numbers do.
 */
export function xNames(panel) {
  if (panel.x.ticks.length) return panel.x.ticks;
  const boxes = panel.marks.filter((mark) => mark.mark === "boxes").flatMap((mark) => mark.boxes);
  return boxes.map((box) => box.label);
}

/**
 * Say whether a value lies within limits, if there are any.
 *
 * @param {number} value of an axis.
 * @param {number[]|null} limits in either order.
 * @returns {boolean} whether it does.
 */
export function inside(value, limits) {
  return !limits || (Math.min(...limits) <= value && value <= Math.max(...limits));
}

/**
 * Cut a line at the limits of both axes, a little way outside, without bending it.
 *
 * A file keeps every point it is given, so what lies outside the axes is not to be in it.
 *
 * @param {number[][]} points of the line.
 * @param {{x: number[], y: number[]}} ends of both axes.
 * @returns {number[][][]} the pieces that lie within.
 */
export function cut(points, ends) {
  const limits = [roomAbout(ends.x), roomAbout(ends.y)];
  const within = (point) => point.every((value, i) => inside(value, limits[i]));
  if (points.length === 1) return within(points[0]) ? [points] : [];
  const pieces = [];
  points.slice(1).forEach((end, i) => {
    const start = points[i];
    const [first, last] = partWithin(start, end, limits);
    if (first > last) return;
    const goesOn = i > 0 && first === 0 && pieces.at(-1)?.at(-1) === start;
    if (!goesOn) pieces.push([between(start, end, first)]);
    pieces.at(-1).push(between(start, end, last));
  });
  return pieces;
}

/**
 * Let a straight line of two points go on to the limits; other lines stay as they are.
 *
 * @param {number[][]} points of the line.
 * @param {{x: number[], y: number[]}} ends of both axes.
 * @returns {number[][]} its points, a little way outside.
 */
export function through(points, ends) {
  if (points.length !== 2 || String(points[0]) === String(points[1])) return points;
  const [[x, y], [otherX, otherY]] = points;
  const [across, up] = [roomAbout(ends.x), roomAbout(ends.y)];
  if (x === otherX) return up.map((end) => [x, end]);
  const slope = (otherY - y) / (otherX - x);
  const found = across.map((end) => [end, y + slope * (end - x)]);
  return found.every(([, height]) => Number.isFinite(height)) ? found : points;
}

/** The limits of an axis, and a little more. */
function roomAbout(side) {
  const [low, high] = [...side].sort((a, b) => a - b);
  return [low - ROOM * (high - low), high + ROOM * (high - low)];
}

/** From where to where, of 0 to 1, a straight line is within; [1, 0] if nowhere. */
function partWithin(start, end, limits) {
  let [first, last] = [0, 1];
  for (const i of [0, 1]) {
    const way = end[i] - start[i];
    const [low, high] = limits[i];
    if (way === 0) {
      if (start[i] < low || start[i] > high) return [1, 0];
      continue;
    }
    const [enter, leave] = [(low - start[i]) / way, (high - start[i]) / way].sort((a, b) => a - b);
    [first, last] = [Math.max(first, enter), Math.min(last, leave)];
  }
  return [first, last];
}

function between(start, end, share) {
  if (share === 0 || share === 1) return share ? end : start;
  return start.map((value, i) => value + share * (end[i] - value));
}

function widened([low, high]) {
  return low === high ? [low, low + (Math.abs(low) || 1)] : [low, high];
}

/** The ends of values with room on both sides; what stands on 0 has no room below. */
function roomy(values, share, stand) {
  if (values[0] > values[1]) return [0, 1];
  const [low, high] = values[0] === values[1] ? [values[0] - 0.5, values[1] + 0.5] : values;
  const room = share * (high - low);
  return [stand && low === 0 ? 0 : low - room, stand && high === 0 ? 0 : high + room];
}

// Not Math.min(...values): a picture may have more values than a call may have arguments.
function take(ends, values) {
  for (const value of values) {
    if (!Number.isFinite(value)) continue;
    if (value < ends[0]) ends[0] = value;
    if (value > ends[1]) ends[1] = value;
  }
}

const known = (values) => values.filter((value) => value !== null);
const REACHES = {
  bars(mark, found) {
    const shown = [...mark.heights.keys()].filter((i) => mark.heights[i] !== null);
    take(found.x, shown.flatMap((i) => [mark.edges[i], mark.edges[i + 1]]));
    if (shown.length) take(found.y, [0, ...known(mark.heights)]);
  },
  columns: (mark, found) => {
    const shown = known(mark.heights.flat());
    take(found.y, shown.some(Boolean) ? [0, ...shown] : [0, 1]);
  },
  dots(mark, found, panel) {
    const shown = (i) => inside(mark.x[i], panel.x.limits) && inside(mark.y[i], panel.y.limits);
    const kept = [...mark.x.keys()].filter(shown);
    take(found.x, kept.map((i) => mark.x[i]));
    take(found.y, kept.map((i) => mark.y[i]));
  },
  lines(mark, found, panel) {
    if (isReference(mark)) return;
    const ends = { x: panel.x.limits ?? [-1e300, 1e300], y: panel.y.limits ?? [-1e300, 1e300] };
    mark.x.forEach((xs, i) => {
      const kept = cut(xs.map((x, j) => [x, mark.y[i][j]]), ends).flat();
      take(found.x, kept.map(([x]) => x));
      take(found.y, kept.map(([, y]) => y));
    });
  },
  bands(mark, found) {
    take(found.x, mark.x.flat());
    take(found.y, [...mark.low.flat(), ...mark.high.flat()]);
  },
  cells(mark, found) {
    take(found.x, mark.x_edges);
    take(found.y, mark.y_edges);
  },
  boxes(mark, found) {
    const values = (box) => [box.low, box.high, ...box.outliers, ...known([box.mean])];
    take(found.y, mark.boxes.flatMap(values));
  },
  violins: (mark, found) => take(found.y, mark.violins.flatMap(({ values }) => values)),
  intervals: (mark, found) => take(found.x, mark.ends.flat().filter(Boolean).flat()),
};
