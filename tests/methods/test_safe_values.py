"""Values that may be drawn: of many persons as they are, of others around means of blocks."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from discreet.arguments import Floats
from discreet.keys import row_keys, total
from discreet.methods import safe_values
from discreet.methods.copies import MISSING, ONE, OTHER, Chance, Draws, Levels, Settings
from discreet.methods.relations import Relations
from discreet.methods.safe_values import (
    BEYOND,
    Ends,
    SafeColumn,
    far_out,
    far_out_together,
    joined_levels,
    safe_column,
    safe_levels,
    words_of_ends,
)
from discreet.methods.whole import whole_copy
from discreet.secret import Secret
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


@pytest.mark.parametrize("persons", [1, 2])
def test_who_is_far_out_moves_no_mean(persons: int, monkeypatch: pytest.MonkeyPatch) -> None:
    far = np.append(NORMAL[:-persons], np.full(persons, 50 + 100 * 10))

    def moved() -> float:
        each = [[column(x, chance(s)).centre.mean() for x in (NORMAL, far)] for s in range(10)]
        return float(np.abs(np.diff(each)).max())

    assert moved() < 0.5  # of 2.5 of each, in a sample
    monkeypatch.setattr(safe_values, "EXCESS", np.inf)
    monkeypatch.setattr(safe_values, "SHARE", 1 - 1e-9)
    assert moved() > 2 * persons


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


@pytest.mark.slow
def test_of_how_many_beside_a_value_of_many_one_is_drawn_the_secret_says() -> None:
    def shown(persons: int) -> float:
        x = np.concatenate([np.full(persons, 9.0), np.full(90, 3.0)])
        return float(np.mean([column(x, chance(s)).centre.max() > 3 for s in range(60)]))

    # Their value stays where one of 10 to 19 is no more than they are, or they are the block at
    # the end, where one of 10 to 14 is.
    assert [shown(persons) for persons in (9, 14)] == [0, 1]
    assert shown(10) == pytest.approx(1 - 0.9 * 0.8, abs=0.15)
    assert shown(12) == pytest.approx(1 - 0.7 * 0.4, abs=0.15)


@pytest.mark.slow
@given(
    st.integers(2, 6),
    st.integers(0, 6),
    st.integers(0, 80),
    st.sampled_from([0, 1, 9]),
    st.integers(0, 2**20),
)
@settings(max_examples=examples(100), deadline=None)
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


@pytest.mark.parametrize(
    ("beyond", "passed", "sign"), [(0, False, 1), (2, False, -1), (9, True, 1), (9, True, -1)]
)
def test_beyond_the_end_of_a_scale_few_persons_let_nobody_be_drawn(
    beyond: int, passed: bool, sign: int
) -> None:
    """Of m = 20 at an end some are at 100, and some far beyond: it hangs on k to 2 k - 1."""
    scale = np.append(np.linspace(0, 90, 380), np.full(9 + 3 * (beyond < 9), 100.0))
    x = sign * np.append(scale, np.full(beyond, 113.0))
    found = [column(x, chance(seed), m=20) for seed in range(30)]
    farthest = [(sign * it.centre + it.half).max() for it in found]
    assert (max(farthest) > 100 + 1e-9) == passed


@pytest.mark.slow
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
        pytest.param(NINE[1:], 1, 0, NINE[1:], id="eight people"),
        pytest.param([5] * 8 + [14], 1, 0, [6] * 9, id="all others in the middle"),
        pytest.param([*NINE[:8], 9], 1, 0, [*NINE[:5], 5.375, 6.75, 8.125, 6.75], id="nine"),
        pytest.param([*NINE[:8], 9], 1, 2391, [*NINE[:8], 9], id="nine of 2,400 people"),
        pytest.param([0, *NINE[:8], 8, 8, 8, 8], 3, 0, [0, *NINE[:8], 8, 8, 8, 8], id="few people"),
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


# --- levels that may be drawn: those of enough persons, rare ones joined, missing ones apart ------


NONE = "no level"
CASES: dict[str, tuple[str, dict[str, str]]] = {
    "all of enough": ("aaaaabbbbb", {"a": "a", "b": "b"}),
    "rare ones together enough": ("aaaaabbbcc", {"a": "a", "b": OTHER, "c": OTHER}),
    "rare ones too few": ("aaaaabbcc", {"a": "a", "b": NONE, "c": NONE}),
    "missing of enough": ("aaaaa.....", {"a": "a", ".": MISSING}),
    "missing of few": ("aaaaa....", {"a": "a", ".": NONE}),
    "missing is not joined": ("aaaaabbbb.", {"a": "a", "b": NONE, ".": NONE}),
    "missing beside joined": ("bbbcc....", {"b": OTHER, "c": OTHER, ".": NONE}),
    "nothing of enough": ("abc.", {"a": NONE, "b": NONE, "c": NONE, ".": NONE}),
}


def safe(text: str, persons: list[int] | None = None) -> dict[str, str]:
    """Return what becomes of each letter; a dot is missing."""
    raw = Levels.of([letter.strip(".") for letter in text])
    found = safe_levels(raw, 5, None if persons is None else np.array(persons))
    assert list(found.words) == sorted(set(found.words))
    words = [found.words[code] if code >= 0 else NONE for code in found.codes.tolist()]
    pairs = {*zip(text, words, strict=True)}
    assert len(pairs) == len({*text})
    return dict(pairs)


@pytest.mark.parametrize(("text", "wanted"), CASES.values(), ids=CASES)
def test_levels(text: str, wanted: dict[str, str]) -> None:
    assert safe(text) == wanted


def test_persons_are_counted_rather_than_rows() -> None:
    text = "aaaaabbbbb"
    assert safe(text, [0, 1, 2, 3, 4, 5, 6, 7, 8, 8]) == {"a": "a", "b": NONE}
    assert safe(text, [0, 1, 2, 3, 4, 0, 1, 2, 3, 4]) == {"a": "a", "b": "b"}


# --- how many were joined -----------------------------------------------------------------------

K = 5
CHANCES = (np.arange(20) + 0.5) / 20


def said(levels: int, chance: float, each: int = 2) -> int:
    """Return what is said of so many rare levels of `each` rows, beside one of many."""
    raw = Levels.of(["a"] * 30 + [f"r{i}" for i in range(levels) for _ in range(each)])
    return joined_levels(raw, safe_levels(raw, K, None), K, chance, None)


# Of k, 2 k, 4 k, … levels it is said where there are as many, to twice, by the draw.
@pytest.mark.parametrize(
    ("levels", "least", "most"),
    [(4, 0, 0), (8, 0, 5), (10, 5, 5), (15, 5, 10), (20, 10, 10), (70, 20, 40), (4000, 1280, 2560)],
)
def test_how_many_levels_were_joined_is_said_roughly(levels: int, least: int, most: int) -> None:
    found = [said(levels, chance) for chance in CHANCES]
    assert (min(found), max(found)) == (least, most)
    assert all(it <= levels for it in found)


@pytest.mark.slow
def test_one_person_turns_it_for_one_draw_in_k_at_the_most() -> None:
    for levels in range(3, 90):
        turned = [said(levels, it) != said(levels + 1, it) for it in CHANCES]
        assert np.mean(turned) <= 1 / K + 0.05


def test_a_person_of_many_levels_counts_once() -> None:
    def of(rows: list[int]) -> int:
        """Return what is said of sixty levels of a row each, which are of some persons."""
        raw = Levels.of([f"r{i}" for i in range(60)])
        who = np.array(rows)
        return joined_levels(raw, safe_levels(raw, K, who), K, 0.0, who)

    assert of([i % 9 for i in range(60)]) == 5
    assert of([*range(9), *[9] * 51]) == 10
    assert of([*range(60)]) == 40


# --- columns whose mean hangs on few persons far out ----------------------------------------------


K_of_far_out, M = 5, 20
NORMAL_of_far_out = np.random.default_rng(7).normal(50, 10, 500)


def safe_of(x: Floats, seed: int, rows: int = 1) -> SafeColumn:
    """Return safe values of persons who have so many rows each."""

    def draw(name: str, count: int) -> Floats:
        return np.random.default_rng([seed, *name.encode()]).uniform(size=count)

    weights = np.full(len(x), ONE // rows, dtype=np.int64)
    return safe_column(x, weights, draw, lambda name: draw(name, len(x)), K_of_far_out, M)


def found(x: Floats, few: int, seed: int = 1, rows: int = 1) -> Ends:
    """Say at which ends the mean of a column hangs on `few` persons or more."""
    weights = np.full(len(x), ONE // rows, dtype=np.int64)
    return far_out(x, weights, safe_of(x, seed, rows), K_of_far_out, few)


def with_far(persons: int, value: float, x: Floats = NORMAL_of_far_out) -> Floats:
    """Return a column in which the last persons lie so far out."""
    return np.append(x[: len(x) - persons], np.full(persons, value))


TAILS: dict[str, tuple[Floats, Ends]] = {
    "bell": (NORMAL_of_far_out, (False, False)),
    "even": (np.random.default_rng(1).uniform(0, 9, 500), (False, False)),
    "exponential": (np.random.default_rng(2).exponential(4, 500), (False, False)),
    "nine far above": (with_far(9, 400.0), (False, True)),
    "nine far below": (with_far(9, -300.0), (True, False)),
    "at both ends": (with_far(9, -300.0, with_far(18, 400.0)), (True, True)),
    "a heavy tail": (np.random.default_rng(3).pareto(0.6, 500), (False, True)),
    "nine beside a value of many": (np.append(np.zeros(491), 30.0 + np.arange(9)), (False, True)),
    "a scale": (np.random.default_rng(4).integers(1, 6, 500).astype(float), (False, False)),
}


@pytest.mark.parametrize(("x", "wanted"), TAILS.values(), ids=TAILS)
def test_a_mean_hangs_on_an_end_where_persons_of_enough_lie_far_out(
    x: Floats, wanted: Ends
) -> None:
    assert {found(x, few, seed) for few in (5, 9) for seed in range(4)} == {wanted}


def test_who_is_far_out_but_moves_no_mean_is_not_said() -> None:
    x = np.append(np.random.default_rng(0).normal(50, 10, 200_000), np.full(9, 140.0))
    assert found(x, 5) == (False, False)
    assert found(x[-1000:], 5) == (False, True)


@pytest.mark.parametrize(
    ("persons", "value"), [(0, 400.0), (4, 400.0), (5, 1e9), (6, 400.0), (8, 1e4), (9, 1e9)]
)
def test_it_hangs_on_how_many_persons_and_not_on_how_far_out(persons: int, value: float) -> None:
    said = [
        found(with_far(persons, value), few)[1] for few in range(K_of_far_out, 2 * K_of_far_out)
    ]
    assert said == [persons >= few for few in range(K_of_far_out, 2 * K_of_far_out)]


@pytest.mark.parametrize("kind", ["far", "harmonic", "pareto", "beside a value of many"])
def test_one_person_more_turns_it_for_one_draw_of_k_at_the_most(kind: str) -> None:
    """Whoever it is: of 1 / rank tails every rank times its value is the same."""
    random = np.random.default_rng(11)
    for _ in range(8):
        x = {
            "far": np.append(NORMAL_of_far_out[:-8], random.uniform(90, 300, 8)),
            "harmonic": 100 / (1 + random.permutation(500)),
            "pareto": random.pareto(1.3, 500),
            "beside a value of many": np.append(np.zeros(495), random.uniform(0, 9, 5)),
        }[kind]
        one = np.append(x, 10 * np.abs(x).max())
        # The same blocks: their cuts are other draws, in another copy.
        said = []
        for column, extra in ((x, 0), (one, 1)):
            at = np.full(len(column), ONE, dtype=np.int64)
            safe = safe_of(x, 5)
            if extra:
                top = np.argmax(safe.centre)
                centre, half, step = (
                    np.append(it, it[top]) for it in (safe.centre, safe.half, safe.step)
                )
                safe = SafeColumn(centre, half, step, np.append(safe.order, len(x)))
            said.append(
                [
                    far_out(column, at, safe, K_of_far_out, few)[1]
                    for few in range(K_of_far_out, 2 * K_of_far_out)
                ]
            )
        assert sum(a != b for a, b in zip(*said, strict=True)) <= 1


def test_all_rows_of_a_person_are_those_of_one() -> None:
    x = np.repeat(with_far(3, 400.0, NORMAL_of_far_out[:200]), 4)
    assert found(x, 5, rows=1) == (False, True)
    assert found(x, 5, rows=4) == (False, False)


def test_the_copies_of_a_secret_say_it_as_often_as_the_secret_draws() -> None:
    """Of those far out a tenth to a fifth take no part."""

    def said(persons: int, seed: int) -> bool:
        secret = Secret.from_bytes(np.random.default_rng([seed, persons]).bytes(32))
        x = with_far(persons, 1e6, NORMAL_of_far_out[:150])
        keys = row_keys(secret, [x])
        draws = Draws(secret, secret.digest("version", total(keys)), keys)
        return "x" in whole_copy({"x": x}, {}, draws, Settings(K_of_far_out, M)).far_out

    shown = {n: np.mean([said(n, seed) for seed in range(12)]) for n in (4, 8, 9, 14)}
    assert shown[4] == 0
    assert 0.1 < shown[8] < 0.9
    assert 0.2 < shown[9] < 1
    assert shown[14] == 1


# --- of columns together ------------------------------------------------------------------------


def test_what_is_made_of_a_column_hangs_on_those_it_hangs_on() -> None:
    none, low, high = (False, False), (True, False), (False, True)
    relations = Relations({"total": ("pay", "gift")}, (), {"end": "start", "last": "end"})
    told = {"start": high, "end": none, "last": low, "pay": none, "gift": high, "age": none}
    out = far_out_together(told, relations)
    assert out == {**told, "end": high, "last": (True, True), "total": high}
    assert words_of_ends(out) == {
        **dict.fromkeys(["end", "gift", "start", "total"], "too low"),
        "last": "off",
    }
