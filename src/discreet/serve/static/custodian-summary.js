/** The study's protected summary: every column once, as small multiples. */

import { ask } from "./page-api.js";
import { byId, make } from "./page-dom.js";
import { theme } from "./page-theme.js";
import { tell, whileWaiting } from "./page-wait.js";
import { draw } from "./scene.js";

const STOPS = ["rate", "budget", "token", "unreached"];
let drawn = [];

/**
 * Say what the summary costs, and let its button draw it.
 *
 * @param {object} study - What /api/study tells.
 * @param {() => Promise<void>} after - Called when all is drawn.
 * @returns {void}
 */
export function offerSummary(study, after) {
  const wanted = wantedOf(study);
  const left = Math.max(0, study.allowance.views - study.allowance.used);
  byId("summary-hint").textContent =
    `A histogram or bar chart of each of the ${wanted.length} columns, as an analyst may see it. ` +
    (study.allowance.counts
      ? "They belong to the copy of the whole table, and count to no allowance."
      : `Each counts as a view of your own allowance, of which ${left} are left; ` +
        "those you have asked for before are free.");
  byId("summary-draw").disabled = !wanted.length;
  byId("summary-draw").addEventListener("click", () => drawAll(wanted).then(after));
}

/** Draw again what is shown, in other colours. */
export function redrawSummary() {
  for (const it of drawn) {
    it.figure.destroy();
    it.figure = draw(it.host, it.scene, { theme: theme(), table: true });
  }
}

function wantedOf(study) {
  const kinds = new Set(study.pictures.map((picture) => picture.kind));
  return study.columns
    .map((column) => ({
      column: column.name,
      kind: column.kind === "continuous" ? "histogram" : "bars",
    }))
    .filter(({ kind }) => kinds.has(kind));
}

async function drawAll(wanted) {
  const button = byId("summary-draw");
  button.disabled = true;
  for (const it of drawn) it.figure.destroy();
  drawn = [];
  byId("summary").replaceChildren();
  const all = async () => {
    for (const it of wanted) if (!(await drawOne(it))) return;
  };
  await whileWaiting(all(), "Drawing every column …");
  tell(`${drawn.length} of ${wanted.length} columns are drawn`);
  button.disabled = false;
}

/** Draw one column, or say in its place why not; false where the others would fare no better. */
async function drawOne({ column, kind }) {
  const caption = make("figcaption", { text: column });
  const host = make("div", { class: "host" });
  byId("summary").append(make("figure", {}, caption, host));
  try {
    const { scene } = await ask(`/api/views/${kind}`, { body: { columns: [column] } });
    drawn.push({ host, scene, figure: draw(host, scene, { theme: theme(), table: true }) });
    return true;
  } catch (error) {
    host.replaceChildren(make("p", { class: "note", text: error.message }));
    return !STOPS.includes(error.code);
  }
}
