/** Elements of the page. What they say is text, never markup. */

/**
 * Make an element.
 * @param {string} name - Such as "button", with classes: "button.btn.main".
 * @param {object} [given] - Attributes; `text` is its text, `on` holds listeners, and what is false is left out.
 */
export function h(name, given = {}, ...children) {
  const [tag, ...classes] = name.split(".");
  const made = document.createElement(tag);
  if (classes.length) made.className = classes.join(" ");
  return filled(made, given, children);
}

/** Give an element attributes and children. */
export function filled(made, given, children) {
  for (const [key, value] of Object.entries(given)) {
    if (key === "on") Object.entries(value).forEach(([event, run]) => made.addEventListener(event, run));
    else if (key === "text") made.append(value);
    else if (value === true) made.setAttribute(key, "");
    else if (value !== false && value !== null && value !== undefined) made.setAttribute(key, value);
  }
  made.append(...children.flat().filter(isThere));
  return made;
}

const isThere = (it) => it !== null && it !== undefined && it !== false;

/** @param {string} text - Trusted SVG of this package. @returns {Element} */
export function drawnAs(text) {
  const held = document.createElement("template");
  held.innerHTML = text;
  return held.content.firstElementChild;
}

/** Put children in place of what is in an element. */
export const fill = (host, ...children) =>
  host.replaceChildren(...children.flat().filter(isThere));

/** Hand a file to the browser to save. */
export function handOver(blob, name) {
  const address = URL.createObjectURL(blob);
  const link = h("a", { href: address, download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(address), 10000);
}
