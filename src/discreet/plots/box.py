"""The box plot: the middle and the spread of columns, or of the levels of one."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Any, ClassVar

import numpy as np

from discreet.arguments import Floats, Labels
from discreet.errors import InputError, RefusedError
from discreet.plots.by_level import panels_of
from discreet.plots.by_two import PanelsView
from discreet.plots.counts import (
    Protected,
    Shown,
    count_cells,
    gaps_of,
    parameters_of_rows,
    seen,
    too_few,
)
from discreet.plots.descriptor import BINNED, CELLS, ROWS_AND_COUNTS, Plot
from discreet.plots.request import PlotRequest
from discreet.plots.view import Origin, Tidy, View
from discreet.protect import COUNT_METHODS, OrderMeans
from discreet.protect.base import checked_sd, sd_of, several_rows
from discreet.protect.values import extreme_mean, nice_step, stepped, winsorised
from discreet.render.scene import Axis, Box, Boxes, Panel, Scene
from discreet.table import Ordered, Table

__all__ = ["BOX", "BoxView", "from_counts", "from_rows", "tukey_box"]

MOST_BOXES = 24
MOST_OUTLIERS = 1000
DIGITS_OF_SD = 10
HARDLY = ", or hardly vary within one"


@dataclass(frozen=True, kw_only=True, repr=False)
class BoxView(View):
    """The drawn numbers of each box.

    Parameters
    ----------
    groups : tuple of Box
        One for each column, or for each level of `by`: low, q1, median, q3, high, and mean and
        outliers where the policy lets them be drawn. Of more than 1,000 outliers only those are
        kept that can be seen apart.
    by : str or None
        The column whose levels have a box each.
    """

    kind: ClassVar[str] = "box"

    groups: tuple[Box, ...]
    by: str | None = None

    def __post_init__(self) -> None:
        for box in self.groups:
            if not box.low <= box.q1 <= box.median <= box.q3 <= box.high:
                raise InputError("the five numbers of a box are in order")

    def tidy(self) -> Tidy:
        """Return a row for each box: its five numbers, and its mean where there is one."""
        names = ("low", "q1", "median", "q3", "high", "mean")
        return [
            (self.by or "column", [it.label for it in self.groups]),
            *((name, [getattr(it, name) for it in self.groups]) for name in names),
        ]

    def scene(self) -> Scene:
        """Return a panel a column, because columns have units of their own; levels share one."""
        panels = tuple(
            Panel(
                (Boxes((replace(box, label=self.label(box.label)),)),),
                x=Axis("", ticks=(self.label(box.label),)),
                y=self.axis(box.label, (box.low, box.high), label=""),
            )
            for box in self.groups
        )
        if self.by is not None:
            ticks = tuple(box.label for box in self.groups)
            ends = [end for box in self.groups for end in (box.low, box.high)]
            values = self.axis(self.columns[0], ends)
            panels = (Panel((Boxes(self.groups),), Axis(self.label(self.by), ticks=ticks), values),)
        signs = ("diamond: mean",) if any(box.mean is not None for box in self.groups) else ()
        if self.by is not None and all(box.low == box.q1 for box in self.groups):
            signs = ("no whiskers: those of several levels together would reveal outliers",)
        return Scene(panels, notes=self.notes() + signs)

    def _source(self) -> str:
        means = self.method == OrderMeans.name
        return "from means of neighbouring values" if means else super()._source()

    @classmethod
    def _decoded(cls, given: Mapping[str, Any]) -> dict[str, Any]:
        boxes = tuple(Box(**box | {"outliers": tuple(box["outliers"])}) for box in given["groups"])
        return super()._decoded(given) | {"groups": boxes}


def from_rows(
    rows: Protected, levels: Sequence[str], request: PlotRequest, origin: Origin
) -> BoxView:
    """Draw a box a column of the protected rows, or one of each level.

    Under a guarded policy with means of order statistics, as from the raw data; under
    `research` with the mean and the outliers of the protected values, as in Fig. 4 (2021).
    """
    values: dict[str, Floats] = {name: rows[name] for name in request.columns}
    if request.by is not None:
        (column,), of = request.columns, np.array(levels)
        values = {level: rows[column][of == level] for level in request.in_order(levels)}
    boxes = []
    for label, drawn in values.items():
        if request.shows_exact:
            boxes.append(tukey_box(label, drawn))
            continue
        five = (float(f"{number:.6g}") for number in OrderMeans(request.k)(drawn))
        low, q1, median, q3, high = five
        boxes.append(Box(label, low, q1, median, q3, high))
    return BoxView(
        columns=request.columns,
        method=request.method,
        parameters=parameters_of_rows(request),
        suppressed=0 if request.shows_exact else None,
        origin=origin,
        groups=tuple(boxes),
        by=request.by,
    )


def from_counts(table: Table, request: PlotRequest, origin: Origin) -> BoxView:
    """Draw a box a column: from means of order statistics, or as the 2021 paper does it."""
    if request.method == OrderMeans.name:
        return _from_order_means(table, request, origin)
    rows = table.rows(request.columns, levels=() if request.by is None else (request.by,))
    kept = np.ones(len(rows), dtype=np.bool_)
    parameters: dict[str, Any] = {}
    if request.method != "none":
        if len(request.columns) > 2:
            raise RefusedError(
                f"a box plot by {request.method} is made from the grid of one or two columns; name"
                " at most two, or take method='order-means'"
            )
        # The rows in the shown cells of the grid (section 4.1).
        _, guarded, axes = count_cells(table, request, request.grid)
        kept = guarded.shown[tuple(axis.places(rows.numbers[axis.column]) for axis in axes)]
        parameters = {"k": request.k, "grid": request.grid}
        if not kept.any():
            raise RefusedError("every cell of the grid is suppressed; choose a smaller k or grid")
    drawn = {name: rows.numbers[name][kept] for name in request.columns}
    if request.by is not None:
        (values,) = rows.numbers.values()
        found = _rows_of_levels(table, request, rows.texts[request.by])
        drawn = {level: values[kept & of] for level, of in found.items()}
    return BoxView(
        columns=request.columns,
        method=request.method,
        parameters=MappingProxyType(parameters),
        suppressed=int((~kept).sum()),
        origin=seen(origin, request, int(kept.sum()), table.size),
        groups=tuple(tukey_box(label, values) for label, values in drawn.items() if len(values)),
        by=request.by,
    )


def _from_order_means(table: Table, request: PlotRequest, origin: Origin) -> BoxView:
    if table.persons_repeat():
        boxes = _boxes_of_values(table, request)
    elif request.by is None:
        boxes = [_box_of_counts(table, request, name) for name in request.columns]
    else:
        boxes = _boxes_of_levels(table, request)
    everyone, gaps = table.persons(), max(gaps_of(table, name) for name in request.columns)
    return BoxView(
        columns=request.columns,
        method=request.method,
        parameters=MappingProxyType({"k": request.k}),
        suppressed=None,
        origin=seen(origin, request, everyone - gaps, everyone),
        groups=tuple(boxes),
        by=request.by,
    )


def _box_of_counts(table: Table, request: PlotRequest, name: str) -> Box:
    """Make a column's box of the values at the few ranks that it rests on, and of their spread."""
    method, values = OrderMeans(request.k), table.ordered(name)
    if values.size < request.least_persons:
        raise too_few(request, HARDLY)
    five = method.of_spans(values.at(method.spans(values.size)))
    step = _step(name, values, five[0], five[-1])
    return Box(name, *stepped(np.array(five), step).tolist())


def _boxes_of_levels(table: Table, request: PlotRequest) -> list[Box]:
    """Make a box of the values of each level at the ranks that it rests on."""
    (column,), levels = request.columns, panels_of(table, request)
    values = table.ordered(column, {str(request.by): levels.places})
    method, sizes = OrderMeans(request.k), values.each
    # A constant column is refused as its box of all persons is: of no level is that said.
    if values.size >= request.least_persons:
        reach = method.spans(values.size)[0][1]
        lows, highs = table.extremes(column, reach)
        _step(column, values.together, extreme_mean(lows, method.k), extreme_mean(highs, method.k))
    if min(sizes) < request.least_persons:
        raise too_few(request, HARDLY)
    boxes = []
    found = values.at_each([method.spans(n) for n in sizes])
    for part, (label, ranks) in enumerate(zip(levels.names, found, strict=True)):
        five = method.of_spans(ranks)
        if five[0] == five[-1]:
            raise too_few(request, HARDLY)  # which of the two would tell of a level
        step = _step(label, values, five[0], five[-1], part)
        low, q1, median, q3, high = stepped(np.array(five), step).tolist()
        if not request.shows_exact:
            # The whiskers of several columns' levels, solved together, reveal outliers.
            low, high = q1, q3
        boxes.append(Box(label, low, q1, median, q3, high))
    return boxes


def _step(name: str, values: Ordered, low: float, high: float, part: int = 0) -> float:
    """Return the step of a box; mostly it is that of all that the spread of its values can be."""
    least, most = values.spread_within(low, high, part)
    if least > 0 and (step := _step_of_sd(least)) == _step_of_sd(most):
        return step
    return _step_of_sd(checked_sd(name, values.spread(low, high, part)))


def _step_of_sd(sd: float) -> float:
    # The last digits hang on the engine; and a step is of 1, 2 or 5 times a power of ten.
    return nice_step(float(f"{sd:.{DIGITS_OF_SD}g}"))


def _boxes_of_values(table: Table, request: PlotRequest) -> list[Box]:
    """Make boxes of all values of columns: of levels, and where persons have several rows."""
    method, boxes = OrderMeans(request.k), []
    if request.by is not None:
        # A constant column is refused as its box of all persons is: of no level is that said.
        (column,) = request.columns
        rows = table.rows([column])
        if _enough(rows.numbers[column], rows.persons, request):
            sd_of(column, winsorised(rows.numbers[column], request.k, rows.persons))
    for label, values, persons in _values(table, request):
        if not _enough(values, persons, request):
            raise too_few(request, HARDLY)
        trimmed = winsorised(values, request.k, persons)
        if request.by is not None and np.ptp(trimmed) == 0:
            raise too_few(request, HARDLY)  # which of the two would tell of a level
        step = nice_step(sd_of(label, trimmed))
        low, q1, median, q3, high = stepped(np.array(method(values, persons)), step).tolist()
        if request.by is not None and not request.shows_exact:
            # The whiskers of several columns' levels, solved together, reveal outliers.
            low, high = q1, q3
        boxes.append(Box(label, low, q1, median, q3, high))
    return boxes


def _enough(values: Floats, persons: Labels | None, request: PlotRequest) -> bool:
    """Say whether values are of so many persons as a box must be of."""
    size = len(values) if persons is None else len(np.unique(persons))
    return size >= request.least_persons


def _values(table: Table, request: PlotRequest) -> Iterator[tuple[str, Floats, Labels | None]]:
    """Return the values of each box with its label, and whose they are."""
    if request.by is None:
        for name in request.columns:
            rows = table.rows([name])
            yield name, rows.numbers[name], rows.persons
        return
    (column,) = request.columns
    rows = table.rows([column], levels=(request.by,))
    for level, of in _rows_of_levels(table, request, rows.texts[request.by]).items():
        whose = None if rows.persons is None else rows.persons[of]
        yield level, rows.numbers[column][of], several_rows(whose)


def _rows_of_levels(
    table: Table, request: PlotRequest, stored: tuple[str, ...]
) -> dict[str, Shown]:
    """Return which rows have each level that has a box, given the level of each row."""
    levels = panels_of(table, request)
    places = np.array(levels.at(stored))
    return {name: places == i for i, name in enumerate(levels.names)}


def tukey_box(label: str, values: Floats) -> Box:
    """Return the box of values as Tukey draws it, with mean and outliers."""
    # Sums in another order have other last digits; and −0 and 0 stay in theirs unless they are one.
    values = np.sort(values + 0.0)
    q1, median, q3 = (float(q) for q in np.quantile(values, [0.25, 0.5, 0.75]))
    reach = 1.5 * (q3 - q1)
    inside = values[(values >= q1 - reach) & (values <= q3 + reach)]
    outliers = values[(values < q1 - reach) | (values > q3 + reach)]
    # A quartile is interpolated: the nearest value within reach may lie on its other side.
    low, high = min(float(inside.min()), q1), max(float(inside.max()), q3)
    mean = float(values.mean())
    return Box(label, low, q1, median, q3, high, mean, tuple(_apart(outliers).tolist()))


def _apart(outliers: Floats) -> Floats:
    """Return outliers, in order, that can be seen apart: of many one for each place on the axis.

    Of ten million rows some seventy thousand are outliers, which nobody sees and all would carry.
    """
    if len(outliers) <= MOST_OUTLIERS:
        return outliers
    width = (outliers[-1] - outliers[0]) / MOST_OUTLIERS or 1.0
    places = np.floor((outliers - outliers[0]) / width)
    return outliers[np.flatnonzero(np.diff(places, prepend=-1.0))]


BOX: Plot[BoxView | PanelsView] = Plot(
    name="box",
    title="Box plot",
    says="The middle and the spread of columns, side by side.",
    columns="continuous",
    least=1,
    most=MOST_BOXES,
    by=ROWS_AND_COUNTS,
    parameters=CELLS,
    methods=(OrderMeans.name, *BINNED, "none"),
    method=OrderMeans.name,
    research_alone=dict.fromkeys(
        COUNT_METHODS,
        "a box plot by suppression or generalization draws quartiles of single records and exists"
        " under the policy 'research' alone; use method='order-means'",
    ),
    from_rows=from_rows,
    from_counts=from_counts,
)
