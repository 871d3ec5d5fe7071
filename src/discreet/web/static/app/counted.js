/** Pictures that the server makes: counts of the data, models, and files. */

import { ask, fileOf } from "./server.js";
import { isCounted } from "./words.js";

const OWN = ["kind", "columns", "wide", "colour", "percent", "persons", "ranges", "show"];
const TABLES = ["summary", "means", "model"];

/**
 * Return what asks the server for pictures.
 *
 * @param {object} facts - Of the study.
 * @returns {object} `answer(spec, state, paid)` and `file(spec, state, form)`.
 */
export function countedBy(facts) {
  const ids = new Map();
  const costs = (spec) => isCounted(spec) || !facts.pictures.some((it) => it.sources.length);

  async function asked(spec, state) {
    const place = TABLES.includes(spec.kind) ? "tables" : "views";
    const found = await ask(`/api/${place}/${spec.kind}`, bodyOf(spec, state));
    const view = found.view || { kind: spec.kind, ...found.table };
    if (found.id) ids.set(view, found.id);
    return { view, id: found.id };
  }

  return {
    async answer(spec, state, paid) {
      try {
        if (costs(spec) && !paid) {
          const { seen } = await ask("/api/seen", { kind: spec.kind, body: bodyOf(spec, state) });
          if (!seen) return { price: "1 view" };
        }
        const found = await asked(spec, state);
        if (found.view && costs(spec)) facts.allowance.used = (await ask("/api/study")).allowance.used;
        return found;
      } catch (error) {
        if (error.status === undefined) throw error;
        const near = error.nearest && { ...spec, ...specOf(error.nearest, spec) };
        return { refused: { says: error.message, nearest: near, lasts: error.status === 422 } };
      }
    },
    async file(spec, state, form) {
      const { id } = await asked(spec, state);
      return fileOf(`/api/views/${id}/figure.${form}`);
    },
  };
}

/** A spec as the server takes it: counts are of the whole study, whatever the filters. */
function bodyOf(spec, state) {
  const { by, ...more } = Object.fromEntries(
    Object.entries(spec).filter(([name]) => !OWN.includes(name)),
  );
  const of = spec.formula ? {} : { columns: spec.columns };
  const derived = isCounted(spec) ? {} : {
    ...(state.where.length && { where: allOf(state.where) }),
    ...(state.assign.length && { assign: Object.fromEntries(state.assign) }),
  };
  return { ...of, ...more, ...(by?.length && { by: by.length > 1 ? by : by[0] }), ...derived };
}

const allOf = (texts) => (texts.length > 1 ? texts.map((it) => `(${it})`).join(" and ") : texts[0]);

function specOf(body, spec) {
  const { by, source, ...more } = body;
  return { kind: spec.kind, ...more, by: by === undefined ? undefined : [by].flat(), source };
}
