/** What the page says while and after it asks: a sign of progress, a status, a problem. */

import { byId, make } from "./page-dom.js";

const SLOW = 300;
const TITLES = {
  policy: "Not under this policy",
  data: "Held back",
  order: "Not in this order",
  leaving: "It does not fit what was released before",
  request: "Something in the form needs another look",
  rate: "A little slower",
  budget: "No new views are left",
  busy: "The server is busy",
  slow: "The server took too long",
  ledger: "The server cannot keep its record",
  unknown: "Not found",
  role: "Not for this token",
  unreached: "The server was not reached",
};
// What can be done, where the server's words do not say it.
const INSTEAD = {
  leaving:
    "What to do: draw the plot that was drawn of these columns before (the same kind of " +
    "plot, divided in the same way), or choose other columns. The custodian can also open a " +
    "new version of the study.",
};
let running = 0;

/**
 * Show that the page is waiting, where it takes longer than a blink.
 *
 * @template T
 * @param {Promise<T>} promise - What is waited for.
 * @param {string} words - What is being done.
 * @returns {Promise<T>}
 */
export async function whileWaiting(promise, words) {
  running += 1;
  const timer = window.setTimeout(() => {
    byId("busy").hidden = false;
    byId("busy-words").textContent = words;
    tell(words);
  }, SLOW);
  try {
    return await promise;
  } finally {
    window.clearTimeout(timer);
    running -= 1;
    if (!running) byId("busy").hidden = true;
  }
}

/**
 * Say something to those who do not see the page.
 *
 * @param {string} words - A sentence.
 * @returns {void}
 */
export function tell(words) {
  byId("status").textContent = words;
}

/**
 * Show what went wrong; nothing takes it away.
 *
 * @param {Error|null} error - A refusal, or null.
 * @param {((nearest: object) => void)|null} [useNearest] - What to do with an allowed request.
 * @returns {void}
 */
export function showProblem(error, useNearest = null) {
  const place = byId("problem");
  place.hidden = error === null;
  place.replaceChildren();
  if (error === null) return;
  const parts = [
    make("h2", { class: "problem-title", text: TITLES[error.code] || "That did not work" }),
    make("p", { text: error.message }),
  ];
  if (INSTEAD[error.code]) parts.push(make("p", { class: "instead", text: INSTEAD[error.code] }));
  if (error.rule) parts.push(make("p", { class: "soft", text: `Rule: ${error.rule}` }));
  if (error.nearest && useNearest) {
    const use = () => useNearest(error.nearest);
    parts.push(
      make("button", {
        type: "button",
        class: "second",
        text: "Use the nearest allowed request",
        on: { click: use },
      }),
    );
  }
  place.append(...parts);
}
