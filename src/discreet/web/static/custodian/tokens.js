/** Who may look: tokens are made, changed and revoked. */

import { ask } from "../app/server.js";
import { byId, make } from "./dom.js";
import { withToken } from "./token.js";
import { ago, shortDay } from "./words.js";

const DAY = 24 * 3600 * 1000;
const PATH = "/api/custodian/tokens";

/**
 * Show the tokens, and let them be made and changed.
 * @param {{fail: (error: Error) => void, toast: (words: string) => void, done: () =>
 *   Promise<void>}} page - `done` is called after each act.
 */
export function keepTokens(told, page) {
  const form = byId("make");
  byId("new").addEventListener("click", () => {
    form.hidden = !form.hidden;
    byId("new").setAttribute("aria-expanded", String(!form.hidden));
    if (!form.hidden) form.elements.namedItem("name").focus();
  });
  let now = told;
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    makeOne(form, page);
  });
  form.elements.namedItem("role").addEventListener("change", () => fitDays(form, now));
  const show = (found) => {
    now = found;
    fill(found, page);
  };
  show(told);
  return show;
}

/** A custodian's token holds no longer than one's own: offer no more. */
function fitDays(form, { tokens }) {
  const own = tokens.find((it) => it.own);
  const days = form.elements.namedItem("days");
  const custodian = form.elements.namedItem("role").value === "custodian" && own;
  const most = custodian ? Math.max(1, Math.floor((Date.parse(own.expires) - Date.now()) / DAY)) : 3660;
  days.max = most;
  if (Number(days.value) > most) days.value = most;
}

async function makeOne(form, page) {
  const value = (name) => form.elements.namedItem(name).value;
  const body = { name: value("name").trim(), role: value("role"), days: Number(value("days")) };
  const once = byId("once");
  try {
    const { text, token } = await withToken(() => ask(PATH, body));
    once.classList.remove("no");
    once.replaceChildren(
      make("span", { text: "For " }),
      make("bdi", { text: token.name }),
      make("span", { text: ", shown once:" }),
      make("code", { text }),
      make("button", { type: "button", class: "txt", text: "Copy", "aria-label": "Copy the token", on: { click: () => copied(text, page) } }),
      make("span", { class: "soft", text: "Give it over a safe channel; the server keeps only its digest." }),
    );
    form.elements.namedItem("name").value = "";
    await page.done();
  } catch (error) {
    once.classList.add("no");
    once.replaceChildren(make("span", { text: sentenceOf(error) }));
  }
}

async function copied(text, page) {
  try {
    await navigator.clipboard.writeText(text);
    page.toast("Token copied.");
  } catch {
    page.toast("Mark it and copy it with the keys.");
  }
}

function fill(told, page) {
  const isGood = ({ state }) => state === "valid";
  const first = [...told.tokens].sort((a, b) => isGood(b) - isGood(a)); // else in order of time
  const rows = first.map((it) => row(it, page));
  const others = told.others.map(other);
  const none = make("tr", {}, make("td", { colspan: 5, class: "soft", text: "There is no token yet." }));
  const all = [...rows, ...others];
  byId("tokens").replaceChildren(...(all.length ? all : [none]));
  byId("tokens-hint").textContent = `Everybody may ask ${told.a_minute.toLocaleString("en-GB")} times a minute.`;
}

function row(it, page) {
  const off = it.state !== "valid";
  const until = off
    ? make("span", { class: "tag", text: it.state === "revoked" ? `revoked ${shortDay(new Date(it.revoked))}` : `expired ${shortDay(new Date(it.expires))}` })
    : make("span", { text: shortDay(new Date(it.expires)), title: it.expires });
  return make(
    "tr",
    { class: off ? "off" : null },
    make("th", { scope: "row" }, make("bdi", { text: it.name })),
    make("td", { text: it.role }),
    make("td", { text: it.own ? "now" : ago(it.seen) }),
    make("td", {}, until),
    make("td", {}, ...actsOf(it, page)),
  );
}

function other(it) {
  return make(
    "tr",
    {},
    make("th", { scope: "row" }, make("bdi", { text: it.name })),
    make("td", { class: "soft", text: "by its issuer" }),
    make("td", { text: ago(it.seen) }),
    make("td"),
    make("td"),
  );
}

function actsOf(it, page) {
  if (it.own) return [make("span", { class: "soft", text: "yours" })];
  if (it.state === "revoked") return [];
  const act = (text, label, click) =>
    make("button", { type: "button", class: "txt", text, "aria-label": label, on: { click } });
  const change = act("Change", `Change the token of ${it.name}`, () => offerTerms(it, change, page));
  const revoke = act("Revoke", `Revoke the token of ${it.name}`, () => {
    if (revoke.classList.contains("sure")) {
      revoked(it, page);
      return;
    }
    revoke.classList.add("sure");
    revoke.textContent = "Revoke now?";
    revoke.setAttribute("aria-label", `Revoke the token of ${it.name} now? Press again`);
  });
  revoke.addEventListener("blur", () => {
    revoke.classList.remove("sure");
    revoke.textContent = "Revoke";
    revoke.setAttribute("aria-label", `Revoke the token of ${it.name}`);
  });
  return [change, revoke];
}

/** Offer other terms in a row below; the button takes it away again. */
function offerTerms(it, button, page) {
  const own = button.closest("tr");
  if (own.nextElementSibling?.classList.contains("below")) {
    own.nextElementSibling.remove();
    return;
  }
  const days = make("input", { type: "number", min: 1, max: 3660, value: 30, required: true });
  const form = make(
    "form",
    { class: "terms", "aria-label": `Terms of ${it.name}` },
    make("label", {}, "Days from now", days),
    make("button", { type: "submit", class: "btn main", text: "Save" }),
    make("button", { type: "button", class: "btn", text: "Cancel", on: { click: () => back() } }),
  );
  const below = make("tr", { class: "below" }, make("td", { colspan: 5 }, form));
  const back = () => {
    below.remove();
    button.focus();
  };
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    changed(it, { days: Number(days.value) }, page);
  });
  form.addEventListener("keydown", (event) => {
    if (event.key === "Escape") back();
  });
  own.after(below);
  days.focus();
}

async function changed(it, body, page) {
  try {
    const { token } = await withToken(() => ask(`${PATH}/${encodeURIComponent(it.name)}`, body));
    page.toast(`${it.name} may ask until ${shortDay(new Date(token.expires))}. It is in the log.`);
    await page.done();
    focusLost(() => buttonOf(it.name));
  } catch (error) {
    page.fail(error);
  }
}

async function revoked(it, page) {
  try {
    await withToken(() => ask(`${PATH}/${encodeURIComponent(it.name)}`, undefined, "DELETE"));
    page.toast(`The token of ${it.name} opens nothing any more. It is in the log.`);
    await page.done();
    focusLost(() => byId("new"));
  } catch (error) {
    page.fail(error);
  }
}

/** Put the focus where it belongs if it went with what had it, and nowhere else since. */
function focusLost(find) {
  if (document.activeElement === document.body) find()?.focus();
}

function buttonOf(name) {
  const row_ = [...byId("tokens").children].find((it) => it.querySelector("bdi")?.textContent === name);
  return row_?.querySelector("button");
}

function sentenceOf(error) {
  return error.message.charAt(0).toUpperCase() + error.message.slice(1);
}
