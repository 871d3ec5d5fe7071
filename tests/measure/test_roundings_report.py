"""What came of rounding one table in many ways: trials, words, plots, tables and files."""

import csv
import io
import json
import math

import pytest

from discreet.document import Picture, Words
from discreet.errors import InputError
from discreet.measure.roundings_report import (
    BEYOND,
    MEASURES,
    MODELS,
    NOT_ROUNDED,
    OWN_WORK,
    RoundingComparison,
    RoundingGrid,
    Trial,
    claims,
    family_plot,
    family_table,
    in_short,
    model_plot,
    models_table,
    refused_table,
    score_plot,
    short,
    stated,
)
from discreet.render.scene import Columns, Lines, Panel

VALUES = {
    "sse": 1.5, "il_metrics": 8.0, "il1s": 4.0, "ddr": 50.0, "idr": 2.0, "score": 16.0,
    "entropy": 7.5, "correlation": math.nan, "mse": 2.0, "r2": 0.5,
}  # fmt: skip


def trial(method: str, family: str, rung: int) -> Trial:
    return Trial(
        method, family, k=20 + 5 * rung, c=25 - 5 * rung, rung=rung, points={"x": 3, "y": 5},
        fewest=4, below=0.25, alone=0.125, values=VALUES,
    )  # fmt: skip


GRID = RoundingGrid(
    "<b>toy</b>",
    (
        *(trial("mdav", "k", rung) for rung in range(2)),
        *(trial("kmeans", "c", rung) for rung in range(2)),
        Trial("optimal", "k", k=400, c=1, rung=2, refused="one point for all"),
    ),
    columns=("x", "y"), rows=500, left_out=3, target="y", model="regression",
    unrounded={"mse": 1.25, "r2": 0.75, "entropy": 12.0, "correlation": math.nan},
    notes=("Left out, being constant: z.",),
)  # fmt: skip
FOUND = RoundingComparison(GRID)


def test_json_has_every_number_and_is_no_release() -> None:
    told = json.loads(FOUND.to_json())
    assert (told["kind"], told["release"]) == ("rounding comparison", False)
    assert [each["method"] for each in told["trials"]] == [t.method for t in GRID.trials]
    assert told["trials"][0]["ddr"] == 50.0
    assert told["trials"][0]["correlation"] is None
    assert told["unrounded"] == {"mse": 1.25, "r2": 0.75, "entropy": 12.0, "correlation": None}


def test_csv_has_a_row_for_each_setting_and_one_for_the_table() -> None:
    none, *rows = csv.DictReader(io.StringIO(FOUND.to_csv()))
    assert (none["method"], none["mse"], none["ddr"]) == ("none", "1.25", "")
    assert [(row["method"], row["k"], row["c"]) for row in rows] == [
        ("mdav", "20", "25"), ("mdav", "25", "20"), ("kmeans", "20", "25"), ("kmeans", "25", "20"),
        ("optimal", "400", "1"),
    ]  # fmt: skip
    assert (rows[0]["points_least"], rows[0]["points_most"], rows[0]["correlation"]) == (
        *("3", "5"),
        "",
    )
    assert rows[-1]["refused"] == "one point for all"


# --- The page says first whose it is, then what was found, then what must not be claimed --------


PAGE_VALUES = dict.fromkeys(MEASURES, 2.5)


def page_trial(method: str, family: str, rung: int, score: float) -> Trial:
    return Trial(
        method, family, k=20 + 5 * rung, c=25 - 5 * rung, rung=rung, points={"x": 3},
        fewest=4, below=1.0, alone=0.125, values={**PAGE_VALUES, "acc_o": 80.0, "acc_v": 90.0}
        | {"score": score},
    )  # fmt: skip


def by_classes(method: str) -> Trial:
    return Trial(
        method, "classes", "classes", points={"x": 2}, fewest=1, alone=0.0,
        values={**PAGE_VALUES, "acc_o": 70.0, "acc_v": 99.0},
    )  # fmt: skip


PAGE_GRID = RoundingGrid(
    "wine.csv",
    (
        *(page_trial(m, "k", rung, 9.0) for m in ("mdav", "optimal") for rung in (0, 1)),
        *(page_trial(m, "c", rung, 8.0) for m in ("kmeans", "equal_width") for rung in (0, 1)),
        by_classes("mdlp"),
        Trial("mdav", "k", k=100, c=5, rung=2, refused="one point for all"),
    ),
    columns=("x", "y"), rows=500, left_out=7, target="class", model="tree",
    unrounded={"acc_o": 88.0, "acc_v": 88.0, "entropy": 9.0},
    notes=("Left out, being constant: z.",),
)  # fmt: skip


def test_the_parts_stand_in_their_order() -> None:
    blocks = RoundingComparison(PAGE_GRID).document().blocks
    assert [it.title for it in blocks if isinstance(it, Words) and it.title] == [
        "In short",
        "What must not be claimed",
        "Methods that put at least k rows at each rounding point",
        "Methods that make c rounding points",
        "Mean score by method",
        "How well decision trees of rounded rows tell the class",
        "What was measured",
    ]
    pictures = [it for it in blocks if isinstance(it, Picture)]
    assert [len(it.scene.panels) for it in pictures] == [6, 6, 1, 4]


def test_it_says_whose_it_is_and_what_was_left_out() -> None:
    for said in (RoundingComparison(PAGE_GRID).to_html(), RoundingComparison(PAGE_GRID).to_text()):
        assert OWN_WORK in said
        assert "7 rows were left out" in said
        assert "Left out, being constant: z." in said
        assert "12.5" in said  # per cent of the rows stay alone
        assert "one point for all" in said


def test_text_has_all_settings_in_columns() -> None:
    lines = RoundingComparison(PAGE_GRID).to_text().splitlines()
    named = [line.split()[0] for line in lines if line.startswith(("mdav ", "kmeans "))]
    assert {*named} == {"mdav", "kmeans"}


# --- A line a method, each through its own numbers; what would press the others flat is cut off -


def trials(method: str, family: str, *scores: float, **more: float) -> list[Trial]:
    return [
        Trial(method, family, k=20 + 5 * i, c=25 - 5 * i, rung=i, values={"score": score, **more})
        for i, score in enumerate(scores)
    ]


DRAWN_GRID = RoundingGrid(
    "toy",
    (
        *trials("mdav", "k", 3.0, 5.0, acc_o=80.0, acc_v=90.0),
        *trials("optimal", "k", 2.0, math.nan, acc_o=81.0, acc_v=91.0),
        Trial("mdav", "k", "freedman-diaconis", values={"score": 99.0}),
        *trials("kmeans", "c", 4.0, 6.0, acc_o=82.0, acc_v=92.0),
        Trial("mdlp", "classes", "classes", values={"score": 1.0, "acc_o": 70.0, "acc_v": 97.0}),
    ),
    columns=("x", "y"), rows=500, target="z", model="tree",
    unrounded={"acc_o": 88.0, "acc_v": 88.0},
)  # fmt: skip


def lines_of(panel: Panel) -> dict[str, tuple[tuple[float, ...], tuple[float, ...]]]:
    lines = [mark for mark in panel.marks if isinstance(mark, Lines)]
    return {mark.label: (mark.x[0], mark.y[0]) for mark in lines}


def panel_of(plot: Picture | None, title: str) -> Panel:
    assert plot is not None
    return next(panel for panel in plot.scene.panels if panel.title == title)


def test_lines_go_through_what_was_measured_against_k() -> None:
    panel = panel_of(family_plot(DRAWN_GRID, "k"), "Score")
    assert lines_of(panel) == {
        "mdav": ((20.0, 25.0), (3.0, 5.0)),  # not what Freedman and Diaconis chose
        "optimal": ((20.0,), (2.0,)),  # a gap where nothing is known
    }
    assert {mark.look for mark in panel.marks if isinstance(mark, Lines)} == {"series"}


def test_against_c_it_rises_and_methods_without_a_number_are_level() -> None:
    assert lines_of(panel_of(family_plot(DRAWN_GRID, "c"), "Score")) == {
        "kmeans": ((20.0, 25.0), (6.0, 4.0)),
        "mdlp": ((20.0, 25.0), (1.0, 1.0)),
    }


def test_models_stand_beside_the_unrounded_one() -> None:
    plot = model_plot(DRAWN_GRID)
    assert plot is not None
    assert [panel.title for panel in plot.scene.panels] == [
        "Accuracy on original rows", "Accuracy on rounded rows",
        "Accuracy on original rows", "Accuracy on rounded rows",
    ]  # fmt: skip
    assert lines_of(plot.scene.panels[0])[NOT_ROUNDED] == ((20.0, 25.0), (88.0, 88.0))
    assert lines_of(plot.scene.panels[2])["mdlp"] == ((20.0, 25.0), (70.0, 70.0))


def test_bars_are_the_mean_scores() -> None:
    plot = score_plot(DRAWN_GRID)
    assert plot is not None
    (panel,) = plot.scene.panels
    (bars,) = panel.marks
    assert isinstance(bars, Columns)
    assert (panel.x.ticks, bars.heights) == (("mdav", "optimal", "kmeans"), ((3.0, 2.0, 4.0),))
    assert "lowest optimal with 2, highest kmeans with 4" in plot.words


@pytest.mark.parametrize(
    ("tops", "limits"),
    [
        ({"a": 3.0, "b": 4.0, "c": 5.0}, None),
        ({"a": 3.0, "b": 4.0, "c": 50.0}, (0.0, 5.2)),
        ({"a": 0.0, "b": 0.0, "c": 0.0}, (-0.03, 1.0)),
        ({"a": 1.0, "b": 10.0}, None),  # of two, neither is the odd one
        ({"a": 1.0, "b": 4.0, "c": 5.0}, None),  # one far below presses nothing flat
        ({"a": 50.0}, None),
    ],
)
def test_what_would_press_all_others_flat_is_cut_off(
    tops: dict[str, float], limits: tuple[float, float] | None
) -> None:
    made = [trial for name, top in tops.items() for trial in trials(name, "k", top, top / 2)]
    plot = family_plot(RoundingGrid("toy", tuple(made), ("x",), 500), "k")
    panel = panel_of(plot, "Score")
    assert panel.y.limits == (limits and pytest.approx(limits))
    assert plot is not None
    assert (plot.scene.notes == (BEYOND,)) == (limits is not None and limits[0] == 0)


def test_nothing_is_drawn_of_nothing() -> None:
    refused = RoundingGrid("toy", (Trial("mdav", "k", k=20, rung=0, refused="no"),), ("x",), 9)
    assert family_plot(refused, "k") is None
    assert score_plot(refused) is None
    assert model_plot(refused) is None


# --- Tables have a row for each setting, in the order of the rungs, and mark the lowest score ---


def table_trial(method: str, rung: int, score: float, family: str = "k") -> Trial:
    values = {"sse": 1.5, "score": score, "mse": 2.0, "r2": 0.5}
    return Trial(
        method, family, k=20 + 5 * rung, c=25 - 5 * rung, rung=rung, points={"x": 3, "y": 5},
        fewest=4, below=0.25, alone=0.125, values=values,
    )  # fmt: skip


TABLE_GRID = RoundingGrid(
    "toy",
    (
        *(table_trial("mdav", 0, 3.0), table_trial("mdav", 1, 2.0)),
        Trial("mdav", "k", "freedman-diaconis", points={"x": 2, "y": 2}, values={"score": 0.5}),
        *(table_trial("optimal", 0, 3.0), table_trial("optimal", 1, 2.5)),
        Trial("kmeans", "c", k=400, c=1, rung=2, refused="one point for all"),
        table_trial("kmeans", 0, 1.0, "c"),
    ),
    columns=("x", "y"), rows=500, target="y", model="regression",
    unrounded={"mse": 1.25, "r2": 0.75, "entropy": 12.0},
)  # fmt: skip


def test_rows_go_by_the_rung_and_the_lowest_score_has_a_star() -> None:
    found = family_table(TABLE_GRID, "k")
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
    assert [row[7] for row in family_table(TABLE_GRID, "c").rows] == ["1"]


def test_models_stand_below_the_unrounded_one() -> None:
    found = models_table(TABLE_GRID)
    assert found.title == "Linear regressions of y"
    assert found.rows[0][:5] == ("none", "not rounded", "1.25", "0.75", "12")
    assert found.rows[1][:4] == ("mdav", "k = 20", "2", "0.5")
    assert len(found.rows) == 1 + len(TABLE_GRID.usable)
    assert models_table(RoundingGrid("toy", (table_trial("mdav", 0, 1.0),), ("x",), 9)).rows == ()


def test_refused_settings_say_why() -> None:
    assert refused_table(TABLE_GRID).rows == (("kmeans", "c = 1", "one point for all"),)


def test_all_rows_are_as_long_as_their_head() -> None:
    every = [family_table(TABLE_GRID, f) for f in ("k", "c", "classes")]
    for found in (*every, models_table(TABLE_GRID), refused_table(TABLE_GRID)):
        assert {len(row) for row in found.rows} <= {len(found.head)}


# --- Sentences say which method is best, with the numbers, and what must not be claimed ---------


def told_trial(
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
    assert short(value) == text


def test_units() -> None:
    assert (stated("ddr", 12.3), stated("score", 12.3)) == ("12.3 %", "12.3")


def test_the_first_the_second_and_the_last_are_named() -> None:
    found = grid(
        *(told_trial("a", 0, score=1.0), told_trial("a", 1, score=5.0)),
        *(told_trial("b", 0, score=4.0), told_trial("b", 1, score=4.0)),
        *(told_trial("c", 0, "c", score=9.0), told_trial("c", 1, "c", score=7.0)),
    )
    assert in_short(found) == (
        "Lowest IL-DR score: a, 3 on average over 2 settings (the best at 1 of them);"
        " next b, 4; last c, 8.",
    )


def test_ties_are_told() -> None:
    assert in_short(grid(*(told_trial(m, 0, idr=0.0) for m in "abc"))) == (
        "Fewest rows disclosed by interval (IDR): all methods are alike, 0 %.",
    )
    assert in_short(
        grid(told_trial("a", 0, idr=1.0), told_trial("b", 0, idr=1.0), told_trial("c", 0, idr=2.0))
    ) == ("Fewest rows disclosed by interval (IDR): a, b, 1 % at the one setting; next c, 2 %.",)


def test_one_method_is_compared_with_nothing() -> None:
    assert in_short(grid(told_trial("a", 0, score=1.0))) == ()


def test_models_are_held_against_the_unrounded_one() -> None:
    by_rule = Trial("a", "k", "freedman-diaconis", values={"acc_o": 88.0})
    by_classes = Trial("mdlp", "classes", "classes", values={"acc_o": 70.0, "acc_v": 97.0})
    told = in_short(
        grid(
            *(told_trial("a", 0, acc_o=90.0), told_trial("b", 0, acc_o=80.0), by_rule, by_classes),
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
            *(told_trial("a", 0, alone=0.9, sse=1.0), told_trial("b", 0, alone=1.0, sse=1.0)),
            *(told_trial("a", 2, alone=0.25, sse=1.0), told_trial("b", 2, alone=0.5, sse=1.0)),
        )
    )
    assert "at k = 10 from 90.0 % (a) to 100.0 % (b)" in first
    assert "at k = 30 from 25.0 % (a) to 50.0 % (b)" in first
    assert len(others) == 3


def test_where_all_methods_agree_one_number_is_enough() -> None:
    first, *_ = claims(grid(*(told_trial(m, 0, alone=1.0, sse=1.0) for m in "ab")))
    assert "at k = 10 100.0 % of the rows share" in first


def test_points_of_one_row_are_named() -> None:
    told = claims(
        grid(told_trial("kmeans", 0, "c", fewest=1, sse=1.0), told_trial("a", 0, sse=1.0))
    )
    assert "in 1 setting, of kmeans, a point stands for one row alone" in told[1]


# --- which method is best by what -----------------------------------------------------------

TRIED_VALUES = {"sse": 2.5, "correlation": math.nan}


@pytest.mark.parametrize(
    ("trial_at", "name"),
    [
        (Trial("mdav", "k", k=20, c=25, rung=0, values=TRIED_VALUES), "mdav (k = 20)"),
        (Trial("kmeans", "c", k=20, c=25, rung=0, values=TRIED_VALUES), "kmeans (c = 25)"),
        (
            Trial("kmeans", "c", "freedman-diaconis", values=TRIED_VALUES),
            "kmeans (Freedman-Diaconis)",
        ),
        (Trial("mdlp", "classes", "classes", refused="no"), "mdlp (by classes)"),
    ],
)
def test_a_trial_is_called_by_its_method_and_setting(trial_at: Trial, name: str) -> None:
    assert trial_at.name == name


def test_what_was_not_measured_is_no_number() -> None:
    trial_at = Trial("mdav", "k", k=20, values=TRIED_VALUES)
    assert trial_at.value("sse") == 2.5
    assert math.isnan(trial_at.value("ddr"))


def test_plain_values_are_json() -> None:
    told = Trial("mdav", "k", k=20, points={"x": 3}, values=TRIED_VALUES).to_dict()
    assert json.loads(json.dumps(told, allow_nan=False)) == {
        "method": "mdav", "family": "k", "rule": "number", "k": 20, "c": None, "points": {"x": 3},
        "fewest": None, "below": None, "alone": None, "sse": 2.5, "correlation": None,
        "refused": None,
    }  # fmt: skip


@pytest.mark.parametrize(
    ("given", "match"),
    [
        ({}, "values, or the reason"),
        ({"values": TRIED_VALUES, "refused": "no"}, "values, or the reason"),
        ({"values": TRIED_VALUES, "rule": "luck"}, "by 'luck'"),
        ({"values": TRIED_VALUES, "family": "z"}, "'z' by"),
    ],
)
def test_half_a_trial_is_refused(given: dict[str, object], match: str) -> None:
    with pytest.raises(InputError, match=match):
        Trial(**{"method": "mdav", "family": "k", **given})  # type: ignore[arg-type]


def test_every_measure_is_explained() -> None:
    gauges = [*MEASURES.values(), *(g for of in MODELS.values() for g in of.values())]
    assert all(gauge.name and gauge.words and not gauge.words.endswith(".") for gauge in gauges)


# --- Means are over the settings that all methods have; the best are found, and ties are told ---


def trial_at(method: str, rung: int | None, family: str = "k", **values: float) -> Trial:
    if rung is None:
        return Trial(method, family, "freedman-diaconis", values=values)
    return Trial(method, family, k=10 * (rung + 1), c=9 - rung, rung=rung, values=values)


def refused(method: str, rung: int, family: str = "k") -> Trial:
    return Trial(method, family, k=10 * (rung + 1), rung=rung, refused="too few rows")


# At rung 1, c could not be used; b and c are alike at rung 0.
TRIED = RoundingGrid(
    "toy",
    (
        trial_at("b", 0, score=2.0, acc_o=90.0), trial_at("b", 1, score=4.0, acc_o=80.0),
        trial_at("a", 0, score=3.0, acc_o=95.0), trial_at("a", 1, score=1.0, acc_o=math.nan),
        trial_at("a", None, score=9.0, acc_o=70.0),
        trial_at("c", 0, "c", score=2.0, acc_o=60.0), refused("c", 1, "c"),
        Trial("mdlp", "classes", "classes", values={"score": 0.5, "acc_o": 99.0}),
    ),
    columns=("x", "y"), rows=60, target="z", model="tree", unrounded={"acc_o": 85.0},
)  # fmt: skip


def test_methods_stand_in_their_order() -> None:
    assert TRIED.methods() == ("b", "a", "c", "mdlp")
    assert TRIED.methods("k") == ("b", "a")
    assert TRIED.methods("c", "classes") == ("c", "mdlp")


@pytest.mark.parametrize(
    ("measure", "families", "means"),
    [
        ("score", ("k",), {"a": 2.0, "b": 3.0}),  # both rungs, and not the rule's own
        ("score", (), {"b": 2.0, "c": 2.0, "a": 3.0}),  # rung 0 alone
        ("acc_o", (), {"a": 95.0, "b": 90.0, "c": 60.0}),  # high is good
        ("acc_o", ("c",), {"c": 60.0}),
        ("sse", (), {}),
    ],
)
def test_means_are_over_the_settings_that_all_have(
    measure: str, families: tuple[str, ...], means: dict[str, float]
) -> None:
    found = TRIED.means(measure, *families)
    assert found == means
    assert list(found) == list(means)


@pytest.mark.parametrize(
    ("measure", "rung", "best"),
    [
        ("score", 0, ("b", "c")),
        ("score", 1, ("a",)),
        ("acc_o", 0, ("a",)),
        ("acc_o", 1, ("b",)),  # what is not known does not count
        ("sse", 0, ()),
    ],
)
def test_the_best_of_a_rung(measure: str, rung: int, best: tuple[str, ...]) -> None:
    assert TRIED.best_at(measure, rung) == best


def test_a_line_goes_by_the_rungs() -> None:
    assert [t.rung for t in TRIED.line("a")] == [0, 1]
    assert [t.rung for t in TRIED.line("c")] == [0]
    assert [t.name for t in TRIED.by_rule("freedman-diaconis")] == ["a (Freedman-Diaconis)"]
    assert TRIED.by_rule("freedman-diaconis", "c") == ()
    assert [t.method for t in TRIED.by_rule("classes")] == ["mdlp"]


def test_a_regression_is_as_good_as_unrounded_where_its_error_is_no_larger() -> None:
    trials = trial_at("a", 0, mse=2.0), trial_at("b", 0, mse=4.0)
    low = RoundingGrid("toy", trials, ("x",), 9, model="regression", target="y",
                       unrounded={"mse": 2.0})  # fmt: skip
    assert "at least as well in 1 of 2 settings (a 1, b 0)" in in_short(low)[-1]


@pytest.mark.parametrize(
    ("trials", "match"),
    [
        ((), "at least one method"),
        ((trial_at("a", 0, sse=1.0),) * 2, "each method and setting once"),
    ],
)
def test_no_grid_of_nothing_or_of_doubles(trials: tuple[Trial, ...], match: str) -> None:
    with pytest.raises(InputError, match=match):
        RoundingGrid("toy", trials, ("x",), 9)


def test_it_shows_its_name_alone() -> None:
    assert repr(TRIED) == "RoundingGrid(toy: 8 settings)"
