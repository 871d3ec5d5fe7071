"""The copy of a whole table: its columns read and keyed, protected together, and put in a frame."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

import numpy as np

from discreet.arguments import Floats
from discreet.columns import Rows
from discreet.errors import InputError
from discreet.keys import Column, numbered, row_digests
from discreet.methods.copies import OTHER, Draws, Levels, Settings
from discreet.methods.whole import copy_with_tables
from discreet.policy import Policy
from discreet.secret import Secret
from discreet.table import Table
from discreet.vault.aside import Reader
from discreet.vault.keyed import digest_of, keys_of, rows_with_key
from discreet.vault.partitions import LargeTable
from discreet.vault.protected import columns_of_copy
from discreet.vault.whole_columns import (
    RawWhole,
    Wanted,
    raw_of,
    settings_of,
    unreadable,
    wanted_of,
)


def raw_whole(table: Table, policy: Policy, secret: Secret) -> RawWhole:
    """Read every column that can be drawn, and the keys that noise hangs on.

    Of a table of several partitions one is read, which is a random sample of its rows.
    """
    wanted = wanted_of(table, policy)
    if wanted.partitions > 1:
        return LargeTable.of(table, policy, secret, wanted).first()
    return raw_in_one(table, policy, secret, wanted)


def raw_in_one(table: Table, policy: Policy, secret: Secret, wanted: Wanted) -> RawWhole:
    """Read a table of one partition; otherwise as `raw_whole`."""
    rows, broken = _read(table, wanted.numbers, wanted.levels)
    wanted = wanted.without(broken)
    data = keys_of(secret, rows, None)
    keys = data if table.key is None else keys_of(secret, rows, table.key)
    made_by = wanted.made_by(table, policy, rows.persons is not None)
    version = digest_of(secret, "whole", data, made_by)
    levels = {name: Levels.of(rows.texts[name]) for name in wanted.levels}
    settings, draws = settings_of(table, policy, wanted), Draws(secret, version, keys)
    return raw_of(wanted, settings, rows.numbers, levels, rows.persons, draws, version)


def version_of_whole(table: Table, policy: Policy, secret: Secret) -> bytes:
    """Return which copy a table makes, as 32 bytes."""
    wanted = wanted_of(table, policy)
    if wanted.partitions > 1:
        return LargeTable.of(table, policy, secret, wanted).version
    return version_in_one(table, policy, secret, wanted)


def version_in_one(
    table: Table, policy: Policy, secret: Secret, wanted: Wanted, read: Reader | None = None
) -> bytes:
    """Return which copy a table of one partition makes, from rows that come part after part.

    `read` reads them as `Table.in_parts` does, which it is where there is none.
    """
    if table.unit is not None or table.key is not None:  # which leave rows out
        return raw_in_one(table, policy, secret, wanted).version
    names, digests, columns = (*wanted.numbers, *wanted.levels), [], list[Column]()
    try:
        for part in (read or table.in_parts)(wanted.numbers, wanted.levels, ()):
            columns = [part[name] for name in names]
            digests.append(row_digests(secret, columns))
    except InputError:  # of a column that cannot be read, here or by who reads beside
        return raw_in_one(table, policy, secret, wanted).version
    keys = numbered(secret, np.concatenate(digests), columns)
    return digest_of(secret, "whole", keys, wanted.made_by(table, policy, False))


def _read(
    table: Table, numbers: Sequence[str], words: Sequence[str]
) -> tuple[Rows, frozenset[str]]:
    """Read columns, and name those that cannot be read: they do not hold up the others."""
    try:
        return rows_with_key(table, [], [], words, numbers), frozenset()
    except InputError:
        broken = unreadable(table, (*numbers, *words))
        if not broken or broken == {*numbers, *words}:  # the data are gone, or their server is
            raise
        words = [name for name in words if name not in broken]
        numbers = [name for name in numbers if name not in broken]
        return rows_with_key(table, [], [], words, numbers), broken


def drawn_again(
    numbers: Mapping[str, Floats],
    levels: Mapping[str, Sequence[str]],
    whose: Mapping[str, Floats],
    settings: Settings,
    secret: Secret,
    name: str,
) -> tuple[dict[str, Floats], dict[str, tuple[str, ...]], dict[str, Floats]]:
    """Make a copy of rows that are protected already, as they were made of the raw ones.

    It stands to them about as they stand to the raw rows, and nothing raw plays a part. `name`
    tells apart several such copies; the empty text is a missing level. `whose` is the column that
    says which rows are one person's, if there is one, and the last that is returned, too.
    """
    rows = max(map(len, (*numbers.values(), *levels.values())))
    keys = np.zeros((rows, 2), dtype=np.uint64)
    keys[:, 0] = np.arange(rows)
    draws = Draws(secret, secret.digest("whole again", name.encode()), keys)
    coded = {column: Levels.of(words) for column, words in levels.items()}
    persons = [np.unique(column, return_inverse=True)[1] for column in whose.values()]
    made = copy_with_tables(numbers, coded, draws, settings, *persons)
    found = {} if made.persons is None else {it: made.persons.astype(np.float64) for it in whose}
    return *columns_of_copy(made), found


def column_remarks(
    far_out: Sequence[Mapping[str, str]], joined: Sequence[Mapping[str, int]]
) -> dict[str, tuple[str, ...]]:
    """Say of columns of a copy what is to be known of each of them.

    `far_out` says of each partition how the means of columns are off that hang on few persons:
    of the copy it is said where it is so in half of the partitions, or more. `joined` says of each
    of how many levels or more "(other)" stands: of the copy the most.

    Examples
    --------
    >>> found = column_remarks([{"wage": "too low"}], [{"town": 20}])
    >>> found["wage"], found["town"]
    (('the mean of wage hangs on few persons far out: in the copy it is too low',),
     ('(other) of town stands for 20 levels or more',))
    """
    counted = Counter(name for each in far_out for name in each)
    found: dict[str, tuple[str, ...]] = {}
    for name in sorted(name for name, count in counted.items() if 2 * count >= len(far_out)):
        how = {each[name] for each in far_out if name in each}
        word = how.pop() if len(how) == 1 else "off"
        said = f"the mean of {name} hangs on few persons far out: in the copy it is {word}"
        found[name] = (said,)
    for name in sorted({name for each in joined for name in each}):
        most = max(each.get(name, 0) for each in joined)
        found[name] = (f"{OTHER} of {name} stands for {most:,} levels or more",)
    return found


def remarks_of(left_out: Mapping[str, str]) -> tuple[str, ...]:
    """Say which columns are not in a copy, and why."""
    if not left_out:
        return ()
    listed = ", ".join(f"{name} ({why})" for name, why in sorted(left_out.items()))
    return (f"not in the protected copy: {listed}",)
