"""A scene is plain data: frozen, equal by value, and JSON can hold it."""

from __future__ import annotations

import dataclasses
import json
import math
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import discreet as dc
from discreet.errors import InputError
from discreet.render.scene import (
    Axis,
    Bars,
    Box,
    Boxes,
    Cells,
    Columns,
    Dots,
    Intervals,
    Lines,
    Mark,
    Panel,
    Scene,
    Strands,
    Trapezoids,
    Upright,
    Uprights,
    Violin,
    Violins,
    Words,
    scene_to_plain,
)
from tests.render.plain import scene_from_plain

MARKS: dict[str, Mark] = {
    "bars": Bars((0.0, 1.0, 3.0), (2.0, None)),
    "dots": Dots((1.0, 2.0), (3.0, 4.0), (1, 2)),
    "cells": Cells((0.0, 1.0), (0.0, 1.0, 2.0), ((5.0, None),), "people"),
    "boxes": Boxes((Box("all", 1.0, 2.0, 3.0, 4.0, 5.0, outliers=(9.0,)),)),
    "violins": Violins((Violin((1.0, 2.0, 3.0), (0.1, 0.4, 0.2), 1.5, 2.0, 2.5),)),
    "columns": Columns(((4.0, None, 2.0), (None, 0.0, 1.0)), ("women", "men")),
    "trend": Lines(((0.0, 1.0, 2.0),), ((5.0, 6.0, 4.0),), "trend", "trend of what is drawn"),
    "levels": Lines(((0.0, 1.0),) * 2, ((0.0, 1.0), (1.0, 2.0)), "level", "people", (5.0, 9.0)),
    "intervals": Intervals((((0.0, 1.0, 2.0), None), (None, (1.0, 2.0, 2.5))), ("a", "b")),
    "uprights": Uprights(
        (Upright("age", ("20", "90")), Upright("sex", levels=((0.5, "f"),), apart=True))
    ),
    "trapezoids": Trapezoids(0, ((0.0, 0.5, 0.25, 1.0),), lit=(True,)),
    "strands": Strands(1, ((0.0, 0.5), (0.25, 1.0))),
    "words": Words((("5", "hidden"), ("$x", "12")), totals=True),
}


def scene_of(mark: Mark) -> Scene:
    return Scene((Panel((mark,), Axis("x"), Axis("y", (0.0, 1.0))),), "title", ("note",))


@pytest.mark.parametrize("name", MARKS)
def test_a_scene_is_equal_by_value_and_can_be_a_key(name: str) -> None:
    mark = MARKS[name]
    again = type(mark)(**{f.name: getattr(mark, f.name) for f in dataclasses.fields(mark)})
    assert scene_of(mark) == scene_of(again)
    assert len({scene_of(mark), scene_of(again), Scene(())}) == 2


@pytest.mark.parametrize("name", MARKS)
def test_a_scene_cannot_be_changed(name: str) -> None:
    for part in (MARKS[name], scene_of(MARKS[name]), Axis("x")):
        field = dataclasses.fields(part)[0].name
        with pytest.raises(dataclasses.FrozenInstanceError, match=field):
            setattr(part, field, ())


@pytest.mark.parametrize("name", MARKS)
def test_a_scene_goes_into_json_number_for_number(name: str) -> None:
    told = dataclasses.asdict(scene_of(MARKS[name]))

    def lists(value: object) -> object:
        if isinstance(value, dict):
            return {key: lists(part) for key, part in value.items()}
        return [lists(part) for part in value] if isinstance(value, tuple) else value

    assert json.loads(json.dumps(told, allow_nan=False)) == lists(told)


NUMBERS = st.floats(-1e9, 1e9)
PARTS = st.floats(0, 1)
TEXT = st.text(max_size=8)
PAIR = st.tuples(NUMBERS, NUMBERS)


def tuples(of: st.SearchStrategy[Any], most: int = 4) -> st.SearchStrategy[tuple[Any, ...]]:
    return st.lists(of, max_size=most).map(tuple)


LIT = st.none() | tuples(st.booleans())
JOINS = tuples(st.tuples(st.integers(0, 9), st.integers(0, 9)))
ANY_MARK: st.SearchStrategy[Mark] = st.one_of(
    st.builds(Bars, tuples(NUMBERS), tuples(st.none() | NUMBERS)),
    st.builds(
        Boxes,
        tuples(
            st.builds(Box, TEXT, *[NUMBERS] * 5, mean=st.none() | NUMBERS, outliers=tuples(NUMBERS))
        ),
    ),
    st.builds(
        Violins,
        tuples(st.builds(Violin, tuples(NUMBERS), tuples(PARTS), NUMBERS, NUMBERS, NUMBERS)),
    ),
    st.builds(
        Cells,
        tuples(NUMBERS),
        tuples(NUMBERS),
        tuples(tuples(st.none() | NUMBERS)),
        TEXT,
        st.none() | PAIR,
    ),
    st.builds(Columns, tuples(tuples(st.none() | NUMBERS)), tuples(TEXT)),
    st.builds(
        Dots, tuples(NUMBERS), tuples(NUMBERS), tuples(st.integers(1, 9)), st.booleans(), TEXT, TEXT
    ),
    st.builds(
        Intervals, tuples(tuples(st.none() | st.tuples(*[NUMBERS] * 3))), series=tuples(TEXT)
    ),
    st.builds(Lines, tuples(tuples(NUMBERS)), tuples(tuples(NUMBERS)), TEXT, TEXT, tuples(NUMBERS)),
    st.builds(Strands, st.integers(0, 3), tuples(st.tuples(PARTS, PARTS)), LIT, JOINS),
    st.builds(
        Trapezoids,
        st.integers(0, 3),
        tuples(st.tuples(*[PARTS] * 4)),
        st.booleans(),
        LIT,
        st.tuples(PARTS, PARTS),
        JOINS,
    ),
    st.builds(
        Uprights,
        tuples(
            st.builds(
                Upright,
                TEXT,
                st.none() | st.tuples(TEXT, TEXT),
                tuples(st.tuples(PARTS, TEXT)),
                st.booleans(),
                st.none() | PAIR,
            )
        ),
    ),
    st.builds(Words, tuples(tuples(TEXT)), st.booleans()),
)
AXES = st.builds(Axis, TEXT, st.none() | PAIR, tuples(TEXT))
SCENES = st.builds(
    Scene, tuples(st.builds(Panel, tuples(ANY_MARK), AXES, AXES, TEXT)), TEXT, tuples(TEXT)
)


@given(SCENES)
def test_a_scene_comes_back_from_its_json(scene: Scene) -> None:
    plain = scene_to_plain(scene)
    text = json.dumps(plain, allow_nan=False)
    assert scene_from_plain(json.loads(text)) == scene


def test_a_scene_as_plain_values() -> None:
    bars = Bars((0.0, 1.0, 2.0), (3.0, None))
    scene = Scene((Panel((bars,), Axis("age"), Axis("persons", (0.0, 4.0))),), "t", ("n",))
    assert scene_to_plain(scene) == {
        "scene": 1,
        "title": "t",
        "notes": ["n"],
        "subtitle": {"says": ["n"], "code": ""},
        "panels": [
            {
                "title": "",
                "x": {"label": "age", "limits": None, "ticks": []},
                "y": {"label": "persons", "limits": [0.0, 4.0], "ticks": []},
                "marks": [{"mark": "bars", "edges": [0.0, 1.0, 2.0], "heights": [3.0, None]}],
            }
        ],
    }


@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf])
def test_a_number_that_is_none_is_refused(value: float) -> None:
    scene = Scene((Panel((Bars((0.0, 1.0), (value,)),), Axis("x"), Axis("y")),))
    with pytest.raises(InputError, match="finite numbers alone"):
        scene_to_plain(scene)


def test_the_scene_of_every_view_comes_back() -> None:
    study = dc.research(dc.datasets.diabetes(), study="d", strata=["sex"])
    guarded = dc.open(dc.datasets.diabetes(), study="d")
    views: list[dc.View] = [
        study.histogram("age", by="sex"),
        study.scatter("age", "bmi", trend=True),
        study.scatter("age", "bmi", method="suppression"),
        study.heatmap("age", "bmi"),
        study.contour("age", "bmi"),
        study.box("age", "bmi"),
        guarded.bars("sex"),
        study.parallel(["age", "bmi", "sex"]),
        study.parallel(["age", "bmi", "sex"], method="none"),
        study.residuals("bmi ~ age"),
        study.qq("bmi ~ age"),
        study.leverage("bmi ~ age"),
    ]
    for view in views:
        text = json.dumps(scene_to_plain(view.scene()), allow_nan=False)
        assert scene_from_plain(json.loads(text)) == view.scene()
