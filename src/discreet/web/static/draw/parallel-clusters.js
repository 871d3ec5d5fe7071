/** Clusters between parallel axes, as the server has them: from which range to which, of enough. */

import { drawAxis, gripsOf, railOf } from "./parallel-axes.js";
import { outline, placed } from "./parallel-place.js";
import { path } from "./svg.js";

const THICKEST = 4;
const THINNEST = 1.2;
const FILLED = 0.8;

/**
 * Draw a view of the server. How many are in a cluster is not said, so each is a band of one
 * thickness between the middles of its ranges; the wider they are, the paler it is.
 *
 * @param {object} view - The JSON of Python's ParallelView.
 * @param {{width: number, height: number}} box - All there is.
 * @param {object} look - As `lookOf` returns it.
 * @returns {object} As `drawBands` does.
 */
export function drawClusters(view, box, look) {
  const { axes, clusters, pixels, parameters } = view;
  const place = placed(axes, box);
  const far = (pixel) => (pixel / pixels) * place.length;
  const ends = clusters.map((boxes) => [stacks(boxes, 0, far), stacks(boxes, 2, far)]);
  const thick = Math.max(THINNEST, Math.min(THICKEST, ...ends.flat().map((it) => it.most)));
  let mark = 0;
  const drawn = clusters.map((boxes, gap) =>
    boxes.map(([a, b, c, d], i) => {
      const [from, to] = ends[gap].map((it) => it.at(i, thick));
      const share = (b - a + d - c) / (2 * pixels);
      return path(outline(place, gap, [from, from + thick], [to, to + thick]), {
        class: "rib",
        fill: "var(--s0)",
        "fill-opacity": (0.15 + 0.65 * (1 - share) ** 3).toFixed(2),
        "data-m": String(mark++),
      });
    }).join(""),
  );
  const shown = axes.map((axis) => shownAs(axis, far));
  const least = `at least ${parameters.k} rows`;
  return {
    svg: `<g class="base">${drawn.join("")}</g>${axes.map((_, i) => railOf(place, i)).join("")}`,
    top: shown.map((axis, i) => drawAxis(place, i, axis, look)).join(""),
    marks: marksOf(view, look, least),
    grips: gripsOf(place, axes, look),
    read: () => `Each band stands for ${least}; pale ones reach over wide ranges. Point at one to see its ranges.`,
  };
}

/** Put the clusters of one range one upon the other, those that go lower below. */
function stacks(boxes, side, far) {
  const order = boxes.map((_, i) => i);
  const over = (i) => boxes[i][2 - side] + boxes[i][3 - side];
  order.sort((i, j) => over(i) - over(j));
  const held = new Map();
  const before = boxes.map(() => 0);
  const nameOf = (it) => `${it[side]} ${it[side + 1]}`;
  for (const i of order) {
    const name = nameOf(boxes[i]);
    before[i] = held.get(name) || 0;
    held.set(name, before[i] + 1);
  }
  const all = (i) => held.get(nameOf(boxes[i]));
  const middle = (i) => far((boxes[i][side] + boxes[i][side + 1]) / 2);
  const room = boxes.map((it, i) => (FILLED * far(it[side + 1] - it[side])) / all(i));
  return {
    most: Math.min(...room),
    at: (i, thick) => middle(i) + (before[i] - all(i) / 2) * thick,
  };
}

const shownAs = ({ name, low, high, levels, bands }, far) =>
  levels.length
    ? { name, spans: levels.map((words, i) => ({ words, from: far(bands[i][0]), to: far(bands[i][1]) })) }
    : { name, ends: [low, high] };

function marksOf({ axes, clusters, sizes, pixels }, look, least) {
  return clusters.flatMap((boxes, gap) =>
    boxes.map(([a, b, c, d], i) => {
      const sides = [held(axes[gap], a, b, pixels), held(axes[gap + 1], c, d, pixels)];
      const light = sides.map((it) => it.light);
      return {
        say: sides.map((it) => it.say(look)).join(" · "),
        ...(sizes ? { count: sizes[gap][i] } : { number: least, more: least }),
        light: light.includes(null) ? null : light,
      };
    }),
  );
}

/** What lies between two pixels of an axis: of several levels there is no one condition. */
function held({ name, low, high, levels, bands }, from, to, pixels) {
  if (levels.length) {
    const words = levels.filter((_, i) => bands[i][0] >= from && bands[i][1] <= to);
    const light = words.length === 1 ? { column: name, level: words[0] } : null;
    return { say: (look) => look.level(name, words.join(" or ")), light };
  }
  const value = (pixel) => low + (pixel / pixels) * (high - low);
  const [least, most] = [value(from), value(to)];
  const light = {
    column: name,
    ...(from > 0 && { from: least }),
    ...(to < pixels && { to: most }),
  };
  return { say: (look) => look.range(name, least, most), light };
}
