/** The order in which levels are drawn: by the numbers that they begin with, before words. */

const NUMBER = /^\s*[+-]?(\d[\d_]*\.?[\d_]*|\.\d+)(e[+-]?\d+)?\s*$/i;
const NUMBERED = /^\s*([<≤>≥]|under |below |over |above |)=?\s*(-?\d+(?:\.\d+)?)/;
const SIGNS = { "<": -2, "under ": -2, "below ": -2, "≤": -1, "": 0, "≥": 1, ">": 2, "over ": 2, "above ": 2 };

/**
 * Return names of levels as they are drawn: "under 40" before "40 or more", and words after them.
 *
 * @param {Iterable<string>} names - In any order.
 * @returns {string[]}
 */
export function inOrder(names) {
  const placed = [...names].map((name) => ({ name, at: placeOf(name) }));
  return placed.sort(before).map((it) => it.name);
}

function before(a, b) {
  if (!a.at || !b.at) return Number(!a.at) - Number(!b.at) || byLetters(a.name, b.name);
  return a.at[0] - b.at[0] || a.at[1] - b.at[1] || byLetters(a.name, b.name);
}

/** @param {string} name - Of a level. @returns {number[]|null} Where its number places it. */
export function placeOf(name) {
  if (NUMBER.test(name)) {
    const number = Number(name.replaceAll("_", ""));
    if (Number.isFinite(number)) return [number, 0];
  }
  const found = NUMBERED.exec(name);
  return found && [Number(found[2]), SIGNS[found[1]]];
}

/**
 * Compare letter by letter, as Python compares texts: signs beyond the first 65,536 are one each.
 *
 * @param {string} a - A text.
 * @param {string} b - Another one.
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
