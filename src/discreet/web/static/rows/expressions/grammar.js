/** A text is read from left to right: by hand, in bounded depth, and nothing of it is run. */

import { FUNCTIONS } from "./functions.js";
import {
  MOST_ARGUMENTS,
  NO_EXPONENT,
  among,
  compared,
  constant,
  joined,
  negative,
  numberOf,
  opposite,
  power,
  product,
  total,
} from "./meaning.js";
import { Mistake, near, quoted } from "./mistake.js";
import { WORDS } from "./tokens.js";

// What binds more tightly has the higher number.
const [OR, AND, NOT, COMPARE, SUM, PRODUCT, MINUS, POWER] = [1, 2, 3, 4, 5, 6, 7, 8];
const LEVELS = new Map([
  ["or", OR],
  ["and", AND],
  ["not", COMPARE], // not in
  ["in", COMPARE],
  ...["==", "!=", "<", "<=", ">", ">="].map((sign) => [sign, COMPARE]),
  ["+", SUM],
  ["-", SUM],
  ["*", PRODUCT],
  ["/", PRODUCT],
  ["**", POWER],
]);
const MADE = new Map([
  [OR, ([word], operands) => joined(word, operands)],
  [AND, ([word], operands) => joined(word, operands)],
  [COMPARE, compared],
  [SUM, total],
  [PRODUCT, product],
]);
// In whatever case, unless there is a column of that name.
const TRUTHS = new Map([["true", 1], ["false", 0]]);
const DEEPEST = 40;
const LONGEST_NAMED = 60;
const INSTEAD = new Map([
  ["between", "write between(x, low, high)"],
  ["is", "write == to compare, or missing(x)"],
  ["like", "write == or in"],
  ["if", "write case(condition, value, otherwise)"],
]);
const NOTHING = "something is missing here: a column, a constant, a function or a bracket";
const NO_WAY_ON = "an expression cannot be read on from here; a sign is missing, or too many";

/** The tokens of a text, and how far they are read. */
export class Reader {
  /** `kinds` has those of columns; `yes`, of columns that say yes or no, the value that is true. */
  constructor(tokens, kinds, yes) {
    Object.assign(this, { tokens, kinds, yes, at: 0, depth: 0, names: new Set() });
  }

  /** Read a whole text. */
  whole() {
    const node = this.expression();
    const token = this.next();
    if (token.sort === "end") return node;
    if (token.text === ")") {
      throw new Mistake(token.place, "a bracket is closed that was not opened");
    }
    throw new Mistake(token.place, this.instead() || NO_WAY_ON);
  }

  next() {
    return this.tokens[this.at];
  }

  take() {
    const token = this.next();
    if (token.sort !== "end") this.at += 1;
    return token;
  }

  /** Return the sign or word that comes next, if one does. */
  sign() {
    const { sort, text } = this.next();
    return sort === "sign" || (sort === "name" && WORDS.includes(text)) ? text : "";
  }

  isNext(...texts) {
    return texts.includes(this.sign());
  }

  expects(sign, says) {
    if (!this.isNext(sign)) throw new Mistake(this.next().place, this.instead() || says);
    return this.take();
  }

  /** Say what is written in place of a word of another language that comes next. */
  instead() {
    const word = this.next().text.toLowerCase();
    if (WORDS.includes(word)) return `write ${quoted(word)} in small letters`;
    return INSTEAD.get(word) || "";
  }

  level() {
    return LEVELS.get(this.sign()) || 0;
  }

  /** Read operands, and the signs between them that bind as tightly as `least` or more. */
  expression(least = OR) {
    let node = this.operand(least);
    for (let level = this.level(); level >= least; level = this.level()) {
      node = this.chain(node, level);
    }
    return node;
  }

  /** Read all that follows by signs that bind alike: one node, whatever its length. */
  chain(first, level) {
    if (level === POWER) return this.raised(first);
    if (this.isNext("in", "not")) return this.within(first);
    const operands = [first];
    const signs = [];
    while (this.level() === level && !this.isNext("in", "not")) {
      signs.push(this.take().text);
      operands.push(this.expression(level + 1));
      this.count(operands, signs[signs.length - 1]);
    }
    return MADE.get(level)(signs, operands);
  }

  raised(base) {
    this.take();
    const exponent = this.operand(MINUS);
    // Another power would be a part of the exponent.
    if (this.isNext("**")) throw new Mistake(exponent.place, NO_EXPONENT);
    return power(base, exponent);
  }

  /** Read `in (...)` or `not in (...)`. */
  within(operand) {
    const start = this.take();
    if (start.text === "not") {
      this.expects("in", "'not' stands before a condition, or before 'in'");
    }
    if (!this.isNext("(")) {
      const says = "behind 'in' stands a list in brackets: in ('a', 'b')";
      throw new Mistake(this.next().place, says);
    }
    this.deeper();
    const choices = [this.expression()];
    while (this.isNext(",")) {
      this.take();
      choices.push(this.expression());
      this.count(choices, "in");
    }
    const end = this.expects(")", "a bracket is not closed, or a comma is missing").place;
    const node = this.up(among(operand, choices, end));
    return start.text === "not" ? opposite(node, node.place) : node;
  }

  count(many, what) {
    if (many.length <= MOST_ARGUMENTS) return;
    const says = `${quoted(what)} has too many operands; ${MOST_ARGUMENTS} is the most`;
    throw new Mistake(this.next().place, says);
  }

  /** Read one operand, with the `not` or the sign before it. */
  operand(least) {
    if (this.isNext("not")) {
      if (least > NOT) throw new Mistake(this.next().place, "write brackets around not: (not ...)");
      const place = this.deeper();
      return this.up(opposite(this.expression(NOT), place));
    }
    if (this.isNext("-", "+")) {
      const sign = this.sign();
      const place = this.deeper();
      const inner = this.expression(MINUS);
      return this.up(sign === "-" ? negative(inner, place) : inner);
    }
    return this.primary();
  }

  /** Read a constant, a column, a function, or what stands in brackets. */
  primary() {
    const { sort, text, place } = this.next();
    if (sort === "name" && !WORDS.includes(text)) return this.named(this.take());
    if (sort === "number") return numberOf(this.take().text, place);
    if (sort === "text") {
      this.take();
      const inner = text.slice(1, -1).replaceAll(text[0] + text[0], text[0]);
      return constant(inner, "level", place, inner);
    }
    if (sort === "column") {
      this.take();
      return this.column(text.slice(1, -1), place);
    }
    if (text !== "(") throw new Mistake(place, NOTHING);
    this.deeper();
    const inside = this.expression();
    this.expects(")", "a bracket is not closed, or a sign is missing");
    return this.up(inside);
  }

  /** Read a function, true or false, or a column. */
  named(token) {
    const { text, place } = token;
    if (this.isNext("(")) return this.call(token);
    const word = text.toLowerCase();
    if (!TRUTHS.has(word) || this.kinds.has(text)) return this.column(text, place);
    return constant(TRUTHS.get(word), "truth", place, text);
  }

  /** Find a column by its name, exactly as it is. */
  column(name, place) {
    if (!this.kinds.has(name)) {
      const { usage } = FUNCTIONS.get(name) || {};
      const known = usage ? `the function is ${usage}` : near(name, [...this.kinds.keys()]);
      throw new Mistake(place, `there is no column ${short(name)}; ${known}`);
    }
    this.names.add(name);
    const yes = this.yes.get(name) || "";
    return { sort: "column", name, kind: this.kinds.get(name), place, yes };
  }

  /** Read what stands in the brackets of a function. */
  call({ text, place }) {
    const rule = FUNCTIONS.get(text);
    if (!rule) {
      const says = `there is no function ${short(text)}; ${near(text, [...FUNCTIONS.keys()])}`;
      throw new Mistake(place, says);
    }
    this.deeper();
    const inner = [];
    const missing = `a bracket is not closed, or a ${rule.most > 1 ? "comma" : "sign"} is missing`;
    while (!this.isNext(")")) {
      if (inner.length) this.expects(",", missing);
      inner.push(this.expression());
      this.count(inner, text);
    }
    const whole = [place[0], this.take().place[1]];
    if (inner.length < rule.least || inner.length > rule.most) {
      throw new Mistake(whole, `the function is ${rule.usage}`);
    }
    return this.up(rule.made(text, inner, whole));
  }

  /** Read what opens a level; there are not many of them, so that no text exhausts the stack. */
  deeper() {
    const { place } = this.take();
    this.depth += 1;
    if (this.depth > DEEPEST) {
      const says = `an expression is nested too deeply; ${DEEPEST} steps is the most`;
      throw new Mistake(place, says);
    }
    return place;
  }

  /** Return what was read within a level. */
  up(node) {
    this.depth -= 1;
    return node;
  }
}

/** Quote a name; of a very long one the beginning. */
function short(name) {
  const signs = [...name];
  if (signs.length <= LONGEST_NAMED) return quoted(name);
  return quoted(`${signs.slice(0, LONGEST_NAMED).join("")}…`);
}
