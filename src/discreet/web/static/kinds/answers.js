/** How the data's answer is drawn over each kind of picture: as outlines, with its noise. */

import { across, seen } from "../draw/laid-over.js";
import { px } from "../draw/svg.js";
import { sum } from "../rows/counts.js";

/** Bars, and parts of bars, as outlines whose ends have whiskers. */
export const ofBars = {
  top: (view, cells) => Math.max(0, ...view.levels.map((_, i) => reach(view, cells, i))),

  room: (view, cells) => ({ ends: view.levels.map((_, i) => reach(view, cells, i)) }),

  over(view, cells, at) {
    const groups = view.levels.map((_, i) => partsOf(view, i));
    const drawn = at.shown.map((i) => {
      const counts = groups[i].map((it) => cells.count(it));
      const total = sum(counts.map((it) => it || 0));
      const x = (value) => at.left + at.x(at.isWhole ? value / (total || 1) : value);
      const [top, low] = [at.middle(i) - at.high / 2 - 2, at.middle(i) + at.high / 2 + 2];
      let from = 0;
      return counts.map((count, j) => {
        if (!count) return "";
        const [start, end] = [x(from), x(from + count)];
        const off = cells.off(groups[i][j]);
        const y = top + ((low - top) * (j + 1)) / (counts.length + 1);
        from += count;
        const whisker = across(Math.max(at.left, x(from - off)), x(from + off), y);
        // Shares end at the whole, whatever the noise.
        return seen(`M${px(start)} ${px(top)}H${px(end)}V${px(low)}H${px(start)}Z`) +
          (at.isWhole && j === counts.length - 1 ? "" : seen(whisker));
      }).join("");
    });
    return { svg: drawn.join(""), data: groups.flat().map((it) => cells.says(it)) };
  },
};

/** The groups of people that a bar's parts are. */
function partsOf({ columns: [column], levels, by, by_levels: others }, i) {
  const own = [column, levels[i]];
  return by === null ? [[own]] : others.map((word) => [own, [by, word]]);
}

/** How far a bar of the data reaches, with the noise of its last part. */
function reach(view, cells, i) {
  const groups = partsOf(view, i);
  return sum(groups.map((it) => cells.count(it) || 0)) + Math.max(...groups.map((it) => cells.off(it)));
}
