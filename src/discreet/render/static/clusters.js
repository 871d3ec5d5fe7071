// Clusters in words: for a pointer, for a screen reader, and as tables.

import { printable } from "./paint.js";
import { dateText, numberText } from "./axes.js";

/**
 * Say from where to where a cluster goes on one axis.
 *
 * @param {object} axis of an "uprights" mark.
 * @param {number} low its low end, 0 to 1.
 * @param {number} high its high end, 0 to 1.
 * @returns {[string, string]} both ends in words; the same word twice where it has one place.
 */
export function endsInWords(axis, low, high) {
  if (axis.levels.length) {
    const slack = 1e-9;
    const rising = [...axis.levels].sort((a, b) => a[0] - b[0]);
    const within = rising.filter(([place]) => place >= low - slack && place <= high + slack);
    const nearest = (at) =>
      rising.reduce((a, b) => (Math.abs(b[0] - at) < Math.abs(a[0] - at) ? b : a));
    const found = within.length ? within : [nearest((low + high) / 2)];
    return [printable(found[0][1]), printable(found.at(-1)[1])];
  }
  if (!axis.scale) {
    return axis.ends ? [axis.ends[0], axis.ends[1]] : [numberText(low), numberText(high)];
  }
  const [foot, head] = axis.scale;
  const at = (share) => foot + share * (head - foot);
  if (axis.dates?.length) return [low, high].map((share) => dateText(at(share)));
  if (isWhole(axis)) {
    // it ends between whole numbers, and so do its pixels: those within are meant
    const [first, last] = [Math.ceil(at(low) - 1e-6), Math.floor(at(high) + 1e-6)];
    if (first <= last) return [numberText(first), numberText(last)];
    return [0, 0].map(() => numberText(Math.round((at(low) + at(high)) / 2)));
  }
  return [low, high].map((share) => numberText(rounded(at(share), head - foot)));
}

/**
 * Say in words where a cluster is.
 *
 * @param {object[]} axes of an "uprights" mark.
 * @param {object} mark "trapezoids" or "strands".
 * @param {number} cluster its place in the mark.
 * @returns {string[]} a line for each of both axes.
 */
export function clusterInWords(axes, mark, cluster) {
  return [0, 1].map((side) => {
    const [from, to] = endsInWords(axes[mark.gap + side], ...sideEnds(mark, cluster, side));
    const name = printable(axes[mark.gap + side].label);
    return from === to ? `${name}: ${from}` : `${name}: ${from} to ${to}`;
  });
}

/**
 * Give the clusters of each gap as a table.
 *
 * @param {object} panel that holds an "uprights" mark.
 * @returns {{caption: string, head: string[], rows: string[][]}[]} one for each gap.
 */
export function clusterTables(panel) {
  const { axes } = panel.marks.find((mark) => mark.mark === "uprights");
  return panel.marks.filter(isGap).map((mark) => {
    const names = [0, 1].map((side) => printable(axes[mark.gap + side].label));
    const what = mark.mark === "strands" ? "Records" : "Clusters";
    const none = mark.ends.length ? "" : ": nothing is shown";
    const rows = mark.ends.map((_, cluster) =>
      [0, 1].flatMap((side) => endsInWords(axes[mark.gap + side], ...sideEnds(mark, cluster, side))),
    );
    return {
      caption: `${what} between ${names[0]} and ${names[1]}${none}`,
      head: names.flatMap((name) => [`${name}, from`, `${name}, to`]),
      rows,
    };
  });
}

/** Say whether a mark lies between two axes. */
export function isGap(mark) {
  return mark.mark === "trapezoids" || mark.mark === "strands";
}

function sideEnds(mark, cluster, side) {
  const ends = mark.ends[cluster];
  return ends.length === 2 ? [ends[side], ends[side]] : ends.slice(2 * side, 2 * side + 2);
}

// Numbers are about as fine as the pixels of an axis: a power of ten, at most a 250th of it.
function rounded(value, span) {
  const digits = Math.floor(Math.log10(span / 250));
  const unit = 10 ** Math.abs(digits);
  return digits < 0 ? Math.round(value * unit) / unit : Math.round(value / unit) * unit;
}

function isWhole({ ends, scale }) {
  const words = (ends ?? []).map(Number);
  return (
    words.length === 2 && words.every(Number.isInteger) && !scale.every((end) => Number.isInteger(end))
  );
}
