"""What the custodian's page shows: the policy, tokens, and what was asked; nothing raw there."""

from __future__ import annotations

from typing import Any

from discreet.ledger.requests import log, used
from discreet.ledger.store import verify
from discreet.ledger.tokens import list_tokens
from discreet.serve.asking import Served

__all__ = ["custodian_told", "verified"]

PAGE = 200


def custodian_told(served: Served, before: int | None = None) -> dict[str, Any]:
    """Return the policy in force, tokens with what they used, and a page of the log.

    Parameters
    ----------
    served : Served
        The study.
    before : int, optional
        Only what was asked before this row of the log.

    Returns
    -------
    dict
    """
    store = served.ledger.store
    version = served.ledger.version(served.name)
    tokens = [
        {
            "name": it.name,
            "role": it.role,
            "made": it.made,
            "expires": it.expires,
            "state": it.state(),
            "used": used(store, f"token {it.name}", served.name, version),
        }
        for it in list_tokens(store)
    ]
    allowance = served.allowance
    return {
        "study": served.name,
        "version": version,
        "policy": served.study.policy.to_toml(),
        "tokens": tokens,
        "allowance": {"views": allowance.views, "a_minute": allowance.a_minute},
        "log": log(store, most=PAGE, before=before),
        "left": served.ledger.history()[-PAGE:],
    }


def verified(served: Served) -> dict[str, Any]:
    """Count the chain of the ledger again, and say what of it is broken."""
    found = verify(served.ledger.store)
    return {"rows": found.rows, "head": found.head, "broken": [*found.broken]}
