/** The words at a mark: beside the pointer, and for a screen reader. */

import { fill, h } from "./dom.js";

/**
 * Return what shows and says marks.
 * @param {() => HTMLElement} box - Holds the words beside the pointer.
 * @returns {{tip: function, announce: function}} `tip(mark, x, y)`, which hides them of no mark,
 *   and `announce(mark)`. A mark has `say`, `count`, `more`, and what the `data` say of it.
 */
export const tipsIn = (box, live) => ({
  tip(mark, x, y) {
    const it = box();
    it.hidden = !mark;
    if (!mark) return;
    fill(it, h("b", {}, mark.say), wordsOf(mark).map((line) => h("span", {}, line)));
    const { width, height } = it.getBoundingClientRect();
    it.style.setProperty("left", `${clamp(x + 14, 8, innerWidth - width - 8)}px`);
    it.style.setProperty("top", `${y + 18 + height > innerHeight ? y - height - 12 : y + 18}px`);
  },
  announce(mark) {
    live().textContent = [mark.say, ...wordsOf(mark)].join(", ");
  },
});

const wordsOf = ({ count, counted = "rows", more, data }) =>
  [
    count === null ? "few" : count !== undefined && `${count.toLocaleString("en-GB")} ${counted}`,
    more,
    data && `from the data: ${data}`,
  ].filter(Boolean);

/** @returns {number} A value, moved within two ends. */
export const clamp = (value, low, high) => Math.max(low, Math.min(value, high));
