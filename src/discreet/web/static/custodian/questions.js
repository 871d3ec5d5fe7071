/** Questions to the data that wait for an answer, and the list that answers them. */

import { handOver } from "../app/dom.js";
import { ask, fileOf } from "../app/server.js";
import { byId, make } from "./dom.js";
import { withToken } from "./token.js";
import { counted, who } from "./words.js";

const PATH = "/api/custodian/questions";

/**
 * Show the questions, and hand the list over.
 * @param {{fail: (error: Error) => void}} page
 */
export function keepQuestions(page) {
  const show = async () => {
    try {
      fill((await withToken(() => ask(PATH))).questions);
    } catch (error) {
      page.fail(error);
    }
  };
  byId("take-questions").addEventListener("click", () =>
    withToken(() => fileOf(`${PATH}/file`)).then((file) => handOver(file, "questions.json")).catch(page.fail),
  );
  show();
  return show;
}

function fill(questions) {
  byId("nquestions").textContent = questions.length ? `${counted(questions.length, "question")} waiting` : "";
  byId("questions").replaceChildren(
    ...questions.map(({ says, callers }) => make("li", {}, make("bdi", { text: says }), make("span", { class: "soft", text: ` ${callers.map(who).join(", ")}` }))),
  );
  byId("take-questions").hidden = !questions.length;
  byId("questions-hint").hidden = questions.length > 0;
}
