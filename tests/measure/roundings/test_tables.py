"""Tables have a row for each setting, in the order of the rungs, and mark the lowest score."""

from discreet.measure.roundings_report import (
    family_table,
    models_table,
    refused_table,
    whole_table,
)
from discreet.measure.trials import RoundingGrid, Trial


def trial(method: str, rung: int, score: float, family: str = "k") -> Trial:
    values = {"sse": 1.5, "score": score, "mse": 2.0, "r2": 0.5}
    return Trial(
        method, family, k=20 + 5 * rung, c=25 - 5 * rung, rung=rung, points={"x": 3, "y": 5},
        fewest=4, below=0.25, alone=0.125, values=values,
    )  # fmt: skip


GRID = RoundingGrid(
    "toy",
    (
        *(trial("mdav", 0, 3.0), trial("mdav", 1, 2.0)),
        Trial("mdav", "k", "freedman-diaconis", points={"x": 2, "y": 2}, values={"score": 0.5}),
        *(trial("optimal", 0, 3.0), trial("optimal", 1, 2.5)),
        Trial("kmeans", "c", k=400, c=1, rung=2, refused="one point for all"),
        trial("kmeans", 0, 1.0, "c"),
    ),
    columns=("x", "y"), rows=500, target="y", model="regression",
    unrounded={"mse": 1.25, "r2": 0.75, "entropy": 12.0},
)  # fmt: skip


def test_rows_go_by_the_rung_and_the_lowest_score_has_a_star() -> None:
    found = family_table(GRID, "k")
    assert [(row[0], row[1], row[7]) for row in found.rows] == [
        ("mdav", "k = 20", "3 *"),
        ("optimal", "k = 20", "3 *"),
        ("mdav", "k = 25", "2 *"),
        ("optimal", "k = 25", "2.5"),
        ("mdav", "Freedman-Diaconis", "0.5"),
    ]
    assert found.rows[0][9:] == ("3 to 5", "4", "25.0", "12.5")
    assert found.rows[-1][9:] == ("2", "-", "-", "-")


def test_one_method_has_no_lowest_score() -> None:
    assert [row[7] for row in family_table(GRID, "c").rows] == ["1"]


def test_models_stand_below_the_unrounded_one() -> None:
    found = models_table(GRID)
    assert found.title == "Linear regressions of y"
    assert found.rows[0][:5] == ("none", "not rounded", "1.25", "0.75", "12")
    assert found.rows[1][:4] == ("mdav", "k = 20", "2", "0.5")
    assert len(found.rows) == 1 + len(GRID.usable)
    assert models_table(RoundingGrid("toy", (trial("mdav", 0, 1.0),), ("x",), 9)).rows == ()


def test_a_terminal_has_all_settings() -> None:
    found = whole_table(GRID)
    assert found.head[-2:] == ("MSE", "alone, %")
    assert [row[0] for row in found.rows] == [
        "mdav",
        "optimal",
        "mdav",
        "optimal",
        "mdav",
        "kmeans",
    ]


def test_refused_settings_say_why() -> None:
    assert refused_table(GRID).rows == (("kmeans", "c = 1", "one point for all"),)


def test_all_rows_are_as_long_as_their_head() -> None:
    every = [family_table(GRID, f) for f in ("k", "c", "classes")]
    for found in (*every, models_table(GRID), whole_table(GRID), refused_table(GRID)):
        assert {len(row) for row in found.rows} <= {len(found.head)}
