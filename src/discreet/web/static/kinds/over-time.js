/** Counts, or means of a number, over time: a line of all rows or of each level. */

import { bottom, left, plotBox, scaleOf } from "../draw/axes.js";
import { keysOf, labelsOf, namesAtEnds, placeIn, roomOf, strokeOf } from "../draw/lines.js";
import { drawStrips } from "../draw/strips.js";
import { circle, clip, line, path, px } from "../draw/svg.js";
import { extent } from "../rows/ends.js";
import { DAY, endOf, EVERY, STEP } from "../rows/periods.js";
import { d3 } from "../vendor/d3-drawn.js";

const ABOVE = 1.05;
const APART = 7; // points that stand closer are not marked
const WORDS = { week: "week of %-d %b %Y", month: "%b %Y", quarter: "Q%q %Y", year: "%Y", day: "%-d %b %Y" };

export const over_time = {
  name: "over_time",

  title({ columns: [date, value], by }, say) {
    const what = value ? `${say.label(value)} over ${say.label(date)}` : `Number over ${say.label(date)}`;
    return by ? `${what} by ${say.label(by[0])}` : what;
  },

  top: (view) => reach(view)[1],

  alike: (views, look) => ({
    ends: extent(views.flatMap((it) => extent(it.starts))),
    low: Math.min(...views.map((it) => reach(it)[0])),
    labels: labelsOf(views.flatMap((it) => it.series), look.orderOf(views[0].by)),
  }),

  draw(view, box, look) {
    const [date, value] = view.columns;
    const labels = look.alike?.labels || view.series.map((it) => it.level);
    const placeOf = placeIn(view.by, labels, look);
    const at = placed(view, box, look);
    const { inner, x, y, starts } = at;
    const period = view.every === STEP ? "" : ` a ${view.every}`;
    const said = value ? `mean of ${look.full(value)}` : `${look.counted}${period}`;
    const each = (it) => strokeOf(placeOf(it.level));
    const bands = view.series.map((it) => bandOf(it, each(it), at)).join("");
    const lines = view.series.map((it) => lineOf(it.means.length ? it.means : it.counts, each(it), at));
    return {
      svg: left(y, inner, clip(said, box.width - 24), look) +
        `<g class="base">${bands}${lines.join("")}</g>` +
        bottom(x, inner, date, look) +
        (at.named ? namesAtEnds(endsOf(view, at), inner, at.named) : "") +
        drawStrips({ edges: betweenOf(starts, x) }, (place) => place, inner),
      marks: marksOf(view, look),
      zones: [{ ...inner, x: { column: date, edges: [...starts, endOf(starts, view.every)], stops: betweenOf(starts, x) } }],
      keys: keysOf(view.by, labels, look),
      choices: view.every === STEP ? [] : [periodsOf(look.spec)],
      overlay: (lit) => hotOf(view, lit, at),
    };
  },
};

const periodsOf = (spec = {}) => ({
  name: "every",
  says: "Period",
  now: spec.every,
  of: [{ says: "as it fits" }, ...EVERY.map((it) => ({ value: it, says: it }))],
});

/** The ends of what is drawn upwards: counts from 0, means with their intervals. */
function reach({ series }) {
  if (!series[0].means.length) return [0, ABOVE * Math.max(1, ...series.flatMap((it) => it.counts))];
  const [low, high] = extent(series.flatMap((it) => [...it.low, ...it.high].filter((end) => end !== null)));
  const room = 0.05 * (high - low) || 0.5;
  return [low - room, high + room];
}

function placed(view, box, look) {
  const { starts } = view;
  const named = look.bare || look.mini || !view.by ? 0 : roomOf(view.series.map((it) => it.level), box);
  const inner = plotBox(box, look, look.mini ? {} : { left: 44, right: Math.max(8, named) });
  const [first, last] = look.alike?.ends || [starts[0], starts.at(-1)];
  const ends = first < last ? [first, last] : [first - 0.5, endOf(starts, view.every) - 0.5];
  const [low, high] = reach(view);
  const y = d3.scaleLinear([look.alike?.low ?? low, look.top ?? high], [inner.bottom, inner.top]);
  const scale = scaleOf(view.columns[0], ends, [inner.left, inner.right], look);
  const x = view.every === STEP ? wholeTicks(scale) : scale;
  const apart = (inner.right - inner.left) / starts.length;
  return { inner, x, y, starts, named, marked: apart >= APART };
}

/** Years are whole, and written without a comma. */
const wholeTicks = (scale) => Object.assign((value) => scale(value), {
  domain: scale.domain,
  ticks: (count) => scale.ticks(count).filter(Number.isInteger),
  tickFormat: () => String,
});

/** The places halfway between points. */
const betweenOf = (starts, x) => [
  x(x.domain()[0]),
  ...starts.slice(1).map((it, i) => (x(it) + x(starts[i])) / 2),
  x(x.domain()[1]),
];

function lineOf(heights, stroke, { x, y, starts, marked }) {
  const alone = (i) => isGap(heights[i - 1]) && isGap(heights[i + 1]);
  const d = d3.line().defined((height) => !isGap(height))
    .x((_, i) => px(x(starts[i]))).y((height) => px(y(height)))(heights);
  const points = heights.map((height, i) =>
    (isGap(height) || !(marked || alone(i)) ? "" : circle(x(starts[i]), y(height), 2.5, { fill: stroke.stroke })));
  return path(d, stroke) + points.join("");
}

const isGap = (height) => height === null || height === undefined;

/** The interval of each mean: a band, and a line of a mean that stands alone. */
function bandOf({ low, high }, { stroke }, { x, y, starts }) {
  const area = d3.area().defined((_, i) => !isGap(low[i])).x((_, i) => px(x(starts[i])))
    .y0((_, i) => px(y(low[i]))).y1((_, i) => px(y(high[i])));
  const alone = low.map((end, i) => (isGap(end) || !isGap(low[i - 1]) || !isGap(low[i + 1]) ? "" :
    line(x(starts[i]), y(end), x(starts[i]), y(high[i]), "", { stroke, "stroke-width": 2, opacity: 0.4 })));
  return low.length ? path(area(starts), { fill: stroke, opacity: 0.13 }) + alone.join("") : "";
}

/** Of few rows how many they are is known, too, but not by level. */
function hotOf({ columns, by }, { counts, view: lit }, at) {
  const few = counts && columns.length === 1 && !by ? [Array.from(counts)] : [];
  return (lit ? lit.lines : few).map((it) => lineOf(it, { class: "hotl", stroke: "var(--hot)" }, at)).join("");
}

const endsOf = (view, { x, y, starts }) =>
  view.series.map(({ level, means, counts }) => {
    const heights = means.length ? means : counts;
    const last = heights.findLastIndex((it) => !isGap(it));
    return { name: level, x: x(starts[last]), y: y(heights[last]) };
  }).filter((it) => Number.isFinite(it.y));

function marksOf(view, look) {
  const [date, value] = view.columns;
  const say = (start) => (view.every === STEP
    ? `${look.label(date)} ${start}`
    : d3.utcFormat(WORDS[view.every])(new Date(start * DAY)));
  const ends = [...view.starts.slice(1), endOf(view.starts, view.every)];
  return view.starts.map((from, i) => {
    const shown = view.series.map((it) => {
      const number = it.means.length ? it.means[i] : it.counts[i];
      if (isGap(number) || !(value || view.by)) return "";
      const ends = it.means.length && !view.by ? ` (${look.say(value, it.low[i])} to ${look.say(value, it.high[i])})` : "";
      return `${it.level} ${look.say(value || "", number)}${ends}`.trim();
    });
    const more = shown.filter(Boolean).join(" · ");
    return {
      say: say(from),
      count: view.series.reduce((sum, it) => sum + it.counts[i], 0),
      more: value && more ? `mean: ${more}` : more,
      light: [{ column: date, from, to: ends[i] }],
    };
  });
}
