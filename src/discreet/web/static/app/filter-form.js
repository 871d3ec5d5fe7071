/** The form of a filter: a range, some levels, or a condition that is written. */

import { DAY, lookOf, whole } from "../draw/look.js";
import { simpleOf } from "./condition-words.js";
import { choose } from "./choose.js";
import { fill, h } from "./dom.js";
import { checked, expressionField } from "./expression-field.js";
import { canBeWritten, inRange, oneOfLevels } from "./expression-texts.js";
import { settled } from "./form-parts.js";
import { FEW_LEVELS, typeOf } from "./offers.js";
import { miniSpec } from "./overview.js";
import { spark } from "./spark.js";

const MOST_LEVELS = 200;

export function filterForm(board, done, before = "") {
  const columns = [...board.columns.values()];
  const look = lookOf(board.columns);
  // The rows among which the filter chooses: it may be one of those that hold now.
  const part = { ...board.part, where: board.part.where.filter((it) => it !== before) };
  const begins = (before && simpleOf(columns, before)) || {};
  const chosen = begins.column || board.draft[0] || columns.find(canBeWritten).name;
  let column = chosen;
  const picked = choose({
    label: "Only rows whose",
    choices: columns.filter(canBeWritten).map(({ name }) => ({ name, label: look.full(name) })),
    chosen,
    pick: (name) => {
      column = name;
      byColumn();
      picked.field.focus();
      changed();
    },
  });
  picked.field.setAttribute("name", "column");
  picked.field.setAttribute("autofocus", "");
  const body = h("div.body");
  const fits = h("p.soft.fits", { role: "status" });
  const other = h("button.txt", { type: "button" });
  const form = h("form.form", {}, body, fits, h("button.btn.main", {}, before ? "Change the filter" : "Add the filter"), other);
  let asked = null;
  let refused = ""; // why the button did nothing, until something is changed

  const byColumn = () => {
    asked = asChosen(board, board.columns.get(column), body, begins, part);
    body.prepend(picked.element);
    other.textContent = "Write it yourself";
  };
  const write = (text) => {
    asked = asWritten(columns, text, body);
    other.textContent = "Choose from a column";
  };
  const count = settled(async (stays) => {
    const text = asked.wrong() ? "" : asked.text();
    const words = text ? await sizeOf(board, text, part) : "";
    if (stays()) fits.textContent = refused || words;
  }, board.failed);
  const changed = () => {
    refused = "";
    count();
  };

  other.addEventListener("click", () => {
    if (asked.isWritten) byColumn();
    else write(asked.text());
    form.querySelector("textarea, input").focus();
    changed();
  });
  form.addEventListener("input", changed);
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    refused = asked.wrong();
    if (refused) fits.textContent = refused;
    else done(asked.text());
  });
  if (before && !begins.column) write(before);
  else byColumn();
  count();
  return form;
}

/** How many rows would be left, or why they may not be. */
async function sizeOf(board, text, { where, assign }) {
  try {
    const { size, total } = await board.rows.part({ where: [...where, text], assign });
    return `${whole(size)} of ${whole(total)} rows fit${where.length ? " all filters" : ""}.`;
  } catch (error) {
    if (!error.where) throw error;
    return error.message;
  }
}

/** A condition that is written; it begins with what was chosen. */
function asWritten(columns, text, body) {
  const wrongIn = (it) => {
    const { wrong, kind, tree } = checked(columns, it);
    if (wrong || kind === "truth" || tree.yes) return wrong;
    return { says: "this is no condition; compare it with something: age >= 50" };
  };
  const { element, field } = expressionField(columns, "Only rows where", text, wrongIn);
  fill(body, element);
  return { isWritten: true, text: () => field.value.trim(), wrong: () => wrongIn(field.value)?.says };
}

function asChosen(board, column, body, begins, part) {
  const small = h("div.small");
  const of = begins.column === column.name ? begins : {};
  const way = typeOf(column) === "level" ? someLevels(board, column, of) : someRange(board, column, of);
  const show = (view) => {
    small.innerHTML = spark(view, (bar) => way.has(view, bar));
  };
  let view = null;
  fill(body, way.element, small);
  way.element.addEventListener("input", () => show(view));
  board.rows.views(part, [miniSpec(column)]).then(([found]) => {
    view = found.view;
    if (view) way.known(view);
    show(view);
  }, board.failed);
  return way;
}

function someRange(board, { name, dates, unit }, begins) {
  const look = lookOf(board.columns);
  const ends = ["from", "to"].map((end) =>
    h("input", { name: end, type: dates ? "date" : "number", step: !dates && "any", value: begins[end] }));
  const text = () => inRange(name, ends[0].value, ends[1].value, dates);
  const value = (it, open) => (it.value ? (dates ? Date.parse(it.value) / DAY : Number(it.value)) : open);
  const range = () => [value(ends[0], -Infinity), value(ends[1], Infinity)];
  return {
    element: h("div.two", { role: "group", "aria-label": `Range of ${look.full(name)}` },
      h("label", {}, "from", ends[0]), h("label", {}, unit && !dates ? `to (${unit})` : "to", ends[1])),
    text,
    wrong: () => {
      const [from, to] = range();
      if (from > to) return "The range ends before it begins.";
      return text() ? "" : "Say where the range begins, or where it ends.";
    },
    known: ({ edges }) => {
      const ofWhole = edges.every((it) => Math.abs(it % 1) === 0.5); // bins of whole numbers
      const [low, high] = [edges[0] + (ofWhole ? 0.5 : 0), edges.at(-1) - (ofWhole ? 0.5 : 0)];
      if (!dates) [low, high].forEach((it, i) => ends[i].setAttribute("placeholder", look.say(name, it)));
    },
    has: ({ edges }, bar) => {
      const [from, to] = range();
      const middle = (edges[bar] + edges[bar + 1]) / 2;
      return middle >= from && middle <= to;
    },
  };
}

function someLevels(board, { name, levels }, begins) {
  const look = lookOf(board.columns);
  const boxes = levels.slice(0, MOST_LEVELS).map((it) => h("input", { type: "checkbox", value: it, checked: begins.levels?.includes(it) }));
  const chosen = () => boxes.filter((it) => it.checked).map((it) => it.value);
  const find = levels.length > FEW_LEVELS && h("input", { type: "search", placeholder: "Find a level", "aria-label": "Find a level" });
  const labels = boxes.map((box) => h("label", {}, box, h("bdi", {}, box.value)));
  const search = () => labels.forEach((it, i) => {
    it.hidden = !boxes[i].checked && !boxes[i].value.toLowerCase().includes(find.value.trim().toLowerCase());
  });
  if (find) find.addEventListener("input", search);
  const more = levels.length > MOST_LEVELS && h("p.soft", {}, "Write it yourself for the other levels.");
  const element = h("div.checks", { role: "group", "aria-label": look.full(name) },
    find, labels, more);
  return {
    element,
    text: () => oneOfLevels(name, chosen(), levels),
    wrong: () => (chosen().length ? "" : "Choose one level or more."),
    known: () => {},
    has: (view, bar) => !chosen().length || chosen().includes(view.levels[bar]),
  };
}
