/** The frame of the page: the bar at the top, the rail, the board, and what floats above. */

import { drawnAs, fill, h } from "./dom.js";
import { floating } from "./floating.js";
import { icon } from "./icons.js";

const MARK =
  '<svg viewBox="0 0 24 24" aria-hidden="true"><rect x="2.5" y="12" width="4" height="9" rx="1"/><rect x="8" y="4" width="4" height="17" rx="1"/><rect x="13.5" y="8" width="4" height="13" rx="1"/><path d="M19 16.8h4v1.4h-4zM19 19.8h4v1.4h-4z"/></svg>';
const TOOLS = [
  ["rail", "side", "Hide or show the columns"],
  ["palette", "find", "Find anything (Ctrl K)"],
  ["undo", "undo", "Undo"],
  ["redo", "redo", "Redo"],
  ["studies", "crosstab", "Which study has which column"],
  ["boards", "boards", "Boards: name, keep, open"],
  ["share", "link", "Copy the link to this board"],
  ["theme", "theme", "Light or dark"],
  ["who", "user", "Your token"],
];

/**
 * Put the frame of a page into an element.
 * @param {object} says - `study`, `version`, `promise` with its `sign`; `tools` that there are.
 * @returns {object} `main`, `dock`, `drawer`, `app`.
 */
export function framed(host, rail, { study, version, promise, sign = "shield", tools }) {
  const main = h("main", { id: "board", tabindex: -1, "aria-label": "Pictures" });
  const dock = h("section.dock", { "aria-label": "New picture", hidden: true });
  const drawer = h("aside.drawer", { "aria-label": "About this picture", hidden: true });
  const app = h("div.app", {}, rail, main);
  fill(
    host,
    h("nav", { "aria-label": "Skip" },
      h("a.skip", { href: "#", "data-act": "skip", "data-to": "find" }, "Skip to the columns"),
      h("a.skip", { href: "#", "data-act": "skip", "data-to": "board" }, "Skip to the pictures"),
    ),
    h("header.top", {},
      h("div.brand", {}, drawnAs(MARK), h("span", {}, "discreet")),
      h("span.bar1"),
      h("h1", {}, h("bdi", {}, study), " ", h("span", {}, version)),
      h("p.promise", {}, icon(sign), h("span", {}, promise)),
      h("div.tools", {},
        TOOLS.filter(([act]) => tools.includes(act)).map(([act, name, label]) =>
          h("button.ib", { "data-act": act, title: label, "aria-label": label }, icon(name)),
        ),
      ),
    ),
    app,
    dock,
    h("button.btn.main.opens", { "data-act": "sheet" }, icon("plus"), "Columns"),
    h("button.veil", { "data-act": "sheet", "aria-label": "Close the columns" }),
    drawer,
    floating(),
  );
  return { main, dock, drawer, app };
}
