/** The rows of a copy in a thread of their own. */

/** A question that the rows do not answer; `where` says what else would be. */
export class Unanswered extends Error {
  constructor({ says, ...where }) {
    super(says);
    this.where = where;
  }
}

/**
 * Start a worker and give it the rows.
 * @param {string} script - The address of the worker's script.
 * @param {object} facts - Of the study: how pictures are drawn, and its columns.
 * @returns {Promise<object>} `part`, `views`, `light`, `ready`: each asks, and answers by a
 *   promise; `light` of nothing, once something else is to be lit.
 */
export async function rowsInThread(script, bytes, facts) {
  const worker = new Worker(script);
  const waiting = new Map();
  let last = 0;
  worker.addEventListener("message", ({ data: { id, found, refused } }) => {
    const { done, failed } = waiting.get(id);
    waiting.delete(id);
    if (refused) failed(new Unanswered(refused));
    else done(found);
  });
  worker.addEventListener("error", () => {
    const error = new Error("This browser does not let the page start a thread of its own, which draws. Open it in another browser.");
    waiting.forEach(({ failed }) => failed(error));
  });
  const ask = (what, given, moved = []) =>
    new Promise((done, failed) => {
      last += 1;
      waiting.set(last, { done, failed });
      worker.postMessage({ id: last, ask: what, given }, moved);
    });
  await ask("open", { bytes, facts: { ...facts.drawn, columns: facts.columns } }, [bytes]);
  return {
    part: (part) => ask("part", part),
    views: (part, specs) => ask("views", { part, specs }),
    light: (part, conditions, specs) => ask("light", { part, conditions, specs }),
    ready: (part, specs) => ask("ready", { part, specs }),
    table: (part, from, to) => ask("table", { part, from, to }),
    order: (part, spec) => ask("order", { part, spec }),
  };
}
