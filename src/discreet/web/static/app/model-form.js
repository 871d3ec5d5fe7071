/** The form of a model: an outcome, what it may follow from, and the formula that says so. */

import { lookOf } from "../draw/look.js";
import { FAMILIES } from "../kinds/model.js";
import { choose } from "./choose.js";
import { fill, h } from "./dom.js";
import { expressionField } from "./expression-field.js";
import { canBeWritten } from "./expression-texts.js";
import { segOf, selectOf } from "./form-parts.js";
import { chosenIn, formulaOf, FUNCTIONS, pairsOf, replaced, textOf, WAYS } from "./formula.js";
import { icon } from "./icons.js";
import { typeOf } from "./offers.js";
import { asReference, referencesOf } from "./state.js";

/** Which models an outcome may have, by its kind, the usual one first. */
const OF_KIND = { number: ["linear", "poisson", "logistic", "cox"], level: ["logistic", "cox"], date: ["linear"] };
const EVENTS = { logistic: ({ outcome }) => outcome?.name, cox: ({ event }) => event };
const YES = /^(1|yes|true)$/i;
const OTHER = "The formula says more than can be chosen here. It is used as it is written.";

/**
 * @param {(spec: object) => void} done - Hears of a model that the server has fitted.
 * @param {object} [spec] - Of a model that is changed.
 */
export function modelForm(board, done, spec = null) {
  const columns = [...board.columns.values()].filter(canBeWritten);
  const body = h("div.body");
  const go = h("button.btn.main", {}, spec ? "Change the model" : "Fit the model");
  const { element, field, mark } = expressionField(columns, "Formula", spec?.formula || "", () => null, FUNCTIONS);
  const form = h("form.form", {}, body, element, go);
  let state = spec ? stateOf(spec) : begun(board);
  field.removeAttribute("autofocus");

  const show = () => fill(body, partsOf(board, columns, state, change));
  const change = (given, key) => {
    state = { ...state, ...given };
    if (state.isChosen) field.value = formulaOf(state);
    mark(null);
    show();
    body.querySelector(`[data-key="${CSS.escape(key)}"] :is(input, select)`)?.focus();
  };
  field.addEventListener("input", () => {
    const chosen = chosenIn(field.value);
    const column = chosen && board.columns.get(chosen.event ?? chosen.outcome.name);
    const isOther = column && EVENTS[state.family]?.(state) !== column.name;
    const { family, event_is } = isOther ? withOutcome(state, column) : state;
    state = { ...state, event_is, ...chosen, family: chosen?.event === undefined ? family : "cox", isChosen: Boolean(chosen) };
    show();
  });
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    const wanted = specOf(state, field.value.trim());
    go.disabled = true;
    const { refused } = await board.ask(wanted).finally(() => {
      go.disabled = false;
    });
    if (!refused) return done(wanted);
    const { start, end } = refused.place || {};
    const says = refused.says.replace(/^formula:/, "the formula").replace(/^\w+: |\.$/g, "");
    mark({ says, ...(Number.isInteger(start) && { at: start, length: end - start }) });
    field.focus();
  });
  if (spec) show();
  else change({}, "");
  if (!state.outcome) requestAnimationFrame(() => body.querySelector("input")?.click());
  return form;
}

/** Of columns that were picked before, the first is the outcome. */
function begun({ draft: [first, ...others], columns }) {
  const state = { family: "linear", outcome: null, terms: others.map((name) => [{ name, way: "" }]), isChosen: true };
  return first === undefined ? state : { ...state, ...withOutcome(state, columns.get(first)) };
}

function stateOf(spec) {
  const { formula, family = "linear", event_is } = spec;
  const chosen = chosenIn(formula);
  return { family, outcome: null, terms: [], ...chosen, event_is, references: referencesOf(spec), isChosen: Boolean(chosen) };
}

function specOf({ family, event_is: event, references = {}, terms, isChosen }, formula) {
  const levels = Object.entries(references).filter(([name]) => !isChosen || terms.flat().some((it) => it.name === name));
  return { kind: "model", columns: [], formula, family: family === "linear" ? undefined : family, event_is: EVENTS[family] && event,
    reference: levels.length ? asReference(Object.fromEntries(levels)) : undefined };
}

const usualEvent = ({ levels } = {}) => (levels ? levels.find((it) => YES.test(it)) ?? levels.at(-1) : "1");

/** Take another outcome; if it was a predictor, the one before is that in its place. */
function withOutcome({ family, outcome, terms }, column) {
  const it = { name: column.name, way: "" };
  const able = OF_KIND[typeOf(column)];
  const kept = able.includes(family) && family !== "linear" ? family : able[0];
  return { outcome: it, family: kept, event_is: usualEvent(column), terms: replaced(terms, it, outcome) };
}

/** Take a column of a Cox model: its time is the outcome, and the event has a value that counts. */
const withTime = ({ terms }, name) => ({ outcome: { name, way: "" }, terms: replaced(terms, { name, way: "" }, null) });
const withEvent = ({ terms }, name, columns) =>
  ({ event: name, event_is: usualEvent(columns.get(name)), terms: replaced(terms, { name, way: "" }, null) });

/** Take another kind of model: levels that were the outcome, or a predictor, may be the event of a time. */
function withFamily(state, family, columns) {
  const { outcome, event, terms } = state;
  const isLevel = (it) => it?.way === "" && typeOf(columns.get(it.name)) === "level";
  if (family === "cox") {
    const found = isLevel(outcome) ? outcome : terms.flat().find(isLevel);
    return { family, outcome: isLevel(outcome) ? null : outcome, ...withEvent(state, found?.name ?? "", columns) };
  }
  const back = family === "logistic" && event ? { name: event, way: "" } : outcome;
  return { family, outcome: back, event: undefined, event_is: usualEvent(columns.get(back?.name)) };
}

/** What there is to choose. */
function partsOf({ columns: known }, columns, state, change) {
  const { family, outcome, event, terms, isChosen } = state;
  if (!isChosen) return [segOf("Model", FAMILIES, family, (it) => change({ family: it }, "")), h("p.soft", {}, OTHER)];
  const look = lookOf(known);
  const said = (term) => term.map((it) => [look.label(it.name), it.way && WAYS[it.way].says].filter(Boolean).join(", ")).join(" × ");
  const picked = (key, label, choices, chosen, pick) => {
    const { element } = choose({ label, choices, chosen, pick });
    element.dataset.key = key;
    return element;
  };
  const of = (fits) => columns.filter(fits).map(({ name }) => ({ name, label: look.full(name) }));
  const able = outcome ? OF_KIND[typeOf(known.get(outcome.name))] : Object.keys(FAMILIES);
  const taken = [outcome?.name, event, ...terms.filter((it) => it.length === 1).map(([it]) => it.name)];
  const pairs = pairsOf(terms).map((pair) => ({ name: pair.map(textOf).join(":"), label: said(pair), pair }));
  const row = (term) => h("li", {}, h("bdi", {}, term.length > 1 ? said(term) : look.label(term[0].name)),
    term.length === 1 && known.get(term[0].name)?.levels && againstOf(known.get(term[0].name), look, state, change),
    term.length === 1 && typeOf(known.get(term[0].name)) !== "level" && h("span", { "data-key": textOf(term[0]) },
      wayOf(term[0], `How ${look.label(term[0].name)} goes in`, Object.keys(WAYS), (it) => change({ terms: replaced(terms, term[0], it) }, textOf(it)))),
    h("button.ib", { type: "button", "aria-label": `Leave out ${said(term)}`,
      on: { click: () => change({ terms: term.length > 1 ? terms.filter((it) => it !== term) : replaced(terms, term[0], null) }, "add") } }, icon("x")));
  return [
    family === "cox"
      ? picked("time", "Time", of((it) => typeOf(it) === "number"), outcome?.name, (name) => change(withTime(state, name), "event"))
      : picked("outcome", "Outcome", of(() => true), outcome?.name, (name) => change(withOutcome(state, known.get(name)), "add")),
    segOf("Model", Object.fromEntries(Object.entries(FAMILIES).filter(([it]) => able.includes(it))), family,
      (it) => change(withFamily(state, it, known), "")),
    family === "linear" && outcome && h("label", { "data-key": "way" }, "The outcome goes in",
      wayOf(outcome, "The outcome goes in", ["", "log", "sqrt"], (it) => change({ outcome: it }, "way"))),
    family === "cox" && picked("event", "Event", of((it) => typeOf(it) !== "date" && it.name !== outcome?.name), event,
      (name) => change(withEvent(state, name, known), "add")),
    eventOf(known.get(EVENTS[family]?.(state)), state),
    terms.length > 0 && h("ul.terms", {}, terms.map(row)),
    picked("add", "Add a predictor", of((it) => !taken.includes(it.name)), "",
      (name) => change({ terms: [...terms, [{ name, way: "" }]].sort((a, b) => a.length - b.length) }, "add")),
    pairs.length > 0 && picked("product", "Add an interaction", pairs, "",
      (name) => change({ terms: [...terms, pairs.find((it) => it.name === name).pair] }, "product")),
  ];
}

/** The level of a column that its others are compared with. */
function againstOf({ name, levels }, look, { references = {} }, change) {
  const of = levels.map((value) => ({ value, says: `against ${value}` }));
  const pick = (level) => change({ references: { ...references, [name]: level } }, `against ${name}`);
  return h("span", { "data-key": `against ${name}` }, selectOf(`${look.label(name)} is compared with`, of, references[name] ?? levels[0], pick));
}

/** How a column goes into the model. */
const wayOf = (factor, label, ways, pick) =>
  selectOf(label, ways.map((value) => ({ value, says: WAYS[value].says })), factor.way, (way) => pick({ ...factor, way }));

/** Which of its values are the event. */
function eventOf(column, state) {
  if (!column) return null;
  const on = { input: ({ target }) => Object.assign(state, { event_is: target.value }) };
  const field = column.levels
    ? h("select", { on }, column.levels.map((it) => h("option", { value: it, selected: it === state.event_is }, it)))
    : h("input", { on, value: state.event_is, autocomplete: "off" });
  return h("label", {}, "The event is", field);
}
