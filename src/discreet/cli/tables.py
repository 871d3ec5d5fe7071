"""`discreet anonymize`, `evaluate` and `tune`: protected tables, and what they give away."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from typer import Argument, Option

from discreet.cli.common import (
    CopyOptions,
    DatesOption,
    DerivedOptions,
    DropOption,
    File,
    FormulaOption,
    JsonOption,
    KindsOption,
    MethodOption,
    RowOptions,
    SensitiveOption,
    StrataOption,
    StudyOptions,
    TableOptions,
    dates_of,
    given,
    kinds_of,
    names_of,
    print_found,
    print_words,
    progress_shown,
    with_options,
)
from discreet.errors import InputError

if TYPE_CHECKING:
    from discreet.measure.frontier import RiskUtilityMap
    from discreet.measure.report import Report
    from discreet.measure.roundings_report import RoundingComparison
    from discreet.release import Release
    from discreet.study import Study

__all__ = ["anonymize", "evaluate", "tune"]

NOTHING_SAVED = "nothing was saved; -o RELEASED.csv releases the table"
OF_ROUNDING = ("per_column", "representative", "encoding")
NICE = (1, 1.5, 2, 3, 5, 7)

PerColumnOption = Annotated[
    bool,
    Option(
        "--per-column",
        help="Round each column by itself, as the paper does: for public or simulated data.",
    ),
]
RepresentativeOption = Annotated[str | None, Option(help="Per column: mean, median or midpoint.")]


# --- anonymize ------------------------------------------------------------------------------------


@dataclass(frozen=True)
class HowOptions:
    """How a table is protected: by a row method, or by rounding."""

    method: MethodOption = None
    k: Annotated[
        str | None,
        Option("-k", "--k", help="Records that share a place; per column also freedman-diaconis."),
    ] = None
    q: Annotated[
        float | None, Option("-q", "--q", help="Noise as a share of the standard deviation.")
    ] = None
    c: Annotated[
        str | None,
        Option("-c", "--c", help="Regions of a column; per column also freedman-diaconis."),
    ] = None
    per_column: PerColumnOption = False
    representative: RepresentativeOption = None
    encoding: Annotated[str | None, Option(help="Per column: region, nearest or stochastic.")] = (
        None
    )
    risk_below: Annotated[
        float | None, Option(help="The share of records that may be linked, e.g. 0.2.")
    ] = None

    def rounds(self, *, points: bool) -> bool:
        """Whether numbers are replaced by rounding points."""
        from discreet.rounding import METHODS

        by_name = self.method is not None and self.method.replace("-", "_") in METHODS
        if not (points or by_name or given(self) & {"c", *OF_ROUNDING}):
            return False
        for name in ("q", "risk_below"):
            if getattr(self, name) is not None:
                raise InputError(f"--{name.replace('_', '-')} is not of rounding; leave it out")
        return True


@dataclass(frozen=True)
class Files:
    """Where a table, its report and its rounding points are saved."""

    output: Annotated[
        Path | None,
        Option(
            "--output", "-o", help="Where to save the table: .csv, .tsv or .parquet. Without: look."
        ),
    ] = None
    report: Annotated[Path | None, Option(help="Where to save the report: .html, .json, .txt.")] = (
        None
    )
    points: Annotated[
        Path | None, Option(help="Where to save the rounding points: .json, for new records.")
    ] = None

    def check(self) -> None:
        """Refuse names that nothing can be saved under."""
        from discreet.release import check_paths, check_points_path

        if self.points is not None:
            check_points_path(self.points)
        if self.output is not None:
            check_paths(self.output, self.report)
        elif self.report is not None:
            raise InputError(
                "a report is released with its table; say where that goes: -o RELEASED.csv"
            )

    def save(self, release: Release) -> tuple[str, Report]:
        """Release them; return the names of the files, and the report on what was released."""
        told = release.report
        if self.output is not None:
            release.save(self.output, self.report)
            told = release.report_on(self.output)
        if self.points is not None:
            release.save_points(self.points)
        saved = [str(path) for path in vars(self).values() if path is not None]
        return ", ".join(saved) or NOTHING_SAVED, told


@with_options
def anonymize(
    file: File,
    to: Files,
    table: TableOptions,
    how: HowOptions,
    made: CopyOptions,
    rows: RowOptions,
    study: StudyOptions,
    derived: DerivedOptions,
    formula: FormulaOption = None,
    attacks: Annotated[
        bool,
        Option(
            "--attacks", help="Of a copy of the whole table: try attacks, a section of the report."
        ),
    ] = False,
    as_json: JsonOption = False,
) -> None:
    """Make a protected table, and a report on its risk and use.

    discreet anonymize cohort.csv -o copy.csv --report report.html
    discreet anonymize table.csv --strata sex,smoker --policy research -o released.csv
    discreet anonymize table.csv --method mdav -k 10 --policy research -o rounded.csv
    discreet anonymize wine.csv --method optimal -k 10 --per-column --policy research -o wine-10.csv
    """
    to.check()  # before the work
    rounds = how.rounds(points=to.points is not None)
    make = _rounded if rounds else _protected
    with progress_shown():
        fields = {**rows.fields(), **made.fields(study.rules())}
        released = as_json or to.output is not None
        opened = partial(_opened, file, study, derived, released)
        release = make(opened, study, how, fields, {**table.asked(), "formula": formula})
        release = release.with_attacks() if attacks else release
        files, report = to.save(release)
        text = report.to_json() if as_json else None  # which is asked about, too
    # Once the progress bar is gone; beside JSON, where it is not read as part of it.
    print_words(f"{files}\n\n{report.in_words()}", err=as_json)
    if text is not None:
        typer.echo(text)


def _opened(
    file: str, study: StudyOptions, derived: DerivedOptions, released: bool, **fields: Any
) -> Study:
    """Open a study; a copy that may not be `released` is refused before the work."""
    opened = study.open(file, **fields)
    if released:
        opened.session.check_copy()
    return derived.of(opened)


def _protected(
    opened: Callable[..., Study],
    study: StudyOptions,
    how: HowOptions,
    fields: dict[str, Any],
    asked: dict[str, Any],
) -> Release:
    numbers: dict[str, Any] = {"k": _number(how.k), "q": how.q}
    asked["risk_below"] = how.risk_below
    if study.rules().fixed:
        # The numbers of a guarded study are those it is opened with.
        return opened(**numbers, **fields).anonymize(method=how.method, **asked)
    return opened(**fields).anonymize(method=how.method, **numbers, **asked)


def _rounded(
    opened: Callable[..., Study],
    _: StudyOptions,
    how: HowOptions,
    fields: dict[str, Any],
    asked: dict[str, Any],
) -> Release:
    numbers: dict[str, Any] = {"k": _number(how.k), "c": _number(how.c)}
    asked |= {name: getattr(how, name) for name in OF_ROUNDING}
    return opened(**fields).round(method=how.method, **numbers, **asked)


def _number(text: str | None) -> int | str | None:
    """Return k or c as a whole number, or the name of the rule that chooses it."""
    return int(text) if text is not None and text.isdecimal() else text


# --- evaluate -------------------------------------------------------------------------------------


def evaluate(
    original: File,
    released: Annotated[str, Argument(help="The released table, whoever made it.")],
    strata: StrataOption = None,
    sensitive: SensitiveOption = None,
    kinds: KindsOption = None,
    dates: DatesOption = None,
    drop: DropOption = None,
    formula: FormulaOption = None,
    same_rows: Annotated[
        bool,
        Option(
            "--same-rows/--no-same-rows", help="Whether the rows of both are in the same order."
        ),
    ] = True,
    output: Annotated[
        list[Path] | None,
        Option("--output", "-o", help="Where to save: .html, .json or .txt. Repeatable."),
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Measure what a released table gives away of the original, and what use is left.

    For whoever holds the original: the numbers are exact, and no release.

    discreet evaluate titanic.csv released.csv -o report.html
    """
    from discreet.measure import compare

    declared = kinds_of(kinds)
    if set(declared.values()) - {"categorical"}:
        raise InputError("--kinds names codes that are levels here: ward=categorical")
    with progress_shown():
        report = compare(
            original,
            released,
            strata=names_of(strata),
            sensitive=sensitive,
            categorical=[*declared],
            dates=dates_of(dates),
            drop=names_of(drop),
            formula=formula,
            same_rows=same_rows,
        )
        for path in output or ():
            report.save(path)
    print_found(report, output, as_json=as_json)


# --- tune -----------------------------------------------------------------------------------------


@dataclass(frozen=True)
class TriedOptions:
    """What of it is tried jointly alone: rows protected by row methods, and whole copies."""

    m: Annotated[
        str | None, Option("-m", "--m", help="Of whole copies, values of m: 10,20; 2 k, 4 k, 6 k.")
    ] = None
    left_out: Annotated[
        str | None,
        Option(help="Of whole copies, largest shares of persons left out: .2,.4; .2 by default."),
    ] = None
    q: Annotated[str | None, Option("-q", "--q", help="Values of q: 0.1,0.25,0.5.")] = None
    risk: Annotated[
        str,
        Option(
            help="What stands for the risk: linkage, far linkage, within 5 %; of whole copies"
            " linkage, far linkage, numbers, levels, membership."
        ),
    ] = "linkage"
    loss: Annotated[
        str | None,
        Option(
            help="What stands for the loss: displacement, propensity; of whole copies pairs,"
            " columns, coefficients. The first by default."
        ),
    ] = None


@dataclass(frozen=True)
class ColumnOptions:
    """What is tried column by column alone."""

    target: Annotated[
        str | None, Option(help="Per column: one to predict, classes (trees) or numbers (lines).")
    ] = None
    representative: RepresentativeOption = None
    folds: Annotated[
        int | None, Option(help="Per column: in how many parts rows are held out from models.")
    ] = None


@with_options
def tune(
    file: File,
    study: StudyOptions,
    table: TableOptions,
    rows: RowOptions,
    tried: TriedOptions,
    each: ColumnOptions,
    methods: Annotated[str | None, Option(help="What to try: a,b; all by default.")] = None,
    k: Annotated[
        str | None, Option("-k", "--k", help="Values of k: 3,5,10, or 3:50 for 3,5,7,10,15 ... 50.")
    ] = None,
    per_column: PerColumnOption = False,
    output: Annotated[
        list[Path] | None,
        Option(
            "--output",
            "-o",
            help="Where to save: .html, .json, .txt; a map also .png, .svg, .pdf; numbers per"
            " column .csv. Repeatable.",
        ),
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Try methods and numbers on one table: the risk and the loss of each, for the custodian.

    Row methods, or copies of the whole table (--methods whole), on a map; with --per-column all
    ways to round, with what models still learn. The numbers are exact, and nothing of it is a
    release.

    discreet tune cohort.csv --methods deterministic,microaggregation -k 3:50 -o map.html
    discreet tune cohort.csv --methods whole -k 3,5,10 --risk numbers -o whole.html
    discreet tune wine.csv --per-column -k 20,50,100 --target class -o roundings.html
    """
    wanted = {"methods": names_of(methods) or None, "k": None if k is None else ladder(k)}
    unused = given(each)
    if per_column:
        unused = (given(study) | given(table) | given(rows) | given(tried)) - {"drop"}
    if unused:
        option = f"--{min(unused).replace('_', '-')}"
        rule = "not for --per-column" if per_column else "for --per-column alone"
        raise InputError(f"{option} is {rule}; leave it out")
    found: RiskUtilityMap | RoundingComparison
    with progress_shown():
        if per_column:
            found = _roundings(file, table.drop, each, wanted, output or [])
        else:
            m = None if tried.m is None else ladder(tried.m, "m")
            asked = {**table.asked(), **wanted, **vars(tried), "q": _shares(tried.q), "m": m}
            asked["left_out"] = _shares(tried.left_out, "left-out")
            found = study.open(file, **rows.fields()).sweep(**asked)
        for path in output or ():
            found.save(path)
    print_found(found, output, as_json=as_json)


def _roundings(
    file: str, drop: str | None, each: ColumnOptions, wanted: Mapping[str, Any], output: list[Path]
) -> RoundingComparison:
    from discreet.measure.roundings import compare_roundings
    from discreet.measure.roundings_report import SUFFIXES
    from discreet.render.figure_file import path_to_save

    for path in output:
        path_to_save(path, SUFFIXES, "a comparison")  # before the work
    asked = {**wanted, **vars(each)}
    named = {name: value for name, value in asked.items() if value is not None}
    return compare_roundings(file, drop=names_of(drop), **named)


def ladder(text: str, name: str = "k") -> list[int]:
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
            f"--{name} must be whole numbers such as 3,5,10, or a range such as 3:50"
        ) from None
    if not 1 <= low <= high <= 10**6:
        raise InputError(f"--{name} as a range goes from a number of at least 1 to a larger one")
    nice = {int(step * 10**power) for power in range(7) for step in NICE}
    return sorted({low, high, *(k for k in nice if low < k < high)})


def _shares(text: str | None, name: str = "q") -> list[float] | None:
    try:
        return None if text is None else [float(part) for part in text.split(",")]
    except ValueError:
        raise InputError(f"--{name} must be numbers such as 0.1,0.25,0.5") from None
