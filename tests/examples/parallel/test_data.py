"""Records lie on the pixels that the package gives them."""

from itertools import pairwise
from pathlib import Path

import pandas as pd
import pytest

from examples.parallel.data import (
    CATEGORICAL,
    COLUMNS,
    CONTINUOUS,
    FILE,
    Credit,
    find,
    kind_of,
    kinds_of,
    places_of,
)


def test_five_records_by_hand() -> None:
    table = pd.DataFrame({"age": [20, 30, 40, 60, 25], "savings": [1, 3, 5, 5, 1]})
    places = places_of(table, 100)
    assert places["age"].tolist() == [0, 25, 50, 99, 12]
    assert places["savings"].tolist() == [0, 50, 99, 99, 0]


def test_pixels_are_those_of_the_package(made_up: Credit) -> None:
    order = ("duration", "savings", "age")
    view = made_up.study.parallel(order, method="none")
    for number, (left, right) in enumerate(pairwise(order)):
        pairs = set(zip(made_up.places[left].tolist(), made_up.places[right].tolist(), strict=True))
        assert {(box[0], box[2]) for box in view.clusters[number]} == pairs


def test_each_column_has_a_kind() -> None:
    assert {*CATEGORICAL, *CONTINUOUS} == set(COLUMNS)
    assert kind_of("age") == "continuous"
    assert kinds_of(("savings", "age")) == ("categorical", "continuous")


def test_an_absent_file_is_none(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("DISCREET_SHARED_DATA", str(tmp_path))
    assert find() is None
    (tmp_path / FILE).write_text("age\n1\n")
    assert find() == tmp_path / FILE


def test_the_data_are_those_of_the_paper(credit: Credit) -> None:
    assert credit.table.shape == (1000, 7)
    assert sorted(credit.table["credit_history"].unique()) == [0, 1, 2, 3, 4]
    assert not credit.table.isna().any().any()
