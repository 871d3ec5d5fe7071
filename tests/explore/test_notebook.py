"""What a notebook completes within the quotation marks of a study's methods."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

import discreet as dc
from discreet.explore.notebook import names_to_complete, offer_in
from discreet.explore.study import names_to_offer

NAMES = {"study": ["age", "bmi", "body mass", "sex"], "other": None}
BEGUN: dict[str, tuple[str, list[str]]] = {
    'study.histogram("b': ("b", ["bmi", "body mass"]),
    "study.histogram('body m": ("body m", ["body mass"]),
    'study.scatter("age", "': ("", NAMES["study"]),  # type: ignore[dict-item]
    'x = study.box("age", by="se': ("se", ["sex"]),
    'study.columns["a': ("a", ["age"]),
    'study.where("age > 40 and b': ("b", ["bmi", "body mass"]),
    'study.assign(old="ag': ("ag", ["age"]),
    'study.where("age > 40").box("s': ("s", ["sex"]),
    'first line\nstudy . bars("s': ("s", ["sex"]),
    'study.bars("x': ("x", []),
    'study.bars("sex")': ("", []),  # the quotation mark is closed
    "study.bars(b": ("", []),
    'other.bars("b': ("", []),
    'unknown.bars("b': ("", []),
    'print("b': ("", []),
    '"a.b': ("", []),
    "": ("", []),
}


@pytest.mark.parametrize("text", BEGUN)
def test_what_is_begun_is_completed(text: str) -> None:
    part, found = names_to_complete(text, {it: it for it in NAMES}, lambda it: NAMES.get(it))
    assert (part, found) == BEGUN[text]


def test_a_shell_completes_columns_once_offered() -> None:
    study = dc.open(dc.datasets.diabetes())
    completer = SimpleNamespace(custom_matchers=[])
    shell = SimpleNamespace(user_ns={"study": study, "age": 3}, Completer=completer)
    for _ in range(2):
        offer_in(shell, names_to_offer)
    (matcher,) = completer.custom_matchers
    found: Any = matcher(SimpleNamespace(text_until_cursor='study.box("bl'))
    assert [it.text for it in found["completions"]] == ["blood_pressure"]
    assert (found["matched_fragment"], found["suppress"]) == ("bl", True)
    assert not matcher(SimpleNamespace(text_until_cursor='age.box("bl'))["completions"]


def test_new_columns_are_named_and_no_copy_is_made(monkeypatch: pytest.MonkeyPatch) -> None:
    study = dc.open(dc.datasets.diabetes())
    assert names_to_offer(study.assign(band="cut(age, 40)"))[-1] == "band"  # type: ignore[index]
    assert names_to_offer(3) is None
    fresh = dc.open(dc.datasets.diabetes(), "standard", study="fresh")
    monkeypatch.setattr("discreet.custodian.session.Session.whole", None)
    assert "bmi" in (names_to_offer(fresh) or [])
