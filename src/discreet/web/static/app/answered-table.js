/** An answer from the data as a table: for screen readers, and where the copy has no picture. */

import { h } from "./dom.js";
import { cap } from "./words.js";

/** Return the table of an answer, or nothing where there is none. */
export function answeredTable(answer) {
  if (!answer) return [];
  const { title, head, lines, notes } = answer.table;
  const named = ({ section, name }) => [section, name].filter(Boolean).join(", ");
  const line = (it) => h("tr", {}, h("th", { scope: "row" }, named(it)), it.cells.map((cell) => h("td", {}, cell)));
  return [
    h("table.figs", {},
      h("caption", {}, `${title}. ${cap(notes.join("; "))}.`),
      h("thead", {}, h("tr", {}, h("td"), head.map((it) => h("th", { scope: "col" }, it)))),
      h("tbody", {}, lines.map(line))),
  ];
}

/** Return which of several studies has which column. */
export function studiesTable({ names, columns }) {
  const row = (name, has) => h("tr", {}, h("th", { scope: "row" }, name), has.map((it) => h("td", {}, it ? "yes" : "–")));
  const head = h("thead", {}, h("tr", {}, h("td"), names.map((it) => h("th", { scope: "col" }, it))));
  return h("div.form", {}, h("table.figs", {}, head, h("tbody", {}, Object.entries(columns).map((it) => row(...it)))));
}
