/** What a board knows of its study: names of pictures, and what goes in place of what. */

import { KINDS } from "../kinds/index.js";
import { allOffers, canDivide, typeOf } from "./offers.js";
import { FORMS_OF_PAGE } from "./save.js";

const NAMES = { summary: "Summary", means: "Means", model: "Model" };
const SERVER_ALONE = ["model", "residuals", "qq", "leverage"];
const NO_METHOD = { promises: "", leaves_open: "" };

/** Return what is known of pictures, whatever is shown. */
export function knowing({ facts, rows, server, says }) {
  const pictures = new Map(facts.pictures.map((it) => [it.kind, it]));
  const survival = facts.suggestions?.find(({ spec }) => spec.kind === "survival")?.spec;
  const isServed = Boolean(server?.file);
  const wayOf = (spec) => ({ way: rows && !SERVER_ALONE.includes(spec.kind) ? "rows" : "server" });
  return {
    facts,
    says,
    rows,
    server,
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
      (wayOf(spec).way === "rows" || Boolean(server)) &&
      !(spec.kind === "contour" && rows?.size < 1000), // their lines are those of chance
    /** What some columns can be drawn by, the most telling first. */
    offersFor(names) {
      const found = allOffers(names, this.columns);
      const group = survival ? names.filter((it) => !survival.columns.includes(it)) : [];
      const isGroup = group.length === 1 && typeOf(this.columns.get(group[0])) === "level" && canDivide(this.columns.get(group[0]));
      const bySurvival = isGroup && !found.some((it) => it.kind === "survival" && it.by) && { ...survival, by: group };
      return [...found, bySurvival].filter((it) => it && this.allows(it));
    },
    hasModels: isServed && facts.tables?.some((it) => it.kind === "model"),
    canSwitch: (spec) =>
      spec.kind === "crosstab" || ((spec.by || []).length > 0 && (spec.kind === "bars" || Boolean(spec.overlay))),
    methodOf(spec, view) {
      const methods = pictures.get(spec.kind)?.methods || [];
      const usual = methods.find((it) => it.usual);
      return methods.find((it) => it.name === view.method) || usual || facts.copy || NO_METHOD;
    },
    /** Another picture that can be drawn in place of one that is refused. */
    insteadOf(refused) {
      if (refused?.nearest) return { words: "Draw the nearest that is allowed", spec: refused.nearest };
      if (refused?.alternative) return { words: "Draw another picture", spec: refused.alternative };
      return null;
    },
    formsOf: ({ spec }) => (isServed ? server.forms(spec) : FORMS_OF_PAGE),
  };
}
