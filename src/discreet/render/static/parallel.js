// Parallel coordinates on a page: clusters light up with those they are joined to, and axes can be
// moved. All that lights up is in the scene; nothing is asked of anybody.

import { clusterAt, litWith, topToBottom } from "./gaps.js";
import { clusterInWords, clusterTables, isGap } from "./clusters.js";
import { listen, movable } from "./dragging.js";
import { gapBox, paintLit, paintParallel, paintStage, stageOf } from "./stage.js";
import { dressParallel } from "./parallel-style.js";
import { tableOf } from "./table.js";
import { uprightLayout } from "./uprights.js";

/**
 * Draw a panel of parallel coordinates into an empty element.
 *
 * @param {HTMLElement} place an empty element.
 * @param {object} panel that holds an "uprights" mark.
 * @param {{theme: object, options?: object, width?: number}} how colours, the options of `draw`, and
 *     the width where the element has none yet.
 * @returns {object} `redraw(theme)`, `paint(painter, x, y, width, height, theme)`, `light(gap,
 *     cluster)` (without them, nothing is lit), `order()`, `height(width)`, `tables()`, `destroy()`.
 */
export function parallelPanel(place, panel, { theme, options = {}, width = 0 }) {
  const { axes } = panel.marks.find((mark) => mark.mark === "uprights");
  const gaps = axes.slice(1).map((_, gap) => panel.marks.find((mark) => isGap(mark) && mark.gap === gap));
  const els = stageOf(place, axes, gaps, Boolean(options.onOrder));
  const state = { theme, layout: null, lit: [], chosen: null };

  function redraw(now = state.theme) {
    state.theme = now;
    dressParallel(place);
    const wide = place.clientWidth || width || 640;
    state.layout = paintStage(els, axes, gaps, wide, now);
    show(state.chosen, state.lit);
  }

  /** Light a cluster and its joins, or nothing. */
  function light(gap, cluster, at = null) {
    if (!state.layout) redraw(); // it had no place on a page before
    const there = gaps[gap]?.ends[cluster] !== undefined;
    const chosen = there ? [gap, cluster] : null;
    if (String(chosen) === String(state.chosen)) {
      if (at && chosen) tip(at);
      return state.lit;
    }
    show(chosen, there ? litWith(gaps, gap, cluster) : []);
    if (there) tip(at ?? middleOf(gaps[gap], cluster, state.layout));
    els.live.textContent = there ? inWords(axes, gaps, gap, cluster, state.lit) : "";
    return state.lit;
  }

  function show(chosen, lit) {
    state.chosen = chosen;
    state.lit = lit;
    els.root.dataset.lit = lit.map((one) => one.join(":")).join(" ");
    if (state.layout) paintLit(els, gaps, lit, state.layout, state.theme);
    if (!chosen) els.tip.hidden = true;
  }

  function tip([x, y]) {
    const [gap, cluster] = state.chosen;
    if (els.tip.dataset.of !== `${gap}:${cluster}`) {
      els.tip.dataset.of = `${gap}:${cluster}`;
      const lines = clusterInWords(axes, gaps[gap], cluster);
      els.tip.replaceChildren(...lines.map((words) => {
        const line = document.createElement("p");
        line.textContent = words;
        return line;
      }));
    }
    els.tip.hidden = false;
    const right = x > els.frame.scrollLeft + els.frame.clientWidth / 2;
    els.tip.style.left = right ? "auto" : `${x + 14}px`;
    els.tip.style.right = right ? `${state.layout.width - x + 14}px` : "auto";
    els.tip.style.top = `${Math.max(0, Math.min(y + 12, state.layout.height - 56))}px`;
  }

  const hooks = { layout: () => state.layout, clear: () => light(), say: (words) => (els.live.textContent = words) };
  const moving = options.onOrder ? movable(els, options, hooks) : null;
  const stops = listeners(els, gaps, state, light);
  return {
    redraw,
    light: (gap, cluster) => light(gap, cluster),
    order: () => axes.map((_, i) => i),
    height: (wide) => uprightLayout(axes, wide, { least: 24 }).height,
    tables: () => clusterTables(panel).map(tableOf),
    paint: (painter, x, y, wide, high, colours = state.theme) =>
      paintParallel(painter, axes, gaps, { x, y, width: wide, height: high }, colours),
    destroy() {
      moving?.destroy();
      stops.forEach((stop) => stop());
      els.root.remove();
    },
  };
}

/** Light what is under a pointer, and what the keys go to. */
function listeners(els, gaps, state, light) {
  const under = (event) => {
    if (!state.layout || els.root.classList.contains("discreet-moving")) return;
    const box = els.stage.getBoundingClientRect();
    const [x, y] = [event.clientX - box.left, event.clientY - box.top];
    const gap = state.layout.xs.findIndex((left, i) => x >= left && x < state.layout.xs[i + 1]);
    if (!gaps[gap] || y < state.layout.top - 4 || y > state.layout.foot + 4) {
      light();
      return;
    }
    const { tall, foot } = state.layout;
    const across = (x - state.layout.xs[gap]) / gapBox(state.layout, gap).width;
    const found = clusterAt(gaps[gap], across, (foot - y) / tall, tall);
    light(gap, found, [x, y]);
  };
  const leave = (event) => {
    if (event.pointerType !== "touch") light(); // a finger that is lifted leaves, too
  };
  const keys = els.picks.map((pick, gap) =>
    listen(pick, "keydown", (event) => {
      if (walk(els, gaps, gap, state, light, event.key)) event.preventDefault();
    }),
  );
  const blurs = els.picks.map((pick) => listen(pick, "blur", () => light()));
  return [
    listen(els.stage, "pointermove", under),
    listen(els.stage, "pointerdown", under),
    listen(els.stage, "pointerleave", leave),
    listen(els.stage, "pointercancel", () => light()), // the finger scrolls or pinches
    ...keys,
    ...blurs,
  ];
}

/** Go from cluster to cluster, or from gap to gap; say whether the key meant anything. */
function walk(els, gaps, gap, state, light, key) {
  const side = { ArrowLeft: -1, ArrowRight: 1 }[key];
  if (side) {
    els.picks[gap + side]?.focus();
    return true;
  }
  if (key === "Escape") {
    light();
    return true;
  }
  const order = gaps[gap] ? topToBottom(gaps[gap]) : [];
  const at = state.chosen?.[0] === gap ? order.indexOf(state.chosen[1]) : -1;
  const next = {
    ArrowDown: Math.min(at + 1, order.length - 1),
    ArrowUp: at < 0 ? order.length - 1 : Math.max(at - 1, 0),
    Home: 0,
    End: order.length - 1,
  }[key];
  if (next === undefined) return false;
  if (order.length) light(gap, order[next]);
  return true;
}

function middleOf(mark, cluster, layout) {
  const ends = mark.ends[cluster];
  const middle = ends.reduce((sum, end) => sum + end, 0) / ends.length;
  const box = gapBox(layout, mark.gap);
  return [box.x + box.width / 2, layout.foot - middle * layout.tall];
}

function inWords(axes, gaps, gap, cluster, lit) {
  const beside = [gap - 1, gap + 1].flatMap((other) => {
    const many = lit.filter(([there]) => there === other).length;
    return many ? [`${many} between ${axes[other].label} and ${axes[other + 1].label}`] : [];
  });
  const joined = beside.length ? `; joined to ${beside.join(" and ")}` : "";
  return `lit: ${clusterInWords(axes, gaps[gap], cluster).join(", ")}${joined}`;
}
