"""The scripts and styles of pages, put together: those that a page asks for, or one file holds."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Mapping
from functools import cache, partial
from importlib import resources
from importlib.resources.abc import Traversable

FILES = (*("board.js", "board.css", "worker.js", "tokens.css"), *("custodian.js", "custodian.css"))
STYLES = (
    *("tokens.css", "board.css", "marks.css", "cards.css", "floating.css", "forms.css"),
    "small.css",
)
"""In the order in which they hold."""
FIGURE = ("tokens.css", "marks.css", "figure.css")
VENDORED = "vendor/"
"""Scripts of others stand here as they were published, with their licences."""
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
    """Return the texts of all modules, by their paths; ours without comments."""
    texts = texts_below(resources.files("discreet.web").joinpath("static"))
    return {name: it if name.startswith(VENDORED) else bare(it) for name, it in texts.items()}


def bare(text: str) -> str:
    r"""Return a script without the comments and blanks that have lines of their own.

    So a page takes a seventh less to send. A minifier would save as much again, but those without a
    parser of the whole language take blanks out of texts, too.

    Examples
    --------
    >>> bare("/** One. */\nconst a = 1; // one\n\n  // Two,\n  /** three\n   * lines. */\nf();\n")
    'const a = 1; // one\nf();\n'
    """
    return _COMMENTS.sub("", text)


def _styles(*names: str) -> str:
    folder = resources.files("discreet.web").joinpath("static")
    return "\n".join(folder.joinpath(name).read_text(encoding="utf-8") for name in names)


# --- ES modules put together as one script --------------------------------------------------------

_IMPORT = re.compile(r"""^import (?:(\{[^}]*\}) from )?"(\.[^"]+)";$""", re.MULTILINE)
_EXPORT = re.compile(r"^export (?=(?:async )?(?:function\*?|const|let|class) (\w+))", re.MULTILINE)
_COMMENTS = re.compile(r"^[ \t]*(?:/\*\*.*?\*/|//[^\n]*)?[ \t]*\n", re.MULTILINE | re.DOTALL)
_RENAMED = re.compile(r"(\w+) as (\w+)")


def texts_below(folder: Traversable, ending: str = ".js", within: str = "") -> dict[str, str]:
    """Return the texts of all files below a folder, by their paths, in order of these."""
    found: dict[str, str] = {}
    for it in sorted(folder.iterdir(), key=lambda it: it.name):
        path = f"{within}{it.name}"
        if it.is_dir():
            found |= texts_below(it, ending, f"{path}/")
        elif it.name.endswith(ending):
            found[path] = it.read_text(encoding="utf-8")
    return found


def joined(texts: Mapping[str, str], entry: str) -> str:
    r"""Return a module and all that it imports as one ES module, which exports what it does.

    Each part stands after those that it imports, within a function of its own, so that parts may
    use the same names for different things. Modules import by lines of their own and by
    relative paths (`import { a, b as c } from "./x.js";`, or `import "./x.js";` for what it does),
    and export where they declare (`export function`, `const`, `let` or `class`).

    Examples
    --------
    >>> print(joined({"a.js": 'import { b } from "./c/d.js";\nb();', "c/d.js": EXPORTED}, "a.js"))
    const part_c_d = (() => {
    const b = () => 1;
    return { b };
    })();
    const { b } = part_c_d;
    b();
    """
    order: list[str] = []

    def add(name: str) -> None:
        if name not in order:
            for found in _IMPORT.finditer(texts[name]):
                add(_path(name, found[2]))
            order.append(name)

    def imported(name: str, found: re.Match[str]) -> str:
        names = found[1]
        if names is None:
            return ""
        kept = _RENAMED.sub(r"\1: \2", names)
        return f"const {kept} = {_held(_path(name, found[2]))};"

    add(entry)
    whole = []
    for name in order:
        text = _IMPORT.sub(partial(imported, name), texts[name])
        if name != entry:
            exported, bare = ", ".join(_EXPORT.findall(text)), _EXPORT.sub("", text).strip("\n")
            text = f"const {_held(name)} = (() => {{\n{bare}\nreturn {{ {exported} }};\n}})();"
            if not exported:
                text = f"(({ELSEWHERE}) => {{\n{bare}\n}})();"
        whole.append(text)
    return "\n".join(whole)


EXPORTED = "export const b = () => 1;"
"""A module, for the example."""


ELSEWHERE = "define, exports, module"
"""What scripts of others look for, to be loaded as other systems of modules load them: a page that
has one of these must not catch them."""


def _path(of: str, relative: str) -> str:
    """Return the path of a module that another one imports."""
    return posixpath.normpath(posixpath.join(posixpath.dirname(of), relative))


def _held(path: str) -> str:
    """Name the constant that holds what a part exports."""
    return "part_" + re.sub(r"\W", "_", path.removesuffix(".js"))
