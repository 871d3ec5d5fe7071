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
 * @returns {object} As `drawBands` does.
 */
export function drawClusters(view, box, look) {
  const { axes, clusters, pixels, parameters } = view;
  const place = placed(axes, box);
  const far = (pixel) => (pixel / pixels) * place.length;
  const ends = clusters.map((boxes) => [stacks(boxes, 0, far), stacks(boxes, 2, far)]);
  const thick = Math.max(THINNEST, Math.min(THICKEST, ...ends.flat().map((it) => it.most)));
  const all = clusters.flatMap((boxes, gap) => boxes.map((_, i) => [gap, i]));
  // Those of a public table are whole ranges, as the papers draw them.
  const isWhole = view.origin?.regime === "research";
  const band = ([gap, i], more) => {
    const [a, b, c, d] = clusters[gap][i].map(far);
    if (isWhole) return path(outline(place, gap, [a, b], [c, d]), more);
    const [from, to] = ends[gap].map((it) => it.at(i, thick));
    return path(outline(place, gap, [from, from + thick], [to, to + thick]), more);
  };
  const drawn = all.map(([gap, i], mark) => {
    const [a, b, c, d] = clusters[gap][i];
    const share = (b - a + d - c) / (2 * pixels);
    const opacity = (isWhole ? 0.05 + 0.45 * (1 - share) ** 6 : 0.15 + 0.65 * (1 - share) ** 3).toFixed(2);
    return band([gap, i], { class: "rib", fill: "var(--s0)", "fill-opacity": opacity, "data-m": String(mark) });
  });
  const shown = axes.map((axis) => shownAs(axis, far));
  const least = parameters.k === undefined ? "" : `at least ${parameters.k} ${look.counted}`;
  return {
    svg: `<g class="base">${drawn.join("")}</g>${axes.map((_, i) => railOf(place, i)).join("")}`,
    top: shown.map((axis, i) => drawAxis(place, i, axis, look)).join(""),
    marks: marksOf(view, look, least),
    joined: (mark) => ({ clusters: joinedTo(all[mark], view) }),
    overlay: (lit) => (lit.clusters || []).map((it) => band(it, { class: "hot" })).join(""),
    grips: gripsOf(place, axes, look),
    ...(least && { read: () => `Each band stands for ${least}; pale ones reach over wide ranges. Point at one to see its ranges.` }),
  };
}

/** A cluster, as its gap and its place there, and those beside it that light up with it. */
function joinedTo([gap, place], { joins }) {
  const before = (joins[gap - 1] || []).filter(([, right]) => right === place).map(([left]) => [gap - 1, left]);
  const after = (joins[gap] || []).filter(([left]) => left === place).map(([, right]) => [gap + 1, right]);
  return [...before, [gap, place], ...after];
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

/** What lies between two pixels of an axis. */
function held({ name, low, high, levels, bands }, from, to, pixels) {
  if (levels.length) {
    const words = levels.filter((_, i) => bands[i][0] >= from && bands[i][1] <= to);
    return { say: (look) => look.level(name, words.join(" or ")), light: words.length ? { column: name, levels: words } : null };
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
