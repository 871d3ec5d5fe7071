"""Section 6.4: asking again at other resolutions and in other orders."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from itertools import combinations, pairwise

import numpy as np

from discreet.parallel.pixels import MOST_PIXELS, PIXEL_STEP
from examples.parallel.attacks import narrowed, widths
from examples.parallel.clustered import Gap, gap_of
from examples.parallel.data import CONTINUOUS, Credit, places_of
from examples.parallel.drawing import Plate, lines_panel
from examples.rounding.judged import Judged, judged

__all__ = ["KS", "ORDER", "beside", "claims", "left_to"]

ORDER = ("checking_status", "duration", "credit_amount", "age", "credit_history")
CHAIN = tuple(pairwise(ORDER))
PAIRS = tuple(combinations(ORDER, 2))
KS = (3, 5, 10)
DRAWN_KS = (2, 3, 4, 5, 6, 8, 10)
K = 5
ONE = (MOST_PIXELS,)
THREE = tuple(MOST_PIXELS - step * PIXEL_STEP for step in range(3))
SINGLE_STEPS = tuple(MOST_PIXELS - step for step in range(3))
ALL = tuple(range(PIXEL_STEP, MOST_PIXELS + 1, PIXEL_STEP))
LARGE = (MOST_PIXELS, 1000, 2000)
FINE = ("credit_amount",)  # the one column of many values
SMALL_GAIN = 0.05
ALIKE = 0.1  # of a range

Pair = tuple[str, str]


@cache
def clusters(credit: Credit, pair: Pair, k: int, height: int) -> Gap:
    """Return the clusters of a pair of axes at a resolution."""
    places = places_of(credit.table[list(ORDER)], height)
    return gap_of(places, pair, k, height)


def left_to(
    credit: Credit,
    pairs: Sequence[Pair],
    k: int,
    heights: Sequence[int],
    columns: Sequence[str] = CONTINUOUS,
) -> float:
    """Return the share of records and numeric axes of which 1 % of the axis or less is left."""
    gaps = [clusters(credit, pair, k, height) for height in heights for pair in pairs]
    return narrowed([widths(gaps, name) for name in columns])


def beside(credit: Credit) -> Plate:
    """Draw what clusters leave to a record, by how often was asked."""
    asked = {
        "one order, 500 pixels": (CHAIN, ONE),
        "500, 450 and 400 pixels": (CHAIN, THREE),
        f"all {len(ALL)} multiples of 50": (CHAIN, ALL),
        f"all {len(PAIRS)} pairs, 500 pixels": (PAIRS, ONE),
    }
    series = {
        name: tuple(left_to(credit, pairs, k, heights) for k in DRAWN_KS)
        for name, (pairs, heights) in asked.items()
    }
    return Plate(
        0,
        "Beside the paper: what a record's clusters tell (section 6)",
        "says that little is gained by asking for other resolutions, and that clusters rounded to"
        " pixels make exact values hard to guess. It has no figure of it.",
        "of how many records and numeric axes 1 % of the axis or less remains, to somebody who"
        " knows which clusters the record is in: most, already by one order of axes.",
        "a guarded study draws clusters of the rows of its copy, which are nobody's.",
        (
            lines_panel(
                "the paper's clusters: narrowed to 1 % of an axis",
                tuple(map(float, DRAWN_KS)),
                series,
                ("k", "share of records and axes"),
                1.05,
            ),
        ),
        size=(5.6, 3.8),
    )


def claims(credit: Credit) -> list[Judged]:
    """Judge what the paper says of asking again."""
    return [*_of_resolutions(credit), _of_more_pixels(credit)]


def _of_resolutions(credit: Credit) -> list[Judged]:
    one, three, single, every = (
        {k: left_to(credit, CHAIN, k, heights) for k in KS}
        for heights in (ONE, THREE, SINGLE_STEPS, ALL)
    )
    amounts = [left_to(credit, CHAIN, K, heights, FINE) for heights in (ONE, THREE, ALL)]
    return [
        judged(
            "6.4, forced reclustering",
            "Asking for other resolutions gains little (5 points or fewer of records narrowed to 1"
            " % of an axis).",
            [every[k] - one[k] <= SMALL_GAIN for k in KS],
            "Records and numeric axes narrowed so far by their own clusters: "
            + "; ".join(
                f"k = {k}: {_percent(one[k])} at 500 pixels, {_percent(three[k])} at 500, 450 and"
                f" 400, {_percent(every[k])} at all {len(ALL)} multiples of 50"
                for k in KS
            )
            + f". {FINE[0]} alone, k = {K}: {', '.join(map(_percent, amounts))}. Order:"
            f" {', '.join(ORDER)}.",
        ),
        judged(
            "6.4, step size limits",
            "Steps of 50 pixels keep an attacker from gaining by rounding (at most half of what"
            " steps of 1 give).",
            [three[k] - one[k] <= (single[k] - one[k]) / 2 for k in KS],
            "Gain of three resolutions over one: "
            + "; ".join(
                f"k = {k}: {100 * (three[k] - one[k]):.0f} points in steps of 50,"
                f" {100 * (single[k] - one[k]):.0f} in steps of 1"
                for k in KS
            )
            + ".",
        ),
    ]


def _of_more_pixels(credit: Credit) -> Judged:
    sizes = {height: _mean_range(credit, height) for height in LARGE}
    return judged(
        "6.4, resolution limits",
        "With more pixels the clusters do not change significantly (mean range in per cent of an"
        " axis, within a tenth).",
        [abs(value / sizes[LARGE[0]] - 1) <= ALIKE for value in sizes.values()],
        ", ".join(f"{height} pixels: {100 * value:.2f} %" for height, value in sizes.items())
        + f" (k = {K}).",
    )


def _mean_range(credit: Credit, height: int) -> float:
    ranges = [clusters(credit, pair, K, height).ranges.mean() for pair in CHAIN]
    return float(np.mean(ranges)) / height


def _percent(share: float) -> str:
    return f"{100 * share:.0f} %"
