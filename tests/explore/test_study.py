"""The door: what a study answers, what it refuses with a way out, and what may leave it."""

import copy
import functools
import json
import os
import pickle
import stat
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from numpy.typing import NDArray

import discreet as dc
from discreet.custodian import register_of
from discreet.errors import InputError, LeavingError, RefusedError
from discreet.explore import Study
from discreet.plots import View
from discreet.plots.view import FORMS
from tests.cases import policy_of
from tests.forked import ran
from tests.ready import opened_once

N = 200
pytestmark = pytest.mark.usefixtures("files_are_kept", "no_intervals")


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
    preset = fields.pop("preset", "standard")
    policy = policy_of(preset, **fields)
    return dc.open(pa.table(COHORT) if source is None else source, policy)


def looked_at(source: Any = None, **fields: Any) -> Study:
    """Return what `opened` does, once for all tests that let nothing leave of it."""
    columns = None if source is None else source.column_names
    return opened_once(f"study {columns} {fields}", lambda: opened(source, **fields))


def research(source: Any = None, **fields: Any) -> dc.Research:
    """Open the cohort, or another source, for the papers' methods."""
    return dc.research(pa.table(COHORT) if source is None else source, **fields)


def by_either_door(
    source: Any = None, *, preset: str = "standard", **fields: Any
) -> Study | dc.Research:
    """Open the cohort, or another source, for the papers' methods or under a guarded preset."""
    if preset == "research":
        return research(source, **fields)
    return opened(source, preset=preset, **fields)


def ask(study: Study | dc.Research, picture: str, columns: list[str], **named: Any) -> View:
    """Ask a study for a picture by its name."""
    return getattr(study, picture)(*columns, **named)  # type: ignore[no-any-return]


PICTURES: dict[str, tuple[str, list[str], dict[str, Any]]] = {
    "histogram": ("histogram", ["x"], {}),
    "scatter": ("scatter", ["x", "y"], {}),
    "heatmap": ("heatmap", ["x", "y"], {}),
    "box": ("box", ["x", "y"], {}),
}

# --- looking ----------------------------------------------------------------------------------


@functools.cache
def expected_views() -> dict[str, View]:
    """Ask for every picture of a pyarrow table."""
    study = opened(study="s")
    return {
        name: ask(study, picture, columns, **named)
        for name, (picture, columns, named) in PICTURES.items()
    }


@pytest.mark.made_anew
def test_every_picture_is_the_same_from_every_frame_and_file(
    source: Callable[[Any], Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DISCREET_SECRET", bytes(range(32)).hex())
    study = opened(source(COHORT), study="s")
    views = {
        name: ask(study, picture, columns, **named)
        for name, (picture, columns, named) in PICTURES.items()
    }
    assert views == expected_views()


def test_a_view_says_what_it_is_and_where_it_comes_from() -> None:
    study = looked_at(study="s")
    for picture, columns, named in PICTURES.values():
        view = ask(study, picture, columns, **named)
        assert (view.kind, view.columns, view.method) == (picture, tuple(columns), "whole")
        origin = view.origin
        assert (origin.policy, origin.regime, origin.public) == ("standard", "guarded", False)
        assert (origin.study, origin.counted) == ("s", "protected rows")
        assert origin.version is not None
        assert any(remark.startswith("the copy: ") for remark in origin.remarks)


def test_rows_of_two_views_are_of_one_copy() -> None:
    study = looked_at()

    first, second, third = study.scatter("x", "y"), study.scatter("y", "z"), study.scatter("y", "x")

    def expand(places: tuple[float, ...], sizes: tuple[int, ...]) -> list[float]:
        return sorted(p for p, size in zip(places, sizes, strict=True) for _ in range(size))

    assert (
        expand(first.y, first.size) == expand(second.x, second.size) == expand(third.x, third.size)
    )
    assert sorted(zip(third.y, third.x, strict=True)) == sorted(zip(first.x, first.y, strict=True))
    assert first.origin.version == second.origin.version


def test_open_overrides_single_fields_of_a_policy(tmp_path: Path) -> None:
    (tmp_path / "ours.toml").write_text("k = 7\nround_to = 10\n")

    study = dc.open(
        pd.DataFrame(COHORT),
        tmp_path / "ours.toml",
        study="s",
        kinds={"children": "categorical"},
        roles={"z": "sensitive"},
        unit="number",
        key="id",
    )

    policy = study.policy
    assert (policy.name, policy.k, policy.round_to) == ("ours", 7, 10)
    assert (policy.study, policy.unit, policy.key) == ("s", "number", "id")
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


@pytest.mark.parametrize("way", [pickle.dumps, copy.copy, copy.deepcopy])
def test_a_study_cannot_be_pickled_or_copied(way: Callable[[Any], Any]) -> None:
    with pytest.raises(RefusedError, match="a Study contains raw data and cannot be pickled"):
        way(opened())


# --- refusals with a way out ------------------------------------------------------------------


def test_who_it_is_is_never_drawn() -> None:
    message = "column 'id' identifies people and is never shown"
    for study in (opened(), research()):
        with pytest.raises(RefusedError, match=message):
            study.histogram("id")


# How a copy is protected, and what other plots take, is no setting of a view.
OTHER_WORDS: list[tuple[str, str, list[str], dict[str, Any]]] = [
    ("standard", "histogram", ["x"], {"k": 6}),
    ("standard", "scatter", ["x", "y"], {"method": "deterministic"}),
    ("standard", "bars", ["sex"], {"method": "none"}),
    ("standard", "residuals", ["y ~ x"], {"method": "none"}),
    ("research", "leverage", ["y ~ x"], {"noise_on": "points"}),
]


@pytest.mark.parametrize(("preset", "picture", "columns", "named"), OTHER_WORDS)
def test_a_picture_has_no_other_words(
    preset: str, picture: str, columns: list[str], named: dict[str, Any]
) -> None:
    (name,) = named
    with pytest.raises(InputError, match=f"unknown setting '{name}' here"):
        ask(by_either_door(preset=preset), picture, columns, **named)


WRONG: dict[str, tuple[str, list[Any], dict[str, Any], str]] = {
    "unknown column": ("histogram", ["xx"], {}, "there is no column 'xx'; did you mean 'x'"),
    "a column twice": ("scatter", ["x", "x"], {}, "a column is named twice"),
    "a number for a name": ("histogram", [3], {}, "name of one column as column.* given a number"),
    "a list for a name": ("histogram", [["x"]], {}, "given a list; write it without brackets"),
}


@pytest.mark.parametrize(("picture", "columns", "named", "message"), WRONG.values(), ids=WRONG)
def test_a_wrong_call_is_told_what_is_allowed(
    picture: str, columns: list[Any], named: dict[str, Any], message: str
) -> None:
    with pytest.raises(InputError, match=message):
        ask(looked_at(), picture, columns, **named)


WRONGLY_OPENED: dict[str, tuple[dict[str, Any], type[Exception], str]] = {
    "strata": (
        {"preset": "research", "strata": ["sexx"]},
        InputError,
        "names column 'sexx'; there are 'id', 'number'",
    ),
    "strata of people": (
        {"preset": "research", "strata": ["z"]},
        RefusedError,
        "column 'z' identifies people",
    ),
    "limits": ({"limits": {"xx": [0, 1]}}, InputError, "there is no column 'xx'; did you mean 'x'"),
    "limits of levels": ({"limits": {"sex": [0, 1]}}, InputError, "column 'sex' is categorical"),
    "unit": ({"unit": "person"}, InputError, "names column 'person'; there are 'id'"),
    "roles": ({"roles": {"w": "other"}}, InputError, "roles names column 'w'; there are"),
}


@pytest.mark.parametrize(
    ("fields", "error", "message"), WRONGLY_OPENED.values(), ids=WRONGLY_OPENED
)
def test_what_a_policy_names_is_in_the_table(
    fields: dict[str, Any], error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=message):
        by_either_door(**fields)


def test_research_takes_other_values_view_by_view() -> None:
    study = research()
    assert study.histogram("x", method="suppression", k=4, bins=7).parameters == {"k": 4, "bins": 7}
    limited = study.histogram("x", limits={"x": [0, 100]})
    assert isinstance(limited, dc.HistogramView)
    assert limited.edges[-1] == 100
    assert study.heatmap("x", "y", method="none", grid=9).parameters == {"grid": 9}
    assert study.scatter("x", "z", method="probabilistic", q=0.1).parameters == {"q": 0.1}
    assert study.scatter("x", "y").parameters == {"k": 3}
    assert study.scatter("x", "y", method="none").x == tuple(sorted(COHORT["x"]))
    assert study.box("x", method="none").groups[0].mean is not None
    with pytest.raises(InputError, match="there is no column 'xx'; did you mean 'x'"):
        study.histogram("x", limits={"xx": [0, 100]})


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
    "unit": ({"unit": "id"}, "histogram", ["x"], {}),
    "key": ({"key": "id"}, "scatter", ["x", "y"], {}),
    "rounding": ({"round_to": 1}, "histogram", ["x"], {}),
    "research": ({"preset": "research"}, "histogram", ["x"], {}),
    "research, raw": ({"preset": "research"}, "scatter", ["x", "y"], {"method": "none"}),
}
ALIKE: dict[str, Attempt] = {
    "again": ({}, "scatter", ["x", "y"], {}),
    "columns turned": ({}, "scatter", ["y", "x"], {}),
    "cells turned": ({}, "heatmap", ["y", "x"], {}),
    "another column": ({}, "histogram", ["z"], {}),
    "grid": ({}, "heatmap", ["x", "y"], {"grid": 15}),
    "bins": ({}, "histogram", ["x"], {"bins": 15}),
    "limits": ({"limits": {"x": [0, 100]}}, "histogram", ["x"], {}),
    "limits of another column": ({"limits": {"z": [0, 100]}}, "histogram", ["x"], {}),
    "other names": ({"name": "ours", "versions": 2}, "box", ["x", "z"], {}),
    "public": ({"public": True, "k": 7}, "heatmap", ["x", "y"], {}),
}


def tried(study: Study | dc.Research, attempt: Attempt, target: Path) -> str:
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
    preset = fields.pop("preset", "standard")
    policy = Policy.preset(preset, **fields)
    door = dc.research if preset == "research" else dc.open
    try:
        view = getattr(door(path, policy), picture)(*columns, **named)
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
    code, out, err = ran(CHILD, given)
    assert code == 0, err
    return json.loads(out)  # type: ignore[no-any-return]


@pytest.mark.slow
def test_once_something_left_nothing_leaves_under_another_policy(tmp_path: Path) -> None:
    let_leave(None, tmp_path, study="s")
    refusals = {
        other: tried(by_either_door(study="s", **attempt[0]), attempt, tmp_path / "target.json")
        for other, attempt in OTHER.items()
    }
    pinned = "must be the same as in the earlier release of"
    assert [other for other, words in refusals.items() if pinned not in words] == []
    assert len(register_of("standard").history()) == len(BEFORE)


@pytest.mark.slow
def test_what_fits_what_has_left_leaves(tmp_path: Path) -> None:
    let_leave(None, tmp_path)
    for name, alike in ALIKE.items():
        assert tried(opened(**alike[0]), alike, tmp_path / "target.json") == "left", name


def test_every_form_is_refused_and_nothing_is_written(tmp_path: Path) -> None:
    let_leave(None, tmp_path)
    before = sorted(path.name for path in tmp_path.iterdir())
    view = opened(k=6).histogram("x")

    leaving: list[Callable[[], object]] = [
        *(partial(view.save, tmp_path / f"view{form}") for form in FORMS),
        lambda: view.plot().savefig(tmp_path / "view.png"),
        view.to_json,
        lambda: pickle.dumps(view),
        lambda: copy.deepcopy(view),
    ]
    for leave in leaving:
        with pytest.raises(LeavingError, match="'k' must be the same as in"):
            leave()
    assert sorted(path.name for path in tmp_path.iterdir()) == before
    assert len(register_of("standard").history()) == len(BEFORE)


# A process takes seconds, and how a source is read is no matter of processes. Nor is what a policy
# is refused for: what has left is read from the register in either.
@pytest.mark.slow
def test_nothing_leaves_under_another_policy_in_a_new_process(tmp_path: Path, file_of: Any) -> None:
    let_leave(pl.DataFrame(COHORT), tmp_path)
    path, reader = file_of(tmp_path / "cohort.parquet", COHORT), "polars.read_parquet"
    few = ("k, of rows", "unit", "rounding", "research")
    attempts = {name: OTHER[name] for name in few} | {"again": ALIKE["again"]}
    outcomes = tried_in_a_new_process(attempts, path, reader, tmp_path / "target.json")
    assert outcomes.pop("again") == "left"
    assert [name for name, words in outcomes.items() if "must be the same as in" not in words] == []


@pytest.mark.slow
def test_a_frame_without_a_name_is_recognised_by_any_of_its_columns(tmp_path: Path) -> None:
    let_leave(None, tmp_path)
    order = np.random.default_rng(1).permutation(N)
    same = {name: [values[i] for i in order] for name, values in reversed([*COHORT.items()])}
    part = {name: same[name] for name in ("z", "sex")}
    attempt: Attempt = ({}, "histogram", ["z"], {})
    for columns, alike in ((same, "left"), (part, "another copy of the whole table was released")):
        refusal = tried(opened(pl.DataFrame(columns), k=6), attempt, tmp_path / "target.json")
        assert "'k' must be the same as in the earlier release of the same data" in refusal
        said = tried(opened(pl.DataFrame(columns)), attempt, tmp_path / "target.json")
        assert said.startswith(alike)


# --- public data and research -----------------------------------------------------------------


@pytest.mark.slow
def test_public_data_are_pinned_by_nothing(tmp_path: Path, own_home: Path) -> None:
    for k in (5, 6, 7):
        opened(public=True, k=k).scatter("x", "y").save(tmp_path / f"{k}.svg")
    assert not (own_home / ".local/state/discreet").exists()
    assert register_of("standard").history() == []
    assert "public" in (tmp_path / "5.svg").read_text()


@pytest.mark.parametrize(("first", "second"), [("standard", "research"), ("research", "standard")])
def test_standard_and_research_of_the_same_data_refuse_each_other(
    first: str, second: str, tmp_path: Path
) -> None:
    by_either_door(preset=first).histogram("x").save(tmp_path / "a.svg")
    attempt: Attempt = ({}, "histogram", ["z"], {})
    target = tmp_path / "t.json"
    assert "'regime' must be the same as in" in tried(
        by_either_door(preset=second), attempt, target
    )
    assert tried(by_either_door(preset=first), attempt, target) == "left"
    assert tried(by_either_door(preset=second, public=True), attempt, target) == "left"


OTHER_WAYS: dict[str, tuple[Callable[[dc.Research], dc.View], str]] = {
    "another k": (lambda it: it.scatter("x", "y", k=4), r"way of protecting rows .*istic, k = 3, "),
    "the records": (lambda it: it.scatter("x", "y", method="none"), "way of protecting rows"),
    "another k of counts": (lambda it: it.histogram("x", k=4), r"least count .* \(k = 3\)"),
    "another k of clusters": (lambda it: it.parallel(["x", "y"], k=4), "way of making clusters"),
}


@pytest.mark.slow
def test_one_method_and_k_alone_leaves_of_the_same_data(tmp_path: Path) -> None:
    for number, public in enumerate((False, True)):
        study = research(study="public" if public else "first", public=public)
        for draw in (study.scatter("x", "y"), study.histogram("x"), study.parallel(["x", "y"])):
            draw.save(tmp_path / f"{number}.svg")
    for draw_other, words in OTHER_WAYS.values():
        for other in ("first", "second"):
            with pytest.raises(LeavingError, match=rf"{words}.*public=True \(--public\)"):
                draw_other(research(study=other)).save(tmp_path / "other.svg")
    draw_other(research(study="public", public=True)).save(tmp_path / "other.svg")
    methods = ["deterministic", "suppression", "k-member"]
    assert [entry["method"] for entry in register_of("research").history()] == methods


def part_of(share: float) -> pa.Table:
    """Return so large a part of the cohort."""
    table = pa.table(COHORT)
    return table.slice(0, int(share * table.num_rows))


@pytest.mark.slow
def test_of_a_part_of_the_persons_no_other_way_leaves(tmp_path: Path) -> None:
    research(study="all").scatter("x", "y").save(tmp_path / "a.svg")
    part = research(part_of(0.6), study="part")
    with pytest.raises(LeavingError, match=r"way of protecting rows must .*as study 'all'"):
        part.scatter("x", "y", k=4).save(tmp_path / "b.svg")
    with pytest.raises(LeavingError, match="a protected copy, and what the papers' methods make"):
        opened(part_of(0.6), study="copy").histogram("x").save(tmp_path / "c.svg")
    part.scatter("x", "y").save(tmp_path / "b.svg")
    research(pa.table(cohort(2)), study="others").scatter("x", "y", k=4).save(tmp_path / "d.svg")


@pytest.mark.slow
def test_a_new_version_is_no_way_round_it(tmp_path: Path) -> None:
    study = research(study="s")
    study.scatter("x", "y").save(tmp_path / "a.svg")
    changed = research(pa.table({**COHORT, "x": [it + 1 for it in COHORT["x"]]}), study="s")
    changed.new_version()
    with pytest.raises(LeavingError, match="way of protecting rows must be the same as in"):
        changed.scatter("x", "y", k=4).save(tmp_path / "b.svg")
    changed.scatter("x", "y").save(tmp_path / "b.svg")


TABLES_BESIDE: dict[str, tuple[dict[str, Any], dict[str, Any], str]] = {
    "other regions": (
        {"method": "equal_width", "c": 5},
        {"method": "equal_width", "c": 6},
        "c = 5",
    ),
    "other strata": (
        {"k": 8},
        {"k": 8, "drop": ["sex"]},
        "strata of tables must be the same as in",
    ),
}


@pytest.mark.parametrize(("first", "second", "words"), TABLES_BESIDE.values(), ids=TABLES_BESIDE)
def test_one_grouping_of_the_records_alone_leaves(
    first: dict[str, Any], second: dict[str, Any], words: str, tmp_path: Path
) -> None:
    study = research(study="s")
    study.round(["x", "y"], **first).save(tmp_path / "a.csv")
    with pytest.raises(LeavingError, match=words):
        study.round(["x", "y"], **second).save(tmp_path / "b.csv")
    study.round(["x", "y"], **first).save(tmp_path / "b.csv")


# --- changed data, and versions ---------------------------------------------------------------


def changed(rows: int) -> dict[str, list[Any]]:
    """Change so many values of x."""
    values = [value + 1 if i < rows else value for i, value in enumerate(COHORT["x"])]
    return {**COHORT, "x": values}


@pytest.mark.slow
def test_changed_data_leave_with_a_new_version_alone(tmp_path: Path, file_of: Any) -> None:
    path = file_of(tmp_path / "cohort.csv", COHORT)
    let_leave(path, tmp_path)
    old = dc.open(path).scatter("x", "y")
    file_of(path, changed(80))
    for picture, columns, named in BEFORE:
        refusal = tried(dc.open(path), ({}, picture, columns, named), tmp_path / "t.json")
        assert "the data of study 'cohort.csv' have changed" in refusal
    assert dc.protect(path).new_version() == 2
    new = dc.open(path).scatter("x", "y")
    assert new.origin.version != old.origin.version
    assert tried(dc.open(path), ({}, *BEFORE[0]), tmp_path / "t.json") == "left"
    assert [entry["version"] for entry in register_of("standard").history()] == [1, 1, 1, 1, 2]


def test_who_a_row_belongs_to_is_part_of_the_data(tmp_path: Path) -> None:
    fields: dict[str, Any] = {"study": "s", "key": "id"}
    opened(**fields).histogram("x").save(tmp_path / "a.json")
    other = pa.table({**COHORT, "id": ["Q", *COHORT["id"][1:]]})
    attempt: Attempt = ({}, "histogram", ["x"], {})
    assert "have changed" in tried(opened(other, **fields), attempt, tmp_path / "t.json")


@pytest.mark.slow
def test_a_version_opens_when_a_column_is_gone_or_turned_into_words(tmp_path: Path) -> None:
    let_leave(None, tmp_path, study="s")
    gone = {name: values for name, values in changed(N).items() if name != "y"}
    words = {**COHORT, "y": [f"Canary {value}" for value in COHORT["y"]]}
    assert dc.Protected(opened(pa.table(gone), study="s")).new_version() == 2
    opened(pd.DataFrame(gone), study="s").scatter("x", "z").save(tmp_path / "b.json")
    assert dc.Protected(opened(pd.DataFrame(words), study="s")).new_version() == 3


# --- several processes, and a broken register ---------------------------------------------------


@pytest.mark.slow
def test_without_a_register_nothing_leaves_but_looking_is_free(
    tmp_path: Path, own_home: Path
) -> None:
    state = own_home / ".local/state/discreet"
    state.mkdir(parents=True)
    (state / "register.sqlite").write_bytes(b"rubbish" * 999)
    for study in (opened(study="s"), opened()):
        for picture, columns, named in BEFORE:
            view = ask(study, picture, columns, **named)
            assert view.plot()
            with pytest.raises(LeavingError, match="nothing can be released"):
                view.save(tmp_path / "t.json")
    assert list(tmp_path.iterdir()) == []
    assert opened(public=True).histogram("x").save(tmp_path / "t.json")


# --- where things lie -------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.made_anew
def test_beside_a_policy_file_lie_its_register_and_copies(tmp_path: Path, own_home: Path) -> None:
    policy = tmp_path / "ours.toml"
    policy.write_text("round_to = 10\n")

    study = dc.open(pa.table(COHORT), policy, study="s")
    study.scatter("x", "y").save(tmp_path / "a.svg")

    hidden = tmp_path / ".discreet"
    names = sorted(path.name.split("-")[0] for path in hidden.iterdir())
    assert names == ["register.key", "register.sqlite", "whole", "whole", "whole"]
    if os.name == "posix":
        assert stat.S_IMODE(hidden.stat().st_mode) == 0o700
        assert {stat.S_IMODE(path.stat().st_mode) for path in hidden.iterdir()} == {0o600}
    assert not (own_home / ".local/state/discreet").exists()
    assert register_of(policy).history()[0]["study"] == "s"
    with pytest.raises(LeavingError, match="'k' must be the same as in"):
        dc.open(pa.table(COHORT), policy, study="s", k=6).histogram("x").save(tmp_path / "b.svg")
    # the next study reads the copy
    stored = hidden / f"whole-{study.session.kept.copy.version}.parquet"
    rows = pq.read_table(stored)
    again = dc.open(pa.table(COHORT), policy, study="s").scatter("x", "y")
    assert again.origin.total == rows.num_rows
    assert set(again.x) <= set(rows["x"].to_pylist())


# --- levels, lines and models -----------------------------------------------------------------

Floats = NDArray[np.float64]


def wards(n: int = N) -> dict[str, list[Any]]:
    """Add levels of known sizes to the cohort: 90 a, 60 b, 40 c, 8 rare and 2 alone; no chance."""
    ward = ["a"] * 90 + ["b"] * 60 + ["c"] * 40 + ["rare"] * 8 + ["alone"] * 2
    return {**COHORT, "ward": ward[:n], "half": ["p", "q"] * (n // 2)}


WARDS = wards()


def hospital(**fields: Any) -> Study:
    """Open the cohort with its wards."""
    return opened(pa.table(WARDS), **fields)


def line(x: Floats, y: Floats, weights: Floats | None = None) -> tuple[float, float]:
    """Return slope and intercept of least squares."""
    slope, intercept = np.polyfit(x, y, 1, w=None if weights is None else np.sqrt(weights))
    return float(slope), float(intercept)


@pytest.mark.slow
def test_the_raw_trend_is_drawn_under_research_alone() -> None:
    view = research().scatter("x", "y", trend=True)
    drawn, raw = view.trends
    assert (drawn.of, raw.of) == ("what is drawn", "raw records")
    expected = line(np.array(COHORT["x"]), np.array(COHORT["y"]))
    assert (raw.slope, raw.intercept) == pytest.approx(expected, rel=1e-9)
    for preset in ("standard", "datashield", "sacro", "opensafely"):
        guarded = opened(preset=preset).scatter("x", "y", trend=True)
        assert [trend.of for trend in guarded.trends] == ["what is drawn"]


# --- models -----------------------------------------------------------------------------------

MODEL = "y ~ x"


def centroids(points: Floats, k: int) -> Floats:
    """Do as the 2021 paper does: the mean of the k nearest, stretched to the spread there was."""
    sd = points.std(axis=0, ddof=1)
    standard = (points - points.mean(axis=0)) / sd
    away = ((standard[:, None] - standard[None]) ** 2).sum(axis=2)
    means = standard[np.argsort(away, axis=1, kind="stable")[:, :k]].mean(axis=1)
    stretched: Floats = means / means.std(axis=0, ddof=1) * sd + points.mean(axis=0)
    return stretched


ASKED: dict[str, tuple[Callable[[Any], object], type[Exception], str]] = {
    "bars by people": (lambda s: s.bars("ward", by="id"), RefusedError, "'id' identifies"),
    "by numbers": (lambda s: s.histogram("x", by="z"), InputError, "'z' is continuous; levels"),
    "by nobody": (lambda s: s.heatmap("x", "y", by="war"), InputError, "did you mean 'ward'"),
    "terms that depend": (
        lambda s: s.residuals("y ~ x + I(2 * x)"),
        RefusedError,
        "constant or follows from the others",
    ),
}
ASKED_OF_PAPERS: dict[str, tuple[Callable[[Any], object], type[Exception], str]] = {
    "cells have no level": (
        lambda s: s.scatter("x", "y", by="half", method="suppression"),
        InputError,
        "a scatter plot by 'suppression' has no rows to colour; draw a heat map with by=",
    ),
    "edges of nobody": (
        lambda s: s.histogram("x", edges={"xx": [0, 50]}),
        InputError,
        "there is no column 'xx'",
    ),
    "noise of centroids": (
        lambda s: s.qq(MODEL, noise_on="variable"),
        InputError,
        "noise_on is for methods 'probabilistic', 'multiplicative'",
    ),
}


@pytest.mark.parametrize("name", [*ASKED, *ASKED_OF_PAPERS])
def test_what_has_no_answer_is_refused(name: str) -> None:
    of_papers = name in ASKED_OF_PAPERS
    call, error, message = (ASKED_OF_PAPERS if of_papers else ASKED)[name]
    door = research(pa.table(WARDS)) if of_papers else looked_at(pa.table(WARDS))
    with pytest.raises(error, match=message) as refused:
        call(door)
    assert type(refused.value) is error
    assert "\n" not in str(refused.value)


def test_the_views_of_levels_leave_by_the_gate_too(tmp_path: Path) -> None:
    hospital(study="s").histogram("x").save(tmp_path / "a.json")
    views = hospital(study="s", k=6).histogram("x", by="half")
    for view in (views, *views.views):
        with pytest.raises(LeavingError, match="'k' must be the same as in"):
            view.to_json()
        with pytest.raises(LeavingError, match="'k' must be the same as in"):
            view.save(tmp_path / "view.svg")
    assert [path.name for path in tmp_path.iterdir()] == ["a.json"]


# What a formula may be is tested where it is read; here, that either door says it.
FORMULAS: dict[str, str] = {
    "y ~ X": "did you mean 'x'",
    "sex ~ x": "the outcome must be one continuous column",
    "y ~ __import__('os').system('true')": "the sign",
    "y ~ " + "(" * 400: "nested too deeply",
    "y ~ " + "x + " * 1000: "the formula is too long",
}


@pytest.mark.parametrize("preset", ["standard", "research"])
def test_a_formula_that_is_none_is_refused(preset: str) -> None:
    study = by_either_door(preset=preset)
    for formula, message in FORMULAS.items():
        with pytest.raises(InputError, match=message):
            study.residuals(formula)


def test_an_identifier_is_no_term() -> None:
    for preset in ("standard", "research"):
        for formula in ("y ~ id", "y ~ x + C(id)"):
            with pytest.raises(RefusedError, match="column 'id' identifies people"):
                by_either_door(preset=preset).leverage(formula)


NAMES = ("{x}", "__import__('os')", "1")


@pytest.mark.parametrize("name", NAMES)
def test_a_column_of_any_name_is_a_term_between_backticks(name: str) -> None:
    table = pa.table({"y": COHORT["y"], name: COHORT["x"]})
    plain = pa.table({"y": COHORT["y"], "x": COHORT["x"]})
    study = opened(table)
    view = study.residuals(f"y ~ `{name}`")
    intercept, slope = view.coefficients
    assert (intercept, name in slope) == ("Intercept", True)
    raw = research(table).qq(f"y ~ `{name}`", method="none")
    expected = research(plain).qq("y ~ x", method="none")
    assert (raw.x, raw.y) == (expected.x, expected.y)
    assert [*raw.coefficients.values()] == [*expected.coefficients.values()]
