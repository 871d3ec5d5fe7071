"""The page that shows the figures and tables of the 2022 paper."""

from __future__ import annotations

import csv
import html
from collections.abc import Sequence
from pathlib import Path

from examples.anonymise import titanic
from examples.anonymise.drawing import Plate
from examples.anonymise.tables import TextTable
from examples.figures.contact_sheet import STYLE
from examples.public import missing

__all__ = ["NAME", "write_page", "write_table"]

NAME = "2022.html"
PAGE = """<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>discreet: the figures and tables of Avraam et al. (2022)</title>
<style>{style}</style>
<h1>The figures and tables of the 2022 paper</h1>
<p>Avraam et al. (2022), <i>A deterministic approach for protecting privacy in sensitive personal
data</i>, BMC Medical Informatics and Decision Making 22:24, made again by <b>discreet</b>.
{missing} Those of the 2021 paper are on <a href="index.html">a page of their own</a>.</p>
<div class="all">
{figures}
</div>
{tables}
</html>
"""
NO_TITANIC = missing(titanic.NAME, titanic.NEEDS[titanic.NAME])


def write_page(plates: Sequence[Plate], tables: Sequence[TextTable], folder: Path) -> Path:
    """Write 2022.html; it needs nothing but the files beside it."""
    whole = any(plate.number == 1 for plate in plates)
    text = PAGE.format(
        style=STYLE,
        missing="" if whole else NO_TITANIC,
        figures="\n".join(map(card, plates)),
        tables="\n".join(map(printed, tables)),
    )
    path = folder / NAME
    path.write_text(text, encoding="utf-8")
    return path


def card(plate: Plate) -> str:
    """Return one figure with its caption."""
    name = html.escape(f"Figure {plate.number}: {plate.title}")
    return (
        f'<figure id="figure-{plate.number}"><a href="{plate.name}">'
        f'<img src="{plate.name}" alt="{name}" loading="lazy"></a>'
        f"<figcaption><b>{name}</b><p>{html.escape(plate.caption)}</p></figcaption></figure>"
    )


def printed(table: TextTable) -> str:
    """Return one table with its caption."""
    heads = "".join(f"<th>{html.escape(head)}</th>" for head in table.heads)
    rows = "\n".join(
        "<tr>" + "".join(f"<td>{html.escape(text)}</td>" for text in row) + "</tr>"
        for row in table.rows
    )
    return (
        f'<h2 id="table-{table.number}">Table {table.number}: {html.escape(table.title)}</h2>'
        f'<p>{html.escape(table.caption)} <a href="{table.name}">As CSV</a>.</p>'
        f'<div class="numbers"><table><tr>{heads}</tr>\n{rows}</table></div>'
    )


def write_table(table: TextTable, folder: Path) -> Path:
    """Write a table as CSV."""
    path = folder / table.name
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(table.heads)
        writer.writerows(table.rows)
    return path
