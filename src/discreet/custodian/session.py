"""What the custodian has: a table with its secret, its copies and its gate, and the register."""

from __future__ import annotations

import dataclasses
import os
from collections.abc import Mapping, Sequence
from contextlib import suppress
from functools import cached_property
from pathlib import Path
from typing import Any

from discreet.arguments import LONGEST_LABEL
from discreet.columns import KINDS
from discreet.custodian.gate import Look, RecordedGate, ReleaseGate, never_released
from discreet.errors import RefusedError
from discreet.estimates.fidelity_report import Fidelity
from discreet.explore.from_copy import WholeTable
from discreet.explore.new_columns import with_derived
from discreet.explore.notes import (
    COPY,
    MEASURED,
    REPORT,
    Asks,
    begun,
    begun_of,
    check_copied,
    codes_said,
    policy_digest,
    version_of_counts,
)
from discreet.explore.notes import ROWS as OF_ROWS
from discreet.methods.copies import Settings, WholeCopy
from discreet.plots import View
from discreet.policy import PlotRequest, Policy, load_policy
from discreet.policy.resolve import TABLE
from discreet.progress import advance
from discreet.provenance import Provenance, Sealer, key_of
from discreet.register.register import Register
from discreet.render.sealing import Gate
from discreet.secret import Secret, load_secret, secret_files
from discreet.table import Table, forget
from discreet.vault.vault import Vault, copy_again, raw_whole
from discreet.vault.whole_columns import RawWhole, exact_nearness

AGAIN, MOST_AGAIN, LEAST_AGAIN, CELLS_AGAIN = 5, 5000, 1000, 100_000
"""How many copies of a copy are made; of how many of its rows at most, and of wide ones at least,
so that they have about so many cells."""


class Session:
    """A table behind a policy, with its secret, its protected copies and its release gate."""

    def __init__(self, table: Table, policy: Policy) -> None:
        self.table = table
        self.name = policy.study or table.name
        self.secret: Secret = load_secret(policy.folder, allow_small=not policy.fixed)
        self._vault = Vault(self.secret, folder_of(policy))
        self._version: str | None = None
        register = register_of(policy, self.secret)
        self.release_gate = ReleaseGate(table, policy, self.secret, register, self.name)
        self.policy = policy

    def new_version(self) -> int:
        """Open the next version of the study."""
        return self.release_gate.new_version()

    def exact_fidelity(self) -> Fidelity:
        """Return how near the copy is to the raw table, measured anew: it never leaves."""
        found = exact_nearness(*self.made_whole())
        return dataclasses.replace(found, dates=self.dates, gate=never_released)

    def nearness(self) -> Fidelity:
        """Return how near the copy of the whole table is to the raw one, in rounded figures."""
        return self._vault.nearness(self.table, self.policy)

    def version_of_whole(self, look: Look | None = None) -> str:
        """Return which copy of the whole table it is; rows are looked at where it is not known."""
        if self._version is None:
            read = None if look is None else look.in_parts
            self._version = self._vault.version_of_whole(self.table, self.policy, read)
        return self._version

    def check_copy(self) -> Look:
        """Refuse a copy of the whole table that may not be released, before it is made.

        Return what was seen of the data, for what records the release.
        """
        look = Look(self.release_gate)
        if self.policy.fixed:
            self.release_gate.check_copy(self.version_of_whole(look), look)
        return look

    @cached_property
    def kept(self) -> WholeTable:
        """The copy of the whole table as the vault keeps it, made on the first call."""
        return WholeTable(self._vault.whole(self.table, self.policy), self.table.columns)

    @cached_property
    def whole(self) -> WholeTable:
        """The copy of the whole table, with the columns that the policy derives of its rows."""
        return with_derived(self.kept, self.policy)

    @cached_property
    def copies_of_copy(self) -> tuple[WholeTable, ...]:
        """The first rows of the copy, and copies of them, made on the first call.

        They stand to these rows about as the copy stands to the data, and nothing raw plays a part.
        """
        copy = self.kept.copy
        columns = len(copy.columns) + len(copy.strata)
        rows, words = copy.first(min(MOST_AGAIN, max(LEAST_AGAIN, CELLS_AGAIN // columns)))
        whose = {name: rows[name] for name in copy.whose}
        rows = {name: rows[name] for name in copy.columns}
        settings = Settings(
            self.policy.k,
            self.policy.members,
            tuple(it for it in self.sensitive if it in words),
            tables=() if self.table.persons_repeat() else self.policy.pairs,
            left_out=self.policy.left_out,
        )
        found = [(rows, words, whose)]
        with suppress(RefusedError):  # so few rows have no copy
            for i in range(AGAIN):
                advance("copies of the copy", i, AGAIN)
                name = f"{copy.version} {i}"
                found.append(copy_again(*found[0], settings, self.secret, name))
        advance("copies of the copy", AGAIN, AGAIN)
        made = (dataclasses.replace(copy, columns=a, strata=b, whose=c) for a, b, c in found)
        return tuple(with_derived(WholeTable(it, self.kept.raw), self.policy) for it in made)

    @property
    def labels(self) -> Mapping[str, str]:
        """What is drawn in place of the names of columns, where the policy or the data say so.

        A longer label than there may be, which the data have, is cut.
        """
        of_data = {
            name: it if len(it) <= LONGEST_LABEL else f"{it[: LONGEST_LABEL - 1].rstrip()}…"
            for name, it in self.table.labels.items()
        }
        return {**of_data, **(self.policy.labels or {})}

    @property
    def dates(self) -> tuple[str, ...]:
        """The columns of dates, which the copy of the whole table alone has as numbers."""
        raw = self.whole.raw if self.policy.derive else self.table.columns
        return tuple(n for n, column in raw.items() if column.dates is not None)

    def gate_of_copy(self, kind: str, columns: Sequence[str], version: str) -> Gate:
        """Return what is asked before something of a copy is saved: it records that it is."""
        gate = self.release_gate
        return RecordedGate(
            gate, lambda form, _: gate.record_from_copy(kind, columns, form, version)
        )

    def sealer_of(self, request: PlotRequest, view: View, asks: Asks = ()) -> Sealer:
        """Return what gives a view that was drawn its provenance, once it is released."""

        def of_view() -> Provenance:
            return begun(request, view, self.policy, self.secret, self._version_of_counts(), asks)

        return Sealer(key_of(self.secret), of_view)

    def sealer(
        self, request: Mapping[str, Any], source: str = COPY, version: str | None = None
    ) -> Sealer:
        """Return what seals the files of a table or a report that was asked for so.

        `version` is that of the protected copy, where it is one.
        """

        def of_request() -> Provenance:
            copy_version = version or self._version_of_counts()
            policy = policy_digest(self.policy, self.secret)
            return begun_of(request, source, copy_version, policy)

        return Sealer(key_of(self.secret), of_request)

    def sealers_of_release(
        self, columns: Sequence[str], version: str | None, **how: Any
    ) -> tuple[Sealer, Sealer]:
        """Return what seals a released table, and what seals the report on it."""
        source = COPY if self.policy.fixed else OF_ROWS
        table = self.sealer({TABLE: [*columns]}, source, version)
        return table, self.sealer({REPORT: TABLE, "columns": [*columns], **how}, MEASURED, version)

    def _version_of_counts(self) -> str:
        named = None if self.policy.public else self.name  # what is public is not recorded
        number = 1 if named is None else self.register.version(named)
        return version_of_counts(self.secret, self.name, number)

    @property
    def persons_repeat(self) -> bool:
        """Whether a person has several rows."""
        return self.table.persons_repeat()

    def may_hold_codes(self, name: str) -> bool:
        """Tell whether numbers of a column may stand for missing values."""
        return bool(codes_in(self.table, self.policy, [name]))

    # --- what a server tells before anything is drawn: names and rules, no value --------------

    @property
    def register(self) -> Register:
        """The register that the study writes to."""
        return self.release_gate.register

    @property
    def sensitive(self) -> tuple[str, ...]:
        """The columns that the policy calls sensitive."""
        columns = self.table.columns
        return tuple(name for name, column in columns.items() if column.role == "sensitive")

    def missing_codes(self, columns: Sequence[str] | None) -> dict[str, list[float]]:
        """Return numbers of some columns, or of all, that may stand for missing values."""
        if columns is None:
            shown = {it for kind in KINDS for it in self.table.shown([*self.table.columns], kind)}
            columns = [name for name in self.table.columns if name in shown]
        self.table.require(columns)
        found = {
            name: self.table.codes(name, _least_codes(self.table, self.policy)) for name in columns
        }
        return {name: list(codes) for name, codes in found.items() if codes}

    def next_version(self) -> tuple[RawWhole, int]:
        """Return the columns that the next version's copy is made of, and that version's number."""
        check_copied(self.policy)
        number = 1 if self.name is None else self.release_gate.register.version(self.name)
        return raw_whole(self.table, self.policy, self.secret), number + 1

    def made_whole(self) -> tuple[RawWhole, WholeCopy]:
        """Return the raw columns of the whole table, and the copy made of them, to measure it."""
        return self._vault.made_whole(self.table, self.policy)


HIDDEN_FOLDER = ".discreet"


def register_of(policy: str | Path | Policy, secret: Secret | None = None) -> Register:
    """Return the register of a policy: beside its file, or in the user's state folder.

    Of copies made with the `secret`, by default the one a study of this policy has.
    """
    chosen = load_policy(policy)
    if secret is None:
        secret = load_secret(chosen.folder, allow_small=not chosen.fixed)
    return Register(state_folder(chosen), secret, home_of(chosen))


def home_of(policy: Policy) -> Path:
    """Return where it says that a register was begun: beside the policy, or the user's secret."""
    return policy.folder or secret_files(None)[0].parent


def state_folder(policy: Policy) -> Path:
    """Return where a policy's register lies: beside its file, or in the user's state folder."""
    from platformdirs import user_state_path

    folder = folder_of(policy) or os.environ.get("DISCREET_STATE")
    return Path(folder or user_state_path("discreet"))


def forget_private_files(policy: str | Path | Policy) -> int:
    """Delete the private files that are kept beside a policy; return how many there were.

    They hold values of files of text, which were read into them, and are made again when such a
    file is opened.
    """
    folder = folder_of(load_policy(policy))
    return 0 if folder is None else forget(folder)


def folder_of(policy: Policy) -> Path | None:
    """Return where the study's things lie beside the policy file, where there is one."""
    return None if policy.folder is None else policy.folder / HIDDEN_FOLDER


def codes_in(table: Table, policy: Policy, names: Sequence[str]) -> list[str]:
    """Say which columns may hold codes for missing values."""
    least = _least_codes(table, policy)
    return codes_said([name for name in dict.fromkeys(names) if table.codes(name, least)])


def _least_codes(table: Table, policy: Policy) -> int:
    """Return how many people share a number that may stand for a missing value: k, or drawn."""
    return max(policy.k, table.few)


# --- what the custodian declares of a register ----------------------------------------------------


def begin_register(reason: str, policy: str | Path | Policy = "standard") -> None:
    """Begin a register in place of one that is lost, and keep the reason in it.

    Until then nothing is released. The new register knows nothing of what left before: whether
    copies of the same people are out there, only the custodian knows.

    The register lies beside the file of the policy, if it is a file. It is an input error if none
    is lost, or no reason is given.
    """
    register_of(policy).begin(reason)


def withdraw(
    study: str, reason: str, policy: str | Path | Policy = "standard", *, version: int | None = None
) -> int:
    """Declare that nothing of a version of a study was given away; return its number.

    Its copy counts no more among the copies of the same people, and what is saved next begins
    another version, which may have another k, m or secret. What was saved of it must be deleted:
    whoever has it beside the next copy learns what either would not tell.

    It is the version in force unless another is named, which has to be there; a reason has to be
    given, which `discreet log` shows. A LeavingError is raised if it was published as a study file,
    or versions of the study or of the same people were withdrawn twice before.
    """
    return register_of(policy).withdraw(study, reason, version)
