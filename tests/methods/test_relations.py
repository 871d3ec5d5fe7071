"""Relations that hold for all records are found, and put together again."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from discreet.arguments import Floats
from discreet.methods.relations import Relations, relations_of
from tests.cases import examples

RANDOM = np.random.default_rng(5)
A, B = RANDOM.uniform(0, 9, 100), RANDOM.uniform(0, 9, 100)


def as_they_are(name: str, values: Floats) -> Floats:
    """Stand for safe quantiles that are the values."""
    return values


def least(name: str, count: int) -> Floats:
    """Draw the least number that there is, so that k persons or more break what does not hold."""
    return np.zeros(count)


def most(name: str, count: int) -> Floats:
    """Draw the largest number that there is: 2 k - 1 or more break it."""
    return np.full(count, 0.999)


def test_a_sum_is_found_but_for_a_drawn_number_of_persons() -> None:
    wrong = A + B
    wrong[:4] += 1
    numbers = {"a": A, "b": B, "c": wrong}
    assert relations_of({"a": A, "b": B, "c": A + B}, 5, least).sums == {"c": ("a", "b")}
    assert relations_of(numbers, 5, least).sums == {"c": ("a", "b")}
    assert relations_of(numbers, 4, least).sums == {}
    assert relations_of(numbers, 4, most).sums == {"c": ("a", "b")}
    assert relations_of(numbers, 2, most).sums == {}
    assert relations_of(numbers, 4, least, np.arange(100) // 2).sums == {"c": ("a", "b")}


@pytest.mark.parametrize("kind", ["another number", "a gap", "a gap in the first"])
def test_equal_columns_may_differ_for_a_drawn_number_of_persons(kind: str) -> None:
    first, second = A.copy(), A.copy()
    if kind == "another number":
        second[:4] += 1
    else:
        (second if kind == "a gap" else first)[:4] = np.nan
    numbers = {"a": first, "b": second}
    assert relations_of(numbers, 5, least).sums == {"b": ("a",)}
    assert relations_of(numbers, 4, least).sums == {}
    assert relations_of(numbers, 4, most).sums == {"b": ("a",)}


def test_an_order_holds_but_for_a_drawn_number_of_persons() -> None:
    late = A.copy()
    late[:4] = 20.0
    numbers = {"start": late, "end": A + B}
    assert relations_of(numbers, 5, least).orders == (("start", "end"),)
    assert relations_of(numbers, 4, least).orders == ()
    assert relations_of(numbers, 4, most).orders == (("start", "end"),)


def test_what_is_the_same_but_for_a_few_is_no_part_of_a_sum() -> None:
    same = np.full(100, 3.0)
    same[:4] = 5.0
    numbers = {"a": same, "b": A, "c": A + same}
    assert relations_of(numbers, 5, least).sums == {}
    assert relations_of(numbers, 4, least).sums == {"c": ("a", "b")}


def test_a_sum_of_parts_that_hardly_anybody_has_both_of_is_none() -> None:
    a = np.where(np.arange(100) < 55, A, np.nan)
    b = np.where(np.arange(100) < 40, np.nan, B)
    total = np.where(np.isnan(a + b), 99.0, a + b)
    assert relations_of({"a": a, "b": b, "c": total}, 5, least).sums == {}


def test_orders_in_a_circle_are_cut() -> None:
    x = np.arange(100.0)
    y, z = x.copy(), x.copy()
    y[:3] += 5
    z[3:6] += 5
    found = relations_of({"x": x, "y": y, "z": z}, 4, least)
    whole = found.together(found.apart({"x": x, "y": y, "z": z}), {}, as_they_are)
    assert all((whole[low] <= whole[high]).all() for low, high in found.orders)
    assert not {(high, low) for low, high in found.orders} & {*found.orders}


def test_bounds_hold_after_columns_are_put_together() -> None:
    found = Relations({"c": ("a", "b")}, (("a", "e"),), {"e": "a"})
    parts = {"a": np.array([4.0, 9.0]), "b": np.array([1.0, 9.0]), "e": np.array([1.0, 50.0])}
    whole = found.together(parts, {"c": (0.0, 10.0), "e": (0.0, 20.0)}, as_they_are)
    assert whole["c"].tolist() == [5.0, 10.0]
    assert whole["e"].tolist() == [5.0, 20.0]
    np.testing.assert_allclose(whole["a"] + whole["b"], whole["c"])


def test_parts_of_a_bounded_sum_keep_their_own_bounds() -> None:
    found = Relations({"c": ("a", "b")}, (), {})
    parts = {"a": np.array([4.0, 9.0, 1.0, np.nan]), "b": np.array([3.0, 9.0, 1.0, 1.0])}
    bounds = {"c": (6.0, 10.0), "a": (4.0, 20.0), "b": (0.0, 9.0)}
    whole = found.together(parts, bounds, as_they_are)
    assert whole["c"].tolist()[:3] == [7.0, 10.0, 6.0]
    for name, (low, high) in bounds.items():
        known = whole[name][:3]
        assert low <= known.min() <= known.max() <= high
    np.testing.assert_allclose(whole["a"] + whole["b"], whole["c"])


def by_rank(column: Floats) -> Callable[[str, Floats], Floats]:
    """Stand for safe quantiles of a column that is known."""

    def safe(name: str, latent: Floats) -> Floats:
        share = (np.argsort(np.argsort(latent, kind="stable")) + 0.5) / len(latent)
        return np.quantile(column, share)

    return safe


@given(st.integers(1, 200), st.sampled_from([0, 1, 12]), st.floats(0, 100), st.integers(0, 2**20))
@settings(max_examples=examples(300), deadline=None)
def test_ends_have_their_own_margin_and_keep_times(
    n: int, digits: int, size: float, seed: int
) -> None:
    random = np.random.default_rng(seed)
    start = np.round(random.normal(0, 10, n), digits)
    took = np.round(size * random.exponential(1, n) * (random.uniform(size=n) < 0.7), digits)
    took[random.uniform(size=n) < 0.1] = np.nan
    column = np.round(random.normal(random.uniform(-20, 20), 10 + size, 50), digits)
    found = Relations({}, (("s", "e"),), {"e": "s"})
    whole = found.together({"s": start, "e": took}, {}, by_rank(column))
    both = ~np.isnan(took)
    end, low = whole["e"][both], whole["s"][both]
    least, most = np.quantile(column, [0.5 / max(len(end), 1), 1 - 0.5 / max(len(end), 1)])
    inner = (end > least) & (end < most) & (low == start[both])
    time, before = (end - low)[inner], took[both][inner]

    assert (low <= end).all()
    assert np.isnan(whole["e"][~both]).all()
    assert (end >= least).all()
    assert (end <= most).all()
    assert (time >= before / 2 - 1e-6).all()
    assert (time <= np.minimum(before * 2, np.nanmax(took, initial=0)) + 1e-6).all()


def test_ends_whose_times_are_of_others_get_their_margin_back() -> None:
    start, took = A, 9 - A + B / 9  # an end is always about 9
    wrong = np.random.default_rng(1).permutation(took)
    found = Relations({}, (("a", "e"),), {"e": "a"})
    right = np.sort(start + took)
    whole = found.together({"a": A, "e": wrong}, {}, by_rank(right))["e"]
    off = [np.abs(np.sort(x) - right).mean() for x in (A + wrong, whole)]
    assert off[1] < off[0] / 2


def test_no_start_is_beyond_the_farthest_end() -> None:
    found = Relations({}, (("a", "b"), ("b", "c")), {})
    numbers = {"a": [9.0, 1.0, 7.0], "b": [8.0, 2.0, np.nan], "c": [3.0, 6.0, 1.0]}
    whole = found.together({n: np.array(x) for n, x in numbers.items()}, {}, as_they_are)
    assert whole["a"].tolist() == [6.0, 1.0, 7.0]
    assert whole["b"].tolist()[:2] == [6.0, 2.0]
    assert whole["c"].tolist() == [6.0, 6.0, 1.0]


def test_what_stands_on_a_column_left_out_is_left_out() -> None:
    found = Relations({"c": ("a", "b"), "d": ("c", "x")}, (), {"a": "s"})
    assert found.unmade({"s"}) == {"a", "c", "d"}
    assert found.unmade({"other"}) == set()
    assert found.within({"a", "b", "c"}) == Relations({"c": ("a", "b")}, (), {})


@given(
    st.dictionaries(st.sampled_from("abc"), st.sampled_from([1, 24, 1440]), max_size=3),
    st.integers(0, 2**20),
)
@settings(max_examples=examples(200), deadline=None)
def test_columns_of_parts_are_whole_multiples_and_in_order(
    parts: dict[str, int], seed: int
) -> None:
    random = np.random.default_rng(seed)
    drawn = {name: random.normal(18_000, 3, 40) for name in "abc"}
    found = Relations({}, (("a", "b"), ("b", "c")), {})
    whole = found.together(drawn, {}, as_they_are, parts)
    assert (whole["a"] <= whole["b"]).all()
    assert (whole["b"] <= whole["c"]).all()
    for name, of in parts.items():
        np.testing.assert_allclose(whole[name] * of, np.round(whole[name] * of), rtol=1e-12)


def test_an_end_told_coarser_than_its_start_is_no_difference_from_it() -> None:
    start = np.round(A * 1440) / 1440
    numbers = {"start": start, "end": np.ceil(start + B)}

    def after(parts: dict[str, int]) -> dict[str, str]:
        found = relations_of(numbers, 5, least, None, parts)
        assert found.orders == (("start", "end"),)
        return {**found.after}

    assert after({}) == after({"start": 1, "end": 1440}) == {"end": "start"}
    assert after({"start": 1440, "end": 1}) == after({"end": 1}) == {}
