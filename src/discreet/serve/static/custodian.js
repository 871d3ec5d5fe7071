/** The custodian's page: policy, tokens, the log and its seals, the protected summary. */

import { keepLog, showLeft, showTokens } from "./custodian-log.js";
import { offerSummary, redrawSummary } from "./custodian-summary.js";
import { ask, takeTokenFromAddress } from "./page-api.js";
import { byId, make } from "./page-dom.js";
import { themeButton } from "./page-theme.js";
import { askForToken, offerToken, withToken } from "./page-token.js";
import { showProblem, tell, whileWaiting } from "./page-wait.js";

const WIDE = 64; // letters of a line of the policy
const log = keepLog();

start();

async function start() {
  takeTokenFromAddress();
  themeButton(byId("theme"), redrawSummary);
  byId("change-token").addEventListener("click", anotherToken);
  let told;
  let study;
  try {
    told = await whileWaiting(withToken(() => ask("/api/custodian")), "Opening …");
    study = await ask("/api/study");
  } catch (error) {
    showProblem(error);
    if (error.code === "role") {
      await askForToken("This page needs the token of a custodian.");
      window.location.reload();
    }
    return;
  }
  tellStudy(study);
  tellPolicy(told, study.policy);
  tellLedger(told);
  offerSummary(study, refreshed);
  byId("verify").addEventListener("click", verify);
  byId("copy").addEventListener("click", copy);
  byId("older").addEventListener("click", older);
  byId("work").hidden = false;
}

async function anotherToken() {
  if (await offerToken("Another token takes the place of this one.")) window.location.reload();
}

function tellStudy(study) {
  document.title = `Custodian: ${study.study} · discreet`;
  byId("study-name").textContent = study.study;
  byId("study-version").textContent = `version ${study.version}`;
  byId("caller").textContent = study.caller.name;
}

/** What was asked and what is left of allowances changes while the summary is drawn. */
async function refreshed() {
  const told = await ask("/api/custodian").catch(() => null);
  if (told) tellLedger(told);
}

function tellLedger(told) {
  showTokens(told);
  log.begin(told.log);
  byId("older").hidden = !told.log.length;
  showLeft(told.left);
  if (told.head) showHead(told.head);
}

function tellPolicy(told, policy) {
  byId("policy-text").textContent = shortListsInLine(told.policy);
  byId("policy-hint").textContent =
    `“${policy.name}”, ${policy.regime}, k = ${policy.k}. It is changed in its file, ` +
    "and holds from the next start of the server.";
  byId("tokens-hint").textContent =
    `Each may ask for ${told.allowance.views} different ` +
    `${told.allowance.counts || "views"} of this version, and ` +
    `${told.allowance.a_minute} times a minute. Tokens are made and revoked with “discreet token”.`;
}

/** Return TOML with every list that fits into a line in one; only what is seen changes. */
function shortListsInLine(toml) {
  // From the inside out: what an item of a list is stands in one line by then.
  const list = /^( *)(.*)\[\n((?:\1 {4}\S.*,\n)+)\1\](,?)$/gm;
  const inLine = (whole, indent, name, items, comma) => {
    const each = items.trim().split("\n").map((item) => item.trim());
    const line = `${indent}${name}[${each.join(" ").slice(0, -1)}]${comma}`;
    return line.length <= WIDE ? line : whole;
  };
  let shown = toml;
  for (;;) {
    const shorter = shown.replace(list, inLine);
    if (shorter === shown) return shown;
    shown = shorter;
  }
}

async function verify() {
  const button = byId("verify");
  button.disabled = true;
  try {
    const asked = withToken(() => ask("/api/custodian/verify", { method: "POST" }));
    showVerified(await whileWaiting(asked, "Counting the seals …"));
    showProblem(null);
  } catch (error) {
    showProblem(error);
  } finally {
    button.disabled = false;
    button.focus();
  }
}

function showVerified({ rows, head, broken }) {
  const place = byId("verified");
  place.hidden = false;
  place.classList.toggle("bad", broken.length > 0);
  const words = broken.length
    ? `The ledger is broken in ${broken.length} ${broken.length === 1 ? "place" : "places"}:`
    : `The ledger is whole: ${rows} rows, each with its seal.`;
  const where = broken.map((text) => make("li", { text }));
  place.replaceChildren(
    make("strong", { text: words }),
    ...(where.length ? [make("ul", {}, ...where)] : []),
  );
  showHead(head);
}

function showHead(head) {
  byId("head").value = head;
  byId("seal").hidden = false;
}

async function copy() {
  byId("head").select();
  try {
    await navigator.clipboard.writeText(byId("head").value);
    byId("copy").textContent = "Copied";
    tell("The head seal is copied");
  } catch {
    tell("The head seal is marked; copy it with the keys");
  }
}

async function older() {
  try {
    const before = encodeURIComponent(String(log.oldest()));
    const asked = withToken(() => ask(`/api/custodian?before=${before}`));
    const told = await whileWaiting(asked, "Fetching older rows …");
    log.add(told.log);
    byId("older").hidden = !told.log.length;
    showProblem(null);
    tell(told.log.length ? `${told.log.length} older rows` : "There are no older rows");
  } catch (error) {
    showProblem(error);
  }
}
