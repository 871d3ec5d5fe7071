"""The protected copy of a study version: made once, kept, and the source of every row view.

A version is (data, policy, secret). Its copy holds the columns of one group, protected jointly
within the strata, rounded to a nice step and sorted by value, so that neither order nor last
digits come from the raw rows.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from discreet.errors import BrokenPromiseError, InputError, RefusedError
from discreet.policy import ROWS_PER_K, Asked, Policy
from discreet.protect import outside
from discreet.protect.base import Floats, Labels, RowMethod, as_strata, sd_of
from discreet.protect.counts import about
from discreet.protect.order_means import nice_step, stepped, winsorised
from discreet.secret import Secret, row_keys
from discreet.table import Rows, Table

__all__ = ["Copy", "Vault", "protect_view", "rows_with_key", "within_bounds"]

STRATUM_PER_K = 2


@dataclass(frozen=True, repr=False)
class Copy:
    """Protected rows: their columns, the levels of their strata, and the version they are of."""

    columns: Mapping[str, Floats]
    strata: Mapping[str, tuple[str, ...]]
    version: str
    left_out: int


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
            If the table has fewer than 10 k complete rows, a stratum fewer than 2 k, or some
            person several rows.
        """
        names = tuple(sorted(group))
        if names not in self._copies:
            self._copies[names] = self._open_or_make(table, policy, names)
        return self._copies[names]

    def _open_or_make(self, table: Table, policy: Policy, group: tuple[str, ...]) -> Copy:
        rows = _read_rows(table, policy, group)
        keys = _keys(self._secret, table, rows)
        version = _version(self._secret, policy, group, rows)
        path = None if self._folder is None else self._folder / f"copy-{version.hex()[:16]}.parquet"
        left_out = about(rows.left_out, policy.k)
        if path is not None and path.exists():
            return _load(path, group, policy.strata, version, left_out)
        copy = _make(self._secret, policy, rows, keys, version, left_out)
        if path is not None:
            _store(path, copy)
        return copy


def protect_view(
    table: Table,
    policy: Policy,
    asked: Asked,
    secret: Secret,
    naming: Callable[[tuple[str, ...]], tuple[str, ...]] | None = None,
) -> Copy:
    """Protect the columns of one view alone, as the papers do it: only under `research`.

    Rows are protected within the levels of `asked.by`, as `naming` joins and names them.
    """
    if policy.guarded:
        raise BrokenPromiseError("a guarded study draws rows from its protected copy alone")
    _one_row_a_person(table)
    by = () if asked.by is None or naming is None else (asked.by,)
    rows = rows_with_key(table, asked.columns, by)
    keys = _keys(secret, table, rows)
    names = list(asked.columns)
    version = secret.digest("view", *sorted(keys))
    values = np.column_stack([rows.numbers[name] for name in names])
    for j, name in enumerate(names):
        sd_of(name, values[:, j])
    normals = secret.normals(version, keys, names)
    texts = {name: naming(rows.texts[name]) for name in by if naming is not None}
    strata = as_strata(texts[by[0]] if by else None, len(values))
    out = policy.row_method(asked)(values, normals, strata)
    columns = {name: within_bounds(policy, name, out[:, j]) for j, name in enumerate(names)}
    return Copy(columns, texts, version.hex()[:16], about(rows.left_out, asked.k))


def within_bounds(policy: Policy, name: str, values: Floats) -> Floats:
    """Do with values outside the bounds of a column what the policy says."""
    if name not in policy.bounds:
        return values
    return outside(values, *policy.bounds[name], policy.outside)


def _read_rows(table: Table, policy: Policy, group: tuple[str, ...]) -> Rows:
    _one_row_a_person(table)
    rows = rows_with_key(table, group, policy.strata)
    if len(rows) < ROWS_PER_K * policy.k:
        raise RefusedError(
            f"the table has too few complete rows: at least {ROWS_PER_K} k are needed for a"
            " protected copy; choose a smaller k or fewer columns"
        )
    return rows


def rows_with_key(table: Table, names: Sequence[str], texts: Sequence[str]) -> Rows:
    """Read complete rows, with the declared key among the texts or numbers."""
    if table.key is None:
        return table.rows(names, texts)
    if table.columns[table.key].kind == "continuous":
        return table.rows([*names, table.key], texts)
    return table.rows(names, [*texts, table.key])


def _one_row_a_person(table: Table) -> None:
    if table.persons_repeat():
        raise RefusedError(
            "some person has several rows, so rows cannot be shown; make one row a person first"
            " (a mean or a last value), or use a histogram or heat map, which count persons"
        )


def _keys(secret: Secret, table: Table, rows: Rows) -> list[bytes]:
    """Return each record's key: of the declared key column, else of all its values."""
    if table.key is None:
        return row_keys(secret, _columns(rows))
    column = rows.numbers[table.key] if table.key in rows.numbers else rows.texts[table.key]
    if len(set(column)) != len(rows):
        raise InputError(
            f"key column {table.key!r} holds a value twice; a key is different in every row"
        )
    return row_keys(secret, [column])


def _columns(rows: Rows) -> list[Floats | tuple[str, ...]]:
    return [*rows.numbers.values(), *rows.texts.values()]


def _version(secret: Secret, policy: Policy, group: tuple[str, ...], rows: Rows) -> bytes:
    made_by = policy.copy_settings() | {"group": list(group)}
    data = sorted(row_keys(secret, _columns(rows)))
    return secret.digest("version", json.dumps(made_by, sort_keys=True).encode(), *data)


def _make(
    secret: Secret,
    policy: Policy,
    rows: Rows,
    keys: list[bytes],
    version: bytes,
    left_out: int,
) -> Copy:
    names = [name for name in rows.numbers if name != policy.key]
    trimmed = np.column_stack([winsorised(rows.numbers[name], policy.k) for name in names])
    steps = [nice_step(sd_of(name, trimmed[:, j])) for j, name in enumerate(names)]
    texts = {name: rows.texts[name] for name in policy.strata}
    strata = _strata(texts, len(trimmed), policy)
    # Whatever order the rows came in, the method sees one order: same version, same bytes.
    order = np.array(sorted(range(len(keys)), key=keys.__getitem__))
    normals = secret.normals(version, [keys[i] for i in order], names)
    method: RowMethod = policy.row_method()
    out = method(trimmed[order], normals, strata[order])
    if out.shape != trimmed.shape or not np.isfinite(out).all():
        raise BrokenPromiseError("a row method returned another shape, or values not finite")
    columns = {}
    for j, name in enumerate(names):
        # Again after rounding, which may go a little beyond a bound.
        inside = stepped(within_bounds(policy, name, out[:, j]), steps[j])
        columns[name] = within_bounds(policy, name, inside)
    levels = {name: np.array(words)[order] for name, words in texts.items()}
    by_value = np.lexsort([*reversed(columns.values()), *reversed(levels.values())])
    return Copy(
        {name: values[by_value] for name, values in columns.items()},
        {name: tuple(words[by_value].tolist()) for name, words in levels.items()},
        version.hex()[:16],
        left_out,
    )


def _strata(texts: Mapping[str, tuple[str, ...]], n: int, policy: Policy) -> Labels:
    if not texts:
        return np.zeros(n, dtype=np.intp)
    _, labels, sizes = np.unique(
        np.column_stack([np.array(words) for words in texts.values()]),
        axis=0,
        return_inverse=True,
        return_counts=True,
    )
    if sizes.min() < STRATUM_PER_K * policy.k:
        raise RefusedError(
            f"a combination of the strata {', '.join(map(repr, texts))} has too few rows: at least"
            f" {STRATUM_PER_K} k are needed in each; merge levels, or drop a stratum"
        )
    return labels.reshape(-1).astype(np.intp)


def _store(path: Path, copy: Copy) -> None:
    import pyarrow as pa
    import pyarrow.parquet as pq

    partial = path.with_name(f"{path.name}.{os.getpid()}")
    table = pa.table({**copy.columns, **copy.strata})
    try:
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        with os.fdopen(os.open(partial, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
            pq.write_table(table, file)
        os.replace(partial, path)
    except OSError as error:
        raise InputError(
            f"the protected copy cannot be kept in {str(path.parent)!r} ({type(error).__name__});"
            " make the folder writable"
        ) from None
    finally:
        with suppress(OSError):
            partial.unlink(missing_ok=True)


def _load(
    path: Path, group: Sequence[str], strata: Sequence[str], version: bytes, left_out: int
) -> Copy:
    import pyarrow.parquet as pq

    try:
        stored = pq.read_table(path)
        columns = {name: stored[name].to_numpy().astype(np.float64) for name in group}
        levels = {name: tuple(stored[name].to_pylist()) for name in strata}
    except Exception:
        raise InputError(
            f"the protected copy {str(path)!r} cannot be read; move it away to have it made again"
        ) from None
    return Copy(columns, levels, version.hex()[:16], left_out)
