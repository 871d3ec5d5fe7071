"""The counts of listed pairs of columns, with noise, given to the rows of a copy."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence

import numpy as np
import pytest
from numpy.typing import NDArray

from discreet.methods.copies import MISSING, OTHER, Draws, Levels, Settings, WholeCopy
from discreet.methods.whole import noise_of_counts, with_tables
from discreet.secret import Secret

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


def given(
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
    found = [crossed(given(raw, made, ("a", "b"), seed=i), "a", "b") for i in range(100)]

    for cells in found:
        assert cells.sum(axis=1).tolist() == [500, 500]
        assert cells.sum(axis=0).tolist() == [480, 520]
    # Four noises of sd 4, fitted to both margins: half of what they are together.
    firsts = np.array([cells[0, 0] for cells in found])
    assert firsts.mean() == pytest.approx(400, abs=1)
    assert 1 < firsts.std() < 3


def test_as_few_rows_as_can_be_have_another_level() -> None:
    raw, made = columns(STRONG, "ab"), columns(WEAK, "ab")
    out = given(raw, made, ("a", "b"))

    moved = int(np.abs(crossed(out, "a", "b") - WEAK).sum()) // 2
    changed = [int((out[name].codes != made[name].codes).sum()) for name in "ab"]
    assert sorted(changed) == [0, moved]


@pytest.mark.parametrize("tables", [(("a", "b"),), (("b", "a"),), (("a", "b"), ("b", "a"))])
def test_the_order_in_which_a_policy_lists_changes_nothing(
    tables: tuple[tuple[str, str], ...],
) -> None:
    raw, made = columns(STRONG, "ab"), columns(WEAK, "ab")

    again = given(raw, made, *tables)

    for name, held in given(raw, made, ("a", "b")).items():
        assert (held.codes == again[name].codes).all()


CUBE = np.random.default_rng(4).integers(60, 200, (3, 2, 4, 2))
FLAT = np.random.default_rng(5).integers(100, 120, CUBE.shape)
LISTED: dict[str, tuple[tuple[str, str], ...]] = {
    "one": (("a", "c"),),
    "a chain": (("a", "b"), ("b", "c"), ("c", "d")),
    "a star": (("a", "c"), ("b", "c"), ("c", "d")),
    "apart": (("a", "b"), ("c", "d")),
    "a circle": (("a", "b"), ("b", "c"), ("a", "c")),
    "all": tuple(itertools.combinations("abcd", 2)),
}


@pytest.mark.parametrize("name", LISTED)
def test_all_listed_tables_hold_together(name: str) -> None:
    pairs = LISTED[name]
    raw, made = columns(CUBE, "abcd"), columns(FLAT, "abcd")
    out = given(raw, made, *pairs)
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
        crossed(given(raw, made, ("a", "b"), seed=i, k=k), "a", "b")[0, 0] > 0 for i in range(80)
    ]

    assert share[0] <= np.mean(counted) <= share[1]


def test_what_nobody_has_nobody_has_in_the_copy() -> None:
    raw, made = columns([[0, 300], [200, 100]], "ab"), columns([[0, 300], [150, 150]], "ab")

    assert crossed(given(raw, made, ("a", "b")), "a", "b")[0, 0] == 0


def test_levels_that_the_copy_joined_and_gaps_are_counted_as_the_copy_has_them() -> None:
    raw = columns([[300, 60], [30, 30], [200, 10], [10, 200]], "ab")
    raw["a"] = raw["a"]._replace(codes=np.where(raw["a"].codes == 3, -1, raw["a"].codes))
    made = {
        "a": Levels((MISSING, OTHER, "a0"), np.repeat([0, 1, 2], [210, 270, 360])),
        "b": Levels(("b0", "b1"), (np.random.default_rng(0).permutation(840) >= 540).astype(int)),
    }

    cells = crossed(given(raw, made, ("a", "b")), "a", "b")

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


@pytest.mark.promise
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
