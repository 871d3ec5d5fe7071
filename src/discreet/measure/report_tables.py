"""The tables of a report: what was done and what was measured, as texts in rows and columns."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from discreet.measure.estimate import Estimate
from discreet.measure.evaluate import RISKS, Measured
from discreet.measure.utility import QUANTILES

__all__ = ["Listing", "listings", "told"]

NOTHING = 1e-12  # what is smaller is the rounding of a 0


class Listing(NamedTuple):
    """A table of texts: a title, the names of its columns, its rows, and the columns of words."""

    title: str
    head: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    words: tuple[int, ...] = (0,)


def listings(measured: Measured, made: Mapping[str, Any]) -> list[Listing]:
    """Return the tables of a report; those without rows are left out."""
    every = [
        _made(made),
        _risks(measured),
        _strata(measured),
        _combinations(measured),
        _grid(measured),
        _columns(measured),
        _quantiles(measured),
        _correlations(measured),
        _levels(measured),
        _whole(measured),
        _model(measured),
    ]
    return [listing for listing in every if listing.rows]


def told(value: Any) -> str:
    """Write a plain value as a table shows it.

    Examples
    --------
    >>> told(0.0114321), told(None), told(True), told(["a", "b"]), told({"Fare": 3}), told(12345)
    ('0.0114', '-', 'yes', 'a, b', 'Fare: 3', '12345')
    """
    if value is None:
        return "-"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        return f"{value + 0.0:.3g}" if abs(value) > NOTHING else "0"
    if isinstance(value, Mapping):
        return "; ".join(f"{key}: {told(part)}" for key, part in value.items()) or "-"
    if isinstance(value, list | tuple):
        return ", ".join(told(part) for part in value) or "-"
    return str(value)


def _made(made: Mapping[str, Any]) -> Listing:
    rows = tuple((name.replace("_", " "), told(value)) for name, value in made.items())
    return Listing("What was done", ("setting", "value"), rows, (0, 1))


def _percent(share: float | None) -> str:
    return "-" if share is None else f"{100 * share:.1f} %"


def _risk(found: Estimate) -> tuple[str, ...]:
    ends = f"{100 * found.low:.1f} to {100 * found.high:.1f} %"
    count = f"{found.count:.0f}" if found.count == round(found.count) else f"{found.count:.1f}"
    return (
        found.what,
        _percent(found.share),
        ends,
        f"{count} of {found.trials}",
        _percent(found.baseline),
    )


def _risks(measured: Measured) -> Listing:
    to = measured.rounded_to
    title = "Risks" if to in (None, 1) else f"Risks, of counts rounded to multiples of {to}"
    rows = tuple(_risk(measured.risks[key]) for key in RISKS if key in measured.risks)
    return Listing(title, ("counted", "share", "interval", "count", "guessing"), rows)


def _strata(measured: Measured) -> Listing:
    names = ", ".join(measured.strata)
    every = (
        ("k: rows in the smallest stratum", measured.k),
        ("l: fewest different sensitive values in one", measured.l),
        ("t: farthest that one's sensitive values are from all", measured.t),
    )
    rows = tuple((name, told(value)) for name, value in every if value is not None)
    return Listing(f"Strata of the released table ({names})", ("measure", "value"), rows)


def _combinations(measured: Measured) -> Listing:
    rows = tuple(
        (", ".join(one.columns), str(one.k), _percent(one.uniqueness.share))
        for one in measured.combinations
    )
    title = "Every one to three of the strata, in the released table"
    return Listing(title, ("known", "rows of the smallest", "alone"), rows)


def _grid(measured: Measured) -> Listing:
    grid = measured.grid
    title = "Robust distance risks by half width w1 and distance w2"
    if grid is None:
        return Listing(title, (), ())
    rows = tuple(
        (f"{w1:g}", _percent(first.share), *(_percent(found.share) for found in row))
        for w1, first, row in zip(grid.w1s, grid.risk1, grid.risk2, strict=True)
    )
    return Listing(title, ("w1", "risk1", *(f"risk2, w2 = {w2:g}" for w2 in grid.w2s)), rows, ())


def _columns(measured: Measured) -> Listing:
    kept = measured.preservation
    rows = []
    for name in measured.columns:
        mean = None if kept is None else kept.means.get(name)
        spread = None if kept is None else kept.spreads.get(name)
        moved = measured.displacement.get(name)
        if (mean, spread, moved) != (None, None, None):
            rows.append((name, told(moved), told(mean), told(spread)))
    head = ("column", "displacement", "mean moved, in sd", "sd kept")
    return Listing("Columns: 0, 0 and 1 where nothing changed", head, tuple(rows))


def _quantiles(measured: Measured) -> Listing:
    kept = measured.preservation
    values = {} if kept is None else kept.quantiles
    rows = tuple((name, *map(told, moved)) for name, moved in values.items())
    head = ("column", *(f"{100 * share:g} %" for share in QUANTILES))
    return Listing("Quantiles: how far each moved, in sd", head, rows)


def _correlations(measured: Measured) -> Listing:
    kept = measured.preservation
    values = {} if kept is None else kept.correlations
    rows = tuple((f"{one}, {other}", told(moved)) for (one, other), moved in values.items())
    return Listing("Correlations: released less original", ("columns", "difference"), rows)


def _levels(measured: Measured) -> Listing:
    kept = measured.preservation
    values = {} if kept is None else kept.levels
    rows = tuple((name, told(moved)) for name, moved in values.items())
    return Listing(
        "Shares of levels: 0 where none changed, 1 at most", ("column", "difference"), rows
    )


def _whole(measured: Measured) -> Listing:
    every = (
        ("U: how well a model tells the tables apart, 0 to 0.25", measured.u),
        ("U over what a fresh sample would give", measured.ratio),
        ("rows left out for a missing number", measured.left_out or None),
    )
    rows = tuple((name, told(value)) for name, value in every if value is not None)
    return Listing("The whole table", ("measure", "value"), rows)


def _model(measured: Measured) -> Listing:
    model = measured.model
    head = ("term", "original", "SE", "released", "SE", "difference", "overlap")
    if model is None:
        return Listing("", head, ())
    digits = 2 if measured.rounded_to is None else 1
    rows = tuple(
        (
            str(term),
            *(f"{value:.4g}" for value in numbers),
            f"{difference:.{digits}f}",
            f"{overlap:.2f}",
        )
        for term, *numbers, difference, overlap in zip(
            model.terms,
            model.original,
            model.original_se,
            model.released,
            model.released_se,
            model.difference,
            model.overlap,
            strict=True,
        )
    )
    title = f"Regression {model.formula}; difference in original standard errors"
    return Listing(title, head, rows)
