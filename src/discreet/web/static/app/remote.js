/** The rows of a copy that stays on the server: the same questions, answered there. */

import { bodyOf, TABLES } from "./on-server.js";
import { axesOf } from "./remote-marks.js";
import { ask } from "./server.js";
import { Unanswered } from "./thread.js";

/** Ask one question after the other; of those that wait the last alone is asked, the others get nothing. */
export function oneByOne(ask) {
  let before = Promise.resolve();
  let last = 0;
  return async (...given) => {
    last += 1;
    const mine = last;
    await before;
    if (mine !== last) return null;
    const answer = ask(...given);
    before = answer.then(() => {}, () => {});
    return answer;
  };
}

/** Return what answers as `rowsInThread` does. */
export function rowsOnServer(facts) {
  const held = new Map();
  const keyOf = (part, spec) => JSON.stringify([part.where, part.assign, spec]);
  const derived = ({ where, assign }) => ({ where, assign });
  const answered = (path, body) =>
    ask(path, body).catch((error) => {
      throw [403, 422].includes(error.status) ? new Unanswered({ says: error.message, ...error.place }) : error;
    });

  async function one(part, spec) {
    const place = TABLES.includes(spec.kind) ? "tables" : "copy";
    try {
      const { view, table } = await answered(`/api/${place}/${spec.kind}`, bodyOf(spec, part));
      const found = view || { kind: spec.kind, ...table };
      held.set(keyOf(part, spec), found);
      return { view: found };
    } catch (error) {
      if (!error.where) throw error;
      return { refused: { says: error.message, ...error.where } };
    }
  }

  return {
    size: facts.rows.rows,
    part: (part) => answered("/api/copy/part", derived(part)),
    views: (part, specs) => Promise.all(specs.map((spec) => one(part, spec))),
    light: oneByOne(async (part, conditions, specs) => {
      const found = specs.map((spec) => axesOf(spec, held.get(keyOf(part, spec))));
      const cards = found.filter(Boolean).map((axes) => ({ marks: { axes } }));
      const lit = await answered("/api/copy/light", { ...derived(part), light: { all: conditions }, cards });
      const each = lit.cards.values();
      return { size: lit.rows, each: found.map((axes) => (axes ? each.next().value : null)) };
    }),
    ready: async () => {},
  };
}
