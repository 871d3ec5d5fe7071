/** Who has what: a line for each person and version; links are made, changed and revoked. */

import { copied } from "../app/floating.js";
import { ask } from "../app/server.js";
import { byId, make } from "./dom.js";
import { withToken } from "./token.js";
import { cap, counted, shortDay, shortVersion, span, who } from "./words.js";

const DAY = 24 * 3600 * 1000;
const PATH = "/api/custodian/tokens";
const COLUMNS = 6;

/**
 * Show who has what, and let links be made and changed.
 * @param {{fail: (error: Error) => void, toast: (words: string) => void, done: () =>
 *   Promise<void>, taken: (caller: string) => void}} page - `done` is called after each act, `taken`
 *   shows in the log what somebody took.
 */
export function keepPeople(told, page) {
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

/** A custodian's link is valid no longer than one's own: offer no more. */
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
    const link = `${window.location.origin}/${token.role === "custodian" ? "custodian" : ""}#token=${text}`;
    once.classList.remove("no");
    once.replaceChildren(
      make("span", {}, "The link of ", make("bdi", { text: token.name }), ", shown once:"),
      make("code", { text: link }),
      make("button", { type: "button", class: "btn", text: "Copy", "aria-label": "Copy the link", on: { click: () => copied(link, "Link copied.") } }),
      make("span", { class: "soft", text: "Give it over a safe channel: whoever has it can look." }),
    );
    form.elements.namedItem("name").value = "";
    await page.done();
  } catch (error) {
    once.classList.add("no");
    once.replaceChildren(make("span", { text: cap(error.message) }));
  }
}

function fill(told, page) {
  const isGood = ({ state }) => state === "valid";
  const links = [...told.tokens].sort((a, b) => isGood(b) - isGood(a)); // else in order of time
  const people = [
    ...links.map((it) => ({ caller: `token ${it.name}`, link: it })),
    ...told.others.map((it) => ({ caller: it.name, link: null })),
  ];
  const rows = people.flatMap((person) => {
    const held = told.held.filter((it) => it.caller === person.caller);
    return (held.length ? held : [null]).map((it, i) => row(person, it, i > 0, told, page));
  });
  byId("people").replaceChildren(...rows);
  const have = new Set(told.held.filter((it) => it.rows).map((it) => it.caller)).size;
  byId("people-hint").textContent = have
    ? `${have === 1 ? "1 person has" : `${have} people have`} all rows of the copy: they can draw anything from them without asking this server again, and revoking a link takes nothing back.`
    : "Nobody has taken the rows of the copy.";
  versions(told);
}

/** The line of a person and a version; `again` after the first of a person. */
function row({ caller, link }, held, again, told, page) {
  const off = link && link.state !== "valid";
  const name = make("bdi", { text: who(caller) });
  const role = link?.role === "custodian" && !again ? make("span", { class: "tag", text: "custodian" }) : null;
  return make(
    "tr",
    { class: [again ? "again" : "", off ? "off" : ""].join(" ").trim() || null },
    make("th", { scope: "row" }, name, role && " ", role),
    make("td", {}, ...versionOf(held, told)),
    make("td", { text: held ? span(held.first, held.last) : "not yet" }),
    make("td", { class: "took" }, ...tookOf(held, caller, page)),
    make("td", {}, again ? null : linkOf(link)),
    make("td", {}, ...(again || !link ? [] : actsOf(link, page))),
  );
}

function versionOf(held, told) {
  if (!held) return ["–"];
  const now = held.version === told.version;
  return [shortVersion(held.version), " ", make("span", { class: "soft", text: now ? "served now" : "earlier" })];
}

/** What somebody took of a version, and how much was only looked at. */
function tookOf(held, caller, page) {
  const { rows = false, figures = 0, tables = 0, looked = 0 } = held || {};
  const took = [rows && "all rows", figures && counted(figures, "figure"), tables && counted(tables, "table")].filter(Boolean).join(", ");
  const seen = looked ? make("span", { class: "soft", text: ` looked at ${looked.toLocaleString("en-GB")}` }) : null;
  if (!took) return [make("span", { class: "soft", text: "nothing" }), seen];
  const show = make("button", { type: "button", class: "txt", text: "Show", "aria-label": `Show what ${who(caller)} took`, on: { click: () => page.taken(caller) } });
  return [make(rows ? "b" : "span", { text: took }), seen, " ", show];
}

function linkOf(link) {
  if (!link) return make("span", { class: "soft", text: "signs in elsewhere" });
  if (link.state === "revoked") return make("span", { class: "tag", text: `revoked ${shortDay(new Date(link.revoked))}` });
  const until = shortDay(new Date(link.expires));
  if (link.state === "expired") return make("span", { class: "tag", text: `expired ${until}` });
  return make("span", { text: `valid until ${until}`, title: link.expires });
}

function actsOf(it, page) {
  if (it.own) return [make("span", { class: "soft", text: "yours" })];
  if (it.state === "revoked") return [];
  const act = (text, label, click) =>
    make("button", { type: "button", class: "txt", text, "aria-label": label, on: { click } });
  const change = act("Change", `Change the link of ${it.name}`, () => offerTerms(it, change, page));
  const revoke = act("Revoke", `Revoke the link of ${it.name}`, () => {
    if (revoke.classList.contains("sure")) {
      revoked(it, page);
      return;
    }
    revoke.classList.add("sure");
    revoke.textContent = "Revoke now?";
    revoke.setAttribute("aria-label", `Revoke the link of ${it.name} now? Press again`);
  });
  revoke.addEventListener("blur", () => {
    revoke.classList.remove("sure");
    revoke.textContent = "Revoke";
    revoke.setAttribute("aria-label", `Revoke the link of ${it.name}`);
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
    { class: "terms", "aria-label": `How long the link of ${it.name} is valid` },
    make("label", {}, "Days from now", days),
    make("button", { type: "submit", class: "btn main", text: "Save" }),
    make("button", { type: "button", class: "btn", text: "Cancel", on: { click: () => back() } }),
  );
  const below = make("tr", { class: "below" }, make("td", { colspan: COLUMNS }, form));
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
    page.toast(`The link of ${it.name} is valid until ${shortDay(new Date(token.expires))}. It is in the log.`);
    await page.done();
    focusLost(() => document.querySelector(`#people [aria-label="Change the link of ${CSS.escape(it.name)}"]`));
  } catch (error) {
    page.fail(error);
  }
}

async function revoked(it, page) {
  try {
    await withToken(() => ask(`${PATH}/${encodeURIComponent(it.name)}`, undefined, "DELETE"));
    page.toast(`The link of ${it.name} opens nothing any more. It is in the log.`);
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

/** Show the versions that somebody used, the newest first, and who has their rows. */
function versions({ held, version }) {
  const names = [...new Set([version, ...held.map((it) => it.version)])];
  const rows = names.map((name) => {
    const of = held.filter((it) => it.version === name);
    const ends = of.length ? span(of.map((it) => it.first).sort()[0], of.map((it) => it.last).sort().at(-1)) : "not yet";
    const have = of.filter((it) => it.rows).map((it) => who(it.caller));
    return { name, ends, have, last: of.map((it) => it.last).sort().at(-1) || "" };
  }).sort((a, b) => (b.name === version) - (a.name === version) || b.last.localeCompare(a.last));
  byId("versions").replaceChildren(...rows.map(({ name, ends, have }) => make(
    "tr",
    {},
    make("th", { scope: "row" }, shortVersion(name), " ", make("span", { class: "soft", text: name === version ? "served now" : "" })),
    make("td", { text: ends }),
    make("td", { text: have.join(", ") || "nobody" }),
  )));
}
