/** What a table 1 says of columns, of all rows and of those of each level of another column. */

import { quantilesOf, meanOf, sdOf } from "./moments.js";
import { countAndGaps, counted, decimalsOf, decimalsOfQuartiles, grouped, middleWords, UNKNOWN, words } from "./number-words.js";
import { byLetters, inOrder } from "./order.js";

const MOST_LEVELS = 12;
const MISSING = "(missing)";
const DAY = 86400000;

/**
 * Return the rows of each level of a column, those without one, and all.
 * @param {string} [by] - The column; without it there is one part alone.
 * @returns {{group: object, name: string, rows: Int32Array}[]} `group`: the level of each column.
 */
export function partsOf(part, by) {
  const all = { group: {}, name: "all", rows: Int32Array.from({ length: part.size }, (_, i) => i) };
  if (!by) return [all];
  const column = part.level(by);
  const listed = listedOf(column);
  const place = new Int32Array(column.missing + 1).fill(-1);
  listed.forEach((it, i) => it.codes.forEach((code) => {
    place[code] = i;
  }));
  const held = listed.map(() => []);
  const gaps = [];
  column.codes.forEach((code, row) => (code === column.missing ? gaps : held[place[code]]).push(row));
  const of = (name, word, rows) => ({ group: { [by]: word }, name, rows: Int32Array.from(rows) });
  const parts = listed.map(({ name }, i) => of(name, name, held[i]));
  return [...parts, ...(gaps.length ? [of(MISSING, null, gaps)] : []), all];
}

/** The levels of a column that are listed, in their order; of many the others are one. */
function listedOf({ codes, levels, missing }) {
  const counts = new Map();
  const tally = new Float64Array(missing + 1);
  for (let i = 0; i < codes.length; i += 1) tally[codes[i]] += 1;
  levels.forEach((name, code) => tally[code] && counts.set(name, tally[code]));
  const order = inOrder(counts.keys(), levels);
  const few = order.length <= MOST_LEVELS + 1; // one level in a line of others would be that level
  const frequent = [...order].sort((a, b) => counts.get(b) - counts.get(a) || byLetters(a, b));
  const kept = new Set(few ? order : frequent.slice(0, MOST_LEVELS));
  const codesOf = (names) => names.map((name) => levels.indexOf(name));
  const listed = order.filter((it) => kept.has(it)).map((name) => ({ name, codes: codesOf([name]) }));
  const others = order.filter((it) => !kept.has(it));
  if (!others.length) return listed;
  return [...listed, { name: `others (${others.length} levels)`, codes: codesOf(others) }];
}

/**
 * Describe columns.
 * @param {string} [by] - Whose levels have a column of the table each.
 * @returns {{head: string[], lines: object[], figures: object[], sizes: number[]}}
 */
export function described(part, columns, by) {
  const parts = partsOf(part, by);
  const sizes = parts.map(({ rows }) => rows.length);
  const cells = sizes.slice(0, -1).map((size) => counted(size, part.size));
  const lines = [{ section: "", name: "rows of the copy", cells: [...cells, grouped(part.size)] }];
  const figures = figuresOf("", parts, ["rows"], sizes.map((size) => [size]));
  for (const name of columns) {
    const column = part.column(name);
    const of = column.kind === "level" ? ofLevels : column.dates ? ofDays : ofNumbers;
    for (const [line, found] of of(column, name, parts)) {
      lines.push({ section: name, ...line });
      figures.push(...found);
    }
  }
  return { head: parts.map(({ name }) => name), lines, figures, sizes };
}

/** @returns {object[]} Each figure of each part, as the JSON of tables has them. */
export const figuresOf = (column, parts, names, values) =>
  parts.flatMap(({ group }, i) =>
    names.map((figure, j) => ({ column, level: null, group, figure, value: values[i][j] })),
  );

/** @returns {Float64Array} The values of some rows that are known. */
export const knownIn = ({ values }, { rows }) =>
  Float64Array.from(rows, (row) => values[row]).filter(Number.isFinite);

const gapsOf = (name, parts, known) => {
  const found = known.map((size, i) => [size, parts[i].rows.length - size]);
  const line = { name: "n, missing", cells: found.map(([size, gaps]) => countAndGaps(size, gaps)) };
  return [line, figuresOf(name, parts, ["n", "missing"], found)];
};

function ofNumbers(column, name, parts) {
  const each = parts.map((it) => knownIn(column, it));
  const known = each.at(-1);
  const decimals = decimalsOf(sdOf(known));
  const moments = each.map((it) => [meanOf(it), sdOf(it)]);
  const beside = moments.map(([mean, sd]) =>
    mean === null ? UNKNOWN : `${words(mean, decimals)} (${words(sd, decimals)})`,
  );
  const middles = each.map((it) => quantilesOf(it));
  const places = decimalsOfQuartiles(known, middles.flat(), decimals);
  return [
    gapsOf(name, parts, each.map((it) => it.length)),
    [{ name: "mean (sd)", cells: beside }, figuresOf(name, parts, ["mean", "sd"], moments)],
    [
      { name: "median (quartiles)", cells: middles.map((it) => middleWords(it, places)) },
      figuresOf(name, parts, ["lower quartile", "median", "upper quartile"], middles),
    ],
  ];
}

const dayOf = (days) => new Date(Math.floor(days) * DAY).toISOString().slice(0, 10);

function ofDays(column, name, parts) {
  const each = parts.map((it) => knownIn(column, it).sort());
  const found = each.map((it) =>
    it.length ? [it[0], quantilesOf(it, [0.5])[0], it.at(-1)].map(dayOf) : [null, null, null],
  );
  const cells = found.map(([first, middle, last]) =>
    middle === null ? UNKNOWN : `${middle} (${first} to ${last})`,
  );
  return [
    gapsOf(name, parts, each.map((it) => it.length)),
    [{ name: "median (range)", cells }, figuresOf(name, parts, ["first", "median", "last"], found)],
  ];
}

function ofLevels(column, name, parts) {
  const { codes, missing } = column;
  const counts = parts.map(({ rows }) => {
    const tally = new Float64Array(missing + 1);
    for (const row of rows) tally[codes[row]] += 1;
    return tally;
  });
  const known = counts.map((it, i) => parts[i].rows.length - it[missing]);
  const lines = listedOf(column).map(({ name: level, codes: of }) => {
    const many = counts.map((it) => of.reduce((sum, code) => sum + it[code], 0));
    const values = many.map((it, i) => [it, known[i] ? it / known[i] : null]);
    const figures = figuresOf(name, parts, ["count", "share"], values);
    const cells = many.map((it, i) => counted(it, known[i]));
    return [{ name: level, cells }, figures.map((it) => ({ ...it, level }))];
  });
  return [gapsOf(name, parts, known), ...lines];
}
