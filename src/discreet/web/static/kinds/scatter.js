/**
 * The scatter plot: points of two columns. Of more than 2,000 rows the view holds how many lie in
 * the cells of a grid, as the package's does; up to 20,000 of them are drawn as points none the
 * less, coloured by how many are near, for the eye sees more in points than in cells. Beyond that,
 * and where the rows are not in the browser, cells are drawn.
 */

import { drawScatter, endsOfAll, tallScatter } from "../draw/scatter.js";

export const scatter = {
  name: "scatter",

  title: ({ columns: [a, b], by = [] }, say) =>
    `${say.label(b)} against ${say.label(a)}${by.length ? `, by ${say.label(by[0])}` : ""}`,

  alike: endsOfAll,

  tall: tallScatter,

  draw: drawScatter,
};

/** What counts points in cells is drawn by the same. */
export const scatter_density = scatter;
