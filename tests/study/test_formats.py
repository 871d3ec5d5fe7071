"""What left before formats were counted keeps its noise; what is new is keyed anew.

`format_1/` is a custodian's folder as it was written before: a file, its policy, the dump of its
ledger, its protected copy, and the scatter plot that left.
"""

import shutil
import sqlite3
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pyarrow as pa
import pytest

import discreet as dc
from discreet.errors import LeavingError
from discreet.ledger.ledger import Ledger
from discreet.plots import PointsView, View
from discreet.secret import Secret
from discreet.study.session import ledger_of

BEFORE = Path(__file__).parent / "format_1"
SECRET = bytes(range(32))
GROUP = ["x", "y"]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Lay out the custodian's folder again."""
    monkeypatch.setenv("DISCREET_SECRET", SECRET.hex())
    for name in ("cohort.csv", "policy.toml", "scatter.json"):
        shutil.copy(BEFORE / name, tmp_path)
    # What was usual then, and is now declared: another rule is another setting.
    rules = tmp_path / "policy.toml"
    rules.write_text('outside = "keep"\n' + rules.read_text())
    hidden = tmp_path / ".discreet"
    hidden.mkdir()
    for copy in BEFORE.glob("*.parquet"):
        shutil.copy(copy, hidden)
    connection = sqlite3.connect(hidden / "ledger.sqlite")
    connection.executescript((BEFORE / "ledger.sql").read_text())
    connection.close()
    return tmp_path


def scatter(folder: Path, source: Any = None, **named: Any) -> PointsView:
    given = folder / "cohort.csv" if source is None else source
    return dc.open(given, folder / "policy.toml", **named).scatter("x", "y")


def frame(folder: Path) -> pl.DataFrame:
    return pl.read_csv(folder / "cohort.csv")


def told(folder: Path) -> PointsView:
    view = View.from_json((folder / "scatter.json").read_text())
    assert isinstance(view, PointsView)
    return view


def places(view: PointsView) -> list[tuple[float, ...]]:
    return list(zip(view.x, view.y, strict=True))


def copies(folder: Path) -> list[str]:
    return sorted(path.name for path in (folder / ".discreet").glob("copy-*.parquet"))


def formats(folder: Path) -> list[tuple[str, int, str | None]]:
    """Return study, version and format of each version in the ledger."""
    connection = sqlite3.connect(folder / ".discreet" / "ledger.sqlite")
    rows = connection.execute(
        "SELECT study, number, value FROM version LEFT JOIN choice"
        " ON choice.version = version.id AND what = 'format' ORDER BY id"
    ).fetchall()
    connection.close()
    return rows


@pytest.mark.parametrize("kept", [True, False], ids=["copy kept", "copy made again"])
def test_a_study_of_before_gives_the_points_it_gave(folder: Path, kept: bool) -> None:
    before = copies(folder)
    if not kept:
        (folder / ".discreet" / before[0]).unlink()

    view = scatter(folder)
    view.save(folder / "again.svg")

    assert places(view) == places(told(folder))
    assert view.origin.version == told(folder).origin.version
    assert copies(folder) == before
    assert formats(folder) == [("cohort.csv", 1, None)]


@pytest.mark.parametrize("name", [None, "another name"])
def test_the_same_data_are_known_under_another_name(folder: Path, name: str | None) -> None:
    """By the marks of their columns, where no copy is kept."""
    (folder / ".discreet" / copies(folder)[0]).unlink()

    view = scatter(folder, frame(folder).sample(fraction=1, shuffle=True, seed=1), study=name)
    view.save(folder / "again.svg")

    assert places(view) == places(told(folder))
    # Without a name it is one more picture of the study that it is.
    assert formats(folder)[1:] == ([] if name is None else [(name, 1, "1")])


def test_a_copy_of_before_is_used_where_nothing_has_left(folder: Path) -> None:
    (folder / ".discreet" / "ledger.sqlite").unlink()

    view = scatter(folder, frame(folder))

    assert places(view) == places(told(folder))
    view.save(folder / "again.svg")
    assert formats(folder) == [("", 1, "1")]
    assert len(copies(folder)) == 1


def test_other_data_and_new_versions_are_keyed_anew(folder: Path) -> None:
    changed = frame(folder).with_columns(x=pl.col("x") + pl.Series(np.arange(60) % 3 + 1.0))
    study = dc.open(changed, folder / "policy.toml", study="cohort.csv")

    assert study.new_version() == 2
    view = study.scatter("x", "y")
    view.save(folder / "changed.svg")
    other = frame(folder).with_columns(pl.col("x") * 1.5, pl.col("y") * 0.7, place=pl.lit("a"))
    scatter(folder, other.head(40), study="other").save(folder / "other.svg")

    assert formats(folder) == [
        ("cohort.csv", 1, None),
        ("cohort.csv", 2, "3"),
        ("other", 1, "3"),
    ]
    new = [name for name in copies(folder) if name.startswith("copy-2-")]
    assert len(new) == 2
    assert len(copies(folder)) == 3
    assert places(scatter(folder, changed, study="cohort.csv")) == places(view)


def test_what_was_drawn_before_a_new_version_does_not_leave_in_it(folder: Path) -> None:
    changed = frame(folder).with_columns(x=pl.col("x") + pl.Series(np.arange(60) % 3 + 1.0))
    study = dc.open(changed, folder / "policy.toml", study="cohort.csv")
    drawn = study.scatter("x", "y")
    study.new_version()

    with pytest.raises(LeavingError, match="were released before from another copy"):
        drawn.save(folder / "late.svg")
    study.scatter("x", "y").save(folder / "drawn again.svg")


def test_rows_of_a_second_copy_do_not_leave(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Should the format ever be got wrong: the ledger refuses it."""
    monkeypatch.setattr(Ledger, "format_of_data", lambda *given: None)
    (folder / ".discreet" / copies(folder)[0]).unlink()

    view = scatter(folder, frame(folder))

    assert places(view) != places(told(folder))
    with pytest.raises(LeavingError, match="were released before from another copy"):
        view.save(folder / "second.svg")


def test_marks_of_before_are_those_of_now(folder: Path) -> None:
    """Of numbers and texts, from another kind of frame, by the streaming sketch."""
    keeper = dc.open(frame(folder), folder / "policy.toml").session.release_gate
    ledger = ledger_of(folder / "policy.toml", Secret.from_bytes(SECRET))
    found = keeper._every_sketch(keeper._all_columns())

    columns = {what: it for what, it in found.items() if what.startswith("column ")}
    assert set(columns) == {"column x", "column y", "column sex", "column place"}
    assert ledger.knows("cohort.csv", columns)


def test_changed_data_of_before_are_noticed(folder: Path) -> None:
    """One person less, under the old name and under a new one."""
    fewer = pa.table(frame(folder).head(59).to_dict(as_series=False))

    for name, message in (
        ("cohort.csv", "have changed since a release"),
        ("new", "nearly the same data were released before, as study 'cohort.csv'"),
    ):
        study = dc.open(fewer, folder / "policy.toml", study=name)
        with pytest.raises(LeavingError, match=message):
            study.scatter("x", "y").save(folder / "fewer.svg")


def test_values_outside_bounds_are_kept_in_a_study_that_left_so(folder: Path) -> None:
    """As the copy was made, whatever is usual now."""
    policy = dc.Policy.load(folder / "policy.toml").changed(outside="reflect")

    study = dc.open(folder / "cohort.csv", policy)
    study.scatter("x", "y").save(folder / "again.svg")
    other = dc.open(frame(folder), policy, study="other")

    assert study.policy.outside == "keep"
    assert other.policy.outside == "reflect"
    study.new_version()
    assert study.policy.outside == "reflect"
    drawn = study.scatter("x", "y")
    drawn.save(folder / "as declared.svg")
    again = dc.open(folder / "cohort.csv", policy).scatter("x", "y")
    again.save(folder / "again as declared.svg")
    assert places(again) == places(drawn)
