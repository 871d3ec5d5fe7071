/** Intervals of a column, drawn where they are pointed at. */

import { extent } from "../rows/ends.js";
import { labelsOf } from "./lines.js";
import { rect } from "./svg.js";

/** Where curves over intervals begin and end. */
export const endsOf = ({ curves, strips }) =>
  extent([...(strips?.edges || []), ...curves.flatMap((it) => extent(it.x))]);

/** What panels of curves have in common. */
export const alikeOf = (views, look) => ({
  ends: extent(views.flatMap(endsOf)),
  labels: labelsOf(views.flatMap((it) => it.curves), look.orderOf(views[0].by)),
});

/** Draw intervals from the top to the bottom of a picture. */
export const drawStrips = ({ edges }, x, { top, bottom }) =>
  edges
    .slice(1)
    .map((to, i) => rect(x(edges[i]), top, x(to) - x(edges[i]), bottom - top, { class: "strip", "data-m": i }))
    .join("");

/**
 * Say what each interval holds.
 * @param {function} [more] - Says more of the interval up to a value.
 */
export function marksOfIntervals({ edges, counts }, column, look, more) {
  const total = counts.reduce((sum, count) => sum + count, 0);
  const last = counts.length - 1;
  return counts.map((count, i) => ({
    say: look.range(column, edges[i], edges[i + 1]),
    count,
    more: more ? more(edges[i + 1]) : look.share(count, total),
    // The first and the last hold what lies beyond them.
    light: [{ column, ...(i > 0 && { from: edges[i] }), ...(i < last && { to: edges[i + 1] }) }],
  }));
}
