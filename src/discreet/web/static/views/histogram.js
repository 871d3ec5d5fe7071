/** The histogram: bars on the intervals of one column. */

import { BINS, binsOf, ownBins, placesOn } from "../rows/ends.js";
import { complete } from "../rows/part.js";

export const histogram = {
  grid: (part, spec, facts) => binned(part, spec, facts).bins,

  make(part, spec, facts, grid) {
    const { rows, values, bins } = binned(part, spec, facts, grid);
    const counts = new Array(bins.bins).fill(0);
    for (const row of rows) counts[bins.placeOf(values[row])] += 1;
    const density = counts.map((count, i) => {
      const wide = bins.edges[i + 1] - bins.edges[i];
      return Number((count / (rows.length * wide)).toPrecision(6));
    });
    return { kind: "histogram", columns: spec.columns, edges: bins.edges, counts, density, shown: rows.length };
  },

  marks(part, { columns: [name] }, { edges }) {
    const values = part.number(name);
    const placeOf = placesOn(edges);
    const of = new Int32Array(part.size);
    for (let i = 0; i < of.length; i += 1) of[i] = Number.isFinite(values[i]) ? placeOf(values[i]) : -1;
    return { of, size: edges.length - 1 };
  },
};

function binned(part, { columns: [name], bins, edges }, facts, grid) {
  const rows = complete(part, [name]);
  const values = part.number(name);
  if (grid) return { rows, values, bins: grid };
  const kept = Float64Array.from(rows, (row) => values[row]);
  return { rows, values, bins: ownBins(edges, name) || binsOf(name, kept, bins || facts.bins || BINS, facts.axes?.[name]) };
}
