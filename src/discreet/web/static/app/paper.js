/** Pictures on white paper, as any program shows them: an SVG without a style sheet, or a PNG. */

import { colours, drawPicture } from "../draw/picture.js";
import { esc } from "../draw/svg.js";
import { unreliableIn } from "../draw/unreliable.js";
import { h } from "./dom.js";
import { keysOf } from "./legend.js";
import { seenIn } from "./seen.js";

const SCALE = 2;
const EDGE = 32; // pixels of white, to the left and the right together
/** Fonts for letters of all scripts, where a reader has them. */
const FONTS = '"DejaVu Sans", "Noto Sans", "Noto Sans CJK SC", "Noto Sans Arabic", "Noto Color Emoji", "Apple Color Emoji", "Segoe UI Emoji", sans-serif';

/**
 * Draw a picture anew, light, with what stands around it: its title, its keys, and a sentence.
 * @param {HTMLElement} pic - Where it stands on the page.
 * @param {{width: number, height: number}} box - How large it is drawn there.
 * @param {object} look - As `lookOf` returns it, of light colours.
 * @param {object} words - `title` and `says`; `by`, what its levels are of; `source`, where it is
 *   from; and `about`, what stands in the file and is not seen.
 * @returns {{text: string, width: number, height: number}} An SVG.
 */
export function onPaper(pic, box, kind, view, look, { title, says, by, source, about }) {
  const warning = unreliableIn(view);
  const [keys, host] = [h("div.ctl"), h("div", { class: pic.className })];
  const lines = [says, source].filter(Boolean);
  const paper = h("div.paper", {}, title && h("h2", {}, title), warning.says && h("p.unreliable", {}, warning.says), keys, host, lines.map((it) => h("p.foot", {}, it)));
  paper.style.setProperty("width", `${box.width + EDGE}px`);
  host.style.setProperty("height", `${box.height}px`);
  pic.parentNode.append(paper);
  try {
    const drawn = drawPicture(host, kind, view, look);
    // What is scrolled on the page stands in full on paper.
    host.classList.toggle("whole", Boolean(drawn.html));
    if (drawn.vector) host.querySelector("canvas").outerHTML = `<svg>${drawn.vector(colours(host))}</svg>`;
    keys.append(...keysOf(drawn.keys || [], by));
    keys.hidden = !keys.childNodes.length;
    const wide = Math.max(0, ...[...host.querySelectorAll("table")].map((it) => it.offsetWidth));
    paper.style.setProperty("width", `${Math.max(box.width, wide) + EDGE}px`);
    const { offsetWidth: width, offsetHeight: height } = paper;
    const fonts = getComputedStyle(paper).fontFamily.replace(/,? *sans-serif$/, "");
    const text = [
      `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" font-family="${esc(`${fonts}, ${FONTS}`)}" font-size="11" role="img" aria-labelledby="title desc">`,
      `<title id="title">${esc(title)}</title><desc id="desc">${esc(lines.join(" · "))}</desc>`,
      about ? `<metadata id="about">${esc(JSON.stringify(about))}</metadata>` : "",
      `<rect width="${width}" height="${height}" fill="#ffffff"/>`,
      seenIn(paper),
      "</svg>\n",
    ].join("");
    return { text, width, height, fonts };
  } finally {
    paper.remove();
  }
}

/**
 * @param {{text: string, width: number, height: number}} svg - As `onPaper` returns it.
 * @param {object} [about] - What stands in the file and is not seen.
 */
export async function asPng({ text, width, height }, about) {
  const image = new Image();
  image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(text)}`;
  await image.decode();
  const canvas = h("canvas", { width: width * SCALE, height: height * SCALE });
  canvas.getContext("2d").drawImage(image, 0, 0, width * SCALE, height * SCALE);
  const png = await new Promise((done) => canvas.toBlob(done, "image/png"));
  return about ? new Blob([png.slice(0, AFTER_HEAD), chunkOf(about), png.slice(AFTER_HEAD)], { type: png.type }) : png;
}

const AFTER_HEAD = 33;

/** Words as a part of a PNG, with their checksum. */
function chunkOf(about) {
  const body = new TextEncoder().encode(`iTXtabout\0\0\0\0\0${JSON.stringify(about)}`);
  const chunk = new DataView(new ArrayBuffer(body.length + 8));
  chunk.setUint32(0, body.length - 4);
  new Uint8Array(chunk.buffer).set(body, 4);
  let sum = -1;
  for (const byte of body) {
    sum ^= byte;
    for (let bit = 0; bit < 8; bit += 1) sum = sum & 1 ? (sum >>> 1) ^ 0xedb88320 : sum >>> 1;
  }
  chunk.setUint32(body.length + 4, ~sum);
  return chunk;
}

/** @returns {string[]} The letters of a picture that no font of this browser has. */
export function missingIn({ text, fonts }) {
  const context = h("canvas", { width: 24, height: 24 }).getContext("2d", { willReadFrequently: true });
  const pixels = (letter) => {
    context.clearRect(0, 0, 24, 24);
    context.font = `16px ${fonts}, ${FONTS}`;
    context.fillText(letter, 2, 18);
    return context.getImageData(0, 0, 24, 24).data.join();
  };
  const box = pixels("\u{fffff}");
  const words = new DOMParser().parseFromString(text, "image/svg+xml").documentElement.textContent;
  return [...new Set(words)].filter((it) => /[\p{L}\p{So}]/u.test(it) && it > "\u024f" && pixels(it) === box);
}
