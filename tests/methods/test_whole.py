"""One protected copy of a whole table."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from discreet.arguments import Floats, Labels
from discreet.errors import BrokenPromiseError, RefusedError
from discreet.keys import row_keys, total
from discreet.methods import safe_values
from discreet.methods.copies import MISSING, ONE, OTHER, Draws, Levels, Rows, Settings, WholeCopy
from discreet.methods.fitted_columns import _check_drawn, _check_leaves
from discreet.methods.whole import noise_of_counts, whole_copy, with_tables
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


LEAVES: dict[str, tuple[list[int], list[int], int | None]] = {
    "nine rows": ([0] * 10 + [1] * 9, [0, 1], None),
    "ten rows of nine people": ([0] * 20 + [1] * 10, [0, 1], 9),
    "a drawn row of no leaf": ([0] * 10 + [2] * 10, [0, 1], None),
}


def check_leaves(raw: list[int], drawn: list[int], last: int | None) -> None:
    """Count the persons of leaves; of the last leaf so many have all rows, where that is said."""
    persons = None if last is None else np.minimum(np.arange(len(raw)), len(raw) - 11 + last)
    _check_leaves(np.array(raw), np.arange(len(raw)), persons, 10)
    _check_drawn(np.array(drawn), np.array(raw))


@pytest.mark.parametrize("case", LEAVES.values(), ids=LEAVES)
def test_a_leaf_of_few_is_seen(case: tuple[list[int], list[int], int | None]) -> None:
    with pytest.raises(BrokenPromiseError, match="a leaf was of too few people"):
        check_leaves(*case)


def test_leaves_of_m_persons_pass() -> None:
    check_leaves([0] * 20 + [1] * 10, [0, 1, 1], 10)
    check_leaves([3] * 10, [3], None)


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
    for seed in range(3):
        random = np.random.default_rng(seed)
        narrow = random.uniform(size=2000) < 0.1
        x = np.where(narrow, random.normal(0.5, 0.004, 2000), random.uniform(size=2000))
        y = np.where(narrow, 93.0, np.round(random.uniform(0, 9, 2000)))
        made = copied({"x": x, "y": y}, {})
        off.append(float((made.numbers["y"] == 93).mean() - narrow.mean()))
    assert abs(np.mean(off)) < 0.01


def test_columns_without_anything_to_show_are_named() -> None:
    levels = {"unique": coded(np.arange(400)), "half": coded(NORMAL > 0)}
    few = np.where(np.arange(400) < 19, NORMAL, np.nan)
    found = copied({"few": few, "x": NORMAL}, levels)
    assert found.left_out == {"few": "nearly empty", "unique": "nearly unique"}
    assert set(found.numbers) | set(found.levels) == {"x", "half"}


def test_one_person_with_half_of_the_rows_takes_part_like_others() -> None:
    persons = np.where(np.arange(400) < 200, 0, np.arange(400) // 2)
    found = copied({"x": NORMAL, "y": NORMAL[::-1]}, {"up": coded(NORMAL > 0)}, persons=persons)
    assert found.takes_part[:200].sum() <= 8
    assert found.takes_part[200:].mean() > 0.75


def shown_by(largest: Callable[[int, bool], float], times: int) -> float:
    """Return the AUC of the largest value of a copy, with one person far above and without."""
    sides = [np.array([largest(2 * i + j, bool(j)) for i in range(times)]) for j in (0, 1)]
    return float(np.mean(np.sign(sides[1][None] - sides[0][:, None]) / 2 + 0.5))


@pytest.mark.slow
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

    assert 0.3 < shown_by(of_copy, 40) < 0.7
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
@settings(max_examples=examples(40), deadline=None)
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


def test_who_is_alone_among_those_alike_is_not_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of 400 persons one is usual in each of two columns, and 10 sd off the line of both."""

    def seen() -> float:
        """Return in how many copies a row is near that person's."""
        hits = []
        for seed in range(10):
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


# --- the counts of listed pairs of columns, with noise, given to the rows of a copy ---------------


K = 5
Cells = NDArray[np.int64]


def draws(seed: int = 0, version: bytes = b"1") -> Draws:
    secret = Secret.from_bytes(np.random.default_rng(seed).bytes(32))
    return Draws(secret, version, np.zeros((0, 2), dtype=np.uint64))


def columns(cells: object, names: Sequence[str]) -> dict[str, Levels]:
    """Return a column for each axis of a table of counts: the rows that it counts, mixed."""
    counts = np.array(cells)
    places = np.repeat(np.argwhere(counts >= 0), counts.ravel(), axis=0)
    places = np.random.default_rng(0).permutation(places)
    return {
        name: Levels(tuple(f"{name}{i}" for i in range(size)), at)
        for name, size, at in zip(names, counts.shape, places.T, strict=True)
    }


def copy_of(levels: Mapping[str, Levels]) -> WholeCopy:
    rows = len(next(iter(levels.values())).codes)
    at = np.arange(rows)
    return WholeCopy({}, dict(levels), at, np.ones(rows, dtype=np.bool_), {})


def crossed(levels: Mapping[str, Levels], a: str, b: str) -> Cells:
    out = np.zeros((len(levels[a].words), len(levels[b].words)), dtype=np.int64)
    np.add.at(out, (levels[a].codes, levels[b].codes), 1)
    return out


def given_of_listed(
    raw: Mapping[str, Levels],
    made: Mapping[str, Levels],
    *tables: tuple[str, str],
    seed: int = 0,
    k: int = K,
) -> dict[str, Levels]:
    settings = Settings(k, 2 * k, tables=tables)
    return dict(with_tables(copy_of(made), raw, draws(seed), settings).levels)


STRONG, WEAK = [[400, 100], [80, 420]], [[250, 250], [230, 270]]


@pytest.mark.parametrize(
    ("columns", "tables", "sd"),
    [(2, 1, 4.0), (14, 1, 8.0), (7, 1, 6.0), (5, 10, 10.0), (0, 2, 4.0)],
)
def test_the_noise_grows_with_columns_and_tables(columns: int, tables: int, sd: float) -> None:
    assert noise_of_counts(columns, tables) == pytest.approx(sd)


def test_a_listed_table_is_that_of_the_raw_rows_with_noise_and_the_margins_of_the_copy() -> None:
    raw, made = columns(STRONG, "ab"), columns(WEAK, "ab")
    found = [crossed(given_of_listed(raw, made, ("a", "b"), seed=i), "a", "b") for i in range(100)]
    for cells in found:
        assert cells.sum(axis=1).tolist() == [500, 500]
        assert cells.sum(axis=0).tolist() == [480, 520]
    # Four noises of sd 4, fitted to both margins: half of what they are together.
    firsts = np.array([cells[0, 0] for cells in found])
    assert firsts.mean() == pytest.approx(400, abs=1)
    assert 1 < firsts.std() < 3


def test_as_few_rows_as_can_be_have_another_level() -> None:
    raw, made = columns(STRONG, "ab"), columns(WEAK, "ab")
    out = given_of_listed(raw, made, ("a", "b"))
    moved = int(np.abs(crossed(out, "a", "b") - WEAK).sum()) // 2
    changed = [int((out[name].codes != made[name].codes).sum()) for name in "ab"]
    assert sorted(changed) == [0, moved]


@pytest.mark.parametrize("tables", [(("a", "b"),), (("b", "a"),), (("a", "b"), ("b", "a"))])
def test_the_order_in_which_a_policy_lists_changes_nothing(
    tables: tuple[tuple[str, str], ...],
) -> None:
    raw, made = columns(STRONG, "ab"), columns(WEAK, "ab")
    again = given_of_listed(raw, made, *tables)
    for name, held in given_of_listed(raw, made, ("a", "b")).items():
        assert (held.codes == again[name].codes).all()


CUBE = np.random.default_rng(4).integers(60, 200, (3, 2, 4, 2))
FLAT = np.random.default_rng(5).integers(100, 120, CUBE.shape)
LISTED: dict[str, tuple[tuple[str, str], ...]] = {
    "one": (("a", "c"),),
    "a chain": (("a", "b"), ("b", "c"), ("c", "d")),
    "a circle": (("a", "b"), ("b", "c"), ("a", "c")),
    "all": tuple(itertools.combinations("abcd", 2)),
}


@pytest.mark.parametrize("name", LISTED)
def test_all_listed_tables_hold_together(name: str) -> None:
    pairs = LISTED[name]
    raw, made = columns(CUBE, "abcd"), columns(FLAT, "abcd")
    out = given_of_listed(raw, made, *pairs)
    scale, sd = FLAT.sum() / CUBE.sum(), noise_of_counts(4, len(pairs))
    for a, b in pairs:
        cells, before = crossed(out, a, b), crossed(made, a, b)
        assert (cells.sum(axis=1) == before.sum(axis=1)).all()
        assert (cells.sum(axis=0) == before.sum(axis=0)).all()
        # The margins are the copy's: what is left beside them is what the raw table relates.
        wanted = fitted(scale * crossed(raw, a, b), before)
        assert np.abs(cells - wanted).max() <= 4 * sd


def fitted(cells: NDArray[np.float64], margins: Cells) -> NDArray[np.float64]:
    for _ in range(200):
        cells = cells * (margins.sum(axis=1) / cells.sum(axis=1))[:, None]
        cells = cells * (margins.sum(axis=0) / cells.sum(axis=0))
    return cells


def test_the_attack_would_find_tables_that_are_not_met() -> None:
    """What the test above compares is far from what the copy has by itself."""
    raw, made = columns(CUBE, "abcd"), columns(FLAT, "abcd")
    before = crossed(made, "a", "c")
    wanted = fitted(FLAT.sum() / CUBE.sum() * crossed(raw, "a", "c"), before)
    assert np.abs(before - wanted).max() > 4 * noise_of_counts(4, 1)


@pytest.mark.parametrize(
    ("k", "persons", "share"),
    [
        (5, 15, (0.0, 0.0)),  # the noise has an sd of 4: a cell of less than 16 is not counted
        (5, 16, (0.0, 0.2)),
        (5, 23, (0.3, 0.7)),
        (5, 31, (1.0, 1.0)),
        (40, 39, (0.0, 0.0)),
        (40, 79, (1.0, 1.0)),
    ],
)
def test_the_secret_draws_how_many_persons_a_counted_cell_has(
    k: int, persons: int, share: tuple[float, float]
) -> None:
    """No one person decides it: at the least number one more counts in a few secrets alone."""
    raw, made = columns([[persons, 400], [400, 400]], "ab"), columns([[0, 400], [400, 400]], "ab")
    counted = [
        crossed(given_of_listed(raw, made, ("a", "b"), seed=i, k=k), "a", "b")[0, 0] > 0
        for i in range(40)
    ]
    assert share[0] <= np.mean(counted) <= share[1]


def test_levels_that_the_copy_joined_and_gaps_are_counted_as_the_copy_has_them() -> None:
    raw = columns([[300, 60], [30, 30], [200, 10], [10, 200]], "ab")
    raw["a"] = raw["a"]._replace(codes=np.where(raw["a"].codes == 3, -1, raw["a"].codes))
    made = {
        "a": Levels((MISSING, OTHER, "a0"), np.repeat([0, 1, 2], [210, 270, 360])),
        "b": Levels(("b0", "b1"), (np.random.default_rng(0).permutation(840) >= 540).astype(int)),
    }
    cells = crossed(given_of_listed(raw, made, ("a", "b")), "a", "b")
    # Missing in a, the second and third joined, the first: b0 and b1 of each.
    assert np.abs(cells - [[10, 200], [230, 40], [300, 60]]).max() <= 16


UNCHANGED: dict[str, tuple[tuple[tuple[str, str], ...], NDArray[np.intp] | None]] = {
    "nothing is listed": ((), None),
    "a column is not in the copy": ((("a", "z"),), None),
    "a person has several rows": ((("a", "b"),), np.arange(1000) // 2),
}


@pytest.mark.parametrize("name", UNCHANGED)
def test_where_nothing_is_counted_the_copy_stays(name: str) -> None:
    tables, persons = UNCHANGED[name]
    raw, made = columns(STRONG, "ab"), copy_of(columns(WEAK, "ab"))
    settings = Settings(K, 2 * K, tables=tables)
    assert with_tables(made, raw, draws(), settings, persons) is made


def test_noise_is_of_the_secret_and_the_version_and_not_of_who_is_in_a_cell() -> None:
    """Two tables that differ by one person in a cell differ by one, under noise that is one."""
    made = columns([[2500, 2500], [2500, 2500]], "ab")
    one, more = ([[4000, 1000], [1000, 4000]], [[4040, 960], [960, 4040]])

    def first(cells: object, version: bytes) -> int:
        settings = Settings(K, 2 * K, tables=(("a", "b"),))
        found = with_tables(copy_of(made), columns(cells, "ab"), draws(0, version), settings)
        return int(crossed(found.levels, "a", "b")[0, 0])

    assert first(more, b"1") - first(one, b"1") == pytest.approx(40, abs=1)
    assert len({first(one, bytes([version])) for version in range(8)}) > 3
