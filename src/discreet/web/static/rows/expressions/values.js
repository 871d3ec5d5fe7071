/** Values row by row, and what is computed of them; a missing value stays missing. */

import { dated, hourOf, partOf, rint, weekdayOf } from "./calendar.js";
import { both, compared, either, missing, opposite } from "./conditions.js";

const SIZES = [[Uint8Array, 255], [Uint16Array, 65_535], [Uint32Array, 2 ** 32 - 1]];
const FROM_LEFT = new Map([
  ["+", (a, b) => a + b],
  ["-", (a, b) => a - b],
  ["*", (a, b) => a * b],
  ["/", (a, b) => a / b],
]);
const COMPUTED = new Map([
  ["and", (node, of) => folded(node, of, both)],
  ["or", (node, of) => folded(node, of, either)],
  ["not", ({ inner: [it] }, of) => opposite(computed(it, of))],
  ["compare", chained],
  ["in", among],
  ["missing", ({ inner: [it] }, of) => missing(it.kind, computed(it, of))],
  ["case", chosen],
  ["sum", arithmetic],
  ["product", arithmetic],
  ["minus", each((it) => -it)],
  ["power", power],
  ["round", rounded],
  ["log", each(Math.log)],
  ["log2", each(Math.log2)],
  ["log10", each(Math.log10)],
  ["sqrt", each(Math.sqrt)],
  ["exp", each(Math.exp)],
  ["abs", each(Math.abs)],
  ["min", (node, of) => folded(node, of, extreme(Math.min))],
  ["max", (node, of) => folded(node, of, extreme(Math.max))],
  ["cut", cut],
  ...["year", "quarter", "month", "day"].map((it) => [it, each((days) => partOf(it, days))]),
  ["hour", each(hourOf)],
  ["weekday", weekday],
]);

/** Compute an expression: a column, of a truth 0, 1, and 2 where it is unknown. */
export function valuesOf(node, of) {
  const found = computed(node, of);
  const { kind } = node;
  if (kind === "level") return { kind, ...found };
  if (kind === "truth") return { kind, values: found };
  // A copy, in which -0 becomes 0.
  const values = mapped(found, kind === "date" ? (it) => dated(it) + 0 : (it) => it + 0);
  return { kind: "number", values, dates: kind === "date" };
}

/** Compute a node; what it is made of one after the other, so that few are held at once. */
function computed(node, of) {
  if (node.sort === "column") return of.column(node);
  if (node.sort === "applied") return COMPUTED.get(node.name)(node, of);
  if (node.kind === "truth") return new Uint8Array(of.rows).fill(node.value);
  if (node.kind !== "level") return new Float64Array(of.rows).fill(node.value);
  const codes = new Uint8Array(of.rows).fill(node.value ? 0 : 255);
  return { codes, levels: node.value ? [node.value] : [], missing: 255 };
}

/** As `map` of arrays does, in half the time. */
function mapped(values, function_) {
  const out = new Float64Array(values.length);
  for (let i = 0; i < out.length; i += 1) out[i] = function_(values[i]);
  return out;
}

const finite = (value) => (Number.isFinite(value) ? value : NaN);

function folded({ inner: [first, ...others] }, of, joined) {
  return others.reduce((found, it) => joined(found, computed(it, of)), own(first, of));
}

/** Compute a node as an array that may be written into. */
function own(node, of) {
  const found = computed(node, of);
  return node.sort === "column" ? found.slice() : found;
}

/** Put the codes of levels, -1 where one is missing, into as few bytes as hold them. */
export function packed(levels, codes) {
  const [Codes, gap] = SIZES.find(([, most]) => levels.length <= most);
  const held = new Codes(codes.length);
  for (let i = 0; i < codes.length; i += 1) held[i] = codes[i] < 0 ? gap : codes[i];
  return { codes: held, levels, missing: gap };
}

// --- conditions -----------------------------------------------------------------------------

/** Compare neighbours; with a date that has no time, days are compared. */
function chained({ inner, signs }, of) {
  let left = side(inner[0], of);
  return signs.reduce((found, sign, i) => {
    const right = side(inner[i + 1], of);
    const steps = compared(sign, left, right, isDay(inner[i]) || isDay(inner[i + 1]), of.rows);
    left = right;
    return found ? both(found, steps) : steps;
  }, null);
}

function among({ inner: [operand, ...choices] }, of) {
  const values = side(operand, of);
  const isOne = (it) => compared("==", values, side(it, of), isDay(operand) || isDay(it), of.rows);
  return choices.reduce((found, it) => either(found, isOne(it)), new Uint8Array(of.rows));
}

/** Compute what is compared; of a constant one value is enough. */
const side = (node, of) => computed(node, node.sort === "constant" ? { ...of, rows: 1 } : of);

const isDay = ({ sort, kind, text }) =>
  sort === "constant" && kind === "date" && text.length === "2019-01-01".length;

/** Take the value behind the first true condition; an unknown one before it leaves it open. */
function chosen({ inner, kind }, of) {
  const place = new Int8Array(of.rows); // 0 while it is open, -1 once it is not to be known
  const found = new Float64Array(of.rows).fill(kind === "level" ? -1 : NaN);
  const levels = new Map();
  for (let at = 0; at < inner.length; at += 2) {
    const last = at === inner.length - 1;
    const steps = last ? new Uint8Array(of.rows).fill(1) : computed(inner[at], of);
    const values = computed(inner[last ? at : at + 1], of);
    const given = kind === "level" ? joinedCodes(values, levels) : values;
    for (let i = 0; i < of.rows; i += 1) {
      if (place[i] !== 0 || steps[i] === 0) continue;
      place[i] = -1;
      if (steps[i] === 1) found[i] = given[i];
    }
  }
  return kind === "level" ? packed([...levels.keys()], found) : found;
}

/** Return the codes of levels among those that were there before. */
function joinedCodes({ codes, levels, missing: gap }, known) {
  for (const level of levels) if (!known.has(level)) known.set(level, known.size);
  const asKnown = levels.map((level) => known.get(level));
  const out = new Float64Array(codes.length);
  for (let i = 0; i < codes.length; i += 1) out[i] = codes[i] === gap ? -1 : asKnown[codes[i]];
  return out;
}

// --- numbers --------------------------------------------------------------------------------

function each(function_) {
  return ({ inner: [it] }, of) => mapped(computed(it, of), (value) => finite(function_(value)));
}

/** Compute a chain of signs from left to right. */
function arithmetic({ inner: [first, ...others], signs }, of) {
  const found = own(first, of);
  others.forEach((other, at) => {
    const values = computed(other, of);
    const joined = FROM_LEFT.get(signs[at]);
    for (let i = 0; i < found.length; i += 1) found[i] = finite(joined(found[i], values[i]));
  });
  return found;
}

function extreme(choose) {
  return (found, values) => found.map((value, i) => choose(value, values[i]));
}

/** Raise as numpy does, which takes powers that are common by a way of their own. */
function power({ inner: [base, { value: exponent }] }, of) {
  const ways = new Map([[2, (it) => it * it], [-1, (it) => 1 / it], [0.5, Math.sqrt]]);
  const way = ways.get(exponent) || ((it) => it ** exponent);
  return mapped(computed(base, of), (it) => (it === it ? finite(way(it)) : NaN));
}

/** Round halves to the even neighbour; what is too large to have such digits stays. */
function rounded({ inner: [value, { value: digits }] }, of) {
  const scale = Number(`1e${Math.abs(digits)}`);
  return mapped(computed(value, of), (it) => {
    const scaled = digits >= 0 ? it * scale : it / scale;
    if (!Number.isFinite(scaled)) return it;
    return finite(digits >= 0 ? rint(scaled) / scale : rint(scaled) * scale);
  });
}

// --- levels of numbers and dates --------------------------------------------------------------

function cut({ inner: [value, ...edges], levels }, of) {
  const at = edges.map((edge) => edge.value);
  const places = mapped(computed(value, of), (it) => {
    if (it !== it) return -1;
    let place = 0;
    while (place < at.length && at[place] <= it) place += 1;
    return place;
  });
  return packed(levels, places);
}

function weekday({ inner: [date], levels }, of) {
  const places = mapped(computed(date, of), weekdayOf);
  return packed(levels, places.map((it) => (it === it ? it : -1)));
}
