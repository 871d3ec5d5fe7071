/** d3 with what shapes are drawn by, which counting rows does not need. */

import "./d3.js";
import "./d3-path.min.js";
import "./d3-shape.min.js";
import "./d3-contour.min.js";

export const d3 = globalThis.d3;
