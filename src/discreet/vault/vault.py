"""The Vault: makes protected copies and keeps them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np

from discreet.policy import Policy
from discreet.protect.counts import about
from discreet.secret import Secret
from discreet.table import Table
from discreet.vault.copies import Copy, load, store
from discreet.vault.making import Made, make_copy
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
        self._copies: dict[tuple[str, ...], Copy] = {}

    def copy(self, table: Table, policy: Policy, group: Sequence[str]) -> Copy:
        """Return the protected copy of `group`, made on the first call.

        Raises
        ------
        RefusedError
            If the table has fewer than 10 k complete rows, strata that cannot be merged to 2 k,
            or some person several rows.
        """
        names = tuple(sorted(group))
        if names not in self._copies:
            self._copies[names] = self._open_or_make(table, policy, names)
        return self._copies[names]

    def made(self, table: Table, policy: Policy, group: Sequence[str]) -> Made:
        """Return the rows of the copy beside the raw ones, to measure it by."""
        names = tuple(sorted(group))
        raw = self._raw(table, policy, names)
        made = self._make(raw, policy)
        if names not in self._copies:
            self._copies[names] = self._kept(raw, lambda: copy_of(made, policy.k))
        return made

    def _open_or_make(self, table: Table, policy: Policy, group: tuple[str, ...]) -> Copy:
        raw = self._raw(table, policy, group)
        return self._kept(raw, lambda: copy_of(self._make(raw, policy), policy.k))

    def _kept(self, raw: Raw, make: Callable[[], Copy]) -> Copy:
        """Return the copy that was kept in the folder, or make one and keep it."""
        if self._folder is None:
            return make()
        path = self._folder / f"copy-{raw.version.hex()[:16]}.parquet"
        if path.exists():
            return load(path, raw.names, raw.version)
        copy = make()
        store(path, copy)
        return copy

    def _raw(self, table: Table, policy: Policy, group: tuple[str, ...]) -> Raw:
        return raw_rows(table, policy, group, self._secret, strata=policy.strata)

    def _make(self, raw: Raw, policy: Policy) -> Made:
        return make_copy(
            noised(prepared(raw, policy, self._secret), self._secret, raw.version), policy
        )


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
    )
