/** Draws scatter plots: points or cells on a canvas, and above them what a pointer finds. */

import { inOrder } from "../rows/order.js";
import { d3 } from "../vendor/d3.js";
import { bottom, left, plotBox, roomBeside, scaleOf, ticksBeside } from "./axes.js";
import { level as colourOf, many, rampOf } from "./colour.js";
import { hitsOf } from "./hits.js";
import { placeIn } from "./lines.js";
import { whole } from "./look.js";
import { sideBySide } from "./panels.js";
import { pointsIn } from "./points.js";
import { linesOf } from "./reference-lines.js";
import { circle, clip, line, rect, text } from "./svg.js";
import { fine } from "./zones.js";

/** Counts of raw rows stand as one circle in the middle of each cell. */
const COUNTED = ["suppression", "generalization", "merge"];
/** The last colour is that of the fullest cell, or of what 99 of 100 hold where that is far less. */
const [SHOWN, FAR, LARGE] = [0.99, 2, 0.1];
const PALE = 0.3;

/**
 * Draw a scatter plot.
 * @returns {object} As a kind's `draw` does.
 */
export function drawScatter(view, box, look) {
  const hits = hitsOf(view);
  const panels = view.by && view.panels ? panelsIn(view, box) : [{ box, at: [0, 0] }];
  const places = panels.map((it) => placeOf(view, hits, it, look));
  const bubbles = COUNTED.includes(view.method);
  const painted = bubbles ? { paint: () => {}, vector: () => "" } : view.panels && !view.points
    ? cellsIn(view, places, look)
    : pointsIn(pointsOf(view, places.length, look), places, look);
  return {
    svg: places.map((it) => it.axes).join("") + (bubbles ? circlesOf(view, places[0]) : "") +
      trendsOf(view, places, look) + linesOf(view, places[0]) + hitsIn(hits, places),
    marks: hits.list.map((it) => ({ ...markOf(it, hits, view, look), ...(bubbles && { light: null }) })),
    keys: keysOf(view, painted, look),
    zones: bubbles ? [] : places.map(({ inner, x, y }, k) => ({
      ...inner, x: fine(view.columns[0], x), y: fine(view.columns[1], y),
      also: view.by && view.panels ? [{ column: view.by, levels: [view.panels[k].level] }] : [],
    })),
    overlay: (lit) => (lit.view ? "" : squares(lit.counts, hits, places)),
    ...(painted.vector && {
      vector: (colours) => linesAcross(places, look).map((it) => rect(...it, { fill: colours.grid })).join("") + painted.vector(colours),
    }),
    paint(context, lit, colours) {
      context.fillStyle = colours.grid;
      for (const it of linesAcross(places, look)) context.fillRect(...it);
      painted.paint(context, box, lit && litOf(lit.view, view, places.length), colours);
    },
  };
}

/** The lines of the axes, which lie beneath the points. */
const linesAcross = (places, look) => (look.mini ? [] : places.flatMap(({ y, inner }) =>
  ticksBeside(y, inner).map((it) => [inner.left, Math.round(y(it)), inner.right - inner.left, 1])));

/** Return the ends of axes on which all of some scatter plots can be drawn. */
export function endsOfAll(views) {
  const each = views.map((view) => endsOfAxes(view, hitsOf(view)));
  return [0, 1].map((k) => d3.extent(each.flatMap((it) => it[k])));
}

const endsOfAxes = (view, hits) =>
  (view.panels ? [view.x_edges, view.y_edges] : [hits.x, hits.y]).map((it) => [it[0], it.at(-1)]);

/** Return how high a scatter plot is at least. */
export const tallScatter = (view, look, width) =>
  view.by && view.panels ? 116 * sideBySide(view.panels.length, width).down : 0;

/** Where the panel of each level lies. */
function panelsIn({ panels, by }, { width, height }) {
  const { across, down } = sideBySide(panels.length, width);
  const size = { width: (width - 16 * (across - 1)) / across, height: (height - 12 * (down - 1)) / down };
  return panels.map(({ level, rows }, k) => ({
    box: size,
    at: [(k % across) * (size.width + 16), Math.floor(k / across) * (size.height + 12)],
    title: level,
    rows,
    by,
  }));
}

/** The scales of a panel and what stands around it. */
function placeOf(view, hits, { box, at: [dx, dy], title, rows }, look) {
  const bare = title === undefined ? look : { ...look, bare: true };
  const [a, b] = view.columns;
  const [xEnds, yEnds] = look.alike || endsOfAxes(view, hits);
  const room = title === undefined ? (look.bare ? { top: 4, bottom: 20 } : {}) : { top: 22, bottom: 18 };
  const outer = plotBox(box, look, room);
  const shifted = { left: outer.left + dx, right: outer.right + dx, top: outer.top + dy, bottom: outer.bottom + dy };
  const y = scaleOf(b, yEnds, [shifted.bottom, shifted.top], look);
  if (!look.mini) shifted.left = dx + roomBeside(y, shifted, title === undefined ? 40 : 28);
  const x = scaleOf(a, xEnds, [shifted.left, shifted.right], look);
  const named = title === undefined ? "" :
    text(dx, dy + 10, clip(title, box.width - 50), "start", "b") + text(dx + box.width, dy + 10, whole(rows), "end");
  const axes = left(y, shifted, look.full(b), { ...bare, painted: true }) + bottom(x, shifted, a, bare) + named;
  return { x, y, inner: shifted, axes };
}

/** The points of each panel; very many that are multiples of a step are spread within it. */
function pointsOf(view, count, look) {
  if (!view.panels) {
    const placeOf = view.by && placeIn(view.by, levelsOf(view, look), look);
    const level = view.by ? view.level.map((it) => placeOf(it)) : undefined;
    return [{ x: view.x, y: view.y, size: view.size, level }];
  }
  return byPanel(view.points, view, count);
}

function byPanel({ x, y, panel }, view, count) {
  const steps = view.points?.steps || [0, 0];
  return Array.from({ length: count }, (_, k) => {
    const here = (__, i) => panel[i] === k;
    const [xs, ys] = count > 1 ? [x.filter(here), y.filter(here)] : [x, y];
    const spread = (values, which) => (steps[which]
      ? values.map((it, i) => it + steps[which] * within(xs[i], ys[i], which))
      : values);
    return { x: spread(xs, 0), y: spread(ys, 1) };
  });
}

/** Where a point lies within its step: from -1/2 to 1/2, always the same for the same values. */
function within(x, y, which) {
  const found = Math.sin(x * 12.9898 + y * 78.233 + which * 37.719) * 43758.5453;
  return found - Math.floor(found) - 0.5;
}

const litOf = (lit, view, count) => ({
  points: lit?.x && byPanel(lit, view, count),
  counts: lit?.counts,
});

/** What paints the cells of each panel, in colours that mean the same in all. */
function cellsIn(view, places, look) {
  const top = topOf(view.panels);
  const [across, up] = [view.x_edges.length - 1, view.y_edges.length - 1];
  const colour = (share) => many(0.12 + 0.88 * Math.sqrt(Math.min(1, share)), look.dark);
  const each = (scale, draw) => places.forEach((it, k) => {
    // On whole pixels of the screen, or seams would be seen between cells.
    const snapped = (of) => (edge) => Math.round(of(edge) * scale) / scale;
    const [xs, ys] = [view.x_edges.map(snapped(it.x)), view.y_edges.map(snapped(it.y))];
    for (let i = 0; i < across; i += 1) {
      for (let j = 0; j < up; j += 1) draw(k, i, j, xs[i], ys[j + 1], xs[i + 1] - xs[i], ys[j] - ys[j + 1]);
    }
  });
  return {
    ramp: { says: `${look.counted} in a cell`, from: "few", to: "many", colours: rampOf((it) => colour(it * it)) },
    vector() {
      const drawn = [];
      each(1, (k, i, j, x, y, width, height) => {
        const { rows, counts } = view.panels[k];
        if (counts[i][j]) drawn.push(rect(x, y, width, height, { fill: colour(counts[i][j] / rows / top) }));
      });
      return drawn.join("");
    },
    paint(context, box, lit, found) {
      const scale = context.getTransform().a;
      context.globalAlpha = lit ? PALE : 1;
      each(scale, (k, i, j, x, y, width, height) => {
        const { rows, counts } = view.panels[k];
        if (!counts[i][j]) return;
        context.fillStyle = colour(counts[i][j] / rows / top);
        context.fillRect(x, y, width, height);
      });
      context.globalAlpha = 1;
      if (!lit?.counts) return;
      const most = lit.counts.reduce((a, b) => Math.max(a, b), 1);
      context.fillStyle = found.hot;
      each(scale, (k, i, j, x, y, width, height) => {
        const count = lit.counts[(k * across + i) * up + j];
        if (!count) return;
        const side = 0.15 + 0.85 * Math.sqrt(count / most);
        context.fillRect(x + (width * (1 - side)) / 2, y + (height * (1 - side)) / 2, width * side, height * side);
      });
    },
  };
}

/** The share of a level's rows that has the last colour. */
function topOf(panels) {
  const largest = Math.max(...panels.map((it) => it.rows));
  const large = panels.filter((it) => it.rows >= LARGE * largest);
  const found = large.flatMap(({ rows, counts }) => counts.flat().filter(Boolean).map((it) => it / rows));
  const [most, usual] = [d3.max(found), d3.quantile(found, SHOWN)];
  return most > FAR * usual ? usual : most;
}

/** A circle for the rows counted in each cell, as large as they are many. */
function circlesOf({ x, y, size }, place) {
  const most = Math.max(...size, 1);
  const all = x.map((it, i) => circle(place.x(it), place.y(y[i]), 1.5 + 9 * Math.sqrt(size[i] / most), {
    fill: "var(--s0)", "fill-opacity": 0.62,
  }));
  return `<g class="base">${all.join("")}</g>`;
}

/** Trends as lines over what they are of, within the picture. */
function trendsOf(view, places, look) {
  const placeOf = view.by && !view.panels && placeIn(view.by, levelsOf(view, look), look);
  return (view.trends || []).map((trend) => {
    const panel = view.panels ? Math.max(0, view.panels.findIndex((it) => it.level === trend.level)) : 0;
    const { x, y } = places[panel];
    const at = (value) => trend.intercept + trend.slope * value;
    const ends = endsOf(view, trend.level, panel).map((it) => {
      const within = Math.min(Math.max(at(it), y.domain()[0]), y.domain()[1]);
      return trend.slope ? (within === at(it) ? it : (within - trend.intercept) / trend.slope) : it;
    });
    const [x1, x2] = ends.map(x);
    const [y1, y2] = ends.map((it) => y(at(it)));
    const stroke = placeOf ? colourOf(placeOf(trend.level)) : "var(--ink)";
    const drawn = (more) => line(x1, y1, x2, y2, "still", { "stroke-linecap": "round", ...more });
    return `<g class="base">${drawn({ stroke: "var(--card)", "stroke-width": 5 })}` +
      `${drawn({ stroke, "stroke-width": 2 })}</g>`;
  }).join("");
}

/** From where to where the rows of a level reach along x. */
function endsOf(view, name, panel) {
  if (!view.panels) return d3.extent(view.x.filter((_, i) => !name || view.level[i] === name));
  const held = view.panels[panel].counts.map((row, i) => (row.some(Boolean) ? i : -1)).filter((i) => i >= 0);
  return [view.x_edges[held[0]], view.x_edges[held.at(-1) + 1]];
}

const placed = ({ panel, i, j }, hits, places, draw) => {
  const { x, y } = places[panel];
  const [x0, x1, y0, y1] = [x(hits.x[i]), x(hits.x[i + 1]), y(hits.y[j]), y(hits.y[j + 1])];
  return draw(x0, y1, x1 - x0, y0 - y1);
};

/** Cells that are not seen until they are pointed at. */
const hitsIn = (hits, places) =>
  hits.list
    .map((it, k) => placed(it, hits, places, (...at) => rect(...at, { class: "hit", "data-m": k })))
    .join("");

/** Where few rows are lit: a square in each coarse cell. */
function squares(counts, hits, places) {
  const most = Math.max(...counts, 1);
  return hits.list.map((it, k) => {
    if (!counts[k]) return "";
    const side = 0.15 + 0.55 * Math.sqrt(counts[k] / most);
    return placed(it, hits, places, (x, y, width, height) =>
      rect(x + (width * (1 - side)) / 2, y + (height * (1 - side)) / 2, width * side, height * side, { class: "hot" }),
    );
  }).join("");
}

function markOf({ panel, i, j, count, levels }, hits, view, look) {
  const [a, b] = view.columns;
  const level = view.by && view.panels ? view.panels[panel].level : null;
  const range = (column, edges, at) => ({
    column,
    // The first and the last range hold what lies beyond them.
    ...(at > 0 && { from: edges[at] }),
    ...(at < edges.length - 2 && { to: edges[at + 1] }),
  });
  const said = [look.range(a, hits.x[i], hits.x[i + 1]), look.range(b, hits.y[j], hits.y[j + 1])];
  const named = inOrder(Object.keys(levels), look.orderOf(view.by)).map((it) => `${it} ${whole(levels[it])}`);
  return {
    say: [...(level ? [look.level(view.by, level)] : []), ...said].join(" · "),
    count,
    more: named.join(" · ") || look.share(count, view.shown ?? view.origin?.shown),
    light: [range(a, hits.x, i), range(b, hits.y, j), ...(level ? [{ column: view.by, levels: [level] }] : [])],
  };
}

const levelsOf = (view, look) => inOrder(view.level || [], look.orderOf(view.by));

function keysOf(view, { ramp }, look) {
  if (!view.by || view.panels) return ramp ? [{ ramp }] : [];
  const names = levelsOf(view, look);
  const placeOf = placeIn(view.by, names, look);
  return names.map((name) => ({
    name: name || look.label(view.by), colour: colourOf(placeOf(name)), light: [{ column: view.by, levels: [name] }],
  }));
}
