"""Numbers given back by rank: every knot, and either end, stands on k persons."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from discreet.arguments import Floats
from discreet.protect.quantiles import drawn_for, given_back, noised, noised_parts
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
    out = given_back(latent, np.zeros(200), raw, whose, chance(seed), k, 2.0)

    assert len(np.unique(persons[raw <= out.min()])) >= k
    assert len(np.unique(persons[raw >= out.max()])) >= k


def test_an_outlier_moves_no_end() -> None:
    raw = np.arange(60.0)
    far = np.append(raw[:-1], 1e6)
    latent = np.linspace(-3, 3, 50)
    found = [given_back(latent, np.zeros(50), x, None, chance(1), 5, 0.5).max() for x in (raw, far)]

    assert max(found) <= 55


def test_a_value_of_many_is_kept_as_it_is() -> None:
    raw = np.concatenate([np.full(50, 3.14159), np.linspace(10, 20, 50)])
    out = given_back(np.arange(40.0), np.zeros(40), raw, None, chance(1), 5, 2.0)

    assert (out == 3.14159).sum() == pytest.approx(20, abs=5)


def test_equal_columns_have_equal_quantiles() -> None:
    raw = np.random.default_rng(0).normal(size=100)
    latent = np.linspace(0, 1, 30)
    found = [given_back(latent, np.zeros(30), x, None, chance(2), 5, 2.0) for x in (raw, raw[::-1])]

    np.testing.assert_array_equal(found[0], found[1])


EVEN = (np.arange(20_000) + 0.5) / 20_000


@pytest.mark.parametrize(
    ("count", "sd", "least", "spread"),
    [
        (40.0, 3.0, 0.0, 3.0),
        (400.0, 12.0, 5.0, 12.0),
        (10.0, 11.0, 0.0, 10.0),  # no more than the count itself
        (10.0, 11.0, 5.0, 7.6),  # that an exponential one has, drawn in beyond 5 by .82
        (6.0, 6.0, 5.0, 1.9),  # by .38
        (5.0, 6.0, 5.0, 0.0),
        (2.0, 6.0, 5.0, 0.0),  # raised to the least
        (0.0, 6.0, 0.0, 0.0),
    ],
)
def test_counts_have_noise_and_keep_their_mean(
    count: float, sd: float, least: float, spread: float
) -> None:
    found = noised(np.full(20_000, count), EVEN, sd, least)

    assert found.min() >= least
    assert found.mean() == pytest.approx(max(count, least), rel=1e-2)
    assert found.std() == pytest.approx(spread, rel=0.1, abs=1e-9)


@pytest.mark.parametrize("parts", [1, 2, 3, 8, 53])
def test_parts_have_noise_each_and_together_and_their_sum_stays(parts: int) -> None:
    random, sizes = np.random.default_rng(1), np.full(parts, 60.0)
    found = np.array(
        [noised_parts(sizes, random.uniform(size=drawn_for(parts)), 6.0) for _ in range(2000)]
    )

    np.testing.assert_allclose(found.sum(axis=1), sizes.sum())
    if parts > 2:
        np.testing.assert_allclose(found.mean(axis=0), sizes, rtol=0.05)
        assert found.std(axis=0).min() > 5
        halves = found[:, : parts // 2].sum(axis=1)
        assert 4 < halves.std() < 2.5 * 6


def test_parts_of_nothing_stay_nothing() -> None:
    sizes = np.array([5.0, 0.0, 0.0, 7.0, 0.0])
    found = noised_parts(sizes, np.random.default_rng(2).uniform(size=drawn_for(5)), 3.0)

    assert (found[sizes == 0] < 1e-9).all()
    assert found.sum() == pytest.approx(12)


@pytest.mark.parametrize(
    ("wrong", "whole"),
    [(4, (True, True)), (5, (False, True)), (8, (False, True)), (9, (False,) * 2)],
)
def test_a_column_is_whole_but_for_a_drawn_number(wrong: int, whole: tuple[bool, bool]) -> None:
    raw = np.random.default_rng(6).integers(0, 150, 400).astype(np.float64)
    raw[: 40 * wrong : 40] += 0.5
    latent = np.linspace(-3, 3, 300)

    def drawn(value: float) -> bool:
        def fixed(name: str, count: int) -> Floats:
            return np.full(count, value) if name == "step" else chance(3)(name, count)

        out = given_back(latent, np.zeros(300), raw, None, fixed, 5, 2.0)
        return bool((out == np.round(out)).all())

    assert (drawn(0.0), drawn(0.999)) == whole


@pytest.mark.parametrize("grain", [0.1, 0.2, 0.25, 0.5, 5.0, 100.0])
def test_a_column_keeps_its_grain_where_numbers_are_near_0(grain: float) -> None:
    raw = np.round(np.random.default_rng(7).normal(9, 9, 500)) * grain
    out = given_back(np.linspace(-3, 3, 400), np.zeros(400), raw, None, of_half, 5, 2.0)

    assert len(np.unique(out)) > 20
    # but for the ends, which are means of several
    assert np.abs(out / grain - np.round(out / grain))[12:-12].max() < 1e-6


def test_few_numbers_beside_zeros_are_not_rounded_to_them() -> None:
    raw = np.concatenate([np.zeros(9940), np.random.default_rng(8).uniform(3, 7, 60)])
    out = given_back(np.linspace(-3, 3, 9000), np.zeros(9000), raw, None, of_half, 5, 2.0)

    assert 3 <= out.max() <= 7


def test_no_person_decides_on_a_step() -> None:
    random = np.random.default_rng(4)
    raw = random.normal(50, 13, 400)
    far = np.append(raw[:-1], 1e5)
    latent = np.linspace(-3, 3, 300)

    def step(column: Floats) -> float:
        out = np.unique(given_back(latent, np.zeros(300), column, None, of_half, 5, 2.0))
        return float(np.diff(out[5:-5]).min())

    assert step(raw) == pytest.approx(0.2)
    assert step(far) == pytest.approx(0.2)


@pytest.mark.parametrize(("sign", "end"), [(1.0, 54.0), (-1.0, 52.0)])
def test_an_end_lies_where_two_means_lead_to(sign: float, end: float) -> None:
    # of 60 rows, blocks of 7 from the least: the means next to the ends are 51.5 and -49
    raw = sign * np.arange(60.0)
    out = given_back(np.linspace(-3, 3, 500), np.zeros(500), raw, None, of_half, 5, 2.0)

    assert np.abs(out).max() == end


def test_an_end_is_the_next_mean_where_the_line_leads_beyond_persons() -> None:
    raw = np.concatenate([np.linspace(0, 1, 49), np.linspace(50, 100, 6), np.full(5, 101.0)])
    raw[-4:] += [0.25, 0.5, 0.75, 1]
    out = given_back(np.linspace(-3, 3, 500), np.zeros(500), raw, None, of_half, 5, 2.0)

    assert out.max() == pytest.approx(75, abs=1)


def of_half(name: str, count: int) -> Floats:
    """Draw the middle always."""
    return np.full(count, 0.5)
