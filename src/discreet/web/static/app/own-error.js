/** How far the copy is off, of a picture that the page drew of its rows: the server has copies of the copy. */

import { bodyOf, TABLES } from "./on-server.js";
import { ask } from "./server.js";
import { writtenSpec } from "./state.js";

/** Pictures that have intervals, by where these are. */
const WITH_INTERVALS = { survival: "curves", over_time: "series" };

/** Say how far cards are off, one after the other, as long as `isNow`; without an answer they stay as they are. */
export async function addOwnErrors(board, cards, show, isNow) {
  for (const card of cards) {
    const [answer, part] = [card.answer(), board.part];
    if (!isNow()) return;
    if (!answer?.view || card.spec.answer) continue;
    const key = JSON.stringify(["own error", writtenSpec(card.spec), part]);
    const found = board.answers.get(key) || (await withOwnError(card.spec, part, answer).catch(() => null));
    if (found) board.answers.set(key, found);
    if (found && isNow() && board.cards.includes(card)) show(card, found);
  }
}

/**
 * Return an answer with what Python says of the same picture, and with its intervals: those that
 * hold the copy's own error. It is `alike` where every mark is as it was.
 */
async function withOwnError(spec, part, answer) {
  const isTable = TABLES.includes(spec.kind);
  const body = { ...bodyOf(spec, part), ...(spec.kind === "bars" && spec.percent && { percent: true }) };
  const { view, table } = await ask(`/api/${isTable ? "tables" : "copy"}/${spec.kind}`, body);
  if (isTable) return { ...answer, view: { kind: spec.kind, ...table } };
  return { ...answer, view: merged(answer.view, view), alike: !(spec.kind in WITH_INTERVALS) };
}

/** A picture as it is, with the remarks and the intervals of another of the same rows. */
function merged(own, other) {
  const remarks = other.origin?.remarks || [];
  const found = { ...own, origin: { ...own.origin, remarks } };
  if (own.views) return { ...found, views: own.views.map((it, i) => it && other.views?.[i] ? merged(it, other.views[i]) : it) };
  const name = WITH_INTERVALS[own.kind];
  const alike = name && own[name].length === other[name]?.length;
  return alike ? { ...found, [name]: own[name].map((it, i) => ({ ...it, low: other[name][i].low, high: other[name][i].high })) } : found;
}
