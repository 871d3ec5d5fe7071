"""The session and the papers: a question is settled, answered, and given its gate."""

from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from discreet.custodian.papers import Papers
from discreet.custodian.publishing import private_copy
from discreet.custodian.session import Session, folder_of, register_of
from discreet.datasets import diabetes
from discreet.errors import InputError
from discreet.explore import Study
from discreet.explore.derived import DerivedCopy
from discreet.explore.from_copy import DrawableColumn
from discreet.opening import open as open_study
from discreet.plots import PointsView
from discreet.plots.diagnostics import QQPlot, ResidualPlot
from discreet.plots.histogram import HistogramPlot
from discreet.plots.scatter import ScatterPlot
from discreet.policy import PRESETS, Policy
from discreet.table import open_table

RNG = np.random.default_rng(2)
X = RNG.normal(50, 10, size=160)
COLUMNS: dict[str, Any] = {
    "x": X,
    "y": X + RNG.normal(0, 5, size=160),
    "z": RNG.lognormal(size=160),
    "sex": ["f", "m"] * 80,
}


def session(preset: str = "standard", **fields: Any) -> Session:
    """Put the table behind a policy."""
    table = open_table(pa.table(COLUMNS), kinds={}, roles={}, unit=None, key=None)
    own = {"papers": {"bins": 6, "grid": 4}} if preset == "research" else {}
    return Session(table, Policy.preset(preset, **fields, **own))


def papers() -> Papers:
    """Put the table before the papers' methods."""
    return Papers(session("research"))


def test_counts_of_records_and_rows_of_the_copy_say_what_they_are() -> None:
    counted = papers().draw(HistogramPlot("x"))
    file = private_copy(session())
    rows = DerivedCopy(file, file.whole).draw(HistogramPlot("x"))
    assert (counted.origin.counted, counted.origin.version) == ("records", None)
    assert rows.origin.counted == "protected rows"
    assert rows.origin.version is not None
    assert counted.gate is not None
    assert rows.gate is not None


def gappy(x: int, y: int) -> Papers:
    """Take the first values of x and the last of y out of the table."""
    columns: dict[str, Any] = {name: list(values) for name, values in COLUMNS.items()}
    columns["x"][:x], columns["y"][160 - y :] = [None] * x, [None] * y
    table = open_table(pa.table(columns), kinds={}, roles={}, unit=None, key=None)
    return Papers(Session(table, Policy.preset("research", papers={"bins": 6, "grid": 3})))


def test_of_a_single_column_no_gaps_are_named() -> None:
    found = gappy(40, 0)
    view = found.draw(HistogramPlot("x"))
    assert (view.origin.shown, view.origin.total) == (120, 160)
    assert view.origin.most_gaps is None


def test_rows_of_a_view_are_complete_under_research() -> None:
    view = gappy(40, 10).draw(ScatterPlot("x", "y"))
    assert isinstance(view, PointsView)
    assert sum(view.size) == view.origin.shown == 110
    assert (view.origin.total, view.origin.most_gaps) == (160, "x")


def test_under_research_diagnostics_say_how_many_and_why() -> None:
    found = gappy(40, 10)
    for method in ("none", "deterministic", "suppression"):
        view = found.draw(ResidualPlot("y ~ x"), method=method)
        assert (view.origin.shown, view.origin.total) == (sum(view.size), 160)
        assert view.origin.most_gaps == "x"


def test_noise_on_is_for_noise() -> None:
    found = papers()
    for where in ("points", "variable"):
        plot = QQPlot("y ~ x", noise_on=where)
        assert found.draw(plot, method="probabilistic").size
        for method in (None, "none"):
            with pytest.raises(InputError, match="noise_on is for methods 'probabilistic', 'mul"):
                found.draw(plot, method=method)


# --- what a server may tell of a study ----------------------------------------------------------

POLICY = """
study = "clinic"
[roles]
name = "identifier"
ward = "sensitive"
bmi = "quasi-identifier"
"""


def clinic() -> pa.Table:
    """Return the cohort with names, wards, dates and a column of nothing but different texts."""
    found = diabetes().select(["age", "sex", "bmi", "glucose"])
    rows = found.num_rows
    found = found.append_column("name", pa.array([f"Patient {i % 50}" for i in range(rows)]))
    found = found.append_column("ward", pa.array([*"abcd"] * (rows // 4) + [*"abcd"][: rows % 4]))
    return found.append_column("note", pa.array([f"note {i}" for i in range(rows)]))


def opened(folder: Path, policy: str = POLICY) -> Study:
    """Open the cohort under a policy file."""
    path = folder / "discreet.toml"
    path.write_text(policy)
    (folder / "discreet.secret").touch(mode=0o600)
    (folder / "discreet.secret").write_text(bytes(range(32)).hex())
    return open_study(clinic(), path, unit=False)


def test_columns_that_identify_nobody_may_be_drawn(tmp_path: Path) -> None:
    drawable = opened(tmp_path)._copy.whole.drawable
    assert tuple(drawable.values()) == (
        DrawableColumn("age", "continuous"),
        DrawableColumn("sex", "categorical"),
        DrawableColumn("bmi", "continuous"),
        DrawableColumn("glucose", "continuous"),
        DrawableColumn("ward", "categorical"),
    )


def test_sensitive_is_what_the_policy_says(tmp_path: Path) -> None:
    assert opened(tmp_path).session.sensitive == ("ward",)


def test_the_register_is_the_one_that_the_study_writes_to(tmp_path: Path) -> None:
    study = opened(tmp_path)
    study.bars("sex").ask_to_leave("png")
    register = study.session.register
    assert [(row["columns"], row["form"]) for row in register.history()] == [(["sex"], "png")]
    assert register.store.path == tmp_path / ".discreet" / "register.sqlite"


# --- where its things lie ----------------------------------------------------------------------


def test_a_policy_file_has_its_things_beside_it(tmp_path: Path) -> None:
    path = tmp_path / "ours.toml"
    path.write_text("k = 6\n")
    assert folder_of(Policy.load(path)) == tmp_path / ".discreet"
    assert register_of(path).history() == []
    beside = {it.name for it in tmp_path.iterdir() if it.name != ".home"}
    assert beside - {"discreet.secret"} == {path.name}, "no register before something leaves"


@pytest.mark.parametrize("preset", PRESETS)
def test_a_preset_has_none(preset: str) -> None:
    assert folder_of(Policy.preset(preset)) is None


def test_the_state_folder_is_the_user_s_or_named(
    tmp_path: Path, own_home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for folder in (tmp_path / "named", None):
        if folder is None:
            monkeypatch.delenv("DISCREET_STATE")
        else:
            monkeypatch.setenv("DISCREET_STATE", str(folder))
        register = register_of("standard")
        found = register.store.path.parent
        assert found == folder if folder is not None else own_home in found.parents
