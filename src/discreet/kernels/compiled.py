"""How kernels are compiled: once for each machine, kept beside the code, and said."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any, ParamSpec, TypeVar, cast

import numba
from numba.core import event

from discreet.progress import advance

__all__ = ["kernel"]

P = ParamSpec("P")
T = TypeVar("T")


def _digest_of(folder: Path) -> str:
    """Return a word that is another one when a module of the folder is."""
    modules = sorted(folder.glob("*.py"))
    return hashlib.sha256(b"\0".join(path.read_bytes() for path in modules)).hexdigest()


KERNELS = _digest_of(Path(__file__).parent)


def kernel(function: Callable[P, T]) -> Callable[P, T]:
    """Compile `function` at its first call, and keep the result for the next start.

    Numbers come out as Python would compute them: no fast mathematics, so that the same data
    give the same groups on every machine. The lock of the interpreter is let go meanwhile.
    What was kept counts as long as no module of this folder is another one.
    """
    try:
        compiled = numba.njit(cache=True, nogil=True)(function)
    except RuntimeError:  # nowhere to keep it: it is compiled again at every start
        compiled = numba.njit(nogil=True)(function)
    # numba looks at the function's own file alone, but what that calls is compiled into it. This is
    # no part of what numba promises; a test says so when it is gone.
    with suppress(AttributeError):
        kept = compiled._cache._cache_file  # type: ignore[attr-defined]
        kept._source_stamp = (kept._source_stamp, KERNELS)
    return cast("Callable[P, T]", compiled)


class _Said(event.Listener):
    """Says that something of ours is compiled, which takes seconds, to whoever shows progress."""

    def on_start(self, event: Any) -> None:
        _say(event, 0)

    def on_end(self, event: Any) -> None:
        _say(event, 1)


def _say(event: Any, done: int) -> None:
    of = getattr(event.data.get("dispatcher"), "py_func", None)
    if getattr(of, "__module__", "").startswith("discreet."):
        advance("compiling, once on this machine", done, 1)


event.register("numba:compile", _Said())  # type: ignore[no-untyped-call]
