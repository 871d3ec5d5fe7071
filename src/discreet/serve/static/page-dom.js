/** Elements made of texts and nothing else: whatever is data reaches the page as text. */

const SVG = "http://www.w3.org/2000/svg";

/**
 * Make an element.
 *
 * @param {string} tag - Its name.
 * @param {Object<string, any>} [given] - Attributes; `text` is its text, `on` its listeners, and
 *   what is false, null or undefined is left out.
 * @param {...(Node|string|null)} children - What it holds; null is left out.
 * @returns {HTMLElement}
 */
export function make(tag, given = {}, ...children) {
  return filled(document.createElement(tag), given, children);
}

/**
 * Make an element of a drawing.
 *
 * @param {string} tag - Its name.
 * @param {Object<string, any>} [given] - As of `make`.
 * @param {...Node} children - What it holds.
 * @returns {SVGElement}
 */
export function makeSvg(tag, given = {}, ...children) {
  return filled(document.createElementNS(SVG, tag), given, children);
}

/**
 * Find an element of the page that must be there.
 *
 * @param {string} id - Its id.
 * @returns {HTMLElement}
 */
export function byId(id) {
  const found = document.getElementById(id);
  if (!found) throw new Error(`the page has no #${id}`);
  return found;
}

/**
 * Return names as they are read: "a, b and c".
 *
 * @param {string[]} names - Names of columns.
 * @returns {string}
 */
export function listed(names) {
  if (names.length < 2) return names.join("");
  return `${names.slice(0, -1).join(", ")} and ${names[names.length - 1]}`;
}

/**
 * Return a function that runs once calls of it have stopped for a while.
 *
 * @param {() => void} run - What to do.
 * @param {number} wait - Milliseconds.
 * @returns {() => void}
 */
export function settled(run, wait) {
  let timer = 0;
  return () => {
    window.clearTimeout(timer);
    timer = window.setTimeout(run, wait);
  };
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
