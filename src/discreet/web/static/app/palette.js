/** One field that finds everything by its name: what can be done, columns, pictures, filters; and the keys. */

import { lookOf } from "../draw/look.js";
import { choose } from "./choose.js";
import { inWords } from "./condition-words.js";
import { fill, h } from "./dom.js";
import { open } from "./floating.js";
import { hasTable } from "./rows-table.js";
import { titleOf } from "./words.js";

/** What can be done from anywhere, by its act; what is not on this page is left out. */
const DONE = {
  filter: "Add a filter",
  "new-column": "Add a column",
  model: "A model: outcome and predictors",
  rows: "The rows as a table",
  undo: "Undo",
  redo: "Redo",
  boards: "Boards: name, keep, open",
  text: "Add a text",
  present: "Present the cards",
  share: "Copy the link to this board",
  theme: "Light or dark",
  rail: "Hide or show the columns",
  outputs: "Your outputs",
  questions: "Your questions",
  keys: "Keys",
};

const KEYS = [
  ["Ctrl K", "Find anything"],
  ["/", "Find a column"],
  ["?", "This list"],
  ["← → ↑ ↓", "Walk through a picture, the columns or a menu"],
  ["Enter", "Keep the highlight; draw the first picture offered"],
  ["Escape", "Close what is open, then clear the highlight"],
  ["Ctrl Z", "Undo, with Shift redo"],
];

const anchor = () => document.querySelector(".tools [data-act=palette]");

/** Open the field. @param {object} acts - As `actsOf` returns them. */
export function openPalette(board, acts) {
  const all = [...doneOf(board, acts), ...cardsOf(board), ...filtersOf(board), ...columnsOf(board, acts), ...picturesOf(board)];
  const choices = all.map(({ label, more }, i) => ({ name: String(i), label, more }));
  const pick = (place) => {
    document.getElementById("pop").hidePopover();
    all[Number(place)].run();
  };
  const found = choose({ label: "Find anything", choices, pick, placeholder: "A column, a plot, a filter, something to do" });
  open(anchor(), h("div.form.palette", {}, found.element), 440, "Find anything");
  found.open();
}

function doneOf(board, acts) {
  const able = { filter: board.rows, "new-column": board.rows, model: board.hasModels, rows: hasTable(board), undo: board.canUndo(), redo: board.canRedo(), outputs: board.isServed, questions: board.isServed, text: true, present: !board.isOverview() };
  const onPage = (act) => able[act] ?? (act === "keys" || document.querySelector(`.tools [data-act=${act}]`));
  const target = (act) => document.querySelector(`[data-act=${act}]`) || anchor();
  return Object.entries(DONE).filter(([act]) => onPage(act)).map(([act, label]) => ({ label, more: "", run: () => acts[act](target(act)) }));
}

const cardsOf = (board) =>
  board.cards.map((card) => ({ label: card.title, more: "go to", run: () => card.element.focus() }));

function filtersOf(board) {
  const columns = [...board.columns.values()];
  const chip = (i) => document.querySelector(`[data-act=edit-filter][data-place="${i}"]`);
  return board.state().where.map((text, i) =>
    ({ label: inWords(columns, text, lookOf(board.columns)), more: "filter", run: () => chip(i).click() }));
}

function columnsOf(board, acts) {
  const look = lookOf(board.columns);
  return [...board.columns.keys()].map((column) =>
    ({ label: look.full(column), more: board.draft.includes(column) ? "leave out" : "choose", run: () => acts.pick({ dataset: { column } }) }));
}

/** Pictures of the chosen columns; where none is chosen, of each. */
function picturesOf(board) {
  const look = lookOf(board.columns);
  const of = board.draft.length ? [board.draft] : [...board.columns.keys()].map((name) => [name]);
  return of.flatMap((names) => board.offersFor(names)).map((spec) => ({ label: titleOf(spec, look), more: board.nameOf(spec.kind), run: () => board.add(spec) }));
}

/** Open the list of keys. */
export function openKeys() {
  const list = h("dl.keys", {});
  fill(list, KEYS.flatMap(([key, does]) => [h("dt", {}, key.split(" ").map((it) => h("kbd", {}, it))), h("dd", {}, does)]));
  open(anchor(), h("div.form", {}, h("h2", { tabindex: -1, autofocus: true }, "Keys"), list), 380, "Keys");
}
