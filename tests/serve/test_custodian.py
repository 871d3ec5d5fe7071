"""What the custodian sees: the policy, tokens and the log, and nothing raw."""

from __future__ import annotations

import json
import sqlite3
from pathlib import Path

import pytest

from discreet.ledger import add_token, revoke_token
from discreet.ledger.tokens import Caller
from discreet.policy import Policy
from discreet.serve import describing as custodian
from discreet.serve.asking import answer_view
from discreet.serve.describing import custodian_told, verified
from discreet.serve.served import Served, serve_study
from discreet.study import open as open_study
from tests.serve.cohort import opened

ALICE, BOB = Caller("token alice", "analyst"), Caller("token bob", "analyst")


@pytest.fixture
def served(tmp_path: Path) -> Served:
    """A study with tokens, of which some pictures were asked."""
    found = serve_study(opened(tmp_path))
    store = found.ledger.store
    for name, role in (("alice", "analyst"), ("bob", "analyst"), ("carol", "custodian")):
        add_token(store, "cohort.csv", name, role, days=3)
    revoke_token(store, "cohort.csv", "bob")
    answer_view(found, ALICE, "histogram", {"columns": ["age"]})
    answer_view(found, ALICE, "histogram", {"columns": ["age"]})
    answer_view(found, ALICE, "bars", {"columns": ["sex"]})
    answer_view(found, BOB, "bars", {"columns": ["Canary"]})
    return found


def test_what_is_told(served: Served) -> None:
    told = custodian_told(served)

    assert (told["study"], told["version"]) == ("cohort.csv", 1)
    assert told["allowance"] == {"views": 400, "a_minute": 100_000}
    assert [(it["caller"], it["what"], it["request"], it["outcome"]) for it in told["log"]] == [
        ("token bob", "bars", "", "request"),
        ("token alice", "bars", '{"columns":["sex"]}', "answered"),
        ("token alice", "histogram", '{"columns":["age"]}', "repeated"),
        ("token alice", "histogram", '{"columns":["age"]}', "answered"),
    ]
    assert {*told["log"][0]} == {
        *("id", "at", "caller", "study", "version", "what", "request", "outcome")
    }
    assert [(it["columns"], it["form"]) for it in told["left"]] == [
        (["age"], "web"),
        (["sex"], "web"),
    ]
    assert json.loads(json.dumps(told)) == told


def test_tokens_are_told_with_what_they_used(served: Served) -> None:
    tokens = custodian_told(served)["tokens"]

    assert [(it["name"], it["role"], it["state"], it["used"]) for it in tokens] == [
        ("alice", "analyst", "valid", 2),
        ("bob", "analyst", "revoked", 0),
        ("carol", "custodian", "valid", 0),
    ]
    assert all({*it} == {"name", "role", "made", "expires", "state", "used"} for it in tokens)
    assert all(it["made"] < it["expires"] for it in tokens)
    assert "discreet_" not in json.dumps(custodian_told(served))


def test_who_asks_without_a_token_of_the_ledger_is_told_with_what_they_used(
    served: Served,
) -> None:
    dora = Caller("oidc dora", "analyst")
    answer_view(served, dora, "histogram", {"columns": ["age"]})
    told = custodian_told(served)

    assert told["others"] == [{"name": "oidc dora", "used": 1}]
    assert [it["name"] for it in told["tokens"]] == ["alice", "bob", "carol"]


def test_the_policy_is_told_as_a_file_that_can_be_read_back(served: Served, tmp_path: Path) -> None:
    path = tmp_path / "again.toml"
    path.write_text(custodian_told(served)["policy"])

    assert Policy.load(path) == served.study.policy


def test_the_log_is_told_page_by_page(served: Served, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = custodian_told(served)["log"]
    monkeypatch.setattr(custodian, "PAGE", 3)
    first = custodian_told(served)["log"]
    second = custodian_told(served, first[-1]["id"])["log"]

    assert [len(first), len(second)] == [3, 1]
    assert first + second == whole
    assert custodian_told(served, whole[-1]["id"])["log"] == []


def test_the_newest_of_what_left_is_told(served: Served, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = custodian_told(served)["left"]
    monkeypatch.setattr(custodian, "PAGE", 1)

    assert len(whole) == 2
    assert custodian_told(served)["left"] == whole[1:]


def test_the_head_of_the_chain_is_told_without_counting_it(
    served: Served, monkeypatch: pytest.MonkeyPatch
) -> None:
    counted = verified(served)
    monkeypatch.setattr(custodian, "verify", None)
    told = custodian_told(served)

    assert (told["rows"], told["head"]) == (counted["rows"], counted["head"])
    answer_view(served, ALICE, "bars", {"columns": ["sex"]})
    assert custodian_told(served)["rows"] > told["rows"]
    assert custodian_told(served)["head"] != told["head"]


def test_a_ledger_with_no_row_has_the_first_head(tmp_path: Path) -> None:
    told = custodian_told(serve_study(opened(tmp_path)))

    assert (told["rows"], told["head"], told["log"]) == (0, "0" * 64, [])


def test_nothing_raw_is_told(served: Served) -> None:
    text = json.dumps([custodian_told(served), verified(served)])

    for value in ("Patient", "Canary", "north", "severe"):
        assert value not in text


def test_the_chain_is_counted_again(served: Served) -> None:
    found = verified(served)

    assert found["broken"] == []
    assert found["rows"] > 10
    assert len(found["head"]) == 64
    assert verified(served) == found
    answer_view(served, ALICE, "bars", {"columns": ["sex"]})
    assert verified(served)["rows"] > found["rows"]
    assert verified(served)["head"] != found["head"]


def test_a_changed_row_is_found(served: Served) -> None:
    path = served.ledger.store.path
    with sqlite3.connect(path) as connection:
        for (name,) in connection.execute(
            "SELECT name FROM sqlite_master WHERE type = 'trigger' AND tbl_name = 'asked'"
        ).fetchall():
            connection.execute(f"DROP TRIGGER {name}")
        connection.execute("UPDATE asked SET caller = 'token mallory' WHERE id = 1")
    connection.close()

    broken = verified(served)["broken"]

    assert any("asked" in it and "1" in it for it in broken)
    assert "mallory" not in json.dumps(broken)


def test_another_study_of_the_same_ledger_is_not_told_of(served: Served, tmp_path: Path) -> None:
    before = custodian_told(served)
    policy = tmp_path / "discreet.toml"
    second = tmp_path / "second.csv"
    lines = (tmp_path / "cohort.csv").read_text().splitlines(keepends=True)
    second.write_text("".join([lines[0], *lines[1 : len(lines) // 2]]))
    other = serve_study(open_study(second, policy))
    assert other.ledger.store.path == served.ledger.store.path
    add_token(other.ledger.store, "second.csv", "alice", "custodian")
    add_token(other.ledger.store, "second.csv", "zoe")
    answer_view(other, ALICE, "bars", {"columns": ["sex"]})
    answer_view(other, Caller("token zoe", "analyst"), "histogram", {"columns": ["Canary"]})

    # All studies of a ledger share its chain.
    after = custodian_told(served)
    assert after["rows"] > before["rows"]
    assert {**after, "rows": 0, "head": ""} == {**before, "rows": 0, "head": ""}
    told = custodian_told(other)
    assert {it["study"] for it in told["log"]} == {"second.csv"}
    assert {it["study"] for it in told["left"]} <= {"second.csv"}
    assert len(told["log"]) == 2
    assert [(it["name"], it["role"]) for it in told["tokens"]] == [
        ("alice", "custodian"),
        ("zoe", "analyst"),
    ]
    assert "cohort.csv" not in json.dumps(told)
