"""How copies are made for attacks: a method as a callable of records and a secret."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from discreet.errors import RefusedError
from discreet.keys import row_keys, total
from discreet.measure.attacks import Copy, Make, Records
from discreet.measure.pairs import Side
from discreet.methods import Whole
from discreet.methods.alike import persons_alike
from discreet.methods.base import RowMethod
from discreet.methods.copies import LEFT_OUT, Draws, Levels, Settings, WholeCopy
from discreet.methods.listed import copy_with_tables
from discreet.secret import Secret


def whole_maker(
    k: int,
    m: int | None = None,
    *,
    sensitive: tuple[str, ...] = (),
    bounds: Mapping[str, tuple[float, float]] | None = None,
    tables: tuple[tuple[str, str], ...] = (),
    left_out: float = LEFT_OUT,
    unit: bool = False,
) -> Make:
    """Return what makes a copy of a whole table (see `protect.whole`).

    Parameters
    ----------
    k : int
        How many persons each level stands on at least.
    m : int, default 4 k
        How many persons a leaf, and a block of values, has at least; k or more.
    sensitive : tuple of str
        Columns of that role: they are drawn from leaves of 2 m persons.
    bounds : mapping of str to pair of float, optional
        Between which numbers a column lies.
    tables : tuple of pairs of str
        Columns of levels whose cross-table is counted.
    left_out : float, default 0.2
        The largest share of persons left out.
    unit : bool, default False
        Whether the persons of records are declared, and have rows that belong together. Otherwise
        rows that are alike by no chance are one person's.

    Returns
    -------
    callable
        Of records and a secret.

    Raises
    ------
    InputError
        If k is no whole number of at least 2, or m is below it.
    """
    members = Whole(k, m).members
    settings = Settings(
        k, members, tuple(sensitive), dict(bounds or {}), tables=tables, left_out=left_out
    )
    return maker_of(settings, unit)


def maker_of(settings: Settings, unit: bool = False) -> Make:
    """Return what makes a copy of a whole table with some settings.

    With a `unit`, records say whose each row is. Without one, rows that are alike by no chance are
    one person's, as in a study.
    """

    def make(records: Records, secret: Secret) -> Copy:
        found = drawn_of(records, secret, settings, unit)
        texts = {name: column.texts() for name, column in found.levels.items()}
        return Copy(Side.of(found.numbers, texts), found.source)

    return make


def drawn_of(records: Records, secret: Secret, settings: Settings, unit: bool = False) -> WholeCopy:
    """Return the copy of a whole table by a secret, with what is said of it."""
    table = records.table
    numbers = {name: table.numbers[name] for name in sorted(table.numbers)}
    words = {name: table.levels[name] for name in sorted(table.levels)}
    keys = row_keys(secret, [*numbers.values(), *words.values()])
    draws = Draws(secret, secret.digest("attack", total(keys)), keys)
    levels = {name: Levels.of(texts) for name, texts in words.items()}
    persons = records.persons if unit else persons_alike(numbers, levels, draws)
    return copy_with_tables(numbers, levels, draws, settings, persons, alike=not unit)


def rows_maker(method: RowMethod) -> Make:
    """Return what protects the complete rows of numbers by a row method, all columns jointly."""

    def make(records: Records, secret: Secret) -> Copy:
        if records.table.levels:
            raise RefusedError("it protects numbers alone, and this table has columns of levels")
        names = sorted(records.table.numbers)
        rows = np.column_stack([records.table.numbers[name] for name in names])
        known = np.flatnonzero(~np.isnan(rows).any(axis=1))
        if not len(known):
            raise RefusedError("no row has a number in every column")
        keys = row_keys(secret, [*rows[known].T])
        normals = secret.normals(secret.digest("attack", total(keys)), keys, names)
        made = method(rows[known], normals, np.zeros(len(known), dtype=np.intp))
        return Copy(Side.of(dict(zip(names, made.T, strict=True))), known)

    return make
