/** Pictures on white paper, as any program shows them: an SVG without a style sheet, or a PNG. */

import { colours, drawPicture } from "../draw/picture.js";
import { esc } from "../draw/svg.js";
import { h } from "./dom.js";

const LINE = 3; // pixels: words this near in height stand on one line
const SCALE = 2;
const SHOWN = ["fill", "fill-opacity", "stroke", "stroke-width", "stroke-opacity", "stroke-dasharray", "opacity", "font-size", "font-weight", "font-family", "text-anchor", "paint-order", "stroke-linejoin"];

/**
 * Draw a picture anew, light, with its title above and a sentence below.
 * @param {HTMLElement} pic - Where it is drawn: it is as large on paper.
 * @param {object} look - As `lookOf` returns it, of light colours.
 * @returns {{text: string, width: number, height: number}} An SVG.
 */
export function onPaper(pic, kind, view, look, { title, says }) {
  const host = h("div.pic.paper");
  host.style.setProperty("width", `${pic.clientWidth}px`);
  host.style.setProperty("height", `${pic.clientHeight}px`);
  pic.parentNode.append(host);
  try {
    const drawn = drawPicture(host, kind, view, look);
    // What is scrolled on the page stands in full on paper.
    host.classList.toggle("whole", Boolean(drawn.html));
    const width = Math.max(host.clientWidth, host.querySelector("table")?.offsetWidth || 0);
    const height = drawn.html ? host.clientHeight : drawn.box.height;
    const painted = paintedOf(drawn, host, width, height);
    const keys = (drawn.keys || []).filter((it) => it.name);
    const top = keys.length ? 62 : 40;
    const whole = { width: width + 32, height: height + top + 36 };
    const text = [
      `<svg xmlns="http://www.w3.org/2000/svg" width="${whole.width}" height="${whole.height}" viewBox="0 0 ${whole.width} ${whole.height}" font-family="sans-serif">`,
      `<rect width="100%" height="100%" fill="#ffffff"/>`,
      line(16, 26, 15, "#1a1d21", title, "600"),
      keyLine(keys, host),
      `<g transform="translate(16 ${top})">`,
      painted,
      drawn.html ? htmlAsSvg(host) : plainSvg(host.querySelector("svg")),
      "</g>",
      line(16, whole.height - 14, 11, "#626a74", says, "400"),
      "</svg>",
    ].join("");
    return { text, ...whole };
  } finally {
    host.remove();
  }
}

/**
 * @param {{text: string, width: number, height: number}} svg - As `onPaper` returns it.
 */
export async function asPng({ text, width, height }) {
  const image = new Image();
  image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(text)}`;
  await image.decode();
  const canvas = h("canvas", { width: width * SCALE, height: height * SCALE });
  const context = canvas.getContext("2d");
  context.scale(SCALE, SCALE);
  context.drawImage(image, 0, 0, width, height);
  return new Promise((done) => canvas.toBlob(done, "image/png"));
}

const line = (x, y, size, colour, text, weight) =>
  `<text x="${x}" y="${y}" font-size="${size}" font-weight="${weight}" fill="${colour}">${esc(text)}</text>`;

/** What the page paints on a canvas: as marks, or of very many as one image. */
function paintedOf(drawn, host, width, height) {
  if (!drawn.paint) return "";
  if (drawn.vector) return drawn.vector(colours(host));
  return `<image href="${host.querySelector("canvas").toDataURL("image/png")}" width="${width}" height="${height}"/>`;
}

function keyLine(keys, host) {
  let x = 16;
  return keys
    .map(({ name, colour }) => {
      const at = x;
      x += 26 + 7 * [...name].length;
      return `<rect x="${at}" y="38" width="10" height="10" rx="2" fill="${resolved(colour, host)}"/>${line(at + 16, 47, 12, "#454c55", name, "400")}`;
    })
    .join("");
}

function resolved(colour, host) {
  const probe = host.appendChild(h("i"));
  probe.style.setProperty("color", colour);
  const found = getComputedStyle(probe).color;
  probe.remove();
  return found;
}

/** The drawing with its style written into each mark, as a file has no style sheet. */
function plainSvg(svg) {
  for (const it of svg.querySelectorAll("*")) {
    const style = getComputedStyle(it);
    SHOWN.forEach((name) => {
      const value = style.getPropertyValue(name);
      if (value) it.setAttribute(name, value);
    });
    it.removeAttribute("class");
    it.removeAttribute("data-m");
  }
  // As XML: `innerHTML` writes a no-break space by a name that a file does not know.
  return [...svg.childNodes].map((it) => new XMLSerializer().serializeToString(it)).join("");
}

/** A table as marks: its cells and its lines, each where it stands. */
function htmlAsSvg(host) {
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
    `<text x="${box.left - left}" y="${box.top - top + box.height / 2 + 0.36 * size}" ${look}>${esc(words.join(" "))}</text>`);
}

/** A colour as every program reads it; nothing where none is seen. */
function opaque(colour) {
  const context = document.createElement("canvas").getContext("2d");
  context.fillStyle = colour;
  context.fillRect(0, 0, 1, 1);
  const [red, green, blue, seen] = context.getImageData(0, 0, 1, 1).data;
  return seen ? `rgb(${red},${green},${blue})` : "";
}
