"""Who asks: a token of the ledger's, or one of an issuer that the custodian trusts."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from discreet.ledger.store import Store
from discreet.ledger.tokens import Caller, caller_of

__all__ = ["CallerOf", "TrustedIssuer", "callers"]

#: Says who a bearer token belongs to; None if to nobody.
CallerOf = Callable[[str], Caller | None]
LONGEST = 8192


class TrustedIssuer(Protocol):
    """Says who one of its tokens belongs to."""

    def caller(self, token: str) -> Caller | None:
        """Return whose a token is, or None."""


def callers(store: Store, study: str, issuer: TrustedIssuer | None = None) -> CallerOf:
    """Return what tells whose a token is.

    Parameters
    ----------
    store : Store
        The ledger's file, which keeps the digests of tokens.
    study : str
        The name of the study that is served: tokens of another of the same ledger are nobody's.
    issuer : TrustedIssuer, optional
        Whoever else issues tokens (OpenID Connect), for the audience that this study is.

    Returns
    -------
    callable
    """

    def caller(token: str) -> Caller | None:
        """Return whose a bearer token is."""
        if not token or len(token) > LONGEST:
            return None
        found = caller_of(store, study, token)
        if found is None and issuer is not None and token.count(".") == 2:
            return issuer.caller(token)
        return found

    return caller
