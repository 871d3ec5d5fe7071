/** The custodian's page: who has what, what waits, what was asked, the versions and the policy. */

import { copied, notice as toast } from "../app/floating.js";
import { ask, takeTokenFromAddress } from "../app/server.js";
import { byId, make } from "./dom.js";
import { keepRecord } from "./log.js";
import { keepOutputs } from "./outputs.js";
import { showPolicy } from "./policy.js";
import { keepQuestions } from "./questions.js";
import { themeButton } from "./theme.js";
import { askForToken, offerToken, withToken } from "./token.js";
import { letViewClose } from "./view.js";
import { keepPeople } from "./who.js";
import { cap, counted, shortVersion } from "./words.js";

const MOST_BROKEN = 10;

start();

async function start() {
  takeTokenFromAddress();
  window.addEventListener("hashchange", () => {
    if (window.location.hash.includes("token=")) {
      takeTokenFromAddress();
      window.location.reload();
    }
  });
  themeButton(byId("theme"));
  byId("change-token").addEventListener("click", anotherToken);
  let told;
  try {
    told = await withToken(() => ask("/api/custodian"));
  } catch (error) {
    fail(error);
    if (error.code === "role") {
      await askForToken("This page needs the link of a custodian.");
      window.location.reload();
    }
    return;
  }
  build(told);
}

function build(told) {
  document.title = `Custodian: ${told.study} · discreet`;
  byId("study-name").textContent = told.study;
  byId("study-version").textContent = ` version ${shortVersion(told.version)}`;
  byId("caller").textContent = told.caller.name.replace(/^token /, "");
  byId("work").hidden = false;
  letViewClose();
  showHead(told);
  byId("verify").addEventListener("click", verify);
  byId("copy").addEventListener("click", () => copied(byId("head").dataset.head, "Seal copied. Keep it elsewhere: with it, a cut-off end shows, too."));
  showPolicy(told);
  const waiting = new Map();
  const waits = (name, words) => {
    waiting.set(name, words);
    showWaiting(waiting);
  };
  const taken = (caller) => {
    record.want({ kind: "left", caller, find: "", bar: null });
    byId("log").focus();
  };
  const page = { fail, toast, waits, taken, done: () => refresh() };
  const people = keepPeople(told, page);
  const outputs = keepOutputs(page);
  const questions = keepQuestions(page);
  const record = keepRecord(told, page);
  const refresh = async () => {
    problem(null);
    const found = await withToken(() => ask("/api/custodian"));
    people(found);
    showHead(found);
    await Promise.all([record.reload(), outputs(), questions()]);
  };
  verify();
}

/** Where each thing is that waits for the custodian, in the order in which it is said. */
const WAITS = { questions: "h-questions", outputs: "h-outputs", answers: "agreed", downloaded: "downloaded" };

function showWaiting(waiting) {
  const found = Object.entries(WAITS).filter(([name]) => waiting.get(name));
  const links = found.map(([name, to]) => make("li", {}, make("a", { class: "btn", href: `#${to}`, text: waiting.get(name) })));
  byId("waits").replaceChildren(...(links.length ? links : [make("li", { class: "soft", text: waiting.size < 4 ? "" : "Nothing." })]));
}

async function anotherToken() {
  if (await offerToken("Another link takes the place of this one.")) window.location.reload();
}

/** Show where the record ends, as it is written; whether it is whole takes a check. */
function showHead({ head, rows }) {
  byId("head").textContent = head.slice(0, 24).replace(/(.{8})(?=.)/g, "$1 ");
  byId("head").title = head;
  byId("head").dataset.head = head;
  if (!byId("whole").textContent) byId("whole").textContent = "The record.";
  byId("checked").textContent ||= `${counted(rows, "entry", "entries")}, not checked yet.`;
}

async function verify() {
  const button = byId("verify");
  const held = document.activeElement === button;
  button.disabled = true;
  byId("whole").textContent = "Checking …";
  try {
    showVerified(await withToken(() => ask("/api/custodian/verify", undefined, "POST")));
  } catch (error) {
    byId("whole").textContent = "It could not be checked.";
    fail(error);
  } finally {
    button.disabled = false;
    if (held) button.focus();
  }
}

function showVerified({ rows, head, broken }) {
  const good = !broken.length;
  byId("record").classList.toggle("good", good);
  byId("record").classList.toggle("bad", !good);
  byId("seal-mark").setAttribute("d", good ? "m5.8 8 1.6 1.6 2.9-3.2" : "M8 5v3.5M8 10.8v.1");
  byId("whole").textContent = good
    ? "The log is whole."
    : `The log is broken in ${counted(broken.length, "place")}.`;
  byId("checked").textContent =
    `${counted(rows, "entry", "entries")}, each sealed with all before it; checked just now.`;
  const more = broken.length > MOST_BROKEN ? [`and ${broken.length - MOST_BROKEN} more`] : [];
  const lines = [...broken.slice(0, MOST_BROKEN), ...more];
  byId("broken").hidden = good;
  byId("broken").replaceChildren(...lines.map((text) => make("li", { text })));
  showHead({ head, rows });
}

function fail(error) {
  problem(error);
  byId("problem").scrollIntoView({ block: "nearest" });
}

function problem(error) {
  const place = byId("problem");
  place.hidden = error === null;
  place.replaceChildren(...(error ? [make("p", { text: cap(error.message) })] : []));
}
