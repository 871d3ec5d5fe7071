"""Reports as text of 88 columns, and how they are saved in their forms."""

from __future__ import annotations

import textwrap
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import NamedTuple, Protocol

from discreet.render.figure_file import path_to_save, write_whole
from discreet.render.sealing import Sealable, released
from discreet.render.to_html import Html, table


def save_as(path: str | Path, forms: Mapping[str, Callable[[], str | bytes]], what: str) -> Path:
    """Write a file, by what makes the form that its ending asks for."""
    target = path_to_save(path, tuple(forms), what)
    made = forms[target.suffix.lower()]()
    write_whole(made.encode() if isinstance(made, str) else made, target)
    return target


class Asking(Sealable, Protocol):
    """A report in three forms that asks before it is released."""

    def to_html(self) -> str:
        """Return it as a page, once it may be released."""

    def to_json(self) -> str:
        """Return it as JSON, once it may be released."""

    def to_text(self) -> str:
        """Return it as text, to look at."""


def save_asking(
    report: Asking,
    path: str | Path,
    what: str,
    plots: Mapping[str, Callable[[], bytes]] | None = None,
    texts: Mapping[str, Callable[[], str]] | None = None,
) -> Path:
    """Write a report to a file, once it may be released.

    `plots` make what is no report; `texts` ask for themselves, and have no room for a provenance.
    """
    asking: dict[str, Callable[[], str | bytes]] = {".txt": report.to_text, **(plots or {})}
    forms: dict[str, Callable[[], str | bytes]] = {
        ".html": report.to_html,
        ".json": report.to_json,
        **(texts or {}),
        **{it: partial(released, report, it[1:], make) for it, make in asking.items()},
    }
    return save_as(path, forms, what)


class Listing(NamedTuple):
    """A table of texts: a title, the names of its columns, its rows, and the columns of words."""

    title: str
    head: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    words: tuple[int, ...] = (0,)

    def html(self, more: str = "") -> Html:
        """Return the table for a page, with more words behind its title."""
        return table(self.head, self.rows, caption=f"{self.title}{more}", words=self.words)


WIDTH = 88
WORDS = 24  # letters of a column of words, at least


def headed(title: str, rule: str = "-") -> list[str]:
    """Return a title over a rule as wide."""
    lines = textwrap.wrap(title, WIDTH) or [""]
    return [*lines, rule * max(map(len, lines))]


def as_text(parts: Sequence[Listing | tuple[str, Sequence[str]]]) -> str:
    """Write headings with sentences, and tables that have rows, of 88 columns."""
    lines: list[str] = []
    for part in parts:
        if isinstance(part, Listing):
            lines += ["", *headed(part.title), *columns(part)] if part.rows else []
        else:
            lines += ["", *headed(part[0]), *bullets(part[1])]
    return "\n".join(lines[1:])


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
            written = []
            for j, (cell, wide) in enumerate(zip(cells, widths, strict=True)):
                text = cell[depth] if depth < len(cell) else ""
                written.append(text.ljust(wide) if j in listing.words else text.rjust(wide))
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
