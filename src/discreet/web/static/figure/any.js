/** Draws any view: for pages that show what others asked for. */

import { KINDS } from "../kinds/index.js";
import { outlines } from "../kinds/outlines.js";
import { scatter_density } from "../kinds/scatter.js";
import { drawFigure } from "./figure.js";

const ALL = { ...Object.fromEntries(KINDS), outlines, scatter_density };

/** Draw a view, or a table, in an element, as `drawFigure` does. */
export const draw = (host, view) => drawFigure(host, view, ALL);
