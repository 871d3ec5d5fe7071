/** Which share of the rows lies at or below each value, of all rows or of each level. */

import { bottom, left, plotBox, scaleOf } from "../draw/axes.js";
import { keysOf, namesBeside, placeIn, stepPath, strokeOf } from "../draw/lines.js";
import { percent } from "../draw/look.js";
import { alikeOf, drawStrips, endsOf, marksOfIntervals } from "../draw/strips.js";
import { path } from "../draw/svg.js";
import { ofEdges } from "../draw/zones.js";
import { d3 } from "../vendor/d3.js";

export const ecdf = {
  name: "ecdf",

  title: ({ columns: [name], by }, say) =>
    `Share at or below each ${say.label(name)}${by ? ` by ${say.label(by[0])}` : ""}`,

  alike: alikeOf,

  draw(view, box, look) {
    const [name] = view.columns;
    const strips = view.strips || { edges: [], counts: [] };
    const inner = plotBox(box, look);
    const ends = look.alike?.ends || endsOf(view);
    const labels = look.alike?.labels || view.curves.map((it) => it.label);
    const placeOf = placeIn(view.by, labels, look);
    const x = scaleOf(name, ends, [inner.left, inner.right], look);
    const y = d3.scaleLinear([0, 1], [inner.bottom, inner.top]);
    const stepped = (it) => stepPath(stepsIn(it, ends), x, y);
    const said = look.mini ? "" : "share at or below";
    // Halfway up lines lie the furthest apart; the name of each has a height of its own.
    const halfway = view.curves.map((it, i) => {
      const share = 0.25 + (0.5 * (i + 1)) / (view.curves.length + 1);
      return { name: it.label, x: x(it.x[Math.max(0, d3.bisectLeft(it.y, share))] ?? ends[1]), y: y(share) };
    });
    return {
      svg: left(y, inner, said, look, (share) => `${Math.round(share * 100)} %`) +
        `<g class="base">${view.curves.map((it) => path(stepped(it), strokeOf(placeOf(it.label)))).join("")}</g>` +
        bottom(x, inner, name, look) + namesBeside(halfway, inner, look) + drawStrips(strips, x, inner),
      marks: marksOfIntervals(strips, name, look, (to) => saidUpTo(view, to, look)),
      zones: [{ ...inner, x: ofEdges(name, strips.edges, x) }],
      keys: keysOf(view.by, labels, look),
      overlay: ({ view: lit }) => (lit ? path(stepped(lit), { class: "hotl" }) : ""),
    };
  },
};

/** A curve is 0 before its first value and 1 after its last. */
const stepsIn = ({ x, y }, [low, high]) => ({ times: [low, ...x], heights: [0, ...y], end: high });

function saidUpTo({ columns: [name], curves }, to, look) {
  const shares = curves.map(({ label, x, y }) => {
    const at = d3.bisectRight(x, to) - 1;
    return [label, percent(at < 0 ? 0 : y[at])].filter(Boolean).join(" ");
  });
  return `up to ${look.say(name, to)}: ${shares.join(" · ")}`;
}
