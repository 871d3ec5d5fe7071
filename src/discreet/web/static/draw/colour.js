/** Colours that stand for numbers. Those of levels are in the style: --s0 to --s4. */

import { MISSING_NAMES } from "../rows/levels.js";
import { d3 } from "../vendor/d3.js";

const MAKO = ["#def5e5", "#8ad9b1", "#40b7ad", "#348fa7", "#37659e", "#413d7b", "#2e1e3c"];
const light = d3.interpolateRgbBasis(MAKO);
const dark = d3.interpolateRgbBasis(["#2c2542", ...[...MAKO].reverse().slice(1)]);
const opposite = {
  light: d3.piecewise(d3.interpolateRgb, ["#b26800", "#f3f3f0", "#22629b"]),
  dark: d3.piecewise(d3.interpolateRgb, ["#e9aa3c", "#20262b", "#6eb4eb"]),
};

/** @param {number} share - 0 for few to 1 for many. @param {boolean} isDark @returns {string} */
export const many = (share, isDark) => (isDark ? dark : light)(0.06 + 0.86 * clamp(share));

/** @param {number} r - From -1 to 1. @param {boolean} isDark @returns {string} */
export const between = (r, isDark) => opposite[isDark ? "dark" : "light"]((clampTo(r) + 1) / 2);

const STEPS = 22;

/** @param {(share: number) => string} colour - Of a share from 0 to 1. @returns {string[]} Those of a key. */
export const rampOf = (colour) => Array.from({ length: STEPS }, (_, i) => colour(i / (STEPS - 1)));

const LEVELS = 5;

const NONE = -1; // the place of a missing value, which is grey

/** @param {number} place - Of a level. @returns {string} Its colour. */
export const level = (place) => (place === NONE ? "var(--line2)" : `var(--s${place % LEVELS})`);

/**
 * Return the places by which some levels have their colours: those among all levels of the column,
 * so that a level has one colour in all pictures. Of two with one colour the later one takes
 * another that none has, as long as there is one.
 */
export function placesOf(drawn, order) {
  const all = [...order, ...drawn.filter((name) => !order.includes(name))];
  const places = drawn.map((name) => (MISSING_NAMES.includes(name) ? NONE : all.indexOf(name)));
  const isFirst = (place, i) => place === NONE || places.findIndex((it) => it % LEVELS === place % LEVELS) === i;
  const taken = new Set(places.map((place) => place % LEVELS));
  const free = [...Array(LEVELS).keys()].filter((it) => !taken.has(it));
  return places.map((place, i) => (isFirst(place, i) ? place : (free.shift() ?? place)));
}

/** @param {string} ground - A colour. @returns {string} Black or white, whichever is read on it. */
export function on(ground) {
  const { r, g, b } = d3.rgb(ground);
  const [red, green, blue] = [r, g, b].map((it) => linear(it / 255));
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue > 0.179 ? "#000" : "#fff";
}

const linear = (share) => (share <= 0.03928 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4);
const clamp = (share) => Math.min(1, Math.max(0, share));
const clampTo = (r) => Math.min(1, Math.max(-1, r));
