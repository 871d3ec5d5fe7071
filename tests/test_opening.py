"""Opening a study: whatever is declared must fit the table, before anything is asked."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

import discreet as dc

TABLE = pa.table(
    {
        "x": [float(i) for i in range(20)],
        "y": [float(i + 2) for i in range(20)],
        "sex": [1, 2] * 10,
        "name": [f"name {i}" for i in range(20)],
    }
)

WRONG: dict[str, tuple[dict[str, Any], type[dc.DiscreetError], str]] = {
    "limits of nothing": ({"policy": {"limits": {"w": (0, 1)}}}, dc.InputError, "no column 'w'"),
    "bounds of nothing": ({"policy": {"bounds": {"w": (0, 1)}}}, dc.InputError, "no column 'w'"),
    "bounds of levels": (
        {"policy": {"bounds": {"sex": (0, 1)}}, "kinds": {"sex": "categorical"}},
        dc.InputError,
        "column 'sex' is categorical; numbers are needed",
    ),
    "another preset": ({"policy": "strict"}, dc.InputError, "policy must be a Policy"),
}


@pytest.mark.parametrize(("given", "error", "match"), WRONG.values(), ids=WRONG)
def test_what_does_not_fit_is_refused_at_the_door(
    given: dict[str, Any], error: type[dc.DiscreetError], match: str
) -> None:
    named = {"policy": "standard"} | given
    if isinstance(named["policy"], dict):
        named["policy"] = dc.Policy.preset("standard", **named["policy"])
    with pytest.raises(error, match=match):
        dc.open(TABLE, **named)


def test_numbers_that_are_named_as_strata_become_levels() -> None:
    study = dc.research(TABLE, strata=["sex"])
    with pytest.raises(dc.InputError, match="column 'sex' is categorical"):
        study.histogram("sex")


def test_single_fields_override_the_policy() -> None:
    study = dc.open(TABLE, "sacro", k=12)
    assert (study.policy.name, study.policy.k) == ("sacro", 12)


# --- what is declared of values -----------------------------------------------------------------

N = 120
PEOPLE = {
    "x": [float(i % 37) + 0.25 * (i % 4) for i in range(N)],
    "y": [float(i % 41) for i in range(N)],
    "flag": [i % 2 for i in range(N)],
    "income": [float(i) if i % 6 else -999.0 for i in range(N)],
}


@pytest.mark.slow
def test_a_column_of_two_values_is_drawn_as_levels_unless_it_is_declared() -> None:
    """As a number, at k = 3, it was guessed 10 points better than by its share."""
    study = dc.open(pa.table(PEOPLE), k=3)
    with pytest.raises(dc.InputError, match=r"or declare it: kinds=\{'flag': 'continuous'\}"):
        study.scatter("x", "flag")
    assert study.bars("flag").levels
    declared = dc.open(pa.table(PEOPLE), k=3, kinds={"flag": "continuous"})
    assert declared.scatter("x", "flag").x


@pytest.mark.slow
def test_a_column_that_left_as_numbers_says_how_it_is_declared(tmp_path: Path) -> None:
    numbers = dc.open(pa.table(PEOPLE), study="s", kinds={"flag": "continuous"})
    numbers.box("flag", "y").save(tmp_path / "before.json")
    with pytest.raises(
        dc.LeavingError, match=r"use what that release used: kinds=\{'flag': 'continuous'\}, or in"
    ):
        dc.open(pa.table(PEOPLE), study="s").bars("flag").save(tmp_path / "now.json")


@pytest.mark.slow
def test_codes_are_missing_where_they_are_declared_and_said_where_they_may_be() -> None:
    plain = dc.open(pa.table(PEOPLE))
    unsaid = [
        plain.histogram("income"),
        plain.heatmap("x", "income"),
        plain.scatter("income", "y"),
        plain.residuals("y ~ income"),
    ]

    for view in unsaid:
        (said,) = [line for line in view.notes() if line.startswith("income may hold codes")]
        assert "999" not in said
    assert (
        dc.Protected(plain).missing_codes()
        == dc.Protected(plain).missing_codes(["income"])
        == {"income": [-999.0]}
    )
    assert dc.Protected(plain).missing_codes(["x", "y"]) == {}
    for values in ([-999], []):
        policy = dc.Policy.preset("standard", missing_values={"income": values})
        study = dc.open(pa.table(PEOPLE), policy)
        view = study.histogram("income")
        assert dc.Protected(study).missing_codes() == {}
        assert not any("codes" in line for line in view.notes())
        assert (view.edges[0] < -100) == (not values)


@pytest.mark.slow
def test_what_stands_for_a_missing_value_is_one_for_a_study(tmp_path: Path) -> None:
    policy = dc.Policy.preset("standard", missing_values={"income": [-999]})
    dc.open(pa.table(PEOPLE), study="s").histogram("income").save(tmp_path / "a.json")
    with pytest.raises(dc.LeavingError, match="'missing_values' must be the same as in"):
        dc.open(pa.table(PEOPLE), policy, study="s").histogram("income").save(tmp_path / "b.json")
    # Under another name it is the same data, whatever is declared.
    with pytest.raises(dc.LeavingError, match="'missing_values' must be the same as in"):
        dc.open(pa.table(PEOPLE), policy, study="t").histogram("income").save(tmp_path / "c.json")


@pytest.mark.slow
def test_of_a_thousand_columns_a_message_names_a_few() -> None:
    table = pa.table({f"c{i}": [1.0, 2.0, 4.0] for i in range(1000)})
    with pytest.raises(dc.InputError, match=r"no column 'height'; .* 'c19' and others$") as e:
        dc.research(table).histogram("height")
    assert len(str(e.value)) < 300
