"""The files that the board is made of, as a page asks for them: two scripts and a style."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from importlib import resources

from discreet.render.modules import joined, texts_below

__all__ = ["FILES", "board_files"]

FILES = ("board.js", "worker.js", "board.css", "tokens.css")
STYLES = (
    "tokens.css",
    "board.css",
    "marks.css",
    "cards.css",
    "floating.css",
    "forms.css",
    "small.css",
)
"""In the order in which they hold."""
PAGE, WORKER = "app/main.js", "rows/worker.js"


@cache
def board_files() -> Mapping[str, str]:
    """Return the texts of the page's script, of its worker's, and of their style, by name."""
    folder = resources.files("discreet.web").joinpath("static")
    scripts, styles = texts_below(folder), texts_below(folder, ".css")
    return {
        "board.js": joined(scripts, PAGE),
        "worker.js": joined(scripts, WORKER),
        "board.css": "\n".join(styles[name] for name in STYLES),
        "tokens.css": styles["tokens.css"],
    }
