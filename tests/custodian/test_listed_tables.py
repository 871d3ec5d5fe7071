"""Cross-tables that a policy lists: the copy has their counts, and shows them alike everywhere."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

import discreet as dc
from discreet import Policy
from discreet.errors import InputError, LeavingError
from discreet.explore.board import board_columns
from discreet.explore.derived import rows_where
from discreet.methods.whole import noise_of_counts

N = 1500
TABLES = [["ward", "died"], ["sex", "ward"], ["died", "sex"]]
LEVELS = ("ward", "died", "sex")
Cells = dict[tuple[str, str], int]


def cohort(seed: int = 0, n: int = N) -> pl.DataFrame:
    """Make a table in which who died hangs on the ward and the sex."""
    random = np.random.default_rng(seed)
    ward = random.choice(["a", "b", "c", "d"], n, p=[0.5, 0.3, 0.16, 0.04])
    sex = random.choice(["f", "m"], n)
    odds = 0.2 + 0.4 * (ward == "a") + 0.3 * (sex == "m")
    died = np.where(random.uniform(size=n) < odds, "yes", "no")
    x = np.round(random.normal(50, 12, n), 1)
    return pl.DataFrame({"x": x, "ward": ward, "died": died, "sex": sex})


def opened(
    frame: pl.DataFrame | None = None,
    tables: Sequence[Sequence[str]] = TABLES,
    preset: str = "standard",
    study: str = "s",
    **how: Any,
) -> dc.Study:
    policy = Policy.preset(preset, tables=[list(it) for it in tables], **how)
    return dc.open(cohort() if frame is None else frame, policy, study=study)


@pytest.fixture(scope="module")
def study() -> dc.Study:
    return opened()


def crossed(rows: pl.DataFrame, a: str, b: str) -> Cells:
    found = rows.group_by(a, b).len()
    return {(str(i), str(j)): int(count) for i, j, count in found.rows()}


def of_table(view: Any, a: str, b: str) -> Cells:
    cells = {
        (i, j): count
        for i, row in zip(view.row_levels, view.counts, strict=True)
        for j, count in zip(view.column_levels, row, strict=True)
        if count
    }
    return cells if view.columns == (a, b) else {(i, j): it for (j, i), it in cells.items()}


def of_bars(view: Any) -> Cells:
    return {
        (level, by): count
        for by, row in zip(view.by_levels, view.by_counts, strict=True)
        for level, count in zip(view.levels, row, strict=True)
        if count
    }


# --- one number of each count ---------------------------------------------------------------------


def turned(cells: Cells) -> Cells:
    return {(i, j): count for (j, i), count in cells.items()}


def of_parts(study: dc.Study, a: str, b: str) -> Cells:
    whole = study._copy.whole
    found = {
        (i, j): len(rows_where(whole, f"{a} == '{i}' and {b} == '{j}'")[1])
        for i in whole.levels_of(a)
        for j in whole.levels_of(b)
    }
    return {cell: count for cell, count in found.items() if count}


WHERE: dict[str, Callable[[dc.Study, str, str], Cells]] = {
    "the table the other way round": lambda s, a, b: of_table(s.crosstab(b, a), a, b),
    "bars": lambda s, a, b: of_bars(s.bars(a, by=b)),
    "bars the other way": lambda s, a, b: turned(of_bars(s.bars(b, by=a))),
    "the released rows": lambda s, a, b: crossed(s.anonymize().frame, a, b),
    "parts": of_parts,
    "a board": lambda s, a, b: of_board(s, a, b),
}


def of_board(study: dc.Study, a: str, b: str) -> Cells:
    columns = {it.name: it for it in board_columns(study.session.whole)}
    found: Cells = {}
    for i, j in zip(columns[a].places, columns[b].places, strict=True):
        cell = (columns[a].levels[i], columns[b].levels[j])
        found[cell] = found.get(cell, 0) + 1
    return found


@pytest.mark.parametrize("name", WHERE)
def test_a_count_has_one_value_wherever_it_stands(study: dc.Study, name: str) -> None:
    for a, b in TABLES:
        assert WHERE[name](study, a, b) == of_table(study.crosstab(a, b), a, b)


@pytest.mark.parametrize("name", LEVELS)
def test_sums_of_listed_tables_are_the_counts_of_each_column(study: dc.Study, name: str) -> None:
    alone = study.bars(name)
    shown = dict(zip(alone.levels, alone.counts, strict=True))
    for a, b in TABLES:
        view = study.crosstab(a, b)
        if name == a:
            assert dict(zip(view.row_levels, view.row_totals, strict=True)) == shown
        if name == b:
            assert dict(zip(view.column_levels, view.column_totals, strict=True)) == shown
    summary = study.summary([name]).to_text()
    assert all(f"{count:,}" in summary for count in alone.counts)


@pytest.mark.parametrize(("a", "b"), TABLES, ids=" by ".join)
@pytest.mark.parametrize("seed", range(2))
def test_listed_tables_are_counted(a: str, b: str, seed: int) -> None:
    """Shares within a line, which margins of the copy do not move, are those of the data."""
    raw = cohort(seed)
    view = opened(raw, study=f"counted {seed}").crosstab(a, b)
    wanted = crossed(raw, a, b)
    sd = noise_of_counts(4, len(TABLES))
    for (i, j), count in of_table(view, a, b).items():
        held = raw.filter(pl.col(a) == i).height
        shown = view.row_totals[view.row_levels.index(i)]
        if wanted.get((i, j), 0) >= 2 * sd**2:  # fewer may be the copy's own
            assert count / (shown or 1) == pytest.approx(wanted[i, j] / held, abs=4 * sd / held)


def test_what_is_not_listed_is_the_copys_own(study: dc.Study) -> None:
    for view in (study.crosstab("ward", "died"), study.bars("ward"), study.histogram("x")):
        assert view.method == "whole"
        assert view.origin.counted == "protected rows"
        assert view.origin.version == study.session.whole.copy.version


def test_what_is_counted_says_so(study: dc.Study) -> None:
    said = "counted in the data, with noise: "
    assert f"{said}ward by died" in study.crosstab("died", "ward").notes()
    assert f"{said}sex by ward" in study.bars("sex", by="ward").notes()
    assert not any(said in it for it in study.bars("sex").notes())
    assert not any(said in it for it in study.box("x", by="sex").notes())


@pytest.mark.slow
def test_tables_are_drawn_by_the_secret(monkeypatch: pytest.MonkeyPatch) -> None:
    raw, found = cohort(), []
    for secret in ("0123456789abcdef" * 2, "fedcba9876543210" * 2, "0123456789abcdef" * 2):
        monkeypatch.setenv("DISCREET_SECRET", secret)
        found.append(of_table(opened(raw, study=secret).crosstab("ward", "sex"), "ward", "sex"))
    assert found[0] == found[2] != found[1]


@pytest.mark.slow
def test_a_listed_column_that_is_not_in_the_copy_is_left_out() -> None:
    raw = cohort().with_columns(word=pl.Series([f"word {i}" for i in range(N)]))
    roles, kinds = {"word": "quasi-identifier"}, {"word": "categorical"}
    study = opened(raw, [["ward", "word"], ["ward", "died"]], roles=roles, kinds=kinds)
    assert study.crosstab("ward", "died").method == "whole"


def test_persons_with_several_rows_are_not_counted() -> None:
    """One person would move a cell by all their rows: the table is the copy's own."""
    raw = cohort().with_columns(who=pl.Series(np.arange(N) // 2))
    frames = [
        opened(raw, tables, unit="who", study=f"{len(tables)}").session.whole.copy.strata
        for tables in ([], TABLES)
    ]
    assert {*frames[0]} == {*frames[1]} == {*LEVELS}


# --- what a policy may list -----------------------------------------------------------------------


@pytest.mark.slow
def test_other_tables_are_another_policy() -> None:
    opened(tables=[["ward", "died"]]).histogram("x").to_json()
    with pytest.raises(LeavingError, match=r"^'tables' must be the same as in the earlier release"):
        opened(tables=[["ward", "sex"]]).histogram("x").to_json()


@pytest.mark.parametrize(
    ("tables", "says"), [([["ward", "x"]], r"'x' is continuous"), ([["ward", "none"]], r"none")]
)
def test_tables_are_of_levels(tables: list[list[str]], says: str) -> None:
    with pytest.raises(InputError, match=says):
        opened(tables=tables)


def test_tables_without_a_copy_are_refused() -> None:
    with pytest.raises(
        InputError, match=r"^the policy lists tables, which only the copy of a guarded"
    ):
        dc.research(cohort(), tables=TABLES)


def test_a_policy_file_lists_tables(tmp_path: Path) -> None:
    file = tmp_path / "discreet.toml"
    file.write_text('tables = [["ward", "died"]]\n', encoding="utf-8")
    cohort().write_csv(tmp_path / "cohort.csv")
    study = dc.open(tmp_path / "cohort.csv", file)
    assert study.policy.tables == (("ward", "died"),)
    assert study.crosstab("died", "ward").method == "whole"
