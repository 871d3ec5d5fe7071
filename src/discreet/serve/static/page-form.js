/** The form, built wholly from what the server tells of the study. */

import { byId, make, settled } from "./page-dom.js";
import { columnFields } from "./page-columns.js";
import { withNew } from "./page-derived.js";
import { derivedFields, putDerived, showMistake } from "./page-derived-fields.js";
import { tableFields } from "./page-tables.js";
import { byField, methodFields, parameterFields, sourceField } from "./page-fields.js";
import { icon } from "./page-icons.js";
import { tell } from "./page-wait.js";
import { COPY, isTable, pictureOf } from "./page-picture.js";
import { fitted, isDerived, wishFor } from "./page-wish.js";

const PLACE = { picture: "form-picture", columns: "form-columns", method: "form-method" };
const SETTINGS = "form-settings";
const DERIVED = "form-derived";
const TYPED = ["formula", "parameters", "where", "assign"];
const WAIT = 400;

/**
 * Build the form.
 *
 * @param {object} study - What /api/study tells.
 * @param {{draw: () => void, pixels: () => number}} of - What happens when it is sent, and the
 *   pixels that the height of the window gives.
 * @returns {{wish: () => import("./page-wish.js").Wish,
 *   put: (wish: import("./page-wish.js").Wish) => void,
 *   showMistake: (error: Error, body: object) => void,
 *   tellStudy: (study: object) => void}}
 */
export function buildForm(study, { draw, pixels }) {
  let known = study;
  let wish = wishFor(study, study.pictures[0].kind);

  const change = (changes, words = "", focus = "") => {
    const parameters = { ...wish.parameters, ...changes.parameters };
    const next = { ...wish, ...changes, parameters };
    // What is being typed stays as it is; whatever was chosen may change what else fits.
    const typed = Object.keys(changes).every((name) => TYPED.includes(name));
    wish = typed ? next : fitted(known, next);
    if (!typed) fill();
    else if ("where" in changes || "assign" in changes) fitLater();
    if (words) tell(words);
    if (focus) focusOn(focus);
  };
  const choose = (kind) => {
    wish = wishFor(known, kind, wish);
    fill();
  };
  const fit = () => {
    const focus = document.activeElement ? document.activeElement.id : "";
    wish = fitted(known, wish);
    fill();
    if (focus) focusOn(focus);
  };
  const fitLater = settled(fit, WAIT); // new columns are offered once somebody stops typing
  const fillPlot = (all) => {
    put(PLACE.columns, [...columnFields(all, wish, change), byField(all, wish, change)]);
    put(PLACE.method, [sourceField(known, wish, change), ...methodFields(known, wish, change)]);
    put(SETTINGS, parameterFields(known, wish, change, pixels()));
  };
  const fill = () => {
    const picture = pictureOf(known, wish.kind);
    byId("picture-says").textContent = picture.says;
    const all = isDerived(known, wish) ? withNew(known, wish, COPY) : known;
    const table = isTable(picture);
    byId(PLACE.method).closest("fieldset").hidden = table;
    if (table) {
      put(PLACE.columns, tableFields(all, picture, wish, change));
      [PLACE.method, SETTINGS].forEach((id) => put(id, []));
    } else {
      fillPlot(all);
    }
    putDerived(wish);
    byId(DERIVED).closest("fieldset").hidden = !picture.derivation;
    byId(SETTINGS).closest("fieldset").hidden = !byId(SETTINGS).children.length;
    const tile = byId(`picture-${wish.kind}`);
    if (!tile.checked) tile.checked = true;
  };
  tiles(study, choose);
  put(DERIVED, derivedFields(change));
  byId("form").addEventListener("submit", (event) => {
    event.preventDefault();
    draw();
  });
  byId("form").addEventListener("keydown", enterDraws);
  fill();
  return {
    wish: () => {
      wish = fitted(known, wish);
      return wish;
    },
    showMistake: (error, body) => {
      if (error.place) showMistake(error, body, withNew(known, wish, COPY).columns);
    },
    put: (other) => {
      wish = other;
      fill();
    },
    tellStudy: (other) => {
      const same = JSON.stringify(other.groups) === JSON.stringify(known.groups);
      known = other;
      if (!same) fit();
    },
  };
}

function tiles(study, choose) {
  const made = [...study.pictures, ...study.tables].map(({ kind, title, says }) => {
    const radio = make("input", {
      type: "radio",
      name: "picture",
      id: `picture-${kind}`,
      value: kind,
      on: { change: () => choose(kind) },
    });
    const name = make("span", { text: title });
    return make("label", { class: "tile", title: says }, radio, icon(kind), name);
  });
  put(PLACE.picture, made);
}

// Browsers disagree about Enter in a list of choices; here it always draws.
function enterDraws(event) {
  const chosen = event.target instanceof HTMLSelectElement || event.target.type === "checkbox";
  if (event.key !== "Enter" || !chosen) return;
  event.preventDefault();
  byId("form").requestSubmit();
}

function put(id, fields) {
  byId(id).replaceChildren(...fields.filter(Boolean));
}

function focusOn(id) {
  const found = document.getElementById(id);
  if (found && found !== document.activeElement) found.focus();
}
