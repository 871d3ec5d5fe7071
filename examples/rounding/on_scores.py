"""What the paper concludes of loss, risk and score (section 4), held against our numbers."""

from __future__ import annotations

from collections.abc import Mapping

from examples.rounding.averages import Draws
from examples.rounding.data import CS, KS
from examples.rounding.judged import Judged, judged, listed

__all__ = ["of_simulated", "of_tarragona"]

MICRO = ("mdav", "vmdav", "optimal")
INTERVALS = ("equal_width", "equal_frequency", "kmeans", "resampling")
FEW, MANY = tuple(CS.index(c) for c in (3, 5)), (CS.index(25),)
LARGE, SMALL = (3, 4, 5), (0, 1, 2)  # rungs of k = 50, 100, 167 and of k = 20, 25, 34


def of_simulated(draws: Mapping[str, Draws], by: str = "score") -> list[Judged]:
    """Judge what is said of exponential, uniform and normal columns, by one of the two scores."""
    return [
        _least_sse(draws),
        *_microaggregations(draws, by),
        *_intervals(draws, by),
        *_distributions(draws, by),
    ]


def of_tarragona(micro: Draws, intervals: Draws, by: str = "score") -> list[Judged]:
    """Judge Fig. 2 and 3: k as for 500 rows, and the paper's c, by one of the two scores."""
    return [*_figure_2(micro, by), *_figure_3(intervals, by)]


def _figure_2(micro: Draws, by: str) -> list[Judged]:
    sse, ddr = micro.ranked("sse", MICRO), micro.ranked("ddr", MICRO, high=True)
    idr, score = micro.ranked("idr", MICRO, high=True), micro.ranked(by, MICRO)
    least = [{m: micro.mean("sse", m, (rung,)) for m in MICRO} for rung in range(len(KS))]
    first = all(each["optimal"] <= min(each.values()) * (1 + 1e-9) for each in least)
    return [
        judged(
            "4.4, Fig. 2a",
            "Tarragona: optimal microaggregation has the lowest SSE at every k.",
            [first],
            f"Mean over k: {listed(sse, ' %')}.",
        ),
        judged(
            "4.4, Fig. 2a, b",
            "Tarragona: optimal and V-MDAV lose less than MDAV.",
            [
                micro.mean(measure, name) < micro.mean(measure, "mdav")
                for measure in ("sse", "il_metrics")
                for name in ("optimal", "vmdav")
            ],
            f"SSE: {listed(sse, ' %')}. IL metrics: {listed(micro.ranked('il_metrics', MICRO))}.",
        ),
        judged(
            "4.4, Fig. 2c",
            "Tarragona: optimal microaggregation has the highest risk of the three.",
            [next(iter(ddr)) == "optimal", next(iter(idr)) == "optimal"],
            f"DDR: {listed(ddr, ' %')}. IDR: {listed(idr, ' %')}.",
        ),
        judged(
            "4.4, Fig. 2d",
            "Tarragona: V-MDAV has the best trade of loss and risk of the microaggregations.",
            [next(iter(score)) == "vmdav"],
            f"Mean score over k: {listed(score)}.",
        ),
    ]


def _figure_3(intervals: Draws, by: str) -> list[Judged]:
    worst = intervals.ranked("sse", INTERVALS, high=True)
    loss, score = (intervals.ranked(m, INTERVALS) for m in ("il_metrics", by))
    return [
        judged(
            "4.5, Fig. 3a, b",
            "Tarragona: resampling has the highest loss of the discretizations.",
            [next(iter(worst)) == "resampling", list(loss)[-1] == "resampling"],
            f"SSE: {listed(worst, ' %')}. IL metrics: {listed(loss)}.",
        ),
        judged(
            "4.5, Fig. 3",
            "Tarragona: equal width is the best of the discretizations by loss and risk.",
            [next(iter(score)) == "equal_width"],
            f"Mean score over c: {listed(score)}.",
        ),
    ]


def _least_sse(draws: Mapping[str, Draws]) -> Judged:
    wins = total = 0
    for each in draws.values():
        for found in each.found:
            for rung in found.common("sse", "k"):
                total += 1
                wins += "optimal" in found.best_at("sse", rung, "k")
    means = {kind: each.ranked("sse", MICRO) for kind, each in draws.items()}
    return judged(
        "3.1, 4.4",
        "Optimal microaggregation has the lowest SSE of the microaggregations.",
        [wins == total],
        f"In {wins} of {total} pairs of a draw and a k. Means: "
        + "; ".join(f"{kind}: {listed(found, ' %')}" for kind, found in means.items())
        + ".",
    )


def _lowest(
    where: str,
    claim: str,
    by: str,
    draws: Draws,
    name: str,
    methods: tuple[str, ...],
    rungs: tuple[int, ...] | None = None,
) -> Judged:
    """Judge that a method has the lowest mean score of some, at some rungs."""
    means = draws.ranked(by, methods, rungs)
    times = draws.times(name, by, methods, rungs)
    return judged(
        where,
        claim,
        [next(iter(means)) == name],
        f"Mean scores: {listed(means)}. {name} is the lowest in {times} of {len(draws.found)}"
        " draws.",
    )


def _microaggregations(draws: Mapping[str, Draws], by: str) -> list[Judged]:
    exponential, uniform, normal = (draws[k] for k in ("exponential", "uniform", "normal"))
    return [
        _lowest(
            "4.4, Table 1",
            "Exponential: V-MDAV has the lowest score of the microaggregations.",
            *(by, exponential, "vmdav", MICRO),
        ),
        _lowest(
            "4.4, Table 3",
            "Normal: optimal has the lowest score of the microaggregations.",
            *(by, normal, "optimal", MICRO),
        ),
        _lowest(
            "4.4, Table 2",
            "Uniform, k = 50, 100, 167: optimal has the lowest score of the microaggregations.",
            *(by, uniform, "optimal", MICRO, LARGE),
        ),
        _lowest(
            "4.4, Table 2",
            "Uniform, k = 20, 25, 34: V-MDAV has the lowest score of the microaggregations.",
            *(by, uniform, "vmdav", MICRO, SMALL),
        ),
    ]


def _intervals(draws: Mapping[str, Draws], by: str) -> list[Judged]:
    told = []
    for kind, number in (("exponential", 4), ("normal", 6)):
        each = draws[kind]
        title = kind.capitalize()
        told += [
            _lowest(
                f"4.5, Table {number}",
                f"{title}, c = 3 and 5: resampling has the lowest score of the discretizations.",
                *(by, each, "resampling", INTERVALS, FEW),
            ),
            _lowest(
                f"4.5, Table {number}",
                f"{title}, c = 25: equal width has the lowest score of the discretizations.",
                *(by, each, "equal_width", INTERVALS, MANY),
            ),
        ]
    told.append(
        _lowest(
            "4.5, Table 5",
            "Uniform: equal frequency has the lowest score of the discretizations.",
            *(by, draws["uniform"], "equal_frequency", INTERVALS),
        )
    )
    return told


def _distributions(draws: Mapping[str, Draws], by: str) -> list[Judged]:
    both = (*MICRO, *INTERVALS)

    def over(measure: str) -> dict[str, float]:
        means = {
            kind: sum(each.mean(measure, name) for name in both) / len(both)
            for kind, each in draws.items()
        }
        return dict(sorted(means.items(), key=lambda pair: -pair[1]))

    score, loss, linked, inside = map(over, (by, "il_metrics", "ddr", "idr"))
    return [
        judged(
            "4.6, Fig. 4",
            "Exponential columns have the highest score, whatever the method.",
            [next(iter(score)) == "exponential"],
            f"Mean scores over all methods: {listed(score)}.",
        ),
        judged(
            "6",
            "Normal columns lose the most, and uniform ones the least.",
            [next(iter(loss)) == "normal", list(loss)[-1] == "uniform"],
            f"IL metrics over all methods: {listed(loss)}.",
        ),
        judged(
            "6",
            "Exponential columns have the highest risk.",
            [next(iter(linked)) == "exponential", next(iter(inside)) == "exponential"],
            f"DDR: {listed(linked, ' %')}. IDR: {listed(inside, ' %')}.",
        ),
    ]
