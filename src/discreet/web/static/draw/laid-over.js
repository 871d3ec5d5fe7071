/** The data's answer to a question, laid over the picture that the copy gives of it. */

import { sum } from "../rows/counts.js";
import { whole } from "./look.js";
import { path, px } from "./svg.js";

const CAP = 3; // pixels: half of a whisker's end

/**
 * Return a kind of pictures that draws an answer over what it draws, where its look has one.
 * @param {object} kind - Its drawings have `at`, the places of their marks.
 * @param {object} lay - `over(view, cells, at, look)` returns the marks as SVG and, of each mark of
 *   the kind, what the data say of it; `top(view, cells, look)` how high they reach, and
 *   `room(view, cells, look)` what else the kind's look has to know of them. `says` tells in the
 *   key how the marks are read, and `sign` is what stands beside it: outline, point, cell or line.
 */
export function withAnswer(kind, lay) {
  const cellsOf = (look) => look.answer && cellsIn(look.answer, look.levels || []);
  const top = kind.top && ((view, look) => {
    const cells = look.answer && cellsOf(look);
    return Math.max(kind.top(view, look), cells && lay.top ? lay.top(view, cells, look) : 0);
  });
  return {
    ...kind,
    ...(top && { top }),
    draw(view, box, look) {
      if (!look.answer) return kind.draw(view, box, look);
      const cells = cellsOf(look);
      const room = { ...(top && { top: look.top ?? top(view, look) }), ...lay.room?.(view, cells, look) };
      const drawn = kind.draw(view, box, { ...look, ...room });
      const { svg, data } = lay.over(view, cells, drawn.at, look);
      return {
        ...drawn,
        svg: `${drawn.svg}<g class="data">${svg}</g>`,
        marks: drawn.marks.map((mark, i) => ({ ...mark, data: data[i] })),
        keys: [...withCopy(drawn.keys), { name: [look.answer.noise, lay.says].filter(Boolean).join("; "), data: lay.sign || "outline" }],
      };
    },
  };
}

/**
 * Return a kind of tables that has an answer in cells or lines of its own, where its look has one.
 * @param {(view: object, cells: object, look: object) => object} given - What the kind draws of both:
 *   `view`, and what its look has to know more.
 */
export function besideAnswer(kind, given) {
  return {
    ...kind,
    draw(view, box, look) {
      if (!look.answer) return kind.draw(view, box, look);
      const { view: both, data = [], ...more } = given(view, cellsIn(look.answer, []), look);
      const drawn = kind.draw(both, box, { ...look, ...more });
      return {
        ...drawn,
        marks: drawn.marks.map((mark, i) => ({ ...mark, data: data[i] })),
        keys: [...(drawn.keys || []), { name: `${look.answer.noise}; in bold`, data: "line" }],
      };
    },
  };
}

/** Where nothing else has a key, the copy has one beside that of the data. */
const withCopy = (keys = []) => (keys.length ? keys : [{ name: "the copy", colour: "var(--s0)", data: "" }]);

/**
 * Return what an answer says of groups of people.
 * @param {{by: string, word: string}[]} levels - Of the panel that is drawn.
 * @returns {object} `of(group)`, the figures of some pairs of a column and its level, by their
 *   names; `count(group)`, null where it is few, how far noise puts it `off`, 95 of 100 times, and
 *   what it `says`; `sum(parts, all)`; and `words(column)`, its levels or bins in order.
 */
function cellsIn({ table }, levels) {
  const held = new Map();
  const words = new Map();
  for (const { group, figure, value } of table.figures) {
    const key = keyOf(Object.entries(group));
    if (!held.has(key)) held.set(key, {});
    held.get(key)[figure] = value;
    for (const [column, word] of Object.entries(group)) {
      if (!words.has(column)) words.set(column, new Set());
      words.get(column).add(word);
    }
  }
  const panel = levels.map(({ by, word }) => [by, word]);
  const of = (group) => held.get(keyOf([...group, ...panel])) ?? null;
  const count = (group) => of(group)?.count ?? null;
  const off = (group) => (count(group) === null ? 0 : of(group)["high end"] - count(group));
  return {
    of,
    words: (column) => [...(words.get(column) || [])],
    count,
    off,
    // Sums have noise of their own: shares are of what the parts add up to, if all are known.
    sum: (parts, all) => (parts.map(count).includes(null) ? count(all) : sum(parts.map(count))),
    says(group) {
      if (count(group) === null) return of(group) ? "few people" : undefined;
      return `${whole(count(group))} ± ${whole(off(group))} people`;
    },
  };
}

const keyOf = (group) => JSON.stringify([...group].sort());

/** @returns {string} A line that is seen on the copy's marks and beside them. */
export const seen = (d) => path(d, { class: "data-halo" }) + path(d, { class: "data-line" });

/** @returns {string} The path of a whisker along a row. */
export const across = (from, to, y) =>
  `M${px(from)} ${px(y)}H${px(to)}M${px(from)} ${px(y - CAP)}v${2 * CAP}M${px(to)} ${px(y - CAP)}v${2 * CAP}`;

/** @returns {string} The path of a whisker upwards. */
export const upright = (x, from, to) =>
  `M${px(x)} ${px(from)}V${px(to)}M${px(x - CAP)} ${px(from)}h${2 * CAP}M${px(x - CAP)} ${px(to)}h${2 * CAP}`;
