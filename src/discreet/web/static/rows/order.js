/** The order of levels: as it is declared, else by the numbers they hold. As `discreet.levels`. */

/** What levels are joined into that are too rare to be named. */
export const OTHER = "(other)";
const LAST = [OTHER, "(missing)"];

const NUMBER = /^\s*[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)(e[+-]?[0-9]+)?\s*$/i;
const GROUPS = "[0-9]{1,3}(?:[, '\\u00a0\\u2009\\u202f][0-9]{3})+";
const LEADING = new RegExp(
  "^\\s*(?<bracket>[\\[(]?)\\s*" +
    "(?<sign>[<>]=?|[≤≥]|(?:less than|fewer than|more than|up to|at most|at least|under|below|over|above)\\s|)" +
    "\\s*[$€£]?\\s*" +
    `(?<number>[-\\u2212]?(?:${GROUPS}(?![0-9])|[0-9]+(?:[.,][0-9]+)?|inf\\b))(?<rest>[^]*)`,
  "i",
);
const THOUSANDS = new RegExp(`^${GROUPS}$`);
const SIGNS = {
  "<": -2, under: -2, below: -2, "less than": -2, "fewer than": -2,
  "<=": -1, "≤": -1, "up to": -1, "at most": -1,
  ">=": 1, "≥": 1, "at least": 1,
  ">": 2, over: 2, above: 2, "more than": 2,
};
const AND_LESS = /\b(?:or|and) (?:less|fewer|under|below|lower|younger)\b/i;
const AND_MORE = /^\s*\+|\b(?:or|and) (?:more|over|above|higher|older)\b/i;

/**
 * Return different levels in the order in which they are listed and drawn.
 * @param {string[]} [declared] - Levels from first to last; others come after them.
 * @returns {string[]} What stands for rare levels, and for missing values, is last.
 */
export function inOrder(names, declared = []) {
  const place = new Map([...declared.entries()].reverse().map(([i, name]) => [name, i]));
  return [...new Set(names)].map((name) => keyOf(name, place)).sort(before).map((it) => it.name);
}

const SHORT = 3; // letters of a code, as of a stage or a grade

/** Say whether levels have an order of their own: declared (`all` of the column), numbers, or short codes. */
export function hasOrder(names, all = []) {
  const own = names.filter((name) => !LAST.includes(name));
  const isDeclared = inOrder(all).some((name, i) => name !== all[i]);
  return own.length < 3 || isDeclared || own.some(placeOf) || own.every((name) => name.length <= SHORT);
}

function keyOf(name, place) {
  if (LAST.includes(name)) return { name, rank: 2, at: LAST.indexOf(name) };
  if (place.has(name)) return { name, rank: 0, at: place.get(name) };
  return { name, rank: 1, number: placeOf(name), parts: partsOf(name) };
}

function before(a, b) {
  if (a.rank !== b.rank || a.rank !== 1) return a.rank - b.rank || a.at - b.at;
  if (!a.number || !b.number) {
    const words = Number(!a.number) - Number(!b.number);
    if (words) return words;
  } else {
    const away = a.number[0] - b.number[0] || a.number[1] - b.number[1];
    if (away) return away;
  }
  return byParts(a.parts, b.parts) || byLetters(a.name, b.name);
}

/** Words and numbers in turn; a number is its digits, which may be any number of them. */
const partsOf = (name) =>
  name.split(/([0-9]+)/).map((part, i) => (i % 2 ? part.replace(/^0+/, "") : part));

function byParts(one, two) {
  for (let i = 0; i < Math.min(one.length, two.length); i += 1) {
    const away = (i % 2 && one[i].length - two[i].length) || byLetters(one[i], two[i]);
    if (away) return away;
  }
  return one.length - two.length;
}

/** @param {string} name - Of a level. @returns {number[]|null} Where its number places it. */
export function placeOf(name) {
  if (NUMBER.test(name) && Number.isFinite(Number(name))) return [Number(name), 0];
  const found = LEADING.exec(name)?.groups;
  if (!found || (/inf/i.test(found.number) && !found.bracket)) return null;
  const sign = SIGNS[found.sign.toLowerCase().trim().replace(/\s+/g, " ")] || 0;
  const beside = AND_LESS.test(found.rest) ? -1 : AND_MORE.test(found.rest) ? 1 : 0;
  return [numberOf(found.number), sign || beside];
}

function numberOf(text) {
  const digits = text.replace(/^[-\u2212]/, "");
  const plain = THOUSANDS.test(digits) ? digits.replace(/[^0-9]/g, "") : digits.replace(",", ".");
  const size = /inf/i.test(plain) ? Infinity : Number(plain);
  return digits === text ? size : -size;
}

/**
 * Compare letter by letter, as Python compares texts: signs beyond the first 65,536 are one each.
 * @returns {number} Less than 0 where the first stands before the second.
 */
export function byLetters(a, b) {
  const [one, two] = [[...a], [...b]];
  for (let i = 0; i < Math.min(one.length, two.length); i += 1) {
    const away = one[i].codePointAt(0) - two[i].codePointAt(0);
    if (away) return away;
  }
  return one.length - two.length;
}
