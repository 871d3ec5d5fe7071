// What colours a picture has: those of the matplotlib back-end on light paper, and a set of the
// same meaning on dark paper. Nothing here draws.

const LIGHT = {
  dark: false,
  paper: "#ffffff",
  ink: "#222222",
  grey: "#666666",
  line: "#8c8c8c",
  grid: "#e8e8e8",
  ground: "rgba(255, 255, 255, 0.85)", // under words and under what is lit
  accent: "#4477aa",
  pale: "#dbe6f1", // the inside of a box
  strong: "#10202f", // medians, means, dots of several records
  edge: "#ffffff", // between bars, around dots
  hidden: "#f5f5f5", // a cell that is hidden
  hiddenEdge: "#999999", // the outline and the hatching of a bar that is hidden
  raw: "#cc3311",
  trend: "#222222",
  reference: "#808080",
  muted: "#888888", // dots of a legend that stand for all series
  series: [
    "#4477aa", "#e69f00", "#009e73", "#aa3377", "#56b4e9", "#332288", "#eecc66", "#997700",
  ],
  ramp: ["#cfe0ef", "#8fb3d5", "#5389bb", "#235c90", "#0a2c50"], // few to many
  signed: ["#a34c00", "#e8a35c", "#f4f1ec", "#7fa9d1", "#1d4f86"], // below 0, about 0, above
  shades: ["#e87700", "#f0a850", "#d0c3c6", "#82aedb", "#1f5fae"], // narrow to wide clusters
  shadow: "#d3d7dd", // clusters and strands that are not lit
  apart: "#882255", // a sensitive axis
};

// On dark paper much is light: the ramp runs the other way, so that "many" still stands out.
const DARK = {
  dark: true,
  paper: "#14181d",
  ink: "#e8eaed",
  grey: "#a9b1ba",
  line: "#7c858e",
  grid: "#2a3138",
  ground: "rgba(20, 24, 29, 0.85)",
  accent: "#6ea3d8",
  pale: "#22405e",
  strong: "#f3f7fb",
  edge: "#14181d",
  hidden: "#2b2d31",
  hiddenEdge: "#8f979f",
  raw: "#ff7a5c",
  trend: "#c3c8cd",
  reference: "#8d959d",
  muted: "#9aa2aa",
  series: [
    "#6ea3d8", "#f0b03c", "#35c99f", "#e581b6", "#b5e3fa", "#a394f5", "#f2e29a", "#c9a43a",
  ],
  ramp: ["#23496d", "#326799", "#4a8ac4", "#86b9e6", "#d6ebff"],
  signed: ["#ffb066", "#9c6130", "#2f3135", "#3a6ea3", "#a9d4ff"],
  shades: ["#ff9a33", "#c98a4e", "#7b747c", "#5484ba", "#4a86dd"],
  shadow: "#3b424a",
  apart: "#e58bbd",
};

/**
 * Give the colours that suit a place on a page.
 *
 * @param {Element|null} host where the picture stands; what lies behind it decides.
 * @param {"auto"|"light"|"dark"} [wish] "auto" follows the page, else the reader's system.
 * @returns {object} the colours by their meaning, and `dark`: whether the paper is dark.
 */
export function themeOf(host, wish = "auto") {
  if (wish === "light" || wish === "dark") return wish === "dark" ? DARK : LIGHT;
  const behind = host && host.isConnected ? paperBehind(host.parentElement) : null;
  if (behind !== null) return behind < 0.4 ? DARK : LIGHT;
  return globalThis.matchMedia?.("(prefers-color-scheme: dark)").matches ? DARK : LIGHT;
}

/**
 * Mix colours in even steps: 0 is the first of a list, 1 the last.
 *
 * @param {string[]} ramp colours as "#rrggbb".
 * @param {number} share from 0 to 1; what lies outside is cut off.
 * @returns {string} "#rrggbb".
 */
export function mixed(ramp, share) {
  const at = Math.min(Math.max(share, 0), 1) * (ramp.length - 1);
  const step = Math.min(Math.floor(at), ramp.length - 2);
  if (ramp.length < 2) return ramp[0];
  const one = channels(ramp[step]);
  const other = channels(ramp[step + 1]);
  return hex(one.map((value, i) => value + (at - step) * (other[i] - value)));
}

/**
 * Make a colour darker (share below 1) by taking so much of its light.
 *
 * @param {string} color "#rrggbb".
 * @param {number} share how much of each channel is kept.
 * @returns {string} "#rrggbb".
 */
export function shaded(color, share) {
  return hex(channels(color).map((value) => Math.min(255, value * share)));
}

/**
 * Split a colour into red, green and blue, 0 to 255.
 *
 * @param {string} color "#rrggbb".
 * @returns {number[]} three whole numbers.
 */
export function channels(color) {
  return [1, 3, 5].map((start) => parseInt(color.slice(start, start + 2), 16));
}

/**
 * Say whether words on a colour are to be white rather than black.
 *
 * @param {string} color "#rrggbb".
 * @returns {boolean} whether the colour is dark.
 */
export function isDark(color) {
  const [red, green, blue] = channels(color);
  return 0.3 * red + 0.59 * green + 0.11 * blue < 128;
}

function hex(rgb) {
  return `#${rgb.map((value) => Math.round(value).toString(16).padStart(2, "0")).join("")}`;
}

/** How light the nearest paper behind an element is, 0 to 1; null where nothing is painted. */
function paperBehind(element) {
  for (let at = element; at; at = at.parentElement) {
    const parts = getComputedStyle(at).backgroundColor.match(/[\d.]+/g)?.map(Number) ?? [];
    const [red, green, blue, alpha = 1] = parts;
    if (parts.length >= 3 && alpha > 0.5) {
      return (0.2126 * red + 0.7152 * green + 0.0722 * blue) / 255;
    }
  }
  return null;
}
