/** Survival curves: which share has not had the event by each time, and how many are at risk. */

import { left, plotBox } from "../draw/axes.js";
import { keysOf, labelsOf, namesAtEnds, placeIn, roomOf, stepPath, strokeOf } from "../draw/lines.js";
import { whole } from "../draw/look.js";
import { clip, line, path, rect, text, wide } from "../draw/svg.js";
import { fine } from "../draw/zones.js";
import { d3 } from "../vendor/d3.js";

const AT_RISK = "at risk";
const LINE = 16;
const LEAST_HEIGHT = 240; // of a picture without its table
const SURE = 50; // the bands of fewer rows may reach below the axis

export const survival = {
  name: "survival",

  title: ({ by }, say) => (by ? `Survival by ${say.label(by[0])}` : "Survival"),

  tall: (view, look) => (look.bare || look.mini ? 0 : LEAST_HEIGHT + LINE * view.curves.length),

  /** Marks count who is at risk at some time. */
  count: (view) => view.curves.reduce((sum, it) => sum + it.rows, 0),

  top: (view) => 1 - lowest(view),

  alike: (views, look) => ({
    end: Math.max(...views.map(lastOf)),
    labels: labelsOf(views.flatMap((it) => it.curves), look.orderOf(views[0].by)),
  }),

  draw(view, box, look) {
    const names = view.curves.map((it) => it.level);
    const at = placed(view, names, box, look);
    const { x, y, inner } = at;
    const labels = look.alike?.labels || names;
    const placeOf = placeIn(view.by, labels, look);
    const curves = view.curves.map((it) => curveOf(it, placeOf(it.level), at)).join("");
    const ends = view.curves.map((it) => ({ name: it.level, x: x(it.end), y: y(it.shares.at(-1)) }));
    const event = `${look.label(view.columns[1])}: ${view.event_is.join(" or ")}`;
    const said = clip(`share without the event (${event})`, box.width - 24);
    return {
      svg: left(y, inner, said, look, percents) +
        `<g class="base">${curves}</g>` +
        acrossOf(view, at, look) +
        (at.named ? namesAtEnds(ends, inner, at.named) : "") +
        (look.bare || look.mini ? "" : tableOf(view, at, box)) +
        stripsOf(view, at),
      at: { x, y, inner, lo: at.lo, placeOf },
      marks: marksOf(view, look),
      zones: [{ ...inner, x: fine(view.columns[0], x) }],
      keys: keysOf(view.by, labels, look),
      choices: choicesOf(view),
      overlay: ({ view: lit }) => (lit ? path(stepPath(lit, x, (share) => y(Math.max(at.lo, share))), { class: "hotl" }) : ""),
    };
  },
};

function choicesOf({ events = [], event_is: now }) {
  if (events.length < 2) return [];
  const several = now.length > 1 ? [{ value: now, says: now.join(" or ") }] : [];
  const of = [...several, ...events.map((name) => ({ value: name, says: name }))];
  return [{ name: "event_is", says: "Event", now: several.length ? now : now[0], of }];
}

/** Where the axis begins: at 0, unless all curves lie far above it. */
function lowest({ curves }) {
  const least = curves.map((it) => (it.rows < SURE ? it.shares : it.low).at(-1));
  const found = Math.floor(Math.min(...least) * 20) / 20;
  return found < 0.3 ? 0 : found;
}

function placed(view, names, box, look) {
  const plain = look.bare || look.mini;
  const digits = whole(Math.max(...view.curves.flatMap((it) => it.at_risk))).length * 6;
  const longest = Math.max(...names.map(wide), wide(AT_RISK)) + digits / 2 + 12;
  const named = plain || !view.by ? 0 : roomOf(names, box);
  const inner = plotBox(box, look, plain ? {} : {
    left: Math.max(44, Math.min(longest, box.width * 0.3)),
    right: Math.max(16, named),
    bottom: 44 + LINE * view.curves.length,
  });
  const end = look.alike?.end || lastOf(view);
  const lo = 1 - (look.top ?? survival.top(view));
  const x = d3.scaleLinear([0, end], [inner.left, inner.right]);
  const y = d3.scaleLinear([lo, 1], [inner.bottom, inner.top]);
  // So many places that the numbers at risk are read one by one.
  const every = Math.ceil((digits + 10) / Math.max(1, x(view.places[1] ?? end) - x(0)));
  const ticks = view.places.filter((_, i) => i % every === 0);
  return { inner, x, y, lo, named, ticks, every, room: inner.left - digits / 2 - 10 };
}

const lastOf = ({ curves, places }) => Math.max(...curves.map((it) => it.end), places.at(-1)) || 1;
const percents = (share) => `${Math.round(share * 100)} %`;

function curveOf(it, place, { x, y, lo }) {
  const steps = (heights) => ({ times: it.times, heights, end: it.end });
  const up = (share) => y(Math.max(lo, share));
  const band = `${stepPath(steps(it.high), x, up)}${stepPath(steps(it.low), x, up, true)}Z`;
  const { stroke: fill } = strokeOf(place);
  return path(band, { fill, opacity: 0.13 }) + path(stepPath(steps(it.shares), x, up), strokeOf(place));
}

function acrossOf(view, { inner, x, lo, ticks }, look) {
  const { bottom } = inner;
  const each = ticks.map((it) => line(x(it), bottom, x(it), bottom + 4, "bl") +
    text(x(it), bottom + 16, look.say("", it), "middle"));
  const from = lo > 0 ? `axis starts at ${percents(lo)}` : "";
  const room = inner.right - inner.left - wide(from) - 24;
  const named = look.bare || look.mini ? "" :
    text(inner.right, bottom + 32, `${clip(look.full(view.columns[0]), room)} →`, "end", "d") +
    text(inner.left, bottom + 32, from);
  return line(inner.left, bottom, inner.right, bottom, "bl") + each.join("") + named;
}

function tableOf(view, { x, ticks, every, room }, box) {
  const last = view.curves.length - 1;
  const rows = view.curves.map((it, i) => {
    const y = box.height - LINE * (last - i) - 2;
    const counts = it.at_risk.filter((_, j) => j % every === 0);
    return text(0, y, clip(it.level || AT_RISK, room), "start", "d") +
      counts.map((count, j) => text(x(ticks[j]), y, whole(count), "middle")).join("");
  });
  const top = box.height - LINE * last - 2 - 13;
  return line(0, top, box.width, top, "gl") + rows.join("");
}

/** Each place stands for the times around it. */
function stripsOf({ places }, { x, inner }) {
  const ends = [0, ...places.slice(1).map((it, i) => (it + places[i]) / 2), x.domain()[1]].map(x);
  return places
    .map((_, i) => rect(ends[i], inner.top, ends[i + 1] - ends[i], inner.bottom - inner.top,
      { class: "strip", "data-m": i }))
    .join("");
}

function marksOf(view, look) {
  const [time] = view.columns;
  return view.places.map((place, i) => {
    const there = view.curves.filter((it) => it.end >= place).map((it) => {
      const share = it.shares[d3.bisectRight(it.times, place) - 1];
      return [it.level, percents(share)].filter(Boolean).join(" ");
    });
    return {
      say: i ? `After ${look.amount(time, place)}` : "At the beginning",
      count: view.curves.reduce((sum, it) => sum + it.at_risk[i], 0),
      more: `at risk${there.length ? `; without the event: ${there.join(" · ")}` : ""}`,
      light: null,
    };
  });
}
