/** Pictures of points: where they lie in panels, and how they are painted. */

import { rampOf } from "./scale-key.js";
import { many } from "./colour.js";
import { byNeighbours, nearby, paintDots } from "./dots.js";

/** Of more points than these, colours say how many lie near. */
const DENSE = 400;
const ALPHA = { near: 0.9, level: 0.62, hot: 0.8 };
const LEVELS = ["s0", "s1", "s2", "s3", "s4"];

/** @param {number} count - Of points. @returns {number} How large each is. */
const radiusOf = (count) => (count > 20000 ? 1 : count > 3000 ? 1.3 : count > 800 ? 1.8 : 2.3);

/**
 * Return what paints the points of some panels, and the key of their colours.
 *
 * @param {{x: ArrayLike<number>, y: ArrayLike<number>, size?: ArrayLike<number>,
 *   level?: ArrayLike<number>}[]} panels - The points of each, and of which level they are.
 * @param {{x: function, y: function}[]} scales - Of each panel.
 * @param {object} look - As `lookOf` returns it.
 * @returns {{ramp: object | null, paint: (context, box, lit, colours) => void}} `lit` are the
 *   points of each panel that are highlighted, or null.
 */
export function pointsIn(panels, scales, look) {
  const total = panels.reduce((sum, it) => sum + it.x.length, 0);
  // Panels that are alike have points alike.
  const radius = radiusOf(look.alike ? Math.max(total, 3001) : total);
  const levels = panels.some((it) => it.level);
  const dense = !levels && total > DENSE;
  const colours = rampOf((share) => many(0.12 + 0.88 * share, look.dark));
  const sets = panels.map((it, k) => placed(it, scales[k]));
  if (dense) coloured(sets, panels, scales, colours.length);
  const base = (found) => (levels ? LEVELS.map((it) => found[it]) : dense ? colours : [found.s0]);
  return {
    ramp: dense ? { says: `${look.counted} near a point`, from: "few", to: "many", colours } : null,
    paint(context, box, lit, found) {
      const inks = lit ? [found.line2] : base(found);
      const alpha = dense ? ALPHA.near : ALPHA.level;
      const drawn = sets.map((it) => ({ ...it, of: lit ? undefined : it.of, colours: inks, radius, alpha }));
      const hot = (lit?.points || []).map((it, k) => ({
        ...placed(it, scales[k]), colours: [found.hot], radius: radius + 0.3, alpha: ALPHA.hot,
      }));
      paintDots(context, box, [...drawn, ...hot]);
    },
  };
}

/** Points in pixels; those of several rows are laid over themselves, and so darker. */
function placed({ x, y, size, level }, scale) {
  const times = (i) => Math.min(4, size ? size[i] : 1);
  let count = 0;
  for (let i = 0; i < x.length; i += 1) count += times(i);
  const set = { x: new Float32Array(count), y: new Float32Array(count), of: undefined };
  if (level) set.of = new Uint8Array(count);
  for (let i = 0, at = 0; i < x.length; i += 1) {
    for (let again = times(i); again > 0; again -= 1, at += 1) {
      set.x[at] = scale.x(x[i]);
      set.y[at] = scale.y(y[i]);
      if (level) set.of[at] = level[i] % LEVELS.length;
    }
  }
  return set;
}

/** Order the points of each panel by their neighbours, in colours that mean the same in all. */
function coloured(sets, panels, scales, steps) {
  const share = (values, of) => {
    const [from, to] = of.domain();
    return Float64Array.from(values, (it) => (it - from) / (to - from));
  };
  const near = panels.map(({ x, y, size }, k) =>
    nearby({ x: share(x, scales[k].x), y: share(y, scales[k].y), size }),
  );
  const top = near.reduce((most, it) => it.reduce((a, b) => Math.max(a, b), most), 0);
  sets.forEach((set, k) => {
    const { order, of } = byNeighbours(near[k], top, steps);
    const { x, y } = placed({ ...panels[k], size: undefined }, scales[k]);
    set.x = Float32Array.from(order, (i) => x[i]);
    set.y = Float32Array.from(order, (i) => y[i]);
    set.of = of;
  });
}
