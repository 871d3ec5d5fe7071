/** Saves a picture as a file: one that the server makes, or what is seen, on white paper. */

import { kindFor } from "../kinds/index.js";
import { handOver } from "./dom.js";
import { asPng, onPaper } from "./paper.js";
import { sentenceOf, writtenName } from "./words.js";

/**
 * Save the picture of a card as the server draws it, which says in the file where it comes from.
 * @param {object} board - What it stands on; where no server is, what is seen is saved.
 */
export async function save(board, card, form) {
  if (!board.isServed) {
    await saveAsSeen(board, card, form);
    return;
  }
  handOver(await board.server.file(card.spec, board.state(), form), nameOf(card, form));
}

/** Save what is seen of a card, drawn by the page: the file does not say where it comes from. */
export async function saveAsSeen(board, card, form) {
  const { spec, title } = card;
  const name = nameOf(card, form);
  const answer = card.answer();
  const says = sentenceOf(answer, board.partSize(), board.facts.policy);
  if (form === "JSON") {
    const all = { title, says, spec, ...board.part, view: answer.view, answer: card.look().answer ?? undefined };
    handOver(new Blob([JSON.stringify(all, null, 1)], { type: "application/json" }), name);
    return;
  }
  const svg = onPaper(card.pic, kindFor(spec), answer.view, card.look({ dark: false }), { title, says });
  handOver(form === "SVG" ? new Blob([svg.text], { type: "image/svg+xml" }) : await asPng(svg), name);
}

const nameOf = ({ title }, form) => `${writtenName(title)}.${form.toLowerCase()}`;
