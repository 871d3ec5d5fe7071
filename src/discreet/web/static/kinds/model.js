/** A regression: its terms as a forest plot, and below it the table of them. */

import { seen, across } from "../draw/laid-over.js";
import { circle, line, px, rect, text, wide } from "../draw/svg.js";
import { drawTable } from "../draw/table.js";
import { extent } from "../rows/ends.js";
import { d3 } from "../vendor/d3.js";

export const FAMILIES = { linear: "Linear", logistic: "Logistic", poisson: "Poisson", cox: "Cox" };
const ENDS = ["estimate, low end", "estimate", "estimate, high end"];
const RATIO = /^(odds|rate|hazard) ratio$/;
const INTERCEPT = "Intercept";
const [ROW, AXIS, TOP, INDENT] = [22, 44, 6, 24];
const BESIDE = 480; // pixels of width: with fewer, numbers stand in the table alone

export const model = {
  name: "model",

  title: ({ formula, family = "linear" }) => `${FAMILIES[family] || "A"} model: ${formula}`,

  draw(view, box, look) {
    const { terms, ratio, isWhole } = termsOf(view);
    if (!isWhole) return drawTable(view, look);
    const room = box.width * 0.48;
    // Names are never cut: where one is too long, its interval stands below it.
    const rows = rowsOf(terms, view, look)
      .flatMap((it) => (it.three && wide(it.words) + INDENT > room ? [{ words: it.words, isIn: it.isIn }, { ...it, words: "" }] : it));
    const names = new Map(rows.map(({ line: of, full }) => [of, full]));
    const lines = view.lines.map((it) => (names.has(it) ? { ...it, name: names.get(it) } : it));
    const answers = look.answer ? termsOf(look.answer.table).terms : new Map();
    const reach = [...terms.values(), ...answers.values()].flat().filter(Number.isFinite);
    const high = TOP + ROW * rows.length + AXIS;
    const said = (it) => (box.width < BESIDE || !it.line ? "" : numberOf(it));
    const left = Math.min(INDENT + Math.max(...rows.filter((it) => it.three || it.isReference).map((it) => wide(it.words))), room);
    const right = box.width - 16 - Math.max(...rows.map((it) => wide(said(it))));
    const inner = { left, right, top: TOP, bottom: high - AXIS };
    const ends = extent([0, ...reach]);
    const x = d3.scaleLinear(ends, [left, right]).nice(6);
    const scale = ratio ? d3.scaleLog(ends.map(Math.exp), [left, right]) : x;
    const at = (value) => (ratio ? scale(Math.exp(value)) : scale(value));
    const drawn = rows.map((it, i) => rowOf(it, TOP + ROW * (i + 0.5), at, answers.get(it.term)) + text(box.width, TOP + ROW * i + 15, said(it), "end", "d"));
    const marks = rows.filter((it) => it.three);
    const hits = marks.map((it, i) => rect(0, TOP + ROW * rows.indexOf(it), box.width, ROW, { class: "strip", "data-m": i }));
    return {
      ...drawTable({ ...view, lines }, look),
      high,
      svg: axisOf(scale, inner, ratio) + line(at(0), TOP, at(0), inner.bottom, "bl") + drawn.join("") + hits.join(""),
      marks: marks.map((it) => ({ say: it.full, number: numberOf(it), more: `${ratio || "estimate"} ${numberOf(it)}`, light: null })),
    };
  },
};

const numberOf = ({ line: { cells } }) => `${cells[0]} (${cells[1]})`.replace(/(?<![\w.-])-(?=\d)/g, "−");

/** The three figures of each term but the intercept, and which ratio they are the logarithms of. */
function termsOf({ figures }) {
  const terms = new Map();
  for (const { column, figure, value } of figures) {
    if (column && column !== INTERCEPT && ENDS.includes(figure)) terms.set(column, [...(terms.get(column) || []), value]);
  }
  const isWhole = terms.size > 0 && [...terms.values()].every((it) => it.length === ENDS.length && it.every(Number.isFinite));
  return { terms, isWhole, ratio: figures.find((it) => RATIO.test(it.figure))?.figure };
}

const LEVEL = /(?:C\()?(?:`([^`]*)`|([^\s:`()[\]]+))\)?\[(?:T\.)?(.*?)\](?=:|$)/gu;

/** One row for each term; levels stand below the name of their column, that which others are compared with first. */
function rowsOf(terms, { figures, lines, labels = {} }, look) {
  const label = (name) => labels[name] || look.label(name);
  const against = new Map(figures.filter((it) => it.figure === "reference").map((it) => [it.column, it.level]));
  const own = lines.filter((it) => !it.ofData);
  const places = [...new Set(figures.map((it) => it.column))];
  const rows = [];
  for (const [term, three] of terms) {
    const levels = [...term.matchAll(LEVEL)].map(([all, quoted, bare, level]) => ({ all, name: quoted ?? bare, level }));
    const [{ all, name, level } = {}] = levels;
    const said = levels.map((it) => `${label(it.name)}: ${it.level}`);
    const full = term.replace(LEVEL, "\0").split(":")
      .map((it) => (it === "\0" ? said.shift() : label(it.replace(/^`(.*)`$/s, "$1")))).join(" × ");
    const isAlone = all === term && against.has(name);
    if (isAlone && against.get(name) !== null) {
      const reference = `${against.get(name)} (reference)`;
      rows.push({ words: label(name), isHead: true }, { words: reference, isIn: true, isReference: true });
      against.set(name, null);
    }
    rows.push({ term, three, line: own[places.indexOf(term)], full, words: isAlone ? level : full, isIn: isAlone });
  }
  return rows;
}

function rowOf({ words, three, isHead, isIn, isReference }, y, at, answer) {
  const named = text(isIn ? INDENT / 2 : 0, y + 4, words, "start", isHead ? "b" : "d");
  if (isReference) return named + circle(at(0), y, 4, { fill: "var(--card)", stroke: "var(--ink3)", "stroke-width": 1.5 });
  if (!three) return named;
  const [low, middle, high] = three.map(at);
  return `${named}<g class="base">${line(low, y, high, y, "", { stroke: "var(--s0)", "stroke-width": 2 })}` +
    `${rect(middle - 4, y - 4, 8, 8, { fill: "var(--s0)" })}</g>${answer ? ofData(answer.map(at), y + 6) : ""}`;
}

const ofData = ([low, middle, high], y) =>
  `<g class="data">${seen(`${across(low, high, y)}M${px(middle)} ${px(y - 3)}v6`)}</g>`;

function axisOf(scale, inner, ratio) {
  const many = Math.max(2, Math.floor((inner.right - inner.left) / 64));
  const say = scale.tickFormat(many, ratio ? "~g" : undefined);
  const ticks = scale.ticks(many).filter((it) => say(it));
  return ticks.map((it) => line(scale(it), inner.top, scale(it), inner.bottom, "gl") + text(scale(it), inner.bottom + 16, say(it), "middle")).join("") +
    line(inner.left, inner.bottom, inner.right, inner.bottom, "bl") +
    text(inner.right, inner.bottom + 34, `${ratio || "estimate"}, with its 95 % interval →`, "end", "d");
}
