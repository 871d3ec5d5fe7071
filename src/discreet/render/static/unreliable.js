// What a picture says first where its copy cannot carry what it compares.

/**
 * Find the note that a comparison is not reliable.
 *
 * @param {string[]} notes of a scene, or of a table.
 * @returns {{says: string, all: boolean}} the note, "" where there is none; `all` where nothing that
 *     is compared is reliable, so that the picture is shown grey.
 */
export function unreliableOf(notes) {
  const says = notes.find((note) => note.startsWith("not reliable")) ?? "";
  const others = notes.some((note) => note.startsWith("differences between"));
  return { says: says && says[0].toUpperCase() + says.slice(1), all: Boolean(says) && !others };
}
