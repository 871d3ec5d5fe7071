"""Figures 7 and 8: utility and risk by k and by the number of people."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from discreet.render.marks import SERIES
from examples.anonymise.cohort import COLUMNS
from examples.anonymise.cohort_figures import TERMS
from examples.anonymise.drawing import Curve, Panel, Plate
from examples.anonymise.sensitivity import K_OF_SIZES, KS, PERSONS, SIZES, Setting, Spread

__all__ = ["SETTINGS_7", "SETTINGS_8", "figure_7", "figure_8"]

SETTINGS_7: tuple[Setting, ...] = tuple((PERSONS, k) for k in KS)
SETTINGS_8: tuple[Setting, ...] = tuple((persons, K_OF_SIZES) for persons in SIZES)
MARKERS = ("o", "s", "^", "D", "v", "P")
COLOURS = (*SERIES[:5], "#000000")
PANELS = (
    ("utility loss of all: U of propensity scores", "U", {"U": ""}),
    ("utility loss of each column: δ", "δ", {f"δ {name}": name for name in COLUMNS}),
    (
        "utility loss of the regression: standardised difference",
        "standardised difference",
        {f"d {term}": term for term in TERMS.values()},
    ),
    ("disclosure risk", "share of people", {"risk1": "risk1", "risk2": "risk2"}),
)

Found = Mapping[Setting, Mapping[str, Spread]]


def figure_7(found: Found, sets: int) -> Plate:
    """Draw what k does."""
    first, last = found[PERSONS, KS[0]], found[PERSONS, KS[-1]]
    riskiest = max(KS, key=lambda k: found[PERSONS, k]["risk2"].mean)
    caption = (
        f"What k does to {sets} simulated data sets of {PERSONS} people in strata of 203, 46, 193"
        " and 58; means, with one standard deviation on either side. At k = 46 the smallest stratum"
        " becomes a single point. As in the paper, every loss of utility grows with k and risk"
        f" falls: from k = {KS[0]} to {KS[-1]} U goes from {first['U'].mean:.5f} to"
        f" {last['U'].mean:.4f}, δ of weight from {first['δ Weight'].mean:.3f} to"
        f" {last['δ Weight'].mean:.2f}, risk1 from {first['risk1'].mean:.4f} to"
        f" {last['risk1'].mean:.4f}. risk2 is highest at k = {riskiest}: where k is small, people"
        " who are each other's nearest share a point, and count as safe by it. The 1958 cohort is"
        " not public: the data sets are simulated, by the method of Vale and Maurelli, from what is"
        " observed of the cohort that stands in for it, so sizes differ from the paper's. Here the"
        " same data sets serve every k."
    )
    panels = panels_of(found, SETTINGS_7, KS, "k, number of nearest neighbours", ticks=KS[::2])
    return Plate(7, "The choice of k", caption, panels)


def figure_8(found: Found, sets: int) -> Plate:
    """Draw what the number of people does."""
    first, last = found[SIZES[0], K_OF_SIZES], found[SIZES[-1], K_OF_SIZES]
    caption = (
        f"What the number of people does, k = {K_OF_SIZES}: {sets} simulated data sets of each"
        " size; means, with one standard deviation on either side. As in the paper, U and δ fall"
        " with the number of people, for neighbours are nearer where there are more of them, and"
        f" both risks rise: from {SIZES[0]} to {SIZES[-1]} people U goes from"
        f" {first['U'].mean:.4f} to {last['U'].mean:.6f}, δ of weight from"
        f" {first['δ Weight'].mean:.2f} to {last['δ Weight'].mean:.3f}, risk1 from"
        f" {first['risk1'].mean:.4f} to {last['risk1'].mean:.4f}. The paper says the same of the"
        " standardised differences; here they fall up to some 500 people and hardly change from"
        " there, for the standard errors that they are counted in become smaller, too. The 1958"
        " cohort is not public: the data sets are simulated like those of Figure 7. The x axis is"
        " logarithmic."
    )
    ticks = (50, 100, 200, 500, 1000, 2000, 3000)
    panels = panels_of(found, SETTINGS_8, SIZES, "number of people", ticks=ticks, log="x")
    return Plate(8, "The number of people", caption, panels)


def panels_of(
    found: Found,
    settings: Sequence[Setting],
    across: Sequence[float],
    label: str,
    *,
    ticks: Sequence[float],
    log: str = "",
) -> tuple[Panel, ...]:
    """Return the four panels of either figure."""
    panels = []
    for title, y, names in PANELS:
        curves = tuple(
            Curve(
                tuple(across),
                tuple(found[setting][key].mean for setting in settings),
                tuple(found[setting][key].sd for setting in settings),
                name,
                colour,
                marker,
            )
            for (key, name), colour, marker in zip(names.items(), COLOURS, MARKERS, strict=False)
        )
        panels.append(
            Panel(curves, x=label, y=y, title=title, ticks=tuple(ticks), log=log, zero=True)
        )
    return tuple(panels)
