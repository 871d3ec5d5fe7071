"""The Study, and how it is opened: one method for each thing one can ask, answered with a View."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, NoReturn, TypedDict, Unpack, overload

from discreet import plots
from discreet.errors import InputError, RefusedError
from discreet.estimates.column_list import ColumnList
from discreet.estimates.copy_table import CopyTable
from discreet.estimates.fidelity_report import Fidelity
from discreet.explore.asking import asked, check_risk_below, known_settings
from discreet.explore.board import board_of
from discreet.explore.choice import chosen, kinds_of, overview, with_choice
from discreet.explore.columns import columns_of, columns_released
from discreet.explore.derived import DerivedCopy, axis_order, derived_of
from discreet.explore.file_checks import FileCheck
from discreet.explore.from_file import Custodian, FileSession, OfData, open_file
from discreet.explore.model import modelled
from discreet.explore.notebook import offer_names
from discreet.explore.summary import average, summarise
from discreet.explore.verify_file import FileVerifier
from discreet.plots.bars import BARS
from discreet.plots.box import BOX
from discreet.plots.contour import CONTOUR
from discreet.plots.correlations import CORRELATIONS, MOST_COLUMNS
from discreet.plots.crosstab import CROSSTAB
from discreet.plots.density import DENSITY
from discreet.plots.diagnostics import LEVERAGE, QQ, RESIDUALS
from discreet.plots.ecdf import ECDF
from discreet.plots.heatmap import HEATMAP
from discreet.plots.histogram import HISTOGRAM
from discreet.plots.over_time import OVER_TIME
from discreet.plots.parallel import PARALLEL
from discreet.plots.scatter import SCATTER
from discreet.plots.survival import SURVIVAL
from discreet.plots.violin import VIOLIN
from discreet.policy import Policy, Sensitive
from discreet.web.board import Board

if TYPE_CHECKING:
    from discreet.release import Release

NO_DATA = (
    "this study is a file, which holds protected rows and no data: what you ask is for the"
    " custodian, who opens the data themselves (discreet.open of the source)"
)
Limits = Mapping[str, Sequence[float]]
Two = tuple[str, str] | list[str]
"""Two columns of levels, by which a plot of the copy is divided."""


class GridSettings(TypedDict, total=False):
    """Settings of points, boxes and grids; where nobody says they are as usual."""

    grid: int | None
    limits: Limits | None


class BinSettings(TypedDict, total=False):
    """Settings of a histogram; where nobody says they are as usual."""

    bins: int | None
    limits: Limits | None
    edges: Limits | None


class AxisSettings(TypedDict, total=False):
    """Settings of parallel coordinates; `k`, `diversity` and `cost` of a PUBLIC study file."""

    k: int | None
    diversity: int | None
    pixels: int | None
    limits: Limits | None
    cost: str | None


class Study:
    """What people look at: one short method for each thing one can ask of a protected copy.

    Made by `discreet.open`. Prints no value and cannot be pickled. Every plot is answered with a
    View, and drawn from one protected copy of the whole table: of any columns, by any level, with
    any settings of the view (bins, grid, limits, pixels), and none is refused because of another.
    Every method raises InputError if a column or setting is unknown or of another kind than is
    needed, and RefusedError if the table or a level holds too few rows.

    A study that is a file (`is_file`) makes everything of the protected rows in it, and refuses
    what needs the data.

    Attributes
    ----------
    session : Session
        The table behind the study, with its secret and register: for the custodian. A study that is
        a file has none.
    """

    def __init__(self, of: FileSession | OfData, derived: DerivedCopy | None = None) -> None:
        self._of, self._derived = of, derived

    def __repr__(self) -> str:
        of = self._session
        name = "a frame without a name" if of.name is None else repr(of.name)
        held = of if self.is_file else of.table
        told = f"policy {self.policy.name!r}, k = {self.policy.k}; {held!r}"
        steps = () if self._derived is None else self._derived.steps
        return f"Study({'; '.join((f'{name}, {told}', *steps))})"

    def __reduce__(self) -> NoReturn:
        raise RefusedError("a Study holds raw data and cannot be pickled or copied")

    @property
    def session(self) -> Any:
        """The data behind the study; refused of a study that is a file, which has none."""
        return self._of_data().session

    @property
    def _session(self) -> FileSession | Custodian:
        of = self._of
        if isinstance(of, FileSession):
            return of
        found: Custodian = of.session
        return found

    def _of_data(self) -> OfData:
        if isinstance(self._of, FileSession):
            raise RefusedError(NO_DATA)
        return self._of

    @property
    def is_file(self) -> bool:
        """Whether the study is a file, and everything is made of the protected rows in it."""
        return isinstance(self._of, FileSession)

    @property
    def is_derived(self) -> bool:
        """Whether it is of some rows, or has new columns, by `where` or `assign`."""
        return self._derived is not None

    def close(self) -> None:
        """Close the file that the study is; nothing is to be closed of another study.

        Examples
        --------
        >>> import discreet as dc
        >>> dc.open(dc.datasets.diabetes()).close()
        """
        if isinstance(self._of, FileSession):
            self._of.close()

    @property
    def policy(self) -> Policy:
        """The policy in force."""
        return self._session.policy

    @property
    def columns(self) -> ColumnList:
        """The columns: kind, unit, levels, share of missing values and a small histogram of each.

        It prints as a table, shows itself in a notebook, and is a mapping of names to
        `ColumnFacts`: `study.columns["bmi"].kind`. `pandas.DataFrame(study.columns.figures)` has
        all of it, and `to_json` writes it. Figures are of the rows of the copy of the whole table,
        made where it is not yet, so that they are free and as near as the copy is; levels are those
        of the copy. What `where` and `assign` return has figures of its own rows, and its new
        columns.

        Examples
        --------
        >>> import discreet as dc
        >>> study = dc.open(dc.datasets.diabetes())
        >>> study.columns["sex"].levels
        ('1', '2')
        >>> list(study.assign(old="age >= 65").columns)[-1]
        'old'
        """
        return columns_of(self._of_copy())

    def where(self, condition: str) -> Study:
        """Return a study of those rows of the copy for which a condition holds.

        Parameters
        ----------
        condition : str
            Such as "age >= 50 and sex == 'F'": columns of the copy, compared (docs/expressions.md).
            Rows for which it is unknown, because a value is missing, are not among them.

        Returns
        -------
        Study
            All plots and tables of it are drawn from these rows; `where` and `assign` chain.

        Raises
        ------
        InputError
            If the condition cannot be read, with the place; or a column is unknown or of another
            kind.
        RefusedError
            If the study has no copy of the whole table, or fewer than 50 rows are left.

        Notes
        -----
        Rows of the copy are chosen, and no raw value is looked at: so it is free, as all that is
        drawn from the copy. Small parts are rough: below 300 rows the notes of a plot say how far
        off the number of persons in such a part is.

        Examples
        --------
        >>> import discreet as dc
        >>> study = dc.open(dc.datasets.diabetes())
        >>> study.where("age >= 50 and bmi < 30").scatter("bmi", "glucose").origin.total > 50
        True
        """
        return Study(self._of, self._of_copy().where(condition))

    def assign(self, **columns: str) -> Study:
        """Return a study whose copy has new columns, each said by an expression.

        Parameters
        ----------
        **columns
            Of each name an expression: `log_bmi="log(bmi)"`, `old="age >= 65"` (levels yes and no),
            `band="cut(age, 40, 60)"`, `year="year(visit)"` (docs/expressions.md). One may use those
            before it.

        Returns
        -------
        Study

        Raises
        ------
        InputError
            If an expression cannot be read, with the place; a column in it is unknown or of another
            kind; or there is a column of the new name.
        RefusedError
            If the study has no copy of the whole table, or an expression has no value in any row.

        Notes
        -----
        New columns are made of the rows of the copy: `log(bmi)` is the logarithm of the copy's bmi,
        and as near to that of the raw one as it.

        Examples
        --------
        >>> import discreet as dc
        >>> study = dc.open(dc.datasets.diabetes())
        >>> study.assign(band="cut(age, 40, 60)").bars("band").columns
        ('band',)
        """
        return Study(self._of, self._of_copy().assign(columns))

    def _of_copy(self) -> DerivedCopy:
        """Return the rows of the copy, which is made on the first call, or what was derived."""
        if self._derived is not None:
            return self._derived
        return derived_of(self._file)

    @cached_property
    def _file(self) -> FileSession:
        # Here, and not of the session, which it refers to: each is gone with the last study of it.
        return self._of if isinstance(self._of, FileSession) else self._of.open_copy()

    def board(self) -> Board:
        """Return the board: a page on which the rows of the copy are explored.

        Every column as a small picture; filters, new columns, plots that light up together. It is
        shown in a notebook by naming it in a cell, and saved as one file that opens in any browser
        and asks nobody for anything. Models need Python.

        Returns
        -------
        Board
            `save` writes it as .html, `widget` returns it as a widget. Of what `where` and `assign`
            return it has those rows and columns.

        Raises
        ------
        RefusedError
            If the study has no copy of the whole table, or the policy keeps it on a server (`copy`,
            `copy_rows`, `copy_bytes`).

        Notes
        -----
        Whoever has the board has the rows: it is a release of the copy, and recorded when it is
        saved or shown. What is drawn and saved on it later is drawn of what was released, and
        recorded nowhere.

        Examples
        --------
        >>> import discreet as dc
        >>> study = dc.open(dc.datasets.diabetes())
        >>> study.board().columns[:3]
        ('age', 'sex', 'bmi')
        >>> study.where("age >= 50").board().rows < study.board().rows
        True
        """
        return board_of(self._of_copy())

    @asked
    def plot(self, *columns: str, by: str | Two | None = None) -> plots.View:
        """Draw columns by the plot that their kinds choose; `describe` says which it is.

        Parameters
        ----------
        *columns : str
            The columns; none for an overview of the study.
        by : str or pair of str, optional
            A column whose levels divide the plot, where it has such, or two.

        Returns
        -------
        View
            ========================================  =======================================
            columns, in any order                     plot
            ========================================  =======================================
            a number                                  `histogram`
            a category                                `bars`
            a date                                    `over_time`: how many rows
            two numbers, or two dates                 `scatter`
            a number and a category                   `box` of the number, by the category
            two categories                            `bars` of the first, by the second
            a date and a number                       `over_time`: the mean of the number
            a date and a category                     `over_time`: rows, by the category
            two numbers and a category                `scatter`, by the category
            a date, a number and a category           `over_time`: the mean, by the category
            three numbers or more                     `correlations`
            other three columns or more               `parallel`
            none                                      `parallel` of the first eight columns
            ========================================  =======================================

        Raises
        ------
        InputError
            If a column is unknown or named twice, or the plot of these columns has no `by`.
        RefusedError
            As of the plot that is chosen.

        Notes
        -----
        The plot is that which its own method draws, with its usual settings; call that one to
        choose others. A column of codes is one of numbers unless the policy says that it is one of
        levels (`kinds={"ward": "categorical"}`). An overview leaves categories of more than 12
        levels out, and needs a copy of the whole table.

        Examples
        --------
        >>> import discreet as dc
        >>> study = dc.open(dc.datasets.diabetes())
        >>> study.plot("sex", "bmi").kind
        'box'
        >>> study.plot("age", "bmi").origin.chosen
        'scatter, for 2 numbers'
        """
        if columns or by is not None:
            choice = chosen(kinds_of(self._of_copy(), columns), by)
        else:
            choice = overview(self._of_copy())
        found = plots.PLOTS[choice.plot]
        named = (choice.columns,) if found.axes or found.listed else choice.columns
        divided = {} if choice.by is None else {"by": choice.by}
        drawn: plots.View = getattr(self, choice.plot)(*named, **divided)
        return with_choice(drawn, choice)

    @overload
    def histogram(
        self,
        column: str,
        *,
        by: None = None,
        overlay: bool = False,
        weights: str | None = None,
        **view: Unpack[BinSettings],
    ) -> plots.HistogramView: ...
    @overload
    def histogram(
        self,
        column: str,
        *,
        by: str,
        overlay: bool = False,
        weights: str | None = None,
        **view: Unpack[BinSettings],
    ) -> plots.MultiplesView: ...
    @overload
    def histogram(
        self, column: str, *, by: Two, overlay: bool = False, **view: Unpack[BinSettings]
    ) -> plots.PanelsView: ...
    @asked
    def histogram(
        self,
        column: str,
        *,
        by: str | Two | None = None,
        overlay: bool = False,
        weights: str | None = None,
        **view: Unpack[BinSettings],
    ) -> plots.HistogramView | plots.MultiplesView | plots.PanelsView:
        """Draw the distribution of one column as bars.

        Parameters
        ----------
        column : str
            A continuous column.
        by : str or pair of str, optional
            A categorical column: one histogram for each of its levels, on the same bins. Of two,
            the levels of the first have a row of panels each and those of the second a column; what
            has fewer than 50 rows is not drawn.
        overlay : bool, default False
            Draw the levels of `by` on one pair of axes, as outlines with an area of 1 each; of
            more than six levels the six with the most rows. Without `by` it changes nothing; with
            two columns those of the first are outlines, in a panel for each level of the second.
        weights : str, optional
            A column of numbers, a survey's weights, above 0: densities are of the weights of the
            rows of the copy of the whole table. Rows without one are left out; `by` is of one
            column at most.
        **view
            `bins`, `limits`, or `edges`, the ends of bins of any widths:
            `{"age": [0, 18, 40, 65, 100]}`.

        Returns
        -------
        HistogramView, or MultiplesView with `by`, or PanelsView by two columns

        Notes
        -----
        Bins hold rows of the protected copy.
        """
        settings = known_settings(BinSettings, view)
        how: dict[str, Any] = {"by": by, "overlay": overlay, "weights": weights}
        return self._of_copy().draw(HISTOGRAM, [column], **how, **settings)

    @overload
    def density(self, column: str, *, by: str | None = None) -> plots.DensityView: ...
    @overload
    def density(self, column: str, *, by: Two) -> plots.PanelsView: ...
    @asked
    def density(
        self, column: str, *, by: str | Two | None = None
    ) -> plots.DensityView | plots.PanelsView:
        """Draw the distribution of one column as a smooth curve.

        Parameters
        ----------
        column : str
            A continuous column; of the copy of the whole table also one of dates.
        by
            As of `ecdf`. Levels whose rows have one value alone have no curve either.

        Returns
        -------
        DensityView, or PanelsView by two columns
            `curves` and the `bandwidths` of their Gaussian kernels.

        Raises
        ------
        RefusedError
            Also if no curve has 10 rows of different values.

        Notes
        -----
        The bandwidth is 0.9 times the standard deviation, or the quartiles' range divided by 1.34
        where that is smaller and not 0, divided by the fifth root of the number of rows
        (Silverman 1986, equation 3.31), and at least a 200th of what the curve spans. Kernels are
        reflected at the smallest and the largest value of each curve, so that nothing is drawn
        where no row lies, and every curve has an area of 1. Computed from protected rows, it
        teaches nothing that the copy does not. A peak of few rows may be chance.

        Examples
        --------
        >>> import discreet as dc
        >>> view = dc.open(dc.datasets.diabetes()).density("bmi", by="sex")
        >>> len(view.curves), len(view.bandwidths)
        (2, 2)
        """
        return self._of_copy().draw(DENSITY, [column], by=by)

    @overload
    def ecdf(self, column: str, *, by: str | None = None) -> plots.EcdfView: ...
    @overload
    def ecdf(self, column: str, *, by: Two) -> plots.PanelsView: ...
    @asked
    def ecdf(
        self, column: str, *, by: str | Two | None = None
    ) -> plots.EcdfView | plots.PanelsView:
        """Draw which share of the rows lies at or below each value, as a curve in steps.

        Parameters
        ----------
        column : str
            A continuous column; of the copy of the whole table also one of dates.
        by : str or pair of str, optional
            A categorical column: a curve for each of its levels, of at least 10 rows; of more than
            12 levels those with the most rows. The others are named below the plot. Of two, the
            levels of the first have a curve in a panel for each of the second; what has fewer than
            50 rows is not drawn.

        Returns
        -------
        EcdfView, or PanelsView by two columns
            `curves`: the values at which each rises, and the shares at or below them; of more than
            1,000 different values every thousandth of the rows.

        Raises
        ------
        RefusedError
            Also if no curve has 10 rows.

        Notes
        -----
        Computed from protected rows, so it teaches nothing that the copy does not. It does not say
        how far the copy's distribution is from the raw one: `fidelity` does, and a curve of few
        rows is rough.

        Examples
        --------
        >>> import discreet as dc
        >>> view = dc.open(dc.datasets.diabetes()).ecdf("glucose", by="sex")
        >>> [curve.y[-1] for curve in view.curves]
        [1.0, 1.0]
        """
        return self._of_copy().draw(ECDF, [column], by=by)

    @overload
    def scatter(
        self,
        x: str,
        y: str,
        *,
        by: str | None = None,
        trend: bool = False,
        show: Literal["auto", "points"] = "auto",
        **view: Unpack[GridSettings],
    ) -> plots.PointsView: ...
    @overload
    def scatter(
        self,
        x: str,
        y: str,
        *,
        by: str | None = None,
        trend: bool = False,
        show: Literal["density"],
        **view: Unpack[GridSettings],
    ) -> plots.ScatterDensityView: ...
    @overload
    def scatter(
        self,
        x: str,
        y: str,
        *,
        by: Two,
        trend: bool = False,
        show: str = "auto",
        **view: Unpack[GridSettings],
    ) -> plots.PanelsView: ...
    @asked
    def scatter(
        self,
        x: str,
        y: str,
        *,
        by: str | Two | None = None,
        trend: bool = False,
        show: str = "auto",
        **view: Unpack[GridSettings],
    ) -> plots.PointsView | plots.ScatterDensityView | plots.PanelsView:
        """Draw two columns against each other as points, or, of many rows, as coloured cells.

        Parameters
        ----------
        x, y : str
            Two continuous columns.
        by : str or pair of str, optional
            A categorical column that colours the points. Of two, the levels of the first have a row
            of panels each and those of the second a column; what has fewer than 50 rows is not
            drawn.
        trend : bool, default False
            Draw the least-squares line of all rows, one for each level of `by`.
        show : {"auto", "points", "density"}, default "auto"
            Each row as a point; or "density", cells coloured by which share of the rows lies in
            them, with a panel for each level of `by`. "auto" draws the density of more than 2,000
            rows of the copy of the whole table, and points of fewer. By two columns it is points.
        **view
            `grid` or `limits`.

        Returns
        -------
        PointsView, or ScatterDensityView where cells are drawn, or PanelsView by two columns

        Notes
        -----
        The points are rows of the protected copy, so asking again, or for other columns, teaches
        nothing that the copy does not.
        """
        settings = known_settings(GridSettings, view)
        how: dict[str, Any] = {"by": by, "trend": trend, "show": show}
        return self._of_copy().draw(SCATTER, [x, y], **how, **settings)

    @asked
    def correlations(self, columns: Sequence[str] | None = None) -> plots.CorrelationsView:
        """Draw how far each two columns go together, as a matrix of correlations.

        Parameters
        ----------
        columns : sequence of str, optional
            2 to 20 continuous columns; by default all of the copy.

        Returns
        -------
        CorrelationsView
            `pearson` and `spearman`, each a whole matrix.

        Raises
        ------
        InputError
            Also if there are more than 20 columns and none are named.
        RefusedError

        Notes
        -----
        Pearson's correlations of values stand below the diagonal and Spearman's of ranks above:
        where two mirrored cells differ, the relation is no straight line, or few rows far out
        decide it. In the copy of the whole table each correlation is of the rows that have both
        values; one of fewer than ten such rows, or of a column that does not vary, is empty.
        Computed from protected rows, they teach nothing that the copy does not; `fidelity` says how
        far its correlations are from the raw ones.

        Examples
        --------
        >>> import discreet as dc
        >>> view = dc.open(dc.datasets.diabetes()).correlations(["age", "bmi", "glucose"])
        >>> view.pearson[0][0], view.pearson[0][1] == view.pearson[1][0]
        (1.0, True)
        """
        names = self._of_copy().session.numbers_together() if columns is None else columns
        if not 2 <= len(names) <= MOST_COLUMNS:
            raise InputError(
                f"correlations are of a list of 2 to {MOST_COLUMNS} columns of numbers; name them:"
                " columns=['a', 'b', 'c']"
            )
        return self._of_copy().draw(CORRELATIONS, names)

    @overload
    def heatmap(
        self, x: str, y: str, *, by: None = None, **view: Unpack[GridSettings]
    ) -> plots.GridView: ...
    @overload
    def heatmap(
        self, x: str, y: str, *, by: str, **view: Unpack[GridSettings]
    ) -> plots.MultiplesView: ...
    @overload
    def heatmap(
        self, x: str, y: str, *, by: Two, **view: Unpack[GridSettings]
    ) -> plots.PanelsView: ...
    @asked
    def heatmap(
        self, x: str, y: str, *, by: str | Two | None = None, **view: Unpack[GridSettings]
    ) -> plots.GridView | plots.MultiplesView | plots.PanelsView:
        """Draw two columns as the cells of a grid, coloured by what they hold.

        Parameters
        ----------
        x, y : str
            Two continuous columns.
        by : str or pair of str, optional
            A categorical column: one grid for each of its levels, on the same cells and colours. Of
            two, the levels of the first have a row of panels each and those of the second a column;
            what has fewer than 50 rows is not drawn.
        **view
            `grid` or `limits`.

        Returns
        -------
        GridView, or MultiplesView with `by`, or PanelsView by two columns

        Notes
        -----
        Cells hold rows of the protected copy.
        """
        settings = known_settings(GridSettings, view)
        return self._of_copy().draw(HEATMAP, [x, y], by=by, **settings)

    @overload
    def contour(
        self, x: str, y: str, *, by: None = None, **view: Unpack[GridSettings]
    ) -> plots.ContourView: ...
    @overload
    def contour(
        self, x: str, y: str, *, by: str, **view: Unpack[GridSettings]
    ) -> plots.MultiplesView: ...
    @overload
    def contour(
        self, x: str, y: str, *, by: Two, **view: Unpack[GridSettings]
    ) -> plots.PanelsView: ...
    @asked
    def contour(
        self, x: str, y: str, *, by: str | Two | None = None, **view: Unpack[GridSettings]
    ) -> plots.ContourView | plots.MultiplesView | plots.PanelsView:
        """Draw two columns as lines of equal count, from the grid of the heat map.

        Parameters
        ----------
        x, y, by, **view
            As of `heatmap`, whose grid it is.

        Returns
        -------
        ContourView, or MultiplesView with `by`, or PanelsView by two columns

        Notes
        -----
        Tells nothing that the heat map does not.
        """
        settings = known_settings(GridSettings, view)
        return self._of_copy().draw(CONTOUR, [x, y], by=by, **settings)

    @overload
    def box(
        self, *columns: str, by: str | None = None, **view: Unpack[GridSettings]
    ) -> plots.BoxView: ...
    @overload
    def box(self, *columns: str, by: Two, **view: Unpack[GridSettings]) -> plots.PanelsView: ...
    @asked
    def box(
        self, *columns: str, by: str | Two | None = None, **view: Unpack[GridSettings]
    ) -> plots.BoxView | plots.PanelsView:
        """Draw a box plot of each column, or of one column for each level of another.

        Parameters
        ----------
        *columns : str
            One or more continuous columns; one alone with `by`.
        by : str or pair of str, optional
            A categorical column whose levels have a box each. Of two, the boxes of the second stand
            side by side at each level of the first; what has fewer than 50 rows is not drawn.
        **view
            `grid` or `limits`.

        Returns
        -------
        BoxView, or PanelsView by two columns

        Notes
        -----
        Boxes are of the rows of the protected copy, outliers too.

        Examples
        --------
        >>> import discreet as dc
        >>> study = dc.open(dc.datasets.diabetes()).assign(old="age >= 50")
        >>> view = study.box("bmi", by=("old", "sex"))
        >>> view.first, view.second, view.drawn
        (('no', 'yes'), ('1', '2'), 4)
        """
        settings = known_settings(GridSettings, view)
        if by is not None and len(columns) != 1:  # before anything of a column is refused
            raise InputError("a box plot with by= draws one column; name one")
        return self._of_copy().draw(BOX, columns, by=by, **settings)

    @overload
    def violin(self, column: str, *, by: str | None = None) -> plots.ViolinView: ...
    @overload
    def violin(self, column: str, *, by: Two) -> plots.PanelsView: ...
    @asked
    def violin(
        self, column: str, *, by: str | Two | None = None
    ) -> plots.ViolinView | plots.PanelsView:
        """Draw the density of a column as a violin, or one violin for each level of another.

        Parameters
        ----------
        column : str
            A continuous column.
        by : str, optional
            A categorical column: a violin for each of its levels of at least 10 rows; of more than
            12 levels for those with the most rows. The others are named below the plot. A pair of
            columns draws a panel for each level of the second one.

        Returns
        -------
        ViolinView, or PanelsView by a pair
            `curves`: the density of each; `quarters`: its quartiles and median; `rows`: of how many
            rows it is.

        Raises
        ------
        RefusedError
            Also if no level has 10 rows, or the column has one value alone.

        Notes
        -----
        The curves are those of `density`, mirrored. All have the same area, so that levels of any
        size compare. Computed from protected rows, so they teach nothing that the copy does not.
        Hintze and Nelson, "Violin plots: a box plot-density trace synergism", The American
        Statistician 52 (1998).

        Examples
        --------
        >>> import discreet as dc
        >>> view = dc.open(dc.datasets.diabetes()).violin("glucose", by="sex")
        >>> [curve.label for curve in view.curves], view.rows[0] > 200
        (['1', '2'], True)
        """
        return self._of_copy().draw(VIOLIN, [column], by=by)

    @overload
    def bars(
        self,
        column: str,
        *,
        by: str | None = None,
        percent: bool = False,
        weights: str | None = None,
    ) -> plots.BarView: ...
    @overload
    def bars(self, column: str, *, by: Two, percent: bool = False) -> plots.PanelsView: ...
    @asked
    def bars(
        self,
        column: str,
        *,
        by: str | Two | None = None,
        percent: bool = False,
        weights: str | None = None,
    ) -> plots.BarView | plots.PanelsView:
        """Draw how many, or which share of them, have each level of a categorical column.

        Parameters
        ----------
        column : str
            A categorical column.
        by : str or pair of str, optional
            Another one whose levels divide the bars. Of two, the levels of the first divide the
            bars in a panel for each of the second; what has fewer than 50 rows is not drawn.
        percent : bool, default False
            Draw shares in percent; with `by`, within each of its levels: of the women, 12 % have
            it.
        weights : str, optional
            A column of numbers, a survey's weights, above 0: sums of the weights of the rows of the
            copy of the whole table, or their shares. Rows without one are left out.

        Returns
        -------
        BarView, or PanelsView by two columns

        Raises
        ------
        RefusedError
            Also if some person has several rows and bars are divided by `by`.

        Notes
        -----
        Rows of the protected copy are counted, as in every other plot and table of it. A missing
        value is a level.

        Examples
        --------
        >>> import discreet as dc
        >>> view = dc.open(dc.datasets.diabetes()).bars("sex", percent=True)
        >>> [round(sum(shares)) for shares in view.shares]
        [100]
        """
        how: dict[str, Any] = {"percent": percent, "weights": weights}
        return self._of_copy().draw(BARS, [column], by=by, **how)

    @asked
    def crosstab(self, rows: str, columns: str) -> plots.CrossTableView:
        """Count the pairs of levels of two categorical columns, with their sums.

        Parameters
        ----------
        rows, columns : str
            Two categorical columns.

        Returns
        -------
        CrossTableView

        Raises
        ------
        RefusedError
            Also if some person is in several cells.

        Notes
        -----
        Rows of the protected copy are counted. Where the policy lists the two columns (`tables`)
        the copy has the counts of the data, with noise.
        """
        return self._of_copy().draw(CROSSTAB, [rows, columns])

    @overload
    def survival(
        self,
        time: str,
        event: str,
        *,
        by: str | None = None,
        event_is: str | float | Sequence[str | float] | None = None,
    ) -> plots.SurvivalView: ...
    @overload
    def survival(
        self,
        time: str,
        event: str,
        *,
        by: Two,
        event_is: str | float | Sequence[str | float] | None = None,
    ) -> plots.PanelsView: ...
    @asked
    def survival(
        self,
        time: str,
        event: str,
        *,
        by: str | Two | None = None,
        event_is: str | float | Sequence[str | float] | None = None,
    ) -> plots.SurvivalView | plots.PanelsView:
        """Draw which share has not had the event by each time, by Kaplan and Meier.

        Parameters
        ----------
        time : str
            A continuous column: how long each was observed. Rows of a negative time are left out.
        event : str
            Whether that ended with the event or with the end of observation: a column of levels,
            or of codes, numbers of which there are 30 different ones at most.
        by : str or pair of str, optional
            A categorical column: a curve for each of its levels of at least 10 rows, 12 at most. Of
            two, the levels of the first have a curve in a panel for each of the second; what has
            fewer than 50 rows is not drawn.
        event_is : str or number, or a sequence of them, optional
            The values of `event` that are the event, all others being the end of observation.
            Without it 1 of 0 and 1, yes of no and yes, true of false and true.

        Returns
        -------
        SurvivalView, or PanelsView by two columns
            `curves`: of each level when its curve falls, the share from then on, and the ends of
            its interval of 95 % (Greenwood's variance, on the scale of log(-log(share))). `places`:
            round times, for which each curve says how many rows are at risk.

        Raises
        ------
        InputError
            Also if which values are the event is not clear, or `event_is` names another; the
            message names the levels of the copy.
        RefusedError
            Also if no curve has 10 rows.

        Notes
        -----
        Computed from rows of the copy of the whole table, so it teaches nothing that the copy does
        not. A curve ends where fewer than 10 rows are at risk. Intervals are for the population: at
        each time they hold chance among so many rows and how far the copy is off, as far as copies
        of it are from it (`own_error`). Kaplan and Meier (1958).

        Examples
        --------
        >>> import discreet as dc, pyarrow as pa
        >>> weeks = [float(1 + 7 * i % 40) for i in range(200)]
        >>> died = ["yes" if i % 3 else "no" for i in range(200)]
        >>> study = dc.open(pa.table({"weeks": weeks, "died": died}))
        >>> (curve,) = study.survival("weeks", "died").curves
        >>> curve.shares[0], 0.0 < curve.low[-1] <= curve.shares[-1] < 0.5
        (1.0, True)
        """
        return self._of_copy().draw(SURVIVAL, [time, event], by=by, event_is=event_is)

    @overload
    def over_time(
        self, date: str, value: str | None = None, *, by: str | None = None, every: str = "auto"
    ) -> plots.OverTimeView: ...
    @overload
    def over_time(
        self, date: str, value: str | None = None, *, by: Two, every: str = "auto"
    ) -> plots.PanelsView: ...
    @asked
    def over_time(
        self,
        date: str,
        value: str | None = None,
        *,
        by: str | Two | None = None,
        every: str = "auto",
    ) -> plots.OverTimeView | plots.PanelsView:
        """Draw how many rows there are in each period of time, or the mean of a column in each.

        Parameters
        ----------
        date : str
            A column of dates, or one of whole numbers, such as years.
        value : str, optional
            A continuous column whose mean is drawn; without it rows are counted.
        by : str or pair of str, optional
            A categorical column: a line for each of its levels of at least 10 rows; of more than 12
            levels for those with the most rows. The others are named below the plot. Of two, the
            levels of the first have a line in a panel for each of the second; what has fewer than
            50 rows is not drawn.
        every : {"auto", "day", "week", "month", "quarter", "year"}, default "auto"
            How long a period is: "auto" is the shortest of which there are at most 60. Weeks begin
            on Mondays. Whole numbers are their own periods; of years "year" may be said.

        Returns
        -------
        OverTimeView, or PanelsView by two columns
            `starts`: the first day of each period, in days since 1970-01-01, or the whole numbers,
            none left out from the first to the last. `series`: for each level its counts, its means
            and the ends of their intervals of 95 % (by t), None where a period has fewer than 10
            rows with a value. `partly`: the first and the last period, where the dates do not
            reach to their outer ends, and counts are not drawn; `partly_drawn`: where they are, or
            means, as fewer than three other periods would be left, or a mean does not fall there.

        Raises
        ------
        InputError
            Also if `date` holds neither dates nor whole numbers, or there are more than 1,000
            periods.
        RefusedError
            Also if no point has 10 rows.

        Notes
        -----
        Computed from rows of the copy of the whole table, so it teaches nothing that the copy does
        not. A period without rows has a count of 0, and a gap in place of a mean. In the copy
        dates are means of some persons' dates: a peak of a few days is flatter than in the data.
        Intervals are for the population: they hold chance among so many rows and how far the copy
        is off, as far as copies of it are from it (`own_error`).

        Examples
        --------
        >>> import datetime, discreet as dc, pyarrow as pa
        >>> first = datetime.date(2020, 1, 1)
        >>> days = [first + datetime.timedelta(days=i % 730) for i in range(1460)]
        >>> study = dc.open(pa.table({"visit": days, "score": [float(i % 7) for i in range(1460)]}))
        >>> view = study.over_time("visit", "score", every="quarter")
        >>> view.every, 6 <= len(view.starts) <= 8, 2 < view.series[0].means[0] < 4
        ('quarter', True, True)
        """
        columns = [date] if value is None else [date, value]
        return self._of_copy().draw(OVER_TIME, columns, by=by, every=every)

    @asked
    def parallel(
        self,
        columns: Sequence[str],
        *,
        method: str | None = None,
        sensitive: Sensitive | None = None,
        gradient: bool = True,
        **view: Unpack[AxisSettings],
    ) -> plots.ParallelView:
        """Draw columns as axes side by side, and clusters of records between neighbouring ones.

        Parameters
        ----------
        columns : sequence of str
            At least two columns, in the order of their axes; continuous or categorical.
            `axis_order` proposes an order.
        method : str, optional
            Of a PUBLIC study file: "k-member" (the default: clusters of records, pair by pair, as
            the paper has them) or "k-member-joint" (over all axes at once).
        sensitive : str, sequence of str, or mapping of str to sequence, optional
            Of a PUBLIC study file, sensitive columns, and which of their values are.
        gradient : bool, default True
            Draw clusters with edges that fade (Fig. 6b), or flat (Fig. 6a).
        **view
            `limits`; `pixels` of an axis, a multiple of 50, of which more than 500 are answered as
            500 (section 6.4). Of a PUBLIC study file also `k`; `diversity`, the least number of
            different sensitive values (l; at least 2 by default); and `cost`, how clusters of
            "k-member" grow: by the distance to their "seed", by their "span", or whichever gives
            the "smaller" ones (the default).

        Returns
        -------
        ParallelView
            `axes`, `clusters` between each two, and `joins`: which light up together.

        Raises
        ------
        RefusedError
            Also if an order breaks a rule about a sensitive axis; the text names the nearest
            allowed one.

        Notes
        -----
        Clusters are of at least k rows of the copy, made of whole cells: levels, or the bins of the
        column's histogram, joined until each holds k rows, and at least 10 pixels wide. They light
        up together where they share at least k rows.

        **What it does not protect.** Of a PUBLIC study file edges are pixels of single records,
        most paths of clusters are of one record, and a value of a sensitive column may be by far
        the most frequent one in a cluster, or in those that light up with it.

        Dasgupta and Kosara, "Adaptive privacy-preserving visualization using parallel
        coordinates", IEEE Transactions on Visualization and Computer Graphics 17(12), 2011.

        Examples
        --------
        >>> import discreet as dc
        >>> study = dc.open(dc.datasets.diabetes())
        >>> study.parallel(["age", "sex", "glucose"])
        ParallelView(parallel coordinates of age, sex and glucose: whole (k = 5, m = 20, \
pixels = 400), policy standard)
        """
        settings: dict[str, Any] = {"sensitive": sensitive, "gradient": gradient}
        settings |= known_settings(AxisSettings, view)
        return self._of_copy().draw(PARALLEL, columns, method=method, **settings)

    @asked
    def axis_order(
        self, columns: Sequence[str], sensitive: Sensitive | None = None
    ) -> tuple[str, ...]:
        """Propose an order of columns as the axes of parallel coordinates.

        Parameters
        ----------
        columns, sensitive
            As of `parallel`.

        Returns
        -------
        tuple of str
            Sensitive columns last, beside them the continuous column that tells least of them,
            and before it continuous and categorical columns in turn, as far as there are both
            (section 6.3). Otherwise as near to the order given as can be.

        Notes
        -----
        Which column tells least is corrected for what chance alone would tell. Of the rows of a
        copy no column is sensitive; of a PUBLIC study file's columns may be.

        Examples
        --------
        >>> import discreet as dc
        >>> study = dc.open(dc.datasets.diabetes())
        >>> sorted(study.axis_order(["sex", "age", "bmi"]))
        ['age', 'bmi', 'sex']
        """
        return axis_order(self._of_copy(), columns, sensitive)

    @asked
    def residuals(self, formula: str) -> plots.ResidualView:
        """Draw the residuals of a linear regression against its fitted values.

        Parameters
        ----------
        formula : str
            The model: `"y ~ x1 + x2 + C(group)"`. Columns, their products with `:` and `*`, and
            log, log10, exp, sqrt and arithmetic of them.

        Returns
        -------
        ResidualView

        Raises
        ------
        InputError
            Also if the formula cannot be read.
        RefusedError
            Also if too few residual degrees of freedom are left, or the terms depend on each other.

        Notes
        -----
        The model is fitted to the protected copy, so that its pictures and estimates teach nothing
        that the copy does not show.
        """
        return self._of_copy().draw(RESIDUALS, formula=formula)

    @asked
    def qq(self, formula: str) -> plots.QQView:
        """Draw quantiles of the residuals of a linear regression against normal ones.

        Parameters
        ----------
        formula
            As of `residuals`.

        Returns
        -------
        QQView

        Notes
        -----
        Residuals are divided by their standard deviation.
        """
        return self._of_copy().draw(QQ, formula=formula)

    @asked
    def leverage(self, formula: str) -> plots.LeverageView:
        """Draw the residuals of a linear regression against leverage, with Cook's distance.

        Parameters
        ----------
        formula
            As of `residuals`.

        Returns
        -------
        LeverageView

        Notes
        -----
        Residuals are divided by their standard deviation; the lines say where Cook's distance of
        the model is 0.5 and 1.
        """
        return self._of_copy().draw(LEVERAGE, formula=formula)

    @asked
    def summary(
        self,
        columns: Sequence[str] | None = None,
        *,
        by: str | None = None,
        weights: str | None = None,
    ) -> CopyTable:
        """Describe columns in a table, as the first one of a paper does.

        Parameters
        ----------
        columns : sequence of str, optional
            Which; by default all of the copy of the whole table.
        by : str, optional
            A column of levels, or of codes that are few: a column of the table for each of its 12
            most frequent levels, one for the others, one for rows without a level, and all.
        weights : str, optional
            A column of numbers, a survey's weights: how many persons each row stands for, above 0.
            Rows without one are left out.

        Returns
        -------
        CopyTable
            Of each column how many rows have a value and how many have none; of numbers mean, sd,
            the mean's 95 % interval, median and quartiles; of dates median and range by day; of
            levels how many rows each has, and the share of those with a value, whose intervals are
            in `to_frame()`. `to_text`, `to_html`, `to_csv`, `to_latex`,
            `to_json` and `save`; `figures` are the numbers in full.

        Raises
        ------
        RefusedError
            If the study has no copy of the whole table, or a column is not in it.

        Notes
        -----
        It is of the rows of the protected copy, so that any may be asked for, beside all others:
        numbers of rows are not those of persons, and what is computed from an sd as if the rows
        were persons is too certain. Intervals are for the population, and hold how far the copy is
        off: as far as copies of it are from it. Levels stand in the order that they have in plots.
        Means have as many decimals as an sd of two or three digits. With `weights` means, sd,
        quartiles and shares are those of surveys (docs/summary.md); rows are counted as without.

        **What it does not protect.** What the copy does not: it is as near as the copy is.

        Examples
        --------
        >>> import discreet as dc
        >>> study = dc.open(dc.datasets.diabetes())
        >>> table = study.summary(["age", "bmi"], by="sex")
        >>> table.head
        ('1', '2', 'all')
        """
        return summarise(self._of_copy(), columns, by, weights)

    @asked
    def means(
        self, value: str, by: str | Sequence[str], *, weights: str | None = None
    ) -> CopyTable:
        """Average a number by the levels of one or two columns.

        Parameters
        ----------
        value : str
            A column of numbers.
        by : str or sequence of str
            One column of levels, or of codes that are few; or two.
        weights : str, optional
            A column of numbers, a survey's weights: how many persons each row stands for, above 0.
            Rows without one are left out.

        Returns
        -------
        CopyTable
            For each level, or pair of levels, and for all: how many rows have a value and how many
            have none, mean with its 95 % interval, sd, median and quartiles, and sum. As of
            `summary`; `plot` and `save` draw means with their intervals as dots.

        Raises
        ------
        RefusedError
            If the study has no copy of the whole table, or a column is not in it.

        Notes
        -----
        It is of the rows of the protected copy, so that any may be asked for, beside all others.
        The interval (by t) is for the population, and holds how far the copy is off: as far as
        copies of it are from it. Sums are of these rows, which are not as many as the persons. With
        `weights` mean, interval (by linearisation), sd, median, quartiles and sum are those of
        surveys (docs/summary.md); how many rows there are is counted as without.

        **What it does not protect.** What the copy does not: it is as near as the copy is.

        Examples
        --------
        >>> import discreet as dc
        >>> study = dc.open(dc.datasets.diabetes())
        >>> [line.name for line in study.means("bmi", "sex").lines]
        ['1', '2', 'all']
        """
        return average(self._of_copy(), value, by, weights)

    @asked
    def model(
        self,
        formula: str,
        family: str = "linear",
        *,
        event_is: str | float | Sequence[str | float] | None = None,
        reference: Mapping[str, str | float] | None = None,
        weights: str | None = None,
    ) -> CopyTable:
        """Estimate a regression, with intervals that have the copy's own error in them.

        Parameters
        ----------
        formula : str
            `"y ~ x1 + x2 + C(group)"`, as of `residuals`. The outcome of a logistic model is a
            column of levels or codes; the left side of a Cox model is `survival(time, event)`.
            C(x) takes a column of codes, too.
        family : {"linear", "logistic", "cox"}, default "linear"
            Least squares; maximum likelihood; partial likelihood with Efron's ties.
        event_is : str or number, or a sequence of them, optional
            Of logistic and Cox models the values that are the event, all others being none, as of
            `survival`. Without it 1 of 0 and 1, yes of no and yes, true of false and true.
        reference : mapping of str to str or number, optional
            Of columns of levels the one that others are compared with: `{"sex": "M"}`. By default
            it is the first in order: of an ordered column, of labels by their codes, of numbers in
            texts by size, else by the alphabet.
        weights : str, optional
            Of linear and logistic models a column of numbers, a survey's weights: how many persons
            each row stands for, above 0. Rows without one are left out.

        Returns
        -------
        CopyTable
            A line a term: the estimate (or odds ratio, or hazard ratio) with its interval of 95 %
            and standard error; then rows, events, and R², the area under the ROC curve or the
            concordance. `figures` are the numbers in full, `plot` draws the terms with their
            intervals, `save` writes a table or the plot.

        Raises
        ------
        InputError
            Also if the formula cannot be read, or which values are the event is not clear.
        RefusedError
            Also if the study has no copy of the whole table, fewer than 50 rows have all columns,
            the outcome is constant, terms follow from each other, there are no more rows than
            terms, or terms tell rows with the event from the others completely.

        Notes
        -----
        It is estimated by statsmodels from the rows of the protected copy, so that any may be
        asked for, beside all others. Standard errors are wider than those of the rows: the copy
        is copied again, five times, and how far those copies' estimates are from the copy's says
        how far the copy's are from the data's. docs/models.md has how it is done, and how often
        the intervals held the estimate of the raw data. An interval is for what the model's terms
        are as they stand here: estimates of a copy are drawn towards nought, which a wide interval
        allows for and does not correct. With `weights` the standard errors of the rows are by
        linearisation, and copies of the copy are weighted by their own weights.

        **What it does not protect.** What the copy does not: it is as near as the copy is.

        Examples
        --------
        >>> import discreet as dc
        >>> study = dc.open(dc.datasets.diabetes())
        >>> table = study.model("progression ~ bmi + age + C(sex)")
        >>> [line.name for line in table.lines if not line.section]
        ['Intercept', 'bmi', 'age', 'C(sex)[T.2]']
        """
        return modelled(self._of_copy(), formula, family, event_is, weights, reference)

    def fidelity(self, *, exact: bool = False) -> Fidelity:
        """Return how near the copy of the whole table is to the raw one, as a picture and figures.

        Parameters
        ----------
        exact : bool, default False
            Whether figures are exact, and the farthest columns are named with their means, standard
            deviations and shares, and drawn raw beside copy: for the custodian's eyes, and never
            released.

        Returns
        -------
        Fidelity
            Of columns, pairs, correlations, coefficients and subsets, each beside what a resample
            of the raw table would give. `said` and `word` sum it up; `plot`, `save` and `to_json`
            as of a View.

        Raises
        ------
        RefusedError
            If the study has no copy of the whole table.

        Notes
        -----
        The first lines name the columns and pairs that are farthest off. Measured once, when the
        copy is made, and rounded up or down by the study's secret, so that it may be released with
        the copy; what is `exact` is measured anew. A column that the copy is too far off in may be
        withheld: `withhold` of the policy. It says nothing of risk: `Release.attack` does.

        Examples
        --------
        >>> import discreet as dc
        >>> study = dc.open(dc.datasets.diabetes())
        >>> study.fidelity().rows > 400
        True
        """
        return self._of_copy().session.fidelity(exact=exact)

    def verify(self, path: str | Path, *, beside: str | Path | None = None) -> FileCheck:
        """Say whether a file was made by this study, and is as it was made.

        Parameters
        ----------
        path : str or Path
            A figure, JSON, page, table or report that was saved.
        beside : str or Path, optional
            Of a study that is a file: a folder into which a figure that is not as made is drawn
            again, to be looked at.

        Returns
        -------
        FileCheck
            `verdict` is "as made", "altered", "elsewhere", "unknown" or, of a study that is a file,
            "not comparable"; `says` why, `checks` which checks it passed, `provenance` what the
            file says of itself.

        Raises
        ------
        InputError
            If there is no such file, or it is of a kind that is not released.

        Notes
        -----
        The seal is checked with the study's secret; what was released is looked up in the register;
        and what was drawn from the copy is drawn again and compared, every number. Looking is free:
        nothing is recorded.

        A table of CSV is recognised by its lines, though some of them were changed.

        A study that is a file has no secret and no register: it draws the figure again from its
        copy and compares all that it holds. A .png or .pdf is "not comparable": look at both.

        **What it does not show.** A screenshot, or a file that another program has saved again, is
        altered or unknown though it may show the same.

        Examples
        --------
        >>> from pathlib import Path
        >>> from tempfile import TemporaryDirectory
        >>> import discreet as dc
        >>> study = dc.open(dc.datasets.diabetes(), study="patients")
        >>> with TemporaryDirectory() as folder:
        ...     path = study.histogram("age").save(Path(folder, "age.png"))
        ...     study.verify(path).verdict
        'as made'
        """
        if isinstance(self._of, FileSession):
            folder = None if beside is None else Path(beside)
            return FileVerifier(self._of, folder).check(path)
        if beside is not None:
            raise InputError(
                "beside is for a study that is a file; here the secret tells whether a figure is as"
                " it was made"
            )
        return self._of.verify(path)

    @asked
    def anonymize(
        self,
        columns: Sequence[str] | None = None,
        *,
        drop: Sequence[str] = (),
        formula: str | None = None,
        risk_below: float | None = None,
    ) -> Release:
        """Return the protected copy as a table, with a report on its risk and use.

        Parameters
        ----------
        columns : sequence of str, optional
            The columns to release; by default all of the copy.
        drop : sequence of str, optional
            Columns that are left out.
        formula : str, optional
            A regression to fit to both tables: "glucose ~ age + C(sex)".
        risk_below : float, optional
            The share of records that may be linked to their own released row, above 0 and at most
            1: the table is refused where it is not below.

        Returns
        -------
        Release
            `frame`, in the kind that came in; `report`; and `save`.

        Raises
        ------
        RefusedError
            Also if what was required is not reached.

        Notes
        -----
        The table is the protected copy that plots are drawn from. The papers' methods for tables
        are in `discreet.anonymize`.

        Examples
        --------
        >>> import discreet as dc
        >>> study = dc.open(dc.datasets.diabetes())
        >>> release = study.anonymize()
        >>> release.frame.column_names[:3]
        ['age', 'sex', 'bmi']
        """
        check_risk_below(risk_below)
        names = columns_released(self._of_copy(), columns, drop)
        release: Release = self._of_data().release(names, formula, risk_below, self._derived)
        return release


def names_to_offer(of: object) -> list[str] | None:
    """Return the names of a study's columns, and None of what is no study; no copy is made."""
    if not isinstance(of, Study):
        return None
    derived = of._derived
    new = of.policy.derive or {} if derived is None else derived.whole.raw
    return [*dict.fromkeys([*of._session.table.columns, *new])]


def study_of_file(path: str | Path) -> Study:
    """Open a study file.

    Parameters
    ----------
    path : str or Path
        Ends in .discreet.

    Returns
    -------
    Study

    Raises
    ------
    InputError
        It cannot be read, is not a study file, was changed, or another key signed the study before.
    """
    offer_names(names_to_offer)
    return Study(open_file(path))
