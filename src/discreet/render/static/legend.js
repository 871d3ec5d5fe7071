// What colours, lines and sizes mean: a row of signs above the marks, and a bar for cells.

import { numberText, roundNumbers } from "./axes.js";
import { dotScale, hatch, levelColors, lineLook, seriesColor, seriesNames, spanOf } from "./marks.js";
import { textWidth } from "./paint.js";
import { mixed } from "./theme.js";

const LETTERS = 11.5;
const ROW = 20;
const SIGN = 18;
const MOST_LEVELS = 8;
const BAR = 12; // pixels a colour bar is wide

/** How much a colour bar takes on the right; 0 where there are no cells. */
export function barRoom(panel) {
  const mark = cellsOf(panel);
  if (!mark) return 0;
  const names = barTicks(mark, 5).map(numberText);
  return BAR + 40 + Math.max(0, ...names.map((text) => textWidth(text, LETTERS)));
}

/** The signs of a panel, each with its words; `width` says how they are laid out in rows. */
export function legendOf(panel, theme, width) {
  const entries = [...named(panel, theme), ...sized(panel), ...levelled(panel, theme)];
  let [at, row] = [0, 0];
  for (const entry of entries) {
    const wide = entry.sign + textWidth(entry.words, LETTERS) + 18;
    if (at > 0 && at + wide > width) [at, row] = [0, row + 1];
    Object.assign(entry, { at, row });
    at += wide;
  }
  return { entries, height: entries.length ? (row + 1) * ROW + 6 : 0 };
}

/** Paint the signs of a legend from a place on. */
export function paintLegend(painter, legend, x, y, theme, frame, panel) {
  for (const entry of legend.entries) {
    const [left, middle] = [x + entry.at, y + entry.row * ROW + ROW / 2];
    entry.paint?.(painter, left, middle, { theme, frame, panel });
    const look = { size: LETTERS, fill: entry.head ? theme.grey : theme.ink, baseline: "middle" };
    painter.text(left + entry.sign, middle, entry.words, look);
  }
}

/** Paint the bar that tells the colours of cells, on the right of the frame. */
export function paintBar(painter, panel, frame, theme) {
  const mark = cellsOf(panel);
  if (!mark || mark.values.flat().every((value) => value === null)) return;
  const { x, y, width, height } = frame.inner;
  const [low, high] = spanOf(mark);
  const left = x + width + 12;
  const steps = 40;
  for (let i = 0; i < steps; i += 1) {
    const top = y + height - ((i + 1) * height) / steps;
    painter.rect(left, top, BAR, height / steps + 0.5, { fill: mixed(theme.ramp, (i + 0.5) / steps) });
  }
  const words = { size: LETTERS, fill: theme.ink, baseline: "middle" };
  for (const value of barTicks(mark, Math.max(2, Math.floor(height / 45)))) {
    const at = y + height - ((value - low) / (high - low)) * height;
    painter.line([[left + BAR, at], [left + BAR + 3, at]], { stroke: theme.line });
    painter.text(left + BAR + 6, at, numberText(value), words);
  }
  const middle = { ...words, baseline: "alphabetic", align: "center", angle: -90 };
  painter.text(x + width + barRoom(panel) - 4, y + height / 2, mark.label, middle);
}

function cellsOf(panel) {
  return panel.marks.find((mark) => mark.mark === "cells");
}

function barTicks(mark, most) {
  const shown = mark.values.flat().filter((value) => value !== null);
  const ticks = roundNumbers(...spanOf(mark), most);
  return shown.every(Number.isInteger) ? ticks.filter(Number.isInteger) : ticks;
}

function named(panel, theme) {
  const found = [];
  for (const mark of panel.marks) {
    if (mark.mark === "lines" && mark.look !== "level" && mark.label && mark.x.length) {
      const look = lineLook(mark, panel, theme);
      found.push(entry(mark.label, (painter, x, y) => painter.line([[x, y], [x + 13, y]], look)));
    } else if (mark.mark === "dots" && mark.series && mark.x.length) {
      const order = seriesNames(panel).indexOf(mark.series);
      found.push(disc(mark.series, seriesColor(theme, order)));
    } else if (mark.mark === "columns") {
      mark.series.forEach((name, order) => name && found.push(patch(name, seriesColor(theme, order))));
      if (mark.heights.flat().includes(null)) found.push(hiddenSign(theme));
    } else if (mark.mark === "intervals") {
      mark.series.forEach((name, order) => name && found.push(disc(name, seriesColor(theme, order))));
    }
  }
  const words = found.map((one) => one.words);
  return found.filter((one, i) => words.indexOf(one.words) === i);
}

function entry(words, paint) {
  return { words, paint, sign: SIGN };
}

const disc = (words, fill) =>
  entry(words, (painter, x, y) => painter.disc(x + 6, y, 4, { fill }));

const patch = (words, fill) =>
  entry(words, (painter, x, y) => painter.rect(x, y - 5, 12, 10, { fill }));

function hiddenSign(theme) {
  return entry("hidden", (painter, x, y) => {
    hatch(painter, x, y - 5, 12, 10, { stroke: theme.hiddenEdge, width: 0.8 });
    painter.rect(x, y - 5, 12, 10, { stroke: theme.hiddenEdge, width: 0.8 });
  });
}

function levelled(panel, theme) {
  const mark = panel.marks.find((m) => m.mark === "lines" && m.look === "level" && m.x.length);
  if (!mark) return [];
  const colors = levelColors(mark, theme);
  let levels = [...colors.keys()].sort((a, b) => a - b);
  if (levels.length > MOST_LEVELS) {
    const step = (levels.length - 1) / (MOST_LEVELS - 1);
    levels = Array.from({ length: MOST_LEVELS }, (_, i) => levels[Math.round(i * step)]);
  }
  const head = mark.label ? [{ words: `${mark.label}:`, sign: 0, head: true }] : [];
  const line = (level) => (painter, x, y) =>
    painter.line([[x, y], [x + 13, y]], { stroke: colors.get(level), width: 1.8 });
  return [...head, ...levels.map((level) => entry(numberText(level), line(level)))];
}

function sized(panel) {
  const mark = panel.marks.find((m) => m.mark === "dots" && m.by_size && m.size.length);
  if (!mark) return [];
  const sizes = panel.marks.filter((m) => m.mark === "dots" && m.by_size).flatMap((m) => m.size);
  const [low, high] = [Math.min(...sizes), Math.max(...sizes)];
  const steps = roundNumbers(0, high, 3).filter((n) => n >= low && n > 0 && Number.isInteger(n));
  const signs = (steps.length ? steps : [high]).map((n) =>
    entry(numberText(n), (painter, x, y, { theme, frame }) => {
      const radius = Math.min(9, Math.sqrt(dotScale(panel, frame) * n) / 2);
      painter.disc(x + 6, y, radius, { fill: theme.muted, alpha: 0.7 });
    }),
  );
  return [{ words: `${mark.label}:`, sign: 0, head: true }, ...signs];
}
