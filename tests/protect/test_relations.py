"""Relations that hold for all records are found, and put together again."""

from __future__ import annotations

import numpy as np

from discreet.protect.relations import Relations, relations_of

RANDOM = np.random.default_rng(5)
A, B = RANDOM.uniform(0, 9, 100), RANDOM.uniform(0, 9, 100)


def test_a_sum_is_found_but_for_fewer_than_k_persons() -> None:
    wrong = A + B
    wrong[:4] += 1

    assert relations_of({"a": A, "b": B, "c": A + B}, 5).sums == {"c": ("a", "b")}
    assert relations_of({"a": A, "b": B, "c": wrong}, 5).sums == {"c": ("a", "b")}
    assert relations_of({"a": A, "b": B, "c": wrong}, 4).sums == {}
    assert relations_of({"a": A, "b": B, "c": wrong}, 4, np.arange(100) // 2).sums == {
        "c": ("a", "b")
    }


def test_a_sum_of_parts_that_hardly_anybody_has_both_of_is_none() -> None:
    a = np.where(np.arange(100) < 55, A, np.nan)
    b = np.where(np.arange(100) < 40, np.nan, B)
    total = np.where(np.isnan(a + b), 99.0, a + b)

    assert relations_of({"a": a, "b": b, "c": total}, 5).sums == {}


def test_orders_in_a_circle_are_cut() -> None:
    x = np.arange(100.0)
    y, z = x.copy(), x.copy()
    y[:3] += 5
    z[3:6] += 5
    found = relations_of({"x": x, "y": y, "z": z}, 3)
    whole = found.together(found.apart({"x": x, "y": y, "z": z}), {})

    assert all((whole[low] <= whole[high]).all() for low, high in found.orders)
    assert not {(high, low) for low, high in found.orders} & {*found.orders}


def test_bounds_hold_after_columns_are_put_together() -> None:
    found = Relations({"c": ("a", "b")}, (("a", "e"),), {"e": "a"})
    parts = {"a": np.array([4.0, 9.0]), "b": np.array([1.0, 9.0]), "e": np.array([1.0, 50.0])}
    whole = found.together(parts, {"c": (0.0, 10.0), "e": (0.0, 20.0)})

    assert whole["c"].tolist() == [5.0, 10.0]
    assert whole["e"].tolist() == [5.0, 20.0]
    np.testing.assert_allclose(whole["a"] + whole["b"], whole["c"])


def test_parts_of_a_bounded_sum_keep_their_own_bounds() -> None:
    found = Relations({"c": ("a", "b")}, (), {})
    parts = {"a": np.array([4.0, 9.0, 1.0, np.nan]), "b": np.array([3.0, 9.0, 1.0, 1.0])}
    bounds = {"c": (6.0, 10.0), "a": (4.0, 20.0), "b": (0.0, 9.0)}
    whole = found.together(parts, bounds)

    assert whole["c"].tolist()[:3] == [7.0, 10.0, 6.0]
    for name, (low, high) in bounds.items():
        known = whole[name][:3]
        assert low <= known.min() <= known.max() <= high
    np.testing.assert_allclose(whole["a"] + whole["b"], whole["c"])


def test_what_stands_on_a_column_left_out_is_left_out() -> None:
    found = Relations({"c": ("a", "b"), "d": ("c", "x")}, (), {"a": "s"})

    assert found.unmade({"s"}) == {"a", "c", "d"}
    assert found.unmade({"other"}) == set()
    assert found.within({"a", "b", "c"}) == Relations({"c": ("a", "b")}, (), {})
