/** What the policy says: the columns, and its rules in sentences. */

import { byId, make } from "./dom.js";

const FIRST = 5;

/**
 * Show the columns of the copy, those that are not in it, and the sentences of the policy.
 * @param {{words: object[], columns: object[], remarks: string[]}} told - Of /api/custodian.
 */
export function showPolicy({ words, columns, remarks }) {
  byId("columns").replaceChildren(...columns.map(({ name, label, kind }) => make(
    "tr",
    {},
    make("th", { scope: "row" }, make("bdi", { text: name })),
    make("td", { text: label === name ? "" : label }),
    make("td", { text: kind }),
  )));
  byId("remarks").replaceChildren(...remarks.map((text) => make("li", { text: text.charAt(0).toUpperCase() + text.slice(1) })));
  showRules(words, false);
}

function showRules(words, all) {
  const shown = all ? words : words.slice(0, FIRST);
  byId("rules").replaceChildren(...shown.map(({ lead, rest }) => make("li", {}, make("b", { text: lead }), rest)));
  const more = byId("more-rules");
  more.hidden = words.length <= FIRST;
  more.setAttribute("aria-expanded", String(all));
  more.textContent = all ? `Show the first ${FIRST}` : `Show all ${words.length} rules`;
  more.onclick = () => showRules(words, !all);
}
