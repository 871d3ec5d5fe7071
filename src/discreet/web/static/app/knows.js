/** What a board knows of its study: names and prices of pictures, and what goes in place of what. */

import { KINDS } from "../kinds/index.js";
import { writtenSpec } from "./state.js";
import { isCounted } from "./words.js";

const NAMES = { summary: "Summary", means: "Means", model: "Model" };
const SERVER_ALONE = ["model", "residuals", "qq", "leverage"];
const OF_PAGE = ["PNG", "SVG", "JSON"];
const IN_PYTHON = "in Python";
const UNCOUNTED = { promises: "", leaves_open: "" };

/**
 * Return what is known of pictures, whatever is shown.
 *
 * @param {object} source - Where pictures come from.
 * @returns {object}
 */
export function knowing({ facts, rows, counted }) {
  const pictures = new Map(facts.pictures.map((it) => [it.kind, it]));
  const paid = new Set();
  const sourcesOf = (kind) => pictures.get(kind)?.sources || [];
  const whole = sourcesOf("histogram").length > 0;
  const isServed = Boolean(counted?.file);
  const wayOf = (spec) => {
    if (isCounted(spec)) return { way: "server" };
    if (rows && !SERVER_ALONE.includes(spec.kind)) return { way: "rows" };
    return { way: "server" };
  };
  return {
    facts,
    rows,
    counted,
    paid,
    isServed,
    isDark: () => {
      const chosen = document.documentElement.dataset.theme;
      return chosen ? chosen === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
    },
    wayOf,
    pictureOf: (kind) => pictures.get(kind),
    nameOf: (kind) => pictures.get(kind)?.title || NAMES[kind] || kind,
    allows: (spec) =>
      KINDS.has(spec.kind) &&
      (pictures.has(spec.kind) || spec.kind in NAMES || Boolean(rows)) &&
      (wayOf(spec).way === "rows" || Boolean(counted)),
    /** What a picture costs, or nothing where it is free or seen before. */
    priceOf: (spec) => {
      if (wayOf(spec).way === "rows" || (isServed && whole && !isCounted(spec))) return "";
      if (!isServed) return IN_PYTHON;
      return paid.has(writtenSpec({ ...spec, wide: undefined })) ? "" : "1 view";
    },
    canCount: (spec) =>
      Boolean(counted) && sourcesOf(spec.kind).includes("counts") && (spec.by || []).length < 2,
    canSwitch: (spec) =>
      spec.kind === "crosstab" || ((spec.by || []).length > 0 && (spec.kind === "bars" || Boolean(spec.overlay))),
    methodOf(spec, view) {
      const methods = pictures.get(spec.kind)?.methods || [];
      const wanted = view.method || (isCounted(spec) ? "" : "whole");
      const usual = methods.find((it) => (isCounted(spec) ? it.source !== "copy" : it.source === "copy"));
      return methods.find((it) => it.name === wanted) || usual || facts.copy || UNCOUNTED;
    },
    /** Another picture that can be drawn in place of one that is refused. */
    insteadOf(spec, refused) {
      if (refused?.nearest) return { words: "Draw the nearest that is allowed", spec: refused.nearest };
      if (isCounted(spec) && rows) return { words: "Draw it from the copy, free", spec: { ...spec, source: undefined } };
      if (refused?.alternative) return { words: "Draw another picture", spec: refused.alternative };
      return null;
    },
    formsOf: ({ spec }) => (isServed ? counted.forms(spec) : OF_PAGE),
  };
}
