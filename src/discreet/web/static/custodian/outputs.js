/** Outputs that were handed in: the picture first, then what it is, what was said, and the decision. */

import { handOver } from "../app/dom.js";
import { ask, bytesOf, fileOf } from "../app/server.js";
import { byId, make } from "./dom.js";
import { withToken } from "./token.js";
import { openView } from "./view.js";
import { cap, counted, moment, REVIEWED, who } from "./words.js";

const PATH = "/api/custodian/outputs";
const WAITING = ["waiting", "outdated"];
const STATES = { outdated: "approved under an earlier policy" };
const TEXTS = ["CSV", "TXT"];
const LINES = 14;
const TYPES = { png: "image/png", svg: "image/svg+xml" };

/**
 * Show the outputs, and let them be decided.
 * @param {{fail: (error: Error) => void, toast: (words: string) => void, done: () =>
 *   Promise<void>, waits: (name: string, words: string) => void}} page - `done` is called after each act.
 */
export function keepOutputs(page) {
  let seen = "";
  const show = async () => {
    try {
      const { outputs, downloaded } = await withToken(() => ask(PATH));
      if (JSON.stringify(outputs) !== seen) fill(outputs, page); // else what is being written stays
      seen = JSON.stringify(outputs);
      byId("downloaded").replaceChildren(...downloaded.map((it) => collectButton(it, page)));
      const files = downloaded.reduce((all, it) => all + it.files, 0);
      page.waits("downloaded", files ? `${counted(files, "file")} taken and not handed in` : "");
    } catch (error) {
      page.fail(error);
    }
  };
  byId("decided").addEventListener("toggle", () => {
    for (const it of byId("decided").querySelectorAll("[data-picture]")) it.dispatchEvent(new Event("shown"));
  });
  show();
  return show;
}

/** What one caller took and is no output yet: a button that hands it in. */
function collectButton({ caller, files }, page) {
  const collect = async () => {
    try {
      const { collected } = await withToken(() => ask(PATH, { caller }));
      page.toast(`To be checked: ${counted(collected, "file")} that ${who(caller)} took. It is in the log.`);
      await page.done();
      byId("h-outputs").focus();
    } catch (error) {
      page.fail(error);
    }
  };
  const text = `Check ${counted(files, "file")} that ${who(caller)} took`;
  return make("li", {}, make("button", { type: "button", class: "btn", text, on: { click: collect } }));
}

function fill(outputs, page) {
  const waiting = outputs.filter((it) => WAITING.includes(it.state));
  const decided = outputs.filter((it) => !WAITING.includes(it.state));
  page.waits("outputs", waiting.length ? `${counted(waiting.length, "output")} to check` : "");
  byId("noutputs").textContent = outputs.length ? `${waiting.length} of ${counted(outputs.length, "output")} waiting` : "";
  byId("outputs").replaceChildren(...waiting.map((it) => item(it, page)));
  byId("outputs-hint").hidden = outputs.length > 0;
  byId("decided").hidden = !decided.length;
  byId("ndecided").textContent = `${counted(decided.length, "output")} decided`;
  byId("decided-list").replaceChildren(...decided.map((it) => item(it, page)));
}

const formOf = ({ name }) => name.split(".").pop().toUpperCase();
const called = (output) => `${output.title} (${formOf(output)})`;

function item(output, page) {
  const by = [...new Set([...output.callers, ...output.reviews.filter((it) => it.what === "comment").map((it) => it.caller)])].map(who).join(", ");
  const take = () => withToken(() => fileOf(`${PATH}/${output.id}/file`)).then((file) => handOver(file, output.name)).catch(page.fail);
  const act = (text, label, click) => make("button", { type: "button", class: "txt", text, "aria-label": `${label}: ${called(output)}`, on: { click } });
  return make(
    "li",
    { class: "output", "data-id": output.id },
    picture(output, page),
    make(
      "div",
      {},
      make("h3", { tabindex: -1 }, make("bdi", { text: output.title }), " ", output.state === "waiting" ? null : make("span", { class: `tag ${output.state}`, text: STATES[output.state] || output.state })),
      make("p", { class: "soft", text: [formOf(output), by, moment(output.at)].filter(Boolean).join(" · ") }),
      said(output.reviews),
      make(
        "details",
        {},
        make("summary", { text: output.status === "pass" ? "It passed its checks" : "It needs a look: its checks did not all pass" }),
        make("ul", { class: "checks" }, ...output.says.map((text) => make("li", { text }))),
        make("p", { class: "soft" }, "SHA-256 ", make("code", { text: output.digest })),
      ),
      make("p", { class: "row" },
        output.view ? act("Look at the numbers", "Look at the numbers", () => openView(output.view, output.title, `Handed in ${moment(output.at)}.`).catch(page.fail)) : null,
        output.kept ? act("Save the file", "Save the file", take) : make("span", { class: "soft", text: "The file is too large to be kept here; look at it in its folder." }),
      ),
      reviewForm(output, page),
    ),
  );
}

/** The picture of a file, or how its text begins; of any other what kind of file it is. */
function picture(output, page) {
  const isText = output.kept && TEXTS.includes(formOf(output));
  if (!output.picture && !isText) return make("p", { class: "plate none", text: `${formOf(output)} file` });
  const shown = isText ? make("pre", { "data-picture": true }) : make("img", { alt: output.title, "data-picture": true });
  const type = TYPES[output.name.split(".").pop().toLowerCase()];
  shown.addEventListener("load", () => URL.revokeObjectURL(shown.src));
  const load = () => withToken(() => bytesOf(`${PATH}/${output.id}/file`))
    .then((bytes) => {
      if (isText) shown.textContent = new TextDecoder().decode(bytes).split("\n").slice(0, LINES).join("\n");
      else shown.src = URL.createObjectURL(new Blob([bytes], { type }));
    })
    .catch(page.fail);
  if (WAITING.includes(output.state) || byId("decided").open) load();
  else shown.addEventListener("shown", load, { once: true });
  return make("div", { class: "plate" }, shown);
}

function said(reviews) {
  const rows = reviews.map(({ at, what, text, caller }) =>
    make("li", { class: "quote" }, make("p", {}, make("bdi", { text: text || cap(what) })), make("span", { class: "soft", text: `${who(caller)}, ${what === "comment" ? "" : `${what}, `}${moment(at)}` })),
  );
  return rows.length ? make("ul", { class: "said" }, ...rows) : null;
}

function reviewForm(output, page) {
  const words = make("textarea", { rows: 1, maxlength: 2000 });
  const problem = make("p", { role: "status", class: "no" });
  const act = (what) => async () => {
    try {
      await withToken(() => ask(`${PATH}/${output.id}`, { what, text: words.value }));
      page.toast(`You ${REVIEWED[what]} “${output.title}”. It is in the log.`);
      await page.done();
      const heading = document.querySelector(`.output[data-id="${output.id}"] h3`);
      (heading?.checkVisibility() ? heading : byId("h-outputs")).focus();
    } catch (error) {
      problem.textContent = cap(error.message);
      words.focus();
    }
  };
  const button = (what, text, look) =>
    make("button", { type: "button", class: look, text, "aria-label": `${text}: ${called(output)}`, on: { click: act(what) } });
  return make(
    "form",
    { on: { submit: (event) => event.preventDefault() } },
    make("label", {}, "Reason or comment", words),
    problem,
    make("p", { class: "row" }, button("approved", "Approve", "btn main"), button("rejected", "Reject", "btn"), button("comment", "Comment", "txt")),
  );
}
