"""`discreet anonymize`, `round`, `evaluate` and `tune`: tables of the papers, and their risk."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from typer import Argument, Option

from discreet.cli.common import (
    DatesOption,
    DropOption,
    File,
    FormulaOption,
    JsonOption,
    KindsOption,
    MethodOption,
    ResearchOptions,
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
    from discreet.measure.roundings_report import RoundingComparison
    from discreet.release import Release

NOTHING_SAVED = "nothing was saved; -o RELEASED.csv releases the table"
REPORT_RELEASED = "the report was released as JSON; -o RELEASED.csv releases the table"
NICE = (1, 1.5, 2, 3, 5, 7)

PerColumnOption = Annotated[
    bool,
    Option(
        "--per-column",
        help="Round each column by itself, as the paper does: for public or simulated data.",
    ),
]
RepresentativeOption = Annotated[str | None, Option(help="Per column: mean, median or midpoint.")]


# --- anonymize, round -----------------------------------------------------------------------------


@dataclass(frozen=True)
class Files:
    """Where a table and its report are saved."""

    output: Annotated[
        Path | None,
        Option(
            "--output",
            "-o",
            help="Where to save the table: .csv, .tsv or .parquet. Without it nothing leaves.",
        ),
    ] = None
    report: Annotated[Path | None, Option(help="Where to save the report: .html, .json, .txt.")] = (
        None
    )

    def check(self) -> None:
        """Refuse names that nothing can be saved under."""
        from discreet.release import check_paths

        if self.output is not None:
            check_paths(self.output, self.report)
        elif self.report is not None:
            raise InputError(
                "a report is released with its table; say where that goes: -o RELEASED.csv"
            )

    def save(self, release: Release, points: Path | None = None, *, as_json: bool) -> None:
        """Release them, and print the names of the files and the report on what was released."""
        report = release.report
        if self.output is not None:
            release.save(self.output, self.report)
            report = release.report_on(self.output)
        if points is not None:
            release.save_points(points)
        saved = [str(path) for path in (self.output, self.report, points) if path is not None]
        text = report.to_json() if as_json else None  # which is asked about, too
        files = ", ".join(saved) or (REPORT_RELEASED if as_json else NOTHING_SAVED)
        print_words(f"{files}\n\n{report.in_words()}", err=as_json)
        if text is not None:
            typer.echo(text)


@with_options
def anonymize(
    file: File,
    to: Files,
    table: TableOptions,
    rows: RowOptions,
    opened: ResearchOptions,
    method: MethodOption = None,
    k: Annotated[
        int | None, Option("-k", "--k", help="Records that share a place in a group.")
    ] = None,
    q: Annotated[
        float | None, Option("-q", "--q", help="Noise as a share of the standard deviation.")
    ] = None,
    risk_below: Annotated[
        float | None, Option(help="The share of records that may be linked, e.g. 0.2.")
    ] = None,
    formula: FormulaOption = None,
    as_json: JsonOption = False,
) -> None:
    """Make a table by a paper's method, and a report on its risk and use.

    For public or simulated data: what the papers print. The protected copy of a table is made by
    `discreet protect`.

    discreet anonymize table.csv --method deterministic -k 3 --strata sex,smoker -o released.csv
    discreet anonymize table.csv --method probabilistic -q 0.25 -o noisy.csv --report report.html
    """
    to.check()  # before the work
    asked = {**table.asked(), "method": method, "k": k, "q": q, "risk_below": risk_below}
    with progress_shown():
        made = opened.open(file, **rows.fields()).anonymize(formula=formula, **asked)
        to.save(made, as_json=as_json)


@dataclass(frozen=True)
class RoundOptions:
    """How a table is rounded."""

    method: MethodOption = None
    k: Annotated[
        str | None,
        Option("-k", "--k", help="Records that share a point; per column also freedman-diaconis."),
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

    def asked(self) -> dict[str, Any]:
        """Return it as a Research takes it."""
        return {**vars(self), "k": _number(self.k), "c": _number(self.c)}


@with_options
def rounding(
    file: File,
    to: Files,
    table: TableOptions,
    how: RoundOptions,
    rows: RowOptions,
    opened: ResearchOptions,
    points: Annotated[
        Path | None, Option(help="Where to save the rounding points: .json, for new records.")
    ] = None,
    formula: FormulaOption = None,
    as_json: JsonOption = False,
) -> None:
    """Replace numbers by points that records share, and report on the risk and use.

    For public or simulated data, as the paper on rounding has it.

    discreet round table.csv --method mdav -k 10 -o rounded.csv --points points.json
    discreet round wine.csv --method optimal -k 10 --per-column -o wine-10.csv
    """
    from discreet.release import check_points_path

    to.check()  # before the work
    if points is not None:
        check_points_path(points)
    with progress_shown():
        of = opened.open(file, **rows.fields())
        made = of.round(formula=formula, **table.asked(), **how.asked())
        to.save(made, points, as_json=as_json)


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

    def asked(self) -> dict[str, Any]:
        """Return it as it is tried."""
        m = None if self.m is None else ladder(self.m, "m")
        left_out = _shares(self.left_out, "left-out")
        return {**vars(self), "q": _shares(self.q), "m": m, "left_out": left_out}


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
    strata: StrataOption = None,
    methods: Annotated[
        str | None,
        Option(help="What to try: whole (the default), or the papers' row methods, a,b."),
    ] = None,
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

    Copies of the whole table, or the papers' row methods, on a map; with --per-column all ways to
    round, with what models still learn. The numbers are exact, and nothing of it is a release.

    discreet tune cohort.csv -k 3,5,10 --risk numbers -o whole.html
    discreet tune table.csv --methods deterministic,microaggregation -k 3:50 -o map.html
    discreet tune wine.csv --per-column -k 20,50,100 --target class -o roundings.html
    """
    wanted = {"methods": names_of(methods) or None, "k": None if k is None else ladder(k)}
    unused = given(each)
    if per_column:
        unused = (given(study) | given(table) | given(rows) | given(tried)) - {"drop"}
        unused |= {"strata"} if strata else set()
    if unused:
        option = f"--{min(unused).replace('_', '-')}"
        rule = "not for --per-column" if per_column else "for --per-column alone"
        raise InputError(f"{option} is {rule}; leave it out")
    found: RiskUtilityMap | RoundingComparison
    with progress_shown():
        if per_column:
            found = _roundings(file, table.drop, each, wanted, output or [])
        else:
            asked = {**table.asked(), **wanted, **tried.asked()}
            prepare = {**rows.fields(), "strata": names_of(strata) or None}
            found = _map_of(file, study, asked, prepare)
        for path in output or ():
            found.save(path)
    print_found(found, output, as_json=as_json)


def _map_of(
    file: str, study: StudyOptions, asked: dict[str, Any], prepare: dict[str, Any]
) -> RiskUtilityMap:
    """Try copies of the whole table, or row methods alone, whose rows are prepared first."""
    from discreet.custodian.protect import Protected
    from discreet.methods import Whole

    own = {name: value for name, value in prepare.items() if value is not None}
    if asked["methods"] is None or Whole.name in asked["methods"]:
        if own or asked["sensitive"]:
            name = min([*own, *(["sensitive"] if asked["sensitive"] else [])])
            raise InputError(f"--{name.replace('_', '-')} is of row methods; leave it out")
        named = {name: it for name, it in asked.items() if name != "sensitive" and it is not None}
        return Protected(study.open(file)).tune(**named)
    for name in ("m", "left_out"):
        if asked.pop(name) is not None:
            raise InputError(f"--{name.replace('_', '-')} is of whole copies; leave it out")
    policy = "research" if study.policy == "standard" else study.policy
    options = ResearchOptions(**{**vars(study), "policy": policy})
    named = {name: value for name, value in asked.items() if value is not None}
    return options.open(file, **own).tune(**named)


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
