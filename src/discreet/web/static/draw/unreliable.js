/** What a card says first where the copy cannot carry what it compares; as discreet.render.subtitle has it. */

/**
 * Find the note that a comparison is not reliable.
 * @param {object} view - Of the server: a table has notes, a plot has remarks of its origin.
 * @returns {{says: string, all: boolean}} The note, "" where there is none; `all` where nothing
 *   that is compared is reliable, so that the picture is shown grey.
 */
export function unreliableIn(view) {
  const notes = [...(view?.notes || []), ...(view?.origin?.remarks || [])];
  const says = notes.find((it) => it.startsWith("not reliable")) || "";
  const others = notes.some((it) => it.startsWith("differences "));
  return { says: says && says[0].toUpperCase() + says.slice(1), all: Boolean(says) && !others };
}

/** @returns {string[]} How far what a picture shows may be off: bars, counts, and differences of groups. */
export function offIn(view) {
  const notes = view?.origin?.remarks || [];
  return notes.filter((it) => /^(bars|counts) may be off|^differences /.test(it)).map((it) => it.replace(/ \([^()]*\)/, ""));
}
