/** Buttons on the names of axes, which move them: by mouse, by touch and by arrow keys. */

const FARTHEST = { Home: -Infinity, End: Infinity };
const BY = { ArrowLeft: -1, ArrowUp: -1, ArrowRight: 1, ArrowDown: 1 };

/** The axis that was moved last, until it is drawn again: perhaps in a card that is made anew. */
let moved = null;

/**
 * Lay a button on the name of each axis. An axis that was moved keeps the focus when it is drawn
 * again.
 * @param {HTMLElement} host - Where the picture is; its place is that of the drawing.
 */
export function moves(host, { grips = [] }, onMove) {
  for (const old of host.querySelectorAll(".grip")) old.remove();
  const move = (from, to) => {
    const place = Math.min(grips.length - 1, Math.max(0, to));
    if (place === from) return;
    moved = { name: grips[from].name, place };
    onMove(from, place);
  };
  grips.forEach((grip, i) => {
    const button = host.appendChild(buttonOf(grip, i));
    button.addEventListener("keydown", (event) => {
      const by = BY[event.key] ?? FARTHEST[event.key];
      if (by === undefined) return;
      event.preventDefault();
      event.stopPropagation();
      move(i, i + by);
    });
    button.addEventListener("pointerdown", (event) => drag(event, button, grips, i, move));
    if (moved?.place === i && moved.name === grip.name) {
      moved = null;
      button.focus({ preventScroll: true });
    }
  });
}

function buttonOf({ x, y, width, height, long, says, words, name, down }, i) {
  const button = document.createElement("button");
  button.type = "button";
  button.className = "grip";
  button.dataset.ax = String(i);
  button.dataset.f = `grip ${name}`;
  button.setAttribute("aria-label", says);
  button.title = words;
  button.textContent = words;
  const style = { left: x, top: y, width, height, "--long": long };
  for (const [key, value] of Object.entries(style)) button.style.setProperty(key, `${value}px`);
  button.classList.toggle("down", down);
  return button;
}

/** Follow a pointer that holds an axis; where it lets go, the axis takes that place. */
function drag(event, button, grips, i, move) {
  if (event.button) return;
  event.preventDefault();
  event.stopPropagation();
  button.focus({ preventScroll: true });
  button.setPointerCapture(event.pointerId);
  const { down, at } = grips[i];
  const from = down ? event.clientY : event.clientX;
  const far = (now) => (down ? now.clientY : now.clientX) - from;
  const follow = (now) => {
    button.classList.add("drag");
    const by = `${far(now)}px`;
    button.style.setProperty("translate", down ? `0 ${by}` : by);
  };
  const end = (now) => {
    button.classList.remove("drag");
    button.style.removeProperty("translate");
    button.removeEventListener("pointermove", follow);
    button.removeEventListener("pointerup", end);
    button.removeEventListener("pointercancel", end);
    if (now.type === "pointerup") move(i, nearest(grips, at + far(now)));
  };
  button.addEventListener("pointermove", follow);
  button.addEventListener("pointerup", end);
  button.addEventListener("pointercancel", end);
}

function nearest(grips, at) {
  const far = grips.map((it) => Math.abs(it.at - at));
  return far.indexOf(Math.min(...far));
}
