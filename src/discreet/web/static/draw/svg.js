/** Pieces of SVG as text. All that comes from data goes through `esc`. */

const HATCH = 4; // pixels
const SIGNS = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#39;" };

/** @param {*} text - Anything. @returns {string} It as text within markup or an attribute. */
export const esc = (text) => String(text).replace(/[&<>"']/g, (sign) => SIGNS[sign]);

/** @param {number} value - A coordinate. @returns {number} It to a tenth of a pixel. */
export const px = (value) => Math.round(value * 10) / 10;

/** Attributes by their names; those that are undefined are left out. */
function attributes(given) {
  return Object.entries(given)
    .filter(([, value]) => value !== undefined && value !== null && value !== "")
    .map(([name, value]) => ` ${name}="${typeof value === "number" ? px(value) : esc(value)}"`)
    .join("");
}

/**
 * @param {object} [more] - Such as {class: "bar", "data-m": 3}.
 */
export const rect = (x, y, width, height, more = {}) =>
  `<rect${attributes({ x, y, width: Math.max(0, width), height: Math.max(0, height), ...more })}/>`;

/** @returns {string} The sign of a bar that is hidden, as wide as it would be. */
export function hatched(x, y, width, more) {
  const steps = Array.from({ length: Math.max(1, Math.floor(width / HATCH)) }, (_, i) => x + i * HATCH);
  const lines = steps.map((at) => `M${px(at)} ${px(y + HATCH)}l${HATCH} -${HATCH}`).join("");
  return rect(x, y, width, HATCH, { class: "hidden", ...more }) + path(lines, { class: "hidden on" });
}

/** @returns {string} A line from one point to another. */
export const line = (x1, y1, x2, y2, name, more = {}) =>
  `<line${attributes({ x1, y1, x2, y2, class: name, ...more })}/>`;

/** @returns {string} A path. */
export const path = (d, more = {}) => `<path${attributes({ d, ...more })}/>`;

/** @returns {string} A circle. */
export const circle = (cx, cy, r, more = {}) => `<circle${attributes({ cx, cy, r, ...more })}/>`;

/**  */
export const text = (x, y, words, anchor = "start", name = "", more = {}) =>
  `<text${attributes({ x, y, "text-anchor": anchor, class: name, ...more })}>${esc(words)}</text>`;

/** What a name carries that keeps only the rows of some conditions when it is pressed. */
export const keptBy = (light) => (light ? { "data-k": JSON.stringify(light) } : {});

/** @returns {string} What is drawn, moved. */
export const moved = (x, y, drawn) => `<g transform="translate(${px(x)} ${px(y)})">${drawn}</g>`;

/**  */
export function clip(words, room) {
  const letters = [...words];
  let width = 0;
  for (let i = 0; i < letters.length; i += 1) {
    width += widthOf(letters[i]);
    if (width > room) return `${letters.slice(0, Math.max(1, i - 1)).join("")}…`;
  }
  return words;
}

/** @param {string} words - A name. @returns {number} About how wide it is at 11 px. */
export const wide = (words) => [...words].reduce((sum, letter) => sum + widthOf(letter), 0);

/** Letters of East Asia and emoji take a whole em. */
const widthOf = (letter) => (letter.codePointAt(0) > 0x2e7f ? 11.5 : 6);
