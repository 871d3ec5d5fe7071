"""Figures 3, 6 and 9: what is still seen in clusters, by k, by rendering and by order."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations

import numpy as np
from numpy.typing import NDArray
from scipy.stats import spearmanr

from discreet.parallel.diversity import splits
from examples.parallel.clustered import Gap, chain, gap_of
from examples.parallel.data import CONTINUOUS, HEIGHT, Credit, Places
from examples.parallel.drawing import Plate, panel_of
from examples.rounding.judged import Judged, judged

__all__ = [
    "KS",
    "ORDER",
    "Ages",
    "ages_of_low",
    "claims",
    "figure_3",
    "figure_6",
    "figure_9",
    "kept",
]

ORDER = ("checking_status", "duration", "savings", "credit_amount", "personal_status", "age")
KS = tuple(range(2, 11))
SHOWN = (2, 3, 5, 7, 10)
K = 5
FIRST = ("duration", "credit_amount", "age")
SECOND = ("credit_history", "credit_amount", "personal_status")
CLOSE = 0.1  # of a correlation
LOW = 1 / 3  # of the records are "low"


def middles(gap: Gap) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the middle of each record's cluster on both axes: what is seen of it."""
    ends = gap.boxes[gap.labels]
    return (ends[:, 0] + ends[:, 1]) / 2, (ends[:, 2] + ends[:, 3]) / 2


def correlations(gap: Gap, places: Places) -> tuple[float, float]:
    """Return the rank correlation of two columns, of records and of what is seen of them."""
    raw = places[gap.pair[0]], places[gap.pair[1]]
    return float(spearmanr(*raw).statistic), float(spearmanr(*middles(gap)).statistic)


def kept(places: Places, k: int) -> dict[tuple[str, str], tuple[float, float]]:
    """Return the correlations of all pairs of continuous columns, raw and clustered."""
    return {
        pair: correlations(gap_of(places, pair, k), places) for pair in combinations(CONTINUOUS, 2)
    }


def low_and_low(credit: Credit) -> NDArray[np.bool_]:
    """Say which records have a low duration and a low amount: in the lower third of both."""
    found = np.ones(len(credit.table), dtype=np.bool_)
    for name in FIRST[:2]:
        found &= (credit.table[name] <= credit.table[name].quantile(LOW)).to_numpy()
    return found


@dataclass(frozen=True)
class Ages:
    """Mean ages in years: of the low in duration and amount and of all, raw and as seen.

    `error` is the standard error of the first.
    """

    low: float
    error: float
    everyone: float
    lit: float
    clusters: float


def ages_of_low(credit: Credit, k: int) -> Ages:
    """Return the ages of those low in duration and amount, and of what lights up for them.

    Lit are the clusters between amount and age that share a record with a cluster between
    duration and amount whose middles are low; each counts by its middle, as large as it is.
    """
    low = low_and_low(credit)
    before, after = chain(credit.places, FIRST, k)
    seen_low = np.ones(len(low), dtype=np.bool_)
    for middle, name in zip(middles(before), FIRST[:2], strict=True):
        seen_low &= middle <= np.quantile(credit.places[name], LOW)
    found = splits(before.labels, after.labels)
    lit = np.unique(found.right[np.isin(found.left, np.unique(before.labels[seen_low]))])
    ages = credit.table["age"]
    sizes = np.bincount(after.labels)
    shares = (after.boxes[:, 2] + after.boxes[:, 3]) / 2 / HEIGHT
    years = ages.min() + shares * (ages.max() - ages.min())
    return Ages(
        low=float(ages[low].mean()),
        error=float(ages[low].std() / low.sum() ** 0.5),
        everyone=float(ages.mean()),
        lit=float(np.average(years[lit], weights=sizes[lit])),
        clusters=float(np.average(years, weights=sizes)),
    )


def figure_3(credit: Credit) -> Plate:
    """Draw the clusters of several k beside the raw lines."""
    study = credit.study
    raw = panel_of(study.parallel(ORDER, method="none"), "raw")
    clustered = [panel_of(study.parallel(ORDER, k=k), f"k = {k}") for k in SHOWN]
    worst = {k: max(abs(a - b) for a, b in kept(credit.places, k).values()) for k in SHOWN}
    return Plate(
        3,
        "k-anonymity for different k",
        "the same data for several k: clusters grow, and most relationships of the raw data are"
        " still seen.",
        f"as the paper says, for k = 2 to {KS[-1]}. The rank correlations of duration,"
        " credit_amount and age, taken from the middles of clusters, are off by at most "
        + ", ".join(f"{value:.2f} (k = {k})" for k, value in worst.items())
        + ". What grows with k are the wide clusters behind (blue): those made last, of records"
        " that were left over between the others.",
        "the paper does not say which k it drew, nor its order of axes; this one alternates"
        " categorical and numeric axes, as its section 6.3 asks for.",
        (raw, *clustered),
        across=3,
        size=(5.0, 3.2),
    )


def figure_6(credit: Credit) -> Plate:
    """Draw clusters with rigid edges and with fading ones."""
    view = credit.study.parallel(ORDER, k=K)
    return Plate(
        6,
        f"Two renderings, k = {K}",
        "without a gradient the edges of clusters are rigid; with one, colour fades from the middle"
        " line and overlapping clusters are easier to tell apart.",
        "the same. With edges it can be read off to the pixel where a cluster ends; fading hides"
        " the edge from the eye, but not from whoever has the file or measures its pixels: it is"
        " no protection.",
        "colours are on one scale for all pictures, from orange (narrow) to blue (wide), by the"
        " logarithm of the range; the paper does not give its scale.",
        (panel_of(view.flat(), "(a) without gradient"), panel_of(view, "(b) with gradient")),
        across=1,
        size=(8.6, 3.2),
    )


def figure_9(credit: Credit) -> Plate:
    """Draw the two orders that the text names, raw and clustered."""
    study = credit.study
    ages = ages_of_low(credit, K)
    panels = []
    for letter, order in zip("ab", (FIRST, SECOND), strict=True):
        panels += [
            panel_of(study.parallel(order, method="none"), f"({letter}) raw"),
            panel_of(study.parallel(order, k=K), f"({letter}) clustered, k = {K}"),
        ]
    return Plate(
        9,
        "Two orders of axes, raw and clustered",
        "(a) low durations go with low amounts, and higher ages show up on mouse-over; (b) history,"
        " amount and personal status have a band of clusters that is seen raw and clustered.",
        "(a) low durations do go with low amounts in both pictures. Of age there is little to see:"
        f" those low in both are {ages.low:.1f} years old on average, all are {ages.everyone:.1f};"
        f" what lights up has a middle of {ages.lit:.1f}, all clusters of {ages.clusters:.1f}. (b)"
        " the band lies at low amounts, where most records are.",
        "the paper draws further axes beside those it names. credit_history is not declared"
        " sensitive here, so no rule about the order of axes is applied.",
        tuple(panels),
        size=(4.6, 3.2),
    )


def claims(credit: Credit) -> list[Judged]:
    """Judge what the paper says is still seen."""
    found = {k: kept(credit.places, k) for k in KS}
    worst = {k: max(abs(a - b) for a, b in each.values()) for k, each in found.items()}
    pairs = ", ".join(f"{a} | {b} {raw:.2f}" for (a, b), (raw, _) in found[KS[0]].items())
    ages = ages_of_low(credit, K)
    before, after = found[K][FIRST[0], FIRST[1]]
    return [
        judged(
            "5.1, Fig. 3",
            "Most relationships of the raw data are seen in clusters (rank correlations off by"
            f" {CLOSE:g} or less), k = 2 to {KS[-1]}.",
            [value <= CLOSE for value in worst.values()],
            "Largest error of the three correlations of continuous columns: "
            + ", ".join(f"k = {k}: {value:.3f}" for k, value in worst.items())
            + f". Raw: {pairs}.",
        ),
        judged(
            "5.1, Fig. 9a",
            "Low durations go with low amounts, raw and clustered.",
            [before > 0.3, after > 0.3],
            f"Rank correlation {before:.2f} raw, {after:.2f} from clusters of k = {K}.",
        ),
        judged(
            "5.1, Fig. 9a",
            "Higher ages show on mouse-over of low durations and low amounts.",
            [ages.low - ages.everyone > 2 * ages.error, ages.lit > ages.clusters],
            f"Mean age of the lower third of both {ages.low:.1f} years (standard error"
            f" {ages.error:.1f}), of all {ages.everyone:.1f}; by size, the clusters that light up"
            f" have their middle at {ages.lit:.1f}, all of them at {ages.clusters:.1f} (k = {K}).",
        ),
    ]
