/** What forms share. */

import { h } from "./dom.js";

const WAIT = 150;

/**
 * Return a form that sends something to the server; what is refused is said below its fields.
 * @param {object} given - `title`, what is `within`, the `field` that has the focus again after a
 *   refusal, what the `button` says, and `send()`.
 */
export function sendingForm({ title, within = [], field, button, send }) {
  const problem = h("p.fits", { role: "status" });
  const go = h("button.btn.main", { type: "submit" }, button);
  const form = h("form.form", {}, title && h("h2", {}, title), within, problem, go);
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    go.disabled = true;
    problem.textContent = "";
    try {
      await send();
    } catch (error) {
      problem.textContent = error.message;
      field.focus();
    } finally {
      go.disabled = false;
    }
  });
  return form;
}

/** Return a choice among a few. @param {{value: any, says: string}[]} of */
export const selectOf = (label, of, now, pick) =>
  h("select", { "aria-label": label, on: { change: ({ target }) => pick(of[target.selectedIndex].value) } },
    of.map((it) => h("option", { selected: it.value === now }, it.says)));

/**
 * Return buttons of which one is pressed; the one that is taken keeps the focus in a form whose
 * body is made anew.
 * @param {Object<string, string>} ways - What each says, by its value.
 */
export const segOf = (label, ways, now, pick) =>
  h("div.seg.big", { role: "group", "aria-label": label }, Object.entries(ways).map(([value, words]) =>
    h("button", { type: "button", "aria-pressed": String(now === value), "data-value": value,
      on: { click: ({ target }) => {
        const host = target.closest(".body");
        pick(value);
        host.querySelector(`[aria-label="${label}"] [data-value="${value}"]`)?.focus();
      } } }, words)));

/**
 * Return a function that runs once calls of it have stopped for a while.
 * @param {(stays: () => boolean) => Promise<void>} run - What to do; `stays` tells whether it was
 *   not called again in the meantime.
 */
export function settled(run, failed) {
  let last = 0;
  let timer = 0;
  return () => {
    last += 1;
    const mine = last;
    clearTimeout(timer);
    timer = setTimeout(() => run(() => mine === last).catch(failed), WAIT);
  };
}
