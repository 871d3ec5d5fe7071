"""Counts that belong to a copy of the whole table: listed tables, and what is held back of them."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

import discreet as dc
from discreet import Policy
from discreet.errors import InputError, LeavingError, RefusedError
from discreet.plots import BarView, CrossTableView

N = 600
TABLES = [["ward", "died"], ["sex", "ward"], ["died", "sex"]]


def cohort(seed: int = 0) -> pl.DataFrame:
    random = np.random.default_rng(seed)
    return pl.DataFrame(
        {
            "x": np.round(random.normal(50, 12, N), 1),
            "ward": random.choice(["a", "b", "c", "d"], N, p=[0.5, 0.3, 0.16, 0.04]),
            "died": random.choice(["yes", "no"], N, p=[0.3, 0.7]),
            "sex": random.choice(["f", "m"], N),
        }
    )


def opened(
    frame: pl.DataFrame | None = None,
    preset: str = "standard",
    tables: Sequence[Sequence[str]] = TABLES,
    study: str = "s",
    **how: Any,
) -> dc.Study:
    policy = Policy.preset(preset, rows="whole", tables=[list(it) for it in tables], **how)
    return dc.open(cohort() if frame is None else frame, policy, study=study)


# --- listed tables --------------------------------------------------------------------------------


@pytest.mark.parametrize(("a", "b"), [("ward", "died"), ("died", "ward"), ("ward", "sex")])
def test_a_listed_table_is_counted_either_way_round(a: str, b: str) -> None:
    study = opened()
    view = study.crosstab(a, b)

    assert view.method == "cell-suppression"
    assert view.origin.counted != "protected rows"
    raw = cohort()
    for level, row in zip(view.row_levels, view.counts, strict=True):
        for other, count in zip(view.column_levels, row, strict=True):
            held = len(raw.filter((pl.col(a) == level) & (pl.col(b) == other)))
            assert count is None or (held >= 5 and abs(count - held) <= 2)
    assert type(view).from_json(view.to_json()) == view


def test_what_is_not_listed_and_what_is_set_is_drawn_from_the_copy() -> None:
    study = opened(tables=[["ward", "died"]])

    assert study.crosstab("ward", "died").method == "cell-suppression"
    assert study.crosstab("ward", "sex").method == "whole"
    assert study.crosstab("ward", "died", source="copy").method == "whole"
    assert study.bars("ward", by="died").method == "whole"


DRAWN: dict[str, Callable[[dc.Study], Any]] = {
    "table": lambda s: s.crosstab("died", "ward"),
    "another": lambda s: s.crosstab("ward", "sex"),
    "bars": lambda s: s.bars("ward"),
    "histogram": lambda s: s.histogram("x"),
    "copy": lambda s: s.crosstab("ward", "died", source="copy"),
    "axes": lambda s: s.parallel(["ward", "died", "x"]),
}


@pytest.mark.parametrize("preset", ["standard", "sacro", "datashield", "opensafely"])
def test_no_order_of_requests_changes_what_is_drawn(preset: str) -> None:
    said: dict[str, set[str]] = {name: set() for name in DRAWN}
    for names in [list(DRAWN), list(DRAWN)[::-1]]:
        study = opened(preset=preset, study=f"{preset}")
        for name in names:
            said[name].add(DRAWN[name](study).to_json())

    assert all(len(texts) == 1 for texts in said.values())


def test_listed_tables_lock_other_methods_of_themselves_alone() -> None:
    study = opened(tables=[["ward", "died"]])
    study.crosstab("ward", "died").to_json()

    study.crosstab("ward", "died", source="counts").to_json()
    study.bars("died", by="ward", source="counts").to_json()
    study.crosstab("ward", "sex", source="counts").to_json()
    study.parallel(["died", "sex", "x"], source="counts").to_json()
    with pytest.raises(LeavingError, match=r"count method of 'died', 'ward' is 'cell-suppression'"):
        study.parallel(["ward", "died"], source="counts").to_json()


def test_further_counts_lock_no_listed_table() -> None:
    study = opened(tables=[["ward", "died"]])
    with pytest.raises(LeavingError, match=r"in the base counts of this study"):
        study.parallel(["ward", "died", "x"], source="counts").to_json()

    assert study.crosstab("ward", "died").to_json()


def test_other_tables_are_another_policy() -> None:
    opened(tables=[["ward", "died"]]).histogram("x").to_json()

    with pytest.raises(LeavingError, match=r"^'tables' must be as in the earlier release"):
        opened(tables=[["ward", "sex"]]).histogram("x").to_json()


@pytest.mark.parametrize(
    ("tables", "says"),
    [
        ([["ward", "x"]], r"'x' is continuous"),
        ([["ward", "none"]], r"none"),
    ],
)
def test_tables_are_of_levels(tables: list[list[str]], says: str) -> None:
    with pytest.raises(InputError, match=says):
        opened(tables=tables)


def test_tables_without_a_copy_are_refused() -> None:
    policy = Policy.preset("standard", rows="condensation", tables=TABLES)

    with pytest.raises(InputError, match=r"^tables of the policy are counted with a copy of the"):
        dc.open(cohort(), policy)


def test_a_policy_file_lists_tables(tmp_path: Path) -> None:
    file = tmp_path / "discreet.toml"
    file.write_text('rows = "whole"\ntables = [["ward", "died"]]\n', encoding="utf-8")
    cohort().write_csv(tmp_path / "cohort.csv")

    study = dc.open(tmp_path / "cohort.csv", file)

    assert study.policy.tables == (("ward", "died"),)
    assert study.crosstab("died", "ward").method == "cell-suppression"


def test_a_table_of_too_few_persons_is_drawn_from_the_copy() -> None:
    few = cohort().head(45)
    study = opened(few, tables=[["died", "sex"]])

    assert study.crosstab("died", "sex").method == "whole"


# --- held back where nothing is rounded -----------------------------------------------------------


CIRCLE = [["a", "b"], ["b", "c"], ["a", "c"]]
# How many persons have each level of a, b and c: found by trying, for of few cubes three tables
# tell more than each of them.
CUBE = [
    [[14, 3, 1], [1, 30, 1], [42, 2, 4]],
    [[0, 3, 11], [0, 0, 6], [11, 0, 0]],
    [[0, 6, 0], [0, 0, 0], [12, 36, 0]],
]


def in_a_circle() -> pl.DataFrame:
    """Make a table of so many persons."""
    places = np.repeat(np.argwhere(np.array(CUBE) >= 0), np.ravel(CUBE), axis=0)
    levels = {name: [f"{name}{it}" for it in at] for name, at in zip("abc", places.T, strict=True)}
    return pl.DataFrame(levels)


@pytest.mark.parametrize("preset", ["sacro", "datashield"])
@pytest.mark.parametrize("seed", range(4))
def test_base_tables_together_leave_every_hidden_cell_k_values(preset: str, seed: int) -> None:
    """Counted again by whole programs over the joint table, written here anew."""
    frame = cohort(seed)
    study = opened(frame, preset=preset)
    views = [study.crosstab(a, b) for a, b in TABLES]
    counted = [view for view in views if view.method == "cell-suppression"]

    assert counted
    assert narrowest(counted, [study.bars(n) for n in ("ward", "died", "sex")]) >= study.policy.k


def narrowest(tables: Sequence[CrossTableView], bars: Sequence[BarView]) -> float:
    """Return the fewest whole numbers that a hidden cell can be, beside all that is shown."""
    from scipy.optimize import linprog

    levels = {view.columns[0]: view.levels for view in bars}
    names = list(levels)
    atoms = [dict(zip(names, at, strict=True)) for at in itertools.product(*levels.values())]

    def line(**where: str) -> list[float]:
        return [float(all(atom[n] == it for n, it in where.items())) for atom in atoms]

    lines, sums, hidden = [], [], []
    for view in bars:
        for level, count in zip(view.levels, view.counts, strict=True):
            assert count is not None
            lines.append(line(**{view.columns[0]: level}))
            sums.append(count)
    for table in tables:
        a, b = table.columns
        for i, j in itertools.product(
            range(len(table.row_levels)), range(len(table.column_levels))
        ):
            cell = line(**{a: table.row_levels[i], b: table.column_levels[j]})
            count = table.counts[i][j]
            if count is None:
                hidden.append(cell)
            else:
                lines.append(cell)
                sums.append(count)
    fewest = np.inf
    for cell in hidden:
        low, high = (
            sign * linprog(sign * np.array(cell), A_eq=lines, b_eq=sums, bounds=(0, None)).fun
            for sign in (1, -1)
        )
        fewest = min(fewest, np.floor(high + 1e-6) - np.ceil(low - 1e-6) + 1)
    return float(fewest)


def test_of_tables_in_a_circle_one_is_held_back() -> None:
    study = opened(in_a_circle(), "datashield", CIRCLE, k=5)
    views = {tuple(pair): study.crosstab(*pair) for pair in CIRCLE}

    made = [view for view in views.values() if view.method == "cell-suppression"]
    assert len(made) == 2
    assert views["a", "c"].method == "whole"
    assert narrowest(made, [study.bars(n) for n in "abc"]) >= 5
    with pytest.raises(RefusedError, match=r"beside the base counts .* would give a cell of fewer"):
        study.crosstab("c", "a", source="counts")
    with pytest.raises(RefusedError, match=r"beside the base counts .* would give a cell of fewer"):
        study.bars("a", by="c", source="counts")


def test_the_attack_finds_the_cell_where_none_is_held_back() -> None:
    """Each table of the circle by itself, in a study that lists it alone."""
    alone = [opened(in_a_circle(), "datashield", [it], f"{it}", k=5).crosstab(*it) for it in CIRCLE]
    study = opened(in_a_circle(), "datashield", [], "bars", k=5)

    assert all(view.method == "cell-suppression" for view in alone)
    assert narrowest(alone, [study.bars(n) for n in "abc"]) < 5


def test_what_is_listed_first_is_given() -> None:
    study = opened(in_a_circle(), "datashield", CIRCLE[::-1], k=5)

    assert study.crosstab("a", "c").method == "cell-suppression"
    assert study.crosstab("a", "b").method == "whole"


def test_rounded_tables_are_all_given() -> None:
    study = opened(in_a_circle(), "standard", CIRCLE)

    assert {study.crosstab(*pair).method for pair in CIRCLE} == {"cell-suppression"}


def bins_of(counts: Sequence[int]) -> pl.DataFrame:
    """Make a column whose bins between 0 and 10 hold so many persons."""
    values = np.repeat(np.arange(len(counts)) + 0.5, counts)
    return pl.DataFrame({"x": values, "y": np.random.default_rng(0).normal(size=len(values))})


HISTOGRAMS = {
    # What the bins hold, and whether they are given: k is 3, and no count is rounded.
    "one small bin is what the others leave": ([40, 30, 2, 30, 40, 30, 40, 30, 40, 30], False),
    "one person in one of two": ([40, 30, 1, 0, 40, 30, 40, 30, 40, 30], False),
    "two persons in two bins": ([40, 30, 2, 0, 40, 30, 40, 30, 40, 30], True),
    "as many as hidden bins can hold": ([40, 30, 2, 2, 40, 30, 40, 30, 40, 30], False),
    "empty ones alone": ([40, 30, 0, 0, 40, 30, 40, 30, 40, 30], True),
    "none hidden": ([40, 30, 3, 30, 40, 30, 40, 30, 40, 30], True),
}


@pytest.mark.parametrize(("held", "given"), HISTOGRAMS.values(), ids=HISTOGRAMS)
def test_a_histogram_whose_hidden_bin_is_known_is_held_back(held: list[int], given: bool) -> None:
    frame = bins_of(held)
    study = opened(frame, "datashield", [], bins=10, limits={"x": [0, 10]})
    view = study.histogram("x")

    assert (view.method == "suppression") == given
    if given:
        assert study.histogram("x", source="counts").counts == view.counts
    else:
        with pytest.raises(RefusedError, match=r"these counts of 'x' beside the base counts"):
            study.histogram("x", source="counts")
    rounded = opened(frame, "datashield", [], "r", bins=10, limits={"x": [0, 10]}, round_to=5)
    assert rounded.histogram("x").method == "suppression"


# --- the margins of the copy ----------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(3))
def test_the_margins_of_the_copy_are_near_the_base_counts(seed: int) -> None:
    """Levels within three standard errors of a sample, and a rounding; numbers as a sample, too."""
    study = opened(cohort(seed), study=f"margins {seed}")
    copy = study.session.whole.copy
    for name in ("ward", "died", "sex"):
        view, drawn = study.bars(name), copy.strata[name]
        for level, count in zip(view.levels, view.counts, strict=True):
            if level not in drawn:
                continue  # joined in the copy, which names levels of some more persons alone
            share = drawn.count(level) / len(drawn)
            error = (share * (1 - share) / N) ** 0.5
            assert abs((count or 0) / N - share) <= 3 * error + 2.5 / N
    drawn_of, values = study.histogram("x"), copy.columns["x"]
    counts = np.array([count or 0 for count in drawn_of.counts], dtype=float)
    held = np.histogram(values, (-np.inf, *drawn_of.edges[1:-1], np.inf))[0] / len(values)
    apart = np.abs(np.cumsum(held) - np.cumsum(counts / counts.sum())).max()
    assert apart <= 1.63 / N**0.5 + 2.5 * len(counts) / N  # 1 % of samples are farther off
