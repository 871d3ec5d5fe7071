"""What a model estimates from rows of a copy, as figures and as words, with wider intervals.

Estimates come in, a table goes out; whose rows they are of is for the caller to say.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from discreet.arguments import Floats
from discreet.errors import RefusedError
from discreet.estimates.copy_table import Line
from discreet.estimates.figures import INTERCEPT, OF_MODEL, Figure
from discreet.estimates.intervals import FEWEST, NORMAL, own_variance
from discreet.estimates.tables import ROWS, TableBody
from discreet.estimates.words import UNKNOWN, decimals_of, decimals_of_error, number_words
from discreet.regression import Estimates

LEVELS, CORRELATION = "levels", "intraclass correlation"
MEASURED = 2.0
"""What the sum of both variances is multiplied by: measured over 26 tables (docs/models.md).

The plain sum holds fewer than 90 of 100 of the data's coefficients in five of them.
"""


@dataclass(frozen=True, eq=False)
class Widened:
    """Estimates of a model with standard errors that have the copy's own error in them.

    `inner` are the standard errors for chance among so many rows alone.
    """

    estimates: Estimates
    errors: Floats
    inner: Floats


def widen(estimates: Estimates, again: Sequence[Estimates], share: float) -> Widened:
    """Widen standard errors by how far copies of the copy are from it; docs/models.md says why so.

    `again` are the estimates of the rows that copies were made of, and then of each of those
    copies; `share` is which share of the rows these are: chance in all rows is less by it. A term
    of which fewer than three copies have an estimate has the largest ratio of the copy's variance
    to the model's that another term has. RefusedError is raised if no term has an estimate in three
    of the copies.
    """
    of_rows, *others = [dict(zip(it.terms, it.values.tolist(), strict=True)) for it in again] or [
        {}
    ]
    ratios = np.full(len(estimates.terms), np.nan)
    for i, term in enumerate(estimates.terms):
        values = [it[term] for it in others if term in it]
        if len(values) >= FEWEST and term in of_rows:
            off = [value - of_rows[term] for value in values]
            ratios[i] = own_variance(off, share) / estimates.variances[i]
    if np.isnan(ratios).all():
        raise RefusedError(
            "the error of these rows cannot be estimated, as the model does not fit copies of "
            "them; ask for a larger part, or leave terms out"
        )
    ratios = np.where(np.isnan(ratios), np.nanmax(ratios), ratios)
    inner = np.sqrt(estimates.variances)
    return Widened(estimates, inner * np.sqrt(MEASURED * (1 + ratios)), inner)


def model_body(it: Widened, ratio: str) -> TableBody:
    """Return a table of the terms and the fit; `ratio` is what exp() of an estimate is called."""
    estimates = it.estimates
    lines, figures = [], []
    for i, term in enumerate(estimates.terms):
        value, error = float(estimates.values[i]), float(it.errors[i])
        ends = (value - NORMAL * error, value, value + NORMAL * error)
        named: list[tuple[str, float | None]] = [*zip(OF_MODEL, ends, strict=True)]
        named += [("std. error", error), ("std. error from the rows alone", float(it.inner[i]))]
        if ratio:
            low, middle, high = map(ratio_words, ends)
            shown = (middle, f"{low} to {high}")
            shown = shown if term != INTERCEPT else (UNKNOWN, UNKNOWN)  # it is the ratio of nothing
            lines.append(Line("", term, (*shown, f"{value:.3f}", f"{error:.3f}")))
        else:
            decimals = decimals_of_error(error)
            low, middle, high, words = (number_words(x, decimals) for x in (*ends, error))
            lines.append(Line("", term, (middle, f"{low} to {high}", words)))
        if ratio and term != INTERCEPT:
            names = (f"{ratio}, low end", ratio, f"{ratio}, high end")
            named += [(n, _exp(end)) for n, end in zip(names, ends, strict=True)]
        figures += [Figure(term, None, (), name, number) for name, number in named]
    head: tuple[str, ...] = ("estimate", "95 % interval", "std. error")
    if ratio:
        head = (ratio, "95 % interval", f"log {ratio}", "its std. error")
    quality, value = estimates.quality
    counts = [("rows", ROWS, estimates.rows)]
    if estimates.events is not None:
        counts.append(("rows with the event", "rows with the event", estimates.events))
    if estimates.random is not None:
        counts.append((LEVELS, f"levels of {estimates.random[0]}", estimates.random[1]))
    words = f"{value:.3f}" if estimates.random is None else number_words(value, decimals_of(value))
    fit = [*((words, f"{count:,}") for _, words, count in counts), (quality, words)]
    numbers = [*((name, float(count)) for name, _, count in counts), (quality, value)]
    if estimates.correlation is not None:
        fit.append((CORRELATION, f"{estimates.correlation:.3f}"))
        numbers.append((CORRELATION, estimates.correlation))
    lines += [Line("fit", name, (words, *[""] * (len(head) - 1))) for name, words in fit]
    figures += [Figure("", None, (), name, number) for name, number in numbers]
    return TableBody(head, tuple(lines), tuple(figures), ())


def _exp(value: float) -> float | None:
    return math.exp(value) if value < 700 else None


def ratio_words(value: float) -> str:
    """Write exp() of an estimate with three digits."""
    ratio = _exp(value)
    if ratio is None or ratio >= 1e4:
        return "over 10,000"
    if ratio < 1e-4:
        return "under 0.0001"
    return f"{ratio:.{min(max(2 - math.floor(math.log10(ratio)), 0), 6)}f}"
