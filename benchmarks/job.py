"""What a benchmark of speed is: work of ours beside work of a peer that comes to the same."""

from __future__ import annotations

import importlib
import pkgutil
import shutil
import time
from collections.abc import Callable
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Any, NamedTuple

__all__ = ["Job", "Race", "all_jobs"]


def _nothing() -> None:
    """Nothing is to be closed."""


class Race(NamedTuple):
    """Two ways to do one thing, from the same input, and whether what they return is equal."""

    ours: Callable[[], Any]
    peer: Callable[[], Any]
    equal: Callable[[Any, Any], bool]
    close: Callable[[], None] = _nothing


@dataclass(frozen=True)
class Job:
    """One benchmark.

    Parameters
    ----------
    name : str
        What is done.
    peer : str
        What it is compared with.
    sizes : tuple of int
        Two sizes, rows mostly: what is measured.
    tiny : int
        A size that takes no time, for tests and to import and compile all that is needed.
    race : callable
        Makes ready what both need, for a size, with files in a folder; that is not timed.
    rounds : int
        How often each is timed, by turns.
    clock : callable
        Seconds of the processor, or by the clock for what other processes do.
    needs : tuple of str
        Modules and programs; where one is not there, the job is left out.
    """

    name: str
    peer: str
    sizes: tuple[int, int]
    tiny: int
    race: Callable[[int, Path], Race]
    rounds: int = 5
    clock: Callable[[], float] = time.process_time
    needs: tuple[str, ...] = ()

    @property
    def title(self) -> str:
        """The name beside the peer's, which no other job has."""
        return f"{self.name} / {self.peer}"

    @property
    def missing(self) -> tuple[str, ...]:
        """What it needs and is not there."""
        return tuple(it for it in self.needs if find_spec(it) is None and shutil.which(it) is None)


def all_jobs() -> list[Job]:
    """Return the jobs of each module of `benchmarks/speed`, in the order of names of modules."""
    folder = Path(__file__).parent / "speed"
    names = sorted(it.name for it in pkgutil.iter_modules([str(folder)]))
    return [job for it in names for job in importlib.import_module(f"benchmarks.speed.{it}").JOBS]
