"""Figures 1, 2 and 10: clusters of pairs of axes beside other ways to hide records."""

from __future__ import annotations

from functools import cache
from itertools import pairwise

import numpy as np

from discreet.parallel.pixels import Whole
from discreet.render.scene import Axis, Cells, Panel, Uprights
from examples.parallel import blur
from examples.parallel.clustered import Gap, chain, joint_chain
from examples.parallel.data import HEIGHT, Credit, Places
from examples.parallel.drawing import Plate, columns_panel, panel_of
from examples.rounding.judged import Judged, judged

__all__ = ["KS", "ORDER", "claims", "figure_1", "figure_2", "figure_10", "ranges"]

ORDER = ("checking_status", "duration", "credit_amount", "age", "credit_history")
SHOWN = ("duration", "credit_amount", "age", "credit_history")
KS = (2, 3, 4, 5, 6, 8, 10)
K = 3
RADIUS = 10  # pixels that are smeared
MUCH = 0.5  # "much smaller" is at most half


def ranges(gaps: list[Gap]) -> Whole:
    """Return the cluster range of each gap, in pixels."""
    return np.array([int(gap.ranges.sum()) for gap in gaps])


@cache
def both_ways(credit: Credit) -> dict[int, tuple[Whole, Whole]]:
    """Return for each k the ranges of pairs of axes, clustered pair by pair and all at once."""
    places = credit.places
    return {k: (ranges(chain(places, ORDER, k)), ranges(joint_chain(places, ORDER, k))) for k in KS}


def alone(places: Places) -> list[float]:
    """Return for each gap the share of lines that have fewer than K near them when blurred."""
    return [float(np.mean(blur.near(places[a], places[b], RADIUS) < K)) for a, b in pairwise(SHOWN)]


def figure_1(credit: Credit) -> Plate:
    """Draw the approaches side by side."""
    study, places = credit.study, credit.places
    raw = study.parallel(SHOWN, method="none")
    grid = np.concatenate(
        [blur.blurred(places[a], places[b], HEIGHT, RADIUS) for a, b in pairwise(SHOWN)]
    )
    cells = Cells(
        tuple(np.linspace(0, len(SHOWN) - 1, len(grid) + 1).tolist()),
        tuple(np.linspace(0, 1, blur.UP + 1).tolist()),
        tuple(tuple(value**0.5 or None for value in row) for row in grid.tolist()),
        "",
    )
    uprights = Uprights(tuple(axis.upright(raw.pixels) for axis in raw.axes))
    shares = ", ".join(f"{100 * share:.0f} %" for share in alone(places))
    return Plate(
        1,
        "Three ways to hide records, and what they are to hide",
        "sketches of a binned and blurred picture, of clustered data and of visual clusters; only"
        " the latter two guarantee anything.",
        "the raw lines of 1000 account holders; the same, each line smeared over"
        f" {RADIUS} pixels on either side (dark is many lines, by their root); k-member"
        " clusters over all four columns; and the paper's clusters, made pair by pair"
        f" (k = {K} both times). In the blurred picture"
        f" {shares} of the lines of the three gaps have fewer than {K} lines, their own among"
        f" them, within {RADIUS} pixels at both ends: they are seen singly.",
        "the paper's panels are sketches, these are data.",
        (
            panel_of(raw, "raw: a line for each record"),
            Panel((uprights, cells), Axis(""), Axis(""), "binned and blurred"),
            panel_of(
                study.parallel(SHOWN, k=K, method="k-member-joint"),
                f"data clustering: over all columns at once, k = {K}",
            ),
            panel_of(study.parallel(SHOWN, k=K), f"visual clustering: pair by pair, k = {K}"),
        ),
    )


def figure_2(credit: Credit) -> Plate:
    """Draw clusters over all axes beside clusters of pairs."""
    pairs, joint = both_ways(credit)[K]
    return Plate(
        2,
        f"Data clustering and visual clustering, k = {K}",
        "data clustering covers most of each axis and hides all structure; clusters of pairs keep"
        " it.",
        f"the same five columns. The clusters over all columns take {int(joint.sum())} pixels,"
        f" those of pairs {int(pairs.sum())}: {joint.sum() / pairs.sum():.1f} times as many. Yet"
        " the joint picture is not useless: low amounts and durations still stand out.",
        "the paper does not say which columns it drew, nor how its data clustering recoded them;"
        " here both ways measure distance in pixels, which favours the joint one.",
        (
            panel_of(
                credit.study.parallel(ORDER, k=K, method="k-member-joint"), "(a) over all columns"
            ),
            panel_of(credit.study.parallel(ORDER, k=K), "(b) pair by pair"),
        ),
        size=(5.6, 3.8),
    )


def figure_10(credit: Credit) -> Plate:
    """Draw the cluster ranges of both ways, by k and by pair."""
    found = both_ways(credit)
    names = "axis-pairwise", "multi-dimensional"
    by_k = {name: tuple(float(found[k][way].sum()) for k in KS) for way, name in enumerate(names)}
    by_pair = {
        name: tuple(float(value) for value in found[K][way]) for way, name in enumerate(names)
    }
    pairs = tuple(f"{a} | {b}" for a, b in pairwise(ORDER))
    factors = [found[k][1].sum() / found[k][0].sum() for k in KS]
    return Plate(
        10,
        "Cluster ranges of both ways of clustering",
        "multi-dimensional clusters (red) have far larger ranges than axis-pairwise ones (blue).",
        f"the same, for every k: {min(factors):.1f} to {max(factors):.1f} times as large over"
        f" {len(ORDER) - 1} pairs of axes (sums over all clusters, in pixels). The range"
        " hardly rises with k: there are fewer clusters, each of them larger.",
        "the paper gives neither columns nor numbers; its bars cannot be compared to ours one by"
        " one.",
        (
            columns_panel("by k, all pairs together", tuple(map(str, KS)), by_k, ("k", "pixels")),
            columns_panel(f"by pair of axes, k = {K}", pairs, by_pair, ("", "pixels")),
        ),
        size=(5.6, 3.4),
    )


def claims(credit: Credit) -> list[Judged]:
    """Judge what the paper says of ranges, and of blurring."""
    found = both_ways(credit)
    shares = alone(credit.places)
    return [
        judged(
            "3.2, Fig. 1",
            "A blurred picture guarantees no least number of records for a visible point.",
            [share > 0 for share in shares],
            f"Smeared by {RADIUS} pixels, {_percents(shares)} of the lines between"
            f" {', '.join(SHOWN)} have fewer than {K} lines near them at both ends.",
        ),
        judged(
            "5.1, Figs. 2, 10",
            "Clusters of pairs have a much smaller range than multi-dimensional ones (half, or"
            " less).",
            [bool(pairs.sum() <= MUCH * joint.sum()) for pairs, joint in found.values()],
            "Range of pairs over that of joint clusters, "
            + ", ".join(
                f"k = {k}: {pairs.sum() / joint.sum():.2f}" for k, (pairs, joint) in found.items()
            )
            + f"; {', '.join(ORDER)}.",
        ),
        judged(
            "5.1, Fig. 10",
            "And so has each pair of axes by itself (smaller at all).",
            [
                bool(p < j)
                for pairs, joint in found.values()
                for p, j in zip(pairs, joint, strict=True)
            ],
            "The same by pair, k = 3: "
            + ", ".join(
                f"{a} | {b} {p / j:.2f}"
                for (a, b), p, j in zip(pairwise(ORDER), *found[K], strict=True)
            )
            + ".",
        ),
    ]


def _percents(shares: list[float]) -> str:
    return ", ".join(f"{100 * share:.0f} %" for share in shares)
