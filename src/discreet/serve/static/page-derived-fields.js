/** Which rows of the copy, and which new columns: two texts, and where in one a mistake is. */

import { byId, make } from "./page-dom.js";
import { wrongLine } from "./page-derived.js";

const TYPED = {
  autocomplete: "off",
  autocapitalize: "off",
  spellcheck: "false",
};
const EXAMPLES = {
  where: "age >= 50 and sex == 'F'; not missing(bmi)",
  assign: "log_bmi = log(bmi); band = cut(age, 40, 60). One on each line.",
};
const LABELS = { where: "Only rows where", assign: "New columns" };

/**
 * Return the two fields.
 *
 * @param {(changes: object) => void} change - Takes what is typed.
 * @returns {HTMLElement[]}
 */
export function derivedFields(change) {
  return Object.keys(LABELS).flatMap((name) => {
    const described = { "aria-describedby": `${name}-says ${name}-note` };
    const field =
      name === "where"
        ? make("input", { id: name, type: "text", maxlength: 500, ...TYPED, ...described })
        : make("textarea", { id: name, rows: 2, ...TYPED, ...described });
    field.addEventListener("input", () => {
      field.setCustomValidity(name === "assign" ? wrongLine(field.value) : "");
      clear(name);
      change({ [name]: field.value });
    });
    const label = make("label", { for: name, text: LABELS[name] });
    const says = make("p", { class: "hint", id: `${name}-says`, text: `Such as ${EXAMPLES[name]}` });
    const note = make("p", { class: "note mistake", id: `${name}-note`, hidden: true });
    return [make("div", { class: "field" }, label, field, note, says)];
  });
}

/** Put what a wish has into the fields, where that is not what they hold. */
export function putDerived(wish) {
  for (const name of Object.keys(LABELS)) {
    const field = byId(name);
    if (field.value === wish[name]) continue;
    field.value = wish[name];
    field.setCustomValidity(name === "assign" ? wrongLine(field.value) : "");
    clear(name);
  }
}

/**
 * Show at its field what the server could not read, with the place marked.
 *
 * @param {{message: string, place: object|null}} error - A refusal.
 * @param {object} body - What was sent.
 * @param {{name: string}[]} known - The columns.
 * @returns {void}
 */
export function showMistake({ message, place }, body, known) {
  const field = place && document.getElementById(place.parameter);
  if (!field) return;
  const sent = place.parameter === "assign" ? Object.entries(body.assign) : body[place.parameter];
  const [name, text] = place.parameter === "assign" ? (sent[place.entry] ?? ["", ""]) : ["", sent];
  const signs = [...text]; // the server counts signs, and JavaScript halves of some
  const from = place.start === null ? 0 : place.start;
  const to = place.start === null ? 0 : place.end;
  const marked = signs.slice(from, to).join("");
  const unknown = /^[\p{L}_][\p{L}\p{N}_]*$/u.test(marked) && !known.some((it) => it.name === marked);
  const words = unknown ? `No column, and nothing else, is called ${marked}. ` : "";
  const shown = make(
    "code",
    {},
    `${name ? `${name} = ` : ""}${signs.slice(0, from).join("")}`,
    make("mark", { text: marked || (place.start === null ? "" : " ") }),
    signs.slice(to).join(""),
  );
  const note = byId(`${place.parameter}-note`);
  note.replaceChildren(words || `${message}. `, make("br"), shown);
  note.hidden = false;
  field.setAttribute("aria-invalid", "true");
  field.focus({ preventScroll: true });
  field.closest(".field, fieldset").scrollIntoView({ block: "center" });
}

function clear(name) {
  byId(name).removeAttribute("aria-invalid");
  const note = byId(`${name}-note`);
  note.hidden = true;
  note.replaceChildren();
}
