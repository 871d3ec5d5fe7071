"""Shapes of columns: what a linear change leaves, and what other columns do not share."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from discreet.secret import Secret
from discreet.sketch import ENDS, SMALLEST, Ends, Sketch, ends_of, run_digests, sketch_of

Floats = NDArray[np.float64]
SECRET = Secret.from_bytes(bytes(range(32)))


def shape(values: Floats) -> Sketch:
    """Sketch the shape of a column."""
    return sketch_of(run_digests(SECRET, ends_of(np.asarray(values, dtype=float))), SMALLEST)


def shared(old: Floats, new: Floats) -> float:
    """Return the share of the new column's runs that the old one has."""
    return shape(old).shared(shape(new))


def draw(kind: str, seed: int, n: int = 400) -> Floats:
    """Draw a column."""
    rng = np.random.default_rng(seed)
    found: dict[str, Callable[[], Floats]] = {
        "normal": lambda: rng.normal(100, 15, n),
        "glucose": lambda: np.round(rng.normal(95, 12, n)),
        "one decimal": lambda: np.round(rng.lognormal(1, 0.5, n), 1),
        "ages": lambda: rng.integers(18, 90, n).astype(float),
        "ages of many": lambda: rng.integers(18, 90, 30 * n).astype(float),
        "many": lambda: rng.normal(0, 1, 30 * n),
    }
    return found[kind]()


KINDS = ("normal", "glucose", "one decimal", "ages", "ages of many", "many")
CHANGES: dict[str, Callable[[Floats], Floats]] = {
    "mmol/l": lambda x: x / 18.0182,
    "z-score": lambda x: (x - x.mean()) / x.std(),
    "negated": lambda x: -x,
    "Fahrenheit": lambda x: 1.8 * x + 32,
    "turned round": lambda x: 100 - 0.1 * x,
}


@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES)
@pytest.mark.parametrize("kind", KINDS)
def test_a_linear_change_leaves_the_shape(kind: str, change: Callable[[Floats], Floats]) -> None:
    x = draw(kind, 1)

    assert shape(x).told_apart
    assert shared(x, np.random.default_rng(9).permutation(change(x))) > 0.99


@pytest.mark.parametrize("kind", KINDS)
def test_another_sample_has_another_shape(kind: str) -> None:
    assert max(shared(draw(kind, 1), draw(kind, seed)) for seed in range(2, 12)) < 0.3


def test_a_change_that_is_not_linear_alters_it() -> None:
    """Among very many values neighbours lie so near that any smooth change is linear there."""
    x = np.abs(draw("normal", 1)) + 0.5

    assert shared(x, np.log(x)) < 0.1
    assert shared(x, np.round(x, 1)) < 0.1


@pytest.mark.parametrize("kind", KINDS)
def test_a_row_less_hardly_alters_it(kind: str) -> None:
    x = draw(kind, 1)

    assert shared(x, x[1:] * 3) > 0.8


EVEN = {
    "a few levels": np.arange(200.0) % 7,
    "numbered": np.arange(300.0),
    "every tenth": np.arange(300.0) / 10,
    "balanced": np.arange(600.0) % 60,
    "constant": np.ones(50),
    "nothing": np.full(50, np.nan),
}


@pytest.mark.parametrize("values", EVEN.values(), ids=EVEN)
def test_what_is_evenly_spread_has_no_shape_of_its_own(values: Floats) -> None:
    assert not shape(values).told_apart


def held(ends: Ends) -> list[dict[float, int]]:
    """Return the ends as counts of values."""
    pairs = ((ends.low, ends.low_counts), (ends.high, ends.high_counts))
    return [dict(zip(v.tolist(), c.tolist(), strict=True)) for v, c in pairs]


@given(st.lists(st.integers(0, 3000), min_size=1, max_size=60), st.integers(1, 30), st.randoms())
def test_ends_of_parts_are_those_of_the_whole(seeds: list[int], size: int, chance: object) -> None:
    values = np.repeat(seeds, 40) + np.tile(np.arange(40) * 37 % 3001, len(seeds)) * 1.0
    shuffled = np.array(sorted(values, key=lambda _: chance.random()))  # type: ignore[attr-defined]
    parts = np.array_split(shuffled, size)
    found = ends_of(parts[0])
    for part in parts[1:]:
        found = found.and_also(ends_of(part, found))

    counts = Counter(values.tolist())
    different = sorted(counts)
    assert held(found) == [
        {value: counts[value] for value in some} for some in (different[:ENDS], different[-ENDS:])
    ]
