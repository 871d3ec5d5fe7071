/** Saves a card as it stands: drawn by the page, and on a server recorded and sealed there. */

import { kindFor } from "../kinds/index.js";
import { esc } from "../draw/svg.js";
import { handOver } from "./dom.js";
import { DRAWN } from "./on-server.js";
import { asPng, missingIn, onPaper } from "./paper.js";
import { sentenceOf, writtenName } from "./words.js";

const DIGITS = 8; // of a digest, in the line of a file's source

/**
 * Save a card as a file.
 * @returns {Promise<string>} What is to be said of it beside that it is saved: letters without a font.
 */
export async function save(board, card, form) {
  const name = `${writtenName(card.title)}.${form.toLowerCase()}`;
  if (!board.isServed) {
    const { blob, missing = [] } = await OF_PAGE[form](board, card, await aboutOf(board, card));
    handOver(blob, name);
    return boxes(missing.join(" "));
  }
  const id = await board.server.idOf(card.spec, board.state());
  if (!DRAWN.includes(form)) {
    handOver(await board.server.file(card.spec, id, form), name);
    return "";
  }
  const { drawing, missing } = await drawingOf(board, card, form, id);
  const sealed = await board.server.sealed(card.spec, id, form, drawing);
  handOver(sealed.blob, name);
  return boxes(form === "PDF" ? sealed.missing : missing.join(" "));
}

/**
 * Return the drawing of a card as a server takes it: the text of an SVG, or a PNG's bytes as text.
 * @param {string} id - By which the server knows what is drawn.
 */
export async function drawingOf(board, card, form, id) {
  const svg = svgOf(board, card, id);
  if (form !== "PNG") return { drawing: svg.text, missing: [] };
  const bytes = new Uint8Array(await (await asPng(svg)).arrayBuffer());
  return { drawing: btoa(Array.from(bytes, (it) => String.fromCharCode(it)).join("")), missing: missingIn(svg) };
}

const boxes = (missing) => (missing ? ` No font has ${missing}: boxes stand there.` : "");

function svgOf(board, card, digest, about) {
  const { spec, title, pic } = card;
  const answer = card.answer();
  const look = card.look({ dark: false });
  const { study, version } = board.says;
  const by = spec.kind === "parallel" ? spec.colour : spec.by?.[0];
  return onPaper(pic, card.drawn().box, kindFor(spec), answer.view, look, {
    title,
    says: sentenceOf(answer, board.partSize(), board.facts.policy),
    by: by && look.label(by),
    source: [study, version, digest && `view ${digest.slice(0, DIGITS)}`].filter(Boolean).join(" · "),
    about,
  });
}

/** The files that a page makes by itself, which no server has sealed. */
const OF_PAGE = {
  async SVG(board, card, about) {
    return { blob: new Blob([svgOf(board, card, about.digest, about).text], { type: "image/svg+xml" }) };
  },
  async PNG(board, card, about) {
    const svg = svgOf(board, card, about.digest);
    return { blob: await asPng(svg, about), missing: missingIn(svg) };
  },
  async HTML(board, card, about) {
    const { text } = svgOf(board, card, about.digest, about);
    const numbers = JSON.stringify(numbersOf(card, about)).replace(/</g, "\\u003c");
    const only = "default-src 'none'; img-src data:";
    const page = `<!doctype html>\n<html lang="en"><head><meta charset="utf-8"><meta http-equiv="Content-Security-Policy" content="${only}"><title>${esc(card.title)}</title></head>\n<body>${text}<script type="application/json" id="view">${numbers}<\/script></body></html>\n`;
    return { blob: new Blob([page], { type: "text/html" }) };
  },
  async JSON(board, card, about) {
    return { blob: new Blob([JSON.stringify(numbersOf(card, about), null, 1)], { type: "application/json" }) };
  },
};
export const FORMS_OF_PAGE = Object.keys(OF_PAGE);

const numbersOf = (card, about) => ({ ...about, view: card.answer().view, answer: card.look().answer ?? undefined });

/** What a file says of itself: what was drawn, from what, and under which rules. */
async function aboutOf(board, card) {
  const { policy } = board.facts;
  const { study, version } = board.says;
  const { view } = card.answer();
  const bytes = new TextEncoder().encode(JSON.stringify(view));
  const sum = await crypto.subtle?.digest("SHA-256", bytes);
  const digest = sum && Array.from(new Uint8Array(sum), (it) => it.toString(16).padStart(2, "0")).join("");
  const { title, spec } = card;
  const says = sentenceOf(card.answer(), board.partSize(), policy);
  return { study, version, digest, title, says, spec, ...board.part, k: policy.k, m: policy.m, method: view.method ?? board.facts.copy?.name };
}
