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
    StrataOption,
    StudyOption,
    UnitOption,
    fields_given,
    listed,
    opened,
    preparation,
    progress_shown,
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
    deliver,
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
    typer.Option("-k", help="Records that share a point, at least; or freedman-diaconis."),
]
COption = Annotated[int | None, typer.Option("-c", help="Regions of each column.")]
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
    categorical: CategoricalOption = None,
    as_json: ReportJsonOption = False,
) -> None:
    """Replace numbers by rounding points that k records or more share; make a report on it.

    discreet round cohort.csv --method mdav -k 10 -o rounded.csv --report rounding.html
    discreet round wine.csv --method optimal -k 10 --per-column --policy research -o rounded.csv
    """
    from discreet.policy import PRESETS, load_policy

    check_table_paths(output, report, points)
    prepare = preparation(impute, impute_levels, hierarchy)
    fields = fields_given(study=study, unit=unit)
    asked: dict[str, Any] = fields_given(method=method, k=_number(k), c=c) | prepare
    if load_policy(policy).guarded and not per_column:
        # The numbers of a guarded study are those it is opened with.
        rows = {"rows": "rounding"} if policy in PRESETS else {}
        fields |= rows | fields_given(rounding=method, k=_number(k), c=c) | prepare
        asked = {}
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
        deliver(release, output, report, as_json, points)


def _number(k: str | None) -> int | str | None:
    """Return k as a whole number, or the name of the rule that chooses it."""
    if k is None or not k.isdecimal():
        return k
    return int(k)
