/** Bars of the levels of a column, divided by the levels of a second one where there is one. */

import { level } from "../draw/colour.js";
import { percent, whole } from "../draw/look.js";
import { clip, keptBy, line, rect, text, wide } from "../draw/svg.js";
import { ofLevels } from "../draw/zones.js";
import { sum } from "../rows/counts.js";
import { MISSING_NAMES } from "../rows/levels.js";
import { hasOrder, inOrder, OTHER } from "../rows/order.js";

const ROOM = 22; // so high is a bar with its name at least
const ROOM_MINI = 18;

export const bars = {
  name: "bars",

  title: ({ columns: [name], by = [] }, say) =>
    by.length ? `${say.label(name)} by ${say.label(by[0])}` : say.label(name),

  alike: (views, look) => ({
    levels: inSight(views, together(views.flatMap((view) => view.levels), look.orderOf(views[0].columns[0])), look),
    by_levels: together(views.flatMap((view) => view.by_levels), look.orderOf(views[0].by)),
  }),

  tall: (view, look) => (look.mini ? 0 : ROOM * view.levels.length),

  top: (view) => Math.max(...totals(view), 1),

  draw(given, box, look) {
    const view = look.alike ? widened(given, look.alike) : given;
    const at = places(view, box, look);
    const names = at.shown.map((i) => nameOf(view, i, at, look)).join("");
    const segments = at.shown.map((i) => segmentsOf(view, i, at, look)).join("");
    const axis = line(at.left, at.first, at.left, at.first + at.room * at.shown.length, "bl");
    const { by, by_levels: levels } = view;
    return {
      svg: `${axis}<g class="base">${segments}</g>${names}${restOf(view, at, box)}`,
      at: { ...at, middle: (i) => middle(at, i) },
      marks: marksOf(view, look),
      zones: zonesOf(view, at, box, look),
      order: at.shown.flatMap((i) => rowsOf(view).map((row, j) => i * rowsOf(view).length + j)),
      keys: by === null ? [] : levels.map((name, j) => (
        { name, colour: level(at.colours[j]), light: look.lightOf(by, name) })),
      overlay: (lit) => litOf(view, at, Array.from(lit.counts), look),
    };
  },
};

/** Levels in the order of pictures, a missing value last. */
function together(all, order) {
  const gaps = MISSING_NAMES.filter((name) => all.includes(name));
  return [...inOrder(all.filter((name) => !gaps.includes(name)), order), ...gaps];
}

/** Levels as bars stand one below the other: the largest first, where they have no order of their own. */
function inSight(views, levels, look) {
  if (hasOrder(levels, look.orderOf(views[0].columns[0]))) return levels;
  const held = new Map(levels.map((name) => [name, sum(views.map((view) => totals(view)[view.levels.indexOf(name)] || 0))]));
  const last = (name) => Number(name === OTHER) + 2 * Number(MISSING_NAMES.includes(name));
  return [...levels].sort((a, b) => last(a) - last(b) || held.get(b) - held.get(a));
}

/** A view with levels that other panels have; of those it has nobody. */
function widened(view, { levels, by_levels: others }) {
  const wider = (row) => levels.map((name) => row[view.levels.indexOf(name)] ?? hidden(row, view, name));
  const rowsAt = (rows) => others.map((name) => wider(rows[view.by_levels.indexOf(name)] || []));
  return { ...view, levels, by_levels: others, counts: wider(view.counts), by_counts: rowsAt(view.by_counts) };
}

/** Nothing is known of what is hidden; of a level that is not there nobody is. */
const hidden = (row, { levels }, name) => (row.length && levels.includes(name) ? null : 0);

/** What is drawn of each level: counts, or sums of weights. */
function rowsOf(view) {
  if (view.sums?.length) return view.sums;
  return view.by === null ? [view.counts] : view.by_counts;
}

/** How many each bar is of; of some levels a hidden part alone is known to be there. */
function totals(view) {
  const rows = rowsOf(view);
  return view.levels.map((_, i) =>
    Math.max(view.sums?.length ? 0 : view.counts[i] || 0, sum(rows.map((row) => row[i]))));
}

function places(view, box, look) {
  const all = (look.alike ? view.levels : inSight([view], view.levels, look)).map((name) => view.levels.indexOf(name));
  const many = look.mini ? fitting(view, Math.floor((box.height - 2) / ROOM_MINI)) : all.length;
  const shown = all.filter((i) => many === all.length || largest(view, many - 1).has(i));
  const lines = shown.length + (many < all.length ? 1 : 0);
  const room = Math.min(look.mini ? 22 : 72, box.height / lines);
  const high = Math.min(look.mini ? 12 : 32, room * 0.64);
  const long = Math.max(...shown.map((i) => wide(view.levels[i]))) + 14;
  const left = Math.min(long, box.width * (look.mini ? 0.46 : 0.42));
  const across = box.width - left - (look.mini || look.bare ? 40 : 56);
  const share = view.percent || look.spec?.percent;
  // Bars are as long as one another where their parts are shares of them.
  const isWhole = share && view.by !== null;
  const most = isWhole ? 1 : look.top ?? bars.top(view);
  const x = (value) => (across * value) / most;
  const colours = view.by === null ? [] : look.placesOf(view.by, view.by_levels);
  return { shown, share, isWhole, room, high, left, across, x, colours, first: (box.height - room * lines) / 2 };
}

const fitting = (view, room) => (view.levels.length <= room ? view.levels.length : Math.max(2, room));

function largest(view, many) {
  const all = totals(view);
  return new Set([...all.keys()].sort((a, b) => all[b] - all[a]).slice(0, many));
}

const middle = (at, i) => at.first + at.room * (at.shown.indexOf(i) + 0.5);

function nameOf(view, i, at, look) {
  const y = middle(at, i) + 4;
  const total = totals(view)[i];
  const reach = Math.max(total, look.ends?.[i] || 0); // beyond what is laid over the bar
  const end = at.left + (at.isWhole ? at.across : at.x(reach)) + 6;
  const known = at.share && !at.isWhole ? percent(total / (sum(totals(view)) || 1)) : whole(total);
  const says = total ? known : view.counts[i] === null ? "few" : "0";
  return text(at.left - 8, y, clip(view.levels[i], at.left - 14), "end", "d", keptBy(look.lightOf(view.columns[0], view.levels[i]))) +
    text(end, y, says, "start", look.mini ? "" : "d");
}

function segmentsOf(view, i, at, look) {
  const rows = rowsOf(view);
  const total = totals(view)[i];
  const top = middle(at, i) - at.high / 2;
  let left = at.left;
  const drawn = rows.map((row, j) => {
    const from = left;
    const long = at.x(at.isWhole ? row[i] / (total || 1) : row[i]);
    if (!row[i]) return "";
    left += long;
    const name = { class: "bar", "data-m": i * rows.length + j };
    if (view.by === null) {
      const kind = MISSING_NAMES.includes(view.levels[i]) ? "bar none" : "bar";
      return rect(from, top, Math.max(1, long), at.high, { ...name, class: kind });
    }
    const inner = { ...name, fill: level(at.colours[j]), class: "bar part" };
    const says = at.isWhole ? percent(Math.round((100 * row[i]) / total) / 100) : whole(row[i]);
    const fits = !look.mini && long > wide(says) + 12 && at.high > 14;
    return rect(from, top, Math.max(1, long - 1), at.high, inner) +
      (fits ? text(from + long / 2, middle(at, i) + 4, says, "middle", `on in${at.colours[j] % 5}`) : "");
  });
  const end = at.left + at.x(at.isWhole && total ? 1 : total);
  const hidden = left < end - 1 ? rect(left, top, end - left, at.high, { class: "few" }) : "";
  return drawn.join("") + hidden;
}

/** How many levels have no room in a small picture. */
function restOf(view, at, box) {
  const rest = view.levels.length - at.shown.length;
  const y = at.first + at.room * (at.shown.length + 0.5) + 4;
  return rest ? text(box.width / 2, y, `and ${rest} more`, "middle") : "";
}

function zonesOf({ columns: [name], levels }, at, { width }, look) {
  const stops = [...at.shown, null].map((_, k) => at.first + k * at.room);
  const y = ofLevels(name, at.shown.map((i) => levels[i]), stops, look);
  return [{ left: 0, right: width, top: stops[0], bottom: stops.at(-1), y }];
}

function marksOf(view, look) {
  const rows = rowsOf(view);
  const [column] = view.columns;
  const of = totals(view);
  return view.levels.flatMap((word, i) => rows.map((row, j) => {
    const other = view.by === null ? "" : view.by_levels[j];
    const also = view.by === null ? [] : look.lightOf(view.by, other);
    const own = look.lightOf(column, word);
    const total = view.by === null ? sum(of) : of[i];
    return {
      say: look.level(column, word) + (other && ` · ${look.level(view.by, other)}`),
      count: view.by === null ? view.counts[i] : view.by_counts[j][i],
      more: look.share(row[i], total),
      light: own && also && [...own, ...also],
    };
  }));
}

/** Within each part of a bar as much of it is lit as of its rows. */
function litOf(view, at, counts, look) {
  const rows = rowsOf(view);
  const lit = sum(counts);
  return at.shown.map((i) => {
    const own = counts.slice(i * rows.length, (i + 1) * rows.length);
    if (!sum(own)) return "";
    const total = totals(view)[i];
    const longOf = (value) => at.x(at.isWhole ? value / total : value);
    const y = middle(at, i);
    let left = at.left;
    const drawn = rows.map((row, j) => {
      const from = left;
      left += longOf(row[i] || 0);
      return own[j] ? rect(from, y - at.high / 2, longOf(own[j]), at.high, { class: "hot" }) : "";
    });
    const says = `${whole(sum(own))} · ${percent(sum(own) / lit)}`;
    const end = at.left + Math.min(rows.length > 1 ? 0 : longOf(own[0]), at.across - wide(says)) + 6;
    return drawn.join("") +
      (!look.mini && at.room >= 40 ? text(end, y + at.high / 2 + 12, says) : "");
  }).join("");
}
