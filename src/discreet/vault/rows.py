"""Raw rows made ready to be protected: gaps filled, small strata repaired, keys computed."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from discreet.errors import InputError, RefusedError
from discreet.keys import Column, Keys, in_order, old_row_keys, row_keys, total
from discreet.policy import ROWS_PER_K, Policy
from discreet.protect.base import Floats, Labels, as_strata, sd_of
from discreet.protect.hierarchy import Hierarchy
from discreet.protect.kanonymity import Repair, repair
from discreet.protect.missing import drawn_levels, filled
from discreet.protect.order_means import nice_step, stepped, winsorised
from discreet.secret import FORMAT, Secret
from discreet.table import Rows, Table

__all__ = [
    "FORMAT",
    "STRATUM_PER_K",
    "Done",
    "Noised",
    "Prepared",
    "Raw",
    "check_one_row_a_person",
    "digest_of",
    "keys_of",
    "noised",
    "prepared",
    "raw_rows",
    "read_rows",
    "rows_with_key",
    "strata_labels",
]

Mask = NDArray[np.bool_]
STRATUM_PER_K = 2
"""A stratum of a guarded copy has at least this many times k rows."""
NO_LEVEL = ("(missing)", "(no value)")


@dataclass(frozen=True)
class Done:
    """What was done to the rows before they were protected: exact, and told by `said` alone.

    `filled` are how many missing values of each column were filled, `named` how many missing levels
    became a level of their own, `left_out` how many rows had a missing value and `suppressed` how
    many were left out of a small stratum. Sizes of strata are multiples of `multiples_of`.
    """

    filled: tuple[tuple[str, int], ...] = ()
    named: tuple[tuple[str, int], ...] = ()
    left_out: int = 0
    repaired: tuple[tuple[str, str], ...] = ()
    suppressed: int = 0
    exhaustive: bool = True
    multiples_of: int = 1


@dataclass(frozen=True, eq=False, repr=False)
class Prepared:
    """Rows that are ready: the values of a group, the levels of strata, and what they carry.

    `strata` is which combination of levels each row has, `keys` are keyed digests of the rows, and
    `order` is one that does not depend on that of the file. `format` is how the copy is made, and
    `whole` which columns hold whole numbers, but for fewer than k rows.
    """

    names: tuple[str, ...]
    values: Floats
    levels: Mapping[str, tuple[str, ...]]
    carried: Mapping[str, tuple[str, ...]]
    strata: Labels
    keys: Keys
    order: Labels
    done: Done
    format: int
    whole: frozenset[str] = frozenset()


@dataclass(frozen=True, eq=False, repr=False)
class Noised:
    """Rows that are ready, the noise of each, and the version that the noise belongs to."""

    rows: Prepared
    normals: Floats
    version: str


@dataclass(frozen=True, eq=False, repr=False)
class Raw:
    """Rows as they were read, which version they make, and the key of each."""

    names: tuple[str, ...]
    strata: tuple[str, ...]
    carried: tuple[str, ...]
    rows: Rows
    keys: Keys
    version: bytes
    format: int = FORMAT


def raw_rows(
    table: Table,
    policy: Policy,
    names: Sequence[str],
    secret: Secret,
    *,
    strata: Sequence[str],
    carried: Sequence[str] = (),
    format: int = FORMAT,
) -> Raw:
    """Read the rows of some columns: complete ones, or all where the policy fills gaps.

    `format` is that of the study version: what has left keeps its keys, and so its noise.

    Raises
    ------
    RefusedError
        If some person has several rows, or too few rows are complete.
    """
    check_one_row_a_person(table)
    rows = read_rows(table, policy, names, strata, carried)
    if policy.guarded and len(rows) < ROWS_PER_K * policy.k:
        raise RefusedError(
            f"the table has too few complete rows: at least {ROWS_PER_K} k are needed for a"
            " protected copy; choose a smaller k or fewer columns"
        )
    keys = keys_of(secret, table, rows, format)
    made_by = policy.copy_settings() | {"group": list(names), "strata": list(strata)}
    settings = json.dumps(made_by, sort_keys=True).encode()
    data = keys if table.key is None else _keys(secret, _columns(rows), format)
    version = digest_of(secret, "version", data, format, settings)
    return Raw(tuple(names), tuple(strata), tuple(carried), rows, keys, version, format)


def digest_of(secret: Secret, purpose: str, keys: Keys, format: int, *parts: bytes) -> bytes:
    """Return what stands for rows in any order, and for what else decides on a version."""
    if format == 1:
        return secret.digest(purpose, *parts, *(key.tobytes() for key in keys[in_order(keys)]))
    return secret.digest(f"{purpose} 2", *parts, len(keys).to_bytes(8, "little"), total(keys))


def prepared(raw: Raw, policy: Policy, secret: Secret) -> Prepared:
    """Fill the gaps of raw rows and repair their strata, as the policy says.

    Raises
    ------
    RefusedError
        If strata stay too small, or too few rows are left.
    """
    rows, keys = raw.rows, raw.keys
    columns = [_numbers(rows.numbers[name], name, policy) for name in raw.names]
    levels = {
        name: _levels(rows.texts[name], name, policy, secret, raw.version, keys)
        for name in raw.strata
    }
    held = {name: _named(rows.texts[name]) for name in raw.carried}
    mended = _repaired(levels, held, policy, len(rows))
    labels = strata_labels(mended.levels, len(rows))
    kept = _evened(mended.kept, labels, keys, policy)
    _check_known(raw, kept, labels, policy)
    places = np.flatnonzero(kept).tolist()
    if policy.guarded and len(places) < ROWS_PER_K * policy.k:
        raise RefusedError(
            "too few rows are left in strata of 2 k or more; choose a smaller k or fewer strata"
        )
    strata = {name: tuple(words[i] for i in places) for name, words in mended.levels.items()}
    keys = keys[places]
    gaps = {name: int(np.isnan(rows.numbers[name]).sum()) for name in raw.names}
    unknown = {name: rows.texts[name].count("") for name in (*raw.strata, *raw.carried)}
    drawn = policy.missing_levels == "drawn"
    gaps |= {name: count for name, count in unknown.items() if drawn and name in raw.strata}
    return Prepared(
        names=raw.names,
        values=np.column_stack(columns)[kept],
        levels=strata,
        carried={name: tuple(words[i] for i in places) for name, words in held.items()},
        strata=strata_labels(strata, len(places)),
        keys=keys,
        order=in_order(keys),
        done=Done(
            filled=tuple((name, count) for name, count in gaps.items() if count),
            named=tuple((n, count) for n, count in unknown.items() if count and n not in gaps),
            left_out=rows.left_out,
            repaired=tuple((step.column, step.detail) for step in mended.steps),
            suppressed=mended.suppressed,
            exhaustive=mended.complete,
            multiples_of=_size_step(policy),
        ),
        format=raw.format,
        whole=frozenset(name for name in raw.names if _is_whole(rows.numbers[name], policy.k)),
    )


def noised(rows: Prepared, secret: Secret, version: bytes) -> Noised:
    """Draw the noise of prepared rows for a version."""
    return Noised(rows, secret.normals(version, rows.keys, rows.names), version.hex()[:16])


def read_rows(
    table: Table,
    policy: Policy,
    names: Sequence[str],
    strata: Sequence[str],
    carried: Sequence[str] = (),
) -> Rows:
    """Read the rows that a policy protects: complete ones, or all where it fills gaps."""
    whole = policy.missing == "complete"
    known = policy.missing_levels == "complete"
    return rows_with_key(
        table,
        names if whole else [],
        strata if known else [],
        [*([] if known else strata), *carried],
        [] if whole else names,
    )


def rows_with_key(
    table: Table,
    names: Sequence[str],
    texts: Sequence[str] = (),
    levels: Sequence[str] = (),
    gaps: Sequence[str] = (),
) -> Rows:
    """Read rows, with the declared key among the texts or numbers."""
    if table.key is None:
        return table.rows(names, texts, levels, gaps)
    if table.columns[table.key].kind == "continuous":
        return table.rows([*names, table.key], texts, levels, gaps)
    return table.rows(names, [*texts, table.key], levels, gaps)


def keys_of(secret: Secret, table: Table, rows: Rows, format: int) -> Keys:
    """Return each record's key: of the declared key column, else of all its values."""
    if table.key is None:
        return _keys(secret, _columns(rows), format)
    column = rows.numbers[table.key] if table.key in rows.numbers else rows.texts[table.key]
    if len(set(column)) != len(rows):
        raise InputError(
            f"key column {table.key!r} holds a value twice; a key is different in every row"
        )
    return _keys(secret, [column], format)


def check_one_row_a_person(table: Table) -> None:
    """Refuse a table in which some person has several rows."""
    if table.persons_repeat():
        raise RefusedError(
            "some person has several rows, so rows cannot be shown; make one row a person first"
            " (a mean or a last value), or use a histogram or heat map, which count persons"
        )


def strata_labels(levels: Mapping[str, Sequence[str]], n: int) -> Labels:
    """Return which combination of levels each row has; one for all where there are none."""
    labels = np.zeros(n, dtype=np.intp)
    for words in levels.values():
        codes = as_strata(np.array(words), n)
        labels = as_strata(labels * (int(codes.max(initial=0)) + 1) + codes, n)
    return labels


def _size_step(policy: Policy) -> int:
    """Return what sizes of strata are multiples of: what counts round to, or k if they do not."""
    if not policy.guarded:
        return 1
    return policy.round_to if policy.round_to > 1 else policy.k


def _evened(kept: Mask, labels: Labels, keys: Keys, policy: Policy) -> Mask:
    """Leave out rows so that no stratum tells its exact size.

    Exact sizes beside the rounded and hidden counts of tables would give hidden ones back. Which
    rows are left out is keyed by the secret.
    """
    step = _size_step(policy)
    if step == 1:
        return kept
    rank = np.empty(len(keys), dtype=np.intp)
    rank[in_order(keys)] = np.arange(len(keys))
    rows = np.flatnonzero(kept)
    rows = rows[np.lexsort([rank[rows], labels[rows]])]
    _, first, sizes = np.unique(labels[rows], return_index=True, return_counts=True)
    place = np.arange(len(rows)) - np.repeat(first, sizes)
    out = np.zeros_like(kept)
    out[rows[place < np.repeat(sizes - sizes % step, sizes)]] = True
    return out


def _check_known(raw: Raw, kept: Mask, labels: Labels, policy: Policy) -> None:
    """Refuse to fill a column of which a stratum knows too few values: they would stand out."""
    if not policy.guarded:
        return
    for name in raw.names:
        known = kept & ~np.isnan(raw.rows.numbers[name])
        counts = np.bincount(labels[known], minlength=int(labels.max()) + 1)
        if counts[np.unique(labels[kept])].min() < STRATUM_PER_K * policy.k:
            raise RefusedError(
                f"too few values of {name!r} are known in a stratum for the others to be filled:"
                f" at least {STRATUM_PER_K} k are needed; leave the column out, or the rows"
                " (missing='complete', --impute complete)"
            )


def _is_whole(values: Floats, k: int) -> bool:
    """Whether the known values of a column are whole numbers, but for fewer than k."""
    known = values[np.isfinite(values)]
    return int((known != np.floor(known)).sum()) < k


def _numbers(values: Floats, name: str, policy: Policy) -> Floats:
    """Fill the gaps of a column; when guarded with a rough number that is nobody's."""
    gaps = np.isnan(values)
    if not gaps.any():
        return values
    if not policy.guarded:
        return filled(values, policy.missing)
    drawn_in = values.copy()  # or a far value could be read back from the mean
    drawn_in[~gaps] = winsorised(values[~gaps], policy.k)
    step = nice_step(sd_of(name, drawn_in[~gaps]))
    out = values.copy()
    out[gaps] = stepped(filled(drawn_in, policy.missing, policy.k)[gaps], step)
    return out


def _levels(
    words: tuple[str, ...],
    name: str,
    policy: Policy,
    secret: Secret,
    version: bytes,
    keys: Keys,
) -> tuple[str, ...]:
    from scipy.special import ndtr

    if policy.missing_levels == "drawn" and "" in words:
        # A name that no column can have, so that no noise is shared.
        uniforms = ndtr(secret.normals(version, keys, [f"\0missing {name}"])[:, 0])
        return drawn_levels(words, uniforms)
    return _named(words)


def _named(words: tuple[str, ...]) -> tuple[str, ...]:
    """Give missing levels a name that no level has."""
    if "" not in words:
        return words
    name = next(name for name in NO_LEVEL if name not in words)
    return tuple(word or name for word in words)


def _repaired(
    levels: Mapping[str, tuple[str, ...]],
    carried: Mapping[str, tuple[str, ...]],
    policy: Policy,
    n: int,
) -> Repair:
    if not levels:
        return Repair(
            levels={},
            kept=np.ones(n, dtype=np.bool_),
            steps=(),
            suppressed=0,
            loss=0.0,
            complete=True,
        )
    least = policy.k
    if policy.guarded:
        step = _size_step(policy)
        least = step * -(-STRATUM_PER_K * policy.k // step)  # so that it is so when evened, too
    sensitive = next(iter(carried.values()), None)
    return repair(
        levels,
        least,
        hierarchies={
            name: Hierarchy(name, _steps(_with_missing(lines, levels[name])))
            for name, lines in policy.hierarchies.items()
            if name in levels
        },
        ordered={name: order for name, order in policy.ordered.items() if name in levels},
        sensitive=sensitive,
        # Where nothing is carried, what is sensitive is a stratum itself: a release checks it then.
        diversity=None if policy.diversity == 1 or sensitive is None else policy.diversity,
        closeness=None if policy.closeness == 1 or sensitive is None else policy.closeness,
        most_suppressed=policy.most_suppressed,
    )


def _with_missing(lines: Sequence[Sequence[str]], words: Sequence[str]) -> Sequence[Sequence[str]]:
    """Let a hierarchy know the level of missing values, as one that is merged with no other."""
    known = {line[0] for line in lines}
    own = [name for name in NO_LEVEL if name in words and name not in known]
    return [*lines, *([name] * len(lines[0]) for name in own)]


def _steps(lines: Sequence[Sequence[str]]) -> tuple[Mapping[str, str], ...]:
    return tuple({line[0]: line[i] for line in lines} for i in range(1, len(lines[0])))


def _keys(secret: Secret, columns: Sequence[Column], format: int) -> Keys:
    return old_row_keys(secret, columns) if format == 1 else row_keys(secret, columns)


def _columns(rows: Rows) -> list[Floats | tuple[str, ...]]:
    return [*rows.numbers.values(), *rows.texts.values()]
