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
      const total = sum(counts.map((it) => it || 0));
      const x = (value) => at.left + at.x(at.isWhole ? value / (total || 1) : value);
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
    return { svg: drawn.join(""), data: groups.flat().map((it) => cells.says(it)) };
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
const binsOf = ({ view }) => (view.views?.find(Boolean) || view).edges;

/** How high a count is of a bin: per the narrowest bin of the copy, as its own bars are. */
const heightIn = (edges, i, count, wide) => (count * wide) / (edges[i + 1] - edges[i]);

/** Say of the copy's bins what the data say, where they have the same. */
const saidOfBins = (edges, own, said) => (String(edges) === String(own) ? said : own.map(() => undefined));

/** Bars as one outline, with whiskers in the middle of each bin. */
export const ofHistogram = {
  top(view, cells, { answer }) {
    const [name] = view.columns;
    const [edges, wide] = [binsOf(answer), narrowest(view)];
    const ends = cells.words(name).map((word, i) =>
      heightIn(edges, i, (cells.count([[name, word]]) || 0) + cells.off([[name, word]]), wide));
    return 1.04 * Math.max(0, ...ends);
  },

  over(view, cells, { x, y, inner, narrowest: wide }, { answer }) {
    const [name] = view.columns;
    const edges = binsOf(answer);
    const groups = cells.words(name).map((word) => [[name, word]]);
    const up = (i, count) => y(heightIn(edges, i, Math.max(0, count), wide));
    const drawn = groups.map((group, i) => {
      const count = cells.count(group);
      const [from, to] = [x(edges[i]), x(edges[i + 1])];
      if (count === null) return hatched(from + 1, inner.bottom - 5, to - from - 2, {});
      const off = cells.off(group);
      return seen(`M${px(from)} ${px(inner.bottom)}V${px(up(i, count))}H${px(to)}V${px(inner.bottom)}`) +
        seen(upright((from + to) / 2, up(i, count - off), up(i, count + off)));
    });
    return { svg: drawn.join(""), data: saidOfBins(edges, view.edges, groups.map(cells.says)) };
  },
};

/** Of outlines of levels a mark for each level in each bin, side by side. */
export const ofOutlines = {
  sign: "point",

  top(view, cells, look) {
    const wide = narrowest(view.views[0]);
    return 1.04 * Math.max(0, ...heightsOf(view, cells, look.answer, wide, !look.spec?.persons)
      .flatMap((it) => it.bins.map((bin) => bin.high)));
  },

  over(view, cells, { x, y, places, narrowest: wide, isShare }, { answer }) {
    const edges = binsOf(answer);
    const each = heightsOf(view, cells, answer, wide, isShare);
    const drawn = each.map(({ bins }, j) => bins.map(({ middle, low, high }, i) => {
      if (middle === null) return "";
      const [from, to] = [x(edges[i]), x(edges[i + 1])];
      const at = from + ((to - from) * (j + 1)) / (each.length + 1);
      return pointed(at, y(low), y(middle), y(high), places[j]);
    }).join(""));
    const said = each[0].bins.map((_, i) => each.map(({ word, bins }) => `${word}: ${bins[i].says}`).join(" · "));
    return { svg: drawn.join(""), data: saidOfBins(edges, view.views[0].edges, said) };
  },
};

function heightsOf(view, cells, answer, wide, isShare) {
  const [name] = view.columns;
  const edges = binsOf(answer);
  return view.levels.map((word) => {
    const groups = cells.words(name).map((bin) => [[name, bin], [view.by, word]]);
    const all = isShare ? sum(groups.map((it) => cells.count(it) || 0)) || 1 : 1;
    const bins = groups.map((group, i) => {
      const [count, off] = [cells.count(group), cells.off(group)];
      const up = (value) => heightIn(edges, i, Math.max(0, value), wide) / all;
      const says = cells.says(group) ?? "–";
      return count === null ? { middle: null, low: 0, high: 0, says }
        : { middle: up(count), low: up(count - off), high: up(count + off), says };
    });
    return { word, bins };
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

  top: (view, cells) => {
    const [first, second] = view.columns;
    return Math.max(0, ...cells.words(first).flatMap((one) =>
      cells.words(second).map((other) => cells.count([[first, one], [second, other]]) || 0)));
  },

  over(view, cells, { x, y, top, colour }, { answer }) {
    const [first, second] = view.columns;
    const of = answer.view.views?.find(Boolean) || answer.view;
    const [xs, ys] = [of.x_edges, of.y_edges];
    // Of cells of another size, where the server draws the copy, as many for the same area.
    const size = areaOf(view.x_edges, view.y_edges) / areaOf(xs, ys);
    const [across_, up] = [cells.words(first), cells.words(second)];
    const groups = across_.flatMap((one) => up.map((other) => [[first, one], [second, other]]));
    const drawn = groups.map((group, at) => {
      const count = cells.count(group);
      if (!count) return "";
      const [i, j] = [Math.floor(at / up.length), at % up.length];
      const [from, to, low, high] = [x(xs[i]), x(xs[i + 1]), y(ys[j]), y(ys[j + 1])];
      const [wide, tall] = [(to - from) * 0.5, (low - high) * 0.5];
      return rect(from + wide / 2 + 0.5, high + tall / 2 + 0.5, wide - 1, tall - 1,
        { fill: colour(Math.min(1, (count * size) / top)), stroke: "var(--card)", "stroke-width": 1 });
    });
    const isSame = String([xs, ys]) === String([view.x_edges, view.y_edges]);
    return { svg: drawn.join(""), data: isSame ? groups.map(cells.says) : [] };
  },
};

const areaOf = (xs, ys) => ((xs.at(-1) - xs[0]) / (xs.length - 1)) * ((ys.at(-1) - ys[0]) / (ys.length - 1));

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
        seen(`${across(...ends, mid + tall)}`);
    });
    const say = (it) => {
      if (!it || typeof it.median !== "number") return it ? "too few people" : undefined;
      const [middle, from, to] = ["median", "median, low end", "median, high end"].map((name) => number(it[name]));
      return `median ${middle} (${from} to ${to}) · middle half ${number(it["lower quartile"])}–${number(it["upper quartile"])}`;
    };
    return { svg: drawn.join(""), data: each.map(say) };
  },
};
