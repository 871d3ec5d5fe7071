"""The copy of a whole table: its columns read and keyed, protected together, and put in a frame."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from discreet.arguments import Floats, Labels
from discreet.errors import InputError, RefusedError
from discreet.keys import Keys
from discreet.policy import Policy
from discreet.protect.whole import MISSING, Draws, Levels, Settings, WholeCopy, whole_copy
from discreet.secret import FORMAT, Secret
from discreet.table import Rows, Table
from discreet.table.dates import DATE, on_clock, parts_of
from discreet.vault.rows import digest_of, keys_of, rows_with_key

__all__ = [
    "RawWhole",
    "columns_of_copy",
    "copy_of_whole",
    "drawn_again",
    "raw_whole",
    "remarks_of_whole",
]

HOW = 3
"""Counts the ways in which such copies were made: another way is another copy."""
UNREADABLE = "cannot be read"
NO_COLUMN = (
    "no column of this table can be in a protected copy: each identifies persons, numbers the rows,"
    " or is neither numbers nor levels; say what they are (roles=, kinds=), or draw counts"
    " (source='counts')"
)
WHY = {"identifier": "identifies persons", "categorical": "nearly unique text"}


@dataclass(frozen=True, eq=False, repr=False)
class RawWhole:
    """A whole table as it was read, the key of each record, and which copy it makes.

    `numbers` hold NaN where one is missing, `levels` the place -1. `persons` says whose each row
    is, where some person has several; `left_out` why each column is not among them.
    """

    numbers: Mapping[str, Floats]
    levels: Mapping[str, Levels]
    left_out: Mapping[str, str]
    keys: Keys
    version: bytes
    settings: Settings
    persons: Labels | None = None


def raw_whole(table: Table, policy: Policy, secret: Secret) -> RawWhole:
    """Read every column that can be drawn, and the keys that noise hangs on."""
    numbers = [n for n in sorted(table.shown([*table.columns], "continuous"))]
    counting = {name for name in numbers if table.numbers_rows(name)}
    dated = [name for name in sorted(table.shown([*table.columns], DATE))]
    numbers = sorted({*numbers, *dated} - counting)
    words = sorted(table.shown([*table.columns], "categorical"))
    if not numbers and not words:
        raise RefusedError(NO_COLUMN)
    rows, broken = _read(table, numbers, words)
    numbers, words, dated = (
        [name for name in names if name not in broken] for names in (numbers, words, dated)
    )
    left_out = {
        name: _why(table, name, counting)
        for name in table.columns
        if name not in {*numbers, *words, table.unit, table.key}
    }
    left_out |= dict.fromkeys(broken, UNREADABLE)
    told = {name: parts_of(rows.numbers[name], rows.persons, policy.k) for name in dated}
    parts = {name: of for name, of in told.items() if of is not None}
    settings = Settings(
        policy.k,
        policy.members,
        tuple(name for name in words if table.columns[name].role == "sensitive"),
        {} if policy.outside == "keep" else policy.bounds,
        parts,
    )
    data = keys_of(secret, rows, None, FORMAT)
    keys = data if table.key is None else keys_of(secret, rows, table.key, FORMAT)
    made_by: dict[str, Any] = {**policy.copy_settings(), "how": HOW}
    made_by |= {"numbers": numbers, "levels": words, "sensitive": settings.sensitive}
    made_by |= {} if rows.persons is None else {"unit": table.unit}
    made_by |= {"dates": dated} if dated else {}
    version = digest_of(secret, "whole", data, FORMAT, json.dumps(made_by, sort_keys=True).encode())
    return RawWhole(
        {name: on_clock(rows.numbers[name], parts.get(name)) for name in numbers},
        {name: Levels.of(rows.texts[name]) for name in words},
        left_out,
        keys,
        version,
        settings,
        rows.persons,
    )


def _read(
    table: Table, numbers: Sequence[str], words: Sequence[str]
) -> tuple[Rows, frozenset[str]]:
    """Read columns, and name those that cannot be read: they do not hold up the others."""
    try:
        return rows_with_key(table, [], [], words, numbers), frozenset()
    except InputError:
        broken = frozenset(name for name in (*numbers, *words) if not table.can_read(name))
        if not broken:
            raise
        words = [name for name in words if name not in broken]
        numbers = [name for name in numbers if name not in broken]
        return rows_with_key(table, [], [], words, numbers), broken


def copy_of_whole(raw: RawWhole, secret: Secret) -> WholeCopy:
    """Protect the whole table."""
    draws = Draws(secret, raw.version, raw.keys)
    return whole_copy(raw.numbers, raw.levels, draws, raw.settings, raw.persons)


def drawn_again(
    numbers: Mapping[str, Floats],
    levels: Mapping[str, Sequence[str]],
    settings: Settings,
    secret: Secret,
    name: str,
) -> tuple[dict[str, Floats], dict[str, tuple[str, ...]]]:
    """Make a copy of rows that are protected already, as they were made of the raw ones.

    It stands to them about as they stand to the raw rows, and nothing raw plays a part. `name`
    tells apart several such copies; the empty text is a missing level.
    """
    rows = max(map(len, (*numbers.values(), *levels.values())))
    keys = np.zeros((rows, 2), dtype=np.uint64)
    keys[:, 0] = np.arange(rows)
    draws = Draws(secret, secret.digest("whole again", name.encode()), keys)
    coded = {column: Levels.of(words) for column, words in levels.items()}
    return columns_of_copy(whole_copy(numbers, coded, draws, settings))


def columns_of_copy(made: WholeCopy) -> tuple[dict[str, Floats], dict[str, tuple[str, ...]]]:
    """Return the numbers of a copy, and its levels as words: the empty text for a missing one."""
    words = {
        name: of._replace(words=tuple("" if it == MISSING else it for it in of.words)).texts()
        for name, of in made.levels.items()
    }
    return dict(made.numbers), words


def remarks_of_whole(raw: RawWhole, made: WholeCopy) -> tuple[str, ...]:
    """Say which columns are not in a copy, and why."""
    left_out = {**raw.left_out, **made.left_out}
    if not left_out:
        return ()
    listed = ", ".join(f"{name} ({why})" for name, why in sorted(left_out.items()))
    return (f"not in the protected copy: {listed}",)


def _why(table: Table, name: str, counting: set[str]) -> str:
    column = table.columns[name]
    if column.role == "identifier":
        return WHY["identifier"]
    if name in counting:
        return "numbers the rows"
    if not table.can_read(name):
        return UNREADABLE
    return WHY.get(column.kind, "neither numbers nor levels")
