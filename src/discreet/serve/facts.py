"""What is served."""

from __future__ import annotations

import threading
from collections.abc import Mapping
from dataclasses import dataclass, field

from discreet.errors import InputError
from discreet.ledger.ledger import Ledger
from discreet.serve.held import HeldCopy
from discreet.study import Study
from discreet.study.session import DrawableColumn

__all__ = ["Places", "Served", "serve_study"]

COPY_TIMES = 10
"""So much more often than other requests those of the copy may come: each pointing is one."""
MOST_AT_ONCE = 16  # requests whose pictures are made or wait for their turn


class Places:
    """Room for so many requests whose pictures are made or wait for their turn.

    Examples
    --------
    >>> places = Places(1)
    >>> places.take(), places.taken, places.take()
    (True, 1, False)
    """

    def __init__(self, most: int = MOST_AT_ONCE) -> None:
        self._most, self._lock, self._taken = most, threading.Lock(), 0

    @property
    def taken(self) -> int:
        """How many requests have a place."""
        return self._taken

    def take(self) -> bool:
        """Take a place, and say whether there was one."""
        with self._lock:
            free = self._taken < self._most
            self._taken += free
            return free

    def give_back(self) -> None:
        """Give a place back that was taken."""
        with self._lock:
            self._taken -= 1


@dataclass(frozen=True)
class Served:
    """A study that is served: one plot of it is made at a time, the others wait.

    `name` and `version` are those of the ledger at the start, and of another version nothing
    leaves. `edition` stands for the data and the policy: answers are found again by it. `columns`
    are those that may be drawn, and `held` is what is kept of the copy in memory.
    """

    study: Study
    name: str
    version: int
    edition: str
    columns: Mapping[str, DrawableColumn]
    held: HeldCopy
    turn: threading.Lock = field(default_factory=threading.Lock)
    places: Places = field(default_factory=Places)

    @property
    def ledger(self) -> Ledger:
        """Where all is recorded."""
        return self.study.session.ledger

    @property
    def a_minute(self) -> int:
        """How often one caller may ask in a minute."""
        return self.study.policy.requests_a_minute


def serve_study(study: Study) -> Served:
    """Make a study ready to be served; refuse `research` of data that are not public."""
    policy = study.policy
    if policy.shows_exact and not policy.public:
        raise InputError(
            "a server gives plots to others, and 'research' protects each plot by itself:"
            " it serves public or simulated data alone. Say so in the policy (public = true), or"
            " serve under a guarded policy"
        )
    name = study.session.known_name()
    study.session.share_copy()
    return Served(
        study=study,
        name=name,
        version=study.session.hold_version(),
        edition=study.session.edition(),
        columns={it.name: it for it in study.session.drawable()},
        held=HeldCopy(study.session, COPY_TIMES * policy.requests_a_minute),
    )
