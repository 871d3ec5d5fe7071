"""In which order axes may stand, and how much each tells of a sensitive one."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from discreet.arguments import Labels
from discreet.errors import RefusedError, one_of
from discreet.parallel.ordering import AxisRole, broken_rules, nearest_allowed, propose
from discreet.parallel.pixels import Information, Whole, bins_of_grid, information
from discreet.plots.from_counts import check_size
from discreet.plots.parallel_axes import CellAxis, cell_axis
from discreet.plots.request import PlotRequest
from discreet.table import Counted, Table

__all__ = [
    "PersonsInCells",
    "axes_to_order",
    "cells_of",
    "check_order",
    "counted_cells",
    "persons_in_cells",
    "proposed_order",
    "rules_of_order",
]

COMPARED_CELLS = 10


def axes_to_order(table: Table, asked: PlotRequest) -> dict[str, CellAxis]:
    """Cut the axes into the cells on which they are compared, of any size under `research`."""
    compared = asked if asked.guarded else replace(asked, k=1)
    return {name: cell_axis(table, compared, name) for name in asked.columns}


def check_order(table: Table, asked: PlotRequest, axes: Mapping[str, CellAxis]) -> None:
    """Refuse an order of the axes that breaks a rule about a sensitive one."""
    roles = _roles(asked, axes)
    known = _information(table, asked, axes)
    broken = broken_rules(roles, known)
    if broken:
        nearest = nearest_allowed(roles, known)
        raise RefusedError(f"{'; '.join(broken)}; the nearest allowed order is {one_of(nearest)}")


def rules_of_order(
    table: Table, asked: PlotRequest, axes: Mapping[str, CellAxis]
) -> tuple[Callable[[Sequence[str]], tuple[str, ...]], tuple[str, ...]]:
    """Return what says which rules an order of the axes breaks, and the nearest allowed order."""
    roles = {role.name: role for role in _roles(asked, axes)}
    known = _information(table, asked, axes)

    def broken(order: Sequence[str]) -> tuple[str, ...]:
        """Say which rules about sensitive axes an order of the names breaks."""
        return broken_rules([roles[name] for name in order], known)

    return broken, nearest_allowed([*roles.values()], known)


def proposed_order(
    table: Table, asked: PlotRequest, axes: Mapping[str, CellAxis]
) -> tuple[str, ...]:
    """Return the order of the axes that keeps the rules and alternates kinds."""
    return propose(_roles(asked, axes), _information(table, asked, axes))


def counted_cells(table: Table, axes: Sequence[CellAxis]) -> Counted:
    """Count the persons in each bin that axes share, levels first, where the data are."""
    bins = [axis.bins for axis in axes if axis.bins is not None]
    levels = {axis.shown.name: axis.levels.places for axis in axes if axis.levels is not None}
    return table.count(bins, levels)


@dataclass(frozen=True, repr=False)
class PersonsInCells:
    """Which persons with several rows are in the cells that axes share: pairs, none twice.

    `cells` are numbers of cells in a grid of `shape`, one dimension for each axis.
    """

    shape: tuple[int, ...]
    cells: Whole
    persons: Labels

    @property
    def people(self) -> int:
        """How many persons there are, each counted once."""
        return len(np.unique(self.persons))

    def within(self, keep: NDArray[np.bool_]) -> PersonsInCells:
        """Return those in cells to keep, which are said for each cell."""
        stays = keep.ravel()[self.cells]
        return PersonsInCells(self.shape, self.cells[stays], self.persons[stays])

    def counts(self, least: int) -> Whole:
        """Count so that a sum over cells is of as many different persons, or of `least` or more.

        A cell of `least` persons has its own count. In the other cells each person counts once,
        where most persons are: so no sum holds anybody twice, unless a cell of it is enough alone.
        """
        held = np.bincount(self.cells, minlength=math.prod(self.shape))
        rest = held[self.cells] < least
        cells, persons = self.cells[rest], self.persons[rest]
        order = np.lexsort((cells, -held[cells], persons))
        first = np.diff(persons[order], prepend=-1) != 0
        once = np.bincount(cells[order][first], minlength=len(held))
        counts: Whole = np.where(held >= least, held, once).reshape(self.shape)
        return counts


def persons_in_cells(counted: Counted, axes: Sequence[CellAxis]) -> PersonsInCells | None:
    """Return which persons are in the cells that axes share; None where a row is a person's."""
    if counted.persons is None:
        return None
    stands = _as_counted(axes)
    places = np.unravel_index(counted.cells, counted.shape)
    shape = tuple(axis.cells for axis in axes)
    cells, here = np.zeros(len(counted.cells), dtype=np.int64), np.ones(1, dtype=np.bool_)
    for axis in axes:
        place = places[stands.index(axis)]
        if axis.cell_of_bin is not None:
            place = axis.cell_of_bin[place]
        # Beyond the cells of a sensitive axis are those of whom nothing is known.
        here = here & (place < axis.cells)
        cells = cells * axis.cells + place
    pairs = np.unique(np.stack([cells[here], counted.persons[here]]), axis=1)
    return PersonsInCells(shape, pairs[0], pairs[1].astype(np.intp))


def cells_of(counted: Counted, axes: Sequence[CellAxis], least: int) -> Whole:
    """Return the counts of the cells that axes share, one dimension for each, in their order.

    Of persons with several rows see `PersonsInCells.counts`.
    """
    found = persons_in_cells(counted, axes)
    if found is not None:
        return found.counts(least)
    stands = _as_counted(axes)
    counts: Whole = counted.counts.transpose([stands.index(axis) for axis in axes])
    for place, axis in enumerate(axes):
        if axis.cell_of_bin is not None:
            firsts = np.flatnonzero(np.diff(axis.cell_of_bin, prepend=-1))
            counts = np.add.reduceat(counts, firsts, axis=place)
        # Beyond the cells of a sensitive axis are those of whom nothing is known.
        counts = counts.take(range(axis.cells), axis=place)
    return counts


def _as_counted(axes: Sequence[CellAxis]) -> list[CellAxis]:
    """Return axes in the order in which the table counts them: levels first."""
    stands = [axis for axis in axes if axis.levels is not None]
    return stands + [axis for axis in axes if axis.levels is None]


def _roles(asked: PlotRequest, axes: Mapping[str, CellAxis]) -> list[AxisRole]:
    return [
        AxisRole(name, axes[name].shown.kind, name in asked.axes.sensitive)
        for name in asked.columns
    ]


def _information(
    table: Table, asked: PlotRequest, axes: Mapping[str, CellAxis]
) -> dict[str, Information]:
    """Measure what each continuous axis tells of the first sensitive one."""
    sensitive = [name for name in asked.columns if name in asked.axes.sensitive]
    if not sensitive:
        return {}
    known = {}
    for name in asked.columns:
        if name in sensitive or axes[name].shown.kind != "continuous":
            continue
        pair = (axes[name], axes[sensitive[0]])
        counted = counted_cells(table, pair)
        check_size(counted, asked)
        known[name] = information(bins_of_grid(_coarse(cells_of(counted, pair, asked.k), pair)))
    return known


def _coarse(counts: Whole, axes: Sequence[CellAxis]) -> Whole:
    """Join the cells of continuous axes into about ten that hold as many persons each.

    Many cells of few persons tell much by chance, more than can be corrected for, and an axis of
    more values would seem to tell more.
    """
    for place, axis in enumerate(axes):
        if axis.cell_of_bin is not None:
            held = counts.sum(axis=1 - place)
            before = np.cumsum(held) - held / 2  # the middle of each cell
            part = (before * COMPARED_CELLS / held.sum()).astype(np.int64)
            firsts = np.flatnonzero(np.diff(part, prepend=-1))
            counts = np.add.reduceat(counts, firsts, axis=place)
    return counts
