"""The server as one application: what is open, what is not, and how errors come out."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import httpx
import pyarrow as pa
import pytest

from discreet.errors import InputError, LeavingError
from discreet.ledger.tokens import Caller
from discreet.policy import Policy
from discreet.serve import routes
from discreet.serve.app import Entrance, create_app
from discreet.serve.refusals import ErrorBody, refusal
from discreet.study import open as open_study
from tests.serve.cohort import opened, written
from tests.serve.conftest import Running, running


def get(served: Running, path: str, **headers: str) -> httpx.Response:
    """Ask without a token."""
    return httpx.get(served.url + path, headers=headers, trust_env=False)


@pytest.mark.parametrize("path", ["/", "/custodian", "/static/page.js", "/api/health"])
def test_pages_and_health_are_open(served: Running, path: str) -> None:
    found = get(served, path)

    assert found.status_code == 200
    assert "default-src 'self'" in found.headers["content-security-policy"]
    assert found.headers["x-content-type-options"] == "nosniff"
    assert "server" not in found.headers


@pytest.mark.parametrize("path", ["/docs", "/redoc", "/openapi.json", "/Canary", "/api"])
def test_there_is_nothing_else(served: Running, path: str) -> None:
    found = get(served, path)

    assert (found.status_code, found.content) == (404, refusal("unknown").body)


def test_what_it_answers_is_described(served: Running) -> None:
    told = get(served, "/api/openapi.json").json()

    assert (told["info"]["title"], told["info"]["version"]) == ("discreet", "1")
    assert "ErrorBody" in told["components"]["schemas"]
    assert "cohort" not in json.dumps(told)
    assert "age" not in {*json.dumps(told).split('"')}


def test_a_study_without_a_name_is_not_served() -> None:
    table = pa.table({"x": [1.0, 2.0, 3.0]})
    study = open_study(table, Policy.preset("standard", public=True))

    with pytest.raises(InputError, match="a study that is served needs a name"):
        create_app(study)


# --- other pages ----------------------------------------------------------------------------------


def test_pages_of_others_may_not_ask(served: Running) -> None:
    found = get(served, "/api/health", Origin="https://evil.example")
    asked = httpx.options(
        f"{served.url}/api/study",
        headers={"Origin": "https://evil.example", "Access-Control-Request-Method": "GET"},
        trust_env=False,
    )

    assert "access-control-allow-origin" not in found.headers
    assert asked.status_code == 405
    assert "access-control-allow-origin" not in asked.headers


def test_pages_that_are_named_may(tmp_path: Path) -> None:
    origin = "https://notebook.example"
    with running(opened(tmp_path), tmp_path, Entrance(origins=(origin,))) as served:
        asks = {
            "Origin": origin,
            "Access-Control-Request-Method": "POST",
            "Access-Control-Request-Headers": "authorization,content-type",
        }
        before = httpx.options(f"{served.url}/api/views/box", headers=asks, trust_env=False)
        assert before.status_code == 200
        assert before.headers["access-control-allow-origin"] == origin
        assert "access-control-allow-credentials" not in before.headers
        others = httpx.options(
            f"{served.url}/api/views/box",
            headers=asks | {"Origin": "https://evil.example"},
            trust_env=False,
        )
        assert "access-control-allow-origin" not in others.headers
        found = get(served, "/api/health", Origin=origin)
        assert found.headers["access-control-allow-origin"] == origin
        assert "*" not in found.headers.values()


class Issuer:
    """Trusts one token."""

    def caller(self, token: str) -> Caller | None:
        return Caller("oidc f3a1", "analyst") if token == "head.body.seal" else None


def test_tokens_of_an_issuer_are_taken_too(tmp_path: Path) -> None:
    with running(opened(tmp_path), tmp_path, Entrance(issuer=Issuer())) as served:
        with served.client("head.body.seal") as client:
            assert client.get("/api/study").json()["caller"]["name"] == "oidc f3a1"
            assert client.post("/api/views/bars", json={"columns": ["sex"]}).status_code == 200
        with served.client("head.body.Canary") as client:
            assert client.get("/api/study").status_code == 401
        with served.client() as client:
            assert client.get("/api/study").json()["caller"]["name"] == "token alice"


# --- errors ---------------------------------------------------------------------------------------

FAULTS: dict[str, tuple[Exception, str]] = {
    "a ledger that cannot be written": (LeavingError("Canary"), "ledger"),
    "an error nobody expects": (KeyError("Canary"), "broken"),
    "an error of ours": (InputError("Canary"), "broken"),
}


@pytest.mark.parametrize(("error", "code"), FAULTS.values(), ids=FAULTS)
@pytest.mark.parametrize("where", ["study_json", "answer_view", "answer_again", "answer_orders"])
def test_what_goes_wrong_is_told_with_fixed_words(
    served: Running,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
    error: Exception,
    code: str,
    where: str,
) -> None:
    def fails(*_: object) -> None:
        raise error

    monkeypatch.setattr(routes, where, fails)
    ask: dict[str, Callable[[httpx.Client], httpx.Response]] = {
        "study_json": lambda client: client.get("/api/study"),
        "answer_view": lambda client: client.post("/api/views/bars", json={"columns": ["sex"]}),
        "answer_again": lambda client: client.get(f"/api/views/{'0' * 32}"),
        "answer_orders": lambda client: client.get(f"/api/views/{'0' * 32}/orders"),
    }
    with served.client() as client:
        found = ask[where](client)

    assert (found.status_code, found.content) == (refusal(code).status, refusal(code).body)
    ErrorBody.model_validate(found.json())
    assert "Canary" not in caplog.text


def test_a_damaged_ledger_answers_nothing_and_says_so(tmp_path: Path) -> None:
    with running(opened(tmp_path), tmp_path) as served, served.client() as client:
        assert client.get("/api/study").status_code == 200
        for path in (tmp_path / ".discreet").glob("ledger.sqlite*"):
            path.write_bytes(b"Canary" * 1000)
        found = client.post("/api/views/bars", json={"columns": ["sex"]})

    assert (found.status_code, found.content) == (503, refusal("ledger").body)


def test_the_ledger_is_kept_open_while_it_runs_and_let_go_at_the_end(tmp_path: Path) -> None:
    study = open_study(*written(tmp_path))
    store = study.session.ledger.store
    with running(study, tmp_path) as served, served.client() as client:
        for _ in range(3):
            assert client.get("/api/study").status_code == 200
        assert (tmp_path / ".discreet" / "ledger.sqlite-wal").exists()
    assert store.path.exists()
    assert not (tmp_path / ".discreet" / "ledger.sqlite-wal").exists()
