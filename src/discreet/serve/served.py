"""What is served: one version of one study, under one policy, of one state of its data."""

from __future__ import annotations

import threading
from collections.abc import Mapping
from dataclasses import dataclass, field

from discreet.errors import InputError
from discreet.ledger import Ledger
from discreet.ledger.log import Allowance
from discreet.study import Study
from discreet.study.session import DrawableColumn

__all__ = ["MOST_AT_ONCE", "Served", "serve_study"]

MOST_AT_ONCE = 16  # requests whose pictures are made or wait for their turn


@dataclass(frozen=True)
class Served:
    """A study that is served: one picture of it is made at a time, the others wait.

    Parameters
    ----------
    study : Study
        The study.
    name : str
        The name by which the ledger knows it.
    version : int
        The study version at the start; of another nothing leaves.
    edition : str
        Stands for the data and the policy: answers are found again by it.
    columns : mapping of str to DrawableColumn
        The columns that may be drawn.
    """

    study: Study
    name: str
    version: int
    edition: str
    columns: Mapping[str, DrawableColumn]
    turn: threading.Lock = field(default_factory=threading.Lock)
    places: threading.BoundedSemaphore = field(
        default_factory=lambda: threading.BoundedSemaphore(MOST_AT_ONCE)
    )

    @property
    def ledger(self) -> Ledger:
        """Where all is recorded."""
        return self.study.session.ledger

    @property
    def allowance(self) -> Allowance:
        """How much one caller may ask for."""
        policy = self.study.policy
        return Allowance(policy.budget, policy.requests_a_minute)


def serve_study(study: Study) -> Served:
    """Make a study ready to be served.

    Parameters
    ----------
    study : Study
        The study; it needs a name.

    Returns
    -------
    Served

    Raises
    ------
    InputError
        If the study has no name, or its policy is `research` and the data are not public.
    """
    policy = study.policy
    if policy.shows_exact and not policy.public:
        raise InputError(
            "a server gives pictures to others, and 'research' protects each picture by itself:"
            " it serves public or simulated data alone. Say so in the policy (public = true), or"
            " serve under a guarded policy"
        )
    return Served(
        study=study,
        name=study.session.known_name(),
        version=study.session.hold_version(),
        edition=study.session.edition(),
        columns={it.name: it for it in study.session.drawable()},
    )
