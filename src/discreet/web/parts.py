"""The scripts and styles that a board is made of: those that a page asks for, or one file holds."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from importlib import resources

from discreet.render.modules import joined, texts_below

FILES = ("board.js", "worker.js", "board.css", "tokens.css")
STYLES = (
    *("tokens.css", "board.css", "marks.css", "cards.css", "floating.css", "forms.css"),
    "small.css",
)
"""In the order in which they hold."""
PAGE, WORKER, FILE, WIDGET = "app/main.js", "rows/worker.js", "app/file.js", "app/widget.js"


@cache
def board_files() -> Mapping[str, str]:
    """Return the texts of the page's script, of its worker's, and of their style, by name."""
    styles = _texts(".css")
    return {
        "board.js": joined(_texts(".js"), PAGE),
        "worker.js": joined(_texts(".js"), WORKER),
        "board.css": "\n".join(styles[name] for name in STYLES),
        "tokens.css": styles["tokens.css"],
    }


@cache
def file_script() -> str:
    """Return the script of a page that is one file."""
    return joined(_texts(".js"), FILE)


@cache
def widget_script() -> str:
    """Return the script that shows such a page in a notebook."""
    return joined(_texts(".js"), WIDGET)


@cache
def _texts(ending: str) -> Mapping[str, str]:
    return texts_below(resources.files("discreet.web").joinpath("static"), ending)
