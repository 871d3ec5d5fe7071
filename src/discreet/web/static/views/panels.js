/** Pictures of the rows of each level of a column, or of each pair of levels of two, side by side. */

import { isOfPairs } from "../draw/panels.js";
import { sum } from "../rows/counts.js";
import { levelsIn, placesAmong } from "../rows/levels.js";
import { complete, FEWEST, ROUGH, rowsAt } from "../rows/part.js";
import { Refused } from "../rows/refused.js";

const MOST_PANELS = 60;
const MOST_BESIDE = 6;
const MOST_ACROSS = 12;
const MOST_PAIRS = 36;

/**
 * Return what computes panels of a kind: `make`, `marks` and `lit`, as a kind of pictures has them.
 * @param {object} kind - Of each panel. A `grid` of it is made once, of the rows of all panels;
 *   `together` gives their views what they share.
 */
export function panelsOfRows(kind) {
  return {
    make(part, spec, facts) {
      const { each, alone, grid, view } = dividedBy(part, spec, kind, facts);
      const views = each.map((one) => one && kind.make(one.part, alone, facts, grid));
      return view(kind.together ? kind.together(views) : views);
    },

    marks: kind.marks && ((part, spec, view, facts) => {
      const { each, alone, grid } =
        view.kind === "multiples" ? byView(part, spec, view) : dividedBy(part, spec, kind, facts);
      const of = new Int32Array(part.size).fill(-1);
      let size = 0;
      view.views.forEach((own, i) => {
        if (!own) return;
        const one = each[i] || panel(part, new Int32Array(0));
        const found = kind.marks(one.part, alone, own, facts, grid);
        found.of.forEach((mark, row) => { if (mark >= 0) of[one.rows[row]] = size + mark; });
        size += found.size;
      });
      return { of, size };
    }),

    lit: kind.lit && ((part, spec, view, mask, facts) => {
      const { each, alone, grid } = dividedBy(part, spec, kind, facts);
      return each.map((one, i) => {
        const own = one && Uint8Array.from(one.rows, (row) => mask[row]);
        if (!own || sum(own) < FEWEST) return null;
        return kind.lit(one.part, alone, view.views[i], own, facts, grid);
      });
    }),
  };
}

const held = new WeakMap();

/** The rows of each panel, what each is asked for, and how the views of all are put together. */
function dividedBy(part, spec, kind, facts) {
  const key = JSON.stringify(spec);
  if (!held.has(part)) held.set(part, new Map());
  const known = held.get(part);
  if (!known.has(key)) {
    const divided = spec.by.length === 1 ? byLevels(part, spec) : byPairs(part, spec);
    const { rows, alone } = divided;
    known.set(key, { ...divided, grid: kind.grid?.(rowsAt(part, rows), alone, { ...facts, rows: part.size }) });
  }
  return known.get(key);
}

function byLevels(part, spec) {
  const { by: [by], ...alone } = spec;
  const rows = complete(part, [...spec.columns, by]);
  const { names, of } = levelsIn(part.level(by), { rows });
  if (names.length > MOST_PANELS) {
    throw new Refused(
      `“${by}” has more than ${MOST_PANELS} levels, too many to be told apart. Join some in a new column.`);
  }
  const view = (views) => ({
    kind: "multiples", columns: spec.columns, by, levels: names, views, shown: rows.length,
  });
  const each = split(part, rows, (row) => of[row], names.length);
  return { rows, alone, each, view };
}

/** The rows of the levels that a view has, which may have joined small ones. */
function byView(part, { by: [by], ...alone }, view) {
  const of = placesAmong(part.level(by), view.levels);
  const rows = complete(part, [...alone.columns, by]).filter((row) => of[row] >= 0);
  return { each: split(part, rows, (row) => of[row], view.levels.length), alone };
}

function byPairs(part, spec) {
  const { by: [first, second], ...alone } = spec;
  // Of bars a missing value is a level.
  const needed = spec.kind === "bars" ? [second] : [...spec.columns, first, second];
  const known = complete(part, needed);
  const own = levelsIn(part.level(first), { rows: known, missing: true });
  const other = levelsIn(part.level(second), { rows: known });
  const ofPairs = isOfPairs(spec);
  const pairs = pairsOf(own, other, known, spec, ofPairs);
  const rows = known.filter((row) => pairs.sizes[own.of[row]][other.of[row]] >= FEWEST);
  const across = pairs.second.length;
  const placeOf = (row) => pairs.second.indexOf(other.of[row]) +
    (ofPairs ? across * pairs.first.indexOf(own.of[row]) : 0);
  const each = split(part, rows, placeOf, (ofPairs ? pairs.first.length : 1) * across);
  const drawn = pairs.sizes.flat().filter((size) => size >= FEWEST);
  const view = (views) => ({
    kind: "panels",
    columns: spec.columns,
    by: spec.by,
    first: pairs.first.map((place) => own.names[place]),
    second: pairs.second.map((place) => other.names[place]),
    views,
    ...(pairs.few.length && { few: pairs.few }),
    rough: drawn.filter((size) => size < ROUGH).length,
    drawn: drawn.length,
    each_pair: ofPairs,
    shown: rows.length,
  });
  return { rows, alone: ofPairs ? alone : { ...alone, by: [first] }, each, view };
}

/** The rows of each place, null where it has none. */
function split(part, rows, placeOf, many) {
  const sizes = new Int32Array(many);
  const places = rows.map(placeOf);
  for (const place of places) sizes[place] += 1;
  const found = Array.from(sizes, (size) => new Int32Array(size));
  sizes.fill(0);
  places.forEach((place, i) => { found[place][sizes[place]++] = rows[i]; });
  return found.map((own) => (own.length ? panel(part, own) : null));
}

const panel = (part, rows) => ({ rows, part: rowsAt(part, rows) });

/** The pairs of levels of fifty rows or more, and the levels that are in one of them. */
function pairsOf(own, other, rows, { kind, by: [first, second] }, ofPairs) {
  const sizes = own.names.map(() => new Array(other.names.length).fill(0));
  for (const row of rows) sizes[own.of[row]][other.of[row]] += 1;
  const a = [...own.names.keys()].filter((i) => sizes[i].some((size) => size >= FEWEST));
  const b = [...other.names.keys()].filter((j) => sizes.some((row) => row[j] >= FEWEST));
  if (!a.length) {
    throw new Refused(
      `No pair of a level of “${first}” and one of “${second}” has ${FEWEST} rows. Name one of the two columns.`);
  }
  const most = ofPairs || kind === "box" ? MOST_BESIDE : MOST_ACROSS;
  if (b.length > most || a.length * b.length > MOST_PAIRS) {
    throw new Refused(
      `“${first}” and “${second}” have ${a.length} by ${b.length} levels; ${MOST_PAIRS} pairs can be` +
        ` drawn, and ${most} levels of the second column. Name the column of fewer levels second.`);
  }
  const few = own.names.flatMap((one, i) => other.names.map((word, j) => [one, word, sizes[i][j]]));
  return {
    sizes, first: a, second: b,
    few: few.filter(([, , size]) => size && size < FEWEST).map(([one, word]) => [one, word]),
  };
}
