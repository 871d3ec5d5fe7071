/** The numbers of a picture as a table: for screen readers, and for whoever would rather read. */

import { fill, h } from "../app/dom.js";
import { number } from "../draw/look.js";

const MOST = 500; // rows: more would make a page slow that is read aloud

/** Put the numbers of a picture into an element: those of its marks, or of its curves. */
export function numbersIn(host, view, { marks = [] }) {
  const { head, rows } = marks.length ? ofMarks(marks) : ofCurves(view);
  const cut = rows.length > MOST ? `The first ${MOST} rows of ${rows.length.toLocaleString("en-GB")}` : "";
  const line = ([name, ...cells]) => h("tr", {}, h("th", { scope: "row" }, name), cells.map((it) => h("td", {}, it)));
  fill(host, h("table", {},
    h("caption", {}, cut || "The numbers of the picture"),
    h("thead", {}, h("tr", {}, head.map((it) => h("th", { scope: "col" }, it)))),
    h("tbody", {}, rows.slice(0, MOST).map(line))));
  return rows.length > 0;
}

/** Of very many marks those that hold nothing, or are hidden, are left out. */
function ofMarks(marks) {
  const shown = marks.length > MOST ? marks.filter((it) => it.count !== 0 && it.count !== null) : marks;
  const [counted = "rows"] = marks.map((it) => it.counted);
  const of = ({ count, number: other }) =>
    (count === null ? "hidden" : other ?? (count === undefined ? "" : count.toLocaleString("en-GB")));
  const columns = [["", (it) => it.say], [counted, of], ["", (it) => (it.more && it.more !== it.number ? it.more : "")]];
  const held = columns.filter(([, each]) => shown.some((it) => each(it) !== ""));
  return { head: held.map(([name]) => name), rows: shown.map((it) => held.map(([, each]) => each(it))) };
}

function ofCurves({ curves = [], columns }) {
  const rows = curves.flatMap(({ label, x = [], y }) => x.map((at, i) => [label || columns[0], number(at), number(y[i])]));
  return { head: ["curve", columns?.[0], "height"], rows };
}
