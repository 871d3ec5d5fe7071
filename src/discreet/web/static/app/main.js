/** The board of a study on a server: who asks, with which token, and what the page begins with. */

import { actsOf } from "./acts.js";
import { openBoard } from "./board.js";
import { onServer } from "./on-server.js";
import { fill, h } from "./dom.js";
import { listen } from "./keys.js";
import { rowsOnServer } from "./remote.js";
import { ask, bytesOf, decoded, keepToken, takeTokenFromAddress, token, withToken } from "./server.js";
import { rowsInThread } from "./thread.js";

const THEME = "discreet theme";
const WORKER = "/static/worker.js";

function tokenAsked(host) {
  const why = token() ? "The server does not accept this token: it is mistyped, or it has expired or been revoked." : "The custodian of the data gave you a token. It stays in this tab and goes when you close it.";
  return new Promise((done) => {
    const field = h("input", { type: "password", name: "token", autocomplete: "off", required: true, autofocus: true, "aria-label": "Token" });
    const form = h("form.form.entry", {}, h("h1", {}, "Your token"), h("p", {}, why), field, h("button.btn.main", { type: "submit" }, "Open the study"));
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      keepToken(field.value);
      done();
    });
    fill(host, h("main.alone", {}, form));
    field.focus();
  });
}

async function rowsFor(facts) {
  const way = facts.rows?.way || "none";
  if (way === "server") return rowsOnServer(facts);
  if (way === "none") return null;
  const bytes = await bytesOf("/api/rows");
  return rowsInThread(WORKER, bytes, facts);
}

async function begin(host) {
  takeTokenFromAddress();
  const kept = localStorage.getItem(THEME);
  if (kept) document.documentElement.dataset.theme = kept;
  fill(host, h("main.alone", { "aria-busy": "true" }, h("p.soft", {}, "Opening the study…")));
  const facts = await withToken(() => ask("/api/study"), () => tokenAsked(host));
  const [rows, { answers }] = await Promise.all([rowsFor(facts), ask("/api/answers")]);
  const source = {
    facts,
    answers,
    rows: rows && { ...rows, size: facts.rows.rows },
    server: onServer(facts),
    says: { study: facts.study, version: `version ${facts.version.slice(0, 8)}`, promise: facts.policy.promise, sign: facts.policy.regime === "guarded" ? "shield" : "info" },
  };
  document.title = `${facts.study} · discreet`;
  const again = (text) => {
    keepToken(text);
    location.reload();
  };
  const tools = ["rail", "palette", "undo", "redo", ...(facts.studies ? ["studies"] : []), "boards", "share", "theme", "who"];
  const board = openBoard(host, source, { takeToken: (text) => again(decoded(text)), tools });
  const acts = actsOf(board, {
    keepTheme: (theme) => localStorage.setItem(THEME, theme),
    who: () => whoSaid(facts),
    otherToken: () => again(""),
  });
  listen(host, board, acts);
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", board.redraw);
  await board.again();
}

function whoSaid({ caller }) {
  return h("div.form", {},
    h("p", {}, h("b", {}, caller.name), " ", h("span.soft", {}, caller.role)),
    h("button.it", { "data-act": "outputs" }, "Your outputs"),
    h("button.it", { "data-act": "questions" }, "Your questions"),
    caller.role === "custodian" && h("a.it", { href: "/custodian" }, "Custodian’s page"),
    h("button.it", { "data-act": "other-token" }, "Use another token"),
  );
}

const host = document.getElementById("page");
begin(host).catch((error) => {
  fill(host, h("main.alone", {}, h("div.no", {}, h("p", { role: "alert" }, error.message), h("button.btn", { on: { click: () => location.reload() } }, "Try again"))));
});
