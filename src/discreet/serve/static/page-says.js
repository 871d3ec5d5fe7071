/** How a picture was made and what it does not promise, as the server words it. */

import { make } from "./page-dom.js";

const TERMS = { promises: "Promises", "does not protect": "Does not protect", hidden: "Hidden" };

/**
 * Return the lines of a description as paragraphs and terms.
 *
 * @param {string} says - The lines of View.describe().
 * @returns {HTMLElement[]}
 */
export function saidOf(says) {
  const made = [];
  const terms = [];
  for (const line of says.split("\n").filter(Boolean)) {
    const [, term, rest] = /^([a-z ]+): (.*)$/s.exec(line) || [];
    if (term in TERMS) {
      const look = { promises: "kept", "does not protect": "open" }[term] || null;
      terms.push(make("dt", { class: look, text: TERMS[term] }), make("dd", { text: rest }));
    } else {
      made.push(make("p", { text: sentence(line) }));
    }
  }
  if (terms.length) made.push(make("dl", { class: "promise" }, ...terms));
  return made;
}

function sentence(line) {
  const full = /[.!?]$/.test(line) ? line : `${line}.`;
  return full[0].toUpperCase() + full.slice(1);
}
