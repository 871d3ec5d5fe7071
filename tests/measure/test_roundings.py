"""Every way to round one table, tried."""

import json
import math
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from discreet.errors import InputError
from discreet.measure.information_loss import il_dr_score
from discreet.measure.models import tree_on
from discreet.measure.roundings import compare_roundings
from discreet.rounding import METHODS, Rounder

UNSUPERVISED = [name for name, kind in METHODS.items() if not kind.supervised]


@pytest.fixture(scope="module")
def table() -> pd.DataFrame:
    """Sixty rows of two numbers, a class that follows the first, and words of no use."""
    rng = np.random.default_rng(4)
    x = rng.normal(size=60)
    return pd.DataFrame(
        {
            "x": x,
            "y": x + rng.normal(size=60),
            "kind": np.where(x > 0.3, "high", "low"),
            "note": [f"word {i}" for i in range(60)],
        }
    )


@pytest.mark.slow
def test_every_method_is_tried_with_every_number_and_the_rule(table: pd.DataFrame) -> None:
    found = compare_roundings(table, k=(5, 12, 31), target="kind")
    assert found.grid.methods() == tuple(METHODS)
    assert (found.grid.columns, found.grid.rows, found.grid.model) == (("x", "y"), 60, "tree")
    for name, kind in METHODS.items():
        tried = [(t.k, t.c, t.rung, t.rule) for t in found.grid.trials if t.method == name]
        if not kind.parameter:
            assert tried == [(None, None, None, "classes")]
        else:
            assert tried == [
                (5, 12, 0, "number"), (12, 5, 1, "number"), (31, 2, 2, "number"),
                (None, None, None, "freedman-diaconis"),
            ]  # fmt: skip
    refused = {t.name for t in found.grid.trials if t.refused}
    assert refused == {f"{n} (k = 31)" for n in found.grid.methods("k")}  # two groups need 62 rows
    assert "Not rounded, being no numbers: note." in found.grid.notes


def test_a_trial_is_what_the_parts_give(table: pd.DataFrame) -> None:
    found = compare_roundings(table, ["mdav", "equal_width"], k=(6,), target="kind", folds=5)
    x = table[["x", "y"]].to_numpy()
    for trial, rounder in (
        (found.grid.line("mdav")[0], Rounder("mdav", k=6)),
        (found.grid.line("equal_width")[0], Rounder("equal_width", c=10)),
    ):
        rounded = rounder.fit_transform(x)
        score = il_dr_score(x, rounded)
        tree = tree_on(x, table["kind"].tolist(), rounded, 5)
        assert trial.value("score") == pytest.approx(score.score)
        assert trial.value("ddr") == pytest.approx(score.ddr)
        assert trial.value("acc_o") == pytest.approx(100 * tree.acc_o)
        rows, counts = np.unique(rounded, axis=0, return_counts=True)
        assert len(rows) == len(counts)
        assert trial.alone == pytest.approx((counts == 1).sum() / 60)
        assert trial.below == pytest.approx(counts[counts < 6].sum() / 60)
        each = [np.unique(column, return_counts=True)[1] for column in rounded.T]
        assert trial.fewest == min(n.min() for n in each)
        assert dict(trial.points) == {"x": len(each[0]), "y": len(each[1])}


def test_a_target_of_numbers_is_rounded_and_a_regression_fitted(table: pd.DataFrame) -> None:
    found = compare_roundings(table, ["mdav"], k=(6,), target="y")
    assert (found.grid.model, found.grid.columns) == ("regression", ("x", "y"))
    assert found.grid.unrounded["mse"] > 0
    assert 0 < found.grid.line("mdav")[0].value("r2") < 1


@pytest.mark.parametrize(
    ("target", "model"),
    [(list(range(10)), "tree"), (list(range(11)), "regression"), ([0.5, 1.5], "regression")],
)
def test_few_whole_numbers_are_classes(target: list[Any], model: str) -> None:
    table = pd.DataFrame({"x": np.arange(66.0) ** 2, "z": (target * 66)[:66]})
    found = compare_roundings(table, ["mdav"], k=(6,), target="z", folds=3)
    assert found.grid.model == model


def test_without_a_target_no_model_and_no_supervised_method(table: pd.DataFrame) -> None:
    found = compare_roundings(table.drop(columns="kind"), k=(6,))
    assert found.grid.methods() == tuple(UNSUPERVISED)
    assert "acc_o" not in found.grid.gauges
    assert found.grid.unrounded.keys() == {"entropy", "correlation"}


def test_gaps_and_constants_are_left_out_and_said(table: pd.DataFrame) -> None:
    whole = compare_roundings(table, ["optimal"], k=(6,), target="kind")
    gaps = pd.concat([table, table.iloc[:3].assign(x=np.nan)]).assign(same=4.0)
    gaps.loc[len(gaps)] = [1.0, 2.0, None, "no class", 4.0]
    found = compare_roundings(gaps, ["optimal"], k=(6,), target="kind")
    assert (found.grid.rows, found.grid.left_out) == (60, 4)
    assert "Left out, being constant: same." in found.grid.notes
    assert found.grid.trials == whole.grid.trials


@pytest.mark.slow
def test_order_of_rows_changes_nothing(table: pd.DataFrame) -> None:
    # Not resampling, whose draws are shared by all methods' tests of their own.
    names = ["mdav", "optimal", "equal_width", "kmeans", "mdlp"]
    one = compare_roundings(table, names, k=(6,), target="kind")
    two = compare_roundings(table.iloc[::-1], names, k=(6,), target="kind")
    for a, b in zip(one.grid.trials, two.grid.trials, strict=True):
        assert (a.name, a.points, a.fewest, a.alone) == (b.name, b.points, b.fewest, b.alone)
        assert a.values == pytest.approx(dict(b.values), nan_ok=True)


def test_arrays_and_files_and_dropped_columns(table: pd.DataFrame, tmp_path: Path) -> None:
    path = tmp_path / "toy.csv"
    table.to_csv(path, index=False)
    of_file = compare_roundings(path, ["mdav"], k=(6,), drop=("kind",))
    of_array = compare_roundings(table[["x", "y"]].to_numpy(), ["mdav"], k=(6,))
    assert (of_file.grid.name, of_array.grid.name, of_array.grid.columns) == (
        "toy.csv",
        "a table",
        ("0", "1"),
    )
    assert [t.values for t in of_file.grid.trials] == [t.values for t in of_array.grid.trials]
    one = compare_roundings(table[["x", "y"]].to_numpy(), ["mdav"], k=(6,), drop=("1",))
    assert one.grid.columns == ("0",)
    assert math.isnan(one.grid.unrounded["correlation"])
    assert json.loads(one.to_json())["trials"][0]["correlation"] is None


@pytest.mark.parametrize(
    ("given", "match"),
    [
        ({"methods": ["mdva"]}, "unknown rounding method 'mdva'"),
        ({"methods": []}, "different names"),
        ({"methods": ["mdlp"]}, "'mdlp' finds points by classes"),
        ({"methods": ["mdlp"], "target": "y"}, "'mdlp' finds points by classes"),
        ({"k": ()}, "different whole numbers"),
        ({"k": (1,)}, "k must be"),
        ({"drop": ("z",)}, "no column 'z'"),
        ({"target": "y", "drop": ("y",)}, "cannot be dropped"),
        ({"target": "y", "drop": ("x",)}, "a column of numbers beside the target"),
        ({"drop": ("x", "y")}, "no column of numbers"),
    ],
)
def test_bad_input(table: pd.DataFrame, given: dict[str, Any], match: str) -> None:
    with pytest.raises(InputError, match=match):
        compare_roundings(table, **{"k": (6,), **given})


@pytest.mark.parametrize(
    ("columns", "target", "match"),
    [
        ({"x": [1.0, 2.5], "z": ["a", "a"]}, "z", "one class alone"),
        ({"x": [1.0, 2.5], "z": [2.5, 2.5]}, "z", "is constant"),
        ({"x": [1.0, 2.5, 3.0], "z": ["a", "b", "a"]}, "z", "another class in nearly every row"),
        ({"x": [1.0, 1.0]}, None, "every column of numbers is constant"),
        ({"x": [1.0, float("nan")]}, None, "fewer than two rows"),
    ],
)
def test_tables_that_cannot_be_rounded(
    columns: dict[str, list[Any]], target: str | None, match: str
) -> None:
    with pytest.raises(InputError, match=match):
        compare_roundings(pd.DataFrame(columns), ["mdav"], k=(2,), target=target)


def test_a_column_that_numbers_the_rows_is_left_out_and_said(table: pd.DataFrame) -> None:
    numbered = table.assign(id=range(len(table)))
    found = compare_roundings(numbered, ["mdav"], k=(6,), target="kind")
    assert "id" not in found.grid.columns
    assert "Left out, because it numbers the rows: id." in found.grid.notes


def test_what_guessing_would_do_is_said(table: pd.DataFrame) -> None:
    share = 100 * table["kind"].value_counts(normalize=True).max()
    classes = compare_roundings(table, ["mdav"], k=(6,), target="kind").grid.notes
    numbers = compare_roundings(table, ["mdav"], k=(6,), target="y").grid.notes
    assert f"Guessing the most frequent class is right for {share:.3g} % of the rows." in classes
    spread = table["y"].var(ddof=0)
    assert f"Guessing the mean of y has a mean squared error of {spread:.4g}." in numbers


def test_one_number_of_points_is_tried_once(table: pd.DataFrame) -> None:
    found = compare_roundings(table, ["mdav", "kmeans"], k=(29, 30, 31))
    assert [t.k for t in found.grid.line("mdav")] == [29, 30]  # 31 leaves one point for all
    assert len(found.grid.line("kmeans")) == 1


def test_optimal_loses_least_and_more_points_lose_less(table: pd.DataFrame) -> None:
    found = compare_roundings(table, ["mdav", "vmdav", "optimal", "kmeans"], k=(3, 6, 12))
    sse = {m: [t.value("sse") for t in found.grid.line(m)] for m in found.grid.methods()}
    for name in ("mdav", "vmdav"):
        assert all(a <= b + 1e-9 for a, b in zip(sse["optimal"], sse[name], strict=True))
    for name in ("optimal", "kmeans"):
        assert all(low <= high + 1e-9 for low, high in pairwise(sse[name]))
