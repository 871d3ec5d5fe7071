/** What is wrong with an expression, where, and in which words: the words of the Python room. */

import { byLetters } from "../order.js";

const MOST_NAMED = 20;
const MOST_COMPARED = 100; // the time grows with the square of the length
const ALIKE = 0.6;
const ESCAPES = new Map([["\\", "\\\\"], ["\n", "\\n"], ["\r", "\\r"], ["\t", "\\t"]]);

/** A text cannot be read as an expression. */
export class Mistake extends Error {
  /** `place` is where it is, if anywhere: as read, its two ends; for callers, `at` and `length`. */
  constructor(place, says) {
    super(says);
    this.place = place;
  }
}

/** Write a text within quotation marks, as Python's `repr` does. */
export function quoted(text) {
  const mark = text.includes("'") && !text.includes('"') ? '"' : "'";
  const inner = Array.from(text, (sign) => (sign === mark ? `\\${sign}` : shown(sign)));
  return mark + inner.join("") + mark;
}

function shown(sign) {
  if (ESCAPES.has(sign)) return ESCAPES.get(sign);
  if (sign === " " || !/[\p{C}\p{Z}]/u.test(sign)) return sign;
  const code = sign.codePointAt(0);
  const [letter, digits] = code < 0x100 ? ["x", 2] : code < 0x10000 ? ["u", 4] : ["U", 8];
  return `\\${letter}${code.toString(16).padStart(digits, "0")}`;
}

/** List names, for the end of a message. */
export const oneOf = (names) => names.map(quoted).join(", ");

/** Say which of the known names was meant, or which there are. */
export function near(name, known) {
  let close = known.filter((it) => it.toLowerCase() === name.toLowerCase());
  if (!close.length && [...name].length <= MOST_COMPARED) close = mostAlike(name, known);
  if (close.length) return `did you mean ${oneOf(close)}?`;
  const more = known.length > MOST_NAMED ? " and others" : "";
  return `there are ${oneOf(known.slice(0, MOST_NAMED))}${more}`;
}

/** Return the three names most alike, as Python's `difflib` finds them. */
function mostAlike(name, known) {
  const word = [...name];
  return known
    .map((it) => ({ it, score: likeness([...it], word) }))
    .filter(({ score }) => score >= ALIKE)
    .sort((a, b) => b.score - a.score || byLetters(b.it, a.it))
    .slice(0, 3)
    .map(({ it }) => it);
}

function likeness(a, b) {
  const all = a.length + b.length;
  return all ? (2 * inCommon(a, b, 0, a.length, 0, b.length)) / all : 1;
}

/** Count the characters of the longest common piece, and of those before and behind it. */
function inCommon(a, b, aFrom, aTo, bFrom, bTo) {
  let [size, aAt, bAt] = [0, aFrom, bFrom];
  let lengths = new Map();
  for (let i = aFrom; i < aTo; i += 1) {
    const next = new Map();
    for (let j = bFrom; j < bTo; j += 1) {
      if (a[i] !== b[j]) continue;
      const length = (lengths.get(j - 1) || 0) + 1;
      next.set(j, length);
      if (length > size) [size, aAt, bAt] = [length, i - length + 1, j - length + 1];
    }
    lengths = next;
  }
  if (!size) return 0;
  const before = inCommon(a, b, aFrom, aAt, bFrom, bAt);
  return size + before + inCommon(a, b, aAt + size, aTo, bAt + size, bTo);
}
