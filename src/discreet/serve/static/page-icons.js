/** A small drawing for each kind of plot. */

import { ICONS } from "./page-plots.js"; // written by the server, of what each plot says of itself

const SVG = "http://www.w3.org/2000/svg";

/**
 * Return the drawing of a kind of plot; of an unknown one, an empty one.
 *
 * @param {string} kind - The kind.
 * @returns {SVGElement}
 */
export function icon(kind) {
  const look = 'viewBox="0 0 34 28" class="icon" aria-hidden="true" focusable="false"';
  const text = `<svg xmlns="${SVG}" ${look}>${ICONS[kind] || ""}</svg>`;
  const found = new DOMParser().parseFromString(text, "image/svg+xml").documentElement;
  return document.importNode(found, true);
}
