/** What tables of figures say beside their numbers. */

const FEW = 50;
const MOST_NAMED = 3;

/**
 * Say which groups of a table have few rows.
 *
 * @param {string[]} names - Of the groups.
 * @param {number[]} sizes - How many rows each has.
 * @returns {string[]} A sentence, or none.
 */
export function roughOf(names, sizes) {
  const few = names.filter((_, i) => sizes[i] > 0 && sizes[i] < FEW);
  if (!few.length) return [];
  const which = few.length <= MOST_NAMED ? few.join("; ") : `${few.length} of ${sizes.length} groups`;
  return [`rough, being of fewer than ${FEW} rows: ${which}`];
}
