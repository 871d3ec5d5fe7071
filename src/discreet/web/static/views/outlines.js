/** Histograms of the levels of a column as outlines on one pair of axes. */

import { level } from "../draw/colour.js";
import { sum } from "../rows/counts.js";
import { placesAmong } from "../rows/levels.js";
import { panelsOfRows } from "./panels.js";
import { histogram } from "./histogram.js";

const MOST = 6;
const ofLevels = panelsOfRows(histogram);

export const outlines = {
  make(part, spec, facts) {
    const all = ofLevels.make(part, { ...spec, overlay: false }, facts);
    const held = all.views.map((view) => sum(view.counts));
    const largest = [...held.keys()].sort((a, b) => held[b] - held[a]).slice(0, MOST);
    const kept = [...held.keys()].filter((i) => largest.includes(i));
    const others = all.levels.filter((_, i) => !largest.includes(i));
    return {
      ...all,
      levels: kept.map((i) => all.levels[i]),
      views: kept.map((i) => all.views[i]),
      overlaid: true,
      ...(others.length && { others }),
      shown: sum(kept.map((i) => held[i])),
    };
  },

  marks(part, spec, view) {
    const { of, size } = histogram.marks(part, spec, view.views[0]);
    const places = placesAmong(part.level(spec.by[0]), view.levels);
    for (let i = 0; i < of.length; i += 1) if (places[i] < 0) of[i] = -1;
    return { of, size };
  },
};
