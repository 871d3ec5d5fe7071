/** Questions to the data: each in words, to be agreed to or declined; those agreed to are answered by a command. */

import { handOver } from "../app/dom.js";
import { copied } from "../app/floating.js";
import { sendingForm } from "../app/form-parts.js";
import { ask, fileOf } from "../app/server.js";
import { byId, make } from "./dom.js";
import { withToken } from "./token.js";
import { counted, moment, who } from "./words.js";

const PATH = "/api/custodian/questions";

/**
 * Show the questions, and let them be decided.
 * @param {{fail: (error: Error) => void, toast: (words: string) => void, done: () => Promise<void>,
 *   waits: (name: string, words: string) => void}} page
 */
export function keepQuestions(page) {
  const show = async () => {
    try {
      fill(await withToken(() => ask(PATH)), page);
    } catch (error) {
      page.fail(error);
    }
  };
  byId("take-questions").addEventListener("click", () =>
    withToken(() => fileOf("/api/custodian/question-list")).then((file) => handOver(file, "questions.json")).catch(page.fail),
  );
  byId("copy-command").addEventListener("click", () => copied(byId("command").textContent, "Command copied."));
  show();
  return show;
}

function fill({ questions, command }, page) {
  const of = (state) => questions.filter((it) => it.state === state);
  const [waiting, agreed, declined] = ["waiting", "agreed", "declined"].map(of);
  page.waits("questions", waiting.length ? `${counted(waiting.length, "question")} to the data` : "");
  page.waits("answers", agreed.length ? `${counted(agreed.length, "question")} agreed to, to be answered` : "");
  byId("nquestions").textContent = waiting.length ? `${waiting.length} waiting` : "";
  byId("questions").replaceChildren(...waiting.map((it) => item(it, page)));
  byId("questions-hint").hidden = questions.length > 0;
  byId("agreed").hidden = !agreed.length;
  byId("agreed-list").replaceChildren(...agreed.map((it) => item(it, page)));
  byId("command").textContent = command;
  byId("declined").hidden = !declined.length;
  byId("ndeclined").textContent = `${counted(declined.length, "question")} declined`;
  byId("declined-list").replaceChildren(...declined.map((it) => item(it, page)));
}

/** A question with what can be decided of it now. */
function item(question, page) {
  const { id, title, gives, state, reason, callers, at } = question;
  const decide = async (what, text = "") => {
    await withToken(() => ask(`${PATH}/${id}`, { what, text }));
    page.toast(what === "agreed" ? "Agreed. The command below answers it." : `Declined. ${callers.map(who).join(" and ")} can read why.`);
    await page.done();
    byId("h-questions").focus();
  };
  const button = (text, look, click) => make("button", { type: "button", class: look, text, "aria-label": `${text}: ${title}`, on: { click } });
  const acts = make(
    "p",
    { class: "row" },
    state === "agreed" ? null : button("Agree", state === "waiting" ? "btn main" : "btn", () => decide("agreed").catch(page.fail)),
    state === "declined" ? null : button("Decline", state === "waiting" ? "btn" : "txt", () => {
      form.hidden = !form.hidden;
      if (!form.hidden) words.focus();
    }),
  );
  const words = make("textarea", { rows: 2, maxlength: 2000, required: true });
  const within = make("label", {}, `Why? ${callers.map(who).join(" and ")} will read it.`, words);
  const form = sendingForm({ within, field: words, button: "Decline", send: () => decide("declined", words.value) });
  form.classList.add("review");
  form.hidden = true;
  return make(
    "li",
    {},
    make("p", { class: "asks" }, make("bdi", { text: title })),
    make("p", { class: "soft", text: `${callers.map(who).join(", ")} · ${moment(at)} · the answer gives ${gives}` }),
    reason ? make("p", { class: "quote" }, make("bdi", { text: reason })) : null,
    acts,
    form,
  );
}
