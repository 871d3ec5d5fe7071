/** What is chosen in a form, written as an expression: the text that all ways of asking share. */

import { stepBelow } from "../rows/ends.js";
import { literal, written } from "../rows/expressions/tokens.js";

const MOST_LISTED = 100;
const LOGS = { 10: "log10", 2: "log2", e: "log" };

/** @returns {boolean} Whether a column's name can stand in an expression. */
export const canBeWritten = ({ name }) => name !== "" && !name.includes("`");

/** Return the condition that a column lies in a range, with its ends. */
export function inRange(name, from, to, dates) {
  const [low, high] = [from, to].map((end) => (dates && end ? literal(end) : end));
  if (low && high) return `${low} <= ${written(name)} <= ${high}`;
  if (low) return `${written(name)} >= ${low}`;
  return high ? `${written(name)} <= ${high}` : "";
}

/** Return the condition that a column has one of some levels. */
export function oneOfLevels(name, chosen, levels) {
  const others = levels.filter((it) => !chosen.includes(it));
  if (!chosen.length) return "";
  if (chosen.length === 1) return `${written(name)} == ${literal(chosen[0])}`;
  if (others.length === 1) return `${written(name)} != ${literal(others[0])}`;
  if (!others.length) return `not missing(${written(name)})`;
  const [not, listed] = chosen.length > MOST_LISTED ? ["not ", others] : ["", chosen];
  return `${written(name)} ${not}in (${listed.map(literal).join(", ")})`;
}

/**
 * Return where a column is cut so that about as many rows lie in each group.
 * @returns {string[]} Fewer cuts where many rows have the same value.
 */
export function equalCuts({ edges, counts }, groups) {
  const total = counts.reduce((sum, count) => sum + count, 0);
  const at = (share) => {
    let before = 0;
    const bin = counts.findIndex((count) => (before += count) >= total * share && count);
    const within = 1 - (before - total * share) / counts[bin];
    return edges[bin] + within * (edges[bin + 1] - edges[bin]);
  };
  const [first, last] = [edges[0], edges[edges.length - 1]];
  const step = stepBelow((at(0.75) - at(0.25) || last - first) / 25);
  const digits = Math.max(0, -Math.floor(Math.log10(step)));
  const cuts = Array.from({ length: groups - 1 }, (_, i) =>
    (Math.round(at((i + 1) / groups) / step) * step).toFixed(digits),
  );
  return [...new Set(cuts)].filter((it) => it > first && it < last);
}

/**
 * Return the cuts that are typed as a list, such as "40, 60".
 * @param {string} typed - Numbers, or days where it is a column of `dates`.
 * @returns {{cuts: string[], wrong: string}} `wrong` is what is none of these, or does not rise.
 */
export function cutsTyped(typed, dates) {
  const cuts = typed.split(/[\s,;]+/).filter(Boolean);
  const shape = dates ? /^\d{4}-\d\d-\d\d$/ : /^-?(\d+\.?\d*|\.\d+)$/;
  const place = (it) => (dates ? Date.parse(it) : Number(it));
  const rises = (it, i) => !i || place(it) > place(cuts[i - 1]);
  const wrong = cuts.find((it, i) => !shape.test(it) || !rises(it, i)) || "";
  return { cuts: dates ? cuts.map(literal) : cuts, wrong };
}

/** @returns {{text: string, name: string}} The logarithm of a column, and a name for it. */
export const logOf = (name, base) => ({
  text: `${LOGS[base]}(${written(name)})`,
  name: `${LOGS[base]}_${plain(name)}`,
});

/** @returns {{text: string, name: string}} The ratio of two columns, and a name for it. */
export const ratioOf = (name, to) => ({
  text: `${written(name)} / ${written(to)}`,
  name: `${plain(name)}_per_${plain(to)}`,
});

/** @returns {{text: string, name: string}} A column in groups, and a name for it. */
export const groupsOf = (name, cuts) => ({
  text: cuts.length ? `cut(${[written(name), ...cuts].join(", ")})` : "",
  name: `${plain(name)}_groups`,
});

/** A name that can be written without backticks. */
const plain = (name) => name.replace(/[^\p{L}\p{N}_]+/gu, "_");

/** @returns {string} A name, with a number behind it where it is taken. */
export function freeName(name, isTaken) {
  let found = name;
  for (let i = 2; isTaken(found); i += 1) found = `${name}_${i}`;
  return found;
}
