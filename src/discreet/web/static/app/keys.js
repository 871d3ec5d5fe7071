/** What is pressed, typed and dragged anywhere on the page. */

import { opened } from "./boards.js";
import { close, isOpen, tip } from "./floating.js";
import { written } from "../rows/expressions/tokens.js";

/**
 * Listen to a page.
 * @param {object} acts - What each act does, as `actsOf` returns them.
 */
export function listen(host, board, acts) {
  host.addEventListener("click", (event) => {
    const target = event.target.closest("[data-act]");
    if (target && !target.disabled) acts[target.dataset.act]?.(target, event);
  });
  document.addEventListener("keydown", (event) => keyed(event, board, acts));
  dropping(board);
}

function keyed(event, board, acts) {
  if (!isOpen() && board.present.key(event)) return;
  const at = document.activeElement;
  const typing = at?.matches("input, select, textarea");
  if ((event.metaKey || event.ctrlKey) && event.key.toLowerCase() === "z" && !typing) {
    event.preventDefault();
    if (event.shiftKey) board.redo();
    else board.undo();
  } else if ((event.metaKey || event.ctrlKey) && event.key.toLowerCase() === "k") {
    event.preventDefault();
    acts.palette();
  } else if (event.key === "?" && !typing) acts.keys();
  else if (event.key === "/" && !typing) {
    event.preventDefault();
    if (innerWidth <= 820) document.body.classList.add("sheet");
    board.rail.find.focus();
  } else if (event.key === "Escape") escape(board, acts);
  else if (at === board.rail.find) inSearch(event);
  else if (at?.matches(".col")) inColumns(event, at, board);
  else if (at?.closest("#pop") && !typing && !at.matches(".rows")) inMenu(event, at);
  else if (event.key === "Enter" && (at === document.body || at === board.main)) {
    if (board.draft.length) document.querySelector(".dock .sug .main")?.click();
    else if (board.lights.kept()) board.keep();
  }
}

/** Escape closes one thing at a time: what lies on top. */
function escape(board, acts) {
  if (isOpen()) close();
  else if (document.body.classList.contains("sheet")) acts.sheet();
  else if (!board.drawer.hidden) acts["close-drawer"]();
  else if (board.lights.lit()) {
    board.lights.clear();
    tip(null);
  } else if (board.draft.length) acts.undraft();
}

function inSearch(event) {
  const first = document.querySelector(".col");
  if (event.key === "ArrowDown") first?.focus();
  else if (event.key === "Enter") first?.click();
  else return;
  event.preventDefault();
}

function inColumns(event, at, board) {
  const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
  if (!step) return;
  event.preventDefault();
  const all = [...document.querySelectorAll(".col")];
  (all[all.indexOf(at) + step] || (step < 0 ? board.rail.find : at)).focus();
}

function inMenu(event, at) {
  const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
  if (!step) return;
  event.preventDefault();
  const all = [...document.querySelectorAll("#pop button, #pop a")];
  all[(all.indexOf(at) + step + all.length) % all.length]?.focus();
}

/** Columns are dropped on a card, which takes them in, or beside the cards, for a new one. */
function dropping(board) {
  const { main } = board;
  const cardAt = (event) => board.cards.find((it) => it.element.contains(event.target));
  const mark = (card) =>
    board.cards.forEach((it) => it.element.classList.toggle("drop", it === card));
  main.addEventListener("dragover", (event) => {
    if (!["text/column", "Files"].some((it) => event.dataTransfer.types.includes(it))) return;
    event.preventDefault();
    mark(cardAt(event));
  });
  main.addEventListener("dragleave", () => mark(null));
  main.addEventListener("drop", (event) => {
    const [file] = event.dataTransfer.files;
    const column = event.dataTransfer.getData("text/column");
    if (file) {
      event.preventDefault();
      opened(board, file);
    }
    if (!column) return;
    event.preventDefault();
    mark(null);
    const card = cardAt(event);
    const { spec } = card || { spec: { columns: [] } };
    const names = [...new Set([...spec.columns, ...(spec.by || []), column])];
    const many = ["parallel", "correlations", "summary"].includes(spec.kind);
    const offers = board.offersFor(names);
    const offered = offers.find((it) => it.kind === spec.kind) || offers[0];
    const fitted = spec.kind === "model" && { ...spec, formula: `${spec.formula} + ${written(column)}` };
    const wanted = fitted || (many ? { ...spec, columns: names } : offered);
    if (!wanted) return;
    if (card) board.change(spec, { ...Object.fromEntries(Object.keys(spec).map((name) => [name, undefined])), ...wanted });
    else board.add(wanted);
  });
}
