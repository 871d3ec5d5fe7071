/** The cross-table: how many rows have each pair of levels of two columns, and their sums. */

import { rampOf } from "../draw/colour.js";
import { percent, whole } from "../draw/look.js";
import { esc } from "../draw/svg.js";
import { sum } from "../rows/counts.js";

const FEW = "none, too few to be shown, or hidden so that sums do not give others back";
const NARROWEST = 56;

export const crosstab = {
  name: "crosstab",

  title: ({ columns: [first, second] }, say) =>
    `${say.label(first)} and ${say.label(second)}, in numbers`,

  tall: (view) => Math.min(640, 40 * (view.row_levels.length + 2)), // lines of two words

  draw(view, box, look) {
    const across = view.column_levels.length;
    const tints = view.counts.flatMap((row, i) => row.map((_, j) => tintOf(view, i, j, look)));
    const flat = view.counts.flat();
    const colour = (share) => colourOf(share, look);
    return {
      html: `<div class="sheet">${tableOf(view, look)}</div>`,
      marks: marksOf(view, look),
      steps: { ArrowDown: across, ArrowUp: -across },
      keys: [{ ramp: { from: "few", to: "many", colours: rampOf(colour) } }],
      tint(host, lit) {
        const table = host.querySelector("table");
        table.style.setProperty("min-width", `${NARROWEST * (across + 2)}px`);
        for (const cell of table.querySelectorAll("[data-m]")) {
          const mark = Number(cell.dataset.m);
          cell.style.setProperty("--ground", colour(tints[mark]));
          cell.style.setProperty("--lit", lit ? lit.counts[mark] / flat[mark] : 0);
        }
      },
    };
  },
};

const isShare = (look) => Boolean(look.spec?.percent);

/** The share of its row that a cell has; nothing where one of the two is hidden. */
const shareOf = ({ counts, row_totals: totals }, i, j) => (counts[i][j] || 0) / (totals[i] || Infinity);

function tintOf(view, i, j, look) {
  const most = Math.max(...view.counts.flat(), 1);
  const share = isShare(look) ? shareOf(view, i, j) : (view.counts[i][j] || 0) / most;
  return share ? 0.06 + 0.94 * Math.sqrt(share) : 0;
}

/** So pale that ink is read on it. */
const colourOf = (share, look) =>
  `color-mix(in oklab, var(--s0) ${((look.dark ? 58 : 82) * share).toFixed(1)}%, var(--card))`;

function tableOf(view, look) {
  const [first, second] = view.columns.map(look.label);
  const head = view.column_levels.map((word) => `<th scope="col">${esc(word)}</th>`).join("");
  const total = (count, i, j) =>
    `<td class="sum">${count === null ? "–" : whole(count)}${besideOf(look, i, j)}</td>`;
  const body = view.row_levels.map((word, i) => {
    const cells = view.counts[i].map((count, j) => cellOf(view, i, j, look)).join("");
    return `<tr><th scope="row">${esc(word)}</th>${cells}${total(view.row_totals[i], i, -1)}</tr>`;
  });
  const all = view.column_totals.map((count, j) => total(count, -1, j));
  const sums = [...all, total(view.total, -1, -1)].join("");
  return `<table class="ct"><caption class="unseen">${esc(first)} in rows, ${esc(second)} in columns</caption>` +
    `<thead><tr><td></td>${head}<th scope="col" class="sum">all</th></tr></thead>` +
    `<tbody>${body.join("")}<tr><th scope="row" class="sum">all</th>${sums}</tr></tbody></table>`;
}

function cellOf(view, i, j, look) {
  const count = view.counts[i][j];
  const beside = besideOf(look, i, j);
  if (count === null) return `<td class="few" title="${FEW}">few${beside}</td>`;
  const known = isShare(look) && view.row_totals[i] !== null;
  const says = known ? percent(Math.round(100 * shareOf(view, i, j)) / 100) : whole(count);
  return `<td${count ? ` data-m="${i * view.column_levels.length + j}"` : ""}>${says}${beside}</td>`;
}

/** What the data say of a cell, or of a sum, which has -1 as its place. */
function besideOf(look, i, j) {
  const said = look.beside?.(i, j);
  return said ? `<span class="of-data">${esc(said)}</span>` : "";
}

function marksOf(view, look) {
  const [first, second] = view.columns;
  return view.row_levels.flatMap((one, i) => view.column_levels.map((other, j) => {
    const count = view.counts[i][j];
    const lights = [look.lightOf(first, one), look.lightOf(second, other)];
    return {
      say: `${look.level(first, one)} · ${look.level(second, other)}`,
      count,
      more: view.row_totals[i] ? `${percent(shareOf(view, i, j))} of ${look.level(first, one)}` : "",
      light: lights.every(Boolean) ? lights.flat() : null,
    };
  }));
}
