"""What every row method rests on: spreads, an order of their own, persons with several rows."""

from __future__ import annotations

import traceback
from collections import Counter, defaultdict
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from discreet.arguments import Floats, Labels, as_matrix
from discreet.errors import BrokenPromiseError, InputError, RefusedError
from discreet.methods import Condensation, Deterministic, Microaggregation, Probabilistic, Rounding
from discreet.methods.base import (
    RowMethod,
    by_person,
    check_groups_of_persons,
    check_normals,
    lexicographic,
    means_of_persons,
    ordered_spread,
    persons_in,
    refuse_persons,
    rows_by_stratum,
    sd_of,
    several_rows,
    standardise,
)
from discreet.methods.rounding import ColumnRounding
from tests.cases import examples

BAD: dict[str, tuple[Any, str]] = {
    "text": ([["Canary Alice", 1]], "only numbers"),
    "ragged": ([[1.0, 2.0], [3.0]], "only numbers"),
    "no rows": (np.empty((0, 2)), "at least one row"),
    "infinite": ([[1.0], [np.inf]], "missing or infinite"),
}


@pytest.mark.parametrize("case", BAD)
def test_what_is_no_table_of_numbers_is_refused_without_quoting_it(case: str) -> None:
    values, message = BAD[case]
    with pytest.raises(InputError, match=message) as caught:
        as_matrix(values)
    assert "Canary" not in "".join(traceback.format_exception(caught.value))


def test_spread_is_mean_and_sd_with_n_less_1() -> None:
    mean, sd = ordered_spread(np.array([[1.0, 2.0], [3.0, 6.0]]))
    assert mean.tolist() == [2.0, 4.0]
    assert sd == pytest.approx([2**0.5, 8**0.5], abs=1e-15)


@pytest.mark.parametrize("values", [[4.5, 4.5], [1e-200, 2e-200], [1.7e308, -1.7e308]])
def test_a_column_without_a_usable_sd_is_refused_by_name(values: list[float]) -> None:
    assert sd_of("age", np.array([3.0, 1.0])) == pytest.approx(2**0.5, abs=1e-15)
    with pytest.raises(RefusedError, match="column 'age' is constant"):
        sd_of("age", np.array(values))


values = hnp.arrays(
    np.float64,
    st.tuples(st.integers(2, 30), st.integers(1, 3)),
    elements=st.floats(-1e6, 1e6, allow_subnormal=False),
)


@settings(deadline=None, derandomize=True, max_examples=examples(60))
@given(values, st.randoms(use_true_random=False))
def test_permuted_rows_give_the_same_bits(matrix: Any, random: Any) -> None:
    order = list(range(len(matrix)))
    random.shuffle(order)
    try:
        z, mean, sd = standardise(matrix)
    except RefusedError:
        return
    for layout in (np.ascontiguousarray, np.asfortranarray):
        again, other_mean, other_sd = standardise(layout(matrix[order]))
        assert again.tobytes() == z[order].tobytes()
        assert (other_mean.tobytes(), other_sd.tobytes()) == (mean.tobytes(), sd.tobytes())


REFUSED: dict[str, tuple[Any, str]] = {
    "one row": ([[1.0, 2.0]], "too few rows"),
    "a constant column": ([[1.0, 2.0], [3.0, 2.0]], "column 1 of X is constant"),
    "too wide a column": ([[1e308], [-1e308]], "spans more than can be computed"),
}


@pytest.mark.parametrize(("matrix", "message"), REFUSED.values(), ids=REFUSED)
def test_what_has_no_z_scores_is_refused(matrix: Any, message: str) -> None:
    with pytest.raises(RefusedError, match=message):
        standardise(np.array(matrix))


def test_there_is_one_zero_and_nothing_next_to_it() -> None:
    z = standardise(np.array([[-1.0], [-0.0], [1e-200], [0.0], [-1e-200], [1.0]]))[0]
    assert z[1:5].tobytes() == np.zeros(4).tobytes()


ORDERS: dict[str, tuple[Any, list[int]]] = {
    "by the first column": ([[3, 1], [1, 2], [2, 3]], [1, 2, 0]),
    "then by the second": ([[1, 3], [0, 9], [1, 2]], [1, 2, 0]),
    "equal rows as they came": ([[1, 1], [0, 0], [1, 1]], [1, 0, 2]),
}


@pytest.mark.parametrize(("matrix", "order"), ORDERS.values(), ids=ORDERS)
def test_rows_are_ordered_by_columns_from_the_first_on(matrix: Any, order: list[int]) -> None:
    assert lexicographic(np.array(matrix, dtype=float)).tolist() == order


def test_a_small_stratum_is_refused_without_its_size() -> None:
    with pytest.raises(RefusedError, match="a stratum holds fewer than k rows") as refused:
        rows_by_stratum(np.array([0, 0, 0, 1, 1]), k=3)
    assert not any(character.isdigit() for character in str(refused.value))


@pytest.mark.parametrize("normals", [np.zeros((2, 1)), np.zeros(4), np.full((2, 2), np.nan)])
def test_noise_is_one_finite_number_a_value(normals: Any) -> None:
    with pytest.raises(InputError, match="normals must hold one finite number for each value"):
        check_normals(normals, np.zeros((2, 2)))


K = 3
METHODS: dict[str, RowMethod] = {
    "condensation": Condensation(K),
    "microaggregation": Microaggregation(K),
    "rounding": Rounding("mdav", K),
    "rounding by regions": Rounding("equal_width", K),
}


def visits(seed: int, n: int = 60, most: int = 6) -> tuple[Floats, Floats, Labels]:
    """Make rows of persons who have one to some of them, with their noise."""
    rng = np.random.default_rng(seed)
    persons = np.repeat(np.arange(n), rng.integers(1, most, n))
    rng.shuffle(persons)
    centres = rng.normal(size=(n, 2))
    values = centres[persons] + 0.2 * rng.normal(size=(len(persons), 2))
    return values, rng.normal(size=values.shape), persons


def test_each_person_has_one_mean_in_each_stratum() -> None:
    values = np.array([[1.0, 5.0], [3.0, 7.0], [9.0, 9.0], [4.0, 0.0]])
    strata, persons = np.array([0, 0, 0, 1]), np.array([7, 7, 2, 7])
    means, strata_of, at = means_of_persons(values, strata, persons)
    assert means.tolist() == [[9, 9], [2, 6], [4, 0]]
    assert strata_of.tolist() == [0, 0, 1]
    assert at.tolist() == [1, 1, 0, 2]
    plain = by_person(values, values, strata, None)
    assert plain[0] is values
    assert plain[3] == slice(None)


def test_persons_are_counted_once_for_each_label() -> None:
    labels = np.array([0, 0, 2, 2, 2])
    persons = np.array([4, 4, 4, 5, 5])
    assert persons_in(labels, persons).tolist() == [1, 0, 2]
    assert persons_in(labels, None).tolist() == [2, 0, 3]
    assert several_rows(None) is several_rows(np.array([3, 1])) is None
    assert several_rows(persons) is persons


def test_a_group_of_too_few_persons_breaks_the_promise() -> None:
    groups = np.array([0, 0, 0, 1, 1])
    check_groups_of_persons(groups, np.array([1, 2, 2, 3, 4]), 2)
    with pytest.raises(BrokenPromiseError, match="holds fewer than k people"):
        check_groups_of_persons(groups, np.array([1, 1, 1, 3, 4]), 2)


@pytest.mark.parametrize("method", METHODS.values(), ids=METHODS)
@pytest.mark.parametrize("seed", [1])
def test_neither_order_nor_numbers_of_persons_matter(method: RowMethod, seed: int) -> None:
    values, normals, persons = visits(seed)
    strata = persons % 2
    rng = np.random.default_rng(seed)
    order, numbers = rng.permutation(len(values)), rng.permutation(60)
    found = method(values, normals, strata, persons)
    moved = method(values[order], normals[order], strata[order], numbers[persons[order]])
    assert (moved == found[order]).all()


@pytest.mark.parametrize("method", METHODS.values(), ids=METHODS)
def test_persons_of_one_row_each_are_rows(method: RowMethod) -> None:
    values, normals, _ = visits(3, most=2)
    strata = np.zeros(len(values), dtype=np.intp)
    each = method(values, normals, strata, np.arange(len(values)))
    np.testing.assert_allclose(each, method(values, normals, strata), atol=1e-12)


@pytest.mark.parametrize("name", ["microaggregation", "rounding", "rounding by regions"])
@given(seed=st.integers(0, 2**32))
def test_every_released_row_is_shared_by_k_persons_of_its_stratum(name: str, seed: int) -> None:
    values, normals, persons = visits(seed)
    strata = np.arange(len(values)) % 2  # so that most persons are in both
    found = METHODS[name](values, normals, strata, persons)
    shared = defaultdict(set)
    for row, stratum, person in zip(map(tuple, found.tolist()), strata, persons, strict=True):
        shared[row, stratum].add(person)
    assert min(map(len, shared.values())) >= K


def test_rows_of_one_person_are_in_one_group() -> None:
    values, normals, persons = visits(4)
    strata = np.zeros(len(values), dtype=np.intp)
    found = Microaggregation(K)(values, normals, strata, persons)
    places = defaultdict(set)
    for person, row in zip(persons.tolist(), map(tuple, found.tolist()), strict=True):
        places[person].add(row)
    assert {len(rows) for rows in places.values()} == {1}


def test_who_has_very_many_rows_weighs_no_more_than_others() -> None:
    # Three persons at 0, 0 and 3: one of them has a thousand rows.
    values = np.array([[0.0]] * 1 + [[0.0]] * 1 + [[3.0]] * 1000)
    persons = np.array([0, 1, *[2] * 1000])
    normals, strata = np.zeros_like(values), np.zeros(len(values), dtype=np.intp)
    for method in METHODS.values():
        if not isinstance(method, Rounding) or method.method == "mdav":
            assert set(method(values, normals, strata, persons).ravel().round(9)) == {1.0}
    normals[:] = 1
    # mean and sd of 0, 0 and 3, each once
    drawn = Condensation(K)(values, normals, strata, persons)
    np.testing.assert_allclose(drawn, 1 + np.sqrt(2), rtol=1e-9)


def test_a_column_that_varies_within_persons_alone_is_no_constant_one() -> None:
    values, normals, persons = visits(5, most=2)
    values, persons = np.repeat(values, 3, axis=0), np.repeat(persons, 3)
    visit = np.tile([1.0, 2.0, 3.0], len(values) // 3)
    values = np.column_stack([values, visit])
    normals = np.random.default_rng(5).normal(size=values.shape)
    found = Condensation(K)(values, normals, np.zeros(len(values), dtype=np.intp), persons)
    assert found[:, 2].std() == pytest.approx(visit.std(), rel=0.15)


def test_methods_that_know_rows_alone_refuse_persons() -> None:
    values, normals, persons = visits(6)
    strata = np.zeros(len(values), dtype=np.intp)
    for method in (Deterministic(), Probabilistic(q=0.5), ColumnRounding(k=3)):
        with pytest.raises(RefusedError, match=r"some people have several rows.*'condensation'"):
            method(values, normals, strata, persons)
        assert len(method(values, normals, strata)) == len(values)
    refuse_persons("probabilistic", np.arange(4))


def test_who_knows_all_rows_of_a_person_finds_one_of_them_as_by_a_guess_among_k() -> None:
    k, n, found = 5, 100, Counter[bool]()
    for seed in range(5):
        rng = np.random.default_rng(seed)
        persons = np.repeat(np.arange(n), 5)
        values = rng.normal(size=(n, 3))[persons] + 0.02 * rng.normal(size=(5 * n, 3))
        strata = np.zeros(len(values), dtype=np.intp)
        released = Condensation(k)(values, rng.normal(size=values.shape), strata, persons)
        for person in range(n):
            known = values[persons == person]
            gaps = np.square(released[:, None] - known).sum(axis=2).sum(axis=1)
            found[bool(persons[gaps.argmin()] == person)] += 1
    assert found[True] / found.total() <= 1 / k + 0.03
