/** Which rows of the copy, and which new columns, as plain values. */

/**
 * @param {{where: string, assign: string}} wish - What the form holds.
 * @returns {{where?: string, assign?: Object<string, string>}} What of it a body has.
 */
export function derivationOf(wish) {
  const found = {};
  const pairs = pairsOf(wish.assign).filter(([name, text]) => name && text);
  if (wish.where.trim()) found.where = wish.where;
  if (pairs.length) found.assign = Object.fromEntries(pairs);
  return found;
}

/** @returns {string} What the field of new columns holds for those of a body. */
export function linesOf(assign) {
  return Object.entries(assign || {}).map(([name, text]) => `${name} = ${text}`).join("\n");
}

/**
 * Return a study with the new columns of a wish beside its own: what they hold is known to the
 * server alone, so that they are offered wherever a column is.
 *
 * @param {object} study - What /api/study tells.
 * @param {{assign: string}} wish - What the form holds.
 * @param {string} source - What they can be drawn from.
 * @returns {object}
 */
export function withNew(study, wish, source) {
  const known = new Set(study.columns.map(({ name }) => name));
  const names = Object.keys(derivationOf(wish).assign || {}).filter((name) => !known.has(name));
  if (!names.length) return study;
  const made = names.map((name) => ({ name, kind: "new", role: "other", sources: [source] }));
  const pictures = study.pictures.map((it) =>
    it.by && it.derivation ? { ...it, by: { ...it.by, rows: [...it.by.rows, ...names] } } : it,
  );
  return { ...study, columns: [...study.columns, ...made], pictures };
}

function pairsOf(text) {
  const lines = text.split("\n").filter((line) => line.trim());
  return lines.map((line) => {
    const at = line.indexOf("=");
    return at < 0 ? ["", line] : [line.slice(0, at).trim(), line.slice(at + 1).trim()];
  });
}

/** @returns {string} What is wrong with lines of new columns; nothing where nothing is. */
export function wrongLine(text) {
  const names = pairsOf(text).map(([name, written]) => (written ? name : ""));
  const wrong = names.findIndex((name, at) => !name || names.indexOf(name) !== at);
  if (wrong < 0) return "";
  return `New column ${wrong + 1}: write NAME = EXPRESSION, each name once.`;
}
