/** What the policy says, in sentences. */

import { byId, make } from "./dom.js";

const FIRST = 8;

/**
 * Show the sentences of the policy: the first, or all.
 * @param {{lead: string, rest: string, setting: string}[]} words - Of /api/custodian.
 */
export function showPolicy(words, all = false) {
  const shown = all ? words : words.slice(0, FIRST);
  const rows = shown.map(({ lead, rest, setting }) =>
    make(
      "li",
      {},
      make("p", {}, make("b", { text: lead }), make("span", { text: rest })),
      make("code", { text: setting }),
    ),
  );
  byId("rules").replaceChildren(...rows);
  const more = byId("more-rules");
  more.hidden = words.length <= FIRST;
  more.setAttribute("aria-expanded", String(all));
  more.textContent = all ? "Show the first alone" : `Show all ${words.length} sentences`;
  more.onclick = () => showPolicy(words, !all);
}
