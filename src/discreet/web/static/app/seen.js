/** What stands on the page as marks of SVG, with its style written into each: a file has no style sheet. */

import { esc, px } from "../draw/svg.js";

const SAME_LINE = 3; // pixels between the middles of letters that stand on one line
const PLACES = {
  rect: ["x", "y", "width", "height", "rx"],
  line: ["x1", "y1", "x2", "y2"],
  circle: ["cx", "cy", "r"],
  path: ["d"],
  text: ["x", "y"],
};
/** What a mark is drawn with, and what is usual: that is not written. */
const OF_STROKE = { "stroke-width": "1", "stroke-dasharray": "none", "stroke-linejoin": "miter", "stroke-linecap": "butt", "paint-order": "normal" };
const OF_TEXT = { "font-size": "11", "font-weight": "400", "text-anchor": "start" };

/** @returns {string} What is seen within an element, from its upper left corner. */
export function seenIn(host) {
  const { left, top } = host.getBoundingClientRect();
  return shownIn(host, { left, top, grey: false });
}

const shownIn = (host, at) => [...host.childNodes].map((it) => shown(it, at)).join("");

function shown(node, at) {
  if (node.nodeType === Node.TEXT_NODE) return linesOf(node, at).join("");
  if (node.nodeType !== Node.ELEMENT_NODE || node.matches(".unseen")) return "";
  const style = getComputedStyle(node);
  const inside = { ...at, grey: at.grey || style.filter.includes("grayscale") };
  const box = node.getBoundingClientRect();
  const place = { x: px(box.left - at.left), y: px(box.top - at.top), width: px(box.width), height: px(box.height) };
  if (node.localName === "svg") return group(style, `translate(${place.x} ${place.y})`, markedIn(node, inside.grey));
  if (node.localName === "canvas") {
    return group(style, "", `<image${given(place)} href="${node.toDataURL("image/png")}"/>`);
  }
  return group(style, "", groundOf(style, place, inside.grey) + shownIn(node, inside));
}

function group({ opacity }, transform, inner) {
  const around = given({ transform, opacity: opacity === "1" ? "" : opacity });
  return inner && around ? `<g${around}>${inner}</g>` : inner;
}

const given = (all) => Object.entries(all).map(([name, it]) => (it === "" ? "" : ` ${name}="${esc(it)}"`)).join("");

/** What lies behind the words of a cell, and the line below it. */
function groundOf(style, { x, y, width, height }, grey) {
  const hatched = /rgba?\([^)]*\)|color\([^)]*\)/.exec(style.backgroundImage);
  const fill = inkOf(hatched ? hatched[0] : style.backgroundColor, grey);
  const below = parseFloat(style.borderBottomWidth) && inkOf(style.borderBottomColor, grey);
  const ground = fill.seen && `<rect${given({ x, y, width, height, rx: parseFloat(style.borderRadius) || "", ...inked("fill", fill) })}/>`;
  const line = below?.seen && `<rect${given({ x, y: px(y + height - 1), width, height: 1, ...inked("fill", below) })}/>`;
  return (ground || "") + (line || "");
}

/** The marks of a drawing; those beside one another that look alike have their look once. */
function markedIn(svg, grey) {
  const runs = [];
  for (const it of svg.children) {
    const { mark, look } = marked(it, grey);
    if (!mark) continue;
    if (runs.at(-1)?.look === look) runs.at(-1).marks.push(mark);
    else runs.push({ look, marks: [mark] });
  }
  return runs.map(({ look, marks }) => (look ? `<g${look}>${marks.join("")}</g>` : marks.join(""))).join("");
}

function marked(it, grey) {
  const style = getComputedStyle(it);
  if (style.display === "none" || style.visibility === "hidden") return {};
  if (it.localName === "g") return { mark: group(style, it.getAttribute("transform") || "", markedIn(it, grey)), look: "" };
  const [fill, stroke] = ["fill", "stroke"].map((name) => inkOf(style[name], grey, style.getPropertyValue(`${name}-opacity`)));
  if (!(it.localName in PLACES) || !(fill.seen || (stroke.seen && parseFloat(style.strokeWidth)))) return {};
  const text = it.localName === "text" && it.textContent;
  const of = { ...(stroke.seen ? OF_STROKE : {}), ...(text ? OF_TEXT : {}) };
  const styled = Object.entries(of).map(([name, usual]) => {
    const value = style.getPropertyValue(name).replace(/(\d)px/g, "$1");
    return [name, value === usual ? "" : value];
  });
  const look = given({ ...inked("fill", fill), ...(stroke.seen ? inked("stroke", stroke) : {}), ...Object.fromEntries(styled) });
  const place = given(Object.fromEntries(PLACES[it.localName].map((name) => [name, it.getAttribute(name) ?? ""])));
  const own = given({ opacity: style.opacity === "1" ? "" : style.opacity });
  return { mark: `<${it.localName}${place}${own}${text ? `>${esc(text)}</text>` : "/>"}`, look };
}

/** The lines that a text is broken into, each where it stands. */
function linesOf(node, at) {
  const lines = [];
  const range = document.createRange();
  let end = 0;
  for (const letter of node.data) {
    const start = end;
    end += letter.length;
    range.setStart(node, start);
    range.setEnd(node, end);
    const [box] = letter.trim() ? range.getClientRects() : [];
    if (!box?.width) continue;
    const middle = box.top + box.height / 2;
    const last = lines.at(-1);
    if (!last || Math.abs(last.middle - middle) > SAME_LINE) lines.push({ middle, left: box.left, right: box.right, start, end });
    else Object.assign(last, { end, left: Math.min(last.left, box.left), right: Math.max(last.right, box.right) });
  }
  const style = getComputedStyle(node.parentElement);
  const ink = inkOf(style.color, at.grey);
  const size = parseFloat(style.fontSize);
  // Ends stay where they are, however wide a reader's font is.
  const anchor = { right: "end", end: "end", center: "middle" }[style.textAlign] || "";
  const look = given({ "font-size": size, "font-weight": style.fontWeight === "400" ? "" : style.fontWeight, "text-anchor": anchor, ...inked("fill", ink) });
  return (ink.seen ? lines : []).map(({ middle, left, right, start, end: last }) => {
    const x = { "": left, end: right, middle: (left + right) / 2 }[anchor] - at.left;
    return `<text${given({ x: px(x), y: px(middle - at.top + 0.36 * size) })}${look}>${esc(node.data.slice(start, last).replace(/\s+/g, " "))}</text>`;
  });
}

const canvas = new Map();

/** A colour as every program reads it, and how much of it is seen. */
function inkOf(css, grey, opacity = "1") {
  if (css === "none") return { colour: "none", seen: 0 };
  if (!canvas.has(css)) {
    const context = document.createElement("canvas").getContext("2d");
    context.fillStyle = css;
    context.fillRect(0, 0, 1, 1);
    canvas.set(css, [...context.getImageData(0, 0, 1, 1).data]);
  }
  const [red, green, blue, alpha] = canvas.get(css);
  const light = Math.round(0.2126 * red + 0.7152 * green + 0.0722 * blue);
  const parts = grey ? [light, light, light] : [red, green, blue];
  const colour = `#${parts.map((it) => it.toString(16).padStart(2, "0")).join("")}`;
  return { colour, seen: Math.round((alpha / 255) * Number(opacity) * 100) / 100 };
}

const inked = (name, { colour, seen }) =>
  (seen ? { [name]: colour, [`${name}-opacity`]: seen < 1 ? seen : "" } : { [name]: "none" });
