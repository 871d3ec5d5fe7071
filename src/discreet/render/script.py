"""The scripts that draw Scenes in a browser: as files for a server, as one text for all else."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache
from importlib import resources

__all__ = ["parts", "script"]

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

    add(ENTRY)
    return "\n".join(_wrapped(name, texts[name]) for name in order)


def _wrapped(name: str, text: str) -> str:
    """Return a part as a constant that holds what it exports; the entry stays a module."""
    inner = _IMPORT.sub(lambda found: f"const {found[1]} = {_constant(found[2])};", text)
    if name == ENTRY:
        return inner
    exported = ", ".join(_EXPORT.findall(text))
    bare, held = _EXPORT.sub("", inner), _constant(name.removesuffix(".js"))
    return f"const {held} = (() => {{\n{bare}return {{ {exported} }};\n}})();"


def _constant(part: str) -> str:
    return f"part_{part.replace('-', '_')}"
