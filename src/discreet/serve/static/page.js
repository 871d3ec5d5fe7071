/** The analyst's page: the study told, the form, the figure, and what was drawn before. */

import { ask, takeTokenFromAddress } from "./page-api.js";
import { byId, listed, settled } from "./page-dom.js";
import { letMove, redraw, showFigure } from "./page-figure.js";
import { buildForm } from "./page-form.js";
import { keepHistory } from "./page-history.js";
import { followsHeight, hasAxes, isTable, methodOf, pictureOf } from "./page-picture.js";
import { themeButton } from "./page-theme.js";
import { offerToken, withToken } from "./page-token.js";
import { showProblem, whileWaiting } from "./page-wait.js";
import { bodyOf, moved, wishOf } from "./page-wish.js";

const PIXEL_STEP = 50;
const MOST_PIXELS = 500;
const AROUND_FIGURE = 330; // what of the window stands above and below a figure
const WAIT = 400;

let study = null;
let form = null;
let running = null;
let last = null; // the kind and body that are drawn, or being drawn
const history = keepHistory(goBack);

start();

async function start() {
  takeTokenFromAddress();
  themeButton(byId("theme"), redraw);
  byId("change-token").addEventListener("click", async () => {
    if (await offerToken("Another token takes the place of this one.")) window.location.reload();
  });
  try {
    study = await whileWaiting(withToken(() => ask("/api/study")), "Opening the study …");
  } catch (error) {
    showProblem(error);
    return;
  }
  tellStudy();
  form = buildForm(study, { draw: () => drawn(form.wish()), pixels: pixelsNow });
  byId("work").hidden = false;
  window.addEventListener("resize", settled(followHeight, WAIT));
}

function tellStudy() {
  const { policy, allowance, caller, version } = study;
  const left = Math.max(0, allowance.views - allowance.used);
  document.title = `${study.study} · discreet`;
  byId("study-name").textContent = study.study;
  byId("study-version").textContent = `version ${version}`;
  byId("policy-name").textContent = policy.public ? `${policy.name}, public data` : policy.name;
  byId("policy-k").textContent = `at least ${policy.k} persons behind everything drawn`;
  if (policy.regime !== "guarded") byId("policy-k").textContent = "methods as published";
  byId("policy").classList.toggle("open", policy.regime !== "guarded");
  const further = Boolean(allowance.counts);
  const what = allowance.counts || "views";
  byId("left").textContent = `${left} of ${allowance.views} ${what} left`;
  const meter = byId("left-meter");
  meter.max = allowance.views;
  meter.value = left;
  meter.low = allowance.views / 10;
  byId("caller").textContent = caller.name;
  byId("custodian-link").hidden = caller.role !== "custodian";
  byId("draw-hint").textContent = left
    ? `${further ? "Plots of the copy and base counts are free. Further counts" : "A plot"} that you have ` +
      `not asked for before ${further ? "count as one each" : "counts as one view"}, also if held back.`
    : `No new ${what} are left; those drawn before can be drawn again${further ? ", and the copy" : ""}.`;
}

/** Draw what the form holds, and take the place of a request that is still running. */
async function drawn(wish) {
  const body = bodyOf(study, wish, pixelsNow());
  const before = last;
  last = { kind: wish.kind, body };
  if (running) running.abort();
  const mine = new AbortController();
  running = mine;
  byId("figure").setAttribute("aria-busy", "true");
  const path = `/api/${isTable(pictureOf(study, wish.kind)) ? "tables" : "views"}/${wish.kind}`;
  try {
    const asked = withToken(() => ask(path, { body, signal: mine.signal }));
    const answer = await whileWaiting(asked, "Drawing …");
    if (running !== mine) return;
    show(answer, body, wish.kind);
    history.add({ id: answer.id, kind: wish.kind, body, ...titles(wish.kind, body) });
    await refreshed();
  } catch (error) {
    if (error.name === "AbortError") return;
    last = before;
    showProblem(error, (nearest) => {
      form.put(wishOf(study, wish.kind, nearest));
      drawn(form.wish());
    });
    byId("problem").scrollIntoView({ block: "nearest" });
    form.showMistake(error, body);
    if (error.code === "data" || error.code === "leaving") await refreshed(); // it counted, too
  } finally {
    if (running === mine) byId("figure").removeAttribute("aria-busy");
  }
}

function show(answer, body, kind) {
  showProblem(null);
  const title = titles(kind, body);
  showFigure(answer, `${title.title}: ${title.what}`);
  const top = byId("figure").getBoundingClientRect().top;
  if (top > window.innerHeight / 2 || top < -200) byId("figure").scrollIntoView();
  if (hasAxes(pictureOf(study, kind))) offerMoves(answer, body, kind);
}

async function offerMoves(answer, body, kind) {
  const path = `/api/views/${encodeURIComponent(answer.id)}/orders`;
  const orders = await ask(path).catch(() => null);
  if (!orders) return; // the picture stands as it is; its axes stay where they are
  letMove(answer, orders, ({ from, to, order }) => {
    const columns = Array.isArray(order) && order.every((it) => typeof it === "string")
      ? order
      : moved(body.columns, from, to);
    form.put(wishOf(study, kind, { ...body, columns }));
    drawn(form.wish());
  });
}

async function goBack(entry) {
  if (running) running.abort();
  running = null;
  if (isTable(pictureOf(study, entry.kind))) {
    form.put(wishOf(study, entry.kind, entry.body)); // the same question has the same answer
    drawn(form.wish());
    return;
  }
  try {
    const path = `/api/views/${encodeURIComponent(entry.id)}`;
    const answer = await whileWaiting(withToken(() => ask(path)), "Fetching …");
    last = { kind: entry.kind, body: entry.body };
    form.put(wishOf(study, entry.kind, entry.body));
    show(answer, entry.body, entry.kind);
    history.mark(entry.id);
  } catch (error) {
    showProblem(error);
  }
}

/** What is left of the allowance, and which rows may be seen together, changes with each view. */
async function refreshed() {
  const told = await ask("/api/study").catch(() => null);
  if (!told) return;
  study = told;
  tellStudy();
  form.tellStudy(study);
}

function titles(kind, body) {
  const picture = pictureOf(study, kind);
  const where = body.where ? ` where ${body.where}` : "";
  const by = (body.by ? ` by ${listed([body.by].flat())}` : "") + where;
  const what = (body.formula || body.value || listed(body.columns || ["all columns"])) + by;
  const of = body.source ? ` · ${body.source}` : "";
  if (isTable(picture)) return { title: picture.title, what, about: what + of };
  const { name } = methodOf(picture, wishOf(study, kind, body));
  return { title: picture.title, what, about: `${what} · ${name}` };
}

function pixelsNow() {
  const height = Math.max(PIXEL_STEP, window.innerHeight - AROUND_FIGURE);
  return Math.min(MOST_PIXELS, Math.floor(height / PIXEL_STEP) * PIXEL_STEP);
}

function followHeight() {
  if (!last) return;
  const picture = pictureOf(study, last.kind);
  if (isTable(picture) || !followsHeight(picture, methodOf(picture, last.body))) return;
  if (pixelsNow() !== last.body.pixels) drawn(wishOf(study, last.kind, last.body));
}
