"""How kernels are compiled: once for each machine, kept beside the code, and said."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ParamSpec, TypeVar, cast

import numba
from numba.core import event

from discreet.progress import advance

__all__ = ["kernel"]

P = ParamSpec("P")
T = TypeVar("T")


def kernel(function: Callable[P, T]) -> Callable[P, T]:
    """Compile `function` at its first call, and keep the result for the next start.

    Numbers come out as Python would compute them: no fast mathematics, so that the same data
    give the same groups on every machine. The lock of the interpreter is let go meanwhile.
    """
    try:
        compiled = numba.njit(cache=True, nogil=True)(function)
    except RuntimeError:  # nowhere to keep it: it is compiled again at every start
        compiled = numba.njit(nogil=True)(function)
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
