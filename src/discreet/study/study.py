"""The door: `open` makes a Study, and a Study answers questions with Views."""

from __future__ import annotations

import dataclasses
import math
import os
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any, NoReturn, TypeVar, overload

from discreet.answers import by_level, diagnostics, from_counts, from_rows, tables
from discreet.answers.levels import panels_of
from discreet.answers.trends import with_trends
from discreet.errors import BrokenPromiseError, InputError, RefusedError, one_of
from discreet.ledger import Ledger
from discreet.policy import Asked, Policy, load_policy
from discreet.protect.base import Floats
from discreet.regression import Model, read_formula
from discreet.secret import Secret, load_secret
from discreet.study.gatekeeper import Gatekeeper
from discreet.table import Table, open_table
from discreet.vault import Copy, Vault, protect_view
from discreet.views import (
    BarView,
    BoxView,
    ContourView,
    CrossTableView,
    Gate,
    GridView,
    HistogramView,
    LeverageView,
    MultiplesView,
    Origin,
    PointsView,
    QQView,
    ResidualView,
    View,
)

__all__ = ["Study", "ledger_of", "open"]

HIDDEN_FOLDER = ".discreet"

V = TypeVar("V", bound=View)
ByRows = Callable[[Mapping[str, Floats], Sequence[str], Asked, Origin], V]
ByCounts = Callable[[Table, Asked, Origin], V]
Limits = Mapping[str, Sequence[float]]


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
        The name of a preset ("standard", "datashield", "sacro", "opensafely", "research"), the
        path of a TOML file, or a Policy.
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
    table.require([*{**chosen.limits, **chosen.edges, **chosen.bounds}], "continuous")
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
        self._secret: Secret = load_secret(policy.folder, allow_small=not policy.guarded)
        self._vault = Vault(self._secret, _folder(policy))
        ledger = ledger_of(policy)
        self._gatekeeper = Gatekeeper(table, policy, self._secret, ledger, self._name)
        self._groups = policy.groups or self._gatekeeper.groups_that_left()

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

    @overload
    def histogram(
        self,
        column: str,
        *,
        by: None = None,
        method: str | None = None,
        k: int | None = None,
        q: float | None = None,
        bins: int | None = None,
        limits: Limits | None = None,
        edges: Limits | None = None,
    ) -> HistogramView: ...
    @overload
    def histogram(
        self,
        column: str,
        *,
        by: str,
        method: str | None = None,
        k: int | None = None,
        q: float | None = None,
        bins: int | None = None,
        limits: Limits | None = None,
        edges: Limits | None = None,
    ) -> MultiplesView: ...
    def histogram(
        self, column: str, *, by: str | None = None, **named: Any
    ) -> HistogramView | MultiplesView:
        """Draw the distribution of one column as bars.

        Parameters
        ----------
        column : str
            A continuous column.
        by : str, optional
            A categorical column: one histogram for each of its levels, on the same bins. Levels
            of few persons are joined into "other"; with a row method it must be a stratum.
        method : str, optional
            "merge" (the default: neighbouring bins are joined until each holds k persons),
            "suppression", "generalization", a row method, or "none" under `research`.
        k, q, bins, limits, edges : optional
            Other values than the policy's, under `research` alone. `edges` are the ends of bins
            of any widths: `{"age": [0, 18, 40, 65, 100]}`.

        Returns
        -------
        HistogramView, or MultiplesView with `by`

        Raises
        ------
        InputError
            If a column or method is unknown, or the column holds no numbers.
        RefusedError
            If the policy has another value, or the table or a level holds too few persons.

        Notes
        -----
        Counts are of the raw data, each of at least k persons and rounded under `standard`;
        with a row method, of the protected rows. Avraam et al. (2021), section 4.1, Fig. 1.
        """
        asked = self._settle("histogram", [column], by=by, **named)
        if by is None:
            return self._answer(asked, from_rows.histogram, from_counts.histogram)
        return self._answer(asked, by_level.row_histograms, by_level.histograms)

    def scatter(
        self,
        x: str,
        y: str,
        *,
        by: str | None = None,
        trend: bool = False,
        method: str | None = None,
        k: int | None = None,
        q: float | None = None,
        grid: int | None = None,
        limits: Limits | None = None,
    ) -> PointsView:
        """Draw two columns against each other as points.

        Parameters
        ----------
        x, y : str
            Two continuous columns, under `standard` of one group.
        by : str, optional
            A categorical column that colours the points; under `standard` one of the strata.
        trend : bool, default False
            Draw the least-squares line of the points, one for each level of `by`; under
            `research` that of the raw records too (Fig. 2A).
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
        asked = self._settle(
            "scatter", [x, y], by=by, method=method, k=k, q=q, grid=grid, limits=limits
        )
        if by is not None and not asked.from_rows:
            raise InputError(
                f"a scatter by {asked.method!r} has no rows to colour; draw a heat map with by="
            )
        view = self._answer(asked, from_rows.scatter, from_counts.scatter)
        if not trend:
            return view
        raw = None if self._policy.guarded else self._table.rows([x, y]).numbers
        return with_trends(view, None if raw is None else (raw[x], raw[y]))

    @overload
    def heatmap(
        self,
        x: str,
        y: str,
        *,
        by: None = None,
        method: str | None = None,
        k: int | None = None,
        q: float | None = None,
        grid: int | None = None,
        limits: Limits | None = None,
    ) -> GridView: ...
    @overload
    def heatmap(
        self,
        x: str,
        y: str,
        *,
        by: str,
        method: str | None = None,
        k: int | None = None,
        q: float | None = None,
        grid: int | None = None,
        limits: Limits | None = None,
    ) -> MultiplesView: ...
    def heatmap(
        self, x: str, y: str, *, by: str | None = None, **named: Any
    ) -> GridView | MultiplesView:
        """Draw two columns as the cells of a grid, coloured by what they hold.

        Parameters
        ----------
        x, y : str
            Two continuous columns, of any group.
        by : str, optional
            A categorical column: one grid for each of its levels, on the same cells and colours.
            A cell is shown where each level has k persons in it; with a row method it must be a
            stratum.
        method : str, optional
            "generalization" (the default: half the resolution, then small cells hidden),
            "suppression", a row method, or "none" under `research`.
        k, q, grid, limits : optional
            Other values than the policy's, under `research` alone.

        Returns
        -------
        GridView, or MultiplesView with `by`

        Raises
        ------
        InputError
            If a column or method is unknown, or a column holds no numbers.
        RefusedError
            If the policy has another value, or the table or a level holds too few persons.

        Notes
        -----
        Every coloured cell stands on at least k persons. Avraam et al. (2021), section 4.1, Fig. 3.
        """
        asked = self._settle("heatmap", [x, y], by=by, **named)
        if by is None:
            return self._answer(asked, from_rows.heatmap, from_counts.heatmap)
        return self._answer(asked, by_level.row_heatmaps, by_level.heatmaps)

    @overload
    def contour(
        self,
        x: str,
        y: str,
        *,
        by: None = None,
        method: str | None = None,
        k: int | None = None,
        q: float | None = None,
        grid: int | None = None,
        limits: Limits | None = None,
    ) -> ContourView: ...
    @overload
    def contour(
        self,
        x: str,
        y: str,
        *,
        by: str,
        method: str | None = None,
        k: int | None = None,
        q: float | None = None,
        grid: int | None = None,
        limits: Limits | None = None,
    ) -> MultiplesView: ...
    def contour(
        self, x: str, y: str, *, by: str | None = None, **named: Any
    ) -> ContourView | MultiplesView:
        """Draw two columns as lines of equal count, from the grid of the heat map.

        Parameters
        ----------
        x, y : str
            Two continuous columns, of any group.
        by, method, k, q, grid, limits : optional
            As of `heatmap`, whose grid it is: what the heat map hides counts as 0.

        Returns
        -------
        ContourView, or MultiplesView with `by`

        Raises
        ------
        InputError, RefusedError
            As `heatmap`.

        Notes
        -----
        Tells nothing that the heat map does not. Avraam et al. (2021), section 4.1, Fig. 3.
        """
        asked = self._settle("contour", [x, y], by=by, **named)
        if by is None:
            return self._answer(asked, from_rows.contour, from_counts.contour)
        return self._answer(asked, by_level.row_contours, by_level.contours)

    def box(
        self,
        *columns: str,
        by: str | None = None,
        method: str | None = None,
        k: int | None = None,
        q: float | None = None,
        grid: int | None = None,
        limits: Limits | None = None,
    ) -> BoxView:
        """Draw a box plot of each column, or of one column for each level of another.

        Parameters
        ----------
        *columns : str
            One or more continuous columns; one alone with `by`.
        by : str, optional
            A categorical column whose levels have a box each; levels of few persons are joined
            into "other". With a row method it must be a stratum.
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
            If the policy has another value, some person has several rows, or the table or a
            level holds too few persons.

        Notes
        -----
        Under `standard` no outlier is drawn and no number is one person's. Avraam et al. (2021),
        section 4.1, Fig. 4.
        """
        if by is not None and len(columns) != 1:
            raise InputError("a box plot with by= draws one column; name one")
        asked = self._settle(
            "box", columns, by=by, method=method, k=k, q=q, grid=grid, limits=limits
        )
        return self._answer(asked, from_rows.box, from_counts.box)

    def bars(
        self,
        column: str,
        *,
        by: str | None = None,
        method: str | None = None,
        k: int | None = None,
    ) -> BarView:
        """Draw how many persons have each level of a categorical column.

        Parameters
        ----------
        column : str
            A categorical column.
        by : str, optional
            Another one whose levels divide the bars.
        method : str, optional
            "cell-suppression" (the default: small counts are hidden, and others where sums
            would give them back), or "none" under `research`.
        k : int, optional
            Another value than the policy's, under `research` alone.

        Returns
        -------
        BarView

        Raises
        ------
        InputError
            If a column or method is unknown, or a column holds no levels.
        RefusedError
            If the policy has another value, the table holds too few persons, or some person has
            several rows and `by` is given.

        Notes
        -----
        Under `standard` levels of fewer than k persons are joined into "other", because the name
        of a level says that somebody has it; a missing value is a level. Avraam et al. (2021),
        section 2.1.
        """
        asked = self._settle("bars", [column], kind="categorical", by=by, method=method, k=k)
        return self._seen(tables.bars(self._table, asked, self._origin()), asked)

    def crosstab(
        self, rows: str, columns: str, *, method: str | None = None, k: int | None = None
    ) -> CrossTableView:
        """Count the pairs of levels of two categorical columns, with their sums.

        Parameters
        ----------
        rows, columns : str
            Two categorical columns.
        method : str, optional
            "cell-suppression" (the default: small counts are hidden, and others where sums
            would give them back), or "none" under `research`.
        k : int, optional
            Another value than the policy's, under `research` alone.

        Returns
        -------
        CrossTableView

        Raises
        ------
        InputError
            If a column or method is unknown, or a column holds no levels.
        RefusedError
            If the policy has another value, the table holds too few persons, some person has
            several rows, or nothing could be shown.

        Notes
        -----
        Whoever knows all that is shown, and that counts are not negative, cannot narrow a hidden
        one to fewer than k possible values; who also has a table of the same persons by other
        columns perhaps can. Avraam et al. (2021), section 2.1.
        """
        asked = self._settle("crosstab", [rows, columns], kind="categorical", method=method, k=k)
        return self._seen(tables.crosstab(self._table, asked, self._origin()), asked)

    def residuals(
        self,
        formula: str,
        *,
        method: str | None = None,
        k: int | None = None,
        q: float | None = None,
        grid: int | None = None,
    ) -> ResidualView:
        """Draw the residuals of a linear regression against its fitted values.

        Parameters
        ----------
        formula : str
            The model: `"y ~ x1 + x2 + C(group)"`. Columns, their products with `:` and `*`, and
            log, log10, exp, sqrt and arithmetic of them.
        method : str, optional
            A row method (the default: that of the protected copy), or under `research` also
            "suppression", "generalization" and "none".
        k, q, grid : optional
            Other values than the policy's, under `research` alone.

        Returns
        -------
        ResidualView

        Raises
        ------
        InputError
            If the formula cannot be read, or names what is not there.
        RefusedError
            If a categorical term is no stratum of the copy, too few residual degrees of freedom
            are left, the terms depend on each other, or the policy has another value.

        Notes
        -----
        Under `standard` the model is fitted to the protected copy, so that its pictures and
        estimates teach nothing that the copy does not show; where the row method is
        "probabilistic" the view also holds estimates corrected for the noise. Under `research`
        it is fitted to the real data, and the points are then protected like those of a scatter
        plot. Avraam et al. (2021), section 4.2, Fig. 5A.
        """
        asked, model = self._settle_model("residuals", formula, method=method, k=k, q=q, grid=grid)
        view = self._diagnose(asked, model)
        return _checked(view, ResidualView)

    def qq(
        self,
        formula: str,
        *,
        noise_on: str | None = None,
        method: str | None = None,
        k: int | None = None,
        q: float | None = None,
        grid: int | None = None,
    ) -> QQView:
        """Draw quantiles of the residuals of a linear regression against normal ones.

        Parameters
        ----------
        formula : str
            As of `residuals`.
        noise_on : {"points", "variable"}, optional
            Of method "probabilistic" under `research`: noise on the points of the finished plot
            (the default, and the paper's way: the line becomes a cloud), or on the residuals
            before it is made (the line stays a line, but the more noise, the more normal it
            looks, whatever the residuals are; section 5.2).
        method, k, q, grid : optional
            As of `residuals`.

        Returns
        -------
        QQView

        Raises
        ------
        InputError, RefusedError
            As `residuals`.

        Notes
        -----
        Residuals are divided by their standard deviation. Avraam et al. (2021), section 4.2,
        Fig. 5B.
        """
        asked, model = self._settle_model("qq", formula, method=method, k=k, q=q, grid=grid)
        if noise_on is not None:
            if noise_on not in ("points", "variable"):
                raise InputError("noise_on must be 'points' or 'variable'")
            if self._policy.guarded or asked.method != "probabilistic":
                raise InputError(
                    "noise_on is for method 'probabilistic' under the policy 'research'; leave it"
                    " out: elsewhere the variables are protected before the plot is made"
                )
        view = self._diagnose(asked, model, noise_on or "points")
        return _checked(view, QQView)

    def leverage(
        self,
        formula: str,
        *,
        method: str | None = None,
        k: int | None = None,
        q: float | None = None,
        grid: int | None = None,
    ) -> LeverageView:
        """Draw the residuals of a linear regression against leverage, with Cook's distance.

        Parameters
        ----------
        formula, method, k, q, grid
            As of `residuals`.

        Returns
        -------
        LeverageView

        Raises
        ------
        InputError, RefusedError
            As `residuals`.

        Notes
        -----
        Residuals are divided by their standard deviation; the lines say where Cook's distance of
        the model is 0.5 and 1. Avraam et al. (2021), section 4.2, Fig. 5C.
        """
        asked, model = self._settle_model("leverage", formula, method=method, k=k, q=q, grid=grid)
        view = self._diagnose(asked, model)
        return _checked(view, LeverageView)

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
        return self._gatekeeper.new_version()

    def _settle(
        self,
        picture: str,
        columns: Sequence[str],
        *,
        kind: str = "continuous",
        by: str | None = None,
        **named: Any,
    ) -> Asked:
        if not columns:
            raise InputError(f"a {picture} needs at least one column")
        asked = self._policy.settle(picture, columns, by=by, **named)
        self._table.require(asked.named if kind == "categorical" else columns, kind)
        self._table.require([*{**asked.limits, **asked.edges}], "continuous")
        if by is None:
            return asked
        self._table.require([by], "categorical")
        if self._policy.guarded and asked.from_rows and by not in self._policy.strata:
            raise RefusedError(
                f"rows carry the levels of strata alone, and {by!r} is none; open a study with it:"
                f" discreet.open(..., strata=[{by!r}]), or draw from counts"
            )
        return asked

    def _settle_model(self, picture: str, formula: str, **named: Any) -> tuple[Asked, Model]:
        kinds = {name: column.kind for name, column in self._table.columns.items()}
        model = read_formula(formula, kinds)
        asked = self._settle(picture, model.numbers, **named)
        self._table.require(model.levels, "categorical")
        return asked, model

    def _answer(self, asked: Asked, by_rows: ByRows[V], by_counts: ByCounts[V]) -> V:
        """Draw from protected rows or from counts, and give the view the study's gate."""
        if not asked.from_rows:
            return self._seen(by_counts(self._table, asked, self._origin()), asked)
        copy = self._copy(asked)
        levels = () if asked.by is None else copy.strata[asked.by]
        return self._seen(by_rows(copy.columns, levels, asked, self._origin(copy, asked)), asked)

    def _seen(self, view: V, asked: Asked) -> V:
        """Give a view the study's gate."""
        drawn_from_copy = self._policy.guarded and asked.from_rows
        group = self._group(asked.columns) if drawn_from_copy else ()
        gate: Gate = partial(self._gatekeeper.leave, asked, group)
        return dataclasses.replace(view, gate=gate)

    def _diagnose(self, asked: Asked, model: Model, noise_on: str = "points") -> View:
        least = self._policy.residual_df
        if not self._policy.guarded:
            view = diagnostics.of_records(
                model,
                self._table,
                asked,
                self._origin(),
                lambda table, of: protect_view(table, self._policy, of, self._secret).columns,
                residual_df=least,
                noise_on=noise_on,
            )
            return self._seen(view, dataclasses.replace(asked, columns=model.numbers))
        for name in model.levels:
            if name not in self._policy.strata:
                raise RefusedError(
                    f"a regression has rows of {name!r} only where it is a stratum of the protected"
                    f" copy; open a study with it: discreet.open(..., strata=[{name!r}])"
                )
        copy = self._copy(asked)
        origin = self._origin(copy, asked)
        noise = self._noise_of(model)
        view = diagnostics.of_protected(
            model, copy.columns, copy.strata, asked, origin, residual_df=least, noise=noise
        )
        return self._seen(view, asked)

    def _noise_of(self, model: Model) -> float | None:
        """Return the noise that estimates from the copy can be corrected for, if it is simple."""
        policy = self._policy
        bounded = policy.outside != "keep" and set(policy.bounds) & set(model.numbers)
        if policy.rows != "probabilistic" or policy.far_noise != "even" or bounded:
            return None
        return policy.noise(policy.rows)

    def _copy(self, asked: Asked) -> Copy:
        if not self._policy.guarded:
            naming = None if asked.by is None else panels_of(self._table, asked.by, asked).named
            return protect_view(self._table, self._policy, asked, self._secret, naming)
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

    def _origin(self, copy: Copy | None = None, asked: Asked | None = None) -> Origin:
        persons = "persons" if self._table.unit is not None else "records"
        return Origin(
            policy=self._policy.name,
            regime=self._policy.regime,
            public=self._policy.public,
            study=self._name,
            version=None if copy is None else copy.version,
            left_out=0 if copy is None else copy.left_out,
            counted=persons if copy is None else "protected rows",
            remarks=() if copy is None or asked is None else self._remarks(copy, asked),
        )

    def _remarks(self, copy: Copy, asked: Asked) -> tuple[str, ...]:
        """Say what became of protected values outside the bounds of their columns."""
        said = []
        for name in asked.columns:
            low, high = self._policy.bounds.get(name, (-math.inf, math.inf))
            values = copy.columns[name]
            if self._policy.outside != "keep" and name in self._policy.bounds:
                done = {"reflect": "reflected at them", "clip": "put on them"}
                said.append(f"values outside the bounds of {name} are {done[self._policy.outside]}")
            elif ((values < low) | (values > high)).any():
                said.append(f"some values lie outside the bounds of {name}, and are kept")
        return tuple(said)


def _checked(view: View, kind: type[V]) -> V:
    if not isinstance(view, kind):
        raise BrokenPromiseError("a diagnostic came out as another picture than was asked for")
    return view


def _folder(policy: Policy) -> Path | None:
    """Return where the study's things lie beside the policy file, where there is one."""
    return None if policy.folder is None else policy.folder / HIDDEN_FOLDER


def _state_folder() -> Path:
    from platformdirs import user_state_path

    return Path(os.environ.get("DISCREET_STATE") or user_state_path("discreet"))
