// Moving an axis, with a pointer or with the keys, to the places that are open to it.
//
// While it is dragged, the gaps beside it are stretched by the style alone. That is exact: how high
// a straight edge is depends on the share of the gap, not on its pixels.

import { gapBox } from "./stage.js";

const PRESSED = 4; // pixels from which on a press is a drag

/**
 * Let the axes of a stage be moved.
 *
 * @param {object} els of `stageOf`.
 * @param {object} options of `draw`: `moves`, `onOrder`, `onRefused`.
 * @param {{layout(): object, clear(): void, say(words: string): void}} stage what it is told by.
 * @returns {object} `destroy()`.
 */
export function movable(els, options, stage) {
  const state = { drag: null, slots: [], gone: false };
  const cleanup = els.heads.flatMap((head, i) => [
    ...[head, els.handles[i]].flatMap((grip) => [
      listen(grip, "pointerdown", (event) => start(i, event, grip)),
      listen(grip, "pointermove", follow),
      listen(grip, "pointerup", () => finish(true)),
      listen(grip, "pointercancel", () => finish(false)),
    ]),
    listen(head, "keydown", (event) => step(i, event)),
  ]);

  function start(i, event, grip) {
    if (event.button > 0 || state.drag) return;
    grip.setPointerCapture(event.pointerId);
    state.drag = { i, x: event.clientX, by: 0, to: i, moved: false };
  }

  function follow(event) {
    const { drag } = state;
    if (!drag) return;
    drag.by = event.clientX - drag.x;
    if (!drag.moved && Math.abs(drag.by) < PRESSED) return;
    if (!drag.moved) lift(drag);
    shift(els, stage.layout(), drag.i, drag.by);
    const to = placeAt(stage.layout(), drag.i, drag.by);
    if (to !== drag.to) aim(drag, to);
  }

  function lift(drag) {
    drag.moved = true;
    stage.clear();
    els.root.classList.remove("discreet-slides");
    els.root.classList.add("discreet-moving");
    state.slots = slotsOf(els, stage.layout(), drag.i, (to) => moveOf(options, drag.i, to));
  }

  function aim(drag, to) {
    drag.to = to;
    state.slots.forEach((slot) => slot.classList.toggle("discreet-aimed", Number(slot.dataset.to) === to));
  }

  function finish(wanted) {
    const { drag } = state;
    state.drag = null;
    if (!drag || !drag.moved) return;
    state.slots.forEach((slot) => slot.remove());
    els.root.classList.remove("discreet-moving");
    if (wanted && drag.to !== drag.i) ask(drag.i, drag.to);
    else back();
  }

  function step(i, event) {
    const by = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    if (event.key === "Escape" && state.drag) finish(false);
    if (!by || event.altKey || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    if (els.heads[i + by]) ask(i, i + by);
    else stage.say("the axis is at the end");
  }

  function ask(from, to) {
    const name = els.heads[from].title;
    const move = moveOf(options, from, to);
    if (!move.allowed) {
      stage.say(`${name} may not stand there${move.why ? `: ${move.why}` : ""}`);
      back();
      options.onRefused?.(move.why ?? "");
    } else {
      stage.say(`${name} moves to place ${to + 1} of ${els.heads.length}`);
      // Whatever comes of it, and if it is no new scene, the axes are where they were.
      Promise.resolve(options.onOrder(from, to)).finally(back);
    }
  }

  function back() {
    if (state.gone || state.drag) return;
    els.root.classList.add("discreet-slides");
    shift(els, stage.layout(), 0, 0);
  }

  return {
    destroy() {
      state.gone = true;
      cleanup.forEach((stop) => stop());
    },
  };
}

/** Call `act` at an event of an element; return what ends that. */
export function listen(element, name, act) {
  element.addEventListener(name, act);
  return () => element.removeEventListener(name, act);
}

/** What the page says of a move; all are open where it says nothing of any. */
function moveOf(options, from, to) {
  if (!options.moves) return { from, to, allowed: true, why: "" };
  const found = options.moves.find((move) => move.from === from && move.to === to);
  return found ?? { from, to, allowed: false, why: "" };
}

/** The place among the axes at which one is, that was moved by so many pixels. */
function placeAt({ xs }, i, by) {
  const at = xs[i] + by;
  return xs.filter((x, other) => other !== i && x < at).length;
}

function shift(els, layout, i, by) {
  const xs = layout.xs.map((x, other) => (other === i ? x + by : x));
  els.gaps.forEach((canvas, gap) => {
    const box = gapBox(layout, gap);
    const moved = xs[gap] - box.x;
    const wide = (xs[gap + 1] - xs[gap]) / box.width;
    const still = moved === 0 && wide === 1;
    canvas.style.transform = still ? "" : `translateX(${moved}px) scaleX(${wide})`;
  });
  [els.uprights, els.heads].forEach((list) =>
    list.forEach((element, other) => {
      element.style.transform = other === i && by ? `translateX(${by}px)` : "";
    }),
  );
}

/** Show where the axis may be dropped, and where not. */
function slotsOf(els, layout, i, moveTo) {
  const { xs, gap, top, tall } = layout;
  return xs.flatMap((x, to) => {
    if (to === i) return [];
    const outer = Math.min(gap / 2, to < i ? xs[0] - 10 : layout.width - xs.at(-1) - 10);
    const beside = to === 0 || to === xs.length - 1 ? Math.max(outer, 0) : gap / 2;
    const slot = document.createElement("div");
    slot.className = `discreet-slot${moveTo(to).allowed ? "" : " discreet-closed"}`;
    slot.dataset.to = String(to);
    slot.style.left = `${to < i ? x - beside : x + beside}px`;
    slot.style.top = `${top}px`;
    slot.style.height = `${tall}px`;
    els.stage.insertBefore(slot, els.over);
    return [slot];
  });
}
