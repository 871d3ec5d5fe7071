"""What stands between a View and the world: the study's side of the ledger."""

from __future__ import annotations

import csv
import io
import json
import shlex
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache, partial
from itertools import chain, pairwise
from types import MappingProxyType
from typing import Any

from discreet.errors import InputError, LeavingError, one_of
from discreet.keys import old_row_keys, row_digests
from discreet.ledger import Ledger
from discreet.ledger.rules import (
    COLUMN,
    COUNT_METHOD_OF,
    DIVERSITY_OF,
    GROUP_OF,
    KIND_OF,
    ONE_ORDER,
    PAIR_OF,
    PAIRS,
    PERSONS,
    SHAPE_OF,
    WHOSE,
    ReleaseRecord,
    check_version,
)
from discreet.plots import PLOTS
from discreet.policy import PRESETS, PlotRequest, Policy, load_policy
from discreet.policy.choosing import diversity_of
from discreet.progress import advance
from discreet.secret import FORMAT, Secret
from discreet.sketch import WHOLE_ROWS, Sketch, Sketched, all_different, sketch_of, sketched
from discreet.table import KINDS, Table
from discreet.vault import read_rows

__all__ = [
    "NOTHING",
    "Exit",
    "Pairs",
    "ReleaseGate",
    "diversity_pins",
    "listed",
    "method_pins",
    "new_version",
    "pair_pins",
]

NOTHING: Mapping[str, str] = MappingProxyType({})


@dataclass(frozen=True)
class Exit:
    """Something that may leave: how it was asked for, and what it rests on.

    `group` is the column group of the protected copy that it was drawn from, if it was; `also` are
    columns that it rests on beside those that are drawn, and `pinned` what else must be the same
    whenever these columns leave again. `format` is that of the copy.
    """

    asked: PlotRequest
    group: tuple[str, ...] = ()
    also: tuple[str, ...] = ()
    pinned: Mapping[str, str] = field(default_factory=lambda: NOTHING)
    format: int = FORMAT

    @property
    def columns(self) -> tuple[str, ...]:
        """All columns that it says something about."""
        return (*self.asked.named, *self.also)

    @property
    def rests_on(self) -> tuple[str, ...]:
        """What the ledger is to recognise it by."""
        rows = (_rows_of(self.format) + json.dumps(self.group),) if self.group else ()
        return (*(COLUMN + name for name in self.columns), *rows)


@dataclass(frozen=True, repr=False)
class ReleaseGate:
    """Tells the ledger what is about to leave, and by which columns it is to be recognised.

    Where there is a `version`, something leaves only while that is the latest of the study.
    """

    table: Table
    policy: Policy
    secret: Secret
    ledger: Ledger
    name: str | None
    version: int | None = None

    def leave(
        self,
        asked: PlotRequest,
        group: tuple[str, ...],
        form: str,
        also: tuple[str, ...] = (),
        pinned: Mapping[str, str] = NOTHING,
        format: int = FORMAT,
    ) -> None:
        """Let a view leave: record it, or raise because it does not fit what has left before.

        `group`, `also`, `pinned` and `format` are those of an `Exit`.
        """
        self.leave_together([(Exit(asked, group, also, pinned, format), form)])

    def leave_together(self, exits: Sequence[tuple[Exit, str]]) -> None:
        """Let several things leave, each in a form, or none of them."""
        if self.policy.public:
            return
        self._check_file()
        all_columns = cache(self._all_columns)
        if self.ledger.knows(self.name):
            drawn = [name for leaving, _ in exits for name in leaving.columns]
            found = self._pass([*dict.fromkeys([*drawn, *self._persons()])])
        else:
            found = all_columns()  # they are asked for, so that one pass is enough
        whats = dict.fromkeys(what for leaving, _ in exits for what in leaving.rests_on)
        sketches = {what: self._sketch(what, found) for what in whats}
        counted_by = _recognisable(found, self._persons())
        self.ledger.release(
            [
                ReleaseRecord(
                    study=self.name,
                    settings=self.policy.settings(),
                    choices=self._choices(leaving) | dict(leaving.pinned),
                    sketches=counted_by | {what: sketches[what] for what in leaving.rests_on},
                    k=self.policy.k,
                    kind=leaving.asked.plot,
                    columns=leaving.columns,
                    method=leaving.asked.method,
                    form=form,
                    version=self.version,
                    format=leaving.format if leaving.group else None,
                    versions=self.policy.versions,
                    new_version=partial(self.how_to_open, groups=_with(leaving.group, self.policy)),
                )
                for leaving, form in exits
            ],
            lambda: self._every_sketch(all_columns()),
        )

    def check_unchanged(self) -> None:
        """Refuse where the file, or the version that is held, is not as when it was opened."""
        self._check_file()
        if self.version is not None and self.name is not None:
            check_version(self.name, self.version, self.ledger.version(self.name))

    def _check_file(self) -> None:
        if self.table.source_changed():
            raise LeavingError(
                "the file has been written since the study was opened, so what was drawn and what"
                " would be recorded may differ; open the study again"
            )

    def new_version(self) -> int:
        """Open the next version of the study, for changed data or a changed policy."""
        if self.name is None:
            raise InputError("a frame without a name has no versions; give one: study=")
        found = cache(self._all_columns)
        return self.ledger.open_version(
            self.name,
            self.policy.settings(),
            self._strata() | _members(*self.policy.groups) | self._axes(),
            lambda what: self._sketch_again(what, found),
            k=self.policy.k,
            most=self.policy.versions,
            every=lambda: self._every_sketch(found()),
            opened=self.how_to_open,
        )

    def policy_that_left(self) -> Policy:
        """Return the policy, with what was usual in format 1 where the study left under that.

        Protected values outside their bounds were kept then, unless something else was declared.
        """
        format, settings = self._left_under()
        kept = format == 1 and settings.get("outside") == "keep"
        return self.policy.changed(outside="keep") if kept else self.policy

    def how_to_open(self, study: str, groups: Groups = ()) -> str:
        """Say how the next version of a study is opened for these data, with some groups."""
        name = None if study == self.name else study
        return new_version(self.table, self.policy, groups or self.policy.groups, name)

    def format_that_left(self) -> int | None:
        """Return how the rows are keyed that the study's latest version let leave, or None."""
        return None if self.policy.public else self._left_under()[0]

    def _left_under(self) -> tuple[int | None, Mapping[str, Any]]:
        try:
            return self.ledger.left_under(self.name)
        except LeavingError:  # a broken ledger lets nothing leave, but looking is free
            return None, {}

    def format_of_data(self) -> int | None:
        """Return how rows of the same data are keyed that left under other names, or None."""
        if self.policy.public:
            return None
        try:
            return self.ledger.format_of_data(
                self.name, lambda: self._every_sketch(self._all_columns())
            )
        except LeavingError:
            return None

    def groups_that_left(self) -> tuple[tuple[str, ...], ...]:
        """Return the column groups that something has left of."""
        try:
            return self.ledger.groups(self.name)
        except LeavingError:  # a broken ledger lets nothing leave, but looking is free
            return ()

    def pairs_that_left(self) -> tuple[tuple[str, ...], ...]:
        """Return the pairs of axes that have left side by side."""
        try:
            return self.ledger.pairs(self.name)
        except LeavingError:
            return ()

    def count_method_that_left(self, asked: PlotRequest) -> tuple[str, str] | None:
        """Return what of a picture's counts has left by another method, and by which; or None."""
        if asked.from_rows:
            return None
        wanted = self._choices(Exit(asked))
        if PLOTS[asked.plot].axes:
            wanted |= method_pins([*pairwise(asked.columns)], asked.method)
        for what, method in self.ledger.choices(self.name, COUNT_METHOD_OF).items():
            if wanted.get(what, method) != method:
                return what, method
        return None

    def _choices(self, leaving: Exit) -> dict[str, str]:
        """Return what must be the same whenever these columns leave again."""
        if not self.policy.fixed:
            return {}
        asked = leaving.asked
        strata = self.policy.strata if leaving.group else ()
        # As levels and as numbers a column would be counted on two grids.
        named = (*leaving.columns, *strata)
        kinds = {f"{KIND_OF}{name!r}": self.table.columns[name].kind for name in named}
        if asked.method == "order-means":
            return kinds
        if not asked.from_rows:
            # A picture by= a column counts that pair, too.
            counted = {tuple(sorted(asked.columns)), tuple(sorted(asked.named))}
            return kinds | {f"{COUNT_METHOD_OF}{one_of(names)}": asked.method for names in counted}
        return kinds | self._strata() | _members(leaving.group)

    def _axes(self) -> dict[str, str]:
        """Return what the policy says of columns as axes of parallel coordinates."""
        columns = {name: column.role == "sensitive" for name, column in self.table.columns.items()}
        pins = diversity_pins(columns, diversity_of(self.policy))
        return pins | pair_pins((), self.policy.pairs)

    def _strata(self) -> dict[str, str]:
        return {"strata": json.dumps(self.policy.strata)}

    def _persons(self) -> list[str]:
        """Name the columns that say who a row belongs to."""
        return [name for name in (self.table.unit, self.table.key) if name is not None]

    def _pass(self, names: Sequence[str], rows: Sequence[str] = ()) -> Sketched:
        """Read columns once, and sketch each, and whole rows of some of them.

        What says who a row is in the first part of the table does so in all of it.
        """
        batches = self._read(names)
        first = next(batches)
        telling = [name for name in rows if not all_different(first[name])]
        parts = chain([first], batches)
        return sketched(self.secret, parts, rows=telling, persons=self._persons())

    def _read(self, names: Sequence[str]) -> Iterator[dict[str, Any]]:
        done = 0
        for batch in self.table.batches(names):
            advance("recognising the data", done, self.table.size)
            yield batch
            done += len(batch[names[0]])

    def _all_columns(self) -> Sketched:
        """Sketch all columns that are drawn or say who is who, and whole rows of those drawn."""
        columns = self.table.columns
        drawn = [name for name, column in columns.items() if column.kind in KINDS]
        names = [*dict.fromkeys([*drawn, *self._persons()])]
        rows = [name for name in drawn if columns[name].role != "identifier"]
        try:
            return self._pass(names, rows)
        except InputError:
            # A column that cannot be read is drawn by nobody, and does not hold up the others.
            names = [name for name in names if self._is_readable(name)]
            return self._pass(names, [name for name in rows if name in names])

    def _is_readable(self, name: str) -> bool:
        try:
            for _ in self.table.batches([name]):
                pass
        except InputError:
            return False
        return True

    def _sketch(self, what: str, found: Sketched) -> Sketch:
        """Return the sketch of a column as it was found, or sketch the rows of a group."""
        names = _names_of_group(what)
        if names is None:
            name = what.removeprefix(COLUMN)
            return found.columns.get(name) or self._pass([name]).columns[name]
        # With the key, for another key of the same values is other noise.
        rows = read_rows(self.table, self.policy, names, self.policy.strata)
        columns = [*rows.numbers.values(), *rows.texts.values()]
        old = what.startswith(_rows_of(1))
        return sketch_of((old_row_keys if old else row_digests)(self.secret, columns))

    def _sketch_again(self, what: str, found: Callable[[], Sketched]) -> Sketch | None:
        """Sketch what has left, or None if it is gone or holds no numbers any more."""
        group = _names_of_group(what)
        if group is None and not what.startswith(COLUMN):
            return self._every_sketch(found()).get(what)
        names = group or [what.removeprefix(COLUMN)]
        columns = [self.table.columns[name] for name in names if name in self.table.columns]
        there = len(columns) == len(names)
        if not there or (group and any(column.kind != "continuous" for column in columns)):
            return None
        return self._sketch(what, found())

    def _every_sketch(self, found: Sketched) -> dict[str, Sketch]:
        """Return all sketches by which these data are to be recognised."""
        name = self.table.unit or self.table.key
        who = {PERSONS: found.columns[name]} if name in found.persons else {}
        if self.table.unit is not None:
            who |= {WHOSE: found.columns[self.table.unit]}
        shapes = {SHAPE_OF + name: shape for name, shape in found.shapes.items()}
        rows = {WHOLE_ROWS: found.rows} if found.rows.rows else {}
        return _recognisable(found, found.columns) | rows | who | shapes


def _recognisable(found: Sketched, names: Iterable[str]) -> dict[str, Sketch]:
    """Return the sketches of columns, but of those that number the rows as in any table as long."""
    known = [name for name in names if name in found.columns and name not in found.numbering]
    return {COLUMN + name: found.columns[name] for name in known}


def _rows_of(format: int) -> str:
    """Say how the sketches of rows of a group are named, which are of keys of a format."""
    return "rows of " if format == 1 else f"rows in format {format} of "


def _names_of_group(what: str) -> list[str] | None:
    """Return the columns of the group that a sketch is of the rows of; None of another sketch."""
    for format in range(1, FORMAT + 1):
        if what.startswith(_rows_of(format)):
            names: list[str] = json.loads(what.removeprefix(_rows_of(format)))
            return names
    return None


def _with(group: Sequence[str], policy: Policy) -> Groups:
    """Return the groups of a policy, or the one that rows are of where it names none."""
    return policy.groups or ((group,) if group and policy.from_copy else ())


def _members(*groups: Sequence[str]) -> dict[str, str]:
    return {f"{GROUP_OF}{name!r}": json.dumps(sorted(group)) for group in groups for name in group}


Groups = Sequence[Sequence[str]]
STANDARD = "standard"
OPTIONS = {
    "k": "-k",
    "rows": "--rows",
    "q": "-q",
    "bins": "--bins",
    "grid": "--grid",
    "study": "--study",
    "unit": "--unit",
    "missing": "--missing",
    "missing_levels": "--missing-levels",
}
"""The option of the command line for each field of a policy that has one of its own."""
MAY_BE_NAMED = ("study", "unit", "groups", "strata")
"""What the command line may name where a guarded policy file leaves it empty."""


def new_version(table: Table, policy: Policy, groups: Groups, study: str | None) -> str:
    """Say how the next version of a study is opened with the policy in force and with some groups.

    Parameters
    ----------
    table : Table
        The data.
    policy : Policy
        The policy in force.
    groups : sequence of sequences of str
        The groups that the new version is to have; those of the policy, or others.
    study : str or None
        The study's name; None where it is the file's.

    Returns
    -------
    str
        "`discreet version new cohort.csv --groups age,bmi`", quoted as a shell needs it; or the
        call in Python, for frames and for what the command line cannot say.
    """
    wanted = policy.changed(groups=[list(group) for group in groups] or None, study=study)
    words = None if table.path is None else _words(policy, wanted)
    if words is None:
        call = f"new_version() of a study like this one, study={study or policy.study!r}"
        return call + (f", with groups={[list(group) for group in groups]}" if groups else "")
    command = shlex.join(["discreet", "version", "new", str(table.path), *words])
    first = ""
    if policy.file is not None and policy.groups and policy.groups != wanted.groups:
        held = [list(group) for group in wanted.groups]
        first = f"write groups = {held} into {policy.file}, then "
    return f"{first}`{command}`"


def _words(policy: Policy, wanted: Policy) -> list[str] | None:
    """Return the options that make a policy out of its file or preset, if options can."""
    base = _base(policy)
    if base is None:
        return None
    words = [] if policy.file is None else ["--policy", str(policy.file)]
    if policy.file is None and policy.name != STANDARD:
        words = ["--policy", policy.name]
    held, given = base.to_dict(), wanted.to_dict()
    for name in given:
        if given[name] == held.get(name):
            continue
        fixed = policy.file is not None and base.fixed
        if fixed and name == "groups" and held.get(name):
            continue  # the file is to be changed
        if fixed and (name not in MAY_BE_NAMED or held.get(name)):
            return None
        options = _options(name, given[name])
        if options is None:
            return None
        words += options
    return words


def _base(policy: Policy) -> Policy | None:
    """Return the policy that the command line begins with, if there is one."""
    try:
        if policy.file is not None:
            return load_policy(policy.file)
    except InputError:  # it has been taken away or changed since
        return None
    return Policy.preset(policy.name) if policy.name in PRESETS else None


def _options(name: str, value: object) -> list[str] | None:
    if name == "unit" and value is False:
        return ["--no-unit"]
    if name in OPTIONS:
        return [OPTIONS[name], str(value)]
    if name == "groups" and isinstance(value, list):
        return [word for group in value for word in ("--groups", listed(group))]
    if name == "strata" and isinstance(value, list):
        return ["--strata", listed(value)]
    if name == "kinds" and isinstance(value, dict):
        return ["--kinds", listed(f"{column}={kind}" for column, kind in value.items())]
    return None


def listed(names: Iterable[str]) -> str:
    """Write names as the command line reads them: a,b,c, one with a comma in double quotes."""
    text = io.StringIO()
    csv.writer(text, lineterminator="").writerow(names)
    return text.getvalue()


Pairs = Sequence[Sequence[str]]


def method_pins(pairs: Pairs, method: str) -> dict[str, str]:
    """Pin the count method of pairs of columns."""
    return {f"{COUNT_METHOD_OF}{one_of(sorted(pair))}": method for pair in pairs}


def pair_pins(pairs: Pairs, declared: Pairs) -> dict[str, str]:
    """Pin pairs of neighbours, and which may be: those of a policy, or those of one order."""
    allowed = json.dumps(sorted(sorted(pair) for pair in declared)) if declared else ONE_ORDER
    drawn = {f"{PAIR_OF}{one_of(sorted(pair))}": json.dumps(sorted(pair)) for pair in pairs}
    return {PAIRS: allowed} | drawn


def diversity_pins(columns: Mapping[str, bool], diversity: int) -> dict[str, str]:
    """Pin how many of its values a cluster beside each column holds: 1 if it is not sensitive."""
    return {
        f"{DIVERSITY_OF}{name!r}": str(diversity if sensitive else 1)
        for name, sensitive in columns.items()
    }
