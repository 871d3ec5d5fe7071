/** What is handed in to the output checker, with a comment, and what became of it. */

import { fill, h } from "./dom.js";
import { notice } from "./floating.js";
import { sendingForm } from "./form-parts.js";
import { DRAWN } from "./on-server.js";
import { drawingOf } from "./save.js";

const LONGEST = 2000;
const STATES = {
  waiting: "waits for the checker",
  approved: "approved",
  outdated: "approved under an earlier policy; waits again",
  rejected: "rejected",
};
const SAID = { comment: "You said", approved: "Approved", rejected: "Rejected" };

/** Return the form that hands in the picture of a card. */
export function handInForm(board, card, done) {
  const form = h("select", { name: "form" }, board.formsOf(card).map((it) => h("option", { value: it }, it)));
  return wordsForm({
    title: "Hand in to the checker",
    before: h("label", {}, "As a file", form),
    label: "What it is for",
    hint: "It is the file that Save gives you. The checker sees it, what was checked, and your comment.",
    button: "Hand in",
    send: async (text) => {
      const id = await board.server.idOf(card.spec, board.state());
      const drawn = DRAWN.includes(form.value) ? await drawingOf(board, card, form.value, id) : {};
      await board.server.handIn(card.spec, id, form.value, text, drawn.drawing);
      done();
      notice(`Handed in “${card.title}”. What becomes of it stands under Your token, Your outputs.`);
    },
  });
}

/** Return what was handed in, newest first, with what was decided of it. */
export async function outputList(board) {
  const host = h("div.form.handed");
  const show = async (open = 0) => {
    const found = await board.server.outputs();
    const none = h("p.soft", {}, "You have handed in nothing. “Hand in to the checker” stands in the menu of each picture.");
    fill(host, h("h2", { tabindex: -1, autofocus: true }, "Your outputs"), found.length ? h("ul", {}, found.map((it) => output(board, it, show, it.id === open))) : none);
    host.querySelector("details[open] summary")?.focus();
  };
  await show();
  return host;
}

function output(board, { id, name, title, state, reviews }, show, isOpen) {
  const comment = wordsForm({
    label: "Comment",
    button: "Comment",
    send: async (text) => {
      await board.server.comment(id, text);
      await show(id);
      notice(`Commented on ${name}.`);
    },
  });
  return h(
    "li",
    {},
    h("details", { open: isOpen },
      h("summary", {}, h("bdi", {}, title), h("span", { class: `state ${state}` }, STATES[state])),
      h("p.soft", {}, name),
      h("ul.said", {}, reviews.map((it) => h("li", {}, h("b", {}, `${SAID[it.what]} on ${it.at.slice(0, 10)}`), it.text && h("p", {}, it.text)))),
      comment,
    ),
  );
}

/** A form for some words. */
function wordsForm({ title, before, label, hint, button, send }) {
  const field = h("textarea", { rows: 3, maxlength: LONGEST, required: true, autofocus: Boolean(title) });
  const within = [before, h("label", {}, label, field), hint && h("p.soft", {}, hint)];
  return sendingForm({ title, within, field, button, send: () => send(field.value) });
}
