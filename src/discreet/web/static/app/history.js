/**
 * Each lasting change is a step of the browser's history, so that back and forward undo and redo.
 * A page within a notebook has no address of its own: its steps are kept in memory.
 */

import { read, written } from "./state.js";

/**
 * Follow the address.
 * @param {(state: object) => void} show - Called with each state, by whatever way it came.
 * @param {(token: string) => void} takeToken - Called with a token that was pasted as an address.
 * @returns {object} `state()`, `commit(change)`, `undo()`, `redo()`, `canUndo()`, `canRedo()`.
 */
export function followAddress(show, takeToken) {
  let state = read(location.hash);
  let step = history.state?.step ?? 0;
  let last = step;
  const past = isPut(step, state) ? null : [state];
  const arrived = (event) => {
    const found = /(?:^#|&)token=([^&]+)/.exec(location.hash);
    if (found) {
      isPut(step, state);
      takeToken(found[1]);
      return;
    }
    step = event.state?.step ?? step + 1;
    last = Math.max(last, step);
    state = read(location.hash);
    show(state);
  };
  addEventListener("popstate", arrived);
  function go(to) {
    if (!past) {
      history.go(to - step);
      return;
    }
    step = to;
    state = past[step];
    show(state);
  }
  return {
    state: () => state,
    commit(change) {
      const next = structuredClone(state);
      change(next);
      if (written(next) === written(state)) return;
      state = next;
      step += 1;
      last = step;
      if (past) past.splice(step, past.length, state);
      else history.pushState({ step }, "", address(state));
      show(state);
    },
    undo: () => step > 0 && go(step - 1),
    redo: () => step < last && go(step + 1),
    canUndo: () => step > 0,
    canRedo: () => step < last,
    stop: () => removeEventListener("popstate", arrived),
  };
}

/** Put a state into the address, and say whether the page has one. */
function isPut(step, state) {
  try {
    history.replaceState({ step }, "", address(state));
    return true;
  } catch {
    return false;
  }
}

/** @param {object} state - Of a board. @returns {string} The whole address of it. */
export function address(state) {
  const hash = written(state);
  return location.pathname + location.search + (hash ? `#${hash}` : "");
}
