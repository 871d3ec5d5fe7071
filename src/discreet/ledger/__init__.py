"""The ledger: what has left, who asked for what, and proof that none of it was changed."""

from discreet.ledger.ledger import Ledger
from discreet.ledger.log import (
    Allowance,
    Answer,
    LogEntry,
    Receipt,
    ask,
    callers,
    close,
    keep,
    kept,
    log,
    used,
    used_by,
)
from discreet.ledger.store import Store, Verification, verify
from discreet.ledger.tokens import (
    ROLES,
    Caller,
    Token,
    add_token,
    caller_of,
    list_tokens,
    revoke_token,
)

__all__ = [
    "ROLES",
    "Allowance",
    "Answer",
    "Caller",
    "Ledger",
    "LogEntry",
    "Receipt",
    "Store",
    "Token",
    "Verification",
    "add_token",
    "ask",
    "caller_of",
    "callers",
    "close",
    "keep",
    "kept",
    "list_tokens",
    "log",
    "revoke_token",
    "used",
    "used_by",
    "verify",
]
