"""A scene is plain data: frozen, equal by value, and JSON can hold it."""

from __future__ import annotations

import dataclasses
import json
import math

import pytest

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


def full(value: object) -> object:
    """Return plain values as JSON has them, without fields that are empty."""
    if isinstance(value, dict):
        parts = {name: full(part) for name, part in value.items()}
        empty: tuple[object, ...] = ("", None, [], {})
        return {name: it for name, it in parts.items() if it not in empty and it is not False}
    return [full(part) for part in value] if isinstance(value, tuple | list) else value


@pytest.mark.parametrize("name", MARKS)
def test_a_scene_goes_into_json_number_for_number(name: str) -> None:
    scene = scene_of(MARKS[name])
    plain = json.loads(json.dumps(scene_to_plain(scene), allow_nan=False))
    (mark,) = plain["panels"][0]["marks"]
    assert mark.pop("mark") == type(MARKS[name]).__name__.lower()
    assert (plain.pop("scene"), plain.pop("subtitle")["says"]) == (1, ["note"])
    assert full(plain) == full(dataclasses.asdict(scene))


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
