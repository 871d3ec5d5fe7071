"""An order of a table's rows and columns by what they hold, whatever order they came in."""

from __future__ import annotations

import numpy as np

from discreet.protect.base import Labels
from discreet.protect.counts import Bins

__all__ = ["line_order"]


def line_order(cells: Bins) -> tuple[bool, Labels, Labels]:
    """Order the lines of a table so that the order they came in does not matter.

    Parameters
    ----------
    cells : ndarray of int, of shape (r, c)
        The table.

    Returns
    -------
    flip : bool
        Whether rows and columns are to be exchanged first.
    rows, columns : ndarray of int
        The order of the rows and of the columns after that.

    Notes
    -----
    ``(cells.T if flip else cells)[np.ix_(rows, columns)]`` is the same table for `cells` with
    lines permuted or exchanged. Lines are told apart by the counts they hold, then by where these
    lie among the lines told apart before (colour refinement). Of lines that are still alike but
    not equal, the one that then tells most is named first; where these are not alike by symmetry
    either, which takes a very regular table of 5 by 5 or more, the order may matter after all.

    Examples
    --------
    >>> import numpy as np
    >>> flip, rows, columns = line_order(np.array([[7, 7, 1], [0, 7, 0]]))
    >>> flip, rows.tolist(), columns.tolist()
    (False, [1, 0], [2, 0, 1])
    """
    r, c = cells.shape
    if r > c:
        return (True, *_arranged(cells.T))
    upright = _arranged(cells)
    if r < c:
        return (False, *upright)
    flipped = _arranged(cells.T)
    one, other = cells[np.ix_(*upright)], cells.T[np.ix_(*flipped)]
    return (True, *flipped) if other.tolist() < one.tolist() else (False, *upright)


def _arranged(cells: Bins) -> tuple[Labels, Labels]:
    """Return an order of rows and columns that depends on what they hold alone."""
    codes = np.unique(cells, return_inverse=True)[1].reshape(cells.shape)
    colours = _refined(codes, *(np.zeros(lines, dtype=np.intp) for lines in cells.shape))
    while True:
        alike = _alike(codes, colours)
        if alike is None:
            rows, columns = (np.argsort(colour, kind="stable") for colour in colours)
            return rows, columns
        axis, members = alike
        tried = []
        for line in members:
            named = [2 * colour for colour in colours]
            named[axis][line] -= 1
            tried.append(_refined(codes, *named))
        colours = min(tried, key=lambda found: _content(codes, *found))


def _alike(codes: Labels, colours: tuple[Labels, Labels]) -> tuple[int, list[int]] | None:
    """Return the axis and lines of the first colour whose lines are not all equal, or None."""
    for axis, table in enumerate((codes, codes.T)):
        for colour in np.flatnonzero(np.bincount(colours[axis]) > 1):
            members = np.flatnonzero(colours[axis] == colour)
            first = np.unique(table[members], axis=0, return_index=True)[1]
            if len(first) > 1:
                return axis, members[first].tolist()
    return None


def _refined(codes: Labels, rows: Labels, columns: Labels) -> tuple[Labels, Labels]:
    """Return the colours of lines, split until none can be split by what its lines hold."""
    while True:
        kinds = len(np.unique(rows)) + len(np.unique(columns))
        rows = _ranked(rows, codes, columns)
        columns = _ranked(columns, codes.T, rows)
        if len(np.unique(rows)) + len(np.unique(columns)) == kinds:
            return rows, columns


def _held(codes: Labels, across: Labels) -> Labels:
    return np.sort(codes * (across.max() + 1) + across, axis=1)


def _ranked(own: Labels, codes: Labels, across: Labels) -> Labels:
    lines = np.column_stack([own, _held(codes, across)])
    return np.unique(lines, axis=0, return_inverse=True)[1].reshape(-1).astype(np.intp)


def _content(codes: Labels, rows: Labels, columns: Labels) -> tuple[list[int], list[int], bytes]:
    held = _held(codes, columns)[np.argsort(rows, kind="stable")]
    return np.sort(rows).tolist(), np.sort(columns).tolist(), held.tobytes()
