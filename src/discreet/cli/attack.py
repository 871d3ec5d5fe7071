"""`discreet attack`: what somebody could learn of a person from a released table, tried."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from typer import Argument, Option

from discreet.cli.common import (
    DropOption,
    File,
    JsonOption,
    WholeOptions,
    dates_of,
    kinds_of,
    names_of,
    print_found,
    progress_shown,
    with_options,
)
from discreet.errors import InputError

if TYPE_CHECKING:
    from discreet.measure import AttackReport

K = 5


@with_options
def attack(
    file: File,
    copy: WholeOptions,
    released: Annotated[
        Path | None, Argument(help="A released table, whoever made it; without it, one is made.")
    ] = None,
    pairs: Annotated[
        int, Option(help="Pairs of copies for each attack on membership; 0 leaves them out.")
    ] = 100,
    versions: Annotated[
        int | None, Option(help="Before a version is opened: who left would be seen in so many?")
    ] = None,
    drop: DropOption = None,
    same_rows: Annotated[
        bool,
        Option("--same-rows/--no-same-rows", help="Whether the i-th rows of both are a person's."),
    ] = False,
    output: Annotated[
        list[Path] | None,
        Option("--output", "-o", help="Where to save: .html, .json, .csv or .txt. Repeatable."),
    ] = None,
    rounded: Annotated[
        bool, Option("--rounded", help="What may be released: shares to 5 points.")
    ] = False,
    as_json: JsonOption = False,
) -> None:
    """Try what somebody could do to learn of a person from a table, beside guessing.

    For whoever holds the raw rows: figures are exact, and no release, but with --rounded.

    discreet attack cohort.csv -o attacks.html
    discreet attack cohort.csv released.csv --same-rows
    discreet attack cohort.csv --versions 2
    """
    from discreet.custodian.protect import Protected
    from discreet.measure.attack_report import SUFFIXES
    from discreet.render.figure_file import path_to_save

    for path in output or ():
        path_to_save(path, SUFFIXES, "a report of attacks")  # before the work
    here: dict[str, object] = {"--unit": copy.unit, "--no-unit": copy.no_unit, "--m": copy.m}
    here |= {"--left-out": copy.left_out, "--versions": versions}
    beside = {"--same-rows": same_rows, "--drop": drop}
    _check_not_given(beside if released is None else here, made_here=released is None)
    with progress_shown():
        if released is None:
            made = Protected(copy.open(file))
            alone = versions is not None
            found = made.attack_versions(versions) if alone else made.attack(pairs)
        else:
            found = _on_released(file, released, copy, drop, same_rows=same_rows)
        found = found.rounded(int(found.made["k"])) if rounded else found
        for path in output or ():
            found.save(path)
    print_found(found, output, as_json=as_json)


def _check_not_given(options: Mapping[str, object], *, made_here: bool) -> None:
    """Refuse options of the other kind of attack."""
    for name, value in options.items():
        if value:
            of = "a released table; name it" if made_here else "a copy that is made here"
            raise InputError(f"{name} is for {of}, or leave it out")


def _on_released(
    file: str, released: Path, copy: WholeOptions, drop: str | None, *, same_rows: bool
) -> AttackReport:
    from discreet.measure.attack_report import attack_released

    declared = kinds_of(copy.kinds)
    if set(declared.values()) - {"categorical"}:
        raise InputError("--kinds names codes that are levels here: ward=categorical")
    return attack_released(
        file,
        released,
        k=copy.k or K,
        categorical=[*declared],
        dates=dates_of(copy.dates),
        drop=names_of(drop),
        same_rows=same_rows,
    )
