"""Raw rows made ready to be protected: gaps filled, small strata repaired, keys computed."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from discreet.arguments import Floats, Labels, as_strata
from discreet.errors import InputError, RefusedError
from discreet.keys import Column, Keys, coded, in_order, row_digests, row_keys, total
from discreet.policy import ROWS_PER_K, Policy
from discreet.protect.base import means_of_persons, persons_in, sd_of
from discreet.protect.hierarchy import Hierarchy
from discreet.protect.kanonymity import Repair, repair
from discreet.protect.values import drawn_levels, filled, nice_step, stepped, winsorised
from discreet.secret import Secret
from discreet.table import Rows, Table

__all__ = [
    "STRATUM_PER_K",
    "Done",
    "Noised",
    "Prepared",
    "Raw",
    "check_left_out",
    "least_in_stratum",
    "made_by",
    "named",
    "noised",
    "prepared",
    "raw_rows",
    "read_rows",
    "repaired_levels",
    "row_digests_in_parts",
    "strata_labels",
]


Mask = NDArray[np.bool_]


@dataclass(frozen=True)
class Done:
    """What was done to the rows before they were protected: exact, and told by `said` alone.

    `filled` are how many missing values of each column were filled, `named` how many missing levels
    became a level of their own, `left_out` how many rows had a missing value and `suppressed` how
    many were left out of a small stratum. Sizes of strata are multiples of `multiples_of`.
    `persons` is the column of persons with several rows.
    """

    filled: tuple[tuple[str, int], ...] = ()
    named: tuple[tuple[str, int], ...] = ()
    left_out: int = 0
    repaired: tuple[tuple[str, str], ...] = ()
    suppressed: int = 0
    exhaustive: bool = True
    multiples_of: int = 1
    persons: str | None = None


@dataclass(frozen=True, eq=False, repr=False)
class Prepared:
    """Rows that are ready: the values of a group, the levels of strata, and what they carry.

    `strata` is which combination of levels each row has, `keys` are keyed digests of the rows, and
    `order` is one that does not depend on that of the file. `persons` is
    whose each row is, where some person has several, and `whole` which columns hold whole numbers,
    but for fewer than k persons.
    """

    names: tuple[str, ...]
    values: Floats
    levels: Mapping[str, tuple[str, ...]]
    carried: Mapping[str, tuple[str, ...]]
    strata: Labels
    keys: Keys
    order: Labels
    done: Done
    persons: Labels | None = None
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
    unit: str | None = None


def raw_rows(
    table: Table,
    policy: Policy,
    names: Sequence[str],
    secret: Secret,
    *,
    strata: Sequence[str],
    carried: Sequence[str] = (),
) -> Raw:
    """Read the rows of some columns: complete ones, or all where the policy fills gaps.

    Refused if too few rows are complete, or too few persons have one.
    """
    rows = read_rows(table, policy, names, strata, carried)
    if policy.from_copy and _persons(rows) < ROWS_PER_K * policy.k:
        raise RefusedError(
            f"the table has too few complete rows: at least {ROWS_PER_K} k are needed for a"
            " protected copy; choose fewer columns, or the custodian can declare a smaller k"
        )
    keys = keys_of(secret, rows, table.key)
    unit = None if rows.persons is None else table.unit
    data = keys if table.key is None else keys_of(secret, rows, None)
    version = digest_of(secret, "version", data, made_by(policy, names, strata, unit))
    return Raw(tuple(names), tuple(strata), tuple(carried), rows, keys, version, unit)


def made_by(
    policy: Policy, names: Sequence[str], strata: Sequence[str], unit: str | None, **more: Any
) -> bytes:
    """Return all but the rows that decides on a version of a group."""
    out = policy.copy_settings() | {"group": list(names), "strata": list(strata)} | more
    out |= {} if unit is None else {"unit": unit}
    return json.dumps(out, sort_keys=True).encode()


def digest_of(secret: Secret, purpose: str, keys: Keys, *parts: bytes) -> bytes:
    """Return what stands for rows in any order, and for what else decides on a version."""
    return secret.digest(f"{purpose} 2", *parts, len(keys).to_bytes(8, "little"), total(keys))


def prepared(raw: Raw, policy: Policy, secret: Secret) -> Prepared:
    """Fill the gaps of raw rows and repair their strata, as the policy says.

    Refused if strata stay too small, or too few rows are left.
    """
    rows, keys = raw.rows, raw.keys
    columns = [_numbers(rows.numbers[name], name, policy, rows.persons) for name in raw.names]
    held = {name: named(rows.texts[name]) for name in raw.carried}
    levels = {
        name: _levels(rows.texts[name], name, policy, secret, raw.version, keys)
        for name in raw.strata
    }
    mended = repaired(levels, held, policy, rows)
    labels = strata_labels(mended.levels, len(rows))
    kept = _evened(mended.kept, labels, rows.persons, keys, policy)
    _check_known(raw, kept, labels, policy)
    places = np.flatnonzero(kept).tolist()
    if policy.from_copy and _persons(rows, kept) < ROWS_PER_K * policy.k:
        raise RefusedError(
            "too few rows are left in strata of 2 k or more; the custodian can declare a smaller k"
            " or fewer strata"
        )
    strata = {name: tuple(words[i] for i in places) for name, words in mended.levels.items()}
    keys = keys[places]
    return Prepared(
        names=raw.names,
        values=np.column_stack(columns)[kept],
        levels=strata,
        carried={name: tuple(words[i] for i in places) for name, words in held.items()},
        strata=strata_labels(strata, len(places)),
        keys=keys,
        order=in_order(keys),
        done=_done(raw, policy, mended),
        persons=None if rows.persons is None else rows.persons[kept],
        whole=frozenset(
            name for name in raw.names if _is_whole(rows.numbers[name], policy.k, rows.persons)
        ),
    )


def _done(raw: Raw, policy: Policy, repair: Repair) -> Done:
    """Say what was done with gaps and strata."""
    rows = raw.rows
    gaps = {name: int(np.isnan(rows.numbers[name]).sum()) for name in raw.names}
    unknown = {name: rows.texts[name].count("") for name in (*raw.strata, *raw.carried)}
    drawn = policy.missing_levels == "drawn"
    gaps |= {name: count for name, count in unknown.items() if drawn and name in raw.strata}
    return Done(
        filled=tuple((name, count) for name, count in gaps.items() if count),
        named=tuple((n, count) for n, count in unknown.items() if count and n not in gaps),
        left_out=rows.left_out,
        repaired=tuple((step.column, step.detail) for step in repair.steps),
        suppressed=repair.suppressed,
        exhaustive=repair.complete,
        multiples_of=policy.count_step,
        persons=raw.unit,
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


def row_digests_in_parts(
    table: Table, policy: Policy, names: Sequence[str], strata: Sequence[str], secret: Secret
) -> Iterator[Keys]:
    """Give the keyed digests of the rows that `read_rows` reads, and hold few rows at once."""
    whole, known = policy.missing == "complete", policy.missing_levels == "complete"
    key = [] if table.key is None else [table.key]
    number = [name for name in key if table.columns[name].kind == "continuous"]
    text = [name for name in key if name not in number]
    # In the order of `table.rows`: what may be missing comes last.
    numbers = [*names, *number] if whole else [*number, *names]
    texts = [*strata, *text] if known else [*text, *strata]
    complete = [*(names if whole else ()), *(strata if known else ()), *key]
    for part in table.in_parts(numbers, texts, complete):
        yield row_digests(secret, [part[name] for name in (*numbers, *texts)])


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


def keys_of(secret: Secret, rows: Rows, key: str | None) -> Keys:
    """Return each record's key: of the declared `key` column, else of all its values.

    Whose it is is one of them, where some person has several.
    """
    columns: list[Column]
    if key is None:
        columns = [*rows.numbers.values(), *rows.texts.values()]
        if rows.persons is not None:
            columns.append(tuple(rows.names[i] for i in rows.persons.tolist()))
    else:
        columns = [rows.numbers[key] if key in rows.numbers else rows.texts[key]]
        check_key(key, columns[0])
    return row_keys(secret, columns)


def check_key(name: str, column: Column) -> None:
    """Refuse a key column that has a value twice."""
    if isinstance(column, np.ndarray):
        different = len(np.unique(column))
    else:
        different = len(np.unique(coded(column)[1]))
    if different != len(column):
        raise InputError(
            f"key column {name!r} holds a value twice; a key is different in every row"
        )


def _evened(kept: Mask, labels: Labels, persons: Labels | None, keys: Keys, policy: Policy) -> Mask:
    """Leave out rows so that no stratum tells its exact size.

    Exact sizes beside the rounded and hidden counts of tables would give hidden ones back. Which
    rows are left out is keyed by the secret; rather those of persons who have others.
    """
    step = policy.count_step
    if step == 1:
        return kept
    rank = np.empty(len(keys), dtype=np.intp)
    rank[in_order(keys)] = np.arange(len(keys))
    rows = np.flatnonzero(kept)
    before = np.zeros_like(rows)
    if persons is not None:
        before = rows_before(labels[rows], persons[rows], rank[rows])
        stays = rows_like_others(labels[rows], persons[rows], before, policy.k)
        rows, before = rows[stays], before[stays]
    rows = rows[np.lexsort([rank[rows], before, labels[rows]])]
    _, first, sizes = np.unique(labels[rows], return_index=True, return_counts=True)
    place = np.arange(len(rows)) - np.repeat(first, sizes)
    out = np.zeros_like(kept)
    out[rows[place < np.repeat(sizes - sizes % step, sizes)]] = True
    return out


def _check_known(raw: Raw, kept: Mask, labels: Labels, policy: Policy) -> None:
    """Refuse to fill a column of which a stratum knows too few values: they would stand out."""
    if not policy.from_copy:
        return
    for name in raw.names:
        known = kept & ~np.isnan(raw.rows.numbers[name])
        counts = np.zeros(int(labels.max()) + 1, dtype=np.intp)
        persons = None if raw.rows.persons is None else raw.rows.persons[known]
        found = persons_in(labels[known], persons)
        counts[: len(found)] = found
        if counts[np.unique(labels[kept])].min() < STRATUM_PER_K * policy.k:
            raise RefusedError(
                f"too few values of {name!r} are known in a stratum for the others to be filled:"
                f" at least {STRATUM_PER_K} k are needed; leave the column out, or the rows"
                " (missing='complete', --missing complete)"
            )


def _is_whole(values: Floats, k: int, persons: Labels | None) -> bool:
    """Whether the known values of a column are whole numbers, but for those of fewer than k."""
    broken = np.isfinite(values) & (values != np.floor(values))
    who = np.flatnonzero(broken) if persons is None else np.unique(persons[broken])
    return len(who) < k


def _numbers(values: Floats, name: str, policy: Policy, persons: Labels | None) -> Floats:
    """Fill the gaps of a column; when guarded with a rough number that is nobody's."""
    gaps = np.isnan(values)
    if not gaps.any():
        return values
    if not policy.from_copy:
        return filled(values, policy.missing)
    whose = None if persons is None else persons[~gaps]
    known = winsorised(values[~gaps], policy.k, whose)  # or a far value could be read back
    step = nice_step(sd_of(name, known))
    if whose is not None:  # each person weighs the same, however many rows it has
        known = means_of_persons(known[:, None], np.zeros_like(whose), whose)[0][:, 0]
    out = values.copy()
    stand_in = filled(np.append(known, np.nan), policy.missing, policy.k)[-1:]
    out[gaps] = stepped(stand_in, step)
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
    return named(words)


def named(words: tuple[str, ...]) -> tuple[str, ...]:
    """Give missing levels a name that no level has."""
    if "" not in words:
        return words
    name = next(name for name in NO_LEVEL if name not in words)
    return tuple(word or name for word in words)


def _persons(rows: Rows, kept: Mask | None = None) -> int:
    """Return how many persons the rows, or those that are kept, are of."""
    if rows.persons is None:
        return len(rows) if kept is None else int(kept.sum())
    return len(np.unique(rows.persons if kept is None else rows.persons[kept]))


STRATUM_PER_K = 2
"""A stratum of a guarded copy has at least this many times k rows, or persons."""
NO_LEVEL = ("(missing)", "(no value)")


def repaired(
    levels: Mapping[str, tuple[str, ...]],
    held: Mapping[str, tuple[str, ...]],
    policy: Policy,
    rows: Rows,
) -> Repair:
    """Repair strata; where persons have several rows, so that they are of persons enough."""
    if not levels:
        return Repair({}, np.ones(len(rows), dtype=np.bool_), (), 0, 0.0, complete=True)
    if rows.persons is None:
        return repaired_levels(levels, held, policy)
    # One row of each person and combination of levels, so that strata are counted in persons: one
    # who has rows in several strata is in each of them.
    labels = strata_labels({**levels, **held}, len(rows), rows.persons)
    _, firsts, at = np.unique(labels, return_index=True, return_inverse=True)
    once, carried = (
        {name: tuple(words[i] for i in firsts.tolist()) for name, words in columns.items()}
        for columns in (levels, held)
    )
    found = repaired_levels(once, carried, policy)
    found = _of_persons_enough(found, rows.persons[firsts], policy)
    kept, places = found.kept[at], at.tolist()
    spread = {name: tuple(words[i] for i in places) for name, words in found.levels.items()}
    return dataclasses.replace(found, levels=spread, kept=kept, suppressed=int((~kept).sum()))


def strata_labels(
    levels: Mapping[str, Sequence[str]], n: int, persons: Labels | None = None
) -> Labels:
    """Return which combination of levels, and of persons if given, each of `n` rows has."""
    labels = as_strata(persons, n)
    for words in levels.values():
        codes = as_strata(np.array(words), n)
        labels = as_strata(labels * (int(codes.max(initial=0)) + 1) + codes, n)
    return labels


def rows_before(labels: Labels, persons: Labels, rank: Labels) -> Labels:
    """Return how many rows of the same person and stratum have a lower rank than each row."""
    order = np.lexsort((rank, persons, labels))
    new = np.ones(len(order), dtype=np.bool_)
    new[1:] = (np.diff(labels[order]) != 0) | (np.diff(persons[order]) != 0)
    starts = np.flatnonzero(new)
    out = np.empty(len(order), dtype=np.intp)
    out[order] = np.arange(len(order)) - np.repeat(starts, np.diff(starts, append=len(order)))
    return out


def rows_like_others(labels: Labels, persons: Labels, before: Labels, k: int) -> Mask:
    """Say which rows stay so that nobody has more in a stratum than k persons have.

    Else whoever is known to have very many is found by where most rows lie. `before` is that of
    `rows_before`; each stratum holds k persons or more.
    """
    pairs, rows = np.unique(np.stack([labels, persons]), axis=1, return_counts=True)
    order = np.lexsort((-rows, pairs[0]))
    stratum = pairs[0][order]
    starts = np.flatnonzero(np.diff(stratum, prepend=-1))
    most = np.zeros(int(labels.max()) + 1, dtype=np.intp)
    last = np.minimum(starts + k, np.append(starts[1:], len(order))) - 1
    most[stratum[starts]] = rows[order][last]
    stays: Mask = before < most[labels]
    return stays


def _of_persons_enough(found: Repair, persons: Labels, policy: Policy) -> Repair:
    """Leave out strata that, counted again by persons, hold too few of them.

    Where levels were joined, one who had several of them had been counted as several. It is refused
    where more would be left out than the policy lets be.
    """
    kept, labels = found.kept.copy(), strata_labels(found.levels, len(persons))
    least = least_in_stratum(policy)
    names, of = np.unique(labels[kept], return_inverse=True)
    few = names[persons_in(of.astype(np.intp), persons[kept]) < least]
    if not few.size:
        return found
    kept &= ~np.isin(labels, few)
    check_left_out(int((~kept).sum()), len(kept), policy)
    return dataclasses.replace(found, kept=kept, suppressed=int((~kept).sum()))


def check_left_out(left_out: int, of: int, policy: Policy) -> None:
    """Refuse to leave out more of all than the policy lets be, where persons were counted again."""
    if left_out > policy.most_suppressed * of:
        raise RefusedError(
            "strata hold too few persons, some of whom are in several; declare fewer strata, or a"
            " hierarchy that joins their levels"
        )


def least_in_stratum(policy: Policy) -> int:
    """Return how many rows or persons a stratum has at least, before its size is evened."""
    if not policy.from_copy:
        return policy.k
    step = policy.count_step
    return step * -(-STRATUM_PER_K * policy.k // step)  # so that it is so when evened, too


def repaired_levels(
    levels: Mapping[str, tuple[str, ...]],
    carried: Mapping[str, tuple[str, ...]],
    policy: Policy,
) -> Repair:
    """Repair strata by their sizes."""
    sensitive = next(iter(carried.values()), None)
    hierarchies = {}
    for column, lines in policy.hierarchies.items():
        if column in levels:
            # The level of missing values is one that is merged with no other.
            known = {line[0] for line in lines}
            own = [name for name in NO_LEVEL if name in levels[column] and name not in known]
            whole = [*lines, *([name] * len(lines[0]) for name in own)]
            steps = tuple({line[0]: line[i] for line in whole} for i in range(1, len(lines[0])))
            hierarchies[column] = Hierarchy(column, steps)
    return repair(
        levels,
        least_in_stratum(policy),
        hierarchies=hierarchies,
        ordered={name: order for name, order in policy.ordered.items() if name in levels},
        sensitive=sensitive,
        # Where nothing is carried, what is sensitive is a stratum itself: a release checks it then.
        diversity=None if policy.diversity == 1 or sensitive is None else policy.diversity,
        closeness=None if policy.closeness == 1 or sensitive is None else policy.closeness,
        most_suppressed=policy.most_suppressed,
    )
