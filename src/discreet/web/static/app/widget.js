/** The board in a notebook: a page of its own within the cell, which cannot reach the notebook. */

const LOW = 720;
const BESIDE = 48; // pixels of the window that are left to the notebook

/** For notebooks: anywidget calls `render` with a model that holds the page as text. */
export default {
  render({ model, el }) {
    const frame = document.createElement("iframe");
    const tall = document.createElement("button");
    frame.title = model.get("title");
    frame.setAttribute("sandbox", "allow-scripts allow-downloads");
    frame.setAttribute("allow", "clipboard-write");
    frame.srcdoc = model.get("page");
    Object.assign(frame.style, { width: "100%", border: "1px solid #8886", borderRadius: "8px", boxSizing: "border-box" });
    Object.assign(tall.style, { font: "inherit", cursor: "pointer" });
    tall.type = "button";
    const show = (isTall) => {
      frame.style.height = `${isTall ? Math.max(LOW, innerHeight - BESIDE) : LOW}px`;
      tall.textContent = isTall ? "Less height" : "Full height";
      tall.setAttribute("aria-pressed", String(isTall));
    };
    tall.addEventListener("click", () => {
      show(tall.getAttribute("aria-pressed") === "false");
      frame.scrollIntoView({ block: "start" });
    });
    show(false);
    el.append(tall, frame);
  },
};
