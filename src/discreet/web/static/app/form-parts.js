/** What forms share. */

const WAIT = 150;

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
