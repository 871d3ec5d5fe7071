/** What the server makes: pictures, where the page has no rows; models, files; what is handed in. */

import { ask, fileOf, sealedFile } from "./server.js";
import { referencesOf } from "./state.js";

/** What a picture is drawn with on the page alone. */
const OWN = ["kind", "wide", "colour", "percent", "persons", "ranges", "answer", "edges", "title", "note"];
export const TABLES = ["summary", "means", "model"];

/** The files that are the page's own drawing, which the server checks, records and seals. */
export const DRAWN = ["PNG", "SVG", "PDF"];
/** The files that the server makes of plots and of tables, by what the page calls them. */
const OF_PLOTS = { HTML: "figure.html", JSON: "view.json" };
const OF_TABLES = { CSV: "table.csv", HTML: "table.html", TeX: "table.tex", TXT: "table.txt", JSON: "table.json" };
const drawnAs = ({ kind }, form) => `${TABLES.includes(kind) ? "table" : "figure"}.${form.toLowerCase()}`;
const filesOf = ({ kind }) => (TABLES.includes(kind) ? OF_TABLES : OF_PLOTS);

/**
 * Return what asks the server for pictures.
 * @returns {object} `answer(spec, state)`; `idOf(spec, state)`, by which the server knows a picture;
 *   `forms(spec)`, `file(spec, id, form)` and `sealed(spec, id, form, drawing)`; `handIn(spec, id,
 *   form, text, drawing)`, `outputs()` and `comment(id, text)`; `askData(spec, state, holds)` and
 *   `questions()`; `boards()` and `keepBoard(name, state)`, which deletes one of no state.
 */
export function onServer(facts) {
  const ofCopy = facts.policy.regime === "guarded";

  const settled = (spec) => (ofCopy ? { ...spec, method: undefined } : spec); // the copy has one method
  const placeOf = ({ kind }) => (TABLES.includes(kind) ? "tables" : "views");

  async function asked(spec, state) {
    return viewIn(await ask(`/api/${placeOf(spec)}/${spec.kind}`, bodyOf(settled(spec), state)));
  }

  /** Ask for a picture as it is drawn in a file: of a copy in percent, as on the page. */
  async function idOf(spec, state) {
    const isShare = spec.kind === "bars" && spec.percent && ofCopy;
    const body = bodyOf(settled(spec), state);
    return (await ask(`/api/${placeOf(spec)}/${spec.kind}`, isShare ? { ...body, percent: true } : body)).id;
  }

  return {
    async answer(spec, state) {
      try {
        return await asked(spec, state);
      } catch (error) {
        if (error.status === undefined) throw error;
        const near = error.nearest && { ...spec, ...specOf(error.nearest, spec) };
        return { refused: { says: error.message, nearest: near, place: error.place, lasts: [403, 409, 422].includes(error.status) } };
      }
    },
    idOf,
    forms: (spec) => [...DRAWN, ...Object.keys(filesOf(spec))],
    file: (spec, id, form) => fileOf(`/api/${placeOf(spec)}/${id}/${filesOf(spec)[form]}`),
    sealed: (spec, id, form, drawing) => sealedFile(`/api/drawn/${id}`, { form: drawnAs(spec, form), drawing }),
    handIn: async (spec, id, form, text, drawing) =>
      (await ask("/api/outputs", { id, form: filesOf(spec)[form] || drawnAs(spec, form), text, drawing })).output,
    outputs: async () => (await ask("/api/outputs")).outputs,
    askData: async (spec, state, holds) => (await ask("/api/questions", { id: await idOf(spec, state), holds })).question,
    questions: async () => (await ask("/api/questions")).questions,
    boards: async () => (await ask("/api/boards")).boards,
    keepBoard: async (name, state) => (await ask("/api/boards", { name, state })).boards,
    comment: (id, text) => ask(`/api/outputs/${id}`, { text }),
  };
}

/** What a table is asked for with, where that differs from a plot. */
const OF_TABLE = {
  means: ({ columns: [value], by }) => ({ value, by }),
  model: (spec) => ({ formula: spec.formula, family: spec.family, event_is: spec.event_is && [spec.event_is].flat(), reference: spec.reference && referencesOf(spec) }),
  summary: ({ columns, by }) => ({ columns, by: by?.[0] }),
};

/** A spec as the server takes it. */
export function bodyOf(spec, state) {
  const given = (OF_TABLE[spec.kind] || ofPlot)(spec);
  const derived = {
    where: state.where.length ? allOf(state.where) : undefined,
    assign: state.assign.length ? Object.fromEntries(state.assign) : undefined,
  };
  return JSON.parse(JSON.stringify({ ...given, ...derived })); // without what is undefined
}

function ofPlot({ by, columns, ...more }) {
  const asked = Object.entries(more).filter(([name]) => !OWN.includes(name));
  const divided = by?.length > 1 ? by : by?.[0];
  const event = more.event_is === undefined ? {} : { event_is: [more.event_is].flat() };
  return { ...(more.formula ? {} : { columns }), ...Object.fromEntries(asked), ...event, by: divided };
}

const allOf = (texts) => (texts.length > 1 ? texts.map((it) => `(${it})`).join(" and ") : texts[0]);

function specOf(body, spec) {
  const { by, ...more } = body;
  return { kind: spec.kind, ...more, by: by === undefined ? undefined : [by].flat() };
}

/** Plots are answered as a view, tables as a table; either by the name it may be had by again. */
const viewIn = ({ id, view, table, kind }) => ({ id, view: view || { kind, ...table } });
