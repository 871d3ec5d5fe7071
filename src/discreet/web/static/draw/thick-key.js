/** The key of a scale of thickness: some lines, and how many rows each stands for. */

import { whole } from "./look.js";
import { rect } from "./svg.js";

/**
 * Draw the key of a scale.
 *
 * @param {{count: number, px: number}[]} thick - Some counts, and how thick each is.
 * @returns {string} Markup for the line above a picture.
 */
export function thickKey(thick) {
  const each = thick.map(({ count, px }) => {
    const bar = rect(0, 7 - Math.max(1, px) / 2, 20, Math.max(1, px), { fill: "var(--ink3)" });
    return `<svg width="20" height="14" aria-hidden="true">${bar}</svg><span>${whole(count)}</span>`;
  });
  return thick.length ? `<span class="ramp">${each.join("")} rows</span>` : "";
}
