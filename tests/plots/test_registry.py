"""The registry of plots: it fits the Study's methods, the policy's and the schema's."""

from __future__ import annotations

import inspect
import typing

import pytest

from discreet.custodian.research import Research
from discreet.explore import Study
from discreet.methods import METHODS
from discreet.parallel.pixels import COSTS
from discreet.plots import PARAMETERS, PLOTS
from discreet.policy import FIELDS, PAPER_FIELDS

NOT_ASKED = {
    # ends of axes and edges of bins are the custodian's to declare
    "limits",
    "edges",
    # what the server reads apart
    "method",
    "by",
    "sensitive",
    "weights",
}


def taken(of: type, kind: str, settings: str) -> dict[str, object]:
    """Return what a method takes by name beside what is read apart, each with its default."""
    method = getattr(of, kind, None)
    if method is None:
        return {}
    named = inspect.signature(method).parameters.values()
    found = {it.name: it.default for it in named if it.kind is it.KEYWORD_ONLY}
    for part in typing.get_args(typing.get_type_hints(method).get(settings)):
        found |= dict.fromkeys(typing.get_type_hints(part))
    return found


@pytest.mark.parametrize("kind", PLOTS)
def test_a_picture_takes_what_methods_take(kind: str) -> None:
    picture = PLOTS[kind]
    of_study, of_papers = taken(Study, kind, "view"), taken(Research, kind, "settings")
    both = of_papers | of_study

    assert set(picture.parameters) == {*both} - NOT_ASKED
    assert bool(picture.by) == ("by" in of_study)
    assert (picture.weigh is not None) == ("weights" in of_study)
    for name in {*both} & set(picture.parameters):
        assert both[name] in (None, PARAMETERS[name].usual)


@pytest.mark.parametrize("kind", PLOTS)
def test_a_picture_says_what_it_is(kind: str) -> None:
    picture = PLOTS[kind]

    assert picture.name == kind
    assert picture.title[0].isupper()
    assert picture.says.endswith(".")
    assert 0 <= picture.least <= picture.most
    assert (picture.most == 0) == picture.of_formula
    assert picture.columns in ("continuous", "categorical", "any", "formula")
    assert len(picture.places) in (0, picture.most)


def test_a_sentence_names_each_plot_as_a_reader_would() -> None:
    assert {name: it.phrase for name, it in PLOTS.items()} == {
        "histogram": "a histogram",
        "density": "a density curve",
        "ecdf": "an empirical distribution",
        "scatter": "a scatter plot",
        "correlations": "a correlation plot",
        "heatmap": "a heat map",
        "contour": "a contour plot",
        "box": "a box plot",
        "violin": "a violin plot",
        "bars": "a bar chart",
        "crosstab": "a cross-table",
        "residuals": "a residual plot",
        "qq": "a Q-Q plot",
        "leverage": "a leverage plot",
        "parallel": "a plot of parallel coordinates",
        "survival": "a survival curve",
        "over_time": "a plot over time",
    }


@pytest.mark.parametrize("name", PARAMETERS)
def test_a_parameter_says_what_it_may_be(name: str) -> None:
    it = PARAMETERS[name]

    assert it.name == name
    assert it.says.endswith(".")
    assert any(name in picture.parameters for picture in PLOTS.values())
    assert set(it.methods) <= set(METHODS)
    assert set(it.more) <= set(METHODS)
    assert {
        "integer": it.least is not None and it.usual is None and not it.choices,
        "number": it.least is not None and it.most is not None and not it.choices,
        "yes_no": isinstance(it.usual, bool) and it.least is None,
        "word": it.usual in it.choices and it.least is None,
        "words": it.usual is None and not it.choices and it.least is None,
    }[it.type]
    # The policy says what is usual of its numbers.
    assert (it.usual is None) == (name in {**FIELDS, **PAPER_FIELDS} or it.type == "words")


def test_costs_are_those_there_are() -> None:
    assert PARAMETERS["cost"].choices == COSTS


LEAST: dict[str, tuple[str, list[str], float | None]] = {
    "of counts": ("k", ["suppression"], 1),
    "of rows": ("k", ["suppression", "condensation"], 2),
    "of the nearest three": ("k", ["condensation", "deterministic", "suppression"], 3),
    "of clusters": ("k", ["k-member", "none"], 2),
    "of records": ("diversity", ["k-member"], 1),
    "of what is no number": ("trend", ["condensation"], None),
}


@pytest.mark.parametrize(("name", "methods", "least"), LEAST.values(), ids=LEAST)
def test_the_least_that_is_enough_for_all(
    name: str, methods: list[str], least: float | None
) -> None:
    assert PARAMETERS[name].least_of(methods) == least
