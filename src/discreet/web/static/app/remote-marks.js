/** Which marks a picture has, as a server counts rows in them. */

const AXES = {
  histogram: ({ columns: [column] }, { edges }) => [{ column, edges }],
  bars: ({ columns: [column] }, { levels, by, by_levels: others }) =>
    [{ column, levels }, ...(by === null ? [] : [{ column: by, levels: others }])],
  crosstab: ({ columns: [first, second] }, { row_levels: rows, column_levels: columns }) =>
    [{ column: first, levels: rows }, { column: second, levels: columns }],
  heatmap: ({ columns: [across, up] }, { x_edges: x, y_edges: y }) =>
    [{ column: across, edges: x }, { column: up, edges: y }],
};

/**
 * Return the axes whose marks, row by row of the first, are those of a picture.
 * @param {object} [view] - Its numbers, as the server gave them.
 * @returns {?object[]} Nothing where it has none that can be counted so.
 */
export function axesOf(spec, view) {
  if (!view) return null;
  if (view.views) return axesOfPanels(spec, view);
  return AXES[spec.kind]?.(spec, view) ?? null;
}

/** Panels of one and the same grid are an axis of their own; outlines are not told apart. */
function axesOfPanels(spec, { levels, by, views }) {
  if (spec.overlay || !levels || typeof by !== "string" || views.includes(null)) return null;
  const [first, ...others] = views.map((it) => axesOf(spec, it));
  const alike = others.every((it) => JSON.stringify(it) === JSON.stringify(first));
  return first && alike ? [{ column: by, levels }, ...first] : null;
}
