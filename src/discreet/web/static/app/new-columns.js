/** New columns as chips, and what goes when one of them does. */

import { h } from "./dom.js";
import { checked } from "./expression-field.js";
import { changeFilters } from "./filters.js";
import { icon } from "./icons.js";

/** @returns {Node[]} A chip for each new column, which can be pressed to change it. */
export const columnChips = (assign) =>
  assign.map(([name, text], place) =>
    h("span.chip", {},
      h("button.says", { "data-act": "edit-column", "data-place": place, "aria-haspopup": "dialog", title: text }, h("bdi", {}, name)),
      h("button.ib", { "data-act": "drop-column", "data-place": place, "aria-label": `Remove the column ${name}` }, icon("x"))));

/** Take a new column out of a state, and all that rests on it: columns, filters and cards. */
export function dropColumn(state, place, columns) {
  const gone = new Set([state.assign[place][0]]);
  const rests = (text) => (checked(columns, text).names || []).some((it) => gone.has(it));
  state.assign = state.assign.filter(([name, text], at) => {
    const goes = at === place || rests(text);
    if (goes) gone.add(name);
    return !goes;
  });
  changeFilters(state, (all) => all.filter((it) => !rests(it.text)));
  state.cards = state.cards.filter(({ kind, ...spec }) =>
    !Object.values(spec).flat().some((it) => gone.has(it)));
}
