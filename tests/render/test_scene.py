"""A scene is plain data: frozen, equal by value, and JSON can hold it."""

import dataclasses
import json

import pytest

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
    Words,
)

MARKS: dict[str, Mark] = {
    "bars": Bars((0.0, 1.0, 3.0), (2.0, None)),
    "dots": Dots((1.0, 2.0), (3.0, 4.0), (1, 2)),
    "cells": Cells((0.0, 1.0), (0.0, 1.0, 2.0), ((5.0, None),), "people"),
    "boxes": Boxes((Box("all", 1.0, 2.0, 3.0, 4.0, 5.0, outliers=(9.0,)),)),
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
