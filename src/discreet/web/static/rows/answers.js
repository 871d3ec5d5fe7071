/** What can be asked of the rows of a protected copy. */

import { makerFor } from "../views/index.js";
import { byStrength } from "../views/parallel.js";
import { readBundle } from "./bundle.js";
import { columnOf, maskWhere } from "./derive.js";
import { extent } from "./ends.js";
import { countsOf, litOf, maskOf, packed } from "./light.js";
import { quantilesOf } from "./moments.js";
import { FEWEST, gapsOf, rowsOf, whole, withNew } from "./part.js";
import { Refused } from "./refused.js";

const PARTS = 4;

/** Keeps the rows, the parts of them that were asked for last, and the marks of pictures. */
export class Answers {
  /** Take the rows, and what pictures are made with. */
  open({ bytes, facts }) {
    // A column may be called as what each object has: constructor, or __proto__.
    this.facts = { ...facts, axes: Object.assign(Object.create(null), facts.axes) };
    this.whole = whole(readBundle(bytes));
    this.parts = new Map();
    return { found: { size: this.whole.size } };
  }

  /** Say how many rows a part has, and which columns. */
  part(asked) {
    const { part } = this.held(asked);
    const columns = [...part.names()].map((name) => {
      const { kind, dates = false, levels = null, coded = false, values } = part.column(name);
      return { name, kind, dates, levels, coded, ...(values && numbersIn(values, dates)) };
    });
    return { found: { size: part.size, total: part.total, columns } };
  }

  /** Make the view of each of some specs; what cannot be made is refused by itself. */
  views({ part: asked, specs }) {
    const held = this.held(asked);
    return { found: specs.map((spec) => this.view(held, spec)) };
  }

  /**
   * Count the rows that fulfil some conditions, all of them and in each mark of each picture. It
   * stops after each picture, so that a later question need not wait.
   */
  *light({ part: asked, conditions, specs }) {
    const held = this.held(asked);
    const lit = litOf(maskOf(held.part, conditions));
    const each = [];
    for (const spec of specs) {
      each.push(this.lit(held, spec, lit));
      yield;
    }
    return { found: { size: lit.size, each } };
  }

  /** Find which mark each row has in some pictures, before anybody points at one. */
  *ready({ part: asked, specs }) {
    const held = this.held(asked);
    for (const spec of specs) {
      this.marks(held, spec);
      yield;
    }
    return { found: null };
  }

  /** The axes of a picture in the order in which neighbours tell most of each other. */
  order({ part, spec }) {
    return { found: byStrength(this.held(part).part, spec, this.facts) };
  }

  /** The values of some rows, column by column: numbers and words, null where one is missing. */
  table({ part: asked, from, to }) {
    const { part } = this.held(asked);
    return { found: [...part.names()].map((name) => valuesIn(part.column(name), from, to)) };
  }

  held({ where, assign }) {
    const key = JSON.stringify([where, assign]);
    if (!this.parts.has(key)) {
      this.parts.set(key, { part: this.parted(where, assign), views: new Map() });
      if (this.parts.size > PARTS) this.parts.delete(this.parts.keys().next().value);
    }
    return this.parts.get(key);
  }

  parted(where, assign) {
    let part = this.whole;
    for (const [name, text] of assign) part = withNew(part, columnOf(part, name, text));
    for (const text of where) part = rowsOf(part, maskWhere(part, text));
    if (where.length && part.size < FEWEST) {
      throw new Refused(
        `Fewer than ${FEWEST} rows fit these filters: too few to say anything about people.`,
        { few: true },
      );
    }
    return part;
  }

  view(held, spec) {
    const key = JSON.stringify(spec);
    if (!held.views.has(key)) {
      try {
        const view = known(spec).make(held.part, spec, this.facts);
        held.views.set(key, { view: { ...view, ...ordersOf(held.part, spec) }, quartiles: quartilesOf(held.part, spec) });
      } catch (error) {
        held.views.set(key, { refused: whyNot(error) });
      }
    }
    const { view, refused, quartiles } = held.views.get(key);
    return refused ? { refused } : { view, quartiles, gaps: gapsOf(held.part, spec, view) };
  }

  marks(held, spec) {
    const { view } = this.view(held, spec);
    const kind = makerFor(spec);
    if (!view || !kind.marks) return null;
    const cache = held.views.get(JSON.stringify(spec));
    cache.marks ??= packed(kind.marks(held.part, spec, view, this.facts));
    return cache.marks;
  }

  lit(held, spec, lit) {
    const { view } = this.view(held, spec);
    if (!view) return null;
    const kind = makerFor(spec);
    const marks = this.marks(held, spec);
    const { mask, size } = lit;
    const out = marks ? { counts: countsOf(marks, lit) } : {};
    // A picture of its own: of fewer rows there is none, but where it shows each row.
    if (kind.lit && (kind.litByRow || size >= FEWEST)) out.view = kind.lit(held.part, spec, view, mask, this.facts);
    return out;
  }
}

const valuesIn = ({ values, codes, levels, missing }, from, to) =>
  (values ? Array.from(values.slice(from, to), (it) => (Number.isFinite(it) ? it : null))
    : Array.from(codes.slice(from, to), (it) => (it === missing ? null : levels[it])));

/** All levels of the columns that give a view its colours, in order, as a view of the server has them. */
function ordersOf(part, { columns = [], by = [], colour, kind }) {
  const named = [...by, ...(colour ? [colour] : []), ...(kind === "bars" ? columns : [])];
  const orders = [...new Set(named)].map((name) => [name, levelsOf(part, name)]).filter(([, it]) => it);
  return orders.length ? { origin: { orders } } : {};
}

/** Whether a column has whole numbers alone, and the least and the largest of its numbers. */
function numbersIn(values, dates) {
  const whole = !dates && values.every((it) => Number.isInteger(it) || !Number.isFinite(it));
  return { whole, ...(values.some(Number.isFinite) && { ends: extent(values) }) };
}

/** The quartiles of the rows of a histogram. */
const quartilesOf = (part, { kind, columns: [name] }) =>
  (kind === "histogram" ? quantilesOf(part.number(name).filter(Number.isFinite), [0.25, 0.75]) : undefined);

function levelsOf(part, name) {
  try {
    return part.level(name).levels;
  } catch {
    return null; // ranges of it are drawn
  }
}

function known(spec) {
  const kind = makerFor(spec);
  if (!kind) throw new Refused(`No picture “${spec.kind}” is drawn of the copy's rows.`);
  return kind;
}

/** One picture that fails takes no other with it. */
function whyNot(error) {
  if (error instanceof Refused) return { says: error.message, ...error.where };
  console.error(error);
  return { says: "This picture cannot be drawn of these rows. Choose other columns, or another kind." };
}
