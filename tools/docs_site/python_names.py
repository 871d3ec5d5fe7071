"""The reference of Python: a page for each public class and module, from what `__all__` names."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator, Mapping, Sequence
from importlib import import_module
from types import ModuleType
from typing import Any

import discreet
from discreet.errors import DiscreetError
from discreet.plots import View

#: Public modules that `discreet.__all__` does not name: docs/rounding.md does.
FURTHER = ("rounding",)


def public_names() -> dict[str, Any]:
    """Return all that is public by its full name, in the order of the pages."""
    top = {f"discreet.{name}": getattr(discreet, name) for name in discreet.__all__}
    names = {name: it for name, it in top.items() if not inspect.ismodule(it)}
    for module in _modules():
        names |= {f"{module.__name__}.{name}": getattr(module, name) for name in _names(module)}
    return names


def _names(module: ModuleType) -> list[str]:
    """List what a package offers, or what a module of its own (such as `datasets`) defines."""
    if hasattr(module, "__all__"):
        return list(module.__all__)
    return [
        name
        for name, it in vars(module).items()
        if getattr(it, "__module__", None) == module.__name__ and not name.startswith("_")
    ]


def _modules() -> Iterator[ModuleType]:
    named = (getattr(discreet, name) for name in discreet.__all__)
    yield from filter(inspect.ismodule, named)
    yield from (import_module(f"discreet.{name}") for name in FURTHER)


def python_pages() -> dict[str, str]:
    """Return the text of each page by its file."""
    top = {name: it for name, it in public_names().items() if name.count(".") == 1}
    errors = [name for name, it in top.items() if _is(it, DiscreetError)]
    views = [name for name, it in top.items() if _is(it, View)]
    functions = [name for name, it in top.items() if not inspect.isclass(it)]
    alone = [name for name in top if name not in {*errors, *views, *functions}]
    seen: dict[int, str] = {}
    pages = {"functions.rst": _page("Functions", functions, top, seen)}
    for name in alone:
        pages[f"{name.removeprefix('discreet.').lower()}_class.rst"] = _page(
            name, [name], top, seen
        )
    pages["views.rst"] = _page("Views", views, top, seen)
    pages["errors.rst"] = _page("Errors", errors, top, seen)
    for module in _modules():
        named = {f"{module.__name__}.{name}": getattr(module, name) for name in _names(module)}
        title = module.__name__
        start = f".. automodule:: {title}\n   :no-members:\n\n"
        pages[f"{title.rpartition('.')[2]}.rst"] = _page(title, list(named), named, seen, start)
    return pages


def _is(it: Any, kind: type) -> bool:
    return inspect.isclass(it) and issubclass(it, kind)


def _page(
    title: str,
    names: Sequence[str],
    found: Mapping[str, Any],
    seen: dict[int, str],
    start: str = "",
) -> str:
    """Return a page; what stands on an earlier one under another name is linked."""
    parts = [f"{title}\n{'=' * len(title)}\n\n{start}"]
    for name in names:
        it = found[name]
        has_page = _directive(it) is not _data
        if has_page and id(it) in seen:
            parts.append(_named(name, f"See :py:obj:`{seen[id(it)]}`."))
            continue
        seen[id(it)] = name
        parts.append(_directive(it)(name, it))
    return "\n".join(parts)


def _directive(it: Any) -> Callable[[str, Any], str]:
    if inspect.isclass(it):
        return _class
    return _function if inspect.isroutine(it) else _data


def _class(name: str, it: Any) -> str:
    kind = "exception" if _is(it, BaseException) else "class"
    bases = "" if it.__bases__ == (object,) else "   :show-inheritance:\n"
    return f".. auto{kind}:: {name}\n   :members:\n{bases}"


def _function(name: str, it: Any) -> str:
    return f".. autofunction:: {name}\n"


def _data(name: str, it: Any) -> str:
    """Describe a constant by what it holds."""
    of = f" of type ``{type(it).__name__}``"
    if isinstance(it, Mapping | tuple | frozenset) and all(isinstance(key, str) for key in it):
        of = ": " + ", ".join(f"``{key}``" for key in it)
    return _named(name, f"A constant{of}.")


def _named(name: str, text: str) -> str:
    """Return an entry that is written here, and not read from a docstring."""
    module, _, own = name.rpartition(".")
    return f".. py:data:: {own}\n   :module: {module}\n\n   {text}\n"
