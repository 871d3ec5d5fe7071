"""Whose a row is: columns that look as if they said so, and rows that look as if they were alike.

A table in which persons have several rows must say which are whose, for k counts persons. A column
is found by its name, and by what it holds: few rows for each of many values, of which other columns
say the same. Whoever opens the table decides; nothing that is released hangs on what is found here.
"""

from __future__ import annotations

import math
import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
import tomli_w

from discreet.arguments import Labels
from discreet.columns import KINDS
from discreet.columns.dates import DATE
from discreet.custodian.person_names import Named, named_by
from discreet.errors import InputError, RefusedError
from discreet.methods.alike import BY_CHANCE, CELLS, alike, as_codes
from discreet.table import Table

LEAST_PERSONS, MOST_ROWS = 20, 100
WHOLE = 0.95
"""So many of the numbers that are persons are whole: a slip of the pen makes no other column."""
EQUAL = 0.95
"""So many of the persons of a balanced table have equally many rows."""
IN_TURN = 0.9
"""So many rows have a larger value than the one before, though all values come again."""
CONSTANT, VARIES = 0.9, 0.9
"""How far a column agrees within persons beyond chance; and more is so constant for everybody."""
SAME = 1.1
"""Two columns that go together have hardly more pairs of values than values."""

MOST_ROWS_READ, MOST_CELLS = 100_000, 2_000_000
"""So many rows, and cells, are looked at: the first ones."""
REPEATED, LEAST_REPEATED = 0.05, 10
"""A table in which so large a share of the rows, and so many, repeat another one is asked about."""


# --- a column of persons --------------------------------------------------------------------------


def person_column(table: Table, roles: Mapping[str, str]) -> str | None:
    """Return the column that looks as if it said whose a row is, where persons have several.

    Parameters
    ----------
    table : Table
        Opened without `unit`.
    roles : mapping of str to str
        What is declared of columns: who says that one identifies nobody is believed.

    Returns
    -------
    str or None
        A column of text or whole numbers, of whose values some are in several rows. A name that
        says persons (`patient_id`, `pid`, `Probandennummer`) is enough; where it says it less
        surely (`subject`, `loan_id`), there are at least 20 different values, each in 100 rows at
        most on average. A name that says a number alone (`nr`, `code`), or nothing, is taken for
        one where the rows look so, too: see `_Rows.are_of_persons`. Of several columns the one of
        the surest name, of most different values, or the first.
    """
    rows = _Rows(table)
    found: list[tuple[int, int, int, str]] = []
    for place, (name, column) in enumerate(table.columns.items()):
        named = named_by(name)
        declared = roles.get(name, "identifier") != "identifier"
        if named is Named.OTHER or declared or column.yes_no or column.kind not in KINDS:
            continue
        try:
            different = _persons(table, rows, name, named)
        except InputError:  # a column that cannot be read is drawn by nobody
            continue
        if different:
            sure = named.value if different >= LEAST_PERSONS else 0
            found.append((-sure, -different, place, name))
    return min(found)[-1] if found else None


def _persons(table: Table, rows: _Rows, name: str, named: Named) -> int:
    """Return how many persons a column seems to tell apart; 0 where it seems to tell none."""
    if named in (Named.NUMBER, Named.UNSAID):
        return rows.are_of_persons(name, named is Named.NUMBER)
    known, different = table.repeats(name)
    least = 2 if named is Named.SURELY else LEAST_PERSONS
    often = known > MOST_ROWS * different and named is not Named.SURELY
    if not least <= different < known or often:
        return 0
    broken = table.columns[name].floating and not table.is_whole(name, _slips(known))
    return 0 if broken else different


def _slips(known: int) -> int:
    return 1 + int((1 - WHOLE) * known)


def refuse_unsaid_persons(table: Table, roles: Mapping[str, str]) -> None:
    """Refuse a table that looks as if persons had several rows, where nobody said so or not."""
    name = person_column(table, roles)
    if name is not None:
        raise RefusedError(
            f"column {name!r} looks as if it said whose a row is, and some have several rows: then"
            f" k must count persons. Say so by unit={name!r} (in a policy file unit ="
            f" {_text(name)}, on the command line --unit {shlex.quote(name)}); or say that each row"
            " is a person of its own by unit=False (unit = false, --no-unit)"
        )
    if repeats_rows(table):
        raise RefusedError(
            "many rows are alike in all columns, more than chance makes them: some persons seem to"
            " have several rows, as in a table that was joined with visits; then k must count"
            " persons. Keep the column that says whose a row is, and name it by unit='person' (in a"
            ' policy file unit = "person", on the command line --unit person); or say that each row'
            " is a person of its own by unit=False (unit = false, --no-unit): rows alike are then"
            " counted as one person's where the protected copy is made, and nowhere else"
        )


def _text(value: str) -> str:
    return tomli_w.dumps({"a": value})[len("a = ") : -1]


# --- what rows look like --------------------------------------------------------------------------


class _Sizes(NamedTuple):
    """Of a column: which rows have a value, which value, and how many rows each value has."""

    rows: Labels
    at: Labels
    sizes: Labels

    @property
    def are_few(self) -> bool:
        """Whether there are many values, of few rows each, and some of several."""
        rows, different = len(self.rows), len(self.sizes)
        some = rows - different >= max(LEAST_REPEATED, REPEATED * rows)
        return different >= LEAST_PERSONS and some and rows <= MOST_ROWS * different

    @property
    def are_equal(self) -> bool:
        """Whether nearly all values have equally many rows, as in a balanced table."""
        usual = np.bincount(self.sizes).argmax()
        return bool(usual > 1 and (self.sizes == usual).mean() >= EQUAL)

    @property
    def stand_together(self) -> bool:
        """Whether all rows of a value follow one another."""
        return int((np.diff(self.at) != 0).sum()) + 1 == len(self.sizes)

    @property
    def are_in_turn(self) -> bool:
        """Whether rows are of persons in turn, and again, as where waves stand below each other."""
        return float((np.diff(self.at) > 0).mean()) >= IN_TURN


@dataclass(frozen=True, eq=False)
class _Rows:
    """The first rows of a table, read once, and only where a name does not say enough."""

    table: Table

    @cached_property
    def columns(self) -> Mapping[str, Any]:
        return _first_rows(self.table)

    @cached_property
    def codes(self) -> Mapping[str, Labels]:
        return {
            name: as_codes(it, CELLS[1]) if isinstance(it, np.ndarray) else _words(it)
            for name, it in self.columns.items()
        }

    def are_of_persons(self, name: str, numbered: bool) -> int:
        """Return how many persons a column tells apart, if the rows look so; else 0.

        Where the name says that something is `numbered`, one of these is enough: equally many rows
        each, or values in turn; two columns or more that are constant within; one such of the
        table's first column; or a first column in which rows of one value follow one another. Where
        it says nothing, there must be equally many rows each, or values in turn, or it must be the
        first column, and two columns or more must be constant within.
        """
        sizes = self._sizes(name)
        if sizes is None or not sizes.are_few:
            return 0
        first, different = name == next(iter(self.table.columns)), len(sizes.sizes)
        if not numbered:
            like = first or sizes.are_equal or sizes.are_in_turn
            return different if like and self._constant(name, sizes) > 1 else 0
        if sizes.are_equal or sizes.are_in_turn or (first and sizes.stand_together):
            return different
        return different if self._constant(name, sizes) + first > 1 else 0

    def _sizes(self, name: str) -> _Sizes | None:
        """Return the values of a column, exactly; None where they cannot be persons."""
        values = self.columns.get(name)
        if values is None:
            return None
        if isinstance(values, np.ndarray):
            known = np.flatnonzero(np.isfinite(values))
            if (values[known] != np.rint(values[known])).sum() >= _slips(len(known)):
                return None
            cells = values[known]
        else:
            cells = _words(values)
            known = np.flatnonzero(cells >= 0)
            cells = cells[known]
        _, at, sizes = np.unique(cells, return_inverse=True, return_counts=True)
        return _Sizes(known, at, sizes)

    def _constant(self, name: str, whose: _Sizes) -> int:
        """Count the other columns that are constant within each value, or nearly so.

        Of columns that have a value of their own for each, such as a name, one counts.
        """
        order = np.argsort(whose.at, kind="stable")
        rows, at = whose.rows[order], whose.at[order]
        same = np.flatnonzero(at[1:] == at[:-1])
        found, named = 0, 0
        for other, codes in self.codes.items():
            here = codes[rows]
            chance = float(np.square(np.bincount(here - here.min()) / len(here)).sum())
            if other == name or chance > VARIES:
                continue
            agree = float((here[same] == here[same + 1]).mean())
            if agree - chance < CONSTANT * (1 - chance):
                continue
            different = len(np.unique(here))
            pairs = len(np.unique(at * (int(here.max()) + 2) + here))
            if pairs <= SAME * min(different, len(whose.sizes)):
                named = 1
            else:
                found += 1
        return found + named


def _words(column: Any) -> Labels:
    """Return the levels of a column as numbers, -1 where one is missing."""
    codes = np.asarray(column.indices).astype(np.intp)
    missing = [i for i, word in enumerate(column.dictionary.to_pylist()) if not word]
    return np.where(np.isin(codes, missing), -1, codes)


def _first_rows(table: Table) -> dict[str, Any]:
    """Read the columns that may be drawn, as far as they can be read, of the first rows."""
    drawn = {name: it for name, it in table.columns.items() if it.kind in (*KINDS, DATE)}
    if not drawn:
        return {}
    most = max(1, min(MOST_ROWS_READ, MOST_CELLS // len(drawn)))

    def read(names: Sequence[str]) -> dict[str, Any]:
        texts = [name for name in names if drawn[name].kind == "categorical"]
        return table.first_rows([name for name in names if name not in texts], texts, most)

    try:
        return read([*drawn])
    except InputError:  # of a column of mixed types, which nothing is drawn of
        readable = [name for name in drawn if table.can_read(name)]
        return read(readable) if readable else {}


# --- rows that are alike --------------------------------------------------------------------------


def repeats_rows(table: Table) -> bool:
    """Whether many rows are alike in all columns, by no chance: persons seem to have several.

    The first rows are looked at. What is alike among them is a part of what is alike in all: the
    fewer they are of all rows, the fewer repeats are enough.
    """
    kept = {n: it for n, it in _first_rows(table).items() if table.columns[n].role != "identifier"}
    numbers = {name: it for name, it in kept.items() if isinstance(it, np.ndarray)}
    codes = {name: _words(it) for name, it in kept.items() if name not in numbers}
    if not kept:
        return False
    seen = len(next(iter(kept.values())))
    least = max(LEAST_REPEATED, math.ceil(REPEATED * seen * seen / table.size))
    for cell in CELLS:
        found = alike(numbers, codes, cell, least)
        if found.repeats < least:  # there are no more in finer cells
            return False
        if found.by_chance <= BY_CHANCE[0] * found.pairs:
            return True
    return False
