"""A scene as one HTML file: the drawing, the script that draws it, and how it was made.

The file asks nobody for anything: its content security policy lets its own script and its own
style run, by their digests, and nothing else.
"""

from __future__ import annotations

import base64
import hashlib
import json
import re
from collections.abc import Mapping, Sequence
from functools import cache
from html import escape
from importlib import resources
from typing import TYPE_CHECKING

from discreet.errors import InputError
from discreet.render.figure_file import printable
from discreet.render.scene import Scene, scene_to_plain

if TYPE_CHECKING:
    from anywidget import AnyWidget

__all__ = ["parts", "scene_page", "scene_widget", "script"]


STYLE = """
:root{color-scheme:light dark;--paper:#fff;--ink:#222;--soft:#5d646b;--line:#c9ced3}
@media (prefers-color-scheme:dark){
:root{--paper:#14181d;--ink:#e8eaed;--soft:#a9b1ba;--line:#454c54}}
body{margin:0;background:var(--paper);color:var(--ink);
font:15px/1.5 system-ui,-apple-system,"Segoe UI",Roboto,"Helvetica Neue",Arial,sans-serif}
main{max-width:80rem;margin:0 auto;padding:1rem clamp(.75rem,3vw,2rem) 2rem;box-sizing:border-box}
h1{font-size:1.25rem;line-height:1.3;margin:.25rem 0 1rem;overflow-wrap:anywhere}
h2{font-size:1rem;margin:1.5rem 0 .25rem}
.bar{display:flex;flex-wrap:wrap;gap:.5rem;margin:1rem 0 0}
.bar[hidden]{display:none}
button.save{font:inherit;color:inherit;background:none;
border:1px solid var(--line);border-radius:5px;
padding:.3rem .8rem;cursor:pointer}
button.save:hover{border-color:currentColor}
.says{color:var(--soft);font-size:.875rem;max-width:50rem}
.says p{margin:.25rem 0;overflow-wrap:anywhere}
@media print{.bar{display:none}:root{--paper:#fff;--ink:#000;--soft:#444}}
"""

# Runs within the module of the scripts, so `draw` is at hand.
START = """
{
  const host = document.getElementById("picture");
  const drawing = draw(host, JSON.parse(document.getElementById("scene").textContent));
  const keep = (blob, name) => {
    const link = document.createElement("a");
    link.href = URL.createObjectURL(blob);
    link.download = name;
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 10000);
  };
  const name = document.documentElement.dataset.name;
  document.getElementById("svg").addEventListener("click", () =>
    keep(new Blob([drawing.svg()], { type: "image/svg+xml" }), `${name}.svg`),
  );
  document.getElementById("png").addEventListener("click", async () =>
    keep(await drawing.png(), `${name}.png`),
  );
  document.querySelector(".bar").hidden = false;
}
"""


def scene_page(scene: Scene, title: str, says: Sequence[str], name: str = "figure") -> str:
    """Return a page that draws a scene by itself, and says below how it was made.

    `name` is what a figure is called that is saved from the page. All that is given is text, and
    is escaped.
    """
    plain = json.dumps(scene_to_plain(scene), allow_nan=False, ensure_ascii=False)
    # In a block of data "<" could end the block, and the two separators end lines of old scripts.
    for letter in "<>&\u2028\u2029":
        plain = plain.replace(letter, f"\\u{ord(letter):04x}")
    code, policy = _code()
    sentences = "".join(f"<p>{_text(sentence)}</p>" for sentence in says)
    return (
        f'<!DOCTYPE html>\n<html lang="en" data-name="{_text(name)}"><head><meta charset="utf-8">'
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        '<meta name="color-scheme" content="light dark">'
        '<meta name="referrer" content="no-referrer">'
        f"<title>{_text(title)}</title><style>{STYLE}</style></head>\n"
        f'<body><main><h1>{_text(title)}</h1><div id="picture"></div>'
        "<noscript><p>The plot is drawn by a script of this file, which is not allowed to run"
        " here.</p></noscript>"
        '<p class="bar" hidden><button class="save" type="button" id="svg">Save as SVG</button>'
        '<button class="save" type="button" id="png">Save as PNG</button></p>'
        f'<h2>How it was made</h2><div class="says">{sentences}</div></main>\n'
        f'<script type="application/json" id="scene">{plain}</script>\n'
        f'<script type="module">{code}</script></body></html>\n'
    )


@cache
def _code() -> tuple[str, str]:
    """Return the script of a page, and the policy that lets it run and nothing else."""
    code = f"\n{script()}\n{START}"
    if "</script" in code.lower() or "<!--" in code:
        raise RuntimeError("a script that stands in a page may not hold the words that end it")
    policy = (
        f"default-src 'none'; script-src {_digest(code)}; style-src {_digest(STYLE)};"
        " img-src blob: data:; base-uri 'none'; form-action 'none'"
    )
    return code, policy


def _digest(text: str) -> str:
    """Name a text as a content security policy does."""
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"


def _text(text: str) -> str:
    return escape(printable(text), quote=True)


ENTRY = "scene.js"
_IMPORT = re.compile(r"""^import (\{[^}]*\}) from "\./([\w-]+)\.js";$""", re.MULTILINE)
_EXPORT = re.compile(r"^export (?=(?:async )?(?:function|const|let|class) (\w+))", re.MULTILINE)


@cache
def parts() -> Mapping[str, bytes]:
    """Return the files of the scripts by their names: ES modules that import each other."""
    folder = resources.files("discreet.render").joinpath("static")
    found = sorted(
        (it for it in folder.iterdir() if it.name.endswith(".js")), key=lambda it: it.name
    )
    return {it.name: it.read_bytes() for it in found}


@cache
def script() -> str:
    """Return all scripts as one ES module, which exports what `scene.js` does.

    Each part stands after those that it imports, within a function of its own, so that parts may
    use the same names for different things.
    """
    texts = {name: data.decode() for name, data in parts().items()}
    order: list[str] = []

    def add(name: str) -> None:
        """Add a part after those that it imports."""
        if name not in order:
            for _, needed in _IMPORT.findall(texts[name]):
                add(f"{needed}.js")
            order.append(name)

    def held(part: str) -> str:
        """Name the constant that holds what a part exports."""
        return f"part_{part.replace('-', '_')}"

    add(ENTRY)
    whole = []
    for name in order:
        text = _IMPORT.sub(lambda found: f"const {found[1]} = {held(found[2])};", texts[name])
        if name != ENTRY:
            exported, bare = ", ".join(_EXPORT.findall(text)), _EXPORT.sub("", text)
            constant = held(name.removesuffix(".js"))
            text = f"const {constant} = (() => {{\n{bare}return {{ {exported} }};\n}})();"
        whole.append(text)
    return "\n".join(whole)


def scene_widget(scene: Scene) -> AnyWidget:
    """Return a widget that draws a scene in a notebook and holds its JSON, nothing else."""
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
            return "<a plot of discreet>"

    plain = json.dumps(scene_to_plain(scene), allow_nan=False, ensure_ascii=False)
    return SceneWidget(scene=plain)
