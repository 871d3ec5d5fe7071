/** Boards with a name: kept on the server by who made them, as a file, and in the address. */

import { fill, h, handOver } from "./dom.js";
import { close, notice } from "./floating.js";
import { icon } from "./icons.js";
import { EMPTY, read, written } from "./state.js";
import { writtenName } from "./words.js";

export const LONGEST = { title: 120, note: 1000 };
const MOST_BYTES = 100_000;

/** A field of a form, with its words. */
const field = (label, given, tag = "input") => h("label", {}, label, h(tag, { autocomplete: "off", ...given }));

/** The form of a card's title and note. @param {(words: {title: string, note: string}) => void} done */
export function wordsForm({ kind, title = "", note = "" }, usual, done) {
  const form = h("form.form", {},
    field("Title", { name: "title", maxlength: LONGEST.title, value: title, placeholder: usual }),
    field(kind === "text" ? "Text" : "Note", { name: "note", rows: 5, maxlength: LONGEST.note }, "textarea"),
    h("button.btn.main", {}, "Write it"));
  form.elements.note.value = note;
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    done({ title: form.elements.title.value.trim(), note: form.elements.note.value.trim() });
  });
  return form;
}

/** The form by which a board is named, kept and opened again. */
export function boardsForm(board) {
  const list = h("ul.kept");
  const name = field("Name of this board", { name: "name", required: true, maxlength: LONGEST.title, value: board.state().name });
  const picked = h("input.unseen", { type: "file", accept: ".json,application/json", tabindex: -1, "aria-hidden": "true" });
  const form = h("form.form", {}, name,
    h("div.row4", {},
      board.isServed && h("button.btn.main", { value: "server" }, "Keep it"),
      h("button.btn", { class: board.isServed ? "btn" : "btn main", value: "file" }, "Save as a file"),
      h("button.btn", { type: "button", on: { click: () => picked.click() } }, "Open a file"), picked),
    board.isServed && h("p.soft", {}, "You open it again with the same token. The custodian can read it in the record."), list);
  picked.addEventListener("change", () => opened(board, picked.files[0]));
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    const called = form.elements.name.value.trim();
    if (!called) return;
    const way = event.submitter?.value;
    board.commit((state) => {
      state.name = called;
    });
    close();
    const state = written(board.state());
    if (way === "file") handOver(new Blob([JSON.stringify({ board: called, study: board.facts.study, state })], { type: "application/json" }), `${writtenName(called)}.json`);
    else board.server.keepBoard(called, state).then(() => notice(`Kept “${called}”.`), board.failed);
  });
  const show = (kept) => fill(list, kept.map((it) => h("li", {},
    h("button.it", { type: "button", on: { click: () => openBoard(board, it.state) } }, h("bdi", {}, it.name)),
    h("button.ib", { type: "button", "aria-label": `Delete ${it.name}`, on: { click: () => board.server.keepBoard(it.name, "").then(show, board.failed) } }, icon("x")))));
  if (board.isServed) board.server.boards().then(show, board.failed);
  return form;
}

/** Show a board that was kept, as a step that can be undone. */
export function openBoard(board, text) {
  close();
  board.commit((state) => Object.assign(state, EMPTY, read(text)));
}

/** Open a board that was saved as a file. */
export async function opened(board, file) {
  try {
    if (file.size > MOST_BYTES) throw new Error("too large");
    const { state } = JSON.parse(await file.text());
    if (typeof state !== "string") throw new Error("no state");
    openBoard(board, state);
  } catch {
    board.failed(new Error("This file holds no board. Open a .json file that was saved by “Save as a file”."));
  }
}
