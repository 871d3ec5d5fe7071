"""The Study, and how it is opened: one method for each thing one can ask, answered with a View."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Concatenate, NoReturn, ParamSpec, TypeVar, cast

from discreet import plots
from discreet.errors import InputError, RefusedError
from discreet.estimates.column_list import ColumnList
from discreet.estimates.copy_table import CopyTable
from discreet.estimates.fidelity_report import Fidelity
from discreet.explore.answered import Answers, answers_of, question_of
from discreet.explore.asking import asked, check_risk_below, plot_method
from discreet.explore.board import board_of
from discreet.explore.choice import chosen, kinds_of, overview, with_choice
from discreet.explore.columns import columns_of, columns_released
from discreet.explore.derived import DerivedCopy, axis_order
from discreet.explore.file_checks import FileCheck
from discreet.explore.from_file import Custodian, FileSession, OfData, is_study_file, open_file
from discreet.explore.meta_analysis import meta_analysed
from discreet.explore.model import modelled
from discreet.explore.notebook import offer_names
from discreet.explore.pooled import Files, check_question, open_pooled, questions_of
from discreet.explore.questions import Questions
from discreet.explore.rows import rows_of, save_rows
from discreet.explore.summary import average, summarise
from discreet.explore.verify_file import FileVerifier
from discreet.explore.with_answers import with_answers
from discreet.plots import Plot
from discreet.plots.bars import BarChart
from discreet.plots.box import BoxPlot
from discreet.plots.contour import ContourPlot
from discreet.plots.correlations import CorrelationPlot
from discreet.plots.crosstab import CrossTable
from discreet.plots.density import DensityPlot
from discreet.plots.diagnostics import LeveragePlot, QQPlot, ResidualPlot
from discreet.plots.ecdf import EcdfPlot
from discreet.plots.heatmap import HeatMap
from discreet.plots.histogram import HistogramPlot
from discreet.plots.over_time import OverTimePlot
from discreet.plots.parallel import ParallelPlot
from discreet.plots.plot import STUDY, By
from discreet.plots.scatter import ScatterPlot
from discreet.plots.survival import SurvivalPlot
from discreet.plots.violin import ViolinPlot
from discreet.policy import Policy, Sensitive
from discreet.use import warn_of
from discreet.web.board import Board

if TYPE_CHECKING:
    from discreet.release import Release

NO_DATA = (
    "this study is a file, which contains protected rows but no data: only the custodian"
    " can do this, who can open the data (discreet.open of the source)"
)
P = ParamSpec("P")
V = TypeVar("V", bound=plots.View)


def _method(plot: Callable[P, Plot[V]]) -> Callable[Concatenate[Study, P], V]:
    """Return the method that draws a plot, with the plot's fields and docstring."""
    return _method_of_several(cast("type[Plot[V]]", plot))


def _method_of_several(plot: type[Plot[V]]) -> Callable[..., V]:
    """Return the same of a plot that takes more than its fields, or columns one by one."""
    return plot_method(plot, STUDY, lambda self, asked, way: self._copy.draw(asked, **way))


class Study:
    """What people look at: one short method for each thing one can ask of a protected copy.

    Made by `discreet.open`. Prints no value and cannot be pickled. Every plot is answered with a
    View, and drawn from one protected copy of the whole table: of any columns, by any level, with
    any settings of the view (bins, grid, limits, pixels), and none is refused because of another.
    Every method raises InputError if a column or setting is unknown or of another kind than is
    needed, and RefusedError if the study has no copy of the whole table, or this or a level holds
    too few rows.

    A study that is a file (`is_file`) makes everything of the protected rows in it, and refuses
    what needs the data.

    Attributes
    ----------
    session : Session
        The table behind the study, with its secret and register: for the custodian. A study that is
        a file has none.
    """

    def __init__(
        self,
        of: FileSession | OfData,
        derived: DerivedCopy | None = None,
        questions: Questions | None = None,
    ) -> None:
        self._of, self._derived, self._questions = of, derived, questions

    def __repr__(self) -> str:
        of = self._session
        name = "a frame without a name" if of.name is None else repr(of.name)
        held = of if self.is_file else of.table
        told = f"policy {self.policy.name!r}, k = {self.policy.k}; {held!r}"
        steps = () if self._derived is None else self._derived.steps
        return f"Study({'; '.join((f'{name}, {told}', *steps))})"

    def __reduce__(self) -> NoReturn:
        raise RefusedError("a Study contains raw data and cannot be pickled or copied")

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
        return columns_of(self._copy)

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
            If fewer than 50 rows are left.

        Notes
        -----
        Rows of the copy are chosen, and no raw value is looked at: so it is free, as all that is
        drawn from the copy. Small parts are rough: below 300 rows the notes of a plot say how far
        off the number of people in such a part is.

        Examples
        --------
        >>> import discreet as dc
        >>> study = dc.open(dc.datasets.diabetes())
        >>> study.where("age >= 50 and bmi < 30").scatter("bmi", "glucose").origin.total > 50
        True
        """
        return Study(self._of, self._copy.where(condition), self.questions)

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
            If an expression has no value in any row.

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
        return Study(self._of, self._copy.assign(columns), self.questions)

    @cached_property
    def _copy(self) -> DerivedCopy:
        """The rows of the copy, which is made when it is first asked for, or what was derived."""
        if self._derived is not None:
            return self._derived
        # Here, and not of the session, which it refers to: each is gone with the last study of it.
        file = self._of if isinstance(self._of, FileSession) else self._of.open_copy()
        return DerivedCopy(file, file.whole)

    @property
    def questions(self) -> Questions:
        """The questions to the data on the list: `save` writes it for the custodian.

        It is one list for a study and all that `where` and `assign` return of it.

        Examples
        --------
        >>> import discreet as dc
        >>> study = dc.open(dc.datasets.diabetes(), study="diabetes")
        >>> study.ask(study.bars("sex"))
        >>> [question.says for question in study.questions]
        ['the bars of sex']
        """
        if self._questions is None:
            self._questions = questions_of(self._copy.session)
        return self._questions

    def ask(self, figure: plots.View | CopyTable, *, holds: str = "") -> None:
        """Put a question to the data on the list: what a figure of the copy shows, from the data.

        The custodian answers the list by rules (`discreet answer`), and the answers come in the
        next revision of the study file (`answers`).

        Parameters
        ----------
        figure : View or CopyTable
            `bars`, `crosstab`, `histogram`, `heatmap`, `survival`, `means` or `model` of this
            study, of all rows or of a part.
        holds : str, optional
            A statement on the figure, which is answered without numbers: of a model "age > 0", of
            means or bars by levels "F > M", or an order "low < middle < high".

        Raises
        ------
        InputError
            If it is no figure of a study, or names a column that was made of numbers.
        RefusedError
            If the data cannot be asked for such a figure, or a condition cuts a column between the
            steps of its grid.

        Notes
        -----
        Nothing is looked at but the copy. What an answer costs of the version's numbers, and which
        rules it has to pass, is in docs/ask.md.

        Examples
        --------
        >>> import discreet as dc
        >>> study = dc.open(dc.datasets.diabetes(), study="diabetes")
        >>> study.ask(study.where("age >= 50").means("bmi", "sex"), holds="1 > 2")
        >>> study.questions
        1 question on diabetes:
          dcbefd7faf75f2bc4a1e  does "1 > 2" hold in the means of bmi by sex; where age >= 50?
        """
        question = question_of(figure, holds)
        check_question(self._copy.session, self.policy.derive, question)
        self.questions.add(question)

    @cached_property
    def answers(self) -> Answers:
        """The answers from the data that the study file has, by the ids of their questions.

        Each has a table with intervals, some a plot, and how large the noise is.

        Examples
        --------
        >>> import discreet as dc
        >>> study = dc.open(dc.datasets.diabetes(), study="diabetes")
        >>> len(study.answers)
        0
        """
        return answers_of(self._copy.session)

    def _with_answers(self, table: CopyTable) -> CopyTable:
        return with_answers(self._copy, table, self.answers)

    def rows(self, path: str | Path | None = None) -> Any:
        """Return the protected rows of a study file as a frame, or write them to a file.

        Parameters
        ----------
        path : str or Path, optional
            Ends in .csv or .parquet: where to write them.

        Returns
        -------
        DataFrame, or the Path that was written

        Raises
        ------
        InputError
            If the path has another ending.
        RefusedError
            If the study is no file: `anonymize` releases a table of its copy. Or if the policy
            keeps the copy on a server (`copy`).

        Notes
        -----
        Rows of the copy are nobody's, and whoever has the file has them. They are computed with as
        any table is, but no interval of what is computed from them alone has the copy's own error.

        Examples
        --------
        >>> import discreet as dc
        >>> dc.open("cohort.discreet").rows("rows.csv")  # doctest: +SKIP
        """
        if not self.is_file:
            raise RefusedError(
                "rows are given of a study that is a file; of data, study.anonymize() releases a"
                " table of the copy, with its report",
                rule="file",
            )
        return rows_of(self._copy) if path is None else save_rows(self._copy, path)

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
            If the policy keeps the copy on a server (`copy`, `copy_rows`, `copy_bytes`).

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
        return board_of(self._copy)

    @asked
    def plot(self, *columns: str, by: By | None = None) -> plots.View:
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
            choice = chosen(kinds_of(self._copy, columns), by)
        else:
            choice = overview(self._copy)
        drawn: plots.View = self._copy.draw(choice.request())
        return with_choice(drawn, choice)

    histogram = _method(HistogramPlot)
    density = _method(DensityPlot)
    ecdf = _method(EcdfPlot)
    scatter = _method(ScatterPlot)
    correlations = _method(CorrelationPlot)
    heatmap = _method(HeatMap)
    contour = _method(ContourPlot)
    box = _method_of_several(BoxPlot)
    violin = _method(ViolinPlot)
    bars = _method(BarChart)
    crosstab = _method(CrossTable)
    survival = _method(SurvivalPlot)
    over_time = _method(OverTimePlot)
    parallel = _method_of_several(ParallelPlot)
    residuals = _method(ResidualPlot)
    qq = _method(QQPlot)
    leverage = _method(LeveragePlot)

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
        return axis_order(self._copy, columns, sensitive)

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
            A column of numbers, a survey's weights: how many people each row stands for, above 0.
            Rows without one are left out.

        Returns
        -------
        CopyTable
            Of each column how many rows have a value and how many have none; of numbers mean, sd,
            the mean's 95 % interval, median and quartiles; of dates median and range by day; of
            levels how many rows each has, and the share of those with a value, whose intervals are
            in `to_frame()`. `to_text`, `to_html`, `to_csv`, `to_latex`,
            `to_json` and `save`; `figures` are the numbers in full.

        Notes
        -----
        It is of the rows of the protected copy, so that any may be asked for, beside all others:
        numbers of rows are not those of people, and what is computed from an sd as if the rows
        were people is too certain. Intervals are for the population, and hold how far the copy is
        off. docs/summary.md has the rest, and what `weights` change.

        **What it does not protect.** What the copy does not: it is as near as the copy is.

        Examples
        --------
        >>> import discreet as dc
        >>> study = dc.open(dc.datasets.diabetes())
        >>> table = study.summary(["age", "bmi"], by="sex")
        >>> table.head
        ('1', '2', 'all')
        """
        return self._with_answers(summarise(self._copy, columns, by, weights))

    @asked
    def means(
        self,
        value: str,
        by: str | Sequence[str],
        *,
        weights: str | None = None,
        per: str | None = None,
    ) -> CopyTable:
        """Average a number by the levels of one or two columns, or divide its sum by another's.

        Parameters
        ----------
        value : str
            A column of numbers.
        by : str or sequence of str
            One column of levels, or of codes that are few; or two.
        weights : str, optional
            A column of numbers, a survey's weights: how many people each row stands for, above 0.
            Rows without one are left out.
        per : str, optional
            A column of numbers by whose sum that of `value` is divided, such as years at risk: then
            ratios are returned in place of means. `value` may be one of yes and no, too: of
            deaths per year those with yes are counted.

        Returns
        -------
        CopyTable
            For each level, or pair of levels, and for all: how many rows have a value and how many
            have none, mean with its 95 % interval, sd, median and quartiles, and sum. As of
            `summary`; `plot` and `save` draw means with their intervals as dots. Of ratios: how
            many rows have both numbers, the ratio with its 95 % interval, and both sums.

        Notes
        -----
        It is of the rows of the protected copy, so that any may be asked for, beside all others.
        The interval (by t, of a ratio by linearisation) is for the population, and holds how far
        the copy is off. Sums are of these rows, which are not as many as the people.
        docs/summary.md has the rest, and what `weights` change.

        **What it does not protect.** What the copy does not: it is as near as the copy is.

        Examples
        --------
        >>> import discreet as dc
        >>> study = dc.open(dc.datasets.diabetes())
        >>> [line.name for line in study.means("bmi", "sex").lines]
        ['1', '2', 'all']
        >>> study.means("bmi", "sex", per="age").head[1]
        'ratio'
        """
        return self._with_answers(average(self._copy, value, by, weights, per))

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
            C(x) takes a column of codes, too. Of all but Cox models one term may be a random
            intercept by a column of three levels or more: `"y ~ x + (1 | study)"`.
        family : {"linear", "logistic", "poisson", "cox"}, default "linear"
            Least squares; maximum likelihood; of counts, too; partial likelihood with Efron's ties.
        event_is : str or number, or a sequence of them, optional
            Of logistic and Cox models the values that are the event, all others being none, as of
            `survival`. Without it 1 of 0 and 1, yes of no and yes, true of false and true.
        reference : mapping of str to str or number, optional
            Of columns of levels the one that others are compared with: `{"sex": "M"}`. By default
            it is the first in order: of an ordered column, of labels by their codes, of numbers in
            texts by size, else by the alphabet.
        weights : str, optional
            Of all but Cox models a column of numbers, a survey's weights: how many people each
            row stands for, above 0. Rows without one are left out.

        Returns
        -------
        CopyTable
            A line a term: the estimate (or odds, rate or hazard ratio) with its interval of 95 %
            and standard error; then rows, events, and R², the area under the ROC curve, the
            explained share of the deviance or the concordance. `figures` are the numbers in full,
            `plot` draws the terms with their intervals, `save` writes a table or the plot.

        Raises
        ------
        InputError
            Also if the formula cannot be read, or which values are the event is not clear.
        RefusedError
            If fewer than 50 rows have all columns, the outcome is constant, terms follow from each
            other, there are no more rows than terms, or terms tell rows with the event from the
            others completely; with a random term also if people have several rows.

        Notes
        -----
        It is estimated by statsmodels from the rows of the protected copy, so that any may be asked
        for, beside all others. Intervals hold how far the copy is off. docs/models.md has how it is
        done, and how often the intervals held the estimate of the raw data.

        **What it does not protect.** What the copy does not: it is as near as the copy is.
        Estimates of a copy are drawn towards 0, which a wide interval allows for and does not
        correct.

        Examples
        --------
        >>> import discreet as dc
        >>> study = dc.open(dc.datasets.diabetes())
        >>> table = study.model("progression ~ bmi + age + C(sex)")
        >>> [line.name for line in table.lines if not line.section]
        ['Intercept', 'bmi', 'age', 'C(sex)[T.2]']
        """
        found = modelled(self._copy, formula, family, event_is, weights, reference)
        return self._with_answers(found)

    def meta_analysis(
        self,
        formula: str,
        term: str | None = None,
        *,
        by: str = "study",
        family: str = "linear",
        event_is: str | float | Sequence[str | float] | None = None,
        reference: Mapping[str, str | float] | None = None,
        weights: str | None = None,
    ) -> CopyTable:
        """Estimate a mean, correlation or model in each of several studies, and combine them.

        Parameters
        ----------
        formula : str
            As of `model`; or a column alone, of whose means, or shares of yes, it is; or two in
            `cor(age, bmi)`, for their correlation.
        term : str, optional
            The term that is combined, as `model` names it; by default the first that is not the
            intercept.
        by : str, default "study"
            The column that says which study a row is of; in studies opened together that is
            `study`.
        family, event_is, reference, weights
            As of `model`.

        Returns
        -------
        CopyTable
            A line a study: its estimate, an interval of 95 % and its weights; then the fixed
            effect (inverse variance), random effects by DerSimonian and Laird, and by Paule and
            Mandel with the interval of Hartung and Knapp, all rows as one study, I², the standard
            deviation between studies, Q, and the random effect without each of the studies.
            `plot` draws the forest plot.

        Raises
        ------
        InputError
            Also if no study, or not each, has the term.
        RefusedError
            If fewer than two studies have an estimate.

        Notes
        -----
        Standard errors have the own error of each copy in them, so that what a copy adds is not
        taken for heterogeneity. A study without an estimate is left out, and the notes say why.
        Where all rows as one study show the opposite of what holds within the studies, the first
        note says so. `model(formula + " + study")` is the one-stage model, with studies as fixed
        terms, and `model(formula + " + (1 | study)")` with the study as a random term.

        Examples
        --------
        >>> import discreet as dc
        >>> study = dc.open(dc.datasets.diabetes())
        >>> found = study.meta_analysis("progression ~ bmi", by="sex")
        >>> [line.name for line in found.lines if line.section == "heterogeneity"]
        ['I²', 'standard deviation between studies', 'Q (df = 1)']
        """
        return meta_analysed(
            self._copy,
            formula,
            term,
            by,
            family=family,
            event_is=event_is,
            reference=reference,
            weights=weights,
        )

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
        return self._copy.session.fidelity(exact=exact)

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
                "beside is for a study file; here the secret shows whether a figure is unchanged"
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
        names = columns_released(self._copy, columns, drop)
        release: Release = self._of_data().release(names, formula, risk_below, self._derived)
        return release


def names_to_offer(of: object) -> list[str] | None:
    """Return the names of a study's columns, and None of what is no study; no copy is made."""
    if not isinstance(of, Study):
        return None
    derived = of._derived
    new = of.policy.derive or {} if derived is None else derived.whole.raw
    return [*dict.fromkeys([*of._session.table.columns, *new])]


def study_of_files(paths: Files) -> Study:
    """Open a study file, or several as one study; a map (.toml) names its files itself."""
    offer_names(names_to_offer)
    if not is_study_file(paths):
        return Study(open_pooled(paths))
    session = open_file(paths)
    warn_of({paths: session.file.manifest.use})
    return Study(session)
