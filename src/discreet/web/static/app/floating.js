/** What floats above the page: menus, the words at a mark, and short notices. */

import { fill, h } from "./dom.js";
import { clamp, tipsIn } from "./tips.js";

let hushed = 0;
let grown = { disconnect: () => {} };

/** Elements for what floats; one of each on a page. */
export const floating = () => [
  h("div", { id: "pop", popover: true }),
  h("div.tip", { id: "tip", "aria-hidden": "true", hidden: true }),
  h("div", { id: "toast", role: "status" }),
  h("p.unseen", { id: "live", "aria-live": "polite" }),
];

const byId = (id) => document.getElementById(id);

/** Open a menu or a form beside what was pressed. */
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

const tips = tipsIn(() => byId("tip"), () => byId("live"));

/** Show the words of a mark beside a place; of no mark, hide them. */
export const tip = tips.tip;

/** Say a mark to a screen reader. */
export const announce = tips.announce;

/** Say something to a screen reader. */
export function say(words) {
  byId("live").textContent = words;
}

/** Copy a text, and say so; where the browser does not let it, show what is to be copied by hand. */
export async function copied(text, says) {
  try {
    await navigator.clipboard.writeText(text);
    notice(says);
  } catch {
    notice(text);
  }
}

/** Show a notice for a while. */
export function notice(words) {
  byId("toast").textContent = words;
  clearTimeout(hushed);
  hushed = setTimeout(() => {
    byId("toast").textContent = "";
  }, 3600);
}
