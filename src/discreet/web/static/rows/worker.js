/** Answers what a page asks of the rows of a protected copy, in a thread of its own. */

import { Answers } from "./answers.js";
import { inSlices } from "./slices.js";

const answers = new Answers();
const last = {}; // the last question of each kind
const { port1, port2 } = new MessageChannel();

/** Let messages in that have come meanwhile. */
const turn = () => new Promise((done) => {
  port1.onmessage = done;
  port2.postMessage(null);
});

/** What is answered in steps is given up once another question of its kind has come. */
function answer(id, ask, given) {
  last[ask] = id;
  const made = answers[ask](given);
  const isWanted = () => last[ask] === id;
  return made.next ? inSlices(made, { turn, isWanted, now: () => performance.now() }) : made;
}

globalThis.addEventListener("message", async ({ data: { id, ask, given } }) => {
  try {
    const { found, moved = [] } = await answer(id, ask, given);
    globalThis.postMessage({ id, found }, moved);
  } catch (error) {
    globalThis.postMessage({ id, refused: { says: error.message, ...error.where } });
  }
});
