/** A picture that was shown to somebody, opened by its id. */

import { ask } from "../app/server.js";
import { draw } from "../figure/any.js";
import { byId } from "./dom.js";
import { withToken } from "./token.js";

let drawn = null;

/**
 * Fetch a picture and show it.
 * @param {string} says - Who saw it, and when.
 */
export async function openView(view, title, says) {
  const found = await withToken(() => ask(`/api/views/${encodeURIComponent(view)}`));
  const dialog = byId("view-dialog");
  byId("view-title").textContent = title;
  byId("view-says").textContent = found.says;
  byId("view-made").open = false;
  byId("view-hint").textContent = `${says} It is the very picture; that you have opened it is in the log.`;
  dialog.showModal();
  byId("view-close").focus();
  if (drawn) drawn.destroy();
  drawn = draw(byId("view-host"), found.view || { kind: found.kind, ...found.table });
}

/** Let the picture be closed, and drawn again in other colours. */
export function letViewClose() {
  const dialog = byId("view-dialog");
  byId("view-close").addEventListener("click", () => dialog.close());
  dialog.addEventListener("click", (event) => {
    if (event.target === dialog) dialog.close();
  });
  dialog.addEventListener("close", () => {
    if (drawn) drawn.destroy();
    drawn = null;
  });
}
