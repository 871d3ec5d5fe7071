/** The columns at the side: searched, chosen, dragged. */

import { lookOf } from "../draw/look.js";
import { fill, h } from "./dom.js";
import { icon } from "./icons.js";
import { columnChips } from "./new-columns.js";
import { typeOf } from "./offers.js";
import { spark } from "./spark.js";

const KINDS_IN_WORDS = { number: "Numbers", level: "Categories", date: "Dates" };

/**
 * Make the rail.
 * @returns {object} `element`, `show(state)`, `find`, `small(name, view)`.
 */
export function railOf(board) {
  const find = h("input", {
    id: "find",
    type: "search",
    placeholder: "Find a column",
    "aria-label": "Find a column",
    autocomplete: "off",
  });
  const count = h("span", {});
  const made = h("div.chips");
  const list = h("div.cols");
  const views = new Map();
  const element = h(
    "aside.rail",
    { id: "rail", "aria-label": "Columns" },
    h("div.search", {}, icon("find"), find, h("kbd", {}, "/")),
    h("div.many", {}, h("h2", {}, count, h("span", {}, board.hasModels && h("button.txt", { "data-act": "model", "aria-haspopup": "dialog" }, "+ Model"),
      " ", h("button.txt", { "data-act": "new-column", "aria-haspopup": "dialog" }, "+ New column"))), made),
    list,
    h("div.free", {}, footOf(board)),
  );
  find.addEventListener("input", columns);

  function columns() {
    const wanted = find.value.trim().toLowerCase();
    const look = lookOf(board.columns);
    const all = [...board.columns.values()];
    const words = (it) =>
      [it.name, look.label(it.name), it.unit, KINDS_IN_WORDS[typeOf(it)], ...(it.levels || [])]
        .join(" ")
        .toLowerCase();
    const shown = all.filter((it) => words(it).includes(wanted));
    count.textContent = wanted ? `${shown.length} of ${all.length} columns` : `${all.length} columns`;
    fill(list, shown.map((it) => row(it, look)),
      !shown.length && h("p.soft.none", {}, `No column has “${find.value.trim()}” in its name.`));
  }

  function row(column, look) {
    const kind = typeOf(column);
    const made = h(
      "button.col",
      {
        draggable: "true",
        "data-act": "pick",
        "data-column": column.name,
        "aria-pressed": String(board.draft.includes(column.name)),
        title: `${look.full(column.name)} · ${KINDS_IN_WORDS[kind]}${column.fresh ? ", made on this page" : ""}`,
      },
      icon(kind),
      h("b", {}, h("bdi", {}, look.label(column.name)), h("small", {}, column.unit || "")),
    );
    made.insertAdjacentHTML("beforeend", spark(views.get(column.name)));
    made.addEventListener("dragstart", (event) => event.dataTransfer.setData("text/column", column.name));
    return made;
  }

  return {
    element,
    find,
    columns,
    /** The names of columns that are shown, from one to another. */
    between(...ends) {
      const all = [...list.querySelectorAll(".col")].map((it) => it.dataset.column);
      const [from, to] = ends.map((it) => all.indexOf(it)).sort((a, b) => a - b);
      return from < 0 ? [] : all.slice(from, to + 1);
    },
    /** A column's row stays, for it may be in the middle of a press, or have the focus. */
    small(name, view) {
      views.set(name, view);
      const it = list.querySelector(`[data-column="${CSS.escape(name)}"] .spark`);
      if (it) it.outerHTML = spark(view);
    },
    show(state) {
      fill(made, columnChips(state.assign));
      columns();
    },
  };
}

function footOf({ rows, isServed, facts }) {
  if (!rows) return "";
  if (isServed) return "Filters and new columns work on the protected copy.";
  const models = facts.python ? ` Models are fitted in Python: ${facts.python}.model("outcome ~ predictor").` : "";
  return `This page holds all rows it draws, and asks nobody for anything.${models}`;
}
