"""What columns there are: kind, unit, levels, gaps and a histogram of each, of protected rows.

It knows arrays alone; whose rows they are is for the caller to say.
"""

from __future__ import annotations

import math
import unicodedata
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import Any, NoReturn

import numpy as np

from discreet.arguments import Floats
from discreet.errors import RefusedError, one_of
from discreet.estimates.described import (
    UNKNOWN,
    RowsToDescribe,
    decimals_of,
    number_words,
    sd_of,
    share_words,
)
from discreet.estimates.units import unit_in
from discreet.provenance import Provenance, Sealer, checksum_of
from discreet.render.dates import date_words
from discreet.render.figure_file import printable
from discreet.render.report_text import WIDTH, bullets, headed
from discreet.render.sealing import Gate, ask_to_leave, json_of, sealed
from discreet.render.to_html import Html, fragment, heading, items, marked_up, table

SCHEMA = 1
BINS = 10
"""Bars of a small histogram, at most; of levels as many as there are up to `MOST_LEVELS`."""
MOST_LEVELS = 12
BLOCKS = "▁▂▃▄▅▆▇█"
HIGH, WIDE = 20, 6
"""Pixels: how high a small histogram is on a page, and how wide one of its bars."""
MOST_NAME = 28
"""Letters of a name in text; of a longer one the end is cut off."""
HEAD = ("column", "kind", "missing", "", "values")
KINDS_ALONE = "Kinds of columns"
CAPTION = "Kinds, shares of rows without a value, and histograms of rows of the protected copy"


@dataclass(frozen=True)
class ColumnFacts:
    """What is known of one column, of rows of the protected copy.

    Parameters
    ----------
    name : str
        Its name.
    kind : str
        "number", "whole number", "date", "level", "identifier", or of what type it is.
    unit : str, optional
        What stands in brackets at the end of its name: of "weight (kg)" it is "kg".
    levels : tuple of str
        The levels that the rows have, in the order in which plots have them.
    missing : float, optional
        The share of the rows that have no value.
    least, most : float or str, optional
        The ends of the numbers or dates of the rows.
    counts : tuple of int
        How many rows each level has, or each of at most ten bins of one width from `least` to
        `most`.
    in_copy : bool
        Whether it is in the copy, so that there are figures of it.
    label : str, optional
        What is drawn in place of its name; its unit is the column's.
    """

    name: str
    kind: str
    unit: str | None = None
    levels: tuple[str, ...] = ()
    missing: float | None = None
    least: float | str | None = None
    most: float | str | None = None
    counts: tuple[int, ...] = ()
    in_copy: bool = False
    label: str | None = None

    def labelled(self, label: str | None, *, declared: bool = False) -> ColumnFacts:
        """Return it with a label, whose unit is its own; `declared` says that the policy has it."""
        if label is None:
            return self
        return replace(self, label=label, unit=unit_in(label, declared=declared) or self.unit)


@dataclass(frozen=True, eq=False, repr=False)
class ColumnList(Mapping[str, ColumnFacts]):
    """The columns of a study by name, in their order; prints as a table.

    Parameters
    ----------
    title : str
        What stands above it.
    figures : tuple of ColumnFacts
        What is known of each column: `pandas.DataFrame(listed.figures)`.
    notes : tuple of str
        Where the figures come from, and how near that is.
    gate : callable or None
        Asked before `to_json` releases it; looking is free.
    sealer : Sealer or None
        Seals its JSON, where a study made it.
    provenance : Provenance or None
        What its JSON says of where it comes from; it has one once it is released.

    Examples
    --------
    >>> ages = facts_of(RowsToDescribe({"age (years)": np.arange(20.0, 60.0)}, {}), "age (years)")
    >>> listed = ColumnList("Columns", (ages,), ())
    >>> listed["age (years)"].unit
    'years'
    >>> print(listed)
    Columns
    -------
    column       kind          missing  values
    age (years)  whole number      0 %  ██████████  20 to 59
    """

    title: str
    figures: tuple[ColumnFacts, ...]
    notes: tuple[str, ...]
    gate: Gate | None = field(default=None)
    sealer: Sealer | None = field(default=None)
    provenance: Provenance | None = field(default=None)

    def __getitem__(self, name: str) -> ColumnFacts:
        for it in self.figures:
            if it.name == name:
                return it
        raise KeyError(f"there is no column {name!r}; there are {one_of([*self])}")

    def __iter__(self) -> Iterator[str]:
        return (it.name for it in self.figures)

    def __len__(self) -> int:
        return len(self.figures)

    def __repr__(self) -> str:
        return self.to_text()

    def __str__(self) -> str:
        return self.to_text()

    def __reduce__(self) -> NoReturn:
        raise RefusedError("a list of columns cannot be pickled; to_json writes it")

    def _has_copy(self) -> bool:
        return any(it.in_copy for it in self.figures)

    def _ipython_key_completions_(self) -> list[str]:
        """Name the columns to a notebook that completes columns["..."]."""
        return list(self)

    def _repr_html_(self) -> str:
        """Show it in a notebook; looking is free."""
        rows = [
            (
                _both_names(it),
                it.kind,
                _missing(it),
                bars_as_svg(it.counts, it.name),
                _values(it, None),
            )
            for it in self.figures
        ]
        if self._has_copy():
            shown = table(HEAD, rows, caption=CAPTION, words=(0, 1, 3, 4))
        else:
            shown = table(HEAD[:2], [row[:2] for row in rows], caption=KINDS_ALONE, words=(0, 1))
        return fragment([heading(self.title, 1), shown, items(self.notes)])

    def to_text(self) -> str:
        """Return it as text of 88 columns."""
        lines = _lines(self.figures) if self._has_copy() else _kinds_alone(self.figures)
        return "\n".join([*headed(printable(self.title)), *lines, *_after(self.notes)])

    def to_json(self) -> str:
        """Return it as JSON, once it may be released."""
        of = sealed(self)
        ask_to_leave(of, "json")
        return json_of(self._values(), of.provenance)

    def checksum(self) -> str:
        """Return the SHA-256 of all that its JSON holds but the provenance."""
        return checksum_of(self._values())

    def _values(self) -> dict[str, Any]:
        return {
            "discreet": SCHEMA,
            "kind": "columns",
            "title": self.title,
            "columns": [_plain(it) for it in self.figures],
            "notes": self.notes,
        }


def facts_of(rows: RowsToDescribe, name: str) -> ColumnFacts:
    """Return what rows say of one of their columns.

    Examples
    --------
    >>> found = facts_of(RowsToDescribe({}, {"sex": ("f", "m", "f", "")}), "sex")
    >>> found.levels, found.counts, found.missing
    (('f', 'm'), (2, 1), 0.25)
    """
    if name in rows.levels:
        many, order = Counter(rows.levels[name]), tuple(rows.order_of(name))
        counts = tuple(many[it] for it in order)
        return ColumnFacts(
            name,
            "level",
            unit_in(name),
            order,
            _share(many[""], len(rows.levels[name])),
            counts=counts,
            in_copy=True,
        )
    values = rows.numbers[name]
    known = values[np.isfinite(values)]
    dated = name in rows.dates
    whole = known.size > 0 and bool((known == np.round(known)).all())
    kind = "date" if dated else "whole number" if whole else "number"
    ends = (float(known.min()), float(known.max())) if known.size else (None, None)
    least, most = (None if it is None else _day(it) if dated else it for it in ends)
    return ColumnFacts(
        name,
        kind,
        unit_in(name),
        missing=_share(len(values) - known.size, len(values)),
        least=least,
        most=most,
        counts=_counts(known, whole=whole),
        in_copy=True,
    )


def _plain(of: ColumnFacts) -> dict[str, Any]:
    return {name: it for name, it in asdict(of).items() if name != "label" or it is not None}


def _both_names(of: ColumnFacts) -> str | Html:
    """Return the name of a column, and below it its label."""
    if of.label is None:
        return of.name
    return Html(f"{marked_up(of.name)}<br><small>{marked_up(of.label)}</small>")


def bars_in_text(counts: Sequence[int]) -> str:
    """Return a histogram as text, of the first twelve counts; none of nothing.

    Examples
    --------
    >>> bars_in_text((1, 4, 8, 0, 2)), bars_in_text(())
    ('▁▄█ ▂', '')
    """
    shown = counts[:MOST_LEVELS]
    most = max(shown, default=0)
    return "".join(" " if not n else BLOCKS[math.ceil(len(BLOCKS) * n / most) - 1] for n in shown)


def bars_as_svg(counts: Sequence[int], name: str) -> Html:
    """Return the same histogram as a drawing for a page; nothing of nothing."""
    shown = counts[:MOST_LEVELS]
    most = max(shown, default=0)
    if not most:
        return Html("")
    bars = "".join(
        f'<rect x="{WIDE * i}" y="{HIGH - high:g}" width="{WIDE - 1}" height="{high:g}"/>'
        for i, n in enumerate(shown)
        if (high := n and max(1.0, round(HIGH * n / most, 1)))
    )
    words = marked_up(f"histogram of {name}")
    return Html(
        f'<svg role="img" aria-label="{words}" width="{WIDE * len(shown)}" height="{HIGH}"'
        f' fill="currentColor">{bars}</svg>'
    )


def _counts(known: Floats, *, whole: bool) -> tuple[int, ...]:
    """Count numbers in bins of one width; of whole numbers each bin holds as many of them."""
    if not known.size:
        return ()
    low, high = float(known.min()), float(known.max())
    if low == high:
        return (int(known.size),)
    bins, ends = BINS, (low, high)
    if whole:
        step = math.ceil((high - low + 1) / BINS)
        bins = math.ceil((high - low + 1) / step)
        ends = (low - 0.5, low - 0.5 + bins * step)
    place = np.clip(((known - ends[0]) / (ends[1] - ends[0]) * bins).astype(np.intp), 0, bins - 1)
    return tuple(np.bincount(place, minlength=bins).tolist())


def _share(gaps: int, of: int) -> float | None:
    return gaps / of if of else None


def _day(days: float) -> str:
    return date_words(float(math.floor(days)))


def _missing(of: ColumnFacts) -> str:
    if of.missing is None:
        return UNKNOWN
    return share_words(round(of.missing * 1e6), 10**6)


def _values(of: ColumnFacts, room: int | None) -> str:
    """Say between what the values lie, or which levels there are, in so many letters."""
    if not of.in_copy:
        return "not in a copy"
    if of.levels:
        return _listed([printable(it) for it in of.levels], room)
    if of.least is None or of.most is None:
        return UNKNOWN
    if isinstance(of.least, str) or isinstance(of.most, str):
        ends = [str(of.least), str(of.most)]
    else:
        decimals = 0 if of.kind == "whole number" else _decimals(of.least, of.most)
        ends = [number_words(it, decimals) for it in (of.least, of.most)]
    return " to ".join(dict.fromkeys(ends))


def _decimals(least: float, most: float) -> int | None:
    """Return how many decimals both ends have: three digits of what lies between them."""
    return decimals_of(sd_of(np.array([least, most])))


def _listed(names: Sequence[str], room: int | None) -> str:
    """Return as many names as there is room for, and how many there are besides."""
    for shown in range(min(len(names), MOST_LEVELS), 0, -1):
        more = len(names) - shown
        text = ", ".join(names[:shown]) + (f" and {more:,} more" if more else "")
        if room is None or _cells_of(text) <= room:
            return text
    more = len(names) - 1
    end = f" and {more:,} more" if more else ""
    return _short(names[0], max(4, (room or WIDTH) - len(end))) + end


def _short(text: str, room: int) -> str:
    """Cut off what of a text takes more than so many places in a terminal."""
    if _cells_of(text) <= room:
        return text
    keep = len(text)
    while keep and _cells_of(text[:keep]) > room - 1:
        keep -= 1
    return f"{text[:keep].rstrip()}…"


def _lines(figures: Sequence[ColumnFacts]) -> list[str]:
    """Return a line for each column, below their heads."""
    names = [_short(printable(it.name), MOST_NAME) for it in figures]
    wide = [_widest((HEAD[0], *names)), _widest((HEAD[1], *(it.kind for it in figures)))]
    room = WIDTH - sum(wide) - len(HEAD[2]) - 6
    lines = [_line((HEAD[0], HEAD[1], HEAD[2], HEAD[4]), wide)]
    for name, it in zip(names, figures, strict=True):
        bars = bars_in_text(it.counts)
        bars = f"{bars}  " if bars else ""
        values = bars + _values(it, room - len(bars))
        lines += [_line((name, it.kind, _missing(it), values), wide), *_label_below(it)]
    return lines


def _label_below(of: ColumnFacts) -> list[str]:
    return [] if of.label is None else [f"  {_short(printable(of.label), WIDTH - 2)}"]


def _kinds_alone(figures: Sequence[ColumnFacts]) -> list[str]:
    """Return the name and the kind of each column, where no figures are known of any."""
    names = [printable(it.name) for it in figures]
    wide = _widest((HEAD[0], *names))
    lines = [f"{_padded(HEAD[0], wide)}  {HEAD[1]}"]
    for name, it in zip(names, figures, strict=True):
        lines += [f"{_padded(name, wide)}  {it.kind}", *_label_below(it)]
    return lines


def _line(cells: Sequence[str], wide: Sequence[int]) -> str:
    name, kind, missing, values = cells
    gaps = missing.rjust(len(HEAD[2]))
    return f"{_padded(name, wide[0])}  {_padded(kind, wide[1])}  {gaps}  {values}".rstrip()


def _cells_of(text: str) -> int:
    """Count the places that a text takes in a terminal: two of each wide letter, as 名."""
    return sum(
        0 if unicodedata.combining(c) else 1 + (unicodedata.east_asian_width(c) in "WF")
        for c in text
    )


def _widest(texts: Sequence[str]) -> int:
    return max(map(_cells_of, texts))


def _padded(text: str, wide: int) -> str:
    return text + " " * (wide - _cells_of(text))


def _after(notes: Sequence[str]) -> list[str]:
    return ["", *bullets(notes)] if notes else []
