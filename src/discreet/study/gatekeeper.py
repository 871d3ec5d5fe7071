"""What stands between a View and the world: the study's side of the ledger."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import pairwise
from types import MappingProxyType

import numpy as np

from discreet.errors import InputError, LeavingError, one_of
from discreet.leaving import COUNT_METHOD_OF, GROUP_OF, KIND_OF, Leaving, check_version
from discreet.ledger import Ledger
from discreet.policy import Asked, Policy
from discreet.progress import advance
from discreet.secret import Secret, row_keys
from discreet.sketch import Sketch, sketch_of
from discreet.study.pins import diversity_of, diversity_pins, method_pins, pair_pins
from discreet.table import KINDS, Table
from discreet.vault import read_rows

__all__ = ["NOTHING", "Exit", "Gatekeeper"]

NOTHING: Mapping[str, str] = MappingProxyType({})
# What a sketch of the ledger is of.
_COLUMN, _ROWS = "column ", "rows of "


@dataclass(frozen=True)
class Exit:
    """Something that may leave: how it was asked for, and what it rests on.

    `group` is the column group of the protected copy that it was drawn from, if it was; `also` are
    columns that it rests on beside those that are drawn, and `pinned` what else must be the same
    whenever these columns leave again.
    """

    asked: Asked
    group: tuple[str, ...] = ()
    also: tuple[str, ...] = ()
    pinned: Mapping[str, str] = field(default_factory=lambda: NOTHING)

    @property
    def columns(self) -> tuple[str, ...]:
        """All columns that it says something about."""
        return (*self.asked.named, *self.also)

    @property
    def rests_on(self) -> tuple[str, ...]:
        """What the ledger is to recognise it by."""
        rows = (_ROWS + json.dumps(self.group),) if self.group else ()
        return (*(_COLUMN + name for name in self.columns), *rows)


@dataclass(frozen=True, repr=False)
class Gatekeeper:
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
        asked: Asked,
        group: tuple[str, ...],
        form: str,
        also: tuple[str, ...] = (),
        pinned: Mapping[str, str] = NOTHING,
    ) -> None:
        """Let a view leave: record it, or raise because it does not fit what has left before.

        `group`, `also` and `pinned` are those of an `Exit`.
        """
        self.leave_together([(Exit(asked, group, also, pinned), form)])

    def leave_together(self, exits: Sequence[tuple[Exit, str]]) -> None:
        """Let several things leave, each in a form, or none of them."""
        if self.policy.public:
            return
        self._check_file()
        counted_by = self._counted_by()
        found = dict(counted_by)
        for what in dict.fromkeys(what for leaving, _ in exits for what in leaving.rests_on):
            found[what] = self._sketch(what)
        self.ledger.leave(
            [
                Leaving(
                    study=self.name,
                    settings=self.policy.settings(),
                    choices=self._choices(leaving) | dict(leaving.pinned),
                    sketches=counted_by | {what: found[what] for what in leaving.rests_on},
                    k=self.policy.k,
                    kind=leaving.asked.picture,
                    columns=leaving.columns,
                    method=leaving.asked.method,
                    form=form,
                    version=self.version,
                )
                for leaving, form in exits
            ],
            self._every_sketch,
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
        return self.ledger.open_version(
            self.name,
            self.policy.settings(),
            self._strata() | _members(*self.policy.groups) | self._axes(),
            self._sketch_again,
            k=self.policy.k,
            most=self.policy.versions,
        )

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

    def count_method_that_left(self, asked: Asked) -> tuple[str, str] | None:
        """Return what of a picture's counts has left by another method, and by which; or None."""
        if asked.from_rows:
            return None
        wanted = self._choices(Exit(asked))
        if asked.picture == "parallel":
            wanted |= method_pins([*pairwise(asked.columns)], asked.method)
        for what, method in self.ledger.count_methods(self.name).items():
            if wanted.get(what, method) != method:
                return what, method
        return None

    def _choices(self, leaving: Exit) -> dict[str, str]:
        """Return what must be the same whenever these columns leave again."""
        if not self.policy.guarded:
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

    def _sketch(self, what: str) -> Sketch:
        """Sketch a column, or the rows of a group, as they are now."""
        if what.startswith(_ROWS):
            # With the key, for another key of the same values is other noise.
            names = json.loads(what.removeprefix(_ROWS))
            rows = read_rows(self.table, self.policy, names, self.policy.strata)
            keys = row_keys(self.secret, [*rows.numbers.values(), *rows.texts.values()])
            return sketch_of(np.frombuffer(b"".join(keys), dtype=np.uint64).reshape(-1, 2))
        column = self.table.column(what.removeprefix(_COLUMN))
        return sketch_of(self.secret.marks(column))

    def _sketch_again(self, what: str) -> Sketch | None:
        """Sketch what has left, or None if it is gone or holds no numbers any more."""
        of_rows = what.startswith(_ROWS)
        names = json.loads(what.removeprefix(_ROWS)) if of_rows else [what.removeprefix(_COLUMN)]
        found = [self.table.columns[name] for name in names if name in self.table.columns]
        there = len(found) == len(names)
        if not there or (of_rows and any(column.kind != "continuous" for column in found)):
            return None
        return self._sketch(what)

    def _counted_by(self) -> dict[str, Sketch]:
        names = [name for name in (self.table.unit, self.table.key) if name is not None]
        return {what: sketch for name in names for what, sketch in self._recognisable(name).items()}

    def _recognisable(self, name: str) -> dict[str, Sketch]:
        """Sketch a column, unless it numbers the rows as that of any table as long does."""
        what = _COLUMN + name
        return {} if self.table.numbers_rows(name) else {what: self._sketch(what)}

    def _every_sketch(self) -> dict[str, Sketch]:
        names = [name for name, column in self.table.columns.items() if column.kind in KINDS]
        sketches: dict[str, Sketch] = {}
        for done, name in enumerate(names):
            advance("recognising the data", done, len(names))
            # A column that cannot be read is drawn by nobody, and does not hold up the others.
            with suppress(InputError):
                sketches |= self._recognisable(name)
        return sketches


def _members(*groups: Sequence[str]) -> dict[str, str]:
    return {f"{GROUP_OF}{name!r}": json.dumps(sorted(group)) for group in groups for name in group}
