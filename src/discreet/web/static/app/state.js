/** What a board shows, as it stands in the address: filters, those that are off, new columns, cards, arrangement. */

export const EMPTY = { where: [], off: [], assign: [], cards: [], abreast: "", show: "", name: "" };

const LISTS = ["by", "reference"]; // of a spec: what may be several columns, or levels of some
const TEXTS = ["title", "note"]; // what somebody wrote of a card
const NUMBERS = ["bins", "grid", "ranges"];

/** Return the address of a state; names and expressions are escaped, signs between them are not. */
export function written(state) {
  const parts = {
    cards: state.cards.map(writtenSpec).join(";"),
    where: state.where.map(encodeURIComponent).join(","),
    off: state.off.map(([place, text]) => `${place}:${encodeURIComponent(text)}`).join(","),
    new: state.assign.map((pair) => pair.map(encodeURIComponent).join(":")).join(","),
    abreast: state.abreast,
    show: state.show,
    name: encodeURIComponent(state.name),
  };
  return Object.entries(parts)
    .filter(([, value]) => value)
    .map(([name, value]) => `${name}=${value}`)
    .join("&");
}

/** Return the state of an address; what it cannot read is left out. */
export function read(hash) {
  const parts = new Map(
    hash.replace(/^#/, "").split("&").filter(Boolean).map((it) => cut(it, "=")),
  );
  const list = (name, by) => (parts.get(name) || "").split(by).filter(Boolean);
  const abreast = parts.get("abreast") || "";
  return {
    where: list("where", ",").map(decoded),
    off: list("off", ",").map((it) => cut(it, ":")).filter(([, text]) => text).map(([place, text]) => [Number(place) || 0, decoded(text)]),
    assign: list("new", ",").map((it) => cut(it, ":").map(decoded)).filter(([, text]) => text),
    cards: list("cards", ";").map(readSpec).filter(Boolean),
    abreast: /^[1-4]$/.test(abreast) ? abreast : "",
    show: parts.get("show") === "overview" ? "overview" : "",
    name: decoded(parts.get("name") || ""),
  };
}

/**
 * Return a spec as it stands in an address: "histogram:bmi:by=sex".
 * @param {object} spec - `kind`, `columns`, and what a picture is asked for with.
 */
export function writtenSpec(spec) {
  const { kind, columns, ...more } = spec;
  const named = Object.entries(more)
    .filter(([, value]) => value !== undefined && value !== "" && value !== false)
    .map(([name, value]) => `${name}=${[value].flat().map(encodeURIComponent).join(",")}`);
  return [kind, columns.map(encodeURIComponent).join(","), ...named].join(":");
}

/** @param {string} text - As `writtenSpec` returns it. @returns {object|null} */
export function readSpec(text) {
  const [kind, columns, ...more] = text.split(":");
  if (!/^[a-z_]+$/.test(kind) || columns === undefined) return null;
  const spec = { kind, columns: columns.split(",").filter(Boolean).map(decoded) };
  for (const [name, value] of more.map((it) => cut(it, "="))) {
    if (/^[a-z_]+$/.test(name) && !(name in spec)) spec[name] = meant(name, value.split(",").map(decoded));
  }
  return spec.columns.length || spec.formula || spec.kind === "text" ? spec : null;
}

function meant(name, values) {
  if (LISTS.includes(name)) return values;
  const [value] = values;
  if (NUMBERS.includes(name)) return Number(value);
  if (TEXTS.includes(name)) return value;
  return value === "true" ? true : value;
}

/** The levels that others of a model are compared with, by their columns. */
export const referencesOf = ({ reference = [] }) => Object.fromEntries(reference.map((it) => cut(it, "=").map(decoded)));
/** As a spec has them. */
export const asReference = (levels) => Object.entries(levels).map((pair) => pair.map(encodeURIComponent).join("="));

/** A spec without what is not said. */
export const plain = (spec) => Object.fromEntries(Object.entries(spec).filter(([, it]) => it !== undefined && it !== ""));

/** A spec without what stands beside its picture. */
export const bareSpec = (spec) => ({ ...spec, wide: undefined, sort: undefined, answer: undefined, title: undefined, note: undefined });

/** What of a card stays when its picture is another. */
export const besideOf = ({ wide, title, note }) => ({ wide, title, note });

function cut(text, sign) {
  const at = text.indexOf(sign);
  return at < 0 ? [text, ""] : [text.slice(0, at), text.slice(at + 1)];
}

function decoded(text) {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
