/** Parallel axes: bands of rows that go from one range of an axis to one of the next. */

import { sum } from "../rows/counts.js";
import { complete } from "../rows/part.js";
import { cut } from "../rows/ranges.js";
import { Refused } from "../rows/refused.js";

/** How many ranges an axis has, where nobody says: beyond so many axes fewer can be followed. */
const [RANGES, FEWER, MANY_AXES] = [8, 5, 6];
const MOST_RANGES = 40;
const MOST_COLOURS = 5;

export const rangesOf = (columns) => (columns.length > MANY_AXES ? FEWER : RANGES);

export const parallel = {
  make(part, spec, facts) {
    const { rows, axes, colour } = cutAll(part, spec, facts);
    const least = Math.max(1, facts.k || 1);
    const gaps = axes.slice(1).map((_, gap) => {
      const { counts, bandOf } = gapOf(axes, colour, gap);
      return [...counts].flatMap((count, at) => (count < least ? [] : [{ ...bandOf(at), count }]));
    });
    const { columns } = spec;
    return {
      kind: "parallel",
      columns,
      k: least,
      axes: axes.map(shown),
      colour: colour && shown(colour),
      gaps,
      shown: rows.length,
    };
  },

  /** A row has a mark in each gap and on each axis: `of` holds all rows once for each of these. */
  marks(part, spec, view, facts) {
    const { rows, axes, colour } = cutAll(part, spec, facts);
    const of = new Int32Array(part.size * (2 * axes.length - 1)).fill(-1);
    let size = 0;
    let from = 0;
    const put = (places) => {
      for (let i = 0; i < rows.length; i += 1) {
        if (places[i] >= 0) of[from + rows[i]] = size + places[i];
      }
      from += part.size;
    };
    view.gaps.forEach((bands, gap) => {
      put(bandsOfRows(axes, colour, gap, bands));
      size += bands.length;
    });
    axes.forEach(({ codes, counts }) => {
      put(codes);
      size += counts.length;
    });
    return { of, size };
  },
};

/** The columns of axes from the first on, each time that beside an end which has most information in common with it. */
export function byStrength(part, { columns, ranges }, facts) {
  const { rows, axes } = cutAll(part, { columns, ranges }, facts);
  const all = rows.length;
  const strengths = axes.map((a) => axes.map((b) => {
    const { counts, wide } = gapOf([a, b], null, 0);
    return sum(counts.map((count, at) => count && count * Math.log((count * all) / (a.counts[Math.floor(at / wide)] * b.counts[at % wide]))));
  }));
  const order = [0];
  while (order.length < axes.length) {
    const left = axes.map((_, i) => i).filter((it) => !order.includes(it));
    const most = (end) => left.reduce((best, it) => (strengths[end][it] > strengths[end][best] ? it : best));
    const [before, after] = [order[0], order.at(-1)].map(most);
    if (strengths[order[0]][before] > strengths[order.at(-1)][after]) order.unshift(before);
    else order.push(after);
  }
  return order.map((it) => columns[it]);
}

function cutAll(part, { columns, colour: by, ranges }, facts) {
  if (columns.length < 2) throw new Refused("Parallel axes are of two columns at least.");
  const rows = complete(part, [...new Set([...columns, ...(by ? [by] : [])])]);
  const most = Math.min(MOST_RANGES, Math.max(2, ranges || rangesOf(columns)));
  const axis = (name, size) => cut(part, name, rows, size, facts.axes?.[name]);
  const colour = by ? axis(by, MOST_COLOURS) : null;
  if (colour && colour.counts.length > MOST_COLOURS) {
    throw new Refused(
      `“${by}” has more than ${MOST_COLOURS} levels, and so many colours cannot be told apart.`,
      { alternative: { kind: "parallel", columns, ...(ranges && { ranges }) } },
    );
  }
  return { rows, axes: columns.map((name) => axis(name, most)), colour };
}

const shown = ({ codes: _, ...axis }) => axis;

/** Count the rows of each band that may be between an axis and the next. */
function gapOf(axes, colour, gap) {
  const [a, b] = [axes[gap], axes[gap + 1]];
  const colours = colour ? colour.counts.length : 1;
  const wide = b.counts.length * colours;
  const counts = new Float64Array(a.counts.length * wide);
  const places = new Int32Array(a.codes.length);
  for (let i = 0; i < places.length; i += 1) {
    places[i] = a.codes[i] * wide + b.codes[i] * colours + (colour ? colour.codes[i] : 0);
    counts[places[i]] += 1;
  }
  const bandOf = (at) => ({
    left: Math.floor(at / wide),
    right: Math.floor((at % wide) / colours),
    colour: colour ? at % colours : null,
  });
  return { counts, bandOf, places, wide, colours };
}

function bandsOfRows(axes, colour, gap, bands) {
  const { counts, places, wide, colours } = gapOf(axes, colour, gap);
  const number = new Int32Array(counts.length).fill(-1);
  bands.forEach((it, i) => {
    number[it.left * wide + it.right * colours + (it.colour || 0)] = i;
  });
  for (let i = 0; i < places.length; i += 1) places[i] = number[places[i]];
  return places;
}
