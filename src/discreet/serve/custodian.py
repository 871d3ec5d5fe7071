"""What the custodian's page shows of one study: policy, tokens, what was asked; nothing raw."""

from __future__ import annotations

from typing import Any

from discreet.ledger.log import callers, log, used_by
from discreet.ledger.store import FIRST, Store, verify
from discreet.ledger.tokens import Token, list_tokens
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
    tokens = {f"token {it.name}": it for it in list_tokens(store, served.name)}
    others = [name for name in callers(store, served.name) if name not in tokens]
    used = used_by(store, [*tokens, *others], served.name, served.version)
    allowance = served.allowance
    return {
        "study": served.name,
        "version": served.version,
        "policy": served.study.policy.to_toml(),
        "tokens": [_token_told(it, used[name]) for name, it in tokens.items()],
        "others": [{"name": name, "used": used[name]} for name in others],
        "allowance": {"views": allowance.views, "a_minute": allowance.a_minute},
        "log": log(store, study=served.name, most=PAGE, before=before),
        "left": served.ledger.history(served.name)[-PAGE:],
        **_end_of(store),
    }


def _token_told(token: Token, used: int) -> dict[str, Any]:
    return {
        "name": token.name,
        "role": token.role,
        "made": token.made,
        "expires": token.expires,
        "state": token.state(),
        "used": used,
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
