/** The line above a picture: keys of its colours, and the choices it has. */

import { scaleKey } from "../draw/scale-key.js";
import { thickKey } from "../draw/thick-key.js";
import { h } from "./dom.js";

/** What a picture may be switched between, by its kind. */
const SWITCHES = {
  bars: { name: "percent", label: "Scale", ways: [["", "Rows"], ["true", "Percent"]] },
  histogram: { name: "persons", label: "Scale", ways: [["", "Share"], ["true", "Rows"]] },
  crosstab: { name: "percent", label: "Scale", ways: [["", "Rows"], ["true", "% of row"]] },
};

/**
 * Return what stands in the line.
 *
 * @param {object} board - Knows the columns and the cards.
 * @param {object} spec - Of the picture.
 * @param {object} drawn - With its `keys`.
 * @param {object} look - How things are said.
 * @returns {Node[]}
 */
export function controlsOf(board, spec, drawn, look) {
  return [
    ...(spec.kind === "parallel" ? [colourBy(board, spec, look), rangesOf(board, spec)] : []),
    ...(drawn.choices || []).map((it) => choiceOf(board, spec, it)),
    ...keysOf(board, spec, drawn.keys || [], look),
    ...(spec.kind in SWITCHES && board.canSwitch(spec) ? [switchOf(board, spec, look)] : []),
  ];
}

/** The keys of a picture, those of levels behind the name of their column. */
function keysOf(board, spec, keys, look) {
  const of = spec.by?.[0] ?? spec.colour;
  const first = keys.findIndex((key) => key.name);
  const made = keys.map((key) => (key.ramp || key.thick ? scale(key) : keyOf(board, key)));
  // That of parallel axes stands in the choice of its colours.
  if (first >= 0 && of && spec.kind !== "parallel") made.splice(first, 0, h("span.of", {}, look.label(of)));
  return made;
}

function keyOf(board, { name, colour, dash, light, says }) {
  const swatch = dash
    ? `<svg width="18" height="10" aria-hidden="true"><path d="M0 5h18" stroke="${colour}" stroke-width="2" stroke-dasharray="${dash}"/></svg>`
    : `<svg width="10" height="10" aria-hidden="true"><rect width="10" height="10" rx="2" fill="${colour}"/></svg>`;
  const made = h(light ? "button.key" : "span.key", {}, "", says || name);
  made.insertAdjacentHTML("afterbegin", swatch);
  const mark = light && { say: name, light, count: undefined };
  if (mark) {
    made.addEventListener("pointerenter", () => board.lights.point(mark));
    made.addEventListener("pointerleave", () => board.lights.point(null));
    made.addEventListener("focus", () => board.lights.point(mark));
    made.addEventListener("blur", () => board.lights.point(null));
    made.addEventListener("click", () => board.lights.keep(mark));
  }
  return made;
}

function scale({ ramp, thick }) {
  const made = h("span.ramp");
  made.insertAdjacentHTML("afterbegin", ramp ? scaleKey(ramp) : thickKey(thick));
  return made;
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
  const chosen = (event) => board.change(spec, { colour: event.target.value || undefined });
  return h(
    "label",
    {},
    "Colour by ",
    h(
      "select",
      { "aria-label": "Colour by", on: { change: chosen } },
      h("option", { value: "" }, "nothing"),
      names.map((it) => h("option", { value: it, selected: it === spec.colour }, look.label(it))),
    ),
  );
}

/** One of some values that a picture may be drawn with. */
function choiceOf(board, spec, { name, says, now, of }) {
  const chosen = (event) => board.change(spec, { [name]: of[event.target.selectedIndex].value });
  const ways = of.map((it) => h("option", { selected: it.value === now }, it.says));
  return h("label", {}, `${says} `, h("select", { "aria-label": says, on: { change: chosen } }, ways));
}

/** How finely axes are cut. */
function rangesOf(board, spec) {
  const chosen = (event) => board.change(spec, { ranges: Number(event.target.value) || undefined });
  const ways = ["", 4, 6, 12, 20].map((it) =>
    h("option", { value: String(it), selected: it === (spec.ranges || "") }, `${it || 8} ranges`));
  return h("select", { "aria-label": "Ranges of an axis", on: { change: chosen } }, ways);
}
