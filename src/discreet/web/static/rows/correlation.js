/** Correlations of columns, of their values and of their ranks: each two by the rows that have both. */

/** Of fewer rows there is none. */
const LEAST_ROWS = 10;
const DECIMALS = 6;

/**
 * Return the correlations of the values of columns, and of their ranks.
 *
 * @param {Float64Array[]} columns - Of one length; a gap is NaN.
 * @returns {{pearson: (number | null)[][], spearman: (number | null)[][]}}
 */
export function correlations(columns) {
  const whole = columns.map((it) => it.every(Number.isFinite));
  const ranked = columns.map(coded);
  const ranks = ranked.map((it, i) => whole[i] && ranksOf(it));
  const pearson = columns.map(() => []);
  const spearman = columns.map(() => []);
  const put = (matrix, i, j, value) => { matrix[i][j] = matrix[j][i] = value; };
  for (let i = 0; i < columns.length; i += 1) {
    for (let j = i; j < columns.length; j += 1) {
      if (whole[i] && whole[j]) {
        put(pearson, i, j, correlation(columns[i], columns[j]));
        put(spearman, i, j, correlation(ranks[i], ranks[j]));
      } else {
        const both = rowsWithBoth(columns[i], columns[j]);
        const [x, y] = [i, j].map((k) => Float64Array.from(both, (row) => columns[k][row]));
        put(pearson, i, j, correlation(x, y));
        put(spearman, i, j, correlation(ranksOf(ranked[i], both), ranksOf(ranked[j], both)));
      }
    }
  }
  return { pearson, spearman };
}

/**
 * Return Pearson's correlation of two columns, by the rows of a mask that have both.
 *
 * @param {Float64Array} x - A gap is NaN.
 * @param {Float64Array} y - As many.
 * @param {ArrayLike<number>} rows - Of which rows.
 * @returns {number | null}
 */
export function correlationAt(x, y, rows) {
  const both = rows.filter((row) => Number.isFinite(x[row]) && Number.isFinite(y[row]));
  return correlation(Float64Array.from(both, (row) => x[row]), Float64Array.from(both, (row) => y[row]));
}

/** Null of too few rows, or where one column does not vary. */
function correlation(x, y) {
  const n = x.length;
  if (n < LEAST_ROWS || !varies(x) || !varies(y)) return null;
  const [one, other] = [centred(x), centred(y)];
  let [both, first, second] = [0, 0, 0];
  for (let i = 0; i < n; i += 1) {
    both += one[i] * other[i];
    first += one[i] * one[i];
    second += other[i] * other[i];
  }
  const found = both / Math.sqrt(first * second);
  return Number.isFinite(found) ? Number(Math.min(1, Math.max(-1, found)).toFixed(DECIMALS)) : null;
}

const varies = (values) => values.some((it) => it !== values[0]);

/** Values about their mean, scaled first: squares of very large or small numbers have no digits. */
function centred(values) {
  let sum = 0;
  for (let i = 0; i < values.length; i += 1) sum += values[i];
  const mean = sum / values.length;
  let most = 0;
  for (let i = 0; i < values.length; i += 1) most = Math.max(most, Math.abs(values[i] - mean));
  return values.map((it) => (it - mean) / most);
}

function rowsWithBoth(x, y) {
  const rows = new Int32Array(x.length);
  let size = 0;
  for (let i = 0; i < x.length; i += 1) if (Number.isFinite(x[i]) && Number.isFinite(y[i])) rows[size++] = i;
  return rows.subarray(0, size);
}

/** The place of each value among the different ones; -1 of a gap. */
function coded(values) {
  const different = Float64Array.from(values).filter(Number.isFinite).sort();
  let size = 0;
  for (let i = 0; i < different.length; i += 1) {
    if (!i || different[i] !== different[i - 1]) different[size++] = different[i];
  }
  const codes = Int32Array.from(values, (value) => {
    if (!Number.isFinite(value)) return -1;
    let [low, high] = [0, size - 1];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (different[middle] < value) low = middle + 1;
      else high = middle;
    }
    return low;
  });
  return { codes, size };
}

/** The ranks of some rows, those of equal values shared. */
function ranksOf({ codes, size }, rows) {
  const held = rows ? Int32Array.from(rows, (row) => codes[row]) : codes;
  const counts = new Float64Array(size);
  for (let i = 0; i < held.length; i += 1) counts[held[i]] += 1;
  let before = 0;
  const rank = counts.map((count) => {
    before += count;
    return before - (count - 1) / 2;
  });
  return Float64Array.from(held, (code) => rank[code]);
}
