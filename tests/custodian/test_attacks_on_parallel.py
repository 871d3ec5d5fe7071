"""Attacks on parallel coordinates that must fail, and what they do to the paper's own way."""

from collections.abc import Mapping
from itertools import pairwise
from typing import Any

import numpy as np
import pandas as pd
import pytest
from numpy.typing import NDArray

import discreet as dc
from discreet.errors import LeavingError
from discreet.plots import ParallelAxis, ParallelView

AXES = list("abcde")
Whole = NDArray[np.int64]


def correlated(n: int = 500, seed: int = 1) -> pd.DataFrame:
    """Make correlated records on five axes."""
    rng = np.random.default_rng(seed)
    common = rng.normal(size=(n, 1))
    return pd.DataFrame(0.8 * common + 0.6 * rng.normal(size=(n, 5)), columns=AXES)


def pixel(axis: ParallelAxis, values: Any, pixels: int) -> Whole:
    """Say on which pixel of an axis values lie; what lies beyond its ends is on them."""
    assert axis.low is not None
    assert axis.high is not None
    place = np.floor((np.asarray(values) - axis.low) / (axis.high - axis.low) * pixels + 1e-9)
    return np.clip(place, 0, pixels - 1).astype(np.int64)


def intervals(view: ParallelView, frame: pd.DataFrame) -> Mapping[str, tuple[Whole, Whole]]:
    """Intersect the clusters of each record, for whoever guesses the tightest over its place."""
    at = {axis.name: pixel(axis, frame[axis.name], view.pixels) for axis in view.axes}
    low = {name: np.zeros(len(frame), dtype=np.int64) for name in at}
    high = {name: np.full(len(frame), view.pixels) for name in at}
    for boxes, (left, right) in zip(view.clusters, pairwise(at), strict=True):
        box = np.array(boxes)
        x, y = at[left][:, None], at[right][:, None]
        over = (box[:, 0] <= x) & (x < box[:, 1]) & (box[:, 2] <= y) & (y < box[:, 3])
        assert over.any(axis=1).all()  # everybody is in a cluster of each gap
        width = box[:, 1] - box[:, 0] + box[:, 3] - box[:, 2]
        own = np.where(over, width, 10**6).argmin(axis=1)
        for name, first, last in ((left, 0, 1), (right, 2, 3)):
            low[name] = np.maximum(low[name], box[own, first])
            high[name] = np.minimum(high[name], box[own, last])
    return {name: (low[name], high[name]) for name in at}


@pytest.mark.slow
@pytest.mark.parametrize("k", [3, 10])
def test_intersecting_clusters_leaves_no_row_of_the_copy_a_hundredth_of_an_axis(k: int) -> None:
    study = dc.open(correlated(), k=k)
    view, copy = study.parallel(AXES), study.anonymize().frame
    left = intervals(view, copy)
    assert min((high - low).min() for low, high in left.values()) > 0.01 * view.pixels
    for axis in view.axes:
        low, high = left[axis.name]
        at = pixel(axis, copy[axis.name], view.pixels)
        inside = (low[:, None] <= at) & (at < high[:, None])
        assert inside.sum(axis=1).min() >= k


def test_the_papers_own_way_gives_most_records_away() -> None:
    frame = correlated()
    view = dc.research(frame).parallel(AXES, k=5)
    left = intervals(view, frame)
    narrow = np.mean([high - low <= 0.01 * view.pixels for low, high in left.values()])
    assert narrow > 0.1


# --- beside other pictures ----------------------------------------------------------------------


def levelled(n: int = 300) -> pd.DataFrame:
    """Make two columns of few values, and one that is distinctive."""
    rng = np.random.default_rng(3)
    a = rng.choice(list("pqr"), size=n)
    b = np.where(rng.random(n) < 0.7, a, rng.choice(list("pqr"), size=n))
    return pd.DataFrame({"a": a, "b": b, "x": rng.normal(size=n), "y": rng.normal(size=n)})


@pytest.mark.slow
@pytest.mark.parametrize(
    ("door", "how", "other"),
    [
        (dc.research, {}, lambda papers: papers.parallel(["a", "b"], method="none")),
        (dc.open, {"k": 4}, lambda study: study.parallel(["b", "a"])),
    ],
    ids=["raw", "another k"],
)
def test_a_name_that_the_register_knows_lets_no_other_data_out(
    door: Any, how: dict[str, Any], other: Any
) -> None:
    frame = levelled()
    dc.open(frame, study="s").parallel(["x", "b"]).to_json()
    unlike = pd.DataFrame({"z": np.random.default_rng(9).normal(size=99)})
    door(unlike, study="known", **how).histogram("z").to_json()
    with pytest.raises(
        LeavingError, match="must be the same as in the earlier release of study 's'"
    ):
        other(door(frame, study="known", **how)).to_json()


@pytest.mark.slow
def test_a_second_name_of_the_same_data_does_not_forget_what_is_sensitive() -> None:
    frame = levelled()
    dc.open(frame, study="s", roles={"b": "sensitive"}).parallel(["x", "b"]).to_json()
    with pytest.raises(LeavingError, match="another copy of the whole table was released of study"):
        dc.open(frame, study="again").bars("a").to_json()
