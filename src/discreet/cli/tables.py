"""`discreet anonymize`, `round`, `evaluate`, `tune`, `attack`: tables, and what they give away."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from typer import Argument, Option

from discreet.cli.command import command, given
from discreet.cli.common import (
    File,
    JsonOption,
    ResearchOptions,
    RowOptions,
    StudyOptions,
    TableOptions,
    WholeOptions,
    dates_of,
    deliver,
    levels_of,
    names_of,
    print_words,
    progress_shown,
)
from discreet.errors import InputError

if TYPE_CHECKING:
    from discreet.measure import AttackReport
    from discreet.measure.frontier import RiskUtilityMap
    from discreet.measure.roundings_report import RoundingComparison
    from discreet.release import Release

NOTHING_SAVED = "nothing was saved; -o RELEASED.csv releases the table"
REPORT_RELEASED = "the report was released as JSON; -o RELEASED.csv releases the table"
NICE = (1, 1.5, 2, 3, 5, 7)


# --- anonymize, round -----------------------------------------------------------------------------


@dataclass(frozen=True)
class Files:
    """Where a table and its report are saved.

    Parameters
    ----------
    output
        Where to save the table: .csv, .tsv or .parquet. Without it nothing leaves.
    report
        Where to save the report: .html, .json, .txt.
    """

    output: Path | None = None
    report: Path | None = None

    def check(self) -> None:
        """Refuse names that nothing can be saved under."""
        from discreet.release import check_paths

        if self.output is not None:
            check_paths(self.output, self.report)
        elif self.report is not None:
            raise InputError(
                "a report is released with its table; say where to write it: -o RELEASED.csv"
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


@command("custodian.research:Research.anonymize")
def anonymize(
    file: File,
    to: Files,
    table: TableOptions,
    rows: RowOptions,
    opened: ResearchOptions,
    method: str | None = None,
    k: int | None = None,
    q: float | None = None,
    risk_below: float | None = None,
    formula: str | None = None,
    as_json: JsonOption = False,
) -> None:
    """Make a table by a paper's method, and a report on its risk and use.

    For public or simulated data: what the papers print. The protected copy of a table is made by
    `discreet protect`.

    discreet anonymize table.csv --method deterministic -k 3 --strata sex,smoker -o released.csv
    discreet anonymize table.csv --method probabilistic -q 0.25 -o noisy.csv --report report.html
    """
    to.check()  # before the work
    arguments = {**table.arguments(), "method": method, "k": k, "q": q, "risk_below": risk_below}
    with progress_shown():
        made = opened.open(file, **rows.fields()).anonymize(formula=formula, **arguments)
        to.save(made, as_json=as_json)


@dataclass(frozen=True)
class RoundOptions:
    """How a table is rounded.

    Parameters
    ----------
    k
        Records that share a point; per column also freedman-diaconis.
    c
        Regions of a column; per column also freedman-diaconis.
    encoding
        Per column: region, nearest or stochastic.
    """

    method: str | None = None
    k: str | None = None
    c: str | None = None
    per_column: bool = False
    representative: str | None = None
    encoding: str | None = None

    def arguments(self) -> dict[str, Any]:
        """Return them as a Research takes them."""
        return {**vars(self), "k": _number(self.k), "c": _number(self.c)}


@command("custodian.research:Research.round")
def rounding(
    file: File,
    to: Files,
    table: TableOptions,
    how: RoundOptions,
    rows: RowOptions,
    opened: ResearchOptions,
    points: Path | None = None,
    formula: str | None = None,
    as_json: JsonOption = False,
) -> None:
    """Replace numbers by points that records share, and report on the risk and use.

    For public or simulated data, as the paper on rounding has it.

    discreet round table.csv --method mdav -k 10 -o rounded.csv --points points.json
    discreet round wine.csv --method optimal -k 10 --per-column -o wine-10.csv

    Parameters
    ----------
    points
        Where to save the rounding points: .json, for new records.
    """
    from discreet.release import check_points_path

    to.check()  # before the work
    if points is not None:
        check_points_path(points)
    with progress_shown():
        of = opened.open(file, **rows.fields())
        made = of.round(formula=formula, **table.arguments(), **how.arguments())
        to.save(made, points, as_json=as_json)


def _number(text: str | None) -> int | str | None:
    """Return k or c as a whole number, or the name of the rule that chooses it."""
    return int(text) if text is not None and text.isdecimal() else text


# --- evaluate -------------------------------------------------------------------------------------


@command("measure.report:compare")
def evaluate(
    original: File,
    released: str,
    strata: str | None = None,
    sensitive: str | None = None,
    kinds: list[str] | None = None,
    dates: list[str] | None = None,
    drop: str | None = None,
    formula: str | None = None,
    same_rows: bool = True,
    output: list[Path] | None = None,
    as_json: JsonOption = False,
) -> None:
    """Measure what a released table gives away of the original, and what use is left.

    For whoever holds the original: the numbers are exact, and no release.

    discreet evaluate titanic.csv released.csv -o report.html

    Parameters
    ----------
    released
        The released table, whoever made it.
    output
        Where to save: .html, .json or .txt.
    """
    from discreet.measure import compare

    categorical = levels_of(kinds)
    deliver(
        lambda: compare(
            original,
            released,
            strata=names_of(strata),
            sensitive=sensitive,
            categorical=categorical,
            dates=dates_of(dates),
            drop=names_of(drop),
            formula=formula,
            same_rows=same_rows,
        ),
        output,
        as_json=as_json,
    )


# --- tune -----------------------------------------------------------------------------------------


@dataclass(frozen=True)
class TriedOptions:
    """What of it is tried jointly alone: rows protected by row methods, and whole copies.

    Parameters
    ----------
    m
        Of whole copies, values of m: 10,20; 2 k, 4 k, 6 k.
    left_out
        Of whole copies, largest shares of people left out: .2,.4; .2 by default.
    q
        Values of q: 0.1,0.25,0.5.
    risk
        What stands for the risk: linkage, far linkage, within 5 %; of whole copies linkage, far
        linkage, numbers, levels, membership.
    loss
        What stands for the loss: displacement, propensity; of whole copies pairs, columns,
        coefficients. The first by default.
    """

    m: str | None = None
    left_out: str | None = None
    q: str | None = None
    risk: str = "linkage"
    loss: str | None = None

    def arguments(self) -> dict[str, Any]:
        """Return them as they are tried."""
        m = None if self.m is None else ladder(self.m, "m")
        left_out = _shares(self.left_out, "left-out")
        return {**vars(self), "q": _shares(self.q), "m": m, "left_out": left_out}


@dataclass(frozen=True)
class ColumnOptions:
    """What is tried column by column alone.

    Parameters
    ----------
    target
        Per column: one to predict, classes (trees) or numbers (lines).
    folds
        Per column: in how many parts rows are held out from models.
    """

    target: str | None = None
    representative: str | None = None
    folds: int | None = None


@command()
def tune(
    file: File,
    study: StudyOptions,
    table: TableOptions,
    rows: RowOptions,
    tried: TriedOptions,
    each: ColumnOptions,
    strata: str | None = None,
    methods: str | None = None,
    k: str | None = None,
    per_column: bool = False,
    output: list[Path] | None = None,
    as_json: JsonOption = False,
) -> None:
    """Try methods and numbers on one table: the risk and the loss of each, for the custodian.

    Copies of the whole table, or the papers' row methods, on a map; with --per-column all ways to
    round, with what models still learn. The numbers are exact, and nothing of it is a release.

    discreet tune cohort.csv -k 3,5,10 --risk numbers -o whole.html
    discreet tune table.csv --methods deterministic,microaggregation -k 3:50 -o map.html
    discreet tune wine.csv --per-column -k 20,50,100 --target class -o roundings.html

    Parameters
    ----------
    methods
        What to try: whole (the default), or the papers' row methods, a,b.
    k
        Values of k: 3,5,10, or 3:50 for 3,5,7,10,15 ... 50.
    output
        Where to save: .html, .json, .txt; a map also .png, .svg, .pdf; numbers per column .csv.
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

    def make() -> RiskUtilityMap | RoundingComparison:
        if per_column:
            return _roundings(file, table.drop, each, wanted, output or [])
        arguments = {**table.arguments(), **wanted, **tried.arguments()}
        prepare = {**rows.fields(), "strata": names_of(strata) or None}
        return _map_of(file, study, arguments, prepare)

    deliver(make, output, as_json=as_json)


def _map_of(
    file: str, study: StudyOptions, arguments: dict[str, Any], prepare: dict[str, Any]
) -> RiskUtilityMap:
    """Try copies of the whole table, or row methods alone, whose rows are prepared first."""
    from discreet.custodian.protect import Protected
    from discreet.methods import Whole

    own = {name: value for name, value in prepare.items() if value is not None}
    if arguments["methods"] is None or Whole.name in arguments["methods"]:
        if own or arguments["sensitive"]:
            name = min([*own, *(["sensitive"] if arguments["sensitive"] else [])])
            raise InputError(f"--{name.replace('_', '-')} is for row methods; leave it out")
        named = {
            name: it for name, it in arguments.items() if name != "sensitive" and it is not None
        }
        return Protected(study.open(file)).tune(**named)
    for name in ("m", "left_out"):
        if arguments.pop(name) is not None:
            raise InputError(
                f"--{name.replace('_', '-')} is for copies of the whole table; leave it out"
            )
    policy = "research" if study.policy == "standard" else study.policy
    options = ResearchOptions(**{**vars(study), "policy": policy})
    named = {name: value for name, value in arguments.items() if value is not None}
    return options.open(file, **own).tune(**named)


def _roundings(
    file: str, drop: str | None, each: ColumnOptions, wanted: Mapping[str, Any], output: list[Path]
) -> RoundingComparison:
    from discreet.measure.roundings import compare_roundings
    from discreet.measure.roundings_report import SUFFIXES
    from discreet.unfinished import path_to_save

    for path in output:
        path_to_save(path, SUFFIXES, "a comparison")  # before the work
    named = {name: it for name, it in {**wanted, **vars(each)}.items() if it is not None}
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


# --- attack ---------------------------------------------------------------------------------------

ALLOWED_K = 5
"""What a released table promises where nobody says."""


@command("measure.attack_report:attack_released")
def attack(
    file: File,
    copy: WholeOptions,
    released: Annotated[
        Path | None,
        Argument(help="A released table, whoever made it; without one, a copy is made."),
    ] = None,
    pairs: int = 100,
    versions: int | None = None,
    drop: str | None = None,
    same_rows: Annotated[
        bool,
        Option(
            "--same-rows/--no-same-rows",
            help="Whether row i of both tables belongs to the same person.",
        ),
    ] = False,
    output: list[Path] | None = None,
    rounded: bool = False,
    as_json: JsonOption = False,
) -> None:
    """Try what somebody could do to learn of a person from a table, beside guessing.

    For whoever holds the raw rows: figures are exact, and no release, but with --rounded.

    discreet attack cohort.csv -o attacks.html
    discreet attack cohort.csv released.csv --same-rows
    discreet attack cohort.csv --versions 2

    Parameters
    ----------
    pairs
        Pairs of copies for each attack on membership; 0 leaves them out.
    versions
        Before a version is opened: who left would be seen in so many?
    output
        Where to save: .html, .json, .csv or .txt.
    rounded
        What may be released: shares to 5 points.
    """
    from discreet.custodian.protect import Protected
    from discreet.measure.attack_report import SUFFIXES

    here: dict[str, object] = {"--unit": copy.unit, "--no-unit": copy.no_unit, "--m": copy.m}
    here |= {"--left-out": copy.left_out, "--versions": versions}
    beside = {"--same-rows": same_rows, "--drop": drop}
    _check_not_given(beside if released is None else here, made_here=released is None)

    def make() -> AttackReport:
        if released is not None:
            result = _on_released(file, released, copy, drop, same_rows=same_rows)
        elif versions is not None:
            result = Protected(copy.open(file)).attack_versions(versions)
        else:
            result = Protected(copy.open(file)).attack(pairs)
        return result.rounded(int(result.made["k"])) if rounded else result

    deliver(make, output, SUFFIXES, "a report of attacks", as_json=as_json)


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

    return attack_released(
        file,
        released,
        k=copy.k or ALLOWED_K,
        categorical=levels_of(copy.kinds),
        dates=dates_of(copy.dates),
        drop=names_of(drop),
        same_rows=same_rows,
    )
