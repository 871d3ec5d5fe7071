/** Brushing: rows are chosen by a drag over a picture, or by Shift and the arrow keys. */

import { lookOf } from "../draw/look.js";
import { brushOf, cellAt, cellBeside, zoneAt } from "../draw/zones.js";
import { h } from "./dom.js";
import { saidOf } from "./words.js";

const FAR = 4; // pixels: less is a press
const ARROWS = { ArrowRight: { x: 1 }, ArrowLeft: { x: -1 }, ArrowDown: { y: 1 }, ArrowUp: { y: -1 } };
const SIDES = { x: ["left", "right"], y: ["top", "bottom"] };

/**
 * Let rows be brushed in a picture.
 * @param {() => object} drawn - What was drawn last, with its `zones`.
 * @param {object} how - `tip` and `announce`, as `tipsIn` returns them.
 * @returns {object} `again()` when it was drawn again; `lit(rows)`, told how many rows are lit.
 */
export function brushed(host, drawn, board, { tip, announce }) {
  const frame = h("div.brush", { hidden: true });
  const { lights } = board;
  let brush = null; // zone, the cell where it began, that where it ends; mark and box
  let drag = null; // where the pointer was pressed, and what it takes along
  let tell = () => {};
  const zones = () => drawn()?.zones || [];
  const point = ({ clientX, clientY }) => {
    const { left, top } = host.querySelector("svg, table").getBoundingClientRect();
    return [clientX - left, clientY - top];
  };

  function set(zone, one, other) {
    if (brush && JSON.stringify([zone, one, other]) === JSON.stringify([brush.zone, brush.one, brush.other])) return;
    const { light, box } = brushOf(zones()[zone], one, other);
    const look = lookOf(board.columns);
    brush = { zone, one, other, mark: { say: light.map((it) => saidOf(it, look)).join(" · "), light } };
    lights.hold(brush.mark);
    place(box);
  }

  function place({ left, right, top, bottom }) {
    const zone = zones()[brush.zone];
    for (const [name, value] of Object.entries({ left, top, width: right - left, height: bottom - top })) frame.style.setProperty(name, `${value}px`);
    frame.replaceChildren(...Object.keys(SIDES).filter((way) => zone[way]).flatMap((way) =>
      SIDES[way].map((side) => h("i", { "data-side": side, "data-way": way }))));
    frame.hidden = false;
    host.append(frame);
  }

  function clear() {
    brush = null;
    frame.hidden = true;
  }

  /** What a press takes along: an edge, the whole brush where it is pressed within, or a new one. */
  function taken(event, [x, y]) {
    const { way, side } = event.target.dataset;
    if (brush && way) {
      const isFirst = SIDES[way].indexOf(side) === 0;
      const [low, high] = ends(way);
      return (cell) => set(brush.zone, { ...brush.one, [way]: isFirst ? high : low }, { ...brush.other, [way]: cell[way] });
    }
    const zone = zoneAt(zones(), x, y);
    const first = zone < 0 ? null : cellAt(zones()[zone], x, y);
    if (brush?.zone === zone && Object.keys(first || {}).every((it) => first[it] >= ends(it)[0] && first[it] <= ends(it)[1])) {
      return shifting(first);
    }
    return first && ((cell) => set(zone, first, cell));
  }
  const ends = (way) => [brush.one[way], brush.other[way]].sort((a, b) => a - b);

  function shifting(first) {
    const { zone, one, other } = brush;
    return (cell) => {
      const by = Object.fromEntries(Object.keys(first).map((way) => [way, cell[way] - first[way]]));
      set(zone, ...[one, other].map((it) => cellBeside(zones()[zone], it, by)));
    };
  }

  function follow(event) {
    if (!drag) return;
    const [x, y] = point(event);
    if (!drag.on && Math.hypot(x - drag.from[0], y - drag.from[1]) < FAR) return;
    event.stopImmediatePropagation();
    if (!drag.on) {
      host.setPointerCapture(event.pointerId);
      host.classList.add("brushing");
      getSelection()?.removeAllRanges();
    }
    drag.on = true;
    drag.take(cellAt(zones()[drag.zone()], x, y));
    tell = (count) => tip({ ...brush.mark, count }, event.clientX, event.clientY);
  }

  function end(event) {
    if (!drag) return;
    const { on } = drag;
    drag = null;
    host.classList.remove("brushing");
    tell = () => {};
    if (!on) return;
    tip(null);
    host.querySelector("[tabindex]")?.focus({ preventScroll: true });
    // The click that follows is none of its own.
    const stop = (it) => it.stopPropagation();
    addEventListener("click", stop, { capture: true });
    setTimeout(() => removeEventListener("click", stop, { capture: true }));
  }

  function press(event) {
    if (event.button || event.target.closest(".grip, button, a, [data-k]") || !zones().length) return;
    const from = point(event);
    const take = taken(event, from);
    const zone = brush && event.target.dataset.way ? brush.zone : zoneAt(zones(), ...from);
    drag = take && { from, take, zone: () => zone, on: false };
  }

  /** Shift and an arrow extend from the mark that the keys are at, or from where the picture begins. */
  function extend(event) {
    if (event.target.closest(".grip")) return;
    const by = ARROWS[event.key];
    if (event.key === "Enter" && brush) {
      board.keep();
    } else if (event.shiftKey && by && zones().length) {
      if (brush) set(brush.zone, brush.one, cellBeside(zones()[brush.zone], brush.other, by));
      else begin();
      tell = (count) => {
        tell = () => {};
        announce({ ...brush.mark, count });
      };
    } else return;
    event.preventDefault();
    event.stopImmediatePropagation();
  }

  function begin() {
    const at = host.querySelector(".cur")?.getBoundingClientRect();
    const [x, y] = at ? point({ clientX: at.left + at.width / 2, clientY: at.top + at.height / 2 }) : [];
    const zone = Math.max(0, at ? zoneAt(zones(), x, y) : 0);
    const first = cellAt(zones()[zone], x ?? 0, y ?? 0);
    set(zone, first, first);
  }

  host.addEventListener("pointerdown", press);
  host.addEventListener("pointermove", follow);
  for (const it of ["pointerup", "pointercancel"]) host.addEventListener(it, end);
  host.addEventListener("keydown", extend);
  return {
    again() {
      const zone = brush && zones()[brush.zone];
      if (zone) place(brushOf(zone, brush.one, brush.other).box);
      else clear();
    },
    lit(rows) {
      if (brush && lights.kept() !== brush.mark) clear();
      else if (brush && rows !== undefined) tell(rows);
    },
  };
}
