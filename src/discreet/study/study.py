"""The Study: one short method for each thing one can ask, answered with a View."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NoReturn, overload

from discreet.answers import by_level, from_counts, from_rows, tables
from discreet.answers.trends import with_trends
from discreet.errors import InputError, RefusedError
from discreet.policy import Policy
from discreet.study.desk import Desk
from discreet.table import Table
from discreet.views import (
    BarView,
    BoxView,
    ContourView,
    CrossTableView,
    GridView,
    HistogramView,
    LeverageView,
    MultiplesView,
    PointsView,
    QQView,
    ResidualView,
)

__all__ = ["Study"]

Limits = Mapping[str, Sequence[float]]


class Study:
    """A table behind a policy: one short method for each thing one can ask.

    Made by `discreet.open`. Prints no value and cannot be pickled. Every method returns a View;
    what it takes beside columns overrides the policy where the policy lets it (`research`), and
    is refused where it is fixed (`standard`).
    """

    def __init__(self, table: Table, policy: Policy) -> None:
        self._desk = Desk(table, policy)

    def __repr__(self) -> str:
        name = "a frame without a name" if self._desk.name is None else repr(self._desk.name)
        policy, table = self._desk.policy, self._desk.table
        return f"Study({name}, policy {policy.name!r}, k = {policy.k}; {table!r})"

    def __reduce__(self) -> NoReturn:
        raise RefusedError("a Study holds raw data and cannot be pickled or copied")

    @property
    def policy(self) -> Policy:
        """The policy in force."""
        return self._desk.policy

    @property
    def groups(self) -> tuple[tuple[str, ...], ...]:
        """The columns whose rows may be seen together, as far as they are settled."""
        return self._desk.groups

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
        self,
        column: str,
        *,
        by: str | None = None,
        method: str | None = None,
        k: int | None = None,
        q: float | None = None,
        bins: int | None = None,
        limits: Limits | None = None,
        edges: Limits | None = None,
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
        asked = self._desk.settle(
            "histogram",
            [column],
            by=by,
            method=method,
            k=k,
            q=q,
            bins=bins,
            limits=limits,
            edges=edges,
        )
        if by is None:
            return self._desk.answer(asked, from_rows.histogram, from_counts.histogram)
        return self._desk.answer(asked, by_level.row_histograms, by_level.histograms)

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
        asked = self._desk.settle(
            "scatter", [x, y], by=by, method=method, k=k, q=q, grid=grid, limits=limits
        )
        if by is not None and not asked.from_rows:
            raise InputError(
                f"a scatter by {asked.method!r} has no rows to colour; draw a heat map with by="
            )
        view = self._desk.answer(asked, from_rows.scatter, from_counts.scatter)
        if not trend:
            return view
        raw = None if self._desk.policy.guarded else self._desk.table.rows([x, y]).numbers
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
        self,
        x: str,
        y: str,
        *,
        by: str | None = None,
        method: str | None = None,
        k: int | None = None,
        q: float | None = None,
        grid: int | None = None,
        limits: Limits | None = None,
    ) -> GridView | MultiplesView:
        """Draw two columns as the cells of a grid, coloured by what they hold.

        Parameters
        ----------
        x, y : str
            Two continuous columns, of any group.
        by : str, optional
            A categorical column: one grid for each of its levels, on the same cells and colours.
            Under a guarded policy a cell is shown where each level has k persons in it; with a
            row method it must be a stratum.
        method : str, optional
            "generalization" (the default: cells get coarser until `shown_share` of the records
            show, or half as many under `research`; small ones are hidden), "suppression", a row
            method, or "none" under `research`.
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
        Drawn from counts, every coloured cell stands on at least k persons; with a row method
        cells count protected rows. Avraam et al. (2021), section 4.1, Fig. 3.
        """
        asked = self._desk.settle(
            "heatmap", [x, y], by=by, method=method, k=k, q=q, grid=grid, limits=limits
        )
        if by is None:
            return self._desk.answer(asked, from_rows.heatmap, from_counts.heatmap)
        return self._desk.answer(asked, by_level.row_heatmaps, by_level.heatmaps)

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
        self,
        x: str,
        y: str,
        *,
        by: str | None = None,
        method: str | None = None,
        k: int | None = None,
        q: float | None = None,
        grid: int | None = None,
        limits: Limits | None = None,
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
        asked = self._desk.settle(
            "contour", [x, y], by=by, method=method, k=k, q=q, grid=grid, limits=limits
        )
        if by is None:
            return self._desk.answer(asked, from_rows.contour, from_counts.contour)
        return self._desk.answer(asked, by_level.row_contours, by_level.contours)

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
            A categorical column whose levels have a box each, under a guarded policy without
            whiskers; levels of few persons are joined into "other". With a row method it must be
            a stratum.
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
        asked = self._desk.settle(
            "box", columns, by=by, method=method, k=k, q=q, grid=grid, limits=limits
        )
        return self._desk.answer(asked, from_rows.box, from_counts.box)

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
        asked = self._desk.settle("bars", [column], "categorical", by=by, method=method, k=k)
        return self._desk.counted(asked, tables.bars)

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
        pair = [rows, columns]
        asked = self._desk.settle("crosstab", pair, "categorical", method=method, k=k)
        return self._desk.counted(asked, tables.crosstab)

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
        it is fitted to the real data, whose estimates the view tells, and the points are then
        protected like those of a scatter plot. Avraam et al. (2021), section 4.2, Fig. 5A.
        """
        numbers: dict[str, Any] = {"method": method, "k": k, "q": q, "grid": grid}
        return self._desk.diagnose(ResidualView, formula, **numbers)

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
        numbers: dict[str, Any] = {"method": method, "k": k, "q": q, "grid": grid}
        return self._desk.diagnose(QQView, formula, noise_on=noise_on, **numbers)

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
        numbers: dict[str, Any] = {"method": method, "k": k, "q": q, "grid": grid}
        return self._desk.diagnose(LeverageView, formula, **numbers)

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
        return self._desk.gatekeeper.new_version()
