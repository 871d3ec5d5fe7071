/** A table of a page as marks of an SVG, so that any program shows it as the page does. */

const LINE = 3; // pixels: words this near in height stand on one line

/**
 * Draw what is in an element, cell by cell and line by line, where it stands.
 *
 * @param {HTMLElement} host - Laid out; its upper left corner is the drawing's.
 * @returns {string} SVG.
 */
export function htmlAsSvg(host) {
  const { left, top } = host.getBoundingClientRect();
  const drawn = [];
  for (const cell of host.querySelectorAll("td, th")) {
    const box = cell.getBoundingClientRect();
    const ground = opaque(getComputedStyle(cell).backgroundColor);
    if (!ground) continue;
    drawn.push(`<rect x="${box.left - left}" y="${box.top - top}" width="${box.width}" height="${box.height}" rx="4" fill="${ground}"/>`);
  }
  const texts = document.createTreeWalker(host, NodeFilter.SHOW_TEXT);
  while (texts.nextNode()) drawn.push(...linesOf(texts.currentNode, left, top));
  return drawn.join("");
}

/** The lines that a text is broken into, each where it stands. */
function linesOf(node, left, top) {
  const of = node.parentElement;
  if (of.closest(".unseen")) return [];
  const lines = [];
  for (const { 0: word, index } of node.data.matchAll(/\S+/g)) {
    const range = document.createRange();
    range.setStart(node, index);
    range.setEnd(node, index + word.length);
    const [box] = range.getClientRects();
    if (!box?.width) continue;
    const last = lines.at(-1);
    if (last && Math.abs(last.box.top - box.top) < LINE) last.words.push(word);
    else lines.push({ box, words: [word] });
  }
  const style = getComputedStyle(of);
  const size = parseFloat(style.fontSize);
  const look = `font-size="${size}" font-weight="${style.fontWeight}" fill="${opaque(style.color)}"`;
  return lines.map(({ box, words }) =>
    `<text x="${box.left - left}" y="${box.top - top + box.height / 2 + 0.36 * size}" ${look}>${escaped(words.join(" "))}</text>`);
}

/** A colour as every program reads it; nothing where none is seen. */
function opaque(colour) {
  const context = document.createElement("canvas").getContext("2d");
  context.fillStyle = colour;
  context.fillRect(0, 0, 1, 1);
  const [red, green, blue, seen] = context.getImageData(0, 0, 1, 1).data;
  return seen ? `rgb(${red},${green},${blue})` : "";
}

/** @param {string} text - Anything. @returns {string} It as text of an SVG. */
export const escaped = (text) => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
