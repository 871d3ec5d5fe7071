"""Reports as text to read in a terminal: titles, lists and tables, of 88 columns."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence

from discreet.measure.report_tables import Listing

__all__ = ["bullets", "columns", "headed"]

WIDTH = 88
WORDS = 24  # letters of a column of words, at least


def headed(title: str, rule: str = "-") -> list[str]:
    """Return a title over a rule as wide."""
    lines = textwrap.wrap(title, WIDTH) or [""]
    return [*lines, rule * max(map(len, lines))]


def bullets(sentences: Sequence[str]) -> list[str]:
    """Return sentences as a list, of 88 columns."""
    return [
        line
        for sentence in sentences
        for line in textwrap.wrap(sentence, WIDTH, initial_indent="- ", subsequent_indent="  ")
    ]


def columns(listing: Listing) -> list[str]:
    """Write a table in columns; heads and words are wrapped where they would be too wide."""
    widths = _widths(listing)
    lines = []
    for row in (listing.head, *listing.rows):
        cells = [textwrap.wrap(text, wide) for text, wide in zip(row, widths, strict=True)]
        for depth in range(max(map(len, cells))):
            written = [
                _padded(cell[depth] if depth < len(cell) else "", wide, j in listing.words)
                for j, (cell, wide) in enumerate(zip(cells, widths, strict=True))
            ]
            lines.append("  ".join(written).rstrip())
    return lines


def _widths(listing: Listing) -> list[int]:
    """Say how wide each column is: numbers in full, words in what is left of the line."""
    longest = [max(map(len, column)) for column in zip(*listing.rows, strict=True)]
    heads = [max(map(len, head.split()), default=1) for head in listing.head]
    widths = [max(pair) for pair in zip(longest, map(len, listing.head), strict=True)]
    between = 2 * (len(widths) - 1)
    if sum(widths) + between > WIDTH:
        widths = [max(pair) for pair in zip(longest, heads, strict=True)]
    spare = WIDTH - sum(widths) - between
    for j in sorted(listing.words, key=lambda j: -widths[j])[:1]:
        widths[j] = max(WORDS, heads[j], widths[j] + spare) if spare < 0 else widths[j]
    return widths


def _padded(text: str, wide: int, words: bool) -> str:
    return text.ljust(wide) if words else text.rjust(wide)
