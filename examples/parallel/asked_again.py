"""Section 6.4: asking again at other resolutions and in other orders; and guarded counts."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from itertools import combinations, pairwise

import numpy as np

import discreet as dc
from discreet.errors import RefusedError
from discreet.parallel.pixels import MOST_PIXELS, PIXEL_STEP
from examples.parallel.attacks import guarded_widths, narrowed, widths
from examples.parallel.clustered import Gap, gap_of
from examples.parallel.data import CONTINUOUS, Credit, Places, open_study, places_of
from examples.parallel.drawing import Plate, lines_panel, panel_of
from examples.rounding.judged import Judged, judged

__all__ = ["KS", "ORDER", "beside", "claims", "guarded", "left_to", "places_in"]

ORDER = ("checking_status", "duration", "credit_amount", "age", "credit_history")
CHAIN = tuple(pairwise(ORDER))
PAIRS = tuple(combinations(ORDER, 2))
KS = (3, 5, 10)
DRAWN_KS = (2, 3, 4, 5, 6, 8, 10)
K = 5  # of the policy standard
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


def guarded(credit: Credit) -> tuple[float, float, tuple[bool, bool]]:
    """Return the same of guarded counts, the narrowest interval, and what is refused.

    Refused are another order of the axes, and another resolution.
    """
    study = open_study(credit.table, "standard")
    view = study.parallel(ORDER)
    places = places_in(credit, view)
    found = [guarded_widths(view, places, name) for name in CONTINUOUS]
    other = [ORDER[0], ORDER[2], ORDER[1], *ORDER[3:]]
    refused = (
        _is_refused(lambda: study.parallel(other)),
        _is_refused(lambda: study.parallel(ORDER, pixels=view.pixels - PIXEL_STEP)),
    )
    return narrowed(found), float(np.min(found)), refused


def beside(credit: Credit) -> Plate:
    """Draw what clusters leave to a record, by how often was asked; and guarded counts."""
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
    share, least, _ = guarded(credit)
    view = open_study(credit.table, "standard").parallel(ORDER)
    return Plate(
        0,
        "Beside the paper: what a record's clusters tell (section 6), and guarded counts",
        "says that little is gained by asking for other resolutions, and that clusters rounded to"
        " pixels make exact values hard to guess. It has no figure of it.",
        "right, of how many records and numeric axes 1 % of the axis or less remains, to somebody"
        " who knows which clusters the record is in: most, already by one order of axes. Left,"
        f" the same columns counted under the policy standard, k = {K}: clusters of whole cells of"
        f" at least {K} persons each. There it is {_percent(share)}; the narrowest interval is"
        f" {100 * least:.1f} % of an axis, and neither another order nor another resolution is"
        " answered.",
        "the left picture is what the package draws unless it is told that data are public. It is"
        " coarser than the paper's, and shows no single record far from the others.",
        (
            panel_of(view, f"counts under the policy standard, k = {K}"),
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
    """Judge what the paper says of asking again, and say what guarded counts leave."""
    return [*_of_resolutions(credit), _of_more_pixels(credit), _of_default(credit)]


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


def _of_default(credit: Credit) -> Judged:
    asked = ((CHAIN, ONE), (PAIRS, ONE), (CHAIN, ALL))
    one, pairs, every = (_percent(left_to(credit, of, K, heights)) for of, heights in asked)
    share, least, refused = guarded(credit)
    return judged(
        "beside the paper: guarded counts",
        f"By counts under the policy standard (k = {K}) nobody is narrowed to 1 % of an axis, and"
        " nobody can ask again.",
        [share == 0, *refused],
        f"Narrowed to 1 % or less: {_percent(share)}, even if a record were known to be in all"
        f" boxes over its place; the narrowest interval is {100 * least:.1f} % of its axis. With"
        f" the paper's clusters and the same k: {one} by one order, {pairs} by all {len(PAIRS)}"
        f" pairs that reordering shows, {every} by one order at all resolutions. Another order and"
        " another resolution are " + ("refused." if all(refused) else "answered."),
    )


def places_in(credit: Credit, view: dc.ParallelView) -> Places:
    """Return the pixel of each record on the axes of a view, whose ends are the policy's."""
    places: Places = {}
    for axis in view.axes:
        values = credit.table[axis.name]
        if axis.low is None or axis.high is None:
            band = {level: low for level, (low, _) in zip(axis.levels, axis.bands, strict=True)}
            places[axis.name] = values.astype(str).map(band).to_numpy(dtype=np.int64)
            continue
        share = (values.to_numpy(dtype=float) - axis.low) / (axis.high - axis.low)
        pixels = np.floor(share * view.pixels).astype(np.int64)
        places[axis.name] = np.clip(pixels, 0, view.pixels - 1)
    return places


def _is_refused(ask: Callable[[], dc.View]) -> bool:
    try:
        ask()
    except RefusedError:
        return True
    return False


def _mean_range(credit: Credit, height: int) -> float:
    ranges = [clusters(credit, pair, K, height).ranges.mean() for pair in CHAIN]
    return float(np.mean(ranges)) / height


def _percent(share: float) -> str:
    return f"{100 * share:.0f} %"
