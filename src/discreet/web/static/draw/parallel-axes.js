/** Parallel axes themselves: their names, ticks and levels. */

import { scaleOf } from "./axes.js";
import { along, BOLD } from "./parallel-place.js";
import { circle, clip, line, rect, text, wide } from "./svg.js";

const CLOSEST = 13;

/** @returns {string} What the stacks of an axis lie on. */
export const railOf = (place, i) => rect(...along(place, i, 0, place.length), { class: "trunk on" });

/**
 * Draw what stands beside an axis: its ticks or levels, and its name, which a grip lies on.
 * @param {object} axis - `name`, and `ends` (of numbers) or `spans` (of levels: words, from, to).
 */
export function drawAxis(place, i, axis, look) {
  const beside = axis.spans ? levels(place, i, axis.spans) : ticks(place, i, axis, look);
  return beside + nameOf(place, i, axis.name, look);
}

function ticks(place, i, { name, ends }, look) {
  const scale = scaleOf(name, ends, [0, place.length], look);
  const apart = place.down && look.isDate(name) ? 120 : 62;
  const count = Math.max(2, Math.round(place.length / apart));
  const say = scale.tickFormat(count);
  let free = -Infinity;
  const drawn = scale.ticks(count).map((value) => {
    const room = place.down ? wide(say(value)) + 10 : CLOSEST;
    if (scale(value) - free < room) return "";
    free = scale(value);
    const [x, y] = place.xy(place.at[i], scale(value));
    if (!place.down) {
      return line(x - 7, y, x - 4, y, "bl") + text(x - 9, y + 4, say(value), "end", "halo on");
    }
    const [anchor, by] = near(x, place);
    return line(x, y + 4, x, y + 7, "bl") + text(x + by, y + 17, say(value), anchor, "halo on");
  });
  const unit = look.unit(name);
  const [x, y] = place.xy(place.at[i], 0);
  const below = unit && !place.down ? text(x, y + 16, clip(unit, place.room - 8), "middle", "on") : "";
  return drawn.join("") + below;
}

/** Words at the ends of an axis that lies do not reach beyond it. */
function near(x, { left, length }) {
  if (x < left + 14) return ["start", -4];
  return x > left + length - 14 ? ["end", 4] : ["middle", 0];
}

function levels(place, i, spans) {
  const last = i === place.at.length - 1;
  let free = -Infinity;
  const drawn = spans.map(({ words, from, to }) => {
    const middle = (from + to) / 2;
    if (!place.down && middle - free < CLOSEST) return "";
    free = middle;
    const [x, y] = place.xy(place.at[i], middle);
    if (place.down) return text(x, y + 17, clip(words, to - from - 10), "middle", "d halo on");
    if (last) return text(x + 9, y + 4, clip(words, place.width - x - 10), "start", "d halo on");
    const room = i ? Math.min(88, place.room - 16) : place.left - 10;
    return text(x - 8, y + 4, clip(words, room), "end", "d halo on");
  });
  return drawn.join("");
}

function nameOf(place, i, name, look) {
  const words = place.down ? look.full(name) : look.label(name);
  const { x, y, width, height } = place.grip(i, words);
  const dots = [0, 1, 2].flatMap((row) =>
    [9, 13.5].map((by) => circle(x + by, y + 7.5 + row * 4.5, 1.2, { class: "dot" })),
  );
  return (
    rect(x, y, width, height, { class: "named", rx: 6 }) + dots.join("") +
    text(x + 21, y + 16, clip(words, (width - 26) / BOLD), "start", "b on")
  );
}

/**
 * Return where the grips of axes lie, and what each moves.
 * @returns {object[]} For `moves` of draw/grips.js.
 */
export const gripsOf = (place, axes, look) =>
  axes.map(({ name }, i) => ({
    ...place.grip(i, place.down ? look.full(name) : look.label(name)),
    down: place.down,
    at: place.at[i],
    long: place.length,
    name,
    words: look.label(name),
    says: `Move the axis ${look.label(name)}, now ${i + 1} of ${axes.length}: arrow keys`,
  }));
