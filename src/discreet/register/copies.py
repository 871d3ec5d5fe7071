"""Copies that left of the same people: of each at most so many, and all of them made alike.

Persons are counted one by one, in a sample that is the same for all copies (the smallest digests of
their sketches), so that parts of a table add up: by the `unit` or `key` that says who is who, and
by whole rows. Where rows alone tell, the versions of a study are of the same people, whatever has
changed in them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import sqrt

import numpy as np
from numpy.typing import NDArray

from discreet.errors import LeavingError
from discreet.register.rules import (
    ONE_FOR_PERSONS,
    PERSONS,
    UNNAMED,
    Known,
    ReleaseRecord,
    Version,
    check_secret,
    withdraw_command,
)
from discreet.sketch import WHOLE_ROWS

FEW_AGAIN = 0.02
"""Of more people than that, as a share, no two copies may be made by another k, m or secret, and
none may be one too many."""
WHO = (PERSONS, WHOLE_ROWS)
"""What tells people apart."""


@dataclass(frozen=True)
class CopyThatLeft:
    """A version of which something was saved that stands: its copy, and what it is known by."""

    version: Version
    copy: str
    known: Known

    def keeps_persons(self, other: Known) -> bool:
        """Whether its study is of the same people in each version, for nothing says who is who."""
        named = PERSONS in self.known and PERSONS in other
        return self.version.study != UNNAMED and not named


def check_copies(record: ReleaseRecord, new: Known, left: Sequence[CopyThatLeft]) -> None:
    """Refuse a copy by another secret, k or m than one of the same people, or one too many."""
    own = [it for it in left if it.version.study == record.study and it.keeps_persons(new)]
    for it in left:
        if it in own or _shares_more_than_few(it.known, new):
            check_made_alike(record, it.version)
    # The persons of its own earlier versions are its persons, and in other tables, too.
    tables = [new, *(it.known for it in own)]
    counted = any(_exceeds_copies(record, known, left) for known in tables)
    if counted or len({it.copy for it in own}) >= record.copies:
        raise LeavingError(
            "no more copies of these people may be released: there may be at most "
            f"{record.copies}, counted over all parts of a table, because many together would "
            "reveal the people; draw from one that was released, or, if nothing of one was "
            f"given away, withdraw it: {withdraw_command('STUDY', record.options)}"
        )


def check_made_alike(record: ReleaseRecord, version: Version) -> None:
    """Refuse a copy by another secret, k or m than one of the same people."""
    check_secret(record, version)
    for what in ONE_FOR_PERSONS:
        value = version.settings.get(what)
        if record.settings.get(what) != value:
            raise LeavingError(
                f"{what!r} must be the same as in the earlier copy of these people, "
                f"{version.named} ({what} = {value}), because two values of it together would "
                f"reveal records; use the policy of that copy{record.withdraw(version.study)}"
            )


def share_persons(one: Known, other: Known) -> bool:
    """Whether more than a few of the people of some data are in others, or the other way round."""
    return _shares_more_than_few(one, other) or _shares_more_than_few(other, one)


def _shares_more_than_few(old: Known, new: Known) -> bool:
    return any(_shared(old, new, who) > _few(who, old, new) for who in WHO)


def _shared(old: Known, new: Known, who: str) -> float:
    """Return the share of the people of new data who are in old ones, where that can be told."""
    one, two = old.get(who), new.get(who)
    if one is None or two is None:
        return 0.0
    if who == WHOLE_ROWS and not (one.told_apart and two.told_apart):
        return 0.0
    return one.shared(two)


def _few(who: str, *tables: Known) -> float:
    """Return which share of people is no more than a few; of rows, beside what chance would do.

    Two samples of one population have about twice as many rows in common as either has again, and
    hardly ever three standard errors more.
    """
    of = [it[who] for it in tables if who in it and who == WHOLE_ROWS]
    by_chance = (2 * it.alike + 3 * sqrt(it.alike / max(it.rows, 1)) for it in of)
    return FEW_AGAIN + max(by_chance, default=0.0)


def _exceeds_copies(record: ReleaseRecord, known: Known, left: Sequence[CopyThatLeft]) -> bool:
    """Whether more than a few people of some data are in as many copies as may leave."""
    for who in WHO:
        beside = [it for it in left if _shared(it.known, known, who) > 0]
        few = _few(who, known, *(it.known for it in beside))
        copies = _copies_of_each(record.study, known, who, beside, left) if beside else np.zeros(1)
        if (copies >= record.copies).mean() > few:
            return True
    return False


def _copies_of_each(
    study: str | None,
    known: Known,
    who: str,
    beside: Sequence[CopyThatLeft],
    left: Sequence[CopyThatLeft],
) -> NDArray[np.int64]:
    """Return in how many of the copies that left each sampled person of a study's data is.

    `beside` are those that have some of these people.
    """
    sampled = known[who].sampled_with(it.known[who] for it in beside)
    none = np.zeros(len(sampled), dtype=np.bool_)
    persons_in = {it.version.id: np.isin(sampled, it.known[who].smallest) for it in beside}
    of_study = {} if study is None else {study: ~none}
    for it in beside:
        name = it.version.study
        of_study[name] = of_study.get(name, none) | persons_in[it.version.id]
    in_copy: dict[str, NDArray[np.bool_]] = {}
    for it in left:
        keeps = who == WHOLE_ROWS and it.keeps_persons(known)
        found = of_study.get(it.version.study) if keeps else persons_in.get(it.version.id)
        in_copy[it.copy] = in_copy.get(it.copy, none) | (none if found is None else found)
    return sum((it.astype(np.int64) for it in in_copy.values()), none.astype(np.int64))
