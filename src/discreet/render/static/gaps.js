// Clusters between two uprights: their colours, the layers of their fading edges, what lies in
// front, and which of them is under a pointer. As render/trapezoids.py has it; nothing here knows
// the page.

import { mixed, shaded } from "./theme.js";

const CLUSTER = Object.freeze({
  faintest: 0.2, // how opaque a cluster is in its middle
  strongest: 0.8,
  thick: 2, // where clusters lie one upon the other so deep, they are at their strongest
  wide: 0.75, // of that, what the widest ones have
  lit: 0.88,
  behind: 0.5, // what the others keep where some are lit
  strand: 0.35,
  thinnest: 1, // pixel
  layer: 2.7, // pixels a layer of a fuzzy edge takes
  layers: 24, // at most
  least: 0.05, // how opaque a layer is
  polygons: 2400, // of a gap
  near: 4, // pixels beside a cluster or a strand at which a pointer still finds it
});

/**
 * List the shapes that draw the clusters of a gap, from back to front.
 *
 * @param {object} mark "trapezoids" of a scene.
 * @param {boolean[]|null} lit a word for each cluster, or null.
 * @param {number} height of the axes in pixels.
 * @param {object} theme colours.
 * @returns {{ends: number[], look: object}[]} ends as in the mark, each 0 to 1.
 */
export function clusterShapes(mark, lit, height, theme) {
  const thin = CLUSTER.thinnest / height;
  const most = mark.fuzzy ? layersThatFit(mark.ends, height) : 1;
  const strength = strengthOf(mark.ends);
  const shapes = [];
  for (const number of backToFront(mark.ends, lit)) {
    const ends = mark.ends[number];
    const bright = lit ? lit[number] : null;
    const shown = shrunk(ends, 1, thin);
    const share = widthShare(ends, mark.span);
    let whole = bright ? CLUSTER.lit : strength * (CLUSTER.wide + (1 - CLUSTER.wide) * (1 - share));
    if (bright === false) whole *= CLUSTER.behind;
    const enough = Math.floor(Math.log(1 - whole) / Math.log(1 - CLUSTER.least));
    const count = Math.max(1, Math.min(most, enough, layersWanted(shown, height)));
    const fill = bright === false ? theme.shadow : mixed(theme.shades, share);
    const alpha = 1 - (1 - whole) ** (1 / count);
    const edge = edgeOf(fill, bright, mark.fuzzy, theme);
    if (bright) shapes.push({ ends: shown, look: { fill: theme.ground, ...edge } });
    for (let step = 0; step < count; step += 1) {
      const look = { fill, alpha };
      const layer = count > 1 ? shrunk(shown, layerShare(step / count), thin) : shown;
      shapes.push({ ends: layer, look });
    }
    if (!bright && edge) shapes.push({ ends: shown, look: edge });
  }
  return shapes;
}

/**
 * Paint the clusters, or the strands, of a gap.
 *
 * @param {object} painter with the verbs of paint.js.
 * @param {object} mark "trapezoids" or "strands".
 * @param {{x: number, y: number, width: number, height: number}} box between both axes.
 * @param {object} theme colours.
 * @param {boolean[]|null} [lit] a word for each; by default what the scene says.
 */
export function paintGap(painter, mark, box, theme, lit = mark.lit) {
  const up = (share) => box.y + (1 - share) * box.height;
  const right = box.x + box.width;
  if (mark.mark === "strands") {
    for (const { ends, look } of strandShapes(mark, lit, theme)) {
      painter.line([[box.x, up(ends[0])], [right, up(ends[1])]], look);
    }
    return;
  }
  for (const { ends, look } of clusterShapes(mark, lit, box.height, theme)) {
    const [a, b, c, d] = ends;
    painter.area([[box.x, up(a)], [box.x, up(b)], [right, up(d)], [right, up(c)]], look);
  }
}

/** List the lines that draw strands; those that coincide are one, and darker. */
export function strandShapes(mark, lit, theme) {
  const found = new Map();
  mark.ends.forEach((ends, i) => {
    const bright = lit ? lit[i] : null;
    const places = ends.map(thousandth);
    const key = `${bright} ${places}`;
    const one = found.get(key) ?? { ends: places, bright, times: 0 };
    one.times += 1;
    found.set(key, one);
  });
  const alpha = CLUSTER.strand * (lit ? CLUSTER.behind : 1);
  const shapes = [...found.values()].map(({ ends, bright, times }) => ({
    ends,
    bright,
    look: {
      stroke: bright ? theme.shades[0] : lit ? theme.shadow : theme.accent,
      width: bright ? 1.8 : 0.9,
      alpha: bright ? 0.95 : 1 - (1 - alpha) ** times,
    },
  }));
  return shapes.sort((one, other) => Number(one.bright === true) - Number(other.bright === true));
}

/**
 * Find the cluster at a place of a gap: of those that lie there the one in front; or else one
 * that is very near.
 *
 * @param {object} mark "trapezoids" or "strands".
 * @param {number} across 0 at the left axis, 1 at the right one.
 * @param {number} upward 0 at the foot, 1 at the head.
 * @param {number} height of the axes in pixels.
 * @returns {number} its place in the mark, or -1.
 */
export function clusterAt(mark, across, upward, height) {
  const near = CLUSTER.near / height;
  let [best, away, span] = [-1, near, Infinity];
  mark.ends.forEach((ends, i) => {
    const [low, high] = sectionAt(ends, across);
    const distance = Math.max(low - upward, upward - high, 0);
    const spans = spansOf(ends);
    if (distance < away || (distance === away && distance < near && spans < span)) {
      [best, away, span] = [i, distance, spans];
    }
  });
  return best;
}

/** Number the clusters of a gap from the top to the bottom. */
export function topToBottom(mark) {
  const middles = mark.ends.map((ends) => ends.reduce((sum, end) => sum + end, 0));
  return [...middles.keys()].sort((a, b) => middles[b] - middles[a] || a - b);
}

/**
 * List a cluster and those of both neighbouring gaps that light up with it.
 *
 * @param {object[]} gaps the marks of all gaps, from left to right (undefined where none is).
 * @param {number} gap between the gap-th axis and the next.
 * @param {number} cluster its place in the mark.
 * @returns {[number, number][]} gap and place of each, sorted.
 */
export function litWith(gaps, gap, cluster) {
  const before = (gaps[gap - 1]?.joins ?? []).filter(([, here]) => here === cluster);
  const after = (gaps[gap]?.joins ?? []).filter(([here]) => here === cluster);
  return [
    ...before.map(([there]) => [gap - 1, there]),
    [gap, cluster],
    ...after.map(([, there]) => [gap + 1, there]),
  ];
}

function sectionAt(ends, across) {
  if (ends.length === 2) {
    const at = ends[0] + across * (ends[1] - ends[0]);
    return [at, at];
  }
  const [a, b, c, d] = ends;
  return [a + across * (c - a), b + across * (d - b)];
}

function spansOf(ends) {
  return ends.length === 2 ? 0 : ends[1] - ends[0] + ends[3] - ends[2];
}

function backToFront(ends, lit) {
  const bright = (i) => Number(Boolean(lit && lit[i]));
  const widths = ends.map((each) => Math.round(spansOf(each) * 1e6));
  const first = (one, other) => one.findIndex((value, i) => value !== other[i]);
  return [...ends.keys()].sort((a, b) => {
    if (bright(a) !== bright(b)) return bright(a) - bright(b);
    if (widths[a] !== widths[b]) return widths[b] - widths[a];
    const at = first(ends[a], ends[b]);
    return at < 0 ? 0 : ends[a][at] - ends[b][at];
  });
}

function edgeOf(fill, bright, fuzzy, theme) {
  if (bright) return { stroke: shaded(fill, theme.dark ? 1.25 : 0.5), width: 1.6 };
  if (fuzzy || bright === false) return null;
  return { stroke: shaded(fill, 0.8), width: 0.5, alpha: 0.6 };
}

function layersWanted(ends, height) {
  const span = Math.max(ends[1] - ends[0], ends[3] - ends[2]);
  return Math.max(1, Math.min(CLUSTER.layers, Math.round((span * height) / CLUSTER.layer)));
}

function layersThatFit(found, height) {
  const wanted = found.map((ends) => layersWanted(ends, height));
  const needed = (most) => wanted.reduce((sum, count) => sum + Math.min(count, most), 0);
  let most = CLUSTER.layers;
  while (most > 1 && needed(most) > CLUSTER.polygons) most -= 1;
  return most;
}

// Half a cone, half a raised cosine: no hard edge outside, no sharp ridge inside.
function layerShare(step) {
  return (1 - step + Math.acos(2 * step - 1) / Math.PI) / 2;
}

function shrunk(ends, share, least) {
  return [...around(ends[0], ends[1], share, least), ...around(ends[2], ends[3], share, least)];
}

function around(one, other, share, least) {
  const [low, high] = [one, other].map((end) => thousandth(Math.min(Math.max(end, 0), 1)));
  const half = Math.max(share * (high - low), least) / 2;
  const middle = Math.min(Math.max((low + high) / 2, half), 1 - half);
  return [middle - half, middle + half];
}

function thousandth(value) {
  return Math.round(value * 1000) / 1000;
}

function widthShare(ends, [narrowest, widest]) {
  const spans = Math.min(Math.max(spansOf(ends), narrowest), widest);
  return Math.log(spans / narrowest) / Math.log(widest / narrowest);
}

function strengthOf(found) {
  const depth = found.reduce((sum, ends) => sum + spansOf(ends) / 2, 0);
  const strength = CLUSTER.strongest * Math.sqrt(CLUSTER.thick / Math.max(depth, CLUSTER.thick));
  return Math.min(CLUSTER.strongest, Math.max(CLUSTER.faintest, strength));
}
