/** A field for an expression: a mistake is marked where it stands, and columns are completed. */

import { read } from "../rows/derive.js";
import { FUNCTIONS } from "../rows/expressions/functions.js";
import { literal, written } from "../rows/expressions/tokens.js";
import { Refused } from "../rows/refused.js";
import { fill, h } from "./dom.js";
import { canBeWritten } from "./expression-texts.js";
import { typeOf } from "./offers.js";

const MOST_OFFERED = 6;
const WAIT = 350; // what is still being typed is not wrong yet
const NAME = "[\\p{L}_][\\p{L}\\p{N}_]*";
const NAME_BEFORE = new RegExp(`(\`[^\`]*|${NAME})$`, "u");
const LEVEL_BEFORE = new RegExp(
  `(?:\`([^\`]+)\`|(${NAME}))\\s*(?:==|!=|(?:not\\s+)?in\\s*\\((?:[^()]*,)?)\\s*'([^']*)$`,
  "u",
);
let fields = 0;

/**
 * Say what an expression makes, or what is wrong with it.
 * @returns {{kind?: string, tree?: object, names?: string[], wrong?: {says: string, at?: number,
 *   length?: number}}}
 */
export function checked(columns, text) {
  const held = new Map(columns.map((it) => [it.name, asHeld(it)]));
  const part = { has: (it) => held.has(it), names: () => held.keys(), column: (it) => held.get(it) };
  try {
    return read(part, text).expression;
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
    return { wrong: { says: error.message, ...error.where } };
  }
}

/** A column of which each level is in a row: all that an expression is read by. */
function asHeld(column) {
  const { levels = [], coded = false, dates = false } = column;
  if (typeOf(column) !== "level") return { kind: "number", dates, values: [] };
  return { kind: "level", levels, coded, codes: levels.map((_, code) => code), missing: -1 };
}

/**
 * Make the field.
 * @param {(text: string) => object|null|undefined} wrongIn - What is wrong, as `checked` says it.
 * @param {string[]} [functions] - Those that complete what is typed.
 * @returns {{element: HTMLElement, field: HTMLTextAreaElement, mark: (wrong: ?object) => void}} The
 *   field sends "input" as it does; `mark` shows a mistake that is found elsewhere.
 */
export function expressionField(columns, label, text, wrongIn, functions) {
  fields += 1;
  const id = `expression-${fields}`;
  const under = h("div.under", { "aria-hidden": "true" });
  const field = h("textarea", {
    ...{ id, rows: 3, maxlength: 2000, spellcheck: "false", autocomplete: "off", autofocus: true },
    ...{ "aria-autocomplete": "list", "aria-controls": `${id}-list`, autocapitalize: "off" },
    "aria-describedby": `${id}-says`,
  });
  const list = h("ul.offer", { id: `${id}-list`, role: "listbox", "aria-label": "Completions", hidden: true });
  const says = h("p.wrong", { id: `${id}-says`, "aria-live": "polite" });
  const mark = (wrong) => showMistake(field, under, says, wrong);
  let timer = 0;
  field.value = text;
  if (text) mark(wrongIn(text));
  field.addEventListener("input", () => {
    clearTimeout(timer);
    mark(null);
    timer = setTimeout(() => {
      const wrong = field.value.trim() && wrongIn(field.value);
      if (wrong) mark(wrong); // what was marked in the meantime stays
    }, WAIT);
    offer(field, list, offersAt(columns, field.value.slice(0, field.selectionStart), functions));
  });
  field.addEventListener("scroll", () => under.scrollTo(0, field.scrollTop));
  field.addEventListener("blur", () => offer(field, list, []));
  field.addEventListener("keydown", (event) => onKey(event, field, list));
  list.addEventListener("pointerdown", (event) => {
    event.preventDefault(); // the field keeps the focus
    take(field, list, event.target.closest("li"));
  });
  const element = h("div.expr", {}, h("label", { for: id }, label), h("div.ink", {}, under, field), list, says);
  return { element, field, mark };
}

/** Mark a mistake beneath the text, and say what it is. */
function showMistake(field, under, says, wrong) {
  const signs = [...field.value]; // a place counts signs, and JavaScript halves of some
  const { at, length } = wrong || {};
  const piece = (from, to) => signs.slice(from, to).join("");
  const marked = at !== undefined && [piece(0, at), h("mark", {}, piece(at, at + length) || " "), piece(at + length)];
  fill(under, marked || []);
  under.scrollTo(0, field.scrollTop);
  says.textContent = wrong ? `${wrong.says[0].toUpperCase()}${wrong.says.slice(1)}`.replace(/[^?]$/, "$&.") : "";
  field.toggleAttribute("aria-invalid", Boolean(wrong));
  if (wrong) field.setAttribute("aria-invalid", "true");
}

/**
 * Return what completes a text: levels within quotation marks, else columns and functions.
 * @returns {{typed: string, put: string, says: string, more: string}[]}
 */
export function offersAt(columns, before, functions = [...FUNCTIONS.keys()]) {
  const [, ticked, plain, level] = LEVEL_BEFORE.exec(before) || [];
  const of = columns.find((it) => it.name === (ticked || plain));
  if (of?.levels) {
    const found = of.levels.filter((it) => begins(it, level)).slice(0, MOST_OFFERED);
    return found.map((it) => ({ typed: `'${level}`, put: literal(it), says: it, more: "" }));
  }
  const open = before.replace(/'[^']*'|`[^`]*`/g, " ");
  const [typed] = NAME_BEFORE.exec(open) || [];
  if (!typed || open.includes("'")) return [];
  const word = typed.replace("`", "");
  const named = columns
    .filter((it) => canBeWritten(it) && (has(it.name, word) || has(it.label || "", word)))
    .sort((a, b) => Number(begins(b.name, word)) - Number(begins(a.name, word)))
    .map(({ name, label }) => ({ typed, put: written(name), says: name, more: label || "" }));
  const called = functions
    .filter((name) => typed === word && begins(name, word))
    .map((name) => ({ typed, put: `${name}(`, says: FUNCTIONS.get(name)?.usage || `${name}(x)`, more: "" }));
  const all = [...named, ...called].slice(0, MOST_OFFERED);
  return all.length === 1 && all[0].put === typed ? [] : all;
}

const has = (text, word) => text.toLowerCase().includes(word.toLowerCase());
const begins = (text, word) => text.toLowerCase().startsWith(word.toLowerCase());

function offer(field, list, offers) {
  list.hidden = !offers.length;
  field.removeAttribute("aria-activedescendant");
  fill(list, offers.map(({ typed, put, says, more }, i) =>
    h("li", { role: "option", id: `${list.id}-${i}`, "aria-selected": "false", "data-typed": typed, "data-put": put },
      h("bdi", {}, says), more !== says && h("small", {}, more))));
}

function onKey(event, field, list) {
  const options = [...list.children];
  const now = options.findIndex((it) => it.ariaSelected === "true");
  const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
  if (options.length && step) {
    const next = now < 0 && step < 0 ? options.length - 1 : (now + step + options.length) % options.length;
    options.forEach((it, i) => it.setAttribute("aria-selected", String(i === next)));
    field.setAttribute("aria-activedescendant", options[next].id);
  } else if (options.length && event.key === "Escape") {
    event.stopPropagation();
    offer(field, list, []);
  } else if (event.key === "Enter" && !event.shiftKey) {
    if (now >= 0) take(field, list, options[now]);
    else field.form.requestSubmit();
  } else return;
  event.preventDefault();
}

/** Put what was chosen in place of what was typed of it. */
function take(field, list, option) {
  if (!option) return;
  const { typed, put } = option.dataset;
  const end = field.selectionStart;
  field.setRangeText(put, end - typed.length, end, "end");
  field.dispatchEvent(new Event("input", { bubbles: true }));
  offer(field, list, []);
}
