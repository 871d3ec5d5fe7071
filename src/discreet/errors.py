"""The errors of discreet.

A message says what is wrong, where, what is allowed and what to do next. It names columns,
parameters and rules, never a cell's value and never an exact count.

::

    DiscreetError
    ├── InputError      the call, the file or the policy text is wrong: correct it and call again
    ├── RefusedError    the call is understood, but the policy does not let it be shown
    │   └── LeavingError    it may be looked at, but it may not leave
    │       └── RegisterError     the register cannot be read or written, so nothing may be released
    └── BrokenPromiseError  a check on the output failed: a bug of discreet, please report it

    UseWarning          a study file is read in another way than it asks: past its date, combined
    WideTableWarning    a copy is made all the same, and shows more of people than others do
"""

from __future__ import annotations

import difflib
import os
import re
import traceback
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import ClassVar

__all__ = [
    "BrokenPromiseError",
    "DiscreetError",
    "InputError",
    "LeavingError",
    "RefusedError",
    "RegisterError",
    "UseWarning",
    "WideTableWarning",
]

MOST_NAMED = 20
"""Of more names than this a message lists the first."""
MOST_COMPARED = 100
"""For a name of more characters than this no similar one is looked for."""
SECRET = re.compile(
    r"(?:^|[/('\"=])[a-z][a-z0-9+.-]+:/|:[^/]*@|[?&][\w.-]+=|(?:passw|pwd|token|secret)\w*\s*=",
    re.IGNORECASE,
)
"""What a text holds that may be a URL, or how one connects to a database."""
PACKAGE, PYTHON = Path(__file__).parent, Path(os.__file__).parent
"""Where the files of discreet lie, and those that came with Python."""
NOT_REPEATED = "(a URL, which is not repeated: it may hold a password)"


def path_in_words(path: str | Path) -> str:
    """Return a path in quotes, as messages name it; of what may be a URL nothing, for its password.

    Examples
    --------
    >>> path_in_words("data/cohort.csv")
    "'data/cohort.csv'"
    >>> path_in_words("postgresql:/ann:word@db/clinic")
    '(a URL, which is not repeated: it may hold a password)'
    """
    return NOT_REPEATED if SECRET.search(str(path)) else repr(str(path))


def without_urls(text: str) -> str:
    """Return a text in which words that may be a URL are not repeated."""
    return " ".join(NOT_REPEATED if SECRET.search(it) else it for it in text.split(" "))


class UseWarning(UserWarning):
    """A study file is read in another way than it asks: past its last day, or combined.

    A server refuses that; `warnings.simplefilter("error", UseWarning)` does, too.
    """


class WideTableWarning(UserWarning):
    """A table has many columns for its rows, so that its copy shows more of people than usual.

    It is given before the copy is made: `warnings.simplefilter("error", WideTableWarning)` makes
    none of such a table.
    """


class DiscreetError(Exception):
    """What every error of discreet is; `exit_code` is what the command line ends with.

    Of a request that is refused before the data are touched, `parameter` is what of it is refused
    and `rule` tells apart several rules about one parameter. Of an expression `place` is where in
    it a mistake begins and ends, and `entry` which of several it is, from 0.
    """

    exit_code: ClassVar[int] = 1

    def __init__(self, text: str = "", *, parameter: str = "", rule: str = "") -> None:
        super().__init__(text)
        self.parameter, self.rule = parameter, rule
        self.place: tuple[int, int] | None = None
        self.entry: int | None = None

    def _render_traceback_(self) -> list[str]:
        """Return what a notebook shows: the lines of the user's own code, and what is wrong.

        Of what lies within discreet it shows nothing, for that helps nobody to correct the call.
        """
        frames = traceback.extract_tb(self.__traceback__)
        own = [_in_a_line(it) for it in frames if not _is_of_others(Path(it.filename))]
        within = [it for it in frames if Path(it.filename).is_relative_to(PACKAGE)]
        if within and isinstance(self, BrokenPromiseError):  # which whoever repairs it asks for
            own.append(_in_a_line(within[-1]))
        return [*own, f"{type(self).__name__}: {self}"]


class InputError(DiscreetError, ValueError):
    """The call, the file or the policy text is wrong."""

    exit_code = 2


class RefusedError(DiscreetError):
    """The call is understood, but the policy does not let its answer be shown."""

    exit_code = 3


class LeavingError(RefusedError):
    """The view may be looked at, but not released; `what` names the choice that differs."""

    exit_code = 4

    def __init__(self, text: str = "", what: str = "") -> None:
        super().__init__(text)
        self.what = what


class RegisterError(LeavingError):
    """The register cannot be opened or written, is damaged or lost, or has another key."""


class BrokenPromiseError(DiscreetError):
    """A promise was counted again on the output and did not hold: a bug of discreet."""

    exit_code = 70


def _is_of_others(path: Path) -> bool:
    """Whether a file is one of discreet, of another package or of Python, and not the user's."""
    if {"site-packages", "dist-packages"} & {*path.parts} or path.suffix not in ("", ".py"):
        return True
    return path.is_relative_to(PACKAGE) or path.is_relative_to(PYTHON)


def _in_a_line(frame: traceback.FrameSummary) -> str:
    """Return where a frame is and what its line says; a cell of a notebook has no name to tell."""
    path = Path(frame.filename)
    is_file = path.is_file() and not path.parent.name.startswith("ipykernel_")
    where = f"{path.name}, line" if is_file else "line"
    return f"{where} {frame.lineno}: {frame.line or ''}".rstrip(": ")


@contextmanager
def about(parameter: str, entry: int | None = None) -> Iterator[None]:
    """Say of an error which parameter it is about, where it does not say so itself.

    `entry` says which of several it is, from 0.
    """
    try:
        yield
    except DiscreetError as error:
        error.parameter = error.parameter or parameter
        error.entry = entry if error.entry is None else error.entry
        raise


@contextmanager
def needing(extra: str, what: str, instead: str = "") -> Iterator[None]:
    """Say of an import that fails which extra brings what is imported, and `what` needs it.

    `instead` is what can be done without it. A package may be there and not its own library.
    """
    try:
        yield
    except ImportError as error:
        if (error.name or "").startswith("discreet"):
            raise
        other = f", or {instead}" if instead else ""
        raise InputError(
            f"{what} needs packages that are not installed: pip install 'discreet[{extra}]'{other}"
        ) from None


def some_of(choices: Sequence[str]) -> str:
    """List the first of many names, for the end of a message that a screen can hold."""
    named = one_of(choices[:MOST_NAMED])
    return f"{named} and others" if len(choices) > MOST_NAMED else named


def near(name: str, known: Sequence[str]) -> str:
    """Say which of the known names was meant, or which there are, for the end of a message."""
    close = [it for it in known if it.lower() == name.lower()]
    if not close and len(name) <= MOST_COMPARED:  # the time grows with the square of the length
        close = difflib.get_close_matches(name, known, n=3)
    return f"did you mean {one_of(close)}?" if close else f"there are {some_of(known)}"


def one_of(choices: Iterable[str]) -> str:
    """List what is allowed, for the end of a message."""
    return ", ".join(repr(choice) for choice in choices)
