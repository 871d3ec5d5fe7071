/** How the data's answer is drawn over each kind of picture: as outlines, with its noise. */

import { level } from "../draw/colour.js";
import { across, seen, upright } from "../draw/laid-over.js";
import { number, percent } from "../draw/look.js";
import { circle, hatched, px, rect } from "../draw/svg.js";
import { sum } from "../rows/counts.js";
import { narrowest } from "./histogram.js";

/** Bars, and parts of bars, as outlines whose ends have whiskers. */
export const ofBars = {
  top: (view, cells) => Math.max(0, ...view.levels.map((_, i) => reach(view, cells, i))),

  room: (view, cells) => ({ ends: view.levels.map((_, i) => reach(view, cells, i)) }),

  over(view, cells, at) {
    const groups = view.levels.map((_, i) => partsOf(view, i));
    const drawn = at.shown.map((i) => {
      const counts = groups[i].map((it) => cells.count(it));
      const total = cells.sum(groups[i], groups[i][0].slice(0, 1)) || 1;
      const x = (value) => at.left + at.x(at.isWhole ? value / total : value);
      const [top, low] = [at.middle(i) - at.high / 2 - 2, at.middle(i) + at.high / 2 + 2];
      let from = 0;
      return counts.map((count, j) => {
        if (!count) return "";
        const [start, end] = [x(from), x(from + count)];
        const off = cells.off(groups[i][j]);
        // Whiskers of parts lie at the edges, where they hide no number.
        const y = view.by === null ? at.middle(i) : j % 2 ? low - 6 : top + 6;
        from += count;
        const whisker = across(Math.max(at.left, x(from - off)), x(from + off), y);
        // Shares end at the whole, whatever the noise.
        return seen(`M${px(start)} ${px(top)}H${px(end)}V${px(low)}H${px(start)}Z`) +
          (at.isWhole && j === counts.length - 1 ? "" : seen(whisker));
      }).join("");
    });
    return { svg: drawn.join(""), data: groups.flat().map(cells.says) };
  },
};

/** The groups of people that a bar's parts are. */
function partsOf({ columns: [column], levels, by, by_levels: others }, i) {
  const own = [column, levels[i]];
  return by === null ? [[own]] : others.map((word) => [own, [by, word]]);
}

/** How far a bar of the data reaches, with the noise of its last part. */
function reach(view, cells, i) {
  const groups = partsOf(view, i);
  return sum(groups.map((it) => cells.count(it) || 0)) + Math.max(...groups.map((it) => cells.off(it)));
}

// --- bins -----------------------------------------------------------------------------------------

/** The bins of an answer: those of the copy, too, unless the copy is drawn by its server. */
const binsOf = (answer) => drawnOf(answer).edges;
const drawnOf = ({ view }) => view.views?.find(Boolean) || view;

/** A bin as far as it lies in the picture: a server may draw the copy of fewer people on a shorter axis. */
const within = ([from, to], { left, right }) => [Math.max(left, from), Math.min(right, to)];

/** Say of the copy's bins what the data say, where they have the same. */
const saidOfBins = (edges, own, said) => (String(edges) === String(own) ? said : own.map(() => undefined));

/** Bars as one outline, with whiskers in the middle of each bin. */
export const ofHistogram = {
  top: (view, cells, { answer }) => highest(heightsOf(view, cells, answer, narrowest(view))),

  over(view, cells, { x, y, inner, narrowest: wide }, { answer }) {
    const edges = binsOf(answer);
    const [bins] = heightsOf(view, cells, answer, wide);
    const drawn = bins.map(({ middle, low, high }, i) => {
      const [from, to] = within([x(edges[i]), x(edges[i + 1])], inner);
      if (to <= from) return "";
      if (middle === null) return hatched(from + 1, inner.bottom - 5, to - from - 2, {});
      return seen(`M${px(from)} ${px(inner.bottom)}V${px(y(middle))}H${px(to)}V${px(inner.bottom)}`) +
        seen(upright((from + to) / 2, y(low), y(high)));
    });
    return { svg: drawn.join(""), data: saidOfBins(edges, view.edges, bins.map(({ says }) => says)) };
  },
};

/** Of outlines of levels a mark for each level in each bin, side by side. */
export const ofOutlines = {
  sign: "point",

  top: (view, cells, { answer, spec }) =>
    highest(heightsOf(view, cells, answer, narrowest(view.views[0]), !spec?.persons)),

  over(view, cells, { x, y, inner, places, narrowest: wide, isShare }, { answer }) {
    const edges = binsOf(answer);
    const each = heightsOf(view, cells, answer, wide, isShare);
    const drawn = each.flatMap((bins, j) => bins.map(({ middle, low, high }, i) => {
      const [from, to] = within([x(edges[i]), x(edges[i + 1])], inner);
      if (middle === null || to <= from) return "";
      return pointed(from + ((to - from) * (j + 1)) / (each.length + 1), y(low), y(middle), y(high), places[j]);
    }));
    const said = each[0].map((_, i) => each.map((bins, j) => `${view.levels[j]}: ${bins[i].says}`).join(" · "));
    return { svg: drawn.join(""), data: saidOfBins(edges, view.views[0].edges, said) };
  },
};

const highest = (each) => 1.04 * Math.max(0, ...each.flat().map(({ high }) => high));

/** How high each bin of a level, or of all people, is with its noise; as shares of the level, if asked. */
function heightsOf({ columns: [name], by, levels = [null] }, cells, answer, wide, isShare = false) {
  const edges = binsOf(answer);
  return levels.map((word) => {
    const groups = cells.words(name).map((bin) => [[name, bin], ...(word === null ? [] : [[by, word]])]);
    const all = isShare ? sum(groups.map((it) => cells.count(it) || 0)) || 1 : 1;
    return groups.map((group, i) => {
      const [count, off, says] = [cells.count(group), cells.off(group), cells.says(group) ?? "–"];
      const up = (value) => (Math.max(0, value) * wide) / (edges[i + 1] - edges[i]) / all;
      return count === null ? { middle: null, low: 0, high: 0, says }
        : { middle: up(count), low: up(count - off), high: up(count + off), says };
    });
  });
}

/** A value and how far it may be off. */
function pointed(x, low, middle, high, place) {
  return seen(upright(x, low, high)) +
    circle(x, middle, 3, { fill: "var(--card)", stroke: level(place), "stroke-width": 2 });
}

/** Cells within the cells of the copy, in the same colours: where both are one, they agree. */
export const ofHeatmap = {
  sign: "cell",
  says: "the inner cells",

  top: (view, cells, { answer }) =>
    sizeOf(view, answer) * Math.max(0, ...gridOf(view, cells).groups.map((it) => cells.count(it) || 0)),

  over(view, cells, { x, y, inner, top, colour }, { answer }) {
    const { x_edges: xs, y_edges: ys } = drawnOf(answer);
    const size = sizeOf(view, answer);
    const { groups, up } = gridOf(view, cells);
    const drawn = groups.map((group, at) => {
      const count = cells.count(group);
      if (!count) return "";
      const [i, j] = [Math.floor(at / up), at % up];
      const [from, to, low, high] = [x(xs[i]), x(xs[i + 1]), y(ys[j]), y(ys[j + 1])];
      if (from < inner.left - 1 || to > inner.right + 1 || high < inner.top - 1 || low > inner.bottom + 1) return "";
      const [wide, tall] = [(to - from) * 0.5, (low - high) * 0.5];
      return rect(from + wide / 2 + 0.5, high + tall / 2 + 0.5, wide - 1, tall - 1,
        { fill: colour(Math.min(1, (count * size) / top)), stroke: "var(--card)", "stroke-width": 1 });
    });
    const isSame = String([xs, ys]) === String([view.x_edges, view.y_edges]);
    return { svg: drawn.join(""), data: isSame ? groups.map(cells.says) : [] };
  },
};

/** The groups of an answer's cells, upwards and then along, and how many there are upwards. */
function gridOf({ columns: [first, second] }, cells) {
  const up = cells.words(second);
  const groups = cells.words(first).flatMap((one) => up.map((other) => [[first, one], [second, other]]));
  return { groups, up: up.length };
}

/** How large a cell of the copy is for one of the answer: another size where the server draws the copy. */
const sizeOf = (view, answer) => areaOf(view) / areaOf(drawnOf(answer));
const areaOf = ({ x_edges: xs, y_edges: ys }) => stepOf(xs) * stepOf(ys);
const stepOf = (edges) => (edges.at(-1) - edges[0]) / (edges.length - 1);

// --- curves and boxes -----------------------------------------------------------------------------

/** At the end of each step the share without the event, and how far noise may move it. */
export const ofSurvival = {
  sign: "point",
  says: "as a share",

  over(view, cells, { x, y, inner, lo, placeOf }) {
    const [time] = view.columns;
    const words = cells.words(time);
    const ends = words.map((it) => Number(it.split(" to ").at(-1)));
    const each = view.curves.map(({ level: word }) => {
      const by = view.by === null ? [] : [[view.by, word]];
      return { word, shares: sharesOf(view, cells, words, by) };
    });
    const [, last] = x.domain();
    const drawn = each.map(({ word, shares }, k) => shares.map(({ share, off }, i) => {
      if (ends[i] > last * 1.0001) return "";
      const up = (value) => Math.min(inner.bottom, Math.max(inner.top, y(Math.max(lo, value))));
      const at = Math.min(inner.right, x(ends[i])) + (k - (each.length - 1) / 2) * 3;
      return pointed(at, up(share - off), up(share), up(share + off), placeOf(word));
    }).join(""));
    const said = view.places.map((place) => {
      const i = ends.findIndex((end) => Math.abs(end - place) <= 1e-9 * Math.max(1, Math.abs(place)));
      if (i < 0) return undefined;
      return each.map(({ word, shares }) =>
        [word, `${percent(shares[i].share)} ± ${percent(shares[i].off)}`].filter(Boolean).join(" ")).join(" · ");
    });
    return { svg: drawn.join(""), data: said };
  },
};

/**
 * Return the share without the event at the end of each step, by the product limit of the counts,
 * and how far the noise of all counts together may move it: 95 of 100 times no further.
 */
function sharesOf({ columns: [time, event] }, cells, words, by) {
  const steps = words.map((word) => ["event", "no event"].map((what) => [[time, word], [event, what], ...by]));
  const counts = steps.map((pair) => pair.map((it) => cells.count(it) || 0));
  // What is few has noise, too, as large as that of any other count.
  const usual = Math.max(0, ...steps.flat().map((it) => cells.off(it)));
  const left = counts.map((_, i) => sum(counts.slice(i).flat()));
  let share = 1;
  return counts.map(([ended], i) => {
    share *= left[i] > 0 ? Math.max(0, 1 - ended / left[i]) : 1;
    // How log(share) changes with one person more in a count.
    const per = left.slice(0, i + 1).map((risk, j) =>
      (risk > counts[j][0] ? 1 / (risk - counts[j][0]) - 1 / risk : 0));
    const squares = counts.map(([own], j) => {
      const both = sum(per.slice(0, j + 1));
      const drop = j <= i && left[j] > own ? 1 / (left[j] - own) : 0;
      return (both - drop) ** 2 + both ** 2;
    });
    return { share, off: share * usual * Math.sqrt(sum(squares)) };
  });
}

const QUANTILES = ["5 %", "lower quartile", "median", "upper quartile", "95 %"];

/** Boxes as outlines around those of the copy, the median with its interval. */
export const ofBox = {
  says: "ticks at 5 and 95 %; below, the median’s interval",

  over(view, cells, at) {
    const each = view.groups.map(({ label }) => cells.of(view.by === null ? [] : [[view.by, label]]));
    const drawn = each.map((it, i) => {
      if (!it || QUANTILES.some((name) => typeof it[name] !== "number")) return "";
      const { x, mid, half } = at[i];
      const [low, q1, median, q3, high] = QUANTILES.map((name) => x(it[name]));
      const tall = half + 5;
      const ends = ["low end", "high end"].map((end) => x(it[`median, ${end}`]));
      return seen(`M${px(q1)} ${px(mid - tall)}H${px(q3)}V${px(mid + tall)}H${px(q1)}Z` +
        `M${px(median)} ${px(mid - tall)}V${px(mid + tall)}`) +
        seen(`M${px(low)} ${px(mid - 5)}v10M${px(high)} ${px(mid - 5)}v10`) +
        seen(across(...ends, mid + tall + 5));
    });
    const say = (it) => {
      if (!it || typeof it.median !== "number") return it ? "too few people" : undefined;
      const [middle, from, to] = ["median", "median, low end", "median, high end"].map((name) => number(it[name]));
      return `median ${middle} (${from} to ${to}) · middle half ${number(it["lower quartile"])}–${number(it["upper quartile"])}`;
    };
    return { svg: drawn.join(""), data: each.map(say) };
  },
};
