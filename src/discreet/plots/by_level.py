"""Small multiples: one histogram or grid for each level of a column, on shared axes."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import groupby, pairwise
from types import MappingProxyType
from typing import Any, ClassVar

import numpy as np

from discreet.arguments import Floats
from discreet.columns import BinAxis, Counted
from discreet.columns.countable import Countable
from discreet.errors import BrokenPromiseError, InputError, RefusedError
from discreet.levels import order_key
from discreet.methods.counts import Bins, check_counts
from discreet.plots.counts import Protected, Shown, cells_of, count_cells, count_rows, shown_all
from discreet.plots.plot import How, Plot
from discreet.plots.view import WHERE_SAID, Origin, Tidy, View, stacked
from discreet.render.scene import Axis, Bars, Cells, Lines, Panel, Scene

MISSING, OTHER = "(missing)", "other"
MISSING_NAMES = (MISSING, "(no value)")
"""How rows without a level are shown: the second where a level has the first as its name."""
MOST_PANELS = 60
MOST_OVERLAID = 6
MOST_CODES = 30
"""So many different numbers of a column may be levels of a plot."""


@dataclass(frozen=True)
class Levels:
    """The names that levels are shown under, and the place of each stored level among them."""

    names: tuple[str, ...]
    places: Mapping[str, int] = field(repr=False)  # names levels that are joined for being small

    def at(self, stored: Sequence[str]) -> tuple[int, ...]:
        """Return the place of each stored level."""
        try:
            return tuple(self.places[level] for level in stored)
        except KeyError:
            raise InputError(
                "the data changed while they were read; open the study again"
            ) from None

    def named(self, stored: tuple[str, ...]) -> tuple[str, ...]:
        """Return the shown name of each stored level."""
        return tuple(self.names[place] for place in self.at(stored))


def codes_as_words(values: Floats) -> tuple[str, ...] | None:
    """Return numbers as names of levels, the empty text for a missing one; None of too many.

    Examples
    --------
    >>> codes_as_words(np.array([1.0, 2.0, np.nan, 1.0]))
    ('1', '2', '', '1')
    """
    found, places = np.unique(values, return_inverse=True)
    if np.isfinite(found).sum() > MOST_CODES:
        return None
    names = [f"{value:.15g}" if math.isfinite(value) else "" for value in found.tolist()]
    return tuple(names[place] for place in places.tolist())


def levels_of(table: Countable, name: str) -> Levels:
    """Return the levels of a column of a table or bar chart."""
    return joined(table.levels(name), order=table.columns[name].order)


def panels_of(table: Countable, plot: Plot[Any], how: How) -> Levels:
    """Return the levels of the column that divides a plot which have a panel of their own.

    Each is of k persons or more who have what is drawn; smaller ones are joined.
    """
    if (name := plot.by_name) is None:
        raise BrokenPromiseError("small multiples were asked for without by=")
    drawn = table.levels(name, complete=plot.names)
    counts = {level: drawn.get(level, 0) for level in table.levels(name)}
    levels = joined(counts, how.k, order=table.columns[name].order)
    check_few([levels], MOST_PANELS, name)
    return levels


def check_few(found: Iterable[Levels], most: int, *names: str) -> None:
    """Refuse more levels, or pairs of levels, than can be told apart in a picture."""
    if math.prod(len(levels.names) for levels in found) > most:
        what = "levels" if len(names) == 1 else "pairs of levels"
        raise RefusedError(
            f"{' by '.join(map(repr, names))} has more than {most} {what}, too many to be told"
            " apart; join levels (codes by their first letters, places by region), or name another"
            " column"
        )


def joined(counts: Mapping[str, int], least: int = 0, order: Sequence[str] = ()) -> Levels:
    """Join the levels that fewer than `least` have.

    Where all of them together are still fewer, the smallest other level joins them. A missing
    value is a level. They stand in the `order` that is declared, then those without a level, and
    joined ones last.

    Examples
    --------
    >>> joined({"a": 9, "b": 7, "c": 2, "": 1}, 3).names
    ('a', 'b', 'other')
    >>> joined({"a": 9, "b": 7, "c": 2}, 3).names
    ('a', 'b + other')
    """
    missing = MISSING_NAMES[MISSING in counts]
    groups = [_Group(level or missing, (level,), count) for level, count in counts.items()]
    large = [group for group in groups if group.count >= least]
    small = [group for group in groups if group.count < least]
    if small:
        groups = _with_rest(large, small, least)
    key = order_key(order)
    groups.sort(key=lambda group: (group.rest, group.members == ("",), key(group.name)))
    places = {level: i for i, group in enumerate(groups) for level in group.members}
    return Levels(tuple(group.name for group in groups), MappingProxyType(places))


@dataclass(frozen=True)
class _Group:
    """Levels that are shown as one; `rest` if they were joined for being small."""

    name: str
    members: tuple[str, ...]
    count: int
    rest: bool = False


def _with_rest(large: list[_Group], small: list[_Group], least: int) -> list[_Group]:
    name = OTHER if all(group.name != OTHER for group in large) else "other levels"
    if large and sum(group.count for group in small) < least:
        smallest = min(large, key=lambda group: (group.count, group.name))
        large, small = [it for it in large if it is not smallest], [*small, smallest]
        name = f"{smallest.name} + {name}"
    members = tuple(level for group in small for level in group.members)
    return [*large, _Group(name, members, sum(group.count for group in small), rest=True)]


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
        return Scene(alike(panels), notes=(*self.notes(), *dict.fromkeys(signs)))

    @property
    def _height(self) -> str:
        """What is drawn upwards where levels are outlines."""
        weights = getattr(self.views[0], "weights", "")
        return f"density, weighted by {self.label(weights)}" if weights else "density"

    def _of_outlines(self) -> list[str]:
        said = [f"one outline for each level of {self.label(self.by)}, each of an area of 1"]
        if self.others:
            names = ", ".join(self.others[:MOST_OVERLAID])
            more = " and more" if len(self.others) > MOST_OVERLAID else ""
            said.append(f"not drawn beside the {MOST_OVERLAID} largest levels: {names}{more}")
        bars = [m for view in self.views for p in view.scene().panels for m in p.marks]
        if any(isinstance(mark, Bars) and None in mark.heights for mark in bars):
            said.append("gaps in an outline: none, or fewer than k")
        return said

    @classmethod
    def _decoded(cls, given: Mapping[str, Any]) -> dict[str, Any]:
        views = tuple(View.from_plain(view) for view in given["views"])
        return super()._decoded(given) | {"views": views}


def _overlaid(panels: Sequence[Panel]) -> Panel:
    """Draw histograms as outlines of an area of 1 each, so that levels of any size compare."""
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


def alike(panels: Sequence[Panel]) -> tuple[Panel, ...]:
    """Give all bars one height of axes, and all cells one scale of colours."""
    marks = [mark for panel in panels for mark in panel.marks]
    heights = [h for mark in marks if isinstance(mark, Bars) for h in mark.heights if h]
    values = [
        v for mark in marks if isinstance(mark, Cells) for row in mark.values for v in row if v
    ]
    highest = (0.0, HEADROOM * max(heights)) if heights else None
    span = (float(min(values)), float(max(values))) if values else None

    return tuple(
        replace(
            panel,
            marks=tuple(replace(m, span=span) if isinstance(m, Cells) else m for m in panel.marks),
            y=replace(panel.y, limits=highest or panel.y.limits),
        )
        for panel in panels
    )


@dataclass(frozen=True, repr=False)
class Panels:
    """What the panel of each level holds, before it is a view; of a plot that is not divided one.

    `counts` and `shown` have a row a level; of each further dimension the ends are in `edges`.
    """

    names: tuple[str, ...]
    edges: list[Floats]
    counts: Bins
    shown: Shown
    origin: Origin

    def each(self) -> Iterator[tuple[Bins, Shown]]:
        """Return what each level shows, and where."""
        return zip(np.where(self.shown, self.counts, 0), self.shown, strict=True)


def panels_of_counts(
    table: Countable, plot: Plot[Any], how: How, origin: Origin, bins: int
) -> Panels:
    """Count the columns in bins or cells; of each level in those that a plot of all has."""
    counted, guarded, axes = count_cells(table, plot, how, bins)
    edges = [axis.edges for axis in axes]
    origin = replace(origin, total=counted.people + counted.left_out)
    if plot.by_name is None:
        origin = replace(origin, shown=counted.people_in(guarded.shown))
        return Panels((), edges, guarded.counts[None], guarded.shown[None], origin)
    levels = panels_of(table, plot, how)
    counts = _count_levels(table, plot, how, axes, levels).counts
    shown = shown_all(counts)
    if how.method != "none":
        shown = (counts >= how.k) | (counts == 0)
        check_counts(np.where(shown, counts, 0), shown, how.k)
    origin = replace(origin, shown=int(counts[shown].sum()))
    return Panels(levels.names, edges, counts, shown, origin)


def panels_of_rows(
    rows: Protected, levels: Sequence[str], plot: Plot[Any], how: How, origin: Origin, bins: int
) -> Panels:
    """Count the protected rows in bins or cells, those of each level by themselves."""
    counts, axes = count_rows(rows, plot, how, bins)
    edges, names = [axis.edges for axis in axes], how.in_order(levels, plot.by_name)
    if plot.by_name is None:
        counts = counts[None]
    else:
        of = np.array(levels)
        check_few([Levels(names, {})], MOST_PANELS, plot.by_name)
        parts = ({name: v[of == level] for name, v in rows.items()} for level in names)
        counts = np.stack([cells_of(part, axes) for part in parts])
    origin = replace(origin, shown=int(counts.sum()))
    return Panels(names, edges, counts, shown_all(counts), origin)


def _count_levels(
    table: Countable, plot: Plot[Any], how: How, axes: Sequence[BinAxis], levels: Levels
) -> Counted:
    """Count on the axes for each level, and refuse a level that no plot is made of."""
    if table.persons_repeat():
        raise RefusedError(
            "some person has several rows, so the levels do not add up to all persons; make one row"
            " a person first, or draw without by="
        )
    each = table.count(axes, {plot.by_name or "": levels.places})
    bins = int(np.prod(each.shape[1:]))
    persons = each.joined(np.repeat(np.arange(each.shape[0]), bins))
    if persons.min() < how.k:
        raise RefusedError(
            f"columns {', '.join(map(repr, plot.names))} have fewer than k complete rows for"
            f" some level of {plot.by_name!r}; choose other columns, or a smaller k"
        )
    return each


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
