"""Patients of several visits: what a study shows of them stands on persons, counted by hand."""

import itertools
import math
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

import discreet as dc
from discreet import BarView, CrossTableView, GridView, HistogramView
from discreet.arguments import Floats
from discreet.errors import LeavingError, RefusedError
from discreet.plots.bars import BarChart
from discreet.plots.crosstab import CrossTable

PATIENTS, VISITS, K = 100, 5, 5
CELLS = ("x", "y")


def visits(seed: int = 1, patients: int = PATIENTS, rows: int = VISITS) -> dict[str, Any]:
    """Make patients of some nearly equal visits."""
    rng = np.random.default_rng(seed)
    who = np.repeat(np.arange(patients), rows)
    rng.shuffle(who)
    centres = rng.multivariate_normal([0, 0], [[1, 0.5], [0.5, 1]], patients)[who]
    values = centres + 0.02 * rng.normal(size=centres.shape)
    return {
        "patient_id": who + 5000,
        "x": values[:, 0],
        "y": values[:, 1],
        "sex": np.where(rng.random(patients) < 0.4, "f", "m")[who],
        "ward": np.array([*"abcd"])[rng.integers(0, 4, patients)][who],
    }


def persons(given: dict[str, Any], where: Any) -> int:
    """Count the patients with a visit somewhere."""
    return len(set(np.asarray(given["patient_id"])[where].tolist()))


def inside(values: Floats, edges: tuple[float, ...], i: int) -> Any:
    """Say which values are in a bin; the end bins take what lies beyond them."""
    low = -math.inf if i == 0 else edges[i] - 1e-9
    high = math.inf if i == len(edges) - 2 else edges[i + 1]
    return (values >= low) & (values < high)


def cells_on(view: Any, given: dict[str, Any]) -> list[int]:
    """Count the patients of each cell that is shown."""
    shape = len(view.x_edges) - 1, len(view.y_edges) - 1
    across = len(view.counts) == shape[0]
    found = []
    for i, j in itertools.product(*map(range, shape)):
        if (view.counts[i][j] if across else view.counts[j][i]) is not None:
            x, y = inside(given["x"], view.x_edges, i), inside(given["y"], view.y_edges, j)
            found.append(persons(given, x & y))
    return found


def test_a_table_of_patients_with_several_visits_is_refused_until_they_are_named() -> None:
    given = visits()
    with pytest.raises(RefusedError, match=r"'patient_id' looks as if.*unit=.*unit=False"):
        dc.open(pa.table(given))
    # What it was about: a heat map of rows, most of whose cells are of a person or two.
    rows = dc.research(pa.table(given), unit=False).heatmap(*CELLS, k=K)
    assert isinstance(rows, GridView)
    assert sum(found < K for found in cells_on(rows, given)) > 20


@pytest.mark.parametrize("seed", range(2))
def test_all_that_is_counted_stands_on_k_patients(seed: int) -> None:
    given = visits(seed, patients=300)
    # Some visits lie elsewhere, so that patients are in several cells.
    moved = np.random.default_rng(seed).random(len(given["x"])) < 0.2
    given["x"] = np.where(moved, given["x"] + 1, given["x"])
    study = dc.research(pa.table(given), unit="patient_id", k=K)

    heatmap = study.heatmap(*CELLS)
    assert isinstance(heatmap, GridView)
    assert min(held for held in cells_on(heatmap, given) if held) >= K
    assert heatmap.origin.counted == "people (patient_id)"

    histogram = study.histogram("x")
    assert isinstance(histogram, HistogramView)
    for i, count in enumerate(histogram.counts):
        held = persons(given, inside(given["x"], histogram.edges, i))
        assert count == (held if held >= K or not held else None)

    bars = study.papers.draw(BarChart("ward"))
    table = study.papers.draw(CrossTable("ward", "sex"))
    assert isinstance(bars, BarView)
    assert isinstance(table, CrossTableView)
    for level, count in zip(bars.levels, bars.counts, strict=True):
        assert persons(given, given["ward"] == level) == count
    for (i, ward), (j, sex) in itertools.product(
        enumerate(table.row_levels), enumerate(table.column_levels)
    ):
        both = (given["ward"] == ward) & (given["sex"] == sex)
        assert table.counts[i][j] == persons(given, both)


def test_a_box_is_not_of_the_patient_with_most_visits() -> None:
    given = visits()
    often = np.full(2000, 7.25)
    more = {
        "patient_id": np.append(given["patient_id"], np.full(2000, 5000)),
        "x": np.append(given["x"], often),
    }
    (box,) = dc.open(pa.table(more), unit="patient_id").box("x").groups
    assert box.high < 4


# --- few persons with many rows -----------------------------------------------------------------


def many_visits(lost: int, ids: str) -> dict[str, Any]:
    """Make 150 patients of 4 visits and one of 70; as many of them are gone as are `lost`."""
    rng = np.random.default_rng(4)
    rows = np.r_[70, np.full(150, 4)]
    who = np.repeat(np.arange(len(rows)), rows)
    names = {"texts": [f"p{v:08x}" for v in rng.integers(0, 2**31, len(rows))], "numbers": None}
    given = {
        "patient_id": who + 1 if names[ids] is None else np.array(names[ids])[who],
        "status": np.where(rng.random(len(rows)) < 0.3, "pos", "neg")[who],
        "bmi": (rng.normal(25, 4, len(rows))[who] + rng.normal(0, 0.5, len(who))).round(2),
    }
    return {name: values[who >= lost] for name, values in given.items()}


@pytest.mark.slow
@pytest.mark.parametrize(
    ("preset", "ids", "lost"), [("standard", "texts", 1), ("datashield", "numbers", 3)]
)
def test_few_persons_are_few_however_many_rows_they_have(
    preset: str, ids: str, lost: int, tmp_path: Path
) -> None:
    """One of 70 rows, of 670, was more than 10 k changed rows, and gave a version of its own."""
    whole, less = (pa.table(many_visits(n, ids)) for n in (0, lost))
    dc.open(whole, preset, study="a", unit="patient_id").bars("status").save(tmp_path / "a.json")
    with pytest.raises(LeavingError, match="nearly the same data were released before"):
        dc.open(less, preset, study="b", unit="patient_id").bars("status").save(tmp_path / "b.json")
    with pytest.raises(LeavingError, match=r"too few rows of .* have changed since version 1"):
        dc.protect(less, preset, study="a", unit="patient_id").new_version()


def test_enough_persons_are_a_version(tmp_path: Path) -> None:
    whole, less = (pa.table(many_visits(n, "numbers")) for n in (0, 61))
    dc.open(whole, study="a", unit="patient_id").bars("status").save(tmp_path / "a.json")
    assert dc.protect(less, study="a", unit="patient_id").new_version() == 2


def test_nothing_is_said_of_how_many_rows_somebody_has(monkeypatch: pytest.MonkeyPatch) -> None:
    """The number of all rows, beside those of the copy, gave those of one person."""
    monkeypatch.setenv("DISCREET_SECRET", bytes(range(32)).hex())
    study = dc.open(
        pa.table(
            many_visits(0, "texts") | {"bmi2": np.random.default_rng(5).normal(size=670).round(2)}
        ),
        unit="patient_id",
    )
    view = study.scatter("bmi", "bmi2")
    assert view.origin.total != 670
    assert not [line for line in view.notes() if "670" in line]
