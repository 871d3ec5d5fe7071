/** A small drawing for each kind of plot. */

import { ICONS } from "./page-plots.js"; // written by the server, of what each plot says of itself

const SVG = "http://www.w3.org/2000/svg";
const LOOK = 'fill="none" stroke="currentColor" stroke-width="1.4" stroke-linecap="round"';
const TABLE = `<path d="M4 5h26M4 11h26M4 17h26M4 23h26M14 5v18" ${LOOK}/>`;

/**
 * Return the drawing of a kind of plot; of any other kind, that of a table.
 *
 * @param {string} kind - The kind.
 * @returns {SVGElement}
 */
export function icon(kind) {
  const look = 'viewBox="0 0 34 28" class="icon" aria-hidden="true" focusable="false"';
  const text = `<svg xmlns="${SVG}" ${look}>${ICONS[kind] || TABLE}</svg>`;
  const found = new DOMParser().parseFromString(text, "image/svg+xml").documentElement;
  return document.importNode(found, true);
}
