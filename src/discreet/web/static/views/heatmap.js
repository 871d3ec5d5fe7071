/** The heat map: how many rows lie in each cell of a grid of two columns. */

import { binsOf, ownBins, placesOn } from "../rows/ends.js";
import { complete } from "../rows/part.js";

const GRID = 30;
const LEAST_GRID = 5;
const ROWS_A_CELL = 5;

/** Return how many cells a side has of so many rows, where nobody says. */
export const usualGrid = (rows, most = GRID) =>
  Math.min(most, Math.max(LEAST_GRID, Math.floor(Math.sqrt(rows / ROWS_A_CELL))));

export const heatmap = {
  /** How many cells a side has hangs on all rows, where nobody says. */
  grid(part, { columns, grid, edges }, facts) {
    const cells = grid || usualGrid(facts.rows ?? part.size, facts.grid);
    const rows = complete(part, columns);
    return columns.map((name) => {
      const values = part.number(name);
      const kept = Float64Array.from(rows, (row) => values[row]);
      return ownBins(edges, name) || binsOf(name, kept, cells, facts.axes?.[name]);
    });
  },

  make(part, spec, facts, grid) {
    const [x, y] = grid || heatmap.grid(part, spec, facts);
    const [across, up] = spec.columns.map((name) => part.number(name));
    const rows = complete(part, spec.columns);
    const counts = Array.from({ length: x.bins }, () => new Array(y.bins).fill(0));
    for (const row of rows) counts[x.placeOf(across[row])][y.placeOf(up[row])] += 1;
    return {
      kind: "heatmap", columns: spec.columns, x_edges: x.edges, y_edges: y.edges, counts, shown: rows.length,
    };
  },

  marks(part, { columns }, { x_edges: x, y_edges: y }) {
    const [across, up] = columns.map((name) => part.number(name));
    const [placeX, placeY] = [x, y].map(placesOn);
    const high = y.length - 1;
    const of = new Int32Array(part.size).fill(-1);
    for (let i = 0; i < of.length; i += 1) {
      if (Number.isFinite(across[i]) && Number.isFinite(up[i])) {
        of[i] = placeX(across[i]) * high + placeY(up[i]);
      }
    }
    return { of, size: (x.length - 1) * high };
  },
};
