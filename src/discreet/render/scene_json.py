"""Scenes as plain values: what a browser draws."""

from __future__ import annotations

import dataclasses
import math
from typing import Any

from discreet.errors import InputError
from discreet.render.scene import Scene

__all__ = ["SCHEMA", "scene_to_plain"]

SCHEMA = 1


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


def _plain(value: Any) -> Any:
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {it.name: _plain(getattr(value, it.name)) for it in dataclasses.fields(value)}
    if isinstance(value, tuple | list):
        return [_plain(item) for item in value]
    if isinstance(value, float) and not math.isfinite(value):
        raise InputError("a scene holds finite numbers alone")
    return value
