/** What draws each kind of picture, by its name: as those of the package, in order of use. */

import { hasPanels, panelsDrawn } from "../draw/panels.js";
import { besideAnswer, withAnswer } from "../draw/laid-over.js";
import { ofBars, ofBox, ofHeatmap, ofHistogram, ofOutlines, ofSurvival } from "./answers.js";
import { besideCounts, besideMeans, besideModel } from "./answers-beside.js";
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
import { model } from "./model.js";
import { outlines } from "./outlines.js";
import { over_time } from "./over-time.js";
import { parallel } from "./parallel.js";
import { scatter } from "./scatter.js";
import { survival } from "./survival.js";
import { means, summary } from "./tables.js";
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
  over_time,
  contour,
  summary,
  means,
  model,
  residuals,
  qq,
  leverage,
];

/** Kinds over which the data's answer is drawn. */
const ANSWERED = new Map([
  [bars, ofBars],
  [histogram, ofHistogram],
  [outlines, ofOutlines],
  [heatmap, ofHeatmap],
  [survival, ofSurvival],
  [box, ofBox],
]);
/** Kinds of tables that have it in cells or lines of its own. */
const BESIDE = new Map([
  [crosstab, besideCounts],
  [means, besideMeans],
  [model, besideModel],
]);

function answered(kind) {
  if (ANSWERED.has(kind)) return withAnswer(kind, ANSWERED.get(kind));
  return BESIDE.has(kind) ? besideAnswer(kind, BESIDE.get(kind)) : kind;
}

export const KINDS = new Map(ALL.map((kind) => [kind.name, answered(kind)]));

/**
 * Return what draws a picture: its kind, or panels of it.
 * @returns {object} `title`, `draw`, and what else a kind has.
 */
export function kindFor(spec) {
  const isOverlaid = spec.kind === "histogram" && spec.overlay && spec.by?.length;
  const kind = isOverlaid ? answered(outlines) : KINDS.get(spec.kind);
  return kind && hasPanels(spec) ? panelsDrawn(kind) : kind;
}
