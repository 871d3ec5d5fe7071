/** The menu of a card: other kinds, panels, copies, files, and taking it away. */

import { lookOf } from "../draw/look.js";
import { ASKED } from "./ask-data.js";
import { h } from "./dom.js";
import { icon } from "./icons.js";
import { allOffers, canDivide, typeOf } from "./offers.js";
import { writtenSpec } from "./state.js";

const DIVIDED = ["histogram", "scatter", "heatmap", "density", "ecdf", "survival", "contour"];

/** Return what stands in the menu of a card. */
export function menuOf(board, card) {
  const { spec } = card;
  return [
    ...kinds(board, spec),
    ...panels(board, spec),
    item("duplicate", "Duplicate"),
    item("widen", spec.wide ? "Narrower" : "Wider"),
    item("earlier", "Move earlier"),
    item("later", "Move later"),
    h("hr"),
    ...saving(board, card),
    board.isServed && card.answer()?.view && item("hand-in", "Hand in to the checker…"),
    board.isServed && ASKED.includes(spec.kind) && item("ask-data", "Ask the data…"),
    board.isServed && item("link", "Copy link to this picture"),
    h("hr"),
    item("remove", "Remove"),
  ];
}

const item = (act, words) => h("button.it", { "data-act": act }, words);

function choices(title, list) {
  return [h("div.hd", {}, title), h("div.row4", {}, list), h("hr")];
}

function kinds(board, spec) {
  if (spec.formula) return [];
  const names = [...new Set([...spec.columns, ...(spec.by || [])])];
  const found = allOffers(names, board.columns).filter((it) => board.allows(it));
  if (found.length < 2) return [];
  const now = writtenSpec({ ...spec, wide: undefined, answer: undefined });
  return choices(
    "Change kind",
    found.map((it) =>
      h(
        "button.btn",
        { "data-act": "turn", "data-spec": JSON.stringify(it), "aria-pressed": String(writtenSpec({ ...it, wide: undefined }) === now) },
        icon(it.kind),
        board.nameOf(it.kind) + (it.kind === "histogram" && it.by && !it.overlay ? "s" : ""),
      ),
    ),
  );
}

function panels(board, spec) {
  if (!DIVIDED.includes(spec.kind) || (spec.by || []).length > 1) return [];
  const look = lookOf(board.columns);
  const fit = [...board.columns.values()]
    .filter((it) => typeOf(it) === "level" && it.levels && canDivide(it) && !spec.columns.includes(it.name))
    .map((it) => it.name);
  if (!fit.length) return [];
  const chosen = (event) => {
    const name = fit[event.target.selectedIndex - 1];
    board.change(spec, { by: name === undefined ? undefined : [name] });
  };
  const one = (name, words) => h("option", { selected: name === spec.by?.[0] }, words);
  return choices("For each level of", [
    h("select", { "aria-label": "For each level of", on: { change: chosen } }, one(undefined, "nothing"),
      fit.map((name) => one(name, look.label(name)))),
  ]);
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
