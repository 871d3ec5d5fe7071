/** What the policy says, and what a proposed one would change. */

import { ask } from "./page-api.js";
import { byId, make } from "./page-dom.js";
import { withToken } from "./page-token.js";

const FIRST = 8;
const DOES = {
  copy: "makes another protected copy",
  version: "needs a new version",
  counts: "changes how counts are made",
  start: "holds from the next start",
};

/**
 * Show the sentences of the policy and its file, and say what a change of it would do.
 *
 * @param {{words: object[], policy: string}} told - Of /api/custodian.
 * @param {{fail: (error: Error) => void}} page - What goes wrong is said there.
 * @returns {void}
 */
export function keepPolicy(told, page) {
  showRules(told.words, false);
  const file = byId("file");
  const box = byId("file-box");
  const button = byId("show-file");
  file.value = told.policy;
  button.addEventListener("click", () => {
    box.hidden = !box.hidden;
    button.setAttribute("aria-expanded", String(!box.hidden));
    button.textContent = box.hidden ? "Show the file" : "Hide the file";
  });
  byId("reset-file").addEventListener("click", () => {
    file.value = told.policy;
    byId("proposal").replaceChildren();
    file.removeAttribute("aria-invalid");
    file.focus();
  });
  byId("propose").addEventListener("submit", async (event) => {
    event.preventDefault();
    try {
      const body = { text: file.value };
      const found = await withToken(() => ask("/api/custodian/policy", { body }));
      file.setAttribute("aria-invalid", String(found.mistakes.length > 0));
      const shown = found.proposal ? proposal(found.proposal) : mistakes(found.mistakes, file);
      byId("proposal").replaceChildren(...shown);
    } catch (error) {
      page.fail(error);
    }
  });
}

function showRules(words, all) {
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
  more.onclick = () => showRules(words, !all);
}

function proposal({ changes, says, commands, refused, text }) {
  const rows = changes.map((it) =>
    make(
      "li",
      {},
      it.before ? make("del", {}, make("span", { class: "unseen", text: "before: " }), `− ${it.before}`) : null,
      it.after ? make("ins", {}, make("span", { class: "unseen", text: "after: " }), `+ ${it.after}`) : null,
      make("p", { text: `${it.says || it.said} It ${DOES[it.does]}.` }),
    ),
  );
  const lines = [...says, ...(refused ? [refused] : [])];
  const shown = [
    make("ul", { class: "diff" }, ...rows),
    make("ul", { class: "does" }, ...lines.map((line) => make("li", { text: line }))),
  ];
  if (refused) shown.reverse();
  if (commands.length) {
    const typed = commands.join("\n");
    shown.push(
      make("p", { class: "hint", text: "Write the text below into the policy’s file on the server, then type there, in its folder:" }),
      make("pre", { text: typed, tabindex: 0, role: "region", "aria-label": "Commands" }),
      make("p", { class: "row" }, copies("Copy the commands", typed), copies("Copy the file’s text", text)),
    );
  }
  return shown;
}

function copies(name, text) {
  const button = make("button", { type: "button", class: "btn", text: name });
  button.addEventListener("click", async () => {
    try {
      await navigator.clipboard.writeText(text);
      button.textContent = "Copied";
    } catch {
      button.textContent = "Mark it and copy it with the keys";
    }
  });
  return button;
}

/** Say what is wrong, by field; a button leads to its line. */
function mistakes(found, file) {
  return found.map(({ field, says }) => {
    const line = file.value.split("\n").findIndex((it) => field && it.trim().startsWith(field));
    const lead = () => {
      const before = file.value.split("\n").slice(0, line).join("\n").length + (line ? 1 : 0);
      file.focus();
      file.setSelectionRange(before, before + file.value.split("\n")[line].length);
    };
    return make(
      "p",
      { class: "mistake" },
      field ? make("b", { text: `${field}: ` }) : null,
      make("span", { text: says }),
      line >= 0 ? make("button", { type: "button", class: "txt", text: `Line ${line + 1}`, on: { click: lead } }) : null,
    );
  });
}
