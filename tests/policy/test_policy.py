"""The custodian's rules: read, written, kept, and asked."""

import copy
import dataclasses
import json
import math
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from discreet.errors import InputError, RefusedError
from discreet.methods import ROW_NAMES, Condensation, Deterministic, Probabilistic, Rounding
from discreet.plots import PLOTS, How, Plot, PlotRequest
from discreet.plots.bars import BarChart
from discreet.plots.heatmap import HeatMap
from discreet.plots.histogram import HistogramPlot
from discreet.plots.parallel import ParallelPlot
from discreet.policy import (
    FIELDS,
    PAPER_FIELDS,
    PRESETS,
    PaperSettings,
    Policy,
    load_policy,
    settle,
)
from discreet.use import is_audience

STANDARD = Policy.preset("standard")
RESEARCH = Policy.preset("research")
ROWS = ("deterministic", "probabilistic", "condensation", "microaggregation", "rounding")
OF_PICTURES = {
    **{plot: "rows" for plot, it in PLOTS.items() if it.method == "rows"},
    "histogram": "suppression",
    "heatmap": "generalization",
    "contour": "generalization",
    "box": "suppression",
    "bars": "none",
    "crosstab": "none",
    "parallel": "k-member",
    "survival": "none",
    "over_time": "none",
}
METHODS_OF = {name: plot.methods for name, plot in PLOTS.items()}
INF = math.inf

# --- presets ---------------------------------------------------------------------------------

# What the issue and the papers fix; whatever a preset does not name is as in NOT_SET.
NOT_SET: dict[str, Any] = {
    "left_out": 0.2,
    "limits": {},
    "bounds": {},
    "residual_df": 10,
    "kinds": {},
    "roles": {},
    "public": False,
    "versions": 4,
    "copy": "browser",
    "copy_rows": 300_000,
    "copy_bytes": 30_000_000,
    "combine": True,
    "private_files": True,
    "missing_values": {},
    "dates": {},
    "ordered": {},
}
OF_PAPERS: dict[str, Any] = {
    "method": "deterministic",
    "q": 0.25,
    "metric": "euclidean",
    "ties": "keyed",
    "bins": 20,
    "grid": 30,
    "pixels": 400,
    "strata": [],
    "edges": {},
    "outside": "reflect",
    "far_noise": "even",
    "missing": "complete",
    "missing_levels": "complete",
    "hierarchies": {},
    "most_suppressed": 0.1,
    "diversity": 1,
    "closeness": 1.0,
}
AS_PRESET: dict[str, dict[str, Any]] = {
    "standard": {"name": "standard", "k": 5, "round_to": 5},
    "datashield": {"name": "datashield", "k": 3, "round_to": 1},
    "sacro": {"name": "sacro", "k": 10, "round_to": 1, "residual_df": 10},
    "opensafely": {"name": "opensafely", "k": 8, "round_to": 5},
    "research": {"name": "research", "k": 3, "round_to": 1, "residual_df": 1, "papers": OF_PAPERS},
}


@pytest.mark.parametrize("name", PRESETS)
def test_a_preset_is_what_it_says(name: str) -> None:
    policy = Policy.preset(name)
    assert policy.to_dict() == NOT_SET | AS_PRESET[name]
    assert policy.fixed == (name != "research")
    assert (policy == Policy()) == (name == "standard")
    assert Policy.preset(name, k=7) == policy.changed(k=7) != policy
    if policy.fixed:
        assert (policy.rows_by, policy.members) == ("whole", 4 * policy.k)
        assert (policy.regime, policy.papers) == ("guarded", None)
        assert policy.settings()["m"] == policy.copy_settings()["m"] == 4 * policy.k
        assert settle(policy, BarChart("sex")).how.k == policy.k


def test_a_guarded_policy_has_nothing_of_the_papers_methods() -> None:
    for name, field in PAPER_FIELDS.items():
        value = 3 if field.default is None else field.default
        with pytest.raises(InputError, match=rf"^the policy has no key '{name}'; .*papers="):
            STANDARD.changed(**{name: value})
        with pytest.raises(RefusedError, match=rf"^{name} is of the papers' methods"):
            STANDARD.allowed(**{name: value})
        assert STANDARD.allowed(**{name: None}) == STANDARD


@pytest.mark.parametrize("method", ROW_NAMES)
def test_a_row_method_has_one_name(method: str) -> None:
    policy = RESEARCH.changed(papers={"method": method})
    found = policy.row_method()
    assert Policy.from_dict(policy.to_dict()) == policy
    assert RESEARCH.changed(papers={"method": "base"}).changed(papers={"method": method}) == policy
    assert found.name == policy.rows_by
    if isinstance(found, Rounding):
        assert found.method == method.replace("-", "_")


def test_rows_of_the_papers_are_those_of_the_method_that_is_named() -> None:
    plain = Policy(papers=PaperSettings())
    assert (RESEARCH.rows_by, plain.rows_by) == ("deterministic", "condensation")
    assert (RESEARCH.regime, plain.regime, plain.k) == ("research", "research", 5)
    with pytest.raises(InputError, match=r"^papers\.method of the policy must be one of 'determin"):
        RESEARCH.changed(papers={"method": "whole"})


def test_settings_of_the_papers_are_changed_one_by_one() -> None:
    some = Policy.preset("research", papers={"q": 0.5})
    more = some.changed(papers={"bins": 9, "q": None})
    assert (some.of_papers.method, some.of_papers.q) == ("deterministic", 0.5)
    assert more.papers == dataclasses.replace(some.of_papers, bins=9)
    assert Policy.preset("research", papers=more.papers) == more
    with pytest.raises(InputError, match=r"^the table papers of the policy has no key 'bin'; did"):
        RESEARCH.changed(papers={"bin": 9})


# --- keys and rules --------------------------------------------------------------------------


UNKNOWN = {
    "roundto": "did you mean 'round_to'",
    "Limits": "did you mean 'limits'",
    "cohort": "there are 'k', 'round_to', 'papers', 'public', 'm'",
    "folder": "the policy has no key 'folder'",
    "file": "the policy has no key 'file'",
}


@pytest.mark.parametrize(("key", "hint"), UNKNOWN.items())
def test_an_unknown_key_is_refused_by_name(key: str, hint: str) -> None:
    for make in (Policy.from_dict, lambda given: STANDARD.changed(**given)):
        with pytest.raises(InputError, match=f"^the policy has no key '{key}'; ") as told:
            make({key: 3})
        assert hint in str(told.value)


# What breaks a rule of guarded policies, and what just does not.
RULES: list[tuple[dict[str, Any], dict[str, Any], str]] = [
    ({"k": 2}, {"k": 3}, "^k of a guarded policy must be at least 3$"),
    ({"round_to": 11}, {"round_to": 10}, "^round_to of a guarded policy must be at most 2 k"),
    ({"k": 3, "round_to": 7}, {"k": 3, "round_to": 6}, "^round_to .* must be at most 2 k"),
    ({"residual_df": 9}, {"residual_df": 10}, "^residual_df .* must be at least 10$"),
]


@pytest.mark.parametrize(("broken", "kept", "message"), RULES)
def test_what_a_guarded_policy_may_not_be_and_what_it_just_may(
    broken: dict[str, Any], kept: dict[str, Any], message: str
) -> None:
    for make in (partial(Policy.preset, "standard"), STANDARD.changed):
        with pytest.raises(InputError, match=message):
            make(**broken)
        assert {name: getattr(make(**kept), name) for name in kept} == kept
    assert Policy.preset("research", **broken).regime == "research"


UNFIT: dict[str, tuple[dict[str, Any], str]] = {
    "limits and edges of a column": (
        {"limits": {"age": [0, 120]}, "papers": {"edges": {"age": [0, 40, 120]}}},
        "^a column has limits or edges in the policy, not both$",
    ),
    "rows rounded by a class": (
        {"papers": {"method": "mdlp"}},
        r"^papers\.method of the policy must be one of 'deterministic', 'probabilistic', 'multi",
    ),
    "regions that have no use": (
        {"papers": {"method": "vmdav", "c": 5}},
        "^'vmdav' groups rows by k alone and does not use c$",
    ),
}


def test_fields_fit_together() -> None:
    for fields, message in UNFIT.values():
        with pytest.raises(InputError, match=message):
            Policy.preset("research", **fields)


def test_none_leaves_a_field_as_it_is() -> None:
    policy = STANDARD.changed(k=9, unit="patient", limits={"age": [0, 120]})
    assert policy.changed(k=None, unit=None, limits=None) == policy
    assert policy.changed(k=12).unit == "patient"
    assert STANDARD.k == 5


# --- TOML ------------------------------------------------------------------------------------

text = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=8)
number = st.floats(-1e300, 1e300) | st.integers(-(10**20), 10**20)
ends = st.tuples(number, number).filter(lambda pair: pair[0] < pair[1]).map(list)


end = number | st.just(INF) | st.just(-INF)
open_ends = st.tuples(end, end).filter(lambda pair: pair[0] < pair[1]).map(list)
rising = st.lists(number, min_size=2, max_size=9, unique_by=float).map(lambda edges: sorted(edges))


BY_REGIONS = ("equal-width", "equal-frequency")
OF_PAPERS_DRAWN: dict[str, st.SearchStrategy[Any]] = {
    "q": st.floats(0, 100),
    "method": st.sampled_from([*ROWS, *BY_REGIONS]),
    "metric": st.sampled_from(["euclidean", "mahalanobis"]),
    "c": st.integers(1, 10**6),
    "strata": st.lists(text, unique=True, max_size=8),
    "ties": st.sampled_from(["keyed", "tree"]),
    "far_noise": st.sampled_from(["even", "by-distance"]),
    "outside": st.sampled_from(["keep", "reflect", "clip"]),
    "missing": st.sampled_from(["complete", "median", "mean"]),
    "missing_levels": st.sampled_from(["complete", "level", "drawn"]),
    "hierarchies": st.dictionaries(text, st.lists(st.lists(text, min_size=2)), max_size=2),
    "most_suppressed": st.floats(0, 1) | st.integers(0, 1),
    "diversity": st.integers(1, 1000),
    "closeness": st.floats(0, 1) | st.integers(0, 1),
    "bins": st.integers(2, 1000),
    "grid": st.integers(2, 1000),
    "pixels": st.integers(1, 10).map(lambda n: 50 * n),
}


def fitting(given: dict[str, Any]) -> dict[str, Any]:
    """Leave out a number of regions where rows are rounded without one."""
    if given.get("method") == "rounding":
        given.pop("c", None)
    return given


OF_COLUMNS: dict[str, st.SearchStrategy[Any]] = {
    "tables": st.lists(st.lists(text, min_size=2, max_size=2, unique=True), max_size=3),
    "labels": st.dictionaries(text.filter(str.strip), text.filter(str.strip), max_size=2),
    "withhold": st.lists(text, max_size=3),
    "dates": st.dictionaries(text, st.sampled_from(["%d/%m/%Y", "%Y%m%d"]), max_size=2),
    "derive": st.dictionaries(text.filter(str.strip), text.filter(str.strip), max_size=2),
    "missing_values": st.dictionaries(
        text, st.lists(st.integers(-9999, 9999), unique=True, max_size=3), max_size=2
    ),
}


COUNTS_OF_SERVER = ("copy_rows", "copy_bytes")


@st.composite
def policies(draw: st.DrawFn) -> dict[str, Any]:
    """Draw the plain values of a policy that is allowed."""
    guarded = draw(st.booleans())
    k = draw(st.integers(3 if guarded else 1, 10**6))
    limits = draw(st.dictionaries(text, ends, max_size=3))
    edges = draw(st.dictionaries(text, rising, max_size=3))
    fields: dict[str, st.SearchStrategy[Any]] = {
        "name": text,
        "k": st.just(k),
        "m": st.just(10**6),  # at least k, whichever that is
        "left_out": st.sampled_from([0.1, 0.2, 0.5]),
        **OF_COLUMNS,
        "round_to": st.integers(1, min(2 * k, 1000) if guarded else 1000),
        **dict.fromkeys(("public", "private_files", "combine"), st.booleans()),
        "audience": text.filter(is_audience),
        "until": st.dates().map(str),
        "limits": st.just(limits),
        "bounds": st.dictionaries(text, open_ends, max_size=3),
        "residual_df": st.integers(10 if guarded else 1, 10**6),
        "ordered": st.dictionaries(text, st.lists(text, unique=True), max_size=2),
        "kinds": st.dictionaries(text, st.sampled_from(["continuous", "categorical"]), max_size=3),
        "roles": st.dictionaries(text, st.sampled_from(["identifier", "sensitive"]), max_size=3),
        **dict.fromkeys(("unit", "key", "study"), text),
        "versions": st.integers(1, 100),
        "copy": st.sampled_from(["browser", "served"]),
        **dict.fromkeys(COUNTS_OF_SERVER, st.integers(1, 10**6)),
    }
    optional = {name: drawn for name, drawn in fields.items() if name != "k"}
    found = draw(st.fixed_dictionaries({"k": fields["k"]}, optional=optional))
    if not guarded:
        fitted = {name: of for name, of in edges.items() if name not in found.get("limits", {})}
        own = OF_PAPERS_DRAWN | {"edges": st.just(fitted)}
        found["papers"] = fitting(draw(st.fixed_dictionaries({}, optional=own)))
    return found


@given(policies())
def test_plain_values_and_a_file_come_back(
    tmp_path_factory: pytest.TempPathFactory, given: dict[str, Any]
) -> None:
    policy = Policy.from_dict(given)
    path = tmp_path_factory.mktemp("policy") / "discreet.toml"
    path.write_text(policy.to_toml(), encoding="utf-8")
    assert Policy.load(path) == Policy.from_dict(policy.to_dict()) == policy.changed() == policy
    told, own = policy.to_dict(), given.pop("papers", {})
    assert {key: told[key] for key in given} == given
    assert {key: told["papers"][key] for key in own} == own
    # Bounds without an end, too.
    assert json.dumps([policy.settings(), policy.copy_settings()], allow_nan=False)


def written(tmp_path: Path, toml: str, name: str = "cohort.toml") -> Path:
    path = tmp_path / name
    path.write_text(toml, encoding="utf-8")
    return path


LOADED: dict[str, tuple[str, Policy]] = {
    "nothing": ("", STANDARD.changed(name="cohort")),
    "some fields": (
        'k = 8\nunit = "patient"\n[limits]\nage = [0, 120]\n',
        STANDARD.changed(name="cohort", k=8, unit="patient", limits={"age": (0, 120)}),
    ),
    "a preset and fields": (
        'preset = "research"\nk = 4\nname = "simulated"\n[papers]\nbins = 9\n',
        RESEARCH.changed(name="simulated", k=4, papers={"bins": 9}),
    ),
    "settings of the papers alone": (
        'papers.method = "equal-width"\n',
        Policy(name="cohort", papers=PaperSettings(method="equal-width")),
    ),
    "open bounds, letters of all sorts": (
        'study = "Größe, 名"\n[bounds]\ntime = [0, inf]\n',
        STANDARD.changed(name="cohort", study="Größe, 名", bounds={"time": (0, INF)}),
    ),
}


@pytest.mark.parametrize(("toml", "policy"), LOADED.values(), ids=LOADED)
def test_what_a_file_leaves_out_is_that_of_its_preset(
    tmp_path: Path, toml: str, policy: Policy
) -> None:
    path = written(tmp_path, toml)
    for found in (Policy.load(path), load_policy(path), load_policy(str(path))):
        assert found == policy
        assert found.folder == tmp_path.resolve()


def test_the_folder_is_no_part_of_the_value(tmp_path: Path) -> None:
    policy = Policy.load(written(tmp_path, ""))
    assert policy == STANDARD.changed(name="cohort")
    assert "folder" not in policy.to_dict()
    assert str(tmp_path) not in repr(policy)
    assert policy.changed(k=7).folder == tmp_path.resolve()
    assert policy.changed(k=7).file == policy.file
    assert "file" not in policy.to_dict()
    assert STANDARD.folder is None


UNLOADABLE: dict[str, tuple[bytes, str]] = {
    "no TOML": (b"k is 5, for canary", "is not TOML: TOMLDecodeError at line 1, column 3$"),
    "another encoding": ('name = "canary é"'.encode("latin-1"), "not TOML: UnicodeDecodeError$"),
    "an unknown table": (b"[kind]\nage = 'continuous'", "no key 'kind'; did you mean 'kinds'"),
    "an unknown preset": (b"preset = 'strict'", "^there is no preset 'strict'; there are 'standar"),
    "a preset that is a number": (b"preset = 3", "^there is no preset 3; there are"),
    "a date": (b"study = 2020-01-01", "^study of the policy must be a name$"),
    "a rule": (b"k = 2", "^k of a guarded policy must be at least 3$"),
}


def test_what_is_no_policy_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "cohort.toml"
    for content, message in UNLOADABLE.values():
        path.write_bytes(content)
        with pytest.raises(InputError, match=message) as told:
            Policy.load(path)
        assert "canary" not in str(told.value)
        assert told.value.__cause__ is None
    with pytest.raises(InputError, match=r"^there is no policy file '.*none.toml'$"):
        Policy.load(tmp_path / "none.toml")
    with pytest.raises(InputError, match=r"cannot be read \(IsADirectoryError\); whoever"):
        Policy.load(tmp_path)


def test_a_policy_is_given_as_itself_by_name_or_as_a_file() -> None:
    assert load_policy(STANDARD) is STANDARD
    assert load_policy("research") == RESEARCH
    wrong: list[Any] = ["strict", "discreet.json", "", 5, None, Path("standard.tml")]
    for it in wrong:
        with pytest.raises(InputError, match=r"^policy must be a Policy, the path of a \.toml fil"):
            load_policy(it)


# --- asking ----------------------------------------------------------------------------------

GUARDED = Policy.from_dict({"k": 7, "limits": {"age": [0, 120]}})


def settled(
    policy: Policy, name: str, *, method: Any = None, k: Any = None, q: Any = None, **asked: Any
) -> PlotRequest:
    """Settle a plot of column a, or of a and b."""
    return settle(policy, plot_of(name, **asked), method=method, k=k, q=q)


def plot_of(name: str, **asked: Any) -> Plot[Any]:
    """Ask for a plot of column a, or of a and b."""
    plot: Any = PLOTS[name]
    made: Plot[Any] = (
        plot("a ~ b", **asked) if plot.kind() == "formula" else plot.of_columns("ab", **asked)
    )
    return made


def value_of(request: PlotRequest, name: str) -> Any:
    """Return a number of a settled plot."""
    return getattr(request.how if name in ("k", "q") else request.plot, name)


def test_a_guarded_policy_has_one_value_of_each_number() -> None:
    plain = settled(GUARDED, "histogram")
    assert settled(GUARDED, "histogram", k=7, limits={"age": (0.0, 120.0)}) == plain
    others: list[dict[str, Any]] = [{"k": k} for k in (3, 6, 8, 70)]
    others += [{"limits": it} for it in ({}, {"age": [0, 121]}, {"age": [0, 120], "bmi": [0, 1]})]
    for other in others:
        (name,) = other
        with pytest.raises(
            RefusedError, match=rf"^{name} is fixed when .* policy\.changed\({name}"
        ):
            settled(GUARDED, "histogram", **other)
    for policy, wrong in ((GUARDED, {"k": 0}), (RESEARCH, {"k": 0}), (RESEARCH, {"bins": 1})):
        with pytest.raises(InputError, match=r"^(k|papers\.bins) of the policy must be a whole n"):
            settled(policy, "histogram", **wrong)
    # What no guarded policy may have.
    request = settle(RESEARCH, HistogramPlot("a", bins=2), method="probabilistic", k=1, q=0)
    assert (request.how.k, request.how.q, request.plot.get("bins")) == (1, 0, 2)


def kept(name: str, value: Any) -> Any:
    """Return a number as a policy or a request keeps it."""
    return {**FIELDS, **PAPER_FIELDS}[name].rule.freeze(value)


VALUE: dict[str, Any] = {
    "k": 4,
    "q": 0.3,
    "bins": 9,
    "grid": 9,
    "limits": {"a": [0, 1]},
    "edges": {"a": [0, 1]},
}
# Which numbers each plot has a use for, by the method that draws it; k is used by all.
USES: dict[str, tuple[str, str, set[str]]] = {
    "histogram by larger bins": ("histogram", "generalization", {"bins", "limits", "edges"}),
    "histogram by hidden bins": ("histogram", "suppression", {"bins", "limits", "edges"}),
    "histogram of noise": ("histogram", "probabilistic", {"q", "bins", "limits", "edges"}),
    "histogram of centroids": ("histogram", "deterministic", {"bins", "limits", "edges"}),
    "scatter of centroids": ("scatter", "deterministic", set()),
    "scatter of noise": ("scatter", "probabilistic", {"q"}),
    "scatter of cells": ("scatter", "generalization", {"grid", "limits"}),
    "scatter of raw points": ("scatter", "none", set()),
    "heat map": ("heatmap", "generalization", {"grid", "limits"}),
    "heat map of noise": ("heatmap", "probabilistic", {"q", "grid", "limits"}),
    "heat map of raw counts": ("heatmap", "none", {"grid", "limits"}),
    "contour of condensation": ("contour", "condensation", {"grid", "limits"}),
    "box of centroids": ("box", "deterministic", set()),
    "box of cells": ("box", "suppression", {"grid", "limits"}),
    "residuals of noise": ("residuals", "probabilistic", {"q"}),
    "quantiles in cells": ("qq", "suppression", {"grid"}),
    "clusters of records": ("parallel", "k-member", {"limits"}),
    "clusters over all axes": ("parallel", "k-member-joint", {"limits"}),
}


@pytest.mark.parametrize(("plot", "method", "used"), USES.values(), ids=USES)
def test_a_number_without_a_use_is_refused_under_research(
    plot: str, method: str, used: set[str]
) -> None:
    for name, value in VALUE.items():
        if name in used | {"k"}:
            request = settled(RESEARCH, plot, method=method, **{name: value})
            assert value_of(request, name) == kept(name, value)
        elif name == "q" or name in PLOTS[plot].settings():
            says = f"^{PLOTS[plot].phrase()} by '{method}' does not use {name}=; leave it out$"
            with pytest.raises(InputError, match=says):
                settled(RESEARCH, plot, method=method, **{name: value})


def test_a_settled_plot_has_every_number() -> None:
    request = settle(GUARDED, HeatMap("age", "bmi", by="sex"))
    plot = HeatMap("age", "bmi", by="sex", grid=30, limits={"age": (0, 120)})
    assert request == PlotRequest(plot, How("whole", k=7))
    edges = {"edges": {"a": [50, 100, 200]}}
    drawn = settle(RESEARCH.changed(papers=edges), HistogramPlot("a")).plot
    assert drawn == HistogramPlot("a", bins=20, limits={}, edges={"a": (50, 100, 200)})


def test_axes_of_parallel_coordinates_are_numbers_of_the_papers() -> None:
    plot = ParallelPlot(("a", "b"))
    assert settle(STANDARD, plot, k=5).how == How("whole", k=5)
    for name in ("pixels", "diversity"):
        with pytest.raises(RefusedError, match=rf"^{name} is of the papers' methods; leave it out"):
            settle(STANDARD, plot.changed(**{name: 300}))
    for wrong in (plot.changed(pixels=333), plot.changed(diversity=0)):
        with pytest.raises(InputError, match=r"^papers\.(pixels|diversity) of the policy must be "):
            settle(RESEARCH, wrong)


METHODS = sorted({method for methods in METHODS_OF.values() for method in methods})


def test_a_guarded_policy_has_no_other_method_than_its_copy() -> None:
    for picture in PLOTS:
        for same in (None, "rows", "whole"):
            assert settled(STANDARD, picture, method=same).how.method == "whole"
        for method in (*METHODS, "tukey", "", ["none"], 3):
            with pytest.raises(RefusedError, match="are drawn only from its protected copy"):
                settled(STANDARD, picture, method=method)


@pytest.mark.parametrize("rows", ["deterministic", "probabilistic"])
def test_pictures_by_methods_under_research(rows: str) -> None:
    policy = RESEARCH.changed(papers={"method": rows})
    for picture, methods in METHODS_OF.items():
        usual = OF_PICTURES[picture]
        assert settled(policy, picture).how.method == (rows if usual == "rows" else usual)
        for method in (*METHODS, "rows", "mdlp", "", ["none"], 3):
            meant = rows if method == "rows" else method
            if meant in methods:
                assert settled(policy, picture, method=method).how.method == meant
                continue
            with pytest.raises(InputError, match=r"cannot be made by method .*; there are '") as no:
                settled(policy, picture, method=method)
            assert str(no.value).startswith(PLOTS[picture].phrase())


# --- what a copy and a study version stand on ------------------------------------------------


def test_the_row_method_of_a_copy_and_of_a_picture() -> None:
    policy = RESEARCH.changed(k=7, papers={"metric": "mahalanobis"})
    how = settled(RESEARCH, "scatter", method="probabilistic", q=0.5).how
    assert policy.changed(papers={"method": "condensation"}).row_method() == Condensation(k=7)
    assert policy.row_method() == Deterministic(k=7, metric="mahalanobis", q=0.0)
    assert policy.changed(papers={"method": "probabilistic"}).row_method() == Probabilistic(
        q=0.25, k=7
    )
    assert RESEARCH.row_method() == Deterministic(k=3, metric="euclidean", q=0.0)
    assert RESEARCH.row_method(how) == Probabilistic(q=0.5, k=3)
    assert RESEARCH.row_method(settled(RESEARCH, "scatter", k=9).how) == Deterministic(
        k=9, metric="euclidean", q=0.0
    )


def test_noise_that_grows_with_distance_is_that_of_the_k_of_the_picture() -> None:
    of_copy = RESEARCH.changed(k=7, papers={"method": "probabilistic", "far_noise": "by-distance"})
    research = RESEARCH.changed(papers={"far_noise": "by-distance"})
    how = settled(research, "scatter", method="probabilistic", k=4).how
    assert of_copy.row_method() == Probabilistic(q=0.25, far_noise="by-distance", k=7)
    assert research.row_method(how) == Probabilistic(q=0.25, far_noise="by-distance", k=4)


def test_what_decides_a_copy() -> None:
    policy = STANDARD.changed(k=7, public=True)
    assert policy.copy_settings() == {"k": 7, "m": 28}


DECLARED: dict[str, tuple[dict[str, Any], dict[str, Any]]] = {
    "bounds": (
        {"bounds": {"t": [0, INF], "share": [0, 1]}},
        {"bounds": {"share": ["0.0", "1.0"], "t": ["0.0", "inf"]}},
    ),
    "dates": ({"dates": {"visit": "%d/%m/%Y"}}, {"dates": {"visit": "%d/%m/%Y"}}),
    "missing values": (
        {"missing_values": {"income": [-999, -9], "age": []}},
        {"missing_values": {"income": [-999, -9]}},
    ),
    "none that are missing": ({"missing_values": {"age": []}}, {}),
    "names and numbers of plots": (
        {"name": "ward 3", "limits": {"age": [0, 120]}, "study": "cohort", "residual_df": 20},
        {},
    ),
    "who may see it": ({"public": True, "versions": 9, "private_files": False}, {}),
    "for whom it is": ({"audience": "members", "until": "2027-12-31", "combine": False}, {}),
    "where it is": ({"copy": "served", "copy_rows": 7, "copy_bytes": 7}, {}),
}


@pytest.mark.parametrize(("given", "declared"), DECLARED.values(), ids=DECLARED)
def test_what_is_declared_decides_a_copy_and_the_rest_does_not(
    given: dict[str, Any], declared: dict[str, Any]
) -> None:
    policy = STANDARD.changed(**given)
    assert policy != STANDARD
    assert policy.settings() == STANDARD.settings() | declared
    assert policy.copy_settings() == STANDARD.copy_settings() | declared


# How rounding points are found, where the rows are rounded: what it adds to the settings.
ROUNDED: dict[str, tuple[dict[str, Any], dict[str, Any]]] = {
    "as it is": ({"method": "mdav"}, {"rounding": "mdav", "c": None}),
    "another way": ({"method": "optimal"}, {"rounding": "optimal", "c": None}),
    "by k": ({"method": "kmeans"}, {"rounding": "kmeans", "c": None}),
    "by a number of regions": ({"method": "kmeans", "c": 9}, {"rounding": "kmeans", "c": 9}),
}


@pytest.mark.parametrize(("given", "told"), ROUNDED.values(), ids=ROUNDED)
def test_how_points_are_found_decides_a_copy_that_is_rounded(
    given: dict[str, Any], told: dict[str, Any]
) -> None:
    policy = RESEARCH.changed(papers=given)
    assert policy.copy_settings() == RESEARCH.copy_settings() | {"rows": "rounding"} | told
    assert policy.row_method() == Rounding(told["rounding"], 3, told["c"])


@pytest.mark.parametrize("rows", sorted(set(ROWS) - {"rounding"}))
def test_how_many_regions_there_would_be_decides_no_other_copy(rows: str) -> None:
    before = RESEARCH.changed(papers={"method": rows})
    policy = before.changed(papers={"c": 9})
    assert policy != before
    assert policy.copy_settings() == before.copy_settings()
    assert policy.row_method() == before.row_method()


def test_a_picture_under_research_is_rounded_as_the_policy_rounds() -> None:
    policy = RESEARCH.changed(papers={"method": "equal-width", "c": 4})
    how = settled(policy, "scatter", method="rounding", k=7).how
    assert (how.k, how.q) == (7, 0.0)
    assert policy.row_method(how) == Rounding("equal_width", 7, 4)
    assert RESEARCH.row_method(how) == Rounding("equal_width", 7, 4)


def test_rows_of_one_record_are_no_rounding() -> None:
    """The policy `research` may hold k = 1, which suits other pictures; to round, k is 2."""
    policy = RESEARCH.changed(k=1, papers={"method": "rounding"})
    assert settled(policy, "histogram").how.k == 1
    with pytest.raises(InputError, match=r"^k must be a whole number of at least 2$"):
        policy.row_method()


def test_what_decides_all_that_leaves() -> None:
    policy = STANDARD.changed(k=7, unit="patient")
    assert policy.settings() == {
        "regime": "guarded",
        "k": 7,
        "m": 28,
        "round_to": 5,
        "unit": "patient",
        "key": None,
    }


def test_research_binds_nothing_but_itself() -> None:
    assert RESEARCH.changed(k=9, papers={"bins": 3}).settings() == {"regime": "research"}


def test_what_is_returned_is_the_callers_own() -> None:
    for give in (STANDARD.to_dict, STANDARD.settings, STANDARD.copy_settings):
        before = copy.deepcopy(give())
        give().clear()
        give().get("limits", {})["age"] = [0, 1]
        give().get("strata", []).append("sex")
        assert give() == before


def test_a_hierarchy_is_read_from_a_file_beside_the_policy_or_written_into_it(
    tmp_path: Path,
) -> None:
    (tmp_path / "area.csv").write_text("a;north\nb;north\nc;south\n")
    (tmp_path / "area.toml").write_text(
        'preset = "research"\n[papers.hierarchies]\nward = "area.csv"\n'
    )
    nested = '[papers.hierarchies.ward]\nnorth = ["a", "b"]\nsouth = ["c"]\n'
    (tmp_path / "nested.toml").write_text(f'preset = "research"\n{nested}')
    of_file, written = (Policy.load(tmp_path / f"{name}.toml") for name in ("area", "nested"))
    lines = (("a", "north"), ("b", "north"), ("c", "south"))
    assert of_file.of_papers.hierarchies == written.of_papers.hierarchies == {"ward": lines}
    assert of_file.copy_settings()["hierarchies"] == {"ward": [list(line) for line in lines]}
    assert Policy.preset("standard").copy_settings().keys().isdisjoint({"hierarchies", "missing"})


def test_what_a_caller_may_choose_is_allowed_and_the_rest_refused() -> None:
    assert RESEARCH.allowed(missing="median", k=None).of_papers.missing == "median"
    assert STANDARD.allowed(k=STANDARD.k) == STANDARD
    with pytest.raises(RefusedError, match=r"^k is fixed when the study is opened"):
        STANDARD.allowed(k=6)


@pytest.mark.parametrize(
    ("regime", "round_to", "k", "step"),
    [
        ("guarded", 5, 10, 5),
        ("guarded", 10, 5, 10),
        ("guarded", 1, 7, 7),
        ("research", 5, 3, 1),
        ("research", 1, 3, 1),
    ],
)
def test_numbers_of_persons_are_rounded_as_counts_are_or_to_k(
    regime: str, round_to: int, k: int, step: int
) -> None:
    papers = None if regime == "guarded" else PaperSettings()
    policy = Policy(papers=papers, round_to=round_to, k=k)
    assert policy.count_step == step
