/** The axes of pictures: where they lie, their ticks, and what stands beside them. */

import { d3 } from "../vendor/d3.js";
import { DAY, GROUPED, number } from "./look.js";
import { clip, line, text, wide } from "./svg.js";


/**
 * Return the place within a picture that its marks have.
 * @param {object} look - `mini` pictures have less beside them.
 * @param {object} [room] - Other distances: left, right, top, bottom.
 * @returns {{left: number, right: number, top: number, bottom: number}}
 */
export function plotBox(box, look, room = {}) {
  const usual = look.mini
    ? { left: 0, right: 0, top: 2, bottom: 16 }
    : look.bare
      ? { left: 36, right: 8, top: 6, bottom: 22 }
      : { left: 40, right: 4, top: 20, bottom: 38 };
  const { left: l, right: r, top: t, bottom: b } = { ...usual, ...room };
  return { left: l, right: box.width - r, top: t, bottom: box.height - b };
}

/** Return a scale of the values of a column, of dates where it has dates. */
export function scaleOf(name, domain, range, look) {
  if (!look.isDate(name)) return numbersOn(d3.scaleLinear(domain, range), look.isWhole(name));
  const scale = d3.scaleUtc(domain.map((it) => new Date(it * DAY)), range);
  const of = (value) => scale(new Date(value * DAY));
  return Object.assign(of, {
    domain: () => domain,
    range: () => range,
    invert: (at) => scale.invert(at) / DAY,
    ticks: (count) => scale.ticks(count).map((it) => it / DAY).filter(Number.isInteger),
    tickFormat: () => (value) => shortDate(new Date(value * DAY)),
  });
}

/** A scale whose ticks are said as values are; of whole numbers they are whole. */
function numbersOn(scale, isWhole) {
  const { ticks, tickFormat } = scale;
  const inWords = (count) => {
    const say = tickFormat(count);
    return (it) => (Math.abs(it) < GROUPED ? say(it).replace(",", "") : say(it));
  };
  const wholes = { ticks: (count) => ticks(count).filter(Number.isInteger), tickFormat: () => number };
  return Object.assign(scale, isWhole ? wholes : { tickFormat: inWords });
}

const [year, month, day] = ["%Y", "%b", "%-d %b"].map((it) => d3.utcFormat(it));

/** A year, where one begins, else a month or a day of it. */
function shortDate(date) {
  if (date.getUTCDate() > 1) return day(date);
  return (date.getUTCMonth() ? month : year)(date);
}

/** Draw the axis of a column below a picture. */
export function bottom(x, inner, name, look) {
  const base = line(inner.left, inner.bottom, inner.right, inner.bottom, "bl");
  if (look.mini) return base + ends(x, inner, name, look);
  const count = fewEnough(x, Math.max(2, Math.round((inner.right - inner.left) / 72)));
  const ticks = x.ticks(count);
  const say = x.tickFormat(count);
  const drawn = ticks.map(
    (it) =>
      line(x(it), inner.bottom, x(it), inner.bottom + 4, "bl") +
      text(x(it), inner.bottom + 16, say(it), "middle"),
  );
  const named = look.bare ? "" : text(inner.right, inner.bottom + 33, `${clip(look.full(name), inner.right - 16)} →`, "end", "d");
  return base + drawn.join("") + named;
}

/** Of so many ticks, or fewer, the words stand apart. */
function fewEnough(x, count) {
  const say = x.tickFormat(count);
  const ticks = x.ticks(count);
  const apart = ticks.every((it, i) =>
    !i || x(it) - x(ticks[i - 1]) > (wide(say(it)) + wide(say(ticks[i - 1]))) / 2 + 4);
  return apart || count < 2 ? count : fewEnough(x, count - 1);
}

function ends(x, inner, name, look) {
  const [low, high] = look.within(name, x.domain());
  const at = inner.bottom + 13;
  const unit = look.unit(name) ? ` ${look.unit(name)}` : "";
  return text(inner.left, at, look.say(name, low)) +
    text(inner.right, at, look.say(name, high) + unit, "end");
}

/** Return how much room the numbers beside an axis take. */
export function roomBeside(y, inner, least = 40) {
  const say = y.tickFormat(upward(inner));
  return Math.max(least, ...ticksBeside(y, inner).map((it) => wide(say(it)) + 10));
}

/** @returns {number[]} Where the axis to the left of a picture has ticks. */
export const ticksBeside = (y, inner) => y.ticks(upward(inner));

const upward = ({ top, bottom: low }) => Math.max(2, Math.round((low - top) / 48));

/**
 * Draw the axis of a column, or of counts, to the left of a picture, with lines across it.
 * @param {object} look - Whether the picture is mini or bare, or `painted`: with lines on its
 *   canvas.
 */
export function left(y, inner, words, look, say) {
  if (look.mini) return "";
  const said = say || y.tickFormat(upward(inner));
  const across = (it) => line(inner.left, y(it), inner.right, y(it), Math.abs(y(it) - inner.bottom) < 1 ? "bl" : "gl");
  const drawn = ticksBeside(y, inner).map(
    (it) => (look.painted ? "" : across(it)) + text(inner.left - 6, y(it) + 4, said(it), "end"),
  );
  return drawn.join("") + (look.bare || !words ? "" : text(0, 10, `↑ ${clip(words, inner.right - 16)}`, "start", "d"));
}
