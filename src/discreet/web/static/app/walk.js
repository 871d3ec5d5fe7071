/** Marks by mouse, touch and keys: one tab stop a picture, arrows walk its marks. */

const STEPS = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 };

/**
 * Let the marks of a picture be pointed at, kept and walked.
 * @param {HTMLElement} host - Of the picture; its marks have data-m.
 * @param {() => object} drawn - What was drawn last, with its `marks`, and `steps` where arrow keys
 *   go further than to the next of them, and `order` where they stand in another than their own.
 * @param {object} how - `tip` and `announce`, as `tipsIn` returns them, and `opens(spec)` for marks
 *   that open a picture; `only(light)` and `keep()` make a filter of a name, and of what is kept.
 */
export function walked(host, drawn, lights, { tip, announce, opens, only, keep }) {
  let at = -1;
  const markAt = (event) => {
    const it = event.target.closest?.("[data-m]");
    return it && host.contains(it) ? Number(it.dataset.m) : -1;
  };
  const press = (place, x, y) => {
    const mark = drawn()?.marks[place];
    if (!mark) return;
    if (mark.go) opens(mark.go);
    else lights.keep(mark);
    tip(mark, x, y);
  };
  host.addEventListener("pointermove", (event) => {
    if (event.pointerType === "touch") return;
    const place = markAt(event);
    const mark = place < 0 ? null : drawn()?.marks[place];
    tip(mark, event.clientX, event.clientY);
    lights.point(mark);
  });
  host.addEventListener("pointerleave", () => {
    tip(null);
    lights.point(null);
  });
  host.addEventListener("click", (event) => {
    const named = event.target.closest?.("[data-k]");
    const place = markAt(event);
    if (named) only(JSON.parse(named.dataset.k));
    else if (place >= 0) press(place, event.clientX, event.clientY);
    else lights.clear();
  });
  host.addEventListener("keydown", (event) => {
    const marks = drawn()?.marks || [];
    if (event.target.closest(".grip") || !marks.length) return;
    if (event.key === "Enter" && at >= 0) {
      event.preventDefault();
      if (lights.kept() && lights.kept() === marks[at]) keep();
      else press(at, ...placeOf(element(at)));
    }
    if (!(event.key in STEPS)) return;
    event.preventDefault();
    element(at)?.classList.remove("cur");
    // From a mark that is there; so it comes back to one, whichever way it goes.
    const step = (at < 0 ? null : drawn().steps?.[event.key]) ?? STEPS[event.key];
    const order = drawn().order || marks.map((_, i) => i);
    do at = order.at((order.indexOf(at) + step + order.length) % order.length);
    while (!element(at) && marks.some((_, i) => element(i)));
    element(at)?.classList.add("cur");
    element(at)?.scrollIntoView({ block: "nearest", inline: "nearest" });
    lights.point(marks[at]);
    tip(marks[at], ...placeOf(element(at)));
    announce(marks[at]);
  });
  host.addEventListener("focusout", () => {
    host.querySelectorAll(".cur").forEach((it) => it.classList.remove("cur"));
    at = -1;
    tip(null);
    lights.point(null);
  });
  const element = (place) => host.querySelector(`[data-m="${place}"]`);
}

function placeOf(it) {
  if (!it) return [0, 0];
  const { left, width, top, height } = it.getBoundingClientRect();
  return [left + width / 2, top + height / 2];
}
