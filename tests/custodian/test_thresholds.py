"""Decisions on a table that one person could turn, seen through the product: fresh secrets each."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import discreet as dc

pytestmark = pytest.mark.usefixtures("no_intervals")

N = 120
RANDOM = np.random.default_rng(2)
AGE = np.round(RANDOM.normal(50, 12, N))
START, TOOK = np.round(RANDOM.gamma(6, 8, N)) + 20, 1 + np.round(RANDOM.gamma(2, 15, N))
TESTED = (RANDOM.uniform(size=N) < 0.3) | (np.arange(N) >= N - 20)
HDL, LDL = RANDOM.normal(50, 10, N).round(2), RANDOM.normal(20, 4, N).round(2)


def study(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, seed: int, **columns: Any) -> dc.Study:
    """Open a table of persons whose exceptions are its last ones, under a fresh secret."""
    monkeypatch.setenv("DISCREET_SECRET", np.random.default_rng(seed).bytes(32).hex())
    monkeypatch.setenv("DISCREET_STATE", str(tmp_path / f"state {seed}"))
    return dc.open(pd.DataFrame({"age": AGE, **columns}), study=f"s{seed}", unit=False)


def last(persons: int) -> Any:
    return np.arange(N) >= N - persons


# --- kinds ----------------------------------------------------------------------------------------


def kind_of(column: str, of: dc.Study) -> str:
    found: str = of.session.table.columns[column].kind
    return found


def is_shown(of: dc.Study, column: str) -> bool:
    return column in of.session.table.shown([column], "categorical")


def two(exceptions: int) -> Any:
    return np.where(last(exceptions), 2 + np.arange(N), np.arange(N) % 2)


def second(persons: int) -> Any:
    return last(persons).astype(float)


def names(alike: int) -> Any:
    return np.where(
        last(alike + 1), "a name of several", np.char.add("p", np.arange(N).astype(str))
    )


def numbered(exceptions: int) -> Any:
    return np.where(last(exceptions), 5000 + 7 * np.arange(N), np.arange(N)).astype(float)


KINDS: dict[str, tuple[Callable[[int], Any], Callable[[dc.Study], bool]]] = {
    "a third value": (two, lambda of: kind_of("x", of) == "continuous"),
    "a second value": (second, lambda of: kind_of("x", of) == "categorical"),
    "names of several": (names, lambda of: is_shown(of, "x")),
    "numbers that do not follow": (numbered, lambda of: not of.session.table.numbering(["x"])),
    "a code for missing values": (
        lambda n: np.where(last(n), 999.0, AGE + np.arange(N) % 7),
        lambda of: "x" in dc.Protected(of).missing_codes(["x"]),
    ),
}


@pytest.mark.slow
@pytest.mark.parametrize(("made", "sign"), KINDS.values(), ids=KINDS)
def test_the_secret_draws_how_many_decide_of_what_kind_a_column_is(
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
    made: Callable[[int], Any],
    sign: Callable[[dc.Study], bool],
) -> None:
    def found(exceptions: int) -> list[bool]:
        return [sign(study(monkeypatch, tmp_path, seed, x=made(exceptions))) for seed in range(8)]

    assert not any(found(4))
    assert 0 < sum(found(7)) < 8
    assert all(found(9))


@pytest.mark.made_anew
def test_what_few_decide_is_the_same_for_the_same_secret(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    kinds = {kind_of("x", study(monkeypatch, tmp_path, 3, x=two(7))) for _ in range(3)}
    assert len(kinds) == 1


# --- copies ---------------------------------------------------------------------------------------


def copied(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, seed: int, **columns: Any) -> Any:
    return study(monkeypatch, tmp_path, seed, **columns).anonymize().frame


def together(exceptions: int) -> dict[str, Any]:
    gap = ~TESTED
    return {"hdl": np.where(gap, np.nan, HDL), "ldl": np.where(gap | last(exceptions), np.nan, LDL)}


def school(exceptions: int) -> dict[str, Any]:
    years = RANDOM.integers(0, 90, N).astype(float)
    years[np.argsort(HDL)[:exceptions]] += 0.5
    return {"school": years}


def backwards(exceptions: int) -> dict[str, Any]:
    return {"start": START, "stop": np.where(last(exceptions), START - 9, START + TOOK)}


COPIES: dict[str, tuple[Callable[[int], dict[str, Any]], Callable[[Any], bool], int, int]] = {
    "gaps of two columns": (together, lambda c: bool((c.hdl.isna() != c.ldl.isna()).any()), 4, 20),
    "whole numbers": (school, lambda c: bool((c.school != c.school.round()).any()), 4, 30),
    "an order": (backwards, lambda c: bool((c.stop < c.start).any()), 4, 30),
    "a column of few numbers": (
        lambda n: {"test": np.where(last(n), HDL, np.nan)},
        lambda c: "test" in c,
        19,
        40,
    ),
    "a level": (
        lambda n: {"l": np.where(last(n), "rare", np.where(np.arange(N) % 2, "a", "b"))},
        lambda c: bool((c.l == "rare").any()),
        4,
        20,
    ),
}


@pytest.mark.parametrize(("made", "sign", "never", "ever"), COPIES.values(), ids=COPIES)
def test_a_released_copy_shows_many_and_no_few(
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
    made: Callable[[int], dict[str, Any]],
    sign: Callable[[Any], bool],
    never: int,
    ever: int,
) -> None:
    assert not sign(copied(monkeypatch, tmp_path, 1, **made(never)))
    assert sign(copied(monkeypatch, tmp_path, 2, **made(ever)))


@pytest.mark.slow
@pytest.mark.parametrize(("made", "sign", "never", "ever"), COPIES.values(), ids=COPIES)
def test_one_person_more_is_hardly_seen_in_released_copies(
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
    made: Callable[[int], dict[str, Any]],
    sign: Callable[[Any], bool],
    never: int,
    ever: int,
) -> None:
    beside = [sign(copied(monkeypatch, tmp_path, i, **made(never + 1))) for i in range(10)]
    assert np.mean(beside) < 0.4


def test_notes_and_the_report_do_not_say_that_one_person_has_two_rows(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    def said(who: Any) -> list[str]:
        monkeypatch.setenv("DISCREET_SECRET", np.random.default_rng(5).bytes(32).hex())
        monkeypatch.setenv("DISCREET_STATE", str(tmp_path / str(who[-1])))
        frame = pd.DataFrame({"who": who, "age": AGE, "hdl": HDL})
        return [*dc.open(frame, study="s", unit="who").anonymize().report.notes]

    once, twice = np.arange(N), np.append(np.arange(N - 1), 0)
    assert said(once) == said(twice)
    assert "Figures count rows; groups count people." in said(once)
