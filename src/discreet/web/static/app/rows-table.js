/** The rows that the filters keep, as a table: so many at a time. */

import { lookOf, whole } from "../draw/look.js";
import { fill, h } from "./dom.js";
import { close, open } from "./floating.js";
import { icon } from "./icons.js";
import { typeOf } from "./offers.js";

const AT_ONCE = 100;

/** Whether the rows can be read on this page: those that stay on a server cannot. */
export const hasTable = (board) => Boolean(board.rows?.table && !board.refusedPart);

/** Open the rows beside what was pressed. */
export async function openRows(anchor, board) {
  const { part, columns } = board;
  const { size } = board.partSize();
  const look = lookOf(columns);
  const names = [...columns.keys()];
  const cell = (tag, name, given, ...words) => h(typeOf(columns.get(name)) === "level" ? `${tag}.word` : tag, given, h("bdi", {}, ...words));
  const head = h("tr", {}, names.map((name) => cell("th", name, { scope: "col" }, look.full(name))));
  const [said, body] = [h("span", { role: "status" }), h("tbody")];
  const rows = h("div.rows", { tabindex: 0, autofocus: true, role: "region", "aria-label": "The rows" }, h("table", {}, h("thead", {}, head), body));
  let from = 0;
  const by = (words, step) => h("button.btn", { type: "button", on: { click: () => show(from + step).catch(board.failed) } }, words);
  const [earlier, later] = [by("Earlier", -AT_ONCE), by("Later", AT_ONCE)];

  async function show(at) {
    if (at < 0 || at >= size) return;
    from = at;
    const to = Math.min(at + AT_ONCE, size);
    const found = await board.rows.table(part, at, to);
    if (from !== at) return;
    const line = (_, i) => h("tr", {}, names.map((name, j) => valueOf(found[j][i], name)));
    fill(body, Array.from({ length: to - at }, line));
    said.textContent = `Rows ${whole(at + 1)} to ${whole(to)} of ${whole(size)}`;
    earlier.setAttribute("aria-disabled", String(at === 0));
    later.setAttribute("aria-disabled", String(to === size));
    rows.scrollTop = 0;
  }

  const valueOf = (value, name) =>
    cell("td", name, {}, value === null ? h("span.soft", {}, "missing") : typeof value === "number" ? look.say(name, value) : value);
  const bar = h("div.paged", {}, said, earlier, later, h("button.ib", { type: "button", "aria-label": "Close", on: { click: close } }, icon("x")));
  await show(0);
  open(anchor, h("div.form", {}, bar, rows, h("p.soft", {}, board.facts.policy.promise)), 1200, "The rows");
}
