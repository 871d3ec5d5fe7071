/** Draws the panels of small multiples, side by side and alike. */

import { sum } from "../rows/counts.js";
import { whole } from "./look.js";
import { clip, moved, rect, text, wide } from "./svg.js";
import { zonesIn } from "./zones.js";

/** Kinds whose marks would hide one another: each level has a panel of its own. */
const OF_LEVELS = ["histogram", "heatmap", "contour"];
const OF_PAIRS = [...OF_LEVELS, "scatter"];
const TABLES = ["summary", "means"];
const GAP = { across: 16, down: 12 };
const HEAD = 22;
const LEAST = 104; // so high is a panel with its name at least

/** Say whether a picture has panels. */
export const hasPanels = ({ kind, by = [], overlay }) =>
  (by.length === 2 && !TABLES.includes(kind)) ||
  (by.length === 1 && OF_LEVELS.includes(kind) && !overlay);

/** @param {object} spec - Of panels. @returns {boolean} Whether each pair of levels has one. */
export const isOfPairs = ({ kind, by, overlay }) => by.length === 2 && OF_PAIRS.includes(kind) && !overlay;

/** Return what draws panels of a kind: `title`, `tall` and `draw`, as a kind of pictures has them. */
export function panelsDrawn(kind) {
  return {
    name: kind.name,
    title: (spec, say) => titleOf(kind, spec, say),
    tall: (view, look, width) => {
      const { down } = gridOf(view, width);
      return down * (LEAST + GAP.down) + (hasPairs(view) ? HEAD : 0);
    },
    draw: (view, box, look) => drawn(kind, view, box, look),
  };
}

const hasPairs = (view) => view.kind === "panels" && view.each_pair;

function titleOf(kind, spec, say) {
  const { by, ...alone } = spec;
  const [first, second] = by.map(say.label);
  const own = kind.title(alone, say);
  if (!second) return `${own}, for each ${first}`;
  if (isOfPairs(spec)) return `${own}, for each ${first} and ${second}`;
  return `${kind.title({ ...spec, by: by.slice(0, 1) }, say)}, for each ${second}`;
}

function drawn(kind, view, box, look) {
  const places = placesOf(view, box, look);
  const views = view.views.filter(Boolean);
  const bare = {
    ...look,
    bare: true,
    alike: kind.alike?.(views, look),
  };
  // What is laid over a panel is of its own levels.
  const own = (i) => ({ ...bare, levels: places[i].levels });
  bare.top = kind.top && Math.max(...view.views.map((each, i) => (each ? kind.top(each, own(i)) : 0)));
  let first = 0;
  const panels = view.views.map((each, i) => {
    const place = places[i];
    if (!each) return { place, says: isFew(view, place.levels) ? `fewer than 50 ${look.counted}` : `no ${look.counted}` };
    const found = kind.draw(each, { width: place.width, height: place.height }, own(i));
    const isKnown = kind.count || found.marks.some((it) => it.count !== undefined);
    const counted = () => kind.count?.(each) ?? sum(found.marks.map((it) => it.count));
    const count = each.shown ?? (isKnown ? counted() : undefined);
    const panel = { ...found, i, place, first, count };
    first += found.marks.length;
    return panel;
  });
  const made = panels.filter((panel) => panel.svg !== undefined);
  const ofEach = (lit) => made.map((panel) => ({ panel, lit: lit && part(lit, panel) }));
  const keys = [...new Map(made.flatMap((it) => it.keys || []).map((key) => [key.name, key])).values()];
  return {
    svg: panels.map((panel) => headOf(panel, look) + bodyOf(panel)).join(""),
    top: made.map((panel) => put(panel, panel.top || "")).join(""),
    over: made.map((panel) => put(panel, panel.over || "")).join(""),
    marks: made.flatMap((panel) => panel.marks.map((mark) => within(mark, panel, look))),
    keys,
    zones: made.flatMap(({ zones = [], place }) => zonesIn(zones, [place.x, place.y], place.levels.flatMap(({ by, word }) => look.lightOf(by, word) || []))),
    overlay: (lit) =>
      ofEach(lit).map((it) => put(it.panel, it.panel.overlay?.(it.lit) || "")).join(""),
    ...(made.every((it) => it.vector) && {
      vector: (colours) => made.map((panel) => put(panel, panel.vector(colours))).join(""),
    }),
    ...(made[0].paint && {
      paint(context, lit, colours) {
        for (const it of ofEach(lit)) {
          context.save();
          context.translate(it.panel.place.x, it.panel.place.y);
          it.panel.paint(context, it.lit, colours);
          context.restore();
        }
      },
    }),
  };
}

/** What of the highlight is of one panel. */
function part(lit, { i, first, marks }) {
  const counts = lit.counts?.slice(first, first + marks.length);
  return { ...lit, counts, view: lit.view?.[i] ?? undefined };
}

const isFew = ({ few = [] }, levels) =>
  few.some((pair) => pair.every((word, i) => word === levels[i].word));

function within(mark, { place }, look) {
  const lights = place.levels.map(({ by, word }) => look.lightOf(by, word));
  return {
    ...mark,
    say: [mark.say, ...place.levels.map(({ by, word }) => look.level(by, word))].join(" · "),
    light: mark.light && lights.every(Boolean) ? [...mark.light, ...lights.flat()] : null,
  };
}

/** How many panels there are side by side, and one below the other. */
function gridOf(view, width) {
  if (hasPairs(view)) return { across: view.second.length, down: view.first.length };
  return sideBySide(view.views.length, width);
}

/** Return how many panels stand side by side, and one below the other. */
export function sideBySide(many, width) {
  const most = width > 820 ? 5 : width > 400 && many > 2 ? 3 : 2;
  // Rows of one length are read more easily than a last one of a single panel.
  const down = Math.ceil(many / most);
  return { across: Math.ceil(many / down), down };
}

function placesOf(view, box) {
  const { across, down } = gridOf(view, box.width);
  const ofPairs = hasPairs(view);
  const above = ofPairs ? HEAD : 0;
  const width = (box.width - GAP.across * (across - 1)) / across;
  const high = (box.height - above - GAP.down * (down - 1)) / down;
  return view.views.map((_, i) => {
    const [row, column] = [Math.floor(i / across), i % across];
    return {
      x: column * (width + GAP.across),
      y: above + row * (high + GAP.down) + HEAD,
      width,
      height: high - HEAD,
      levels: levelsOf(view, i, row, column),
      heads: ofPairs && { row: column === 0, column: row === 0 },
    };
  });
}

function levelsOf(view, i, row, column) {
  if (view.kind === "multiples") return [{ by: view.by, word: view.levels[i] }];
  const [first, second] = view.by;
  if (!view.each_pair) return [{ by: second, word: view.second[i] }];
  return [{ by: first, word: view.first[row] }, { by: second, word: view.second[column] }];
}

function headOf({ place, count }, look) {
  const { x, y, width, heads, levels } = place;
  const many = count === undefined ? "" : whole(count);
  const named = ({ by, word }) => (Number.isFinite(Number(word)) ? `${look.label(by)} ${word}` : word);
  const head = (level, at, room, anchor, up) =>
    text(at, y - up, clip(named(level), 0.9 * room), anchor, "b");
  const room = width - wide(many) - 12;
  const counted = text(x + width, y - 12, many, "end");
  if (!heads) return head(levels[0], x, room, "start", 12) + counted;
  return (heads.column ? head(levels[1], x + width / 2, width, "middle", 32) : "") +
    (heads.row ? head(levels[0], x, room, "start", 12) : "") + counted;
}

function bodyOf(panel) {
  const { x, y, width, height } = panel.place;
  if (panel.svg !== undefined) return put(panel, panel.svg);
  const ground = rect(x, y, width, height, { class: "few", rx: 4 });
  return ground + text(x + width / 2, y + height / 2 + 4, clip(panel.says, width), "middle");
}

/** A panel's drawing at its place, its marks counted on from those of the panels before. */
const put = ({ place, first }, svg) =>
  svg && moved(place.x, place.y, svg.replace(/ data-m="(\d+)"/g, (_, mark) => ` data-m="${first + Number(mark)}"`));
