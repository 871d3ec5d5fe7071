"""`discreet round`: numbers replaced by rounding points."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from discreet.cli.common import (
    CategoricalOption,
    File,
    GroupOption,
    HierarchyOption,
    ImputeOption,
    LevelsOption,
    NoUnitOption,
    StrataOption,
    StudyOption,
    UnitOption,
    fields_given,
    listed,
    opened,
    preparation,
    progress_shown,
    unit_given,
)
from discreet.cli.tables import (
    ColumnsOption,
    DropOption,
    FormulaOption,
    ReportJsonOption,
    ReportOption,
    SensitiveOption,
    TableOption,
    check_table_paths,
    delivered,
    say,
)

__all__ = ["round_table"]

WAYS = (
    "mdav, vmdav, optimal, equal_width, equal_frequency, kmeans, resampling, mdlp, chimerge, base"
)

WayOption = Annotated[
    str | None, typer.Option("--method", help=f"How rounding points are found: {WAYS}.")
]
KOption = Annotated[
    str | None,
    typer.Option("-k", help="Records that share a point; per column also freedman-diaconis."),
]
COption = Annotated[
    str | None,
    typer.Option("-c", help="Regions of a column; per column also freedman-diaconis."),
]
PerColumnOption = Annotated[
    bool,
    typer.Option(
        "--per-column",
        help="Round each column by itself, as the paper does: for public or simulated data.",
    ),
]
RepresentativeOption = Annotated[
    str | None, typer.Option("--representative", help="Per column: mean, median or midpoint.")
]
EncodingOption = Annotated[
    str | None, typer.Option("--encoding", help="Per column: region, nearest or stochastic.")
]
PointsOption = Annotated[
    Path | None,
    typer.Option("--points", help="Where to save the rounding points: .json, for new records."),
]
PolicyOption = Annotated[
    str,
    typer.Option(
        "--policy",
        help="A preset or a .toml file; --per-column needs research.",
    ),
]


def round_table(
    file: File,
    method: WayOption = None,
    k: KOption = None,
    c: COption = None,
    per_column: PerColumnOption = False,
    representative: RepresentativeOption = None,
    encoding: EncodingOption = None,
    output: TableOption = None,
    report: ReportOption = None,
    points: PointsOption = None,
    policy: PolicyOption = "standard",
    columns: ColumnsOption = None,
    drop: DropOption = None,
    strata: StrataOption = None,
    sensitive: SensitiveOption = None,
    impute: ImputeOption = None,
    impute_levels: LevelsOption = None,
    hierarchy: HierarchyOption = None,
    formula: FormulaOption = None,
    study: StudyOption = None,
    group: GroupOption = None,
    unit: UnitOption = None,
    no_unit: NoUnitOption = False,
    categorical: CategoricalOption = None,
    as_json: ReportJsonOption = False,
) -> None:
    """Replace numbers by rounding points that k records or more share; make a report on it.

    discreet round cohort.csv --method mdav -k 10 -o rounded.csv --report rounding.html
    discreet round wine.csv --method optimal -k 10 --per-column --policy research -o rounded.csv
    """
    check_table_paths(output, report, points)
    numbers = {"k": _number(k), "c": _number(c)}
    prepare = preparation(impute, impute_levels, hierarchy)
    fields, asked = _fields_and_asked(policy, per_column, method, numbers, prepare)
    fields |= fields_given(study=study, unit=unit_given(unit, no_unit))
    with progress_shown():
        found = opened(file, policy, fields, group, strata, listed(categorical))
        release = found.round(
            listed(columns) or None,
            per_column=per_column,
            representative=representative,
            encoding=encoding,
            drop=listed(drop),
            sensitive=sensitive,
            formula=formula,
            **asked,
        )
        said = delivered(release, output, report, as_json, points)
    say(*said)  # once the progress bar is gone


def _fields_and_asked(
    policy: str,
    per_column: bool,
    method: str | None,
    numbers: dict[str, Any],
    prepare: dict[str, Any],
) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return what the study is opened with, and what is asked of it."""
    from discreet.policy import PRESETS, load_policy
    from discreet.study.tables import HowRounded, check_numbers

    if per_column or not load_policy(policy).guarded:
        return {}, fields_given(method=method, **numbers) | prepare
    # The numbers of a guarded study are those it is opened with.
    check_numbers(HowRounded(**numbers))
    rows = {"rows": "rounding"} if policy in PRESETS else {}
    return rows | fields_given(rounding=method, **numbers) | prepare, {}


def _number(text: str | None) -> int | str | None:
    """Return k or c as a whole number, or the name of the rule that chooses it."""
    if text is None or not text.isdecimal():
        return text
    return int(text)
