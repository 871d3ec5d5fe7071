"""Values that may be drawn: of many persons as they are, of others around means of blocks."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from discreet.arguments import Floats
from discreet.methods import safe_values
from discreet.methods.copies import ONE, Chance
from discreet.methods.safe_values import BEYOND, SafeColumn, safe_column
from tests.cases import examples

NORMAL = np.random.default_rng(7).normal(50, 10, 400)


def chance(seed: int) -> Chance:
    """Draw numbers by their name, as a secret does."""
    return lambda name, count: np.random.default_rng([seed, *name.encode()]).uniform(size=count)


def always(share: float) -> Chance:
    """Draw the same number always, and no noise: with 0 the least number of persons."""
    return lambda name, count: np.full(count, 0.5 if "noise" in name else share)


def column(
    x: Floats, draws: Chance, k: int = 5, m: int = 10, rows: int = 1, beyond: float = BEYOND
) -> SafeColumn:
    """Return safe values, of persons who have so many rows each, one after the other."""
    weights, persons = np.full(len(x), ONE // rows, dtype=np.int64), np.arange(len(x)) // rows
    return safe_column(x, weights, draws, lambda what: draws(what, len(x)), k, m, beyond, persons)


# Of m = 4 persons: 4 in each block, or 7 and 5 at an end. Of an end of 4 there are excesses of 0
# to 3 beyond its inner edge, of which 3 is capped to 2; of one of 5 those of 0 to 4 stay. None is
# drawn beyond 1.4 times 2, the second or the third farthest, on a grid: of 1.47 (at 2.93), and of
# 1.96, where 1.94 is below the mean excess, and the next place is 3.89.
@pytest.mark.parametrize(
    ("share", "sizes", "centres", "halves"),
    [
        (0.0, [4, 4, 4, 4], [1.75, 5.5, 9.5, 13.25], [0.9 * 1.25, 2, 2, 0.9 * 1.25]),
        (0.99, [5, 7, 7, 5], [2, 8, 15, 21], [0.9 * 2, 3.5, 3.5, 0.9 * 2]),
    ],
)
def test_blocks_by_hand_keep_the_sum(
    share: float, sizes: list[int], centres: list[float], halves: list[float]
) -> None:
    x = np.arange(float(sum(sizes)))
    found = column(x, always(share), k=2, m=4)

    assert found.centre.tolist() == np.repeat(centres, sizes).tolist()
    assert found.half == pytest.approx(np.repeat(halves, sizes), rel=1e-12)
    assert found.centre.sum() == x.sum()


@pytest.mark.parametrize(("held", "rows", "stays"), [(19, 1, True), (9, 1, False), (27, 3, False)])
def test_a_value_stays_itself_if_enough_persons_have_it(held: int, rows: int, stays: bool) -> None:
    x = np.concatenate([np.full(held, 55.125), NORMAL])
    kept = [column(x, chance(seed), rows=rows).step[0] == 0 for seed in range(30)]

    assert all(kept) == stays
    assert any(kept) == stays


def test_a_value_of_some_rows_of_many_persons_stays_itself() -> None:
    year = np.tile([2001.0, 2002.0, 2003.0], 19)  # 19 persons have each of the years once
    kept = [column(year, chance(seed), rows=3).step for seed in range(30)]

    assert not any(step.any() for step in kept)


def test_whether_a_value_stays_itself_is_drawn_between() -> None:
    x = np.concatenate([np.full(14, 55.125), NORMAL])
    kept = [column(x, chance(seed)).step[0] == 0 for seed in range(30)]

    assert 5 < sum(kept) < 25


@pytest.mark.parametrize(("persons", "by"), [(1, 0.5), (2, 0.5)])
def test_who_is_far_out_moves_no_mean(
    persons: int, by: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    far = np.append(NORMAL[:-persons], np.full(persons, 50 + 100 * 10))

    def moved() -> float:
        each = [[column(x, chance(s)).centre.mean() for x in (NORMAL, far)] for s in range(20)]
        return float(np.abs(np.diff(each)).max())

    assert moved() < by  # of 2.5 of each, in a sample
    monkeypatch.setattr(safe_values, "EXCESS", np.inf)
    monkeypatch.setattr(safe_values, "SHARE", 1 - 1e-9)
    assert moved() > 2 * persons


def test_one_person_far_out_moves_no_step() -> None:
    far = np.append(NORMAL[:-1], 1e5)
    steps = [np.unique(column(x, chance(1)).step) for x in (NORMAL, far)]

    assert steps[0].tolist() == steps[1].tolist()


def test_the_mean_of_an_end_has_noise() -> None:
    def of(noise: float) -> Floats:
        found = column(NORMAL, lambda name, n: np.full(n, noise if name == "end noise" else 0.5))
        return found.centre[found.order]

    less, none, more = of(0.4), of(0.5), of(0.6)
    for end, sign in ((0, -1), (-1, 1)):
        moved = [sign * (it[end] - none[end]) for it in (less, more)]
        assert moved[0] < -0.5
        assert moved[1] > 0.5
    assert less[20:-20].tolist() == none[20:-20].tolist() == more[20:-20].tolist()


def test_the_mean_stays_beside_a_value_of_many() -> None:
    few = 10 + np.random.default_rng(0).exponential(5, 19)  # enough for a block, always
    x = np.concatenate([np.zeros(380), few])
    ends = [column(x, chance(seed)).centre[380:].mean() for seed in range(40)]

    assert np.mean(ends) == pytest.approx(few.mean(), abs=2)


@pytest.mark.parametrize(("n", "m"), [(19, 10), (5, 5)])
def test_of_so_few_that_they_are_one_block_nobodys_value_is_shown(n: int, m: int) -> None:
    x = np.random.default_rng(1).normal(size=n)
    middle = np.sort(x)[n // 4 : n - n // 4].mean()

    for seed in range(5):
        found = column(x, chance(seed), m=m)
        assert np.unique(found.centre).tolist() == [middle]
        assert not found.half.any()
        assert found.step.all()


def test_of_how_many_beside_a_value_of_many_one_is_drawn_the_secret_says() -> None:
    def shown(persons: int) -> float:
        x = np.concatenate([np.full(persons, 9.0), np.full(90, 3.0)])
        return float(np.mean([column(x, chance(s)).centre.max() > 3 for s in range(60)]))

    # Their value stays where one of 10 to 19 is no more than they are, or they are the block at
    # the end, where one of 10 to 14 is.
    assert [shown(persons) for persons in (9, 14)] == [0, 1]
    assert shown(10) == pytest.approx(1 - 0.9 * 0.8, abs=0.15)
    assert shown(12) == pytest.approx(1 - 0.7 * 0.4, abs=0.15)


@given(
    st.integers(2, 6),
    st.integers(0, 6),
    st.integers(0, 80),
    st.sampled_from([0, 1, 9]),
    st.integers(0, 2**20),
)
@settings(max_examples=examples(200), deadline=None)
def test_values_lie_between_those_of_the_blocks_beside(
    k: int, more: int, n: int, digits: int, seed: int
) -> None:
    random = np.random.default_rng(seed)
    m = k + more
    x = np.round(1 + np.abs(random.standard_t(1, 2 * m + n)), digits)  # enough for a block
    x *= random.choice([-1, 1])  # no few are below 0
    found = column(x, chance(seed), k, m)

    # Rows between two values of many, too few to be a block, have either.
    block = (found.step > 0) | (found.centre == x)
    for value in found.centre[~block]:
        assert (x == value).sum() >= m
    at = found.order[block[found.order]]
    centre, half, raw = found.centre[at], found.half[at], x[at]
    starts = np.flatnonzero(np.diff(centre, prepend=-np.inf))
    assert (np.diff(centre) >= 0).all()
    assert (np.diff(starts, append=len(at)) >= m).all()
    slack = 1e-12 * np.abs(x).max()
    for start in starts[1:]:
        assert centre[start] - half[start] >= raw[start - 1] - slack
        assert centre[start - 1] + half[start - 1] <= raw[start] + slack


@given(st.integers(2, 6), st.integers(12, 80), st.sampled_from([0, 9]), st.integers(0, 2**20))
@settings(max_examples=examples(100), deadline=None)
def test_the_order_of_rows_changes_nothing(k: int, n: int, digits: int, seed: int) -> None:
    random = np.random.default_rng(seed)
    x, turned = np.round(random.normal(0, 2, n), digits), random.permutation(n)
    own, weights = random.uniform(size=n), np.full(n, ONE, dtype=np.int64)
    one = safe_column(x, weights, chance(seed), lambda _: own, k, 2 * k)
    two = safe_column(x[turned], weights, chance(seed), lambda _: own[turned], k, 2 * k)

    for field in ("centre", "half", "step"):  # which of equal values is in which block, it may
        np.testing.assert_array_equal(
            getattr(one, field)[one.order] if digits else np.sort(getattr(one, field)),
            getattr(two, field)[two.order] if digits else np.sort(getattr(two, field)),
        )


@pytest.mark.parametrize(("held", "rows", "below"), [(1, 1, False), (12, 3, False), (9, 1, True)])
def test_numbers_below_0_are_drawn_if_enough_persons_have_one(
    held: int, rows: int, below: bool
) -> None:
    x = np.concatenate([np.linspace(-9, -8, held), np.linspace(0, 2, 90)])
    found = [column(x, chance(seed), rows=rows) for seed in range(20)]

    assert (min(min(it.centre.min(), (it.centre - it.half).min()) for it in found) < 0) == below


def test_ranks_are_given_the_values_of_their_rank() -> None:
    x = np.random.default_rng(7).normal(50, 10, 800)
    values = column(x, chance(3)).by_ranks(np.arange(300.0))

    # At an end are 10 to 32 persons of 800: of 300 values 12 at the most.
    assert np.abs(values - np.quantile(x, (np.arange(300) + 0.5) / 300))[15:-15].max() < 2
    assert values.mean() == pytest.approx(x.mean(), abs=0.1)


def test_noise_moves_what_is_not_kept_within_the_ends_of_the_column() -> None:
    centre, half, step = np.array([[10, 20, 30, 15], [1, 0, 2, 0], [1, 0, 1, 1]], dtype=np.float64)
    found = SafeColumn(centre, half, step, np.array([0, 3, 1, 2]))

    def drawn(noise: float, place: float = 0.5) -> list[float]:
        each = [np.full(4, it) for it in (place, 0.5, noise)]
        return [*found.drawn(np.arange(4), *each)]

    assert drawn(0) == [10, 20, 30, 15]
    assert drawn(2) == [12, 20, 32, 17]
    assert drawn(-1, place=1) == [10, 20, 31, 14]
    assert drawn(100) == drawn(100, place=1) == [32, 20, 32, 32]
    assert drawn(-100) == drawn(-100, place=0) == [9, 20, 9, 9]


def test_the_spread_in_a_leaf_is_that_of_values_that_are_not_kept() -> None:
    centre = np.array([1.0, 10, 100, 3, 10, 16, 50, 7, 9])
    step = np.array([0.5, 1, 0, 0.5, 1, 1, 0, 0, 0])
    leaf = np.array([0, 1, 0, 0, 1, 1, 1, 2, 2])
    found = SafeColumn(centre, np.zeros(9), step, np.argsort(centre))

    # Of 1 and 3; of 10, 10 and 16; of none.
    assert found.spread_in(leaf) == pytest.approx([1, np.sqrt(8), 0], rel=1e-12)


def test_of_dates_nothing_is_drawn_beyond_the_kth_farthest() -> None:
    x, every = np.arange(201.0), np.arange(201)

    def farthest(beyond: float, noise: float) -> tuple[float, float]:
        """Return the least and the largest value that any of 30 secrets draws."""
        low, high = np.inf, -np.inf
        for seed in range(30):
            found = column(x, chance(seed), beyond=beyond)
            for place in (0.0, 1.0):
                each = [np.full(201, it) for it in (place, 0.5, (2 * place - 1) * noise)]
                drawn = found.drawn(every, *each)
                low, high = min(low, drawn.min()), max(high, drawn.max())
        return low, high

    for noise in (0.0, 1000.0):
        low, high = farthest(1.0, noise)
        assert 4 <= low < 8
        assert 192 < high <= 196
        low, high = farthest(BEYOND, noise)
        assert low < 4
        assert high > 196


@pytest.mark.parametrize("sign", [1, -1])
@pytest.mark.parametrize(("beyond", "passed"), [(0, False), (1, False), (2, False), (9, True)])
def test_beyond_the_end_of_a_scale_few_persons_let_nobody_be_drawn(
    beyond: int, passed: bool, sign: int
) -> None:
    """Of m = 20 at an end some are at 100, and some far beyond: it hangs on k to 2 k - 1."""
    scale = np.append(np.linspace(0, 90, 380), np.full(9 + 3 * (beyond < 9), 100.0))
    x = sign * np.append(scale, np.full(beyond, 113.0))
    found = [column(x, chance(seed), m=20) for seed in range(30)]
    farthest = [(sign * it.centre + it.half).max() for it in found]

    assert (max(farthest) > 100 + 1e-9) == passed


def test_how_far_out_an_end_is_drawn_is_nobodys_place(monkeypatch: pytest.MonkeyPatch) -> None:
    """Who knows the edge of an end, and how many are far out, would know the last of these."""
    x = np.sort(np.random.default_rng(11).exponential(size=400))

    def near() -> float:
        """Return for how many secrets an end is at 1.4 times the excess of one who is far out."""
        hits = []
        for seed in range(60):
            found = column(x, chance(seed), m=20)
            own = x[found.centre == found.centre.max()]
            places = own[0] + BEYOND * (own[-9:-4] - own[0])
            top = (found.centre + found.half).max()
            hits.append(np.abs(places - top).min() < 1e-3)
        return float(np.mean(hits))

    assert near() < 0.05
    monkeypatch.setattr(safe_values, "GRID", 0.0)
    assert near() > 0.15


NINE = [0, 1, 2, 3, 4, 5, 6, 7, 100]
"""The middle is 4, the third from the end 6: 8 is not beyond, and 94 of 100 are."""
OUTWARDS = [0, 1, 2, 3, 4, 16.75, 29.5, 42.25, 29.5]
"""Of 5, 6, 7 and 6, which are 8 off in all, each goes outwards by 94 / 8 as much again."""


@pytest.mark.parametrize(
    ("values", "rows", "others", "becomes"),
    [
        pytest.param(NINE, 1, 0, OUTWARDS, id="above"),
        pytest.param([-it for it in NINE], 1, 0, [-it for it in OUTWARDS], id="below"),
        pytest.param([*NINE[:8], 8], 1, 0, [*NINE[:8], 8], id="none is beyond"),
        pytest.param(NINE[1:], 1, 0, NINE[1:], id="eight persons"),
        pytest.param([5] * 8 + [14], 1, 0, [6] * 9, id="all others in the middle"),
        pytest.param([*NINE[:8], 9], 1, 0, [*NINE[:5], 5.375, 6.75, 8.125, 6.75], id="nine"),
        pytest.param([*NINE[:8], 9], 1, 2391, [*NINE[:8], 9], id="nine of 2,400 persons"),
        pytest.param(
            [0, *NINE[:8], 8, 8, 8, 8], 3, 0, [0, *NINE[:8], 8, 8, 8, 8], id="few persons"
        ),
    ],
)
def test_a_value_far_from_all_of_its_leaf_becomes_that_of_the_third(
    values: list[float], rows: int, others: int, becomes: list[float]
) -> None:
    """By hand: in a leaf, where another has `others` persons."""
    x = np.append(np.array(values, dtype=float), np.arange(float(others)))
    leaf = np.repeat([0, 1], [len(values), others])
    before = SafeColumn(x, np.zeros(len(x)), np.ones(len(x)), np.argsort(x))
    order = np.random.default_rng(5).permutation(len(x))
    weights = np.full(len(x), ONE // rows)

    found = before.without_lone(leaf, weights, 9)
    shuffled = SafeColumn(x[order], before.half, before.step, np.argsort(x[order]))
    again = shuffled.without_lone(leaf[order], weights, 9)

    assert found.centre[: len(values)] == pytest.approx(becomes, rel=1e-12)
    assert found.centre[leaf == 1].tolist() == x[leaf == 1].tolist()
    assert again.centre.tolist() == found.centre[order].tolist()


def test_all_leaves_share_what_a_lone_value_loses() -> None:
    """94 of 100 go to 8 above the middle of one leaf and 10 above that of the other."""
    x, leaf = np.append(np.array(NINE, dtype=float), np.arange(9.0)), np.repeat([0, 1], 9)
    before = SafeColumn(x, np.zeros(18), np.ones(18), np.argsort(x))

    found = before.without_lone(leaf, np.full(18, ONE), 9).centre

    more = 1 + 94 / 18
    assert found[:9] == pytest.approx([0, 1, 2, 3, 4, *(4 + more * np.array([1, 2, 3, 2]))])
    assert found[9:] == pytest.approx([0, 1, 2, 3, 4, *(4 + more * np.arange(1, 5))])
    assert found.sum() == pytest.approx(x.sum(), rel=1e-12)


def test_rows_of_one_person_are_lone_together_and_kept_values_never() -> None:
    x = np.append(np.arange(9.0), [100, 100, 100])
    weights = np.append(np.full(9, ONE), np.full(3, ONE // 3))
    leaf, step = np.zeros(12, dtype=int), np.ones(12)
    every = np.arange(12)

    found = SafeColumn(x, np.full(12, 2.0), step, every).without_lone(leaf, weights, 9)
    kept = SafeColumn(x, np.zeros(12), np.where(x == 100, 0, step), every)

    assert found.centre.max() < 100
    assert found.half[9:].tolist() == [0, 0, 0]
    assert found.centre.sum() == pytest.approx(x.sum(), rel=1e-12)
    assert kept.without_lone(leaf, weights, 9).centre.tolist() == x.tolist()


@given(
    st.lists(st.integers(-50, 50), min_size=1, max_size=60),
    st.integers(1, 4),
    st.integers(0, 2**32 - 1),
)
@settings(max_examples=examples(100))
def test_values_without_lone_ones_keep_their_sum(values: list[int], leaves: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    # Two rows so far out that nothing else leaves the ends of the column are of no leaf of nine.
    x = np.append(np.array(values, dtype=float) ** 3, [-1e9, 1e9])
    leaf = np.append(rng.integers(leaves, size=len(values)), [leaves, leaves])
    before = SafeColumn(x, np.zeros(len(x)), np.ones(len(x)), np.argsort(x))

    found = before.without_lone(leaf, np.full(len(x), ONE), 9)

    assert found.centre.sum() == pytest.approx(x.sum(), rel=1e-9, abs=1e-4)
