/** Correlations: a square for each two of some columns, in colours that part at 0. */

import { Refused } from "../rows/refused.js";

/** More numbers than those of so many columns are not read in one picture. */
const MOST = 20;

export const correlations = {
  make(part, { columns }) {
    if (columns.length < 2 || columns.length > MOST) {
      throw new Refused(`Correlations are of 2 to ${MOST} columns. Choose some of these.`);
    }
    const found = matricesOf(columns.map((name) => part.number(name)));
    return { kind: "correlations", columns, ...found, shown: part.size };
  },

  lit: (part, { columns }, view, mask) => ({
    pearson: correlationsAt(columns.map((name) => part.number(name)), mask),
  }),
};

/** Of fewer rows there is none. */
const LEAST_ROWS = 10;
const DECIMALS = 6;

/**
 * Return the correlations of the values of columns, and of their ranks.
 * @returns {{pearson: (number | null)[][], spearman: (number | null)[][]}}
 */
function matricesOf(columns) {
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
        const [x, y] = [i, j].map((k) => at(both, columns[k], new Float64Array(both.length)));
        put(pearson, i, j, correlation(x, y));
        put(spearman, i, j, correlation(ranksOf(ranked[i], both), ranksOf(ranked[j], both)));
      }
    }
  }
  return { pearson, spearman };
}

/** Return Pearson's correlations of some rows of columns, below the diagonal. */
function correlationsAt(columns, mask) {
  const places = new Int32Array(mask.length);
  let size = 0;
  for (let i = 0; i < mask.length; i += 1) {
    places[size] = i;
    size += mask[i];
  }
  const rows = places.subarray(0, size);
  const picked = columns.map((values) => about(at(rows, values, new Float64Array(size))));
  return picked.map((y, i) => picked.slice(0, i).map((x) => quick(x, y)));
}

/** Values about one of them, and their sums: so that no digits are lost, nor a second pass taken. */
function about(values) {
  const middle = values.find(Number.isFinite);
  let sum = 0;
  let squares = 0;
  for (let i = 0; i < values.length; i += 1) {
    values[i] -= middle;
    sum += values[i];
    squares += values[i] * values[i];
  }
  return { values, sum, squares };
}

/** In one pass: quick enough for each move of a pointer. */
function quick(x, y) {
  if (Number.isNaN(x.sum + y.sum)) return ofBoth(x.values, y.values);
  return fromSums(x.values.length, x.sum, y.sum, x.squares, y.squares, product(x.values, y.values));
}

function product(x, y) {
  let sum = 0;
  for (let i = 0; i < x.length; i += 1) sum += x[i] * y[i];
  return sum;
}

/** Where one of them has gaps. */
function ofBoth(x, y) {
  let n = 0;
  let sx = 0;
  let sy = 0;
  let xx = 0;
  let yy = 0;
  let xy = 0;
  for (let i = 0; i < x.length; i += 1) {
    const a = x[i];
    const b = y[i];
    if (Number.isNaN(a * b)) continue;
    n += 1;
    sx += a;
    sy += b;
    xx += a * a;
    yy += b * b;
    xy += a * b;
  }
  return fromSums(n, sx, sy, xx, yy, xy);
}

function fromSums(n, sx, sy, xx, yy, xy) {
  const [ofX, ofY] = [n * xx - sx * sx, n * yy - sy * sy];
  return n >= LEAST_ROWS && ofX > 0 && ofY > 0 ? (n * xy - sx * sy) / Math.sqrt(ofX * ofY) : null;
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

function varies(values) {
  for (let i = 1; i < values.length; i += 1) if (values[i] !== values[0]) return true;
  return false;
}

/** Values about their mean, scaled first: squares of very large or small numbers have no digits. */
function centred(values) {
  let sum = 0;
  for (let i = 0; i < values.length; i += 1) sum += values[i];
  const mean = sum / values.length;
  let most = 0;
  for (let i = 0; i < values.length; i += 1) most = Math.max(most, Math.abs(values[i] - mean));
  const found = new Float64Array(values.length);
  for (let i = 0; i < values.length; i += 1) found[i] = (values[i] - mean) / most;
  return found;
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
  const codes = new Int32Array(values.length).fill(-1);
  for (let i = 0; i < values.length; i += 1) {
    let [low, high] = [0, size - 1];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (different[middle] < values[i]) low = middle + 1;
      else high = middle;
    }
    if (Number.isFinite(values[i])) codes[i] = low;
  }
  return { codes, size };
}

/** The ranks of some rows, those of equal values shared. */
function ranksOf({ codes, size }, rows) {
  const held = rows ? at(rows, codes, new Int32Array(rows.length)) : codes;
  const counts = new Float64Array(size);
  for (let i = 0; i < held.length; i += 1) counts[held[i]] += 1;
  let before = 0;
  const rank = counts.map((count) => {
    before += count;
    return before - (count - 1) / 2;
  });
  return at(held, rank, new Float64Array(held.length));
}

function at(places, values, found) {
  for (let i = 0; i < places.length; i += 1) found[i] = values[places[i]];
  return found;
}
