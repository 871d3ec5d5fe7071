/** The dock: chosen columns with the pictures they make, or the highlight that is kept. */

import { lookOf, whole } from "../draw/look.js";
import { fill, h } from "./dom.js";
import { icon } from "./icons.js";
import { saidOf } from "./words.js";

const FIRST = 7;

/** Show in the dock what there is to do. */
export function showDock(host, board, lit) {
  const kept = board.lights.kept();
  host.hidden = !board.draft.length && !kept;
  if (board.draft.length) fill(host, chosen(board), offers(board), stop("undraft", "Start over"));
  else if (kept) fill(host, ...keeping(board, kept, lit), stop("clear", "Clear the highlight"));
}

const stop = (act, label) =>
  h("button.ib", { "data-act": act, "aria-label": label, title: label }, icon("x"));

function chosen(board) {
  const look = lookOf(board.columns);
  return h(
    "span.chips",
    {},
    board.draft.map((name) =>
      h("span.chip", {}, h("bdi", {}, look.label(name)),
        h("button.ib", { "data-act": "pick", "data-column": name, "aria-label": `Leave out ${look.label(name)}` }, icon("x"))),
    ),
  );
}

function offers(board) {
  const [first, ...others] = board.offersFor(board.draft);
  const model = board.hasModels && h("button", { "data-act": "model", "aria-haspopup": "dialog" }, icon("model"), "Model…");
  if (!first) return h("span.sug", {}, h("span.soft", {}, "No picture takes these columns together. Leave one out."), model);
  const more = others.length >= FIRST && h("button", { "data-act": "more-kinds", "aria-haspopup": "dialog" }, "More");
  return h(
    "span.sug",
    {},
    [first, ...others.slice(0, FIRST - 1)].map((spec, i) => offer(board, spec, i ? "" : "main")),
    more,
    model,
  );
}

/** A button that makes a picture. */
export function offer(board, spec, name) {
  const label = lookOf(board.columns).label;
  const by = (spec.by || []).map(label).join(" and ");
  const split = spec.kind === "histogram" && !spec.overlay ? `, one for each ${by}` : ` by ${by}`;
  return h(
    "button",
    { class: name, "data-act": "make", "data-spec": JSON.stringify(spec) },
    icon(spec.kind),
    board.nameOf(spec.kind) + (by ? split : ""),
  );
}

function keeping(board, mark, lit) {
  const look = lookOf(board.columns);
  const said = mark.light.map((it) => saidOf(it, look)).join(" · ");
  return [
    h("span.held", {}, h("b", {}, "Highlighted"), ` ${said}${lit === null ? "" : ` · ${whole(lit)} rows`}`),
    h("button.btn", { "data-act": "keep" }, "Keep only these"),
  ];
}
