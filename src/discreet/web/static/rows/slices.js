/** Long work in slices: between two of them whatever was asked meanwhile is answered. */

const SLICE = 8; // milliseconds

/**
 * Do all steps of some work, and return what it comes to; or nothing, once it is no longer wanted.
 * @param {Iterator} steps - Its last one has the value.
 * @param {object} how - `turn()` lets others in; `isWanted()` is asked after that; `now()`.
 */
export async function inSlices(steps, { turn, isWanted, now }) {
  for (let began = now(); ;) {
    const { done, value } = steps.next();
    if (done) return value;
    if (now() - began < SLICE) continue;
    await turn();
    if (!isWanted()) return { found: null };
    began = now();
  }
}
