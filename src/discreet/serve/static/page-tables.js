/** The form of a table of figures, by what the server says that it takes; and the table drawn. */

import { formulaField, grouped } from "./page-columns.js";
import { make } from "./page-dom.js";
import { parameterField } from "./page-fields.js";
import { orderedList } from "./page-list.js";
import { columnsOf } from "./page-picture.js";

const LABELS = { by: "By the levels of", value: "Mean of", event_is: "The event is" };
const MOST_SELECTS = 2; // more columns than these are a list

/**
 * Return the fields of a table.
 *
 * @param {object} study - What /api/study tells.
 * @param {object} table - One of its tables.
 * @param {import("./page-wish.js").Wish} wish - What the form holds.
 * @param {(changes: object, words?: string, focus?: string) => void} change - Takes changes.
 * @returns {HTMLElement[]}
 */
export function tableFields(study, table, wish, change) {
  return table.fields.flatMap((field) => {
    const put = (value, words, focus) => {
      // That it is a choice of columns, the kind says: what else fits may change.
      change({ kind: wish.kind, parameters: { [field.name]: value } }, words, focus);
    };
    if (field.type === "formula") return formulaField(study, wish, change, field.says);
    if (field.type === "word" || field.type === "words") {
      const set = (name, value) => change({ parameters: { [name]: value } });
      const it = { ...field, usual: field.choices[0] };
      return [parameterField(it, wish.parameters[field.name], set)];
    }
    return field.most > MOST_SELECTS
      ? several(study, field, wish, put)
      : selects(study, field, wish, put);
  });
}

function selects(study, field, wish, put) {
  const chosen = wish.parameters[field.name];
  const others = elsewhere(wish, field);
  return Array.from({ length: Math.min(field.most, chosen.length + 1) }, (_, at) => {
    const id = `table-${field.name}-${at}`;
    const free = columnsOf(study, field).filter(
      ({ name }) => name === chosen[at] || !(others.includes(name) || chosen.includes(name)),
    );
    const none = at < field.least ? [] : [make("option", { value: "", text: "none" })];
    const select = make("select", { id }, ...none, ...grouped(free, () => true));
    select.value = chosen[at] || "";
    select.addEventListener("change", () => {
      const named = [...chosen];
      named[at] = select.value;
      put(named.filter(Boolean), "", id);
    });
    const text = at ? "and of" : labelOf(field);
    return make("div", { class: "field" }, make("label", { for: id, text }), select);
  });
}

function several(study, field, wish, put) {
  const chosen = wish.parameters[field.name];
  const taken = [...chosen, ...elsewhere(wish, field)];
  const left = columnsOf(study, field).filter(({ name }) => !taken.includes(name));
  return [
    ...orderedList({
      chosen,
      others: grouped(left, () => true),
      limits: field,
      beside: () => null,
      changed: put,
    }),
    make("p", { class: "hint", text: field.says }),
  ];
}

function elsewhere(wish, field) {
  const others = Object.entries(wish.parameters).filter(([name]) => name !== field.name);
  return others.flatMap(([, value]) => (Array.isArray(value) ? value : []));
}

function labelOf({ name }) {
  return LABELS[name] || name[0].toUpperCase() + name.slice(1).replaceAll("_", " ");
}

/**
 * Return a table of figures as one of HTML.
 *
 * @param {{title: string, head: string[], lines: object[]}} table - What the server sent.
 * @returns {HTMLElement}
 */
export function tableShown({ title, head, lines }) {
  const names = head.map((text) => make("th", { scope: "col", class: "n", text }));
  const rows = lines.flatMap(({ section, name, cells }, at) => {
    const numbers = cells.map((text) => make("td", { class: "n", text }));
    const look = section ? "part" : null;
    const row = make("tr", {}, make("th", { scope: "row", class: look, text: name }), ...numbers);
    const begins = section && (!at || lines[at - 1].section !== section);
    const above = { scope: "colgroup", colspan: head.length + 1, class: "section", text: section };
    return begins ? [make("tr", {}, make("th", above)), row] : [row];
  });
  const first = make("td", {});
  const shown = make(
    "table",
    { class: "rows figures" },
    make("caption", { text: title }),
    make("thead", {}, make("tr", {}, first, ...names)),
    make("tbody", {}, ...rows),
  );
  return make("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": title }, shown);
}
