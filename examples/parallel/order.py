"""Figures 11 and 12: what may stand beside a sensitive axis."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from itertools import combinations

import numpy as np

from discreet.errors import RefusedError
from discreet.parallel.pixels import Information, Whole, information, pair_bins, pair_metrics
from examples.parallel.attacks import at_edge
from examples.parallel.clustered import gap_of
from examples.parallel.data import COLUMNS, CONTINUOUS, HEIGHT, Credit, kinds_of
from examples.parallel.drawing import Plate, columns_panel, panel_of
from examples.rounding.judged import Judged, judged

__all__ = ["AVOIDED", "SECRET", "Told", "claims", "figure_11", "figure_12", "refusal", "told"]

SECRET = "credit_history"
BESIDE = "credit_amount"
FIRST = ("duration", "age", "credit_amount", SECRET)
AVOIDED = ("duration", "credit_amount", "checking_status", "savings", SECRET)
CELL = 10  # pixels
SHUFFLES = 100
K = 3
TENTH = 0.1  # of the entropy: what "high" is


@dataclass(frozen=True)
class Told:
    """What a column tells of the sensitive one, in bits.

    `pixels` is as counted on single pixels, `chance` the same after the rows of one were shuffled
    (mean of some shuffles); `cells` and `cells_chance` are both on cells of 10 pixels, corrected,
    and `beaten` is the share of shuffles that tell as much; `entropy` is all that could be told;
    `values` how many different values the column has.
    """

    pixels: float
    chance: float
    cells: Information
    cells_chance: float
    beaten: float
    entropy: float
    values: int


@cache
def told(credit: Credit, column: str) -> Told:
    """Measure what a column tells of the sensitive one."""
    own, secret = credit.places[column], credit.places[SECRET]
    exact = pair_metrics(pair_bins(own, secret, (HEIGHT, HEIGHT)))
    coarse = _on_cells(own, secret)
    rng = np.random.default_rng(0)
    by_pixel, by_cell = [], []
    for _ in range(SHUFFLES):
        moved = rng.permutation(own)
        bins = pair_bins(moved, secret, (HEIGHT, HEIGHT))
        by_pixel.append(pair_metrics(bins).mutual_information)
        by_cell.append(_on_cells(moved, secret).bits)
    return Told(
        pixels=exact.mutual_information,
        chance=float(np.mean(by_pixel)),
        cells=coarse,
        cells_chance=float(np.mean(by_cell)),
        beaten=float(np.mean(np.array(by_cell) >= coarse.bits)),
        entropy=exact.right_entropy,
        values=int(credit.table[column].nunique()),
    )


def _on_cells(own: Whole, secret: Whole) -> Information:
    return information(pair_bins(own // CELL, secret, (HEIGHT // CELL, HEIGHT)))


def refusal(credit: Credit) -> tuple[str, tuple[str, ...]]:
    """Return why the avoided order is refused, and the nearest allowed one, as it is told."""
    try:
        credit.study.parallel(AVOIDED, k=K, sensitive=SECRET)
    except RefusedError as error:
        why, _, nearest = str(error).partition("; the nearest allowed order is ")
        return why, tuple(re.findall(r"'([^']+)'", nearest))
    return "", AVOIDED


def figure_11(credit: Credit) -> Plate:
    """Draw the pair, and what each numeric column tells of the sensitive one."""
    found = {name: told(credit, name) for name in CONTINUOUS}
    series = {
        "as counted, on single pixels": tuple(each.pixels for each in found.values()),
        "the same, rows shuffled": tuple(each.chance for each in found.values()),
        "corrected, on cells of 10 pixels": tuple(each.cells.bits for each in found.values()),
        "the same corrected, shuffled": tuple(each.cells_chance for each in found.values()),
    }
    own = found[BESIDE]
    return Plate(
        11,
        f"What {BESIDE} tells of {SECRET}",
        "high mutual information between the two may give away too much: guesses are narrowed"
        " down.",
        f"as counted on the pixels there are {own.pixels:.2f} bits, of {own.entropy:.2f} that"
        f" {SECRET} has. But {own.values} different amounts of {len(credit.table)} tell as much of"
        f" anything: with the rows of one column shuffled there are {own.chance:.2f} bits. On cells"
        f" of {CELL} pixels, corrected for chance as Miller and Madow do, {own.cells.bits:.2f} are"
        f" left (standard error {own.cells.error:.2f}), and {own.cells_chance:.2f} when shuffled:"
        f" {100 * own.beaten:.0f} % of {SHUFFLES} shuffles tell as much or more. "
        + "; ".join(
            f"{n}: {t.cells.bits:.2f}, shuffled {t.cells_chance:.2f}"
            for n, t in found.items()
            if n != BESIDE
        )
        + ".",
        "the paper gives no numbers and corrects nothing. What it sees is the number of different"
        " values, which is no secret of anybody; it would call any column of many values telling.",
        (
            panel_of(credit.study.parallel(FIRST, k=K), f"clusters, k = {K}"),
            columns_panel(f"mutual information with {SECRET}", CONTINUOUS, series, ("", "bits")),
        ),
        size=(5.0, 3.4),
    )


def figure_12(credit: Credit) -> Plate:
    """Draw the avoided order, which a sensitive axis does not allow, and the nearest allowed."""
    why, nearest = refusal(credit)
    study = credit.study
    return Plate(
        12,
        "A configuration that is avoided",
        "two categorical axes side by side, and one of them beside the sensitive axis: clusters"
        " with splits at the edges, which may disclose.",
        f"(a) is drawn only because nothing was declared sensitive; with {SECRET} sensitive it is"
        f" refused: “{why}”. (b) is the nearest allowed order, which the refusal names.",
        "an order is refused only for what stands beside a sensitive axis. Two other categorical"
        " axes may be neighbours; that they alternate with numeric ones is a preference of"
        " axis_order.",
        (
            panel_of(study.parallel(AVOIDED, k=K), "(a) avoided"),
            panel_of(
                study.parallel(nearest, k=K, sensitive=SECRET), "(b) nearest allowed, l-diverse"
            ),
        ),
        size=(5.6, 3.6),
    )


def claims(credit: Credit) -> list[Judged]:
    """Judge what the paper says of the order of axes."""
    why, nearest = refusal(credit)
    return [
        _of_information(credit),
        judged(
            "6.3, Fig. 12",
            "The avoided order is refused where an axis is sensitive, and an allowed one is named.",
            [bool(why), nearest != AVOIDED],
            f"Refused: {why}. Named: {', '.join(nearest)}.",
        ),
        *_of_categorical(credit),
    ]


def _of_information(credit: Credit) -> Judged:
    found = {name: told(credit, name) for name in CONTINUOUS}
    own = found[BESIDE]
    return judged(
        "6.3, Fig. 11",
        f"Mutual information of {BESIDE} and {SECRET} is high (a tenth of what there is to be told,"
        " or more), as counted and corrected for chance.",
        [
            own.pixels >= TENTH * own.entropy,
            own.cells.bits - own.cells_chance >= TENTH * own.entropy,
        ],
        "; ".join(
            f"{name}: {each.pixels:.3f} bits as counted, {each.chance:.3f} shuffled,"
            f" {each.cells.bits:.3f} ± {each.cells.error:.3f} corrected on cells,"
            f" {each.cells_chance:.3f} so when shuffled ({100 * each.beaten:.0f} % of shuffles tell"
            " as much)"
            for name, each in found.items()
        )
        + f". Entropy of {SECRET}: {own.entropy:.2f} bits. Of what is counted,"
        f" {100 * own.chance / own.pixels:.0f} % is there without any relation: there are"
        f" {own.values} different amounts among {len(credit.table)}.",
    )


def _of_categorical(credit: Credit) -> list[Judged]:
    kinds = ("mean", "most", "edge", "points")
    mean, most, edge, points = (_by_kinds(credit, what) for what in kinds)
    return [
        judged(
            "6.3, Fig. 12",
            "Cluster ranges can be very high between two categorical axes (higher than elsewhere).",
            [
                of["two categorical"] > of[other]
                for of in (mean, most)
                for other in ("mixed", "two numeric")
            ],
            f"Mean range of a cluster in pixels, k = {K}: "
            + ", ".join(f"{name} {value:.1f}" for name, value in mean.items())
            + ". The widest cluster: "
            + ", ".join(f"{name} {value:.0f}" for name, value in most.items())
            + ". Clusters without any extent (range 2): "
            + ", ".join(f"{name} {100 * value:.0f} %" for name, value in points.items())
            + ".",
        ),
        judged(
            "6.3",
            "Most values of a cluster lie on its edge on a categorical axis, and fewer do on a"
            " numeric one.",
            [edge["categorical axis"] > 0.5, edge["numeric axis"] < edge["categorical axis"]],
            "Records that lie on an edge of their own cluster in pairs of a numeric and a"
            " categorical axis: "
            + ", ".join(f"{name} {100 * value:.0f} %" for name, value in edge.items())
            + f" (k = {K}).",
        ),
    ]


@cache
def _by_kinds(credit: Credit, what: str) -> dict[str, float]:
    """Return the mean or largest range of clusters, those of no extent, or records at edges."""
    names = {"categoricalcategorical": "two categorical", "continuouscontinuous": "two numeric"}
    found: dict[str, list[float]] = {}
    for pair in combinations(COLUMNS, 2):
        name = names.get("".join(kinds_of(pair)), "mixed")
        gap = gap_of(credit.places, pair, K)
        if what == "edge":
            if name == "mixed":
                for column in pair:
                    side = "numeric axis" if column in CONTINUOUS else "categorical axis"
                    found.setdefault(side, []).append(at_edge(gap, credit.places, column))
            continue
        of = {"mean": gap.ranges.mean(), "most": gap.ranges.max(), "points": gap.ranges == 2}
        found.setdefault(name, []).append(float(np.mean(of[what])))
    if what == "most":
        return {name: max(values) for name, values in found.items()}
    return {name: float(np.mean(values)) for name, values in found.items()}
