"""What the papers' plots and tables are made by: each from the records, by itself."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

from discreet.arguments import Floats
from discreet.columns import KINDS
from discreet.columns.column import Copy
from discreet.custodian.gate import RecordedGate
from discreet.custodian.session import Session, codes_in
from discreet.explore.notes import open_ends, with_gate
from discreet.papers.protected import protect_view
from discreet.plots import How, Origin, Plot, PlotRequest, View, diagnostics
from discreet.plots.counts import panels_of
from discreet.plots.parallel import ParallelPlot, order_of_axes
from discreet.plots.plot import COUNTS
from discreet.plots.scatter import with_raw_trend
from discreet.policy import (
    Policy,
    Sensitive,
    TableRequest,
    resolve,
    resolve_rounding,
    resolve_table,
)
from discreet.regression import Model, read_formula
from discreet.table import Table, open_table

V = TypeVar("V", bound=View)
Naming = Callable[[tuple[str, ...]], tuple[str, ...]]


@dataclass(frozen=True, eq=False, repr=False)
class Papers:
    """Plots and tables of the records of a session, protected view by view."""

    of: Session

    def settle(self, plot: Plot[Any], **way: Any) -> PlotRequest:
        """Say how a plot will be made, or refuse it; `way` is its method, k and q."""
        model = None
        if plot.kind() == "formula":
            kinds = {name: column.kind for name, column in self.of.table.columns.items()}
            known = {name: it for name, it in kinds.items() if it in KINDS}
            model = read_formula(plot.get("formula"), known)
            plot = plot.changed(formula=model.formula)
        return resolve(self.of.policy, self.of.table, plot, model=model, **way)

    def settle_table(self, columns: Sequence[str] | None, **how: Any) -> TableRequest:
        """Say how a protected table will be made, or refuse it, as `resolve_table` does."""
        return resolve_table(self.of.policy, self.of.table, columns, **how)

    def settle_rounding(self, columns: Sequence[str] | None, **how: Any) -> TableRequest:
        """Say how a rounded table will be made, or refuse it, as `resolve_rounding` does."""
        return resolve_rounding(self.of.policy, self.of.table, columns, **how)

    def draw(self, plot: Plot[V], **way: Any) -> V:
        """Draw a plot of protected rows or of counts, with the study's gate."""
        request = self.settle(plot, **way)
        if (by := plot.by_name) is not None:
            orders = {by: self.of.table.columns[by].order}
            request = dataclasses.replace(
                request, how=dataclasses.replace(request.how, orders=orders)
            )
        plot, how = request.plot, request.how
        drawn: Any  # the plot says which View it makes
        if request.model is not None:
            drawn = self._fitted(request.model, request)
        elif how.from_rows or COUNTS not in plot.sources:
            naming = None if by is None else panels_of(self.of.table, plot, how).named
            copy = self._protected(self.of.table, request.columns, how, by, naming)
            levels = () if by is None else copy.strata[by]
            drawn = plot.from_rows(copy.columns, levels, how, self._origin(request, copy))
        else:
            drawn = self.counted(request)
        drawn = self._gated(drawn, request)
        if plot.get("trend"):
            x, y = plot.names
            raw = self.of.table.rows([x, y]).numbers
            drawn = with_raw_trend(drawn, raw[x], raw[y])
        view: V = drawn
        return view

    def counted(self, request: PlotRequest) -> Any:
        """Draw counts of the records, without a gate."""
        view = request.plot.from_counts(self.of.table, request.how, self._origin(request))
        numbers = [n for n in request.columns if self.of.table.columns[n].kind == "continuous"]
        return dataclasses.replace(view, origin=self._with_gaps(view.origin, numbers))

    def _fitted(self, model: Model, request: PlotRequest) -> View:
        """Draw how well a model fits."""
        view: View = diagnostics.of_records(
            model,
            self.of.table,
            request,
            self._origin(request),
            lambda numbers: self._protected(_table_of(numbers), [*numbers], request.how).columns,
            residual_df=self.of.policy.residual_df,
        )
        names = (*model.numbers, *model.levels)
        origin = self._with_gaps(view.origin, names)
        return dataclasses.replace(view, origin=origin)

    def _gated(self, view: V, request: PlotRequest) -> V:
        """Give a view the study's gate, and the views within it too."""
        also = () if request.model is None else request.model.levels
        keeper, columns = self.of.release_gate, (*request.named, *also)
        gate = RecordedGate(
            keeper, lambda form, _: keeper.record(request.plot.name, columns, request.how, form)
        )
        return with_gate(
            view,
            gate,
            self.of.sealer_of(request, view),
            self.of.labels,
            request.named,
            self.of.table.framework,
        )

    def _protected(
        self,
        table: Table,
        columns: Sequence[str],
        how: How,
        by: str | None = None,
        naming: Naming | None = None,
    ) -> Copy:
        return protect_view(table, self.of.policy, columns, how, self.of.secret, by, naming)

    def _origin(self, request: PlotRequest, copy: Copy | None = None) -> Origin:
        """Say what a view is of; of rows also how many of how many, and whose gaps cost most.

        Where people have several rows no numbers: with the rows of one who has many left out of
        the copy, the number of all rows would tell theirs.
        """
        policy = self.of.policy
        persons = "records"
        if self.of.table.unit is not None:
            persons = f"people ({self.of.table.unit})"
        origin = Origin(
            policy=policy.name,
            regime=policy.regime,
            public=policy.public,
            study=self.of.name,
            version=None if copy is None else copy.version,
            left_out=None,
            counted=persons if copy is None else "protected rows",
            remarks=remarks_of(self.of.table, policy, copy, request),
        )
        if copy is None or self.of.table.persons_repeat():
            return origin
        size = len(copy.columns[request.columns[0]])
        return self._with_gaps(
            dataclasses.replace(origin, shown=size, total=self.of.table.size), request.named
        )

    def _with_gaps(self, origin: Origin, names: Sequence[str]) -> Origin:
        """Name the column with the most missing values, if one has more than the others."""
        if len(names) < 2 or origin.shown == origin.total:
            return origin
        found = [_gaps(self.of.table, name) for name in names]
        leaders = [name for name, gaps in zip(names, found, strict=True) if gaps == max(found) > 0]
        return origin if len(leaders) != 1 else dataclasses.replace(origin, most_gaps=leaders[0])

    def axis_order(self, columns: Sequence[str], sensitive: Sensitive | None) -> tuple[str, ...]:
        """Propose an order of columns as axes."""
        request = self.settle(ParallelPlot(columns, sensitive=sensitive))
        return order_of_axes(self.of.table, request)


def _gaps(table: Table, name: str) -> int:
    """Count the people without a value in a column."""
    if table.columns[name].kind == KINDS[0]:
        return table.gaps(name)
    return table.levels(name).get("", 0)


def remarks_of(
    table: Table, policy: Policy, copy: Copy | None, request: PlotRequest
) -> tuple[str, ...]:
    """Say what became of values outside declared limits or bounds, and what may be no value.

    The sentences name columns and no value; `copy` is None where a plot is drawn from counts.
    """
    said = [] if copy is None else [*copy.remarks]
    said += codes_in(table, policy, request.named)
    said += open_ends(request)
    if copy is None:
        return tuple(said)
    for name in request.columns:
        low, high = policy.bounds.get(name, (-math.inf, math.inf))
        values = copy.columns[name]
        if policy.of_papers.outside != "keep" and name in policy.bounds:
            done = {"reflect": "reflected at them", "clip": "put on them"}
            said.append(f"values outside the bounds of {name} are {done[policy.of_papers.outside]}")
        elif ((values < low) | (values > high)).any():
            said.append(f"some values lie outside the bounds of {name}, and are kept")
    return tuple(said)


def _table_of(columns: Mapping[str, Floats]) -> Table:
    """Return what a model found of each record as a table, to be protected as one is."""
    import pyarrow as pa

    return open_table(pa.table(dict(columns)), kinds={}, roles={}, unit=None, key=None, least=None)
