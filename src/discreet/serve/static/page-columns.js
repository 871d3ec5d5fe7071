/** The part of the form that says which columns: places, an ordered list, or a formula. */

import { listed, make } from "./page-dom.js";
import { orderedList } from "./page-list.js";
import * as pictures from "./page-picture.js";

const { drawable, hasAxes, hasSlots, holds, methodOf, pictureOf, together } = pictures;

const PLACES = {
  levels: ["Rows", "Columns"],
  two: ["Across (x)", "Upwards (y)"],
  one: ["Column"],
};
const KINDS = { continuous: "Numbers", categorical: "Levels", new: "New columns" };

/**
 * Return the fields for the columns of a picture.
 *
 * @param {object} study - What /api/study tells.
 * @param {import("./page-wish.js").Wish} wish - What the form holds.
 * @param {(changes: object, words?: string, focus?: string) => void} change - Takes changes of the
 *   wish, what has happened, and what the focus goes to.
 * @returns {HTMLElement[]}
 */
export function columnFields(study, wish, change) {
  const picture = pictureOf(study, wish.kind);
  if (picture.takes === "formula") return formulaFields(study, wish, change);
  if (hasSlots(picture)) return slots(study, picture, wish, change);
  return axes(study, picture, wish, change);
}

function slots(study, picture, wish, change) {
  const { most, kind } = picture.columns;
  const two = kind === "categorical" ? PLACES.levels : PLACES.two;
  const usual = most === 1 ? PLACES.one : two;
  const names = picture.columns.places?.map(({ name }) => capital(name)) ?? usual;
  const method = methodOf(picture, wish);
  const fields = Array.from({ length: most }, (_, i) => {
    const before = wish.columns.slice(0, i);
    const fits = together(study, method, before);
    const select = make(
      "select",
      { id: `column-${i}` },
      ...(i < picture.columns.least ? [] : [make("option", { value: "", text: "none" })]),
      ...grouped(drawable(study, picture, method, i), (name) => fits(name) && !before.includes(name)),
    );
    select.value = wish.columns[i] || "";
    select.addEventListener("change", () => {
      const columns = [...wish.columns];
      const other = columns.indexOf(select.value);
      // A column that stands elsewhere changes places with this one.
      if (other >= 0) columns[other] = columns[i];
      columns[i] = select.value;
      change({ columns: columns.filter(Boolean) }, "", `column-${i}`);
    });
    const label = make("label", { for: `column-${i}`, text: names[i] || `Column ${i + 1}` });
    return make("div", { class: "field" }, label, select);
  });
  if (!drawable(study, picture, method).length) return [hint("The study has no column of this kind.")];
  return [...fields, groupHint(study, method, most)];
}

function axes(study, picture, wish, change) {
  const method = methodOf(picture, wish);
  const fits = together(study, method, wish.columns);
  const left = drawable(study, picture, method).filter(
    ({ name }) => !wish.columns.includes(name) && fits(name),
  );
  return [
    ...orderedList({
      chosen: wish.columns,
      others: grouped(left, () => true),
      limits: picture.columns,
      beside: (name) => sensitiveSign(study, picture, wish, change, name),
      changed: (columns, words, focus) => change({ columns }, words, focus),
    }),
    groupHint(study, method, 2),
  ];
}

function sensitiveSign(study, picture, wish, change, name) {
  if (!hasAxes(picture)) return null;
  const column = study.columns.find((it) => it.name === name);
  if (column && column.role === "sensitive") {
    return make("span", { class: "tag", text: "sensitive" });
  }
  if (study.policy.regime === "guarded") return null;
  const box = make("input", { type: "checkbox", id: `sensitive-${name}` });
  box.checked = wish.sensitive.includes(name);
  box.addEventListener("change", () => {
    const others = wish.sensitive.filter((it) => it !== name);
    change({ sensitive: box.checked ? [...others, name] : others }, "", box.id);
  });
  return make(
    "label",
    { class: "tag", title: "Each cluster then holds several of its values" },
    box,
    make("span", { text: "sensitive" }),
    make("span", { class: "unseen", text: `: ${name}` }),
  );
}

function formulaFields(study, wish, change) {
  const method = methodOf(pictureOf(study, wish.kind), wish);
  const free = study.policy.regime !== "guarded" || method.source === pictures.COPY;
  const fitting = study.columns.filter(
    (column) =>
      holds(column, method.source) && (column.kind === "continuous" || column.stratum || free),
  );
  const says =
    "outcome ~ terms joined by +; C(name) for levels; log(), sqrt(), a:b and a*b are known.";
  const fields = formulaOf(study, wish, change, "Formula of a linear regression", says, fitting);
  return [...fields, groupHint(study, method, 2)];
}

/**
 * Return the field for the formula of a model of the copy.
 *
 * @param {object} study - What /api/study tells.
 * @param {import("./page-wish.js").Wish} wish - What the form holds.
 * @param {(changes: object) => void} change - Takes what is typed.
 * @param {string} says - How a formula is written.
 * @returns {HTMLElement[]}
 */
export function formulaField(study, wish, change, says) {
  const fitting = pictures.columnsOf(study, { kind: "any" });
  return formulaOf(study, wish, change, "Formula", says, fitting);
}

function formulaOf(study, wish, change, title, says, fitting) {
  const field = make("input", {
    id: "formula",
    type: "text",
    required: true,
    maxlength: 2000,
    autocomplete: "off",
    autocapitalize: "off",
    spellcheck: "false",
    placeholder: "outcome ~ explained + by",
    "aria-describedby": "formula-hint formula-note",
  });
  field.value = wish.formula;
  const note = make("p", { class: "note", id: "formula-note", role: "status", hidden: true });
  field.addEventListener("input", () => {
    note.hidden = true;
    field.removeAttribute("aria-invalid");
    change({ formula: field.value });
  });
  field.addEventListener("change", () => {
    const unknown = unknownNames(study, field.value);
    note.textContent = `No column that can be drawn is called ${listed(unknown)}.`;
    note.hidden = !unknown.length;
  });
  const names = fitting.map((column) => {
    const text = written(column);
    const insert = () => {
      const { selectionStart: start, selectionEnd: end, value } = field;
      field.value = value.slice(0, start) + text + value.slice(end);
      field.focus();
      field.setSelectionRange(start + text.length, start + text.length);
      change({ formula: field.value });
    };
    const given = { type: "button", class: "chip", text, title: `Insert ${column.name}` };
    return make("button", { ...given, on: { click: insert } });
  });
  return [
    make("label", { for: "formula", text: title }),
    field,
    hint(says, "formula-hint"),
    note,
    make("details", { class: "names" }, make("summary", { text: "Insert a column" }), make("div", { class: "chips" }, ...names)),
  ];
}

/** Return the names in a formula that no column has; what stands before a bracket is a function. */
function unknownNames(study, formula) {
  const quoted = [...formula.matchAll(/`([^`]*)`/g)].map(([, name]) => name);
  const rest = formula.replace(/`[^`]*`/g, " ");
  const bare = [...rest.matchAll(/(?<![\p{L}\p{N}_.])([\p{L}_][\p{L}\p{N}_]*)\s*(\(?)/gu)]
    .filter(([, , bracket]) => !bracket)
    .map(([, name]) => name);
  const known = new Set(study.columns.map((column) => column.name));
  return [...new Set([...quoted, ...bare])].filter((name) => !known.has(name));
}

function written(column) {
  const name = /^[\p{L}_][\p{L}\p{N}_]*$/u.test(column.name) ? column.name : `\`${column.name}\``;
  return column.kind === "categorical" ? `C(${name})` : name;
}

/** @returns {HTMLOptGroupElement[]} Options for columns, one group for each kind. */
export function grouped(columns, fits) {
  const groups = [];
  for (const [kind, label] of Object.entries(KINDS)) {
    const options = columns
      .filter((column) => column.kind === kind)
      .map(({ name }) => make("option", { value: name, text: name, disabled: !fits(name) }));
    if (options.length) groups.push(make("optgroup", { label }, ...options));
  }
  return groups;
}

function groupHint(study, method, count) {
  const settled = study.policy.regime === "guarded" && method.rows && count > 1;
  if (!settled || method.source === pictures.COPY) return null;
  if (!study.groups.length) {
    return hint("The first plot of rows settles for everybody which columns may be seen together.");
  }
  const names = study.groups.map((group) => group.join(", ")).join("; or ");
  return hint(`Rows may be seen together for ${names}.`);
}

function capital(name) {
  return name.slice(0, 1).toUpperCase() + name.slice(1);
}

function hint(text, id = null) {
  return make("p", { class: "hint", id, text });
}
