"""A scene as a widget of a notebook."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from discreet.errors import InputError
from discreet.render.scene import Scene
from discreet.render.scene_json import scene_to_plain
from discreet.render.script import script

if TYPE_CHECKING:
    from anywidget import AnyWidget

__all__ = ["scene_widget"]


def scene_widget(scene: Scene) -> AnyWidget:
    """Return a widget that draws a scene in a notebook; clusters light up, nothing is asked.

    Parameters
    ----------
    scene : Scene
        What to draw. The widget holds its JSON and nothing else of it, and a notebook that is saved
        with its widgets keeps that.

    Returns
    -------
    anywidget.AnyWidget

    Raises
    ------
    InputError
        If anywidget is not installed.
    """
    try:
        import anywidget
        import traitlets
    except ImportError:
        raise InputError(
            "a widget needs anywidget, which is not installed; install it with:"
            " pip install 'discreet[jupyter]'"
        ) from None

    class SceneWidget(anywidget.AnyWidget):
        """Draws the scene that its trait holds as JSON."""

        _esm = script()
        scene = traitlets.Unicode().tag(sync=True)

        def __repr__(self) -> str:
            return "<a picture of discreet>"

    plain = json.dumps(scene_to_plain(scene), allow_nan=False, ensure_ascii=False)
    return SceneWidget(scene=plain)
