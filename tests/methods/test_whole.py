"""One protected copy of a whole table."""

from __future__ import annotations

import tracemalloc
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import ks_2samp

from discreet.arguments import Floats, Labels
from discreet.errors import BrokenPromiseError, RefusedError
from discreet.keys import row_keys, total
from discreet.methods import safe_values
from discreet.methods.copies import ONE, Draws, Levels, Rows, Settings, WholeCopy
from discreet.methods.fitted_columns import _check_drawn, _check_leaves
from discreet.methods.whole import whole_copy
from discreet.secret import Secret
from tests.cases import examples
from tests.methods.tables import NORMAL, TABLES, coded, table

SECRET = Secret.from_bytes(bytes(range(32)))


def copied(
    numbers: dict[str, Floats],
    levels: dict[str, Levels],
    *,
    k: int = 5,
    m: int = 10,
    persons: Labels | None = None,
) -> WholeCopy:
    """Make a copy with draws that are keyed by the records."""
    texts = [tuple(it.words[i] if i >= 0 else "" for i in it.codes) for it in levels.values()]
    keys = row_keys(SECRET, [*numbers.values(), *texts])
    draws = Draws(SECRET, SECRET.digest("version", total(keys)), keys)
    return whole_copy(numbers, levels, draws, Settings(k, m), persons)


def test_the_order_of_rows_and_columns_changes_nothing() -> None:
    numbers, levels = table(300)
    found = copied(numbers, levels)
    turned = np.random.default_rng(1).permutation(300)
    names = ["bmi", "start", "age", "end"]
    texts = {"sex": Levels(("f", "m"), levels["sex"].codes[turned])}
    again = copied({name: numbers[name][turned] for name in sorted(names)}, texts)
    ordered = copied({name: numbers[name] for name in sorted(names)}, levels)

    for name in names:
        np.testing.assert_array_equal(ordered.numbers[name], again.numbers[name])
    np.testing.assert_array_equal(ordered.levels["sex"].codes, again.levels["sex"].codes)
    assert set(found.numbers) == set(names)


def test_no_end_comes_before_its_start() -> None:
    found = copied(*table(300)).numbers

    assert (found["end"] >= found["start"]).all()


def test_an_end_has_a_margin_as_near_as_that_of_others() -> None:
    random = np.random.default_rng(4)
    start = random.uniform(0, 50, 600)
    visits = random.choice([20.0, 40.0, 60.0], 600) + random.normal(0, 0.5, 600)
    numbers = {"start": start, "end": np.maximum(start, visits)}
    found = copied(numbers, {}).numbers

    assert (found["end"] >= found["start"]).all()
    assert ks_2samp(numbers["end"], found["end"]).statistic < 0.1  # a start and a time: .13 to .21


LEAVES: dict[str, tuple[list[int], list[int], int | None]] = {
    "nine rows": ([0] * 10 + [1] * 9, [0, 1], None),
    "ten rows of nine persons": ([0] * 20 + [1] * 10, [0, 1], 9),
    "a drawn row of no leaf": ([0] * 10 + [2] * 10, [0, 1], None),
}


def check_leaves(raw: list[int], drawn: list[int], last: int | None) -> None:
    """Count the persons of leaves; of the last leaf so many have all rows, where that is said."""
    persons = None if last is None else np.minimum(np.arange(len(raw)), len(raw) - 11 + last)
    _check_leaves(np.array(raw), np.arange(len(raw)), persons, 10)
    _check_drawn(np.array(drawn), np.array(raw))


@pytest.mark.parametrize("case", LEAVES.values(), ids=LEAVES)
def test_a_leaf_of_few_is_seen(case: tuple[list[int], list[int], int | None]) -> None:
    with pytest.raises(BrokenPromiseError, match="a leaf was of too few persons"):
        check_leaves(*case)


def test_leaves_of_m_persons_pass() -> None:
    check_leaves([0] * 20 + [1] * 10, [0, 1, 1], 10)
    check_leaves([3] * 10, [3], None)


def test_a_table_of_few_persons_is_refused_and_how_few_are_the_secret_says() -> None:
    def refused(n: int, version: int) -> bool:
        draws = Draws(SECRET, bytes([version]), row_keys(SECRET, [NORMAL[:n]]))
        try:
            whole_copy({"x": NORMAL[:n]}, {}, draws, Settings(5, 10))
        except RefusedError as error:
            return "too few persons for a copy" in str(error)
        return False

    found = {n: np.mean([refused(n, version) for version in range(20)]) for n in (19, 22, 24)}
    assert found[19] == 1
    assert 0 < found[22] < 1
    assert found[24] == 0


def test_all_rows_of_a_person_weigh_no_more_than_one() -> None:
    persons = np.repeat(np.arange(3), [1, 7, 5000])
    draws = Draws(SECRET, b"", np.zeros((len(persons), 2), dtype=np.uint64))
    weights = Rows({}, {}, draws, persons, np.arange(len(persons))).weights()
    each = np.bincount(persons, weights)

    assert each.max() == each[0] == ONE
    assert each.min() > 0.99 * ONE


def test_levels_of_fewer_than_m_persons_are_left_out() -> None:
    """Nine have a, eight one of their own, three none: what is not drawn leaves nine."""
    words = ("a",) * 9 + tuple("bcdefghi") + ("",) * 3
    keys = row_keys(SECRET, [NORMAL[:20], words])
    found = set()
    for version in range(100):
        draws = Draws(SECRET, bytes([version]), keys)
        try:
            made = whole_copy({"x": NORMAL[:20]}, {"l": Levels.of(words)}, draws, Settings(5, 10))
        except RefusedError:
            continue
        found.add(made.left_out.get("l", "shown"))

    assert found == {"shown", "nearly empty"}


# --- tables of all kinds ------------------------------------------------------------------------


@pytest.mark.parametrize("case", TABLES.values(), ids=TABLES)
def test_a_copy_is_made_of_any_table(case: tuple[dict[str, Any], dict[str, Any]]) -> None:
    numbers, levels = case
    found = copied(numbers, {name: coded(column) for name, column in levels.items()})

    shown = {*found.numbers, *found.levels, *found.left_out}
    assert shown == {*numbers, *levels}
    lengths = {len(it) for it in found.numbers.values()}
    lengths |= {len(it.codes) for it in found.levels.values()}
    assert lengths == {len(found.source)}


def test_what_hangs_on_a_narrow_range_keeps_its_share() -> None:
    """Values are drawn with noise, and few stay in the range: trees see raw rows with it, too."""
    off = list[float]()
    for seed in range(6):
        random = np.random.default_rng(seed)
        narrow = random.uniform(size=2000) < 0.1
        x = np.where(narrow, random.normal(0.5, 0.004, 2000), random.uniform(size=2000))
        y = np.where(narrow, 93.0, np.round(random.uniform(0, 9, 2000)))
        made = copied({"x": x, "y": y}, {})
        off.append(float((made.numbers["y"] == 93).mean() - narrow.mean()))

    assert abs(np.mean(off)) < 0.01


def test_equal_columns_stay_equal() -> None:
    found = copied({"x": NORMAL, "y": NORMAL, "z": NORMAL}, {}).numbers

    np.testing.assert_array_equal(found["x"], found["z"])


def test_columns_without_anything_to_show_are_named() -> None:
    levels = {"unique": coded(np.arange(400)), "half": coded(NORMAL > 0)}
    few = np.where(np.arange(400) < 19, NORMAL, np.nan)
    found = copied({"few": few, "x": NORMAL}, levels)

    assert found.left_out == {"few": "nearly empty", "unique": "nearly unique"}
    assert set(found.numbers) | set(found.levels) == {"x", "half"}


def test_a_table_without_anything_to_show_is_refused() -> None:
    with pytest.raises(RefusedError, match="no column of the table can be shown"):
        copied({"few": np.where(np.arange(400) < 19, NORMAL, np.nan)}, {"u": coded(np.arange(400))})


def test_one_person_with_half_of_the_rows_takes_part_like_others() -> None:
    persons = np.where(np.arange(400) < 200, 0, np.arange(400) // 2)
    found = copied({"x": NORMAL, "y": NORMAL[::-1]}, {"up": coded(NORMAL > 0)}, persons=persons)

    assert found.takes_part[:200].sum() <= 8
    assert found.takes_part[200:].mean() > 0.75


def shown_by(largest: Callable[[int, bool], float], times: int) -> float:
    """Return the AUC of the largest value of a copy, with one person far above and without."""
    sides = [np.array([largest(2 * i + j, bool(j)) for i in range(times)]) for j in (0, 1)]
    return float(np.mean(np.sign(sides[1][None] - sides[0][:, None]) / 2 + 0.5))


def test_the_largest_value_does_not_show_who_is_far_above_all_others() -> None:
    others, far = NORMAL[:150], 12.0

    def column(taken: bool) -> Floats:
        return np.append(others, far) if taken else others

    def of_copy(seed: int, taken: bool) -> float:
        secret = Secret.from_bytes(np.random.default_rng(seed).bytes(32))
        x = column(taken)
        numbers = {"x": x, "y": NORMAL[-len(x) :]}
        keys = row_keys(secret, [*numbers.values()])
        draws = Draws(secret, secret.digest("version", total(keys)), keys)
        return float(whole_copy(numbers, {}, draws, Settings(5, 20)).numbers["x"].max())

    def of_sample(seed: int, taken: bool) -> float:
        return float(np.random.default_rng(seed).choice(column(taken), 150).max())

    assert 0.3 < shown_by(of_copy, 100) < 0.7
    assert shown_by(of_sample, 30) > 0.75


def test_who_takes_part_is_the_secrets() -> None:
    found = []
    for seed in range(4):
        secret = Secret.from_bytes(np.random.default_rng(seed).bytes(32))
        keys = row_keys(secret, [NORMAL])
        made = whole_copy({"x": NORMAL}, {}, Draws(secret, b"", keys), Settings(5, 10))
        found.append(made.takes_part)
        assert made.takes_part[made.source].all()

    assert all(0.8 <= taken.mean() <= 0.96 for taken in found)
    assert np.mean(np.all(found, axis=0)) < 0.8


def test_a_drawn_number_has_noise_within_its_leaf(monkeypatch: pytest.MonkeyPatch) -> None:
    def off() -> float:
        """Return how far a drawn number lies from that of the person it was drawn of."""
        made = copied({"x": NORMAL}, {}, m=20)
        return float(np.median(np.abs(made.numbers["x"] - NORMAL[made.source])))

    # A normal number of sd 0.2 is 0.13 off, a place in a block of 20 to 39 about 0.08.
    assert off() > 0.12
    monkeypatch.setattr("discreet.methods.fitted_columns.SMOOTHED", 0.0)
    assert off() < 0.1


@given(
    st.integers(20, 120),
    st.integers(0, 3),
    st.integers(0, 2),
    st.integers(2, 4),
    st.sampled_from([0.0, 0.3, 0.9]),
    st.integers(0, 2**20),
)
@settings(max_examples=examples(60), deadline=None)
def test_a_copy_is_made_or_refused_in_words(
    n: int, p: int, q: int, k: int, share: float, seed: int
) -> None:
    random = np.random.default_rng(seed)
    scale = 10.0 ** random.integers(-200, 140, p)
    numbers = {
        f"x{j}": np.where(
            random.uniform(size=n) < share * random.integers(0, 2),
            random.choice([np.nan, 0.0, -np.inf]),
            np.round(random.standard_t(1.5, n), random.integers(0, 9)) * scale[j],
        )
        for j in range(p)
    }
    levels = {f"l{j}": coded(random.geometric(random.uniform(0.05, 0.9), n)) for j in range(q)}
    persons = random.integers(0, n, n) if random.integers(0, 2) else None
    if not p + q:
        return
    m = k + int(random.integers(0, k))
    try:
        found = copied(numbers, levels, k=k, m=m, persons=persons)
    except RefusedError as error:
        refused = str(error)
    else:
        refused = ""
        assert {*found.numbers, *found.levels, *found.left_out} == {*numbers, *levels}
    held = n if persons is None else len(np.unique(persons))
    assert bool(refused) >= (held < 2 * m)
    assert not refused or refused.startswith(("the table has too few", "no column of the table"))


def test_a_column_of_thousands_of_levels_costs_what_a_number_costs() -> None:
    random = np.random.default_rng(0)
    level, own = random.integers(0, 2000, 40_000), random.normal(size=2000)
    x = own[level] + random.normal(size=len(level))
    kinds: dict[str, tuple[dict[str, Floats], dict[str, Levels]]] = {
        "levels": ({"x": x}, {"l": coded(level)}),
        "numbers": ({"x": x, "l": random.permutation(level).astype(float)}, {}),
    }
    copied(*table(300))  # so that what is compiled and imported is counted for neither
    cost, made = {}, {}
    for kind, columns in kinds.items():
        tracemalloc.start()
        made[kind] = copied(*columns)
        cost[kind] = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
    found = made["levels"].levels["l"]
    words = np.array(found.words)[found.codes]
    kept = np.array([word for word in np.unique(words) if word != "(other)"])
    means = np.array([made["levels"].numbers["x"][words == word].mean() for word in kept])

    assert cost["levels"] < 1.5 * cost["numbers"]
    assert len(kept) > 0.95 * 2000
    assert np.polyfit(own[kept.astype(int)], means, 1)[0] == pytest.approx(1, abs=0.1)


def test_who_is_alone_among_those_alike_is_not_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of 400 persons one is usual in each of two columns, and 10 sd off the line of both."""

    def seen() -> float:
        """Return in how many copies a row is near that person's."""
        hits = []
        for seed in range(20):
            random = np.random.default_rng(seed)
            x, noise = random.normal(size=(2, 400))
            y = x + 0.3 * noise
            x[0], y[0] = -1.0, 2.0
            drawn = copied({"x": x, "y": y}, {}, m=20).numbers
            hits.append(((np.abs(drawn["x"] - x[0]) < 0.5) & (drawn["y"] > 1)).any())
        return float(np.mean(hits))

    assert seen() == 0
    monkeypatch.setattr(safe_values, "LONE", 1e9)
    assert seen() > 0.3
