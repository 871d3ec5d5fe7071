"""What is served, and what the custodian sees of it."""

from __future__ import annotations

import threading
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from discreet.errors import InputError
from discreet.ledger.chain import FIRST
from discreet.ledger.ledger import Ledger
from discreet.ledger.log import Allowance, callers, list_tokens, log, used_by
from discreet.ledger.store import verify
from discreet.policy import Policy
from discreet.protect import Whole
from discreet.serve.held import HeldCopy
from discreet.study import Study
from discreet.study.session import DrawableColumn

__all__ = ["Served", "custodian_told", "serve_study", "verified"]


PAGE = 200  # rows of the log
FURTHER = "further counts"
COPY_TIMES = 10
"""So much more often than other requests those of the copy may come: each pointing is one."""
MOST_AT_ONCE = 16  # requests whose pictures are made or wait for their turn


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

    @property
    def counted(self) -> dict[str, str]:
        """What counts to a budget, where it is not every plot: the copy's own are free."""
        whole = any(it.sources for it in self.columns.values())
        return {"counts": FURTHER} if whole else {}


def serve_study(study: Study) -> Served:
    """Make a study ready to be served; refuse `research` of data that are not public."""
    policy = study.policy
    if policy.shows_exact and not policy.public:
        raise InputError(
            "a server gives plots to others, and 'research' protects each plot by itself:"
            " it serves public or simulated data alone. Say so in the policy (public = true), or"
            " serve under a guarded policy"
        )
    return Served(
        study=study,
        name=study.session.known_name(),
        version=study.session.hold_version(),
        edition=study.session.edition(),
        columns={it.name: it for it in study.session.drawable()},
        held=HeldCopy(study.session, COPY_TIMES * policy.requests_a_minute),
    )


def _in_force(policy: Policy) -> Policy:
    """Return a policy with what holds where its file does not say what the copy is made by."""
    whole = policy.rows_by == Whole.name
    return policy.changed(rows=policy.rows_by, m=policy.members if whole else None)


def custodian_told(served: Served, before: int | None = None) -> dict[str, Any]:
    """Return the policy in force, tokens with what they used, and a page of the log.

    All of it of this study alone: another of the same ledger has a custodian of its own. The log
    is what was asked before one of its rows, where that is given; the last seal is as it is
    written: only `verified` checks it.
    """
    store = served.ledger.store
    tokens = {f"token {it.name}": it for it in list_tokens(store, served.name)}
    others = [name for name in callers(store, served.name) if name not in tokens]
    used = used_by(store, [*tokens, *others], served.name, served.version)
    with store.reading() as connection:
        last = connection.execute("SELECT id, seal FROM chain ORDER BY id DESC LIMIT 1").fetchone()
    return {
        "study": served.name,
        "version": served.version,
        "policy": _in_force(served.study.policy).to_toml(),
        "tokens": [
            {
                "name": it.name,
                "role": it.role,
                "made": it.made,
                "expires": it.expires,
                "state": it.state(),
                "used": used[name],
            }
            for name, it in tokens.items()
        ],
        "others": [{"name": name, "used": used[name]} for name in others],
        "allowance": {
            "views": served.allowance.views,
            "a_minute": served.allowance.a_minute,
            **served.counted,
        },
        "log": log(store, study=served.name, most=PAGE, before=before),
        "left": served.ledger.history(served.name)[-PAGE:],
        "head": FIRST if last is None else last[1],
        "rows": 0 if last is None else last[0],
    }


def verified(served: Served) -> dict[str, Any]:
    """Count the chain of the ledger again, and say what of it is broken."""
    found = verify(served.ledger.store)
    return {"rows": found.rows, "head": found.head, "broken": [*found.broken]}
