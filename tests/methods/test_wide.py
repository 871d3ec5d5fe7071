"""Tables too wide for their rows, before a copy of them is made."""

from __future__ import annotations

import re
import warnings
from collections.abc import Sequence

import numpy as np
import polars as pl
import pytest

import discreet as dc
from discreet.errors import WideTableWarning
from discreet.methods import column_trees
from discreet.methods.column_trees import level_targets
from discreet.methods.copies import Draws, Levels, Settings
from discreet.methods.whole import whole_copy
from discreet.methods.wide import said_of_width
from discreet.secret import Secret

K = 5
SECRET = Secret.from_bytes(bytes(range(32)))


def draws(rows: int, version: int = 0) -> Draws:
    keys = np.zeros((rows, 2), dtype=np.uint64)
    keys[:, 0] = np.arange(rows)
    return Draws(SECRET, bytes([version]), keys)


def answers(rows: int, levels: int) -> Levels:
    return Levels(tuple(f"l{i:04}" for i in range(levels)), np.arange(rows) % levels)


def said(rows: int, columns: Sequence[int], numbers: int = 0, version: int = 0) -> str:
    """Return what is said of a table of columns of so many levels each, and of numbers."""
    names = [f"x{i}" for i in range(numbers)]
    words = {f"q{i}": answers(rows, levels) for i, levels in enumerate(columns)}
    return said_of_width(names, words, draws(rows, version), K, None)


# Of 28 columns of 6 levels 1,680 persons are needed, a tenth more or less by the secret.
@pytest.mark.parametrize(
    ("rows", "columns", "numbers", "wide"),
    [
        (500, [6] * 28, 0, True),
        (1500, [6] * 28, 0, True),
        (1860, [6] * 28, 0, False),
        (500, [], 17, True),
        (760, [], 17, False),
        (500, [4] * 6, 5, False),
        (500, [80] * 3, 0, False),  # of so few columns none can be left out
        (60, [6, 6, 6, 6], 0, True),
    ],
)
def test_a_table_is_wide_of_fewer_than_ten_persons_a_level(
    rows: int, columns: list[int], numbers: int, wide: bool
) -> None:
    assert {bool(said(rows, columns, numbers, version)) for version in range(20)} == {wide}


def test_where_a_table_begins_to_be_wide_the_secret_says() -> None:
    found = [bool(said(1680, [6] * 28, version=version)) for version in range(40)]
    assert 10 < sum(found) < 30


def test_it_says_about_how_many_columns_are_well_together() -> None:
    found = said(500, [6] * 26 + [9, 12], 2)
    assert "its 30 columns have about 180 levels" in found
    assert re.search(r"of about (6|7|10) or fewer; most levels have 'q27', 'q26', 'q0'$", found)
    assert "500" not in found


def test_a_level_of_few_persons_counts_for_nothing() -> None:
    rare = Levels(("a", *(f"r{i}" for i in range(60))), np.maximum(np.arange(500) - 439, 0))
    found = said_of_width([], dict.fromkeys("abcd", rare), draws(500), K, None)
    assert not found  # 2 levels each


def test_persons_count_and_not_rows() -> None:
    words = {f"q{i}": answers(900, 6) for i in range(10)}
    assert not said_of_width([], words, draws(900), K, None)
    assert said_of_width([], words, draws(900), K, np.arange(900) // 2)


def survey(rows: int) -> pl.DataFrame:
    random = np.random.default_rng(1)
    return pl.DataFrame({f"q{i}": random.integers(1, 7, rows).astype(str) for i in range(12)})


def test_it_is_said_before_a_copy_is_made(monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[str] = []
    monkeypatch.setattr("discreet.vault.vault.copy_of_whole", lambda raw: made.append("made"))
    study = dc.open(survey(300), study="wide", unit=False)
    with warnings.catch_warnings():
        warnings.simplefilter("error", WideTableWarning)
        with pytest.raises(WideTableWarning, match="its 12 columns have about 72 levels"):
            study.bars("q1")
    assert not made


# --- columns of very many levels ----------------------------------------------------------------


def test_levels_of_few_persons_are_joined_before_anything_else(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """However many there are: nothing is as long as the list of the raw levels."""
    rows, counts = 10_000, list[int]()

    def counted(codes: np.ndarray, count: int, signs: np.ndarray) -> np.ndarray:
        counts.append(count)
        assert codes.max() < count == len(signs)
        return level_targets(codes, count, signs)

    monkeypatch.setattr(column_trees, "level_targets", counted)
    many = np.where(np.arange(rows) < rows // 2, 0, 1 + np.arange(rows) % 5000)
    words = tuple(f"l{i:04}" for i in range(5001))
    levels = {name: Levels(words, np.roll(many, i)) for i, name in enumerate("abc")}
    made = whole_copy({}, levels, draws(rows), Settings(K, 4 * K))
    assert counts == [2, 2, 2]
    assert {it.words for it in made.levels.values()} == {("(other)", "l0000")}
