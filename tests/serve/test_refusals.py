"""What a server says when it does not answer: fixed words."""

from __future__ import annotations

import json

import pytest

from discreet.serve.refusals import CODES, ErrorBody, Refusal, refusal

STATUS = {
    "token": 401,
    "role": 403,
    "unknown": 404,
    "method": 405,
    "request": 422,
    "policy": 403,
    "data": 403,
    "order": 403,
    "leaving": 409,
    "rate": 429,
    "budget": 429,
    "busy": 503,
    "slow": 503,
    "ledger": 503,
    "broken": 500,
}


def test_every_code_has_its_status() -> None:
    assert {code: refusal(code).status for code in CODES} == STATUS


@pytest.mark.parametrize("code", STATUS)
def test_a_refusal_is_a_sentence_and_a_rule(code: str) -> None:
    found = refusal(code)
    told = json.loads(found.body)

    assert told == {
        "error": {"code": code, "says": found.says, "rule": found.rule, "nearest": None}
    }
    assert ErrorBody.model_validate(told).model_dump() == told
    for sentence in (found.says, found.rule):
        assert sentence[0].isupper()
        assert sentence.endswith(".")
        assert "'" not in sentence.replace("custodian's", "").replace("policy's", "")


def test_no_two_codes_say_the_same() -> None:
    assert len({refusal(code).says for code in CODES}) == len(CODES)


def test_more_may_be_said_and_offered() -> None:
    found = refusal("policy", "k: leave it out", {"columns": ["Größe"]})

    assert found == Refusal(
        "policy", 403, "k: leave it out", CODES["policy"][2], {"columns": ["Größe"]}
    )
    assert json.loads(found.body)["error"]["nearest"] == {"columns": ["Größe"]}
    assert "Größe".encode() in found.body


def test_there_is_no_other_code() -> None:
    with pytest.raises(KeyError, match="Canary"):
        refusal("Canary")


@pytest.mark.parametrize("code", CODES)
def test_nobody_is_told_to_do_what_the_custodian_alone_can(code: str) -> None:
    said = refusal(code)
    words = f"{said.says} {said.rule}"

    assert not any(way in words for way in ("smaller k", "fewer bins", "open a study", "strata="))
    assert "new version" not in words or "the custodian can open a new version" in words
