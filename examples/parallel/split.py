"""Figures 7 and 8: which clusters light up together, and how diverse they are made."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from itertools import pairwise, permutations

import numpy as np

import discreet as dc
from discreet.parallel.diversity import diverse_joins, splits
from examples.parallel.attacks import at_edge, lit_by, single_joins, unique_paths, widths
from examples.parallel.clustered import Gap, chain, gap_of
from examples.parallel.data import COLUMNS, CONTINUOUS, Credit, kind_of
from examples.parallel.drawing import Plate, panel_of
from examples.rounding.judged import Judged, judged

__all__ = ["BAD", "KS", "ORDER", "Treated", "claims", "figure_7", "figure_8", "treated"]

ORDER = ("duration", "credit_amount", "age", "credit_history")
SECRET, BAD = "credit_history", 4
KS = tuple(range(2, 11))
K, L = 3, 3
GAP = 1  # what is selected lies between amount and age

Box = tuple[int, int, int, int]


@dataclass(frozen=True)
class Treated:
    """What adaptive l-diversity does to clusters beside the sensitive gap.

    `values` are how many values each treated cluster lights, `own` how many without it;
    `narrowest` is the share of the completed ones of whose lit clusters the narrowest shares a
    record with them, and `alike` what that share would be if one of the lit were drawn; `odds`
    are how likely a record is to have the sensitive value: in a treated cluster, in another, at
    all.
    """

    values: tuple[int, ...]
    own: tuple[int, ...]
    narrowest: float
    alike: float
    odds: tuple[float, float, float]


@cache
def gaps_of(credit: Credit, k: int) -> list[Gap]:
    """Return the clusters of the order of axes."""
    return chain(credit.places, ORDER, k)


def treated(credit: Credit, k: int, least: int) -> Treated:
    """Apply l-diversity to the clusters that hold somebody with the sensitive value."""
    before, after = gaps_of(credit, k)[-2:]
    values = credit.places[SECRET]
    bad = (credit.table[SECRET] == BAD).to_numpy()
    joins = diverse_joins(
        before.labels,
        after.labels,
        values,
        before.boxes,
        after.boxes,
        diversity=least,
        named=[int(values[bad][0])],
    )
    held = [set(values[after.labels == number].tolist()) for number in range(len(after.boxes))]
    with_it = np.bincount(before.labels, weights=bad) > 0
    found = splits(before.labels, after.labels)
    reached, own, hits, chances = [], [], [], []
    for number in np.flatnonzero(with_it).tolist():
        lit = [b for a, b in joins if a == number]
        runs = found.right[found.left == number].tolist()
        reached.append(len(set().union(*(held[b] for b in lit))))
        own.append(len(set().union(*(held[b] for b in runs))))
        if len(lit) > len(runs):
            hits.append(min(lit, key=lambda b: (after.ranges[b], b)) in runs)
            chances.append(len(runs) / len(lit))
    return Treated(
        values=tuple(reached),
        own=tuple(own),
        narrowest=float(np.mean(hits)),
        alike=float(np.mean(chances)),
        odds=(
            float(bad[with_it[before.labels]].mean()),
            float(bad[~with_it[before.labels]].mean()),
            float(bad.mean()),
        ),
    )


def figure_7(credit: Credit) -> Plate:
    """Draw splits, and the clusters that are added where there are none."""
    study = credit.study
    plain = study.parallel(ORDER, k=K)
    diverse = study.parallel(ORDER, k=K, sensitive=SECRET, diversity=2)
    split = max(_boxes(plain, GAP), key=lambda box: (len(_next(plain, GAP, box)), box))
    place = plain.clusters[GAP].index(split)
    size = 0 if plain.sizes is None else plain.sizes[GAP][place]
    beyond = sum(left == place for left, _ in plain.joins[GAP])
    whole = next(
        box
        for box in _boxes(plain, GAP)
        if len(_next(plain, GAP, box)) == 1 and len(_next(diverse, GAP, box)) > 1
    )
    panels = [
        panel_of(_selected(plain, GAP, split), f"(a) a cluster that splits, k = {K}"),
        panel_of(_selected(diverse, GAP, whole), "(a) one that does not: an overlap is lit, l = 2"),
    ]
    for k in (2, 6):
        view = study.parallel(ORDER, k=k)
        edge = max(_boxes(view, 0), key=lambda box: (box[1], -box[0]))
        panels.append(panel_of(_selected(view, 0, edge), f"(b) the longest loan, k = {k}"))
    shares = {k: _edges(credit, k) for k in (2, 6)}
    return Plate(
        7,
        "Splits and overlaps of clusters",
        "(a) the records of a cluster run into several clusters of the next gap; where they all run"
        " into one, a cluster that overlaps on the shared axis is lit too. (b) at k = 2 an edge is"
        " one record's value; with larger k it becomes harder to guess.",
        "(a) the same on the data: clusters that are lit on both sides of the selected one share"
        f" records with it. The first has {size} records, which run into {beyond} clusters on its"
        " right. (b) the"
        " cluster that holds the longest loan: its upper edge is that record's value, whatever k"
        f" is. Of all records and numeric axes, {100 * shares[2]:.0f} % lie on an edge of their own"
        f" cluster at k = 2, {100 * shares[6]:.0f} % at k = 6.",
        "the paper's (a) is a sketch with three records; these are clusters of the data.",
        tuple(panels),
        size=(4.8, 3.3),
    )


def figure_8(credit: Credit) -> Plate:
    """Draw a cluster that is not treated, and one before and after it is."""
    study = credit.study
    plain = study.parallel(ORDER, k=K)
    diverse = study.parallel(ORDER, k=K, sensitive={SECRET: [str(BAD)]}, diversity=L)
    before = gaps_of(credit, K)[GAP]
    bad = (credit.table[SECRET] == BAD).to_numpy()
    held = {
        (*box,): bool(bad[before.labels == number].any())
        for number, box in enumerate(before.boxes.tolist())
    }
    boxes = list(_boxes(plain, GAP))
    other = next(b for b in boxes if not held[b] and len(_next(plain, GAP, b)) == 2)
    with_it = next(
        b
        for b in boxes
        if held[b] and len(_next(plain, GAP, b)) == 1 and len(_next(diverse, GAP, b)) == L
    )
    found = treated(credit, K, L)
    changed = sum(own < L <= now for own, now in zip(found.own, found.values, strict=True))
    dark = sum(now == 0 for now in found.values)
    return Plate(
        8,
        f"Adaptive l-diversity: credit_history {BAD} is sensitive, l = {L}",
        "(a) a cluster without a sensitive value lights what its records run into; (b) one that"
        " holds the value 4 lights clusters of three values of credit_history.",
        "(a) as in the paper. (b) one cluster without l-diversity, and (c) with it: clusters that"
        f" overlap on the axis of age are added. Of {len(found.values)} clusters that hold a"
        f" {BAD} (k = {K}), {changed} are completed so, {dark} could not be and light nothing, and"
        " the others reach enough values by themselves. What is added is wider than what was lit:"
        f" in {100 * found.narrowest:.0f} % of those completed the narrowest cluster that is lit is"
        " one that shares a record. Whoever sees that a cluster is treated"
        f" knows that somebody in it has a {BAD}, and whoever sees that it is not, that nobody"
        " has.",
        "the paper's caption and its panel (a) disagree on which value is not sensitive (3, or 0);"
        " in either case it is not 4.",
        (
            panel_of(_selected(diverse, GAP, other), f"(a) no {BAD} in it: not treated"),
            panel_of(_selected(plain, GAP, with_it), f"(b) a {BAD} in it, l-diversity off"),
            panel_of(_selected(diverse, GAP, with_it), f"(c) the same, l = {L}"),
        ),
        across=3,
        size=(4.6, 3.4),
    )


def claims(credit: Credit) -> list[Judged]:
    """Judge what the paper says of splits and of l-diversity."""
    return [*_of_splits(credit), *_of_diversity(treated(credit, K, L))]


def _of_splits(credit: Credit) -> list[Judged]:
    lit = {k: float(np.mean([lit_by(a, b) for a, b in _neighbours(credit, k)])) for k in KS}
    edges = {k: _edges(credit, k) for k in KS}
    by_kind = {k: _by_kind(credit, k) for k in (3, 6)}
    single = {k: single_joins(gaps_of(credit, k)) for k in (3, 5, 10)}
    alone = {k: unique_paths(gaps_of(credit, k)) for k in (3, 5, 10)}
    one, both = _left(credit, K)
    return [
        judged(
            "6.2",
            "Larger k leads to more splits.",
            [lit[a] < lit[b] for a, b in pairwise(KS)],
            "Clusters of the next gap that a cluster runs into, on average: "
            + ", ".join(f"k = {k}: {value:.2f}" for k, value in lit.items())
            + ".",
        ),
        judged(
            "5.2",
            "Splits are especially pronounced at numeric axes.",
            [numeric > levels for numeric, levels in by_kind.values()],
            "Clusters lit beyond a numeric axis, and beyond a categorical one: "
            + "; ".join(f"k = {k}: {a:.2f}, {b:.2f}" for k, (a, b) in by_kind.items())
            + " (means over all three columns in a row).",
        ),
        judged(
            "4.2.1, 5.2",
            "Splits add to the uncertainty about the value of a record.",
            [both >= one],
            f"Median share of an inner axis that is left to a record, k = {K}:"
            f" {100 * one:.2f} % by its cluster on one side, {100 * both:.2f} % by both. Pairs lit"
            " together that share one record alone: "
            + ", ".join(f"{100 * share:.0f} % (k = {k})" for k, share in single.items())
            + "; records whose path of clusters is theirs alone: "
            + ", ".join(f"{100 * share:.1f} % (k = {k})" for k, share in alone.items())
            + ".",
        ),
        judged(
            "6.2",
            "The larger the clusters, the harder it is to guess precise values at their edges.",
            [edges[a] > edges[b] for a, b in pairwise(KS)],
            "Records and numeric axes where the record lies on an edge of its own cluster: "
            + ", ".join(f"k = {k}: {100 * value:.0f} %" for k, value in edges.items())
            + ".",
        ),
    ]


def _of_diversity(found: Treated) -> list[Judged]:
    odds = found.odds
    return [
        judged(
            "4.2.3, Fig. 8",
            f"With l = {L} a selected cluster with a sensitive value shows {L} values of"
            " credit_history, or nothing.",
            [value == 0 or value >= L for value in found.values],
            f"k = {K}: of {len(found.values)} such clusters"
            f" {sum(own < L for own in found.own)} show fewer without l-diversity; with it"
            f" {sum(v == 0 for v in found.values)} show nothing and the fewest values shown by the"
            f" others are {min(v for v in found.values if v)}.",
        ),
        judged(
            "4.2.3, Fig. 8b",
            "Completed so, the values of a selected cluster cannot be told apart.",
            [found.narrowest <= 1.1 * found.alike],
            f"k = {K}: of the clusters that are lit in the end the narrowest shares a record with"
            f" the selected one in {100 * found.narrowest:.0f} % of the completed; of one that is"
            f" drawn, {100 * found.alike:.0f} % would.",
        ),
        judged(
            "4.2.3",
            "It is enough to treat the clusters that hold a sensitive value.",
            [odds[0] <= odds[2] * 1.1, odds[1] > 0],
            f"k = {K}: a record has the value {BAD} with {100 * odds[2]:.0f} % at large, with"
            f" {100 * odds[0]:.0f} % in a treated cluster and {100 * odds[1]:.0f} % in the others:"
            " who sees which clusters are treated knows who does not have it.",
        ),
    ]


def _neighbours(credit: Credit, k: int) -> list[tuple[Gap, Gap]]:
    return list(pairwise(gaps_of(credit, k)))


def _edges(credit: Credit, k: int) -> float:
    """Return the share of records at an edge of their cluster, over numeric axes and gaps."""
    return float(
        np.mean(
            [
                at_edge(gap, credit.places, name)
                for gap in gaps_of(credit, k)
                for name in gap.pair
                if name in CONTINUOUS
            ]
        )
    )


def _left(credit: Credit, k: int) -> tuple[float, float]:
    """Return the median share of inner numeric axes left by one cluster, and by both."""
    gaps = gaps_of(credit, k)
    one = [widths([gap], name) for gap in gaps for name in gap.pair if name in ORDER[1:-1]]
    both = [widths(gaps, name) for name in ORDER[1:-1]]
    return float(np.median(one)), float(np.median(both))


def _by_kind(credit: Credit, k: int) -> tuple[float, float]:
    """Return how many clusters are lit beyond a numeric axis, and beyond a categorical one."""
    gaps = {(a, b): gap_of(credit.places, (a, b), k) for a, b in permutations(COLUMNS, 2) if a < b}
    found: dict[str, list[float]] = {"continuous": [], "categorical": []}
    for first, middle, last in permutations(COLUMNS, 3):
        before, after = gaps[_sorted(first, middle)], gaps[_sorted(middle, last)]
        found[kind_of(middle)].append(lit_by(before, after))
    return float(np.mean(found["continuous"])), float(np.mean(found["categorical"]))


def _sorted(one: str, other: str) -> tuple[str, str]:
    return min(one, other), max(one, other)


def _boxes(view: dc.ParallelView, gap: int) -> Iterator[Box]:
    """List the boxes of a gap that are one cluster's alone."""
    for box, times in Counter(view.clusters[gap]).items():
        if times == 1:
            yield box


def _next(view: dc.ParallelView, gap: int, box: Box) -> set[Box]:
    """Return the boxes of the next gap that light up with a cluster: those that can be seen."""
    lit = view.lit(gap, view.clusters[gap].index(box))
    return {view.clusters[after][number] for after, number in lit if after == gap + 1}


def _selected(view: dc.ParallelView, gap: int, box: Box) -> dc.ParallelView:
    return view.select(gap, view.clusters[gap].index(box))
