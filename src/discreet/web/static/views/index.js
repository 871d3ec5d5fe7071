/** What makes the view of each kind of picture from rows, by its name, and panels of it. */

import { hasPanels } from "../draw/panels.js";
import { bars } from "./bars.js";
import { box } from "./box.js";
import { contour } from "./contour.js";
import { correlations } from "./correlations.js";
import { crosstab } from "./crosstab.js";
import { density } from "./density.js";
import { ecdf } from "./ecdf.js";
import { heatmap } from "./heatmap.js";
import { histogram } from "./histogram.js";
import { outlines } from "./outlines.js";
import { over_time } from "./over-time.js";
import { panelsOfRows } from "./panels.js";
import { parallel } from "./parallel.js";
import { scatter } from "./scatter.js";
import { survival } from "./survival.js";
import { means, summary } from "./tables.js";
import { violin } from "./violin.js";

/** Models and their residuals have none: a server makes them. */
const MAKERS = {
  bars, box, contour, correlations, crosstab, density, ecdf, heatmap, histogram, means, over_time, parallel,
  scatter, summary, survival, violin,
};

/**
 * Return what makes the view of a picture of rows.
 * @returns {?object} `make`; and `marks` and `lit`, where rows can be lit up in it.
 */
export function makerFor(spec) {
  const isOverlaid = spec.kind === "histogram" && spec.overlay && spec.by?.length;
  const maker = isOverlaid ? outlines : Object.hasOwn(MAKERS, spec.kind) && MAKERS[spec.kind];
  return maker && hasPanels(spec) ? panelsOfRows(maker) : maker || null;
}
