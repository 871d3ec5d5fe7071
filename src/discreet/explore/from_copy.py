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
from discreet.columns.column import Copy, drop_columns, map_columns, merge_columns
from discreet.columns.countable import NamedColumns
from discreet.columns.dates import day_of, declare_hint
from discreet.columns.grids import ArrayRows
from discreet.columns.words import counts_of, is_word, words_at
from discreet.errors import InputError, RefusedError, about, one_of
from discreet.explore.weights import weighed
from discreet.levels import in_order
from discreet.methods import Whole
from discreet.plots import How, MultiplesView, Origin, Plot, PlotRequest, View, diagnostics
from discreet.plots.counts import codes_as_words
from discreet.plots.over_time import check_times
from discreet.plots.periods import check_every
from discreet.plots.plot import BINS, GRID, PAPERS, PIXELS
from discreet.plots.survival import event_of, too_many_values
from discreet.policy import Policy, resolve
from discreet.policy.resolve import checked, method_of_whole
from discreet.regression import Model, categories_named

NO_METHOD = "none"
OF_CLUSTERS = ("sensitive", "diversity")
OF_PUBLIC = (
    "from a public table in a study file only parallel coordinates can be drawn, as clusters of "
    "people; draw other plots from the table itself, with discreet.research"
)
ROWS_A_CELL = 5
"""So many rows of the copy a cell of a heat map has on average, where nobody says."""
LEAST_GRID = 5
MOST_GAPS = 4
"""So many columns are named whose gaps cost rows."""


@dataclass(frozen=True)
class DrawableColumn:
    """A column that may be drawn: its name and kind."""

    name: str
    kind: str


@dataclass(frozen=True, repr=False)
class WholeTable:
    """The copy of a whole table, as rows that can be counted, with new columns among them.

    `made_from` has the columns that each new column was made from, and `left_out` why one that the
    policy derives is not among them. `withheld` are columns that are not used, as the policy says,
    and those made of them. Of some rows of a copy it is `within` that: its levels are theirs too,
    so that each keeps its place and colour.
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
                it.kind,
                numeric=name in numbers or self.raw[name].numeric,
                order=self.raw[name].order,
                readings=self.raw[name].readings,
            )
            for name, it in self.drawable.items()
            if name not in whose
        }
        return ArrayRows(numbers, words, known)

    @property
    def persons(self) -> Labels | None:
        """Whose each row is, as numbers of drawn people; None where each row is one of its own."""
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

    def levels_of(self, name: str) -> tuple[str, ...]:
        """Return the levels of a column in order: of a part those of the whole copy."""
        if name not in self._levels:
            words = None if self.within is None else self.within._words_of(name)
            found = {*counts_of(self.copy.strata[name] if words is None else words)} - {""}
            self._levels[name] = in_order(found, self.raw[name].order)
        return self._levels[name]

    def know_levels(self, levels: Mapping[str, tuple[str, ...]]) -> None:
        """Take levels, in order, from what says them, so that rows are not looked through."""
        self._levels.update(levels)

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
                    f"column {name!r}, which the policy derives, could not be computed from the "
                    f"copy: {self.left_out[name]}",
                    rule="derive",
                )

    def rows(self, places: NDArray[np.intp]) -> WholeTable:
        """Return some rows of the copy, whose places are in order."""
        if len(places) == len(self):  # all of them: a table may be large
            return self
        some = self.holding(
            map_columns(self.copy.columns, lambda values: values[places]),
            map_columns(self.copy.strata, lambda words: words_at(words, places)),
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
            {name: words_at(self.copy.strata[name], places) for name in levels},
        )

    def complete(self, numbers: Sequence[str], levels: Sequence[str]) -> NDArray[np.intp]:
        """Return the places of the rows that have a value in each of some columns."""
        known = np.ones(len(self), dtype=np.bool_)
        for name in numbers:
            known &= np.isfinite(self.copy.columns[name])
        for name in levels:
            known &= ~is_word(self.copy.strata[name], "")
        if not known.any():
            raise RefusedError(
                f"no row of the copy has values in all of {one_of([*numbers, *levels])}; leave a"
                " column out"
            )
        return np.flatnonzero(known)


def levels_of_plot(plot: Plot[Any], model: Model | None = None) -> list[str]:
    """Return the columns that a plot takes as levels."""
    places = plot.places().items()
    named = [plot.get(it) for it, of in places if of.type == "column" and of.kind != KINDS[0]]
    return [*named, *plot.by_names, *(() if model is None else model.levels)]


def settle_from_copy(
    policy: Policy,
    whole: WholeTable,
    raw: NamedColumns,
    plot: Plot[Any],
    model: Model | None = None,
    *,
    method: str | None = None,
    k: int | None = None,
    q: float | None = None,
) -> PlotRequest:
    """Say how a plot of the copy will be made: whatever can be drawn of public rows."""
    if not policy.fixed:
        return _settle_clusters(policy, whole, raw, plot, method, k)
    if method is not None:
        with about("method"):
            method_of_whole(method)
    if k is not None or q is not None:
        with about("numbers"):
            policy.allowed(k=k, q=q)  # which the copy was made with
    for name in OF_CLUSTERS:
        if plot.get(name) is not None:
            raise InputError(
                f"{name} is for clusters of people, and rows of the copy belong to nobody; "
                "leave it out",
                parameter=name,
            )
    if isinstance(plot.get("limits"), Mapping):
        with about("limits"):
            limits = {**policy.limits, **_in_days(whole.raw, plot.get("limits"))}
            plot = plot.changed(limits=limits)
    _check_in_copy(
        whole, raw, plot, plot.names if model is None else (*model.numbers, *model.levels)
    )
    if (weights := plot.get("weights")) is not None:
        _check_weights(whole, plot, weights)
    whole = whole.with_levels(levels_of_plot(plot, model))
    with about("by"):
        whole.table.require([*plot.by_names[1:]], KINDS[1])
    if "event_is" in plot.settings():
        plot = plot.changed(event_is=_event_in(whole, plot))
    if "every" in plot.settings():
        _check_times(whole, plot)
    plot = checked(whole.table, plot, model)
    _check_of_use(plot)
    usual: dict[str, Any] = {"bins": BINS, "pixels": PIXELS, "limits": policy.limits}
    if "grid" in plot.settings():
        usual["grid"] = usual_grid(len(whole))
    values = {n: it for n, it in usual.items() if n in plot.settings() and plot.get(n) is None}
    how = How(Whole.name, policy.k, m=policy.members, of_copy=True)
    return PlotRequest(plot.changed(**values), how, model)


def _settle_clusters(
    policy: Policy,
    whole: WholeTable,
    raw: NamedColumns,
    plot: Plot[Any],
    method: str | None,
    k: int | None,
) -> PlotRequest:
    """Say how clusters of people will be made, of the rows of a public table."""
    if plot.get("weights") is not None:
        raise RefusedError(
            "weights apply to rows of the copy of the whole table, and this plot is drawn from "
            "other rows; leave weights out",
            parameter="weights",
        )
    if not plot.axes:
        raise RefusedError(OF_PUBLIC, parameter="plot")
    _check_in_copy(whole, raw, plot, plot.names)
    request = resolve(_free(policy), whole.table, plot, method=method, k=k)
    return dataclasses.replace(request, how=dataclasses.replace(request.how, q=None))


def _check_of_use(plot: Plot[Any]) -> None:
    """Refuse settings that a plot of the copy does not use."""
    usual = plot.usual()
    for name, it in plot.settings().items():
        used = it.only != PAPERS and (not it.methods or Whole.name in it.methods)
        used = plot.uses(Whole.name, name) if name in ("grid", "limits") else used
        if not used and plot.get(name) not in (None, usual[name]):
            raise InputError(
                f"{plot.phrase()} of the copy does not use {name}=; leave it out",
                parameter="numbers" if name in ("grid", "limits") else name,
                rule="unused",
            )
    if {*(plot.get("limits") or ())} & {*(plot.get("edges") or ())}:
        raise InputError("a column has limits or edges, not both", parameter="numbers")


def _check_weights(whole: WholeTable, plot: Plot[Any], weights: str) -> None:
    """Refuse columns that are no weights, or weights of a plot by two columns."""
    with about("weights"):
        if len(plot.by_names) > 1:
            raise InputError(
                "weighted plots are divided by one column at most; leave one out, or draw a part:"
                " study.where(...)"
            )
        if weights in plot.by_names or (weights in plot.names and plot.kind() == KINDS[1]):
            raise InputError(f"column {weights!r} cannot be drawn as levels and be weights=")
        weighed(whole.copy, whole.raw, weights)


def _event_in(whole: WholeTable, plot: Plot[Any]) -> tuple[str, ...]:
    """Say which levels of a column of the copy are the event."""
    column = plot.names[1]
    if whole.raw[column].dates is not None:
        raise InputError(
            f"column {column!r} holds dates, not events; a survival curve needs the time that "
            "each person was observed, as a number, and a column of levels that says whether "
            "it ended with the event: study.assign(days='end - start') computes days from two "
            "dates (--assign 'days=end - start')",
            parameter="columns",
            rule="event",
        )
    if column not in whole.copy.strata:
        raise too_many_values(column)
    names = in_order({*whole.copy.strata[column]} - {""}, whole.raw[column].order)
    return event_of(names, plot.get("event_is"), column)


def _check_times(whole: WholeTable, plot: Plot[Any]) -> None:
    """Refuse columns of the copy that no line over time can be drawn of."""
    numbers, names = whole.copy.columns, plot.names
    whole.table.require([name for name in names if name not in numbers], KINDS[0])
    dates = [name for name in names if whole.raw[name].dates is not None]
    check_times(names, numbers[names[0]], check_every(plot.get("every")), dates)


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


def _check_in_copy(
    whole: WholeTable, raw: NamedColumns, plot: Plot[Any], names: Sequence[str]
) -> None:
    """Refuse columns that are not in the copy, and say why they are not and what names them."""
    held = {*whole.copy.columns, *whole.copy.strata}
    apart = {*whole.left_out, *whole.withheld}
    new = held | apart
    if plot.kind() == KINDS[0]:  # of text it says more that numbers are needed
        others = [name for name in plot.names if name in raw.columns and name not in new]
        with about("columns"):
            raw.require([it for it in others if raw.columns[it].kind == KINDS[1]], KINDS[0])
    weights = plot.get("weights")
    weighed_by = () if weights is None else (weights,)
    for what, wanted in (("columns", names), ("by", plot.by_names), ("weights", weighed_by)):
        with about(what):
            raw.require([name for name in dict.fromkeys(wanted) if name not in new])
            if apart:
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
    request: PlotRequest, whole: WholeTable, origin: Origin, residual_df: int
) -> View:
    """Draw a plot of the rows of the copy, or clusters of those of a public table."""
    plot, how = request.plot, request.how
    if (weights := plot.get("weights")) is not None:
        found = weighed(whole.copy, whole.raw, weights)
        some = whole.rows(found.places)
        origin = dataclasses.replace(origin, remarks=(*origin.remarks, found.said))
        plain = dataclasses.replace(request, plot=plot.changed(weights=None))
        unweighted = view_from_copy(plain, some, origin, residual_df)
        held = some.with_levels(levels_of_plot(plot)).copy
        again: View = plot.weighted(unweighted, held.columns, held.strata, found.weights, how)
        return again
    whole = whole.with_levels(levels_of_plot(plot, request.model))
    named = [*request.named, *(() if request.model is None else request.model.levels)]
    numbers = [name for name in named if name in whole.copy.columns]
    words = [name for name in named if name in whole.copy.strata]
    if plot.axes:  # axes may be levels, and each pair of them has rows of its own
        drawn: Any = plot.from_counts(whole.table, how, origin)
        if drawn.origin.shown < len(whole):
            said = (*drawn.origin.remarks, *said_of_gaps(whole, numbers))
            drawn = dataclasses.replace(
                drawn, origin=dataclasses.replace(drawn.origin, remarks=said)
            )
        return _of_copy(drawn, request) if how.of_copy else drawn
    if plot.pairwise:
        rows = {name: whole.copy.columns[name] for name in numbers}
        levels: Mapping[str, tuple[str, ...]] = {}
    else:
        rows, levels = whole.part(numbers, words)
    size = max([len(it) for it in rows.values()] + [len(it) for it in levels.values()])
    # Of bars a missing value is a level.
    gaps = not plot.pairwise and plot.kind() != KINDS[1]
    said = (*origin.remarks, *(said_of_gaps(whole, [*numbers, *words]) if gaps else ()))
    origin = dataclasses.replace(origin, shown=size, total=len(whole), remarks=said)
    if request.model is not None:
        return diagnostics.of_protected(
            request.model, rows, levels, request, origin, residual_df=residual_df, noise=None
        )
    if "rows" in plot.sources:
        shown: View = plot.from_rows(rows, levels.get(plot.by_name or "", ()), how, origin)
        return shown
    counted = dataclasses.replace(how, method=NO_METHOD, m=None)
    return _of_copy(plot.from_counts(whole.table, counted, origin), request)


def said_of_gaps(whole: WholeTable, names: Sequence[str]) -> tuple[str, ...]:
    """Say in how many rows of the copy each of some columns has no value, the most first."""
    numbers, levels = whole.copy.columns, whole.copy.strata
    found = {
        name: int((~np.isfinite(numbers[name])).sum())
        if name in numbers
        else levels[name].count("")
        for name in names
    }
    gaps = sorted(((n, name) for name, n in found.items() if n), key=lambda it: -it[0])
    if not gaps:
        return ()
    named = ", ".join(f"{n:,} of {name}" for n, name in gaps[:MOST_GAPS])
    more = len(gaps) - MOST_GAPS
    beyond = f" and of {more} more column{'s' * (more > 1)}" if more > 0 else ""
    return (f"rows without a value: {named}{beyond}",)


def _of_copy(view: View, request: PlotRequest) -> View:
    """Say of a view, and of those within it, that its rows are those of the copy."""
    beside = {n: v for n, v in view.parameters.items() if n not in ("k", "m", "round_to")}
    stated = {"k": request.how.k, "m": request.how.m, **beside}
    drawn = dataclasses.replace(view, method=Whole.name, parameters=stated)
    if isinstance(drawn, MultiplesView):
        inner = tuple(_of_copy(each, request) for each in drawn.views)
        drawn = dataclasses.replace(drawn, views=inner)
    return drawn
