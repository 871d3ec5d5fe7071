/** A page that holds a figure and asks nobody for anything. */

import { handOver } from "../app/dom.js";
import { drawFigure } from "./figure.js";

const held = (id) => document.getElementById(id);

/** @param {object} kinds - What draws the view that the page holds. */
export function openPage(kinds) {
  const view = JSON.parse(held("view").textContent);
  const { name } = document.documentElement.dataset;
  const words = { title: document.querySelector("h1").textContent, says: held("short").textContent };
  const drawn = drawFigure(held("picture"), view, kinds, words);
  held("svg").addEventListener("click", () =>
    handOver(new Blob([drawn.svg()], { type: "image/svg+xml" }), `${name}.svg`));
  held("png").addEventListener("click", async () => handOver(await drawn.png(), `${name}.png`));
  held("save").hidden = false;
}
