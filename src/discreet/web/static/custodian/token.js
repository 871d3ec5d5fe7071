/** The dialog that asks for a link, once for however many requests are waiting for one. */

import { withToken as asLongAs, decoded, keepToken } from "../app/server.js";
import { byId } from "./dom.js";

let waiting = null;

/** Ask for a token and keep it. Without one there is nothing to see, so it cannot be waved away. */
export const askForToken = (why) => once(why, false);

/** Offer to take another token, and keep it if there is one. */
export const offerToken = (why) => once(why, true);

function once(why, may) {
  waiting ??= asked(why, may).finally(() => {
    waiting = null;
  });
  return waiting;
}

function asked(why, may) {
  const dialog = byId("token-dialog");
  const field = byId("token-field");
  byId("token-why").textContent = why;
  byId("token-cancel").hidden = !may;
  const ending = new AbortController();
  const { signal } = ending;
  return new Promise((done) => {
    const end = (given) => {
      ending.abort();
      if (given) keepToken(decoded(field.value.replace(/^.*#(?:.*&)?token=/, "")));
      field.value = "";
      dialog.close();
      done(given);
    };
    const submitted = (event) => {
      event.preventDefault();
      end(true);
    };
    const waved = (event) => {
      event.preventDefault();
      if (may) end(false);
    };
    byId("token-form").addEventListener("submit", submitted, { signal });
    byId("token-cancel").addEventListener("click", waved, { signal });
    dialog.addEventListener("cancel", waved, { signal });
    dialog.showModal();
    field.focus();
  });
}

/** Do something that needs a token, which is asked for as long as the server refuses it. */
export const withToken = (run) => asLongAs(run, () => askForToken(wordsFor()));

function wordsFor() {
  const had = window.sessionStorage.getItem("discreet token");
  keepToken("");
  return had
    ? "The server does not accept this link: it is incomplete, or it has expired or been revoked."
    : "You were given a link to this page. It stays in this tab and goes when you close it.";
}
