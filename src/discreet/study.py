"""The door: `open` makes a Study, and a Study answers questions with Views."""

from __future__ import annotations

import dataclasses
import json
import os
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any, NoReturn, TypeVar

import numpy as np

from discreet.answers import from_counts, from_rows
from discreet.errors import InputError, LeavingError, RefusedError, one_of
from discreet.leaving import COUNT_METHOD_OF, GROUP_OF, Leaving
from discreet.ledger import Ledger
from discreet.policy import Asked, Policy, load_policy
from discreet.progress import advance
from discreet.protect.base import Floats
from discreet.secret import Secret, load_secret, row_keys
from discreet.sketch import Sketch, sketch_of
from discreet.table import KINDS, Table, open_table
from discreet.vault import Copy, Vault, protect_view, rows_with_key
from discreet.views import BoxView, Gate, GridView, HistogramView, Origin, PointsView, View

__all__ = ["Study", "ledger_of", "open"]

HIDDEN_FOLDER = ".discreet"
# What a sketch of the ledger is of.
_COLUMN, _ROWS = "column ", "rows of "

V = TypeVar("V", bound=View)


def open(
    source: object,
    policy: str | Path | Policy = "standard",
    *,
    study: str | None = None,
    kinds: Mapping[str, str] | None = None,
    roles: Mapping[str, str] | None = None,
    unit: str | None = None,
    key: str | None = None,
    groups: Sequence[Sequence[str]] | None = None,
    strata: Sequence[str] | None = None,
    k: int | None = None,
    rows: str | None = None,
) -> Study:
    """Put a table behind a policy.

    Parameters
    ----------
    source : path or frame
        A `.csv`, `.tsv` or `.parquet` file, or a pandas, polars or pyarrow frame, a polars
        LazyFrame or a DuckDB relation.
    policy : str, Path or Policy, default "standard"
        The name of a preset ("standard", "research"), the path of a TOML file, or a Policy.
    study : str, optional
        The study's name, by which the ledger knows it; by default the file's name. A frame has
        none unless one is given, and is recognised by its columns.
    kinds : mapping of str to {"continuous", "categorical"}, optional
        What to override of the inferred kinds: numbers are continuous, all else categorical.
    roles : mapping of str to str, optional
        "identifier", "quasi-identifier", "sensitive" or "other" for each column; identifiers,
        and text columns with a different value in every row, are never shown.
    unit : str, optional
        The column that says which person a row belongs to; k then counts persons.
    key : str, optional
        A column that tells rows apart and stays the same when the data are updated. Without one
        a record is known by its values.
    groups : sequence of sequences of str, optional
        The columns whose rows may be seen together, protected jointly. By default the columns
        of the first row-level request, fixed from then on.
    strata : sequence of str, optional
        Categorical columns within whose combinations the protected copy is made.
    k : int, optional
        The least number of persons anything drawn stands on; the preset's where None.
    rows : {"condensation", "deterministic", "probabilistic"}, optional
        The row method of the protected copy; the preset's where None.

    Returns
    -------
    Study

    Raises
    ------
    InputError
        If the source, the policy or a column named here is wrong.

    Notes
    -----
    Whoever can call this holds the raw data: looking is free. What leaves (a saved figure, a
    view as JSON) is recorded beside the policy file, or in the user's state folder, and must fit
    what has left before. Two tables that differ in one row and are opened under two names are
    two studies to the ledger: it cannot see that their difference gives that row away.

    Examples
    --------
    >>> import discreet as dc
    >>> study = dc.open(dc.datasets.diabetes(), groups=[["age", "bmi", "glucose"]])
    >>> study.histogram("glucose")
    HistogramView(histogram of glucose: merge (k = 5, round_to = 5, bins = 20), policy standard)
    """
    chosen = load_policy(policy).changed(
        study=study,
        kinds=kinds,
        roles=roles,
        unit=unit,
        key=key,
        groups=groups,
        strata=strata,
        k=k,
        rows=rows,
    )
    kinds = {name: "categorical" for name in chosen.strata} | dict(chosen.kinds)
    table = open_table(source, kinds=kinds, roles=chosen.roles, unit=chosen.unit, key=chosen.key)
    for group in chosen.groups:
        table.require(group, "continuous")
    table.require(chosen.strata, "categorical")
    table.require([*chosen.limits], "continuous")
    return Study(table, chosen)


def ledger_of(policy: str | Path | Policy) -> Ledger:
    """Return the ledger of a policy: beside its file, or in the user's state folder."""
    return Ledger(_folder(load_policy(policy)) or _state_folder())


class Study:
    """A table behind a policy: one short method for each thing one can ask.

    Made by `discreet.open`. Prints no value and cannot be pickled. Every method returns a View;
    what it takes beside columns overrides the policy where the policy lets it (`research`), and
    is refused where it is fixed (`standard`).
    """

    def __init__(self, table: Table, policy: Policy) -> None:
        self._table, self._policy = table, policy
        self._name = policy.study or table.name
        self._ledger = ledger_of(policy)
        self._secret: Secret = load_secret(policy.folder, allow_small=not policy.guarded)
        self._vault = Vault(self._secret, _folder(policy))
        self._groups = policy.groups or self._groups_that_left()

    def __repr__(self) -> str:
        name = "a frame without a name" if self._name is None else repr(self._name)
        return f"Study({name}, policy {self._policy.name!r}, k = {self._policy.k}; {self._table!r})"

    def __reduce__(self) -> NoReturn:
        raise RefusedError("a Study holds raw data and cannot be pickled or copied")

    @property
    def policy(self) -> Policy:
        """The policy in force."""
        return self._policy

    @property
    def groups(self) -> tuple[tuple[str, ...], ...]:
        """The columns whose rows may be seen together, as far as they are settled."""
        return self._groups

    def histogram(
        self,
        column: str,
        *,
        method: str | None = None,
        k: int | None = None,
        q: float | None = None,
        bins: int | None = None,
        limits: Mapping[str, Sequence[float]] | None = None,
    ) -> HistogramView:
        """Draw the distribution of one column as bars.

        Parameters
        ----------
        column : str
            A continuous column.
        method : str, optional
            "merge" (the default: neighbouring bins are joined until each holds k persons),
            "suppression", "generalization", a row method, or "none" under `research`.
        k, q, bins, limits : optional
            Other values than the policy's, under `research` alone.

        Returns
        -------
        HistogramView

        Raises
        ------
        InputError
            If the column or method is unknown, or the column holds no numbers.
        RefusedError
            If the policy has another value, or the table holds too few persons.

        Notes
        -----
        Counts are of the raw data, each of at least k persons and rounded under `standard`;
        with a row method, of the protected rows. Avraam et al. (2021), section 4.1, Fig. 1.
        """
        asked = self._settle(
            "histogram", [column], method=method, k=k, q=q, bins=bins, limits=limits
        )
        return self._answer(asked, from_rows.histogram, from_counts.histogram)

    def scatter(
        self,
        x: str,
        y: str,
        *,
        method: str | None = None,
        k: int | None = None,
        q: float | None = None,
        grid: int | None = None,
        limits: Mapping[str, Sequence[float]] | None = None,
    ) -> PointsView:
        """Draw two columns against each other as points.

        Parameters
        ----------
        x, y : str
            Two continuous columns, under `standard` of one group.
        method : str, optional
            A row method (the default: that of the protected copy), "suppression" or
            "generalization" for points in the middle of the cells of a grid, or "none" under
            `research`.
        k, q, grid, limits : optional
            Other values than the policy's, under `research` alone.

        Returns
        -------
        PointsView

        Raises
        ------
        InputError
            If a column or method is unknown, or a column holds no numbers.
        RefusedError
            If the columns are of two groups, the policy has another value, or the table holds
            too few persons.

        Notes
        -----
        Under `standard` the points are rows of the protected copy, so asking again, or for
        other columns of the group, teaches nothing new. Avraam et al. (2021), section 4.1, Fig. 2.
        """
        asked = self._settle("scatter", [x, y], method=method, k=k, q=q, grid=grid, limits=limits)
        return self._answer(asked, from_rows.scatter, from_counts.scatter)

    def heatmap(
        self,
        x: str,
        y: str,
        *,
        method: str | None = None,
        k: int | None = None,
        q: float | None = None,
        grid: int | None = None,
        limits: Mapping[str, Sequence[float]] | None = None,
    ) -> GridView:
        """Draw two columns as the cells of a grid, coloured by what they hold.

        Parameters
        ----------
        x, y : str
            Two continuous columns, of any group.
        method : str, optional
            "generalization" (the default: half the resolution, then small cells hidden),
            "suppression", a row method, or "none" under `research`.
        k, q, grid, limits : optional
            Other values than the policy's, under `research` alone.

        Returns
        -------
        GridView

        Raises
        ------
        InputError
            If a column or method is unknown, or a column holds no numbers.
        RefusedError
            If the policy has another value, or the table holds too few persons.

        Notes
        -----
        Every coloured cell stands on at least k persons. Avraam et al. (2021), section 4.1, Fig. 3.
        """
        asked = self._settle("heatmap", [x, y], method=method, k=k, q=q, grid=grid, limits=limits)
        return self._answer(asked, from_rows.heatmap, from_counts.heatmap)

    def box(
        self,
        *columns: str,
        method: str | None = None,
        k: int | None = None,
        q: float | None = None,
        grid: int | None = None,
        limits: Mapping[str, Sequence[float]] | None = None,
    ) -> BoxView:
        """Draw a box plot of each column.

        Parameters
        ----------
        *columns : str
            One or more continuous columns.
        method : str, optional
            "order-means" (the default: every number is the mean of k neighbouring values), a
            row method, or under `research` "suppression", "generalization" and "none".
        k, q, grid, limits : optional
            Other values than the policy's, under `research` alone.

        Returns
        -------
        BoxView

        Raises
        ------
        InputError
            If a column or method is unknown, or a column holds no numbers.
        RefusedError
            If the policy has another value, some person has several rows, or the table holds
            too few persons.

        Notes
        -----
        Under `standard` no outlier is drawn and no number is one person's. Avraam et al. (2021),
        section 4.1, Fig. 4.
        """
        asked = self._settle("box", columns, method=method, k=k, q=q, grid=grid, limits=limits)
        return self._answer(asked, from_rows.box, from_counts.box)

    def new_version(self) -> int:
        """Open the next version of the study, for changed data or a changed policy.

        Returns
        -------
        int
            Its number; `versions` of the policy caps it.

        Raises
        ------
        InputError
            If the study has no name, nothing of it has left, or nothing has changed.
        LeavingError
            If there were too many versions, or too few rows have changed.
        """
        if self._name is None:
            raise InputError("a frame without a name has no versions; give one: study=")
        return self._ledger.open_version(
            self._name,
            self._policy.settings(),
            self._strata() | self._members(*self._policy.groups),
            self._sketch_again,
            k=self._policy.k,
            most=self._policy.versions,
        )

    def _settle(self, picture: str, columns: Sequence[str], **named: Any) -> Asked:
        if not columns:
            raise InputError(f"a {picture} needs at least one column")
        asked = self._policy.settle(picture, columns, **named)
        self._table.require(columns, "continuous")
        self._table.require([*asked.limits], "continuous")
        return asked

    def _answer(
        self,
        asked: Asked,
        by_rows: Callable[[Mapping[str, Floats], Asked, Origin], V],
        by_counts: Callable[[Table, Asked, Origin], V],
    ) -> V:
        """Draw from protected rows or from counts, and give the view the study's gate."""
        if not asked.from_rows:
            view = by_counts(self._table, asked, self._origin())
        else:
            copy = self._copy(asked)
            view = by_rows(copy.columns, asked, self._origin(copy))
        gate: Gate = partial(self._leave, asked)
        return dataclasses.replace(view, gate=gate)

    def _copy(self, asked: Asked) -> Copy:
        if not self._policy.guarded:
            return protect_view(self._table, self._policy, asked, self._secret)
        copy = self._vault.copy(self._table, self._policy, self._group(asked.columns))
        # A request that was refused settles nothing.
        self._groups = self._groups or (asked.columns,)
        return copy

    def _group(self, columns: Sequence[str]) -> tuple[str, ...]:
        """Return the group that holds all `columns`, the first request's where none is settled."""
        for group in self._groups or (columns,):
            if set(columns) <= set(group):
                return tuple(sorted(group))
        raise RefusedError(
            f"rows of {one_of(columns)} may not be seen together: the groups of this study are"
            f" {'; '.join(one_of(group) for group in self._groups)}. Draw a heat map, which needs"
            " no group, or open a study with groups= that hold them together"
        )

    def _origin(self, copy: Copy | None = None) -> Origin:
        persons = "persons" if self._table.unit is not None else "records"
        return Origin(
            policy=self._policy.name,
            regime=self._policy.regime,
            public=self._policy.public,
            study=self._name,
            version=None if copy is None else copy.version,
            left_out=0 if copy is None else copy.left_out,
            counted=persons if copy is None else "protected rows",
        )

    def _leave(self, asked: Asked, form: str) -> None:
        """Let a view leave: record it, or raise because it does not fit what has left before."""
        if self._policy.public:
            return
        if self._table.source_changed():
            raise LeavingError(
                "the file has been written since the study was opened, so what was drawn and what"
                " would be recorded may differ; open the study again"
            )
        named = [_COLUMN + name for name in asked.columns]
        if asked.from_rows and self._policy.guarded:
            named.append(_ROWS + json.dumps(self._group(asked.columns)))
        leaving = Leaving(
            study=self._name,
            settings=self._policy.settings(),
            choices=self._choices(asked),
            sketches=self._counted_by() | {what: self._sketch(what) for what in named},
            k=self._policy.k,
            kind=asked.picture,
            columns=asked.columns,
            method=asked.method,
            form=form,
        )
        self._ledger.leave(leaving, self._every_sketch)

    def _choices(self, asked: Asked) -> dict[str, str]:
        """Return what must be the same whenever these columns leave again."""
        if not self._policy.guarded or asked.method == "order-means":
            return {}
        if not asked.from_rows:
            return {f"{COUNT_METHOD_OF}{one_of(sorted(asked.columns))}": asked.method}
        return self._strata() | self._members(self._group(asked.columns))

    def _strata(self) -> dict[str, str]:
        return {"strata": json.dumps(self._policy.strata)}

    def _members(self, *groups: Sequence[str]) -> dict[str, str]:
        return {
            f"{GROUP_OF}{name!r}": json.dumps(sorted(group)) for group in groups for name in group
        }

    def _groups_that_left(self) -> tuple[tuple[str, ...], ...]:
        try:
            return self._ledger.groups(self._name)
        except LeavingError:  # a broken ledger lets nothing leave, but looking is free
            return ()

    def _sketch(self, what: str) -> Sketch:
        """Sketch a column, or the rows of a group, as they are now."""
        if what.startswith(_ROWS):
            # With the key, for another key of the same values is other noise.
            names = json.loads(what.removeprefix(_ROWS))
            rows = rows_with_key(self._table, names, self._policy.strata)
            keys = row_keys(self._secret, [*rows.numbers.values(), *rows.texts.values()])
            return sketch_of(np.frombuffer(b"".join(keys), dtype=np.uint64).reshape(-1, 2))
        column = self._table.column(what.removeprefix(_COLUMN))
        return sketch_of(self._secret.marks(column))

    def _sketch_again(self, what: str) -> Sketch | None:
        """Sketch what has left, or None if it is gone or holds no numbers any more."""
        of_rows = what.startswith(_ROWS)
        names = json.loads(what.removeprefix(_ROWS)) if of_rows else [what.removeprefix(_COLUMN)]
        found = [self._table.columns[name] for name in names if name in self._table.columns]
        there = len(found) == len(names)
        if not there or (of_rows and any(column.kind != "continuous" for column in found)):
            return None
        return self._sketch(what)

    def _counted_by(self) -> dict[str, Sketch]:
        names = [name for name in (self._table.unit, self._table.key) if name is not None]
        return {what: sketch for name in names for what, sketch in self._recognisable(name).items()}

    def _recognisable(self, name: str) -> dict[str, Sketch]:
        """Sketch a column, unless it numbers the rows as that of any table as long does."""
        what = _COLUMN + name
        return {} if self._table.numbers_rows(name) else {what: self._sketch(what)}

    def _every_sketch(self) -> dict[str, Sketch]:
        names = [name for name, column in self._table.columns.items() if column.kind in KINDS]
        sketches: dict[str, Sketch] = {}
        for done, name in enumerate(names):
            advance("recognising the data", done, len(names))
            # A column that cannot be read is drawn by nobody, and does not hold up the others.
            with suppress(InputError):
                sketches |= self._recognisable(name)
        return sketches


def _folder(policy: Policy) -> Path | None:
    """Return where the study's things lie beside the policy file, where there is one."""
    return None if policy.folder is None else policy.folder / HIDDEN_FOLDER


def _state_folder() -> Path:
    from platformdirs import user_state_path

    return Path(os.environ.get("DISCREET_STATE") or user_state_path("discreet"))
