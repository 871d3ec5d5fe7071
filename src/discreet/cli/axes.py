"""What `discreet plot parallel` takes beside what every picture does."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Any

import typer

from discreet.cli.common import fields_given, names_of
from discreet.errors import InputError

__all__ = [
    "AxesWish",
    "DiversityOption",
    "FlatOption",
    "PairOption",
    "PixelsOption",
    "SensitiveOption",
]

SensitiveOption = Annotated[
    list[str] | None,
    typer.Option(
        "--sensitive",
        help="Of parallel: a sensitive column, or some of its values: diagnosis=c50,c61."
        " Repeatable.",
    ),
]
DiversityOption = Annotated[
    int | None,
    typer.Option("--diversity", "-l", help="Of parallel: different sensitive values a cluster."),
]
PixelsOption = Annotated[
    int | None, typer.Option("--pixels", help="Of parallel: pixels of every axis.")
]
FlatOption = Annotated[
    bool, typer.Option("--flat", help="Of parallel: clusters without fading edges.")
]
PairOption = Annotated[
    list[str] | None,
    typer.Option("--pair", help="Of parallel: columns that may be neighbours: a,b. Repeatable."),
]


@dataclass(frozen=True)
class AxesWish:
    """What somebody asked of axes: the options as they were given."""

    sensitive: Sequence[str] | None = None
    diversity: int | None = None
    pixels: int | None = None
    pair: Sequence[str] | None = None
    flat: bool = False

    def check(self, picture: str) -> None:
        """Refuse options of parallel coordinates for another picture."""
        for name, value in vars(self).items():
            given = value is not None and value is not False and value != []
            if given and picture != "parallel":
                raise InputError(f"--{name} is of parallel coordinates; leave it out")

    def levels(self) -> list[str]:
        """Name the columns whose sensitive values are named: they are levels."""
        return [name for name, values in _named(self.sensitive).items() if values]

    def numbers(self) -> dict[str, Any]:
        """Return the numbers, which are the picture's own where the study has none."""
        if self.pair:
            raise InputError("--pair is of guarded policies; under 'research' any order is drawn")
        return fields_given(**self._numbers())

    def _numbers(self) -> dict[str, int | None]:
        return {"diversity": self.diversity, "pixels": self.pixels}

    def fields(self) -> dict[str, Any]:
        """Return what a guarded study is opened with."""
        roles = dict.fromkeys(_named(self.sensitive), "sensitive")
        pairs = [names_of(pair) for pair in self.pair or ()]
        return fields_given(roles=roles or None, pairs=pairs or None, **self._numbers())

    def asked(self) -> dict[str, Any]:
        """Return what the picture itself is asked for with."""
        named = fields_given(sensitive=_named(self.sensitive) or None)
        return named | {"gradient": not self.flat}


def _named(sensitive: Sequence[str] | None) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for each in sensitive or ():
        name, _, values = each.partition("=")
        found[name.strip()] = [*found.get(name.strip(), []), *(names_of(values) if values else [])]
    return found
