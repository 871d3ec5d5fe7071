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
    return cast("Callable[P, T]", numba.njit(cache=True, nogil=True)(function))


class _Said(event.Listener):
    """Says that something is compiled, which takes seconds, to whoever shows progress."""

    def on_start(self, event: Any) -> None:
        advance("compiling, once on this machine", 0, 1)

    def on_end(self, event: Any) -> None:
        advance("compiling, once on this machine", 1, 1)


event.register("numba:compile", _Said())  # type: ignore[no-untyped-call]
