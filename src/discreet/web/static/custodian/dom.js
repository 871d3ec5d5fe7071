/** Elements made of texts and nothing else: whatever is data reaches the page as text. */

import { filled, h } from "../app/dom.js";

const SVG = "http://www.w3.org/2000/svg";

export const make = h;

/** Make an element of a drawing. */
export function makeSvg(tag, given = {}, ...children) {
  return filled(document.createElementNS(SVG, tag), given, children);
}

/** Find an element of the page that must be there. */
export function byId(id) {
  const found = document.getElementById(id);
  if (!found) throw new Error(`the page has no #${id}`);
  return found;
}
