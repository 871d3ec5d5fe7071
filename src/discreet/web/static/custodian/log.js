/** The record, folded by visits: filters, the timeline, entries with their causes, and files of it. */

import { handOver } from "../app/dom.js";
import { settled } from "../app/form-parts.js";
import { ask, fileOf } from "../app/server.js";
import { byId, make } from "./dom.js";
import { drawHours, SPANS } from "./hours.js";
import { withToken } from "./token.js";
import { openView } from "./view.js";
import { cap, clock, counted, day, parsed, sentence, shortVersion, tagOf, who } from "./words.js";

const KINDS = { "": "All", shown: "Looked at", left: "Taken", refused: "Refused" };
const MOST = 100;
/** A visit ends where so long nothing was asked. */
const PAUSE = 30 * 60000;

/**
 * Show the record, and let it be filtered.
 * @param {{fail: (error: Error) => void, toast: (words: string) => void}} page - What goes wrong or
 *   is done is said there.
 * @returns {{reload: () => Promise<void>, want: (wanted: object) => void}}
 */
export function keepRecord(told, page) {
  const state = { kind: "", caller: "", find: "", bar: null, span: "day" };
  let shown = [];
  let hours = [];
  let turn = 0;

  const address = (path, more) => {
    const query = new URLSearchParams();
    for (const name of ["kind", "caller", "find"]) if (state[name]) query.set(name, state[name]);
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
        draw();
      }
      fill(shown, told, page, Boolean(state.kind || state.find || state.bar));
    } catch (error) {
      page.fail(error);
    }
  };

  const draw = () => {
    const keep = (bar) => change({ bar });
    drawHours(hours, state.span, state.bar && state.bar.from, keep);
    byId("chips").replaceChildren(chipOf(state, change));
  };

  const change = (wanted) => {
    Object.assign(state, wanted);
    segments(byId("kinds"), KINDS, state.kind, (kind) => change({ kind }));
    const titles = Object.fromEntries(Object.entries(SPANS).map(([name, it]) => [name, it.title]));
    segments(byId("spans"), titles, state.span, (span) => change({ span, bar: null }));
    byId("who").value = state.caller;
    if (!state.find) byId("find").value = "";
    draw();
    return load();
  };

  fillWho(told);
  byId("who").addEventListener("change", () => change({ caller: byId("who").value }));
  byId("find").addEventListener("input", settled(async () => change({ find: byId("find").value.trim() }), page.fail));
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

/** Say of which time entries are shown, with a button that ends it. */
function chipOf({ bar }, change) {
  if (!bar) return "";
  const [from, until] = [new Date(bar.from), new Date(bar.until)];
  const words = `${day(from)}, ${clock(from)} to ${clock(until)}`;
  const end = make("button", { type: "button", class: "ib", text: "✕", "aria-label": `Without: ${words}`, on: { click: () => change({ bar: null }) } });
  return make("span", { class: "chip" }, make("span", { text: words }), end);
}

/** Show the visits, open where entries are looked for; those that were open stay so. */
function fill(entries, told, page, open) {
  const place = byId("rows");
  const held = place.contains(document.activeElement);
  const were = new Set([...place.querySelectorAll(".visit[open]")].map((it) => it.dataset.last));
  let last = "";
  const rows = visitsIn(entries).flatMap((visit) => {
    const on = day(new Date(visit[0].at));
    const heading = on === last ? [] : [make("h3", { text: on })];
    last = on;
    return [...heading, visitRow(visit, told, page, open || were.has(String(visit.at(-1).id)))];
  });
  place.replaceChildren(...(rows.length ? rows : [make("p", { class: "soft", text: "No entry fits." })]));
  if (held) byId("older").focus();
}

/** Fold entries, newest first, by visits: of one caller, without a long pause. */
function visitsIn(entries) {
  const visits = [];
  const running = new Map();
  for (const entry of entries) {
    const visit = running.get(entry.caller);
    if (visit && Date.parse(visit.at(-1).at) - Date.parse(entry.at) <= PAUSE) visit.push(entry);
    else {
      visits.push([entry]);
      running.set(entry.caller, visits.at(-1));
    }
  }
  return visits;
}

function visitRow(visit, told, page, open) {
  if (visit.length === 1) return row(visit[0], told, page, true);
  const [from, to] = [visit.at(-1), visit[0]].map((it) => clock(new Date(it.at)));
  const refused = visit.filter((it) => it.kind === "refused").length;
  const summary = make(
    "summary",
    {},
    make("time", { datetime: visit.at(-1).at, text: from === to ? from : `${from}–${to}` }),
    make("b", {}, make("bdi", { text: who(visit[0].caller) })),
    make("span", { text: summed(visit) }),
    refused ? make("span", { class: "tag refused", text: `${refused} refused` }) : null,
  );
  const look = ["refused", "left", "shown"].find((kind) => visit.some((it) => it.kind === kind)) || "other";
  return make("details", { class: `visit is-${look}`, "data-last": visit.at(-1).id, open }, summary, make("div", { class: "within" }, ...visit.map((it) => row(it, told, page, false))));
}

/** @returns {string} What somebody did in a visit: "took all rows and 2 files, looked at 5". */
function summed(visit) {
  const count = (fits) => visit.filter(fits).length;
  const files = count((it) => it.kind === "left" && it.what !== "rows");
  const took = [count((it) => it.kind === "left" && it.what === "rows") && "all rows", files && counted(files, "file")].filter(Boolean).join(" and ");
  const [looked, asked, handed] = [count((it) => it.kind === "shown"), count((it) => it.what === "question to the data"), count((it) => it.what === "output handed in")];
  const said = [
    took && `took ${took}`,
    looked && `looked at ${counted(looked, "picture")}`,
    handed && `handed in ${counted(handed, "output")}`,
    asked && `asked the data ${counted(asked, "question")}`,
  ].filter(Boolean);
  return cap(said.join(", ") || `${sentence(visit[0])}, and ${visit.length - 1} more`);
}

function row(entry, told, page, named) {
  const line = [
    make("time", { datetime: entry.at, text: clock(new Date(entry.at)) }),
    named ? make("b", {}, make("bdi", { text: who(entry.caller) })) : null,
    make("span", { text: cap(sentence(entry)) }),
    tagOf(entry) && (named || entry.kind !== "shown") ? make("span", { class: `tag ${entry.kind}`, text: tagOf(entry) }) : null,
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
    return [
      make("p", { text: cause?.says || "It was refused." }),
      make("p", { class: "soft", text: `Nothing was given out.${cause ? ` Instead there is: ${cause.instead}.` : ""}` }),
    ];
  }
  const view = entry.view || parsed(entry.request).view;
  if (!view || !entry.title || !["shown", "left"].includes(entry.kind)) return null;
  if (entry.version !== told.version) {
    return [make("p", { class: "soft", text: `It is of version ${shortVersion(entry.version)}, and no longer shown.` })];
  }
  const says = `${who(entry.caller)} ${sentence(entry)}.`;
  const open = () => openView(view, entry.title, says).catch(page.fail);
  return [make("button", { type: "button", class: "btn", text: "Open the picture", "aria-label": `Open the picture: ${entry.title}`, on: { click: open } })];
}
