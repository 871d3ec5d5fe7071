"""Questions: which method a way names, on which limits, and what is nothing."""

from __future__ import annotations

import pytest

import discreet as dc
from examples.figures.ask import LIMITS_OF_D1, METHODS, Data, Way, histogram, picture


def test_k_1_of_suppression_shows_records_as_they_are() -> None:
    way = Way("k = 1", "suppression", {"k": 1})

    assert way.method_of("scatter") == way.method_of("box") == "none"
    assert way.method_of("heatmap") == way.method_of("histogram") == "suppression"
    assert METHODS[1].method_of("scatter") == "suppression"


def test_only_raw_grids_of_d1_have_the_papers_limits() -> None:
    *counted, centroids, noisy = picture(Data.of("D1"), "heatmap", METHODS)

    low, high = LIMITS_OF_D1["X"]
    for view in counted:
        assert isinstance(view, dc.GridView)
        assert (view.x_edges[0], view.x_edges[-1]) == pytest.approx((low, high))
    for view in (centroids, noisy):
        assert isinstance(view, dc.GridView)
        assert view.x_edges[0] > low
    assert not Data.of("D1", 100).limits
    assert not Data.of("D2").limits


def test_no_record_lies_beyond_the_outer_bars() -> None:
    ways = (Way("q = 2", "probabilistic", {"q": 2.0}), Way("real", "none"))
    for view in histogram(Data.of("D3"), "Y", ways):
        assert isinstance(view, dc.HistogramView)
        assert view.counts[0] == view.counts[-1] == 0


def test_what_is_refused_is_nothing() -> None:
    few = Data.of("D1", 50)

    assert picture(few, "box", METHODS)[1:3] == (None, None)
    scatter = picture(few, "scatter", METHODS, trend=True)
    assert [len(getattr(view, "trends", ())) for view in scatter] == [0, 0, 0, 2, 2]
