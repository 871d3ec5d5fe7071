/** Clusters between parallel axes, as the server has them: from which range to which, of enough. */

import { drawAxis, gripsOf, railOf } from "./parallel-axes.js";
import { outline, placed } from "./parallel-place.js";
import { path } from "./svg.js";

/**
 * Draw a view of the server: its shapes are as wide as the ranges, and their sizes are not said.
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
  const widest = 2 * pixels;
  let mark = 0;
  const drawn = clusters.map((boxes, gap) =>
    boxes.map(([a, b, c, d]) => {
      const share = (b - a + d - c) / widest;
      return path(outline(place, gap, [far(a), far(b)], [far(c), far(d)]), {
        class: "rib",
        fill: "var(--s0)",
        "fill-opacity": (0.12 + 0.4 * (1 - share) ** 3).toFixed(2),
        "data-m": String(mark++),
      });
    }).join(""),
  );
  const shown = axes.map((axis) => shownAs(axis, far));
  const least = `at least ${parameters.k} ${look.counted}`;
  return {
    svg: `<g class="base">${drawn.join("")}</g>${axes.map((_, i) => railOf(place, i)).join("")}`,
    top: shown.map((axis, i) => drawAxis(place, i, axis, look)).join(""),
    marks: marksOf(view, look, least),
    grips: gripsOf(place, axes, look),
    read: () => `Each shape stands for ${least}: it reaches from their range on one axis to that on the next.`,
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
        count: sizes ? sizes[gap][i] : null,
        more: sizes ? "" : least,
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
