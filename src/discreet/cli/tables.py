"""`discreet anonymize`, `risk` and `sweep`: protected tables, and what they give away."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from discreet.cli.common import (
    CategoricalOption,
    File,
    GroupOption,
    HierarchyOption,
    ImputeOption,
    KOption,
    LevelsOption,
    MethodOption,
    NoUnitOption,
    PolicyOption,
    QOption,
    StrataOption,
    StudyOption,
    UnitOption,
    fields_given,
    listed,
    opened,
    preparation,
    print_found,
    print_words,
    progress_shown,
    unit_given,
)
from discreet.errors import InputError

if TYPE_CHECKING:
    from discreet.release import Release

__all__ = ["anonymize", "check_table_paths", "delivered", "ladder", "risk", "say", "sweep"]

NICE = (1, 1.5, 2, 3, 5, 7)

ColumnsOption = Annotated[
    str | None, typer.Option("--columns", help="The continuous columns to release: a,b.")
]
DropOption = Annotated[str | None, typer.Option("--drop", help="Columns to leave out: a,b.")]
SensitiveOption = Annotated[
    str | None, typer.Option("--sensitive", help="The column that must stay unknown.")
]
MetricOption = Annotated[
    str | None,
    typer.Option("--metric", help="Nearness of `deterministic`: euclidean or mahalanobis."),
]
DiversityOption = Annotated[
    int | None, typer.Option("--diversity", "-l", help="Required l-diversity of strata.")
]
ClosenessOption = Annotated[
    float | None, typer.Option("--closeness", "-t", help="Required t-closeness of strata.")
]
FormulaOption = Annotated[
    str | None, typer.Option("--formula", help="A regression to compare: 'y ~ x + C(group)'.")
]

TableOption = Annotated[
    Path | None,
    typer.Option(
        "--output", "-o", help="Where to save the table: .csv, .tsv or .parquet. Without: look."
    ),
]
ReportOption = Annotated[
    Path | None, typer.Option("--report", help="Where to save the report: .html, .json, .txt.")
]
BelowOption = Annotated[
    float | None,
    typer.Option("--risk-below", help="The share of records that may be linked, e.g. 0.2."),
]
ReportJsonOption = Annotated[bool, typer.Option("--json", help="Print the report as JSON.")]
MapOption = Annotated[
    Path | None,
    typer.Option("--output", "-o", help="Where to save: .html, .json, or .png, .svg, .pdf."),
]
MethodsOption = Annotated[
    str | None, typer.Option("--methods", help="Row methods to try: a,b; all by default.")
]
KsOption = Annotated[
    str | None,
    typer.Option("--k", "-k", help="Values of k: 3,5,10, or 3:50 for 3,5,7,10,15,20,30,50."),
]
QsOption = Annotated[str | None, typer.Option("--q", "-q", help="Values of q: 0.1,0.25,0.5.")]
RiskOption = Annotated[
    str, typer.Option("--risk", help="What stands for the risk: linkage, far linkage, within 5 %.")
]
LossOption = Annotated[
    str, typer.Option("--loss", help="What stands for the loss: displacement, propensity.")
]


def anonymize(
    file: File,
    output: TableOption = None,
    report: ReportOption = None,
    policy: PolicyOption = "standard",
    columns: ColumnsOption = None,
    drop: DropOption = None,
    strata: StrataOption = None,
    sensitive: SensitiveOption = None,
    method: MethodOption = None,
    k: KOption = None,
    q: QOption = None,
    metric: MetricOption = None,
    impute: ImputeOption = None,
    impute_levels: LevelsOption = None,
    hierarchy: HierarchyOption = None,
    diversity: DiversityOption = None,
    closeness: ClosenessOption = None,
    formula: FormulaOption = None,
    risk_below: BelowOption = None,
    study: StudyOption = None,
    group: GroupOption = None,
    unit: UnitOption = None,
    no_unit: NoUnitOption = False,
    categorical: CategoricalOption = None,
    as_json: ReportJsonOption = False,
) -> None:
    """Make a protected table, and a report on its risk and use.

    discreet anonymize cohort.csv --strata sex,smoker -o released.csv --report report.html
    """
    from discreet.policy import load_policy

    check_table_paths(output, report)  # before the work
    prepare = preparation(impute, impute_levels, hierarchy) | fields_given(
        metric=metric, diversity=diversity, closeness=closeness
    )
    fields = fields_given(study=study, unit=unit_given(unit, no_unit))
    asked = fields_given(method=method, k=k, q=q) | prepare
    if load_policy(policy).guarded:
        # The numbers of a guarded study are those it is opened with.
        fields, asked = fields | fields_given(rows=method, k=k, q=q) | prepare, {}
    with progress_shown():
        found = opened(file, policy, fields, group, strata, listed(categorical))
        release = found.anonymize(
            listed(columns) or None,
            drop=listed(drop),
            sensitive=sensitive,
            formula=formula,
            risk_below=risk_below,
            **asked,
        )
        said = delivered(release, output, report, as_json)
    say(*said)  # once the progress bar is gone


def risk(
    original: Annotated[Path, typer.Argument(help="The original: .csv, .tsv or .parquet.")],
    released: Annotated[Path, typer.Argument(help="The released table, whoever made it.")],
    strata: Annotated[
        str | None, typer.Option("--strata", help="Columns that an attacker may know: a,b.")
    ] = None,
    sensitive: SensitiveOption = None,
    categorical: CategoricalOption = None,
    drop: DropOption = None,
    formula: FormulaOption = None,
    unpaired: Annotated[
        bool, typer.Option("--unpaired", help="The rows of the two are not in the same order.")
    ] = False,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="Where to save: .html, .json or .txt.")
    ] = None,
    as_json: ReportJsonOption = False,
) -> None:
    """Measure what a released table gives away of the original, and what use is left.

    For whoever holds the original: the numbers are exact, and no release.

    discreet risk titanic.csv released.csv
    """
    from discreet.measure import compare

    with progress_shown():
        report = compare(
            original,
            released,
            strata=listed(strata),
            sensitive=sensitive,
            categorical=listed(categorical),
            drop=listed(drop),
            formula=formula,
            same_rows=not unpaired,
        )
        if output is not None:
            report.save(output)
    print_found(report, as_json=as_json)


def sweep(
    file: File,
    methods: MethodsOption = None,
    k: Annotated[
        str | None,
        typer.Option("--k", "-k", help="Values of k: 3,5,10, or 3:50 for 3,5,7,10,15 ... 50."),
    ] = None,
    q: QsOption = None,
    risk: RiskOption = "linkage",
    loss: LossOption = "displacement",
    output: MapOption = None,
    policy: PolicyOption = "standard",
    columns: ColumnsOption = None,
    drop: DropOption = None,
    strata: StrataOption = None,
    sensitive: SensitiveOption = None,
    impute: ImputeOption = None,
    impute_levels: LevelsOption = None,
    hierarchy: HierarchyOption = None,
    study: StudyOption = None,
    group: GroupOption = None,
    unit: UnitOption = None,
    no_unit: NoUnitOption = False,
    categorical: CategoricalOption = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the map as JSON.")] = False,
) -> None:
    """Try methods and numbers on one table: the risk and the loss of each, on a map.

    For the custodian: nothing of it is a release.

    discreet sweep cohort.csv --methods deterministic,microaggregation --k 3:50 -o map.html
    """
    from discreet.policy import load_policy

    prepare = preparation(impute, impute_levels, hierarchy)
    fields = fields_given(study=study, unit=unit_given(unit, no_unit))
    if load_policy(policy).guarded:
        fields, prepare = fields | prepare, {}
    with progress_shown():
        found = opened(file, policy, fields, group, strata, listed(categorical))
        tried = found.sweep(
            listed(columns) or None,
            methods=listed(methods) or None,
            k=None if k is None else ladder(k),
            q=None if q is None else _numbers(q),
            risk=risk,
            loss=loss,
            drop=listed(drop),
            sensitive=sensitive,
            **prepare,
        )
        if output is not None:
            tried.save(output)
    print_found(tried, as_json=as_json)


def ladder(text: str) -> list[int]:
    """Return the whole numbers of a list, or nice ones from the first to the last of a range.

    Examples
    --------
    >>> ladder("3,5,46"), ladder("3:50")
    ([3, 5, 46], [3, 5, 7, 10, 15, 20, 30, 50])
    """
    try:
        if ":" not in text:
            return [int(part) for part in text.split(",")]
        low, high = (int(part) for part in text.split(":"))
    except ValueError:
        raise InputError(
            "--k must be whole numbers such as 3,5,10, or a range such as 3:50"
        ) from None
    if not 1 <= low <= high <= 10**6:
        raise InputError("--k as a range goes from a number of at least 1 to a larger one")
    nice = {int(step * 10**power) for power in range(7) for step in NICE}
    return sorted({low, high, *(k for k in nice if low < k < high)})


def check_table_paths(output: Path | None, report: Path | None, points: Path | None = None) -> None:
    """Refuse names that a table, its report and its rounding points cannot be saved under."""
    from discreet.release import check_paths, check_points_path

    if points is not None:
        check_points_path(points)
    if output is not None:
        check_paths(output, report)
    elif report is not None:
        raise InputError("a report leaves with its table; say where that goes: -o RELEASED.csv")


def delivered(
    release: Release,
    output: Path | None,
    report: Path | None,
    as_json: bool,
    points: Path | None = None,
) -> tuple[str, str | None]:
    """Let the table, its report and its rounding points leave; return what to say, and the JSON."""
    told = release.report
    if output is not None:
        release.save(output, report)
        told = release.report_on(output)
    if points is not None:
        release.save_points(points)
    text = told.to_json() if as_json else None
    saved = [str(path) for path in (output, report, points) if path is not None]
    files = ", ".join(saved) or "nothing was saved; -o RELEASED.csv lets the table leave"
    return f"{files}\n\n{told.in_words()}", text


def say(words: str, json: str | None) -> None:
    """Print what was done; beside JSON, where it is not read as part of it."""
    print_words(words, err=json is not None)
    if json is not None:
        typer.echo(json)


def _numbers(text: str) -> list[float]:
    try:
        return [float(part) for part in text.split(",")]
    except ValueError:
        raise InputError("--q must be numbers such as 0.1,0.25,0.5") from None
