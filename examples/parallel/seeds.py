"""Figure 5: what the seeds of clusters are chosen by, and how large the clusters get."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from itertools import combinations, pairwise

from discreet.parallel.pixels import METRICS, Seeding
from examples.parallel.clustered import bins_of, range_of
from examples.parallel.data import COLUMNS, Credit, kinds_of
from examples.parallel.drawing import Plate, columns_panel, panel_of
from examples.rounding.judged import Judged, judged

__all__ = ["KS", "ORDER", "Ranges", "claims", "figure_5", "of_kinds", "seeded"]

#: As in the paper: three categorical axes and a numeric one, the last two categorical.
ORDER = ("credit_history", "credit_amount", "savings", "personal_status")
KS = (3, 6)
COSTS = ("smaller", "seed", "span")
OVER = "over-plotting"
EITHER = "convergence/divergence"

Pair = tuple[str, str]
#: The cluster range for each metric.
Ranges = dict[str, int]


@cache
def seeded(credit: Credit, pair: Pair, k: int, cost: str = "smaller") -> Ranges:
    """Return the cluster range of a pair of axes for each metric that seeds may be chosen by.

    `EITHER` is that of the two that the paper's step 4 takes: convergence where its degree is
    greater, else divergence.
    """
    bins = bins_of(credit.places, pair)
    found = {m: range_of(bins, pair, k, Seeding(m), cost) for m in METRICS}
    return found | {EITHER: found[stepped(credit, pair)]}


def stepped(credit: Credit, pair: Pair) -> str:
    """Return the metric of step 4: whichever of both has the greater degree."""
    bins = bins_of(credit.places, pair)
    # Both are occupied bins over occupied pixels, of the right and of the left axis.
    fewer = len(set(bins.right.tolist())) < len(set(bins.left.tolist()))
    return "convergence" if fewer else "divergence"


def of_kinds(*kinds: str) -> list[Pair]:
    """Return all pairs of columns of these two kinds."""
    return [pair for pair in combinations(COLUMNS, 2) if set(kinds_of(pair)) == set(kinds)]


def figure_5(credit: Credit) -> Plate:
    """Draw clusters of the four axes, and their ranges by the metric of the seeds."""
    pairs = list(pairwise(ORDER))
    ticks = tuple(f"{a} | {b}" for a, b in pairs)
    panels = [panel_of(credit.study.parallel(ORDER, k=KS[0]), f"(a) clusters, k = {KS[0]}")]
    for letter, k in zip("bc", KS, strict=True):
        found = [seeded(credit, pair, k) for pair in pairs]
        series = {m: tuple(float(each[m]) for each in found) for m in (OVER, EITHER)}
        panels.append(columns_panel(f"({letter}) cluster ranges, k = {k}", ticks, series, PIXELS))
    texts, agree = [], 0
    for k in KS:
        ratios = [_ratio(seeded(credit, pair, k)) for pair in pairs]
        agree += sum(
            ratio > 1 if kinds_of(pair) == ("categorical",) * 2 else ratio < 1
            for pair, ratio in zip(pairs, ratios, strict=True)
        )
        texts.append(f"k = {k}: " + ", ".join(f"{ratio:.3f}" for ratio in ratios))
    return Plate(
        5,
        "What seeds are chosen by",
        "seeds by over-plotting give the smaller clusters between two categorical axes, and seeds"
        " by convergence or divergence between a numeric and a categorical one, at k = 3 and 6.",
        "range of convergence/divergence over that of over-plotting, from left to right, "
        + "; ".join(texts)
        + f". Above 1 over-plotting is the better: {agree} of {len(KS) * len(pairs)} are as the"
        " paper has them.",
        "each cluster grows in whichever of two ways gives the smaller clusters, which the paper"
        " does not have; it also says nothing about ties, which are frequent between categorical"
        " axes and decided here by position.",
        tuple(panels),
        across=3,
        size=(4.5, 3.4),
    )


PIXELS = ("", "pixels")


def claims(credit: Credit) -> list[Judged]:
    """Judge what the paper says of seeds."""
    both, mixed = of_kinds("categorical"), of_kinds("continuous", "categorical")
    told = []
    for k in KS:
        of_both = _by_cost(credit, both, k)
        told.append(
            judged(
                "4.1.3, Fig. 5",
                f"Two categorical axes, k = {k}: seeds by over-plotting give the smaller clusters.",
                [found[OVER] < found[EITHER] for found in of_both["smaller"]],
                f"{_wins(of_both, OVER, EITHER)} Range of convergence/divergence over that of"
                f" over-plotting: {_each(both, of_both)}.",
            )
        )
        of_mixed = _by_cost(credit, mixed, k)
        told.append(
            judged(
                "4.1.3, Fig. 5",
                f"A numeric and a categorical axis, k = {k}: seeds by convergence or divergence"
                " give the smaller clusters.",
                [found[EITHER] < found[OVER] for found in of_mixed["smaller"]],
                f"{_wins(of_mixed, EITHER, OVER)} Range of convergence/divergence over that of"
                f" over-plotting: {_each(mixed, of_mixed)}.",
            )
        )
    return [*told, _axis(credit, mixed)]


def _axis(credit: Credit, pairs: Sequence[Pair]) -> Judged:
    """Judge that the wrong one of convergence and divergence makes clusters larger."""
    checks, worst = [], 0.0
    for k in KS:
        for pair in pairs:
            found, right = seeded(credit, pair, k), stepped(credit, pair)
            wrong = "divergence" if right == "convergence" else "convergence"
            checks.append(found[right] < found[wrong])
            worst = max(worst, found[wrong] / found[right])
    return judged(
        "4.1.3",
        "The choice of the axis (convergence or divergence) is critical: a wrong one leads to"
        " larger clusters.",
        checks,
        f"A numeric and a categorical axis: the axis of step 4 gives the smaller clusters for"
        f" {sum(checks)} of {len(checks)} pairs and k; the other one's are at most"
        f" {worst:.2f} times as large.",
    )


def _by_cost(credit: Credit, pairs: Sequence[Pair], k: int) -> Mapping[str, list[Ranges]]:
    return {cost: [seeded(credit, pair, k, cost) for pair in pairs] for cost in COSTS}


def _wins(found: Mapping[str, list[Ranges]], one: str, other: str) -> str:
    """Say for how many pairs one metric is better, equal or worse, by the way clusters grow."""
    parts = []
    for cost, each in found.items():
        better = sum(r[one] < r[other] for r in each)
        worse = sum(r[one] > r[other] for r in each)
        name = "the smaller of both" if cost == "smaller" else f"cost {cost!r}"
        parts.append(f"{name}: {better} better, {len(each) - better - worse} equal, {worse} worse")
    return f"Of {len(found[COSTS[0]])} pairs, " + "; ".join(parts) + "."


def _each(pairs: Sequence[Pair], found: Mapping[str, list[Ranges]]) -> str:
    return ", ".join(
        f"{a} | {b} {_ratio(each):.3f}"
        for (a, b), each in zip(pairs, found["smaller"], strict=True)
    )


def _ratio(found: Ranges) -> float:
    return found[EITHER] / found[OVER]
