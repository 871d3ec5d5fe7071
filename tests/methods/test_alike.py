"""Rows that are alike: by chance, or because persons stand several times."""

from collections.abc import Callable

import numpy as np
import pytest

from discreet.arguments import Floats, Labels
from discreet.methods.alike import CELLS, alike, as_codes, persons_of_alike

Columns = tuple[dict[str, Floats], dict[str, Labels]]
N = 300


def persons(n: int = N, seed: int = 1) -> Columns:
    """Make a table of persons with few things in common: two numbers that hang together, levels."""
    draw = np.random.default_rng(seed)
    age = draw.integers(18, 80, n).astype(np.float64)
    bmi: Floats = np.round(22 + age / 20 + draw.normal(0, 4, n), 1)
    numbers: dict[str, Floats] = {"age": age, "bmi": bmi}
    return numbers, {"sex": draw.integers(0, 2, n), "region": draw.integers(0, 8, n)}


def few_levels(n: int = 900) -> Columns:
    """Make a table like that of the Titanic without ages: its rows are alike by chance."""
    draw = np.random.default_rng(2)
    sex, rank = draw.integers(0, 2, n), draw.integers(0, 3, n)
    return {"parents": draw.poisson(0.4, n).astype(np.float64)}, {
        "sex": sex,
        "rank": rank,
        "survived": (draw.random(n) < 0.2 + 0.5 * sex - 0.1 * rank).astype(np.intp),
    }


def ages_alone(n: int = 900) -> Columns:
    draw = np.random.default_rng(3)
    age: Floats = draw.integers(18, 80, n).astype(np.float64)
    born: Floats = 2000 - age
    return {"age": age, "born": born}, {}


def ages_and_levels(n: int = 900) -> Columns:
    numbers, codes = ages_alone(n)
    return numbers, codes | {"sex": np.random.default_rng(4).integers(0, 2, n)}


def hospitals(n: int = 900) -> Columns:
    """Make a table of what is said of forty places alone."""
    at = np.random.default_rng(5).integers(0, 40, n)
    beds: Floats = at.astype(np.float64) * 10
    return {"beds": beds}, {"place": at, "region": at // 5}


def taken(columns: Columns, rows: Labels) -> Columns:
    numbers, codes = columns
    return {n: it[rows] for n, it in numbers.items()}, {n: it[rows] for n, it in codes.items()}


def visits(columns: Columns, most: int = 40) -> Columns:
    """Return a table joined with visits: of some persons one, of others very many."""
    n = len(next(iter(columns[0].values())))
    draw = np.random.default_rng(6)
    times = np.minimum(1 + draw.geometric(0.15, n), most)
    return taken(columns, draw.permutation(np.repeat(np.arange(n), times)))


def noisy(columns: Columns, sd: float) -> Columns:
    draw = np.random.default_rng(7)
    numbers, codes = columns
    made = {n: it + draw.normal(0, sd * it.std(), len(it)) for n, it in numbers.items()}
    return made, codes


REPEATED: dict[str, Callable[[], Columns]] = {
    "each twice": lambda: taken(persons(), np.tile(np.arange(N), 2)),
    "joined with visits": lambda: visits(persons()),
    "with noise of 1e-4 sd": lambda: noisy(visits(persons()), 1e-4),
    "with a number of each visit": lambda: _numbered(visits(persons())),
    "with a name of each person": lambda: taken(
        (persons()[0], persons()[1] | {"name": np.arange(N)}), np.repeat(np.arange(N), 5)
    ),
    "with gaps": lambda: visits(_with_gaps()),
    "one far out": lambda: taken(_far(), np.repeat(np.arange(N), 6)),
    "a few of many": lambda: taken(persons(3000), np.r_[0:3000, np.repeat(np.arange(30), 20)]),
}
BY_CHANCE: dict[str, Callable[[], Columns]] = {
    "few levels": few_levels,
    "an age and a year of birth": ages_alone,
    "ages and a level": ages_and_levels,
    "what is said of places": hospitals,
    "one number": lambda: ({"x": np.random.default_rng(8).normal(size=N)}, {}),
    "two numbers that hang together": lambda: _pair(0.99),
    "two numbers that are nearly one": lambda: _pair(0.9999),
}


def _numbered(columns: Columns) -> Columns:
    numbers, codes = columns
    visit: Floats = np.arange(len(numbers["age"]), dtype=np.float64) * 7
    return numbers | {"visit": visit}, codes


def _with_gaps() -> Columns:
    numbers, codes = persons()
    age: Floats = np.where(np.arange(N) % 9, numbers["age"], np.nan)
    return numbers | {"age": age}, codes


def _far() -> Columns:
    numbers, codes = persons()
    return numbers | {"bmi": np.r_[1e9, numbers["bmi"][1:]]}, codes


def _pair(r: float) -> Columns:
    x, y = np.random.default_rng(9).normal(size=(2, 900))
    return {"x": x, "y": r * x + np.sqrt(1 - r * r) * y}, {}


@pytest.mark.parametrize("drawn", [0.0, 1.0])
@pytest.mark.parametrize("made", REPEATED.values(), ids=REPEATED)
def test_rows_of_a_person_are_one_persons_whatever_the_secret_draws(
    made: Callable[[], Columns], drawn: float
) -> None:
    numbers, codes = made()
    whose = persons_of_alike(numbers, codes, drawn)
    assert whose is not None
    assert len(np.unique(whose)) < len(whose)


@pytest.mark.parametrize("drawn", [0.0, 1.0])
@pytest.mark.parametrize("made", BY_CHANCE.values(), ids=BY_CHANCE)
def test_rows_that_are_alike_by_chance_stay_persons_of_their_own(
    made: Callable[[], Columns], drawn: float
) -> None:
    numbers, codes = made()
    whose = persons_of_alike(numbers, codes, drawn)
    # Where hardly any two are alike, it does not matter that these are one person's.
    assert whose is None or len(np.unique(whose)) > 0.9 * len(whose)


def test_persons_are_those_whose_rows_they_are() -> None:
    numbers, codes = noisy(taken(persons(), np.repeat(np.arange(N), 6)), 1e-6)
    whose = persons_of_alike(numbers, codes, 0.5)
    assert whose is not None
    assert (whose.reshape(N, 6) == whose.reshape(N, 6)[:, :1]).all(), "all rows of each are one's"
    assert len(np.unique(whose)) > 0.9 * N, "few people are alike in everything"


def test_one_persons_rows_however_many_move_what_decides_by_little() -> None:
    # A table that is near the threshold: were all rows counted, one person would decide it.
    numbers, codes = few_levels()
    many = taken((numbers, codes), np.r_[0:900, np.zeros(500, dtype=np.intp)])
    before, after = alike(numbers, codes, CELLS[0]), alike(*many, CELLS[0])
    assert after.repeats == before.repeats + 500
    assert after.pairs == before.pairs
    assert after.by_chance == before.by_chance


CELLS_BY_HAND = {
    "equal": ([1.0, 1.0, 2.0], [0, 0, 1]),
    "noise": ([1.0, 1.0 + 1e-7, 2.0, 2.0 - 1e-7, 3.0], [0, 0, 1, 1, 2]),
    "gaps are alike": ([np.nan, 1.0, np.nan, 2.0], [2, 0, 2, 1]),
    "one far out parts no others": ([1.0, 2.0, 3.0, *np.arange(4.0, 44.0), 1e12], [*range(44)]),
    "nothing": ([np.nan, np.nan], [0, 0]),
    "a spread of no float": ([-1e308, 1e308, 0.0], [0, 2, 1]),
}


@pytest.mark.parametrize(("values", "cells"), CELLS_BY_HAND.values(), ids=CELLS_BY_HAND)
def test_cells_of_numbers(values: list[float], cells: list[int]) -> None:
    found = as_codes(np.array(values), 0.02)
    assert np.unique(found, return_inverse=True)[1].tolist() == cells
