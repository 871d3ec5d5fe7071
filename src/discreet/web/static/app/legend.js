/** The keys of a picture: its colours, a scale of them, and what thickness stands for. */

import { whole } from "../draw/look.js";
import { rect } from "../draw/svg.js";
import { h } from "./dom.js";

const WIDTH = 88; // pixels of a scale
const OF_DATA = {
  outline: '<svg width="20" height="12" aria-hidden="true"><path class="data-line" d="M1 1.5h13v9h-13zM9 6h10M19 3v6M9 3v6"/></svg>',
  point: '<svg width="10" height="14" aria-hidden="true"><path class="data-line" d="M5 1v12M2 1h6M2 13h6"/><circle cx="5" cy="7" r="3" fill="var(--card)" stroke="var(--ink)" stroke-width="1.5"/></svg>',
  cell: '<svg width="14" height="12" aria-hidden="true"><path fill="var(--ink3)" d="M0 0h14v12h-14z"/><path fill="var(--ink)" stroke="var(--card)" d="M3.5 3h7v6h-7z"/></svg>',
  line: '<svg width="14" height="10" aria-hidden="true"><path class="data-line" d="M1 3h12M1 7h8"/></svg>',
};

/**
 * Return the keys of a picture, those of levels behind the name of their column.
 * @param {object} [board] - Lights up the rows of a key that is pointed at, and keeps only those of one that is pressed.
 */
export function keysOf(keys, of, board) {
  const made = keys.map((key) => (key.ramp || key.thick ? scaleOf(key) : keyOf(key, board)));
  const first = keys.findIndex((key) => key.name && key.data === undefined);
  if (first >= 0 && of) made.splice(first, 0, h("span.of", {}, of));
  return made;
}

function keyOf({ name, colour, dash, light, says, data }, board) {
  const swatch = data ? OF_DATA[data] : dash
    ? `<svg width="18" height="10" aria-hidden="true"><path d="M0 5h18" stroke="${colour}" stroke-width="2" stroke-dasharray="${dash}"/></svg>`
    : `<svg width="10" height="10" aria-hidden="true"><rect width="10" height="10" rx="2" fill="${colour}"/></svg>`;
  const mark = light && board?.rows && { say: name, light, count: undefined };
  const made = h(mark ? "button.key" : "span.key", mark ? { title: `Keep only ${name}` } : {}, "", says || name);
  made.insertAdjacentHTML("afterbegin", swatch);
  if (!mark) return made;
  for (const event of ["pointerenter", "focus"]) made.addEventListener(event, () => board.lights.point(mark));
  for (const event of ["pointerleave", "blur"]) made.addEventListener(event, () => board.lights.point(null));
  made.addEventListener("click", () => board.only(light));
  return made;
}

function scaleOf({ ramp, thick }) {
  const made = h("span.ramp");
  if (ramp) {
    const words = (it) => it && h("span", {}, it);
    made.append(...[words(ramp.says), words(ramp.from), words(ramp.to)].filter(Boolean));
    made.lastChild.insertAdjacentHTML("beforebegin", bar(ramp.colours));
    return made;
  }
  for (const { count, px } of thick) {
    const high = Math.max(1, px);
    const drawn = rect(0, 7 - high / 2, 20, high, { fill: "var(--ink3)" });
    made.insertAdjacentHTML("beforeend", `<svg width="20" height="14" aria-hidden="true">${drawn}</svg>`);
    made.append(h("span", {}, whole(count)));
  }
  if (thick.length) made.append(" rows");
  return made;
}

function bar(colours) {
  const wide = WIDTH / colours.length;
  // Each colour reaches under the next, so that no gap is seen between them.
  const steps = colours.map((fill, i) => rect(i * wide, 0, i + 1 < colours.length ? wide + 1 : wide, 8, { fill }));
  return `<svg width="${WIDTH}" height="8" aria-hidden="true">${steps.join("")}</svg>`;
}
