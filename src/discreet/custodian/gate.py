"""What stands between a View and the world: the study's side of the register."""

from __future__ import annotations

import csv
import io
import shlex
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from functools import cache, cached_property
from itertools import chain
from types import MappingProxyType
from typing import Any, TypeVar

from discreet.columns import KINDS
from discreet.columns.dates import DATE
from discreet.errors import InputError, LeavingError
from discreet.keys import Column
from discreet.lines import Lines
from discreet.methods import CLUSTER_METHODS, COUNT_METHODS, NoProtection, Whole
from discreet.methods.copies import MEMBERS_PER_K
from discreet.policy import FIELDS, PRESETS, How, Policy, load_policy
from discreet.progress import advance
from discreet.provenance import Provenance
from discreet.register.register import Register
from discreet.register.rules import (
    COLUMN,
    COPY_OF_TABLE,
    KIND_OF,
    LEAST_COUNT,
    PERSONS,
    SHAPE_OF,
    WAY_OF_CLUSTERS,
    WAY_OF_ROWS,
    WHOSE,
    ReleaseRecord,
)
from discreet.secret import Secret
from discreet.sketch import WHOLE_ROWS, Sketch, Sketched, Sketching, all_different
from discreet.table import Table
from discreet.vault.vault import version_of_whole

NOTHING: Mapping[str, str] = MappingProxyType({})
MOST_COPIES = 4
"""So many copies of the same people with leaves of 4 k: with more, who has left is found out."""

T = TypeVar("T")


@dataclass(frozen=True, repr=False)
class ReleaseGate:
    """Tells the register what is to be released, and by which columns it is to be recognised."""

    table: Table
    policy: Policy
    secret: Secret
    register: Register
    name: str | None

    @property
    def most_copies(self) -> int:
        """How many copies of the same people may leave, for they add up."""
        policy = self.policy
        most = MOST_COPIES if policy.members >= MEMBERS_PER_K * policy.k else 1
        return min(policy.versions, most)

    @property
    def options(self) -> str:
        """What a command needs to find the register of these data."""
        file = self.policy.file
        return "" if file is None else f" --policy {shlex.quote(str(file))}"

    @cached_property
    def of_version(self) -> Mapping[str, str]:
        """What all that is released beside a copy of the whole table is recorded with.

        Whether each column is one of numbers or of levels, for as the other it makes another copy.
        """
        if not self.policy.fixed:
            return NOTHING
        columns = [*self.table.columns]
        return {
            f"{KIND_OF}{name!r}": kind for kind in KINDS for name in self.table.shown(columns, kind)
        }

    def record(
        self,
        kind: str,
        columns: Sequence[str],
        how: How,
        form: str = "",
        way: Mapping[str, str] | None = None,
    ) -> ReleaseRecord:
        """Say what is to be released of the papers; `release` adds what it is recognised by.

        `columns` are all that it rests on; `way` is how it is made, where `how` does not say all of
        it.
        """
        return replace(
            self._plain,
            choices=way_of(self.policy, how) if way is None else way,
            kind=kind,
            columns=tuple(columns),
            method=how.method,
            form=form,
        )

    def record_from_copy(
        self, kind: str, columns: Sequence[str], form: str, copy: str
    ) -> ReleaseRecord:
        """Say what is to be released of the copy of the whole table: nothing of it is compared.

        That it is the `copy` that was released before is all that counts, for the version is a
        keyed digest of every record.
        """
        return replace(
            self._plain,
            choices={COPY_OF_TABLE: copy, **self.of_version},
            kind=kind,
            columns=tuple(columns),
            method=Whole.name,
            form=form,
        )

    @property
    def _plain(self) -> ReleaseRecord:
        """What is the same for all that is released."""
        return ReleaseRecord(
            study=self.name,
            settings=self.policy.settings(),
            choices=self.of_version,
            sketches={},
            k=self.policy.k,
            copies=self.most_copies,
            new_version=self.how_to_open,
            options=self.options,
        )

    def release(self, records: Sequence[ReleaseRecord], look: Look | None = None) -> None:
        """Let several things be released, or none of them.

        `look` is what was seen of the data to record them.
        """
        if self.policy.public:
            return
        self._check_unchanged()
        whole = self._of_other_copy(records)
        if not whole and all(record.method == Whole.name for record in records):
            self.register.release(
                records, dict
            )  # the copy was made once, and nothing is read again
            return
        all_columns = (look or Look(self)).all_columns
        found = self._sketched(records, all_columns, whole=whole)
        self.register.release(found, lambda: self._every_sketch(all_columns()))

    def note(self, form: str, provenance: Provenance, lines: Lines | None = None) -> None:
        """Record the provenance of a file that was released in a form, once it is written."""
        if not self.policy.public:
            self.register.note(self.name, form, provenance, lines)

    def check_copy(self, version: str, look: Look) -> None:
        """Refuse a copy of the whole table that `release` would refuse, before it is made.

        `look` is what was seen of the data when its version was found.
        """
        if self.policy.public:
            return
        self._check_unchanged()
        records = [self.record_from_copy("", (), "", version)]
        if not self._of_other_copy(records):
            return
        (record,) = self._sketched(records, look.all_columns, whole=True)
        self.register.check(record, lambda: self._every_sketch(look.all_columns()))

    def _check_unchanged(self) -> None:
        if self.table.source_changed():
            raise LeavingError(
                "the file has changed since the study was opened, so what was drawn and what "
                "would be recorded may differ; open the study again"
            )

    def _sketched(
        self, records: Sequence[ReleaseRecord], all_columns: Callable[[], Sketched], *, whole: bool
    ) -> list[ReleaseRecord]:
        """Return records with the sketches that they are recognised by; by all, if `whole`."""
        persons = self._persons()
        if self.register.knows(self.name) and not whole:
            drawn = [name for record in records for name in record.columns]
            found = self._pass([*dict.fromkeys([*drawn, *persons])])
        else:
            found = all_columns()  # they are asked for, so that one pass is enough
        rests_on = [[COLUMN + name for name in record.columns] for record in records]
        sketches = {what: self._sketch(what, found) for what in dict.fromkeys(chain(*rests_on))}
        known = _recognisable(found, found.columns if whole else persons)
        return [
            replace(record, sketches=known | {what: sketches[what] for what in of})
            for record, of in zip(records, rests_on, strict=True)
        ]

    def _of_other_copy(self, records: Sequence[ReleaseRecord]) -> bool:
        """Whether something is of another copy of the whole table than was released before.

        Which it is a keyed digest of all records says; if it is another one, or the first, all
        columns are sketched, to say why.
        """
        copies = {it.choices[COPY_OF_TABLE] for it in records if COPY_OF_TABLE in it.choices}
        if not copies:
            return False
        return copies != {self.register.choices(self.name, COPY_OF_TABLE).get(COPY_OF_TABLE)}

    def new_version(self) -> int:
        """Open the next version of the study, for changed data or a changed policy."""
        if self.name is None:
            raise InputError(
                "a frame has no name, so it cannot have versions; name the study: study="
            )
        found = cache(self._all_columns)
        copy: dict[str, str] = {}
        if self.policy.fixed:  # other kinds or roles make another copy
            version = version_of_whole(self.table, self.policy, self.secret)
            copy = {COPY_OF_TABLE: version.hex()[:16]}
        return self.register.open_version(
            replace(self._plain, choices=copy),
            lambda what: self._sketch_again(what, found),
            lambda: self._every_sketch(found()),
        )

    def how_to_open(self, study: str) -> str:
        """Say how the next version of a study is opened for these data."""
        name = None if study == self.name else study
        return new_version(self.table, self.policy, name)

    def _persons(self) -> list[str]:
        """Name the columns that say who a row belongs to."""
        return [name for name in (self.table.unit, self.table.key) if name is not None]

    def _pass(self, names: Sequence[str], rows: Sequence[str] = ()) -> Sketched:
        """Read columns once, and sketch each, and whole rows of some of them."""
        batches = self._read(names)
        first = next(batches)
        sketching = self.sketching(first, rows)
        for batch in chain([first], batches):
            sketching.add(batch)
        return sketching.found

    def sketching(self, first: Mapping[str, Column], rows: Sequence[str]) -> Sketching:
        """Begin to sketch columns, and whole rows of some of them.

        What says who a row is in the `first` part of the table does so in all of it.
        """
        telling = [name for name in rows if not all_different(first[name])]
        return Sketching(self.register.key, telling, self._persons())

    def _read(self, names: Sequence[str]) -> Iterator[dict[str, Any]]:
        done = 0
        for batch in self.table.batches(names):
            advance("identifying the data", done, self.table.size)
            yield batch
            done += len(batch[names[0]])

    def recognised_by(self) -> tuple[list[str], list[str]]:
        """Name the columns that are drawn or say who is who, and those drawn that make a row."""
        columns = self.table.columns
        drawn = [name for name, column in columns.items() if column.kind in (*KINDS, DATE)]
        names = [*dict.fromkeys([*drawn, *self._persons()])]
        return names, [name for name in drawn if columns[name].role != "identifier"]

    def _all_columns(self) -> Sketched:
        """Sketch all columns by which data are recognised, and whole rows."""
        names, rows = self.recognised_by()
        try:
            return self._pass(names, rows)
        except InputError:
            # A column that cannot be read is drawn by nobody, and does not hold up the others.
            names = [name for name in names if self.table.can_read(name)]
            if not names:  # the data are gone, or their server is
                raise
            return self._pass(names, [name for name in rows if name in names])

    def _sketch(self, what: str, found: Sketched) -> Sketch:
        """Return the sketch of a column as it was found, or sketch it."""
        name = what.removeprefix(COLUMN)
        return found.columns.get(name) or self._pass([name]).columns[name]

    def _sketch_again(self, what: str, found: Callable[[], Sketched]) -> Sketch | None:
        """Sketch what has left, or None if it is gone."""
        if not what.startswith(COLUMN):
            return self._every_sketch(found()).get(what)
        there = what.removeprefix(COLUMN) in self.table.columns
        return self._sketch(what, found()) if there else None

    def _every_sketch(self, found: Sketched) -> dict[str, Sketch]:
        """Return all sketches by which these data are to be recognised."""
        name = self.table.unit or self.table.key
        who = {PERSONS: found.columns[name]} if name in found.persons else {}
        if self.table.unit is not None:
            who |= {WHOSE: found.columns[self.table.unit]}
        shapes = {SHAPE_OF + name: shape for name, shape in found.shapes.items()}
        rows = {WHOLE_ROWS: found.rows} if found.rows.rows else {}
        return _recognisable(found, found.columns) | rows | who | shapes


def way_of(policy: Policy, how: How, by: object = None) -> dict[str, str]:
    """Return the method of a paper and its numbers, of which one alone may leave of the same data.

    Rows by k and by k + 1 together give most records away; so do counts by two of them, and rows
    that are grouped in two ways. `by` is the method where it is not the policy's.
    """
    if how.method in CLUSTER_METHODS:
        return {WAY_OF_CLUSTERS: f"{how.method}, k = {how.k}"}
    if how.method == NoProtection.name:
        return {WAY_OF_ROWS: how.method}
    if how.method in COUNT_METHODS:
        return {LEAST_COUNT: f"k = {how.k}"}
    method: Any = policy.row_method(how) if by is None else by
    given = {it.name: getattr(method, it.name) for it in fields(method)}
    settings = [f"{name} = {value}" for name, value in given.items() if value is not None]
    return {WAY_OF_ROWS: ", ".join([how.method, *settings])}


class Look:
    """What is seen of the data for one release: rows, for the version of the copy, and sketches.

    Where the register does not know the study yet it asks for all columns, and each row is read
    once for both.
    """

    def __init__(self, gate: ReleaseGate) -> None:
        self._gate = gate
        self._found: Sketched | None = None

    def in_parts(
        self, numbers: Sequence[str], texts: Sequence[str], known: Sequence[str] = ()
    ) -> Iterator[dict[str, Any]]:
        """Read rows as `Table.in_parts` does, and sketch all columns on the way."""
        gate, table = self._gate, self._gate.table
        names, rows = gate.recognised_by()
        at_once = table.alike and {*numbers, *texts} <= {*names} and not known
        if gate.policy.public or not at_once or gate.register.knows(gate.name):
            yield from table.in_parts(numbers, texts, known)
            return
        sketching: Sketching | None = None
        for batch, part in table.both_ways(names, numbers, texts):
            sketching = sketching or gate.sketching(batch, rows)
            sketching.add(batch)
            yield part
        self._found = None if sketching is None else sketching.found

    def all_columns(self) -> Sketched:
        """Return sketches of all columns, which are read if they have not come by."""
        if self._found is None:
            self._found = self._gate._all_columns()
        return self._found


@dataclass(frozen=True, repr=False)
class RecordedGate:
    """The gate of one thing: called with a form, it records that the thing is released in it.

    `record` says of a form what is to be released; it may look at the data.
    """

    keeper: ReleaseGate
    record: Callable[[str, Look], ReleaseRecord]

    def __call__(
        self, form: str, provenance: Provenance | None = None, lines: Lines | None = None
    ) -> None:
        """Record that it is released, with what provenance, and its lines; or refuse it."""
        look = Look(self.keeper)
        record = add_provenance(self.record(form, look), provenance, lines)
        self.keeper.release([record], look)


def never_released(form: str, provenance: Provenance | None = None) -> None:
    """Refuse, as the gate of what is for the custodian's eyes alone."""
    raise LeavingError(
        "these are exact figures of the raw data, for the custodian's eyes, and are never "
        f"released ({form}); leave exact out to get rounded ones"
    )


def add_provenance(
    record: ReleaseRecord, provenance: Provenance | None, lines: Lines | None = None
) -> ReleaseRecord:
    """Return what is to be released with the provenance of its file."""
    texts = () if provenance is None else (provenance.to_text(),)
    return replace(record, provenance=texts, lines=lines)


def _recognisable(found: Sketched, names: Iterable[str]) -> dict[str, Sketch]:
    """Return the sketches of columns, but of those that number the rows as in any table as long."""
    known = [name for name in names if name in found.columns and name not in found.numbering]
    return {COLUMN + name: found.columns[name] for name in known}


STANDARD = "standard"
MAY_BE_NAMED = ("study", "unit")
"""What the command line may name where a guarded policy file leaves it empty."""


def new_version(table: Table, policy: Policy, study: str | None) -> str:
    """Say how the next version of a study is opened with the policy in force.

    `study` is None where its name is the file's. It is a command, "`discreet version new cohort.csv
    -k 6`", or the call in Python, for frames and what the command line cannot say.
    """
    words = _words(policy, policy.changed(study=study))
    if table.source is None or words is None:
        return f"new_version() of a study like this one, study={study or policy.study!r}"
    return f"`{shlex.join(['discreet', 'version', 'new', table.source, *words])}`"


def _words(policy: Policy, wanted: Policy) -> list[str] | None:
    """Return the options that make a policy out of its file or preset, if options can."""
    words: list[str] = []
    if policy.file is not None:
        try:
            base = load_policy(policy.file)
        except InputError:  # it has been taken away or changed since
            return None
        words = ["--policy", str(policy.file)]
    elif policy.name in PRESETS:
        base = Policy.preset(policy.name)
        words = [] if policy.name == STANDARD else ["--policy", policy.name]
    else:
        return None
    base_fields, given = base.to_dict(), wanted.to_dict()
    for name in given:
        if given[name] == base_fields.get(name):
            continue
        fixed = policy.file is not None and base.fixed
        if fixed and (name not in MAY_BE_NAMED or base_fields.get(name)):
            return None
        options = _options(name, given[name])
        if options is None:
            return None
        words += options
    return words


def _options(name: str, value: object) -> list[str] | None:
    if name == "unit" and value is False:
        return ["--no-unit"]
    option = FIELDS[name].option
    if option is None or not isinstance(value, str | int | float | dict):
        return None
    pairs = value.items() if isinstance(value, dict) else ()
    return [option, comma_list(map("=".join, pairs)) if pairs else str(value)]


def comma_list(names: Iterable[str]) -> str:
    """Write names as the command line reads them: a,b,c, one with a comma in double quotes."""
    text = io.StringIO()
    csv.writer(text, lineterminator="").writerow(names)
    return text.getvalue()
