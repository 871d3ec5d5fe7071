"""A policy that is proposed for a table: what it guesses, and what it never tells."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import discreet as dc
from discreet.custodian.guesses import propose_policy
from discreet.policy import Policy
from discreet.table import open_table

CANARY = "Canary"


def read(source: Any) -> dict[str, Any]:
    return tomllib.loads(propose_policy(source))


def ranges(text: str) -> dict[str, list[float]]:
    """The ranges that a text proposes: its limits, with the # taken away."""
    lines = [line[2:] for line in text.splitlines() if line.startswith("# limits.")]
    return dict(tomllib.loads("\n".join(lines)).get("limits", {}))


def people(n: int, **columns: list[Any]) -> pd.DataFrame:
    """A table of n persons with a number each, beside the columns that are given."""
    values = np.linspace(41.3, 78.9, n)
    return pd.DataFrame({"weight": values, **columns})


# --- tables that are known ------------------------------------------------------------------------


@pytest.mark.slow
def test_titanic(shared_data: Callable[[str], Path], tmp_path: Path) -> None:
    file = shared_data("titanic.csv")
    text = propose_policy(file)
    given = tomllib.loads(text)

    assert given["roles"] == {
        "PassengerId": "identifier",
        "Survived": "sensitive",
        "Pclass": "quasi-identifier",
        "Sex": "quasi-identifier",
        "Age": "quasi-identifier",
        "SibSp": "quasi-identifier",
        "Parch": "quasi-identifier",
        "Fare": "quasi-identifier",
    }
    assert given["kinds"] == {
        "Survived": "categorical",
        "Pclass": "categorical",
        "Sex": "categorical",
        "Age": "continuous",
        "SibSp": "continuous",
        "Parch": "continuous",
        "Fare": "continuous",
    }
    assert ranges(text) == {"Age": [0, 80], "SibSp": [0, 8], "Parch": [0, 5], "Fare": [0, 450]}
    path = tmp_path / "policy.toml"
    path.write_text(text, encoding="utf-8")
    study = dc.open(file, path)
    assert study.histogram("Age").columns == ("Age",)


@pytest.mark.slow
def test_a_range_is_that_of_the_picture_and_further_outward() -> None:
    table = dc.datasets.diabetes()
    study = dc.open(table)
    found = ranges(propose_policy(table))
    assert set(found) > {"age", "bmi", "glucose"}
    for name, (low, high) in found.items():
        edges = study.histogram(name).edges
        assert low <= edges[0] + 0.5
        assert edges[-1] - 0.5 <= high


def test_a_study_is_named_as_its_file(tmp_path: Path, file_of: Any) -> None:
    for name in ("cohort.csv", 'a "b" ü.csv'):
        text = propose_policy(file_of(tmp_path / name, {"weight": [50.5 + i for i in range(60)]}))
        assert tomllib.loads(text)["study"] == name
    assert text.index("study =") < text.index("# ---------- The columns")
    text = propose_policy(people(60))
    assert "study" not in tomllib.loads(text)
    assert '\n# study = "cohort"\n' in text


# --- roles ----------------------------------------------------------------------------------------

N = 60
ONES: dict[str, tuple[list[Any], str]] = {
    # numbers and texts that are different in every row
    "row": ([*range(7, N + 7)], "identifier"),
    "code_no": ([9_000_000 + 7919 * i for i in range(N)], "identifier"),
    "who": ([f"{CANARY} {i}" for i in range(N)], "identifier"),
    "remark": ([f"{CANARY} {i // 2}" for i in range(N)], "identifier"),
    # names
    "PatientID": ([i // 2 * 31 for i in range(N)], "identifier"),
    "nhs_number": ([i // 2 * 37 for i in range(N)], "identifier"),
    "birthDate": ([i // 2 * 41 for i in range(N)], "identifier"),
    "date_of_birth": ([i // 2 * 43 for i in range(N)], "identifier"),
    "E-Mail": ([f"{CANARY}{i // 10}" for i in range(N)], "quasi-identifier"),
    "age": ([20 + i for i in range(N)], "quasi-identifier"),
    "Postcode": ([f"{CANARY}{i % 3}" for i in range(N)], "quasi-identifier"),
    "occupations": ([f"{CANARY}{i % 3}" for i in range(N)], "quasi-identifier"),
    "HIV": ([i % 3 == 0 for i in range(N)], "sensitive"),
    "Diagnosis2": ([f"{CANARY}{i % 4}" for i in range(N)], "sensitive"),
    "diagnosis_text": ([f"{CANARY}{i // 2}" for i in range(N)], "sensitive"),
    "income": ([1000 + 17 * i for i in range(N)], "sensitive"),
    "has_phone": ([i % 2 for i in range(N)], "quasi-identifier"),
    # what says nothing may be known to others; what is measured is not
    "paid": ([1.5 * (i % 40) for i in range(N)], "quasi-identifier"),
    "covid_ct": ([0.5 * (i % 40) for i in range(N)], "quasi-identifier"),
    "pressure": ([80.5 + 1.25 * i for i in range(N)], "other"),
    "nothing": ([None] * (N - 1) + [1.0], "quasi-identifier"),
    "hhincome": ([1000.0 + i for i in range(N)], "sensitive"),  # and no identifier
}


def test_the_role_of_a_column() -> None:
    for name, (values, role) in ONES.items():
        assert read(people(N, **{name: values}))["roles"][name] == role, name


def test_a_date_is_not_drawn() -> None:
    frame = people(N, visit=[*pd.date_range("2001-01-01", periods=N)])
    given = read(frame)
    assert given["roles"]["visit"] == "quasi-identifier"
    assert "visit" not in given["kinds"]


# --- kinds ----------------------------------------------------------------------------------------

KINDS: dict[str, tuple[list[Any], str]] = {
    "a number": ([0.1 * i for i in range(N)], "continuous"),
    "two": ([i % 2 for i in range(N)], "categorical"),
    "two_as_floats": ([float(i % 2) for i in range(N)], "categorical"),
    "five": ([i % 5 for i in range(N)], "categorical"),
    "twelve": ([i % 12 for i in range(N)], "continuous"),
    "ward_code": ([i % 12 for i in range(N)], "categorical"),
    "twelve_halves": ([i % 12 / 2 for i in range(N)], "continuous"),
    "one_is_rare": ([1] * (N - 4) + [2] * 4, "continuous"),  # as with none of them
    "a_third_is_rare": ([i % 2 for i in range(N - 2)] + [7] * 2, "categorical"),
    "one_is_missing": ([1.0] * 20 + [2.0] * 38 + [None] * 2, "categorical"),
    "far_apart": ([(i % 2) * 10**6 for i in range(N)], "categorical"),
    "yes_no": ([i % 2 == 0 for i in range(N)], "categorical"),
    "text": (["a", "b", "c"] * 20, "categorical"),
}


def test_the_kind_of_a_column() -> None:
    found = read(people(N, **{name: values for name, (values, _) in KINDS.items()}))["kinds"]
    assert {name: found[name] for name in KINDS} == {
        name: kind for name, (_, kind) in KINDS.items()
    }


# What `dc.open` makes of a column that is not declared, and what is proposed of it.
AGREED: dict[str, list[Any]] = {
    "flag": [i % 2 for i in range(N)],
    "flag_rare": [1] * 2 + [0] * (N - 2),
    "flag_third": [i % 2 for i in range(N - 1)] + [7],
    "flag_broken": [0.5 if i % 3 else 2.5 for i in range(N)],
    "flag_missing": [float(i % 2) if i % 5 else None for i in range(N)],
    "flag_coded": [(i % 2) if i % 6 else -9 for i in range(N)],
    "measured": [i * 0.7 for i in range(N)],
}


@pytest.mark.parametrize("name", AGREED)
def test_what_is_proposed_and_what_is_opened_agree(name: str) -> None:
    frame = people(N, **{name: AGREED[name]})
    proposed = read(frame)["kinds"][name]
    declared = {"missing_values": {"flag_coded": [-9]}} if name == "flag_coded" else {}
    opened = dc.open(frame, Policy.preset("standard", **declared))
    assert opened.session.table.columns[name].kind == proposed


def proposed_lines(name: str, values: list[Any]) -> list[str]:
    """Return what is proposed of a column, commented out."""
    text = propose_policy(people(len(values), **{name: values}))
    found = re.findall(rf"^# (\w+\.{name} = .*)$", text, flags=re.MULTILINE)
    return [line for line in found if not line.startswith("limits")]


BOUNDS: dict[str, tuple[list[float], list[str]]] = {
    "nothing is negative": ([0.1 * i * i for i in range(N)], ["bounds.x = [0, inf]"]),
    "a tenth of a unit below": ([-0.1, *(0.1 * i * i for i in range(N - 1))], []),
    "coded to 80": ([min(20.0 + i, 80.0) for i in range(N + 20)], ["bounds.x = [0, 80]"]),
    "coded at both ends": (
        [min(max(1.5 * i, 18.0), 80.0) for i in range(N)],
        ["bounds.x = [18, 80]"],
    ),
    "fewer than k at the end": (
        [*(0.5 * i for i in range(N)), 30, 30, 30],
        ["bounds.x = [0, inf]"],
    ),
    "a code beside": (
        [*(20.0 + 0.5 * i for i in range(N)), *[99.0] * 6],
        ["bounds.x = [0, inf]", "missing_values.x = [99]"],
    ),
    "two codes": (
        [*(-20.0 + i for i in range(N)), *[-999.0] * 6, *[999.0] * 7],
        ["missing_values.x = [-999, 999]"],
    ),
    "a code that four share": (
        [*(20.0 + 0.5 * i for i in range(N)), *[99.0] * 4],
        ["bounds.x = [0, inf]"],
    ),
}


@pytest.mark.parametrize(("values", "lines"), BOUNDS.values(), ids=BOUNDS)
def test_bounds_and_codes_are_proposed(values: list[float], lines: list[str]) -> None:
    assert proposed_lines("x", values) == lines


def test_what_is_proposed_beside_can_be_made_to_count() -> None:
    values = [*(20.0 + 0.5 * i for i in range(N)), *[99.0] * 6]
    text = propose_policy(people(len(values), x=values))
    text = re.sub(r"^# ((bounds|missing_values)\.x)", r"\1", text, flags=re.MULTILINE)
    policy = Policy.from_dict(
        {name: it for name, it in tomllib.loads(text).items() if name != "preset"}
    )
    assert policy.bounds["x"] == (0, float("inf"))
    assert policy.missing_values == {"x": (99,)}


# --- what it never tells --------------------------------------------------------------------------


def test_identifiers_have_a_role_and_nothing_else() -> None:
    frame = pd.DataFrame(
        {
            "id": range(5000, 5000 + N),
            "name": [f"{CANARY} {i}" for i in range(N)],
            "mail": [f"{CANARY}{i}@example.org" for i in range(N)],
        }
    )
    text = propose_policy(frame)
    assert set(tomllib.loads(text)["roles"].values()) == {"identifier"}
    assert "kinds" not in tomllib.loads(text)
    assert ranges(text) == {}
    assert CANARY not in text
    assert "5000" not in text


@pytest.mark.parametrize("n", [1, 2, 4, 9])
def test_a_tiny_table_has_no_ranges(n: int) -> None:
    frame = people(n, age=[*range(31, 31 + n)], sex=["Canary"] * n)
    text = propose_policy(frame)
    assert ranges(text) == {}
    assert CANARY not in text
    assert read(frame)["roles"]["age"] == "quasi-identifier"


def test_one_person_does_not_move_a_range() -> None:
    values = [*np.linspace(10.0, 20.0, N)]
    plain = ranges(propose_policy(people(N, x=values)))["x"]
    odd = ranges(propose_policy(people(N, x=[*values[:-1], 987654.3])))["x"]
    assert plain == odd


@pytest.mark.slow
@given(st.lists(st.floats(-1e6, 1e6), min_size=50, max_size=80), st.integers(0, 10**6))
def test_the_order_of_rows_is_of_no_account(values: list[float], seed: int) -> None:
    shuffled = np.random.default_rng(seed).permutation(values)
    assert propose_policy(pa.table({"x": values})) == propose_policy(pa.table({"x": shuffled}))


@pytest.mark.slow
@given(st.lists(st.sampled_from([f"{CANARY}{i}" for i in range(9)]), min_size=40, max_size=60))
def test_no_level_and_no_count_is_told(levels: list[str]) -> None:
    n = len(levels)
    numbers = [1234.5678 + 0.9999 * i for i in range(n)]
    text = propose_policy(pa.table({"x": numbers, "region": levels}))

    assert CANARY not in text
    known = {
        "0",
        "3",
        "5",
        "10",
        "18",
        "20",
        "30",
        "60",
        "90",
        "120",
        "200",
        "999",
        "2027",
        "12",
        "31",
    }  # of the preset and of the words
    shown = {number for ends in ranges(text).values() for number in ends}
    told = set(re.findall(r"\d+\.?\d*", text)) - known
    assert {float(number) for number in told} <= shown
    assert all(number % 5 == 0 for number in shown)


# --- what it reads back as ------------------------------------------------------------------------

NAMES = st.lists(
    st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=12),
    min_size=1,
    max_size=5,
    unique_by=str.lower,
)


@pytest.mark.slow
@given(NAMES)
def test_any_name_is_written_so_that_it_is_read(
    tmp_path_factory: pytest.TempPathFactory, names: list[str]
) -> None:
    rng = np.random.default_rng(0)
    table = pa.table({name: rng.normal(size=50) for name in names})
    text = propose_policy(table)
    assert all(line.isprintable() for line in text.split("\n"))
    path = tmp_path_factory.mktemp("policy") / "policy.toml"
    path.write_text(text, encoding="utf-8", newline="\n")
    drawn = [name for name, role in Policy.load(path).roles.items() if role != "identifier"]
    # With every line that is commented out taken in, too, but for the unit, which is no number.
    lines = [re.sub(r"^# (?=limits\.|pairs = )", "", line) for line in text.split("\n")]
    if len(drawn) > 1:  # else pairs are of columns that may be there one day
        path.write_text("\n".join(lines), encoding="utf-8", newline="\n")
    policy = Policy.load(path)
    assert set(policy.roles) == set(names)
    dc.open(table, path)


def test_a_table_may_be_open_already() -> None:
    frame = people(N)
    table = open_table(frame, kinds={}, roles={}, unit=None, key=None)
    assert propose_policy(table) == propose_policy(frame)
