"""The page that shows the figures of the 2011 paper, and what became of its conclusions."""

from __future__ import annotations

import html
from collections.abc import Sequence
from pathlib import Path

from examples.figures.contact_sheet import STYLE
from examples.parallel.drawing import Plate
from examples.rounding.judged import Judged

__all__ = ["NAME", "write_page"]

NAME = "index.html"
MORE_STYLE = """
  .all { grid-template-columns: repeat(auto-fill, minmax(min(560px, 100%), 1fr)); }
  figure img { height: auto; }
  td.verdict { white-space: nowrap; }
"""
PAGE = """<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>discreet: the figures of Dasgupta and Kosara (2011)</title>
<style>{style}</style>
<h1>The figures of the 2011 paper</h1>
<p>Dasgupta and Kosara (2011), <i>Adaptive privacy-preserving visualization using parallel
coordinates</i>, IEEE Transactions on Visualization and Computer Graphics 17(12), made again by
<b>discreet</b> on the German credit data, under the policy <code>research</code>: the paper's
clusters as printed, for public data. Figure 4 is a sketch of a server and a client, and left out.
What guarded counts do instead is shown last, and said with the conclusions below.</p>
<div class="all">
{figures}
</div>
<h2 id="conclusions">The paper's conclusions</h2>
<div class="numbers"><table><tr><th></th><th>Where</th><th>What it says</th><th>Numbers</th></tr>
{claims}
</table></div>
</html>
"""


def write_page(plates: Sequence[Plate], found: Sequence[Judged], folder: Path) -> Path:
    """Write index.html; it needs nothing but the files beside it."""
    path = folder / NAME
    text = PAGE.format(
        style=STYLE + MORE_STYLE,
        figures="\n".join(map(card, plates)),
        claims="\n".join(map(row, found)),
    )
    path.write_text(text, encoding="utf-8")
    return path


def card(plate: Plate) -> str:
    """Return one figure with its caption in three parts."""
    name = html.escape(plate.label)
    said = "".join(
        f"<p><i>{html.escape(head)}:</i> {html.escape(text)}</p>" for head, text in plate.texts
    )
    return (
        f'<figure id="figure-{plate.number}"><a href="{plate.name}">'
        f'<img src="{plate.name}" alt="{name}" loading="lazy"></a>'
        f"<figcaption><b>{name}</b>{said}</figcaption></figure>"
    )


def row(found: Judged) -> str:
    """Return one conclusion, how it fared, and the numbers."""
    cells = (found.where, found.claim, found.numbers)
    return (
        f'<tr><td class="verdict">{html.escape(found.verdict.capitalize())}</td>'
        + "".join(f"<td>{html.escape(cell)}</td>" for cell in cells)
        + "</tr>"
    )
