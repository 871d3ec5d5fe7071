"""What the commands share: their options, how a study is opened, and how results are printed."""

from __future__ import annotations

import csv
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, TypeVar

import typer
from typer import Argument, Option

from discreet.cli.command import documented_by, given
from discreet.errors import InputError, RefusedError, path_in_words

if TYPE_CHECKING:
    from discreet.custodian.research import Research
    from discreet.estimates.copy_table import CopyTable
    from discreet.explore import Study
    from discreet.measure import AttackReport, Fidelity, Report
    from discreet.measure.frontier import RiskUtilityMap
    from discreet.measure.roundings_report import RoundingComparison
    from discreet.policy import Policy

    Result = AttackReport | CopyTable | Fidelity | Report | RiskUtilityMap | RoundingComparison

R = TypeVar("R", bound="Result")
OF_SEVERAL = (
    *(
        "columns",
        "plot",
        "board",
        "rows",
        "summary",
        "means",
        "model",
        "meta-analysis",
        "harmonise",
    ),
)
"""The commands that take several study files as one study."""
BETWEEN = "\n"
NAMES = ("study", "unit", "roles")
"""What the command line may name where a policy file leaves it empty."""

# --- options: each stands here once, by the name that it has in Python and in a policy file -----

# Text and no path: a path would take two slashes of a URL for one.
File = Annotated[str, Argument(help="A file that holds a table, or a database's URL.")]
FileOrStudy = Annotated[
    str,
    Argument(
        help="A file that holds a table, a database's URL, or a study file (.discreet); several of"
        " these, or a map of them (.toml), are one study."
    ),
]
JsonOption = Annotated[bool, Option("--json", help="Print as JSON.")]
DiversityOption = Annotated[
    int | None,
    Option(
        "--diversity", "-l", help="Different sensitive values a stratum or cluster (l-diversity)."
    ),
]


@dataclass(frozen=True)
class StudyOptions:
    """What a study is opened with."""

    policy: str = "standard"
    study: str | None = None
    unit: str | None = None
    no_unit: bool = False
    kinds: list[str] | None = None
    dates: list[str] | None = None

    def open(self, file: str, **fields: Any) -> Study:
        """Open the study; fields of its policy that are not None are overridden."""
        from discreet.opening import files_of
        from discreet.opening import open as open_study

        files = files_of(files_in(file))
        if files is not None:
            wrong = given(self) | {
                it for it, value in fields.items() if value not in (None, [], {})
            }
            if wrong:
                raise InputError(wrong_of_study_file(wrong))
            return open_study(files)
        return open_study(file, self.rules(**fields))

    def rules(self, **fields: Any) -> Policy:
        """Return the policy; fields that are not None are overridden."""
        from discreet.policy import PRESETS, load_policy

        rules = load_policy(self.policy)
        named = declared_fields(rules, self, **fields)
        if rules.fixed and self.policy not in PRESETS:
            others = {name: value for name, value in named.items() if name != "kinds"}
            check_file_stands(rules, others, kinds_of(self.kinds))
        return rules.changed(**named)


def together(words: Sequence[str]) -> list[str]:
    """Return the words of a command, study files that follow each other as one word.

    So a command that takes a file takes several, which `files_in` finds again.

    Examples
    --------
    >>> [*map(files_in, together(["plot", "bars", "a.discreet", "b.discreet", "sex"]))]
    ['plot', 'bars', ['a.discreet', 'b.discreet'], 'sex']
    """
    out: list[str] = []
    for word in words:
        if out and words[0] in OF_SEVERAL and is_file(word) and is_file(out[-1]):
            out[-1] += f"{BETWEEN}{word}"
        else:
            out.append(word)
    return out


def is_file(word: str) -> bool:
    """Tell whether a word is the path of a study file, or ends with one."""
    return word.lower().endswith(".discreet")


def files_in(word: str) -> str | list[str] | dict[str, str]:
    """Return the study files that `together` wrote as one word; by name where each has one."""
    files = word.split(BETWEEN)
    if len(files) < 2:
        return word
    named = [it.partition("=") for it in files]
    if all(sign for _, sign, _ in named) and not any(Path(it).exists() for it in files):
        return {name: path for name, _, path in named}
    return files


def wrong_of_study_file(options: set[str]) -> str:
    """Return why options of how a table is protected are refused of a study file."""
    return (
        "a study file already says how it was protected; leave "
        f"--{min(options).replace('_', '-')} out"
    )


@dataclass(frozen=True)
class ResearchOptions:
    """What a table is opened with for the papers' methods.

    Parameters
    ----------
    policy
        Settings: a .toml file with a table papers.
    public
        The data are public: nothing that is saved is recorded.
    """

    policy: str = "research"
    study: str | None = None
    strata: str | None = None
    unit: str | None = None
    no_unit: bool = False
    kinds: list[str] | None = None
    dates: list[str] | None = None
    public: bool = False

    def open(self, file: str, levels: Sequence[str] = (), **fields: Any) -> Research:
        """Open the table; `levels` are columns of levels because of what is asked."""
        from discreet.custodian.research import research
        from discreet.explore.from_file import is_study_file
        from discreet.policy import load_policy

        if is_study_file(file):
            raise InputError(
                "the papers' methods need a table, and this is a study file; name the table "
                "that it was made from"
            )
        fields |= {"strata": names_of(self.strata) or None, "public": self.public or None}
        named = declared_fields(load_policy(self.policy), self, levels, **fields)
        return research(file, self.policy, **named)


def declared_fields(
    rules: Policy,
    options: StudyOptions | ResearchOptions,
    levels: Sequence[str] = (),
    **fields: Any,
) -> dict[str, Any]:
    """Return the fields of a policy that options and others name; what its file declares stays."""
    if options.unit is not None and options.no_unit:
        raise InputError("--unit and --no-unit contradict each other; give one of them")
    fields |= {"study": options.study, "unit": False if options.no_unit else options.unit}
    if options.dates:
        fields["dates"] = dict(rules.dates) | dates_of(options.dates)
    kinds = kinds_of(options.kinds)
    if kinds or levels:
        fields["kinds"] = dict.fromkeys(levels, "categorical") | kinds | dict(rules.kinds)
    return {name: value for name, value in fields.items() if value is not None}


def check_file_stands(rules: Policy, fields: Mapping[str, Any], kinds: Mapping[str, str]) -> None:
    """Refuse options that overrule a guarded policy file; what it leaves empty may be named."""
    from discreet.policy import FIELDS

    numbers = [name for name, kind in kinds.items() if kind != "categorical"]
    wrong = ["kinds"] if any(kinds[it] != rules.kinds.get(it) for it in numbers) else []
    for name, value in fields.items():
        declared = getattr(rules, name)
        empty = name in NAMES and not declared and declared is not False
        if name == "dates":
            empty = declared.items() <= value.items()
        if not empty and FIELDS[name].rule.freeze(value) not in (declared, rules.in_force(name)):
            wrong.append(name)
    if wrong:
        raise RefusedError(
            f"the policy file sets {wrong[0]}; leave the option out, or have the custodian "
            "change the file"
        )


@dataclass(frozen=True)
class DerivedOptions:
    """Which rows of the copy of the whole table, and with which new columns.

    Parameters
    ----------
    where
        Only those rows of the copy for which it holds: "age >= 50 and sex == 'F'".
    """

    where: list[str] | None = None
    assign: Annotated[
        list[str] | None,
        Option(
            metavar="NAME=EXPR",
            help="A new column of the copy: 'log_bmi=log(bmi)', 'band=cut(age, 40, 60)'."
            " Repeatable.",
        ),
    ] = None

    def of(self, opened: Study) -> Study:
        """Return the study with its new columns, and of those rows alone that are wanted."""
        new = {}
        for each in self.assign or ():
            name, equals, text = each.partition("=")
            if not equals or text.startswith("="):
                raise InputError("--assign takes a name and an expression: 'log_bmi=log(bmi)'")
            new[name.strip()] = text.strip()
        opened = opened.assign(**new) if new else opened
        for condition in self.where or ():
            opened = opened.where(condition)
        return opened


@dataclass(frozen=True)
class WholeOptions:
    """With what a copy of the whole table is made, to be looked at."""

    policy: str = "standard"
    k: int | None = None
    m: int | None = None
    left_out: float | None = None
    unit: str | None = None
    no_unit: bool = False
    kinds: list[str] | None = None
    dates: list[str] | None = None

    def open(self, file: str, study: str | None = None) -> Study:
        """Open a study with such a copy."""
        options = StudyOptions(self.policy, study, **self._of_columns())
        return options.open(file, k=self.k, m=self.m, left_out=self.left_out)

    def rules(self) -> Policy:
        """Return the policy of such a copy."""
        options = StudyOptions(self.policy, **self._of_columns())
        return options.rules(k=self.k, m=self.m, left_out=self.left_out)

    def open_public(self, file: str, study: str | None = None) -> Research:
        """Open a table that is public, of which no copy is made."""
        if self.m is not None or self.left_out is not None:
            raise InputError("no copy is made of a public table; leave --m and --left-out out")
        if self.policy != "standard":
            raise InputError("a policy protects a table, and --public does not; leave --policy out")
        options = ResearchOptions(study=study, **self._of_columns(), public=True)
        return options.open(file, k=self.k)

    def _of_columns(self) -> dict[str, Any]:
        return {name: getattr(self, name) for name in ("unit", "no_unit", "kinds", "dates")}


@dataclass(frozen=True)
class CopyOptions:
    """How the protected copy of a guarded study is made."""

    m: int | None = None
    left_out: float | None = None


@documented_by("plots.view:View.save")
@dataclass(frozen=True)
class FigureOptions:
    """How a plot is drawn into a file."""

    title: str | None = None
    width: float | None = None
    dpi: int | None = None
    footnote: bool = True


@documented_by("custodian.research:Research.anonymize")
@dataclass(frozen=True)
class TableOptions:
    """Which columns a table has."""

    columns: str | None = None
    drop: str | None = None
    sensitive: str | None = None

    def arguments(self) -> dict[str, Any]:
        """Return them as a study takes them."""
        columns, drop = names_of(self.columns) or None, names_of(self.drop)
        return {"columns": columns, "drop": drop, "sensitive": self.sensitive}


@dataclass(frozen=True)
class RowOptions:
    """How rows are prepared before they are protected.

    Parameters
    ----------
    metric
        Nearness of `deterministic`: euclidean or mahalanobis.
    ties
        Equally near rows of `deterministic`: keyed, or tree as in R.
    missing
        Missing numbers: complete (left out), median or mean.
    missing_levels
        Missing levels: complete (rows left out), level or drawn.
    hierarchies
        Coarser names of a stratum: column=file.csv.
    """

    metric: str | None = None
    ties: str | None = None
    missing: str | None = None
    missing_levels: str | None = None
    hierarchies: list[str] | None = None
    diversity: DiversityOption = None
    closeness: float | None = None

    def fields(self) -> dict[str, Any]:
        """Return them as fields of a policy; None where nothing was said."""
        rule = "--hierarchies takes a column and a file: region=region.csv"
        trees = {name: Path(path) for name, path in pairs_of(self.hierarchies, rule).items()}
        return {**vars(self), "hierarchies": trees or None}


# --- lists and pairs ----------------------------------------------------------------------------


def names_of(text: str | None) -> list[str]:
    """Return the names of a list such as a,b,c; one with a comma in it stands in double quotes."""
    if text is None:
        return []
    try:
        parted = next(csv.reader([text], skipinitialspace=True)) or [""]
    except csv.Error:
        raise InputError(f"the list {text!r} cannot be read; write it as a,b,c") from None
    return [name.strip() for name in parted]


def pairs_of(texts: Sequence[str] | None, rule: str) -> dict[str, str]:
    """Return what stands behind the last = of each text, by what stands before it.

    `rule` is what is said where there is no =, with the text in place of {}.
    """
    pairs = {}
    for each in texts or ():
        name, equals, value = each.rpartition("=")
        if not equals:
            raise InputError(rule.format(each))
        pairs[name.strip()] = value.strip()
    return pairs


def kinds_of(texts: Sequence[str] | None) -> dict[str, str]:
    """Return the kind of each column that was named with one.

    Examples
    --------
    >>> kinds_of(["ward=categorical,sex=continuous"])
    {'ward': 'categorical', 'sex': 'continuous'}
    """
    each = [name for text in texts or () for name in names_of(text)]
    return pairs_of(each, "--kinds takes a column and its kind: {}=categorical")


def levels_of(texts: Sequence[str] | None) -> list[str]:
    """Return the columns whose codes are named as levels, and refuse those of another kind."""
    kinds = kinds_of(texts)
    if set(kinds.values()) - {"categorical"}:
        raise InputError("--kinds names codes that are levels here: ward=categorical")
    return [*kinds]


def dates_of(texts: Sequence[str] | None) -> dict[str, str]:
    """Return how the dates of each column that was named are written.

    Examples
    --------
    >>> dates_of(["visit=%d/%m/%Y", "birth=%d.%m.%y"])
    {'visit': '%d/%m/%Y', 'birth': '%d.%m.%y'}
    """
    return pairs_of(texts, "--dates takes a column and how it is written: {}=%d/%m/%Y")


# --- what is printed ----------------------------------------------------------------------------


def deliver(
    make: Callable[[], R],
    output: Sequence[Path] | None,
    suffixes: Sequence[str] = (),
    what: str = "",
    settings: Mapping[Path, Mapping[str, Any]] | None = None,
    *,
    as_json: bool,
) -> R:
    """Make a result, write it to files, and print it.

    `suffixes` are those that `what` it is can be saved under, and `settings` what each file is
    written with.
    """
    from discreet.unfinished import path_to_save

    paths = output or ()
    for path in paths if suffixes else ():
        path_to_save(path, tuple(suffixes), what)  # before the work
    with progress_shown():
        result = make()
        for path in paths:
            result.save(path, **(settings or {}).get(path, {}))
    if paths:
        print_words(", ".join(map(str, paths)), err=as_json)
    show(result.to_json() if as_json else result.to_text(), as_json=as_json)
    return result


def check_new(path: Path) -> None:
    """Refuse to write over a file."""
    if path.exists():
        raise InputError(f"there is a file {path_in_words(path)} already; name another one")


@contextmanager
def progress_shown() -> Iterator[None]:
    """Show how far the work is, where somebody is looking."""
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

    from discreet.progress import listening

    columns = (TextColumn("{task.description}"), BarColumn(), TimeElapsedColumn())
    console = Console(stderr=True)
    if not console.is_terminal:
        yield
        return
    with Progress(*columns, console=console, transient=True) as bars:
        task = bars.add_task("reading and drawing", total=None)

        def show(name: str, done: int, total: int) -> None:
            bars.update(task, description=name, completed=done, total=total)

        with listening(show):
            yield


def print_table(title: str, headings: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    """Print texts as a table for the eye, as `print_words` prints words."""
    from rich.box import SIMPLE
    from rich.console import Console
    from rich.table import Table as Listing

    listing = Listing(box=SIMPLE, title=_harmless(title), title_justify="left", pad_edge=False)
    for heading in headings:
        listing.add_column(heading, overflow="fold")
    for row in rows:
        listing.add_row(*map(_harmless, row))
    # Names are printed as they are: what stands in [ ] is no colour.
    Console(markup=False, highlight=False).print(listing)


def show(text: str, *, as_json: bool) -> None:
    """Print JSON as it is, or words for the eye."""
    if as_json:
        typer.echo(text)
    else:
        print_words(text)


def print_words(words: str, *, err: bool = False) -> None:
    """Print words for the eye: what is no letter or sign, such as a colour, stands as its code."""
    typer.echo("\n".join(map(_harmless, words.split("\n"))), err=err)


def _harmless(line: str) -> str:
    signs = (it if it.isprintable() else it.encode("unicode_escape").decode() for it in line)
    return "".join(signs)


def moment(at: str) -> str:
    """Return a time of the register to the second, for the eye."""
    return at[:19].replace("T", " ")
