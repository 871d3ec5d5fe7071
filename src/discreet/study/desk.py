"""What a Study does with a question: settle it, fetch what answers it, give the View its gate."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property, partial
from typing import Any, TypeVar

from discreet.answers import diagnostics
from discreet.answers.levels import panels_of
from discreet.errors import BrokenPromiseError, InputError, RefusedError, one_of
from discreet.policy import Asked, Policy, check_group
from discreet.protect.base import Floats
from discreet.regression import Model, read_formula
from discreet.secret import FORMAT, Secret, load_secret
from discreet.sketch import sketched
from discreet.study.folders import folder_of, ledger_of
from discreet.study.gatekeeper import NOTHING, Gatekeeper
from discreet.table import KINDS, Table
from discreet.vault import Copy, Made, Vault, protect_view
from discreet.views import Gate, MultiplesView, Origin, View

__all__ = ["ByCounts", "ByRows", "Desk"]

NOISE_ON = ("points", "variable")
HOLDS_NO_K = ("probabilistic", "deterministic")
"""Row methods that a guarded policy may name, and that are weaker than its k promises."""
BINNED = ("histogram", "heatmap", "contour")

V = TypeVar("V", bound=View)
ByRows = Callable[[Mapping[str, Floats], Sequence[str], Asked, Origin], V]
"""Draws protected rows, given their levels where the picture has any."""
ByCounts = Callable[[Table, Asked, Origin], V]
"""Draws counts of the raw table."""


class Desk:
    """A table behind a policy, with its secret, its protected copies and its gatekeeper."""

    def __init__(self, table: Table, policy: Policy) -> None:
        self.table, self._declared = table, policy
        self.name = policy.study or table.name
        self._secret: Secret = load_secret(policy.folder, allow_small=not policy.guarded)
        self._vault = Vault(self._secret, folder_of(policy))
        ledger = ledger_of(policy, self._secret)
        gatekeeper = Gatekeeper(table, policy, self._secret, ledger, self.name)
        self.policy = gatekeeper.policy_that_left()
        self.gatekeeper = dataclasses.replace(gatekeeper, policy=self.policy)
        self.groups = policy.groups or self.gatekeeper.groups_that_left()
        self.pairs = self.gatekeeper.pairs_that_left()

    def new_version(self) -> int:
        """Open the next version of the study, under the policy as it is declared."""
        gatekeeper = dataclasses.replace(self.gatekeeper, policy=self._declared)
        number = gatekeeper.new_version()
        self.policy, self.gatekeeper = self._declared, gatekeeper
        return number

    def settle(
        self,
        picture: str,
        columns: Sequence[str],
        kind: str = "continuous",
        /,
        *,
        by: str | None = None,
        **named: Any,
    ) -> Asked:
        """Say how a picture of columns of a kind, or of "any", will be made, or refuse it."""
        if not columns:
            raise InputError(f"a {picture} needs at least one column")
        asked = self.policy.settle(picture, columns, by=by, **named)
        if kind == "any":
            self.table.require(columns)
            drawn = [name for name in columns if self.table.columns[name].kind not in KINDS]
            self.table.require(drawn, "continuous")  # refused: of no kind that is drawn
        else:
            self.table.require(asked.named if kind == "categorical" else columns, kind)
        self.table.require([*{**asked.limits, **asked.edges}], "continuous")
        if by is None:
            return asked
        self.table.require([by], "categorical")
        if self.policy.guarded and asked.from_rows and by not in self.policy.strata:
            raise RefusedError(
                f"rows carry the levels of strata alone, and {by!r} is none; open a study with it:"
                f" discreet.open(..., strata=[{by!r}]), or draw from counts"
            )
        return asked

    def answer(self, asked: Asked, by_rows: ByRows[V], by_counts: ByCounts[V]) -> V:
        """Draw from protected rows or from counts, and give the view the study's gate."""
        if not asked.from_rows:
            return self.counted(asked, by_counts)
        copy = self._copy(asked)
        levels = () if asked.by is None else _levels_of(copy, asked.by)
        view = by_rows(copy.columns, levels, asked, self._origin(copy, asked))
        return self._seen(view, asked, format=copy.format)

    @property
    def secret(self) -> Secret:
        """What the noise is keyed by."""
        return self._secret

    def data_marks(self) -> tuple[bytes, ...]:
        """Return what stands for the data as they are: of a file its digest, else its columns."""
        digest = self.table.source_digest()
        if digest is not None:
            return (digest,)
        columns = self.table.columns
        drawn = sorted(name for name, column in columns.items() if column.kind in KINDS)
        found = sketched(self._secret, self.table.batches(drawn), rows=()).columns
        return tuple(f"{name} {found[name].mark}".encode() for name in drawn)

    @property
    def format(self) -> int | None:
        """How the rows of what has left of these data are keyed; None where nothing has."""
        return self.gatekeeper.format_that_left() or self._format_of_data

    @cached_property
    def _format_of_data(self) -> int | None:
        return self.gatekeeper.format_of_data()

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
        self, asked: Asked, by_counts: ByCounts[V], pinned: Mapping[str, str] = NOTHING
    ) -> V:
        """Draw from counts, and give the view the study's gate, which pins what it is told."""
        view = by_counts(self.table, asked, self._origin(asked=asked))
        return self._seen(view, asked, pinned=pinned)

    def diagnose(
        self, kind: type[V], formula: str, *, noise_on: str | None = None, **named: Any
    ) -> V:
        """Fit a model, and draw how well it fits as a view of one kind."""
        model = read_formula(formula, self._kinds())
        asked = self.settle(kind.kind, model.numbers, **named)
        self.table.require(model.levels, "categorical")
        self._check_noise_on(asked, noise_on)
        format = FORMAT
        if self.policy.guarded:
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
        if not isinstance(view, kind):
            raise BrokenPromiseError("a diagnostic came out as another picture than was asked for")
        return self._seen(view, asked, also=model.levels, format=format)

    def _kinds(self) -> dict[str, str]:
        columns = self.table.columns
        return {name: column.kind for name, column in columns.items() if column.kind in KINDS}

    def _check_noise_on(self, asked: Asked, noise_on: str | None) -> None:
        if noise_on is None:
            return
        if noise_on not in NOISE_ON:
            raise InputError(f"noise_on must be {one_of(NOISE_ON)}")
        if self.policy.guarded or asked.method != "probabilistic":
            raise InputError(
                "noise_on is for method 'probabilistic' under the policy 'research'; leave it out:"
                " elsewhere the variables are protected before the plot is made"
            )

    def _fitted_to_copy(self, model: Model, asked: Asked) -> tuple[View, int]:
        """Return the view, and the format of the copy that it is of."""
        for name in model.levels:
            if name not in self.policy.strata:
                raise RefusedError(
                    f"a regression has rows of {name!r} only where it is a stratum of the protected"
                    f" copy; open a study with it: discreet.open(..., strata=[{name!r}])"
                )
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
        asked: Asked,
        also: tuple[str, ...] = (),
        pinned: Mapping[str, str] = NOTHING,
        format: int = FORMAT,
    ) -> V:
        """Give a view the study's gate, and the views within it too."""
        group: tuple[str, ...] = ()
        if self.policy.guarded and asked.from_rows:
            group = self.group_of(asked.columns)
            # A request that was refused on its way here has settled nothing.
            self.groups = self.groups or (asked.columns,)
        gate: Gate = partial(
            self.gatekeeper.leave, asked, group, also=also, pinned=pinned, format=format
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
        if policy.rows != "probabilistic" or policy.far_noise != "even" or moved:
            return None
        return policy.noise(policy.rows)

    def _copy(self, asked: Asked) -> Copy:
        if not self.policy.guarded:
            naming = None if asked.by is None else panels_of(self.table, asked.by, asked).named
            return self._protected(self.table, asked, naming)
        return self.copy(asked.columns)

    def _protected(
        self,
        table: Table,
        asked: Asked,
        naming: Callable[[tuple[str, ...]], tuple[str, ...]] | None = None,
    ) -> Copy:
        format = self.format or FORMAT
        return protect_view(table, self.policy, asked, self._secret, naming, format)

    def group_of(self, columns: Sequence[str]) -> tuple[str, ...]:
        """Return the group that holds all `columns`, the first request's where none is settled."""
        for group in self.groups or (columns,):
            if set(columns) <= set(group):
                check_group(self.policy, group)
                return tuple(sorted(group))
        raise RefusedError(
            f"rows of {one_of(columns)} may not be seen together: the groups of this study are"
            f" {'; '.join(one_of(group) for group in self.groups)}. Draw a heat map, which needs"
            " no group, or open a study with groups= that hold them together"
        )

    def _origin(self, copy: Copy | None = None, asked: Asked | None = None) -> Origin:
        persons = "persons" if self.table.unit is not None else "records"
        return Origin(
            policy=self.policy.name,
            regime=self.policy.regime,
            public=self.policy.public,
            study=self.name,
            version=None if copy is None else copy.version,
            left_out=0 if copy is None else copy.left_out,
            counted=persons if copy is None else "protected rows",
            remarks=self._remarks(copy, asked),
        )

    def _remarks(self, copy: Copy | None, asked: Asked | None) -> tuple[str, ...]:
        """Say what became of values outside declared limits or bounds, and what may be none."""
        said = [] if copy is None else [*copy.remarks]
        if asked is None:
            return tuple(said)
        said += [
            f"{name} may hold codes for missing values, drawn here as numbers; whoever keeps the"
            " data can say so (missing_values of the policy)"
            for name in dict.fromkeys(asked.named)
            if self.table.codes(name, self.policy.k)
        ]
        if asked.picture in BINNED:
            ended = [name for name in asked.columns if name in {**asked.limits, **asked.edges}]
            said += [f"the end bins of {name} hold what lies beyond them, too" for name in ended]
        if copy is None:
            return tuple(said)
        if self.policy.guarded and self.policy.rows in HOLDS_NO_K:
            said.append(
                f"rows by {self.policy.rows!r} do not hold k: a record is recognised by its row"
                " more often than one time in k"
            )
        for name in asked.columns:
            low, high = self.policy.bounds.get(name, (-math.inf, math.inf))
            values = copy.columns[name]
            if self.policy.outside != "keep" and name in self.policy.bounds:
                done = {"reflect": "reflected at them", "clip": "put on them"}
                said.append(f"values outside the bounds of {name} are {done[self.policy.outside]}")
            elif ((values < low) | (values > high)).any():
                said.append(f"some values lie outside the bounds of {name}, and are kept")
        return tuple(said)


def _levels_of(copy: Copy, name: str) -> tuple[str, ...]:
    """Return the levels that rows of a copy carry."""
    if name not in copy.strata:
        raise RefusedError(
            f"the strata were too small, and {name!r} had to be left out of the protected copy;"
            " declare a hierarchy that merges its levels, or fewer strata"
        )
    return copy.strata[name]
