"""What columns there are: kind, unit, levels, gaps and a histogram of each, of protected rows.

It knows arrays alone; whose rows they are is for the caller to say.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any, ClassVar, NoReturn

import numpy as np

from discreet.arguments import Floats
from discreet.columns.words import counts_of
from discreet.document import BLOCKS, Document, Documented, Listing, Words
from discreet.errors import RefusedError, one_of
from discreet.estimates.tables import RowsToDescribe, sd_of
from discreet.estimates.units import unit_in
from discreet.estimates.words import UNKNOWN, decimals_of, number_words, share_words
from discreet.levels import in_order
from discreet.render.dates import date_words

SCHEMA = 1
BINS = 10
"""Bars of a small histogram, at most; of levels as many as there are up to `MOST_LEVELS`."""
MOST_LEVELS = 12
ROOM = 72
"""Letters of the levels that are listed."""
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
class ColumnList(Documented, Mapping[str, ColumnFacts]):
    """The columns of a study by name, in their order; prints as a table.

    Parameters
    ----------
    title : str
        What stands above it.
    figures : tuple of ColumnFacts
        What is known of each column: `pandas.DataFrame(listed.figures)`.
    notes : tuple of str
        Where the figures come from, and how near that is.

    Examples
    --------
    >>> ages = facts_of(RowsToDescribe({"age (years)": np.arange(20.0, 60.0)}, {}), "age (years)")
    >>> listed = ColumnList("Columns", (ages,), ())
    >>> listed["age (years)"].unit
    'years'
    >>> print(listed)
    Columns
    -------
    column       kind          missing              values
    age (years)  whole number      0 %  ██████████  20 to 59
    """

    title: str
    figures: tuple[ColumnFacts, ...]
    notes: tuple[str, ...]

    what: ClassVar[str] = "a list of columns"

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

    def __reduce__(self) -> NoReturn:
        raise RefusedError("a list of columns cannot be pickled; to_json writes it")

    def _ipython_key_completions_(self) -> list[str]:
        """Name the columns to a notebook that completes columns["..."]."""
        return list(self)

    def document(self) -> Document:
        """Return the columns as a table, with their labels where some have one."""
        labels = any(it.label is not None for it in self.figures)
        head: tuple[str, ...] = HEAD
        rows, caption = tuple(map(_row, self.figures)), CAPTION
        if not any(it.in_copy for it in self.figures):
            head, rows, caption = HEAD[:2], tuple(row[:2] for row in rows), KINDS_ALONE
        if labels:
            head = (head[0], "label", *head[1:])
            rows = tuple(
                (row[0], it.label or "", *row[1:])
                for row, it in zip(rows, self.figures, strict=True)
            )
        words = tuple(j for j, name in enumerate(head) if name != "missing")
        listing = Listing("", head, rows, words, caption)
        notes = (Words("", self.notes),) if self.notes else ()
        return Document(self.title, (listing, *notes))

    def to_plain(self) -> dict[str, Any]:
        """Return all that its JSON holds but the provenance."""
        columns = [asdict(it) for it in self.figures]
        for column in columns:
            if column["label"] is None:
                del column["label"]
        return {
            "discreet": SCHEMA,
            "kind": "columns",
            "title": self.title,
            "columns": columns,
            "notes": self.notes,
        }


def facts_of(rows: RowsToDescribe, name: str) -> ColumnFacts:
    """Return what rows say of one of their columns.

    Examples
    --------
    >>> facts = facts_of(RowsToDescribe({}, {"sex": ("f", "m", "f", "")}), "sex")
    >>> facts.levels, facts.counts, facts.missing
    (('f', 'm'), (2, 1), 0.25)
    """
    if name in rows.levels:
        many = counts_of(rows.levels[name])
        order = (*in_order({*many} - {""}, (rows.ordered or {}).get(name, ())),)
        counts = tuple(many[it] for it in order)
        return ColumnFacts(
            name,
            "level",
            unit_in(name),
            order,
            _share(many.get("", 0), len(rows.levels[name])),
            counts=counts,
            in_copy=True,
        )
    values = rows.numbers[name]
    known = values[np.isfinite(values)]
    dated = name in rows.dates
    whole = known.size > 0 and bool((known == np.round(known)).all())
    kind = "date" if dated else "whole number" if whole else "number"
    ends = (float(known.min()), float(known.max())) if known.size else (None, None)
    least, most = (
        None if it is None else date_words(float(math.floor(it))) if dated else it for it in ends
    )
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


def _row(of: ColumnFacts) -> tuple[str, ...]:
    missing = UNKNOWN if of.missing is None else share_words(round(of.missing * 1e6), 10**6)
    return of.name, of.kind, missing, bars_in_text(of.counts), _values(of)


def _values(of: ColumnFacts) -> str:
    """Say between what the values lie, or which levels there are."""
    if not of.in_copy:
        return "not in a copy"
    if of.levels:
        return _listed(of.levels)
    if of.least is None or of.most is None:
        return UNKNOWN
    if isinstance(of.least, str) or isinstance(of.most, str):
        ends = [str(of.least), str(of.most)]
    else:
        spread = sd_of(np.array([of.least, of.most]))
        decimals = 0 if of.kind == "whole number" else decimals_of(spread)
        ends = [number_words(it, decimals) for it in (of.least, of.most)]
    return " to ".join(dict.fromkeys(ends))


def _listed(names: Sequence[str]) -> str:
    """Return as many names as two lines have room for, one at least, and how many more."""
    shown = 1
    while shown < min(len(names), MOST_LEVELS) and len(", ".join(names[: shown + 1])) <= ROOM:
        shown += 1
    more = len(names) - shown
    return ", ".join(names[:shown]) + (f" and {more:,} more" if more else "")
