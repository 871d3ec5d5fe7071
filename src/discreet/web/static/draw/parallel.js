/** Bands between parallel axes, as thick as they have rows: on one scale in the whole picture. */

import { level, many } from "./colour.js";
import { percent, whole } from "./look.js";
import { drawAxis, gripsOf, railOf } from "./parallel-axes.js";
import { along, outline, placed } from "./parallel-place.js";
import { path, rect } from "./svg.js";
import { ofEdges, ofLevels } from "./zones.js";

const CLEAR = 0.94;
const BEYOND = 8;
const THINNEST = 0.8;
const FEW_ROWS = 0.1;
const HELP = "Point at a band to follow its rows through all axes. Drag a name to move its axis.";
const SIZES = [5, 10, 25, 50, 100, 300, 1000, 3000, 10000, 30000, 100000];

/**
 * Draw a view of rows.
 * @param {object} view - As `make` of kinds/parallel.js returns it.
 * @returns {object} Beside what every drawing has: `grips`, and `read(lit)`, which says where lit
 *   rows go through the axes. The last of its keys are some counts, and how thick they are.
 */
export function drawBands(view, box, look) {
  const place = placed(view.axes, box);
  const axes = view.axes.map((axis) => ({ ...axis, spans: spansOf(axis, place.length) }));
  const each = Math.min(...axes.map((axis) => thickest(axis, place.length)));
  const bands = view.gaps.map((gap, i) => stacked(gap, axes[i], axes[i + 1], each));
  const marks = marksOf(view, look);
  const drawn = drawnBands(view, bands, place, look);
  const bars = barsOf(view, axes, place, each);
  return {
    svg: `<g class="base">${drawn}</g>${axes.map((_, i) => railOf(place, i)).join("")}${bars.join("")}`,
    top: axes.map((axis, i) => drawAxis(place, i, shownAs(axis), look)).join(""),
    marks,
    keys: [...keysOf(view.colour, look), { thick: thickness(bands.flat(), each) }],
    grips: gripsOf(place, axes, look),
    zones: axes.map((axis, i) => zoneOf(axis, place, i, look)),
    overlay: ({ counts }) => overlay(view, bands, axes, place, each, counts),
    read: (lit) => (lit?.counts ? readOf(view, look, lit.counts) : HELP),
  };
}

const shownAs = ({ name, edges, levels, spans }) =>
  edges
    ? { name, ends: [edges[0], edges.at(-1)] }
    : { name, spans: spans.map(([from, to], i) => ({ words: levels[i], from, to })) };

function spansOf({ edges, counts }, length) {
  if (!edges) return counts.map((_, i) => [i, i + 1].map((it) => (it * length) / counts.length));
  const all = edges.at(-1) - edges[0];
  return counts.map((_, i) => [i, i + 1].map((it) => ((edges[it] - edges[0]) / all) * length));
}

const middle = ([from, to]) => (from + to) / 2;

/** The most pixels that a row can have, such that no stack of an axis reaches into the next. */
function thickest({ spans, counts }, length) {
  let most = Infinity;
  counts.forEach((count, i) => {
    const next = i + 1 < counts.length ? counts[i + 1] : 0;
    const far = next ? middle(spans[i + 1]) - middle(spans[i]) : Infinity;
    most = Math.min(most, (CLEAR * far) / ((count + next) / 2));
    const end = Math.min(middle(spans[i]), length - middle(spans[i])) + BEYOND;
    if (count) most = Math.min(most, end / (count / 2));
  });
  return most;
}

function zoneOf({ name, edges, levels, spans }, place, i, look) {
  const [left, top, width, height] = along(place, i, 0, place.length, 12);
  const way = place.down ? "x" : "y";
  const far = [spans[0][0], ...spans.map((it) => it[1])].map((it) => place.xy(0, it)[place.down ? 0 : 1]);
  const inOrder = (all) => (place.down ? all : [...all].reverse());
  const axis = edges ? ofEdges(name, edges, (edge) => far[edges.indexOf(edge)]) : ofLevels(name, inOrder(levels), inOrder(far), look);
  return { left, top, right: left + width, bottom: top + height, [way]: axis };
}

/** Put bands one upon the other in each range, those that go lower below. */
function stacked(gap, one, other, each) {
  const bands = gap.map((it) => ({ ...it, thick: it.count * each }));
  const put = (axis, own, far, out) => {
    axis.counts.forEach((_, cell) => {
      const here = bands.filter((it) => it[own] === cell);
      here.sort((a, b) => a[far] - b[far] || a.colour - b.colour);
      let at = middle(axis.spans[cell]) - here.reduce((sum, it) => sum + it.thick, 0) / 2;
      for (const it of here) {
        it[out] = at;
        at += it.thick;
      }
    });
  };
  put(one, "left", "right", "from");
  put(other, "right", "left", "to");
  return bands;
}

const ends = (at, thick) => [at, at + Math.max(THINNEST, thick)];

function toneOf(colour, place, look) {
  if (!colour) return "var(--s0)";
  if (colour.levels) return level(look.placesOf(colour.name, colour.levels)[place]);
  return many(0.12 + (0.83 * place) / Math.max(1, colour.counts.length - 1), look.dark);
}

function drawnBands({ gaps, colour }, bands, place, look) {
  const most = Math.max(1, ...gaps.flat().map((it) => it.count));
  let mark = 0;
  const drawn = bands.map((gap, at) => {
    const shapes = gap.map((it) => {
      const faint = colour ? 0.5 : 0.22;
      const shape = path(outline(place, at, ends(it.from, it.thick), ends(it.to, it.thick)), {
        class: "rib",
        fill: toneOf(colour, it.colour, look),
        "fill-opacity": String(Math.min(0.9, faint + 0.6 * Math.sqrt(it.count / most)).toFixed(2)),
        "data-m": String(mark++),
      });
      return { shape, count: it.count };
    });
    return shapes.sort((a, b) => b.count - a.count).map((it) => it.shape).join("");
  });
  return drawn.join("");
}

function barsOf({ gaps }, axes, place, each) {
  let mark = gaps.flat().length;
  return axes.map(({ counts, spans }, i) =>
    counts.map((count, cell) => {
      const half = (count * each) / 2;
      const at = middle(spans[cell]);
      const bar = count ? rect(...along(place, i, at - half, at + half), { class: "held on" }) : "";
      return bar + rect(...along(place, i, ...spans[cell], 10), { class: "hit", "data-m": String(mark++) });
    }).join(""),
  );
}

function overlay({ gaps }, bands, axes, place, each, counts) {
  let mark = 0;
  const drawn = bands.map((gap, at) =>
    gap.map((it) => {
      const thick = counts[mark++] * each;
      return thick
        ? path(outline(place, at, ends(it.from, thick), ends(it.to, thick)), { class: "hot" })
        : "";
    }).join(""),
  );
  mark = gaps.flat().length;
  const bars = axes.map(({ spans, counts: all }, i) =>
    all.map((count, cell) => {
      const from = middle(spans[cell]) - (count * each) / 2;
      const thick = counts[mark++] * each;
      return thick ? rect(...along(place, i, from, from + thick), { class: "hot" }) : "";
    }).join(""),
  );
  return drawn.join("") + bars.join("");
}

function sayOf(axis, cell, look) {
  if (axis.levels) return look.level(axis.name, axis.levels[cell]);
  return `${look.label(axis.name)} ${rangeOf(axis, cell, cell, look)}`;
}

/** Whole numbers are said from the first to the last that is within. */
function rangeOf({ name, edges, whole }, first, last, look) {
  const [from, to] = [edges[first], edges[last + 1]];
  const ends = (whole ? [Math.ceil(from), Math.floor(to)] : [from, to]).map((it) => look.say(name, it));
  return ends[0] === ends[1] ? ends[0] : ends.join(from < 0 && !look.isDate(name) ? " to " : "–");
}

/** The first and the last range hold what lies beyond them. */
function conditionOf({ name, edges, levels }, cell) {
  if (levels) return { column: name, levels: [levels[cell]] };
  return {
    column: name,
    ...(cell > 0 && { from: edges[cell] }),
    ...(cell < edges.length - 2 && { to: edges[cell + 1] }),
  };
}

function marksOf({ axes, gaps, colour, shown }, look) {
  const bands = gaps.flatMap((gap, i) =>
    gap.map(({ left, right, colour: tone, count }) => {
      const cells = [[axes[i], left], [axes[i + 1], right]];
      if (colour && !cells.some(([{ name, levels }]) => levels && name === colour.name)) {
        cells.push([colour, tone]);
      }
      const [first] = cells;
      return {
        say: cells.map(([axis, cell]) => sayOf(axis, cell, look)).join(" · "),
        count,
        more: `${percent(count / axes[i].counts[left])} of ${sayOf(...first, look)}`,
        light: cells.map(([axis, cell]) => conditionOf(axis, cell)),
      };
    }),
  );
  const ranges = axes.flatMap((axis) =>
    axis.counts.map((count, cell) => ({
      say: sayOf(axis, cell, look),
      count,
      more: look.share(count, shown),
      light: [conditionOf(axis, cell)],
    })),
  );
  return [...bands, ...ranges];
}

function keysOf(colour, look) {
  if (!colour) return [];
  if (colour.edges) {
    const colours = colour.counts.map((_, i) => toneOf(colour, i, look));
    const from = look.say(colour.name, colour.edges[0]);
    return [{ ramp: { from, to: look.amount(colour.name, colour.edges.at(-1)), colours } }];
  }
  return colour.levels.map((name, i) => ({
    name,
    colour: toneOf(colour, i, look),
    light: [{ column: colour.name, levels: [name] }],
  }));
}

/** Some counts whose thickness can be seen beside the picture. */
function thickness(bands, each) {
  const most = Math.max(0, ...bands.map((it) => it.count));
  const seen = SIZES.filter((it) => it <= most && it * each <= 14 && it * each >= 0.5);
  return seen.slice(-3).map((count) => ({ count, px: count * each }));
}

/** Where the lit rows are on each axis, but for a tenth of them at its ends. */
function readOf({ axes, gaps }, look, counts) {
  let mark = gaps.flat().length;
  const lit = axes.map((axis) => Array.from(axis.counts, () => counts[mark++]));
  const size = lit[0].reduce((sum, count) => sum + count, 0);
  if (!size) return `No rows of these are on all axes.`;
  const through = axes.map((axis, i) => (axis.edges ? between : among)(axis, lit[i], size, look));
  return `${whole(size)} rows · ${through.join(" · ")}`;
}

function between(axis, lit, size, look) {
  const most = (FEW_ROWS * size) / 2;
  const end = (all) => {
    let past = 0;
    return all.findIndex((count) => (past += count) > most);
  };
  const [from, to] = [end(lit), lit.length - 1 - end([...lit].reverse())];
  const all = lit.every((count, i) => !count || (i >= from && i <= to));
  return `${look.label(axis.name)} ${all ? "" : "mostly "}${rangeOf(axis, from, to, look)}`;
}

function among({ name, levels }, lit, size, look) {
  const held = levels.map((word, i) => ({ word, count: lit[i] })).filter((it) => it.count);
  held.sort((a, b) => b.count - a.count);
  if (held.length < 3) return `${look.label(name)}: ${held.map((it) => it.word).join(" or ")}`;
  return `${look.label(name)}: ${held[0].word} ${percent(held[0].count / size)}, and others`;
}
