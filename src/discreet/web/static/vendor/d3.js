/** What is used of d3; its files stand here as they were published. */

import "./d3-array.min.js";
import "./d3-color.min.js";
import "./d3-format.min.js";
import "./d3-interpolate.min.js";
import "./d3-time.min.js";
import "./d3-time-format.min.js";
import "./d3-scale.min.js";

export const d3 = globalThis.d3;
