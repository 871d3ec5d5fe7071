/** What was drawn in this session, newest first; kept in memory alone. */

import { byId, make } from "./page-dom.js";
import { icon } from "./page-icons.js";

/**
 * Keep a list of what was drawn.
 *
 * @param {(entry: object) => void} back - Called with the entry that somebody goes back to.
 * @returns {{add: (entry: {id: string, kind: string, title: string, about: string}) => void,
 *   mark: (id: string) => void}}
 */
export function keepHistory(back) {
  let entries = [];
  let current = "";
  const show = () => {
    byId("history").hidden = !entries.length;
    const rows = entries.map((entry) => {
      const words = make(
        "span",
        {},
        make("span", { class: "history-title", text: entry.title }),
        make("span", { class: "soft", text: entry.about }),
      );
      const button = make(
        "button",
        {
          type: "button",
          "aria-current": entry.id === current ? "true" : null,
          on: { click: () => back(entry) },
        },
        icon(entry.kind),
        words,
      );
      return make("li", {}, button);
    });
    byId("history-list").replaceChildren(...rows);
  };
  return {
    add: (entry) => {
      entries = [entry, ...entries.filter((it) => it.id !== entry.id)];
      current = entry.id;
      show();
    },
    mark: (id) => {
      const held = byId("history-list").contains(document.activeElement);
      current = id;
      show();
      const now = byId("history-list").querySelector("[aria-current]");
      if (held && now) now.focus();
    },
  };
}
