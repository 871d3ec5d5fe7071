/** Puts what a kind draws into an element: marks as SVG, and points on a canvas beneath them. */

import { lookFor } from "./look.js";
import { zonesIn } from "./zones.js";

/**
 * Draw a view in place of what is in an element.
 * @returns {object} `marks`, `keys`, and `light(lit)`, which shows where lit rows are (null: none).
 */
export function drawPicture(host, kind, view, look) {
  const tall = Math.max(host.clientHeight, kind.tall?.(view, look, host.clientWidth) || 0);
  const box = { width: host.clientWidth, height: tall };
  host.classList.remove("lit");
  host.classList.toggle("scrolls", tall > host.clientHeight);
  const own = lookFor(look, view);
  const drawn = kind.draw(view, box, own);
  host.replaceChildren();
  const canvas = drawn.paint && layer(host, box);
  if (drawn.svg || !drawn.html) host.insertAdjacentHTML("beforeend", svgOf(drawn, { ...box, height: drawn.high ?? tall }));
  if (drawn.html) host.insertAdjacentHTML("beforeend", drawn.html);
  const over = host.querySelector(".hl");
  const found = drawn.paint && colours(host);
  drawn.paint?.(canvas, null, found);
  drawn.tint?.(host, null);
  return {
    ...drawn,
    zones: zonesIn(drawn.zones || []),
    marks: drawn.marks?.map((it) => ({ ...it, counted: own.counted })),
    box,
    light(lit) {
      host.classList.toggle("lit", lit !== null);
      if (over) over.innerHTML = lit && drawn.overlay ? drawn.overlay(lit) : "";
      if (canvas) {
        canvas.clearRect(0, 0, box.width, box.height);
        drawn.paint(canvas, lit, found);
      }
      drawn.tint?.(host, lit);
    },
  };
}

/** @returns {string} A drawing as a whole SVG. */
function svgOf(drawn, { width, height }) {
  return (
    `<svg viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" aria-hidden="true">` +
    `${drawn.svg}<g class="hl">${drawn.over || ""}</g>${drawn.top || ""}</svg>`
  );
}

function layer(host, { width, height }) {
  const canvas = host.appendChild(document.createElement("canvas"));
  const scale = Math.min(3, globalThis.devicePixelRatio || 1);
  canvas.width = width * scale;
  canvas.height = height * scale;
  const context = canvas.getContext("2d");
  context.scale(scale, scale);
  return context;
}

/**
 * @returns {object} The colours of its style as canvases and files take them.
 */
export function colours(host) {
  const style = getComputedStyle(host);
  const probe = host.appendChild(document.createElement("i"));
  const found = {};
  for (const name of ["s0", "s1", "s2", "s3", "s4", "hot", "line2", "grid", "ink", "card"]) {
    probe.style.color = `var(--${name})`;
    found[name] = getComputedStyle(probe).color;
  }
  probe.remove();
  return { ...found, font: style.fontFamily };
}
