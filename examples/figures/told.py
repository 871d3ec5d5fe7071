"""What a panel says of itself in a few words: the numbers behind the paper's sentences."""

from __future__ import annotations

import discreet as dc

__all__ = ["NOTHING", "told"]

Points = dc.PointsView | dc.ResidualView | dc.QQView | dc.LeverageView
GRIDDED = ("suppression", "generalization")
NOTHING = "nothing is left"


def told(view: dc.View | None) -> str:
    """Say in a few words what a view holds and what it hides; it ends with `NOTHING` if so."""
    match view:
        case None:
            return NOTHING
        case dc.HistogramView():
            return of_histogram(view)
        case dc.GridView() | dc.ContourView():
            cells = sum(map(len, view.counts))
            held = sum(count or 0 for row in view.counts for count in row)
            hidden = f"{view.suppressed} of {cells} cells hidden, " if view.suppressed else ""
            return f"{hidden}{f'{held} records' if held else NOTHING}"
        case dc.BoxView():
            means = ", ".join(f"{box.mean:.2f}" for box in view.groups if box.mean is not None)
            hidden = f", {view.suppressed} hidden" if view.suppressed else ""
            return f"means {means}{hidden}"
        case dc.PointsView() | dc.ResidualView() | dc.QQView() | dc.LeverageView():
            return of_points(view)
    return ""


def of_histogram(view: dc.HistogramView) -> str:
    """Tell the records that are drawn and the mean of the bars."""
    held = [count or 0 for count in view.counts]
    if not sum(held):
        return NOTHING
    middles = [(a + b) / 2 for a, b in zip(view.edges[:-1], view.edges[1:], strict=True)]
    mean = sum(n * middle for n, middle in zip(held, middles, strict=True)) / sum(held)
    hidden = f"{counted(view.suppressed, 'bar')} hidden, " if view.suppressed else ""
    return f"{hidden}{sum(held)} records, mean {mean:.2f}"


def of_points(view: Points) -> str:
    """Tell how many records stand behind how many points, and the slope of their trend."""
    records, points = sum(view.size), len(view.x)
    if view.method in GRIDDED:
        words = f"{records} records in {counted(points, 'cell')}" if records else NOTHING
    else:
        shared = sum(size > 1 for size in view.size)
        words = f"{points} points, {shared} shared" if shared else f"{points} points"
    slopes = [t.slope for t in getattr(view, "trends", ()) if t.of == "what is drawn"]
    return words + "".join(f", slope {slope:.2f}" for slope in slopes)


def counted(number: int, word: str) -> str:
    """Write a number of things."""
    return f"{number} {word}" + ("" if number == 1 else "s")
