/** The line above a picture: keys of its colours, and the choices it has. */

import { rangesOf as usualRanges } from "../views/parallel.js";
import { h } from "./dom.js";
import { selectOf } from "./form-parts.js";
import { keysOf } from "./legend.js";
import { TABLES } from "./on-server.js";

/** What a picture may be switched between, by its kind. */
const SWITCHES = {
  bars: { name: "percent", label: "Scale", ways: [["", "Rows"], ["true", "Percent"]] },
  histogram: { name: "persons", label: "Scale", ways: [["", "Share"], ["true", "Rows"]] },
  crosstab: { name: "percent", label: "Scale", ways: [["", "Rows"], ["true", "% of row"]] },
};

const DIAGNOSTICS = { residuals: "Residuals", qq: "Q-Q plot", leverage: "Leverage" };

/**
 * Return what stands in the line.
 * @param {?object} answer - From the data, that can be laid over the picture.
 */
export function controlsOf(board, spec, drawn, look, answer) {
  // The key of parallel axes stands beside the choice of their colours.
  const levels = spec.kind === "parallel" ? undefined : spec.by?.[0];
  return [
    ...(spec.kind === "parallel" ? [colourBy(board, spec, look), rangesOf(board, spec), board.rows?.order && spec.columns.length > 2 && h("button.btn", { "data-act": "by-strength" }, "Order by strength")] : []),
    ...(drawn.choices || []).map((it) => choiceOf(board, spec, it)),
    ...keysOf(drawn.keys || [], levels && look.label(levels), board),
    ...(spec.kind in SWITCHES && board.canSwitch(spec) ? [switchOf(board, spec, look)] : []),
    ...(spec.kind === "model" && board.hasModels ? ofModel(spec) : []),
    ...(answer ? [laySwitch(board, spec)] : []),
  ];
}

/** How well a linear model fits is seen in pictures of its residuals; and its formula is changed. */
function ofModel({ formula, family = "linear" }) {
  const drawn = Object.entries(family === "linear" ? DIAGNOSTICS : {}).map(([kind, words]) =>
    h("button.btn", { "data-act": "make", "data-spec": JSON.stringify({ kind, columns: [], formula }) }, words));
  return [...drawn, h("button.btn", { "data-act": "edit-model", "aria-haspopup": "dialog" }, "Change…")];
}

/** The sign that the data answer the very question, and the switch that shows it. */
function laySwitch(board, spec) {
  const changed = ({ target }) => {
    board.switched = { card: board.cards.findIndex((it) => it.spec === spec), find: ".lay input" };
    board.change(spec, { answer: target.checked || undefined });
  };
  const box = h("input", { type: "checkbox", checked: Boolean(spec.answer), on: { change: changed } });
  return h("label.lay", {}, box, TABLES.includes(spec.kind) ? "With the data’s answer" : "Lay the data’s answer over it");
}

function switchOf(board, spec, look) {
  const { name, label, ways } = SWITCHES[spec.kind];
  const now = String(spec[name] || "");
  return h(
    "span.seg",
    { role: "group", "aria-label": label },
    ways.map(([value, words]) =>
      h("button", { "aria-pressed": String(now === value), on: { click: () => board.change(spec, { [name]: value === "true" || undefined }) } }, words),
    ),
  );
}

function colourBy(board, spec, look) {
  const names = [...board.columns.values()]
    .filter((it) => spec.columns.includes(it.name) || (it.levels && it.levels.length <= 5))
    .map((it) => it.name);
  const of = [{ value: undefined, says: "nothing" }, ...names.map((value) => ({ value, says: look.label(value) }))];
  return h("label", {}, "Colour by ", selectOf("Colour by", of, spec.colour, (colour) => board.change(spec, { colour })));
}

/** One of some values that a picture may be drawn with. */
const choiceOf = (board, spec, { name, says, now, of }) =>
  h("label", {}, `${says} `, selectOf(says, of, now, (value) => board.change(spec, { [name]: value })));

/** How finely axes are cut. */
function rangesOf(board, spec) {
  const of = [undefined, 4, 6, 12, 20].map((value) => ({ value, says: `${value || usualRanges(spec.columns)} ranges` }));
  return selectOf("Ranges of an axis", of, spec.ranges, (ranges) => board.change(spec, { ranges }));
}
