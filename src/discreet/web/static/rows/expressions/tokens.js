/** A text is cut into names, numbers, quoted texts and signs, in one pass from left to right. */

import { Mistake, quoted } from "./mistake.js";

// What Python takes as a space, which is a little different from what JavaScript does.
const SPACE =
  "[\\t-\\r\\x1c-\\x20\\x85\\xa0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000]";
const LAST_SPACES = new RegExp(`${SPACE}*$`, "u");
const FIRST_SPACES = new RegExp(`${SPACE}*`, "uy");
const NAME = "[\\p{L}\\p{Nl}\\p{No}_][\\p{L}\\p{N}_]*";
const TOKEN = new RegExp(
  `${SPACE}*(?:(?<name>${NAME})` +
    "|(?<column>`[^`]+`)" +
    "|(?<number>(?:[0-9]+\\.?[0-9]*|\\.[0-9]+)(?:[eE][+\\-]?[0-9]+)?)" +
    "|(?<text>'(?:[^']|'')*'(?!')|\"(?:[^\"]|\"\")*\"(?!\"))" +
    "|(?<sign>\\*\\*|[=!<>]=|[\\-+*\\/<>\\(\\),]))",
  "uy",
);
const PLAIN_NAME = new RegExp(`^${NAME}$`, "u");
const QUOTE = "write a plain quotation mark, ' or \"";
const NOT_CLOSED = "the quotation mark is not closed";
const INSTEAD = new Map([
  ["[", "write round brackets"],
  ["{", "write round brackets"],
  ["`", "close the backtick, with a name before it"],
  ...Array.from("−–—", (sign) => [sign, "write a plain minus, -"]),
  ["=", "write == to compare"],
  ["&", "write 'and'"],
  ["|", "write 'or'"],
  ["!", "write 'not', or != to compare"],
  ["~", "write 'not'"],
  ["^", "write ** for a power"],
  ["'", NOT_CLOSED],
  ['"', NOT_CLOSED],
  ...Array.from("‘’“”„«»", (sign) => [sign, QUOTE]),
]);

/** Words that join conditions; a column of such a name stands between backticks. */
export const WORDS = ["and", "or", "not", "in"];

/** Write a column's name, which has no backtick, as it stands in an expression. */
export const written = (name) =>
  PLAIN_NAME.test(name) && !WORDS.includes(name) ? name : `\`${name}\``;

/** Write a text as it stands in an expression. */
export const literal = (text) => `'${String(text).replaceAll("'", "''")}'`;

/** Cut a text up into names, numbers, quoted texts and signs; "end" is the last. */
export function cutUp(text) {
  const found = [];
  const end = text.search(LAST_SPACES);
  let at = 0;
  while (at < end) {
    TOKEN.lastIndex = at;
    const match = TOKEN.exec(text);
    if (!match) throw noPlace(text, at);
    const sort = Object.keys(match.groups).find((it) => match.groups[it] !== undefined);
    at = TOKEN.lastIndex;
    found.push({ sort, text: match.groups[sort], place: [at - match.groups[sort].length, at] });
  }
  return [...found, { sort: "end", text: "", place: [end, end + 1] }];
}

function noPlace(text, from) {
  FIRST_SPACES.lastIndex = from;
  FIRST_SPACES.exec(text);
  const at = FIRST_SPACES.lastIndex;
  const sign = String.fromCodePoint(text.codePointAt(at));
  const instead = INSTEAD.get(sign) || "a name that has it stands between backticks";
  const says = `the sign ${quoted(sign)} has no place in an expression; ${instead}`;
  return new Mistake([at, at + sign.length], says);
}
