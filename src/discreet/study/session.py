"""What a Study does with a request: settle it, fetch what answers it, give the View its gate."""

from __future__ import annotations

import dataclasses
import json
import math
import os
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property, partial
from pathlib import Path
from typing import Any, TypeVar

import numpy as np

from discreet.errors import BrokenPromiseError, InputError, RefusedError, one_of
from discreet.ledger import Ledger
from discreet.plots import PLOTS, Gate, MultiplesView, Origin, View, diagnostics
from discreet.plots.by_level import panels_of
from discreet.plots.counts import gaps_of, seen
from discreet.plots.descriptor import ByCounts, ByRows, Plot
from discreet.plots.view import SCHEMA
from discreet.policy import PlotRequest, Policy, check_group, load_policy, resolve
from discreet.protect import ROW_METHODS
from discreet.protect.counts import rounded
from discreet.regression import Model, read_formula
from discreet.render.scene import SCHEMA as SCENE_SCHEMA
from discreet.secret import FORMAT, Secret, load_secret
from discreet.sketch import sketched
from discreet.study.gate import NOTHING, ReleaseGate
from discreet.table import KINDS, Table
from discreet.vault import Copy, Made, Vault, protect_view

__all__ = [
    "DrawableColumn",
    "Session",
    "folder_of",
    "ledger_of",
    "remarks_of",
]

ALLOWANCE = ("budget", "requests_a_minute")

V = TypeVar("V", bound=View)


@dataclasses.dataclass(frozen=True)
class DrawableColumn:
    """A column that may be drawn: its name, kind and role, and whether rows carry it as a level."""

    name: str
    kind: str
    role: str
    stratum: bool


class Session:
    """A table behind a policy, with its secret, its protected copies and its release gate."""

    def __init__(self, table: Table, policy: Policy) -> None:
        self.table, self._declared = table, policy
        self.name = policy.study or table.name
        self.secret: Secret = load_secret(policy.folder, allow_small=not policy.from_copy)
        self._vault = Vault(self.secret, folder_of(policy))
        ledger = ledger_of(policy, self.secret)
        release_gate = ReleaseGate(table, policy, self.secret, ledger, self.name)
        self.policy = release_gate.policy_that_left()
        self.release_gate = dataclasses.replace(release_gate, policy=self.policy)
        self.settle_anew()

    def new_version(self) -> int:
        """Open the next version of the study, under the policy as it is declared."""
        release_gate = dataclasses.replace(self.release_gate, policy=self._declared)
        number = release_gate.new_version()
        self.policy, self.release_gate = self._declared, release_gate
        return number

    def settle(self, plot: str, columns: Sequence[str], **how: Any) -> PlotRequest:
        """Say how a plot of columns will be made, or refuse it, as `resolve` does."""
        return resolve(self.policy, self.table, plot, columns, **how)

    def draw(self, plot: Plot[V], columns: Sequence[str], **how: Any) -> V:
        """Draw a plot of columns, from protected rows or from counts."""
        return self._answer(
            self.settle(plot.name, columns, **how), plot.from_rows, plot.from_counts
        )

    def panels(self, plot: Plot[Any], columns: Sequence[str], by: str, **how: Any) -> MultiplesView:
        """Draw a plot of columns for each level of another, side by side."""
        by_rows, by_counts = plot.by_level or (None, None)
        return self._answer(self.settle(plot.name, columns, by=by, **how), by_rows, by_counts)

    def _answer(
        self, asked: PlotRequest, by_rows: ByRows[V] | None, by_counts: ByCounts[V] | None
    ) -> V:
        """Draw from protected rows or from counts, and give the view the study's gate."""
        if not asked.from_rows and by_counts is not None:
            return self.counted(asked, by_counts)
        if by_rows is None:
            raise BrokenPromiseError(f"a {asked.plot} has nothing that draws what was settled")
        copy = self._copy(asked)
        levels = () if asked.by is None else _levels_of(copy, asked.by)
        view = by_rows(copy.columns, levels, asked, self._origin(copy, asked))
        return self._seen(view, asked, format=copy.format)

    def _data_marks(self) -> tuple[bytes, ...]:
        """Return what stands for the data as they are: of a file its digest, else its columns."""
        digest = self.table.source_digest()
        if digest is not None:
            return (digest,)
        columns = self.table.columns
        drawn = sorted(name for name, column in columns.items() if column.kind in KINDS)
        found = sketched(self.secret, self.table.batches(drawn), rows=()).columns
        return tuple(f"{name} {found[name].mark}".encode() for name in drawn)

    # --- what a server tells before anything is drawn: names and rules, no value --------------

    def drawable(self) -> tuple[DrawableColumn, ...]:
        """Return the columns that a plot may be asked of: those that identify nobody."""
        columns = self.table.columns
        shown = {name for kind in KINDS for name in self.table.shown([*columns], kind)}
        return tuple(
            DrawableColumn(name, column.kind, column.role, name in self.policy.strata)
            for name, column in columns.items()
            if name in shown
        )

    @property
    def ledger(self) -> Ledger:
        """The ledger that the study writes to."""
        return self.release_gate.ledger

    def known_name(self) -> str:
        """Return the name by which the ledger knows the study."""
        if self.name is None:
            raise InputError("a study that is served needs a name: open it with study=")
        return self.name

    def hold_version(self) -> int:
        """Return the version that is the latest now; of another nothing of the study leaves."""
        version = self.ledger.version(self.known_name())
        self.release_gate = dataclasses.replace(self.release_gate, version=version)
        return version

    def edition(self) -> str:
        """Return a keyed digest that stands for the data, the policy and how views are written.

        What decides only how often somebody may ask is left out.
        """
        said = {name: it for name, it in self.policy.to_dict().items() if name not in ALLOWANCE}
        told = json.dumps([SCHEMA, SCENE_SCHEMA, said], sort_keys=True)
        return self.secret.digest("edition", told.encode(), *self._data_marks()).hex()

    @property
    def sensitive(self) -> tuple[str, ...]:
        """The columns that the policy calls sensitive."""
        columns = self.table.columns
        return tuple(name for name, column in columns.items() if column.role == "sensitive")

    def check_unchanged(self) -> None:
        """Refuse where the data or the version is not the one that is served any more."""
        self.release_gate.check_unchanged()

    def groups_settled(self) -> tuple[tuple[str, ...], ...]:
        """Return the groups whose rows may be seen together: of the policy, or that left."""
        return self.policy.groups or self.release_gate.groups_that_left()

    def settle_anew(self) -> None:
        """Take the groups and pairs from the ledger, where others may have written."""
        self.groups = self.groups_settled()
        self.pairs = self.release_gate.pairs_that_left()

    @property
    def format(self) -> int | None:
        """How the rows of what has left of these data are keyed; None where nothing has."""
        return self.release_gate.format_that_left() or self._format_of_data

    @cached_property
    def _format_of_data(self) -> int | None:
        return self.release_gate.format_of_data()

    def missing_codes(self, columns: Sequence[str] | None) -> dict[str, list[float]]:
        """Return numbers of some columns, or of all, that may stand for missing values."""
        if columns is None:
            shown = {it for kind in KINDS for it in self.table.shown([*self.table.columns], kind)}
            columns = [name for name in self.table.columns if name in shown]
        self.table.require(columns)
        found = {name: self.table.codes(name, self.policy.k) for name in columns}
        return {name: list(codes) for name, codes in found.items() if codes}

    def made(self, columns: Sequence[str]) -> Made:
        """Return the rows of the protected copy of a group beside the raw ones."""
        return self._vault.made(self.table, self.policy, self.group_of(columns), self.format)

    def copy(self, columns: Sequence[str]) -> Copy:
        """Return the protected copy of the group that holds some columns."""
        return self._vault.copy(self.table, self.policy, self.group_of(columns), self.format)

    def counted(
        self, asked: PlotRequest, by_counts: ByCounts[V], pinned: Mapping[str, str] = NOTHING
    ) -> V:
        """Draw from counts, and give the view the study's gate, which pins what it is told."""
        view = by_counts(self.table, asked, self._origin(asked=asked))
        numbers = [n for n in asked.columns if self.table.columns[n].kind == "continuous"]
        view = dataclasses.replace(view, origin=self._with_gaps(view.origin, numbers, asked))
        return self._seen(view, asked, pinned=pinned)

    def diagnose(
        self, kind: type[V], formula: str, *, noise_on: str | None = None, **named: Any
    ) -> V:
        """Fit a model, and draw how well it fits as a view of one kind."""
        model = read_formula(formula, self._kinds())
        levels = model.levels
        asked = self.settle(kind.kind, model.numbers, levels=levels, noise_on=noise_on, **named)
        format = FORMAT
        if self.policy.from_copy:
            view, format = self._fitted_to_copy(model, asked)
        else:
            view = diagnostics.of_records(
                model,
                self.table,
                asked,
                self._origin(asked=asked),
                lambda table, of: self._protected(table, of).columns,
                residual_df=self.policy.residual_df,
                noise_on=noise_on or "points",
            )
            origin = self._with_gaps(view.origin, (*model.numbers, *model.levels), asked)
            view = dataclasses.replace(view, origin=origin)
        if not isinstance(view, kind):
            raise BrokenPromiseError("a diagnostic came out as another plot than was requested")
        return self._seen(view, asked, also=model.levels, format=format)

    def _kinds(self) -> dict[str, str]:
        columns = self.table.columns
        return {name: column.kind for name, column in columns.items() if column.kind in KINDS}

    def _fitted_to_copy(self, model: Model, asked: PlotRequest) -> tuple[View, int]:
        """Return the view, and the format of the copy that it is of."""
        copy = self._copy(asked)
        view = diagnostics.of_protected(
            model,
            copy.columns,
            {name: _levels_of(copy, name) for name in model.levels},
            asked,
            self._origin(copy, asked),
            residual_df=self.policy.residual_df,
            noise=self._noise_of(model),
        )
        return view, copy.format

    def _seen(
        self,
        view: V,
        asked: PlotRequest,
        also: tuple[str, ...] = (),
        pinned: Mapping[str, str] = NOTHING,
        format: int = FORMAT,
    ) -> V:
        """Give a view the study's gate, and the views within it too."""
        group: tuple[str, ...] = ()
        if self.policy.from_copy and asked.from_rows:
            group = self.group_of(asked.columns)
            # A request that was refused on its way here has settled nothing.
            self.groups = self.groups or (asked.columns,)
        gate: Gate = partial(
            self.release_gate.leave, asked, group, also=also, pinned=pinned, format=format
        )
        seen = dataclasses.replace(view, gate=gate)
        if isinstance(seen, MultiplesView):
            views = tuple(dataclasses.replace(inner, gate=gate) for inner in seen.views)
            seen = dataclasses.replace(seen, views=views)
        return seen

    def _noise_of(self, model: Model) -> float | None:
        """Return the noise that estimates from the copy can be corrected for, if it is simple."""
        policy = self.policy
        # Values that were reflected or rounded to whole numbers have another noise beside it.
        moved = policy.outside != "keep"
        moved |= any(self.table.is_whole(name, but_for=policy.k) for name in model.numbers)
        if not ROW_METHODS[policy.rows].additive or policy.far_noise != "even" or moved:
            return None
        return policy.noise(policy.rows)

    def _copy(self, asked: PlotRequest) -> Copy:
        if not self.policy.from_copy:
            naming = None if asked.by is None else panels_of(self.table, asked).named
            return self._protected(self.table, asked, naming)
        return self.copy(asked.columns)

    def _protected(
        self,
        table: Table,
        asked: PlotRequest,
        naming: Callable[[tuple[str, ...]], tuple[str, ...]] | None = None,
    ) -> Copy:
        format = self.format or FORMAT
        return protect_view(table, self.policy, asked, self.secret, naming, format)

    def group_of(
        self, columns: Sequence[str], settled: Sequence[Sequence[str]] | None = None
    ) -> tuple[str, ...]:
        """Return the group that holds all `columns`, the first request's where none is settled."""
        settled = self.groups if settled is None else settled
        for group in settled or (columns,):
            if set(columns) <= set(group):
                check_group(self.policy, group)
                return tuple(sorted(group))
        raise RefusedError(
            f"rows of {one_of(columns)} may not be seen together: the groups of this study are"
            f" {'; '.join(one_of(group) for group in settled)}. Draw a heat map, which needs"
            f" no group, or the custodian can {self._together(columns)}",
            parameter="columns",
            rule="groups",
        )

    def _together(self, columns: Sequence[str]) -> str:
        """Say how rows of some columns may be seen together that are of no one group."""
        touched = [group for group in self.groups if set(group) & set(columns)]
        apart = [group for group in self.groups if group not in touched]
        wanted = (*dict.fromkeys(name for group in (*touched, columns) for name in group),)
        groups = [list(group) for group in (*apart, wanted)]
        held = {name for group in self.release_gate.groups_that_left() for name in group}
        if self.name is None or not held & set(wanted):
            return f"open the study with groups={groups}"
        opened = self.release_gate.how_to_open(self.name, groups)
        return f"open a new version: {opened}, and then the study with groups={groups}"

    def _origin(self, copy: Copy | None = None, asked: PlotRequest | None = None) -> Origin:
        persons = "rows, each taken as a person" if self.policy.fixed else "records"
        if self.table.unit is not None:
            persons = f"persons ({self.table.unit})"
        origin = Origin(
            policy=self.policy.name,
            regime=self.policy.regime,
            public=self.policy.public,
            study=self.name,
            version=None if copy is None else copy.version,
            left_out=None,
            counted=persons if copy is None else "protected rows",
            remarks=remarks_of(self.table, self.policy, copy, asked),
        )
        return origin if copy is None or asked is None else self._of_copy(origin, copy, asked)

    def _of_copy(self, origin: Origin, copy: Copy, asked: PlotRequest) -> Origin:
        """Say how many rows of how many the copy has, and which column's gaps cost most.

        Where persons have several rows nothing: with the rows of one who has many left out of the
        copy, the number of all rows would tell theirs.
        """
        if self.table.persons_repeat():
            return origin
        origin = seen(origin, asked, len(copy.columns[asked.columns[0]]), self.table.size)
        return self._with_gaps(origin, self._complete_in(asked), asked)

    def _complete_in(self, asked: PlotRequest) -> tuple[str, ...]:
        """Return the columns that every row of a copy has a value in."""
        if not self.policy.from_copy:
            return asked.named
        numbers = self.group_of(asked.columns) if self.policy.missing == "complete" else ()
        return (*numbers, *(self.policy.strata if self.policy.missing_levels == "complete" else ()))

    def _with_gaps(self, origin: Origin, names: Sequence[str], asked: PlotRequest) -> Origin:
        """Name the column with the most missing values, if it leads by rounded numbers.

        Of a single column not even that it has some is said: it would be told where they are k.
        """
        if len(names) < 2 or origin.shown == origin.total:
            return origin
        found = [gaps_of(self.table, name) for name in names]
        large = [0 if not asked.shows_exact and gaps < asked.k else gaps for gaps in found]
        told = rounded(np.array(large), asked.count_step).tolist()
        leaders = [name for name, gaps in zip(names, told, strict=True) if gaps == max(told) > 0]
        return origin if len(leaders) != 1 else dataclasses.replace(origin, most_gaps=leaders[0])


def _levels_of(copy: Copy, name: str) -> tuple[str, ...]:
    """Return the levels that rows of a copy carry."""
    if name not in copy.strata:
        raise RefusedError(
            f"the strata were too small, and {name!r} had to be left out of the protected copy;"
            " the custodian can declare a hierarchy that merges its levels, or fewer strata"
        )
    return copy.strata[name]


HIDDEN_FOLDER = ".discreet"


def ledger_of(policy: str | Path | Policy, secret: Secret | None = None) -> Ledger:
    """Return the ledger of a policy: beside its file, or in the user's state folder.

    Its rows are sealed with the `secret`, by default the one a study of this policy has.
    """
    chosen = load_policy(policy)
    if secret is None:
        secret = load_secret(chosen.folder, allow_small=not chosen.from_copy)
    return Ledger(folder_of(chosen) or _state_folder(), secret)


def folder_of(policy: Policy) -> Path | None:
    """Return where the study's things lie beside the policy file, where there is one."""
    return None if policy.folder is None else policy.folder / HIDDEN_FOLDER


def _state_folder() -> Path:
    from platformdirs import user_state_path

    return Path(os.environ.get("DISCREET_STATE") or user_state_path("discreet"))


def remarks_of(
    table: Table, policy: Policy, copy: Copy | None, asked: PlotRequest | None
) -> tuple[str, ...]:
    """Say what became of values outside declared limits or bounds, and what may be no value.

    Parameters
    ----------
    table : Table
        What is drawn.
    policy : Policy
        The custodian's rules.
    copy : Copy or None
        The protected rows of the picture; None where it is drawn from counts.
    asked : PlotRequest or None
        The question; None where only what was done to the copy is to be said.

    Returns
    -------
    tuple of str
        Sentences, which name columns and no value.
    """
    said = [] if copy is None else [*copy.remarks]
    if asked is None:
        return tuple(said)
    said += [
        f"{name} may hold codes for missing values, drawn here as numbers; whoever keeps the"
        " data can say so (missing_values of the policy)"
        for name in dict.fromkeys(asked.named)
        if table.codes(name, policy.k)
    ]
    if asked.plot in PLOTS and PLOTS[asked.plot].binned:
        ended = [name for name in asked.columns if name in {**asked.limits, **asked.edges}]
        said += [f"the end bins of {name} hold what lies beyond them, too" for name in ended]
    if copy is None:
        return tuple(said)
    if policy.from_copy and not ROW_METHODS[policy.rows].holds_k:
        said.append(
            f"rows by {policy.rows!r} do not hold k: a record is recognised by its row"
            " more often than one time in k"
        )
    for name in asked.columns:
        low, high = policy.bounds.get(name, (-math.inf, math.inf))
        values = copy.columns[name]
        if policy.outside != "keep" and name in policy.bounds:
            done = {"reflect": "reflected at them", "clip": "put on them"}
            said.append(f"values outside the bounds of {name} are {done[policy.outside]}")
        elif ((values < low) | (values > high)).any():
            said.append(f"some values lie outside the bounds of {name}, and are kept")
    return tuple(said)
