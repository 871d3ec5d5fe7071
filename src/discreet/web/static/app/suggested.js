/** Pictures that are suggested above the columns: each with a sentence; a press makes the card. */

import { lookOf } from "../draw/look.js";
import { drawPicture } from "../draw/picture.js";
import { kindFor } from "../kinds/index.js";
import { h } from "./dom.js";
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
  const kind = kindFor(spec);
  const title = titleOf(spec, lookOf(board.columns));
  const pic = h("div.pic.busy", { "aria-hidden": "true" });
  const element = h("article.card.first", {},
    h("header", {}, h("h2", {}, title)),
    pic,
    h("p.says", {}, says),
    h("button.pick", { "data-act": "make", "data-spec": JSON.stringify(spec), "aria-label": `Draw ${title}` }));
  let view = null;
  let size = "";
  const redraw = () => {
    if (!view || !pic.clientWidth) return;
    drawPicture(pic, kind, view, lookOf(board.columns, { dark: board.isDark(), mini: true, spec }));
    size = `${pic.clientWidth} ${pic.clientHeight}`;
  };
  return {
    element,
    spec,
    redraw,
    resized: () => `${pic.clientWidth} ${pic.clientHeight}` !== size && redraw(),
    show(answer) {
      pic.classList.remove("busy");
      element.hidden = !answer.view;
      view = answer.view;
      redraw();
    },
    light: () => {},
    canLight: () => false,
  };
}
