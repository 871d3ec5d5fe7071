"""What the paper says of scores is judged by its own methods, k and c."""

from discreet.measure.roundings_report import MEASURES, RoundingGrid, Trial
from examples.rounding.averages import Draws
from examples.rounding.data import CS, KINDS, KS
from examples.rounding.on_scores import INTERVALS, MICRO, of_simulated, of_tarragona


def found(best: str) -> RoundingGrid:
    """A comparison in which one method is the best by everything, and the others are alike."""
    trials = tuple(
        Trial(
            name, family, k=k, c=c, rung=rung,
            values=dict.fromkeys(MEASURES, 1.0 if name == best else 2.0),
        )
        for family, names in (("k", MICRO), ("c", INTERVALS))
        for name in names
        for rung, (k, c) in enumerate(zip(KS, CS, strict=True))
    )  # fmt: skip
    return RoundingGrid("toy", trials, ("x", "y"), 500)


def verdicts(best: str) -> dict[str, str]:
    draws = {kind: Draws(kind, (found(best),)) for kind in KINDS}
    return {each.claim: each.verdict for each in of_simulated(draws)}


def test_the_method_that_is_best_decides() -> None:
    of_vmdav, of_width = verdicts("vmdav"), verdicts("equal_width")
    claim = "Exponential: V-MDAV has the lowest score of the microaggregations."
    assert (of_vmdav[claim], of_width[claim]) == ("HOLDS", "DOES NOT HOLD")
    claim = "Normal, c = 25: equal width has the lowest score of the discretizations."
    assert (of_vmdav[claim], of_width[claim]) == ("HOLDS", "HOLDS")  # of ties, the first
    claim = "Optimal microaggregation has the lowest SSE of the microaggregations."
    assert (of_vmdav[claim], of_width[claim]) == ("DOES NOT HOLD", "HOLDS")


def test_few_and_many_intervals_are_told_apart() -> None:
    of = verdicts("resampling")
    title = "Exponential, c = {}: {} has the lowest score of the discretizations."
    assert of[title.format("3 and 5", "resampling")] == "HOLDS"
    assert of[title.format("25", "equal width")] == "DOES NOT HOLD"


def test_tarragona_has_six_conclusions() -> None:
    told = of_tarragona(Draws("t", (found("vmdav"),)), Draws("t", (found("equal_width"),)))
    assert [each.verdict for each in told] == [
        "DOES NOT HOLD", "IN PART", "DOES NOT HOLD", "HOLDS",
        "IN PART", "HOLDS",  # of ties, resampling is the last
    ]  # fmt: skip
