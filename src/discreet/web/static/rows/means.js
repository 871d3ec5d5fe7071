/** Means of a number by the levels of one or two columns, as figures and as words. */

import { figuresOf, knownIn, partsOf } from "./described.js";
import { intervalOf, meanOf, quantilesOf, sdOf, sumOf } from "./moments.js";
import { countAndGaps, decimalsOf, decimalsOfQuartiles, middleWords, words } from "./number-words.js";

const HEAD = ["n, missing", "mean", "95 % interval", "sd", "median (quartiles)", "sum"];
const FIGURES = [
  ...["n", "missing", "mean, low end", "mean", "mean, high end", "sd"],
  ...["lower quartile", "median", "upper quartile", "sum"],
];

/**
 * Return means of a number, by the levels of columns and of all rows.
 *
 * @param {Part} part - The rows.
 * @param {string} value - The column that is averaged.
 * @param {string[]} by - One column of levels, or two.
 * @param {(name: string) => string} label - Of a column.
 * @returns {{head: string[], lines: object[], figures: object[], sizes: [string, number][]}}
 */
export function meansOf(part, value, by, label) {
  const column = part.column(value);
  const parts = sectionsOf(part, by, label);
  const found = parts.map((it) => foundOf(knownIn(column, it), it.rows.length));
  const known = knownIn(column, { rows: parts.at(-1).rows });
  const decimals = decimalsOf(sdOf(known));
  const quartiles = found.flatMap((it) => it.quartiles);
  const places = decimalsOfQuartiles(known, quartiles, decimals);
  const ofSum = known.every(Number.isInteger) ? 0 : decimals;
  return {
    head: HEAD,
    lines: parts.map(({ section, name }, i) => ({
      section,
      name,
      cells: cellsOf(found[i], decimals, places, ofSum),
    })),
    figures: figuresOf(value, parts, FIGURES, found.map(numbersOf)),
    sizes: parts.map(({ section, name, rows }) => [[section, name].filter(Boolean).join(", "), rows.length]),
  };
}

/** The rows of each level, or of each pair of levels, with the section they stand in. */
function sectionsOf(part, [first, second], label) {
  const outer = partsOf(part, first);
  if (!second) return outer.map((it) => ({ ...it, section: "" }));
  const inner = partsOf(part, second);
  return outer.flatMap((one) => {
    const here = new Uint8Array(part.size);
    for (const row of one.rows) here[row] = 1;
    const section = first in one.group ? `${label(first)}: ${one.name}` : one.name;
    return inner.map(({ group, name, rows }) => ({
      section,
      name,
      group: { ...one.group, ...group },
      rows: rows.filter((row) => here[row]),
    }));
  });
}

const foundOf = (known, size) => ({
  n: known.length,
  missing: size - known.length,
  mean: meanOf(known),
  interval: intervalOf(known),
  sd: sdOf(known),
  quartiles: quantilesOf(known),
  sum: sumOf(known),
});

const cellsOf = (it, decimals, places, ofSum) => [
  countAndGaps(it.n, it.missing),
  words(it.mean, decimals),
  (it.interval || [null]).map((end) => words(end, decimals)).join(" to "),
  words(it.sd, decimals),
  middleWords(it.quartiles, places),
  words(it.sum, ofSum),
];

function numbersOf(it) {
  const [low, high] = it.interval || [null, null];
  return [it.n, it.missing, low, it.mean, high, it.sd, ...it.quartiles, it.sum];
}
