"""In which order axes may stand, and how much each tells of a sensitive one."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

import numpy as np

from discreet.answers.from_counts import check_size
from discreet.answers.parallel_axes import CellAxis, cell_axis
from discreet.errors import RefusedError, one_of
from discreet.parallel.ordering import AxisRole, broken_rules, nearest_allowed, propose
from discreet.parallel.pixels import Information, Whole, bins_of_grid, information
from discreet.policy import Asked
from discreet.table import Counted, Table

__all__ = [
    "axes_to_order",
    "cells_of",
    "check_order",
    "counted_cells",
    "proposed_order",
    "rules_of_order",
]

COMPARED_CELLS = 10


def axes_to_order(table: Table, asked: Asked) -> dict[str, CellAxis]:
    """Cut the axes into the cells on which they are compared, of any size under `research`."""
    compared = asked if asked.guarded else replace(asked, k=1)
    return {name: cell_axis(table, compared, name) for name in asked.columns}


def check_order(table: Table, asked: Asked, axes: Mapping[str, CellAxis]) -> None:
    """Refuse an order of the axes that breaks a rule about a sensitive one."""
    roles = _roles(asked, axes)
    known = _information(table, asked, axes)
    broken = broken_rules(roles, known)
    if broken:
        nearest = nearest_allowed(roles, known)
        raise RefusedError(f"{'; '.join(broken)}; the nearest allowed order is {one_of(nearest)}")


def rules_of_order(
    table: Table, asked: Asked, axes: Mapping[str, CellAxis]
) -> tuple[Callable[[Sequence[str]], tuple[str, ...]], tuple[str, ...]]:
    """Return what says which rules an order of the axes breaks, and the nearest allowed order."""
    roles = {role.name: role for role in _roles(asked, axes)}
    known = _information(table, asked, axes)

    def broken(order: Sequence[str]) -> tuple[str, ...]:
        """Say which rules about sensitive axes an order of the names breaks."""
        return broken_rules([roles[name] for name in order], known)

    return broken, nearest_allowed([*roles.values()], known)


def proposed_order(table: Table, asked: Asked, axes: Mapping[str, CellAxis]) -> tuple[str, ...]:
    """Return the order of the axes that keeps the rules and alternates kinds."""
    return propose(_roles(asked, axes), _information(table, asked, axes))


def counted_cells(table: Table, axes: Sequence[CellAxis]) -> Counted:
    """Count the persons in each bin that axes share, levels first, where the data are."""
    bins = [axis.bins for axis in axes if axis.bins is not None]
    levels = {axis.shown.name: axis.levels.places for axis in axes if axis.levels is not None}
    return table.count(bins, levels)


def cells_of(counted: Counted, axes: Sequence[CellAxis]) -> Whole:
    """Return the counts of the cells that axes share, one dimension for each, in their order."""
    stands = [axis for axis in axes if axis.levels is not None]
    stands += [axis for axis in axes if axis.levels is None]
    counts: Whole = counted.counts.transpose([stands.index(axis) for axis in axes])
    for place, axis in enumerate(axes):
        if axis.cell_of_bin is not None:
            firsts = np.flatnonzero(np.diff(axis.cell_of_bin, prepend=-1))
            counts = np.add.reduceat(counts, firsts, axis=place)
        # Beyond the cells of a sensitive axis are those of whom nothing is known.
        counts = counts.take(range(axis.cells), axis=place)
    return counts


def _roles(asked: Asked, axes: Mapping[str, CellAxis]) -> list[AxisRole]:
    return [
        AxisRole(name, axes[name].shown.kind, name in asked.axes.sensitive)
        for name in asked.columns
    ]


def _information(
    table: Table, asked: Asked, axes: Mapping[str, CellAxis]
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
        known[name] = information(bins_of_grid(_coarse(cells_of(counted, pair), pair)))
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
