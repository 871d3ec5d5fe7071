/** What the page says of pictures: one place for each sentence. */

import { whole } from "../draw/look.js";
import { offIn } from "../draw/unreliable.js";
import { kindFor } from "../kinds/index.js";
import { referencesOf } from "./state.js";
import { MISSING_NAMES } from "../rows/levels.js";
import { literal, written } from "../rows/expressions/tokens.js";

const MOST_GAPS = 4;
const MOST_LEVELS = 4;

export const cap = (text) => text.charAt(0).toUpperCase() + text.slice(1);

/**
 * Return the condition that a mark stands for, as an expression.
 * @param {object} condition - A column with one of some levels, or within a range.
 */
export function expressionOf({ column, levels, from, to, closed }, columns) {
  const name = written(column);
  const known = columns.get(column) || {};
  if (levels) return ofLevels(name, levels, known);
  const say = (value) => (known.dates ? literal(new Date(value * 86400000).toISOString().slice(0, 10)) : String(value));
  const above = from === undefined ? "" : `${say(from)} <= `;
  const below = to === undefined ? "" : ` ${closed ? "<=" : "<"} ${say(to)}`;
  if (above && !below) return `${name} >= ${say(from)}`;
  return above || below ? `${above}${name}${below}` : `not missing(${name})`;
}

function ofLevels(name, all, known) {
  const isGap = (it) => MISSING_NAMES.includes(it) && !known.levels?.includes(it);
  const words = all.filter((it) => !isGap(it)).map((it) => (known.kind === "number" ? it : literal(it)));
  const one = words.length > 1 ? `${name} in (${words.join(", ")})` : words.length ? `${name} == ${words[0]}` : "";
  return [one, all.some(isGap) && `missing(${name})`].filter(Boolean).join(" or ");
}

/** @returns {string} What a mark stands for, for the line of the highlight. */
export function saidOf({ column, levels, from, to }, look) {
  if (levels) return look.level(column, levels.length > MOST_LEVELS ? `${levels.length} levels` : levels.join(" or "));
  if (from === undefined && to === undefined) return `${look.label(column)} is known`;
  if (from === undefined) return `${look.label(column)} under ${look.say(column, to)}`;
  if (to === undefined) return `${look.label(column)} ${look.say(column, from)} or more`;
  return look.range(column, from, to);
}

/** A label within a sentence: BMI and HbA1c stay as they are, and so does the name of a column. */
const within = (label, name) => (label !== name && /^\p{Lu}\p{Ll}*(\P{L}|$)/u.test(label) ? label.charAt(0).toLowerCase() + label.slice(1) : label);

/** @returns {string} What is seen, for the head of a card. */
export function titleOf(spec, look) {
  const kind = kindFor(spec);
  const say = { ...look, label: (name) => within(look.label(name), name) };
  const named = kind ? kind.title(spec, say) : spec.columns.map(say.label).join(", ");
  const by = (spec.by || []).map(say.label).filter((it) => !named.includes(it)).join(" and ");
  const whole = by ? `${named} by ${by}` : named;
  const first = spec.columns.find((name) => whole.startsWith(say.label(name)));
  // A name begins as it is written: "bmi", or "Age".
  return first ? look.label(first) + whole.slice(say.label(first).length) : cap(whole);
}

/** @returns {string} How many of how many are shown, and where from: for a file, and beside a picture. */
export function sentenceOf(answer, part, policy) {
  const foot = footOf(answer, part, policy);
  if (answer.view.origin?.policy && !answer.view.origin.version) return foot;
  return [foot, `drawn from ${policy.drawn_from || "the protected copy"}`].filter(Boolean).join(" · ");
}

/** @returns {string} What stands below a picture: how many of how many, and how far it may be off. Where from stands at the head of the page. */
export const footOf = (answer, part, policy) => [countsOf(answer, part, policy), ...offIn(answer.view)].filter(Boolean).join(" · ");

function countsOf({ view, gaps }, part, policy) {
  const origin = view.origin || {};
  const shown = view.shown ?? origin.shown;
  const total = origin.total ?? part.size;
  if (origin.policy && !origin.version) {
    const of = shown === null || shown === undefined ? "" : `${manyOf(shown, total)} people · `;
    return `${of}counts of at least ${policy.k}${policy.round_to > 1 ? `, rounded to ${policy.round_to}` : ""}`;
  }
  const rough = part.size < 300 ? "Rough: few rows" : "";
  const of = shown === undefined ? [] : [`${manyOf(shown, part.size)} rows`, withoutValue(gaps)];
  return [rough, ...of].filter(Boolean).join(" · ");
}

/** Which columns have no value in how many rows, as `gapsOf` counts them. */
function withoutValue(gaps = []) {
  const said = gaps.slice(0, MOST_GAPS).map(([name, count], i) => `${whole(count)}${i ? "" : " have"} no ${name}`);
  if (!said.length) return "";
  return `${said.join(", ")}${gaps.length > MOST_GAPS ? " and so on" : ""}`;
}

const manyOf = (shown, total) =>
  shown === total ? `All ${whole(total)}` : `${whole(shown)} of ${whole(total)}`;

const words = (value) => (typeof value === "string" ? JSON.stringify(value) : String(value));

/** What Python takes as the name of an argument; any other, which an address may hold, is quoted. */
const NAME = /^[\p{L}_][\p{L}\p{N}_]*$/u;

/** @returns {string} The line of Python that draws the same, of a study or a part of it. */
export function pythonOf(spec, state, study = "study") {
  const { kind, columns, by, wide, answer, title, note, sort, reference, ...more } = spec;
  const list = ["parallel", "correlations"].includes(kind);
  const given = [list ? `[${columns.map(words).join(", ")}]` : columns.map(words).join(", ")];
  if (spec.formula) given[0] = words(spec.formula);
  if (by?.length) given.push(`by=${by.length > 1 ? `(${by.map(words).join(", ")})` : words(by[0])}`);
  for (const [name, value] of Object.entries(more)) {
    if (["colour", "formula", "ranges", "persons"].includes(name) || (name === "percent" && kind !== "bars")) continue;
    given.push(`${name}=${value === true ? "True" : words(value)}`);
  }
  if (reference) given.push(`reference=${JSON.stringify(referencesOf(spec))}`);
  const steps = [
    ...state.assign.map(([name, text]) => `.assign(${NAME.test(name) ? `${name}=${words(text)}` : `**{${words(name)}: ${words(text)}}`})`),
    ...state.where.map((text) => `.where(${words(text)})`),
  ];
  return `${study}${steps.join("")}.${kind}(${given.join(", ")})`;
}

/** @returns {string} A title as the name of a file. */
export const writtenName = (title) =>
  title.toLowerCase().replace(/[^\p{L}\p{N}]+/gu, "-").replace(/^-|-$/g, "").slice(0, 60) || "picture";
