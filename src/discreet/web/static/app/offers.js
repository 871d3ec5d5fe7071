/** Which pictures some columns make, the most telling first. */

import { KINDS } from "../kinds/index.js";
import { plain } from "./state.js";

export const FEW_LEVELS = 12;

/**
 * Return the specs that chosen columns can be drawn by.
 * @param {string[]} names - The columns, in the order in which they were chosen.
 */
export function offersOf(names, columns) {
  const of = (kind) => names.filter((name) => typeOf(columns.get(name)) === kind);
  const numbers = of("number");
  const levels = of("level");
  const dates = of("date");
  const key = `${numbers.length} ${levels.length} ${dates.length}`;
  const found = (SHAPES[key] || more)(numbers, levels, dates, names);
  const fits = (spec) => KINDS.has(spec.kind) && (spec.by || []).every((it) => canDivide(columns.get(it)));
  return found.filter(fits).map(plain);
}

/** @param {object} column - What is known of it. @returns {string} number, level or date. */
export function typeOf(column) {
  if (!column) return "number";
  if (column.dates) return "date";
  return column.kind === "level" || column.kind === "categorical" ? "level" : "number";
}

/** Whether the levels of a column are few enough. */
export const canDivide = (column) => !column?.levels || column.levels.length <= 60;
const of = (kind, columns, beside = {}) => ({ kind, columns, ...beside });

/** By how many numbers, levels and dates there are. */
const SHAPES = {
  "1 0 0": ([x]) => [of("histogram", [x]), of("density", [x]), of("ecdf", [x]), of("box", [x])],
  "0 1 0": (_, [u]) => [of("bars", [u])],
  "0 0 1": (_, __, [d]) => [of("over_time", [d]), of("histogram", [d])],
  "2 0 0": ([x, y]) => [
    of("scatter", [x, y]),
    of("heatmap", [x, y]),
    of("contour", [x, y]),
    of("correlations", [x, y]),
    of("survival", [x, y]),
    of("box", [x, y]),
  ],
  "1 1 0": ([x], [u]) => [
    of("box", [x], { by: [u] }),
    of("histogram", [x], { by: [u], overlay: true }),
    of("histogram", [x], { by: [u] }),
    of("violin", [x], { by: [u] }),
    of("density", [x], { by: [u] }),
    of("ecdf", [x], { by: [u] }),
    of("survival", [x, u]),
    of("means", [x], { by: [u] }),
  ],
  "0 2 0": (_, [u, v]) => [of("bars", [u], { by: [v] }), of("crosstab", [u, v])],
  "1 0 1": ([x], _, [d]) => [of("over_time", [d, x]), of("scatter", [d, x])],
  "0 1 1": (_, [u], [d]) => [of("over_time", [d], { by: [u] })],
  "0 0 2": (_, __, [d, e]) => [of("scatter", [d, e]), of("heatmap", [d, e])],
  "2 1 0": ([x, y], [u]) => [
    of("scatter", [x, y], { by: [u] }),
    of("survival", [x, y], { by: [u] }),
    of("heatmap", [x, y], { by: [u] }),
    of("survival", [x, u], { by: undefined }),
  ],
  "1 2 0": ([x], [u, v]) => [
    of("histogram", [x], { by: [u, v] }),
    of("survival", [x, u], { by: [v] }),
    of("box", [x], { by: [u, v] }),
    of("means", [x], { by: [u, v] }),
  ],
  "1 1 1": ([x], [u], [d]) => [of("over_time", [d, x], { by: [u] })],
};

const more = (numbers, levels, dates, names) => [
  ...(levels.length || dates.length ? [] : [of("correlations", numbers)]),
  ...(names.length > 1 && names.length <= 12
    ? [of("parallel", names, { colour: levels.at(-1), wide: true })]
    : []),
  of("summary", names.filter((name) => !levels.slice(-1).includes(name) || levels.length > 1), {
    by: levels.length === 1 ? levels : undefined,
  }),
];

/** Return what can be drawn of columns in some way, those of `offersOf` and those for everyone. */
export function allOffers(names, columns) {
  const found = offersOf(names, columns);
  const parallel = of("parallel", names, { wide: true });
  const fits = names.length > 1 && names.every((it) => typeOf(columns.get(it)) !== "level" ||
    (columns.get(it).levels?.length ?? 0) <= FEW_LEVELS);
  const has = found.some((spec) => spec.kind === "parallel");
  return fits && !has && KINDS.has("parallel") ? [...found, parallel] : found;
}
