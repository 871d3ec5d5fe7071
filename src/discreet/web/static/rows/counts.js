/** Counts of rows by the levels of two columns. */

/** Count the rows of each pair of levels. */
export function countPairs(first, second) {
  const counts = first.names.map(() => new Array(second.names.length).fill(0));
  first.of.forEach((place, row) => {
    if (place >= 0 && second.of[row] >= 0) counts[place][second.of[row]] += 1;
  });
  return counts;
}

/** Return the mark of each row where each pair of levels is one, row by row. */
export function marksOfPairs(first, second) {
  const across = second.names.length;
  const of = Int32Array.from(first.of, (place, row) =>
    place < 0 || second.of[row] < 0 ? -1 : place * across + second.of[row]);
  return { of, size: first.names.length * across };
}

/** @param {number[]} counts - Some may be hidden. @returns {number} Their sum. */
export const sum = (counts) => counts.reduce((all, count) => all + (count || 0), 0);
