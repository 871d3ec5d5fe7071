/** The kinds of pictures, by their names: as those of the package, and in order of use. */

import { histogram } from "./histogram.js";

export const KINDS = new Map([histogram].map((kind) => [kind.name, kind]));
