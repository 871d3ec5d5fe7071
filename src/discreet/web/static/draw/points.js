/** Pictures of points: where they lie in panels, and how they are painted. */

import { many, rampOf } from "./colour.js";
import { colourOf, inOrderOf, nearby, sheetOf } from "./dots.js";
import { circle } from "./svg.js";

/** Of more points than these, colours say how many lie near. */
const DENSE = 400;
/** And more than these hide each other. */
const MISTY = 20000;
const ALPHA = { near: 0.9, level: 0.62, hot: 0.8 };
const LEVELS = ["s0", "s1", "s2", "s3", "s4"];

/** @param {number} count - Of points. @returns {number} How large each is. */
const radiusOf = (count) => (count > 3000 ? 1.3 : count > 800 ? 1.8 : 2.3);

/**
 * Return what paints the points of some panels, and the key of their colours.
 * @param {{x: ArrayLike<number>, y: ArrayLike<number>, size?: ArrayLike<number>, level?:
 *   ArrayLike<number>}[]} panels - The points of each, and of which level they are.
 * @returns {{ramp: object | null, vector: ?function, paint: (context, box, lit, colours) => void}}
 *   `lit` are the points of each panel that are highlighted, or null; `vector(colours)` is SVG.
 */
export function pointsIn(panels, scales, look) {
  const total = panels.reduce((sum, it) => sum + it.x.length, 0);
  // Panels that are alike have points alike.
  const radius = radiusOf(look.alike ? Math.max(total, 3001) : total);
  const levels = panels.some((it) => it.level);
  const dense = !levels && total > DENSE;
  const colours = rampOf((share) => many(0.12 + 0.88 * share, look.dark));
  const misty = total > MISTY;
  const sets = panels.map((it, k) => placed(it, scales[k], misty));
  if (dense) coloured(sets, panels, scales, colours.length, misty);
  // All points, and all of them pale: drawn once, for the pointer lights others at each move.
  const sheets = {};
  const alpha = dense ? ALPHA.near : ALPHA.level;
  const base = (found) => (levels ? LEVELS.map((it) => found[it]) : dense ? colours : [found.s0]);
  return {
    ramp: dense ? { says: `${look.counted} near a point`, from: "few", to: "many", colours } : null,
    /** As marks of SVG; nothing of so many that an image is smaller. */
    vector: misty ? null : (found) => {
      const inks = base(found);
      const each = ({ x, y, of }) => Array.from(x, (at, i) => circle(at, y[i], radius, { fill: inks[of ? of[i] : 0] }));
      return `<g fill-opacity="${alpha}">${sets.flatMap(each).join("")}</g>`;
    },
    paint(context, box, lit, found) {
      const scale = context.getTransform().a;
      const lay = (sheet) => sheet && context.drawImage(sheet, 0, 0, sheet.width / scale, sheet.height / scale);
      const inks = lit ? [found.line2] : base(found);
      const key = [scale, box.width, box.height, ...inks].join();
      if (sheets[Boolean(lit)]?.key !== key) {
        const drawn = sets.map((it) => ({ ...it, of: lit ? undefined : it.of, colours: inks, radius, alpha }));
        sheets[Boolean(lit)] = { key, sheet: sheetOf(box, scale, drawn, misty) };
      }
      lay(sheets[Boolean(lit)].sheet);
      const hot = (lit?.points || []).map((it, k) => ({
        ...placed(it, scales[k], misty), colours: [found.hot], radius: radius + 0.3, alpha: ALPHA.hot,
      }));
      if (hot.length) lay(sheetOf(box, scale, hot, misty));
    },
  };
}

/** Points in pixels; those of several rows are laid over themselves, and so darker. */
function placed({ x, y, size, level }, scale, once = false) {
  const times = (i) => (once || !size ? 1 : Math.min(4, size[i]));
  let count = 0;
  for (let i = 0; i < x.length; i += 1) count += times(i);
  const set = { x: new Float32Array(count), y: new Float32Array(count), of: undefined };
  if (level) set.of = new Uint8Array(count);
  const [acrossOf, upOf] = [straight(scale.x), straight(scale.y)];
  for (let i = 0, at = 0; i < x.length; i += 1) {
    for (let again = times(i); again > 0; again -= 1, at += 1) {
      set.x[at] = acrossOf.from + acrossOf.each * x[i];
      set.y[at] = upOf.from + upOf.each * y[i];
      if (level) set.of[at] = level[i] % LEVELS.length;
    }
  }
  return set;
}

/** A scale as the line that it is, which is quicker for many. */
function straight(scale) {
  const [low, high] = scale.domain();
  const [from, to] = scale.range();
  const each = (to - from) / (high - low);
  return { from: from - low * each, each };
}

/** Colour the points of each panel by their neighbours, which means the same in all. */
function coloured(sets, panels, scales, steps, misty) {
  const near = panels.map((it, k) => nearby(it, scales[k].x.domain(), scales[k].y.domain()));
  const top = near.reduce((most, it) => it.reduce((a, b) => Math.max(a, b), most), 0);
  sets.forEach((set, k) => {
    const of = colourOf(near[k], top, steps);
    if (misty) {
      set.of = of;
      return;
    }
    const order = inOrderOf(of, steps);
    const { x, y } = placed(panels[k], scales[k], true);
    set.x = Float32Array.from(order, (i) => x[i]);
    set.y = Float32Array.from(order, (i) => y[i]);
    set.of = Uint8Array.from(order, (i) => of[i]);
  });
}
