/** The board of a study: what is shown of which rows, and what holds it together. */

import { usualGrid } from "../views/heatmap.js";
import { answerTo, inBinsOf } from "./answered.js";
import { firstsOf, head, headOf, markTools, noPart } from "./board-head.js";
import { cardOf } from "./card.js";
import { showDock } from "./dock.js";
import { fill, h } from "./dom.js";
import { showDrawer } from "./drawer.js";
import { notice, say } from "./floating.js";
import { rememberedFocus } from "./focus.js";
import { framed } from "./frame.js";
import { followAddress } from "./history.js";
import { lightsOf } from "./lights.js";
import { addOwnErrors } from "./own-error.js";
import { miniOf, miniSpec } from "./overview.js";
import { knowing } from "./knows.js";
import { presenting } from "./present.js";
import { railOf } from "./rail.js";
import { bareSpec, writtenSpec } from "./state.js";
import { textCard } from "./text-card.js";
import { suggestedOf, suggestionsFor } from "./suggested.js";

/**
 * Put the board of a study on a page.
 * @param {object} source - `facts`, `rows` (or null), `server` (or null): where pictures come from;
 *   and `answers` from the data, if there are any.
 * @returns {object} The board; `again()` shows it, the first time too, once it is listened to.
 */
export function openBoard(host, source, how) {
  const { facts, rows } = source;
  const known = new Map(withoutUnits(facts.columns).map((it) => [it.name, it]));
  const board = {
    ...knowing(source),
    columns: known,
    cards: [],
    minis: [],
    firsts: [], // pictures that are suggested
    draft: [],
    answers: new Map(),
    part: { where: [], assign: [] },
    explained: null,
    refusedPart: null,
    switched: null, // what was just pressed on which card, and keeps the focus once it is drawn again
  };
  let size = rows?.size ?? facts.rows?.rows ?? 0;
  let lit = null;
  let turn = 0;
  board.answerTo = (spec, view) => {
    const { where, assign } = board.state();
    const asks = [...(facts.asks || []), ...assign, ...where.map((text) => ["", text])];
    const usual = { bins: facts.drawn?.bins, grid: usualGrid(size, facts.drawn?.grid), event_is: view?.event_is };
    return answerTo(source.answers || [], spec, asks, usual);
  };
  board.inBins = (spec) => inBinsOf(board.answerTo(spec), spec);
  board.partSize = () => ({ size, total: rows?.size ?? size });
  board.litCards = () => [...board.cards, ...board.minis].filter((it) => it.canLight());
  board.litRows = (found) => {
    lit = found;
    if (board.lights.kept()) showDock(frame.dock, board, lit);
  };
  board.keptChanged = () => {
    lit = board.lights.kept() ? lit : null;
    board.dock();
  };
  board.failed = (error) => notice(error.message);
  board.lights = lightsOf(() => board);
  const rail = railOf(board);
  const frame = framed(host, rail.element, { ...source.says, tools: how.tools });
  Object.assign(board, frame, { rail });
  const history = followAddress((state) => show(state).catch(board.failed), how.takeToken);
  Object.assign(board, history);
  board.dock = () => {
    showDock(frame.dock, board, lit);
    host.querySelector(".opens").hidden = !frame.dock.hidden;
    board.minis.forEach(({ element }) =>
      element.classList.toggle("on", board.draft.includes(element.dataset.column)));
    host.querySelectorAll("[data-act=pick][aria-pressed]").forEach((it) =>
      it.setAttribute("aria-pressed", String(board.draft.includes(it.dataset.column))));
  };
  board.about = (card) => {
    const isThere = frame.drawer.contains(document.activeElement);
    board.explained = card;
    showDrawer(frame.drawer, board, card);
    if (card && isThere) frame.drawer.querySelector(".ib").focus();
  };
  board.isOverview = () => !board.state().cards.length || board.state().show === "overview";
  board.again = () => show(board.state());
  board.pictures = () => [...board.cards, ...board.firsts, ...board.minis];
  board.redraw = () => board.pictures().forEach((it) => it.redraw());

  async function show(state) {
    turn += 1;
    const mine = turn;
    board.lights.clear();
    const giveBack = rememberedFocus(board);
    frame.main.inert = true; // what is still seen there is of the state before
    try {
      await takePart(state, mine);
    } finally {
      if (mine === turn) frame.main.inert = false;
    }
    if (mine !== turn) return;
    rail.show(state);
    layOut(state);
    board.dock();
    markTools(host, board);
    giveBack();
    await (board.isOverview() ? drawMinis(mine) : drawCards(mine));
    if (mine !== turn) return;
    say(headOf(board));
    if (!board.isOverview()) await drawSparks(mine);
    if (mine === turn) await rows?.ready(board.part, board.litCards().map((it) => it.asked?.() ?? it.spec));
  }

  /** Take the rows of a state; an answer that comes after a later state has begun is dropped. */
  async function takePart({ where, assign }, mine) {
    if (!rows) return;
    try {
      const part = { where, assign };
      const found = await rows.part(part);
      if (mine !== turn) return;
      board.refusedPart = null;
      board.part = part;
      size = found.size;
      board.columns = new Map(
        found.columns.map((it) => [it.name, { ...it, ...known.get(it.name), fresh: !known.has(it.name) }]),
      );
    } catch (error) {
      if (!error.where) throw error;
      if (mine === turn) board.refusedPart = { says: error.message, ...error.where };
    }
  }

  function layOut(state) {
    const overview = board.isOverview();
    const abreast = state.abreast || "auto";
    fill(frame.main, head(board, state, overview));
    board.cards = [];
    board.minis = [];
    board.firsts = [];
    if (board.refusedPart) {
      frame.main.append(noPart(board.refusedPart, state));
      return;
    }
    const grid = h("div.grid", { class: overview ? "grid over" : `grid abreast-${abreast}` });
    if (overview && rows) {
      board.firsts = suggestionsFor(board, state).map((it) => suggestedOf(board, it));
      if (board.firsts.length) frame.main.append(firstsOf(board.firsts));
    }
    frame.main.append(grid);
    if (overview) {
      board.minis = smallSpecs(board).map((spec) =>
        miniOf(board, board.columns.get(spec.columns[0]), spec));
      grid.append(...board.minis.map((it) => it.element));
    } else {
      board.cards = state.cards.map((spec) => (spec.kind === "text" ? textCard(spec) : cardOf(board, spec)));
      grid.append(...board.cards.map((it) => it.element));
    }
    if (board.explained) board.about(board.cards.find((it) => same(it.spec, board.explained.spec)) || null);
  }

  /** Answer with the small picture of each column, where there are rows to draw it of. */
  async function smallOnes(specs) {
    return rows ? rows.views(board.part, specs) : specs.map(() => ({ refused: { says: "" } }));
  }

  async function drawMinis(mine) {
    const answers = await smallOnes(board.minis.map((it) => it.spec));
    if (mine !== turn) return;
    board.minis.forEach((mini, i) => mini.show(answers[i]));
    sparks(board.minis.map((it) => it.spec), answers);
    if (!board.firsts.length) return;
    const first = await rows.views(board.part, board.firsts.map((it) => it.spec));
    if (mine === turn) board.firsts.forEach((it, i) => it.show(first[i]));
  }

  async function drawSparks(mine) {
    const specs = smallSpecs(board);
    const answers = await smallOnes(specs);
    if (mine === turn) sparks(specs, answers);
  }

  function sparks(specs, answers) {
    specs.forEach(({ columns: [name] }, i) => rail.small(name, answers[i].view));
  }

  async function drawCards(mine) {
    const wanted = board.cards.filter(({ spec }) => spec.kind !== "text").map((card) => ({ card, ...board.wayOf(card.spec) }));
    wanted.filter((it) => it.way === "server").forEach(({ card }) => fromServer(card, mine).catch(board.failed));
    const copies = wanted.filter((it) => it.way === "rows").map((it) => it.card);
    const found = copies.length && await rows.views(board.part, copies.map((it) => it.asked()));
    if (mine !== turn) return;
    copies.forEach((card, i) => answered(card, found[i]));
    if (board.isServed && facts.rows?.way === "browser") addOwnErrors(board, copies, answered, () => mine === turn);
  }

  /** Show a card's answer, beside it, too, where it is explained. */
  function answered(card, answer) {
    card.show(answer);
    if (answer.view && board.switched?.card === board.cards.indexOf(card)) {
      card.element.querySelector(board.switched.find)?.focus({ preventScroll: true });
      board.switched = null;
    }
    if (board.explained === card) board.about(card);
  }

  const keyOf = (spec) => JSON.stringify([writtenSpec(bareSpec(spec)), board.part]);
  /** Ask the server for a picture, unless what it answered is known. */
  board.ask = async (spec) => {
    const key = keyOf(spec);
    const answer = board.answers.get(key) || await source.server.answer(spec, board.state());
    if (answer.view || answer.refused?.lasts) board.answers.set(key, answer);
    return answer;
  };

  async function fromServer(card, mine) {
    if (!board.answers.has(keyOf(card.spec))) answered(card, { busy: "Drawing…" });
    const answer = await board.ask(card.spec);
    if (mine === turn) answered(card, answer);
  }

  board.present = presenting(board);
  watchSize(frame.main, board);
  return board;
}

/** Units stand beside labels, unless two columns would be alike without theirs. */
function withoutUnits(columns) {
  const bare = columns.map(bareOf);
  return columns.map((it, i) => {
    const isAlone = bare.indexOf(bare[i]) === bare.lastIndexOf(bare[i]);
    return isAlone ? { ...it, label: bare[i] } : { ...it, label: it.label || it.name, unit: null };
  });
}

function bareOf({ name, label, unit }) {
  const full = label || name;
  const at = unit ? full.search(/\s*[([\uff08\uff3b][^([\uff08\uff3b]*$/u) : -1;
  return at > 0 && full.slice(at).includes(unit) ? full.slice(0, at) : full;
}

const smallSpecs = (board) => [...board.columns.values()].map(miniSpec);
const same = (a, b) => writtenSpec(a) === writtenSpec(b);

/** Draw again what has another size than it was drawn in. */
function watchSize(main, board) {
  let waiting = 0;
  new ResizeObserver(() => {
    cancelAnimationFrame(waiting);
    waiting = requestAnimationFrame(() =>
      board.pictures().forEach((it) => it.resized()));
  }).observe(main);
}
