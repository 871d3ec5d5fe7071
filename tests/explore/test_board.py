"""What a board gets of a study: rows, first pictures, facts; what is recorded, and what is not."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

import discreet as dc
from discreet.errors import LeavingError
from discreet.explore import Study
from discreet.explore.board import board_rows, stays_on_server
from discreet.explore.facts import study_facts
from discreet.policy import Policy
from tests.web.reading import read_bundle

ROWS = 400


def frame() -> pa.Table:
    rng = np.random.default_rng(19)
    age = rng.normal(55, 12, ROWS).round()
    days = (np.datetime64("2020-01-01") + rng.integers(0, 900, ROWS)).astype("datetime64[D]")
    income = rng.lognormal(10, 0.5, ROWS).round(1)
    return pa.table(
        {
            "id": [f"P{i:04}" for i in range(ROWS)],
            "zeta": rng.choice(["low", "high"], ROWS),
            "age": age,
            "visit": pa.array(days),
            "income": pa.array(income, mask=rng.random(ROWS) < 0.1),
            "arm": rng.choice(["a", "b", "c"], ROWS, p=[0.5, 0.3, 0.2]),
        }
    )


@pytest.fixture
def study(tmp_path: Path) -> Study:
    return opened(tmp_path)


@pytest.fixture(scope="module")
def looked_at(tmp_path_factory: pytest.TempPathFactory) -> Study:
    """A study of which nothing leaves."""
    return opened(tmp_path_factory.mktemp("board"))


def opened(folder: Path, **more: Any) -> Study:
    policy = Policy.preset(
        "standard",
        study="trial",
        roles={"id": "identifier"},
        labels={"age": "Age (years)"},
        derive={"older": "age >= 60"},
        **more,
    )
    secret = folder / "discreet.secret"
    secret.touch(mode=0o600)
    secret.write_text(bytes(range(32)).hex(), encoding="ascii")
    return dc.open(frame(), replace(policy, folder=folder))


def left(study: Study) -> list[str]:
    return [it["kind"] for it in study.session.register.history()]


def test_rows_are_in_the_order_of_the_file_and_new_columns_last(looked_at: Study) -> None:
    found = board_rows(looked_at._copy)
    header, columns = read_bundle(found.data)
    copy = looked_at.session.whole.copy
    names = ["zeta", "age", "visit", "income", "arm", "older"]
    assert [it["name"] for it in header["columns"]] == names == [*found.names]
    assert [it["name"] for it in header["columns"] if it.get("dates")] == ["visit"]
    assert (header["version"], header["rows"]) == (copy.version, found.rows)
    assert np.array_equal(columns["income"], copy.columns["income"], equal_nan=True)
    assert columns["older"] == [it or None for it in copy.strata["older"]]
    assert left(looked_at) == []


def test_levels_stand_as_plots_order_them(looked_at: Study) -> None:
    header, _ = read_bundle(board_rows(looked_at._copy).data)
    for column in header["columns"]:
        if column["kind"] == "level":
            drawn = looked_at.bars(column["name"])
            assert tuple(column["levels"]) == tuple(it for it in drawn.levels if it != "(missing)")


def test_the_gate_records_rows_once_they_leave(study: Study) -> None:
    board_rows(study._copy).gate("html")
    (record,) = study.session.register.history()
    assert (record["kind"], record["form"], record["method"]) == ("rows", "html", "whole")
    assert record["columns"] == ["zeta", "age", "visit", "income", "arm"]


def test_rows_of_another_copy_may_not_leave(study: Study, tmp_path: Path) -> None:
    board_rows(study._copy).gate("html")
    other = opened(tmp_path, m=25)
    with pytest.raises(LeavingError, match="'m' must be the same as in the earlier release"):
        board_rows(other._copy).gate("html")


def test_the_digest_is_of_the_rows_and_of_new_columns(study: Study, tmp_path: Path) -> None:
    again = opened(tmp_path)
    part = study._copy.assign({"double": "2 * age"})
    assert board_rows(again._copy).digest == board_rows(study._copy).digest
    assert board_rows(part).digest != board_rows(study._copy).digest
    assert board_rows(part).names[-1] == "double"


WAYS: list[tuple[dict[str, Any], bool]] = [
    ({}, False),
    ({"copy": "served"}, True),
    ({"copy_rows": 400}, False),
    ({"copy_rows": 399}, True),
    ({"copy_bytes": 9_000}, False),
    ({"copy_bytes": 8_999}, True),
]


def test_where_the_copy_is_explored_is_for_the_policy_to_say() -> None:
    for more, stays in WAYS:
        policy = Policy.preset("standard", **more)
        assert stays_on_server(policy, rows=400, size=9_000) == stays, more


def test_its_rows_are_those_of_the_copy(looked_at: Study) -> None:
    rows = board_rows(looked_at._copy).rows
    assert rows == len(looked_at.session.whole) == len(looked_at.anonymize().frame)


def test_bytes_are_those_of_the_bundle(tmp_path: Path) -> None:
    size = len(board_rows(opened(tmp_path)._copy).data)
    for most, stays in ((size, False), (size - 1, True)):
        study = opened(tmp_path, copy_bytes=most)
        assert stays_on_server(study.policy, ROWS, len(board_rows(study._copy).data)) == stays


def test_facts_name_labels_units_and_dates_and_no_value(looked_at: Study) -> None:
    columns = looked_at._copy.whole.drawable
    told = {it["name"]: it for it in study_facts(looked_at._copy, columns)["columns"]}
    assert list(told) == ["zeta", "age", "visit", "income", "arm", "older"]
    assert (told["age"]["label"], told["age"]["unit"]) == ("Age (years)", "years")
    assert (told["arm"]["label"], told["arm"]["unit"]) == (None, None)
    assert [name for name, it in told.items() if it["dates"]] == ["visit"]
    assert '"low"' not in json.dumps(told)
