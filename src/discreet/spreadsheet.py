"""Texts in files that a spreadsheet opens: one that it would run as a formula is marked as text.

A level such as `=HYPERLINK(...)` is a text in the data, and a program in a spreadsheet. So a text
that begins like one has an apostrophe before it in every file of CSV or TSV that is written;
numbers stay numbers.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Iterable, Mapping
from typing import Any, Literal

RUN = ("=", "+", "-", "@", "\t", "\r")
"""A text that begins with one of these may be run."""
MARK = "'"
NUMBER = re.compile(r"[+-]?(?:\d[\d,]*\.?\d*|\.\d+)(?:[eE][+-]?\d+)?(?: ?%)?")


def as_text(text: str) -> str:
    """Return a text as a file has it that a spreadsheet may open.

    Examples
    --------
    >>> as_text("=1+1"), as_text("-2.83"), as_text("-2 to 3"), as_text("@home"), as_text("a=b")
    ("'=1+1", '-2.83', "'-2 to 3", "'@home", 'a=b')
    """
    runs = text.startswith(RUN) and NUMBER.fullmatch(text) is None
    return f"{MARK}{text}" if runs else text


def as_meant(text: str) -> str:
    """Return a text of such a file as it was before it was marked.

    Examples
    --------
    >>> as_meant("'=1+1"), as_meant("'tis"), as_meant("-2.83")
    ('=1+1', "'tis", '-2.83')
    """
    bare = text.removeprefix(MARK)
    return bare if bare != text and as_text(bare) == text else text


def as_texts(texts: Iterable[str]) -> list[str]:
    """Return the cells of a line as such a file has them."""
    return [as_text(it) for it in texts]


def quoting(texts: Iterable[str]) -> Literal[0, 1, 2]:
    """Say how cells are put in quotes: all texts, where one has a return, which would end a line.

    Examples
    --------
    >>> quoting(["a", "b,c"]) == csv.QUOTE_MINIMAL, quoting(["a", "=1"]) == csv.QUOTE_MINIMAL
    (True, True)
    """
    return csv.QUOTE_NONNUMERIC if any("\r" in it for it in texts) else csv.QUOTE_MINIMAL


def of_row(row: Mapping[str, Any]) -> dict[str, Any]:
    """Return a row of which the texts are as such a file has them."""
    return {name: as_text(it) if isinstance(it, str) else it for name, it in row.items()}
