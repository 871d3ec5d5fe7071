"""How kernels are compiled: once for each machine, kept for the next start, and said.

numba keeps a compiled kernel beside its code, or else in the user's cache folder. It never reads
beside code where it may not write, though there may lie what whoever installed discreet had
compiled (`discreet warm`): for a container, or a machine of many users. Here it does.
"""

from __future__ import annotations

import hashlib
import pkgutil
from collections.abc import Callable
from contextlib import suppress
from importlib import import_module
from pathlib import Path
from typing import Any, ClassVar, NamedTuple, ParamSpec, TypeVar, cast

import numba
from numba.core import caching, event

from discreet.progress import advance

P = ParamSpec("P")
T = TypeVar("T")

HERE = Path(__file__).parent
PACKAGE = __name__.rpartition(".")[0]
ONCE = "compiling, once on this machine"
EACH_TIME = "compiling, as at each start: see discreet doctor"

_kernels: list[Any] = []


def _digest_of(folder: Path) -> str:
    """Return a word that is another one when a module of the folder is."""
    modules = sorted(folder.glob("*.py"))
    return hashlib.sha256(b"\0".join(path.read_bytes() for path in modules)).hexdigest()


KERNELS = _digest_of(HERE)


def kernel(function: Callable[P, T]) -> Callable[P, T]:
    """Compile `function` at its first call, and keep the result for the next start.

    Numbers come out as Python would compute them: no fast mathematics, so that the same data
    give the same groups on every machine. The lock of the interpreter is let go meanwhile.
    What was kept counts as long as no module of this folder is another one.
    """
    compiled: Any = numba.njit(nogil=True)(function)
    with suppress(RuntimeError):  # nowhere to keep it: it is compiled again at every start
        compiled._cache = _Cache(function)
    _kernels.append(compiled)
    return cast("Callable[P, T]", compiled)


class Kept(NamedTuple):
    """Which kernels are kept compiled for the next start, and where.

    `folder` is None where there is no folder to keep them in, and is not `writable` where they are
    only read, as whoever installed discreet has had them compiled.
    """

    compiled: tuple[str, ...]
    missing: tuple[str, ...]
    folder: Path | None
    writable: bool


def kept_kernels() -> Kept:
    """Say which of discreet's kernels are kept compiled, and where."""
    for module in pkgutil.iter_modules([str(HERE)]):
        import_module(f"{PACKAGE}.{module.name}")
    found: dict[bool, list[str]] = {True: [], False: []}
    folder, writable = None, False
    for it in _kernels:
        if it.py_func.__module__.startswith(f"{PACKAGE}."):
            cache = it._cache if isinstance(it._cache, _Cache) else None
            name = f"{it.py_func.__module__.rpartition('.')[2]}.{it.py_func.__name__}"
            found[cache is not None and cache.is_filled()].append(name)
            if cache is not None:
                folder, writable = Path(cache.cache_path), cache.is_writable()
    return Kept(tuple(found[True]), tuple(found[False]), folder, writable)


# --- where numba keeps them -----------------------------------------------------------------------
# These are no part of what numba promises; a test says so when they are gone.


_numba: Any = caching
_places = _numba.CompileResultCacheImpl._locator_classes
_beside_code = next(it for it in _places if it.__name__.endswith("InTreeCacheLocator"))


class _Installed(_beside_code):  # type: ignore[misc, valid-type]
    """Beside the code, where nobody may write, though what was compiled may lie there."""

    @classmethod
    def from_function(cls, py_func: Callable[..., object], py_file: str) -> _Installed | None:
        return cls(py_func, py_file) if Path(py_file).exists() else None


class _Places(_numba.CompileResultCacheImpl):  # type: ignore[misc]
    """Where numba looks for a folder to write to; if there is none, what is installed is read."""

    _locator_classes: ClassVar = [*_places, _Installed]


class _Files(NamedTuple):
    """The user's own file of a kernel, and the one that was installed with it."""

    own: Any
    installed: Any

    def load(self, key: object) -> object:
        for file in self:
            with suppress(OSError):  # it may not be read
                if (found := file.load(key)) is not None:
                    return found
        return None

    def save(self, key: object, data: object) -> None:
        self.own.save(key, data)

    def flush(self) -> None:
        self.own.flush()

    def is_filled(self) -> bool:
        with suppress(OSError):
            return any(it._load_index() for it in self)
        return False


class _Cache(_numba.FunctionCache):  # type: ignore[misc]
    """Reads what was installed, too, and goes without keeping where nothing can be written."""

    _impl_class = _Places

    def __init__(self, function: Callable[..., object]) -> None:
        super().__init__(function)
        # numba looks at the function's own file alone, but what that calls is compiled into it.
        own: Any = vars(self)["_cache_file"]
        own._source_stamp = (own._source_stamp, KERNELS)
        beside = Path(function.__code__.co_filename).parent / "__pycache__"
        installed = _numba.IndexDataCacheFile(
            str(beside), self._impl.filename_base, own._source_stamp
        )
        self._cache_file: Any = _Files(own, installed)

    def save_overload(self, sig: object, data: object) -> None:
        with suppress(OSError):  # the disk is full, or may only be read
            super().save_overload(sig, data)

    def is_filled(self) -> bool:
        return bool(self._cache_file.is_filled())

    def is_writable(self) -> bool:
        return not isinstance(self._impl.locator, _Installed)


# --- that it is compiled is said ------------------------------------------------------------------


class _Said(event.Listener):
    """Says that something of ours is compiled, which takes seconds, to whoever shows progress."""

    def on_start(self, event: Any) -> None:
        _say(event, 0)

    def on_end(self, event: Any) -> None:
        _say(event, 1)


def _say(event: Any, done: int) -> None:
    compiled = event.data.get("dispatcher")
    of = getattr(compiled, "py_func", None)
    if getattr(of, "__module__", "").startswith("discreet."):
        cache = getattr(compiled, "_cache", None)
        kept = not isinstance(cache, _Cache) or cache.is_writable()
        advance(ONCE if kept else EACH_TIME, done, 1)


event.register("numba:compile", _Said())  # type: ignore[no-untyped-call]
