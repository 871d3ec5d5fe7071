/** Answers what a page asks of the rows of a protected copy, in a thread of its own. */

import { Answers } from "./answers.js";

const answers = new Answers();

globalThis.addEventListener("message", ({ data: { id, ask, given } }) => {
  try {
    const { found, moved = [] } = answers[ask](given);
    globalThis.postMessage({ id, found }, moved);
  } catch (error) {
    globalThis.postMessage({ id, refused: { says: error.message, ...error.where } });
  }
});
