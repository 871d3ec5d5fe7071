from collections.abc import Sequence
from typing import Any

import pandas as pd
import pytest

import discreet as dc
from discreet.custodian.papers import Papers
from discreet.custodian.session import Session
from discreet.errors import BrokenPromiseError, InputError
from discreet.policy import TableRequest
from discreet.table import open_table
from tests.cases import policy_of

ROWS = 60


def papers(policy: str = "research", **fields: Any) -> Papers:
    frame = pd.DataFrame(
        {
            "row": range(1, ROWS + 1),
            "name": [f"person {i}" for i in range(ROWS)],
            "age": [20 + (7 * i) % 50 for i in range(ROWS)],
            "bmi": [18 + (3 * i) % 20 + i / 100 for i in range(ROWS)],
            "sex": ["f", "m"] * (ROWS // 2),
            "ill": [0, 0, 1] * (ROWS // 3),
        }
    )
    chosen = policy_of(policy, **fields)
    kinds = {name: "categorical" for name in chosen.of_papers.strata} | dict(chosen.kinds)
    table = open_table(frame, kinds=kinds, roles=chosen.roles, unit=None, key=None)
    return Papers(Session(table, chosen))


def asked(at: Papers, columns: Sequence[str] | None = None, **given: Any) -> TableRequest:
    return at.settle_table(columns, **given)


def test_what_identifies_or_numbers_rows_is_left_out_and_levels_are_strata() -> None:
    want = asked(papers())
    assert (want.columns, want.strata) == (("age", "bmi", "ill"), ("sex",))
    assert want.how.method == "deterministic"


def test_a_sensitive_column_travels_along() -> None:
    want = asked(papers(), sensitive="ill")
    assert (want.columns, want.strata, want.carried) == (("age", "bmi"), ("sex",), ("ill",))
    of_role = asked(papers(roles={"ill": "sensitive"}))
    assert (of_role.sensitive, of_role.carried) == ("ill", ("ill",))


WRONG: dict[str, tuple[dict[str, Any], str]] = {
    "columns as text": ({"columns": "age"}, "columns must be a list of column names"),
    "columns as a number": ({"columns": 5}, "columns must be a list of column names"),
    "drop as text": ({"drop": "age"}, "drop must be a list of column names"),
    "drop of nothing": ({"drop": None}, "drop must be a list of column names"),
    "an unknown column": ({"columns": ["agee"]}, "there is no column 'agee'"),
    "an unknown field": ({"fill": "mean"}, "the policy has no key 'fill'"),
    "no row method": ({"method": "merge"}, "a table cannot be made by method 'merge'"),
    "released and dropped": (
        {"columns": ["age"], "drop": ["age"]},
        "'age' cannot be released as numbers: it is dropped, a stratum or sensitive",
    ),
    "nothing left": ({"drop": ["age", "bmi", "ill"]}, "needs at least one continuous column"),
}


@pytest.mark.parametrize(("given", "said"), WRONG.values(), ids=WRONG)
def test_what_is_wrong_is_said(given: dict[str, Any], said: str) -> None:
    with pytest.raises(InputError, match=said):
        asked(papers(), **given)


def test_a_guarded_study_releases_its_copy_alone() -> None:
    with pytest.raises(BrokenPromiseError, match="only releases its copy of the whole table"):
        asked(papers("standard"))


def test_a_stratum_is_not_dropped_and_one_column_is_sensitive() -> None:
    with pytest.raises(InputError, match="drop names a stratum"):
        asked(papers(strata=["sex"]), drop=["sex"])
    with pytest.raises(InputError, match="several columns are sensitive; name one of 'sex', 'ill'"):
        asked(papers(roles={"sex": "sensitive", "ill": "sensitive"}))


def test_a_share_is_one() -> None:
    study = dc.open(pd.DataFrame({"age": range(ROWS)}))
    for share in (0, -0.1, 1.5, "x", [0.1], True, float("nan")):
        with pytest.raises(InputError, match=r"^risk_below "):
            study.anonymize(risk_below=share)  # type: ignore[arg-type]


def test_a_number_without_use_is_refused() -> None:
    with pytest.raises(InputError, match="a table by 'deterministic' does not use q="):
        asked(papers(), q=0.5)
    assert asked(papers(), method="probabilistic", q=0.5).how.q == 0.5


def test_a_report_says_what_its_reader_may_not_expect() -> None:
    frame = pd.DataFrame(
        {
            "code": [1, 2, 3, 4] * 30,
            "age": [20 + (7 * i) % 50 for i in range(120)],
            "sex": ["f", "m"] * 60,
            "place": ["a", "b", "c"] * 40,
        }
    )
    research = dc.research(frame)
    report = research.anonymize(drop=["place"]).report
    (codes,) = report.notes
    assert "released as numbers: code. If they are codes" in codes
    assert "Not released: place." in report.in_words()
    assert research.anonymize(drop=["code"], k=3).report.notes == ()
