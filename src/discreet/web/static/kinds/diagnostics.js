/** How well a regression fits: its residuals in three pictures. */

import { drawScatter, endsOfAll } from "../draw/scatter.js";

export const residuals = diagnostic("residuals", {
  axes: ["fitted values", "residuals"],
  against: "what is fitted",
  slope: 0,
});

export const qq = diagnostic("qq", {
  axes: ["normal quantiles", "standardised residuals"],
  against: "a normal distribution",
  slope: 1,
});

export const leverage = diagnostic("leverage", {
  axes: ["leverage", "standardised residuals"],
  against: "leverage",
  slope: 0,
});

function diagnostic(name, { axes, against, slope }) {
  return {
    name,

    title: ({ formula = "" }) => `Residuals of ${formula} against ${against}`,

    draw(view, box, look) {
      const points = { ...view, columns: axes };
      const [along] = endsOfAll([points]);
      const line = { x: along, y: along.map((it) => slope * it), look: "line" };
      const curves = (view.curves || []).map((it) => ({ ...it, look: "far" }));
      const named = { isDate: () => false, label: (it) => it, unit: () => "", full: (it) => it };
      const range = (axis, from, to) => `${axis} ${look.say("", from)}–${look.say("", to)}`;
      const drawn = drawScatter({ ...points, lines: [line, ...curves] }, box, { ...look, ...named, range });
      // No rows of the copy stand for a part of these axes.
      return { ...drawn, marks: drawn.marks.map((mark) => ({ ...mark, light: null })) };
    },
  };
}
