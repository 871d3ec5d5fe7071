"""Tables are columns of texts below a title; the lowest score of a k has a star."""

from discreet.measure.roundings_report import MEASURES, RoundingGrid, Trial
from examples.rounding.averages import Draws
from examples.rounding.tables import figure_4, loss_and_risk, models

METHODS = {"k": ("mdav", "vmdav", "optimal"),
           "c": ("equal_width", "equal_frequency", "kmeans", "resampling")}  # fmt: skip


def found(shift: float) -> RoundingGrid:
    trials = tuple(
        Trial(
            name, family, k=20 + rung, c=25 - rung, rung=rung,
            values=dict.fromkeys([*MEASURES, "mse", "r2"], place + shift),
        )
        for family, names in METHODS.items()
        for place, name in enumerate(names, start=1)
        for rung in range(2)
    )  # fmt: skip
    more = {"target": "y", "model": "regression", "unrounded": {"mse": 7.5}}
    return RoundingGrid("toy", trials, ("x", "y"), 500, **more)  # type: ignore[arg-type]


def test_loss_and_risk_are_means_over_draws() -> None:
    lines = loss_and_risk("Table 1", Draws("toy", (found(0.0), found(1.0))), "k").splitlines()
    assert lines[0] == "Table 1: toy, means over 2 draws (* lowest score)"
    assert len(lines) == 3 + 6
    assert lines[3].split() == ["20", "mdav", *["1.5"] * 6, "*", "1.5", "*"]
    assert lines[4].split() == ["20", "vmdav", *["2.5"] * 7]


def test_models_stand_below_the_unrounded_one() -> None:
    lines = models("Table 7", found(0.0)).splitlines()
    assert lines[0] == "Table 7: toy, y"
    assert lines[3].split()[:4] == ["none", "not", "rounded", "7.5"]
    assert len(lines) == 4 + 14


def test_figure_4_has_a_row_for_each_method() -> None:
    lines = figure_4({"toy": Draws("toy", (found(0.0),))}, "score_by_sum").splitlines()
    assert lines[0] == "Figure 4: mean score by sum of each method"
    assert lines[3:6] == ["mdav               1", "vmdav              2", "optimal            3"]
