"""How copies are made for attacks: a method as a callable of records and a secret."""

from __future__ import annotations

from collections.abc import Mapping

from discreet.keys import row_keys, total
from discreet.measure.attacks import Copy, Make, Records
from discreet.measure.pairs import Side
from discreet.protect import Whole
from discreet.protect.whole import Draws, Levels, Settings, whole_copy
from discreet.secret import Secret

__all__ = ["whole_maker"]


def whole_maker(
    k: int,
    m: int | None = None,
    *,
    sensitive: tuple[str, ...] = (),
    bounds: Mapping[str, tuple[float, float]] | None = None,
) -> Make:
    """Return what makes a copy of a whole table (see `protect.whole`).

    Parameters
    ----------
    k : int
        How many persons each level, knot and end of a column stands on at least.
    m : int, default 2 k
        How many rows, of as many persons, a group has at least; k or more.
    sensitive : tuple of str
        Columns of levels that shape no group.
    bounds : mapping of str to pair of float, optional
        Between which numbers a column lies.

    Returns
    -------
    callable
        Of records and a secret.

    Raises
    ------
    InputError
        If k is no whole number of at least 2, or m is below it.
    """
    settings = Settings(k, Whole(k, m).members, tuple(sensitive), dict(bounds or {}))

    def make(records: Records, secret: Secret) -> Copy:
        table = records.table
        numbers = {name: table.numbers[name] for name in sorted(table.numbers)}
        words = {name: table.levels[name] for name in sorted(table.levels)}
        keys = row_keys(secret, [*numbers.values(), *words.values()])
        draws = Draws(secret, secret.digest("attack", total(keys)), keys)
        levels = {name: Levels.of(texts) for name, texts in words.items()}
        found = whole_copy(numbers, levels, draws, settings, records.persons)
        texts = {name: column.texts() for name, column in found.levels.items()}
        side = Side.of(found.numbers, texts)
        return Copy(side, found.source)

    return make
