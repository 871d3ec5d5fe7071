/** Every column as a small picture: the first thing that is seen of a study. */

import { lookOf } from "../draw/look.js";
import { drawPicture } from "../draw/picture.js";
import { kindFor } from "../kinds/index.js";
import { brushed } from "./brush.js";
import { h } from "./dom.js";
import { announce, tip } from "./floating.js";
import { icon } from "./icons.js";
import { typeOf } from "./offers.js";
import { walked } from "./walk.js";

/** @param {object} column - What is known of it. @returns {object} Its small picture. */
export function miniSpec(column) {
  return { kind: typeOf(column) === "level" ? "bars" : "histogram", columns: [column.name] };
}

/**
 * Make the small card of a column.
 * @returns {object} As a card: `element`, `spec`, `show(answer)`, `light(lit)`, `redraw()`.
 */
export function miniOf(board, column, spec) {
  const pic = h("div.pic");
  const foot = h("p.foot");
  const label = lookOf(board.columns).label(column.name);
  const element = h(
    "article.card.mini",
    { "data-column": column.name },
    h(
      "header",
      {},
      icon(typeOf(column)),
      h("h2", {}, label, " ", h("span.soft", {}, column.unit || "")),
      h("span.tick", {}, icon("plus"), icon("check")),
    ),
    h("button.pick", { "data-act": "pick", "data-column": column.name, "aria-pressed": "false", "aria-label": `Choose ${label}` }),
    pic,
    foot,
  );
  const small = smallIn(board, pic, spec, () => {
    const svg = pic.querySelector("svg");
    svg.removeAttribute("aria-hidden");
    svg.setAttribute("tabindex", "0");
    svg.setAttribute("role", "group");
    svg.setAttribute("aria-label", `${label}. Arrow keys walk through it.`);
    brush.again();
  });
  const brush = brushed(pic, small.drawn, board, { tip, announce });
  walked(pic, small.drawn, board.lights, { tip, announce, opens: () => {}, only: (light) => board.only(light), keep: () => board.keep() });
  return {
    element,
    spec,
    pic,
    ...small,
    show(given) {
      foot.replaceChildren(...footOf(column, given, board));
      small.show(given);
      if (!given.view) pic.replaceChildren(h("p.soft", {}, given.refused?.says || "Choose it to draw it."));
    },
    light(found, rows) {
      brush.lit(rows);
      small.drawn()?.light(found);
    },
    canLight: () => Boolean(small.drawn()),
  };
}

/** Draw a small picture: once there is a view, and again in another size; `after` hears of each time. */
export function smallIn(board, pic, spec, after = () => {}) {
  let [view, drawn, size] = [null, null, ""];
  const sizeNow = () => `${pic.clientWidth} ${pic.clientHeight}`;
  const redraw = () => {
    if (!view || !pic.clientWidth) return;
    drawn = drawPicture(pic, kindFor(spec), view, lookOf(board.columns, { dark: board.isDark(), mini: true, spec }));
    size = sizeNow();
    after();
  };
  return {
    redraw,
    drawn: () => drawn,
    resized: () => sizeNow() !== size && redraw(),
    show(answer) {
      view = answer.view;
      redraw();
    },
  };
}

function footOf(column, { view, quartiles }, board) {
  if (!view) return [h("span", {}, "not drawn yet")];
  const levels = view.levels?.length;
  const middle = levels ? `${levels} ${levels === 1 ? "level" : "levels"}` : middleHalf(column, quartiles, board);
  const shown = view.shown ?? view.origin?.shown;
  const total = view.origin?.total ?? board.partSize().size;
  const missing = shown < total ? 1 - shown / total : 0;
  return [
    h("span", {}, middle),
    h("span", {}, missing > 0.005 ? `${Math.round(100 * missing)} % missing` : ""),
  ];
}

/** Where the middle half of the rows lies; of a picture of the server that is not known. */
function middleHalf({ name }, quartiles, board) {
  if (!quartiles) return "";
  const look = lookOf(board.columns);
  const isWhole = look.isDate(name) || look.isWhole(name);
  const said = quartiles.map(isWhole ? Math.round : (it) => Number(it.toPrecision(3)));
  return `middle half ${look.between(name, ...said)}`;
}
