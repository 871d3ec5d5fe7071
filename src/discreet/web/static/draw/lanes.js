/** Groups one below the other: a name to the left of each, how many they are to the right. */

import { clip, keptBy, line, rect, text, wide } from "./svg.js";
import { ofLevels } from "./zones.js";

/** How much room the axis below takes, and each group at least. */
export const AXIS = 38;
export const LOWEST = 20;

const HIGHEST = 88;
const ALONE = 176;
const LETTERS = 14; // a line of text

/**
 * Return where groups lie.
 * @param {object} look - `bare` pictures have less beside them.
 * @returns {object} `inner`, as `plotBox` gives it; `zones`, where groups are the levels of `by`; `each`, the `top` of every group and its
 *   `height`; and `words(said, what)`, which draws the names and what is said to the right.
 */
export function lanesOf(box, names, below, look, by) {
  const longest = Math.max(...names.map(wide));
  const left = longest ? Math.min(longest + 14, box.width * 0.4) : 8;
  const right = box.width - (look.bare ? 8 : 48);
  const room = box.height - below - LETTERS;
  const height = Math.min(names.length > 1 ? HIGHEST : ALONE, room / names.length);
  const first = LETTERS + (room - height * names.length) / 2;
  const every = Math.ceil(LETTERS / height); // of very many not each is named
  const named = (i) => i % every === 0;
  return {
    inner: { left, right, top: 4, bottom: box.height - below },
    height,
    each: names.map((_, i) => ({ top: first + height * i })),
    words: (at, said, what) =>
      names
        .map((name, i) => {
          const y = first + height * i + at;
          if (!named(i)) return "";
          const many = look.bare || said[i] === undefined ? "" : text(box.width, y, said[i], "end");
          return text(left - 8, y, clip(name, left - 14), "end", "d", by ? keptBy(look.lightOf(by, name)) : {}) + many;
        })
        .join("") + (what ? text(box.width, 10, what, "end") : ""),
    zones: by ? [{
      left: 0, right: box.width, top: first, bottom: first + height * names.length,
      y: ofLevels(by, names, [...names, ""].map((_, i) => first + height * i), look),
    }] : [],
    hits: () =>
      names
        .map((_, i) => rect(left, first + height * i, right - left, height, { class: "hit", "data-m": i }))
        .join(""),
  };
}

/** @returns {string} Lines upwards from the ticks of an axis. */
export const gridOf = (x, inner) =>
  x.ticks(Math.max(2, Math.round((inner.right - inner.left) / 90)))
    .map((it) => line(x(it), inner.top, x(it), inner.bottom, "gl"))
    .join("");

/** What a group says: its quartiles, and how many rows it has. A group is a level, or a column of its own. */
export function markOf({ by, columns }, label, quartiles, count, look) {
  const column = by ? columns[0] : label;
  const [q1, median, q3] = quartiles.map((it) => look.say(column, it));
  return {
    say: by ? look.level(by, label) : look.label(column),
    count,
    more: `median ${median} · middle half ${q1}–${q3} ${look.unit(column)}`.trim(),
    light: by ? look.lightOf(by, label) : null,
  };
}
