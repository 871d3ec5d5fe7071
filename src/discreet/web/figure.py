"""A figure that draws itself: one view, as a page in one file or as a widget of a notebook."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from functools import cache
from typing import TYPE_CHECKING, Any

from discreet.errors import InputError, needing
from discreet.render.scene import Subtitle
from discreet.render.to_html import marked_up
from discreet.web.page import data_block, page_of
from discreet.web.parts import figure_style, script_of, scripts

if TYPE_CHECKING:
    from anywidget import AnyWidget

SAID_OTHERWISE = ("not reliable", "dark: ", "blue: ")
"""How notes begin that do not stand below the picture: the warning stands above it, and large, and
colours have keys of their own."""


def figure_page(
    view: Mapping[str, Any], title: str, below: Subtitle, made: Sequence[str], name: str = "figure"
) -> str:
    """Return a page that draws a view, given its JSON, by itself; `made` says how it was made.

    All that is given is text, and is escaped; the same view gives the same text. A picture that is
    saved from the page is called `name`.
    """
    sentences = "".join(f"<p>{marked_up(sentence)}</p>" for sentence in made)
    others = Subtitle(tuple(it for it in below.says if not it.startswith(SAID_OTHERWISE)))
    body = (
        f'<main class="sheet-of-figure"><h1>{marked_up(title)}</h1>'
        '<div id="picture"></div>'
        "<noscript><p>The plot is drawn by a script of this file, which is not allowed to run"
        " here.</p></noscript>"
        f'<p class="short" id="short">{marked_up(others.line())}</p>'
        f'<p class="code">{marked_up(below.code)}</p>'
        '<p class="save" id="save" hidden><button class="btn" type="button" id="svg">Save as SVG'
        '</button><button class="btn" type="button" id="png">Save as PNG</button></p>'
        f'<h2>How it was made</h2><div class="made">{sentences}</div></main>\n'
        f"{data_block('view', view)}\n"
    )
    return page_of(title, _page_script(_kind_in(view)), figure_style(), body, name=name)


def figure_widget(view: Mapping[str, Any]) -> AnyWidget:
    """Return a widget that draws a view in a notebook and holds its JSON, nothing else."""
    with needing("jupyter", "a widget"):
        import anywidget
        import traitlets

    script = _widget_script(_kind_in(view))

    class FigureWidget(anywidget.AnyWidget):
        """Draws the view that its trait holds as JSON."""

        _esm = script
        view = traitlets.Unicode().tag(sync=True)

        def __repr__(self) -> str:
            return "<a plot of discreet>"

    return FigureWidget(view=json.dumps(view, allow_nan=False, ensure_ascii=False))


def _kind_in(view: Mapping[str, Any]) -> str:
    """Return the name of what draws a view, or the views that it is put together of."""
    if view.get("overlaid"):
        return "outlines"
    if "views" in view:
        return _kind_in(next(it for it in view["views"] if it is not None))
    return str(view["kind"])


@cache
def _page_script(kind: str) -> str:
    """Return the script of a page that draws views of a kind, and no other."""
    start = f'import {{ openPage }} from "./figure/page.js";\nopenPage({{ {kind} }});'
    return script_of(_import_of(kind) + start)


@cache
def _widget_script(kind: str) -> str:
    # Within the figure's own root there is no `:root` of the page.
    style = json.dumps(figure_style().replace(":root", ":host"))
    start = 'import { widgetOf } from "./figure/widget.js";\n'
    return script_of(f"{_import_of(kind)}{start}export default widgetOf({{ {kind} }}, {style});")


def _import_of(kind: str) -> str:
    """Return the line that imports what draws a kind, from the module that exports it."""
    for path, text in scripts().items():
        if path.startswith("kinds/") and f"export const {kind} = " in text:
            return f'import {{ {kind} }} from "./{path}";\n'
    raise InputError(f"pages do not draw {kind} plots; save it as .svg, .png or .pdf")
