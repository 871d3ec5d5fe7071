"""Tables 2 to 4, with the numbers of the paper beside ours, and the pictures of Tables 3 and 4."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from discreet.measure import Coefficients
from discreet.render.scene import Axis, Intervals, Lines, Panel
from examples.anonymise import titanic

__all__ = [
    "PAPER_2",
    "PAPER_3",
    "PAPER_4",
    "PAPER_DIFFERENCES_3",
    "PAPER_DIFFERENCES_4",
    "TextTable",
    "chance",
    "coefficient_rows",
    "intervals",
    "table_2",
    "table_of_coefficients",
]

#: Class, sex, family (1: with), frequency and survivors of each stratum, as printed.
PAPER_2 = (
    ("1", "female", "no", 34, "33/34"),
    ("2", "female", "no", 32, "29/32"),
    ("3", "female", "no", 60, "37/60"),
    ("1", "male", "no", 75, "25/75"),
    ("2", "male", "no", 72, "7/72"),
    ("3", "male", "no", 264, "32/264"),
    ("1", "female", "yes", 60, "58/60"),
    ("2", "female", "yes", 44, "41/44"),
    ("3", "female", "yes", 84, "35/84"),
    ("1", "male", "yes", 47, "20/47"),
    ("2", "male", "yes", 36, "10/36"),
    ("3", "male", "yes", 83, "15/83"),
)
#: Estimate, standard error, z and p of the original model, as printed.
PAPER_3 = {
    "Intercept": ("3.519", "0.437", "8.054", "8.00e-16"),
    "Pclass (2nd)": ("-1.067", "0.286", "-3.732", "0.0002"),
    "Pclass (3rd)": ("-2.283", "0.281", "-8.135", "4.12e-16"),
    "Sex (male)": ("-2.628", "0.194", "-13.527", "<2e-16"),
    "Age": ("-0.033", "0.008", "-4.437", "9.13e-06"),
    "Fare": ("0.001", "0.002", "0.466", "0.641"),
    "Family (yes)": ("-0.091", "0.194", "-0.471", "0.638"),
}
PAPER_DIFFERENCES_3 = (0.220, 0.159, 0.216, 0.012, 0.205, 0.223, 0.010)
PAPER_4 = {
    "Intercept": ("6.430", "0.527", "12.211", "<2e-16"),
    "Sex (female)": ("-0.098", "0.057", "-1.729", "0.084"),
    "Smoker (yes)": ("0.110", "0.049", "2.253", "0.024"),
    "HDL": ("-0.229", "0.058", "-3.924", "9.19e-05"),
    "Height": ("-0.013", "0.003", "-4.225", "2.57e-05"),
    "Weight": ("0.010", "0.002", "6.265", "5.18e-10"),
}
PAPER_DIFFERENCES_4 = (1.048, 0.959, 0.212, 0.278, 1.10, 0.606)


@dataclass(frozen=True)
class TextTable:
    """A table as it is printed: its number, what it shows, its heads and its rows of texts."""

    number: int
    title: str
    caption: str
    heads: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]

    @property
    def name(self) -> str:
        """Name the file of the table."""
        return f"2022_table_{self.number}.csv"


def table_2(passengers: pd.DataFrame) -> TextTable:
    """Return the strata of the passengers, in the paper's order."""
    counted = titanic.strata_counts(passengers)
    rows = tuple(
        (str(row.Pclass), str(row.Sex), str(row.Family), str(row.Frequency), ratio)
        for row, ratio in zip(counted.itertuples(), titanic.survival(counted), strict=True)
    )
    same = rows == tuple((a, b, c, str(n), ratio) for a, b, c, n, ratio in PAPER_2)
    agrees = "Every number is the paper's." if same else "NOT every number is the paper's."
    caption = f"Passengers of the Titanic by stratum, and how many of them survived. {agrees}"
    heads = ("Class", "Sex", "Family", "Frequency", "Survival ratio")
    return TextTable(2, "Strata", caption, heads, rows)


def table_of_coefficients(
    number: int,
    title: str,
    caption: str,
    found: Coefficients,
    terms: Mapping[str, str],
    paper: Mapping[str, Sequence[str]],
    paper_differences: Sequence[float],
) -> TextTable:
    """Return Table 3 or 4: both models side by side, and what the paper has."""
    statistic = "z" if found.model == "logistic" else "t"
    heads = (
        "Coefficient",
        *(
            f"{which} {what}"
            for which in ("original", "anonymised", "paper's original")
            for what in ("estimate", "SE", statistic, "p")
        ),
        "std. difference",
        "paper's",
    )
    original = coefficient_rows(found, released=False)
    released = coefficient_rows(found, released=True)
    rows = []
    for (term, label), printed in zip(terms.items(), paper_differences, strict=True):
        place = found.terms.index(term)
        moved = (f"{found.difference[place]:.3f}", f"{printed:.3f}")
        rows.append((label, *original[place], *released[place], *paper[label], *moved))
    return TextTable(number, title, caption, heads, tuple(rows))


def coefficient_rows(found: Coefficients, *, released: bool) -> list[tuple[str, str, str, str]]:
    """Write estimate, standard error, z or t, and p of each term as R does."""
    columns = (
        (found.released, found.released_se, found.released_statistic, found.released_p)
        if released
        else (found.original, found.original_se, found.original_statistic, found.original_p)
    )
    return [
        (f"{estimate:.3f}", f"{error:.3f}", f"{statistic:.3f}", chance(p))
        for estimate, error, statistic, p in zip(*columns, strict=True)
    ]


def chance(p: float) -> str:
    """Write a p value as R does."""
    if p < 2e-16:
        return "<2e-16"
    if p < 1e-4:
        return f"{p:.2e}"
    return f"{p:.4f}" if p < 1e-3 else f"{p:.3f}"


def intervals(
    found: Coefficients, terms: Mapping[str, str], scale: Mapping[str, float], label: str
) -> Panel:
    """Return the coefficients of both models side by side, times `scale`, without the intercept."""
    order = [found.terms.index(term) for term in terms if term in scale][::-1]  # the first on top
    names = [found.terms[place] for place in order]
    ends = tuple(
        tuple(
            tuple(float(scale[name] * end[i]) for end in (low, estimates, high))
            for i, name in zip(order, names, strict=True)
        )
        for estimates, (low, high) in (
            (found.original, found.original_interval),
            (found.released, found.released_interval),
        )
    )
    reached = [0.0, *np.ravel(ends).tolist()]
    room = 0.05 * (max(reached) - min(reached))
    zero = Lines(((0.0, 0.0),), ((-0.5, len(order) - 0.5),), "reference")
    return Panel(
        (Intervals(ends, ("original", "anonymised")), zero),  # type: ignore[arg-type]
        x=Axis(label, limits=(min(reached) - room, max(reached) + room)),
        y=Axis("", ticks=tuple(terms[name] for name in names)),
    )
