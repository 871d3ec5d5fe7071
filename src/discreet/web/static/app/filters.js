/** The filters of a board as chips: each holds, or is switched off and stays where it is. */

import { lookOf } from "../draw/look.js";
import { inWords } from "./condition-words.js";
import { h } from "./dom.js";
import { icon } from "./icons.js";

/**
 * Return all filters of a state in their order.
 * @returns {{text: string, on: boolean}[]} Those that are not `on` choose no rows.
 */
export function filtersOf({ where, off }) {
  const all = where.map((text) => ({ text, on: true }));
  for (const [place, text] of off) all.splice(place, 0, { text, on: false });
  return all;
}

/** Change the filters of a state, as `filtersOf` returns them; none stands there twice. */
export function changeFilters(state, change) {
  const all = filtersOf(state);
  const changed = change(all) || all;
  const kept = changed.filter((it, i) => changed.findIndex((one) => one.text === it.text) === i);
  state.where = kept.filter((it) => it.on).map((it) => it.text);
  state.off = kept.flatMap(({ text, on }, place) => (on ? [] : [[place, text]]));
}

/** Add filters to a state; one that was switched off holds again. */
export const addFilters = (state, texts) => changeFilters(state, (all) => {
  for (const text of texts) {
    const known = all.find((it) => it.text === text);
    if (known) known.on = true;
    else all.push({ text, on: true });
  }
});

/** Return the chips of a state's filters, and the button for another. */
export const filterChips = (board, state) =>
  h("div.where.chips", { role: "group", "aria-label": "Filters" },
    filtersOf(state).map((it, place) => chipOf(board, it, place)),
    board.rows && h("button.txt", { "data-act": "filter", "aria-haspopup": "dialog" }, "+ Filter"));

function chipOf(board, { text, on }, place) {
  const words = inWords([...board.columns.values()], text, lookOf(board.columns));
  const at = { "data-place": place };
  return h("span.chip", { class: on ? "chip" : "chip off" },
    h("input", { type: "checkbox", checked: on, "data-act": "switch-filter", ...at, "aria-label": `Filter ${words}`, title: on ? "Switch off" : "Switch on" }),
    h("button.says", { "data-act": "edit-filter", ...at, "aria-haspopup": "dialog", title: text }, h("bdi", {}, words)),
    h("button.ib", { "data-act": "unfilter", ...at, "aria-label": `Remove the filter ${words}` }, icon("x")));
}
