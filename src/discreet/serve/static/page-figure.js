/** The figure: what the server answered, drawn; how it was made; its downloads. */

import { save } from "./page-api.js";
import { byId, make } from "./page-dom.js";
import { saidOf } from "./page-says.js";
import { tableShown } from "./page-tables.js";
import { theme } from "./page-theme.js";
import { showProblem, tell, whileWaiting } from "./page-wait.js";
import { withToken } from "./page-token.js";
import { draw } from "./scene.js";

const FORMS = [
  ["PNG", "figure.png", "an image of pixels"],
  ["SVG", "figure.svg", "a drawing that stays sharp"],
  ["PDF", "figure.pdf", "a drawing on paper"],
  ["HTML", "figure.html", "one page that needs no server"],
  ["JSON", "view.json", "the numbers of the plot"],
];

const TABLE_FORMS = [
  ["CSV", "table.csv", "the cells"],
  ["HTML", "table.html", "one page that needs no server"],
  ["LaTeX", "table.tex", "a table for a paper"],
  ["Text", "table.txt", "plain text"],
  ["JSON", "table.json", "the numbers in full"],
];

const LONGEST_NAME = 80;

let shown = null;
let drawn = null;

/**
 * Show an answer.
 *
 * @param {object} answer - Of POST /api/views/{kind}, or of POST /api/tables/{kind}.
 * @param {string} title - What the figure is called.
 * @returns {void}
 */
export function showFigure(answer, title) {
  shown = { answer, orders: null };
  byId("figure-title").textContent = title;
  byId("empty").hidden = true;
  byId("figure-body").hidden = false;
  byId("says").hidden = false;
  const { table } = answer;
  const says = table ? table.notes.join("\n") : answer.says;
  byId("says-lines").replaceChildren(...saidOf(says));
  sayHowRough(says);
  const forms = table ? TABLE_FORMS : FORMS;
  byId("downloads").replaceChildren(...forms.map((form) => download(answer, title, ...form)));
  byId("table-host").replaceChildren(...(table ? [tableShown(table)] : []));
  redraw();
  tell(`Drawn: ${table ? table.title : answer.alt}`);
}

/**
 * Let the axes of the figure be moved.
 *
 * @param {object} answer - The answer that is shown; another one is left alone.
 * @param {{moves: object[]}} orders - Of GET /api/views/{id}/orders.
 * @param {(move: {from: number, to: number, order?: string[]}) => void} moved - Called with a
 *   move that is allowed.
 * @returns {void}
 */
export function letMove(answer, orders, moved) {
  if (!shown || shown.answer !== answer) return;
  shown.orders = {
    moves: orders.moves,
    onOrder: (from, to) => {
      byId("axes-note").hidden = true;
      moved(orders.moves.find((it) => it.from === from && it.to === to) || { from, to });
    },
    onRefused: (why) => {
      byId("axes-note").textContent = why || "An axis may not stand there.";
      byId("axes-note").hidden = false;
    },
  };
  redraw();
}

/** Draw again what is shown, such as in other colours. */
export function redraw() {
  if (!shown) return;
  const host = byId("figure-host");
  if (drawn) drawn.destroy();
  drawn = null;
  host.replaceChildren();
  byId("axes-note").hidden = true;
  byId("axes-hint").hidden = !shown.orders;
  const { scene, table } = shown.answer;
  host.hidden = !scene;
  const look = { theme: theme(), table: !table, ...shown.orders };
  if (scene) drawn = draw(host, table ? { ...scene, title: "" } : scene, look);
}

/** Say beside a plot of a small part how rough it is; below it stands how it was made. */
function sayHowRough(says) {
  const rough = says.split("\n").find((line) => line.startsWith("rough"));
  byId("rough-note").textContent = rough ? `${rough[0].toUpperCase()}${rough.slice(1)}.` : "";
  byId("rough-note").hidden = !rough;
}

function download(answer, title, name, file, says) {
  const button = make("button", {
    type: "button",
    class: "second",
    text: name,
    title: `Save as ${name}: ${says}`,
    "aria-label": `Save as ${name}, ${says}`,
  });
  button.addEventListener("click", async () => {
    if (button.getAttribute("aria-disabled")) return;
    button.setAttribute("aria-disabled", "true");
    const path = `/api/${answer.table ? "tables" : "views"}/${encodeURIComponent(answer.id)}/${file}`;
    try {
      const saved = withToken(() => save(path, fileName(title, file)));
      await whileWaiting(saved, `Making the ${name} …`);
      showProblem(null);
      tell(`Saved as ${name}`);
    } catch (error) {
      showProblem(error);
    } finally {
      button.removeAttribute("aria-disabled");
    }
  });
  return button;
}

/** Name a file after its figure: "Histogram: age by sex" is histogram-age-by-sex.svg. */
function fileName(title, file) {
  const words = title.toLowerCase().split(/[^\p{L}\p{N}_]+/u).filter(Boolean);
  return `${words.join("-").slice(0, LONGEST_NAME)}.${file.split(".")[1]}`;
}
