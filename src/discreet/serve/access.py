"""Who asks: a token of the record's, or one that a trusted OpenID Connect issuer has signed."""

from __future__ import annotations

import base64
import ipaddress
import json
import logging
import threading
from collections.abc import Callable, Mapping, Sequence
from time import monotonic
from typing import Any
from urllib.parse import urlsplit

from joserfc import jwt
from joserfc.errors import JoseError
from joserfc.jwk import JWKRegistry, Key
from joserfc.jws import JWSRegistry

from discreet.errors import InputError
from discreet.records.store import Store
from discreet.serve.limits import place_of
from discreet.serve.tokens import ROLES, Caller, caller_of

#: Says whose a bearer token is, and which study it opens; None where it opens nothing.
CallerOf = Callable[[str], tuple[Caller, str] | None]
LONGEST = 8192


def callers(store: Store, studies: Sequence[str], issuer: Issuer | None = None) -> CallerOf:
    """Return what tells whose a token is: the record's, or an issuer's.

    That of an issuer says by a claim which study it opens; where one is served alone it need not.
    """

    def caller(token: str) -> tuple[Caller, str] | None:
        if not token or len(token) > LONGEST:
            return None
        opened = caller_of(store, token)
        if opened is None and issuer is not None and token.count(".") == 2:
            opened = issuer.caller(token, studies)
        return None if opened is None or opened[1] not in studies else opened

    return caller


logger = logging.getLogger("discreet.serve")

#: Signatures that a public key checks; never "none", never HS*, whose key both sides hold.
ALGORITHMS = (
    *("RS256", "RS384", "RS512", "PS256", "PS384", "PS512"),
    *("ES256", "ES384", "ES512", "Ed25519"),
)
KEY_TYPES = ("RSA", "EC", "OKP")
TYPES = (None, "jwt", "at+jwt", "application/at+jwt")
DISCOVERY = "/.well-known/openid-configuration"  # OpenID Connect Discovery 1.0, section 4
LEAST_RSA_BITS = 2048
MOST_TOKEN = 16 * 1024
MOST_DOCUMENT = 1 << 20
MOST_NAME = 255
MOST_LEEWAY = 300
#: How long one request to the issuer may take, how soon the next may follow, and for how long its
#: keys are believed: one that it has withdrawn opens nothing for longer.
SECONDS = 5.0
WAIT_SECONDS = 1.0  # for the keys that another thread fetches, where there are none yet
REST_SECONDS = 60.0
BELIEVED_SECONDS = 3600.0


class Issuer:
    """An OpenID Connect issuer whose tokens open a study.

    Its keys are found by OpenID Connect Discovery 1.0, fetched when the first token comes, again
    for a token of an unknown key, and after an hour; at most once a minute.

    Parameters
    ----------
    issuer : str
        The issuer's address, exactly as its tokens and its discovery document name it; https, but
        for one on this machine.
    audience : str
        What a token must be meant for: the name that the issuer knows this server by.
    role_claim : str, default "discreet_role"
        The claim that says "analyst" or "custodian"; a token without it opens nothing.
    leeway : int, default 30
        How many seconds the issuer's clock may be off; at most 300.

    Raises
    ------
    InputError
        If an argument is not as above.

    Notes
    -----
    A token must be signed by one of `ALGORITHMS` with a key that the issuer publishes, name issuer
    and audience, and hold `sub`, `exp`, `iat` and the role claim; `nbf` is minded where it is
    given. Keys that come with a token are of no account, and keys of fewer than 2048 RSA bits are
    passed over.

    **What it does not protect.** A token cannot be revoked before it expires: let the issuer give
    short ones. Whoever rules the issuer rules who opens the study, and as what.

    Examples
    --------
    >>> issuer = Issuer("https://login.example.org/realms/study", "discreet")
    >>> issuer.caller("not a token", ["cohort"]) is None
    True
    """

    study_claim = "discreet_study"

    def __init__(
        self, issuer: str, audience: str, *, role_claim: str = "discreet_role", leeway: int = 30
    ) -> None:
        if not _may_be_asked(issuer) or urlsplit(issuer).query or urlsplit(issuer).fragment:
            raise InputError(
                "the address of an issuer must be https://..., without a query; http:// is for one"
                " on this machine alone"
            )
        if not (isinstance(audience, str) and audience and isinstance(role_claim, str)):
            raise InputError("an issuer needs an audience and the name of the claim with the role")
        if not role_claim:
            raise InputError("role_claim must be the name of a claim, such as discreet_role")
        if not (isinstance(leeway, int) and 0 <= leeway <= MOST_LEEWAY):
            raise InputError(f"leeway must be a whole number of seconds from 0 to {MOST_LEEWAY}")
        self.issuer, self.audience = issuer, audience
        self.role_claim, self.leeway = role_claim, leeway
        self._keys: tuple[Key, ...] = ()
        self._fetched = self._tried = float("-inf")
        self._fetching = threading.Lock()

    def __repr__(self) -> str:
        return f"Issuer({self.issuer!r}, {self.audience!r})"

    def caller(self, token: str, studies: Sequence[str]) -> tuple[Caller, str] | None:
        """Return whose a token is, by its `sub`, and which study it opens; None for nothing.

        Which it is `study_claim` says; without it a token opens the only study there is.
        """
        header = _header_of(token)
        if header is None:
            return None
        key = self._key(header.get("kid"))
        if key is None:
            return None
        algorithm, needed = header["alg"], jwt.ClaimsOption(essential=True)
        try:
            registry = JWSRegistry(algorithms=[algorithm], strict_check_header=False)
            claims = jwt.decode(token, key, algorithms=[algorithm], registry=registry).claims
            jwt.JWTClaimsRegistry(
                leeway=self.leeway,
                iss={**needed, "value": self.issuer},
                aud={**needed, "value": self.audience},
                sub=needed,
                exp=needed,
                iat=needed,
            ).validate(claims)
            name, role = claims["sub"], claims.get(self.role_claim)
            if not isinstance(role, str) or role not in ROLES:
                return None
            if len(name) > MOST_NAME or not name.isprintable():
                return None
            study = claims.get(self.study_claim, studies[0] if len(studies) == 1 else None)
            return (Caller(f"oidc {name}", role), study) if isinstance(study, str) else None
        except JoseError:
            return None
        except Exception as error:  # whatever a token can do to its reader, it opens nothing
            logger.warning("a token could not be read: %s", place_of(error))
            return None

    def _key(self, kid: str | None) -> Key | None:
        """Return the issuer's key of a name; where none is named, its only one."""
        now = monotonic()
        fresh = now - self._fetched < BELIEVED_SECONDS
        key = _one_of(self._keys, kid) if fresh else None
        if key is not None:
            return key
        # A name that nobody knows may be made up to keep all waiting for the issuer.
        if not self._fetching.acquire(timeout=0 if fresh else WAIT_SECONDS):
            return None
        try:
            # Another thread may have fetched them while this one waited.
            if monotonic() - self._tried >= REST_SECONDS:
                self._refresh()
            if monotonic() - self._fetched >= BELIEVED_SECONDS:
                return None
            return _one_of(self._keys, kid)
        finally:
            self._fetching.release()

    def _refresh(self) -> None:
        """Fetch the issuer's keys; where that fails, those that are held stay as they are."""
        self._tried = monotonic()
        try:
            document = _fetch(self.issuer.rstrip("/") + DISCOVERY)
            if document.get("issuer") != self.issuer:
                raise ValueError("another issuer")
            place = str(document.get("jwks_uri"))
            if not _may_be_asked(place, local=_is_local(self.issuer)):
                raise ValueError("a place that may not be asked")
            keys = _fetch(place).get("keys")
            if not isinstance(keys, list):
                raise ValueError("no keys")
        except Exception as error:
            logger.warning("the keys of the issuer could not be had: %s", place_of(error))
            return
        self._keys, self._fetched = _usable(keys), self._tried


def _one_of(keys: Sequence[Key], kid: str | None) -> Key | None:
    if kid is None:
        return keys[0] if len(keys) == 1 else None
    return next((key for key in keys if key.kid == kid), None)


def _header_of(text: object) -> Mapping[str, Any] | None:
    """Return the header of a text that may be a token; nothing in it is believed yet."""
    if not isinstance(text, str) or len(text) > MOST_TOKEN or text.count(".") != 2:
        return None
    try:
        header = json.loads(_decoded(text.partition(".")[0]))
    except (ValueError, RecursionError):
        return None
    if not isinstance(header, dict) or header.get("alg") not in ALGORITHMS:
        return None
    kind, kid = header.get("typ"), header.get("kid")
    if (kind.lower() if isinstance(kind, str) else kind) not in TYPES:
        return None
    return header if kid is None or isinstance(kid, str) else None


def _usable(keys: Sequence[object]) -> tuple[Key, ...]:
    """Return the public keys that signatures can be checked with; others are passed over."""
    usable = []
    for key in keys:
        if not isinstance(key, dict) or key.get("kty") not in KEY_TYPES:
            continue
        if key.get("use", "sig") != "sig":
            continue
        try:
            if key["kty"] == "RSA":
                bits = int.from_bytes(_decoded(key["n"])).bit_length()
                if bits < LEAST_RSA_BITS:
                    continue
            usable.append(JWKRegistry.import_key(key))
        except Exception as error:
            logger.warning("a key of the issuer could not be read: %s", place_of(error))
    return tuple(usable)


def _decoded(text: str) -> bytes:
    return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))


def _fetch(url: str) -> Mapping[str, Any]:
    """Get a JSON document: no redirect, no more than so much, in no more than so long."""
    import httpx

    body = bytearray()
    until = monotonic() + SECONDS
    options: dict[str, Any] = {"follow_redirects": False, "trust_env": not _is_local(url)}
    with (
        httpx.Client(timeout=SECONDS, **options) as client,
        client.stream("GET", url, headers={"accept": "application/json"}) as answer,
    ):
        if answer.status_code != 200:
            raise ValueError("an answer that is none")
        for part in answer.iter_bytes():
            body += part
            if len(body) > MOST_DOCUMENT or monotonic() > until:
                raise ValueError("an answer that is too large or too slow")
    document = json.loads(body)
    if not isinstance(document, dict):
        raise ValueError("an answer of another form")
    return document


def _may_be_asked(url: object, *, local: bool = True) -> bool:
    """Whether an address is https; http is for this machine, where that may be asked at all."""
    if not isinstance(url, str):
        return False
    try:
        parts = urlsplit(url)
        named = bool(parts.hostname) and parts.username is None and parts.port != 0
    except ValueError:
        return False
    safe = parts.scheme == "https" or (parts.scheme == "http" and local and _is_local(url))
    return named and safe and url.isprintable() and " " not in url


def is_loopback(host: str) -> bool:
    """Whether a host is this machine itself, as its name or address says."""
    try:
        return host == "localhost" or ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def _is_local(url: str) -> bool:
    return is_loopback(urlsplit(url).hostname or "")
