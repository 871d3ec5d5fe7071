"""Parallel coordinates of a study: what may be asked, and in which order."""

from typing import Any

import numpy as np
import pyarrow as pa
import pytest

import discreet as dc
from discreet.errors import DiscreetError, InputError, RefusedError
from discreet.explore import Study
from discreet.parallel.pixels import COSTS
from discreet.policy import Policy

N = 120
RNG = np.random.default_rng(6)
X = RNG.normal(50, 10, size=N)
COLUMNS: dict[str, Any] = {
    "x": X,
    "y": X + RNG.normal(0, 5, size=N),
    "z": RNG.integers(18, 80, size=N),
    "ward": RNG.choice([*"uvw"], size=N),
    "ill": RNG.choice([*"abcd"], size=N),
    "code": RNG.choice([1, 2, 3, 4], size=N),
    "who": [f"person {i}" for i in range(N)],
}


def opened(given: Any = None, **fields: Any) -> Study:
    """Open the table."""
    table = pa.table(COLUMNS if given is None else given)
    return dc.open(table, Policy.preset("standard", **fields))


def research(given: Any = None, **fields: Any) -> dc.Research:
    """Open the table for the papers' methods."""
    return dc.research(pa.table(COLUMNS if given is None else given), **fields)


# --- what is asked ----------------------------------------------------------------------------

BAD: dict[str, tuple[Any, dict[str, Any], str]] = {
    # columns, how, the error
    "one axis": (["x"], {}, "need at least two columns, in a list"),
    "a name for a list": ("xy", {}, "columns must be a list of column names"),
    "an axis twice": (["x", "y", "x"], {}, "a column is named twice"),
    "nobody's": (["x", "yy"], {}, "there is no column 'yy'"),
    "an identifier": (["x", "who"], {}, "'who' identifies people"),
    "no method": (["x", "y"], {"method": "magic"}, "cannot be made by method 'magic'"),
    "cells": (["x", "y"], {"method": "suppression"}, "there are 'k-member', 'k-member-joint', 'no"),
    "no cost": (["x", "y"], {"cost": "dear"}, "cost must be 'seed', 'span', 'smaller'"),
    "a secret that is no axis": (["x", "y"], {"sensitive": "ill"}, "is sensitive, but none of the"),
    "values that are no list": (
        ["x", "ill"],
        {"sensitive": {"ill": "a"}},
        "the sensitive values of 'ill' are a list",
    ),
    "limits of levels": (["x", "ward"], {"limits": {"ward": [0, 1]}}, "ward|limits"),
    "no k": (["x", "y"], {"k": "many"}, "k of the policy must be a whole number"),
    "no l": (["x", "y"], {"diversity": 0}, "diversity must be a whole number of at least 1"),
}


def test_what_is_wrong_is_said() -> None:
    study = research(roles={"ill": "sensitive", "who": "identifier"})
    for name, (columns, how, message) in BAD.items():
        with pytest.raises(DiscreetError, match=message) as refused:
            study.parallel(columns, **how)
        assert isinstance(refused.value, InputError) is (name != "an identifier"), name


def test_a_flat_picture_is_the_same_but_for_its_edges() -> None:
    study = opened()
    flat = study.parallel(["x", "y"], gradient=False)
    assert (flat.fuzzy, study.parallel(["x", "y"]).fuzzy) == (False, True)
    assert flat == study.parallel(["x", "y"]).flat()


# --- under research ---------------------------------------------------------------------------


def test_pixels_of_research_are_few_and_round() -> None:
    study = research()
    for asked, got in ((50, 50), (350, 350), (500, 500), (501, 500), (10_000, 500)):
        assert study.parallel(["x", "y"], pixels=asked).pixels == got
    assert study.parallel(["x", "y"]).pixels == 400
    for wrong in (49, 120, 333, 0, -50):
        with pytest.raises(InputError, match="50"):
            study.parallel(["x", "y"], pixels=wrong)


def test_research_may_choose() -> None:
    study = research()
    plain = study.parallel(["x", "y", "z"])
    assert (plain.method, plain.parameters) == ("k-member", {"k": 3, "pixels": 400})
    seven = study.parallel(["x", "y", "z"], k=7)
    assert seven.sizes is not None
    assert min(size for sizes in seven.sizes for size in sizes) >= 7
    limited = study.parallel(["x", "y"], limits={"x": [0, 100]})
    assert (limited.axes[0].low, limited.axes[0].high) == (0, 100)
    for order in (["x", "y"], ["z", "y"], ["x", "z"]):
        assert study.parallel(order).columns == tuple(order), "pairs are free"


def test_research_has_secrets_of_the_moment() -> None:
    study = research()
    view = study.parallel(["x", "y", "ill"], sensitive={"ill": ["a", "c"]}, diversity=3)
    assert view.parameters == {"k": 3, "pixels": 400, "l": 3, "sensitive": "ill = a or c"}
    assert view.axes[2].sensitive is True
    assert study.parallel(["x", "y", "ill"], sensitive="ill").parameters["l"] == 2
    with pytest.raises(InputError, match=r"the diversity \(l\) is more than the sensitive column"):
        study.parallel(["x", "y", "ill"], sensitive="ill", diversity=5)


def test_a_secret_stands_anywhere_under_research_and_that_is_said() -> None:
    study = research()
    for order in (["x", "ill", "y"], ["ill", "x", "y"], ["z", "x", "ill", "y"]):
        view = study.parallel(order, sensitive="ill")
        assert view.origin.remarks[-1].startswith("sensitive: ill, not the last of the axes")
        assert [axis.sensitive for axis in view.axes] == [name == "ill" for name in order]
    last = study.parallel(["x", "y", "ill"], sensitive="ill")
    assert not any("not the last" in remark for remark in last.origin.remarks)


@pytest.mark.parametrize("method", ["k-member-joint", "none"])
def test_a_cost_is_of_clusters_of_records_pair_by_pair(method: str) -> None:
    study = research()
    for cost in COSTS:
        assert study.parallel(["x", "y"], cost=cost).method == "k-member"
        if cost != "smaller":  # as where nobody says
            with pytest.raises(InputError, match="cost says how clusters of 'k-member' grow"):
                study.parallel(["x", "y"], method=method, cost=cost)


def test_all_axes_at_once_are_for_fewer_records() -> None:
    many = {"x": np.arange(100_001.0), "y": np.arange(100_001.0) % 7}
    with pytest.raises(RefusedError, match="too many records to cluster over all axes at once"):
        research(many).parallel(["x", "y"], method="k-member-joint", k=500)
