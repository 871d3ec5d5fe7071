"""Scenes as plain values, and back: what a browser draws, and what a test compares."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Mapping
from typing import Any

from discreet.errors import InputError
from discreet.render import scene as vocabulary
from discreet.render.scene import Axis, Box, Mark, Panel, Scene, Upright

__all__ = ["SCHEMA", "scene_from_plain", "scene_to_plain"]

SCHEMA = 1
_MARKS = {
    name.lower(): getattr(vocabulary, name)
    for name in (
        *("Bars", "Boxes", "Cells", "Columns", "Dots", "Intervals"),
        *("Lines", "Strands", "Trapezoids", "Uprights", "Words"),
    )
}
_WITHIN = {"boxes": ("boxes", Box), "uprights": ("axes", Upright)}


def scene_to_plain(scene: Scene) -> dict[str, Any]:
    """Return a scene as dicts, lists, texts and numbers that JSON can hold.

    Parameters
    ----------
    scene : Scene
        What is to be drawn.

    Returns
    -------
    dict
        `scene` (the schema's number), `title`, `notes` and `panels`; each mark says which it is.

    Raises
    ------
    InputError
        If a number of it is not finite.
    """
    plain: dict[str, Any] = _plain(scene)
    for panel, drawn in zip(plain["panels"], scene.panels, strict=True):
        names = [type(mark).__name__.lower() for mark in drawn.marks]
        panel["marks"] = [
            {"mark": name, **mark} for name, mark in zip(names, panel["marks"], strict=True)
        ]
    return {"scene": SCHEMA, **plain}


def scene_from_plain(given: Mapping[str, Any]) -> Scene:
    """Return the scene that plain values describe.

    Raises
    ------
    InputError
        If they describe none.
    """
    try:
        if given["scene"] != SCHEMA:
            raise InputError(f"the scene is of another schema than {SCHEMA}")
        panels = tuple(_panel(panel) for panel in given["panels"])
        return Scene(panels, given["title"], tuple(given["notes"]))
    except InputError:
        raise
    except (KeyError, TypeError, ValueError, AttributeError):
        raise InputError("this is not a scene of discreet") from None


def _plain(value: Any) -> Any:
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {it.name: _plain(getattr(value, it.name)) for it in dataclasses.fields(value)}
    if isinstance(value, tuple | list):
        return [_plain(item) for item in value]
    if isinstance(value, float) and not math.isfinite(value):
        raise InputError("a scene holds finite numbers alone")
    return value


def _panel(given: Mapping[str, Any]) -> Panel:
    marks = tuple(_mark(dict(mark)) for mark in given["marks"])
    return Panel(marks, _axis(given["x"]), _axis(given["y"]), given["title"])


def _axis(given: Mapping[str, Any]) -> Axis:
    return Axis(**{name: _tuples(value) for name, value in given.items()})


def _mark(given: dict[str, Any]) -> Mark:
    name = given.pop("mark")
    if name in _WITHIN:
        field, kind = _WITHIN[name]
        inner = tuple(kind(**{n: _tuples(v) for n, v in one.items()}) for one in given[field])
        made: Mark = _MARKS[name](**{field: inner})
        return made
    found: Mark = _MARKS[name](**{n: _tuples(value) for n, value in given.items()})
    return found


def _tuples(value: Any) -> Any:
    return tuple(_tuples(item) for item in value) if isinstance(value, list) else value
