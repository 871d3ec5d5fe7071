/** Parallel axes: bands of rows that go from one range of an axis to one of the next. */

import { moves } from "../draw/grips.js";
import { drawBands } from "../draw/parallel.js";
import { drawClusters } from "../draw/parallel-clusters.js";
import { tallOf } from "../draw/parallel-place.js";

export const parallel = {
  name: "parallel",

  title: ({ columns, colour }, say) =>
    columns.map(say.label).join(" → ") + (colour ? `, by ${say.label(colour)}` : ""),

  /** How high a picture is that can be read; narrow ones have their axes one below the other. */
  tall: ({ columns }, look, width) => tallOf(columns.length, width),

  moves,

  /** Views of the server are clusters, whose sizes a guarded policy does not say. */
  draw: (view, box, look) => (view.gaps ? drawBands : drawClusters)(view, box, look),
};
