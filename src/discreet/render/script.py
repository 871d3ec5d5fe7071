"""The scripts that draw Scenes in a browser: as files for a server, as one text for all else."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache
from importlib import resources

__all__ = ["parts", "script"]

ENTRY = "scene.js"
_IMPORT = re.compile(r"""^import\s[^;]*?from\s+["']\./([\w-]+\.js)["'];[ \t]*\n?""", re.MULTILINE)
_EXPORT = re.compile(r"^export (?=(async )?(function|const|let|class)\b)", re.MULTILINE)


@cache
def parts() -> Mapping[str, bytes]:
    """Return the files of the scripts by their names: ES modules that import each other."""
    folder = resources.files("discreet.render").joinpath("static")
    found = sorted((it for it in folder.iterdir() if it.name.endswith(".js")), key=lambda it: it.name)
    return {it.name: it.read_bytes() for it in found}


@cache
def script() -> str:
    """Return all scripts as one ES module, which exports what `scene.js` does.

    Parts stand after those that they import; names at their top level are different in all of
    them, so that the lines of import can go.
    """
    texts = {name: data.decode() for name, data in parts().items()}
    order: list[str] = []

    def add(name: str) -> None:
        """Add a part after those that it imports."""
        if name in order:
            return
        for needed in _IMPORT.findall(texts[name]):
            add(needed)
        order.append(name)

    add(ENTRY)
    bare = {name: _IMPORT.sub("", texts[name]) for name in order}
    return "\n".join(bare[n] if n == ENTRY else _EXPORT.sub("", bare[n]) for n in order)
