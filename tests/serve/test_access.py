"""Whose a token is, and of which study: the record's first, then a trusted issuer's."""

from __future__ import annotations

import base64
import hashlib
import hmac
import json
import logging
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
from joserfc import jwt
from joserfc.jwk import ECKey, Key, OctKey, OKPKey, RSAKey

from discreet.errors import InputError
from discreet.records.store import Store
from discreet.serve import access
from discreet.serve.access import LONGEST, Issuer, callers
from discreet.serve.record import open_record
from discreet.serve.tokens import Caller, add_token, revoke_token

Opened = tuple[Caller, str]
"""Whose a token is, and which study it opens."""


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return open_record(tmp_path)


class Anybodys:
    """Says that every token is somebody's, and remembers which it was asked for."""

    def __init__(self) -> None:
        self.asked: list[str] = []

    def caller(self, token: str, studies: Sequence[str]) -> Opened | None:
        self.asked.append(token)
        return Caller("oidc f3a1", "analyst"), studies[0]


def test_a_token_opens_its_own_study_of_those_that_are_served(store: Store) -> None:
    here, there = (add_token(store, study, "carol", "custodian") for study in ("s", "t"))
    carol, both = Caller("token carol", "custodian"), callers(store, ["s", "t"])
    assert (both(here), both(there)) == ((carol, "s"), (carol, "t"))
    assert callers(store, ["s"])(there) is None
    assert callers(store, ["t"])(here) is None
    revoke_token(store, "t", "carol")
    assert (both(here), both(there)) == ((carol, "s"), None)


def test_an_issuer_is_asked_for_what_looks_like_its_tokens_alone(store: Store) -> None:
    alice, issuer = add_token(store, "s", "alice"), Anybodys()
    caller_of = callers(store, ["s"], issuer)  # type: ignore[arg-type]
    assert caller_of("head.body.seal") == (Caller("oidc f3a1", "analyst"), "s")
    assert caller_of(alice) == (Caller("token alice", "analyst"), "s")
    for token in ("", "Canary", "a.b", "a.b.c.d", f"a.b.{'c' * LONGEST}"):
        assert caller_of(token) is None
    assert issuer.asked == ["head.body.seal"]


CANARY = "Canary"
AUDIENCE = "discreet"

FIRST = RSAKey.generate_key(2048, {"kid": "first", "use": "sig"})
SECOND = RSAKey.generate_key(2048, {"kid": "second"})
STRANGER = RSAKey.generate_key(2048, {"kid": "first"})
CURVE = ECKey.generate_key("P-256", {"kid": "curve"})
EDWARDS = OKPKey.generate_key("Ed25519", {"kid": "edwards"})


class LocalIssuer:
    """An issuer on loopback: its keys and its documents are what a test makes of them."""

    def __init__(self) -> None:
        self.keys: list[Any] = [FIRST.as_dict(private=False)]
        self.told: dict[str, Any] = {}
        self.bodies: dict[str, bytes] = {}
        self.asked: list[str] = []
        self.status, self.wait = 200, 0.0
        self.before: Callable[[], object] = lambda: None
        outer = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                outer.asked.append(self.path)
                outer.before()
                time.sleep(outer.wait)
                body = outer.body(self.path)
                self.send_response(outer.status)
                if outer.status == 302:
                    self.send_header("Location", f"{outer.url}/elsewhere")
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, format: str, *args: Any) -> None:
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_port}/realms/a"
        self.thread = threading.Thread(target=self.server.serve_forever, args=(0.02,), daemon=True)
        self.thread.start()

    def body(self, path: str) -> bytes:
        if path in self.bodies:
            return self.bodies[path]
        if path == "/realms/a/.well-known/openid-configuration":
            usual = {"issuer": self.url, "jwks_uri": f"{self.url}/keys"}
            return json.dumps({**usual, **self.told}).encode()
        return json.dumps({"keys": self.keys}).encode()

    def stop(self) -> None:
        self.server.shutdown()
        self.server.server_close()
        self.thread.join()


@pytest.fixture
def local(monkeypatch: pytest.MonkeyPatch) -> Iterator[LocalIssuer]:
    # A loaded machine takes its time.
    monkeypatch.setattr(access, "SECONDS", 60.0)
    monkeypatch.setattr(access, "WAIT_SECONDS", 60.0)
    issuer = LocalIssuer()
    yield issuer
    issuer.stop()


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Callable[[float], None]:
    """Let seconds go by for whoever asks how long ago something was."""
    ahead = [0.0]
    monkeypatch.setattr(access, "monotonic", lambda: time.monotonic() + ahead[0])

    def pass_by(seconds: float) -> None:
        ahead[0] += seconds

    return pass_by


@dataclass(frozen=True)
class At:
    """A time some seconds from when a token is made."""

    seconds: int
    text: bool = False

    def value(self, now: int) -> Any:
        return str(now + self.seconds) if self.text else now + self.seconds


def claims_of(issuer: str, **changes: Any) -> dict[str, Any]:
    """The claims of a right token, some of them changed; None leaves one out."""
    now = int(time.time())
    right = {
        "iss": issuer,
        "aud": AUDIENCE,
        "sub": "f3a1",
        "iat": now,
        "exp": now + 300,
        "discreet_role": "analyst",
    }
    all_of_them = {**right, **changes}
    return {
        name: value.value(now) if isinstance(value, At) else value
        for name, value in all_of_them.items()
        if value is not None
    }


def signed(claims: dict[str, Any], key: Key = FIRST, alg: str = "RS256", **header: Any) -> str:
    named = {"alg": alg, "kid": key.kid, **header}
    kept = {name: value for name, value in named.items() if value is not None}
    return jwt.encode(kept, claims, key, algorithms=[alg])


def by_hand(header: dict[str, Any], claims: dict[str, Any], signature: bytes = b"") -> str:
    parts = (json.dumps(header).encode(), json.dumps(claims).encode(), signature)
    return ".".join(base64.urlsafe_b64encode(part).rstrip(b"=").decode() for part in parts)


ONE = ("cohort",)
"""One study is served, which tokens need not name."""


def opened(local: LocalIssuer, token: str, **options: Any) -> Caller | None:
    found = Issuer(local.url, AUDIENCE, **options).caller(token, ONE)
    assert found is None or found[1] == "cohort"
    return None if found is None else found[0]


def study_of(local: LocalIssuer, studies: Sequence[str], **claims: Any) -> str | None:
    """Return which of some studies a token of some claims opens."""
    found = Issuer(local.url, AUDIENCE).caller(signed(claims_of(local.url, **claims)), studies)
    return None if found is None else found[1]


# --- what opens -----------------------------------------------------------------------------------


def test_a_right_token_opens(local: LocalIssuer) -> None:
    assert opened(local, signed(claims_of(local.url))) == Caller("oidc f3a1", "analyst")
    assert local.asked == ["/realms/a/.well-known/openid-configuration", "/realms/a/keys"]


RIGHT: dict[str, dict[str, Any]] = {
    "a custodian": {"discreet_role": "custodian"},
    "several audiences": {"aud": ["others", AUDIENCE]},
    "valid since a while": {"nbf": At(-60)},
    "a clock that is a little behind": {"exp": At(-10)},
    "a clock that is a little ahead": {"iat": At(10)},
    "claims that nobody asked for": {"email": CANARY, "groups": [1, 2]},
}


@pytest.mark.parametrize("changes", RIGHT.values(), ids=RIGHT)
def test_other_right_tokens_open(local: LocalIssuer, changes: dict[str, Any]) -> None:
    found = opened(local, signed(claims_of(local.url, **changes)))
    assert found == Caller("oidc f3a1", changes.get("discreet_role", "analyst"))


@pytest.mark.parametrize(
    ("key", "alg"), [(FIRST, "RS512"), (FIRST, "PS256"), (CURVE, "ES256"), (EDWARDS, "Ed25519")]
)
def test_other_signatures_open(local: LocalIssuer, key: Key, alg: str) -> None:
    local.keys = [each.as_dict(private=False) for each in (FIRST, CURVE, EDWARDS)]
    assert opened(local, signed(claims_of(local.url), key, alg)) is not None


def test_a_header_may_say_more(local: LocalIssuer) -> None:
    token = signed(claims_of(local.url), typ="at+jwt", x5t="abc")
    assert opened(local, token) is not None


def test_the_only_key_needs_no_name(local: LocalIssuer) -> None:
    token = signed(claims_of(local.url), kid=None)
    assert opened(local, token) is not None
    local.keys.append({**SECOND.as_dict(private=False), "use": "enc"})
    assert opened(local, token) is not None
    local.keys.append(SECOND.as_dict(private=False))
    assert opened(local, token) is None


def test_the_role_may_be_another_claim(local: LocalIssuer) -> None:
    name = "https://example.org/role"
    token = signed(claims_of(local.url, **{name: "custodian"}))
    assert opened(local, token, role_claim=name) == Caller("oidc f3a1", "custodian")


def test_an_issuer_may_end_in_a_slash(local: LocalIssuer) -> None:
    local.url += "/"
    assert opened(local, signed(claims_of(local.url))) is not None


def test_a_token_says_its_study_unless_there_is_one_alone(local: LocalIssuer) -> None:
    assert study_of(local, ["a"]) == "a"
    assert study_of(local, ["a", "b"]) is None
    assert study_of(local, ["a", "b"], discreet_study="b") == "b"
    for odd in (7, True, ["a"], {"a": 1}):
        assert study_of(local, ["a"], discreet_study=odd) is None


def test_a_token_of_a_study_that_is_not_served_opens_nothing(
    local: LocalIssuer, store: Store
) -> None:
    elsewhere = signed(claims_of(local.url, discreet_study="other"))
    caller_of = callers(store, ["a"], Issuer(local.url, AUDIENCE))
    assert caller_of(signed(claims_of(local.url))) == (Caller("oidc f3a1", "analyst"), "a")
    assert caller_of(elsewhere) is None


# --- what does not --------------------------------------------------------------------------------

WRONG: dict[str, dict[str, Any]] = {
    "expired": {"exp": At(-60)},
    "no end": {"exp": None},
    "an end that is text": {"exp": At(300, text=True)},
    "an end that is no number": {"exp": float("nan")},
    "not yet valid": {"nbf": At(120)},
    "of the future": {"iat": At(120)},
    "of no time": {"iat": None},
    "another audience": {"aud": "others"},
    "an audience that is a number": {"aud": 7},
    "another issuer": {"iss": "https://login.example.org"},
    "nobody": {"sub": None},
    "an empty name": {"sub": ""},
    "a name that is a number": {"sub": 7},
    "a name of several lines": {"sub": "a\nb"},
    "too long a name": {"sub": "a" * 256},
    "no role": {"discreet_role": None},
    "another role": {"discreet_role": "admin"},
    "several roles": {"discreet_role": ["analyst", "custodian"]},
}


@pytest.mark.parametrize("changes", WRONG.values(), ids=WRONG)
def test_wrong_claims_open_nothing(local: LocalIssuer, changes: dict[str, Any]) -> None:
    assert opened(local, signed(claims_of(local.url, **changes))) is None


def test_another_key_opens_nothing(local: LocalIssuer) -> None:
    """A stranger's key of the same name, and keys that come with a token."""
    claims = claims_of(local.url)
    assert opened(local, signed(claims, STRANGER)) is None
    assert opened(local, signed(claims, STRANGER, jwk=STRANGER.as_dict(private=False))) is None
    assert opened(local, signed(claims, STRANGER, jku=f"{local.url}/other")) is None
    assert f"{local.url}/other" not in local.asked


def test_a_changed_token_opens_nothing(local: LocalIssuer) -> None:
    head, _, signature = signed(claims_of(local.url)).split(".")
    custodian = by_hand({}, claims_of(local.url, discreet_role="custodian")).split(".")[1]
    assert opened(local, f"{head}.{custodian}.{signature}") is None
    assert opened(local, f"{head}.{custodian}.") is None
    assert opened(local, f"{head}..{signature}") is None


@pytest.mark.parametrize("alg", ["none", "NONE", None, ["RS256"]])
def test_an_unsigned_token_opens_nothing(local: LocalIssuer, alg: Any) -> None:
    claims = claims_of(local.url)
    assert opened(local, by_hand({"alg": alg, "kid": "first"}, claims)) is None
    assert opened(local, by_hand({"alg": alg, "kid": "first"}, claims, b"signature")) is None
    assert local.asked == []


def test_a_public_key_is_no_secret(local: LocalIssuer) -> None:
    text = by_hand({"alg": "HS256", "kid": "first"}, claims_of(local.url)).rpartition(".")[0]
    signature = hmac.new(FIRST.as_pem(private=False), text.encode(), hashlib.sha256).digest()
    ended = base64.urlsafe_b64encode(signature).rstrip(b"=").decode()
    assert opened(local, f"{text}.{ended}") is None


def test_a_secret_that_an_issuer_publishes_opens_nothing(local: LocalIssuer) -> None:
    secret = OctKey.generate_key(256, {"kid": "secret"})
    local.keys = [secret.as_dict(private=True), FIRST.as_dict(private=False)]
    assert opened(local, signed(claims_of(local.url), secret, "HS256")) is None
    assert opened(local, signed(claims_of(local.url))) is not None


def test_a_key_of_another_use_or_signature_opens_nothing(local: LocalIssuer) -> None:
    token = signed(claims_of(local.url))
    local.keys = [{**FIRST.as_dict(private=False), "use": "enc"}]
    assert opened(local, token) is None
    local.keys = [{**FIRST.as_dict(private=False), "alg": "RS512"}]
    assert opened(local, token) is None


def test_keys_that_cannot_be_used_are_passed_over(local: LocalIssuer) -> None:
    short = {**FIRST.as_dict(private=False), "n": FIRST.as_dict(private=False)["n"][:100]}
    odd: list[Any] = [None, 7, "key", {}, {"kty": "RSA"}, {"kty": "EC", "crv": CANARY}]
    local.keys = [*odd, short, {"kty": "AKP"}, FIRST.as_dict(private=False)]
    assert opened(local, signed(claims_of(local.url))) is not None


@pytest.mark.parametrize("kind", ["logout+jwt", "dpop+jwt", "", 7])
def test_tokens_for_something_else_open_nothing(local: LocalIssuer, kind: Any) -> None:
    token = by_hand({"alg": "RS256", "kid": "first", "typ": kind}, claims_of(local.url))
    assert opened(local, token) is None
    assert local.asked == []


def test_what_a_header_calls_critical_must_be_known(local: LocalIssuer) -> None:
    header = {"alg": "RS256", "kid": "first", "crit": [CANARY], CANARY: 1}
    text = by_hand(header, claims_of(local.url)).rpartition(".")[0]
    from cryptography.hazmat.primitives.asymmetric.padding import PKCS1v15
    from cryptography.hazmat.primitives.hashes import SHA256

    private = FIRST.private_key
    assert private is not None
    signature = private.sign(text.encode(), PKCS1v15(), SHA256())
    ended = base64.urlsafe_b64encode(signature).rstrip(b"=").decode()
    assert opened(local, f"{text}.{ended}") is None


ODD = {
    "nothing": "",
    "four parts": "a.b.c.d",
    "no base64": "€.€.€",
    "a list": f"{base64.urlsafe_b64encode(b'[1]').decode()}.a.b",
    "too long": "a" * 20_000 + ".b.c",
    "deep": base64.urlsafe_b64encode(b"[" * 9_000).decode() + ".b.c",
    "a name that is a list": by_hand({"alg": "RS256", "kid": ["first"]}, {}),
    "a name of another": by_hand({"alg": "RS256", "kid": "x" * 1000}, {}),
}


@pytest.mark.parametrize("text", ODD.values(), ids=ODD)
def test_what_is_no_token_opens_nothing(local: LocalIssuer, text: str) -> None:
    assert opened(local, text) is None


# --- the issuer's keys ----------------------------------------------------------------------------


def test_a_new_key_is_found_and_an_unknown_one_asked_for_once_a_minute(
    local: LocalIssuer, clock: Callable[[float], None]
) -> None:
    issuer = Issuer(local.url, AUDIENCE)
    old, new = (signed(claims_of(local.url), key) for key in (FIRST, SECOND))
    assert issuer.caller(old, ONE) is not None
    clock(61)
    local.keys = [SECOND.as_dict(private=False)]
    assert issuer.caller(new, ONE) is not None  # fetched again
    assert issuer.caller(old, ONE) is None  # withdrawn
    assert len(local.asked) == 4
    for i in range(10):
        assert (
            issuer.caller(signed(claims_of(local.url), STRANGER, kid=f"made up {i}"), ONE) is None
        )
    assert len(local.asked) == 4
    clock(61)
    assert issuer.caller(signed(claims_of(local.url), STRANGER, kid="made up"), ONE) is None
    assert len(local.asked) == 6


def test_a_key_that_nobody_knows_keeps_nobody_waiting(
    local: LocalIssuer, clock: Callable[[float], None]
) -> None:
    issuer = Issuer(local.url, AUDIENCE)
    token = signed(claims_of(local.url))
    made_up = signed(claims_of(local.url), STRANGER, kid="made up")
    assert issuer.caller(token, ONE) is not None
    clock(61)
    going, go_on = threading.Event(), threading.Event()

    def hang() -> None:
        going.set()
        assert go_on.wait(60)

    local.before = hang
    with ThreadPoolExecutor(1) as threads:
        asks = threads.submit(issuer.caller, made_up, ONE)
        assert going.wait(60)
        assert issuer.caller(made_up, ONE) is None  # while the issuer thinks
        assert not asks.done()
        assert issuer.caller(token, ONE) is not None
        go_on.set()
        assert asks.result(60) is None


def test_keys_are_believed_for_an_hour(local: LocalIssuer, clock: Callable[[float], None]) -> None:
    issuer = Issuer(local.url, AUDIENCE)
    token = signed(claims_of(local.url))
    assert issuer.caller(token, ONE) is not None
    local.keys = [SECOND.as_dict(private=False)]
    clock(3500)
    assert issuer.caller(token, ONE) is not None
    clock(101)
    assert issuer.caller(token, ONE) is None


def test_an_issuer_that_is_down_opens_nothing_and_is_asked_again(
    local: LocalIssuer, clock: Callable[[float], None], caplog: pytest.LogCaptureFixture
) -> None:
    issuer = Issuer(local.url, AUDIENCE)
    token = signed(claims_of(local.url, sub=CANARY))
    local.status = 503
    with caplog.at_level(logging.DEBUG):
        assert issuer.caller(token, ONE) is None
        assert issuer.caller(token, ONE) is None
    assert caplog.text.count("the keys of the issuer could not be had") == 1
    assert all(part not in caplog.text for part in token.split("."))
    assert len(local.asked) == 1
    local.status = 200
    clock(61)
    assert issuer.caller(token, ONE) is not None


def test_an_issuer_that_goes_down_is_believed_until_the_hour_is_over(
    local: LocalIssuer, clock: Callable[[float], None]
) -> None:
    issuer = Issuer(local.url, AUDIENCE)
    token = signed(claims_of(local.url))
    assert issuer.caller(token, ONE) is not None
    local.status = 503
    clock(61)
    assert issuer.caller(signed(claims_of(local.url), SECOND), ONE) is None
    assert issuer.caller(token, ONE) is not None
    clock(3600)
    assert issuer.caller(token, ONE) is None


def test_a_slow_issuer_is_not_waited_for(
    local: LocalIssuer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(access, "SECONDS", 0.2)
    go_on = threading.Event()
    local.before = lambda: go_on.wait(60)
    assert opened(local, signed(claims_of(local.url))) is None
    assert not go_on.is_set()  # it was still waiting
    go_on.set()


DOCUMENTS: dict[str, tuple[dict[str, Any], dict[str, bytes]]] = {
    "another issuer": ({"issuer": "https://login.example.org"}, {}),
    "keys in a file": ({"jwks_uri": "file:///etc/passwd"}, {}),
    "keys elsewhere, in the clear": ({"jwks_uri": "http://login.example.org/keys"}, {}),
    "no JSON": ({}, {"/realms/a/keys": b"<html>"}),
    "no list of keys": ({}, {"/realms/a/keys": b'{"keys": {}}'}),
    "a deep document": ({}, {"/realms/a/keys": b"[" * 100_000}),
    "a large document": ({}, {"/realms/a/keys": b" " * (2 << 20) + b'{"keys": []}'}),
}


@pytest.mark.parametrize(("told", "bodies"), DOCUMENTS.values(), ids=DOCUMENTS)
def test_odd_documents_open_nothing(
    local: LocalIssuer,
    told: dict[str, Any],
    bodies: dict[str, bytes],
    caplog: pytest.LogCaptureFixture,
) -> None:
    local.told, local.bodies = told, bodies
    assert opened(local, signed(claims_of(local.url))) is None
    assert "the keys of the issuer could not be had" in caplog.text


def test_nobody_is_sent_elsewhere(local: LocalIssuer) -> None:
    local.status = 302
    assert opened(local, signed(claims_of(local.url))) is None
    assert local.asked == ["/realms/a/.well-known/openid-configuration"]


def test_several_threads_fetch_once(local: LocalIssuer) -> None:
    local.wait = 0.1
    issuer = Issuer(local.url, AUDIENCE)
    token = signed(claims_of(local.url))
    found: list[Opened | None] = []
    threads = [
        threading.Thread(target=lambda: found.append(issuer.caller(token, ONE))) for _ in "12345"
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == [(Caller("oidc f3a1", "analyst"), "cohort")] * 5
    assert len(local.asked) == 2


# --- how it is set up -----------------------------------------------------------------------------


NO_ADDRESSES = (
    *("http://login.example.org", "http://10.0.0.1", "http://localhost.example.org"),
    *("http://127.0.0.1@login.example.org", "https://user:word@login.example.org"),
    *("login.example.org", "https://login.example.org?realm=a", "https://login.example.org#a"),
    *("https://", "https://[", "file:///etc", "https://a:b"),
)


@pytest.mark.parametrize("url", [*NO_ADDRESSES, "https://login.example.org/a b", "", None])
def test_an_issuer_has_an_address_of_its_own(url: Any) -> None:
    with pytest.raises(InputError, match=r"issuer must be https://"):
        Issuer(url, AUDIENCE)


@pytest.mark.parametrize(
    "url",
    ["https://login.example.org:8443/realms/a/", "http://localhost:8080", "http://[::1]:80/a"],
)
def test_https_and_this_machine_may_issue(url: str) -> None:
    assert repr(Issuer(url, AUDIENCE)) == f"Issuer({url!r}, 'discreet')"


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"audience": ""}, "needs an audience"),
        ({"audience": None}, "needs an audience"),
        ({"role_claim": ""}, "role_claim must be the name of a claim"),
        ({"role_claim": None}, "the name of the claim with the role"),
        ({"leeway": -1}, "leeway must be a whole number of seconds from 0 to 300"),
        ({"leeway": 301}, "leeway must be"),
        ({"leeway": 1.5}, "leeway must be"),
    ],
)
def test_odd_options_are_refused(options: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        Issuer(**{"issuer": "https://login.example.org", "audience": AUDIENCE, **options})
