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
from discreet.policy import Policy

AXES = list("abcde")
Whole = NDArray[np.int64]
Floats = NDArray[np.float64]


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


@pytest.mark.parametrize(("k", "most"), [(3, 0.02), (5, 0.006), (10, 0.001)])
def test_intersecting_clusters_leaves_no_record_a_hundredth_of_an_axis(k: int, most: float) -> None:
    frame = correlated()
    view = dc.open(frame, k=k).parallel(AXES, source="counts")
    left = intervals(view, frame)

    narrow = np.mean([high - low <= 0.01 * view.pixels for low, high in left.values()])
    assert narrow <= most
    assert narrow == 0  # nor could it be: no cell is as narrow
    for axis in view.axes:
        low, high = left[axis.name]
        at = pixel(axis, frame[axis.name], view.pixels)
        inside = (low[:, None] <= at) & (at < high[:, None])
        assert inside.sum(axis=1).min() >= k


@pytest.mark.parametrize("k", [3, 5, 10])
def test_edges_are_as_near_to_records_as_chance_has_it(k: int) -> None:
    frame = correlated()
    view = dc.open(frame, k=k).parallel(AXES, source="counts")
    left = intervals(view, frame)
    edges = {
        axis.name: sorted({end for gap in view.clusters for box in gap for end in box})
        for axis in view.axes
    }

    def on_an_edge(move: Floats) -> float:
        """Give the share of records on the first or last pixel of their own interval."""
        hits = []
        for axis in view.axes:
            low, high = left[axis.name]
            at = pixel(axis, frame[axis.name], view.pixels)
            cells = np.searchsorted(edges[axis.name], at, side="right") - 1
            first, last = (np.array(edges[axis.name])[cells + step] for step in (0, 1))
            # Moved within a cell, which no view can see.
            moved = first + (at - first + np.floor(move * (last - first))) % (last - first)
            # What lies beyond the ends of an axis is on its end pixels, wherever edges are.
            first_of, last_of = low > 0, high < view.pixels
            hits.append(((moved == low) & first_of) | ((moved == high - 1) & last_of))
        return float(np.mean(hits))

    rng = np.random.default_rng(k)
    by_chance = [on_an_edge(rng.random(len(frame))) for _ in range(400)]
    own = on_an_edge(np.zeros(len(frame)))
    assert np.quantile(by_chance, 0.001) <= own <= np.quantile(by_chance, 0.999)


@pytest.mark.parametrize("k", [3, 5, 10])
def test_who_is_moved_within_a_bin_leaves_the_view_as_it_is(k: int) -> None:
    frame = correlated()
    ends = {name: [-4.0, 4.0] for name in AXES}
    policy = Policy.preset("standard", k=k, limits=ends)
    rng = np.random.default_rng(k)
    width = 8 / policy.bins
    first = np.floor((frame + 4) / width) * width - 4
    moved = first + width * rng.uniform(0.001, 0.999, size=frame.shape)

    assert dc.open(moved, policy).parallel(AXES, source="counts") == dc.open(
        frame, policy
    ).parallel(AXES, source="counts")


def test_the_papers_own_way_gives_most_records_away() -> None:
    frame = correlated()
    view = dc.open(frame, "research").parallel(AXES, k=5)
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


@pytest.mark.parametrize(
    "other",
    [
        lambda study: study.crosstab("a", "b", source="counts"),
        lambda study: study.bars("a", by="b", source="counts"),
        lambda study: study.bars("b", by="a", source="counts"),
    ],
    ids=["cross-table", "bars by", "bars by the other"],
)
def test_counts_of_a_pair_do_not_leave_beside_its_clusters(other: Any) -> None:
    frame = levelled()
    dc.open(frame, study="s").parallel(["a", "b"], source="counts").to_json()

    with pytest.raises(LeavingError, match="count method of 'a', 'b' must be as in"):
        other(dc.open(frame, study="s")).to_json()


@pytest.mark.parametrize(
    ("columns", "other"),
    [
        (["x", "y"], lambda study: study.heatmap("x", "y", source="counts")),
        (["x", "a"], lambda study: study.histogram("x", by="a", source="counts")),
    ],
    ids=["heat map", "histogram by"],
)
def test_clusters_of_a_pair_do_not_leave_beside_its_counts(columns: list[str], other: Any) -> None:
    frame = levelled()
    other(dc.open(frame, study="s")).to_json()

    with pytest.raises(LeavingError, match="count method of"):
        dc.open(frame, study="s").parallel(columns, source="counts").to_json()


@pytest.mark.parametrize(
    ("how", "other"),
    [
        ({"policy": "research"}, lambda study: study.crosstab("a", "b", method="none")),
        ({"k": 4}, lambda study: study.parallel(["b", "a"], source="counts")),
        ({"roles": {"b": "sensitive"}}, lambda study: study.parallel(["x", "b"], source="counts")),
    ],
    ids=["raw", "another k", "sensitive"],
)
def test_a_name_that_the_ledger_knows_lets_no_other_data_out(
    how: dict[str, Any], other: Any
) -> None:
    frame = levelled()
    dc.open(frame, study="s", pairs=[["a", "b"], ["x", "b"]]).parallel(
        ["x", "b"], source="counts"
    ).to_json()
    unlike = pd.DataFrame({"z": np.random.default_rng(9).normal(size=99)})
    dc.open(unlike, study="known", **how | {"roles": None}).histogram("z").to_json()

    with pytest.raises(LeavingError, match="must be as in the earlier release of study 's'"):
        other(dc.open(frame, study="known", **how)).to_json()


def test_a_second_name_of_the_same_data_does_not_forget_what_is_sensitive() -> None:
    frame = levelled()
    dc.open(frame, study="s", roles={"b": "sensitive"}).parallel(
        ["x", "b"], source="counts"
    ).to_json()
    dc.open(frame, study="again").bars("a").to_json()  # so that the ledger knows the name

    with pytest.raises(LeavingError, match="the diversity of 'b' must be as in"):
        dc.open(frame, study="again").parallel(["x", "b"], source="counts").to_json()


# --- a sensitive column -------------------------------------------------------------------------


def test_one_person_does_not_turn_a_gap_on() -> None:
    x = [float(i % 10) for i in range(200)]
    two = ["a", "b"] * 100
    three = [*two[:-1], "c"]
    for ill in (two, three):
        frame = pd.DataFrame({"x": x, "ill": ill})
        view = dc.open(frame, roles={"ill": "sensitive"}).parallel(["x", "ill"], source="counts")
        assert view.clusters == ((),)


def test_clusters_beside_a_secret_never_name_one_value() -> None:
    rng = np.random.default_rng(5)
    x = rng.normal(size=2000)
    ill = np.select([x < -0.5, x < 0.7], ["a", "b"], "c").astype(object)
    ill[rng.random(2000) < 0.2] = "d"
    frame = pd.DataFrame({"x": x, "y": rng.normal(size=2000), "ill": ill})
    study = dc.open(frame, roles={"ill": "sensitive"})
    view = study.parallel(["x", "y", "ill"], source="counts")
    bands = view.axes[2].bands

    assert view.clusters[1]
    for *_, low, high in view.clusters[1]:
        assert sum(low <= first and last <= high for first, last in bands) >= 2
