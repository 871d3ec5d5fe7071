"""How Sphinx builds the site; `python -m tools.docs_site` calls it with the pages it collected."""

from __future__ import annotations

import re
from typing import Any

from docutils import nodes
from sphinx.addnodes import pending_xref
from sphinx.application import Sphinx

project = "discreet"
copyright = "discreet contributors"
html_title = "discreet"
extensions = ["sphinx.ext.autodoc", "numpydoc", "myst_parser"]
exclude_patterns = ["files"]  # files of the repository that pages link to
default_role = "code_or_name"
smartquotes = False

autodoc_member_order = "bysource"
autodoc_typehints = "none"
numpydoc_show_class_members = False
myst_heading_anchors = 4

html_theme = "pydata_sphinx_theme"
html_theme_options = {
    "show_prev_next": False,
    "footer_start": ["copyright"],
    "footer_end": [],
    "show_toc_level": 1,
    "header_links_before_dropdown": 7,
}
html_static_path = ["style"]
html_css_files = ["narrow.css"]
html_sidebars: dict[str, list[str]] = {"figures": []}  # the gallery is a section of one page
html_show_sourcelink = False
html_copy_source = False

NAME = re.compile(r"[A-Za-z_][\w.]*(\(\))?")


def code_or_name(
    name: str, rawtext: str, text: str, line: int, inliner: Any, *_: Any
) -> tuple[list[nodes.Node], list[nodes.system_message]]:
    """Read single backticks of a docstring: code, and a link where it names something public."""
    literal = nodes.literal(rawtext, text)
    if not NAME.fullmatch(text):
        return [literal], []
    env = inliner.document.settings.env
    reference = pending_xref(
        rawtext,
        literal,
        refdomain="py",
        reftype="obj",
        reftarget=text.removesuffix("()"),
        refdoc=env.docname,
        **env.ref_context,  # a name is looked for in the class and module that it stands in
    )
    return [reference], []


def setup(app: Sphinx) -> None:
    """Add the role."""
    app.add_role("code_or_name", code_or_name)
