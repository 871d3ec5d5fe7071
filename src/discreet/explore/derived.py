"""A part of the copy of the whole table, or the copy with new columns: all of it post-processing.

What is asked is an expression (`discreet.expressions`), which the rows of the copy alone answer. So
no raw value plays a part in it, and whatever is drawn is free, as all that is drawn of the copy. A
plot by two columns is drawn here too: of parts of the rows, each by itself.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from types import MappingProxyType
from typing import Any, TypeVar, cast

import numpy as np
from numpy.typing import NDArray

from discreet.arguments import Floats
from discreet.columns import KINDS
from discreet.columns.column import merge_columns
from discreet.columns.countable import NamedColumns
from discreet.errors import InputError, RefusedError, about, near
from discreet.estimates.fidelity_report import SubsetFit
from discreet.explore.from_copy import (
    WholeTable,
    levels_of_plot,
    said_of_gaps,
    settle_from_copy,
    view_from_copy,
)
from discreet.explore.from_file import FileSession
from discreet.explore.new_columns import parsed, values_of, with_column
from discreet.explore.notes import codes_said, column_notes, derived_notes, open_ends, with_gate
from discreet.explore.own_errors import differences, with_own_errors
from discreet.expressions import Expression, Truth, Values
from discreet.expressions.tree import Applied, Column, Constant, nodes
from discreet.plots import MultiplesView, Origin, PanelsView, Plot, PlotRequest, View
from discreet.plots.counts import MISSING
from discreet.plots.facets import FEWEST, ROUGH, Pair, Pairs, pairs_of
from discreet.plots.parallel import ParallelPlot, order_of_axes
from discreet.plots.scatter import AS_POINTS, DENSITY
from discreet.plots.view import COPY_ROWS
from discreet.policy import Policy, Sensitive
from discreet.provenance import Sealer
from discreet.regression import read_formula
from discreet.render.sealing import Gate

USUAL = MappingProxyType({30: (0.13, 0.29), 50: (0.09, 0.19), 100: (0.05, 0.11)})
"""How far off the sizes of such parts of six tables were: on average, and in one of ten."""

COMPARISONS = ("compare", "in")
"""Of an expression: what holds a column beside a level."""

V = TypeVar("V", bound=View)


@dataclass(frozen=True, eq=False, repr=False)
class DerivedCopy:
    """Some rows of a study's copy, with new columns, and how they came to be.

    `steps` are what was done, in words and in order; `asked` the columns that say which rows these
    are; `asks` what was asked: a new column's name and expression, or nothing and a condition.
    """

    session: FileSession
    whole: WholeTable
    steps: tuple[str, ...] = ()
    asked: tuple[str, ...] = ()
    asks: tuple[tuple[str, str], ...] = ()

    @property
    def table(self) -> NamedColumns:
        """The columns of the study, by name and kind: those that are not in the copy, too."""
        return self.session.table

    @property
    def policy(self) -> Policy:
        """The policy in force."""
        return self.session.policy

    @property
    def name(self) -> str | None:
        """The study's name."""
        return self.session.name

    @property
    def labels(self) -> Mapping[str, str]:
        """What is drawn in place of the names of columns."""
        return self.session.labels

    @property
    def dates(self) -> tuple[str, ...]:
        """The columns of dates, new ones among them."""
        return tuple(name for name, column in self.whole.raw.items() if column.dates is not None)

    @property
    def rows_are(self) -> str:
        """What rows are called beside a view."""
        return self.session.rows_are

    # --- what is derived ------------------------------------------------------------------------

    def where(self, condition: str) -> DerivedCopy:
        """Return the rows for which a condition holds; not those for which it is unknown."""
        with about("where"):
            out = self._part(condition)
            if len(out.whole) < FEWEST:
                _refuse_unknown_levels(self.whole, condition)
                raise RefusedError(
                    f"fewer than {FEWEST} rows of the copy have {condition}: too few to say "
                    "anything about people; ask for a larger part",
                    rule="few",
                )
        return out

    def on(self, whole: WholeTable) -> WholeTable:
        """Return these rows and columns of another copy, however few there are."""
        out = DerivedCopy(self.session, whole)
        for name, text in self.asks:
            out = out._with_column(name, text) if name else out._part(text)
        return out.whole

    def copies_again(self) -> tuple[tuple[WholeTable, ...], float]:
        """Return such rows of the first of the copy and of copies of them; and what share.

        The share is that of the first rows of all that the copy has.
        """
        tables = self.session.copies_of_copy
        share = len(tables[0]) / len(self.session.whole)
        if not self.asks:
            return tables, share
        found: list[WholeTable] = []
        for table in tables:
            try:
                found.append(self.on(table))
            except (InputError, RefusedError):  # it has lost a column
                if not found:
                    break
        return tuple(found), share

    def _part(self, condition: str) -> DerivedCopy:
        found, kept = rows_where(self.whole, condition)
        return dataclasses.replace(
            self,
            whole=self.whole.rows(kept),
            steps=(*self.steps, f"where {condition}"),
            asked=(*self.asked, *found.names),
            asks=(*self.asks, ("", condition)),
        )

    def assign(self, columns: Mapping[str, str]) -> DerivedCopy:
        """Return the rows with new columns, one after the other; a later one may use an earlier."""
        if not columns:
            raise InputError("assign takes a name and an expression: log_bmi='log(bmi)'")
        out = self
        for entry, (name, text) in enumerate(columns.items()):
            with about("assign", entry):
                out = out._with_column(name, text)
        return out

    def _with_column(self, name: str, text: str) -> DerivedCopy:
        if not isinstance(name, str) or not name.strip():
            raise InputError("a new column needs a name that is text")
        if name in {*self.session.table.columns, *self.whole.raw, *self.whole.left_out}:
            raise InputError(
                f"there is a column {name!r}; choose another name for the new one", rule="taken"
            )
        return dataclasses.replace(
            self,
            whole=with_column(self.whole, name, text),
            steps=(*self.steps, f"{name} is {text}"),
            asks=(*self.asks, (name, text)),
        )

    # --- what is drawn --------------------------------------------------------------------------

    def settle(self, plot: Plot[Any], **way: Any) -> PlotRequest:
        """Say how a plot of these rows will be made, or refuse it; `way` is a method, k or q."""
        if plot.pairwise and plot.get("columns") is None:
            plot = plot.changed(columns=self.session.numbers_together())
        if plot.pairwise and not plot.least() <= len(plot.names) <= plot.most():
            raise InputError(
                f"correlations are of a list of {plot.least()} to {plot.most()} columns of numbers;"
                " name them: columns=['a', 'b', 'c']",
                parameter="columns",
            )
        model, raw = None, self.session.table
        if plot.kind() == "formula":
            formula = plot.get("formula")
            kinds = {name: it.kind for name, it in self.table.columns.items() if it.kind in KINDS}
            kinds |= dict.fromkeys(self.whole.copy.columns, KINDS[0])
            kinds |= dict.fromkeys(self.whole.copy.strata, KINDS[1])
            model = read_formula(formula, self.whole.kinds_in(formula, kinds))
            plot = plot.changed(formula=model.formula)
        request = settle_from_copy(self.session.policy, self.whole, raw, plot, model, **way)
        if len(request.plot.by_names) > 1:
            check_two(request, self.whole)
        return request

    def draw(self, plot: Plot[V], **way: Any) -> V:
        """Draw a plot of these rows."""
        # The plot says which View it makes.
        return cast("V", self.view(self.settle(plot, **way)))

    def view(self, request: PlotRequest) -> View:
        """Draw what was settled, with the study's gate."""
        study, policy, plot = self.session, self.session.policy, request.plot
        levels = () if request.model is None else request.model.levels
        named, by, raw = request.named, plot.by_names, self.whole.raw
        weights = plot.get("weights")
        rests_on = named if weights in (None, *named) else (*named, weights)
        origin = Origin(
            policy=policy.name,
            regime=policy.regime,
            public=policy.public,
            study=study.name,
            version=study.whole.copy.version,
            left_out=None,
            counted=study.rows_are,
            remarks=(
                *open_ends(request),
                *(differences(self, request.columns, by) if by else ()),
                *self.remarks_of_copy(rests_on),
            ),
            dates=tuple(it for it in dict.fromkeys(named) if raw[it].dates is not None),
        )
        held = self.whole.with_levels(levels_of_plot(plot, request.model))
        orders = {name: held.levels_of(name) for name in named if name in held.copy.strata}
        how = dataclasses.replace(request.how, orders=orders)
        if by:
            origin = dataclasses.replace(origin, orders=tuple(orders.items()))
        draw = view_from_copy if len(by) < 2 else drawn_by_two
        asked = dataclasses.replace(request, how=how)
        drawn: View = draw(asked, self.whole, origin, policy.residual_df)
        drawn = with_own_errors(self, request, drawn)
        gate = self.gate_of_copy(plot.name, (*rests_on, *levels))
        sealer = study.sealer_of(request, drawn, self.asks)
        return with_gate(drawn, gate, sealer, study.labels, rests_on, study.table.framework)

    def gate_of_copy(self, kind: str, columns: Sequence[str]) -> Gate:
        """Return what records that something of these rows is released.

        What says which rows it is of is shown as well, and recorded.
        """
        return self.session.gate_of_copy(kind, self.whole.sources((*columns, *self.asked)))

    def sealer_of_copy(self, request: Mapping[str, Any]) -> Sealer:
        """Return what seals something of these rows."""
        return self.session.sealer_of_copy(request, self.asks)

    def remarks_of_copy(self, names: Sequence[str]) -> tuple[str, ...]:
        """Say what was done, how rough a small part is, and what is said of the copy's columns."""
        study, whole = self.session, self.whole
        said = ["; ".join(self.steps)] if self.steps else []
        if self.asked and len(whole) < ROUGH and study.rows_are == COPY_ROWS:
            said.append(_how_rough(len(whole), study.measured_parts()))
        if self.policy.derive:
            said += derived_notes(self.policy, whole.beneath((*names, *self.asked)))
        sources = whole.sources(names)
        # It holds of all rows; and where people have several, such tables are not counted.
        if not self.asks and study.file.manifest.person_column is None:
            there = {*sources} & {*whole.copy.strata}
            pairs = [pair for pair in self.policy.tables or () if {*pair} <= there]
            listed = "; ".join(map(" by ".join, pairs))
            said += [f"counted in the data, with noise: {listed}"] if listed else []
        codes = codes_said([name for name in sources if name in study.coded])
        return (*said, *column_notes(study.kept, sources), *codes, *study.how_near)


def axis_order(
    of: DerivedCopy, columns: Sequence[str], sensitive: Sensitive | None
) -> tuple[str, ...]:
    """Propose an order of columns as axes."""
    request = of.settle(ParallelPlot(columns, sensitive=sensitive))
    return order_of_axes(of.whole.table, request)


def rows_where(whole: WholeTable, condition: str) -> tuple[Expression, NDArray[np.intp]]:
    """Read a condition, and return with it the places of the rows for which it holds."""
    found = parsed(whole, "where", condition).as_condition()
    if found.kind != "truth":
        raise InputError(
            f"{condition!r} is not a condition but a {found.kind}; compare it with something: "
            "'age >= 50'"
        )
    return found, np.flatnonzero(_truth(found.evaluate(values_of(whole, found))) == 1)


def _refuse_unknown_levels(whole: WholeTable, condition: str) -> None:
    """Refuse a condition that names a level which no row of the copy has: it was another one."""
    found = parsed(whole, "where", condition)
    for node in nodes(found.tree):
        if not isinstance(node, Applied) or node.name not in COMPARISONS:
            continue
        names = [it.name for it in node.arguments if isinstance(it, Column) and it.kind == "level"]
        for name in names:
            levels = whole.levels_of(name) if name in whole.copy.strata else ()
            for it in node.arguments:
                if isinstance(it, Constant) and str(it.value) not in levels:
                    raise RefusedError(
                        f"no row of the copy has {name} == {str(it.value)!r};"
                        f" {near(str(it.value), levels)}",
                        rule="few",
                    )


def _how_rough(rows: int, measured: Sequence[SubsetFit]) -> str:
    """Say how far off the size of a part is, as it was measured on parts of this copy, or others.

    What holds of parts that are no larger is said.
    """
    sizes = {**USUAL, **{it.persons: (it.size, it.size_p90) for it in measured}}
    off = _how_far_off(*sizes[max(it for it in sizes if it <= rows)])
    return (
        f"rough: only {rows} rows of the copy; in parts of this size the number of people is {off}"
    )


def _how_far_off(mean: float, most: float) -> str:
    """Say a mean and a 90 % quantile of errors, either of which may have been rounded to nought.

    Examples
    --------
    >>> _how_far_off(0.05, 0.11)
    'about 5 % off on average, and 11 % or more one time in ten'
    >>> _how_far_off(0.0, 0.15)
    'less than 15 % off nine times in ten'
    """
    of_mean, of_most = (f"{100 * it:.0f} %" for it in (mean, most))
    if of_mean == "0 %":
        return "hardly off" if of_most == "0 %" else f"less than {of_most} off nine times in ten"
    often = f", and {of_most} or more one time in ten" if mean < most else ""
    return f"about {of_mean} off on average{often}"


def _truth(found: Values) -> Floats:
    if not isinstance(found, Truth):
        raise InputError("a condition gave something else; please report this")
    return found.values


# --- plots by two columns: the rows in parts, each drawn as one ----------------------------------

Draw = Callable[[PlotRequest, WholeTable], View]


@dataclass(frozen=True, repr=False)
class _Parted:
    """The rows of all pairs of levels that are drawn, and which of the `pairs` each is of."""

    whole: WholeTable
    places: NDArray[np.intp]
    pairs: Pairs

    def part(self, wanted: Sequence[Pair]) -> WholeTable:
        """Return the rows of some pairs of levels."""
        asked = {*wanted}
        found = [place for place, pair in enumerate(_pairs(self.pairs)) if pair in asked]
        return self.whole.rows(np.flatnonzero(np.isin(self.places, found)))


def check_two(request: PlotRequest, whole: WholeTable) -> None:
    """Refuse more pairs of levels than can be told apart, or none of enough rows."""
    if request.plot.get("show") == DENSITY:
        raise InputError(
            "a scatter plot by two columns always shows points; leave show out, or draw a heat map",
            parameter="show",
            rule="two",
        )
    _parted(request, whole)


def drawn_by_two(request: PlotRequest, whole: WholeTable, origin: Origin, residual_df: int) -> View:
    """Draw a plot of the rows of the copy, by the levels of two columns."""
    plot = request.plot
    parted = _parted(request, whole)
    gaps = said_of_gaps(whole, _needed(request))
    origin = dataclasses.replace(origin, remarks=(*origin.remarks, *gaps))
    draw = partial(view_from_copy, origin=origin, residual_df=residual_df)
    columns = parted.whole.copy.columns
    if plot.names[0] in columns:
        dated = parted.whole.raw[plot.names[0]].dates is not None
        plot = plot.on_axes_of(columns[plot.names[0]], request.how, dated=dated)
    shown = {"show": AS_POINTS} if "show" in plot.settings() else {}
    one = dataclasses.replace(request, plot=plot.changed(by=plot.by_name, **shown))
    each = _is_grid(plot)
    if not each:
        views = _by_second(parted, one, draw)
    elif plot.small_multiples:
        views = _on_one_grid(parted, one, draw)
    else:
        views = _each(parted, one, draw)
    return _panels(request, parted, views, dataclasses.replace(origin, total=len(whole)), each)


def _is_grid(plot: Plot[Any]) -> bool:
    """Tell whether each pair of levels has a panel of its own, in a row and a column."""
    return plot.each_pair and not plot.get("overlay")


def _parted(request: PlotRequest, whole: WholeTable) -> _Parted:
    """Return the rows that have values in all columns, and the pairs of levels that are drawn."""
    plot = request.plot
    by = (plot.by_names[0], plot.by_names[1])
    whole = whole.with_levels(levels_of_plot(plot, request.model))
    needed = _needed(request)
    numbers = [name for name in needed if name in whole.copy.columns]
    whole = whole.rows(whole.complete(numbers, [it for it in needed if it not in numbers]))
    first, second = ([word or MISSING for word in whole.copy.strata[name]] for name in by)
    orders = (whole.levels_of(by[0]), whole.levels_of(by[1]))
    pairs = pairs_of(
        first, second, by, grid=_is_grid(plot), beside=plot.side_by_side, orders=orders
    )
    place_of = {pair: i for i, pair in enumerate(_pairs(pairs)) if pair in pairs.sizes}
    each = (place_of.get(pair, -1) for pair in zip(first, second, strict=True))
    places = np.fromiter(each, np.intp, len(first))  # one number a row: a table may be large
    kept = np.flatnonzero(places >= 0)
    return _Parted(whole.rows(kept), places[kept], pairs)


def _needed(request: PlotRequest) -> tuple[str, ...]:
    """Return the columns that a row needs a value of: of bars a missing value is a level."""
    return request.plot.by_names[1:] if request.plot.kind() == "categorical" else request.named


def _by_second(parted: _Parted, request: PlotRequest, draw: Draw) -> list[View | None]:
    """Draw the levels of the first column, for each level of the second."""
    return [
        draw(request, parted.part([pair for pair in parted.pairs.sizes if pair[1] == level]))
        for level in parted.pairs.second
    ]


def _each(parted: _Parted, request: PlotRequest, draw: Draw) -> list[View | None]:
    """Draw each pair of levels by itself."""
    alone = dataclasses.replace(request, plot=request.plot.changed(by=None))
    return [
        draw(alone, parted.part([pair])) if pair in parted.pairs.sizes else None
        for pair in _pairs(parted.pairs)
    ]


def _on_one_grid(parted: _Parted, request: PlotRequest, draw: Draw) -> list[View | None]:
    """Draw each pair of levels in the same bins: as the levels of one column."""
    numbers = [str(place) for place, _ in enumerate(_pairs(parted.pairs))]
    words = tuple(map(numbers.__getitem__, parted.places))
    copy = parted.whole.copy
    strata = merge_columns(copy.strata, {request.plot.by_name or "": words})
    drawn = draw(request, parted.whole.holding(copy.columns, strata))
    found: Mapping[str, View] = {}
    if isinstance(drawn, MultiplesView):
        found = dict(zip(drawn.levels, drawn.views, strict=True))
    return [found.get(number) for number in numbers]


def _pairs(pairs: Pairs) -> list[Pair]:
    return [(first, second) for first in pairs.first for second in pairs.second]


def _panels(
    request: PlotRequest, parted: _Parted, views: Sequence[View | None], origin: Origin, each: bool
) -> PanelsView:
    """Put the plots of all parts together, and say of how many rows they are."""
    drawn = [view for view in views if view is not None]
    counts = [view.origin.shown for view in drawn]
    told = sum(count for count in counts if count is not None)
    origin = dataclasses.replace(origin, shown=len(parted.places) if None in counts else told)
    sizes = parted.pairs.sizes
    return PanelsView(
        columns=drawn[0].columns,
        method=drawn[0].method,
        parameters=drawn[0].parameters,
        suppressed=sum(view.suppressed or 0 for view in drawn),
        origin=origin,
        by=(request.plot.by_names[0], request.plot.by_names[1]),
        first=parted.pairs.first,
        second=parted.pairs.second,
        views=tuple(None if view is None else _within(view, origin) for view in views),
        few=parted.pairs.few,
        rough=sum(size < ROUGH for size in sizes.values()),
        drawn=len(sizes),
        each_pair=each,
    )


def _within(view: View, origin: Origin) -> View:
    """Return the plot of a part, which is not shown how many there are in all."""
    own = dataclasses.replace(origin, shown=None, remarks=view.origin.remarks)
    return dataclasses.replace(view, origin=own)
