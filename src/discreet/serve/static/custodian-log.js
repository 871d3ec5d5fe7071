/** The tables of the custodian's page: tokens, what was asked, what has left. */

import { byId, make } from "./page-dom.js";

// What was given out, or is being worked on; and what the server did not get to. Every other
// outcome is a refusal.
const GIVEN = ["begun", "repeated", "answered", "given", "done", "ok", ""];
const UNANSWERED = ["busy", "slow", "broken", "ledger"];

/**
 * Show the tokens, who else has asked, and what of the allowance each has used.
 *
 * @param {{tokens: object[], others: object[], allowance: {views: number}}} told - Of
 *   /api/custodian.
 * @returns {void}
 */
export function showTokens({ tokens, others, allowance }) {
  const rows = tokens.map((it) => {
    const state = `state ${it.state === "valid" ? "good" : "bad"}`;
    const used = make("td", { class: "n" }, meter(it, allowance), ` ${it.used} of ${allowance.views}`);
    return make(
      "tr",
      {},
      make("th", { scope: "row", text: it.name }),
      make("td", { text: it.role }),
      make("td", {}, make("span", { class: state, text: it.state })),
      used,
      cell(when(it.expires, 10), "when", `${when(it.expires, 19)} UTC`),
    );
  });
  const more = others.map((it) =>
    make(
      "tr",
      {},
      make("th", { scope: "row", text: it.name }),
      make("td"),
      make("td", { text: "no token of this ledger" }),
      make("td", { class: "n" }, meter(it, allowance), ` ${it.used} of ${allowance.views}`),
      make("td"),
    ),
  );
  const all = [...rows, ...more];
  byId("tokens").replaceChildren(...(all.length ? all : [none(5, "There is no token yet.")]));
}

/**
 * Keep the log, page by page, and show what of it passes the filter.
 *
 * @returns {{begin: (rows: object[]) => void, add: (rows: object[]) => void,
 *   oldest: () => number|null}}
 */
export function keepLog() {
  let all = [];
  const show = () => {
    const wanted = byId("filter").value.trim().toLowerCase();
    const refusedAlone = byId("refused").checked;
    const shown = all.filter(
      (it) => (!refusedAlone || refused(it)) && (!wanted || textOf(it).includes(wanted)),
    );
    const rows = shown.map(logRow);
    byId("log").replaceChildren(...(rows.length ? rows : [none(6, "No such row.")]));
    byId("log-count").textContent = `${shown.length} of the ${all.length} rows fetched`;
  };
  byId("filter").addEventListener("input", show);
  byId("refused").addEventListener("change", show);
  return {
    begin: (rows) => {
      all = [...rows];
      show();
    },
    add: (rows) => {
      all.push(...rows);
      show();
    },
    oldest: () => (all.length ? all[all.length - 1].id : null),
  };
}

/**
 * Show what has left, newest first.
 *
 * @param {object[]} left - Of /api/custodian, oldest first.
 * @returns {void}
 */
export function showLeft(left) {
  const rows = [...left].reverse().map((it) =>
    make(
      "tr",
      {},
      cell(when(it.at, 19), "when"),
      cell(it.version, "n"),
      make("th", { scope: "row", text: it.kind }),
      cell(Array.isArray(it.columns) ? it.columns.join(", ") : it.columns, "request"),
      cell(it.method),
      cell(it.form),
    ),
  );
  byId("left").replaceChildren(...(rows.length ? rows : [none(6, "Nothing was released yet.")]));
}

function logRow(it) {
  const no = refused(it);
  const late = UNANSWERED.includes(it.outcome);
  const outcome = make("span", { class: `state ${no ? "bad" : late ? "late" : "good"}` });
  outcome.textContent = no || late ? `${worded(it)}: ${it.outcome}` : it.outcome;
  return make(
    "tr",
    { class: no ? "refused" : null },
    cell(it.id, "n"),
    cell(when(it.at, 19), "when"),
    cell(it.caller),
    make("th", { scope: "row", text: it.what }),
    cell(readable(it.request), "request"),
    make("td", {}, outcome),
  );
}

function refused(it) {
  return !GIVEN.includes(it.outcome) && !UNANSWERED.includes(it.outcome);
}

function worded(it) {
  if (UNANSWERED.includes(it.outcome)) return "not answered";
  return refused(it) ? "refused" : "";
}

function textOf(it) {
  const told = [it.id, it.at, it.caller, it.what, it.request, worded(it), it.outcome];
  return told.join(" ").toLowerCase();
}

function readable(request) {
  let given;
  try {
    given = JSON.parse(request);
  } catch {
    return request;
  }
  if (given === null || typeof given !== "object" || Array.isArray(given)) return String(request);
  const parts = Object.entries(given)
    .filter(([, value]) => value !== null)
    .map(([name, value]) => `${name}: ${typeof value === "object" ? plain(value) : value}`);
  return parts.join("; ");
}

function plain(value) {
  return Array.isArray(value) ? value.join(", ") : JSON.stringify(value);
}

function meter(it, allowance) {
  return make("meter", { min: 0, max: allowance.views, value: it.used, "aria-hidden": "true" });
}

function when(text, letters) {
  return String(text || "").slice(0, letters).replace("T", " ");
}

function cell(text, look = null, title = null) {
  return make("td", { class: look, title, text: text ?? "" });
}

function none(columns, words) {
  return make("tr", {}, make("td", { colspan: columns, class: "soft", text: words }));
}
