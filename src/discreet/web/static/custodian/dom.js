/** Elements made of texts and nothing else: whatever is data reaches the page as text. */

const SVG = "http://www.w3.org/2000/svg";

/**
 * Make an element.
 * @param {Object<string, any>} [given] - Attributes; `text` is its text, `on` its listeners, and
 *   what is false, null or undefined is left out.
 */
export function make(tag, given = {}, ...children) {
  return filled(document.createElement(tag), given, children);
}

/** Make an element of a drawing. */
export function makeSvg(tag, given = {}, ...children) {
  return filled(document.createElementNS(SVG, tag), given, children);
}

/** Find an element of the page that must be there. */
export function byId(id) {
  const found = document.getElementById(id);
  if (!found) throw new Error(`the page has no #${id}`);
  return found;
}

/** Return a function that runs once calls of it have stopped for a while. */
export function settled(run, wait) {
  let timer = 0;
  return () => {
    window.clearTimeout(timer);
    timer = window.setTimeout(run, wait);
  };
}

/** Copy a text, and say so; where the browser does not let it, say what to do. */
export async function copied(text, says, page) {
  try {
    await navigator.clipboard.writeText(text);
    page.toast(says);
  } catch {
    page.toast("Mark it and copy it with the keys.");
  }
}

function filled(element, given, children) {
  for (const [name, value] of Object.entries(given)) {
    if (value === false || value === null || value === undefined) continue;
    if (name === "text") element.textContent = String(value);
    else if (name === "on") {
      for (const [event, run] of Object.entries(value)) element.addEventListener(event, run);
    } else element.setAttribute(name, value === true ? "" : String(value));
  }
  element.append(...children.filter((child) => child !== null));
  return element;
}
