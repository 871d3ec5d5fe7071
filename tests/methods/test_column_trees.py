"""Columns are drawn from leaves of persons who are alike in the columns before."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from discreet.arguments import Floats, Labels
from discreet.keys import row_keys
from discreet.methods import column_trees
from discreet.methods.column_trees import (
    TARGETS,
    UNEVEN,
    UNIT,
    WIDE,
    Before,
    Features,
    donors_evenly,
    exceptions,
    flag_targets,
    level_targets,
    number_targets,
    usual_donor,
)
from discreet.methods.copies import Draws, Levels, Settings, WholeCopy
from discreet.methods.whole import whole_copy
from discreet.secret import Secret

SECRET = Secret.from_bytes(bytes(range(32)))
N = 400


def copied(numbers: dict[str, Floats], levels: dict[str, Levels], version: int = 0) -> WholeCopy:
    keys = row_keys(SECRET, [*numbers.values(), *(it.texts() for it in levels.values())])
    return whole_copy(numbers, levels, Draws(SECRET, bytes([version]), keys), Settings(5, 10))


def test_targets_by_hand() -> None:
    codes = np.array([2, 0, 2, 1, 2, 0])
    number = number_targets(np.array([3.0, 1.0, 1.0, 7.0]), np.array([1.0, 1.0, -1.0, -1.0]))
    assert flag_targets(np.array([True, False])).tolist() == [[WIDE], [0]]
    # The two largest levels have an indicator each; the last one is what is left.
    assert (level_targets(codes, 3, np.zeros((3, TARGETS))) // WIDE).tolist() == [
        *([1, 0], [0, 1], [1, 0]),
        *([0, 0], [1, 0], [0, 1]),
    ]
    assert (number[:, 0] / WIDE).tolist() == [0.125, -0.25, -0.25, 0.375]
    assert number[:, 1].tolist() == [round(0.29 * z * WIDE) for z in (1, 1, -1, -1)]


def before(rows: Labels, gaps: Floats, size: int = 60) -> tuple[Before, Features]:
    """Return two columns of some raw rows, a level and a number with gaps, and of drawn ones."""
    made, drawn, at = Before(Features(len(rows))), Features(size), np.arange(size)
    drawn.add_level(at % 3, made.add_level(rows % 3, 3))
    code = made.add_number(gaps[rows], gaps=True)
    drawn.add_number(np.where(at < 9, np.nan, 1.0), code)
    return made, drawn


def test_linear_predictions_are_made_on_one_thread(monkeypatch: pytest.MonkeyPatch) -> None:
    """More would spin while they wait for one another."""
    made, _ = before(np.arange(60), np.linspace(0, 1, 60))
    threads, solve = list[int](), np.linalg.solve

    def watched(*given: Floats) -> Any:
        threads.extend(it["num_threads"] for it in column_trees.BLAS.info())
        return solve(*given)

    monkeypatch.setattr("numpy.linalg.solve", watched)
    made.fit(np.arange(60)[:, None] % 4, np.arange(60), np.ones(60, dtype=np.int64), 1)
    assert {*threads} == {1}


def test_features_by_hand() -> None:
    """Numbers are codes from 1 on, and 0 where missing; levels rise with the target."""
    made, drawn = Before(Features(6)), Features(3)
    code = made.add_number(np.array([5, np.nan, 5, 7, 6, 7]), gaps=True)
    drawn.add_number(np.array([9, np.nan, 6]), code)
    drawn.add_level(np.array([2, 1, 0]), made.add_level(np.array([0, 0, 1, 1, 2, 2]), 3))
    target = 99 * np.array([[1], [2], [9], [9], [0], [0]])
    fitted = made.fit(target, np.arange(6), np.ones(6, dtype=np.int64), 1)

    (codes,) = made.features.numbers
    edges = np.unique(codes[[0, 4, 3]])
    assert codes.tolist() == [edges[0], 0, edges[0], edges[2], edges[1], edges[2]]
    assert drawn.numbers[0].tolist() == [edges[2], 0, edges[1]]
    assert [order.tolist() for order in fitted.orders] == [[1, 2, 0]]
    flags = [each.linear[1].tolist() for each in (made.features, drawn)]
    assert flags == [[0, UNIT, 0, 0, 0, 0], [0, UNIT, 0]]
    assert [each.linear[2].tolist() for each in (made.features, drawn)] == [
        [UNIT, UNIT, 0, 0, 0, 0],
        [0, 0, UNIT],
    ]
    # Raw rows are found again where they are drawn.
    assert made.features.leaves(fitted).tolist() == fitted.leaf.tolist()


@pytest.mark.parametrize("known", [slice(None), slice(250, None)])
def test_leaves_of_drawn_rows_hang_on_no_order_of_rows(known: slice) -> None:
    x = np.random.default_rng(1).normal(size=300)
    gaps, target = np.where(x < -1, np.nan, x), np.rint(1000 * x).astype(np.int64)[:, None]
    some = np.arange(300)[known]

    def leaves(order: Labels) -> Labels:
        rows = np.flatnonzero(np.isin(order, some))
        ones = np.ones(len(rows), dtype=np.int64)
        made, drawn = before(order, gaps)
        found = made.fit(target[order][rows], rows, ones, 10)
        of_drawn = drawn.leaves(found)
        assert np.bincount(found.leaf)[np.unique(found.leaf)].min() >= 10
        assert np.isin(of_drawn, found.leaf).all()
        own = np.full(300, -1)
        own[order[rows]] = found.leaf
        return np.concatenate([own, of_drawn])

    turned = np.random.default_rng(2).permutation(300)
    np.testing.assert_array_equal(leaves(np.arange(300)), leaves(turned))


@pytest.mark.parametrize("known", [slice(None), slice(250, None)])
def test_products_of_some_rows_are_those_of_them_alone(known: slice) -> None:
    x, rows = np.random.default_rng(3).normal(size=300), np.arange(300)[known]
    made, target = before(np.arange(300), x)[0], np.rint(1000 * x).astype(np.int64)[:, None]
    (got,) = made.features.predicted(made._solved(target[rows], rows), rows)
    design = made.features.design(rows)
    penalty = np.full(design.shape[1], column_trees.RIDGE * column_trees.UNIT**2 / 3)
    penalty[0] = 0
    towards = design.T @ target[rows, 0]
    wanted = design @ np.linalg.solve(design.T @ design + np.diag(penalty), towards)
    np.testing.assert_allclose(got / column_trees.PRECISION, wanted, atol=0.01)
    assert np.corrcoef(wanted, x[rows])[0, 1] > 0.8


def test_nothing_is_drawn_that_no_row_has() -> None:
    """A number is missing where a level is no; one level says what another is."""
    random = np.random.default_rng(4)
    age = random.normal(50, 10, N)
    city = random.integers(0, 9, N)
    smokes = (random.uniform(size=N) < 1 / (1 + np.exp((age - 45) / 9))).astype(np.intp)
    numbers = {"age": age, "packs": np.where(smokes == 1, random.exponential(9, N), np.nan)}
    levels = {
        "city": Levels(tuple("abcdefghi"), city),
        "country": Levels(tuple("xyz"), np.array([0, 2, 1, 1, 0, 2, 0, 1, 2])[city]),
        "smokes": Levels(("no", "yes"), smokes),
    }
    raw = {*zip(levels["city"].texts(), levels["country"].texts(), strict=True)}
    for version in range(5):
        found = copied(numbers, levels, version)
        assert (np.isnan(found.numbers["packs"]) == (found.levels["smokes"].codes == 0)).all()
        texts = [found.levels[name].texts() for name in ("city", "country")]
        assert {*zip(*texts, strict=True)} <= raw


@pytest.mark.slow
def test_many_weak_relations_are_kept_by_a_linear_prediction(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    random = np.random.default_rng(5)
    parts = random.normal(size=(40, N))
    numbers = {f"a{j}": part for j, part in enumerate(parts)}
    numbers["z"] = parts.sum(axis=0) + random.normal(0, 2, N)

    def related() -> float:
        made = copied(numbers, {}).numbers
        return float(
            np.corrcoef(np.sum([made[f"a{j}"] for j in range(40)], axis=0), made["z"])[0, 1]
        )

    kept = related()
    monkeypatch.setattr(column_trees, "PREDICTED", 0)
    assert kept > 2 * abs(related())


# --- donors are of the leaf of the drawn row, each about as often as its others -------------------


@given(st.integers(1, 40), st.integers(0, 80), st.integers(1, 6), st.integers(0, 2**20))
@settings(max_examples=100, deadline=None)
def test_donors_are_of_the_leaf_and_evenly_as_often_as_they_may(
    n: int, drawn: int, leaves: int, seed: int
) -> None:
    random = np.random.default_rng(seed)
    raw = random.integers(0, leaves, n) * 2
    of = random.choice(raw, drawn)
    uniform, own = random.uniform(size=drawn), random.uniform(size=(n, 2))
    found = donors_evenly(raw, of, uniform, own)
    assert (raw[found] == of).all()
    count = np.bincount(found, minlength=n)
    times = np.select([own[:, 1] < UNEVEN / 2, own[:, 1] >= 1 - UNEVEN / 2], [0, 2], 1)
    for leaf in np.unique(raw):
        here = raw == leaf
        may = times[here] if times[here].any() else np.ones(here.sum(), dtype=np.intp)
        rounds = (of == leaf).sum() // may.sum()
        assert (count[here] >= rounds * may).all()
        assert (count[here] <= (rounds + 1) * may).all()


@given(st.integers(1, 9), st.integers(1, 20), st.integers(1, 5), st.integers(0, 2**20))
@settings(max_examples=50, deadline=None)
def test_the_usual_donor_is_the_most_frequent_and_first(
    columns: int, rows: int, kinds: int, seed: int
) -> None:
    donors = np.random.default_rng(seed).integers(0, kinds, (columns, rows))
    counts = [Counter(row.tolist()) for row in donors.T]
    wanted = [min(count, key=lambda it: (-count[it], it)) for count in counts]
    assert usual_donor(list(donors)).tolist() == wanted


# --- persons who break what all others keep -------------------------------------------------------


N_of_exceptions = 200
HALF: Labels = np.repeat([0, 1], N_of_exceptions // 2)
EVERY_SECOND: Labels = np.arange(N_of_exceptions) % 2

# The later column, whose rows are whose, and which rows break a rule.
CASES: dict[str, tuple[Labels, Labels | None, list[int]]] = {
    "nobody breaks it": (HALF * EVERY_SECOND, None, []),
    "one person breaks it": (
        np.where(np.arange(N_of_exceptions) == 8, 1, HALF * EVERY_SECOND),
        None,
        [8],
    ),
    "four people break it": (
        np.where(np.arange(N_of_exceptions) < 4, 1, HALF * EVERY_SECOND),
        None,
        [*range(4)],
    ),
    "five people are no exception": (
        np.where(np.arange(N_of_exceptions) < 5, 1, HALF * EVERY_SECOND),
        None,
        [],
    ),
    "four rows of one person": (
        np.where(np.arange(N_of_exceptions) < 6, 1, HALF * EVERY_SECOND),
        np.where(np.arange(N_of_exceptions) < 3, 0, np.arange(N_of_exceptions)),
        [*range(6)],
    ),
    "a level that few have anywhere": ((np.arange(N_of_exceptions) == 8).astype(np.intp), None, []),
    "nothing to do with it": (EVERY_SECOND, None, []),
}


@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_who_breaks_a_rule(case: tuple[Labels, Labels | None, list[int]]) -> None:
    later, persons, expected = case
    found = exceptions({"half": HALF, "later": later, "after": HALF}, "later", 5, persons)
    assert np.flatnonzero(found).tolist() == expected
