"""One table or view protected by itself, as the papers print it, under the policy `research`."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from discreet.arguments import Floats, as_strata
from discreet.columns.column import Copy
from discreet.errors import BrokenPromiseError
from discreet.methods import outside
from discreet.methods.base import RowMethod, sd_of
from discreet.methods.counts import about
from discreet.methods.microaggregation import check_shared
from discreet.papers.rows import Done, Noised
from discreet.policy import How, Policy
from discreet.secret import Secret
from discreet.table import Table
from discreet.vault.keyed_rows import digest_of, keys_of, rows_with_key


@dataclass(frozen=True, eq=False, repr=False)
class Made:
    """Protected rows beside the raw ones they stand for, row by row: for the custodian alone."""

    names: tuple[str, ...]
    original: Floats
    released: Floats
    levels: Mapping[str, tuple[str, ...]]
    carried: Mapping[str, tuple[str, ...]]
    version: str
    done: Done


def make_table(given: Noised, policy: Policy, method: RowMethod) -> Made:
    """Protect the rows of one table by themselves.

    It is done in an order of their own, so that one version always has the same bytes.
    """
    if policy.fixed:
        raise BrokenPromiseError("a guarded study only releases rows of its protected copy")
    rows = given.rows
    for j, name in enumerate(rows.names):
        sd_of(name, rows.values[:, j])
    # As R has it, whose tree follows the order of the file; or one that does not depend on it.
    order = np.arange(len(rows.order)) if policy.of_papers.ties == "tree" else rows.order
    persons = None if rows.persons is None else rows.persons[order]
    rows_out = method(rows.values[order], given.normals[order], rows.strata[order], persons)
    if rows_out.shape != rows.values.shape or not np.isfinite(rows_out).all():
        raise BrokenPromiseError("a row method returned another shape, or values not finite")
    out = np.empty_like(rows.values)
    out[order] = rows_out
    for j, name in enumerate(rows.names):
        out[:, j] = _within_bounds(policy, name, out[:, j])
    if method.shared_by_k:
        check_shared(out, rows.strata, method.k)
    return Made(
        names=rows.names,
        original=rows.values,
        released=out,
        levels=rows.levels,
        carried=rows.carried,
        version=given.version,
        done=rows.done,
    )


def protect_view(
    table: Table,
    policy: Policy,
    columns: Sequence[str],
    how: How,
    secret: Secret,
    by: str | None = None,
    naming: Callable[[tuple[str, ...]], tuple[str, ...]] | None = None,
) -> Copy:
    """Protect the columns of one view by themselves.

    Rows are protected within the levels of `by`, as `naming` joins and names them.
    """
    if policy.fixed:
        raise BrokenPromiseError("a guarded study only draws rows from its protected copy")
    divided = () if by is None or naming is None else (by,)
    rows = rows_with_key(table, columns, divided)
    keys = keys_of(secret, rows, table.key)
    names = list(columns)
    version = digest_of(secret, "view", keys)
    values = np.column_stack([rows.numbers[name] for name in names])
    for j, name in enumerate(names):
        sd_of(name, values[:, j])
    normals = secret.normals(version, keys, names)
    texts = {name: naming(rows.texts[name]) for name in divided if naming is not None}
    strata = as_strata(texts[divided[0]] if divided else None, len(values))
    out = policy.row_method(how)(values, normals, strata, rows.persons)
    values_of = {name: _within_bounds(policy, name, out[:, j]) for j, name in enumerate(names)}
    left_out = about(rows.left_out, how.k)
    return Copy(values_of, texts, version.hex()[:16], left_out)


def _within_bounds(policy: Policy, name: str, values: Floats) -> Floats:
    """Do with values outside the bounds of a column what the policy says."""
    if name not in policy.bounds:
        return values
    return outside(values, *policy.bounds[name], policy.of_papers.outside)


def said(done: Done, k: int) -> tuple[str, ...]:
    """Say in sentences, with rough numbers, how rows were prepared before they were protected."""
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
        lines.append("a merging with less loss may exist: not all were tried")
    if done.suppressed:
        rows = _rough(done.suppressed, k)
        lines.append(
            f"{rows} rows of strata that stayed small are left out, so what all rows of a stratum"
            " share may not be true of all people"
        )
    if done.persons is not None:
        lines.append(
            f"groups are of at least {k} people ({done.persons}): all rows of a person in a"
            " stratum are in one"
        )
    return tuple(lines)


def _rough(count: int, k: int) -> str:
    return f"about {about(count, k)}" if count >= k else f"fewer than {k}"
