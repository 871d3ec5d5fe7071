"""Tables rounded column by column: the sets of each, and all of them applied."""

import tracemalloc

import numpy as np
import pytest

from discreet.errors import InputError
from discreet.protect.rounding import EqualWidth, Optimal, rounding_set, sorted_column
from discreet.protect.rounding.columns import column_sets, encoded

RNG = np.random.default_rng(2)
X = RNG.lognormal(size=(300, 2))


def test_each_column_has_the_set_it_would_have_alone() -> None:
    found = column_sets(X, "optimal", k=20, representative="median", names=["a", "b"])

    assert found == tuple(
        rounding_set(sorted_column(values), Optimal(k=20), "median", name)
        for name, values in zip("ab", X.T, strict=True)
    )


def test_columns_are_encoded_each_by_its_own() -> None:
    sets = column_sets(X, EqualWidth(c=4))
    uniforms = RNG.random(X.shape)

    assert [found.column for found in sets] == [None, None]
    for encoding, chances in (("region", None), ("nearest", None), ("stochastic", uniforms)):
        out = encoded(sets, X, encoding, chances)
        for j, found in enumerate(sets):
            chance = None if chances is None else chances[:, j]
            assert (out[:, j] == found.encode(X[:, j], encoding, chance)).all()


def test_classes_are_looked_at_by_supervised_methods_alone() -> None:
    with pytest.raises(InputError, match="a class is needed for each row"):
        column_sets(X, "mdlp", classes=["a"])
    assert column_sets(X, "kmeans", c=3, classes=["a"]) == column_sets(X, "kmeans", c=3)


def test_a_number_to_predict_is_no_table_of_classes() -> None:
    many = RNG.normal(size=(5000, 1))
    tracemalloc.start()

    column_sets(many, "optimal", k=10, classes=many[:, 0])

    assert tracemalloc.get_traced_memory()[1] < 20e6
    tracemalloc.stop()
