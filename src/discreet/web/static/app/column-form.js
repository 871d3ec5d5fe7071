/** The form of a new column: a logarithm, categories, a ratio, or an expression that is written. */

import { lookOf, whole } from "../draw/look.js";
import { choose } from "./choose.js";
import { fill, h } from "./dom.js";
import { checked, expressionField } from "./expression-field.js";
import { canBeWritten, cutsTyped, equalCuts, freeName, groupsOf, logOf, ratioOf } from "./expression-texts.js";
import { segOf, settled } from "./form-parts.js";
import { typeOf } from "./offers.js";
import { miniSpec } from "./overview.js";
import { spark } from "./spark.js";

const WAYS = { log: "Logarithm", groups: "Categories", ratio: "Ratio", own: "Your own" };
const BASES = { 10: "10", 2: "2", e: "e" };
const GROUPS = { 3: "3", 4: "4", 5: "5", cuts: "At cuts" };
const BINS = 100;

/**
 * @param {number} [place] - Among the new columns, of one that is changed: its name stays.
 */
export function columnForm(board, done, place = board.part.assign.length) {
  const { where, assign } = board.part;
  // What is there before the column is: a filter on it would not be.
  const part = { where: place < assign.length ? [] : where, assign: assign.slice(0, place) };
  const [kept, before] = assign[place] || ["", ""];
  const later = new Set(assign.slice(place).map(([it]) => it));
  const columns = [...board.columns.values()].filter((it) => !later.has(it.name));
  const isTaken = (it) => it !== kept && board.columns.has(it);
  const numbers = columns.filter((it) => canBeWritten(it) && typeOf(it) !== "level");
  const state = startOf(board, numbers, before);
  const body = h("div.body");
  const small = h("div.small");
  const says = h("p.soft.fits", { role: "status" });
  const name = h("input", { name: "name", required: true, autocomplete: "off", maxlength: 100, value: kept, readonly: kept !== "" });
  const form = h("form.form", {}, body, small, says, h("label", {}, "Its name", name),
    h("button.btn.main", {}, kept ? "Change the column" : "Add the column"));
  let isNamed = kept !== "";
  let refused = ""; // why the button did nothing, until something is changed
  let pressed = 0;

  const show = settled(async (stays) => {
    const made = await madeOf(board, state, part);
    if (!stays()) return;
    const { view, words } = await pictureOf(board, columns, made, part);
    if (!stays()) return;
    small.innerHTML = view ? spark(view) : "";
    says.textContent = refused || words;
  }, board.failed);
  const changed = () => {
    refused = "";
    pressed += 1;
    show();
  };
  const change = (given) => {
    Object.assign(state, given);
    fill(body, partsOf(board, columns, numbers, state, change));
    const again = [...body.querySelectorAll(".choice")].find((it) => it.firstChild.textContent === given.again);
    again?.querySelector("input").focus();
    const called = nameOf(state);
    if (!isNamed) name.value = called && freeName(called, isTaken);
    body.querySelector("textarea")?.addEventListener("input", (event) => {
      state.text = event.target.value;
    });
    changed();
  };

  name.addEventListener("input", () => {
    isNamed = name.value !== "";
  });
  form.addEventListener("input", changed);
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    pressed += 1;
    const mine = pressed;
    const add = (found) => {
      if (mine !== pressed) return;
      refused = wrongOf(isTaken, columns, found, name.value.trim());
      if (refused) says.textContent = refused;
      else done(name.value.trim(), found.text);
    };
    madeOf(board, state, part).then(add, board.failed);
  });
  change({});
  return form;
}

function startOf(board, numbers, text) {
  const plain = numbers.filter((it) => typeOf(it) === "number");
  const chosen = board.draft.filter((it) => plain.some(({ name }) => name === it));
  const [of, to] = [...new Set([...chosen, ...plain.map((it) => it.name)])];
  const way = plain.length && !text ? "log" : "own";
  return { way, of, to: to || of, base: "10", groups: "3", typed: "", text };
}

/** What there is to choose, by the way in which a column is made. */
function partsOf(board, columns, numbers, state, change) {
  const { way, groups } = state;
  const look = lookOf(board.columns);
  const pickOf = (label, key) => {
    const some = numbers.filter((it) => way === "groups" || typeOf(it) === "number");
    if (!some.some((it) => it.name === state[key])) state[key] = some[0]?.name ?? "";
    const choices = some.map(({ name }) => ({ name, label: look.full(name) }));
    return choose({ label, choices, chosen: state[key], pick: (name) => change({ [key]: name, again: label }) }).element;
  };
  const seg = (label, key, ways) => segOf(label, ways, state[key], (value) => change({ [key]: value }));
  const shown = {
    log: () => [pickOf("Logarithm of", "of"), seg("Base", "base", BASES)],
    groups: () => [pickOf(groups === "cuts" ? "Groups of" : "Groups of about equal size, of", "of"),
      seg("Groups", "groups", GROUPS), groups === "cuts" && cutsOf(state, board.columns.get(state.of))],
    ratio: () => [pickOf("Ratio of", "of"), pickOf("to", "to")],
    own: () => [expressionField(columns, "Expression", state.text, (it) => checked(columns, it).wrong).element],
  };
  return [seg("How it is made", "way", WAYS), ...shown[way]()];
}

function cutsOf(state, { dates }) {
  const field = h("input", { value: state.typed, placeholder: dates ? "2019-01-01, 2020-01-01" : "40, 60", autocomplete: "off" });
  field.addEventListener("input", () => {
    state.typed = field.value;
  });
  return h("label", {}, "Cut at", field);
}

/** A name for what is chosen; it needs no rows, so it is there at once. */
function nameOf({ way, of, to, base }) {
  if (way === "own" || !of) return "";
  if (way === "log") return logOf(of, base).name;
  return way === "ratio" ? ratioOf(of, to).name : groupsOf(of, []).name;
}

/** The expression that is chosen. */
async function madeOf(board, { way, of, to, base, groups, typed, text }, part) {
  if (way === "own") return { text: text.trim() };
  if (way === "log") return logOf(of, base);
  if (way === "ratio") return ratioOf(of, to);
  const { dates } = board.columns.get(of);
  if (groups === "cuts") {
    const { cuts, wrong } = cutsTyped(typed, dates);
    const says = `“${wrong}” is no ${dates ? "date" : "number"} above the one before it.`;
    return { ...groupsOf(of, cuts), wrong: wrong && says };
  }
  const [{ view, refused }] = await board.rows.views(part, [{ kind: "histogram", columns: [of], bins: BINS }]);
  if (!view) return { text: "", wrong: refused.says };
  const cuts = equalCuts(view, Number(groups));
  return groupsOf(of, dates ? cutsTyped(daysOf(cuts), true).cuts : cuts);
}

const daysOf = (cuts) => cuts.map((it) => new Date(it * 86_400_000).toISOString().slice(0, 10)).join(" ");

function wrongOf(isTaken, columns, made, name) {
  if (made.wrong) return made.wrong;
  if (!made.text) return "Say what the column is made of.";
  if (isTaken(name)) return `There is a column “${name}”; choose another name.`;
  return checked(columns, made.text).wrong?.says || "";
}

/** A small picture of the column, and what it holds. */
async function pictureOf(board, columns, made, { where, assign }) {
  const { kind, wrong } = made.text && !made.wrong ? checked(columns, made.text) : {};
  if (!kind) return { words: made.wrong || (wrong ? "" : "Say what the column is made of.") };
  const name = freeName("new", (it) => board.columns.has(it));
  const part = { where, assign: [...assign, [name, made.text]] };
  const spec = miniSpec({ name, kind: kind === "truth" ? "level" : kind });
  try {
    const [{ view, refused }] = await board.rows.views(part, [spec]);
    return { view, words: view ? saidOf(view, kind, (await board.rows.part(part)).size) : refused.says };
  } catch (error) {
    if (!error.where) throw error;
    return { words: error.message };
  }
}

function saidOf({ levels, edges, shown }, kind, size) {
  const look = lookOf(new Map([["new", { dates: kind === "date" }]]));
  const missing = shown < size ? `; ${whole(size - shown)} rows have none` : "";
  if (levels) return levels.join(" · ");
  return `${look.say("new", edges[0])} to ${look.say("new", edges.at(-1))}${missing}`;
}
