/** The rows of a copy that stays on the server: the same questions, answered there. */

import { ask } from "./server.js";
import { Unanswered } from "./thread.js";

/**
 * Return what answers as `rowsInThread` does.
 *
 * @param {object} facts - Of the study.
 * @returns {object}
 */
export function rowsOnServer(facts) {
  const derived = ({ where, assign }) => ({ where, assign });
  const answered = (path, body) =>
    ask(path, body).catch((error) => {
      throw [403, 422].includes(error.status) ? new Unanswered({ says: error.message, ...error.place }) : error;
    });
  const one = async (part, { kind, columns, wide, colour, ...more }) => {
    try {
      const found = await answered(`/api/copy/${kind}`, { columns, ...more, ...derived(part) });
      return { view: found.view };
    } catch (error) {
      if (!error.where) throw error;
      return { refused: { says: error.message, ...error.where } };
    }
  };
  const held = new Map();
  return {
    size: facts.rows.rows,
    part: (part) => answered("/api/copy/part", derived(part)),
    views: async (part, specs) => {
      const found = await Promise.all(specs.map((spec) => one(part, spec)));
      found.forEach(({ view }, i) => held.set(JSON.stringify(specs[i]), view));
      return found;
    },
    hold: async (part, specs, views) => {
      specs.forEach((spec, i) => held.set(JSON.stringify(spec), views[i]));
    },
    light: (part, conditions, specs) =>
      answered("/api/copy/light", { ...derived(part), light: { all: conditions }, cards: specs.map((spec) => ({ ...spec, view: held.get(JSON.stringify(spec)) })) }),
    close: () => {},
  };
}
