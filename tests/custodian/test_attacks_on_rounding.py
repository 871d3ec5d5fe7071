"""Attacks on rounded tables that must fail, with fresh secrets each time they run."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from numpy.typing import NDArray

import discreet as dc
from discreet.errors import LeavingError
from discreet.measure import far_linkage, record_linkage
from discreet.methods.rounding import Rounding
from discreet.rounding import METHODS

Floats = NDArray[np.float64]
JOINT = [name for name, kind in METHODS.items() if not kind.supervised]
N, K = 400, 5


def table(kind: str, seed: int) -> Floats:
    """Draw records: as D1 of the 2021 paper, with five far ones, or of whole numbers."""
    rng = np.random.default_rng(seed)
    x = rng.normal(10, 0.5, N)
    rows = np.column_stack([x, x + rng.normal(0, 1, N)])
    if kind == "far":
        rows[:5] *= rng.uniform(10, 100, (5, 1))
    return np.round(rows) if kind == "whole" else rows


@pytest.mark.parametrize("kind", ["normal", "far", "whole"])
@pytest.mark.parametrize("method", JOINT)
def test_nobody_is_linked_more_often_than_one_in_k(method: str, kind: str) -> None:
    linked, far = [], []
    for seed in range(2):
        rows = table(kind, seed)
        out = Rounding(method=method, k=K)(rows, np.zeros_like(rows), np.zeros(N, dtype=np.intp))
        linked.append(record_linkage(rows, out).share)
        far.append(far_linkage(rows, out).share)
    assert np.mean(linked) <= 1 / K
    assert np.mean(far) <= 1 / K + 1e-9


def cohort(n: int = N) -> dict[str, Any]:
    rows = table("normal", 5)[:n]
    return {"x": rows[:, 0], "y": rows[:, 1]}


def test_public_rounding_of_nearly_the_same_data_is_refused_by_the_stricter_k(
    tmp_path: Path,
) -> None:
    guarded = dc.open(pa.table(cohort()), k=10, study="cohort")
    guarded.anonymize().save(tmp_path / "guarded.csv")
    for fewer in (31, 99):
        part = dc.research(pa.table(cohort(N - fewer)), study="part")
        release = part.round(method="optimal", per_column=True)
        for save, name in ((release.save, "part.csv"), (release.save_points, "part.json")):
            with pytest.raises(LeavingError, match="nearly the same data were released before"):
                save(tmp_path / name)
    assert [path.name for path in tmp_path.iterdir()] == ["guarded.csv"]
