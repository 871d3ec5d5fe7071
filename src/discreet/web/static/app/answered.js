/** Which answers from the data are to the very question whose picture of the copy a card shows. */

import { cutUp, literal, written } from "../rows/expressions/tokens.js";

/** Those that are drawn of the counts in their table, without a plot of their own. */
const OF_TABLES = ["bars", "crosstab", "means", "model"];
/** Drawn in cells that the answer chose: the copy is then drawn in the same. */
const IN_BINS = ["histogram", "heatmap"];

/**
 * Return the first answer that counts what a card counts: the same kind, columns, levels, bins,
 * new columns and conditions. One whose question differs in any of them is not compared with it.
 * @param {object[]} answers - Of the study file, as `answer_facts` in Python gives them.
 * @param {object} spec - Of the card.
 * @param {[string, string][]} asks - What was derived before: new columns, each with its
 *   expression, and conditions, without a name.
 * @param {object} [usual] - What holds where the card does not say: `bins`, `grid`, `event_is`.
 * @returns {?object}
 */
export function answerTo(answers, spec, asks, usual = {}) {
  const wanted = questionOf({ ...spec, derived: asks }, spec.kind, usual);
  return answers.find((it) => {
    const { request, verdict, view } = it;
    const kind = request.plot || request.figures;
    if (verdict || kind !== spec.kind || !(view || OF_TABLES.includes(kind))) return false;
    return questionOf(request, kind) === wanted;
  }) ?? null;
}

/** Return a card's spec as its rows are counted: in the bins of the answer that is laid over it. */
export function inBinsOf(answer, spec) {
  if (!answer || !IN_BINS.includes(spec.kind)) return spec;
  const of = answer.view.views?.find(Boolean) || answer.view;
  const [first, second] = spec.columns;
  const edges = of.edges ? { [first]: of.edges } : { [first]: of.x_edges, [second]: of.y_edges };
  return { ...spec, edges };
}

const NAMES = /[\p{L}_][\p{L}\p{N}_]*|`[^`]+`/gu;
const listed = (it) => [it ?? []].flat().map(String);

/** A question in one form, whatever the order of its fields, and without how it is shown. */
function questionOf(given, kind, usual = {}) {
  const { columns, by, formula, family, reference, weights, per, limits, edges, derived = [] } = given;
  const setting = (name, ...kinds) => (kinds.includes(kind) ? given[name] ?? usual[name] : undefined);
  const event = listed(setting("event_is", "survival", "model")).sort();
  const isModel = kind === "model";
  const names = isModel ? formula?.match(NAMES) || [] : [...listed(columns), ...listed(by)];
  const used = [...names, ...listed(weights)];
  return JSON.stringify([
    isModel ? [] : listed(columns),
    isModel ? [] : listed(by),
    isModel ? [(formula || "").replace(/\s/g, ""), family || "linear", sorted(reference)] : [],
    event,
    [setting("bins", "histogram"), setting("grid", "heatmap")],
    [weights, per, limits, edges].map((it) => it ?? null),
    stepsOf(derived, used),
  ]);
}

const sorted = (it) => Object.entries(it && typeof it === "object" ? it : {}).sort();

/** Conditions and those new columns that a question rests on, in order, each in one form. */
function stepsOf(derived, names) {
  const steps = derived.flatMap(([name, text]) =>
    (name ? [{ name, words: tokensOf(text) }] : conditionsOf(cut(text)).map((words) => ({ name: "", words }))));
  const used = new Set([...names, ...steps.filter((it) => !it.name).flatMap((it) => it.words)].map(bare));
  for (const { name, words } of steps.toReversed()) {
    if (name && used.has(name)) words.forEach((it) => used.add(bare(it)));
  }
  const kept = steps.filter((it) => !it.name || used.has(it.name));
  // Conditions that follow one another are the same in any order, and said twice.
  const groups = [];
  for (const { name, words } of kept) {
    const text = words.join(" ");
    if (name) groups.push([name, text]);
    else if (groups.at(-1) instanceof Set) groups.at(-1).add(text);
    else groups.push(new Set([text]));
  }
  return groups.map((it) => (it instanceof Set ? [...it].sort() : it));
}

const bare = (word) => word.replace(/^`(.*)`$/s, "$1");
const tokensOf = (text) => cut(text).map((it) => it.text);

/** Names, numbers, texts and signs, each written in one way; a text that cannot be read is one. */
function cut(text) {
  try {
    return cutUp(text).slice(0, -1).map(({ sort, text: word }) => ({ sort, text: alike(sort, word) }));
  } catch {
    return [{ sort: "sign", text }];
  }
}

function alike(sort, word) {
  if (sort === "column") return written(word.slice(1, -1));
  if (sort === "number") return String(Number(word));
  if (sort !== "text") return word;
  const [quote] = word;
  return literal(word.slice(1, -1).replaceAll(quote + quote, quote));
}

/** The conditions that "and" joins, each as its words, without brackets around the whole of it. */
function conditionsOf(tokens) {
  const ends = bracketEnds(tokens);
  if (tokens.length && ends[0] === tokens.length - 1) return conditionsOf(tokens.slice(1, -1));
  const places = [];
  for (let i = 0; i < tokens.length; i = (ends[i] ?? i) + 1) {
    if (tokens[i].sort !== "name") continue;
    if (tokens[i].text === "or") return [tokens.map((it) => it.text)];
    if (tokens[i].text === "and") places.push(i);
  }
  if (!places.length) return [tokens.map((it) => it.text)];
  const starts = [0, ...places.map((it) => it + 1)];
  return starts.flatMap((from, i) => conditionsOf(tokens.slice(from, places[i])));
}

/** Where each bracket that opens is closed. */
function bracketEnds(tokens) {
  const ends = {};
  const open = [];
  tokens.forEach(({ sort, text }, i) => {
    if (sort !== "sign") return;
    if (text === "(") open.push(i);
    else if (text === ")" && open.length) ends[open.pop()] = i;
  });
  return ends;
}
