"""Robust-Mahalanobis risk: worked by hand, naive twins, the paper's counts, columns left out."""

import math
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from numpy.typing import NDArray
from scipy.spatial.distance import cdist

from discreet.errors import InputError, RefusedError
from discreet.measure import rmd as module
from discreet.measure.pairs import as_pair
from discreet.measure.rmd import SAMPLE, rmd_grid, rmd_risk, robust_covariance
from discreet.protect import deterministic
from tests.measure.r_neighbours import released_by_r

Floats = NDArray[np.float64]

# --- by hand ----------------------------------------------------------------------------------
#
# -3 -1 1 3 has mean 0 and sd s = sqrt(20/3). Its half of (4 + 1 + 1) // 2 = 3 rows closest
# together are -3 -1 1 or -1 1 3, of variance 4 (in s: 4 / s²). The normal quantile of 3/4 makes
# that consistent; all rows lie within the 97.5 % ellipsoid, so the covariance is that of all
# rows, 1.

COLUMN = [-3.0, -1.0, 1.0, 3.0]
SPREAD = math.sqrt(20 / 3)


def half_of(value: float, w1: float) -> float:
    """Return half the interval of a value of COLUMN, in its sd."""
    return w1 * 0.05 * abs(value) / SPREAD


def test_half_an_interval_is_proportional_to_the_distance_from_the_mean() -> None:
    scaled = module._scaled(as_pair(COLUMN, COLUMN), "sdcmicro")

    assert scaled.unit == pytest.approx([half_of(x, 1) for x in COLUMN], rel=1e-3)
    paper = module._scaled(as_pair(COLUMN, COLUMN), "paper")
    assert paper.unit == pytest.approx(200 * scaled.unit**2)  # w1 RMD² / 2 of w1 RMD / 20


def test_risky_by_hand() -> None:
    # The released column is scaled by its own moments, so it comes back on top of the original
    found = rmd_risk(COLUMN, [10 + 7 * x for x in COLUMN])
    assert found.risky1.all()
    # Swapped, the gaps are 2, 2, 2, 2 in units of s, and halves w1 * .05 * (3, 1, 1, 3)
    swapped = [-1.0, -3.0, 3.0, 1.0]
    ends = {3: 2 / 3 / 0.05, 1: 2 / 0.05}
    assert rmd_risk(COLUMN, swapped, w1=ends[3] * 0.99).risky1.tolist() == [False] * 4
    outer = rmd_risk(COLUMN, swapped, w1=ends[3] * 1.01).risky1
    assert outer.tolist() == [True, False, False, True]
    assert rmd_risk(COLUMN, swapped, w1=ends[1] * 1.01).risky1.tolist() == [True] * 4


def test_any_value_inside_is_risky_as_coded_and_all_values_as_described() -> None:
    rng = np.random.default_rng(2)
    x = rng.normal(size=(40, 2))
    y = np.column_stack([x[:, 0], np.roll(x[:, 1], 1)])  # one column stays, one is moved

    assert rmd_risk(x, y).risk1.share == 1
    assert rmd_risk(x, y, variant="paper").risk1.share < 0.2


def test_a_row_at_the_mean_has_no_interval() -> None:
    x = [-3, -1, 0, 1, 3]

    assert rmd_risk(x, x, w1=100).risky1.tolist() == [True, True, False, True, True]
    assert rmd_risk(x, x, w1=0).risk1.count == 0


def test_alone_by_hand() -> None:
    # sd of the released column 4.43; 0, 0 and 1 lie within .25 sd of one another
    y = [0.0, 0.0, 1.0, 5.0, 10.0]
    alone = module._scaled(as_pair([1, 2, 3, 4, 5], y), "sdcmicro")
    sd = float(np.std(y, ddof=1))

    assert alone.isolation(1) * sd == pytest.approx([0, 0, 1, 4, 5])
    assert alone.isolation(2) * sd == pytest.approx([1, 1, 1, 5, 9])
    assert alone.isolation(4) * sd == pytest.approx([10, 10, 9, 5, 10])
    assert np.isinf(alone.isolation(5)).all()


def test_a_row_exactly_w2_away_is_close() -> None:
    x = COLUMN
    gap = float(np.diff((np.array(x) - np.mean(x)) / np.std(x, ddof=1)).max())

    assert rmd_risk(x, x, w2=gap).risk2.count == 0
    assert rmd_risk(x, x, w2=0.999 * gap).risk2.count == 4
    assert rmd_risk(x, x, w2=gap, m=2).risk2.count == 2  # the two inner ones have two others


# --- naive twins ------------------------------------------------------------------------------


def naive(x: Floats, y: Floats, w1: float, w2: float, variant: str) -> tuple[Any, Any]:
    """Follow the description with whole matrices, around the covariance that was fitted."""
    x, y = ((z - np.sort(z.T).mean(axis=1)) / np.sort(z.T).std(axis=1, ddof=1) for z in (x, y))
    covariance = robust_covariance(x)[1]
    squared = np.einsum("ni,ij,nj->n", x, np.linalg.inv(covariance), x)
    inside = np.empty(x.shape, dtype=bool)
    for j in range(x.shape[1]):
        half = w1 * 0.05 * np.sqrt(squared) if variant == "sdcmicro" else w1 * squared / 2
        inside[:, j] = (y[:, j] > x[:, j] - half) & (y[:, j] < x[:, j] + half)
    risky = inside.any(axis=1) if variant == "sdcmicro" else inside.all(axis=1)
    gaps = cdist(y, y)
    np.fill_diagonal(gaps, np.inf)
    return risky, risky & (gaps.min(axis=1) > w2)


@pytest.mark.parametrize("variant", ["sdcmicro", "paper"])
@pytest.mark.parametrize(("w1", "w2"), [(0.01, 0.05), (0.1, 0.2), (1.0, 0.02)])
def test_twin(variant: str, w1: float, w2: float) -> None:
    rng = np.random.default_rng(4)
    x = rng.normal(size=(700, 3)) @ rng.normal(size=(3, 3))
    y = x + rng.normal(0, 0.05, x.shape)
    risky1, risky2 = naive(x, y, w1, w2, variant)

    found = rmd_risk(x, y, w1=w1, w2=w2, variant=variant)

    assert found.risky1.tolist() == risky1.tolist()
    assert found.risky2.tolist() == risky2.tolist()
    assert (found.risk1.count, found.risk2.count) == (risky1.sum(), risky2.sum())
    assert 0 <= found.risk2.count <= found.risk1.count
    assert found.risk1.baseline is not None
    assert found.risk1.baseline < found.risk1.share


def test_units_do_not_matter() -> None:
    rng = np.random.default_rng(14)
    x = rng.normal(size=(800, 2))
    y = x + rng.normal(0, 0.03, x.shape)

    assert rmd_risk(x * 1.8 + 32, y * 1.8 + 32).risk1 == rmd_risk(x, y).risk1


@settings(max_examples=12)
@given(
    hnp.arrays(np.float64, (12, 2), elements=st.integers(0, 9).map(float)),
    st.sampled_from(["sdcmicro", "paper"]),
    st.permutations(range(12)),
)
def test_laws(x: Floats, variant: str, order: list[int]) -> None:
    y = np.roll(x, 1, axis=1)
    try:
        found = rmd_risk(x, y, w1=1, w2=0.1, variant=variant)
    except RefusedError:
        with pytest.raises(RefusedError, match="no column is left"):
            rmd_risk(x[order], y[order], w1=1, w2=0.1, variant=variant)
        return
    other = rmd_risk(x[order], y[order], w1=1, w2=0.1, variant=variant)

    assert (other.risk1, other.risk2, other.excluded) == (
        found.risk1,
        found.risk2,
        found.excluded,
    )
    assert other.risky1.tolist() == found.risky1[order].tolist()
    assert not (found.risky2 & ~found.risky1).any()
    assert rmd_risk(x, y, w1=2, w2=0.1, variant=variant).risk1.count >= found.risk1.count
    assert rmd_risk(x, y, w1=1, w2=0.2, variant=variant).risk2.count <= found.risk2.count
    assert rmd_risk(x, y, w1=1, w2=0.1, m=2, variant=variant).risk2.count >= found.risk2.count


def test_a_grid_is_every_point_of_it() -> None:
    rng = np.random.default_rng(8)
    x = rng.normal(size=(300, 2))
    pair = as_pair(x, x + rng.normal(0, 0.05, x.shape))
    near, far = (0.0, 0.01, 0.1), (0.0, 0.05, 0.5)

    grid = rmd_grid(pair, w1s=near, w2s=far)

    for i, w1 in enumerate(near):
        for j, w2 in enumerate(far):
            alone = rmd_risk(pair, w1=w1, w2=w2)
            assert (grid.risk1[i], grid.risk2[i][j]) == (alone.risk1, alone.risk2)
    assert (grid.w1s, grid.w2s, grid.excluded) == (near, far, ())
    assert grid.risk1[0].count == 0
    assert grid.risk2[2][0].count == grid.risk1[2].count  # nobody is within 0 of another


def test_many_rows_are_measured_by_the_fit_to_some() -> None:
    rng = np.random.default_rng(9)
    x = rng.normal(size=(3 * SAMPLE, 2))
    y = x + rng.normal(0, 0.02, x.shape)
    order = rng.permutation(len(x))

    found, other = rmd_risk(x, y, w1=0.1), rmd_risk(x[order], y[order], w1=0.1)

    assert other.risk1 == found.risk1
    assert other.risky2.tolist() == found.risky2[order].tolist()


# --- the paper --------------------------------------------------------------------------------


@dataclass(frozen=True)
class Passengers:
    """Age and fare, and what is released of them: by our rule for ties, and by the paper's."""

    x: Floats
    ours: Floats
    papers: Floats


@pytest.fixture(scope="module")
def titanic(shared_data: Callable[[str], Path]) -> Passengers:
    table = pd.read_csv(shared_data("titanic.csv"))
    age = table["Age"].fillna(table["Age"].median())
    x = np.column_stack([age, table["Fare"]]).astype(float)
    family = table["SibSp"] + table["Parch"] > 0
    strata = (table["Pclass"].astype(str) + table["Sex"] + family.astype(str)).tolist()
    return Passengers(x, deterministic(x, 3, strata), released_by_r(x, strata, 3))


def test_the_papers_counts(titanic: Passengers) -> None:
    found = rmd_risk(titanic.x, titanic.papers)

    assert (found.risk1.count, found.risk2.count, found.risk1.trials) == (38, 8, 891)
    assert found.excluded == ()
    assert found.risk1.baseline is not None
    assert found.risk1.baseline < 0.02


def test_the_covariance_of_the_passengers(titanic: Passengers) -> None:
    # Six in ten count, and the factor is theirs: with that of 97.5 % it would be .56 and .008
    z = (titanic.x - titanic.x.mean(axis=0)) / titanic.x.std(axis=0, ddof=1)

    covariance = robust_covariance(z)[1]

    assert covariance.diagonal() == pytest.approx([1.326, 0.0192], abs=5e-4)


def test_the_counts_of_our_rows(titanic: Passengers) -> None:
    # 16 rows have other neighbours than the paper's, as far to the last digits: what the search
    # of R takes depends on the order of the rows. Each moves the mean and spread by which all
    # released rows are scaled, and intervals are 0.0005 RMD wide: with ties broken at random, 300
    # times, risk1 runs from 25 to 152 (median 37), risk2 from 5 to 8.
    sd = titanic.x.std(axis=0, ddof=1)
    moved = (np.abs(titanic.ours - titanic.papers) > 0.02 * sd).any(axis=1)

    found = rmd_risk(titanic.x, titanic.ours)

    assert moved.sum() == 16
    assert (found.risk1.count, found.risk2.count) == (22, 5)


def test_the_papers_wording_would_give_hundreds(titanic: Passengers) -> None:
    found = rmd_risk(titanic.x, titanic.papers, variant="paper")

    assert found.risk1.count > 500
    assert found.risk2.count > 50


def test_the_paper_moves_w1_and_w2(titanic: Passengers) -> None:
    # Fig. 5: risk1 grows with w1 and is the same for every w2; risk2 falls with w2
    grid = rmd_grid(titanic.x, titanic.papers, w1s=(0.01, 0.05, 0.1, 0.2), w2s=(0.01, 0.05, 0.1))

    counts = [one.count for one in grid.risk1]
    assert counts == sorted(counts)
    for line in grid.risk2:
        assert [one.count for one in line] == sorted((one.count for one in line), reverse=True)


# --- columns that leave no robust covariance ---------------------------------------------------


def columns(n: int = 60) -> dict[str, Floats]:
    rng = np.random.default_rng(10)
    a, b = rng.normal(size=(2, n))
    half = np.where(np.arange(n) % 5 < 3, 0.0, a)
    hidden = np.where(np.arange(n) % 3 == 0, rng.normal(size=n), a + b)
    return {
        "a": a,
        "b": b,
        "constant": np.full(n, 3.0),
        "half": half,
        "sum": a + 2 * b,
        "mostly sum": hidden,
    }


@pytest.mark.parametrize(
    ("names", "excluded"),
    [
        (["a", "b"], ()),
        (["a", "constant", "b"], ("constant",)),
        (["half", "a", "b"], ("half",)),
        (["a", "b", "sum"], ("sum",)),
        (["sum", "b", "a"], ("a",)),
        (["a", "b", "mostly sum"], ("mostly sum",)),
        (["constant", "a", "half", "b", "sum"], ("constant", "half", "sum")),
    ],
)
def test_degenerate_columns_are_named_and_left_out(
    names: list[str], excluded: tuple[str, ...]
) -> None:
    rng = np.random.default_rng(11)
    held = {name: columns()[name] for name in names}
    x = pa.table(held)
    y = pa.table({name: values + rng.normal(0, 0.05, 60) for name, values in held.items()})
    rest = [name for name in names if name not in excluded]

    found = rmd_risk(x, y, w1=1)

    assert found.excluded == excluded
    assert found.risk1 == rmd_risk(x.select(rest), y.select(rest), w1=1).risk1


def test_a_column_released_as_a_constant_is_left_out() -> None:
    a, b = columns()["a"], columns()["b"]

    found = rmd_risk(pa.table({"a": a, "b": b}), pa.table({"a": a, "b": np.zeros(60)}))
    assert found.excluded == ("b",)


@pytest.mark.parametrize("x", [[5], [5, 5, 5], [0, 0, 0, 9], [[0, 7], [0, 7], [0, 7], [1, 7]]])
def test_no_column_is_left(x: list[Any]) -> None:
    with pytest.raises(RefusedError, match="no column is left to measure distances by"):
        rmd_risk(x, x)


@pytest.mark.parametrize("n", [2, 3, 4, 5])
def test_few_rows(n: int) -> None:
    x = np.random.default_rng(n).normal(size=(n, 2))

    found = rmd_risk(x, x)

    assert found.risk1.trials == n
    assert len(found.excluded) in (0, 1)


# --- bad input --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"w1": -0.01}, "w1 must be at least 0"),
        ({"w2": float("inf")}, "w2 must be a finite number"),
        ({"m": 0}, "m must be a whole number of at least 1"),
        ({"variant": "robust"}, "variant is unknown; choose one of 'sdcmicro', 'paper'"),
    ],
)
def test_bad_parameters(options: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        rmd_risk(COLUMN, COLUMN, **options)


def test_bad_grids() -> None:
    with pytest.raises(InputError, match="w2s must hold at least one number"):
        rmd_grid(COLUMN, COLUMN, w1s=[0.1], w2s=[])


def test_rows_must_correspond() -> None:
    with pytest.raises(InputError, match="rows of both tables must correspond"):
        rmd_risk(as_pair([1, 2, 3], [1, 2], same_rows=False))
