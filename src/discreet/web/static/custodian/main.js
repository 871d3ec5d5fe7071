/** The custodian's page: who may look, what was asked, what the policy says, and the seal. */

import { ask, takeTokenFromAddress } from "../app/server.js";
import { byId, make } from "./dom.js";
import { keepRecord } from "./log.js";
import { keepOutputs } from "./outputs.js";
import { showPolicy } from "./policy.js";
import { keepQuestions } from "./questions.js";
import { showCauses, showGone } from "./side.js";
import { themeButton } from "./theme.js";
import { askForToken, offerToken, withToken } from "./token.js";
import { keepTokens } from "./tokens.js";
import { letViewClose } from "./view.js";
import { counted, shortVersion } from "./words.js";

const TOAST = 5000;
const MOST_GONE = 6;
const MOST_BROKEN = 10;
let fading = 0;

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
      await askForToken("This page needs the token of a custodian.");
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
  byId("copy").addEventListener("click", copy);
  showPolicy(told.words);
  const page = { fail, toast, done: () => refresh() };
  const tokens = keepTokens(told, page);
  const outputs = keepOutputs(page);
  const questions = keepQuestions(page);
  const each = (found) => {
    showCauses(found.causes, told, found.days, (outcome) => {
      record.want({ kind: "refused", outcome, find: "", caller: "", bar: null });
      byId("find").value = "";
      byId("log").focus();
    });
  };
  const record = keepRecord(told, { fail, toast, each });
  const refresh = async () => {
    problem(null);
    const found = await withToken(() => ask("/api/custodian"));
    tokens(found);
    showHead(found);
    await Promise.all([record.reload(), gone(told), outputs(), questions()]);
  };
  gone(told);
  verify();
}

async function anotherToken() {
  if (await offerToken("Another token takes the place of this one.")) window.location.reload();
}

async function gone(told) {
  try {
    const page = await withToken(() => ask(`/api/custodian/log?kind=left&most=${MOST_GONE}`));
    showGone(page, told, fail);
  } catch (error) {
    fail(error);
  }
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
  byId("first").classList.toggle("good", good);
  byId("first").classList.toggle("bad", !good);
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

async function copy() {
  try {
    await navigator.clipboard.writeText(byId("head").dataset.head);
    toast("Seal copied. Keep it elsewhere: with it, a cut-off end shows, too.");
  } catch {
    window.getSelection().selectAllChildren(byId("head"));
    byId("head").textContent = byId("head").dataset.head;
    toast("The seal is marked; copy it with the keys.");
  }
}

function toast(words) {
  window.clearTimeout(fading);
  byId("toast").textContent = words;
  fading = window.setTimeout(() => {
    byId("toast").textContent = "";
  }, TOAST);
}

function fail(error) {
  problem(error);
  byId("problem").scrollIntoView({ block: "nearest" });
}

function problem(error) {
  const place = byId("problem");
  place.hidden = error === null;
  const says = error ? error.message.charAt(0).toUpperCase() + error.message.slice(1) : "";
  const rule = error && error.rule ? [make("p", { class: "soft", text: error.rule })] : [];
  place.replaceChildren(...(error ? [make("p", { text: says }), ...rule] : []));
}
