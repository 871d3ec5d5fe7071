/** Saves a picture as a file: one that the server makes, or what is seen, on white paper. */

import { kindFor } from "../kinds/index.js";
import { drawPicture } from "../draw/picture.js";
import { handOver, h } from "./dom.js";
import { escaped, htmlAsSvg } from "./paper.js";
import { sentenceOf, writtenName } from "./words.js";

const SCALE = 2;
const SHOWN = ["fill", "fill-opacity", "stroke", "stroke-width", "stroke-opacity", "stroke-dasharray", "opacity", "font-size", "font-weight", "font-family", "text-anchor", "paint-order", "stroke-linejoin"];

/**
 * Save the picture of a card as the server draws it, which says in the file where it comes from.
 *
 * @param {object} board - What it stands on; where no server is, what is seen is saved.
 * @param {object} card - With its answer.
 * @param {string} form - One of `board.formsOf(card)`.
 * @returns {Promise<void>}
 */
export async function save(board, card, form) {
  if (!board.isServed) {
    await saveAsSeen(board, card, form);
    return;
  }
  handOver(await board.server.file(card.spec, board.state(), form), nameOf(card, form));
}

/**
 * Save what is seen of a card, drawn by the page: the file does not say where it comes from.
 *
 * @param {object} board - What it stands on.
 * @param {object} card - With its answer.
 * @param {string} form - "PNG", "SVG" or "JSON".
 * @returns {Promise<void>}
 */
export async function saveAsSeen(board, card, form) {
  const { spec, title } = card;
  const name = nameOf(card, form);
  const answer = card.answer();
  if (form === "JSON") {
    const says = { title, says: sentenceOf(answer, board.partSize(), board.facts.policy), spec, ...board.part, view: answer.view };
    handOver(new Blob([JSON.stringify(says, null, 1)], { type: "application/json" }), name);
    return;
  }
  const svg = onPaper(board, card);
  if (form === "SVG") handOver(new Blob([svg.text], { type: "image/svg+xml" }), name);
  else handOver(await asPng(svg), name);
}

const nameOf = ({ title }, form) => `${writtenName(title)}.${form.toLowerCase()}`;

/** Draw a picture anew, light and with its title and its sentence, as one SVG. */
function onPaper(board, card) {
  const { spec, title, pic } = card;
  const answer = card.answer();
  const host = h("div.pic.paper");
  host.style.setProperty("width", `${pic.clientWidth}px`);
  host.style.setProperty("height", `${pic.clientHeight}px`);
  document.body.append(host);
  try {
    const drawn = drawPicture(host, kindFor(spec), answer.view, card.look({ dark: false }));
    // What is scrolled on the page stands in full on paper.
    host.classList.toggle("whole", Boolean(drawn.html));
    const width = Math.max(host.clientWidth, host.querySelector("table")?.offsetWidth || 0);
    const height = drawn.html ? host.clientHeight : drawn.box.height;
    const says = sentenceOf(answer, board.partSize(), board.facts.policy);
    const inner = drawn.html ? htmlAsSvg(host) : plainSvg(host);
    const image = pic.querySelector("canvas") && host.querySelector("canvas").toDataURL("image/png");
    const keys = (drawn.keys || []).filter((it) => it.name);
    const top = keys.length ? 62 : 40;
    const whole = { width: width + 32, height: height + top + 36 };
    const text = [
      `<svg xmlns="http://www.w3.org/2000/svg" width="${whole.width}" height="${whole.height}" viewBox="0 0 ${whole.width} ${whole.height}" font-family="sans-serif">`,
      `<rect width="100%" height="100%" fill="#ffffff"/>`,
      words(16, 26, 15, "#1a1d21", title, "600"),
      keyLine(keys, host),
      `<g transform="translate(16 ${top})">`,
      image ? `<image href="${image}" width="${width}" height="${height}"/>` : "",
      inner,
      "</g>",
      words(16, whole.height - 14, 11, "#626a74", says, "400"),
      "</svg>",
    ].join("");
    return { text, ...whole };
  } finally {
    host.remove();
  }
}

const words = (x, y, size, colour, text, weight) =>
  `<text x="${x}" y="${y}" font-size="${size}" font-weight="${weight}" fill="${colour}">${escaped(text)}</text>`;

function keyLine(keys, host) {
  let x = 16;
  return keys
    .map(({ name, colour }) => {
      const at = x;
      x += 26 + 7 * [...name].length;
      return `<rect x="${at}" y="38" width="10" height="10" rx="2" fill="${resolved(colour, host)}"/>${words(at + 16, 47, 12, "#454c55", name, "400")}`;
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
function plainSvg(host) {
  const svg = host.querySelector("svg");
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

async function asPng({ text, width, height }) {
  const image = new Image();
  image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(text)}`;
  await image.decode();
  const canvas = h("canvas", { width: width * SCALE, height: height * SCALE });
  const context = canvas.getContext("2d");
  context.scale(SCALE, SCALE);
  context.drawImage(image, 0, 0, width, height);
  return new Promise((done) => canvas.toBlob(done, "image/png"));
}
