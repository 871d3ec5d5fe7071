"""What a board asks a server for: first pictures, the rows of the copy, and who may have them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from discreet.serve.board import answer_rows
from discreet.serve.record import log
from discreet.serve.refusals import Refusal
from discreet.serve.tokens import Caller, add_token
from tests.serve.cohort import NAME, WHOLE, served_of
from tests.serve.conftest import Running
from tests.web.reading import read_bundle


def asked(server: Running, what: str) -> list[dict[str, Any]]:
    rows = log(server.studies.store, study=NAME)
    return [it for it in rows if it["what"] == what]


def test_rows_are_those_of_the_copy_to_the_last_bit(served: Running) -> None:
    with served.client() as analyst:
        answer = analyst.get("/api/rows")
    header, found = read_bundle(answer.content)
    whole = served.served.copy.whole
    assert answer.status_code == 200
    assert answer.headers["content-encoding"] == "gzip"
    assert answer.headers["cache-control"] == "no-store"
    assert header["version"] == whole.copy.version
    held = [name for name in whole.raw if name in {*whole.copy.columns, *whole.copy.strata}]
    assert [it["name"] for it in header["columns"]] == held
    for name, values in whole.copy.columns.items():
        assert np.array_equal(found[name], values, equal_nan=True)
    for name, words in whole.copy.strata.items():
        assert found[name] == [word or None for word in words]


def test_rows_that_the_browser_has_are_not_sent_again(served: Running) -> None:
    with served.client() as analyst:
        first = analyst.get("/api/rows")
        tag = first.headers["etag"]
        again = analyst.get("/api/rows", headers={"If-None-Match": tag})
        weak = analyst.get("/api/rows", headers={"If-None-Match": f'"x", W/{tag}'})
        other = analyst.get("/api/rows", headers={"If-None-Match": '"x"'})
        plain = analyst.get("/api/rows", headers={"Accept-Encoding": "identity"})
    assert (again.status_code, again.content) == (304, b"")
    assert (weak.status_code, weak.content) == (304, b"")
    assert again.headers["etag"] == tag
    assert other.status_code == plain.status_code == 200
    assert "content-encoding" not in plain.headers
    assert plain.content == other.content == first.content


def test_rows_are_recorded_once_a_caller(served: Running) -> None:
    bob = add_token(served.studies.store, NAME, "bob")
    for token in (served.token, served.token, bob, bob):
        with served.client(token) as analyst:
            assert analyst.get("/api/rows").status_code == 200
    told = asked(served, "rows")
    names = [it["caller"] for it in told]
    assert sorted(names) == sorted({*names})
    assert {"token alice", "token bob"} <= {*names}
    assert {it["outcome"] for it in told} == {"answered"}
    assert {it["version"] for it in told} == {served.served.version}


def test_facts_say_where_the_rows_are_and_what_is_promised(served: Running) -> None:
    with served.client() as analyst:
        told = analyst.get("/api/study").json()
    assert told["rows"]["way"] == "browser"
    assert told["rows"]["rows"] == len(served.served.copy.whole)
    assert (
        told["policy"]["promise"]
        == "Redrawn rows: nobody's. Each group behind them holds at least 20 people."
    )


STAY = {"served": 'copy = "served"', "bytes": "copy_bytes = 300"}


@pytest.mark.parametrize("how", STAY)
def test_a_copy_that_stays_on_the_server_is_not_handed_out(tmp_path: Path, how: str) -> None:
    server = served_of(tmp_path, f"{STAY[how]}\n{WHOLE}")
    answer, facts = answer_rows(server, Caller("token alice", "analyst")), server.kept.facts()
    assert isinstance(answer, Refusal)
    assert answer.status == 403
    assert "the copy of this study stays on the server" in answer.says
    assert facts["way"] == "server"
    assert facts["rows"] > 20
    assert [(it["what"], it["outcome"]) for it in log(server.store)] == [("rows", "policy")]
