/** The board in one file, which holds the rows and asks nobody: a mail's, or a notebook's. */

import { actsOf } from "./acts.js";
import { openBoard } from "./board.js";
import { fill, h } from "./dom.js";
import { listen } from "./keys.js";
import { rowsInThread } from "./thread.js";
import { pythonOf } from "./words.js";

const held = (id) => document.getElementById(id).textContent;

/** Pictures that Python alone makes: each is refused, with the line that makes it there. */
function inPython({ python }) {
  const says = "Models and what is drawn of them need Python: this page draws pictures of rows.";
  return {
    answer: async (spec, state) => ({
      refused: { says, python: python !== null && pythonOf(spec, state, python), lasts: true },
    }),
  };
}

/** Return the bytes that stand in the file as text. */
async function unpacked(text) {
  const packed = new Blob([Uint8Array.from(atob(text), (it) => it.charCodeAt(0))]);
  return new Response(packed.stream().pipeThrough(new DecompressionStream("gzip"))).arrayBuffer();
}

async function begin(host) {
  const facts = JSON.parse(held("facts"));
  const script = URL.createObjectURL(new Blob([held("worker")], { type: "text/javascript" }));
  const rows = await rowsInThread(script, await unpacked(held("rows")), facts);
  const source = {
    facts,
    rows: { ...rows, size: facts.rows.rows },
    server: inPython(facts),
    answers: facts.answers,
    says: { study: facts.study, version: facts.part, promise: facts.policy.promise, sign: facts.policy.k ? "shield" : "info" },
  };
  const board = openBoard(host, source, { takeToken: () => {}, tools: ["rail", "palette", "undo", "redo", ...(facts.studies ? ["studies"] : []), "boards", "theme"] });
  listen(host, board, actsOf(board, {}));
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", board.redraw);
  await board.again();
}

const host = document.getElementById("page");
begin(host).catch((error) => {
  fill(host, h("main.alone", {}, h("div.no", {}, h("p", { role: "alert" }, error.message))));
});
