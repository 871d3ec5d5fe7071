"""The Vault: makes protected copies and keeps them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np

from discreet.policy import Policy
from discreet.protect.counts import about
from discreet.secret import FORMAT, Secret
from discreet.table import Table
from discreet.vault.copies import Copy, Made, load, make_copy, store
from discreet.vault.rows import Raw, noised, prepared, raw_rows

__all__ = ["Vault", "copy_of", "said"]


class Vault:
    """Makes protected copies and keeps them: in memory, and as Parquet where there is a folder.

    Parameters
    ----------
    secret : Secret
        What the noise is keyed by.
    folder : Path or None
        Where copies are stored, with owner-only rights; None keeps them in memory alone.
    """

    def __init__(self, secret: Secret, folder: Path | None) -> None:
        self._secret, self._folder = secret, folder
        self._copies: dict[tuple[tuple[str, ...], int | None], Copy] = {}

    def copy(
        self, table: Table, policy: Policy, group: Sequence[str], format: int | None = None
    ) -> Copy:
        """Return the protected copy of `group`, made on the first call.

        `format` is that of what has left of these data; None where nothing is known to have: then
        a copy of format 1 is used where the folder has one of them, for no data have two.

        Raises
        ------
        RefusedError
            If fewer than 10 k persons have a complete row, or strata cannot be merged to 2 k.
        """
        names = tuple(sorted(group))
        if (names, format) not in self._copies:
            raw = self._raw(table, policy, names, format)
            self._hold(raw, format, lambda: copy_of(self._make(raw, policy), policy.k))
        return self._copies[names, format]

    def made(
        self, table: Table, policy: Policy, group: Sequence[str], format: int | None = None
    ) -> Made:
        """Return the rows of the copy beside the raw ones, to measure it by."""
        names = tuple(sorted(group))
        raw = self._raw(table, policy, names, format)
        made = self._make(raw, policy)
        if (names, format) not in self._copies:
            self._hold(raw, format, lambda: copy_of(made, policy.k))
        return made

    def _hold(self, raw: Raw, asked_for: int | None, make: Callable[[], Copy]) -> None:
        """Hold a copy in memory, by its format too: that is known once something has left."""
        copy = self._kept(raw, make)
        self._copies[raw.names, asked_for] = self._copies[raw.names, copy.format] = copy

    def _kept(self, raw: Raw, make: Callable[[], Copy]) -> Copy:
        """Return the copy that was kept in the folder, or make one and keep it."""
        if self._folder is None:
            return make()
        path = self._folder / _file_name(raw.format, raw.version.hex()[:16])
        if path.exists():
            return load(path, raw.names, raw.version, raw.format)
        copy = make()
        store(path, copy)
        return copy

    def _raw(self, table: Table, policy: Policy, group: tuple[str, ...], format: int | None) -> Raw:
        def keyed(format: int) -> Raw:
            return raw_rows(table, policy, group, self._secret, strata=policy.strata, format=format)

        if format is None and self._folder and any(self._folder.glob(_file_name(1, "?" * 16))):
            old = keyed(1)
            if (self._folder / _file_name(1, old.version.hex()[:16])).exists():
                return old
        return keyed(FORMAT if format is None else format)

    def _make(self, raw: Raw, policy: Policy) -> Made:
        return make_copy(
            noised(prepared(raw, policy, self._secret), self._secret, raw.version), policy
        )


def _file_name(format: int, version: str) -> str:
    return f"copy-{version}.parquet" if format == 1 else f"copy-{format}-{version}.parquet"


def said(made: Made, k: int) -> tuple[str, ...]:
    """Say in sentences, with rough numbers, how rows were prepared before they were protected."""
    done = made.done
    filled = [f"{_rough(n, k)} missing values of {name} are filled" for name, n in done.filled]
    named = [
        f"{_rough(n, k)} missing levels of {name} are a level of their own"
        for name, n in done.named
    ]
    merged = [f"{detail} ({name})" for name, detail in done.repaired]
    lines = [*filled, *named]
    if merged:
        lines.append(f"small strata are merged: {'; '.join(merged)}")
    if not done.exhaustive:
        lines.append("there may be a merging of less loss: not all were tried")
    if done.suppressed:
        rows = _rough(done.suppressed, k)
        lines.append(
            f"{rows} rows of strata that stayed small are left out, so what all rows of a stratum"
            " share may not be true of all persons"
        )
    if done.persons is not None:
        lines.append(
            f"groups are of at least {k} persons ({done.persons}): all rows of a person in a"
            " stratum are in one, and who has more rows than k persons have keeps as many as they"
        )
    if done.multiples_of > 1:
        lines.append(
            f"a few rows are left out, so that the size of each stratum is a multiple of"
            f" {done.multiples_of}"
        )
    return tuple(lines)


def _rough(count: int, k: int) -> str:
    return f"about {about(count, k)}" if count >= k else f"fewer than {k}"


def copy_of(made: Made, k: int) -> Copy:
    """Return the rows in the order of their values, so that the file's order is gone."""
    columns = dict(zip(made.names, made.released.T, strict=True))
    levels = {name: np.array(words) for name, words in made.levels.items()}
    by_value = np.lexsort([*reversed(columns.values()), *reversed(levels.values())])
    return Copy(
        {name: values[by_value] for name, values in columns.items()},
        {name: tuple(words[by_value].tolist()) for name, words in levels.items()},
        made.version,
        about(made.done.left_out, k),
        said(made, k),
        made.format,
    )
