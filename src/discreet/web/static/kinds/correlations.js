/** Correlations: a square for each two of some columns, in colours that part at 0. */

import { between, on, rampOf } from "../draw/colour.js";
import { clip, rect, text, wide } from "../draw/svg.js";

const [LARGEST, HEAD, WORDS] = [64, 20, 27];

export const correlations = {
  name: "correlations",

  title: ({ columns }, say) =>
    columns.length === 2 ? `How ${say.label(columns[0])} and ${say.label(columns[1])} go together`
      : `How ${inWords(columns.length)} columns go together`,

  /** How high it is at most, however wide. */
  most: ({ columns }) => HEAD + LARGEST * (columns.length - 1) + 8,

  draw(view, box, look) {
    const place = placeOf(view, box, look);
    const found = pairs(view);
    const squares = found.map((it, m) => squareOf(it, place, look, it.value, { class: "bar part", "data-m": m }));
    return {
      svg: `<g class="base">${squares.join("")}</g>${names(view, place, look)}`,
      marks: found.map((it) => markOf(it, view, look)),
      keys: [{ ramp: {
        says: "opposite", from: "−1", to: "+1 together",
        colours: rampOf((share) => between(2 * share - 1, look.dark)),
      } }],
      overlay: (lit) => (lit.view ? litSquares(found, lit.view, place, look) : ""),
    };
  },
};

const NUMBERS = ["two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"];
const inWords = (count) => NUMBERS[count - 2] || String(count);

/** The squares below the diagonal, row by row. */
const pairs = ({ columns, pearson, spearman }) =>
  columns.flatMap((_, i) =>
    columns.slice(0, i).map((__, j) => ({ i, j, value: pearson[i][j], rank: spearman[i][j] })),
  );

/** Where the first square stands, and how wide all are. */
function placeOf({ columns }, { width, height }, look) {
  const rows = columns.length - 1;
  const longest = Math.max(...columns.slice(1).map((it) => wide(look.label(it)))) + 14;
  const beside = Math.min(longest, Math.max(48, width * 0.3));
  // The name above the last square goes on to its right.
  const after = Math.min(wide(look.label(columns[rows - 1])) + 8, width * 0.22);
  const side = Math.min((width - beside - 4) / rows, (width - beside - after) / (rows - 1 || 1), (height - HEAD) / rows, LARGEST);
  const middle = (width - beside - side * rows) / 2 - beside * 0.35;
  const most = width - beside - side * (rows - 1) - after;
  const left = beside + Math.max(0, Math.min(middle, most));
  return { side, left, beside, rows, width };
}

/** A square with its number, or without where there is none. */
function squareOf({ i, j }, { left, side }, look, value, more) {
  const [x, y] = [left + j * side, HEAD + (i - 1) * side];
  const gap = side > 16 ? 1 : 0.5;
  if (value === null) return rect(x + gap, y + gap, side - 2 * gap, side - 2 * gap, { rx: 4, ...more, class: "few" });
  const fill = between(value, look.dark);
  const square = rect(x + gap, y + gap, side - 2 * gap, side - 2 * gap, { rx: side > 16 ? 4 : 1, fill, ...more });
  const words = said(value);
  if (side < WORDS) return square;
  return square + text(x + side / 2, y + side / 2 + 4, words, "middle", "on", { fill: on(fill) });
}

function names({ columns }, { left, side, beside, width }, look) {
  const small = side < 11;
  const every = small ? Math.ceil(11 / side) : 1;
  const besides = columns.slice(1).map((name, k) =>
    k % every ? "" : text(left - 8, HEAD + (k + 0.5) * side + 4, clip(look.label(name), beside - 12), "end", "d"),
  );
  // Each stands above its column, beside the square of the column before.
  const above = columns.slice(0, -1).map((name, k) =>
    k % every ? "" : text(left + k * side + 2, HEAD + k * side - 6, clip(look.label(name), width - left - k * side - 4), "start", "d"),
  );
  return besides.join("") + above.join("");
}

const litSquares = (found, { pearson }, place, look) =>
  found.map((it) => {
    const value = pearson[it.i][it.j];
    return value === null ? "" : squareOf(it, place, look, value, { stroke: "var(--hot)", "stroke-width": 1.5 });
  }).join("");

function markOf({ i, j, value, rank }, { columns }, look) {
  const [a, b] = [columns[j], columns[i]];
  const found = value === null
    ? "too few rows with both values, or one value alone"
    : `correlation ${said(value)}, of ranks ${said(rank)}`;
  return {
    say: `${look.label(a)} and ${look.label(b)}`,
    number: said(value),
    more: `${found} · press to see the points`,
    light: null,
    go: { kind: "scatter", columns: [a, b] },
  };
}

/** A correlation with two digits and without the 0 before them. */
const said = (value) =>
  value === null ? "–" : value.toFixed(2).replace("-0.00", "0.00").replace(/^-/, "−").replace(/0(?=\.)/, "");
