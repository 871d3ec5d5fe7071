/** A card: a picture with its title, what it shows of how many, and what can be done with it. */

import { lookOf } from "../draw/look.js";
import { drawPicture } from "../draw/picture.js";
import { unreliableIn } from "../draw/unreliable.js";
import { kindFor } from "../kinds/index.js";
import { answeredTable } from "./answered-table.js";
import { brushed } from "./brush.js";
import { controlsOf } from "./controls.js";
import { fill, h } from "./dom.js";
import { announce, tip } from "./floating.js";
import { icon } from "./icons.js";
import { TABLES } from "./on-server.js";
import { walked } from "./walk.js";
import { footOf, titleOf } from "./words.js";

const WALK = "Arrow keys walk through it, with Shift they choose more. Enter keeps the highlight, and once more only its rows; Escape clears it.";

/**
 * Make a card.
 * @returns {object} `element`, `spec`, `asked()`, as the rows are asked for it, `show(answer)`,
 *   `light(lit)`, `redraw()`, `view()`.
 */
export function cardOf(board, spec) {
  const kind = kindFor(spec);
  const title = spec.title || titleOf(spec, lookOf(board.columns));
  const controls = h("div.ctl");
  const warn = h("p.unreliable", { hidden: true });
  const pic = h("div.pic", { class: `pic pic-${spec.kind}` });
  const read = h("p.read");
  const foot = h("p.foot");
  const data = h("div.unseen");
  const body = h("div.body", {}, controls, warn, pic, data, read, foot);
  const element = h(
    "article.card",
    { "aria-label": title, class: spec.wide ? "card wide" : "card", tabindex: -1 },
    h(
      "header",
      {},
      h("h2", {}, title),
      button("info", "How this picture was made", "about"),
      button("more", "More for this picture", "menu"),
    ),
    spec.note && h("p.note", {}, spec.note),
    body,
  );
  let answer = null;
  let drawn = null;
  let size = "";
  let lit = null;

  const laidOver = () => (spec.answer ? board.answerTo(spec, answer?.view) : null);
  const look = (more = {}) => lookOf(board.columns, { dark: board.isDark(), brief: true, spec, answer: laidOver(), ...more });

  function redraw() {
    if (!answer?.view || !pic.clientWidth) return;
    const tall = kind.tall?.(answer.view, look(), pic.clientWidth) || 0;
    pic.style.setProperty("--tall", `${tall}px`);
    const held = pic.contains(document.activeElement) && (document.activeElement.dataset.by ?? "");
    drawn = drawPicture(pic, kind, answer.view, look());
    size = `${pic.clientWidth} ${pic.clientHeight}`;
    const sheet = pic.querySelector(".tall, .sheet");
    if (sheet) {
      if (sheet.scrollWidth > sheet.clientWidth) element.classList.add("wide");
      sheet.onscroll = () => sheet.classList.toggle("more", sheet.scrollLeft + sheet.clientWidth < sheet.scrollWidth - 1);
      sheet.onscroll();
    }
    for (const it of pic.querySelectorAll(":scope > svg, table")) {
      it.setAttribute("tabindex", "0");
      it.setAttribute("role", it.tagName === "TABLE" ? "table" : "group");
      it.removeAttribute("aria-hidden");
      it.setAttribute("aria-label", `${title}. ${drawn.marks?.length ? WALK : ""}`);
    }
    if (held !== false) (pic.querySelector(`[data-by="${CSS.escape(held)}"]`) || pic.querySelector(":scope > svg, table"))?.focus({ preventScroll: true });
    fill(controls, controlsOf(board, spec, drawn, look(), board.answerTo(spec, answer.view)));
    fill(data, answeredTable(laidOver()));
    read.textContent = drawn.read ? drawn.read(null) : "";
    read.hidden = !drawn.read;
    if (kind.moves) kind.moves(pic, drawn, (from, to) => board.moveAxis(spec, from, to));
    brush.again();
    if (lit) light(lit.found, lit.size);
  }

  /** One picture that fails takes no other with it. */
  function redrawn() {
    try {
      redraw();
    } catch (error) {
      console.error(error);
      show({ refused: { says: "This picture cannot be drawn. Choose other columns, or another kind." } });
    }
  }

  function light(found, rows) {
    lit = found && { found, size: rows };
    brush.lit(rows);
    drawn?.light(found);
    if (drawn?.read) read.textContent = read.title = drawn.read(found, rows);
  }

  function show(wanted) {
    const given = wanted.view && !kind ? { refused: { says: `There is no picture “${spec.kind}”.` } } : wanted;
    answer = given;
    const again = !given.alike || !drawn;
    if (again) drawn = null;
    const answered = given.refused && answeredTable(board.answerTo(spec));
    if (again && !(given.view && pic.isConnected)) fill(body, given.view ? [controls, warn, pic, data, read, foot] : [...noPicture(board, given, answered)]);
    element.setAttribute("aria-busy", given.busy ? "true" : "false");
    if (given.view) {
      foot.textContent = footOf(given, board.partSize(), board.facts.policy);
      const unreliable = unreliableIn(given.view);
      warn.textContent = unreliable.says;
      warn.hidden = !unreliable.says;
      pic.classList.toggle("greyed", unreliable.all);
      if (again) redrawn();
    }
  }

  const brush = brushed(pic, () => drawn, board, { tip, announce });
  walked(pic, () => drawn, board.lights, { tip, announce, opens: (wanted) => board.add(wanted), only: (light) => board.only(light), keep: () => board.keep() });
  return {
    element,
    spec,
    asked: () => (spec.answer ? board.inBins(spec) : spec),
    title,
    show,
    light,
    redraw: redrawn,
    resized: () => drawn && `${pic.clientWidth} ${pic.clientHeight}` !== size && redrawn(),
    answer: () => answer,
    drawn: () => drawn,
    pic,
    look,
    canLight: () => Boolean(answer?.view && !spec.formula && !TABLES.includes(spec.kind)),
  };
}

function button(name, label, act) {
  return h("button.ib", { "data-act": act, title: label, "aria-label": label, "aria-expanded": act === "about" ? "false" : null, "aria-haspopup": act === "menu" ? "menu" : null }, icon(name));
}

/** What stands in place of a picture: that it is being made, or why there is none, and what the data say. */
function noPicture(board, { busy, refused }, answered) {
  if (busy) return [h("div.no.busy", {}, h("p", {}, busy)), h("p.foot", {}, " ")];
  const other = board.insteadOf(refused);
  return [
    h(
      "div.no",
      {},
      icon("pause"),
      h("p", {}, refused.says),
      refused.python && [h("code.py", {}, refused.python), h("button.btn", { "data-act": "copy-line" }, "Copy the line")],
      other && h("button.btn", { "data-act": "instead" }, other.words),
    ),
    answered && h("div.tall.answered", {}, answered),
    h("p.foot", {}, answered?.length ? "Not drawn of the copy; the data’s answer is above" : "Not drawn"),
  ];
}
