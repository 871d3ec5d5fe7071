/** Parallel axes: bands of rows that go from one range of an axis to one of the next. */

import { drawBands } from "../draw/parallel.js";
import { drawClusters } from "../draw/parallel-clusters.js";
import { tallOf } from "../draw/parallel-place.js";
import { complete } from "../rows/part.js";
import { cut } from "../rows/ranges.js";
import { Refused } from "../rows/refused.js";

const RANGES = 8;
const MOST_RANGES = 40;
const MOST_HUES = 5;

export const parallel = {
  name: "parallel",

  title: ({ columns, hue }, say) =>
    columns.map(say.label).join(" → ") + (hue ? `, by ${say.label(hue)}` : ""),

  /** How high a picture is that can be read; narrow ones have their axes one below the other. */
  tall: ({ columns }, width) => tallOf(columns.length, width),

  make(part, spec, facts) {
    const { rows, axes, hue } = cutAll(part, spec, facts);
    const least = Math.max(1, facts.k || 1);
    const gaps = axes.slice(1).map((_, gap) => {
      const { counts, bandOf } = gapOf(axes, hue, gap);
      return [...counts].flatMap((count, at) => (count < least ? [] : [{ ...bandOf(at), count }]));
    });
    const { columns } = spec;
    return {
      kind: "parallel",
      columns,
      k: least,
      axes: axes.map(shown),
      hue: hue && shown(hue),
      gaps,
      shown: rows.length,
    };
  },

  /** A row has a mark in each gap and on each axis: `of` holds all rows once for each of these. */
  marks(part, spec, view, facts) {
    const { rows, axes, hue } = cutAll(part, spec, facts);
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
      put(bandsOfRows(axes, hue, gap, bands));
      size += bands.length;
    });
    axes.forEach(({ codes, counts }) => {
      put(codes);
      size += counts.length;
    });
    return { of, size };
  },

  /** Views of the server are clusters, whose sizes a guarded policy does not say. */
  draw: (view, box, look) => (view.gaps ? drawBands : drawClusters)(view, box, look),
};

function cutAll(part, { columns, hue: by, bins }, facts) {
  if (columns.length < 2) throw new Refused("Parallel axes are of two columns at least.");
  const rows = complete(part, [...new Set([...columns, ...(by ? [by] : [])])]);
  const ranges = Math.min(MOST_RANGES, Math.max(2, bins || RANGES));
  const axis = (name, most) => cut(part, name, rows, most, facts.axes?.[name]);
  const hue = by ? axis(by, MOST_HUES) : null;
  if (hue && hue.counts.length > MOST_HUES) {
    throw new Refused(
      `“${by}” has more than ${MOST_HUES} levels, and so many colours cannot be told apart.`,
      { alternative: { kind: "parallel", columns, ...(bins && { bins }) } },
    );
  }
  return { rows, axes: columns.map((name) => axis(name, ranges)), hue };
}

const shown = ({ codes: _, ...axis }) => axis;

/** Count the rows of each band that may be between an axis and the next. */
function gapOf(axes, hue, gap) {
  const [a, b] = [axes[gap], axes[gap + 1]];
  const hues = hue ? hue.counts.length : 1;
  const wide = b.counts.length * hues;
  const placeOf = (i) => a.codes[i] * wide + b.codes[i] * hues + (hue ? hue.codes[i] : 0);
  const counts = new Float64Array(a.counts.length * wide);
  for (let i = 0; i < a.codes.length; i += 1) counts[placeOf(i)] += 1;
  const bandOf = (at) => ({
    left: Math.floor(at / wide),
    right: Math.floor((at % wide) / hues),
    hue: hue ? at % hues : null,
  });
  return { counts, bandOf, placeOf, wide, hues };
}

function bandsOfRows(axes, hue, gap, bands) {
  const { counts, placeOf, wide, hues } = gapOf(axes, hue, gap);
  const number = new Int32Array(counts.length).fill(-1);
  bands.forEach((it, i) => {
    number[it.left * wide + it.right * hues + (it.hue || 0)] = i;
  });
  return Int32Array.from(axes[0].codes, (_, i) => number[placeOf(i)]);
}
