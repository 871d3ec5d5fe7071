"""Sentences say which method is best, with the numbers, and what must not be claimed."""

import pytest

from discreet.measure.roundings_report import as_text, claims, in_short, stated
from discreet.measure.trials import RoundingGrid, Trial


def trial(
    method: str, rung: int, family: str = "k", alone: float = 0.5, fewest: int = 9, **values: float
) -> Trial:
    k = 10 * (rung + 1)
    return Trial(
        method, family, k=k, c=9 - rung, rung=rung, alone=alone, fewest=fewest, values=values
    )


def grid(*trials: Trial, **more: object) -> RoundingGrid:
    return RoundingGrid("toy", trials, ("x", "y"), 60, **more)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("value", "text"),
    [(0.0, "0"), (0.00123456, "0.00123"), (99.95, "100"), (12345.6, "12,300"), (-0.5, "-0.5"),
     (999.9, "1,000"), (float("nan"), "-")],
)  # fmt: skip
def test_numbers_have_three_digits_that_count(value: float, text: str) -> None:
    assert as_text(value) == text


def test_units() -> None:
    assert (stated("ddr", 12.3), stated("score", 12.3)) == ("12.3 %", "12.3")


def test_the_first_the_second_and_the_last_are_named() -> None:
    found = grid(
        *(trial("a", 0, score=1.0), trial("a", 1, score=5.0)),
        *(trial("b", 0, score=4.0), trial("b", 1, score=4.0)),
        *(trial("c", 0, "c", score=9.0), trial("c", 1, "c", score=7.0)),
    )
    assert in_short(found) == (
        "Lowest IL-DR score: a, 3 on average over 2 settings (the best at 1 of them);"
        " next b, 4; last c, 8.",
    )


def test_ties_are_told() -> None:
    assert in_short(grid(*(trial(m, 0, idr=0.0) for m in "abc"))) == (
        "Fewest rows disclosed by interval (IDR): all methods are alike, 0 %.",
    )
    assert in_short(
        grid(trial("a", 0, idr=1.0), trial("b", 0, idr=1.0), trial("c", 0, idr=2.0))
    ) == ("Fewest rows disclosed by interval (IDR): a, b, 1 % at the one setting; next c, 2 %.",)


def test_one_method_is_compared_with_nothing() -> None:
    assert in_short(grid(trial("a", 0, score=1.0))) == ()


def test_models_are_held_against_the_unrounded_one() -> None:
    by_rule = Trial("a", "k", "freedman-diaconis", values={"acc_o": 88.0})
    by_classes = Trial("mdlp", "classes", "classes", values={"acc_o": 70.0, "acc_v": 97.0})
    told = in_short(
        grid(
            *(trial("a", 0, acc_o=90.0), trial("b", 0, acc_o=80.0), by_rule, by_classes),
            model="tree", target="z", unrounded={"acc_o": 85.0, "acc_v": 85.0},
        )
    )  # fmt: skip
    assert told[0].startswith("Trees that are right most often on original rows: a, 90 %")
    assert "in 1 of 2 settings (a 1, b 0)" in told[1]
    assert "from 88 % (a) to 88 % (a); not rounded 85 %" in told[2]
    assert "mdlp 97 % on rounded and 70 % on original rows; not rounded 85 %" in told[3]


def test_that_rows_stay_alone_is_said_with_the_numbers() -> None:
    first, *others = claims(
        grid(
            *(trial("a", 0, alone=0.9, sse=1.0), trial("b", 0, alone=1.0, sse=1.0)),
            *(trial("a", 2, alone=0.25, sse=1.0), trial("b", 2, alone=0.5, sse=1.0)),
        )
    )
    assert "at k = 10 from 90.0 % (a) to 100.0 % (b)" in first
    assert "at k = 30 from 25.0 % (a) to 50.0 % (b)" in first
    assert len(others) == 3


def test_where_all_methods_agree_one_number_is_enough() -> None:
    first, *_ = claims(grid(*(trial(m, 0, alone=1.0, sse=1.0) for m in "ab")))
    assert "at k = 10 100.0 % of the rows share" in first


def test_points_of_one_row_are_named() -> None:
    told = claims(grid(trial("kmeans", 0, "c", fewest=1, sse=1.0), trial("a", 0, sse=1.0)))
    assert "in 1 setting, of kmeans, a point stands for one row alone" in told[1]
