/** Why something was refused, and what has left: beside the record. */

import { byId, make, makeSvg } from "./dom.js";
import { thumb } from "./thumbs.js";
import { openView } from "./view.js";
import { clock, shortDay, titleOf, who } from "./words.js";

const MOST_CAUSES = 5;

/**
 * Show by what cause how many were refused.
 * @param {(outcome: string) => void} show - Shows those of a cause in the record.
 */
export function showCauses(found, { causes }, days, show) {
  byId("why-days").textContent = `last ${days} days`;
  const top = Math.max(1, ...found.map((it) => it.count));
  const rows = found.slice(0, MOST_CAUSES).map(({ outcome, count }) => {
    const { title = outcome, says = "", instead = "" } = causes[outcome] || {};
    return make(
      "li",
      {},
      make("b", { text: title }),
      make(
        "span",
        {},
        document.createTextNode(`${count} `),
        make("button", {
          type: "button",
          class: "txt",
          text: "Show",
          "aria-label": `Show in the log: ${title}, ${count}`,
          on: { click: () => show(outcome) },
        }),
      ),
      make("small", { text: `${says} Offered instead: ${instead}.` }),
      bar(count / top),
    );
  });
  const none = make("li", {}, make("span", { class: "soft", text: "Nothing was refused." }));
  byId("why").replaceChildren(...(rows.length ? rows : [none]));
}

/** Show the newest of what has left the server. */
export function showGone({ log, fit }, told, fail) {
  byId("ngone").textContent = fit ? `${Math.min(log.length, fit)} of ${fit}` : "";
  const rows = log.map((entry) => {
    const at = new Date(entry.at);
    const title = titleOf(entry, told.kinds);
    const form = formOf(entry);
    const when = `${shortDay(at)}, ${clock(at)}`;
    const view = JSON.parse(entry.request || "{}").view;
    const may = view && entry.version === told.version && told.plots.includes(entry.of?.what);
    const open = () => openView(view, entry, told).catch(fail);
    return make(
      "li",
      {},
      thumb(entry.of ? entry.of.what : entry.what),
      make("b", { text: title }),
      make("span", { class: "soft", text: `${form} · ${who(entry.caller)} · ${when}` }),
      may ? make("button", { type: "button", class: "txt", text: "Open", "aria-label": `Open ${title}`, on: { click: open } }) : null,
    );
  });
  const none = make("li", {}, make("span", { class: "soft", text: "Nothing has left yet." }));
  byId("gone").replaceChildren(...(rows.length ? rows : [none]));
}

function formOf({ what }) {
  const file = /\.(\w+)$/.exec(what);
  return file ? file[1].toUpperCase() : "to a browser";
}

function bar(share) {
  const track = makeSvg("rect", { class: "track", width: 100, height: 4 });
  const used = makeSvg("rect", { class: "used", width: 100 * share, height: 4 });
  return makeSvg("svg", { viewBox: "0 0 100 4", preserveAspectRatio: "none", "aria-hidden": "true" }, track, used);
}
