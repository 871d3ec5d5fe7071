"""From a wish to a View, and from a View to what is sent."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

from discreet.plots import PLOTS, View
from discreet.render.figure_file import content, plain_settings
from discreet.render.scene import scene_to_plain
from discreet.render.to_matplotlib import draw
from discreet.serve.checking import Wish
from discreet.study import Study
from discreet.study.parallel import Orders

__all__ = ["FORMS", "drawn", "figure", "orders_told", "picture_told"]

#: The files that a picture can be downloaded as, and what they are.
FORMS = {
    "figure.svg": "image/svg+xml",
    "figure.png": "image/png",
    "figure.pdf": "application/pdf",
    "figure.html": "text/html; charset=utf-8",
    "view.json": "application/json",
}


def drawn(study: Study, wish: Wish) -> View:
    """Ask the study for what is wished."""
    of: tuple[Any, ...] = (wish.formula,) if wish.formula else wish.columns
    if PLOTS[wish.kind].axes:
        of = ([*wish.columns],)
    view: View = getattr(study, wish.kind)(*of, **wish.named)
    return view


def picture_told(view: View, name: str) -> bytes:
    """Return what is sent of a picture: its numbers, its marks, and how it was made.

    Whoever sends it asks the view's gate first.
    """
    told = {
        "id": name,
        "kind": view.kind,
        "view": json.loads(replace(view, gate=None).to_json()),
        "scene": scene_to_plain(view.scene()),
        "says": view.describe(),
        "alt": view.note(),
    }
    return _bytes(told)


def orders_told(columns: tuple[str, ...], found: Orders) -> bytes:
    """Return what is sent of the orders that axes may have."""
    moves = [
        {
            "from": move.source,
            "to": move.target,
            "order": [*move.order],
            "allowed": not move.why,
            "why": move.why,
        }
        for move in found.moves
    ]
    nearest = [*(columns if not found.why or found.nearest_why else found.nearest)]
    return _bytes({"order": nearest, "allowed": not found.why, "why": found.why, "moves": moves})


def figure(picture: bytes, form: str) -> bytes:
    """Return a file of a picture that was sent before: it holds no more than that."""
    view = View.from_plain(json.loads(picture)["view"])
    if form == "view.json":
        return view.to_json().encode()
    if form == "figure.html":
        return view.to_html().encode()
    with plain_settings():
        return content(draw(view.scene()), form.removeprefix("figure"))


def _bytes(told: dict[str, Any]) -> bytes:
    return json.dumps(told, allow_nan=False, ensure_ascii=False, separators=(",", ":")).encode()
