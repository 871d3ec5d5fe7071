"""The board in a browser: how soon rows light up in 16 cards, and the first overview is there.

Rows of twelve columns that are simulated, as a board in one file, in Chromium without a screen,
1,600 pixels wide. Sixteen cards; bars are pointed at one after the other, and the page itself takes
the time from the pointer's event to the frame after which all cards show the rows that are lit. By
turns with each, a plain loop counts the same rows for the same cards in the same page: it goes over
all rows for each card, and of those that are lit finds the bin by arithmetic; nothing is kept, and
nothing is drawn. First overview: from the start of the navigation until the last column is drawn.
Run it as `python -m benchmarks.board`; needs Playwright and Chromium.
"""

from __future__ import annotations

import argparse
import os
import shutil
import statistics
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from discreet.web.bundle import LevelColumn, NumberColumn, bundle
from discreet.web.page import board_page

if TYPE_CHECKING:
    from playwright.sync_api import Page

__all__ = ["LIT", "SIZE", "draw_cards", "main", "page_of"]

COUNTS = (10_000, 100_000, 300_000)
POINTED = 60
SIZE = {"width": 1600, "height": 1000}
NUMBERS = ("age", "bmi", "waist", "sbp", "glucose", "hba1c", "hdl", "chol")
LEVELS = {
    "sex": ("Female", "Male"),
    "smoking": ("Never", "Former", "Current"),
    "region": ("North", "East", "South", "West"),
    "education": ("None", "School", "College", "Degree"),
}
CARDS = (
    *(f"histogram:{name}" for name in NUMBERS[:5]),
    *(f"bars:{name}" for name in LEVELS),
    "bars:region:by=sex",
    "crosstab:smoking,education",
    "heatmap:age,bmi",
    "heatmap:sbp,glucose",
    "histogram:bmi:by=region",
    "parallel:age,sex,bmi,sbp",
    "scatter:hdl,chol",
)
AXES = (
    *([[name]] for name in (*NUMBERS[:5], *LEVELS)),
    *([["region", "sex"]], [["smoking", "education"]], [["age", "bmi"]], [["sbp", "glucose"]]),
    [["bmi", "region"]],
    [["age", "sex"], ["sex", "bmi"], ["bmi", "sbp"], ["age"], ["sex"], ["bmi"], ["sbp"]],
    [["hdl", "chol"]],
)
"""Of each card the columns whose bins are its marks; parallel axes have several sets of marks."""
PLAIN = """async ([cards, bins]) => {
  const text = atob(document.getElementById("rows").textContent);
  const packed = new Blob([Uint8Array.from(text, (it) => it.charCodeAt(0))]).stream();
  const stream = packed.pipeThrough(new DecompressionStream("gzip"));
  const bytes = await new Response(stream).arrayBuffer();
  const length = new DataView(bytes).getUint32(4, true);
  const head = JSON.parse(new TextDecoder().decode(new Uint8Array(bytes, 8, length)));
  const types = { f8: Float64Array, i4: Int32Array, i2: Int16Array, i1: Int8Array, u1: Uint8Array };
  const columns = Object.fromEntries(head.columns.map((it) => {
    const values = new types[it.type](bytes, 8 + length + it.at, head.rows);
    const levels = it.kind === "level" && it.levels.length;
    if (levels) return [it.name, { values, size: levels, low: 0, width: 1 }];
    const [low, high] = [Math.min, Math.max].map((of) => values.reduce((a, b) => of(a, b)));
    return [it.name, { values, size: bins, low, width: (high - low) / bins }];
  }));
  const sets = cards.flat().map((names) => names.map((name) => columns[name]));
  globalThis.plain = (name, bin) => {
    const { values, low, width } = columns[name];
    const [from, to] = [low + bin * width, low + (bin + 1) * width];
    const began = performance.now();
    globalThis.counted = sets.map((axes) => {
      const counts = new Float64Array(axes.reduce((all, it) => all * it.size, 1));
      for (let i = 0; i < values.length; i += 1) {
        if (!(values[i] >= from && values[i] < to)) continue;
        let mark = 0;
        for (const it of axes) {
          const place = Math.floor((it.values[i] - it.low) / it.width);
          mark = mark * it.size + Math.min(place, it.size - 1);
        }
        counts[mark] += 1;
      }
      return counts;
    });
    return performance.now() - began;
  };
  for (let i = 0; i < 5; i += 1) globalThis.plain(cards[0][0][0], i);
}"""
LIT = """async ([pointed]) => {
  const marks = [...document.querySelectorAll("article.card:nth-child(-n+5) .bar")];
  const over = [...document.querySelectorAll(".hl")];
  const times = [];
  globalThis.plainTimes = [];
  for (let i = 0; i < pointed; i += 1) {
    const place = (i * 7) % marks.length;
    const mark = marks[place];
    const box = mark.getBoundingClientRect();
    const at = { clientX: box.left + 1, clientY: box.top + 1, bubbles: true, pointerType: "mouse" };
    const changed = new Promise((done) => {
      const seen = new MutationObserver(() => { seen.disconnect(); done(); });
      over.forEach((it) => seen.observe(it, { childList: true }));
    });
    const began = performance.now();
    mark.dispatchEvent(new PointerEvent("pointermove", at));
    await changed;
    await new Promise(requestAnimationFrame);
    times.push(performance.now() - began);
    if (!globalThis.plain) continue;
    const column = mark.closest("article").querySelector("h2").textContent;
    globalThis.plainTimes.push(globalThis.plain(column, Number(mark.dataset.m)));
  }
  return times;
}"""


def page_of(size: int) -> str:
    """Return a board of so many simulated rows, as one file."""
    columns: list[NumberColumn | LevelColumn] = []
    place = np.arange(size)
    wave = np.sin(place * 0.618)
    for i, name in enumerate(NUMBERS):
        values = 50 + 10 * np.sin(place * (0.37 + 0.11 * i)) + 8 * wave + 5 * np.cos(place * 1.7)
        columns.append(NumberColumn(name, np.round(values, 1), dates=False))
    for i, (name, words) in enumerate(LEVELS.items()):
        codes = (place * (7 + 2 * i) + (wave > 0.3)) % len(words)
        columns.append(LevelColumn(name, codes.astype(np.intp), words))
    facts = {
        "study": f"{size:,} simulated rows",
        "version": 1,
        "policy": {"k": 5, "m": 10, "round_to": 5, "public": True, "promise": "Simulated rows."},
        "columns": [
            {
                "name": it.name,
                "label": it.name,
                "unit": None,
                "dates": False,
                "kind": "continuous" if isinstance(it, NumberColumn) else "categorical",
            }
            for it in columns
        ],
        "pictures": [],
        "tables": [],
        "rows": {"rows": size},
        "drawn": {"k": 5, "bins": 20, "axes": {}},
    }
    return board_page(facts, bundle("", columns), "simulated")


def draw_cards(page: Page) -> float:
    """Wait for the overview, and put all cards on the board; return when the first was there."""
    from playwright.sync_api import expect

    page.locator(".mini svg .bar").first.wait_for(timeout=120_000)
    expect(page.locator(".mini .pic svg")).to_have_count(12)
    overview = float(page.evaluate("performance.now()"))
    page.evaluate("(cards) => { location.hash = `#cards=${cards}&abreast=4`; }", ";".join(CARDS))
    drawn = page.locator("article.card .pic:has(svg, table)")
    expect(drawn).to_have_count(len(CARDS), timeout=120_000)
    page.wait_for_timeout(500)
    page.evaluate(LIT, [10])
    return overview


def measured(page: Page, path: Path) -> dict[str, Any]:
    """Return how long the first overview takes, and the times from pointing to light."""
    page.goto(path.as_uri())
    overview = draw_cards(page)
    page.evaluate(PLAIN, [AXES, 20])
    times = page.evaluate(LIT, [POINTED])
    return {"overview": overview, "ours": times, "plain": page.evaluate("plainTimes")}


def spread(times: Sequence[float]) -> tuple[float, float]:
    """Return the median and what 95 of 100 are below."""
    return statistics.median(times), sorted(times)[int(0.95 * len(times))]


def main(arguments: Sequence[str] = ()) -> None:
    """Measure, and print a table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, nargs="+", default=COUNTS)
    counts = parser.parse_args(arguments or None).rows
    browser_path = shutil.which("chromium")
    if browser_path is None:
        print("there is no chromium")
        return
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright, tempfile.TemporaryDirectory() as folder:
        browser = playwright.chromium.launch(executable_path=browser_path, args=["--no-sandbox"])
        load = os.getloadavg()[0]
        print(f"Chromium {browser.version}, {os.cpu_count()} cores, load {load:.1f}, 16 cards;")
        print("rows      overview ms   light ms, median   p95   plain loop, median   p95   ratios")
        for size in counts:
            path = Path(folder) / f"{size}.html"
            path.write_text(page_of(size), encoding="utf-8")
            page = browser.new_page(viewport=SIZE)  # type: ignore[arg-type]
            found = measured(page, path)
            (median, most), (plain, plain_most) = spread(found["ours"]), spread(found["plain"])
            print(
                f"{size:<9,} {found['overview']:>11.0f} {median:>18.1f} {most:>5.1f}"
                f" {plain:>20.1f} {plain_most:>5.1f}  "
                f" {median / plain:.2f}, {most / plain_most:.2f}"
            )
            page.close()
        browser.close()


if __name__ == "__main__":
    main()
