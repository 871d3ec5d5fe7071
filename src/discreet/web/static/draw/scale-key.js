/** The key of a scale of colours: a bar from its least to its most. */

import { esc, rect } from "./svg.js";

const WIDTH = 88;
const STEPS = 22;

/**
 * Return the colours of a key.
 *
 * @param {(share: number) => string} colour - Of a share from 0 to 1.
 * @returns {string[]}
 */
export const rampOf = (colour) => Array.from({ length: STEPS }, (_, i) => colour(i / (STEPS - 1)));

/**
 * Draw the key of a scale.
 *
 * @param {{says?: string, from: string, to: string, colours: string[]}} ramp - What it is of, and
 *   the words at its ends.
 * @returns {string} Markup for the line above a picture.
 */
export function scaleKey({ says = "", from, to, colours }) {
  const wide = WIDTH / colours.length;
  // Each colour reaches under the next, so that no gap is seen between them.
  const steps = colours.map((fill, i) => rect(i * wide, 0, i + 1 < colours.length ? wide + 1 : wide, 8, { fill }));
  const [name, low, high] = [says, from, to].map((it) => (it ? `<span>${esc(it)}</span>` : ""));
  return `<span class="ramp">${name}${low}<svg width="${WIDTH}" height="8" aria-hidden="true">` +
    `${steps.join("")}</svg>${high}</span>`;
}
