"""Displacement and preservation: worked by hand, identities, and what is refused."""

import json
import math
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from discreet.errors import InputError, RefusedError
from discreet.measure.pairs import as_pair
from discreet.measure.utility import (
    QUANTILES,
    Preservation,
    displacement,
    preservation,
)
from discreet.protect import deterministic

Columns = dict[str, Any]


def moved(before: Sequence[float], after: Sequence[float]) -> float:
    return displacement(pd.DataFrame({"x": before}), pd.DataFrame({"x": after}))["x"]


def kept(before: Columns, after: Columns, same_rows: bool = True) -> Preservation:
    return preservation(pd.DataFrame(before), pd.DataFrame(after), same_rows=same_rows)


MOVED = {
    # The variance of 0, 0, 6, 6 is 12 (divisor 3).
    "nothing": ([0, 0, 6, 6], [0, 0, 6, 6], 0),
    "one row": ([0, 0, 6, 6], [0, 0, 6, 0], (36 / 4) / 12),
    "all by one": ([0, 0, 6, 6], [1, 1, 5, 5], 1 / 12),
    "to the mean": ([0, 0, 6, 6], [3, 3, 3, 3], 3 / 4),
    "turned round": ([0, 0, 6, 6], [6, 6, 0, 0], 3),
    "shifted far": ([0, 0, 6, 6], [60, 60, 66, 66], 300),
    "two rows": ([1, 3], [2, 2], 1 / 2),
}


@pytest.mark.parametrize("case", MOVED)
@pytest.mark.parametrize("offset", [0.0, 2.0**40])
@pytest.mark.parametrize("scale", [1.0, -2.0, 2.0**-150, 2.0**150])
def test_displacement_by_hand_in_any_unit(case: str, offset: float, scale: float) -> None:
    before, after, expected = MOVED[case]

    turned = [[scale * (x + offset) for x in values] for values in (before, after)]

    assert moved(*turned) == pytest.approx(expected, rel=1e-12)


def test_displacement_is_of_numbers_alone() -> None:
    before = pd.DataFrame(
        {"g": ["a", "b", "a"], "x": [1.0, 2, 3], "code": [1, 2, 1], "y": [4.0, 0, 2]}
    )
    after = pd.DataFrame(
        {"g": ["b", "b", "a"], "x": [1.0, 2, 4], "code": [1, 1, 1], "y": [4.0, 0, 2]}
    )

    assert displacement(before, after, categorical=["code"]) == {"x": pytest.approx(1 / 3), "y": 0}
    assert displacement(before[["g"]], after[["g"]]) == {}


def test_shuffled_values_move_by_twice_the_variance_on_average() -> None:
    x = np.random.default_rng(0).gamma(2, 1, 20_000)
    order = np.random.default_rng(1).permutation(len(x))

    assert moved(x.tolist(), x[order].tolist()) == pytest.approx(2, abs=0.1)


VALUES = st.floats(-1e6, 1e6) | st.integers(-3, 3).map(float)


@given(st.lists(st.tuples(VALUES, VALUES), min_size=2, max_size=12), st.randoms())
def test_laws_of_displacement(rows: list[tuple[float, float]], random: Any) -> None:
    before, after = map(list, zip(*rows, strict=True))
    assume(np.ptp(before) > 1e-3)

    delta = moved(before, after)

    brute = sum((x - y) ** 2 for x, y in rows) / len(rows) / np.var(before, ddof=1)
    assert delta == pytest.approx(brute, rel=1e-9, abs=1e-300)
    assert moved(before, before) == 0
    random.shuffle(rows)
    shuffled = moved(*map(list, zip(*rows, strict=True)))
    assert shuffled == delta  # to the last bit


def test_titanic(shared_data: Callable[[str], Path]) -> None:
    frame = pd.read_csv(shared_data("titanic.csv"))
    frame["Age"] = frame.Age.fillna(frame.Age.median())
    family = frame.SibSp + frame.Parch > 0
    strata = frame.Pclass.astype(str) + frame.Sex + family.astype(str)
    drawn = deterministic(frame[["Age", "Fare"]].to_numpy(), 3, strata.tolist())

    ours = displacement(frame[["Age", "Fare"]], pd.DataFrame(drawn, columns=["Age", "Fare"]))

    assert {name: f"{delta:.4f}" for name, delta in ours.items()} == {
        "Age": "0.0114",
        "Fare": "0.0473",
    }


def test_displacement_needs_rows_that_correspond() -> None:
    pair = as_pair([[1.0], [2.0]], [[1.0], [2.0]], same_rows=False)

    with pytest.raises(InputError, match="the rows of these tables do not correspond"):
        displacement(pair)


@pytest.mark.parametrize("before", [[3.0, 3.0, 3.0], [1e8, 1e8 + 1e-8, 1e8], [0.0, 1e-80, 0.0]])
def test_a_constant_original_is_refused_by_name(before: list[float]) -> None:
    frames = [pd.DataFrame({"size": values}) for values in (before, [1.0, 2.0, 3.0])]

    with pytest.raises(RefusedError, match="column 'size' is constant in the original table"):
        displacement(*frames)
    with pytest.raises(RefusedError, match="column 'size' is constant in the original table"):
        preservation(*frames)


def test_one_row_has_no_spread() -> None:
    with pytest.raises(RefusedError, match="column '0' is constant"):
        displacement([[1.0]], [[2.0]])


@pytest.mark.parametrize("measure", [displacement, preservation])
@pytest.mark.parametrize("huge", [0, 1])
def test_numbers_too_large(measure: Callable[..., object], huge: int) -> None:
    tables = [[[1.0], [2.0], [3.0]], [[1.0], [2.0], [3.0]]]
    tables[huge][1][0] = -1e71

    with pytest.raises(RefusedError, match="column '0' has numbers too large"):
        measure(*tables)


def test_preservation_by_hand() -> None:
    # x: mean 3, sd sqrt(12) before; mean 4, sd sqrt(12) / 2 after. y is x before, -x after.
    found = kept(
        {"x": [0.0, 0, 6, 6], "y": [0.0, 0, 6, 6], "g": list("aabb")},
        {"x": [2.5, 2.5, 5.5, 5.5], "y": [6.0, 6, 0, 0], "g": list("abbb")},
    )

    sd = math.sqrt(12)
    assert dict(found.means) == {"x": pytest.approx(1 / sd), "y": 0}
    assert dict(found.spreads) == {"x": pytest.approx(1 / 2), "y": pytest.approx(1)}
    # The quantiles before are 0, 0, 3, 6, 6.
    assert found.quantiles["x"] == pytest.approx([2.5 / sd, 2.5 / sd, 1 / sd, -0.5 / sd, -0.5 / sd])
    assert found.quantiles["y"] == pytest.approx([0] * 5)
    assert dict(found.correlations) == {("x", "y"): pytest.approx(-2)}
    assert found.correlation == pytest.approx(2)
    assert dict(found.levels) == {"g": 0.25}


LEVELS = {
    "same": ("aabb", "abab", 0),
    "shares, not counts": ("aabb", "ab", 0),
    "one of four": ("aabb", "abbb", 1 / 4),
    "one lost": ("abc", "aab", 1 / 3),
    "all but one lost": ("abcd", "aaaa", 3 / 4),
}


@pytest.mark.parametrize("case", LEVELS)
def test_levels_by_hand(case: str) -> None:
    before, after, expected = LEVELS[case]

    found = kept({"g": list(before)}, {"g": list(after)}, same_rows=False)

    assert found.levels["g"] == pytest.approx(expected)
    assert (dict(found.means), dict(found.correlations), found.correlation) == ({}, {}, 0.0)


def test_equal_tables_in_other_units_and_orders() -> None:
    rng = np.random.default_rng(2)
    x, y = rng.normal(size=(2, 500))
    columns = {"x": x, "y": x + y, "z": y, "g": rng.choice(list("abc"), 500)}
    order = rng.permutation(500)
    shuffled = {name: values[order] for name, values in columns.items()}
    far = {**columns, "x": 1e8 + x, "y": 1e60 * (x + y), "z": 1e-60 * y}

    for other in (columns, shuffled):
        found = kept(columns, other)
        assert dict(found.means) == {"x": 0, "y": 0, "z": 0}
        assert dict(found.spreads) == {"x": 1, "y": 1, "z": 1}
        assert dict(found.quantiles) == dict.fromkeys("xyz", (0,) * len(QUANTILES))
        assert found.correlation < 1e-14
        assert dict(found.levels) == {"g": 0}
    drawn = {**columns, "x": x + 0.1, "z": -y}
    one, other_unit = kept(columns, drawn), kept(far, {**far, "x": 1e8 + x + 0.1, "z": -1e-60 * y})
    assert one.correlation > 0.5
    for pair in one.correlations:
        assert other_unit.correlations[pair] == pytest.approx(one.correlations[pair], abs=1e-7)
    assert other_unit.means["x"] == pytest.approx(one.means["x"], rel=1e-6)


def test_tables_of_other_lengths_against_pandas() -> None:
    rng = np.random.default_rng(4)
    before = pd.DataFrame(rng.gamma(2, 1, (300, 3)) + 5, columns=list("xyz"))
    after = pd.DataFrame(rng.gamma(3, 1, (200, 3)), columns=list("xyz"))

    found = preservation(before, after, same_rows=False)

    sd = before.std()
    assert dict(found.means) == pytest.approx(dict((after.mean() - before.mean()) / sd))
    assert dict(found.spreads) == pytest.approx(dict(after.std() / sd))
    quantiles = (after.quantile(list(QUANTILES)) - before.quantile(list(QUANTILES))) / sd
    correlations = after.corr() - before.corr()
    for name in "xyz":
        assert found.quantiles[name] == pytest.approx(quantiles[name].tolist())
    assert list(found.correlations) == [("x", "y"), ("x", "z"), ("y", "z")]
    for (one, other), value in found.correlations.items():
        assert value == pytest.approx(correlations.loc[one, other])


def test_a_constant_released_column_has_no_correlation() -> None:
    found = kept({"x": [1.0, 2, 3], "y": [1.0, 2, 3]}, {"x": [2.0, 2, 2], "y": [1.0, 2, 3]})

    assert found.spreads["x"] == 0
    assert found.correlations["x", "y"] == pytest.approx(-1)


@pytest.mark.parametrize("rows", [[0, 1, 2, 3], [3, 2, 1, 0], [2, 0, 3, 1]])
def test_order_of_rows(rows: list[int]) -> None:
    before, after = np.array([0.1, 0.2, 0.7, 9.3]), np.array([0.3, 0.3, 0.6, 8.1])

    one = preservation(before, after)
    other = preservation(before[rows], after[rows])

    assert (one.means, one.spreads, one.quantiles) == (other.means, other.spreads, other.quantiles)


def test_plain_values() -> None:
    pair = as_pair([[0.0, 0], [0, 6], [6, 6]], [[0.0, 0], [0, 6], [6, 6]])

    plain = preservation(pair).to_dict()

    assert json.loads(json.dumps(plain)) == plain
    assert plain["correlations"] == [["0", "1", 0.0]]
    assert plain["at"] == [0.05, 0.25, 0.5, 0.75, 0.95]
    assert plain["largest correlation"] == 0.0
