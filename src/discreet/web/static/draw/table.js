/** Tables of figures: a name and some cells in each line, in sections. */

import { percent } from "./look.js";
import { esc } from "./svg.js";

/** What a card says above its table or in its title, and what is said where it is explained. */
const NOT_ON_CARD = /^(not reliable|of [\d,]+ rows of|the copy:|intervals)| ~ /;

/**
 * Draw a table, of the browser or of the server.
 * @param {object} view - The JSON of Python's CopyTable: names, head, lines, notes, figures.
 * @returns {object} `html`, and `marks`: the cells that count rows of a level.
 */
export function drawTable(view, look) {
  const marks = [];
  const counts = countsOf(view);
  const by = look.brief && look.spec.kind === "means" ? look.spec.sort || "" : null;
  const head = view.head.map((name) => `<th scope="col"${sumOf(name)}${by === null ? `>${esc(name)}` : sorting(name, by)}</th>`).join("");
  let section = "";
  const lines = (by ? sorted(view, by) : view.lines).map((line) => {
    const begins = line.section && line.section !== section;
    section = line.section;
    const over = begins ? sectionOf(section, view.head.length) : "";
    return over + lineOf(line, counts.next(line), marks, look, view.head);
  });
  const notes = view.notes.filter((it) => !(look.brief ? NOT_ON_CARD : /^not reliable/).test(it)).map((it) => `<p class="soft">${esc(it)}</p>`).join("");
  const html =
    `<div class="tall"><table class="figs">` +
    `<thead><tr><td></td>${head}</tr></thead><tbody>${lines.join("")}</tbody></table>${notes}</div>`;
  return { html, svg: "", marks };
}

/** The total stays while a table is scrolled. */
const sumOf = (name) => (name === "all" ? ' class="sum"' : "");

const sectionOf = (name, cells) =>
  `<tr class="of"><th scope="rowgroup" colspan="${cells + 1}">${esc(name)}</th></tr>`;

/** The name of a column by which a table can be sorted, and which way it is. */
function sorting(name, by) {
  const way = { [name]: "ascending", [`-${name}`]: "descending" }[by];
  const sign = way ? ` ${way === "ascending" ? "↑" : "↓"}` : "";
  return `${way ? ` aria-sort="${way}"` : ""}><button data-act="sort" data-by="${esc(name)}">${esc(name)}${sign}</button>`;
}

/** The lines of a table by the first number of a column; the data's figure stays below the copy's, all is last. */
function sorted({ head, lines }, by) {
  const place = head.indexOf(by.replace(/^-/, ""));
  const groups = [];
  for (const line of lines) {
    if (line.ofData) groups.at(-1).push(line);
    else groups.push([line]);
  }
  const number = ([{ name, cells }]) => (name === "all" ? NaN : Number.parseFloat((cells[place] || "").replaceAll(",", "").replace("−", "-")));
  const before = (a, b) => Number.isNaN(a) - Number.isNaN(b) || (by.startsWith("-") ? b - a : a - b);
  return groups.sort((a, b) => before(number(a), number(b)) || 0).flat();
}

const LONG = 20;

/** A long cell goes on in a second line, from what stands in parentheses; others are one line. */
function unbroken(cell) {
  const at = cell.length > LONG ? cell.indexOf(" (") : -1;
  const kept = cell.replaceAll(" ", "\u00a0").replace(/[–−-]/g, "\u2060$&\u2060");
  return esc(at < 0 ? kept : kept.replace("\u00a0(", " ("));
}

function lineOf({ section, name, cells, ofData }, figures, marks, look, head) {
  const each = cells.map((it, i) => {
    const cell = it.replace(/(?<![\w.-])-(?=\d)/g, "−");
    const mark = figures && markOf(figures[i], look);
    if (!mark) return `<td${sumOf(head[i])}>${unbroken(cell)}</td>`;
    marks.push(mark);
    return `<td${sumOf(head[i])} data-m="${marks.length - 1}">${unbroken(cell)}</td>`;
  });
  const names = [section && "in", ofData && "of-data", name === "all" && "last"].filter(Boolean).join(" ");
  return `<tr${names ? ` class="${names}"` : ""}><th scope="row">${esc(name)}</th>${each.join("")}</tr>`;
}

/** What a cell counts: the rows of a level of a column that are in a group. */
function markOf({ column, level, group, value, share }, look) {
  const others = Object.entries(group).map(([name, word]) => [name, word ?? "(missing)"]);
  const held = [[column, level], ...others];
  // Of several levels in one there is no one condition.
  const several = held.some(([, word]) => /^others \(\d+ levels\)$/.test(word));
  return {
    say: held.map(([name, word]) => look.level(name, word)).join(" · "),
    count: value,
    more: share === null ? "" : percent(share),
    light: several ? null : held.map(([name, word]) => ({ column: name, levels: [word] })),
  };
}

/** Takes the figures that count levels, line by line: they stand in the order of the lines. */
function countsOf({ figures, head }) {
  const shares = figures.filter((it) => it.figure === "share");
  const counts = figures.filter((it) => it.figure === "count");
  const each = counts.map((it, i) => ({ ...it, share: shares[i].value }));
  let at = 0;
  return {
    next({ section, name }) {
      if (!section || each[at]?.level !== name) return null;
      at += head.length;
      return each.slice(at - head.length, at);
    },
  };
}
