"""The scripts and styles of pages, put together: those that a page asks for, or one file holds."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from importlib import resources

from discreet.render.modules import joined, texts_below

FILES = (*("board.js", "board.css", "worker.js", "tokens.css"), *("custodian.js", "custodian.css"))
STYLES = (
    *("tokens.css", "board.css", "marks.css", "cards.css", "floating.css", "forms.css"),
    "small.css",
)
"""In the order in which they hold."""
FIGURE = ("tokens.css", "marks.css", "figure.css")
PAGE, WORKER, FILE, WIDGET = "app/main.js", "rows/worker.js", "app/file.js", "app/widget.js"
CUSTODIAN = "custodian/main.js"


@cache
def page_files() -> Mapping[str, str]:
    """Return the texts of pages' scripts and styles, by name."""
    return {
        "board.js": joined(scripts(), PAGE),
        "worker.js": joined(scripts(), WORKER),
        "board.css": _styles(*STYLES),
        "tokens.css": _styles("tokens.css"),
        "custodian.js": joined(scripts(), CUSTODIAN),
        "custodian.css": _styles(*FIGURE[1:], "custodian.css"),
    }


@cache
def file_script() -> str:
    """Return the script of a board that is one file."""
    return joined(scripts(), FILE)


@cache
def widget_script() -> str:
    """Return the script that shows such a page in a notebook."""
    return joined(scripts(), WIDGET)


def script_of(text: str) -> str:
    """Return a module that imports some of the scripts, put together with these."""
    return joined({**scripts(), "entry.js": text}, "entry.js")


@cache
def figure_style() -> str:
    """Return the style of a figure that stands by itself."""
    return _styles(*FIGURE)


@cache
def scripts() -> Mapping[str, str]:
    """Return the texts of all modules, by their paths."""
    return texts_below(resources.files("discreet.web").joinpath("static"))


def _styles(*names: str) -> str:
    folder = resources.files("discreet.web").joinpath("static")
    return "\n".join(folder.joinpath(name).read_text(encoding="utf-8") for name in names)
