/** Tables: columns described in numbers, and means of a number by levels. */

import { described, figuresOf, knownIn, partsOf } from "../rows/described.js";
import { intervalOf, meanOf, quantilesOf, sdOf, sumOf } from "../rows/moments.js";
import { countAndGaps, decimalsOf, decimalsOfQuartiles, middleWords, words } from "../rows/number-words.js";
import { Refused } from "../rows/refused.js";

const NO_INTERVALS =
  "means have no intervals here: those of study.summary in Python hold how far the copy is off";

export const summary = {
  make(part, { columns, by = [] }, facts) {
    if (by.length > 1) throw new Refused("A summary is by the levels of one column; name one.");
    const [level] = by;
    if (columns?.includes(level)) {
      throw new Refused(`“${level}” cannot be described by its own levels; name other columns.`);
    }
    const wanted = columns?.length ? columns : facts.columns.map(({ name }) => name);
    const shown = wanted.filter((name) => name !== level && part.has(name));
    const { sizes, lines, head, figures } = described(part, shown, level);
    const label = labelIn(facts);
    return {
      kind: "summary",
      names: ["column", "figure"],
      head,
      lines: lines.map((it) => ({ ...it, section: label(it.section) })),
      notes: [...roughOf(head, sizes), NO_INTERVALS],
      figures,
      shown: part.size,
    };
  },
};

const labelIn = ({ columns }) => {
  const labels = new Map(columns.map(({ name, label }) => [name, label || name]));
  return (name) => labels.get(name) ?? name;
};

const OF_ROWS =
  "intervals are of these rows, by t, and leave out how far the copy is off: those of study.means in Python hold it";

export const means = {
  make(part, { columns: [value], by = [] }, facts) {
    check(part, value, by);
    const labels = new Map(facts.columns.map(({ name, label }) => [name, label || name]));
    const label = (name) => labels.get(name) ?? name;
    const { sizes, ...found } = meansOf(part, value, by, label);
    const rough = roughOf(sizes.map(([name]) => name), sizes.map(([, size]) => size));
    return {
      kind: "means",
      names: [by[0], by.at(-1)],
      ...found,
      notes: [...rough, OF_ROWS],
      shown: part.size,
    };
  },
};

function check(part, value, by) {
  if (![1, 2].includes(by.length) || new Set([value, ...by]).size < by.length + 1) {
    throw new Refused("Means are of one column by the levels of one or two others; name those.");
  }
  const { kind, dates } = part.column(value);
  if (dates) throw new Refused(`“${value}” holds dates, which have no mean; a summary has their median.`);
  if (kind === "level") {
    throw new Refused(`“${value}” has levels and no mean; a summary has the share of each level.`);
  }
}

const HEAD = ["n, missing", "mean", "95 % interval", "sd", "median (quartiles)", "sum"];
const FIGURES = [
  ...["n", "missing", "mean, low end", "mean", "mean, high end", "sd"],
  ...["lower quartile", "median", "upper quartile", "sum"],
];

/**
 * Return means of a number, by the levels of columns and of all rows.
 * @returns {{head: string[], lines: object[], figures: object[], sizes: [string, number][]}}
 */
function meansOf(part, value, by, label) {
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

const FEW = 50;
const MOST_NAMED = 3;

/** Say which groups of a table have few rows. */
function roughOf(names, sizes) {
  const few = names.filter((_, i) => sizes[i] > 0 && sizes[i] < FEW);
  if (!few.length) return [];
  const which = few.length <= MOST_NAMED ? few.join("; ") : `${few.length} of ${sizes.length} groups`;
  return [`rough, with fewer than ${FEW} rows: ${which}`];
}
