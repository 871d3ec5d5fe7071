/** The part of the form that says how: what divides it, the method, the parameters. */

import { make } from "./page-dom.js";
import * as pictures from "./page-picture.js";
import { isDerived } from "./page-wish.js";

const { dividers, followsHeight, methodOf, methodsOf, pictureOf, settable } = pictures;
const { secondDividers, sourcesOf } = pictures;

/** What the sources of a picture are called, and what is to be known of each. */
const SOURCES = {
  [pictures.BASE]: ["counts made with the copy", "As the policy draws it. Other settings are for the copy."],
  [pictures.COPY]: ["the protected copy", "Any columns of it, with any settings, in any order."],
  [pictures.COUNTS]: ["further counts of the data", "They must fit all that was released before."],
};

// Open where there is room for it; the same words stand below every picture.
let moreOpen = window.matchMedia("(min-width: 56rem)").matches;

/**
 * Return the field for the column, or the two, whose levels divide the picture; null where there
 * is none.
 *
 * @param {object} study - What /api/study tells.
 * @param {import("./page-wish.js").Wish} wish - What the form holds.
 * @param {(changes: object, words?: string, focus?: string) => void} change - Takes changes.
 * @returns {HTMLElement|null}
 */
export function byField(study, wish, change) {
  const picture = pictureOf(study, wish.kind);
  if (!picture.by) return null;
  const method = methodOf(picture, wish);
  const names = dividers(picture, method, wish.columns);
  const nothing = names.length ? "nothing" : "nothing (no column fits)";
  const label = make("label", { for: "by", text: "Divided by the levels of" });
  const select = chooser("by", names, nothing, wish.by);
  select.addEventListener("change", () => change({ by: select.value }, "", "by"));
  const field = make("div", { class: "field" }, label, select);
  const others = secondDividers(picture, method, wish);
  if (!others.length) return field;
  const and = make("label", { for: "by-second", text: "and of" });
  const second = chooser("by-second", others, "nothing else", wish.bySecond);
  second.addEventListener("change", () => change({ bySecond: second.value }, "", "by-second"));
  field.append(and, second);
  return field;
}

/** Return a list of names to choose one of, or nothing. */
function chooser(id, names, nothing, chosen) {
  const options = names.map((name) => make("option", { value: name, text: name }));
  const none = make("option", { value: "", text: nothing });
  const select = make("select", { id, disabled: !names.length }, none, ...options);
  select.value = chosen;
  return select;
}

/**
 * Return the field for where the picture comes from; null where there is one source.
 *
 * @param {object} study - What /api/study tells.
 * @param {import("./page-wish.js").Wish} wish - What the form holds.
 * @param {(changes: object, words?: string, focus?: string) => void} change - Takes changes.
 * @returns {HTMLElement|null}
 */
export function sourceField(study, wish, change) {
  const sources = sourcesOf(pictureOf(study, wish.kind), wish.columns);
  if (sources.length < 2 || isDerived(study, wish)) return null;
  const options = sources.map((name) => make("option", { value: name, text: SOURCES[name][0] }));
  const select = make("select", { id: "source", "aria-describedby": "source-says" }, ...options);
  select.value = wish.source;
  const chosen = () => change({ source: select.value, method: "" }, "", "source");
  select.addEventListener("change", chosen);
  const label = make("label", { for: "source", text: "Drawn from" });
  const says = make("p", { class: "hint", id: "source-says", text: SOURCES[wish.source][1] });
  return make("div", { class: "field" }, label, select, says);
}

/**
 * Return the fields for the method, and what it promises and does not protect.
 *
 * @param {object} study - What /api/study tells.
 * @param {import("./page-wish.js").Wish} wish - What the form holds.
 * @param {(changes: object, words?: string, focus?: string) => void} change - Takes changes.
 * @returns {HTMLElement[]}
 */
export function methodFields(study, wish, change) {
  const picture = pictureOf(study, wish.kind);
  const method = methodOf(picture, wish);
  const fields = [];
  const methods = methodsOf(picture, wish.source);
  if (methods.length > 1) {
    const select = make(
      "select",
      { id: "method", "aria-describedby": "method-says" },
      ...methods.map(({ name, usual }) =>
        make("option", { value: name, text: usual ? `${name} (usual)` : name }),
      ),
    );
    select.value = method.name;
    select.addEventListener("change", () => change({ method: select.value }, "", "method"));
    const label = make("label", { for: "method", text: "Method" });
    fields.push(make("div", { class: "field" }, label, select));
  } else {
    const name = make("strong", { text: method.name });
    const why = method.source ? "the method that it is made by" : "the one method that the policy allows";
    fields.push(make("p", { class: "only" }, name, ` – ${why}`));
  }
  const more = make(
    "details",
    { class: "more", open: moreOpen },
    make("summary", { text: "What it promises, and what it does not" }),
    make(
      "dl",
      { class: "promise", id: "method-says" },
      make("dt", { class: "kept", text: "Promises" }),
      make("dd", { text: method.promises }),
      make("dt", { class: "open", text: "Does not protect" }),
      make("dd", { text: method.leaves_open }),
    ),
  );
  more.addEventListener("toggle", () => {
    moreOpen = more.open;
  });
  const source = method.rows ? "Drawn from protected rows." : "Drawn from counts of the data.";
  fields.push(method.name === "none" ? null : make("p", { class: "hint", text: source }), more);
  return fields.filter(Boolean);
}

/**
 * Return the fields for the parameters; those that are fixed stand as text.
 *
 * @param {object} study - What /api/study tells.
 * @param {import("./page-wish.js").Wish} wish - What the form holds.
 * @param {(changes: object, words?: string, focus?: string) => void} change - Takes changes.
 * @param {number} pixels - The pixels that the height of the window gives.
 * @returns {HTMLElement[]}
 */
export function parameterFields(study, wish, change, pixels) {
  const picture = pictureOf(study, wish.kind);
  const method = methodOf(picture, wish);
  const set = (name, value) => change({ parameters: { [name]: value } });
  const fields = settable(picture, method).map((it) =>
    parameterField(it, wish.parameters[it.name], set),
  );
  const fixed = picture.parameters.filter(
    (it) => it.fixed && told(it.usual) && (!it.methods || it.methods.includes(method.name)),
  );
  if (fixed.length) {
    const pairs = fixed.flatMap((it) => [
      make("dt", { text: called(it), title: it.says }),
      make("dd", { text: words(it.usual) }),
    ]);
    fields.push(
      make("p", { class: "hint", text: "Fixed by the policy:" }),
      make("dl", { class: "fixed" }, ...pairs),
    );
  }
  if (followsHeight(picture, method)) {
    const says = `Pixels of an axis follow the height of the window: now ${pixels}.`;
    fields.push(make("p", { class: "hint", text: says }));
  }
  return fields;
}

/**
 * Return the field of one parameter.
 *
 * @param {object} it - What the server says of it.
 * @param {any} value - What it is set to, if it is.
 * @param {(name: string, value: any) => void} set - Takes another value.
 * @returns {HTMLElement}
 */
export function parameterField(it, value, set) {
  const id = `parameter-${it.name}`;
  const now = value === undefined ? it.usual : value;
  const says = make("p", { class: "hint", id: `${id}-says`, text: it.says });
  const label = make("label", { for: id, text: called(it) });
  if (it.type === "yes_no") {
    const box = make("input", { type: "checkbox", id, "aria-describedby": says.id });
    box.checked = Boolean(now);
    box.addEventListener("change", () => set(it.name, box.checked));
    return make("div", { class: "field check" }, box, label, says);
  }
  const inputs = { word: choice, words: texts };
  const input = (inputs[it.type] ?? number)(it, id);
  input.setAttribute("aria-describedby", says.id);
  input.value = told(now) ? written(now) : "";
  input.addEventListener("input", () => set(it.name, read(it, input)));
  return make("div", { class: "field" }, label, input, says);
}

function choice(it, id) {
  const options = it.choices.map((word) => make("option", { value: word, text: word }));
  return make("select", { id }, ...options);
}

/** Words of any kind; one that holds a comma cannot be written here. */
function texts(it, id) {
  const as = { type: "text", maxlength: 2000, autocomplete: "off", spellcheck: "false" };
  return make("input", { id, ...as, placeholder: "one, or several with commas" });
}

function written(value) {
  return Array.isArray(value) ? value.join(", ") : String(value);
}

function number(it, id) {
  return make("input", {
    id,
    type: "number",
    inputmode: it.type === "integer" ? "numeric" : "decimal",
    min: it.least,
    max: it.most,
    step: it.step ?? (it.type === "integer" ? 1 : "any"),
    placeholder: told(it.usual) ? `${it.usual}` : "as the method needs",
  });
}

function read(it, input) {
  if (it.type === "word") return input.value;
  if (it.type === "words") {
    const named = input.value.split(",").map((word) => word.trim()).filter(Boolean);
    return named.length ? named : undefined;
  }
  const value = input.valueAsNumber;
  return Number.isFinite(value) ? value : undefined;
}

function told(value) {
  return value !== null && value !== undefined && value !== "";
}

function called(it) {
  return it.name.replaceAll("_", " ");
}

function words(value) {
  if (typeof value === "boolean") return value ? "yes" : "no";
  return String(value);
}
