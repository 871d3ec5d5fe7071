/** A figure in a notebook, whose style neither reaches the notebook nor is reached by it. */

import { h } from "../app/dom.js";
import { drawFigure } from "./figure.js";

/** Return what anywidget draws by: its model holds a view as JSON text. */
export const widgetOf = (kinds, style) => ({
  render({ model, el }) {
    const root = el.shadowRoot || el.attachShadow({ mode: "open" });
    const host = h("div");
    root.replaceChildren(h("style", {}, style), host);
    let drawn = null;
    const again = () => {
      drawn?.destroy();
      drawn = drawFigure(host, JSON.parse(model.get("view")), kinds);
    };
    model.on("change:view", again);
    again();
    return () => {
      model.off("change:view", again);
      drawn?.destroy();
    };
  },
});
