/** Densities: the distribution of a column as a smooth curve, of all rows or of each level. */

import { bottom, left, plotBox, scaleOf } from "../draw/axes.js";
import { level } from "../draw/colour.js";
import { HOT, keysOf, namesBeside, placeIn, strokeOf } from "../draw/lines.js";
import { alikeOf, drawStrips, endsOf, marksOfIntervals } from "../draw/strips.js";
import { path, px } from "../draw/svg.js";
import { ofEdges } from "../draw/zones.js";
import { d3 } from "../vendor/d3.js";

const HEADROOM = 1.05;
const FILLS = [0, 0.16, 0.1, 0.08, 0.06]; // by how many curves there are

export const density = {
  name: "density",

  title: ({ columns: [name], by }, say) =>
    `How ${say.label(name)} is distributed${by ? ` by ${say.label(by[0])}` : ""}`,

  top: (view) => HEADROOM * Math.max(...view.curves.flatMap((it) => it.y)),

  alike: alikeOf,

  draw(view, box, look) {
    const [name] = view.columns;
    const strips = view.strips || { edges: [], counts: [] };
    const inner = plotBox(box, look, look.mini ? {} : { left: 52 });
    const x = scaleOf(name, look.alike?.ends || endsOf(view), [inner.left, inner.right], look);
    const y = d3.scaleLinear([0, look.top ?? density.top(view)], [inner.bottom, inner.top]);
    const labels = look.alike?.labels || view.curves.map((it) => it.label);
    const placeOf = placeIn(view.by, labels, look);
    const curve = (it) => {
      const i = placeOf(it.label);
      const d = shapeOf(it, x, y, inner);
      const filled = { ...strokeOf(i), fill: level(i), "fill-opacity": FILLS[view.curves.length] ?? 0 };
      return path(d, filled);
    };
    const said = look.isDate(name) ? "density, per day" : "density";
    const peaks = view.curves.map((it) => {
      const at = d3.maxIndex(it.y);
      return { name: it.label, x: x(it.x[at]), y: y(it.y[at]) };
    });
    return {
      svg: `${left(y, inner, said, look)}<g class="base">${view.curves.map(curve).join("")}</g>` +
        bottom(x, inner, name, look) + namesBeside(peaks, inner, look) + drawStrips(strips, x, inner),
      marks: marksOfIntervals(strips, name, look),
      zones: [{ ...inner, x: ofEdges(name, strips.edges, x) }],
      keys: keysOf(view.by, labels, look),
      overlay: ({ view: lit }) => (lit ? path(shapeOf(lit, x, y, inner), HOT) : ""),
    };
  },
};

/** A curve falls to 0 where the values of its rows end. */
function shapeOf({ x: across, y: up }, x, y, { top, bottom: base }) {
  const points = across.map((at, i) => `${px(x(at))} ${px(Math.max(top, y(up[i])))}`);
  return `M${px(x(across[0]))} ${px(base)}L${points.join("L")}L${px(x(across.at(-1)))} ${px(base)}`;
}
