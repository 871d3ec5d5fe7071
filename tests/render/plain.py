"""Scenes from their JSON, for tests that compare what a page was given with what was drawn."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from discreet.render import scene as vocabulary
from discreet.render.scene import SCHEMA, Axis, Beneath, Box, Mark, Panel, Scene, Upright, Violin

_MARKS = {
    name.lower(): getattr(vocabulary, name)
    for name in (
        *("Bands", "Bars", "Boxes", "Cells", "Columns", "Dots", "Intervals"),
        *("Lines", "Strands", "Trapezoids", "Uprights", "Violins", "Words"),
    )
}
_WITHIN = {"boxes": ("boxes", Box), "uprights": ("axes", Upright), "violins": ("violins", Violin)}


def scene_from_plain(given: Mapping[str, Any]) -> Scene:
    """Return the scene that plain values describe."""
    assert given["scene"] == SCHEMA
    panels = tuple(_panel(panel) for panel in given["panels"])
    return Scene(panels, given["title"], tuple(given["notes"]))


def _panel(given: Mapping[str, Any]) -> Panel:
    marks = tuple(_mark(dict(mark)) for mark in given["marks"])
    return Panel(marks, _axis(given["x"]), _axis(given["y"]), given["title"])


def _axis(given: Mapping[str, Any]) -> Axis:
    rows = tuple(Beneath(it["name"], _tuples(it["words"])) for it in given.get("beneath", ()))
    plain = {name: _tuples(value) for name, value in given.items() if name != "beneath"}
    return Axis(**plain, beneath=rows)


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
