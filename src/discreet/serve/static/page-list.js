/** Columns in an order of one's own: added from a list, moved by buttons or keys, taken out. */

import { make, makeSvg } from "./page-dom.js";
import { moved } from "./page-wish.js";

const ARROWS = { up: "M3 8L7 4L11 8", down: "M3 6L7 10L11 6", out: "M4 4L10 10M10 4L4 10" };

/**
 * Return the ordered list of columns.
 *
 * @param {object} given
 * @param {string[]} given.chosen - The columns, in order.
 * @param {HTMLOptGroupElement[]} given.others - What else there is to add.
 * @param {{least: number, most: number}} given.limits - How many may be chosen.
 * @param {(name: string) => HTMLElement|null} given.beside - What stands beside a name.
 * @param {(columns: string[], words: string, focus: string) => void} given.changed - Called with
 *   the new order, what has happened, and what the focus goes to.
 * @returns {HTMLElement[]}
 */
export function orderedList({ chosen, others, limits, beside, changed }) {
  const place = (from, to) => {
    const words = `${chosen[from]} is now number ${to + 1} of ${chosen.length}`;
    changed(moved(chosen, from, to), words, `row-${to}`);
  };
  const rows = chosen.map((name, i) => {
    const up = button("up", `Move ${name} up`, i === 0, () => place(i, i - 1));
    const down = button("down", `Move ${name} down`, i === chosen.length - 1, () => place(i, i + 1));
    const out = button("out", `Take ${name} out`, chosen.length <= limits.least, () => {
      const next = Math.min(i, chosen.length - 2);
      changed(chosen.filter((it) => it !== name), `${name} is taken out`, `row-${next}`);
    });
    const handle = make(
      "span",
      {
        class: "handle",
        id: `row-${i}`,
        tabindex: "0",
        role: "group",
        "aria-roledescription": "movable column",
        "aria-label": `${name}, ${i + 1} of ${chosen.length}. Alt and arrow keys move it.`,
        on: { keydown: (event) => byKeys(event, i, chosen.length, place) },
      },
      make("span", { class: "number", text: i + 1 }),
      make("span", { class: "name", text: name }),
    );
    return make("li", {}, handle, beside(name), make("span", { class: "moves" }, up, down, out));
  });
  const list = make("ol", { class: "chosen", "aria-label": "Chosen columns, in order" }, ...rows);
  const full = chosen.length >= limits.most || !others.length;
  const add = make("select", { id: "add-column", disabled: full }, option(full), ...others);
  add.addEventListener("change", () => {
    if (add.value) changed([...chosen, add.value], `${add.value} is added`, "add-column");
  });
  return [list, make("label", { for: "add-column", text: "Add a column" }), add];
}

function option(full) {
  return make("option", { value: "", text: full ? "no other fits" : "choose …" });
}

function byKeys(event, i, count, place) {
  const to = { ArrowUp: i - 1, ArrowDown: i + 1, Home: 0, End: count - 1 }[event.key];
  if (to === undefined) return;
  if (event.altKey) {
    event.preventDefault();
    if (to !== i && to >= 0 && to < count) place(i, to);
  } else if (event.key.startsWith("Arrow")) {
    const next = document.getElementById(`row-${to}`);
    if (next) {
      event.preventDefault();
      next.focus();
    }
  }
}

function button(sign, words, disabled, run) {
  const drawn = makeSvg("path", {
    d: ARROWS[sign],
    fill: "none",
    stroke: "currentColor",
    "stroke-width": 1.8,
    "stroke-linecap": "round",
  });
  const look = { viewBox: "0 0 14 14", "aria-hidden": "true", focusable: "false" };
  const given = { type: "button", class: "small", "aria-label": words, title: words, disabled };
  return make("button", { ...given, on: { click: run } }, makeSvg("svg", look, drawn));
}
