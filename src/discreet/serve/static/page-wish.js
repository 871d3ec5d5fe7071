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
import {
  BASE,
  columnsOf,
  COPY,
  dividers,
  drawable,
  followsHeight,
  hasAxes,
  holds,
  isTable,
  methodOf,
  pictureOf,
  PIXELS,
  secondDividers,
  settable,
  sourcesOf,
  together,
} from "./page-picture.js";
import { placed } from "./page-places.js";

const FIRST_AXES = 4;

/** @returns {boolean} Whether a wish is for some rows of the copy, or for new columns. */
export function isDerived(study, wish) {
  return pictureOf(study, wish.kind).derivation && Object.keys(derivationOf(wish)).length > 0;
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
