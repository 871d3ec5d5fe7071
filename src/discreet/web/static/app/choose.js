/** A searchable choice: a field, and a list of what has the words that are typed in its name. */

import { fill, h } from "./dom.js";

const MOST_LISTED = 200;
const LEAST_ROOM = 220; // pixels below the field; with less, the list goes where there is more
let fields = 0;

/**
 * Make the field: a combobox. Typing searches, arrow keys walk the list, Enter takes, Escape closes.
 * @param {object} given - `choices`, each `{name, label, more?}`; the name that is `chosen` at
 *   first; and `pick(name)`, which hears of each that is taken.
 * @returns {{element: HTMLElement, field: HTMLInputElement, open: () => void}}
 */
export function choose({ label, choices, pick, chosen = "", placeholder = "" }) {
  fields += 1;
  const id = `choice-${fields}`;
  const labelOf = (name) => choices.find((it) => it.name === name)?.label ?? "";
  const field = h("input", {
    ...{ id, type: "text", role: "combobox", "aria-expanded": "false", "aria-controls": `${id}-list` },
    ...{ "aria-autocomplete": "list", autocomplete: "off", autocapitalize: "off", spellcheck: "false" },
    ...{ placeholder, value: labelOf(chosen) },
  });
  const list = h("ul.offer.choices", { id: `${id}-list`, role: "listbox", "aria-label": label, popover: "manual" });
  let now = chosen;
  let at = -1;

  const isOpen = () => list.matches(":popover-open");
  const mark = (place) => {
    at = place;
    [...list.children].forEach((it, i) => it.setAttribute("aria-selected", String(i === at)));
    const it = list.children[at];
    if (it) field.setAttribute("aria-activedescendant", it.id);
    else field.removeAttribute("aria-activedescendant");
    it?.scrollIntoView({ block: "nearest" });
  };
  const place = () => {
    const { left, top, bottom, width } = field.getBoundingClientRect();
    const [above, below] = [top - 8, innerHeight - bottom - 8];
    const isBelow = below >= LEAST_ROOM || below >= above;
    const style = { left, width, "max-height": Math.min(isBelow ? below : above, 320), [isBelow ? "top" : "bottom"]: isBelow ? bottom + 2 : innerHeight - top + 2 };
    list.removeAttribute("style");
    for (const [name, value] of Object.entries(style)) list.style.setProperty(name, `${value}px`);
  };
  const show = (words) => {
    const found = choices.filter((it) => has(it, words)).slice(0, MOST_LISTED);
    const none = h("li", { role: "option", id: `${id}-none`, "aria-disabled": "true" }, `Nothing has “${words}” in its name.`);
    fill(list, found.length ? found.map(optionOf) : none);
    if (!isOpen()) {
      list.showPopover();
      document.addEventListener("scroll", scrolled, true);
      field.setAttribute("aria-expanded", "true");
    }
    place();
    mark(words && found.length ? 0 : found.findIndex((it) => it.name === now));
  };
  const optionOf = ({ name, label: says, more }, i) =>
    h("li", { role: "option", id: `${id}-${i}`, "aria-selected": "false", "data-name": name }, h("bdi", {}, says), more && h("small", {}, more));
  const scrolled = ({ target }) => target !== list && (field.isConnected ? place() : close());
  const close = () => {
    document.removeEventListener("scroll", scrolled, true);
    if (list.isConnected && isOpen()) list.hidePopover();
    field.setAttribute("aria-expanded", "false");
    field.removeAttribute("aria-activedescendant");
    field.value = labelOf(now);
  };
  const take = (option) => {
    if (option?.dataset.name === undefined) return;
    now = option.dataset.name;
    close();
    pick(now);
  };

  field.addEventListener("click", () => isOpen() || open());
  field.addEventListener("input", (event) => {
    event.stopPropagation(); // what is searched for changes nothing yet
    show(field.value.trim());
  });
  field.addEventListener("blur", close);
  field.addEventListener("keydown", (event) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    const many = list.children.length;
    if (step && !isOpen()) open();
    else if (step) mark(at < 0 && step < 0 ? many - 1 : (at + step + many) % many);
    else if (isOpen() && event.key === "Enter") take(list.children[at]);
    else if (isOpen() && event.key === "Escape") close();
    else return;
    event.preventDefault();
    event.stopPropagation();
  });
  list.addEventListener("pointerdown", (event) => event.preventDefault()); // the field keeps the focus
  list.addEventListener("click", (event) => take(event.target.closest("li")));
  const open = () => {
    field.focus();
    field.select();
    show("");
  };
  return { element: h("div.choice", {}, h("label", { for: id }, label), field, list), field, open };
}

const has = ({ name, label, more = "" }, words) =>
  words.toLowerCase().split(/\s+/).every((word) => `${label} ${name} ${more}`.toLowerCase().includes(word));
