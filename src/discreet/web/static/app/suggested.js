/** Pictures that are suggested above the columns: each with a sentence; a press makes the card. */

import { lookOf } from "../draw/look.js";
import { h } from "./dom.js";
import { smallIn } from "./overview.js";
import { titleOf } from "./words.js";

/** @returns {object[]} What is suggested of all rows; of a part nothing is, as sentences are of all. */
export const suggestionsFor = (board, { where }) =>
  where.length ? [] : (board.facts.suggestions || []).filter(({ spec }) => board.allows(spec));

/**
 * Make a picture that is suggested.
 * @param {{spec: object, says: string}} given - As the study's facts have it.
 * @returns {object} As a small picture of a column: `element`, `spec`, `show(answer)`, `redraw()`.
 */
export function suggestedOf(board, { spec, says }) {
  const title = titleOf(spec, lookOf(board.columns));
  const pic = h("div.pic.busy", { "aria-hidden": "true" });
  const element = h("article.card.first", {},
    h("header", {}, h("h2", {}, title)),
    pic,
    h("p.says", {}, says),
    h("button.pick", { "data-act": "make", "data-spec": JSON.stringify(spec), "aria-label": `Draw ${title}` }));
  const small = smallIn(board, pic, spec);
  return {
    element,
    spec,
    ...small,
    show(answer) {
      pic.classList.remove("busy");
      element.hidden = !answer.view;
      small.show(answer);
    },
    light: () => {},
    canLight: () => false,
  };
}
