/** The form of a filter. */

import { h } from "./dom.js";

/**
 * @param {object} board - Knows the columns.
 * @param {(text: string) => void} done - Takes the condition.
 * @returns {HTMLElement}
 */
export function filterForm(board, done) {
  const field = h("input", { name: "text", "aria-label": "Condition", placeholder: "age >= 50", required: true, autofocus: true });
  const form = h("form.form", {}, h("label", {}, "Only rows where", field), h("button.btn.main", {}, "Add the filter"));
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    done(field.value.trim());
  });
  return form;
}
