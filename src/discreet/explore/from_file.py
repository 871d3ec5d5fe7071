"""A study that is a file: everything is made of the rows in it, and there is no raw value.

What the file says comes from others, so whatever it says of the policy is read as one who writes a
policy says it, and nothing of it is more than how something is drawn. What a study of data has
beside its copy is made below the wall and given to it (`Custodian`, `OfData`).
"""

from __future__ import annotations

import dataclasses
import hashlib
import json
import weakref
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from pathlib import Path
from typing import Any, Protocol, TypeGuard

from discreet.arguments import Floats
from discreet.columns import KINDS, Column
from discreet.columns.column import CopiedRows, Copy, Unread, drop_columns
from discreet.columns.countable import NamedColumns
from discreet.columns.dates import DATE, Dates
from discreet.columns.grids import ArrayRows
from discreet.columns.words import Coded, CodedWords
from discreet.errors import DiscreetError, InputError, RefusedError
from discreet.estimates.fidelity_report import Fidelity, SubsetFit
from discreet.explore.file_checks import FileCheck
from discreet.explore.from_copy import WholeTable
from discreet.explore.new_columns import with_derived
from discreet.explore.notes import (
    COPY,
    FIDELITY,
    FROM_FILE,
    MEASURED,
    REPORT,
    Asks,
    asked_for,
    begun_of,
)
from discreet.lines import Lines
from discreet.plots import PlotRequest, View
from discreet.plots.view import COPY_ROWS, PUBLIC_ROWS
from discreet.policy import Policy
from discreet.policy.fields import plain
from discreet.provenance import DIGITS, Provenance, Sealer
from discreet.render.sealing import Gate
from discreet.secret import DerivedKey
from discreet.study_file import SUFFIX, Manifest, open_signed
from discreet.study_file import Column as FileColumn
from discreet.use import ASKED

TOLD = (
    *("name", "round_to", "residual_df", "public", "copy", "copy_rows", "copy_bytes", "limits"),
    *("ordered", "derive", "labels", "tables", "withhold", "left_out"),
)
"""What a file says of the policy: how plots are drawn, and what the copy is."""
OF_PUBLIC = {"copy": "served"}
"""What a file of a public table says: clusters of its rows are sent, and not the rows."""
CELLS_HELD = 50_000_000
"""So many values stay in memory once they were read: of columns of numbers, and of levels."""


class Rows(Protocol):
    """What a session reads: a study file, or several as one (`pooled`)."""

    @property
    def manifest(self) -> Manifest:
        """What it says of itself."""

    @property
    def says_nearness(self) -> bool:
        """Whether it says how near its copy is."""

    @property
    def answers(self) -> tuple[str, ...]:
        """The names of the answers from the data."""

    @property
    def about(self) -> tuple[str, ...]:
        """What the notes of every figure say of it."""

    def floats(self, name: str) -> Floats:
        """Return a column of numbers, or of dates as days."""

    def coded(self, name: str) -> Coded:
        """Return the levels that a column has, and of each row the place of its own."""

    def copies(self) -> tuple[CopiedRows, ...]:
        """Return copies of the first rows of the copy."""

    def nearness(self) -> Any:
        """Return how near its copy is, as JSON has it."""

    def answer(self, name: str) -> Any:
        """Return an answer, as JSON has it."""

    def close(self) -> None:
        """Close it."""


class Custodian(Protocol):
    """Whoever keeps the data: asked before something is saved, and never for a value."""

    @property
    def policy(self) -> Policy:
        """The policy in force."""

    @property
    def name(self) -> str | None:
        """The study's name."""

    @property
    def table(self) -> NamedColumns:
        """The columns of the data, by name and kind: those that are not in the copy, too."""

    @property
    def labels(self) -> Mapping[str, str]:
        """What is drawn in place of the names of columns."""

    def exact_fidelity(self) -> Fidelity:
        """Return how near the copy is to the data: never released."""

    def gate_of_copy(self, kind: str, columns: Sequence[str], version: str) -> Gate:
        """Return what is asked before something of the copy is saved."""

    def sealer_of(self, request: PlotRequest, view: View, asks: Asks = ()) -> Sealer:
        """Return what seals a view."""

    def sealer(
        self, request: Mapping[str, Any], source: str = COPY, version: str | None = None
    ) -> Sealer:
        """Return what seals a table or a report."""


@dataclass(frozen=True, repr=False)
class OfData:
    """What a study of data can do beside a study that is a file.

    `session` is the custodian's: the table, the secret, the register. `open_copy` opens the copy
    that is kept beside the data, and makes it where it is not there; `verify` says of a file
    whether it was made here and is as it was made; `release` makes a table of columns of the copy,
    with its report.
    """

    session: Any
    open_copy: Callable[[], FileSession]
    verify: Callable[[str | Path], FileCheck]
    release: Callable[..., Any]


def is_study_file(source: object) -> TypeGuard[str | Path]:
    """Tell whether a source is named as a study file is.

    Examples
    --------
    >>> is_study_file("cohort.discreet"), is_study_file("cohort.csv")
    (True, False)
    """
    return isinstance(source, str | Path) and str(source).lower().endswith(SUFFIX)


def open_file(path: str | Path) -> FileSession:
    """Open a study file, unless another key signed the study before."""
    file = open_signed(path)
    try:
        return FileSession(file)
    except BaseException:
        file.close()
        raise


def policy_told(policy: Policy, whole: WholeTable) -> dict[str, Any]:
    """Return what a file says of a policy, and of the orders of levels that the data declare.

    Of columns that are not in the copy nothing is said, nor of levels that the copy has not.
    """
    columns, levels = {*whole.copy.columns, *whole.copy.strata}, whole.copy.strata
    said: dict[str, Any] = {
        name: plain(it) for name in TOLD if (it := getattr(policy, name)) not in (None, (), {})
    }
    said |= policy.use.to_plain()
    if not policy.fixed:
        said |= {**OF_PUBLIC, "k": policy.k}
    for name in {"limits", "labels"} & {*said}:
        said[name] = {column: it for column, it in said[name].items() if column in columns}
    orders = {name: it.order for name, it in whole.raw.items() if it.order and name in levels}
    orders |= {name: it for name, it in policy.ordered.items() if name in columns}
    for name in {*orders} & {*levels}:  # a level that the copy has not is not named
        there = {*whole.levels_of(name)}
        orders[name] = tuple(level for level in orders[name] if level in there)
    said["ordered"] = {name: [*it] for name, it in orders.items() if it}
    said["tables"] = [pair for pair in said.get("tables", ()) if {*pair} <= columns]
    # As a list, for one is made of those before it.
    derive = said.get("derive", {})
    said["derive"] = [[name, derive[name]] for name in derive if name not in whole.withheld]
    said["withhold"] = [*whole.withheld]
    return {name: it for name, it in said.items() if it not in ([], {})}


def _policy_of(manifest: Manifest) -> Policy:
    """Return the policy as far as a file says it; refuse what no policy says."""
    said = dict(manifest.policy)
    try:
        if not {*said} <= {*TOLD, *ASKED, *(("k",) if manifest.is_public else ())}:
            raise InputError("it says more than a study file does")
        if isinstance(said.get("derive"), Mapping):
            raise InputError("derived columns are a list, each made from those before")
        said["derive"] = dict(said.get("derive", ()))
        fixed = {"k": manifest.k, "m": manifest.m, "study": manifest.study}
        if manifest.is_public:  # its rows are no copy: what k says is asked of clusters alone
            fixed = {"papers": {}, "study": manifest.study, "public": True}
        return Policy.from_dict({**said, **fixed})
    except (InputError, TypeError, ValueError, AttributeError) as error:
        why = str(error) if isinstance(error, InputError) else "a value has the wrong type"
        raise InputError(
            f"the policy in the study file is not valid: {why}; ask the custodian for a new "
            "copy of the file"
        ) from None


def _fidelity(said: object) -> Fidelity:
    """Return how near a copy is, as a file says it; refuse what cannot be said in words."""
    try:
        fidelity = Fidelity.from_json(json.dumps(said))
        fidelity.to_text()
    except (DiscreetError, TypeError, ValueError, AttributeError, ArithmeticError, LookupError):
        raise InputError(
            "the study file's figures of how near its copy is cannot be read; ask the custodian "
            "for a new copy of the file"
        ) from None
    return fidelity


def _open_gate(form: str, provenance: Provenance | None = None, lines: Lines | None = None) -> None:
    """Let everything be saved: the rows that it is made of were published."""


class FileSession:
    """What answers the questions of a Study by the rows in a file, which is closed with it.

    Where the data are kept beside their copy, `source` is asked before anything is saved, seals
    what is, and says how names are read. Nothing is drawn of it.
    """

    def __init__(self, file: Rows, source: Custodian | None = None) -> None:
        self.file, self.source = file, source
        self.keep: object = None  # what has to be there as long as the file is read
        weakref.finalize(self, file.close)
        manifest = file.manifest
        # What rows are called beside a view.
        self.rows_are = PUBLIC_ROWS if manifest.is_public else COPY_ROWS
        # What figures are sealed by, which whoever has the file has: a check sum, no signature.
        content = manifest.content.encode()
        self.key = DerivedKey(hashlib.sha256(b"figure of a study file\0" + content).digest())
        # The columns that are drawn: all but the one that says whose rows are.
        self._columns = [it for it in manifest.columns if it.name != manifest.person_column]
        self.coded = {it.name for it in self._columns if it.may_hold_codes}
        self._begun = partial(
            begun_of, source=FROM_FILE, version=manifest.version, policy=manifest.content[:DIGITS]
        )
        self.policy = _policy_of(manifest) if source is None else source.policy
        self.name: str | None = manifest.study if source is None else source.name
        if not self._columns:
            raise InputError("the study file has no column to draw; ask for another one")

    def __repr__(self) -> str:
        manifest = self.file.manifest
        rows, columns = f"{manifest.rows:,} rows", f"{len(self._columns)} columns"
        asked = manifest.use.to_text()
        return f"{rows}, {columns} of the copy {manifest.version}{asked and f'; {asked}'}"

    def close(self) -> None:
        """Close the file; what was not read of it is not there any more."""
        self.file.close()

    # --- the copy -------------------------------------------------------------------------------

    @cached_property
    def kept(self) -> WholeTable:
        """The copy as it is in the file, of which a column is read when it is asked for."""
        manifest, columns = self.file.manifest, self._columns
        whose = () if manifest.person_column is None else (manifest.person_column,)
        most = max(4, CELLS_HELD // manifest.rows)
        # Of the file and not of this, so that the study is gone with what refers to it.
        floats, coded = self.file.floats, self.file.coded
        copy = Copy(
            Unread([it.name for it in columns if it.kind != KINDS[1]], floats, most),
            Unread(
                [it.name for it in columns if it.kind == KINDS[1]],
                lambda name: CodedWords(*coded(name)),
                most,
            ),
            manifest.version,
            0,
            manifest.remarks,
            whose=Unread(whose, floats),
            of_columns={it.name: it.remarks for it in columns if it.remarks},
        )
        if self.source is not None:
            return WholeTable(copy, self.source.table.columns)
        return WholeTable(copy, {it.name: _column(it, self.policy) for it in columns})

    @cached_property
    def whole(self) -> WholeTable:
        """The copy, with the columns that the policy derives of its rows."""
        whole = self._with_derived(self.kept)
        if self.source is None:
            whole.know_levels({it.name: it.levels for it in self._columns if it.levels})
        return whole

    @cached_property
    def copies_of_copy(self) -> tuple[WholeTable, ...]:
        """The first rows of the copy, and copies of them, which the file has."""
        kept = self.kept
        copies = [kept.copy.head(self.file.manifest.again_of)]
        copies += [self._again(rows) for rows in self.file.copies()]
        return tuple(self._with_derived(WholeTable(it, kept.raw)) for it in copies)

    def _with_derived(self, whole: WholeTable) -> WholeTable:
        withheld = self.file.manifest.policy.get("withhold", ())
        return dataclasses.replace(with_derived(whole, self.policy), withheld=tuple(withheld))

    def _again(self, rows: CopiedRows) -> Copy:
        """Return a copy of the copy as one has it."""
        (numbers, words), whose = rows, self.kept.copy.whose
        others = [name for name in numbers if name not in whose]
        return dataclasses.replace(
            self.kept.copy,
            columns=drop_columns(numbers, whose),
            strata=words,
            whose=drop_columns(numbers, others),
        )

    @cached_property
    def table(self) -> NamedColumns:
        """The columns, by name and kind: those of the data, where these are kept beside."""
        if self.source is not None:
            return self.source.table
        return ArrayRows({}, {}, self.kept.raw)

    # --- what a study asks ----------------------------------------------------------------------

    @cached_property
    def labels(self) -> Mapping[str, str]:
        """What is drawn in place of the names of columns, where the file says so."""
        if self.source is not None:
            return self.source.labels
        of_columns = {it.name: it.label for it in self._columns if it.label}
        return {**of_columns, **(self.policy.labels or {})}

    def numbers_together(self) -> tuple[str, ...]:
        """Return all columns of numbers."""
        return tuple(name for name in self.whole.raw if name in self.whole.copy.columns)

    def fidelity(self, *, exact: bool = False) -> Fidelity:
        """Return how near the copy is, as the file says it."""
        said, source = self.file.nearness(), self.source
        if exact:
            if source is not None:
                return source.exact_fidelity()
            raise RefusedError(
                "exact figures need the raw data, and a study file has none; leave exact out, "
                "or ask the custodian"
            )
        if said is None:
            raise RefusedError(
                "the study file does not say how near its copy is; ask the custodian for one that"
                " does"
            )
        gate = self.gate_of_copy(FIDELITY, [it.name for it in self._columns])
        if source is None:
            sealer = self.sealer_of_copy({REPORT: FIDELITY})
        else:
            sealer = source.sealer({REPORT: FIDELITY}, MEASURED, self.file.manifest.version)
        return dataclasses.replace(_fidelity(said), gate=gate, sealer=sealer)

    def measured_parts(self) -> Sequence[SubsetFit]:
        """Return how far off parts of the copy were, where the file says it."""
        return self.fidelity().subsets if self.file.says_nearness else ()

    @cached_property
    def how_near(self) -> tuple[str, ...]:
        """How near the copy is, in a sentence; nothing of a file that does not say it."""
        said = (f"the copy: {self.fidelity().said}",) if self.file.says_nearness else ()
        return (*self.file.about, *said)

    # --- what is saved --------------------------------------------------------------------------

    def gate_of_copy(self, kind: str, columns: Sequence[str]) -> Gate:
        """Return what is asked before something is saved: of a published file it lets all be."""
        if self.source is None:
            return _open_gate
        named = self.whole.sources(columns)
        return self.source.gate_of_copy(kind, named, self.file.manifest.version)

    def sealer_of(self, request: PlotRequest, view: View, asks: Asks = ()) -> Sealer:
        """Return what gives a view its provenance."""
        if self.source is not None:
            return self.source.sealer_of(request, view, asks)
        return Sealer(self.key, lambda: self._begun(asked_for(request, self.policy, asks)))

    def sealer_of_copy(self, request: Mapping[str, Any], asks: Asks = ()) -> Sealer:
        """Return what gives something of the copy, or of what was derived, its provenance."""
        of_rows = {**request, "derived": [[*it] for it in asks]}
        if self.source is not None:
            return self.source.sealer(of_rows, COPY, self.file.manifest.version)
        return Sealer(self.key, lambda: self._begun(of_rows))


def _column(column: FileColumn, policy: Policy) -> Column:
    """Return what is known of a column of the copy."""
    order = policy.ordered.get(column.name, ())
    if column.kind == KINDS[1]:
        return Column(column.name, KINDS[1], numeric=column.are_codes, order=order)
    if column.dates is not None:
        return Column(column.name, DATE, dates=Dates(column.dates))
    return Column(column.name, KINDS[0], numeric=True, floating=True, order=order)
