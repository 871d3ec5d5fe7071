/** The columns of a picture with a place for each, such as a time and an event. */

/**
 * @param {object} study - What /api/study tells.
 * @param {object} picture - A picture.
 * @param {{columns: string[]}} wish - What is wanted.
 * @param {(place: number) => object[]} drawable - The columns that can be drawn at a place.
 * @returns {string[]} A column for each place: the wanted one if it fits; for a place that may be
 *   empty no other.
 */
export function placed(study, picture, wish, drawable) {
  const kept = [];
  picture.columns.places.forEach((_, i) => {
    const names = drawable(i).map((column) => column.name);
    const free = names.filter((name) => !kept.includes(name));
    if (free.includes(wish.columns[i])) kept.push(wish.columns[i]);
    else if (i < picture.columns.least) kept.push(likelyOf(study, free));
  });
  return kept.filter(Boolean);
}

/** Of columns for a place, the first of levels where there is one that also may be numbers. */
function likelyOf(study, names) {
  const levels = (name) => study.columns.find((it) => it.name === name).kind === "categorical";
  return names.find(levels) ?? names[0];
}
