/** A card that holds words alone. */

import { h } from "./dom.js";
import { icon } from "./icons.js";

/** @returns {object} As `cardOf` does, of a picture that there is not. */
export function textCard(spec) {
  const title = spec.title || "Text";
  const none = () => {};
  return {
    element: h("article.card.text", { "aria-label": title, class: spec.wide ? "card text wide" : "card text", tabindex: -1 },
      h("header", {}, h("h2", {}, title),
        h("button.ib", { "data-act": "menu", title: "More for this text", "aria-label": "More for this text", "aria-haspopup": "menu" }, icon("more"))),
      h("p.note", {}, spec.note || "")),
    spec,
    title,
    ...{ show: none, light: none, redraw: none, resized: none },
    asked: () => spec,
    answer: () => null,
    canLight: () => false,
  };
}
