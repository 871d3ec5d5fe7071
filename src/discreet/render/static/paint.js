// Two painters with the same verbs: one paints on a canvas, the other writes an SVG. What draws
// with these verbs looks alike on the screen and in a file. Places are CSS pixels.
//
// A look is {fill, stroke, width, dash, alpha} for shapes, with {size, weight, align, baseline,
// angle} for text: `size` in pixels, `align` "left", "center" or "right", `baseline`
// "alphabetic", "top", "middle" or "bottom", `angle` in degrees, clockwise about the place.

export const FONT =
  'system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", Arial, ' +
  '"DejaVu Sans", sans-serif';

// A text is shifted by parts of its size, the same for both painters: SVG readers disagree about
// `dominant-baseline`, and Inkscape does not know it.
const SHIFTS = { alphabetic: 0, top: 0.78, middle: 0.35, bottom: -0.22 };
const ANCHORS = { left: "start", center: "middle", right: "end" };

/**
 * Paint on a canvas.
 *
 * @param {CanvasRenderingContext2D} context scaled so that its unit is a CSS pixel.
 * @returns {object} the verbs line, area, rect, disc, text and clipped.
 */
export function canvasPainter(context) {
  const finish = (look) => {
    context.globalAlpha = look.alpha ?? 1;
    if (look.fill) {
      context.fillStyle = look.fill;
      context.fill();
    }
    if (look.stroke) {
      context.strokeStyle = look.stroke;
      context.lineWidth = look.width ?? 1;
      context.lineJoin = "round";
      context.setLineDash(look.dash ?? []);
      context.stroke();
    }
    context.globalAlpha = 1;
  };
  const through = (points) => {
    context.beginPath();
    points.forEach(([x, y], i) => (i ? context.lineTo(x, y) : context.moveTo(x, y)));
  };
  return {
    line(points, look) {
      through(points);
      finish({ ...look, fill: null });
    },
    area(points, look) {
      through(points);
      context.closePath();
      finish(look);
    },
    rect(x, y, width, height, look) {
      context.beginPath();
      context.rect(x, y, width, height);
      finish(look);
    },
    disc(x, y, radius, look) {
      context.beginPath();
      context.arc(x, y, radius, 0, 2 * Math.PI);
      finish(look);
    },
    text(x, y, words, look) {
      const size = look.size ?? 12;
      context.save();
      context.globalAlpha = look.alpha ?? 1;
      context.font = font(size, look.weight);
      context.textAlign = look.align ?? "left";
      context.textBaseline = "alphabetic";
      context.fillStyle = look.fill;
      context.translate(x, y);
      if (look.angle) context.rotate((look.angle * Math.PI) / 180);
      context.fillText(printable(words), 0, size * SHIFTS[look.baseline ?? "alphabetic"]);
      context.restore();
    },
    clipped(x, y, width, height, draw) {
      context.save();
      context.beginPath();
      context.rect(x, y, width, height);
      context.clip();
      draw();
      context.restore();
    },
  };
}

/**
 * Write an SVG.
 *
 * @param {number} width of the picture.
 * @param {number} height of the picture.
 * @param {{title?: string, paper?: string}} [about] its name for readers of the file, and what
 *     lies behind it.
 * @returns {object} the verbs line, area, rect, disc, text and clipped; and `toString()`.
 */
export function svgPainter(width, height, { title = "", paper = "" } = {}) {
  const parts = [];
  const add = (name, places, look, bare = false) =>
    parts.push(`<${name} ${attributes(places)}${painted(look, bare)}/>`);
  const painter = {
    line(points, look) {
      add("path", { d: path(points) }, { ...look, fill: null });
    },
    area(points, look) {
      add("path", { d: `${path(points)}Z` }, look);
    },
    rect(x, y, w, h, look) {
      const [left, right] = [x, x + w].sort((a, b) => a - b).map(place);
      const [top, bottom] = [y, y + h].sort((a, b) => a - b).map(place);
      // Both ends are rounded, not the width: so neighbours still touch.
      const [wide, tall] = [place(right - left), place(bottom - top)];
      add("rect", { x: left, y: top, width: wide, height: tall }, look);
    },
    disc(x, y, radius, look) {
      add("circle", { cx: place(x), cy: place(y), r: fine(radius) }, look);
    },
    text(x, y, words, look) {
      parts.push(written(x, y, words, look));
    },
    clipped(x, y, w, h, draw) {
      // An inner picture cuts off what lies outside of it, and needs no id as a clip path would.
      const box = { x: place(x), y: place(y), width: place(w), height: place(h) };
      const view = `viewBox="${box.x} ${box.y} ${box.width} ${box.height}"`;
      parts.push(`<svg ${attributes(box)} ${view} overflow="hidden">`);
      draw();
      parts.push("</svg>");
    },
    toString() {
      const size = attributes({ width: place(width), height: place(height) });
      const named = title ? `<title>${escaped(printable(title))}</title>` : "";
      return (
        `<svg xmlns="http://www.w3.org/2000/svg" ${size} ` +
        `viewBox="0 0 ${place(width)} ${place(height)}" role="img" ` +
        `font-family="${escaped(FONT)}">${named}\n${parts.join("\n")}\n</svg>\n`
      );
    },
  };
  if (paper) painter.rect(0, 0, width, height, { fill: paper });
  return painter;
}

/**
 * Measure how many pixels wide a text is.
 *
 * @param {string} words the text.
 * @param {number} size of its letters, in pixels.
 * @param {string|number} [weight] such as "bold" or 600.
 * @returns {number} its width.
 */
export function textWidth(words, size, weight = "normal") {
  // One canvas for all: to make one takes longer than to measure.
  textWidth.context ??= document.createElement("canvas").getContext("2d");
  textWidth.context.font = font(size, weight);
  return textWidth.context.measureText(printable(words)).width;
}

/**
 * Put a text on one line, without the letters that would break an SVG or turn words around.
 *
 * @param {string} words the text.
 * @returns {string} what of it can be printed.
 */
export function printable(words) {
  return String(words).replace(/[\p{C}\p{Z}\s]+/gu, " ").trim();
}

/**
 * Escape a text for markup.
 *
 * @param {string} words the text.
 * @returns {string} the text without the letters that mean something there.
 */
export function escaped(words) {
  const names = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#39;" };
  return String(words).replace(/[&<>"']/g, (letter) => names[letter]);
}

function font(size, weight) {
  return `${weight ?? "normal"} ${size}px ${FONT}`;
}

// A file should tell no more than a screen: a tenth of a pixel can be seen, a thousandth is a digit
// of somebody's data.
function place(value) {
  return Math.round(value * 10) / 10 + 0; // "+ 0" makes -0 a 0
}

function fine(value) {
  return Math.round(value * 1000) / 1000;
}

function path(points) {
  return points.map(([x, y], i) => `${i ? "L" : "M"}${place(x)},${place(y)}`).join("");
}

function attributes(values) {
  return Object.entries(values)
    .map(([name, value]) => `${name}="${escaped(value)}"`)
    .join(" ");
}

function painted(look, isText = false) {
  const given = { fill: look.fill || "none" };
  if (look.stroke && !isText) {
    given.stroke = look.stroke;
    given["stroke-width"] = fine(look.width ?? 1);
    given["stroke-linejoin"] = "round";
    if (look.dash?.length) given["stroke-dasharray"] = look.dash.map(fine).join(" ");
  }
  if ((look.alpha ?? 1) < 1) given.opacity = fine(look.alpha);
  return ` ${attributes(given)}`;
}

function written(x, y, words, look) {
  const size = look.size ?? 12;
  const down = size * SHIFTS[look.baseline ?? "alphabetic"];
  const at = { x: place(x), y: place(y + (look.angle ? 0 : down)), "font-size": fine(size) };
  if (look.align && look.align !== "left") at["text-anchor"] = ANCHORS[look.align];
  if (look.weight && look.weight !== "normal") at["font-weight"] = look.weight;
  if (look.angle) {
    at.transform = `rotate(${fine(look.angle)} ${place(x)} ${place(y)})`;
    at.dy = fine(down);
  }
  return `<text ${attributes(at)}${painted(look, true)}>${escaped(printable(words))}</text>`;
}
