/** Outputs that were handed in: each with its picture, what was checked, and what is decided. */

import { handOver } from "../app/dom.js";
import { ask, bytesOf, fileOf } from "../app/server.js";
import { byId, make } from "./dom.js";
import { withToken } from "./token.js";
import { clock, counted, REVIEWED, shortDay, who } from "./words.js";

const PATH = "/api/custodian/outputs";
const WAITING = ["waiting", "outdated"];
const STATES = { outdated: "approved under an earlier policy" };
const TYPES = { png: "image/png", svg: "image/svg+xml" };

/**
 * Show the outputs, and let them be decided.
 * @param {{fail: (error: Error) => void, toast: (words: string) => void, done: () =>
 *   Promise<void>}} page - `done` is called after each act.
 */
export function keepOutputs(page) {
  const show = async () => {
    try {
      const found = await withToken(() => ask(PATH));
      fill(found.outputs, page);
      byId("downloaded").replaceChildren(...found.downloaded.map((it) => collectButton(it, page)));
    } catch (error) {
      page.fail(error);
    }
  };
  show();
  return show;
}

/** What one caller downloaded and is no output yet: a button that hands it in. */
function collectButton({ caller, files }, page) {
  const collect = async () => {
    try {
      const { collected } = await withToken(() => ask(PATH, { caller }));
      page.toast(`Handed in: ${counted(collected, "file")} that ${who(caller)} downloaded. It is in the log.`);
      await page.done();
      byId("h-outputs").focus();
    } catch (error) {
      page.fail(error);
    }
  };
  const text = `Hand in ${counted(files, "file")} downloaded by ${who(caller)}`;
  return make("li", {}, make("button", { type: "button", class: "btn", text, on: { click: collect } }));
}

function fill(outputs, page) {
  const waiting = outputs.filter((it) => WAITING.includes(it.state)).length;
  byId("noutputs").textContent = outputs.length
    ? `${waiting.toLocaleString("en-GB")} of ${counted(outputs.length, "output")} waiting`
    : "";
  const open = new Set([...byId("outputs").querySelectorAll("details[open]")].map((it) => it.dataset.id));
  const rows = outputs.map((it) => item(it, open.has(String(it.id)), page));
  byId("outputs").replaceChildren(...rows);
  byId("outputs-hint").hidden = outputs.length > 0;
}

function item(output, open, page) {
  const summary = make(
    "summary",
    {},
    make("b", {}, make("bdi", { text: output.name })),
    make("span", { class: "soft" }, make("bdi", { text: output.command })),
    make("span", { class: `tag ${output.state}`, text: STATES[output.state] || output.state }),
  );
  const details = make("details", { "data-id": output.id, open }, summary);
  const unfold = () => {
    if (details.open && details.children.length === 1) details.append(inside(output, page));
  };
  details.addEventListener("toggle", unfold);
  unfold();
  return make("li", {}, details);
}

function inside(output, page) {
  const passed = output.status === "pass" ? "It passed its checks:" : "It needs a look, for its checks did not all pass:";
  const of = output.callers.length ? ` Downloaded by ${output.callers.map(who).join(", ")}.` : "";
  return make(
    "div",
    { class: "output" },
    make("p", { class: "soft", text: `Handed in ${when(output.at)}.${of} ${passed}` }),
    make("ul", { class: "checks" }, ...output.says.map((text) => make("li", { text }))),
    output.picture ? picture(output, page) : null,
    output.kept ? fileButton(output, page) : make("p", { class: "soft", text: "The file is too large to be kept here; look at it in its folder." }),
    said(output.reviews),
    make("p", { class: "soft" }, make("span", { text: "SHA-256 " }), make("code", { text: output.digest })),
    reviewForm(output, page),
  );
}

function picture(output, page) {
  const image = make("img", { alt: `${output.name}: ${output.command}` });
  const type = TYPES[output.name.split(".").pop().toLowerCase()];
  image.addEventListener("load", () => URL.revokeObjectURL(image.src));
  withToken(() => bytesOf(`${PATH}/${output.id}/file`))
    .then((bytes) => URL.createObjectURL(new Blob([bytes], { type })))
    .then((address) => {
      image.src = address;
    })
    .catch(page.fail);
  return make("p", { class: "plate" }, image);
}

function fileButton(output, page) {
  const take = () => withToken(() => fileOf(`${PATH}/${output.id}/file`))
    .then((file) => handOver(file, output.name))
    .catch(page.fail);
  return make("p", {}, make("button", { type: "button", class: "txt", text: "Save the file", "aria-label": `Save the file ${output.name}`, on: { click: take } }));
}

function said(reviews) {
  const rows = reviews.map(({ at, what, text, caller }) =>
    make("li", {}, make("b", { text: `${what.charAt(0).toUpperCase()}${what.slice(1)}` }), make("span", { class: "soft", text: ` ${who(caller)}, ${when(at)}` }), make("p", { text })),
  );
  return rows.length ? make("ul", { class: "said" }, ...rows) : null;
}

function reviewForm(output, page) {
  const words = make("textarea", { rows: 2, maxlength: 2000 });
  const problem = make("p", { role: "status", class: "no" });
  const act = (what) => async () => {
    try {
      await withToken(() => ask(`${PATH}/${output.id}`, { what, text: words.value }));
      page.toast(`You ${REVIEWED[what]} ${output.name}. It is in the log.`);
      await page.done();
      summaryOf(output)?.focus();
    } catch (error) {
      problem.textContent = error.message.charAt(0).toUpperCase() + error.message.slice(1);
      words.focus();
    }
  };
  const button = (what, text, look) =>
    make("button", { type: "button", class: look, text, "aria-label": `${text} ${output.name}`, on: { click: act(what) } });
  return make(
    "form",
    { class: "review", "aria-label": `Review of ${output.name}`, on: { submit: (event) => event.preventDefault() } },
    make("label", {}, "Reason or comment", words),
    problem,
    make("p", { class: "row" }, button("approved", "Approve", "btn main"), button("rejected", "Reject", "btn"), button("comment", "Comment", "txt")),
  );
}

function summaryOf({ id }) {
  return byId("outputs").querySelector(`details[data-id="${id}"] > summary`);
}

function when(text) {
  const at = new Date(text);
  return `${shortDay(at)}, ${clock(at)}`;
}
