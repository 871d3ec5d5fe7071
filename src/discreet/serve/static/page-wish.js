/**
 * What the form holds, as plain values, and how it becomes the body of a request.
 *
 * `source` is one of those of the picture; empty where a study has a single one.
 *
 * @typedef {{kind: string, columns: string[], formula: string, by: string, bySecond: string,
 *   source: string, method: string, parameters: Object<string, any>, sensitive: string[],
 *   where: string, assign: string}} Wish
 */

import { derivationOf, linesOf, withNew } from "./page-derived.js";
import { placed } from "./page-places.js";

const PIXELS = "pixels";
const FIRST_AXES = 4;
const NEW = "new"; // the kind of a column that was not made yet: it may turn out to be any

/** What a picture can come from where there is a copy of the whole table, as the server names it. */
export const BASE = "base counts";
export const COPY = "copy";
export const COUNTS = "counts";

/**
 * @param {object} study - What /api/study tells.
 * @param {string} kind - The kind of a picture.
 * @returns {object} The picture, or the table.
 */
export function pictureOf(study, kind) {
  const all = [...study.pictures, ...study.tables];
  return all.find((picture) => picture.kind === kind) || study.pictures[0];
}

/** @returns {boolean} Whether what can be asked for is a table of figures, and no plot. */
export function isTable(picture) {
  return Boolean(picture.fields);
}

/** @returns {object[]} The columns of the copy that a field of a table may name. */
export function columnsOf(study, { kind }) {
  return study.columns.filter((column) => fitsKind(column, kind) && holds(column, COPY));
}

function fitsKind(column, kind) {
  return ["any", column.kind].includes(kind) || column.kind === NEW;
}

/**
 * @param {object} picture - A picture.
 * @param {string[]} columns - The columns it draws.
 * @returns {string[]} What it can come from: of tables those that are listed alone from base counts.
 */
export function sourcesOf({ sources, tables }, columns = []) {
  const listed = (it) => it.length === columns.length && it.every((name) => columns.includes(name));
  return !tables || tables.some(listed) ? sources : sources.filter((it) => it !== BASE);
}

/**
 * @param {object} picture - A picture.
 * @param {{source?: string, method?: string, columns?: string[]}} wish - What is wanted: a source,
 *   or one's method.
 * @returns {string} Where it comes from: the first of its sources where nothing is named.
 */
export function sourceOf(picture, { source, method, columns }) {
  const sources = sourcesOf(picture, columns);
  if (!source || !sources.includes(source)) {
    const there = (it) => !it.source || sources.includes(it.source);
    const named = picture.methods.find((it) => it.name === method && there(it));
    return (named ? named.source : sources[0]) || "";
  }
  return source;
}

/** @returns {object[]} The methods by which a picture is made of a source. */
export function methodsOf(picture, source) {
  return picture.methods.filter((it) => (it.source || "") === source);
}

/**
 * @param {object} picture - A picture.
 * @param {{source?: string, method?: string}} wish - A method's name, and that of its source.
 * @returns {object} The method; the usual one of the source where there is none of this name.
 */
export function methodOf(picture, wish) {
  const methods = methodsOf(picture, sourceOf(picture, wish));
  const named = methods.find((it) => it.name === wish.method);
  return named || methods.find((it) => it.usual) || methods[0];
}

/** @returns {boolean} Whether each column of a picture has a place of its own. */
export function hasSlots(picture) {
  if (picture.takes !== "columns") return false;
  const { least, most, places } = picture.columns;
  return Boolean(places) || least === most;
}

/** @returns {boolean} Whether the columns of a picture are axes, in an order. */
export function hasAxes(picture) {
  return picture.takes === "columns" && picture.columns.kind === "any" && !hasSlots(picture);
}

/** @returns {boolean} Whether a wish is for some rows of the copy, or for new columns. */
export function isDerived(study, wish) {
  return pictureOf(study, wish.kind).derivation && Object.keys(derivationOf(wish)).length > 0;
}

/** @returns {boolean} Whether a column is held by what a picture comes from. */
export function holds(column, source) {
  return !source || column.sources.includes(source === BASE ? COUNTS : source);
}

/** @returns {object[]} The columns that a picture can draw by a method, at one of its places. */
export function drawable(study, picture, method, place = -1) {
  const { kind } = picture.columns.places?.[place] ?? picture.columns;
  return study.columns.filter((it) => fitsKind(it, kind) && holds(it, method.source));
}

/**
 * Say which columns may stand beside others: rows are seen within one settled group alone, but
 * for those of a copy of the whole table.
 *
 * @param {object} study - What /api/study tells.
 * @param {object} method - The method of the picture.
 * @param {string[]} others - The columns chosen before.
 * @returns {(name: string) => boolean}
 */
export function together(study, method, others) {
  const apart = study.policy.regime === "guarded" && method.rows && method.source !== COPY;
  if (!apart || !study.groups.length) return () => true;
  return (name) => study.groups.some((group) => [...others, name].every((it) => group.includes(it)));
}

/**
 * Return the columns that may divide a picture.
 *
 * @param {object} picture - A picture.
 * @param {object} method - Its method.
 * @param {string[]} columns - The columns it draws.
 * @returns {string[]}
 */
export function dividers(picture, method, columns) {
  // Boxes stand for columns or for levels, not for both.
  const many = !picture.columns?.places && columns.length > picture.columns?.least;
  if (!picture.by || many || method.source === BASE) return [];
  const names = method.rows ? picture.by.rows : picture.by.columns;
  return names.filter((name) => !columns.includes(name));
}

/**
 * Return the columns that may divide a picture beside a first one: of the copy of the whole table.
 *
 * @param {object} picture - A picture.
 * @param {object} method - Its method.
 * @param {Wish} wish - What the form holds.
 * @returns {string[]}
 */
export function secondDividers(picture, method, wish) {
  if (!wish.by || method.source !== COPY) return [];
  return dividers(picture, method, wish.columns).filter((name) => name !== wish.by);
}

/** @returns {object[]} The parameters that somebody can set with a method. */
export function settable(picture, method) {
  return picture.parameters.filter(
    (it) =>
      !it.fixed && it.name !== PIXELS && (!it.methods || it.methods.includes(method.name)),
  );
}

/** @returns {boolean} Whether a picture by a method follows the height of the window. */
export function followsHeight(picture, method) {
  return picture.parameters.some(
    (it) => it.name === PIXELS && !it.fixed && (!it.methods || it.methods.includes(method.name)),
  );
}

/**
 * Return what the form holds when a kind of picture is chosen.
 *
 * @param {object} study - What /api/study tells.
 * @param {string} kind - The kind.
 * @param {Wish|null} before - What it held; what fits is kept.
 * @returns {Wish}
 */
export function wishFor(study, kind, before = null) {
  const picture = pictureOf(study, kind);
  const columns = before ? before.columns : [];
  // Two columns of another picture are a beginning of parallel coordinates, not the whole.
  const begun = hasAxes(picture) && columns.length <= 2;
  const wish = {
    kind: picture.kind,
    columns: begun ? columns.slice(0, 1) : columns,
    formula: before ? before.formula : "",
    by: before ? before.by : "",
    bySecond: before ? before.bySecond : "",
    source: "",
    method: "",
    parameters: {},
    sensitive: before ? before.sensitive : [],
    where: before ? before.where : "",
    assign: before ? before.assign : "",
  };
  return fitted(study, wish);
}

/**
 * Return a wish with what does not fit its picture and method replaced.
 *
 * @param {object} known - What /api/study tells.
 * @param {Wish} wanted - What the form holds.
 * @returns {Wish}
 */
export function fitted(known, wanted) {
  const derived = isDerived(known, wanted);
  const study = derived ? withNew(known, wanted, COPY) : known;
  const wish = derived ? { ...wanted, source: COPY, method: "" } : wanted;
  const picture = pictureOf(study, wish.kind);
  if (isTable(picture)) return { ...wish, columns: [], by: "", bySecond: "", ...named(study, picture, wish) };
  let method = methodOf(picture, wish);
  const columns = picture.takes === "formula" ? wish.columns : fitting(study, picture, method, wish);
  method = methodOf(picture, { ...wish, columns });
  const able = new Set(settable(picture, method).map((it) => it.name));
  const parameters = Object.fromEntries(
    Object.entries(wish.parameters).filter(([name]) => able.has(name)),
  );
  const by = dividers(picture, method, columns).includes(wish.by) ? wish.by : "";
  const seconds = secondDividers(picture, method, { ...wish, columns, by });
  const bySecond = seconds.includes(wish.bySecond) ? wish.bySecond : "";
  const source = method.source || "";
  return { ...wish, source, method: method.name, columns, by, bySecond, parameters };
}

/** Return the columns and words of a table that fit, each column once, and as many as it needs. */
function named(study, { fields }, wish) {
  const parameters = {};
  const taken = new Set();
  for (const field of fields) {
    const value = wish.parameters[field.name];
    if (!field.type.startsWith("column")) {
      if (value !== undefined) parameters[field.name] = value;
      continue;
    }
    const names = columnsOf(study, field).map(({ name }) => name);
    const free = names.filter((name) => !taken.has(name));
    const kept = (Array.isArray(value) ? value : []).filter((name) => free.includes(name));
    const more = free.filter((name) => !kept.includes(name)).slice(0, field.least);
    parameters[field.name] = kept.length < field.least ? more : kept.slice(0, field.most);
    parameters[field.name].forEach((name) => taken.add(name));
  }
  return { parameters };
}

/** Return the body of a request for a table: what may be left out and is not there is left out. */
function bodyOfTable({ fields }, wish) {
  const body = derivationOf(wish);
  for (const { name, type, choices } of fields) {
    const value = type === "formula" ? wish.formula : wish.parameters[name];
    if (!value || !value.length || (type === "word" && value === choices[0])) continue;
    body[name] = type === "column" ? value[0] : value;
  }
  return body;
}

function wishOfTable(study, { kind, fields }, { where, assign, formula, ...rest }) {
  const parameters = { ...rest };
  for (const { name, type } of fields) {
    if (type === "column") parameters[name] = rest[name] ? [rest[name]] : [];
  }
  const given = { formula: formula || "", where: where || "", assign: linesOf(assign) };
  const none = { columns: [], by: "", bySecond: "", source: "", method: "", sensitive: [] };
  return fitted(study, { kind, ...none, parameters, ...given });
}

function fitting(study, picture, method, wish) {
  const names = drawable(study, picture, method).map((column) => column.name);
  const { least, most } = picture.columns;
  let kept = [];
  const keep = (name, wanted) => {
    const fits = names.includes(name) && !kept.includes(name) && kept.length < wanted;
    if (fits && together(study, method, kept)(name)) kept.push(name);
  };
  if (picture.columns.places) {
    return placed(study, picture, wish, (at) => drawable(study, picture, method, at));
  }
  wish.columns.forEach((name) => keep(name, most));
  if (kept.length >= least) return kept;
  if (hasAxes(picture)) {
    const likely = chain(study, method, names, kept);
    kept = likely.length > 1 ? [] : kept;
    likely.forEach((name) => keep(name, FIRST_AXES));
  }
  // Too few to draw: the first columns that fit beside them are as good as any.
  names.forEach((name) => keep(name, least));
  return kept;
}

/** Name columns that may stand side by side, as far as the study has said which may. */
function chain(study, method, names, before) {
  const { declared, drawn } = study.pairs;
  const pairs = declared.length ? declared : drawn;
  const calm = names.filter(
    (name) => study.columns.find((column) => column.name === name).role !== "sensitive",
  );
  const free = study.policy.regime !== "guarded" || method.source === COPY;
  if (free || !pairs.length) return [...new Set([...before, ...calm])];
  const named = pairs.flat();
  const out = before.filter((name) => named.includes(name) && calm.includes(name));
  const beside = (a, b) => pairs.some((pair) => pair.includes(a) && pair.includes(b));
  for (;;) {
    const last = out[out.length - 1];
    const next = calm.find(
      (name) => !out.includes(name) && (last ? beside(last, name) : named.includes(name)),
    );
    if (!next) return out;
    out.push(next);
  }
}

/**
 * Return the body of a request: what is usual or fixed is left out.
 *
 * @param {object} study - What /api/study tells.
 * @param {Wish} wish - What the form holds.
 * @param {number} pixels - The height of the figure, for a picture that follows it.
 * @returns {object}
 */
export function bodyOf(study, wish, pixels) {
  const picture = pictureOf(study, wish.kind);
  if (isTable(picture)) return bodyOfTable(picture, wish);
  const method = methodOf(picture, wish);
  const body = picture.takes === "formula" ? { formula: wish.formula } : { columns: wish.columns };
  if (wish.by) body.by = wish.bySecond ? [wish.by, wish.bySecond] : wish.by;
  const [usual] = sourcesOf(picture, wish.columns);
  const derived = isDerived(study, wish); // of the copy alone
  if (derived) Object.assign(body, derivationOf(wish));
  if (method.source && method.source !== usual && !derived) body.source = method.source;
  if (!method.usual) body.method = method.name;
  for (const it of settable(picture, method)) {
    const value = wish.parameters[it.name];
    if (value !== undefined && value !== it.usual) body[it.name] = value;
  }
  const sensitive = wish.sensitive.filter((name) => wish.columns.includes(name));
  if (hasAxes(picture) && sensitive.length) body.sensitive = sensitive;
  if (followsHeight(picture, method)) body[PIXELS] = pixels;
  return body;
}

/**
 * Return what the form holds for a body, the other way round.
 *
 * @param {object} study - What /api/study tells.
 * @param {string} kind - The kind of picture.
 * @param {object} body - The body of a request.
 * @returns {Wish}
 */
export function wishOf(study, kind, body) {
  const asked = pictureOf(study, kind);
  if (isTable(asked)) return wishOfTable(study, asked, body);
  const { columns = [], formula = "", by, source, method, sensitive, where, assign, ...rest } = body;
  delete rest[PIXELS];
  const parameters = Object.fromEntries(
    Object.entries(rest).filter(([, value]) => value !== null && value !== undefined),
  );
  const [first = "", second = ""] = [by || []].flat();
  const set = first || Object.keys(parameters).length; // what base counts are not divided or set by
  const usual = set && pictureOf(study, kind).sources.includes(BASE) && !method ? COPY : "";
  return fitted(study, {
    kind,
    columns,
    formula,
    by: first,
    bySecond: second,
    source: source || usual,
    method: method || "",
    parameters,
    sensitive: Array.isArray(sensitive) ? sensitive : [],
    where: where || "",
    assign: linesOf(assign),
  });
}

/**
 * Return the list with one item at another place.
 *
 * @template T
 * @param {T[]} list - The items.
 * @param {number} from - Where it is.
 * @param {number} to - Where it goes.
 * @returns {T[]}
 */
export function moved(list, from, to) {
  const out = list.filter((_, place) => place !== from);
  out.splice(to, 0, list[from]);
  return out;
}
