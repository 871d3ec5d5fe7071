/** The record: filters, the timeline, entries with their causes, and files of it. */

import { handOver } from "../app/dom.js";
import { ask, fileOf } from "../app/server.js";
import { byId, make, settled } from "./dom.js";
import { drawHours, SPANS } from "./hours.js";
import { withToken } from "./token.js";
import { openView } from "./view.js";
import { clock, counted, day, sentence, shortVersion, tagOf, who } from "./words.js";

const KINDS = { "": "All", shown: "Shown", left: "Left", refused: "Refused" };
const MOST = 24;
const WAIT = 250;

/**
 * Show the record, and let it be filtered.
 * @param {{fail: (error: Error) => void, toast: (words: string) => void, each: (page: object) =>
 *   void}} page - What goes wrong or is done is said there; `each` is called with the first page of
 *   whatever is wanted.
 * @returns {{reload: () => Promise<void>, want: (wanted: object) => void}}
 */
export function keepRecord(told, page) {
  const state = { kind: "", caller: "", find: "", outcome: "", bar: null, span: "day" };
  let shown = [];
  let hours = [];
  let turn = 0;

  const address = (path, more) => {
    const query = new URLSearchParams();
    for (const name of ["kind", "caller", "find", "outcome"]) if (state[name]) query.set(name, state[name]);
    if (state.bar) {
      query.set("since", Math.floor(state.bar.from / 1000));
      query.set("until", Math.floor(state.bar.until / 1000));
    }
    for (const [name, value] of Object.entries(more)) query.set(name, value);
    return `/api/custodian/${path}${query.size ? `?${query}` : ""}`;
  };

  const load = async (before) => {
    const mine = (turn += 1);
    try {
      const asked = { most: MOST, ...(before ? { before } : {}) };
      const found = await withToken(() => ask(address("log", asked)));
      if (mine !== turn) return;
      shown = before ? [...shown, ...found.log] : found.log;
      byId("older").hidden = !found.more;
      if (!before) {
        hours = found.hours;
        byId("nlog").textContent = `${found.fit.toLocaleString("en-GB")} of ${counted(found.all, "entry", "entries")}`;
        page.each(found);
        draw();
      }
      fill(shown, told, page);
    } catch (error) {
      page.fail(error);
    }
  };

  const draw = () => {
    const keep = (bar) => change({ bar });
    drawHours(hours, state.span, state.bar && state.bar.from, keep);
    byId("chips").replaceChildren(...chips(state, told, change));
  };

  const change = (wanted) => {
    Object.assign(state, wanted);
    segments(byId("kinds"), KINDS, state.kind, (kind) => change({ kind, outcome: "" }));
    const titles = Object.fromEntries(Object.entries(SPANS).map(([name, it]) => [name, it.title]));
    segments(byId("spans"), titles, state.span, (span) => change({ span, bar: null }));
    byId("who").value = state.caller;
    draw();
    return load();
  };

  fillWho(told);
  byId("who").addEventListener("change", () => change({ caller: byId("who").value }));
  byId("find").addEventListener("input", settled(() => change({ find: byId("find").value.trim() }), WAIT));
  byId("older").addEventListener("click", () => load(shown[shown.length - 1].id));
  for (const form of ["csv", "json"]) {
    byId(`save-${form}`).addEventListener("click", async () => {
      try {
        handOver(await withToken(() => fileOf(address(`log.${form}`, {}))), `discreet-log.${form}`);
        page.toast(`${byId("nlog").textContent} saved. That is in the log, too.`);
      } catch (error) {
        page.fail(error);
      }
    });
  }
  let wide = window.innerWidth;
  window.addEventListener("resize", () => {
    if (window.innerWidth === wide) return;
    wide = window.innerWidth;
    draw();
  });
  change({});
  return { reload: () => load(), want: change };
}

function fillWho({ tokens, others }) {
  const names = [...tokens.map((it) => `token ${it.name}`), ...others.map((it) => it.name)];
  const options = names.map((name) => make("option", { value: name, text: who(name) }));
  byId("who").replaceChildren(make("option", { value: "", text: "everybody" }), ...options);
}

/** Show buttons of which one is pressed; the focus stays where it is. */
function segments(place, titles, pressed, choose) {
  if (!place.children.length) {
    const made = Object.entries(titles).map(([value, text]) =>
      make("button", { type: "button", text, "data-value": value, on: { click: () => choose(value) } }),
    );
    place.replaceChildren(...made);
  }
  for (const it of place.children) it.setAttribute("aria-pressed", String(it.dataset.value === pressed));
}

/** Say what else the entries are filtered by, with a button that ends it. */
function chips({ outcome, bar }, { causes }, change) {
  const found = [];
  const chip = (words, ends) =>
    make(
      "span",
      { class: "chip" },
      make("span", { text: words }),
      make("button", { type: "button", class: "ib", text: "✕", "aria-label": `Without: ${words}`, on: { click: () => change(ends) } }),
    );
  if (outcome) found.push(chip(causes[outcome]?.title || outcome, { outcome: "" }));
  if (bar) {
    const [from, until] = [new Date(bar.from), new Date(bar.until)];
    found.push(chip(`${day(from)}, ${clock(from)} to ${clock(until)}`, { bar: null }));
  }
  return found;
}

function fill(entries, told, page) {
  const place = byId("rows");
  const held = place.contains(document.activeElement);
  let last = "";
  const rows = entries.flatMap((entry) => {
    const at = new Date(entry.at);
    const on = day(at);
    const heading = on === last ? [] : [make("h3", { text: on })];
    last = on;
    return [...heading, row(entry, at, told, page)];
  });
  place.replaceChildren(...(rows.length ? rows : [make("p", { class: "soft", text: "No entry fits." })]));
  if (held) byId("older").focus();
}

function row(entry, at, told, page) {
  const line = [
    make("time", { datetime: entry.at, text: clock(at) }),
    make("b", {}, make("bdi", { text: who(entry.caller) })),
    make("span", { text: sentence(entry, told.kinds) }),
    make("span", { class: `tag ${entry.kind}`, text: tagOf(entry) }),
  ];
  const more = details(entry, told, page);
  const look = `is-${entry.kind}`;
  if (!more) return make("div", { class: look }, make("div", { class: "line" }, ...line));
  return make("details", { class: look }, make("summary", {}, ...line), make("div", { class: "told" }, ...more));
}

/** Say why an entry was refused, and open the picture that another showed. */
function details(entry, told, page) {
  if (entry.kind === "refused") {
    const cause = told.causes[entry.outcome];
    const says = cause ? [cause.says, cause.rule] : [`Refused: ${entry.outcome}.`];
    const instead = cause ? `Nothing was given out. Instead there is: ${cause.instead}.` : "Nothing was given out.";
    return [...says, instead].map((text, i) => make("p", { class: i ? "soft" : null, text }));
  }
  const kind = entry.of ? entry.of.what : entry.what;
  const view = entry.view || viewOf(entry);
  if (!view || !told.plots.includes(kind) || !["shown", "left"].includes(entry.kind)) return null;
  if (entry.version !== told.version) {
    return [make("p", { class: "soft", text: `It is of version ${shortVersion(entry.version)}, and no longer shown.` })];
  }
  const open = () => openView(view, entry, told).catch(page.fail);
  return [
    make("p", { class: "soft" }, make("span", { text: `Entry ${entry.id.toLocaleString("en-GB")}, version ${shortVersion(entry.version)}, picture ` }), make("code", { text: view.slice(0, 8) })),
    make("button", { type: "button", class: "btn", text: "Open the picture", on: { click: open } }),
  ];
}

function viewOf(entry) {
  try {
    return JSON.parse(entry.request || "{}").view || "";
  } catch {
    return "";
  }
}
