/** A regression: its table is made by the server, since copies of the copy go into it. */

import { drawTable } from "../draw/table.js";
import { Refused } from "../rows/refused.js";

export const model = {
  name: "model",

  title: ({ formula, family = "linear" }) => `${NAMES[family] || "Model"}: ${formula}`,

  make(part, { formula, family, event_is: event, reference }) {
    const given = [formula, ...(family && family !== "linear" ? [family] : [])].map(quoted);
    const named = event ? [`event_is=[${[event].flat().map(quoted).join(", ")}]`] : [];
    const compared = reference ? [`reference=${quoted(reference)}`] : [];
    const python = `study.model(${[...given, ...named, ...compared].join(", ")})`;
    throw new Refused(`Models need Python. In a notebook: ${python}`, { python });
  },

  draw: (view, box, look) => drawTable(view, look),
};

const NAMES = { linear: "Linear model", logistic: "Logistic model", cox: "Cox model" };

/** Text as Python writes it: JSON's escapes are among its own. */
const quoted = (text) => JSON.stringify(text);
