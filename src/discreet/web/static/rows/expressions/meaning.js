/** What may be done with what: the kinds of all that is written are checked before any value is. */

import { daysFrom, secondsFrom } from "./calendar.js";
import { Mistake, quoted } from "./mistake.js";

/** How many arguments a function may have, and operands a chain of signs, and constants a list. */
export const MOST_ARGUMENTS = 100;
/** The values of a column that says yes or no, whatever their case; the second of each is true. */
export const NO_AND_YES = [["no", "yes"], ["n", "y"], ["false", "true"], ["0", "1"]];
/** What is said of a power that is not allowed. */
export const NO_EXPONENT = "an exponent must be a constant of at most 10";

const KINDS = { truth: "true or false", number: "a number", level: "text", date: "a date" };
const LARGEST_EXPONENT = 10;
const LARGEST_CONSTANT = 1e15;
const SAME = "; this is the same in all rows";
const BESIDE_ONE = "true and false stand beside one condition: smoker == true";
const NOT_A_DATE = "a date is written '2019-01-31', with a time '2019-01-31 14:30'";

/** Say in words what kind a node is of. */
export const kindOf = (node) => KINDS[node.kind];

/** A function or a chain of signs, what it is applied to, and the levels that can come out. */
export function applied(name, inner, kind, place, { signs = [], levels = [] } = {}) {
  return { sort: "applied", name, inner, kind, place, signs, levels };
}

/** A number, a text, a truth, or a date in days since 1970; and how it was written. */
export function constant(value, kind, place, text = "") {
  return { sort: "constant", value, kind, place, text };
}

/** Read a number. */
export function numberOf(text, place) {
  if (Number(text) > LARGEST_CONSTANT) {
    throw new Mistake(place, "a constant must be a number of at most 1e+15");
  }
  return constant(Number(text), "number", place, text);
}

/** Tell whether a number was written as a whole one. */
export const isWhole = (node) => /^-?[0-9]+$/.test(node.text);

/** Tell whether a node is a constant. */
export const isConstant = (node) => node.sort === "constant";

const isTruth = (node) => isConstant(node) && node.kind === "truth";

/** Which of a column's different values is true, if they say yes or no; "" if anything else. */
export function yesOf(words) {
  const found = new Map(words.map((it) => [it.toLowerCase().replaceAll("ſ", "s"), it]));
  if (!found.size || found.size < words.length) return "";
  const pair = NO_AND_YES.find((it) => [...found.keys()].every((word) => it.includes(word)));
  if (!pair) return "";
  return found.get(pair[1]) || cased(pair[1], found.get(pair[0]));
}

function cased(word, like) {
  const upper = (text) => text !== text.toLowerCase() && text === text.toUpperCase();
  if (upper(like) && like.length > 1) return word.toUpperCase();
  return upper(like[0]) ? word[0].toUpperCase() + word.slice(1) : word;
}

/** A column that says yes or no as the condition that it is yes; all else as it is. */
export function conditionOf(node) {
  if (node.sort !== "column" || !node.yes) return node;
  const value = node.kind === "number" ? Number(node.yes) : node.yes;
  const yes = constant(value, node.kind, node.place, node.yes);
  return applied("compare", [node, yes], "truth", node.place, { signs: ["=="] });
}

/** Return a condition; `says` what has to be one. */
export function condition(node, says) {
  const found = conditionOf(node);
  const such = `${says}, such as age >= 50`;
  if (found.kind !== "truth") throw new Mistake(node.place, `${such}; this is ${kindOf(node)}`);
  if (isTruth(found)) throw new Mistake(node.place, such + SAME);
  return found;
}

/** Join conditions by `and` or `or`. */
export function joined(word, operands) {
  const known = operands.map((it) => condition(it, `${quoted(word)} joins conditions`));
  return applied(word, known, "truth", around(operands));
}

/** Return `not` of a condition. */
export function opposite(operand, place) {
  const known = condition(operand, "'not' stands before a condition");
  return applied("not", [known], "truth", [place[0], operand.place[1]]);
}

/** Compare neighbours, each operand with the next. */
export function compared(signs, operands) {
  if (operands.some(isTruth)) return comparedWithTruth(signs, operands);
  const known = datesRead(operands);
  signs.forEach((sign, i) => {
    areAlike(known[i], known[i + 1]);
    if (known[i].kind === "level" && sign !== "==" && sign !== "!=") {
      throw new Mistake(known[i + 1].place, "text has no order; compare it by ==, != or in");
    }
  });
  return applied("compare", known, "truth", around(operands), { signs });
}

/** Read `smoker == true` as a condition, or as one that does not hold. */
function comparedWithTruth(signs, operands) {
  const truths = operands.filter(isTruth);
  const others = operands.filter((it) => !isTruth(it));
  if (operands.length !== 2 || others.length !== 1 || !["==", "!="].includes(signs[0])) {
    throw new Mistake(truths[0].place, BESIDE_ONE);
  }
  const says = `${quoted(truths[0].text)} is compared with a condition, or a column of yes and no`;
  const found = condition(others[0], says);
  const holds = (truths[0].value === 1) === (signs[0] === "==");
  const place = around(operands);
  return holds ? { ...found, place } : applied("not", [found], "truth", place);
}

/** Tell whether something is one of some constants. */
export function among(operand, choices, end) {
  const known = datesRead([operand, ...choices]);
  for (const choice of known.slice(1)) {
    if (!isConstant(choice)) {
      const says = "the list behind 'in' holds constants alone; use == and or";
      throw new Mistake(choice.place, says);
    }
    areAlike(known[0], choice);
  }
  return applied("in", known, "truth", [operand.place[0], end[1]]);
}

/** Add and take away; of two dates the difference in days, and days may be added to a date. */
export function total(signs, operands) {
  const known = datesRead(operands);
  let { kind } = known[0];
  signs.forEach((sign, i) => {
    const right = known[i + 1];
    const says = `${quoted(sign)} stands between numbers, or a date and a number of days`;
    if (kind !== "date") isNumber(known[i], says);
    if (kind === "date" && right.kind === "date" && sign === "-") kind = "number";
    else if (kind === "number" && right.kind === "date" && sign === "+") kind = "date";
    else if (right.kind === "date") {
      throw new Mistake(right.place, "of dates only the difference can be taken: date - date");
    } else isNumber(right, says);
  });
  return applied("sum", known, kind, around(operands), { signs });
}

/** Multiply and divide numbers. */
export function product(signs, operands) {
  for (const it of operands) isNumber(it, `${quoted(signs[0])} stands between numbers`);
  return applied("product", operands, "number", around(operands), { signs });
}

/** Return a number with the other sign; that of a constant is a constant. */
export function negative(operand, place) {
  isNumber(operand, "'-' stands before a number");
  const whole = [place[0], operand.place[1]];
  if (isConstant(operand) && !operand.text.startsWith("-")) {
    return constant(-operand.value, "number", whole, `-${operand.text}`);
  }
  return applied("minus", [operand], "number", whole);
}

/** Raise what has a column to a constant. */
export function power(base, exponent) {
  isNumber(base, "a power is taken of a number");
  const fits = isConstant(exponent) && exponent.kind === "number";
  if (!fits || Math.abs(exponent.value) > LARGEST_EXPONENT) {
    throw new Mistake(exponent.place, NO_EXPONENT);
  }
  if (!hasColumn(base)) {
    throw new Mistake(base.place, "a power must be one of a column, not of a constant");
  }
  return applied("power", [base, exponent], "number", around([base, exponent]));
}

const hasColumn = ({ sort, inner = [] }) => sort === "column" || inner.some(hasColumn);

/** Read texts as dates where they stand beside a date. */
export function datesRead(operands) {
  if (!operands.some((it) => it.kind === "date")) return operands;
  return operands.map((it) => (isConstant(it) && it.kind === "level" ? dateOf(it) : it));
}

function dateOf({ value, place }) {
  const [, day, time] =
    /^([0-9]{4}-[0-9]{2}-[0-9]{2})(?:[ T]([0-9]{2}:[0-9]{2}(?::[0-9]{2})?))?$/.exec(value) || [];
  const days = day ? (daysFrom(day) * 86_400 + secondsFrom(time)) / 86_400 : NaN;
  if (Number.isNaN(days)) throw new Mistake(place, NOT_A_DATE);
  return constant(days, "date", place, value);
}

/** Refuse to compare what is of two kinds, or what stands for a missing value. */
export function areAlike(left, right) {
  if (left.kind === "truth" || right.kind === "truth") {
    const { place } = left.kind === "truth" ? left : right;
    throw new Mistake(place, "what is true or false is not compared; join conditions by and, or");
  }
  if (left.kind !== right.kind) {
    const says = `${kindOf(left)} is not compared with ${kindOf(right)}`;
    throw new Mistake(right.place, says + hint(left, right));
  }
  const empty = [left, right].find((it) => isConstant(it) && it.value === "");
  if (empty) throw new Mistake(empty.place, "an empty text is a missing value; ask missing(x)");
}

function hint(left, right) {
  const text = [left, right].find((it) => it.kind === "level");
  if (!text || ![left, right].some((it) => it.kind === "number")) return "";
  if (isConstant(text)) return "; write numbers without quotation marks";
  if (text.sort !== "column") return "";
  if (text.yes) return `; write ${text.name} == true, or the text ${quoted(text.yes)}`;
  return `; column ${quoted(text.name)} has levels, which are written in quotation marks`;
}

/** Refuse what is no number; `says` what has to be one. */
export function isNumber(node, says) {
  if (node.kind !== "number") throw new Mistake(node.place, `${says}; this is ${kindOf(node)}`);
}

function around(operands) {
  return [operands[0].place[0], operands[operands.length - 1].place[1]];
}
