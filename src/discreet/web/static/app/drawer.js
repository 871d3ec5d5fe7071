/** The drawer beside a picture: how it was made, what it promises, what it does not, its numbers. */

import { fill, h } from "./dom.js";
import { icon } from "./icons.js";
import { pythonOf, footOf } from "./words.js";

const ROWS = 60;

/** Show the drawer of a card, or close it. */
export function showDrawer(host, board, card) {
  host.hidden = !card;
  board.cards.forEach((it) => {
    it.element.classList.toggle("explained", it === card);
    it.element.querySelector("[data-act=about]")?.setAttribute("aria-expanded", String(it === card));
  });
  if (!card) return;
  const { spec, title } = card;
  const answer = card.answer() || { busy: "It is being drawn." };
  fill(
    host,
    h("header", {}, h("h2", {}, title), h("button.ib", { "data-act": "close-drawer", "aria-label": "Close" }, icon("x"))),
    answer.view && h("p.soft", {}, footOf(answer, board.partSize(), board.facts.policy)),
    answer.view ? made(board, spec, answer.view) : [h("h3", {}, "Why it is not drawn"), h("p", {}, answer.refused?.says || answer.busy)],
    board.facts.python !== null && [
      h("h3", {}, "In Python"),
      h("code.py", {}, pythonOf(spec, board.state(), board.facts.python)),
    ],
    answer.view && numbers(card),
  );
  host.classList.toggle("left", covers(host, card.element));
}

function made(board, spec, view) {
  const method = board.methodOf(spec, view);
  const remarks = view.origin?.remarks || view.notes || [];
  return [
    h("h3", {}, "How it was made"),
    h("p", {}, howMade(board, spec)),
    remarks.length > 0 && h("ul", {}, remarks.map((it) => h("li", {}, it))),
    comparesAlone(spec, view) && h("p", {}, OF_THESE_ROWS),
    h("h3", {}, "What it promises"),
    h("p", {}, numbered(method.promises, board, view)),
    h("h3", {}, "What it does not promise"),
    h("p", {}, numbered(method.leaves_open, board, view)),
  ];
}

const OF_THESE_ROWS =
  "How far the copy is off is not known on this page: intervals leave it out, and which differences between groups are not reliable is said in Python alone.";

/** Whether a picture of rows that are in the browser compares groups, or has intervals. */
function comparesAlone(spec, view) {
  return !view.origin?.version && !view.origin?.remarks && (spec.by?.length > 0 || ["survival", "over_time"].includes(spec.kind));
}

/** A sentence with the numbers that the letters k and m stand for. */
function numbered(text, board, view) {
  const { k } = board.facts.policy;
  const m = view.parameters?.m ?? board.facts.policy.m ?? "m";
  return text.replace(/\bk\b/g, k ?? "k").replace(/\bm\b/g, m);
}

function howMade(board, spec) {
  const kind = board.pictureOf(spec.kind);
  const { where, assign } = board.state();
  const steps = [
    ...assign.map(([name, text]) => `${name} is ${text}`),
    ...where.map((text) => `only rows where ${text}`),
  ];
  const first = `${kind?.says || ""} It is drawn from ${board.facts.policy.drawn_from || "the protected copy: rows made so that none is a person"}.`;
  return steps.length ? `${first} Of it: ${steps.join("; ")}.` : first;
}

function numbers(card) {
  const marks = (card.drawn()?.marks || []).filter((it) => (it.number ?? it.count) !== undefined);
  if (!marks.length) return null;
  const isAnswered = marks.some((it) => it.data);
  const head = ["", "copy", "from the data"].map((it) => h("th", { scope: "col" }, it));
  const rows = marks.slice(0, ROWS).map((it) =>
    h("tr", {}, h("td", {}, h("bdi", {}, it.say)), h("td", {}, it.number ?? numberOf(it)), isAnswered && h("td", {}, it.data || "")),
  );
  return [
    h("h3", {}, "The numbers"),
    h("table", {}, isAnswered && h("thead", {}, h("tr", {}, head)), h("tbody", {}, rows)),
    marks.length > ROWS && h("p.soft", {}, `and ${marks.length - ROWS} more, in the JSON file`),
  ];
}

const numberOf = ({ count }) => (count === null ? "few" : count.toLocaleString("en-GB"));

/** The drawer is never over the picture that it is of. */
function covers(host, element) {
  if (innerWidth <= 820) return false;
  const { left, right } = element.getBoundingClientRect();
  return right > innerWidth - host.offsetWidth && left > host.offsetWidth;
}
