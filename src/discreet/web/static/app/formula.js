/** The formula of a model: written of what is chosen, and read back into it. */

import { written } from "../rows/expressions/tokens.js";

/** How a column may go into a model: what it is called, and how it is written. */
export const WAYS = {
  "": { says: "as it is", text: (it) => it },
  log: { says: "logarithm", text: (it) => `log(${it})` },
  sqrt: { says: "square root", text: (it) => `sqrt(${it})` },
  square: { says: "squared", text: (it) => `I(${it} ** 2)` },
  C: { says: "as categories", text: (it) => `C(${it})` },
};
/** The functions that a formula may have. */
export const FUNCTIONS = ["C", "I", "log", "log2", "log10", "exp", "sqrt", "abs"];

const NAME = "(?<name>[\\p{L}\\p{Nl}\\p{No}_][\\p{L}\\p{N}_]*|`[^`]+`)";
const FACTORS = [
  ["", NAME],
  ...["log", "sqrt", "C"].map((way) => [way, `${way}\\(\\s*${NAME}\\s*\\)`]),
  ["square", `I\\(\\s*${NAME}\\s*\\*\\*\\s*2\\s*\\)`],
].map(([way, shape]) => [way, new RegExp(`^${shape}$`, "u")]);
const SURVIVAL = /^survival\s*\((.*)\)$/su;

/** @param {{name: string, way: string}} factor - A column, and how it goes in. */
export const textOf = ({ name, way }) => WAYS[way].text(written(name));

const termText = (term) => term.map(textOf).join(":");

/**
 * Return the formula of what is chosen.
 * @param {object} chosen - The `outcome`, a factor; `event`, a column, which a Cox model has; and
 *   `terms`, each a list of factors: one alone, or those that are multiplied.
 */
export function formulaOf({ outcome, event, terms }) {
  const left = outcome ? textOf(outcome) : "";
  const both = event === undefined ? left : `survival(${left}, ${event && written(event)})`;
  return `${both} ~ ${terms.map(termText).join(" + ")}`;
}

/** Return what is chosen in a formula, as `formulaOf` takes it; null where it has more in it. */
export function chosenIn(formula) {
  const sides = split(formula, "~");
  if (sides.length !== 2) return null;
  const [, both] = SURVIVAL.exec(sides[0]) || [];
  const [time, event, ...others] = (both === undefined ? [sides[0]] : split(both, ",")).map(factorOf);
  const terms = split(sides[1], "+").flatMap(termsOf);
  const isPlain = both === undefined || (event?.way === "" && time?.way === "" && !others.length);
  if (!time || !isPlain || terms.some((term) => term.includes(null))) return null;
  return { outcome: time, event: event?.name, terms: distinct(terms).sort((a, b) => a.length - b.length) };
}

/** Put a factor in place of another in each term; with none in its place, terms that have it go. */
export function replaced(terms, from, to) {
  const isIt = (it) => textOf(it) === textOf(from);
  const kept = to ? terms : terms.filter((term) => !term.some(isIt));
  return distinct(kept.map((term) => term.map((it) => (isIt(it) ? to : it))));
}

/** Return the pairs of factors that could be multiplied, and are not. */
export function pairsOf(terms) {
  const alone = terms.filter((it) => it.length === 1).flat();
  const all = alone.flatMap((a, i) => alone.slice(i + 1).map((b) => [a, b]));
  return all.filter((pair) => pair[0].name !== pair[1].name && !terms.some((it) => keyOf(it) === keyOf(pair)));
}

const keyOf = (term) => term.map((it) => it && textOf(it)).sort().join(":");
const distinct = (terms) => terms.filter((term, i) => terms.findIndex((it) => keyOf(it) === keyOf(term)) === i);

/** Of `a * b` both, and what they make together. */
const termsOf = (text) =>
  split(text, "*").map((part) => split(part, ":").map(factorOf))
    .reduce((all, term) => [...all, term, ...all.map((it) => [...it, ...term])], []);

function factorOf(text) {
  for (const [way, shape] of FACTORS) {
    const found = shape.exec(text);
    if (found) return { name: found.groups.name.replace(/^`(.*)`$/su, "$1"), way };
  }
  return null;
}

/** The parts of a text between signs that stand in no brackets and in no name. */
function split(text, sign) {
  const parts = [""];
  let depth = 0;
  for (const [piece] of text.matchAll(/`[^`]*`|\*\*|./gsu)) {
    depth += { "(": 1, ")": -1 }[piece] || 0;
    if (piece === sign && !depth) parts.push("");
    else parts[parts.length - 1] += piece;
  }
  return parts.map((it) => it.trim());
}
