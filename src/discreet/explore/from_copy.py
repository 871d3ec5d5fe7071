"""Plots of the copy of the whole table: post-processing, and so free in columns and settings."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from discreet.arguments import Floats, Labels
from discreet.columns import KINDS, Column
from discreet.columns.array_rows import ArrayRows
from discreet.columns.column import drop_columns, map_columns, merge_columns
from discreet.columns.copied import Copy
from discreet.columns.countable import NamedColumns
from discreet.columns.dates import day_of, declare_hint
from discreet.errors import BrokenPromiseError, InputError, RefusedError, about, one_of
from discreet.explore.weights import weighed
from discreet.levels import in_order
from discreet.methods import Condensation, Whole
from discreet.plots import PLOTS, MultiplesView, Origin, View, diagnostics
from discreet.plots.by_level import codes_as_words
from discreet.plots.descriptor import Plot
from discreet.plots.over_time import check_times
from discreet.plots.periods import AUTO, check_every
from discreet.plots.request import GRID, PlotRequest, columns_of_by
from discreet.plots.scatter import with_trends
from discreet.plots.survival import event_of, too_many_values
from discreet.policy import Policy, resolve
from discreet.policy.resolve import method_of_whole
from discreet.regression import Model, categories_named

NO_METHOD = "none"
OF_CLUSTERS = ("sensitive", "diversity")
OF_PUBLIC = (
    "of a public table in a study file parallel coordinates alone are drawn, as clusters of"
    " persons; draw the others of the table itself, with discreet.research"
)
ROWS_A_CELL = 5
"""So many rows of the copy a cell of a heat map has on average, where nobody says."""
LEAST_GRID = 5
MOST_GAPS = 4
"""So many columns are named whose gaps cost rows."""
OWN = ("k", "q")
"""Numbers that the copy was made with, and that no plot of it may have others of."""


@dataclass(frozen=True)
class DrawableColumn:
    """A column that may be drawn: its name and kind."""

    name: str
    kind: str


@dataclass(frozen=True, repr=False)
class WholeTable:
    """The copy of a whole table, as rows that can be counted.

    Parameters
    ----------
    copy : Copy
        The rows, with new columns among them.
    raw : mapping of str to Column
        What is known of each column.
    made_from : mapping of str to tuple of str
        The columns that each new column was made from.
    left_out : mapping of str to str
        Why a new column that the policy derives is not among them.
    withheld : tuple of str
        Columns of the copy that are not used, as the policy says, and those that are made of them.
    within : WholeTable or None
        The copy that these are some rows of: its levels are those of the rows too, so that each
        keeps its place and colour.
    """

    copy: Copy
    raw: Mapping[str, Column]
    made_from: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    left_out: Mapping[str, str] = field(default_factory=dict)
    withheld: tuple[str, ...] = ()
    within: WholeTable | None = None
    _levels: dict[str, tuple[str, ...]] = field(init=False, default_factory=dict, compare=False)

    @cached_property
    def table(self) -> ArrayRows:
        """The rows as they are counted: levels are words, and all that they hold may be shown."""
        numbers, words, whose = self.copy.columns, self.copy.strata, self.copy.whose
        known = {
            name: Column(
                name,
                KINDS[name not in numbers],
                numeric=name in numbers or self.raw[name].numeric,
                order=self.raw[name].order,
                readings=self.raw[name].readings,
            )
            for name in self.raw
            if (name in numbers or name in words) and name not in whose
        }
        return ArrayRows(numbers, words, known)

    @property
    def persons(self) -> Labels | None:
        """Whose each row is, as numbers of drawn persons; None where each row is one of its own."""
        for values in self.copy.whose.values():
            return np.unique(values, return_inverse=True)[1]
        return None

    @property
    def orders(self) -> Mapping[str, tuple[str, ...]]:
        """The orders of levels that are declared: of levels that the copy has not, too."""
        held = {*self.copy.columns, *self.copy.strata}
        return {n: it.order for n, it in self.raw.items() if it.order and n in held}

    @property
    def drawable(self) -> dict[str, DrawableColumn]:
        """The columns that a plot may be asked of, by name, new ones last."""
        numbers, levels = self.copy.columns, self.copy.strata
        return {
            name: DrawableColumn(name, KINDS[name not in numbers])
            for name in self.raw
            if name in numbers or name in levels
        }

    @property
    def levels(self) -> Mapping[str, tuple[str, ...]]:
        """The levels of each column that has some, in order."""
        return {name: self.levels_of(name) for name in self.copy.strata}

    def levels_of(self, name: str) -> tuple[str, ...]:
        """Return the levels of a column in order: of a part those of the whole copy."""
        if name not in self._levels:
            words = None if self.within is None else self.within._words_of(name)
            found = {*(self.copy.strata[name] if words is None else words)} - {""}
            self._levels[name] = in_order(found, self.raw[name].order)
        return self._levels[name]

    def _words_of(self, name: str) -> tuple[str, ...] | None:
        if name in self.copy.strata:
            return self.copy.strata[name]
        return codes_as_words(self.copy.columns[name]) if name in self.copy.columns else None

    def with_levels(self, names: Sequence[str]) -> WholeTable:
        """Return the copy with numbers of few different values, such as codes, as levels.

        What few are is for the copy to say, so that nothing hangs on the raw data.
        """
        numbers = self.copy.columns
        coded = [name for name in names if name in numbers and self.raw[name].dates is None]
        words = {name: it for name in coded if (it := codes_as_words(numbers[name])) is not None}
        if not words:
            return self
        others, strata = drop_columns(numbers, words), merge_columns(self.copy.strata, words)
        return self.holding(others, strata)

    def holding(
        self, columns: Mapping[str, Floats], strata: Mapping[str, tuple[str, ...]]
    ) -> WholeTable:
        """Return the copy with other columns, of the same rows."""
        copy = dataclasses.replace(
            self.copy, columns=columns, strata=strata, path=None, pieces=None
        )
        return dataclasses.replace(self, copy=copy)

    def kinds_in(self, formula: object, kinds: Mapping[str, str]) -> dict[str, str]:
        """Return kinds of columns as a formula has them: codes within C() are levels there."""
        named = self.with_levels(categories_named(formula)).copy.strata
        return {name: KINDS[1] if name in named else kind for name, kind in kinds.items()}

    def beneath(self, names: Sequence[str]) -> tuple[str, ...]:
        """Return some columns, and all that those of them that are new are made from."""
        found: dict[str, None] = {}
        waiting = [*names]
        while waiting:
            name = waiting.pop(0)
            if name not in found:
                found[name] = None
                waiting += self.made_from.get(name, ())
        return tuple(found)

    def sources(self, names: Sequence[str]) -> tuple[str, ...]:
        """Return the columns of the table that some columns, new ones among them, rest on."""
        return tuple(name for name in self.beneath(names) if name not in self.made_from)

    def check_made(self, names: Sequence[str]) -> None:
        """Refuse columns that the policy withholds, or derives and could not make of this copy."""
        for name in names:
            if name in self.withheld:
                raise RefusedError(
                    f"column {name!r} is withheld, as the copy is too far off in it; name another"
                    " one",
                    rule="withhold",
                )
            if name in self.left_out:
                raise RefusedError(
                    f"column {name!r}, which the policy derives, could not be made of the copy:"
                    f" {self.left_out[name]}",
                    rule="derive",
                )

    def rows(self, places: NDArray[np.intp]) -> WholeTable:
        """Return some rows of the copy, whose places are in order."""
        if len(places) == len(self):  # all of them: a table may be large
            return self
        some = self.holding(
            map_columns(self.copy.columns, lambda values: values[places]),
            map_columns(self.copy.strata, lambda words: tuple(words[i] for i in places.tolist())),
        )
        whose = map_columns(self.copy.whose, lambda values: values[places])
        copy = dataclasses.replace(some.copy, whose=whose)
        return dataclasses.replace(some, copy=copy, within=self.within or self)

    def __len__(self) -> int:
        return len(self.copy)

    def part(
        self, numbers: Sequence[str], levels: Sequence[str]
    ) -> tuple[dict[str, Floats], dict[str, tuple[str, ...]]]:
        """Return the rows that have a value in each of some columns."""
        places = self.complete(numbers, levels)
        if len(places) == len(self):  # all of them: a table may be large
            columns = {name: self.copy.columns[name].view() for name in numbers}
            for values in columns.values():
                values.setflags(write=False)
            return columns, {name: self.copy.strata[name] for name in levels}
        return (
            {name: self.copy.columns[name][places] for name in numbers},
            {name: tuple(self.copy.strata[name][i] for i in places.tolist()) for name in levels},
        )

    def gaps(self, name: str) -> int:
        """Count the rows that have no value in a column."""
        if name in self.copy.columns:
            return int((~np.isfinite(self.copy.columns[name])).sum())
        return self.copy.strata[name].count("")

    def complete(self, numbers: Sequence[str], levels: Sequence[str]) -> NDArray[np.intp]:
        """Return the places of the rows that have a value in each of some columns."""
        known = np.ones(len(self), dtype=np.bool_)
        for name in numbers:
            known &= np.isfinite(self.copy.columns[name])
        for name in levels:
            known &= np.array(self.copy.strata[name]) != ""
        if not known.any():
            raise RefusedError(
                f"no row of the copy has values in all of {one_of([*numbers, *levels])}; leave a"
                " column out"
            )
        return np.flatnonzero(known)


def levels_of_plot(
    plot: str, columns: Sequence[str], by: Sequence[str], model: Model | None
) -> list[str]:
    """Return the columns that a plot takes as levels."""
    counted = columns if PLOTS[plot].columns == KINDS[1] else ()
    pairs = zip(PLOTS[plot].places, columns, strict=False)
    counted = [*counted, *(name for place, name in pairs if place.kind != KINDS[0])]
    return [*counted, *by, *(() if model is None else model.levels)]


def is_of_clusters(policy: Policy, plot: Plot[Any]) -> bool:
    """Whether a plot is of clusters of persons: the rows are those of a public table."""
    return policy.shows_exact and plot.axes


def check_way(policy: Policy, how: Mapping[str, Any]) -> None:
    """Refuse another way to draw than from the copy, where there is one; else, weights."""
    if policy.fixed:
        with about("method"):
            method_of_whole(how.get("method"))
    elif how.get("weights") is not None:
        raise RefusedError(
            "weights are of rows of the copy of the whole table, and this plot is drawn of others;"
            " leave weights out",
            parameter="weights",
        )


def settle_from_copy(
    policy: Policy,
    whole: WholeTable,
    raw: NamedColumns,
    plot: str,
    columns: Sequence[str],
    model: Model | None,
    **how: Any,
) -> PlotRequest:
    """Say how a plot of the copy will be made: whatever can be drawn of public rows."""
    if plot not in PLOTS:
        raise InputError(f"there is no plot {plot!r}; there are {one_of(PLOTS)}")
    if policy.shows_exact:
        return _settle_clusters(policy, whole, raw, plot, columns, how)
    how.pop("method", None)
    weights = how.pop("weights", None)
    with about("numbers"):
        policy.allowed(**{name: how.pop(name, None) for name in OWN})
    how = _without_clusters(how)
    if how.get("limits") is not None and isinstance(how["limits"], Mapping):
        with about("limits"):
            how["limits"] = {**policy.limits, **_in_days(whole.raw, how["limits"])}
    by, second = _divided_by(how.pop("by", None))
    divided = [name for name in (by, second) if name is not None]
    names = [*columns, *([] if model is None else model.levels)]
    _check_numbers(whole, raw, plot, columns)
    weighed_by = [] if weights is None else [weights]
    _check_in_copy(whole, raw, columns=names, by=divided, weights=weighed_by)
    _check_weights(whole, plot, weights, columns, divided)
    whole = whole.with_levels(levels_of_plot(plot, columns, divided, model))
    _check_second(whole, columns, divided)
    drawn, method = PLOTS[plot], _row_method(PLOTS[plot], model)
    if "event_is" in drawn.parameters:
        how["event_is"] = _event_in(whole, columns[1], how.get("event_is"))
    if "every" in drawn.parameters:
        _check_times(whole, columns, how.get("every"))
    if how.get("grid") is None and drawn.uses(method, "grid"):
        how["grid"] = usual_grid(len(whole))
    asked = resolve(
        _free(policy),
        whole.table,
        plot,
        columns,
        model=model,
        method=method,
        by=by,
        **{name: value for name, value in how.items() if value is not None},
    )
    asked = dataclasses.replace(asked, q=None, by_second=second, weights=weights)
    return dataclasses.replace(asked, method=Whole.name, of_copy=True, m=policy.members)


def _settle_clusters(
    policy: Policy,
    whole: WholeTable,
    raw: NamedColumns,
    plot: str,
    columns: Sequence[str],
    how: Mapping[str, Any],
) -> PlotRequest:
    """Say how clusters of persons will be made, of the rows of a public table."""
    if not PLOTS[plot].axes:
        raise RefusedError(OF_PUBLIC, parameter="plot")
    _check_in_copy(whole, raw, columns=columns)
    asked = resolve(_free(policy), whole.table, plot, columns, **how)
    return dataclasses.replace(asked, q=None)


def _row_method(plot: Plot[Any], model: Model | None) -> str:
    """Return a method of rows where the plot is drawn from rows; which it is plays no part."""
    return NO_METHOD if plot.from_rows is None and model is None else Condensation.name


def _divided_by(by: object) -> tuple[str | None, str | None]:
    """Return the first and the second column that divide a plot, where there are any."""
    first, second, *_ = (*columns_of_by(by), None, None)
    return first, second


def _check_second(whole: WholeTable, columns: Sequence[str], by: Sequence[str]) -> None:
    """Refuse a second column that is none of levels, or named before; `resolve` has the first."""
    with about("by"):
        whole.table.require([*by[1:]], KINDS[1])
        if len({*by, *columns}) < len(by) + len(columns):
            raise InputError("a column is named twice; name each column once")


def _without_clusters(how: Mapping[str, Any]) -> dict[str, Any]:
    """Return what is asked for without what is of clusters of persons, or refuse that."""
    for name in OF_CLUSTERS:
        if how.get(name) is not None:
            raise InputError(
                f"{name} is for clusters of persons, and rows of the copy are nobody's; leave it"
                " out",
                parameter=name,
            )
    return {name: it for name, it in how.items() if name not in OF_CLUSTERS}


def _check_weights(
    whole: WholeTable, plot: str, weights: str | None, columns: Sequence[str], by: Sequence[str]
) -> None:
    """Refuse weights of a plot that has none, and columns that are no weights."""
    if weights is None:
        return
    with about("weights"):
        if PLOTS[plot].weigh is None:
            some = [name for name, it in PLOTS.items() if it.weigh is not None]
            raise InputError(
                f"{PLOTS[plot].phrase} has no weights; leave them out: {one_of(some)} take them"
            )
        if len(by) > 1:
            raise InputError(
                "weighted plots are divided by one column at most; leave one out, or draw a part:"
                " study.where(...)"
            )
        if weights in by or (weights in columns and PLOTS[plot].columns == KINDS[1]):
            raise InputError(f"column {weights!r} cannot be drawn as levels and be weights=")
        weighed(whole.copy, whole.raw, weights)


def _event_in(whole: WholeTable, column: str, event_is: object) -> tuple[str, ...]:
    """Say which levels of a column of the copy are the event."""
    if whole.raw[column].dates is not None:
        raise InputError(
            f"column {column!r} holds dates, and no event; a survival curve needs how long each was"
            " observed, as a number, and a column of levels that says whether that ended with the"
            " event: study.assign(days='end - start') makes days of two dates"
            " (--assign 'days=end - start')",
            parameter="columns",
            rule="event",
        )
    if column not in whole.copy.strata:
        raise too_many_values(column)
    names = in_order({*whole.copy.strata[column]} - {""}, whole.raw[column].order)
    return event_of(names, event_is, column)


def _check_times(whole: WholeTable, columns: Sequence[str], every: object) -> None:
    """Refuse columns of the copy that no line over time can be drawn of."""
    numbers = whole.copy.columns
    whole.table.require([name for name in columns if name not in numbers], KINDS[0])
    dates = [name for name in columns if whole.raw[name].dates is not None]
    check_times(columns, numbers[columns[0]], check_every(every or AUTO), dates)


def _in_days(raw: Mapping[str, Column], limits: Mapping[str, Any]) -> dict[str, Any]:
    """Return ends of axes with those of columns of dates as days."""
    dated = {name for name, column in raw.items() if column.dates is not None}
    return {
        name: tuple(day_of(end) for end in ends)
        if name in dated and isinstance(ends, Sequence) and not isinstance(ends, str)
        else ends
        for name, ends in limits.items()
    }


def usual_grid(rows: int) -> int:
    """Return how many cells a side has where nobody says: fewer for few rows."""
    return min(GRID, max(LEAST_GRID, math.isqrt(rows // ROWS_A_CELL)))


def _check_numbers(whole: WholeTable, raw: NamedColumns, plot: str, columns: Sequence[str]) -> None:
    """Refuse text where a plot takes numbers: that says more than that it is not in the copy."""
    if PLOTS[plot].columns == KINDS[0]:
        there = {*whole.copy.columns, *whole.copy.strata, *whole.left_out, *whole.withheld}
        known = [name for name in columns if name in raw.columns and name not in there]
        with about("columns"):
            raw.require([it for it in known if raw.columns[it].kind == KINDS[1]], KINDS[0])


def _check_in_copy(whole: WholeTable, raw: NamedColumns, **named: Sequence[str]) -> None:
    """Refuse columns that are not in the copy, and say why they are not and what names them."""
    held = {*whole.copy.columns, *whole.copy.strata}
    for what, wanted in named.items():
        with about(what):
            new = {*held, *whole.left_out, *whole.withheld}
            raw.require([name for name in dict.fromkeys(wanted) if name not in new])
            whole.check_made(wanted)
            for name in wanted:
                if name not in held:
                    says = "; ".join(whole.copy.remarks)
                    if raw.columns[name].readings:
                        says += f"; it {declare_hint(name, raw.columns[name].readings)}"
                    raise RefusedError(
                        f"column {name!r} is {says or 'not in the protected copy'}; draw another"
                        " column"
                    )


def _free(policy: Policy) -> Policy:
    """Return a policy that lets a view be drawn with any settings: the copy's rows are public."""
    return Policy.preset("research", k=policy.k, limits=policy.limits)


def view_from_copy(
    plot: Plot[Any], request: PlotRequest, whole: WholeTable, origin: Origin, residual_df: int
) -> View:
    """Draw a plot of the rows of the copy, or clusters of those of a public table."""
    by = [] if request.by is None else [request.by]
    if request.weights is not None and plot.weigh is not None:
        found = weighed(whole.copy, whole.raw, request.weights)
        some = whole.rows(found.places)
        origin = dataclasses.replace(origin, remarks=(*origin.remarks, found.said))
        plain = dataclasses.replace(request, weights=None)
        unweighted = view_from_copy(plot, plain, some, origin, residual_df)
        held = some.with_levels(levels_of_plot(plot.name, request.columns, by, None)).copy
        again: View = plot.weigh(unweighted, held.columns, held.strata, found.weights, request)
        return again
    whole = whole.with_levels(levels_of_plot(plot.name, request.columns, by, request.model))
    numbers, words = _named(whole, request)
    if plot.axes:  # axes may be levels, and each pair of them has rows of its own
        table = whole.table
        drawn: Any = plot.from_counts(table, request, origin)  # type: ignore[misc]
        if drawn.origin.shown < len(whole):
            drawn = dataclasses.replace(drawn, origin=with_gaps(drawn.origin, whole, numbers))
        return _of_copy(drawn, request) if request.of_copy else drawn
    rows, levels = _rows_with_gaps(whole, numbers) if plot.pairwise else whole.part(numbers, words)
    size = max([len(it) for it in rows.values()] + [len(it) for it in levels.values()])
    origin = dataclasses.replace(origin, shown=size, total=len(whole))
    if not plot.pairwise and plot.columns != KINDS[1]:  # of bars a missing value is a level
        origin = with_gaps(origin, whole, [*numbers, *words])
    if request.model is not None:
        return diagnostics.of_protected(
            request.model, rows, levels, request, origin, residual_df=residual_df, noise=None
        )
    by_rows = plot.from_rows
    if request.by is not None and plot.by_level is not None:
        by_rows = plot.by_level[0]
    if by_rows is not None:
        drawn = by_rows(rows, levels.get(request.by or "", ()), request, origin)
        return with_trends(drawn, None) if request.trend else drawn
    if plot.from_counts is None:
        raise BrokenPromiseError(f"{plot.phrase} has nothing that draws what was settled")
    counted = dataclasses.replace(request, method=NO_METHOD, m=None)
    return _of_copy(plot.from_counts(whole.table, counted, origin), request)


def with_gaps(origin: Origin, whole: WholeTable, names: Sequence[str]) -> Origin:
    """Say beside a view in how many rows of the copy columns have no value."""
    said = said_of_gaps(whole, names)
    return dataclasses.replace(origin, remarks=(*origin.remarks, *said))


def said_of_gaps(whole: WholeTable, names: Sequence[str]) -> tuple[str, ...]:
    """Say in how many rows of the copy each of some columns has no value, the most first."""
    found = {name: whole.gaps(name) for name in names}
    gaps = sorted(((n, name) for name, n in found.items() if n), key=lambda it: -it[0])
    if not gaps:
        return ()
    named = ", ".join(f"{n:,} of {name}" for n, name in gaps[:MOST_GAPS])
    more = len(gaps) - MOST_GAPS
    beyond = f" and of {more} more column{'s' * (more > 1)}" if more > 0 else ""
    return (f"rows without a value: {named}{beyond}",)


def _rows_with_gaps(
    whole: WholeTable, numbers: Sequence[str]
) -> tuple[dict[str, Floats], dict[str, tuple[str, ...]]]:
    """Return all rows of some columns, for a plot that looks at each two of them by itself."""
    return {name: whole.copy.columns[name] for name in numbers}, {}


def _named(whole: WholeTable, request: PlotRequest) -> tuple[list[str], list[str]]:
    """Return the columns of numbers, and those of levels, that a plot rests on."""
    names = [*request.named, *(() if request.model is None else request.model.levels)]
    numbers = [name for name in names if name in whole.copy.columns]
    return numbers, [name for name in names if name in whole.copy.strata]


def _of_copy(view: View, request: PlotRequest) -> View:
    """Say of a view, and of those within it, that its rows are those of the copy."""
    beside = {n: v for n, v in view.parameters.items() if n not in ("k", "m", "round_to")}
    stated = {"k": request.k, "m": request.m, **beside}
    drawn = dataclasses.replace(view, method=Whole.name, parameters=stated)
    if isinstance(drawn, MultiplesView):
        inner = tuple(_of_copy(each, request) for each in drawn.views)
        drawn = dataclasses.replace(drawn, views=inner)
    return drawn
