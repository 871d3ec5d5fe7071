/** Each lasting change is a step of the browser's history, so that back and forward undo and redo. */

import { read, written } from "./state.js";

/**
 * Follow the address.
 *
 * @param {(state: object) => void} show - Called with each state, by whatever way it came.
 * @param {(token: string) => void} takeToken - Called with a token that was pasted as an address.
 * @returns {object} `state()`, `commit(change)`, `undo()`, `redo()`, `canUndo()`, `canRedo()`.
 */
export function followAddress(show, takeToken) {
  let state = read(location.hash);
  let step = history.state?.step ?? 0;
  let last = step;
  const arrived = (event) => {
    const found = /(?:^#|&)token=([^&]+)/.exec(location.hash);
    if (found) {
      history.replaceState({ step }, "", address(state));
      takeToken(found[1]);
      return;
    }
    step = event.state?.step ?? step + 1;
    last = Math.max(last, step);
    state = read(location.hash);
    show(state);
  };
  addEventListener("popstate", arrived);
  history.replaceState({ step }, "", address(state));
  return {
    state: () => state,
    commit(change) {
      const next = structuredClone(state);
      change(next);
      if (written(next) === written(state)) return;
      state = next;
      step += 1;
      last = step;
      history.pushState({ step }, "", address(state));
      show(state);
    },
    undo: () => step > 0 && history.back(),
    redo: () => step < last && history.forward(),
    canUndo: () => step > 0,
    canRedo: () => step < last,
    stop: () => removeEventListener("popstate", arrived),
  };
}

/** @param {object} state - Of a board. @returns {string} The whole address of it. */
export function address(state) {
  const hash = written(state);
  return location.pathname + location.search + (hash ? `#${hash}` : "");
}
