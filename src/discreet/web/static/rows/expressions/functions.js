/** The functions that an expression may have: how each is written, and what is made of a call. */

import {
  MOST_ARGUMENTS,
  applied,
  areAlike,
  compared,
  condition,
  constant,
  datesRead,
  isConstant,
  isNumber,
  isWhole,
  kindOf,
} from "./meaning.js";
import { Mistake } from "./mistake.js";

const MOST_DIGITS = 15;
const WEEKDAYS = "Monday Tuesday Wednesday Thursday Friday Saturday Sunday".split(" ");
const DIGITS = `round() takes a whole number of digits, at most ${MOST_DIGITS}`;
const LAST_CASE =
  "case() ends with the value of all other rows: case(age < 18, 'child', 'adult')";

/** By name: how it is written, how many arguments it takes, and what is made of a call of it. */
export const FUNCTIONS = new Map([
  ...["log", "log2", "log10", "sqrt", "exp", "abs"].map((it) => rule(`${it}(x)`, 1, 1, ofNumber)),
  rule("round(x, digits)", 1, 2, rounded),
  rule("min(x, y, ...)", 2, MOST_ARGUMENTS, extreme),
  rule("max(x, y, ...)", 2, MOST_ARGUMENTS, extreme),
  rule("missing(x)", 1, 1, missing),
  rule("between(x, low, high)", 3, 3, between),
  rule("cut(x, edge, ...)", 2, MOST_ARGUMENTS, cut),
  rule("case(condition, value, ..., otherwise)", 3, MOST_ARGUMENTS, cases),
  ...["year", "quarter", "month", "day", "weekday", "hour"].map((it) =>
    rule(`${it}(date)`, 1, 1, ofDate),
  ),
]);

function rule(usage, least, most, made) {
  return [usage.slice(0, usage.indexOf("(")), { usage, least, most, made }];
}

function ofNumber(name, inner, place) {
  isNumber(inner[0], `${name}() takes a number`);
  return applied(name, inner, "number", place);
}

function ofDate(name, inner, place) {
  const [date] = inner;
  if (date.kind !== "date") {
    throw new Mistake(date.place, `${name}() takes a date; this is ${kindOf(date)}`);
  }
  if (name !== "weekday") return applied(name, inner, "number", place);
  return applied(name, inner, "level", place, { levels: WEEKDAYS });
}

function missing(name, inner, place) {
  return applied(name, inner, "truth", place);
}

function between(_, [value, low, high], place) {
  return { ...compared(["<=", "<="], [low, value, high]), place };
}

function rounded(name, [value, digits], place) {
  isNumber(value, "round() takes a number");
  if (!digits) return applied(name, [value, constant(0, "number", place, "0")], "number", place);
  const fits = isConstant(digits) && digits.kind === "number" && isWhole(digits);
  if (!fits || Math.abs(digits.value) > MOST_DIGITS) throw new Mistake(digits.place, DIGITS);
  return applied(name, [value, digits], "number", place);
}

function extreme(name, inner, place) {
  const known = datesRead(inner);
  for (const one of known) {
    if (one.kind !== "number" && one.kind !== "date") {
      throw new Mistake(one.place, `${name}() takes numbers; this is ${kindOf(one)}`);
    }
    areAlike(known[0], one);
  }
  return applied(name, known, known[0].kind, place);
}

function cut(name, inner, place) {
  const [value, ...edges] = datesRead(inner);
  if (value.kind !== "number" && value.kind !== "date") {
    throw new Mistake(value.place, `cut() takes a number or a date; this is ${kindOf(value)}`);
  }
  for (const edge of edges) {
    if (!isConstant(edge)) {
      throw new Mistake(edge.place, "the edges of cut() are constants, as in cut(age, 40, 60)");
    }
    areAlike(value, edge);
  }
  const low = edges.findIndex((edge, i) => i && !(edges[i - 1].value < edge.value));
  if (low > 0) throw new Mistake(edges[low].place, "the edges of cut() must rise");
  const levels = bands(edges.map((edge) => edge.text), value.kind === "date");
  return applied(name, [value, ...edges], "level", place, { levels });
}

function bands(texts, dates) {
  const [first, last] = dates ? ["before", "or later"] : ["under", "or more"];
  const inner = texts.slice(1).map((right, i) => `${texts[i]} to ${first} ${right}`);
  return [`${first} ${texts[0]}`, ...inner, `${texts[texts.length - 1]} ${last}`];
}

function cases(name, inner, place) {
  if (inner.length % 2 === 0) throw new Mistake(place, LAST_CASE);
  const isCondition = (i) => i % 2 === 0 && i < inner.length - 1;
  const says = "case() takes a condition before each value";
  const known = inner.map((it, i) => (isCondition(i) ? condition(it, says) : it));
  const values = known.filter((_, i) => !isCondition(i));
  for (const value of values) {
    if (value.kind === "truth") {
      throw new Mistake(value.place, "the values of case() are text, numbers or dates");
    }
    if (value.kind !== values[0].kind) {
      const kinds = `the first is ${kindOf(values[0])}, this is ${kindOf(value)}`;
      throw new Mistake(value.place, `the values of case() must be of one kind; ${kinds}`);
    }
  }
  return applied(name, known, values[0].kind, place, { levels: levelsOf(values) });
}

/** List the levels that can come out, in order of their first appearance, if all are known. */
function levelsOf(values) {
  const found = values.map((it) => (isConstant(it) ? [it.value] : it.levels || []));
  if (values[0].kind !== "level" || found.some((it) => !it.length)) return [];
  return [...new Set(found.flat())].filter((level) => level);
}
