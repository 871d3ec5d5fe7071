/** Lines that points are compared with, such as those of Cook's distance. */

import { d3 } from "../vendor/d3-drawn.js";
import { path, text } from "./svg.js";

/**
 * Draw the lines that points are to be compared with, as far as they lie within the picture.
 * @param {object} view - With `lines`, each of places, a label and a look.
 * @param {object} place - Of the picture: its scales, and where it lies within.
 */
export function linesOf({ lines = [] }, { x, y, inner }) {
  const [low, high] = y.domain();
  const named = new Set();
  const drawn = lines.map((it) => {
    const d = d3.line((at) => x(at[0]), (at) => y(at[1])).defined((at) => at[1] >= low && at[1] <= high);
    const far = it.look === "far";
    const curve = path(d(finer(it)), {
      class: "still", fill: "none", stroke: far ? "var(--ink3)" : "var(--ink)",
      "stroke-width": 1.5, "stroke-dasharray": far ? "5 4" : undefined,
    });
    const seen = it.x.map((at, i) => [at, it.y[i]]).filter(([, up]) => up >= low && up <= high);
    if (!it.label || named.has(it.label) || !seen.length) return `<g class="base">${curve}</g>`;
    named.add(it.label);
    const [at, up] = seen.at(-1);
    const right = Math.min(inner.right, x(at));
    return `<g class="base">${curve}</g>${text(right, y(up) + (up > 0 ? -5 : 14), it.label, "end", "halo still")}`;
  });
  const [first] = lines.filter((it) => it.label);
  const beyond = first && !named.size ? text(inner.right, 10, `all below ${first.label}`, "end") : "";
  return drawn.join("") + beyond;
}

/** A line with so many places between that it is seen to end where the picture does. */
const finer = ({ x, y }) =>
  x.flatMap((at, i) =>
    i ? d3.range(1, 21).map((k) => [x[i - 1] + ((at - x[i - 1]) * k) / 20, y[i - 1] + ((y[i] - y[i - 1]) * k) / 20])
      : [[at, y[i]]],
  );
