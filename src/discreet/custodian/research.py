"""What the papers print, for public or simulated data: each plot and table protected by itself."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any, NoReturn, TypedDict, TypeVar, Unpack

from discreet import plots
from discreet.custodian.papers import Papers
from discreet.custodian.protect import session_of
from discreet.custodian.publishing import publish
from discreet.custodian.session import Session
from discreet.custodian.tables import release, setting_below, settings_of, sweep
from discreet.custodian.verify import verifier_of
from discreet.errors import InputError, RefusedError
from discreet.explore.asking import asked, check_risk_below, known_settings, plot_method
from discreet.explore.file_checks import FileCheck
from discreet.explore.from_file import is_study_file
from discreet.measure.frontier import RiskUtilityMap
from discreet.plots import Plot
from discreet.plots.box import BoxPlot
from discreet.plots.contour import ContourPlot
from discreet.plots.diagnostics import LeveragePlot, QQPlot, ResidualPlot
from discreet.plots.heatmap import HeatMap
from discreet.plots.histogram import HistogramPlot
from discreet.plots.parallel import ParallelPlot
from discreet.plots.plot import PAPERS
from discreet.plots.scatter import ScatterPlot
from discreet.policy import PAPER_FIELDS, Policy, Sensitive, load_policy, resolve_table
from discreet.release import Release

REGIME = "research"
GUARDED = (
    "the papers' methods have no use for a guarded policy; leave policy out, or name one with a"
    " table papers ([papers] in a file)"
)
OF_FILE = (
    "a study file holds protected rows and no data; open it by discreet.open, or name the table"
    " that it was made of"
)


class GapSettings(TypedDict, total=False):
    """What happens to rows with missing values, and to small strata."""

    missing: str | None
    missing_levels: str | None
    hierarchies: Mapping[str, Any] | None


class CopySettings(GapSettings, total=False):
    """How rows are prepared."""

    metric: str | None
    ties: str | None
    diversity: int | None
    closeness: float | None


class TableSettings(CopySettings, total=False):
    """Settings of a protected table."""

    k: int | None
    q: float | None


class RoundingSettings(GapSettings, total=False):
    """Settings of a rounded table."""

    k: int | str | None
    c: int | str | None
    per_column: bool
    representative: str | None
    encoding: str | None


V = TypeVar("V", bound=plots.View)


def _method(plot: type[Plot[V]]) -> Callable[..., V]:
    """Return the method that draws a plot, with its fields, its method and numbers."""
    return plot_method(plot, PAPERS, lambda self, asked, way: self.papers.draw(asked, **way))


class Research:
    """A table and the methods of the four papers: one method for each plot and table they print.

    Made by `discreet.research`. Every plot and table is protected by itself, by any method and with
    any numbers; the defaults are those of the policy `research`. Prints no value and cannot be
    pickled. Every method raises InputError if a column, method or setting is unknown or of another
    kind than is needed, and RefusedError if the table or a level holds too few people.

    **What it does not protect.** Several plots or tables of the same people, by other methods or
    numbers, give records away together: k and k + 1 give most of them. It is for public or
    simulated data. What is saved of data that are not declared public is recorded, and another
    method, k or q of the same data is refused, and so is a study beside it.

    Attributes
    ----------
    papers : Papers
        What the plots and tables are made by.
    """

    def __init__(self, session: Session) -> None:
        self.papers = Papers(session)

    def __repr__(self) -> str:
        of = self.session
        name = "a frame without a name" if of.name is None else repr(of.name)
        return f"Research({name}, k = {self.policy.k}; {of.table!r})"

    def __reduce__(self) -> NoReturn:
        raise RefusedError("a Research contains raw data and cannot be pickled or copied")

    @property
    def session(self) -> Session:
        """The table, with its secret and register."""
        return self.papers.of

    @property
    def policy(self) -> Policy:
        """The settings in force where a call says none."""
        return self.session.policy

    histogram = _method(HistogramPlot)
    scatter = _method(ScatterPlot)
    heatmap = _method(HeatMap)
    contour = _method(ContourPlot)
    box = _method(BoxPlot)
    residuals = _method(ResidualPlot)
    qq = _method(QQPlot)
    leverage = _method(LeveragePlot)
    parallel = _method(ParallelPlot)

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
        Which column tells least is corrected for what chance alone would tell.

        Examples
        --------
        >>> import discreet as dc
        >>> cohort = dc.research(dc.datasets.diabetes(), roles={"sex": "sensitive"})
        >>> cohort.axis_order(["sex", "age", "bmi"])[-1]
        'sex'
        """
        return self.papers.axis_order(columns, sensitive)

    @asked
    def anonymize(
        self,
        columns: Sequence[str] | None = None,
        *,
        drop: Sequence[str] = (),
        sensitive: str | None = None,
        method: str | None = None,
        formula: str | None = None,
        risk_below: float | None = None,
        **settings: Unpack[TableSettings],
    ) -> Release:
        """Make a protected table, and a report on its risk and use.

        Parameters
        ----------
        columns : sequence of str, optional
            The columns to release; by default the continuous ones that are not dropped and identify
            nobody.
        drop : sequence of str, optional
            Columns that are left out.
        sensitive : str, optional
            A column that must stay unknown: it travels along and is no stratum. By default the
            column whose role is "sensitive".
        method : str, optional
            "deterministic" (the default), "condensation", "probabilistic", "multiplicative", or a
            way to round, such as "mdav".
        formula : str, optional
            A regression to fit to both tables: "glucose ~ age + C(sex)".
        risk_below : float, optional
            The share of records that may be linked to their own released row, above 0 and at most
            1: the setting of least loss below it is looked for.
        **settings
            `k`, `q`, `metric`, `ties`, `missing`, `missing_levels`, `hierarchies`, `diversity` or
            `closeness`, each as of `discreet.research`.

        Returns
        -------
        Release
            `frame`, in the kind that came in; `report`; and `save`.

        Raises
        ------
        RefusedError
            Also if strata cannot be merged to their size, or what was required is not reached.

        Notes
        -----
        Numbers are standardised over all rows, protected within the strata and, by the
        deterministic method, put back on their scale over the whole table. Strata that are too
        small (k rows) are merged first, and rows of what stays small are left out. Rows stay in the
        order of the file.

        **What it does not protect.** Levels of strata are as they are: k-anonymity of the strata
        says how many share them, not that what they share is harmless. Two tables of the same
        data by other settings give records away together, so once one has left the others are
        refused.

        Avraam et al., "A deterministic approach for protecting privacy in sensitive personal
        data", BMC Medical Informatics and Decision Making 22:24 (2022).

        Examples
        --------
        >>> import discreet as dc
        >>> cohort = dc.research(dc.datasets.diabetes(), strata=["sex"])
        >>> release = cohort.anonymize(["age", "bmi"], method="deterministic", k=3)
        >>> release.frame.column_names
        ['age', 'sex', 'bmi']
        """
        how = known_settings(TableSettings, settings)
        check_risk_below(risk_below)
        settle = partial(self.papers.settle_table, columns, drop=drop, sensitive=sensitive)
        if risk_below is not None:
            k, q = how.pop("k", None), how.pop("q", None)
            method, k, q = setting_below(self.papers, settle(**how), risk_below, method, k, q)
            how |= {"k": k, "q": q}
        return release(self.papers, settle(method=method, **how), formula, risk_below)

    @asked
    def round(
        self,
        columns: Sequence[str] | None = None,
        *,
        method: str | None = None,
        drop: Sequence[str] = (),
        sensitive: str | None = None,
        formula: str | None = None,
        **settings: Unpack[RoundingSettings],
    ) -> Release:
        """Make a table whose numbers are replaced by rounding points, and a report on it.

        Parameters
        ----------
        columns, drop, sensitive, formula
            As of `anonymize`.
        method : str, optional
            How rounding points are found: "mdav" (the default), "vmdav", "optimal",
            "equal_width", "equal_frequency", "kmeans", "resampling" or "base"; per column also
            "mdlp" and "chimerge", by the classes that the strata are.
        **settings
            `missing`, `missing_levels` and `hierarchies`, as of `discreet.research`; `k`, the least
            number of records that share a point; `c`, how many regions a column is parted into, by
            methods that take it (otherwise n / k). With `per_column=True` each column is rounded by
            itself, as the paper does: `k` and `c` may be "freedman-diaconis", `representative` is
            what stands for a region ("mean", "median" or "midpoint"), and `encoding` which point
            replaces a value: that of its "region", the "nearest", or a "stochastic" one.

        Returns
        -------
        Release
            `frame`, `report`, `points` (to round new records alike) and `save`.

        Notes
        -----
        Rows are rounded over all columns jointly: by "mdav" and "vmdav" similar rows become
        their mean; by other methods rows whose regions k or more share do, and the rest is
        grouped by MDAV. Every released row is shared by k rows or more of its stratum.

        **What it does not protect.** As of `anonymize`. Per column hardly any row of several
        columns is shared: the report tells how many are not, and how many records are linked.

        Senavirathne and Torra, "Rounding based continuous data discretization for statistical
        disclosure control", Journal of Ambient Intelligence and Humanized Computing (2019).

        Examples
        --------
        >>> import discreet as dc
        >>> cohort = dc.research(dc.datasets.diabetes())
        >>> release = cohort.round(["age", "bmi", "glucose"], drop=["sex"], k=10)
        >>> release.points
        JointSet(age, bmi, glucose: 44 points)
        """
        how: dict[str, Any] = {"drop": drop, "sensitive": sensitive, "method": method}
        how |= known_settings(RoundingSettings, settings)
        return release(self.papers, self.papers.settle_rounding(columns, **how), formula)

    @asked
    def tune(
        self,
        columns: Sequence[str] | None = None,
        *,
        methods: Sequence[str] | None = None,
        k: Sequence[int] | None = None,
        q: Sequence[float] | None = None,
        risk: str = "linkage",
        loss: str = "displacement",
        drop: Sequence[str] = (),
        sensitive: str | None = None,
        **settings: Unpack[CopySettings],
    ) -> RiskUtilityMap:
        """Try methods and numbers on the table that `anonymize` would make: for the custodian.

        Parameters
        ----------
        columns, drop, sensitive, **settings
            As of `anonymize`.
        methods : sequence of str, optional
            Row methods; all of them by default.
        k, q : sequences of numbers, optional
            Values to try; by default 3, 5, 10 and 20, and 0.1, 0.25, 0.5 and 1.
        risk : {"linkage", "far linkage", "within 5 %"}, default "linkage"
            The share that stands for the risk.
        loss : {"displacement", "propensity"}, default "displacement"
            What stands for the loss.

        Returns
        -------
        RiskUtilityMap
            Every setting with its risk and loss, and which of them are efficient.

        Notes
        -----
        Not a release: numbers of several settings together, exact ones of raw data, are for whoever
        holds the data. It asks no gate and is not recorded.
        """
        how: dict[str, Any] = {**known_settings(CopySettings, settings), "drop": drop}
        request = resolve_table(
            self.policy, self.session.table, columns, sensitive=sensitive, **how
        )
        return sweep(self.papers, request, settings_of(methods, k, q), risk=risk, loss=loss)

    @asked
    def missing_codes(self, columns: Sequence[str] | None = None) -> dict[str, list[float]]:
        """Return numbers of each column that may stand for missing values, such as -999.

        Parameters
        ----------
        columns : sequence of str, optional
            Continuous columns; by default all of them.

        Returns
        -------
        dict of str to list of float
        """
        return self.session.missing_codes(columns)

    def new_version(self) -> int:
        """Open the next version of the study, for data of which many rows have changed.

        Returns
        -------
        int
            Its number.

        Raises
        ------
        InputError
            If the study has no name, nothing of it has left, or nothing has changed.
        LeavingError
            If too few rows have changed.
        """
        return self.session.new_version()

    def verify(self, path: str | Path) -> FileCheck:
        """Say whether a file was made of this table, and is as it was made.

        Parameters
        ----------
        path : str or Path
            A saved figure, table or report.

        Returns
        -------
        FileCheck
        """
        return verifier_of(self.session).check(path)

    def publish(self, path: str | Path) -> Path:
        """Write a table that is declared public to a study file marked PUBLIC.

        Parameters
        ----------
        path : str or Path
            A file .discreet.

        Returns
        -------
        Path

        Raises
        ------
        RefusedError
            If the table is not declared public.
        """
        publish(self.session, path)
        return Path(path)


def research(
    source: object,
    policy: str | Path | Policy = REGIME,
    *,
    study: str | None = None,
    kinds: Mapping[str, str] | None = None,
    roles: Mapping[str, str] | None = None,
    unit: str | bool | None = None,
    key: str | None = None,
    labels: Mapping[str, str] | None = None,
    dates: Mapping[str, str] | None = None,
    public: bool | None = None,
    **settings: Any,
) -> Research:
    """Open a table for the methods of the four papers, as printed: public or simulated data.

    Parameters
    ----------
    source : path or frame
        A table, as `discreet.open` takes it.
    policy : str, Path or Policy, default "research"
        Settings in a TOML file, or a Policy, with a table `papers`.
    study, kinds, roles, unit, key, labels, dates
        As of `discreet.open`.
    public : bool, default False
        The data are public: nothing that is saved is recorded, and every view says so.
    **settings
        What is used where a call says none: those of the papers (`discreet.policy.PaperSettings`),
        such as `method` ("deterministic"), `q` (0.25), `strata` or `bins`, and of `Policy` `k` (3),
        `limits`, `bounds`, `residual_df`, `missing_values` and `ordered`.

    Returns
    -------
    Research

    Raises
    ------
    InputError
        If the source, a column named here or a setting is wrong, or the policy is guarded.

    Examples
    --------
    >>> import discreet as dc
    >>> view = dc.research(dc.datasets.d2()).scatter("X", "Y", method="deterministic", k=3)
    >>> view.method, view.parameters["k"]
    ('deterministic', 3)
    """
    if is_study_file(source):
        raise InputError(OF_FILE)
    chosen = load_policy(policy)
    if chosen.fixed:
        raise InputError(GUARDED)
    named: dict[str, Any] = {"study": study, "kinds": kinds, "roles": roles, "unit": unit}
    named |= {"key": key, "labels": labels, "dates": dates, "public": public}
    own = {name: settings.pop(name) for name in PAPER_FIELDS if name in settings}
    named |= {"papers": own or None, **settings}
    return Research(session_of(source, chosen.changed(**named)))


OF_TABLE = ("study", "kinds", "roles", "unit", "key", "dates", "public", "strata", "bounds")
"""What a function that makes one table opens it with."""


def anonymize(
    source: object,
    columns: Sequence[str] | None = None,
    *,
    method: str | None = None,
    k: int | None = None,
    q: float | None = None,
    strata: Sequence[str] | None = None,
    drop: Sequence[str] = (),
    sensitive: str | None = None,
    formula: str | None = None,
    risk_below: float | None = None,
    **settings: Any,
) -> Release:
    """Make a table by a paper's method, with a report on its risk and use.

    Parameters
    ----------
    source : path or frame
        A table, as `discreet.open` takes it: public or simulated data.
    columns, drop, sensitive, method, k, q, formula, risk_below
        As of `Research.anonymize`.
    strata : sequence of str, optional
        Columns of levels within whose combinations rows are protected; by default all of them.
    **settings
        Of `discreet.research`, to open the table with: `study`, `kinds`, `roles`, `unit`, `key`,
        `dates`, `public`, `bounds`; or of `Research.anonymize`: `metric`, `ties`, `missing`,
        `missing_levels`, `hierarchies`, `diversity`, `closeness`.

    Returns
    -------
    Release
        `frame`, in the kind that came in; `report`; and `save`.

    Raises
    ------
    InputError
        If the source, a column or a setting is wrong.
    RefusedError
        If strata cannot be merged to their size, or what was required is not reached.

    Notes
    -----
    **What it does not protect.** As of `Research.anonymize`.

    Avraam et al., "A deterministic approach for protecting privacy in sensitive personal data",
    BMC Medical Informatics and Decision Making 22:24 (2022).

    Examples
    --------
    >>> import discreet as dc
    >>> released = dc.anonymize(
    ...     dc.datasets.diabetes(), ["age", "bmi"], method="deterministic", k=3, strata=["sex"]
    ... )
    >>> released.frame.column_names
    ['age', 'sex', 'bmi']
    """
    opened, own = _opened(source, {"strata": strata, **settings})
    asked_for: dict[str, Any] = {"drop": drop, "sensitive": sensitive, "formula": formula}
    asked_for |= {"method": method, "k": k, "q": q, "risk_below": risk_below, **own}
    return opened.anonymize(columns, **asked_for)


def round(
    source: object,
    columns: Sequence[str] | None = None,
    *,
    method: str | None = None,
    k: int | str | None = None,
    c: int | str | None = None,
    per_column: bool = False,
    strata: Sequence[str] | None = None,
    drop: Sequence[str] = (),
    sensitive: str | None = None,
    formula: str | None = None,
    **settings: Any,
) -> Release:
    """Replace the numbers of a table by points that records share, with a report on it.

    Parameters
    ----------
    source : path or frame
        A table, as `discreet.open` takes it: public or simulated data.
    columns, drop, sensitive, method, k, c, per_column, formula
        As of `Research.round`.
    strata : sequence of str, optional
        As of `anonymize`.
    **settings
        Of `discreet.research`, to open the table with, as of `anonymize`; or of `Research.round`:
        `representative`, `encoding`, `missing`, `missing_levels`, `hierarchies`.

    Returns
    -------
    Release
        `frame`, `report`, `points` (to round new records alike) and `save`.

    Raises
    ------
    InputError
        If the source, a column or a setting is wrong.
    RefusedError
        If strata cannot be merged to their size.

    Notes
    -----
    **What it does not protect.** As of `Research.round`.

    Senavirathne and Torra, "Rounding based continuous data discretization for statistical
    disclosure control", Journal of Ambient Intelligence and Humanized Computing (2019).

    Examples
    --------
    >>> import discreet as dc
    >>> dc.round(dc.datasets.diabetes(), ["age", "bmi"], drop=["sex"], k=10).points
    JointSet(age, bmi: 44 points)
    """
    opened, own = _opened(source, {"strata": strata, **settings})
    asked_for: dict[str, Any] = {"drop": drop, "sensitive": sensitive, "formula": formula}
    asked_for |= {"method": method, "k": k, "c": c, "per_column": per_column, **own}
    return opened.round(columns, **asked_for)


def tune(
    source: object,
    columns: Sequence[str] | None = None,
    *,
    methods: Sequence[str] | None = None,
    k: Sequence[int] | None = None,
    q: Sequence[float] | None = None,
    risk: str = "linkage",
    loss: str = "displacement",
    strata: Sequence[str] | None = None,
    drop: Sequence[str] = (),
    sensitive: str | None = None,
    **settings: Any,
) -> RiskUtilityMap:
    """Try methods and numbers on a table, and map the risk and the loss of each.

    Parameters
    ----------
    source : path or frame
        A table, as `discreet.open` takes it.
    columns, methods, k, q, risk, loss, drop, sensitive
        As of `Research.tune`.
    strata : sequence of str, optional
        As of `anonymize`.
    **settings
        Of `discreet.research`, to open the table with, as of `anonymize`; or of `Research.tune`:
        `metric`, `ties`, `missing`, `missing_levels`, `hierarchies`, `diversity`, `closeness`.

    Returns
    -------
    RiskUtilityMap
        Every setting with its risk and loss, and which of them are efficient.

    Raises
    ------
    InputError
        If the source, a column, a method or a setting is wrong.

    Notes
    -----
    Not a release: exact numbers of raw data are for whoever holds the data.

    Examples
    --------
    >>> import discreet as dc
    >>> found = dc.tune(dc.datasets.d2(), methods=["deterministic"], k=[3, 10])
    >>> len(found.points)
    2
    """
    opened, own = _opened(source, {"strata": strata, **settings})
    asked_for: dict[str, Any] = {"methods": methods, "k": k, "q": q, "risk": risk, "loss": loss}
    return opened.tune(columns, **asked_for, drop=drop, sensitive=sensitive, **own)


def _opened(source: object, settings: Mapping[str, Any]) -> tuple[Research, dict[str, Any]]:
    """Open a table; return with it the settings that are of what is asked."""
    of_table = {name: settings[name] for name in OF_TABLE if name in settings}
    return research(source, **of_table), {n: it for n, it in settings.items() if n not in of_table}
