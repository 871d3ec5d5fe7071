/** What a picture or a table can be asked for with, by what /api/study tells of it, as plain values. */

/** The parameter that is the height of a picture: it follows the window. */
export const PIXELS = "pixels";
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
 * @param {import("./page-wish.js").Wish} wish - What the form holds.
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
