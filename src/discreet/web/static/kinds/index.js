/** The kinds of pictures, by their names: as those of the package, and in order of use. */

import { panelsDrawn } from "../draw/panels.js";
import { hasPanels, panelsOfRows } from "../rows/panels.js";
import { bars } from "./bars.js";
import { box } from "./box.js";
import { contour } from "./contour.js";
import { correlations } from "./correlations.js";
import { crosstab } from "./crosstab.js";
import { density } from "./density.js";
import { leverage, qq, residuals } from "./diagnostics.js";
import { ecdf } from "./ecdf.js";
import { heatmap } from "./heatmap.js";
import { histogram } from "./histogram.js";
import { means } from "./means.js";
import { model } from "./model.js";
import { outlines } from "./outlines.js";
import { overTime } from "./over-time.js";
import { parallel } from "./parallel.js";
import { scatter } from "./scatter.js";
import { summary } from "./summary.js";
import { survival } from "./survival.js";
import { violin } from "./violin.js";

const ALL = [
  histogram,
  bars,
  scatter,
  box,
  survival,
  crosstab,
  heatmap,
  correlations,
  parallel,
  violin,
  density,
  ecdf,
  overTime,
  contour,
  summary,
  means,
  model,
  residuals,
  qq,
  leverage,
];

export const KINDS = new Map(ALL.map((kind) => [kind.name, kind]));

/**
 * Return what computes and draws a picture: its kind, or panels of it.
 *
 * @param {object} spec - Of the picture.
 * @returns {object} As any kind.
 */
export function kindFor(spec) {
  const isOverlaid = spec.kind === "histogram" && spec.overlay && spec.by?.length;
  const kind = isOverlaid ? outlines : KINDS.get(spec.kind);
  return kind && hasPanels(spec) ? { ...panelsOfRows(kind), ...panelsDrawn(kind) } : kind;
}
