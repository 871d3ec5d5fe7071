/** One card a screen: arrows go on, Escape ends it. */

import { h } from "./dom.js";
import { say } from "./floating.js";

const STEPS = { ArrowRight: 1, ArrowDown: 1, PageDown: 1, " ": 1, ArrowLeft: -1, ArrowUp: -1, PageUp: -1, Home: -Infinity, End: Infinity };

/** Return what presents the cards of a board: `begin()`, and `key(event)`, which says if it was taken. */
export function presenting(board) {
  let at = -1;
  const words = h("span");
  const button = (label, run, text) => h("button.btn", { "aria-label": label, on: { click: run } }, text);
  const bar = h("section.presents", { "aria-label": "Presenting" },
    button("Card before", () => step(-1), "←"), words, button("Next card", () => step(1), "→"), button("End presenting", () => end(), "End"));

  function show() {
    board.cards.forEach((card, i) => card.element.classList.toggle("now", i === at));
    const { element, title } = board.cards[at];
    words.textContent = `${at + 1} of ${board.cards.length}`;
    element.focus({ preventScroll: true });
    say(`${words.textContent}: ${title}`);
    board.redraw();
  }
  function step(by) {
    at = Math.max(0, Math.min(board.cards.length - 1, at + by));
    show();
  }
  function end() {
    const card = board.cards[at];
    at = -1;
    document.body.classList.remove("presenting");
    bar.remove();
    board.redraw();
    card?.element.focus();
  }
  return {
    begin() {
      if (!board.cards.length) return;
      at = Math.max(0, board.cards.findIndex((it) => it.element.contains(document.activeElement)));
      document.body.classList.add("presenting");
      board.app.after(bar);
      show();
    },
    key(event) {
      if (at < 0) return false;
      if (event.key === "Escape") end();
      else if (event.key in STEPS && !event.target.closest?.(".presents button, svg")) step(STEPS[event.key]);
      else return false;
      event.preventDefault();
      return true;
    },
  };
}
