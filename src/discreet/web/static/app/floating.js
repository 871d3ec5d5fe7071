/** What floats above the page: menus, the words at a mark, and short notices. */

import { fill, h } from "./dom.js";

let hushed = 0;
let grown = { disconnect: () => {} };

/** Elements for what floats; one of each on a page. */
export const floating = () => [
  h("div", { id: "pop", popover: true }),
  h("div", { id: "tip", role: "tooltip", hidden: true }),
  h("div", { id: "toast", role: "status" }),
  h("p.unseen", { id: "live", "aria-live": "polite" }),
];

const byId = (id) => document.getElementById(id);

/**
 * Open a menu or a form beside what was pressed.
 *
 * @param {Element} anchor - What was pressed.
 * @param {Node|Node[]} content - What it holds.
 * @param {number} [width] - In pixels.
 * @param {string} [label] - For a screen reader.
 */
export function open(anchor, content, width = 232, label = "Menu") {
  const pop = byId("pop");
  fill(pop, content);
  pop.setAttribute("aria-label", label);
  pop.setAttribute("role", "dialog");
  const wide = Math.min(width, innerWidth - 16);
  pop.style.setProperty("width", `${wide}px`);
  if (!pop.matches(":popover-open")) pop.showPopover();
  const { left, right, top, bottom } = anchor.getBoundingClientRect();
  const start = right - wide < 8 ? left : right - wide;
  pop.style.setProperty("left", `${clamp(start, 8, innerWidth - wide - 8)}px`);
  const place = () => {
    const high = pop.offsetHeight;
    const below = bottom + 4 + high > innerHeight ? Math.max(8, Math.min(top - high - 4, innerHeight - high - 8)) : bottom + 4;
    pop.style.setProperty("top", `${Math.max(8, below)}px`);
  };
  place();
  grown.disconnect();
  grown = new ResizeObserver(place);
  grown.observe(pop);
  (pop.querySelector("[autofocus]") || pop.querySelector("button, select, input, textarea"))?.focus();
  return pop;
}

/** Close the menu that is open. */
export const close = () => byId("pop").matches(":popover-open") && byId("pop").hidePopover();

/** @returns {boolean} Whether a menu is open. */
export const isOpen = () => byId("pop").matches(":popover-open");

/**
 * Show the words of a mark beside a place, or hide them.
 *
 * @param {object|null} mark - With `say`, `count`, `more`.
 * @param {number} [x] - In pixels of the window. @param {number} [y] - As well.
 */
export function tip(mark, x, y) {
  const it = byId("tip");
  it.hidden = !mark;
  if (!mark) return;
  fill(it, h("b", {}, mark.say), [...wordsOf(mark)].map((line) => h("span", {}, line)));
  const { width, height } = it.getBoundingClientRect();
  it.style.setProperty("left", `${clamp(x + 14, 8, innerWidth - width - 8)}px`);
  it.style.setProperty("top", `${y + 18 + height > innerHeight ? y - height - 12 : y + 18}px`);
}

/** Say a mark to a screen reader. */
export function announce(mark) {
  say([mark.say, ...wordsOf(mark)].join(", "));
}

/** Say something to a screen reader. */
export function say(words) {
  byId("live").textContent = words;
}

/** Show a notice for a while. */
export function notice(words) {
  byId("toast").textContent = words;
  clearTimeout(hushed);
  hushed = setTimeout(() => {
    byId("toast").textContent = "";
  }, 3600);
}

function* wordsOf({ count, more }) {
  if (count !== undefined && count !== null) yield `${count.toLocaleString("en-GB")} rows`;
  if (count === null) yield "few";
  if (more) yield more;
}

const clamp = (value, low, high) => Math.max(low, Math.min(value, high));
