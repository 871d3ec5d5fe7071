"""What names a copy and the rules of answers: a field alone, and nothing of a registry."""

import sys
from collections.abc import Mapping
from functools import cache
from types import MappingProxyType
from typing import Any

import pandas as pd
import pytest

from discreet.custodian.protect import session_of
from discreet.explore.notes import policy_digest
from discreet.methods import COPY_METHODS, METHODS, ROW_METHODS, Condensation
from discreet.papers.rows import raw_rows
from discreet.plots import PLOTS
from discreet.policy import FIELDS, PAPER_FIELDS, Policy
from discreet.secret import load_secret
from discreet.vault.vault import version_of_whole

N = 240
FRAME = pd.DataFrame(
    {
        "row": [f"r{i}" for i in range(N)],
        "patient": [f"p{i // 2}" for i in range(N)],
        "age": [20 + (7 * i) % 50 + (i % 9) / 10 for i in range(N)],
        "glucose": [80 + (13 * i) % 60 + (i % 7) / 10 for i in range(N)],
        "code": [(5 * i) % 4 for i in range(N)],
        "sex": [("f", "m")[(i * i) % 2] for i in range(N)],
        "ward": [("low", "mid", "high")[i % 3] for i in range(N)],
        "visit": [f"0{1 + i % 9}/0{1 + (3 * i) % 9}/2020" for i in range(N)],
    }
)
# A value of every field that is not the usual one, and that the table is in need of.
OTHER: Mapping[str, Any] = {
    "k": 6,
    "round_to": 10,
    "public": True,
    "m": 24,
    "left_out": 0.3,
    "answers": 8,
    "answer_noise": 31,
    "copy": "served",
    "copy_rows": 7,
    "copy_bytes": 7,
    "audience": "members of the consortium",
    "until": "2027-12-31",
    "combine": False,
    "private_files": False,
    "roles": {"ward": "sensitive"},
    "versions": 2,
    "tables": [["sex", "ward"]],
    "limits": {"age": [0, 100]},
    "bounds": {"age": [0, 100]},
    "residual_df": 12,
    "missing_values": {"code": [3]},
    "dates": {"visit": "%d/%m/%Y"},
    "ordered": {"ward": ["low", "mid", "high"]},
    "kinds": {"code": "categorical"},
    "derive": {"old": "age > 60"},
    "labels": {"age": "Age in full years"},
    "withhold": ["glucose"],
    "unit": "patient",
    "key": "row",
    "study": "cohort",
    "name": "ours",
}
OF_PAPERS: Mapping[str, Any] = {
    "method": "condensation",
    "q": 0.5,
    "metric": "mahalanobis",
    "ties": "tree",
    "c": 4,
    "strata": ["sex", "ward"],
    "far_noise": "by-distance",
    "outside": "clip",
    "missing": "median",
    "missing_levels": "level",
    "hierarchies": {"ward": {"some": ["low", "mid"], "many": ["high"]}},
    "most_suppressed": 0.2,
    "diversity": 2,
    "closeness": 0.3,
    "edges": {"age": [0, 50, 100]},
    "bins": 9,
    "grid": 9,
    "pixels": 200,
}
BY_METHOD = {"q": "probabilistic", "far_noise": "probabilistic", "c": "kmeans"}


def copy_of(**fields: Any) -> bytes:
    """Return the version of the copy of a study, which keys all of it."""
    policy = Policy.preset("standard", **{"unit": False, **fields})
    session = session_of(FRAME, policy)
    return version_of_whole(session.table, policy, session.secret)


def rows_of(policy: Policy) -> bytes:
    """Return the version of rows that are protected by themselves."""
    session = session_of(FRAME, policy)
    strata = policy.of_papers.strata
    return raw_rows(session.table, policy, ["age"], session.secret, strata=strata).version


def rules_of(policy: Policy) -> str:
    return policy_digest(policy, load_secret(None))


@cache
def usual_copy() -> bytes:
    """Return the version of the copy under no other field."""
    return copy_of()


def test_every_field_is_tried() -> None:
    assert {*OTHER} == {*FIELDS} - {"papers"}
    assert {*OF_PAPERS} == {*PAPER_FIELDS}


@pytest.mark.parametrize("field", OTHER)
def test_a_copy_and_rules_of_answers_are_others_where_a_field_is_of_them(field: str) -> None:
    usual, value = Policy.preset("standard"), OTHER[field]
    changes = FIELDS[field].changes
    assert (copy_of(**{field: value}) != usual_copy()) == (changes == "copy")
    assert (rules_of(usual.changed(**{field: value})) != rules_of(usual)) == (changes != "nothing")


@pytest.mark.parametrize("field", OF_PAPERS)
def test_rows_of_the_papers_are_others_where_a_setting_of_them_is(field: str) -> None:
    own = {"method": BY_METHOD.get(field, "deterministic"), "strata": ["sex"]}
    usual = Policy.preset("research", papers=own)
    changed = usual.changed(papers={field: OF_PAPERS[field]})
    assert (rows_of(changed) != rows_of(usual)) == (PAPER_FIELDS[field].changes == "copy")
    assert rules_of(changed) != rules_of(usual)


def test_a_new_plot_or_method_is_no_other_copy_and_no_other_rule(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    policies = [Policy.preset("standard"), Policy.preset("research", papers={"strata": ["sex"]})]

    def names() -> list[Any]:
        told = [(it.copy_settings(), it.settings(), rules_of(it)) for it in policies]
        return [*told, copy_of(), rows_of(policies[1])]

    before = names()
    pie = type("Pie", (PLOTS["bars"],), {"name": "pie"})
    for registry, new in (
        (PLOTS, {"pie": pie}),
        (METHODS, {"new": Condensation}),
        (ROW_METHODS, {"new": Condensation}),
        (COPY_METHODS, {"new": Condensation}),
    ):
        grown = MappingProxyType({**registry, **new})
        for module in [it for name, it in sys.modules.items() if name.startswith("discreet")]:
            for name in [name for name, it in vars(module).items() if it is registry]:
                monkeypatch.setattr(module, name, grown)

    assert "pie" in sys.modules["discreet.explore.choice"].PLOTS
    assert names() == before
