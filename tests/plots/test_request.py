"""Which picture can be made by which method, and how a settled question tells."""

import dataclasses
from types import MappingProxyType
from typing import Any

import pytest

from discreet.methods import CLUSTER_METHODS, COUNT_METHODS, ROW_METHODS
from discreet.plots import PLOTS
from discreet.plots.request import NO_AXES
from discreet.policy import AxesRequest, PlotRequest

METHODS = {name: plot.methods for name, plot in PLOTS.items()}
DIAGNOSTICS = [name for name, plot in PLOTS.items() if plot.of_formula]
ROWS = {
    "deterministic",
    "probabilistic",
    "multiplicative",
    "condensation",
    "microaggregation",
    "rounding",
}
BINNED = {"suppression", "generalization"}
MADE_BY = {
    "histogram": {"none"} | BINNED | ROWS,
    "correlations": ROWS,
    "density": ROWS,
    "violin": ROWS,
    "ecdf": ROWS,
    "scatter": {"none"} | BINNED | ROWS,
    "heatmap": {"none"} | BINNED | ROWS,
    "contour": {"none"} | BINNED | ROWS,
    "box": {"none"} | BINNED | ROWS,
    "bars": {"none"},
    "crosstab": {"none"},
    "residuals": {"none"} | BINNED | ROWS,
    "qq": {"none"} | BINNED | ROWS,
    "leverage": {"none"} | BINNED | ROWS,
    "parallel": {"k-member", "k-member-joint", "none"},
    "survival": {"none"},
    "over_time": {"none"},
}


def asked(**changes: Any) -> PlotRequest:
    made = PlotRequest(
        plot="histogram",
        columns=("glucose",),
        method="suppression",
        k=5,
        q=None,
        bins=20,
        grid=30,
        limits=MappingProxyType({}),
        by=None,
        edges=MappingProxyType({}),
    )
    return dataclasses.replace(made, **changes)


def test_every_picture_has_its_methods() -> None:
    assert {picture: set(methods) for picture, methods in METHODS.items()} == MADE_BY
    assert all(len(set(methods)) == len(methods) for methods in METHODS.values())


def test_every_method_exists_and_is_of_some_picture() -> None:
    used = {method for methods in METHODS.values() for method in methods}

    assert used == {*ROW_METHODS, *COUNT_METHODS, *CLUSTER_METHODS}


def test_diagnostics_are_pictures_of_points() -> None:
    assert set(DIAGNOSTICS) == {"residuals", "qq", "leverage"}
    assert {METHODS[picture] for picture in DIAGNOSTICS} == {METHODS["scatter"]}


def test_every_picture_has_a_method_or_takes_that_of_another() -> None:
    for plot in PLOTS.values():
        assert PLOTS[plot.like or plot.name].method in {"rows", *plot.methods}


def test_the_table_of_pictures_cannot_be_changed() -> None:
    with pytest.raises(TypeError, match="does not support item assignment"):
        PLOTS["histogram"] = PLOTS["box"]  # type: ignore[index]


@pytest.mark.parametrize("method", sorted({method for made in MADE_BY.values() for method in made}))
def test_row_methods_draw_from_rows_and_others_from_counts(method: str) -> None:
    assert asked(method=method).from_rows is (method in ROWS)


def test_a_picture_says_something_of_the_column_that_divides_it_too() -> None:
    assert asked().named == ("glucose",)
    assert asked(by="sex").named == ("glucose", "sex")
    assert asked(by="sex").columns == ("glucose",)


def test_only_parallel_coordinates_have_axes() -> None:
    assert asked().axes is NO_AXES
    assert (NO_AXES.pixels, NO_AXES.diversity, NO_AXES.cost) == (0, 1, "")
    assert not NO_AXES.sensitive
    axes = AxesRequest(400, 3, {"ill": ("yes",)}, "span", fuzzy=False)
    assert asked(axes=axes).axes == axes
    with pytest.raises(AttributeError, match="cannot assign to field 'pixels'"):
        axes.pixels = 1  # type: ignore[misc]
    with pytest.raises(TypeError, match="does not support item assignment"):
        NO_AXES.sensitive["ill"] = ()  # type: ignore[index]


def test_a_settled_question_is_a_frozen_value() -> None:
    question = asked()

    assert question == asked()
    assert question != asked(k=6)
    with pytest.raises(AttributeError, match="cannot assign to field 'k'"):
        question.k = 1  # type: ignore[misc]
