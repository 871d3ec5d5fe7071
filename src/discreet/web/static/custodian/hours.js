/** The record over time: stacked bars, one tab stop, arrows go through them. */

import { sum } from "../rows/counts.js";
import { byId, makeSvg } from "./dom.js";
import { clock, shortDay } from "./words.js";

const HOUR = 3600 * 1000;
const HEIGHT = 72;
const FOOT = 16;
const DRAWN = ["shown", "left", "refused"];

/** The spans of time that can be seen: how many bars, and how many hours each is. */
export const SPANS = {
  day: { title: "Day", bars: 24, hours: 1, every: 4 },
  week: { title: "Week", bars: 28, hours: 6, every: 4 },
  month: { title: "30 days", bars: 30, hours: 24, every: 5 },
};

/**
 * Draw the counts of a span that ends now.
 * @param {number|null} kept - The start of the bar that is kept, in milliseconds.
 * @param {(bar: {from: number, until: number}|null) => void} keep - Called with a bar, or null.
 */
export function drawHours(hours, span, kept, keep) {
  const svg = byId("hours");
  const width = svg.clientWidth || 600;
  const bars = barsOf(hours, SPANS[span]);
  const top = Math.max(4, ...bars.map((bar) => sum(bar.counts)));
  const each = width / bars.length;
  svg.setAttribute("viewBox", `0 0 ${width} ${HEIGHT}`);
  const held = svg.contains(document.activeElement);
  const at = Math.max(0, bars.findIndex((bar) => bar.from === kept));
  const stop = kept === null ? lastFull(bars) : at;
  svg.replaceChildren(
    ...bars.map((bar, i) => drawn(bar, i, { each, top, stop, kept, span: SPANS[span] })),
    ...bars.flatMap((bar, i) => (i % SPANS[span].every ? [] : [foot(bar, i * each, SPANS[span])])),
  );
  svg.onclick = (event) => press(bars, event.target.closest("g"), kept, keep);
  svg.onkeydown = (event) => walk(event, bars, kept, keep);
  if (held) svg.children[stop]?.focus();
}

function barsOf(hours, { bars, hours: long }) {
  const end = new Date();
  end.setMinutes(0, 0, 0);
  if (long > 1) end.setHours(Math.floor(end.getHours() / long) * long);
  const found = Array.from({ length: bars }, (_, i) => {
    const from = new Date(end);
    from.setHours(end.getHours() - (bars - 1 - i) * long);
    const until = new Date(from);
    until.setHours(from.getHours() + long);
    return { from: from.getTime(), until: until.getTime(), counts: [0, 0, 0] };
  });
  for (const it of hours) {
    const at = Date.parse(it.at);
    const bar = found.find(({ from, until }) => at + HOUR > from && at < until && at >= from - HOUR / 2);
    if (bar) DRAWN.forEach((kind, i) => (bar.counts[i] += it[kind] || 0));
  }
  return found;
}

function drawn(bar, i, { each, top, stop, kept, span }) {
  const label = `${named(bar, span)}: ${DRAWN.map((it, k) => `${bar.counts[k]} ${it}`).join(", ")}`;
  const x = i * each;
  let y = HEIGHT - FOOT;
  const parts = [makeSvg("rect", { class: "back", x, width: each - 2, y: 0, height: y, rx: 3 })];
  bar.counts.forEach((count, kind) => {
    if (!count) return;
    const height = Math.max(2, (count / top) * (HEIGHT - FOOT - 4));
    y -= height;
    const look = { class: DRAWN[kind], x: x + 1, width: Math.max(1, each - 4), rx: 1 };
    parts.push(makeSvg("rect", { ...look, y, height: Math.max(1, height - 1) }));
  });
  const given = { role: "button", tabindex: i === stop ? 0 : -1, "aria-pressed": String(bar.from === kept) };
  return makeSvg("g", { ...given, "aria-label": label }, makeSvg("title", { text: label }), ...parts);
}

function foot(bar, x, span) {
  return makeSvg("text", { x, y: HEIGHT - 2, text: mark(bar, span), "aria-hidden": "true" });
}

function walk(event, bars, kept, keep) {
  const all = [...byId("hours").querySelectorAll("g")];
  const i = all.indexOf(event.target.closest("g"));
  const to = { ArrowLeft: i - 1, ArrowRight: i + 1, Home: 0, End: all.length - 1 }[event.key];
  if (to !== undefined) {
    event.preventDefault();
    const next = all[Math.min(Math.max(to, 0), all.length - 1)];
    all.forEach((it) => it.setAttribute("tabindex", it === next ? "0" : "-1"));
    next.focus();
  } else if (event.key === "Enter" || event.key === " ") {
    event.preventDefault();
    press(bars, all[i], kept, keep);
  } else if (event.key === "Escape" && kept !== null) keep(null);
}

function press(bars, mark, kept, keep) {
  const bar = mark && bars[[...byId("hours").querySelectorAll("g")].indexOf(mark)];
  if (bar) keep(bar.from === kept ? null : bar);
}

function lastFull(bars) {
  const found = bars.map((bar) => sum(bar.counts) > 0).lastIndexOf(true);
  return found < 0 ? bars.length - 1 : found;
}

function named({ from }, { hours }) {
  const at = new Date(from);
  return hours >= 24 ? shortDay(at) : `${shortDay(at)}, ${clock(at)}`;
}

function mark({ from }, { hours }) {
  const at = new Date(from);
  return hours > 1 ? shortDay(at) : clock(at);
}
