/** The kinds of pictures, by their names: as those of the package, and in order of use. */

import { bars } from "./bars.js";
import { box } from "./box.js";
import { histogram } from "./histogram.js";
import { parallel } from "./parallel.js";
import { survival } from "./survival.js";

const ALL = [
  histogram,
  bars,
  box,
  parallel,
  survival,
];

export const KINDS = new Map(ALL.map((kind) => [kind.name, kind]));
