"""The door: what a study answers, what it refuses with a way out, and what may leave it."""

import copy
import functools
import json
import os
import pickle
import stat
import subprocess
import sys
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import discreet as dc
from discreet.errors import InputError, LeavingError, RefusedError
from discreet.policy import Policy
from discreet.study import Study, ledger_of
from discreet.views import Origin, View

N = 200


def cohort(seed: int = 1, n: int = N) -> dict[str, list[Any]]:
    """Make a table of persons: three related numbers, whole numbers, levels, and who it is."""
    rng = np.random.default_rng(seed)
    x = rng.normal(50, 10, size=n)
    return {
        "id": [f"P{seed}-{i:05}" for i in rng.permutation(n)],
        "number": (rng.permutation(n) + 1000 * seed).tolist(),
        "x": x.tolist(),
        "y": (x + rng.normal(0, 5, size=n)).tolist(),
        "z": rng.lognormal(size=n).tolist(),
        "children": rng.integers(0, 5, size=n).tolist(),
        "sex": rng.choice(["f", "m"], size=n).tolist(),
    }


COHORT = cohort()


def opened(source: Any = None, **fields: Any) -> Study:
    """Open the cohort, or another source, with single fields of a preset changed."""
    policy = Policy.preset(fields.pop("preset", "standard"), **fields)
    return dc.open(pa.table(COHORT) if source is None else source, policy)


def ask(study: Study, picture: str, columns: list[str], **named: Any) -> View:
    """Ask a study for a picture by its name."""
    return getattr(study, picture)(*columns, **named)  # type: ignore[no-any-return]


PICTURES: dict[str, tuple[str, list[str], dict[str, Any]]] = {
    "histogram, merge": ("histogram", ["x"], {}),
    "histogram, suppression": ("histogram", ["x"], {"method": "suppression"}),
    "histogram, generalization": ("histogram", ["x"], {"method": "generalization"}),
    "histogram, rows": ("histogram", ["x"], {"method": "condensation"}),
    "scatter, rows": ("scatter", ["x", "y"], {}),
    "scatter, suppression": ("scatter", ["x", "y"], {"method": "suppression"}),
    "scatter, generalization": ("scatter", ["x", "y"], {"method": "generalization"}),
    "heatmap, generalization": ("heatmap", ["x", "y"], {}),
    "heatmap, suppression": ("heatmap", ["x", "y"], {"method": "suppression"}),
    "heatmap, rows": ("heatmap", ["x", "y"], {"method": "condensation"}),
    "box, order means": ("box", ["x", "y"], {}),
    "box, rows": ("box", ["x", "y"], {"method": "condensation"}),
}
# 200 protected rows on 900 cells leave none of five, so rows are drawn on fewer.
SMALL = {"bins": 8, "grid": 6}


# --- looking ----------------------------------------------------------------------------------


@functools.cache
def expected_views() -> dict[str, View]:
    """Ask for every picture of a pyarrow table."""
    study = opened(study="s", groups=[["x", "y"]], **SMALL)
    return {
        name: ask(study, picture, columns, **named)
        for name, (picture, columns, named) in PICTURES.items()
    }


def test_every_picture_is_the_same_from_every_frame_and_file(
    source: Callable[[Any], Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DISCREET_SECRET", bytes(range(32)).hex())
    study = opened(source(COHORT), study="s", groups=[["x", "y"]], **SMALL)

    views = {
        name: ask(study, picture, columns, **named)
        for name, (picture, columns, named) in PICTURES.items()
    }

    assert views == expected_views()


@pytest.mark.parametrize(("picture", "columns", "named"), PICTURES.values(), ids=PICTURES)
def test_a_view_says_what_it_is_and_where_it_comes_from(
    picture: str, columns: list[str], named: dict[str, Any]
) -> None:
    view = ask(opened(study="s", **SMALL), picture, columns, **named)

    assert (view.kind, view.columns) == (picture, tuple(columns))
    assert view.method in {*named.values(), opened().policy.settle(picture, columns).method}
    from_rows = view.method == "condensation"
    version = view.origin.version
    assert (version is not None) == from_rows
    counted = "protected rows" if from_rows else "records"
    assert view.origin == Origin("standard", "guarded", False, "s", version, 0, counted)
    assert view.suppressed is None


@pytest.mark.parametrize(("picture", "columns", "named"), PICTURES.values(), ids=PICTURES)
def test_asking_again_is_the_same_answer(
    picture: str, columns: list[str], named: dict[str, Any]
) -> None:
    study = opened(**SMALL)

    assert ask(study, picture, columns, **named) == ask(study, picture, columns, **named)
    assert ask(study, picture, columns, **named) == ask(opened(**SMALL), picture, columns, **named)


def test_rows_of_two_views_are_of_one_copy() -> None:
    study = opened(groups=[["x", "y", "z"]])

    first, second, third = study.scatter("x", "y"), study.scatter("y", "z"), study.scatter("y", "x")

    def expand(places: tuple[float, ...], sizes: tuple[int, ...]) -> list[float]:
        return sorted(p for p, size in zip(places, sizes, strict=True) for _ in range(size))

    assert (
        expand(first.y, first.size) == expand(second.x, second.size) == expand(third.x, third.size)
    )
    assert sorted(zip(third.y, third.x, strict=True)) == sorted(zip(first.x, first.y, strict=True))
    assert first.origin.version == second.origin.version


def test_open_overrides_single_fields_of_a_policy(tmp_path: Path) -> None:
    (tmp_path / "ours.toml").write_text("k = 7\nbins = 10\n")

    study = dc.open(
        pd.DataFrame(COHORT),
        tmp_path / "ours.toml",
        study="s",
        kinds={"children": "categorical"},
        roles={"z": "sensitive"},
        unit="number",
        key="id",
        groups=[["x", "y"]],
        strata=["sex"],
        rows="deterministic",
    )

    policy = study.policy
    assert (policy.name, policy.k, policy.bins) == ("ours", 7, 10)
    assert (policy.study, policy.unit, policy.key) == ("s", "number", "id")
    assert (policy.groups, policy.strata, policy.rows) == ((("x", "y"),), ("sex",), "deterministic")
    assert dc.open(pa.table(COHORT), k=9).policy.k == 9
    with pytest.raises(InputError, match="column 'children' is categorical; numbers are needed"):
        study.histogram("children")


def test_a_study_prints_names_and_no_value(tmp_path: Path, file_of: Any) -> None:
    path = file_of(tmp_path / "cohort.csv", COHORT)

    assert repr(dc.open(path)) == (
        "Study('cohort.csv', policy 'standard', k = 5;"
        " Table(id, number, x, y, z, children, sex; 100 rows or more))"
    )
    assert repr(opened()).startswith("Study(a frame without a name, policy 'standard'")
    assert opened(study="s").groups == ()


@pytest.mark.parametrize("way", [pickle.dumps, copy.copy, copy.deepcopy])
def test_a_study_cannot_be_pickled_or_copied(way: Callable[[Any], Any]) -> None:
    with pytest.raises(RefusedError, match="a Study holds raw data and cannot be pickled"):
        way(opened())


# --- groups -----------------------------------------------------------------------------------


def test_the_first_rows_asked_for_fix_the_group() -> None:
    study = opened()
    study.heatmap("x", "z")  # counts need no group
    study.histogram("z")

    study.scatter("y", "x")

    assert study.groups == (("y", "x"),)
    study.scatter("x", "y")
    study.histogram("x", method="condensation")
    with pytest.raises(RefusedError, match=r"rows of 'x', 'z' may not be seen together.*heat map"):
        study.scatter("x", "z")
    with pytest.raises(RefusedError, match=r"the groups of this study are 'y', 'x'\. Draw a heat"):
        study.box("z", method="condensation")
    assert study.heatmap("x", "z")
    assert study.box("z")


def test_rows_that_were_refused_fix_nothing() -> None:
    few = {**COHORT, "y": [*COHORT["y"][:30], *[None] * (N - 30)]}
    study = opened(pa.table(few))

    with pytest.raises(RefusedError, match="too few complete rows"):
        study.scatter("x", "y")

    assert study.groups == ()
    assert study.scatter("x", "z")


def test_declared_groups_are_seen_within_alone() -> None:
    study = opened(groups=[["x", "y"], ["z", "children"]])

    assert study.scatter("z", "children").origin.version != study.scatter("y", "x").origin.version
    with pytest.raises(RefusedError, match="groups of this study are 'x', 'y'; 'z', 'children'"):
        study.scatter("y", "z")
    with pytest.raises(RefusedError, match=r"open a study with groups= that hold them together"):
        study.scatter("x", "number")


def test_the_groups_that_left_are_known_to_a_new_study(tmp_path: Path) -> None:
    opened(study="s").scatter("x", "y").save(tmp_path / "a.svg")

    assert opened(study="s").groups == (("x", "y"),)
    with pytest.raises(RefusedError, match="rows of 'x', 'z' may not be seen together"):
        opened(study="s").scatter("x", "z")
    assert opened(study="t").groups == ()


# --- refusals with a way out ------------------------------------------------------------------

GUARDED: dict[str, tuple[str, list[str], dict[str, Any], str]] = {
    "k": ("histogram", ["x"], {"k": 6}, r"k is fixed when .* discreet.open\(\.\.\., k=\.\.\.\)"),
    "q": ("scatter", ["x", "y"], {"q": 0.5}, r"q is fixed .* policy.changed\(q="),
    "bins": ("histogram", ["x"], {"bins": 10}, r"bins is fixed .* policy.changed\(bins="),
    "grid": ("heatmap", ["x", "y"], {"grid": 10}, r"grid is fixed .* policy.changed\(grid="),
    "limits": (
        "histogram",
        ["x"],
        {"limits": {"x": [0, 9]}},
        r"limits is fixed .*changed\(limits=",
    ),
    "k of a box": ("box", ["x"], {"k": 6}, r"k is fixed"),
    "row method": (
        "scatter",
        ["x", "y"],
        {"method": "deterministic"},
        r"made by 'condensation'; for 'deterministic' open .* rows='deterministic'",
    ),
    "no method": ("heatmap", ["x", "y"], {"method": "none"}, r"'none' draws raw data .*'research'"),
    "box by cells": ("box", ["x"], {"method": "suppression"}, r"use method='order-means'"),
    "who it is": ("histogram", ["id"], {}, r"column 'id' identifies persons and is never shown"),
}


@pytest.mark.parametrize(("picture", "columns", "named", "message"), GUARDED.values(), ids=GUARDED)
def test_what_is_fixed_is_refused_with_the_way_out(
    picture: str, columns: list[str], named: dict[str, Any], message: str
) -> None:
    with pytest.raises(RefusedError, match=message):
        ask(opened(), picture, columns, **named)


SAME: dict[str, tuple[str, list[str], dict[str, Any]]] = {
    "k and bins": ("histogram", ["x"], {"k": 5, "bins": 20}),
    "grid": ("heatmap", ["x", "y"], {"grid": 30}),
    "row method": ("scatter", ["x", "y"], {"method": "condensation"}),
    "limits": ("histogram", ["x"], {"limits": {}}),
}


@pytest.mark.parametrize(("picture", "columns", "named"), SAME.values(), ids=SAME)
def test_naming_the_policy_s_own_value_is_no_other(
    picture: str, columns: list[str], named: dict[str, Any]
) -> None:
    assert ask(opened(), picture, columns, **named) == ask(opened(), picture, columns)


WRONG: dict[str, tuple[str, list[Any], dict[str, Any], str]] = {
    "unknown column": ("histogram", ["xx"], {}, "there is no column 'xx'; did you mean 'x'"),
    "no column": ("box", [], {}, "a box needs at least one column"),
    "a column twice": ("scatter", ["x", "x"], {}, "a column is named twice"),
    "a number for a name": ("histogram", [3], {}, "a column is named by its name"),
    "a list for a name": ("histogram", [["x"]], {}, "a column is named by its name"),
    "levels": ("histogram", ["sex"], {}, "column 'sex' is categorical; numbers are needed"),
    "unknown method": (
        "histogram",
        ["x"],
        {"method": "magic"},
        "method 'magic'; there are 'merge'",
    ),
    "another picture's": (
        "scatter",
        ["x", "y"],
        {"method": "merge"},
        "by method 'merge'; there are",
    ),
    "no whole k": ("histogram", ["x"], {"k": 2.5}, "k of the policy must be a whole number"),
    "k too small": ("histogram", ["x"], {"k": 2}, "k of a guarded policy must be at least 3"),
    "no grid": ("heatmap", ["x", "y"], {"grid": 1}, "grid of the policy must be a whole number"),
}


@pytest.mark.parametrize(("picture", "columns", "named", "message"), WRONG.values(), ids=WRONG)
def test_a_wrong_call_is_told_what_is_allowed(
    picture: str, columns: list[Any], named: dict[str, Any], message: str
) -> None:
    with pytest.raises(InputError, match=message):
        ask(opened(), picture, columns, **named)


WRONGLY_OPENED: dict[str, tuple[dict[str, Any], type[Exception], str]] = {
    "group": ({"groups": [["x", "yy"]]}, InputError, "there is no column 'yy'; did you mean"),
    "group of levels": ({"groups": [["x", "sex"]]}, InputError, "column 'sex' is categorical"),
    "group of persons": ({"groups": [["x", "id"]]}, RefusedError, "column 'id' identifies"),
    "two groups": ({"groups": [["x", "y"], ["y"]]}, InputError, "a column is in one group"),
    "strata": ({"strata": ["sexx"]}, InputError, "names column 'sexx'; there are 'id', 'number'"),
    "strata of persons": ({"strata": ["z"]}, RefusedError, "column 'z' identifies persons"),
    "limits": ({"limits": {"xx": [0, 1]}}, InputError, "there is no column 'xx'; did you mean 'x'"),
    "limits of levels": ({"limits": {"sex": [0, 1]}}, InputError, "column 'sex' is categorical"),
    "unit": ({"unit": "person"}, InputError, "names column 'person'; there are 'id'"),
    "key": ({"key": "nr"}, InputError, "names column 'nr'; there are 'id'"),
    "kinds": (
        {"kinds": {"w": "continuous"}},
        InputError,
        "kinds or strata names column 'w'; there are",
    ),
    "roles": ({"roles": {"w": "other"}}, InputError, "roles names column 'w'; there are"),
}


@pytest.mark.parametrize(
    ("fields", "error", "message"), WRONGLY_OPENED.values(), ids=WRONGLY_OPENED
)
def test_what_a_policy_names_is_in_the_table(
    fields: dict[str, Any], error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=message):
        opened(**fields)


def test_research_takes_other_values_view_by_view() -> None:
    study = opened(preset="research")

    assert study.histogram("x", method="suppression", k=4, bins=7).parameters == {"k": 4, "bins": 7}
    assert study.histogram("x", limits={"x": [0, 100]}).edges[-1] == 100
    assert study.heatmap("x", "y", method="none", grid=9).parameters == {"grid": 9}
    assert study.scatter("x", "z", method="probabilistic", q=0.1).parameters == {"q": 0.1}
    assert study.scatter("x", "y").parameters == {"k": 3}
    assert study.scatter("x", "y", method="none").x == tuple(sorted(COHORT["x"]))
    assert study.box("x", method="none").groups[0].mean is not None
    with pytest.raises(InputError, match="there is no column 'xx'; did you mean 'x'"):
        study.histogram("x", limits={"xx": [0, 100]})


@pytest.mark.parametrize(("grid", "cells", "observed"), [(30, 164, 187), (15, 42, 53)])
def test_research_suppresses_the_cells_of_fig_3a(grid: int, cells: int, observed: int) -> None:
    study = dc.open(dc.datasets.d1(), "research")
    named: dict[str, Any] = {"method": "suppression", "grid": grid, "k": 3}
    limits = {
        "X": (7.9342065267480235, 11.709411658395911),
        "Y": (6.1694616886565594, 13.084176611450284),
    }

    assert study.heatmap("X", "Y", **named, limits=limits).suppressed == cells
    assert study.heatmap("X", "Y", **named).suppressed == observed


# --- persons ----------------------------------------------------------------------------------


def test_persons_are_counted_and_rows_of_theirs_are_refused() -> None:
    # every person has the same row three times
    thrice = {name: values * 3 for name, values in COHORT.items()}
    study = opened(pa.table(thrice), unit="id", **SMALL)
    once = opened(unit="id", **SMALL)

    for picture, columns in (("histogram", ["x"]), ("heatmap", ["x", "y"])):
        view = ask(study, picture, columns)
        assert view == ask(once, picture, columns)
        assert view.origin.counted == "persons"
        assert "counts are of persons" in view.describe()
    for refused in ("scatter", "box"):
        with pytest.raises(RefusedError, match=r"several rows.*one row a person first"):
            ask(study, refused, ["x", "y"])
    assert once.scatter("x", "y")
    assert once.box("x")


@pytest.mark.parametrize(("picture", "columns", "named"), PICTURES.values(), ids=PICTURES)
def test_fewer_than_ten_k_rows_are_refused(
    picture: str, columns: list[str], named: dict[str, Any]
) -> None:
    few = {name: values[:49] for name, values in COHORT.items()}

    with pytest.raises(RefusedError, match="too few complete rows") as refused:
        ask(opened(pa.table(few), **SMALL), picture, columns, **named)
    assert "49" not in str(refused.value)


def test_a_small_stratum_is_refused() -> None:
    levels = ["a"] * 191 + ["b"] * 9
    study = opened(pa.table(COHORT | {"arm": levels}), strata=["arm"])

    with pytest.raises(RefusedError, match="strata 'arm' has too few rows: at least 2 k"):
        study.scatter("x", "y")
    assert study.heatmap("x", "y")


# --- leaving: what has left pins what may -----------------------------------------------------

BEFORE: list[tuple[str, list[str], dict[str, Any]]] = [
    ("scatter", ["x", "y"], {}),
    ("histogram", ["x"], {}),
    ("heatmap", ["x", "y"], {}),
    ("box", ["x"], {}),
]
Attempt = tuple[dict[str, Any], str, list[str], dict[str, Any]]
# Fields of the policy, then a picture: each of another kind than what left before.
OTHER: dict[str, Attempt] = {
    "k": ({"k": 6}, "histogram", ["x"], {}),
    "k, of a column that has not left": ({"k": 6}, "histogram", ["z"], {}),
    "k, of rows": ({"k": 6}, "scatter", ["x", "y"], {}),
    "k, of a box": ({"k": 6}, "box", ["x"], {}),
    "grid": ({"grid": 15}, "heatmap", ["x", "y"], {}),
    "bins": ({"bins": 15}, "histogram", ["x"], {}),
    "limits": ({"limits": {"x": [0, 100]}}, "histogram", ["x"], {}),
    "limits of another column": ({"limits": {"z": [0, 100]}}, "histogram", ["x"], {}),
    "row method": ({"rows": "probabilistic"}, "scatter", ["x", "y"], {}),
    "row method, of counts": ({"rows": "deterministic"}, "histogram", ["x"], {}),
    "metric": ({"metric": "mahalanobis"}, "scatter", ["x", "y"], {}),
    "strata": ({"strata": ["sex"]}, "scatter", ["x", "y"], {}),
    "grouping": ({"groups": [["x", "z"]]}, "scatter", ["x", "z"], {}),
    "larger grouping": ({"groups": [["x", "y", "z"]]}, "scatter", ["x", "y"], {}),
    "count method": ({}, "histogram", ["x"], {"method": "suppression"}),
    "count method of cells": ({}, "heatmap", ["x", "y"], {"method": "suppression"}),
    "count method of cells, turned": ({}, "heatmap", ["y", "x"], {"method": "suppression"}),
    "count method of points": ({}, "scatter", ["x", "y"], {"method": "suppression"}),
    "unit": ({"unit": "id"}, "histogram", ["x"], {}),
    "key": ({"key": "id"}, "scatter", ["x", "y"], {}),
    "rounding": ({"round_to": 1}, "histogram", ["x"], {}),
    "share": ({"shown_share": 0.5}, "heatmap", ["x", "y"], {}),
    "empty cells": ({"show_empty": True}, "heatmap", ["x", "y"], {}),
    "research": ({"preset": "research"}, "histogram", ["x"], {}),
    "research, raw": ({"preset": "research"}, "scatter", ["x", "y"], {"method": "none"}),
}
ALIKE: dict[str, Attempt] = {
    "again": ({}, "scatter", ["x", "y"], {}),
    "columns turned": ({}, "scatter", ["y", "x"], {}),
    "group turned": ({"groups": [["y", "x"]]}, "scatter", ["x", "y"], {}),
    "cells turned": ({}, "heatmap", ["y", "x"], {}),
    "rows counted": ({"groups": [["x", "y"]]}, "histogram", ["y"], {"method": "condensation"}),
    "another column": ({}, "histogram", ["z"], {"method": "suppression"}),
    "other names": ({"name": "ours", "versions": 2}, "box", ["x", "z"], {}),
    "public": ({"public": True, "k": 7, "grid": 15}, "heatmap", ["x", "y"], {}),
}


def tried(study: Study, attempt: Attempt, target: Path) -> str:
    """Try to let a picture leave in a study's way; return "left", or the refusal."""
    _, picture, columns, named = attempt
    try:
        ask(study, picture, columns, **named).save(target)
    except LeavingError as refused:
        assert not target.exists()
        return str(refused)
    target.unlink()
    return "left"


def let_leave(source: Any, folder: Path, **fields: Any) -> None:
    """Let the four pictures of BEFORE leave."""
    study = opened(source, **fields)
    for i, (picture, columns, named) in enumerate(BEFORE):
        ask(study, picture, columns, **named).save(folder / f"before-{i}.json")


CHILD = """
import json, sys
from importlib import import_module
from pathlib import Path
import discreet as dc
from discreet.policy import Policy

out = {}
reader, path, target, attempts = json.loads(sys.argv[1])
if reader:
    module, function = reader.rsplit(".", 1)
    path = getattr(import_module(module), function)(path)
for name, (fields, picture, columns, named) in attempts.items():
    policy = Policy.preset(fields.pop("preset", "standard"), **fields)
    try:
        view = getattr(dc.open(path, policy), picture)(*columns, **named)
        view.save(target)
    except dc.LeavingError as refused:
        out[name] = str(refused)
    else:
        out[name] = "left"
        Path(target).unlink()
print(json.dumps(out))
"""


def tried_in_a_new_process(
    attempts: Mapping[str, Attempt], path: Path, reader: str, target: Path
) -> dict[str, str]:
    """Try to let pictures leave in another process, where a file or a frame is opened anew."""
    given = json.dumps([reader, str(path), str(target), attempts])
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", CHILD, given],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)  # type: ignore[no-any-return]


@pytest.mark.parametrize("study", ["s", None], ids=["named", "unnamed"])
def test_once_something_left_nothing_leaves_under_another_policy(
    study: str | None, tmp_path: Path
) -> None:
    name = {} if study is None else {"study": study}
    let_leave(None, tmp_path, **name)

    refusals = {
        other: tried(opened(**name, **attempt[0]), attempt, tmp_path / "target.json")
        for other, attempt in OTHER.items()
    }

    pinned = "is another than when something of"
    assert [other for other, words in refusals.items() if pinned not in words] == []
    assert len(ledger_of("standard").history()) == len(BEFORE)


def test_another_q_is_refused(tmp_path: Path) -> None:
    fields = {"rows": "probabilistic"}
    let_leave(None, tmp_path, **fields)

    attempt: Attempt = ({}, "histogram", ["x"], {})
    assert "'q' is another" in tried(opened(**fields, q=0.3), attempt, tmp_path / "t.json")
    assert tried(opened(**fields, q=0.25), attempt, tmp_path / "t.json") == "left"


@pytest.mark.parametrize("alike", ALIKE)
def test_what_fits_what_has_left_leaves(alike: str, tmp_path: Path) -> None:
    let_leave(None, tmp_path)

    study = opened(**ALIKE[alike][0])

    assert tried(study, ALIKE[alike], tmp_path / "target.json") == "left"


@pytest.mark.parametrize("form", ["png", "svg", "pdf", "json"])
def test_every_form_is_refused_and_nothing_is_written(form: str, tmp_path: Path) -> None:
    let_leave(None, tmp_path)
    before = sorted(path.name for path in tmp_path.iterdir())
    view = opened(k=6).histogram("x")

    for leave in (
        lambda: view.save(tmp_path / f"view.{form}"),
        lambda: view.plot().savefig(tmp_path / "view.png"),
        view.to_json,
        lambda: pickle.dumps(view),
        lambda: copy.deepcopy(view),
    ):
        with pytest.raises(LeavingError, match="'k' is another"):
            leave()
    assert sorted(path.name for path in tmp_path.iterdir()) == before
    assert len(ledger_of("standard").history()) == len(BEFORE)


def test_a_refused_figure_does_not_replace_the_one_that_left(tmp_path: Path) -> None:
    opened().histogram("x").save(tmp_path / "view.svg")
    before = (tmp_path / "view.svg").read_bytes()

    with pytest.raises(LeavingError, match="'k' is another"):
        opened(k=6).histogram("x").save(tmp_path / "view.svg")
    assert (tmp_path / "view.svg").read_bytes() == before


MAIN = ("k", "grid", "row method", "grouping", "count method", "research")
NEW_PROCESS: dict[str, tuple[str, str, str, tuple[str, ...]]] = {
    # the first file, the second file, what reads it, what is tried
    "the same file": ("cohort.csv", "cohort.csv", "", tuple(OTHER)),
    "a renamed file": ("cohort.csv", "renamed.csv", "", MAIN),
    "CSV turned Parquet": ("cohort.csv", "cohort.parquet", "", MAIN),
    "a file turned pandas": ("cohort.csv", "cohort.parquet", "pandas.read_parquet", MAIN),
    "a frame turned polars": ("", "cohort.parquet", "polars.read_parquet", tuple(OTHER)),
    "a frame turned lazy": ("", "cohort.parquet", "polars.scan_parquet", MAIN),
    "a frame turned pyarrow": ("", "cohort.parquet", "pyarrow.parquet.read_table", MAIN),
    "a frame turned file": ("", "cohort.csv", "", MAIN),
}


@pytest.mark.parametrize(
    ("first", "second", "reader", "others"), NEW_PROCESS.values(), ids=NEW_PROCESS
)
def test_nothing_leaves_under_another_policy_in_a_new_process(
    first: str, second: str, reader: str, others: tuple[str, ...], tmp_path: Path, file_of: Any
) -> None:
    let_leave(file_of(tmp_path / first, COHORT) if first else pl.DataFrame(COHORT), tmp_path)
    path = file_of(tmp_path / second, COHORT)
    attempts = {name: OTHER[name] for name in others} | {"again": ALIKE["again"]}

    outcomes = tried_in_a_new_process(attempts, path, reader, tmp_path / "target.json")

    assert outcomes.pop("again") == "left"
    assert [name for name, words in outcomes.items() if "is another than when" not in words] == []


@pytest.mark.parametrize("shuffled", [False, True], ids=["", "shuffled"])
def test_a_frame_without_a_name_is_recognised_by_any_of_its_columns(
    constructor: Callable[[Any], Any], shuffled: bool, tmp_path: Path
) -> None:
    let_leave(None, tmp_path)
    order = np.random.default_rng(1).permutation(N) if shuffled else np.arange(N)
    same = {name: [values[i] for i in order] for name, values in reversed([*COHORT.items()])}
    part = {name: same[name] for name in ("z", "sex")}

    attempt: Attempt = ({}, "histogram", ["z"], {})
    for columns in (same, part):
        refusal = tried(opened(constructor(columns), k=6), attempt, tmp_path / "target.json")
        assert "'k' is another than when something of the same data left" in refusal
        assert tried(opened(constructor(columns)), attempt, tmp_path / "target.json") == "left"


def test_whole_numbers_as_floats_are_the_same_data(tmp_path: Path) -> None:
    opened().histogram("number").save(tmp_path / "a.json")
    floats = pa.table({"number": [float(n) for n in COHORT["number"]]})

    refusal = tried(opened(floats, k=6), ({}, "histogram", ["number"], {}), tmp_path / "t.json")

    assert "'k' is another" in refusal


def test_a_renamed_column_is_refused(tmp_path: Path) -> None:
    let_leave(None, tmp_path, groups=[["x", "y"]])
    renamed = {name.upper(): values for name, values in COHORT.items()}

    names: list[dict[str, Any]] = [{}, {"study": "t"}]
    for study in names:
        for picture, columns in (("scatter", ["X", "Z"]), ("histogram", ["X"])):
            attempt: Attempt = ({}, picture, columns, {})
            refusal = tried(opened(pa.table(renamed), **study), attempt, tmp_path / "t.json")
            assert "'column X' left before as 'column x'" in refusal


def test_few_levels_alone_are_recognised(tmp_path: Path) -> None:
    levels = {name: COHORT[name] for name in ("children", "sex")}
    attempt: Attempt = ({}, "histogram", ["children"], {})
    assert tried(opened(pa.table(levels)), attempt, tmp_path / "t.json") == "left"

    assert "'k' is another" in tried(opened(pa.table(levels), k=6), attempt, tmp_path / "t.json")


def test_other_data_are_free(tmp_path: Path) -> None:
    let_leave(None, tmp_path)

    attempt: Attempt = ({}, "histogram", ["x"], {})
    assert tried(opened(pa.table(cohort(2)), k=6), attempt, tmp_path / "t.json") == "left"
    assert (
        tried(opened(pa.table(cohort(3)), k=7, study="t"), attempt, tmp_path / "t.json") == "left"
    )


# --- public data and research -----------------------------------------------------------------


def test_public_data_are_pinned_by_nothing(tmp_path: Path, own_home: Path) -> None:
    for k in (5, 6, 7):
        opened(public=True, k=k).scatter("x", "y").save(tmp_path / f"{k}.svg")

    assert not (own_home / ".local/state/discreet").exists()
    assert ledger_of("standard").history() == []
    assert "public" in (tmp_path / "5.svg").read_text()


@pytest.mark.parametrize(("first", "second"), [("standard", "research"), ("research", "standard")])
def test_standard_and_research_of_the_same_data_refuse_each_other(
    first: str, second: str, tmp_path: Path
) -> None:
    opened(preset=first).histogram("x").save(tmp_path / "a.svg")

    attempt: Attempt = ({}, "histogram", ["z"], {})
    assert "'regime' is another" in tried(opened(preset=second), attempt, tmp_path / "t.json")
    assert tried(opened(preset=first), attempt, tmp_path / "t.json") == "left"
    assert tried(opened(preset=second, public=True), attempt, tmp_path / "t.json") == "left"


def test_research_is_recorded_and_pins_no_k(tmp_path: Path) -> None:
    study = opened(preset="research")
    for k in (3, 4):
        study.scatter("x", "y", k=k).save(tmp_path / f"{k}.svg")

    assert [entry["method"] for entry in ledger_of("research").history()] == ["deterministic"] * 2


# --- changed data, and versions ---------------------------------------------------------------


def changed(rows: int) -> dict[str, list[Any]]:
    """Change so many values of x."""
    values = [value + 1 if i < rows else value for i, value in enumerate(COHORT["x"])]
    return {**COHORT, "x": values}


def test_changed_data_leave_with_a_new_version_alone(tmp_path: Path, file_of: Any) -> None:
    path = file_of(tmp_path / "cohort.csv", COHORT)
    let_leave(path, tmp_path)
    old = dc.open(path).scatter("x", "y")
    file_of(path, changed(80))

    for picture, columns, named in BEFORE:
        refusal = tried(dc.open(path), ({}, picture, columns, named), tmp_path / "t.json")
        assert "the data of study 'cohort.csv' have changed" in refusal
    assert dc.open(path).new_version() == 2

    new = dc.open(path).scatter("x", "y")
    assert new.origin.version != old.origin.version
    assert tried(dc.open(path), ({}, *BEFORE[0]), tmp_path / "t.json") == "left"
    assert [entry["version"] for entry in ledger_of("standard").history()] == [1, 1, 1, 1, 2]


def test_a_picture_of_a_file_that_was_written_since_stays(tmp_path: Path, file_of: Any) -> None:
    path = file_of(tmp_path / "cohort.csv", COHORT)
    view = dc.open(path).histogram("x")
    file_of(path, changed(80))

    with pytest.raises(LeavingError, match="the file has been written since the study was opened"):
        view.save(tmp_path / "view.svg")
    assert not (tmp_path / "view.svg").exists()


@pytest.mark.parametrize("rows", [1, 49])
def test_too_few_changed_rows_are_no_version(rows: int, tmp_path: Path) -> None:
    let_leave(None, tmp_path, study="s")

    with pytest.raises(LeavingError, match="too few rows of 'column x' have changed") as refused:
        opened(pa.table(changed(rows)), study="s").new_version()
    assert "49" not in str(refused.value)


def test_one_row_more_is_refused_in_every_column(tmp_path: Path) -> None:
    let_leave(None, tmp_path, study="s")
    more = pa.table({name: [*values, values[0]] for name, values in COHORT.items()})

    for picture, columns, named in BEFORE:
        attempt: Attempt = ({}, picture, columns, named)
        refusal = tried(
            opened(more, study="s", roles={"id": "identifier"}), attempt, tmp_path / "t.json"
        )
        assert "the data of study 's' have changed" in refusal
    with pytest.raises(LeavingError, match="too few rows of"):
        opened(more, study="s").new_version()


def test_rows_that_change_places_are_the_same_data(tmp_path: Path) -> None:
    let_leave(None, tmp_path, study="s")
    turned = pa.table({name: values[::-1] for name, values in COHORT.items()})

    assert tried(opened(turned, study="s"), ({}, *BEFORE[0]), tmp_path / "t.json") == "left"


def test_a_pair_that_is_swapped_within_rows_is_changed_data(tmp_path: Path) -> None:
    # each column for itself holds the same values
    let_leave(None, tmp_path, study="s")
    y = COHORT["y"]
    swapped = opened(pa.table({**COHORT, "y": [y[1], y[0], *y[2:]]}), study="s")

    assert "have changed" in tried(swapped, ({}, *BEFORE[0]), tmp_path / "t.json")


@pytest.mark.parametrize("what", ["unit", "key"])
def test_who_a_row_belongs_to_is_part_of_the_data(what: str, tmp_path: Path) -> None:
    fields: dict[str, Any] = {"study": "s", what: "id"}
    opened(**fields).histogram("x").save(tmp_path / "a.json")
    other = pa.table({**COHORT, "id": ["Q", *COHORT["id"][1:]]})

    attempt: Attempt = ({}, "histogram", ["x"], {})
    assert "have changed" in tried(opened(other, **fields), attempt, tmp_path / "t.json")


def test_rows_that_are_numbered_anew_are_changed_data(tmp_path: Path) -> None:
    # other keys are other noise: the two copies could be averaged
    let_leave(None, tmp_path, study="s", key="number")
    number = COHORT["number"]
    anew = opened(pa.table({**COHORT, "number": [*number[1:], number[0]]}), study="s", key="number")

    assert "have changed" in tried(anew, ({}, *BEFORE[0]), tmp_path / "t.json")
    assert tried(anew, ({}, *BEFORE[1]), tmp_path / "t.json") == "left"


def test_versions_are_counted_and_capped(tmp_path: Path) -> None:
    opened(study="s").histogram("x").save(tmp_path / "a.json")

    for number, k in ((2, 6), (3, 7), (4, 8)):
        assert opened(study="s", k=k).new_version() == number
    with pytest.raises(LeavingError, match="study 's' has had all the versions its policy allows"):
        opened(study="s", k=9).new_version()
    assert opened(study="s", k=9, versions=5).new_version() == 5


NO_VERSION: dict[str, tuple[dict[str, Any], str]] = {
    "no name": ({}, r"a frame without a name has no versions; give one: study="),
    "nothing left": ({"study": "t"}, r"nothing of study 't' has left yet"),
    "nothing new": ({"study": "s"}, r"neither the data nor the policy of study 's' has changed"),
}


@pytest.mark.parametrize(("fields", "message"), NO_VERSION.values(), ids=NO_VERSION)
def test_a_version_of_nothing_is_refused(
    fields: dict[str, Any], message: str, tmp_path: Path
) -> None:
    let_leave(None, tmp_path, study="s")

    with pytest.raises(InputError, match=message):
        opened(**fields).new_version()


POLICIES: dict[str, dict[str, Any]] = {
    "k": {"k": 6},
    "strata": {"strata": ["sex"]},
    "groups": {"groups": [["x", "z"]]},
    "grid": {"grid": 20},
    "unit": {"unit": "id"},
}


@pytest.mark.parametrize("fields", POLICIES.values(), ids=POLICIES)
def test_a_changed_policy_leaves_with_a_new_version(fields: dict[str, Any], tmp_path: Path) -> None:
    let_leave(None, tmp_path, study="s")
    columns = ["x", "z"] if "groups" in fields else ["x", "y"]
    attempt: Attempt = ({}, "scatter", columns, {})
    assert "is another" in tried(opened(study="s", **fields), attempt, tmp_path / "t.json")

    assert opened(study="s", **fields).new_version() == 2

    assert tried(opened(study="s", **fields), attempt, tmp_path / "t.json") == "left"


def test_a_version_opens_when_a_column_is_gone_or_turned_into_words(tmp_path: Path) -> None:
    let_leave(None, tmp_path, study="s")
    gone = {name: values for name, values in changed(N).items() if name != "y"}
    words = {**COHORT, "y": [f"Canary {value}" for value in COHORT["y"]]}

    assert opened(pa.table(gone), study="s").new_version() == 2
    opened(pd.DataFrame(gone), study="s").scatter("x", "z").save(tmp_path / "b.json")
    assert opened(pd.DataFrame(words), study="s").new_version() == 3


def test_another_secret_is_changed_data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    let_leave(None, tmp_path, study="s")
    monkeypatch.setenv("DISCREET_SECRET", bytes(range(32)).hex())

    assert "have changed" in tried(opened(study="s"), ({}, *BEFORE[0]), tmp_path / "t.json")


# --- several processes, and a broken ledger ---------------------------------------------------


def test_of_processes_that_leave_at_once_one_k_wins(tmp_path: Path, file_of: Any) -> None:
    path = file_of(tmp_path / "cohort.parquet", COHORT)
    attempts: list[Attempt] = [({"k": k}, "histogram", ["x"], {}) for k in (4, 5, 6)]

    def run(place: int) -> str:
        target = tmp_path / f"{place}.svg"
        reader = ("", "pandas.read_parquet", "pyarrow.parquet.read_table")[place]
        return tried_in_a_new_process({"k": attempts[place]}, path, reader, target)["k"]

    with ThreadPoolExecutor(3) as pool:
        outcomes = list(pool.map(run, range(3)))

    assert outcomes.count("left") == 1
    assert all("'k' is another" in words for words in outcomes if words != "left")
    assert len(ledger_of("standard").history()) == 1


@pytest.mark.parametrize("damage", [b"rubbish" * 999, b""], ids=["rubbish", "a file for a folder"])
@pytest.mark.parametrize("study", ["s", None], ids=["named", "unnamed"])
def test_without_a_ledger_nothing_leaves_but_looking_is_free(
    damage: bytes, study: str | None, tmp_path: Path, own_home: Path
) -> None:
    state = own_home / ".local/state/discreet"
    if damage:
        state.mkdir(parents=True)
        (state / "ledger.sqlite").write_bytes(damage)
    else:
        state.parent.mkdir(parents=True)
        state.write_text("a file")
    fields = {} if study is None else {"study": study}

    for picture, columns, named in BEFORE:
        view = ask(opened(**fields), picture, columns, **named)
        assert view.plot()
        with pytest.raises(LeavingError, match="nothing can leave"):
            view.save(tmp_path / "t.json")
    assert list(tmp_path.iterdir()) == []
    assert opened(**fields, public=True).histogram("x").save(tmp_path / "t.json")


# --- where things lie -------------------------------------------------------------------------


def test_beside_a_policy_file_lie_its_ledger_and_copies(tmp_path: Path, own_home: Path) -> None:
    policy = tmp_path / "ours.toml"
    policy.write_text('groups = [["x", "y"]]\nstrata = ["sex"]\n')

    study = dc.open(pa.table(COHORT), policy, study="s")
    study.scatter("x", "y").save(tmp_path / "a.svg")

    hidden = tmp_path / ".discreet"
    names = sorted(path.name.split("-")[0] for path in hidden.iterdir())
    assert names == ["copy", "ledger.sqlite"]
    if os.name == "posix":
        assert stat.S_IMODE(hidden.stat().st_mode) == 0o700
        assert {stat.S_IMODE(path.stat().st_mode) for path in hidden.iterdir()} == {0o600}
    assert not (own_home / ".local/state/discreet").exists()
    assert ledger_of(policy).history()[0]["study"] == "s"
    with pytest.raises(LeavingError, match="'k' is another"):
        dc.open(pa.table(COHORT), policy, study="s", k=6).histogram("x").save(tmp_path / "b.svg")
    # the next study reads the copy
    (stored,) = hidden.glob("copy-*.parquet")
    rows = pq.read_table(stored)
    again = dc.open(pa.table(COHORT), policy, study="s").scatter("x", "y")
    assert sum(again.size) == rows.num_rows == N
    assert set(again.x) == set(rows["x"].to_pylist())


def test_a_preset_keeps_its_copy_in_memory(tmp_path: Path, own_home: Path) -> None:
    opened().scatter("x", "y").save(tmp_path / "a.svg")

    made = {path.name for path in own_home.rglob("*") if path.is_file()}
    assert made == {"ledger.sqlite", "discreet.secret"}


def test_a_view_that_was_pickled_has_left_and_has_no_gate() -> None:
    view = opened().scatter("x", "y")

    again = pickle.loads(pickle.dumps(view))

    assert again == view
    assert view.gate is not None
    assert again.gate is None
    assert ledger_of("standard").history()[0]["form"] == "json"


def test_the_history_tells_what_left_in_order(tmp_path: Path) -> None:
    let_leave(None, tmp_path, study="s")

    assert [
        (entry["kind"], entry["columns"], entry["form"])
        for entry in ledger_of("standard").history()
    ] == [
        ("scatter", ["x", "y"], "json"),
        ("histogram", ["x"], "json"),
        ("heatmap", ["x", "y"], "json"),
        ("box", ["x"], "json"),
    ]
