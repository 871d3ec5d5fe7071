"""What the custodian's page shows of one study: policy, tokens, what was asked; nothing raw."""

from __future__ import annotations

from typing import Any

from discreet.ledger.chain import FIRST
from discreet.ledger.requests import log, used_by
from discreet.ledger.store import Store, verify
from discreet.ledger.tokens import list_tokens
from discreet.serve.served import Served

__all__ = ["custodian_told", "verified"]

PAGE = 200


def custodian_told(served: Served, before: int | None = None) -> dict[str, Any]:
    """Return the policy in force, tokens with what they used, and a page of the log.

    All of it of this study alone: another of the same ledger has a custodian of its own.

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
    found = list_tokens(store, served.name)
    used = used_by(store, [f"token {it.name}" for it in found], served.name, served.version)
    tokens = [
        {
            "name": it.name,
            "role": it.role,
            "made": it.made,
            "expires": it.expires,
            "state": it.state(),
            "used": used[f"token {it.name}"],
        }
        for it in found
    ]
    allowance = served.allowance
    return {
        "study": served.name,
        "version": served.version,
        "policy": served.study.policy.to_toml(),
        "tokens": tokens,
        "allowance": {"views": allowance.views, "a_minute": allowance.a_minute},
        "log": log(store, study=served.name, most=PAGE, before=before),
        "left": served.ledger.history(served.name)[-PAGE:],
        **_end_of(store),
    }


def verified(served: Served) -> dict[str, Any]:
    """Count the chain of the ledger again, and say what of it is broken."""
    found = verify(served.ledger.store)
    return {"rows": found.rows, "head": found.head, "broken": [*found.broken]}


def _end_of(store: Store) -> dict[str, Any]:
    """Return the last seal and its number, as they are written: only `verified` checks them."""
    with store.reading() as connection:
        last = connection.execute("SELECT id, seal FROM chain ORDER BY id DESC LIMIT 1").fetchone()
    rows, head = last or (0, FIRST)
    return {"head": head, "rows": rows}
