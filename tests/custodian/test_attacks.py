"""What attackers and reviewers of the new pictures found, so that it stays mended."""

from __future__ import annotations

import datetime
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

import discreet as dc
from discreet.custodian.session import register_of

N = 300


def people(**more: Any) -> pa.Table:
    rng = np.random.default_rng(11)
    return pa.table(
        {
            "x": rng.normal(size=N),
            "y": rng.normal(size=N),
            "z": rng.normal(size=N),
            "half": np.where(np.arange(N) % 2 == 0, "p", "q"),
            "third": np.array(["a", "b", "c"])[np.arange(N) % 3],
            **more,
        }
    )


@pytest.mark.parametrize("picture", ["histogram", "heatmap"])
def test_a_view_within_a_view_asks_the_same_gate(picture: str) -> None:
    study = dc.open(people(), study="people")
    columns = ("x",) if picture == "histogram" else ("x", "y")
    view = getattr(study, picture)(*columns, by="half")
    view.views[0].to_json()
    (entry,) = register_of("standard").history()
    assert entry["columns"] == [*columns, "half"]
    other = dc.open(people(), study="people", k=6)
    with pytest.raises(dc.LeavingError, match="'k' must be the same as in the earlier release of"):
        getattr(other, picture)(*columns, by="half").views[1].to_json()


def test_columns_that_are_not_drawn_do_not_stand_in_a_models_way() -> None:
    days = [datetime.date(2020, 1, 1) + datetime.timedelta(days=i) for i in range(N)]
    study = dc.research(people(day=pa.array(days)))
    assert study.residuals("y ~ x").x
    with pytest.raises(dc.InputError, match="there is no column 'day'"):
        study.residuals("y ~ day")


def test_whole_and_broken_numbers_of_noise_are_one_policy() -> None:
    """1 and 1.0 are equal to the register, so they must be the same noise."""
    whole, broken = (
        dc.research(people(), method="probabilistic", q=q).scatter("x", "y") for q in (1, 1.0)
    )
    assert whole.x == broken.x
    assert whole.origin.version == broken.origin.version


def test_open_bounds_are_one_policy_however_written() -> None:
    versions = {
        dc.open(people(), dc.Policy.preset("standard", bounds={"x": ends}))
        .scatter("x", "y")
        .origin.version
        for ends in [(-9, float("inf")), (-9.0, float("inf"))]
    }
    assert len(versions) == 1


def test_rows_and_levels_come_from_one_query() -> None:
    """A relation may come in another order each time it is asked."""
    import duckdb

    frame = people(w=np.where(np.arange(N) % 2 == 0, 0.0, 50.0) + np.arange(N) / N)
    assert frame.num_rows == N
    shuffled = duckdb.connect().from_arrow(frame).order("random()")
    low, high = dc.research(shuffled).box("w", by="half", method="none").groups
    assert low.q3 < 2 < 49 < high.q1


@pytest.mark.parametrize("policy", ["standard", "research"])
def test_a_picture_says_that_its_end_bins_are_open(policy: str) -> None:
    door: Any = dc.research if policy == "research" else dc.open
    limited = door(people(), dc.Policy.preset(policy, limits={"x": (-1, 1)}))
    edges = {"x": (-1, 0, 1)}
    plain = door(people(), policy)
    said = "the end bins of x include what lies beyond them"

    def notes(view: dc.View) -> str:
        return "; ".join(view.scene().notes)

    assert said in notes(limited.histogram("x"))
    assert said in notes(limited.heatmap("x", "y"))
    assert said in notes(plain.histogram("x", edges=edges))
    assert said not in notes(limited.scatter("x", "y"))
