"""Records lie on the pixels that the package gives them."""

from itertools import pairwise

import pandas as pd

from examples.parallel.data import (
    CATEGORICAL,
    COLUMNS,
    CONTINUOUS,
    Credit,
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


def test_the_data_are_those_of_the_paper(credit: Credit) -> None:
    assert credit.table.shape == (1000, 7)
    assert sorted(credit.table["credit_history"].unique()) == [0, 1, 2, 3, 4]
    assert not credit.table.isna().any().any()
