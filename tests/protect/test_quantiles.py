"""Numbers given back by rank: every knot, and either end, stands on k persons."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from discreet.arguments import Floats
from discreet.protect.quantiles import given_back, resized, shortened
from tests.cases import examples


def chance(seed: int) -> Callable[[str, int], Floats]:
    """Draw numbers by their name, as a secret does."""

    def of(name: str, count: int) -> Floats:
        return np.random.default_rng([seed, *name.encode()]).uniform(size=count)

    return of


@given(
    st.integers(2, 6),
    st.integers(0, 60),
    st.sampled_from([0, 1, 9]),
    st.booleans(),
    st.integers(0, 2**20),
)
@settings(max_examples=examples(300), deadline=None)
def test_k_persons_have_the_ends_or_lie_beyond(
    k: int, more: int, digits: int, several: bool, seed: int
) -> None:
    random = np.random.default_rng(seed)
    n = 2 * k + more
    raw = np.round(random.standard_t(1, n) * random.choice([1e-200, 1.0, 1e90]), digits)
    persons = np.arange(n)
    if several:  # of each person a row or more
        again = random.integers(0, n, random.integers(0, 2 * n))
        raw, persons = np.append(raw, random.choice(raw, len(again))), np.append(persons, again)
    latent = random.normal(size=200)
    whose = persons if several else None
    out = given_back(latent, np.zeros(200), raw, whose, chance(seed), k)

    assert len(np.unique(persons[raw <= out.min()])) >= k
    assert len(np.unique(persons[raw >= out.max()])) >= k


def test_an_outlier_moves_no_end() -> None:
    raw = np.arange(60.0)
    far = np.append(raw[:-1], 1e6)
    latent = np.linspace(-3, 3, 50)
    found = [given_back(latent, np.zeros(50), x, None, chance(1), 5).max() for x in (raw, far)]

    assert max(found) <= 55


def test_a_value_of_many_is_kept_as_it_is() -> None:
    raw = np.concatenate([np.full(50, 3.14159), np.linspace(10, 20, 50)])
    out = given_back(np.arange(40.0), np.zeros(40), raw, None, chance(1), 5)

    assert (out == 3.14159).sum() == pytest.approx(20, abs=5)


def test_equal_columns_have_equal_quantiles() -> None:
    raw = np.random.default_rng(0).normal(size=100)
    latent = np.linspace(0, 1, 30)
    found = [given_back(latent, np.zeros(30), x, None, chance(2), 5) for x in (raw, raw[::-1])]

    np.testing.assert_array_equal(found[0], found[1])


def test_sizes_are_drawn_with_noise_of_a_sample() -> None:
    found = resized(np.full(20_000, 40.0), (np.arange(20_000) + 0.5) / 20_000, 0.5)

    assert found.mean() == pytest.approx(40, rel=1e-3)
    assert found.std() == pytest.approx(0.5 * np.sqrt(40), rel=1e-2)


def test_the_last_digits_of_a_sum_go() -> None:
    assert shortened(np.array([0.1 + 0.2, 0.0, -1e-300, 12345678.900000001])).tolist() == [
        0.3,
        0.0,
        -1e-300,
        12345678.9,
    ]


@pytest.mark.parametrize(("sign", "end"), [(1.0, 54.0), (-1.0, 52.0)])
def test_an_end_lies_where_two_means_lead_to(sign: float, end: float) -> None:
    # of 60 rows, blocks of 7 from the least: the means next to the ends are 51.5 and -49
    raw = sign * np.arange(60.0)
    out = given_back(np.linspace(-3, 3, 500), np.zeros(500), raw, None, of_half, 5)

    assert np.abs(out).max() == end


def test_an_end_is_the_next_mean_where_the_line_leads_beyond_persons() -> None:
    raw = np.concatenate([np.linspace(0, 1, 49), np.linspace(50, 100, 6), np.full(5, 101.0)])
    raw[-4:] += [0.25, 0.5, 0.75, 1]
    out = given_back(np.linspace(-3, 3, 500), np.zeros(500), raw, None, of_half, 5)

    assert out.max() == pytest.approx(75, abs=1)


def of_half(name: str, count: int) -> Floats:
    """Draw the middle always."""
    return np.full(count, 0.5)
