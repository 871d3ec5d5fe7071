"""`discreet plot`: a protected picture of a table."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from discreet.cli.axes import (
    AxesWish,
    DiversityOption,
    FlatOption,
    PairOption,
    PixelsOption,
    SensitiveOption,
)
from discreet.cli.common import (
    BinsOption,
    ByOption,
    CategoricalOption,
    File,
    GridOption,
    GroupOption,
    JsonOption,
    KOption,
    MethodOption,
    NoUnitOption,
    Output,
    PolicyOption,
    QOption,
    StrataOption,
    StudyOption,
    TrendOption,
    UnitOption,
    fields_given,
    names_of,
    opened,
    print_words,
    progress_shown,
    unit_given,
)
from discreet.errors import InputError, one_of

if TYPE_CHECKING:
    from discreet.plots import View
    from discreet.study import Study

__all__ = ["plot"]

PictureArgument = Annotated[
    str,
    typer.Argument(
        help="histogram, scatter, heatmap, contour, box, bars, crosstab, residuals, qq,"
        " leverage or parallel."
    ),
]
ColumnsArgument = Annotated[
    list[str],
    typer.Argument(help="The columns to draw; a formula for residuals, qq and leverage."),
]


def plot(
    picture: PictureArgument,
    file: File,
    columns: ColumnsArgument,
    output: Output = None,
    policy: PolicyOption = "standard",
    k: KOption = None,
    method: MethodOption = None,
    q: QOption = None,
    bins: BinsOption = None,
    grid: GridOption = None,
    study: StudyOption = None,
    group: GroupOption = None,
    strata: StrataOption = None,
    unit: UnitOption = None,
    no_unit: NoUnitOption = False,
    categorical: CategoricalOption = None,
    by: ByOption = None,
    trend: TrendOption = False,
    sensitive: SensitiveOption = None,
    diversity: DiversityOption = None,
    pixels: PixelsOption = None,
    pair: PairOption = None,
    flat: FlatOption = False,
    as_json: JsonOption = False,
) -> None:
    """Draw a protected picture of a table.

    discreet plot scatter cohort.csv age glucose -o age-glucose.svg
    discreet plot residuals cohort.csv "glucose ~ age + bmi" -o residuals.svg
    discreet plot parallel cohort.csv age bmi glucose sex --sensitive sex -o parallel.svg
    """
    from discreet.policy import load_policy
    from discreet.protect import ROW_METHODS

    axes = AxesWish(sensitive, diversity, pixels, pair, flat)
    _check_asked(picture, columns, by=by, trend=trend)
    axes.check(picture)
    if output is None and not as_json:
        raise InputError(
            "say where the picture goes: -o FIGURE.png, .svg, .pdf or .html, or --json"
        )
    with progress_shown():
        numbers = fields_given(k=k, q=q, bins=bins, grid=grid)
        guarded = load_policy(policy).guarded
        # A row method makes the study's copy; a count method is the picture's alone.
        rows = method if guarded and method in ROW_METHODS else None
        fields = fields_given(rows=rows, study=study, unit=unit_given(unit, no_unit))
        fields |= numbers | axes.fields() if guarded else {}
        levels = _levels(picture, columns, by, categorical) + axes.levels()
        found = opened(file, policy, fields, group, strata, levels)
        drawn = fields_given(method=method, by=by, trend=trend or None)
        drawn |= {} if guarded else _used(picture, numbers) | axes.numbers()
        view = _drawn(found, picture, columns, drawn, axes)
        _deliver(view, output, as_json)
    _say_codes(found, view)


def _drawn(
    study: Study, picture: str, columns: list[str], drawn: dict[str, Any], axes: AxesWish
) -> View:
    if picture == "parallel":
        return study.parallel(columns, **drawn, **axes.asked())
    view: View = getattr(study, picture)(*columns, **drawn)
    return view


def _levels(
    picture: str, columns: Sequence[str], by: str | None, categorical: str | None
) -> list[str]:
    """Name the columns that are levels, whatever they hold."""
    named = [] if categorical is None else names_of(categorical)
    counted = columns if picture in ("bars", "crosstab") else ()
    return [*named, *([by] if by else ()), *counted]


def _check_asked(picture: str, columns: Sequence[str], *, by: str | None, trend: bool) -> None:
    """Refuse what a picture has no place for."""
    from discreet.policy import DIAGNOSTICS, PICTURES

    if picture not in PICTURES:
        raise InputError(f"there is no picture {picture!r}; there are {one_of(PICTURES)}")
    wanted = dict.fromkeys(("histogram", "bars"), 1) | dict.fromkeys(
        ("scatter", "heatmap", "contour", "crosstab"), 2
    )
    if picture in DIAGNOSTICS and len(columns) != 1:
        raise InputError(f"a {picture} plot takes one formula, in quotes: 'y ~ x1 + C(group)'")
    if len(columns) != wanted.get(picture, len(columns)):
        raise InputError(f"a {picture} draws exactly {wanted[picture]} of the columns of the file")
    if by is not None and picture in (*DIAGNOSTICS, "crosstab", "parallel"):
        raise InputError(f"a {picture} has no --by; leave it out")
    if trend and picture != "scatter":
        raise InputError("--trend is for a scatter plot; leave it out")


def _used(picture: str, numbers: dict[str, Any]) -> dict[str, Any]:
    """Refuse a number that a picture is drawn without, where it is the picture's alone."""
    for name in numbers:
        if (
            (name == "bins" and picture != "histogram")
            or (name == "grid" and picture in ("histogram", "bars", "crosstab", "parallel"))
            or (name == "q" and picture in ("bars", "crosstab", "parallel"))
        ):
            raise InputError(f"a {picture} has no use for --{name}; leave it out")
    return numbers


def _say_codes(found: Study, view: View) -> None:
    """Name numbers that may stand for missing values, for whoever keeps the policy."""
    for name, codes in found.missing_codes(view.columns).items():
        named = ", ".join(f"{code:g}" for code in codes)
        print_words(
            f"{name} may hold codes for missing values ({named}), which were drawn as numbers. In"
            f" a policy file: missing_values.{name} = [{named}], or [] if they are values",
            err=True,
        )


def _deliver(view: View, output: Path | None, as_json: bool) -> None:
    """Let the view leave in the forms asked for, and say so."""
    text = view.to_json() if as_json else None
    if output is not None:
        view.save(output)
        print_words(f"{output}\n{view.describe()}", err=as_json)
    if text is not None:
        typer.echo(text)
