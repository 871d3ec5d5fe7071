/** The form of a new column. */

import { h } from "./dom.js";

/**
 * @param {object} board - Knows the columns.
 * @param {(name: string, text: string) => void} done - Takes its name and expression.
 * @returns {HTMLElement}
 */
export function columnForm(board, done) {
  const name = h("input", { name: "name", required: true, autofocus: true });
  const text = h("input", { name: "text", required: true, placeholder: "log(bmi)" });
  const form = h("form.form", {}, h("label", {}, "Name", name), h("label", {}, "Expression", text), h("button.btn.main", {}, "Add the column"));
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    done(name.value.trim(), text.value.trim());
  });
  return form;
}
