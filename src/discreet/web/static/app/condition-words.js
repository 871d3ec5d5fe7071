/** A condition as a person would say it, and as the form of filters holds it, where it is simple. */

import { checked } from "./expression-field.js";

const SIGNS = { "==": "=", "!=": "≠", "<=": "≤", ">=": "≥" };
const MOST_NAMED = 3;

/**
 * Return the range or the levels that a condition asks for, if it asks for nothing else.
 * @returns {{column: string, from?: string, to?: string, levels?: string[]}|null}
 */
export function simpleOf(columns, text) {
  const { tree } = checked(columns, text);
  const { name, inner = [], signs } = tree || {};
  const column = inner.find((it) => it.sort === "column");
  const ends = inner.filter((it) => it.sort === "constant");
  if (!column || ends.length + 1 < inner.length) return null;
  const of = { column: column.name };
  const values = ends.map((it) => it.text);
  if (name === "in" && column.kind === "level") return { ...of, levels: values };
  if (name !== "compare" || inner[1] !== (inner.length > 2 ? column : ends[0])) return null;
  if (column.kind === "level") return levelsOf(columns, of, signs[0], values);
  if (signs.join() === ">=") return { ...of, from: values[0] };
  if (signs.join() === "<=") return { ...of, to: values[0] };
  return signs.join() === "<=,<=" ? { ...of, from: values[0], to: values[1] } : null;
}

function levelsOf(columns, of, sign, [value]) {
  if (sign === "==") return { ...of, levels: [value] };
  const { levels = [] } = columns.find((it) => it.name === of.column);
  return { ...of, levels: levels.filter((it) => it !== value) };
}

/**
 * Say a condition in words.
 * @returns {string} The text itself where it is not simple.
 */
export function inWords(columns, text, look) {
  const { tree, wrong } = checked(columns, text);
  return wrong ? text : said(tree, look) || text;
}

function said(node, look) {
  const { sort, name, inner = [], signs, yes } = node;
  const words = inner.map((it) => sayOf(it, inner, look));
  if (sort === "column") return yes ? look.label(name) : "";
  if (name === "not" || name === "missing") return notOf(node, look);
  if (words.includes("")) return "";
  if (name === "in") {
    const [label, ...levels] = words;
    const many = levels.length > MOST_NAMED ? `one of ${levels.length}` : levels.join(" or ");
    return `${label} = ${many}`;
  }
  if (name !== "compare") return "";
  if (inner[1].place === inner[0].place) return words[0]; // a column of yes and no
  const isRange = signs.join() === "<=,<=" && inner[1].sort === "column";
  if (isRange) return `${words[1]} ${words[0]}–${words[2]}`;
  return words.map((word, i) => (i ? `${SIGNS[signs[i - 1]] || signs[i - 1]} ${word}` : word)).join(" ");
}

function notOf({ name, inner: [of] }, look) {
  const column = of.sort === "column" ? of : of.name === "missing" && of.inner[0];
  if (name === "missing") return column ? `${look.label(of.name)} is missing` : "";
  if (of.name === "missing") return column.sort === "column" ? `${look.label(column.name)} is known` : "";
  const words = said(of, look);
  return words && `not ${words}`;
}

/** A column's label, or a value as the column's are said. */
function sayOf(node, inner, look) {
  if (node.sort === "column") return look.label(node.name);
  if (node.sort !== "constant") return "";
  const column = inner.find((it) => it.sort === "column");
  return column && node.kind !== "level" ? look.say(column.name, node.value) : node.text;
}
