/** The menu of a card: other kinds, panels, copies, files, and taking it away. */

import { lookOf } from "../draw/look.js";
import { ASKED } from "./ask-data.js";
import { choose } from "./choose.js";
import { h } from "./dom.js";
import { icon } from "./icons.js";
import { canDivide, typeOf } from "./offers.js";
import { bareSpec, writtenSpec } from "./state.js";

const DIVIDED = ["histogram", "scatter", "heatmap", "density", "ecdf", "survival", "contour"];

/** Return what stands in the menu of a card. */
export function menuOf(board, card) {
  const { spec } = card;
  const arranging = [["widen", spec.wide ? "Narrower" : "Wider"], ["earlier", "Earlier"], ["later", "Later"], ["duplicate", "Duplicate"]];
  return [
    item("words", spec.kind === "text" ? "Title and text…" : "Title and note…"),
    spec.kind !== "text" && kindsOf(board, spec).length > 0 && h("button.it", { "data-act": "kinds", "aria-haspopup": "dialog" }, "Change kind…"),
    h("div.row4", { role: "group", "aria-label": "Arrange" }, arranging.map(([act, words]) => h("button.btn", { "data-act": act }, words))),
    h("hr"),
    ...saving(board, card),
    board.isServed && card.answer()?.view && item("hand-in", "Hand in to the checker…"),
    board.isServed && ASKED.includes(spec.kind) && item("ask-data", "Ask the data…"),
    spec.kind !== "text" && board.isServed && item("link", "Copy link to this picture"),
    h("hr"),
    item("remove", "Remove"),
  ];
}

/** Return the other kinds of a card's columns, and what may divide it. */
export const kindsOf = (board, spec) => [...kinds(board, spec), ...panels(board, spec)];

const item = (act, words) => h("button.it", { "data-act": act }, words);

function kinds(board, spec) {
  if (spec.formula) return [];
  const names = [...new Set([...spec.columns, ...(spec.by || [])])];
  const found = board.offersFor(names);
  if (found.length < 2) return [];
  const now = writtenSpec(bareSpec(spec));
  return [h("div.hd", {}, "Change kind"), ...found.map((it) =>
    h(
      "button.it",
      { "data-act": "turn", "data-spec": JSON.stringify(it), "aria-pressed": String(writtenSpec({ ...it, wide: undefined }) === now) },
      icon(it.kind),
      board.nameOf(it.kind) + (it.kind === "histogram" && it.by && !it.overlay ? "s" : ""),
    ))];
}

function panels(board, spec) {
  if (!DIVIDED.includes(spec.kind) || (spec.by || []).length > 1) return [];
  const look = lookOf(board.columns);
  const choices = [...board.columns.values()]
    .filter((it) => typeOf(it) === "level" && it.levels && canDivide(it) && !spec.columns.includes(it.name))
    .map((it) => ({ name: it.name, label: look.label(it.name) }));
  if (!choices.length) return [];
  const pick = (name) => board.change(spec, { by: name ? [name] : undefined });
  const all = [{ name: "", label: "nothing" }, ...choices];
  return [h("div.form", {}, choose({ label: "For each level of", choices: all, chosen: spec.by?.[0] ?? "", pick }).element)];
}

function saving(board, card) {
  if (!card.answer()?.view) return [];
  const one = (form) => h("button.btn", { "data-act": "save", "data-form": form, "aria-label": `Save as ${form}` }, form);
  return [
    h("div.hd", {}, "Save"),
    h("div.row4", {}, board.formsOf(card).map(one)),
    !board.isServed && h("p.hd", {}, "No server seals these files."),
  ];
}
