"""Raw rows made ready to be protected: gaps filled, small strata repaired, keys computed."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from discreet.arguments import Floats, Labels, as_strata
from discreet.columns import Rows
from discreet.errors import RefusedError
from discreet.keys import Keys, sort_keys
from discreet.methods.base import persons_in
from discreet.methods.hierarchy import Hierarchy
from discreet.methods.kanonymity import Repair, repair
from discreet.methods.values import drawn_levels, filled
from discreet.policy import Policy
from discreet.secret import Secret
from discreet.table import Table
from discreet.vault.keyed_rows import digest_of, keys_of, rows_with_key

Mask = NDArray[np.bool_]
KEYED = {"round_to": 1}
"""What the text that keys rows says beside the policy: with other words all noise were another."""


@dataclass(frozen=True)
class Done:
    """What was done to the rows before they were protected: exact, and told by `said` alone.

    `filled` are how many missing values of each column were filled, `named` how many missing levels
    became a level of their own, `left_out` how many rows had a missing value and `suppressed` how
    many were left out of a small stratum.
    `persons` is the column of people with several rows.
    """

    filled: tuple[tuple[str, int], ...] = ()
    named: tuple[tuple[str, int], ...] = ()
    left_out: int = 0
    repaired: tuple[tuple[str, str], ...] = ()
    suppressed: int = 0
    exhaustive: bool = True
    persons: str | None = None


@dataclass(frozen=True, eq=False, repr=False)
class Prepared:
    """Rows that are ready: the values of a group, the levels of strata, and what they carry.

    `strata` is which combination of levels each row has, `keys` are keyed digests of the rows, and
    `order` is one that does not depend on that of the file. `persons` is
    whose each row is, where some person has several.
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
    """Read the rows of some columns: complete ones, or all where the policy fills gaps."""
    own = policy.of_papers
    gaps = [] if own.missing == "complete" else names
    unknown = [] if own.missing_levels == "complete" else strata
    rows = rows_with_key(
        table, [] if gaps else names, [] if unknown else strata, [*unknown, *carried], gaps
    )
    keys = keys_of(secret, rows, table.key)
    unit = None if rows.persons is None else table.unit
    data = keys if table.key is None else keys_of(secret, rows, None)
    made_by = KEYED | policy.copy_settings() | {"group": list(names), "strata": list(strata)}
    made_by |= {} if unit is None else {"unit": unit}
    of_policy = json.dumps(made_by, sort_keys=True).encode()
    version = digest_of(secret, "version", data, of_policy)
    return Raw(tuple(names), tuple(strata), tuple(carried), rows, keys, version, unit)


def prepared(raw: Raw, policy: Policy, secret: Secret) -> Prepared:
    """Fill the gaps of raw rows and repair their strata, as the policy says.

    Refused if strata stay too small.
    """
    rows, keys, missing = raw.rows, raw.keys, policy.of_papers.missing
    columns = [rows.numbers[name] for name in raw.names]
    if missing != "complete":
        columns = [filled(of, missing) if np.isnan(of).any() else of for of in columns]
    carried = {name: _named(rows.texts[name]) for name in raw.carried}
    levels = {
        name: _levels(rows.texts[name], name, policy, secret, raw.version, keys)
        for name in raw.strata
    }
    merged = repaired(levels, carried, policy, rows)
    kept = merged.kept
    places = np.flatnonzero(kept).tolist()
    strata = {name: tuple(words[i] for i in places) for name, words in merged.levels.items()}
    keys = keys[places]
    return Prepared(
        names=raw.names,
        values=np.column_stack(columns)[kept],
        levels=strata,
        carried={name: tuple(words[i] for i in places) for name, words in carried.items()},
        strata=strata_labels(strata, len(places)),
        keys=keys,
        order=sort_keys(keys),
        done=_done(raw, policy, merged),
        persons=None if rows.persons is None else rows.persons[kept],
    )


def _done(raw: Raw, policy: Policy, repair: Repair) -> Done:
    rows = raw.rows
    gaps = {name: int(np.isnan(rows.numbers[name]).sum()) for name in raw.names}
    unknown = {name: rows.texts[name].count("") for name in (*raw.strata, *raw.carried)}
    drawn = policy.of_papers.missing_levels == "drawn"
    gaps |= {name: count for name, count in unknown.items() if drawn and name in raw.strata}
    return Done(
        filled=tuple((name, count) for name, count in gaps.items() if count),
        named=tuple((n, count) for n, count in unknown.items() if count and n not in gaps),
        left_out=rows.left_out,
        repaired=tuple((step.column, step.detail) for step in repair.steps),
        suppressed=repair.suppressed,
        exhaustive=repair.complete,
        persons=raw.unit,
    )


def noised(rows: Prepared, secret: Secret, version: bytes) -> Noised:
    """Draw the noise of prepared rows for a version."""
    return Noised(rows, secret.normals(version, rows.keys, rows.names), version.hex()[:16])


def _levels(
    words: tuple[str, ...], name: str, policy: Policy, secret: Secret, version: bytes, keys: Keys
) -> tuple[str, ...]:
    from scipy.special import ndtr

    if policy.of_papers.missing_levels == "drawn" and "" in words:
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


NO_LEVEL = ("(missing)", "(no value)")


def repaired(
    levels: Mapping[str, tuple[str, ...]],
    carried: Mapping[str, tuple[str, ...]],
    policy: Policy,
    rows: Rows,
) -> Repair:
    """Repair strata; where people have several rows, so that they are of people enough."""
    if not levels:
        return Repair({}, np.ones(len(rows), dtype=np.bool_), (), 0, 0.0, complete=True)
    if rows.persons is None:
        return _repaired_levels(levels, carried, policy)
    # One row of each person and combination of levels, so that strata are counted in persons: one
    # who has rows in several strata is in each of them.
    labels = strata_labels({**levels, **carried}, len(rows), rows.persons)
    _, firsts, at = np.unique(labels, return_index=True, return_inverse=True)
    once, carried_once = (
        {name: tuple(words[i] for i in firsts.tolist()) for name, words in columns.items()}
        for columns in (levels, carried)
    )
    result = _repaired_levels(once, carried_once, policy)
    result = _of_persons_enough(result, rows.persons[firsts], policy)
    kept, places = result.kept[at], at.tolist()
    spread = {name: tuple(words[i] for i in places) for name, words in result.levels.items()}
    return dataclasses.replace(result, levels=spread, kept=kept, suppressed=int((~kept).sum()))


def strata_labels(
    levels: Mapping[str, Sequence[str]], n: int, persons: Labels | None = None
) -> Labels:
    """Return which combination of levels, and of people if given, each of `n` rows has."""
    labels = as_strata(persons, n)
    for words in levels.values():
        codes = as_strata(np.array(words), n)
        labels = as_strata(labels * (int(codes.max(initial=0)) + 1) + codes, n)
    return labels


def _of_persons_enough(result: Repair, persons: Labels, policy: Policy) -> Repair:
    """Leave out strata that, counted again by person, hold too few of them.

    Where levels were joined, one who had several of them had been counted as several. It is refused
    where more would be left out than the policy lets be.
    """
    kept, labels = result.kept.copy(), strata_labels(result.levels, len(persons))
    names, of = np.unique(labels[kept], return_inverse=True)
    few = names[persons_in(of.astype(np.intp), persons[kept]) < policy.k]
    if not few.size:
        return result
    kept &= ~np.isin(labels, few)
    if (~kept).sum() > policy.of_papers.most_suppressed * len(kept):
        raise RefusedError(
            "strata hold too few people, some of whom are in several; declare fewer strata, or a"
            " hierarchy that joins their levels"
        )
    return dataclasses.replace(result, kept=kept, suppressed=int((~kept).sum()))


def _repaired_levels(
    levels: Mapping[str, tuple[str, ...]], carried: Mapping[str, tuple[str, ...]], policy: Policy
) -> Repair:
    """Repair strata by their sizes."""
    own, sensitive = policy.of_papers, next(iter(carried.values()), None)
    hierarchies = {}
    for column, lines in own.hierarchies.items():
        if column in levels:
            # The level of missing values is one that is merged with no other.
            known = {line[0] for line in lines}
            extra = [name for name in NO_LEVEL if name in levels[column] and name not in known]
            whole = [*lines, *([name] * len(lines[0]) for name in extra)]
            steps = tuple({line[0]: line[i] for line in whole} for i in range(1, len(lines[0])))
            hierarchies[column] = Hierarchy(column, steps)
    return repair(
        levels,
        policy.k,
        hierarchies=hierarchies,
        ordered={name: order for name, order in policy.ordered.items() if name in levels},
        sensitive=sensitive,
        # Where nothing is carried, what is sensitive is a stratum itself: a release checks it then.
        diversity=None if own.diversity == 1 or sensitive is None else own.diversity,
        closeness=None if own.closeness == 1 or sensitive is None else own.closeness,
        most_suppressed=own.most_suppressed,
    )
