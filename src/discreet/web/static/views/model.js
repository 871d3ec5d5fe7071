/** A regression and its residuals: a server makes them, since copies of the copy go into them. */

import { Refused } from "../rows/refused.js";

export const model = {
  make(part, { formula, family, event_is: event, reference }) {
    const given = [formula, ...(family && family !== "linear" ? [family] : [])].map(quoted);
    const named = event ? [`event_is=[${[event].flat().map(quoted).join(", ")}]`] : [];
    const compared = reference ? [`reference=${quoted(reference)}`] : [];
    const python = `study.model(${[...given, ...named, ...compared].join(", ")})`;
    throw new Refused(`Models need Python. In a notebook: ${python}`, { python });
  },
};

/** How well it fits: three pictures of its residuals. */
export const diagnostic = (name) => ({
  make(part, { formula = "" }) {
    const python = `study.${name}(${quoted(formula)})`;
    throw new Refused(`Models need Python. In a notebook: ${python}`, { python });
  },
});

/** Text as Python writes it: JSON's escapes are among its own. */
const quoted = (text) => JSON.stringify(text);
