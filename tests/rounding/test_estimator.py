"""`Rounder` where scikit-learn expects a transformer, and what it refuses."""

import re
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.utils.estimator_checks import parametrize_with_checks

from discreet.errors import InputError
from discreet.rounding import METHODS, KMeans, Rounder, RoundingSet

SECRET = bytes(range(32))
RNG = np.random.default_rng(5)
X = RNG.gamma(2.0, size=(200, 3))
Y = np.where(X[:, 0] + 0.3 * RNG.normal(size=200) > 2, "high", "low")


@parametrize_with_checks(  # type: ignore[untyped-decorator]
    [Rounder(), Rounder(method="kmeans", c=4, representative="median", encoding="stochastic")]
)
def test_it_is_an_estimator(estimator: Any, check: Any) -> None:
    check(estimator)


@pytest.mark.parametrize("method", METHODS)
def test_every_method_by_its_name(method: str) -> None:
    rounder = Rounder(method=method).fit(X, Y)
    out = rounder.transform(X)
    assert out.shape == X.shape
    assert [found.method for found in rounder.sets_] == [method] * 3
    for j, found in enumerate(rounder.sets_):
        assert set(out[:, j]) <= set(found.points)
        assert isinstance(found, RoundingSet)
        if METHODS[method].parameter == "k":
            assert found.counts[found.counts > 0].min() >= 5


def test_names_of_columns_go_through() -> None:
    frame = pd.DataFrame(X, columns=["a", "b", "c"])
    rounder = Rounder(method="optimal", k=20).set_output(transform="pandas")
    out = rounder.fit_transform(frame)
    assert list(out.columns) == ["a", "b", "c"]
    assert [found.column for found in rounder.sets_] == ["a", "b", "c"]
    assert out.groupby("a").size().min() >= 20


def test_a_row_is_drawn_alike_wherever_it_stands(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DISCREET_SECRET", SECRET.hex())
    rounder = Rounder(method="kmeans", c=5, encoding="stochastic").fit(X)
    out = rounder.transform(X)
    assert (rounder.transform(X[::-1]) == out[::-1]).all()
    assert (rounder.transform(X[50:60]) == out[50:60]).all()
    monkeypatch.setenv("DISCREET_SECRET", SECRET[::-1].hex())
    assert (rounder.transform(X) != out).any()


def test_columns_are_drawn_independently() -> None:
    twice = np.column_stack([X[:, 0], X[:, 0]])
    rounder = Rounder(method="kmeans", c=5, encoding="stochastic").fit(twice)
    out = rounder.transform(twice)
    assert 0.05 < (out[:, 0] != out[:, 1]).mean() < 0.6


BAD: dict[str, tuple[dict[str, Any], str]] = {
    "no method": ({"method": 3}, "method must be one of 'mdav'"),
    "both": ({"k": 3, "c": 4}, "k and c both set the size of regions"),
    "k of a value": ({"method": KMeans(c=3), "k": 4}, "has its own k or c"),
    "k of mdlp": ({"method": "mdlp", "k": 4}, "'mdlp' chooses the number of regions itself"),
    "k above n": ({"k": 201}, "fewer than k rows|number of rows"),
}


@pytest.mark.parametrize(("parameters", "message"), BAD.values(), ids=BAD)
def test_bad_parameters_are_refused(parameters: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        Rounder(**parameters).fit(X, Y).transform(X)


def test_a_supervised_method_needs_classes() -> None:
    with pytest.raises(InputError, match=re.escape("'mdlp' finds regions by a class")):
        Rounder(method="mdlp").fit(X)


def test_a_cell_is_not_quoted() -> None:
    texts: Any = [["34.7 Alice", 1.0, 1.0]] * 20
    with pytest.raises(InputError, match=r"^X must contain only numbers; leave col[a-z ]+$"):
        Rounder().fit(texts)
    rounder = Rounder().fit(X)
    with pytest.raises(InputError, match=r"^X must contain only numbers"):
        rounder.transform(texts)


def test_numbers_to_predict_are_no_classes() -> None:
    with pytest.raises(ValueError, match="Unknown label type: continuous"):
        Rounder(method="mdlp").fit(X, X[:, 0])
    assert len(Rounder(method="optimal", k=20).fit(X, X[:, 0]).sets_) == 3
