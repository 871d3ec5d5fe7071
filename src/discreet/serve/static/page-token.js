/** The dialog that asks for a token, once for however many requests are waiting for one. */

import { keepToken } from "./page-api.js";
import { byId } from "./page-dom.js";

let waiting = null;

/**
 * Ask for a token and keep it.
 *
 * @param {string} why - Shown above the field.
 * @returns {Promise<void>} Once there is one.
 */
export function askForToken(why) {
  const dialog = byId("token-dialog");
  const field = byId("token-field");
  byId("token-why").textContent = why;
  waiting ??= new Promise((done) => {
    byId("token-form").addEventListener(
      "submit",
      (event) => {
        event.preventDefault();
        keepToken(field.value);
        field.value = "";
        waiting = null;
        dialog.close();
        done();
      },
      { once: true },
    );
    // Without a token there is nothing to see, so it cannot be waved away.
    dialog.addEventListener("cancel", (event) => event.preventDefault());
    dialog.showModal();
    field.focus();
  });
  return waiting;
}

/**
 * Do something that needs a token; ask for another one as long as the server refuses it.
 *
 * @template T
 * @param {() => Promise<T>} run - What to do.
 * @returns {Promise<T>}
 */
export async function withToken(run) {
  for (;;) {
    try {
      return await run();
    } catch (error) {
      if (error.status !== 401) throw error;
      await askForToken(wordsFor());
    }
  }
}

function wordsFor() {
  const had = window.sessionStorage.getItem("discreet token");
  keepToken("");
  return had
    ? "The server does not accept this token: it is mistyped, or it has expired or been revoked."
    : "The custodian of the data gave you a token. It stays in this tab and goes when you close it.";
}
