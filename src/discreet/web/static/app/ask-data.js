/** Questions to the data: a picture's numbers are asked for, and the custodian answers the list. */

import { fill, h } from "./dom.js";
import { notice } from "./floating.js";
import { sendingForm } from "./form-parts.js";

/** What the data can be asked for, as discreet.explore.questions has it. */
export const ASKED = ["bars", "box", "crosstab", "heatmap", "histogram", "survival", "means", "model"];
const LONGEST = 500;
const STATES = { waiting: "waits for the custodian", agreed: "agreed: the answer comes with the next study file", declined: "declined", answered: "answered" };

/** Return the form that puts what a card shows on the list. */
export function askForm(board, card, done) {
  const field = h("input", { maxlength: LONGEST, placeholder: "F > M", autocomplete: "off" });
  return sendingForm({
    title: "Ask the data",
    within: [
      h("p.soft", {}, "The custodian answers the list by rules, with noise that hides each person. The answer comes with the next revision of the study."),
      h("label", {}, "Only whether this holds (optional)", field),
    ],
    field,
    button: "Ask the data",
    send: async () => {
      const { says } = await board.server.askData(card.spec, board.state(), field.value.trim());
      done();
      notice(`On the list: ${says}. It stands under Your token, Your questions.`);
    },
  });
}

/** Return what was asked, newest first, with the answers there are. */
export async function questionList(board) {
  const found = await board.server.questions();
  const none = h("p.soft", {}, "You have asked the data nothing. “Ask the data…” stands in the menu of bars, tables, histograms, boxes, heat maps, survival curves, means and models.");
  const host = h("div.form.handed");
  fill(host, h("h2", { tabindex: -1, autofocus: true }, "Your questions"), found.length ? h("ul", {}, found.map(question)) : none);
  return host;
}

function question({ says, state, answer, reason }) {
  const summary = h("summary", {}, h("bdi", {}, says), h("span", { class: `state ${state}` }, answer?.verdict || STATES[state]));
  if (!answer || answer.verdict) return h("li", {}, h("details", { open: Boolean(reason) }, summary, reason && h("p", {}, `The custodian says: ${reason}`), answer && rules(answer)));
  return h("li", {}, h("details", {}, summary, h("p", {}, answer.noise), h("pre", {}, answer.text), rules(answer)));
}

const rules = ({ rules: passed }) => h("ul.soft", {}, passed.map((it) => h("li", {}, it)));
