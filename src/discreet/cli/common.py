"""What the commands share: their options, how a study is opened, and how results are printed."""

from __future__ import annotations

import dataclasses
import functools
import inspect
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, get_type_hints

import typer
from typer import Argument, Option

from discreet.errors import InputError, RefusedError

if TYPE_CHECKING:
    from discreet.custodian.research import Research
    from discreet.estimates.copy_table import CopyTable
    from discreet.explore import Study
    from discreet.measure import AttackReport, Fidelity, Report
    from discreet.measure.frontier import RiskUtilityMap
    from discreet.measure.roundings_report import RoundingComparison
    from discreet.policy import Policy

    Found = AttackReport | CopyTable | Fidelity | Report | RiskUtilityMap | RoundingComparison

NAMES = ("study", "unit", "roles")
"""What the command line may name where a policy file leaves it empty."""

# --- options: each stands here once, by the name that it has in Python and in a policy file -----

# Text and no path: a path would take two slashes of a URL for one.
File = Annotated[str, Argument(help="A file that holds a table, or a database's URL.")]
FileOrStudy = Annotated[
    str, Argument(help="A file that holds a table, a study file (.discreet), or a database's URL.")
]
JsonOption = Annotated[bool, Option("--json", help="Print as JSON.")]
PolicyOption = Annotated[
    str, Option(help="A preset (standard, datashield, sacro, opensafely) or a .toml file.")
]
StudyOption = Annotated[
    str | None, Option(help="The study's name; by default the policy's, or the file's name.")
]
StateOption = Annotated[
    Path | None,
    Option("--state", help="The folder of a server's record; by default in the user's state."),
]
UnitOption = Annotated[str | None, Option(help="The column that says whose a row is.")]
NoUnitOption = Annotated[
    bool, Option("--no-unit", help="Each row is a person of its own, whatever it looks like.")
]
KindsOption = Annotated[
    list[str] | None,
    Option(
        help="Kinds of columns: ward=categorical for codes that are levels, sex=continuous."
        " Repeatable."
    ),
]
DatesOption = Annotated[
    list[str] | None, Option(help="How dates in text are written: visit=%d/%m/%Y. Repeatable.")
]
KOption = Annotated[
    int | None, Option("-k", "--k", help="The least number of persons behind a value of the copy.")
]
MOption = Annotated[
    int | None, Option("-m", "--m", help="The least persons in a leaf; 4 k by default.")
]
LeftOutOption = Annotated[
    float | None,
    Option(help="The largest share of persons left out of the copy: from .1 to .5; .2."),
]
StrataOption = Annotated[
    str | None,
    Option(
        help="Categorical columns within whose levels rows are protected: a,b. In"
        " this and every list a name with a comma in it stands in double quotes:"
        " '\"weight, kg\",age'."
    ),
]
MethodOption = Annotated[
    str | None, Option(help="How values are protected; see `discreet methods`.")
]
DropOption = Annotated[str | None, Option(help="Columns to leave out: a,b.")]
SensitiveOption = Annotated[str | None, Option(help="The column that must stay unknown.")]
FormulaOption = Annotated[str | None, Option(help="A regression to compare: 'y ~ x + C(group)'.")]
DiversityOption = Annotated[
    int | None,
    Option(
        "--diversity", "-l", help="Different sensitive values a stratum or cluster (l-diversity)."
    ),
]


@dataclass(frozen=True)
class StudyOptions:
    """What a study is opened with."""

    policy: PolicyOption = "standard"
    study: StudyOption = None
    unit: UnitOption = None
    no_unit: NoUnitOption = False
    kinds: KindsOption = None
    dates: DatesOption = None

    def open(self, file: str, **fields: Any) -> Study:
        """Open the study; fields of its policy that are not None are overridden."""
        from discreet.explore.from_file import is_study_file
        from discreet.opening import open as open_study
        from discreet.policy import PRESETS, load_policy

        if is_study_file(file):
            self._check_of_file(fields)
            return open_study(file)
        rules = load_policy(self.policy)
        named = declared(rules, self, **fields)
        if rules.fixed and self.policy not in PRESETS:
            said = {name: value for name, value in named.items() if name != "kinds"}
            check_file_stands(rules, said, kinds_of(self.kinds))
        return open_study(file, rules.changed(**named))

    def _check_of_file(self, fields: Mapping[str, Any]) -> None:
        """Refuse options of how a table is protected, where it was."""
        wrong = given(self) | {it for it, value in fields.items() if value not in (None, [], {})}
        if wrong:
            raise InputError(
                f"a study file says itself how it was protected; leave --"
                f"{min(wrong).replace('_', '-')} out"
            )


@dataclass(frozen=True)
class ResearchOptions:
    """What a table is opened with for the papers' methods."""

    policy: Annotated[str, Option(help="Settings: a .toml file with a table papers.")] = "research"
    study: StudyOption = None
    strata: StrataOption = None
    unit: UnitOption = None
    no_unit: NoUnitOption = False
    kinds: KindsOption = None
    dates: DatesOption = None
    public: Annotated[
        bool, Option("--public", help="The data are public: nothing that is saved is recorded.")
    ] = False

    def open(self, file: str, levels: Sequence[str] = (), **fields: Any) -> Research:
        """Open the table; `levels` are columns of levels because of what is asked."""
        from discreet.custodian.research import research
        from discreet.explore.from_file import is_study_file
        from discreet.policy import load_policy

        if is_study_file(file):
            raise InputError(
                "the papers' methods take a table, and this is a study file; name the table that"
                " it was made of"
            )
        fields |= {"strata": names_of(self.strata) or None, "public": self.public or None}
        named = declared(load_policy(self.policy), self, levels, **fields)
        return research(file, self.policy, **named)


def declared(
    rules: Policy,
    options: StudyOptions | ResearchOptions,
    levels: Sequence[str] = (),
    **fields: Any,
) -> dict[str, Any]:
    """Return the fields of a policy that options and others name; what its file declares stays."""
    if options.unit is not None and options.no_unit:
        raise InputError("--unit and --no-unit say different things; give one of them")
    fields |= {"study": options.study, "unit": False if options.no_unit else options.unit}
    if options.dates:
        fields["dates"] = dict(rules.dates) | dates_of(options.dates)
    kinds = kinds_of(options.kinds)
    if kinds or levels:
        fields["kinds"] = dict.fromkeys(levels, "categorical") | kinds | dict(rules.kinds)
    return {name: value for name, value in fields.items() if value is not None}


@dataclass(frozen=True)
class DerivedOptions:
    """Which rows of the copy of the whole table, and with which new columns."""

    where: Annotated[
        list[str] | None,
        Option(
            help="Only those rows of the copy for which it holds: \"age >= 50 and sex == 'F'\"."
            " Repeatable."
        ),
    ] = None
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

    policy: PolicyOption = "standard"
    k: KOption = None
    m: MOption = None
    left_out: LeftOutOption = None
    unit: UnitOption = None
    no_unit: NoUnitOption = False
    kinds: KindsOption = None
    dates: DatesOption = None

    def open(self, file: str, study: str | None = None) -> Study:
        """Open a study with such a copy."""
        options = StudyOptions(
            policy=self.policy,
            study=study,
            unit=self.unit,
            no_unit=self.no_unit,
            kinds=self.kinds,
            dates=self.dates,
        )
        return options.open(file, k=self.k, m=self.m, left_out=self.left_out)

    def open_public(self, file: str, study: str | None = None) -> Research:
        """Open a table that is public, of which no copy is made."""
        if self.m is not None or self.left_out is not None:
            raise InputError("of a public table no copy is made; leave --m and --left-out out")
        if self.policy != "standard":
            raise InputError("a policy protects a table, and --public does not; leave --policy out")
        options = ResearchOptions(
            study=study,
            unit=self.unit,
            no_unit=self.no_unit,
            kinds=self.kinds,
            dates=self.dates,
            public=True,
        )
        return options.open(file, k=self.k)


@dataclass(frozen=True)
class CopyOptions:
    """How the protected copy of a guarded study is made."""

    m: MOption = None
    left_out: LeftOutOption = None


@dataclass(frozen=True)
class FigureOptions:
    """How a plot is drawn into a file."""

    title: Annotated[str | None, Option(help="What stands above the plot.")] = None
    width: Annotated[
        float | None, Option(help="Millimetres across: 85 for one column of many journals.")
    ] = None
    dpi: Annotated[
        int | None, Option(help="Of a .png: pixels to the inch, 50 to 1200; 200 by default.")
    ] = None
    footnote: Annotated[
        bool,
        Option(
            "--footnote/--no-footnote",
            help="Whether the notes are drawn below; where not, they stand in the file's metadata.",
        ),
    ] = True


@dataclass(frozen=True)
class NumberOptions:
    """Numbers of plots."""

    k: KOption = None
    bins: Annotated[int | None, Option(help="Bins of the histogram.")] = None
    grid: Annotated[int | None, Option(help="Cells along each side of a grid.")] = None


@dataclass(frozen=True)
class TableOptions:
    """Which columns a table has."""

    columns: Annotated[str | None, Option(help="The continuous columns to release: a,b.")] = None
    drop: DropOption = None
    sensitive: SensitiveOption = None

    def asked(self) -> dict[str, Any]:
        """Return it as a study takes it."""
        return {
            "columns": names_of(self.columns) or None,
            "drop": names_of(self.drop),
            "sensitive": self.sensitive,
        }


@dataclass(frozen=True)
class RowOptions:
    """How rows are prepared before they are protected."""

    metric: Annotated[
        str | None, Option(help="Nearness of `deterministic`: euclidean or mahalanobis.")
    ] = None
    ties: Annotated[
        str | None, Option(help="Equally near rows of `deterministic`: keyed, or tree as in R.")
    ] = None
    missing: Annotated[
        str | None, Option(help="Missing numbers: complete (left out), median or mean.")
    ] = None
    missing_levels: Annotated[
        str | None, Option(help="Missing levels: complete (rows left out), level or drawn.")
    ] = None
    hierarchies: Annotated[
        list[str] | None, Option(help="Coarser names of a stratum: column=file.csv. Repeatable.")
    ] = None
    diversity: DiversityOption = None
    closeness: Annotated[
        float | None, Option("--closeness", "-t", help="Required t-closeness of strata.")
    ] = None

    def fields(self) -> dict[str, Any]:
        """Return it as fields of a policy; None where nothing was said."""
        trees: dict[str, Path] = {}
        for each in self.hierarchies or ():
            column, equals, path = each.partition("=")
            if not equals:
                raise InputError("--hierarchies takes a column and a file: region=region.csv")
            trees[column.strip()] = Path(path)
        return {**vars(self), "hierarchies": trees or None}


def with_options(command: Callable[..., None]) -> Callable[..., None]:
    """Let a command take the fields of its option objects as options of its own."""
    hints = get_type_hints(command, include_extras=True)
    objects: dict[str, Any] = {
        name: kind for name, kind in hints.items() if dataclasses.is_dataclass(kind)
    }
    shown: dict[str, inspect.Parameter] = {}
    for name, parameter in inspect.signature(command).parameters.items():
        fields = dataclasses.fields(objects[name]) if name in objects else ()
        named = {it.name: it.default for it in fields} or {name: parameter.default}
        of = get_type_hints(objects[name], include_extras=True) if name in objects else hints
        for each, default in named.items():
            shown[each] = inspect.Parameter(
                each, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=of[each]
            )

    @functools.wraps(command)
    def call(**said: Any) -> None:
        for name, kind in objects.items():
            said[name] = kind(**{it.name: said.pop(it.name) for it in dataclasses.fields(kind)})
        command(**said)

    call.__signature__ = inspect.Signature([*shown.values()])  # type: ignore[attr-defined]
    call.__annotations__ = {name: it.annotation for name, it in shown.items()}
    return call


def given(options: Any) -> set[str]:
    """Name the options of an object that were given."""
    fields = dataclasses.fields(options)
    return {it.name for it in fields if getattr(options, it.name) not in (it.default, [])}


def check_file_stands(rules: Policy, fields: Mapping[str, Any], kinds: Mapping[str, str]) -> None:
    """Refuse options that overrule a guarded policy file; what it leaves empty may be named."""
    from discreet.policy import FIELDS

    wrong = [name for name, kind in kinds.items() if kind != "categorical"]
    said = ["kinds"] if any(kinds[name] != rules.kinds.get(name) for name in wrong) else []
    for name, value in fields.items():
        held = getattr(rules, name)
        empty = name in NAMES and not held and held is not False
        if name == "dates":
            empty = held.items() <= value.items()
        if not empty and FIELDS[name].rule.freeze(value) not in (held, rules.in_force(name)):
            said.append(name)
    if said:
        raise RefusedError(
            f"the policy file says what {said[0]} is; leave the option out, or have the custodian"
            " change the file"
        )


def names_of(text: str | None) -> list[str]:
    """Return the names of a list such as a,b,c; one with a comma in it stands in double quotes."""
    import csv

    if text is None:
        return []
    try:
        parted = next(csv.reader([text], skipinitialspace=True)) or [""]
    except csv.Error:
        raise InputError(f"the list {text!r} cannot be read; write it as a,b,c") from None
    return [name.strip() for name in parted]


def kinds_of(said: Sequence[str] | None) -> dict[str, str]:
    """Return the kind of each column that was named with one.

    Examples
    --------
    >>> kinds_of(["ward=categorical,sex=continuous"])
    {'ward': 'categorical', 'sex': 'continuous'}
    """
    found = {}
    for each in (name for text in said or () for name in names_of(text)):
        column, equals, kind = each.rpartition("=")
        if not equals:
            raise InputError(f"--kinds takes a column and its kind: {each}=categorical")
        found[column.strip()] = kind.strip()
    return found


def references_of(said: Sequence[str] | None) -> dict[str, str] | None:
    """Return the level of each column that was named with one.

    Examples
    --------
    >>> references_of(["sex=F", "income=1,000=2,000"])
    {'sex': 'F', 'income': '1,000=2,000'}
    """
    found = {}
    for each in said or ():
        column, equals, level = each.partition("=")
        if not (equals and column and level):
            raise InputError("--reference takes a column and one of its levels: sex=F")
        found[column] = level
    return found or None


def dates_of(said: Sequence[str] | None) -> dict[str, str]:
    """Return how the dates of each column that was named are written.

    Examples
    --------
    >>> dates_of(["visit=%d/%m/%Y", "birth=%d.%m.%y"])
    {'visit': '%d/%m/%Y', 'birth': '%d.%m.%y'}
    """
    found = {}
    for each in said or ():
        column, equals, form = each.rpartition("=")
        if not equals:
            raise InputError(f"--dates takes a column and how it is written: {each}=%d/%m/%Y")
        found[column.strip()] = form.strip()
    return found


# --- what is printed ----------------------------------------------------------------------------


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


def print_words(words: str, *, err: bool = False) -> None:
    """Print words for the eye: what is no letter or sign, such as a colour, stands as its code."""
    typer.echo("\n".join(map(_harmless, words.split("\n"))), err=err)


def _harmless(line: str) -> str:
    signs = (it if it.isprintable() else it.encode("unicode_escape").decode() for it in line)
    return "".join(signs)


def moment(at: str) -> str:
    """Return a time of the register to the second, for the eye."""
    return at[:19].replace("T", " ")


def print_found(found: Found, output: Sequence[Path] | None, *, as_json: bool) -> None:
    """Print what was found, for programs or for the eye; before it the files it was written to."""
    if output:
        print_words(", ".join(map(str, output)), err=as_json)
    if as_json:
        typer.echo(found.to_json())
    else:
        print_words(found.to_text())
