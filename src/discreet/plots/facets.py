"""Facets: a plot by the levels of one or two columns, as panels on common scales."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import groupby, pairwise
from typing import ClassVar

from discreet.errors import InputError, RefusedError
from discreet.levels import in_order, order_key
from discreet.plots.curves import named
from discreet.plots.view import WHERE_SAID, Tidy, View, stacked
from discreet.render.dates import date_ticks
from discreet.render.scene import (
    Axis,
    Bands,
    Bars,
    Boxes,
    Cells,
    Columns,
    Dots,
    Grid,
    Lines,
    Mark,
    Panel,
    Scene,
    Violin,
    Violins,
)

MOST_OVERLAID = 6
FEWEST = 50
"""A part of fewer rows of the copy is not drawn: how many there are says next to nothing."""
ROUGH = 300
"""A part of fewer rows is called rough."""
MOST_BESIDE, MOST_PANELS, MOST_PAIRS = 6, 12, 36
ROOM = 0.05
HEADROOM = 1.05


@dataclass(frozen=True, kw_only=True, repr=False)
class MultiplesView(View):
    """One view for each level of a categorical column.

    Parameters
    ----------
    by : str
        The column.
    levels : tuple of str
        Its levels; small ones are joined into "other".
    views : tuple of View
        The view of each level.
    overlaid : bool
        Whether histograms are drawn as outlines on one pair of axes instead of panels.
    others : tuple of str
        Levels that are not among the six largest, which alone are drawn as outlines.
    """

    kind: ClassVar[str] = "multiples"

    by: str
    levels: tuple[str, ...]
    views: tuple[View, ...]
    overlaid: bool = field(default=False, metadata=WHERE_SAID)
    others: tuple[str, ...] = field(default=(), metadata=WHERE_SAID)

    def __post_init__(self) -> None:
        if not self.levels or len(self.levels) != len(self.views):
            raise InputError("small multiples have one view for each level, and one at least")
        if self.overlaid and any(view.kind != "histogram" for view in self.views):
            raise InputError("histograms alone are drawn on one pair of axes")

    def note(self) -> str:
        """Return one line on what this is and how it was made."""
        return f"{self.views[0].note()}, for each level of {self.by}"

    def tidy(self) -> Tidy:
        """Return the rows of all views, with the level that each is of."""
        parts = [view.tidy() for view in self.views]
        level = [it for it, part in zip(self.levels, parts, strict=True) for _ in part[0][1]]
        return [(self.by, level), *stacked(parts)]

    def scene(self) -> Scene:
        """Return the panels of all views, named by level, with shared axes and colours."""
        scenes = [view.scene() for view in self.views]
        if self.overlaid:
            found = [
                replace(scene.panels[0], title=level)
                for level, scene in zip(self.levels, scenes, strict=True)
            ]
            drawn = _overlaid(found)
            y = replace(drawn.y, label=self._height)
            order = self.levels_of(self.by)
            drawn = replace(drawn, y=y, legend=self.label(self.by), order=order)
            return Scene((drawn,), notes=(*self.notes(), *self._of_outlines()))
        panels = [
            replace(panel, title=f"{self.label(self.by)}: {level}")
            for level, scene in zip(self.levels, scenes, strict=True)
            for panel in scene.panels
        ]
        signs = (line for view in self.views for line in view.signs())
        return Scene(tuple(on_common_scales(panels)), notes=(*self.notes(), *dict.fromkeys(signs)))

    @property
    def _height(self) -> str:
        """What is drawn upwards where levels are outlines."""
        weights = getattr(self.views[0], "weights", "")
        return f"density, weighted by {self.label(weights)}" if weights else "density"

    def _of_outlines(self) -> list[str]:
        said = []
        if self.others:
            names = ", ".join(self.others[:MOST_OVERLAID])
            more = " and more" if len(self.others) > MOST_OVERLAID else ""
            said.append(f"not among the {MOST_OVERLAID} largest levels: {names}{more}")
        bars = [m for view in self.views for p in view.scene().panels for m in p.marks]
        if any(isinstance(mark, Bars) and None in mark.heights for mark in bars):
            said.append("gaps in an outline: none, or fewer than k")
        return said


def _overlaid(panels: Sequence[Panel]) -> Panel:
    """Draw histograms as outlines of area 1 each, so that levels of any size compare."""
    outlines = tuple(
        _outline(panel.title, mark)
        for panel in panels
        for mark in panel.marks
        if isinstance(mark, Bars)
    )
    highest = max((y for line in outlines for part in line.y for y in part), default=0.0)
    y = Axis("density", (0.0, HEADROOM * highest) if highest else None)
    return replace(panels[0], marks=outlines, title="", y=y)


def _outline(label: str, bars: Bars) -> Lines:
    """Return the upper edge of bars, from the axis and back to it, with gaps at hidden bars."""
    found = list(zip(pairwise(bars.edges), bars.heights, strict=True))
    area = sum((high - low) * height for (low, high), height in found if height) or 1.0
    stretches: list[tuple[tuple[float, float], ...]] = []
    for is_hidden, run in groupby(found, key=lambda bar: bar[1] is None):
        if is_hidden:
            continue
        tops = [(end, (height or 0.0) / area) for ends, height in run for end in ends]
        before = [(tops[0][0], 0.0)] if tops[0][0] == bars.edges[0] else []
        after = [(tops[-1][0], 0.0)] if tops[-1][0] == bars.edges[-1] else []
        stretches.append(tuple([*before, *tops, *after]))
    return Lines(
        tuple(tuple(x for x, _ in line) for line in stretches),
        tuple(tuple(float(f"{y:.6g}") for _, y in line) for line in stretches),
        "curve",
        label,
    )


def multiples(names: Sequence[str], views: Sequence[View], by: str) -> MultiplesView:
    """Put the view of each level of `by` beside the others."""
    first = views[0]
    hidden = [view.suppressed for view in views if view.suppressed is not None]
    return MultiplesView(
        columns=first.columns,
        method=first.method,
        parameters=first.parameters,
        suppressed=sum(hidden) if len(hidden) == len(views) else None,
        origin=first.origin,
        by=by,
        levels=tuple(names),
        # What is said of all levels together is not true of each.
        views=tuple(replace(v, origin=replace(v.origin, shown=None)) for v in views),
    )


Pair = tuple[str, str]


@dataclass(frozen=True)
class Pairs:
    """Which pairs of levels of two columns are drawn.

    `first` and `second` are the levels that are drawn with one of the other column at least,
    `sizes` how many rows each pair has that is drawn, and `few` the pairs of fewer than fifty rows.
    """

    first: tuple[str, ...]
    second: tuple[str, ...]
    sizes: Mapping[Pair, int]
    few: tuple[Pair, ...]


def pairs_of(
    first: Sequence[str],
    second: Sequence[str],
    by: Pair,
    *,
    grid: bool,
    beside: bool,
    orders: tuple[Sequence[str], Sequence[str]] = ((), ()),
) -> Pairs:
    """Say which pairs of levels are drawn, or refuse more than can be told apart.

    `first` and `second` are the levels of each row, and `orders` all levels in order. `grid` is
    whether each pair has a panel, `beside` whether levels of the second column stand side by side.
    At most 36 pairs are drawn, of at most 6 levels of the second column, or 12 where panels may
    stand in several rows.

    Examples
    --------
    >>> found = pairs_of(["a"] * 60 + ["b"] * 60, ["x"] * 110 + ["y"] * 10, ("p", "q"),
    ...                  grid=True, beside=True)
    >>> found.first, found.second, found.few
    (('a', 'b'), ('x',), (('b', 'y'),))
    """
    counted = Counter(zip(first, second, strict=True))
    sizes = {pair: many for pair, many in counted.items() if many >= FEWEST}
    if not sizes:
        raise RefusedError(
            f"no pair of a level of {by[0]!r} and one of {by[1]!r} has {FEWEST} rows of the "
            "copy, the least that each part of a plot needs; name one of the two columns, or "
            "join their levels: study.assign(band='cut(...)')",
            parameter="by",
            rule="few",
        )
    rows, columns = (
        in_order((a for a, _ in sizes), orders[0]),
        in_order((b for _, b in sizes), orders[1]),
    )
    most = MOST_BESIDE if grid or beside else MOST_PANELS
    if len(columns) > most or len(rows) * len(columns) > MOST_PAIRS:
        raise RefusedError(
            f"by={by!r} would draw {len(rows)} by {len(columns)} levels, and there may be "
            f"{MOST_PAIRS} pairs at most, and {most} levels of the second column; name the "
            "column with fewer levels second, join levels (study.assign(band='cut(...)')), or "
            "take a part: study.where(...)",
            parameter="by",
            rule="many",
        )
    one, other = map(order_key, orders)
    small = (pair for pair in counted if pair not in sizes)
    few = sorted(small, key=lambda pair: (one(pair[0]), other(pair[1])))
    return Pairs(rows, columns, sizes, tuple(few))


@dataclass(frozen=True, kw_only=True, repr=False)
class PanelsView(View):
    """One plot for each pair of levels of two columns, or for each level of the second.

    Parameters
    ----------
    by : (str, str)
        The columns.
    first, second : tuple of str
        Their levels, without those of which nothing is drawn.
    views : tuple of View or None
        Where `each_pair`, the plot of each level of the first column with each of the second, row
        by row, None where it is not drawn; else the plot of each level of the second column, which
        draws the levels of the first.
    few : tuple of (str, str)
        Pairs of levels of fewer than fifty rows, which are not drawn.
    rough, drawn : int
        How many of the pairs that are drawn have fewer than 300 rows, and how many are drawn.
    each_pair : bool
        Whether there is a panel for each pair.
    """

    kind: ClassVar[str] = "panels"

    by: Pair
    first: tuple[str, ...]
    second: tuple[str, ...]
    views: tuple[View | None, ...]
    few: tuple[Pair, ...] = field(default=(), metadata=WHERE_SAID)
    rough: int
    drawn: int
    each_pair: bool

    def __post_init__(self) -> None:
        rows = len(self.first) if self.each_pair else 1
        if len(self.views) != rows * len(self.second):
            raise InputError("a plot by two columns has a view for each pair of their levels")
        if len({view.kind for view in self._drawn}) != 1:
            raise InputError("the panels of a plot by two columns are of one kind, one at least")

    @property
    def _drawn(self) -> tuple[View, ...]:
        return tuple(view for view in self.views if view is not None)

    @property
    def _of_boxes(self) -> bool:
        return self._drawn[0].kind == "box"

    def tidy(self) -> Tidy:
        """Return the rows of all views, with the levels that each is of."""
        first = self.first if self.each_pair else ("",)
        pairs = [(a, b) for a in first for b in self.second]
        drawn = [
            (at, it.tidy()) for at, it in zip(pairs, self.views, strict=True) if it is not None
        ]
        of = [[at[i] for at, part in drawn for _ in part[0][1]] for i in (0, 1)]
        named: Tidy = [(self.by[0], of[0])] if self.each_pair else []
        return [*named, (self.by[1], of[1]), *stacked([part for _, part in drawn])]

    def scene(self) -> Scene:
        """Return panels with shared axes; boxes on one pair of axes."""
        first, second = self._names
        notes = (*self.notes(), *self._signs(), *self._left_out())
        if self._of_boxes:
            return Scene((self._boxes(),), notes=notes)
        found = [None if view is None else view.scene().panels[0] for view in self.views]
        panels = on_common_scales(self._one_order([panel for panel in found if panel is not None]))
        if not self.each_pair:
            titles = (f"{second}: {level}" for level in self.second)
            named_so = zip(panels, titles, strict=True)
            return Scene(tuple(replace(it, title=title) for it, title in named_so), notes=notes)
        rows = tuple(f"{first}: {level}" for level in self.first)
        columns = tuple(f"{second}: {level}" for level in self.second)
        left, placed = iter(panels), []
        for place, panel in enumerate(found):
            row, column = divmod(place, len(columns))
            pair = (self.first[row], self.second[column])
            drawn = _empty(panels[0], self._why(pair)) if panel is None else next(left)
            placed.append(replace(drawn, title=f"{rows[row]}, {columns[column]}"))
        return Scene(tuple(placed), notes=notes, grid=Grid(rows, columns))

    def _one_order(self, panels: list[Panel]) -> list[Panel]:
        """Give a level the same colour, and the same place on the axis, in all panels."""
        of_first = self.levels_of(self.by[0])
        columns = [(p, m) for p in panels for m in p.marks if isinstance(m, Columns)]
        if columns:
            of_ticks = self.levels_of(self.columns[0])
            ticks = in_order((tick for panel, _ in columns for tick in panel.x.ticks), of_ticks)
            series = in_order((name for _, mark in columns for name in mark.series), of_first)
            return [
                replace(
                    p, marks=(_placed(m, p.x.ticks, ticks, series),), x=replace(p.x, ticks=ticks)
                )
                for p, m in columns
            ]
        labels = (m.label for p in panels for m in p.marks if isinstance(m, Lines | Bands))
        lines = in_order(labels, of_first)
        return [replace(p, marks=_labelled(p.marks, lines)) for p in panels]

    @property
    def _names(self) -> Pair:
        """What stands in place of the names of the two columns."""
        return self.label(self.by[0]), self.label(self.by[1])

    def _why(self, pair: Pair) -> str:
        return f"fewer than {FEWEST} rows" if pair in self.few else "no rows"

    def _signs(self) -> tuple[str, ...]:
        """Return what is said of the panels: once where it is said of all, else of each by name."""
        own = {*self.origin.remarks}
        said = []
        for view in self._drawn:
            remarks = (line for line in view.origin.remarks if line not in own)
            said.append([*remarks, *view.signs()])
        if self.each_pair or self._of_boxes:
            return tuple(dict.fromkeys(line for lines in said for line in lines))
        common = {line for line in said[0] if all(line in lines for lines in said)}
        single = [
            line if line in common else f"{self._names[1]} {level}: {line}"
            for level, lines in zip(self.second, said, strict=True)
            for line in lines
        ]
        return tuple(dict.fromkeys(single))

    def _left_out(self) -> tuple[str, ...]:
        said = []
        if self.few:
            pairs = named([f"{first} with {second}" for first, second in self.few])
            said.append(f"not drawn, with fewer than {FEWEST} rows: {pairs}")
        if self.rough:
            said.append(f"rough, with fewer than {ROUGH} rows: {self.rough} of {self.drawn} parts")
        return tuple(said)

    def _boxes(self) -> Panel:
        """Return the boxes of all levels of the second column on one pair of axes."""
        panels = [view.scene().panels[0] for view in self._drawn]
        marks = [
            replace(mark, group=level)
            for level, panel in zip(self.second, panels, strict=True)
            for mark in panel.marks
            if isinstance(mark, Boxes)
        ]
        ends = [end for mark in marks for box in mark.boxes for end in (box.low, box.high)]
        y = replace(self.axis(self.columns[0], ends), limits=None)
        x = Axis(self._names[0], ticks=self.first)
        of_second = self.levels_of(self.by[1])
        return Panel(tuple(marks), x, y, legend=self._names[1], order=of_second)

    def describe(self) -> str:
        """Say what is shown, how it was made, and how many parts it has."""
        many = f"{len(self.first)} levels of {self.by[0]} by {len(self.second)} of {self.by[1]}"
        drawn = f"parts drawn: {self.drawn}, of {many}"
        return "\n".join([super().describe(), drawn, *self._left_out()])

    def _subject(self) -> str:
        part = self._drawn[0]
        alone = part.views[0] if isinstance(part, MultiplesView) else part
        return f"{alone._subject()} by {self.by[0]} and {self.by[1]}"


# --- what panels share ----------------------------------------------------------------------------


def _empty(like: Panel, says: str) -> Panel:
    return Panel((), replace(like.x, beneath=()), like.y, says=says)


def _labelled(marks: Sequence[Mark], labels: Sequence[str]) -> tuple[Mark, ...]:
    """Add lines without points of the labels that a panel has none of, in one order."""
    curves = [m for m in marks if isinstance(m, Lines) and m.look in ("curve", "series")]
    if not any(it.label for it in curves):
        return tuple(marks)
    bands = [m for m in marks if isinstance(m, Bands)]
    others = [m for m in marks if m not in curves and m not in bands]
    made: list[Mark] = [*others]
    if bands:
        of_band = {it.label: it for it in bands}
        made += [of_band.get(label, Bands((), (), (), label)) for label in labels]
    of_line = {it.label: it for it in curves}
    made += [of_line.get(label, Lines((), (), curves[0].look, label)) for label in labels]
    return tuple(made)


def _placed(
    mark: Columns, ticks: Sequence[str], wanted: Sequence[str], series: Sequence[str]
) -> Columns:
    """Return bars at the ticks of all panels; of a level that a panel has nobody of, none high."""
    heights = {
        (name, tick): height
        for name, row in zip(mark.series, mark.heights, strict=True)
        for tick, height in zip(ticks, row, strict=True)
    }
    rows = (tuple(heights.get((name, tick), 0) for tick in wanted) for name in series)
    return Columns(tuple(rows), tuple(series))


def on_common_scales(panels: Sequence[Panel]) -> list[Panel]:
    """Give all panels the same ends of axes, and cells the same colours."""
    panels = _of_one_area(_of_one_height(panels))
    x, y = _ends(panels, lambda panel: panel.x, 0), _ends(panels, lambda panel: panel.y, 1)
    return [replace(panel, x=_with_ends(panel.x, x), y=_with_ends(panel.y, y)) for panel in panels]


def _of_one_height(panels: Sequence[Panel]) -> list[Panel]:
    """Give all bars one height of axes, and all cells one scale of colours."""
    marks = [mark for panel in panels for mark in panel.marks]
    heights = [h for mark in marks if isinstance(mark, Bars) for h in mark.heights if h]
    values = [
        v for mark in marks if isinstance(mark, Cells) for row in mark.values for v in row if v
    ]
    highest = (0.0, HEADROOM * max(heights)) if heights else None
    span = (float(min(values)), float(max(values))) if values else None

    return [
        replace(
            panel,
            marks=tuple(replace(m, span=span) if isinstance(m, Cells) else m for m in panel.marks),
            y=replace(panel.y, limits=highest or panel.y.limits),
        )
        for panel in panels
    ]


def _of_one_area(panels: list[Panel]) -> list[Panel]:
    """Give violins of all panels the same area, the least that one has."""
    found = [it for p in panels for m in p.marks if isinstance(m, Violins) for it in m.violins]
    least = min((_area(it) for it in found), default=0.0)

    def smaller(mark: Mark) -> Mark:
        if not isinstance(mark, Violins):
            return mark
        scaled = (
            replace(
                it, halves=tuple(float(f"{half * least / _area(it):.4g}") for half in it.halves)
            )
            for it in mark.violins
        )
        return Violins(tuple(scaled))

    return [replace(p, marks=tuple(map(smaller, p.marks))) for p in panels]


def _area(of: Violin) -> float:
    """Return the area to one side of a violin's tick."""
    pairs = pairwise(zip(of.values, of.halves, strict=True))
    return sum((b - a) * (high + low) / 2 for (a, low), (b, high) in pairs)


def _with_ends(axis: Axis, ends: tuple[float, float] | None) -> Axis:
    if ends is None or axis.ticks:
        return axis
    return replace(axis, limits=ends, dates=date_ticks(*ends) if axis.dates else ())


def _ends(
    panels: Sequence[Panel], axis_of: Callable[[Panel], Axis], way: int
) -> tuple[float, float] | None:
    """Return the ends of an axis that holds what all panels draw."""
    fixed = [axis_of(panel).limits for panel in panels]
    if known := [ends for ends in fixed if ends is not None]:
        return min(low for low, _ in known), max(high for _, high in known)
    found = [at for panel in panels for mark in panel.marks for at in _reach(mark)[way]]
    if not found:
        return None
    low, high = min(found), max(found)
    if any(isinstance(mark, Columns) for panel in panels for mark in panel.marks):
        return min(0.0, low), HEADROOM * high if high > 0 else 1.0
    room = ROOM * (high - low) or 0.5
    return low - room, high + room


def _reach(mark: Mark) -> tuple[list[float], list[float]]:
    """Return the places of a mark along both axes, as far as they widen these."""
    if isinstance(mark, Columns):
        return [], [height for row in mark.heights for height in row if height is not None]
    if isinstance(mark, Bars):
        return [*mark.edges], [height for height in mark.heights if height is not None]
    if isinstance(mark, Cells):
        return [*mark.x_edges], [*mark.y_edges]
    if isinstance(mark, Dots):
        return [*mark.x], [*mark.y]
    if isinstance(mark, Bands):
        return [v for x in mark.x for v in x], [v for y in (*mark.low, *mark.high) for v in y]
    if isinstance(mark, Violins):
        return [], [v for it in mark.violins for v in it.values]
    if isinstance(mark, Lines) and "reference" not in mark.look:
        return [v for x in mark.x for v in x], [v for y in mark.y for v in y]
    return [], []
