/** What stands above the pictures of a board: its name, which rows, what can be done. */

import { whole } from "../draw/look.js";
import { h } from "./dom.js";
import { filterChips } from "./filters.js";
import { icon } from "./icons.js";
import { hasTable } from "./rows-table.js";

/** @returns {string} What is seen, in a few words. */
export function headOf(board) {
  const { size, total } = board.partSize();
  if (!total) return "Every column at a glance";
  return size === total ? `All ${whole(total)} rows` : `${whole(size)} of ${whole(total)} rows`;
}

/** The line above the pictures. */
export function head(board, state, overview) {
  const pictures = state.cards.length;
  return h(
    "div.bhead",
    {},
    pictures > 0 &&
      h("span.seg.big", { role: "group", "aria-label": "Show" },
        h("button", { "data-act": "show", "data-show": "overview", "aria-pressed": String(overview) }, "Overview"),
        h("button", { "data-act": "show", "data-show": "", "aria-pressed": String(!overview) }, `Pictures · ${pictures}`)),
    state.name && h("h2.named", {}, h("bdi", {}, state.name)),
    h("p.say", {}, h("b", {}, hasTable(board) ? h("button.txt", { "data-act": "rows", "aria-haspopup": "dialog", title: "The rows as a table" }, headOf(board)) : headOf(board)), overview && " · Point at a bar to see the same rows everywhere; choose columns to make a picture."),
    filterChips(board, state),
    h("span", {}, h("button.txt", { "data-act": "text" }, "+ Text"), pictures > 0 && h("button.txt", { "data-act": "present" }, "Present")),
    !overview && abreastOf(state),
  );
}

/** What is suggested, above the columns. */
export const firstsOf = (firsts) =>
  h("section.firsts", { "aria-labelledby": "firsts" },
    h("h2", { id: "firsts" }, "To look at first ", h("small.soft", {}, "chosen by rule from the copy’s rows")),
    h("div.strip", {}, firsts.map((it) => it.element)));

const abreastOf = (state) =>
  h(
    "span.abreast.seg",
    { role: "group", "aria-label": "Pictures abreast" },
    ["", "1", "2", "3", "4"].map((it) =>
      h("button", { "data-act": "abreast", "data-many": it, "aria-pressed": String(state.abreast === it), "aria-label": `${it || "Auto"} abreast` }, it || "Auto")),
  );

/** What stands there where a filter has no rows to draw. */
export function noPart(refused, { where }) {
  return h(
    "article.card",
    {},
    h("div.no", {}, icon("pause"), h("p", {}, refused.says), h("button.btn", { "data-act": "unfilter-last" }, where.length ? "Switch the last filter off" : "Take the last column away")),
    h("p.foot", {}, "Not drawn"),
  );
}

/** Let only those tools be pressed that can do something. */
export function markTools(host, board) {
  const can = { undo: board.canUndo(), redo: board.canRedo() };
  for (const [act, able] of Object.entries(can)) {
    const it = host.querySelector(`.tools [data-act=${act}]`);
    if (it) it.disabled = !able;
  }
}
