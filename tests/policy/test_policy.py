"""The custodian's rules: read, written, kept, and asked."""

import copy
import dataclasses
import json
import math
from collections.abc import Callable
from pathlib import Path
from types import MappingProxyType
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from discreet.errors import InputError, RefusedError
from discreet.methods import (
    ROW_METHODS,
    ROW_NAMES,
    Condensation,
    Deterministic,
    Probabilistic,
    Rounding,
)
from discreet.plots import PLOTS, How, Plot, PlotRequest
from discreet.plots.bars import BarChart
from discreet.plots.heatmap import HeatMap
from discreet.plots.histogram import HistogramPlot
from discreet.plots.parallel import ParallelPlot
from discreet.plots.scatter import ScatterPlot
from discreet.policy import (
    FIELDS,
    PAPER_FIELDS,
    PRESETS,
    PaperSettings,
    Policy,
    load_policy,
    settle,
)

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


def test_every_preset_has_its_numbers_here() -> None:
    assert set(PRESETS) == set(AS_PRESET)


def test_all_presets_but_research_are_guarded() -> None:
    assert {name for name in PRESETS if not Policy.preset(name).fixed} == {"research"}


# What the documents that the presets are named after ask for, in their own numbers.
THRESHOLDS: dict[str, tuple[str, float, float]] = {
    # preset: what of it, what is the least that passes, what just does not
    "datashield nfilter.tab = 3": ("datashield", 3, 2),
    "sacro safe_threshold = 10": ("sacro", 10, 9),
    "opensafely hides 7 and fewer": ("opensafely", 8, 7),
}


@pytest.mark.parametrize(("preset", "shown", "hidden"), THRESHOLDS.values(), ids=THRESHOLDS)
def test_a_count_passes_a_preset_from_its_threshold_on(
    preset: str, shown: int, hidden: int
) -> None:
    k = settle(Policy.preset(preset), BarChart("sex")).how.k

    assert (shown >= k, hidden >= k) == (True, False)


@pytest.mark.parametrize("name", [name for name in PRESETS if name != "research"])
@pytest.mark.parametrize("given", [{}, {"ordered": {"a": ["low", "high"]}}])
def test_rows_of_a_guarded_policy_are_those_of_the_whole_table(
    name: str, given: dict[str, Any]
) -> None:
    policy = Policy.preset(name, **given)

    assert (policy.rows_by, policy.members) == ("whole", 4 * policy.k)
    assert (policy.regime, policy.papers) == ("guarded", None)
    assert policy.settings()["m"] == policy.copy_settings()["m"] == 4 * policy.k


def test_rows_of_the_papers_are_those_of_the_method_that_is_named() -> None:
    plain = Policy(papers=PaperSettings())

    assert (RESEARCH.rows_by, plain.rows_by) == ("deterministic", "condensation")
    assert (RESEARCH.regime, plain.regime, plain.k) == ("research", "research", 5)
    with pytest.raises(InputError, match=r"^papers\.method of the policy must be one of 'determin"):
        RESEARCH.changed(papers={"method": "whole"})


@pytest.mark.parametrize("name", PAPER_FIELDS)
def test_a_guarded_policy_has_nothing_of_the_papers_methods(name: str) -> None:
    value = PAPER_FIELDS[name].default
    says = rf"^the policy has no key '{name}'; .*it is a setting of the papers' methods: papers="
    with pytest.raises(InputError, match=says):
        STANDARD.changed(**{name: 3 if value is None else value})
    with pytest.raises(RefusedError, match=rf"^{name} is of the papers' methods; leave it out"):
        STANDARD.allowed(**{name: 3 if value is None else value})
    assert STANDARD.allowed(**{name: None}) == STANDARD


@pytest.mark.parametrize("method", ROW_NAMES)
def test_the_name_of_a_method_says_which_it_is(method: str) -> None:
    policy = RESEARCH.changed(papers={"method": method})
    found = policy.row_method()

    assert found.name == policy.rows_by
    if isinstance(found, Rounding):
        assert found.method == method.replace("-", "_")


def test_settings_of_the_papers_are_changed_one_by_one() -> None:
    some = Policy.preset("research", papers={"q": 0.5})
    more = some.changed(papers={"bins": 9, "q": None})

    assert (some.of_papers.method, some.of_papers.q) == ("deterministic", 0.5)
    assert more.papers == dataclasses.replace(some.of_papers, bins=9)
    assert Policy.preset("research", papers=more.papers) == more
    with pytest.raises(InputError, match=r"^the table papers of the policy has no key 'bin'; did"):
        RESEARCH.changed(papers={"bin": 9})


@pytest.mark.parametrize("name", PRESETS)
def test_a_preset_is_what_it_says(name: str) -> None:
    assert Policy.preset(name).to_dict() == NOT_SET | AS_PRESET[name]


def test_the_default_policy_is_the_standard_one() -> None:
    assert Policy() == STANDARD


@pytest.mark.parametrize("name", PRESETS)
def test_presets_are_equal_by_value(name: str) -> None:
    assert Policy.preset(name) == Policy.preset(name)
    assert Policy.preset(name) != Policy.preset(name, k=7)
    assert Policy.preset(name, k=7) == Policy.preset(name).changed(k=7)
    assert STANDARD != RESEARCH


@pytest.mark.parametrize("field", [field.name for field in dataclasses.fields(Policy)])
def test_a_policy_is_frozen(field: str) -> None:
    with pytest.raises(dataclasses.FrozenInstanceError, match=f"cannot assign to field '{field}'"):
        setattr(STANDARD, field, None)


@pytest.mark.parametrize("policy", [Policy(), STANDARD, RESEARCH, STANDARD.changed(k=6)])
@pytest.mark.parametrize("field", ["limits", "bounds", "kinds", "roles"])
def test_and_frozen_inside(policy: Policy, field: str) -> None:
    inside = getattr(policy, field)

    with pytest.raises(TypeError, match="does not support item assignment"):
        inside["age"] = "continuous"
    assert isinstance(inside, MappingProxyType)


def test_no_preset_of_another_name() -> None:
    with pytest.raises(
        InputError,
        match=(
            r"^there is no preset 'strict'; there are 'standard', 'datashield', 'sacro',"
            r" 'opensafely', 'research'$"
        ),
    ):
        Policy.preset("strict")


def test_a_preset_may_be_renamed() -> None:
    assert Policy.preset("standard", name="ward 3").name == "ward 3"


# --- keys and rules --------------------------------------------------------------------------

UNKNOWN: dict[str, tuple[str, str]] = {
    "one letter short": ("bound", "did you mean 'bounds'"),
    "without its line": ("roundto", "did you mean 'round_to'"),
    "in the singular": ("table", "did you mean 'tables'"),
    "in capitals": ("Limits", "did you mean 'limits'"),
    "of another program": ("cohort", "there are 'k', 'round_to', 'papers', 'public', 'm'"),
    "the folder, which no file sets": ("folder", "the policy has no key 'folder'"),
    "the file, which no file sets": ("file", "the policy has no key 'file'"),
}


@pytest.mark.parametrize(("key", "hint"), UNKNOWN.values(), ids=UNKNOWN)
@pytest.mark.parametrize("make", [Policy.from_dict, lambda given: STANDARD.changed(**given)])
def test_an_unknown_key_is_refused_by_name(
    make: Callable[[dict[str, Any]], Policy], key: str, hint: str
) -> None:
    with pytest.raises(InputError, match=f"^the policy has no key '{key}'; ") as told:
        make({key: 3})
    assert hint in str(told.value)


BROKEN: dict[str, tuple[dict[str, Any], str]] = {
    "k below 3": ({"k": 2}, "^k of a guarded policy must be at least 3$"),
    "k of 1": ({"k": 1}, "^k of a guarded policy must be at least 3$"),
    "counts rounded away": ({"round_to": 11}, "^round_to of a guarded policy must be at most 2 k"),
    "counts rounded away at k = 3": (
        {"k": 3, "round_to": 7},
        "^round_to of a guarded policy must be at most 2 k",
    ),
    "few degrees of freedom": (
        {"residual_df": 9},
        "^residual_df of a guarded policy must be at least 10$",
    ),
}


@pytest.mark.parametrize(("given", "message"), BROKEN.values(), ids=BROKEN)
def test_what_a_guarded_policy_may_not_be(given: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        Policy.preset("standard", **given)
    with pytest.raises(InputError, match=message):
        STANDARD.changed(**given)
    assert Policy.preset("research", **given).regime == "research"


@pytest.mark.parametrize(
    "given",
    [{"k": 3}, {"round_to": 10}, {"k": 3, "round_to": 6}, {"residual_df": 10}],
    ids=["k", "round_to", "k and round_to", "residual_df"],
)
def test_what_it_just_may_be(given: dict[str, Any]) -> None:
    policy = Policy.preset("standard", **given)

    assert {name: getattr(policy, name) for name in given} == given


UNFIT: dict[str, tuple[dict[str, Any], str]] = {
    "limits and edges of a column": (
        {"limits": {"age": [0, 120]}, "papers": {"edges": {"age": [0, 40, 120]}}},
        "^a column has limits or edges in the policy, not both$",
    )
}


@pytest.mark.parametrize(("given", "message"), UNFIT.values(), ids=UNFIT)
@pytest.mark.parametrize("preset", PRESETS)
def test_fields_fit_together(preset: str, given: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        Policy.preset(preset, **given)


UNFIT_ROWS: dict[str, tuple[dict[str, Any], str]] = {
    "rows rounded by a class": (
        {"method": "mdlp"},
        "^papers.method of the policy must be one of 'deterministic', 'probabilistic', 'multi",
    ),
    "regions that have no use": (
        {"method": "vmdav", "c": 5},
        "^'vmdav' groups rows by k alone and does not use c$",
    ),
}


@pytest.mark.parametrize(("given", "message"), UNFIT_ROWS.values(), ids=UNFIT_ROWS)
def test_ways_to_round_fit_together(given: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        Policy.preset("research", papers=given)


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
        **dict.fromkeys(("public", "private_files"), st.booleans()),
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


@pytest.mark.slow
def test_the_laws_below_draw_every_field() -> None:
    drawn: set[str] = set()

    @settings(max_examples=300, derandomize=True)  # by chance a field may be left out by all
    @given(policies())
    def look(given: dict[str, Any]) -> None:
        drawn.update(given)
        drawn.update(given.get("papers", ()))

    look()
    assert drawn == {*FIELDS} | {*PAPER_FIELDS}


@given(policies())
def test_plain_values_come_back(given: dict[str, Any]) -> None:
    policy = Policy.from_dict(given)

    assert Policy.from_dict(policy.to_dict()) == policy
    told, own = policy.to_dict(), given.pop("papers", {})
    assert {key: told[key] for key in given} == given
    assert {key: told["papers"][key] for key in own} == own


@given(policies())
def test_a_file_comes_back(tmp_path_factory: pytest.TempPathFactory, given: dict[str, Any]) -> None:
    policy = Policy.from_dict(given)
    path = tmp_path_factory.mktemp("policy") / "discreet.toml"

    path.write_text(policy.to_toml(), encoding="utf-8")

    assert Policy.load(path) == policy


@given(policies())
def test_a_change_and_back_is_none(given: dict[str, Any]) -> None:
    policy = Policy.from_dict(given)

    assert policy.changed() == policy
    assert policy.changed(k=10**6).changed(k=policy.k) == policy


@pytest.mark.parametrize("name", PRESETS)
def test_a_preset_comes_back_from_its_file(tmp_path: Path, name: str) -> None:
    path = tmp_path / "discreet.toml"
    path.write_text(Policy.preset(name).to_toml(), encoding="utf-8")

    assert Policy.load(path) == Policy.preset(name)


@pytest.mark.parametrize("name", PRESETS)
def test_bounds_without_an_end_come_back_from_the_file_of_a_preset(
    tmp_path: Path, name: str
) -> None:
    bounds = {"share": [0, 1], "time": [0.0, INF], "debt": [-INF, 0], "any": [-INF, INF]}
    policy = Policy.preset(name, bounds=bounds)
    path = tmp_path / "discreet.toml"

    path.write_text(policy.to_toml(), encoding="utf-8")

    assert Policy.load(path) == policy
    assert Policy.load(path).bounds["time"] == (0, INF)
    assert json.dumps(policy.settings(), allow_nan=False)
    assert json.dumps(policy.copy_settings(), allow_nan=False)


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
    "a preset": ('preset = "research"\n', RESEARCH.changed(name="cohort")),
    "a preset and fields": (
        'preset = "research"\nk = 4\nname = "simulated"\n',
        RESEARCH.changed(name="simulated", k=4),
    ),
    "settings of the papers": (
        'preset = "research"\n[papers]\nbins = 9\n[papers.edges]\nage = [0, 18, 65, 120]\n',
        RESEARCH.changed(name="cohort", papers={"bins": 9, "edges": {"age": (0, 18, 65, 120)}}),
    ),
    "settings of the papers alone": (
        'papers.method = "equal-width"\n',
        Policy(name="cohort", papers=PaperSettings(method="equal-width")),
    ),
    "open bounds": (
        "[bounds]\ntime = [0, inf]\n",
        STANDARD.changed(name="cohort", bounds={"time": (0, INF)}),
    ),
    "a preset of another tool": (
        'preset = "sacro"\nround_to = 5\n',
        Policy.preset("sacro", name="cohort", round_to=5),
    ),
    "letters of all sorts": (
        'study = "Größe, 名"\nkey = "größe"\n',
        STANDARD.changed(name="cohort", study="Größe, 名", key="größe"),
    ),
}


@pytest.mark.parametrize(("toml", "policy"), LOADED.values(), ids=LOADED)
def test_what_a_file_leaves_out_is_that_of_its_preset(
    tmp_path: Path, toml: str, policy: Policy
) -> None:
    path = written(tmp_path, toml)

    assert Policy.load(path) == policy
    assert Policy.load(str(path)) == policy
    assert load_policy(path) == policy
    assert Policy.load(path).folder == tmp_path.resolve()


def test_the_folder_is_no_part_of_the_value(tmp_path: Path) -> None:
    policy = Policy.load(written(tmp_path, ""))

    assert policy == STANDARD.changed(name="cohort")
    assert "folder" not in policy.to_dict()
    assert str(tmp_path) not in repr(policy)
    assert policy.changed(k=7).folder == tmp_path.resolve()
    assert policy.changed(k=7).file == policy.file
    assert "file" not in policy.to_dict()
    assert STANDARD.folder is None


def test_the_folder_is_whole(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    written(tmp_path, "")
    monkeypatch.chdir(tmp_path)

    assert Policy.load("cohort.toml").folder == tmp_path.resolve()


UNLOADABLE: dict[str, tuple[bytes, str]] = {
    "no TOML": (
        b"k is 5, for canary",
        r"^the policy file '.*' is not TOML: TOMLDecodeError at line 1, column 3$",
    ),
    "a key twice": (
        b'k = 5\nk = 6\nname = "canary"',
        "is not TOML: TOMLDecodeError at line 2, column 6$",
    ),
    "a picture": (b"\x89PNG\r\n\x1a\n\0canary", "is not TOML: UnicodeDecodeError$"),
    "another encoding": ('name = "canary é"'.encode("latin-1"), "not TOML: UnicodeDecodeError$"),
    "an unknown key": (b"bound = 3", "^the policy has no key 'bound'; did you mean 'bounds'"),
    "an unknown table": (b"[kind]\nage = 'continuous'", "no key 'kind'; did you mean 'kinds'"),
    "an unknown preset": (b"preset = 'strict'", "^there is no preset 'strict'; there are"),
    "a preset that is a number": (b"preset = 3", "^there is no preset 3; there are"),
    "a value of another type": (b"k = '5'", "^k of the policy must be a whole number from 1"),
    "a number that is none": (
        b"papers.q = nan",
        r"^papers\.q of the policy must be a number from 0 to 100$",
    ),
    "a date": (b"study = 2020-01-01", "^study of the policy must be a name$"),
    "a folder": (b"folder = '/'", "^the policy has no key 'folder'"),
    "a rule": (b"k = 2", "^k of a guarded policy must be at least 3$"),
}


@pytest.mark.parametrize(("content", "message"), UNLOADABLE.values(), ids=UNLOADABLE)
def test_what_is_no_policy_is_refused(tmp_path: Path, content: bytes, message: str) -> None:
    path = tmp_path / "cohort.toml"
    path.write_bytes(content)

    with pytest.raises(InputError, match=message) as told:
        Policy.load(path)
    assert "canary" not in str(told.value)
    assert told.value.__cause__ is None


def test_no_file_and_a_folder_are_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"^there is no policy file '.*none.toml'$"):
        Policy.load(tmp_path / "none.toml")
    with pytest.raises(InputError, match=r"cannot be read \(IsADirectoryError\); it is a file"):
        Policy.load(tmp_path)


def test_a_policy_is_given_in_three_ways(tmp_path: Path) -> None:
    path = written(tmp_path, "k = 8")

    assert load_policy(STANDARD) is STANDARD
    assert load_policy("research") == RESEARCH
    assert load_policy(str(path)).k == load_policy(path).k == 8


@pytest.mark.parametrize("wrong", ["strict", "discreet.json", "", 5, None, Path("standard.tml")])
def test_and_in_no_other(wrong: Any) -> None:
    with pytest.raises(
        InputError,
        match=r"^policy must be a Policy, the path of a \.toml file, or one of 'standard'",
    ):
        load_policy(wrong)


# --- asking ----------------------------------------------------------------------------------

GUARDED = Policy.from_dict({"k": 7, "limits": {"age": [0, 120]}})
OTHER: dict[str, list[Any]] = {
    "k": [3, 6, 8, 70],
    "limits": [{}, {"age": [0, 121]}, {"age": [0, 120], "bmi": [0, 1]}, {"bmi": [0, 120]}],
}
SAME: dict[str, list[Any]] = {"k": [7], "limits": [{"age": [0, 120]}, {"age": (0.0, 120.0)}]}


def settled(
    policy: Policy, name: str, *, method: Any = None, k: Any = None, q: Any = None, **asked: Any
) -> PlotRequest:
    """Settle a plot of column a, or of a and b."""
    return settle(policy, plot_of(name, **asked), method=method, k=k, q=q)


def plot_of(name: str, **asked: Any) -> Plot[Any]:
    """Ask for a plot of column a, or of a and b."""
    plot: Any = PLOTS[name]
    made: Plot[Any] = (
        plot("a ~ b", **asked) if plot.of_formula() else plot.of_columns("ab", **asked)
    )
    return made


def value_of(request: PlotRequest, name: str) -> Any:
    """Return a number of a settled plot."""
    return getattr(request.how if name in ("k", "q") else request.plot, name)


@pytest.mark.parametrize("name", OTHER)
def test_a_guarded_policy_has_one_value_of_each(name: str) -> None:
    for value in OTHER[name]:
        way_out = rf"policy\.changed\({name}=\.\.\.\)"
        with pytest.raises(RefusedError, match=rf"^{name} is fixed when the study .* {way_out}"):
            settled(GUARDED, "histogram", **{name: value})


@pytest.mark.parametrize("name", SAME)
def test_and_naming_that_one_changes_nothing(name: str) -> None:
    for value in SAME[name]:
        assert settled(GUARDED, "histogram", **{name: value}) == settled(GUARDED, "histogram")


def test_a_value_that_no_policy_may_have_is_wrong_input() -> None:
    with pytest.raises(InputError, match=r"^k of the policy must be a whole number from 1"):
        settled(GUARDED, "histogram", k=0)
    with pytest.raises(InputError, match=r"^papers\.bins of the policy must be a whole number"):
        settled(RESEARCH, "histogram", bins=1)


# A plot and method that have a use for each number.
USED_BY: dict[str, tuple[str, str]] = {
    "k": ("scatter", "deterministic"),
    "q": ("scatter", "probabilistic"),
    "bins": ("histogram", "generalization"),
    "grid": ("heatmap", "generalization"),
    "limits": ("scatter", "suppression"),
    "edges": ("histogram", "probabilistic"),
}


TAKEN: dict[str, list[Any]] = {
    "q": [0.1, 0.5],
    "bins": [2, 11],
    "grid": [12, 25],
    "edges": [{}, {"glucose": [50, 100, 201]}],
    **OTHER,
}


def kept(name: str, value: Any) -> Any:
    """Return a number as a policy or a request keeps it."""
    return {**FIELDS, **PAPER_FIELDS}[name].rule.freeze(value)


@pytest.mark.parametrize("name", USED_BY)
def test_research_takes_all(name: str) -> None:
    plot, method = USED_BY[name]
    for value in TAKEN[name]:
        request = settled(RESEARCH, plot, method=method, **{name: value})
        assert value_of(request, name) == kept(name, value)


def test_research_takes_what_no_guarded_policy_may_have() -> None:
    request = settle(RESEARCH, HistogramPlot("a", bins=2), method="probabilistic", k=1, q=0)

    assert (request.how.k, request.how.q, request.plot.get("bins")) == (1, 0, 2)
    with pytest.raises(InputError, match=r"^k of the policy must be a whole number"):
        settle(RESEARCH, ScatterPlot("a", "b"), k=0)


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


@pytest.mark.parametrize("plot", ["bars", "crosstab", "survival", "over_time"])
def test_plots_of_levels_and_of_time_have_no_use_for_a_number(plot: str) -> None:
    for name in ("k", "q"):
        with pytest.raises(InputError, match=f"by 'none' does not use {name}=; leave it out$"):
            settled(RESEARCH, plot, **{name: VALUE[name]})
    assert not {*VALUE} & {*PLOTS[plot].settings()}


def test_limits_and_edges_of_one_column_are_not_asked_for_together() -> None:
    plot = HistogramPlot("a", limits={"a": [0, 2]}, edges={"a": [0, 1, 2]})

    with pytest.raises(InputError, match=r"^a column has limits or edges in the policy, not both$"):
        settle(RESEARCH, plot)


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


DEFAULTS: dict[str, tuple[Policy, dict[str, str]]] = {
    "standard": (STANDARD, dict.fromkeys(PLOTS, "whole")),
    "datashield": (Policy.preset("datashield"), dict.fromkeys(PLOTS, "whole")),
    "research": (
        RESEARCH,
        {n: "deterministic" if it == "rows" else it for n, it in OF_PICTURES.items()},
    ),
    "another row method": (
        RESEARCH.changed(papers={"method": "probabilistic"}),
        {n: "probabilistic" if it == "rows" else it for n, it in OF_PICTURES.items()},
    ),
}


@pytest.mark.parametrize(("policy", "methods"), DEFAULTS.values(), ids=DEFAULTS)
def test_every_picture_has_a_method(policy: Policy, methods: dict[str, str]) -> None:
    assert {name: settled(policy, name).how.method for name in PLOTS} == methods


METHODS = sorted({method for methods in METHODS_OF.values() for method in methods})


@pytest.mark.parametrize("method", [*METHODS, "rows"])
@pytest.mark.parametrize("picture", METHODS_OF)
def test_pictures_by_methods_under_research(picture: str, method: str) -> None:
    def ask() -> str:
        return settled(RESEARCH, picture, method=method).how.method

    meant = "deterministic" if method == "rows" else method
    if meant in METHODS_OF[picture]:
        assert ask() == meant
        return
    with pytest.raises(
        InputError,
        match=f"^{PLOTS[picture].phrase()} cannot be made by method '{meant}'; there are '",
    ):
        ask()


@pytest.mark.parametrize("method", [*METHODS, "tukey", "", ["none"], 3])
def test_a_guarded_policy_has_no_other_method_than_its_copy(method: Any) -> None:
    for picture in PLOTS:
        for same in (None, "rows", "whole"):
            assert settled(STANDARD, picture, method=same).how.method == "whole"
        with pytest.raises(RefusedError, match="are drawn only from its protected copy; leave me"):
            settled(STANDARD, picture, method=method)


@pytest.mark.parametrize("method", ["", "mdlp", "Suppression", "non", ["suppression"], 3])
def test_no_method_of_another_name(method: Any) -> None:
    with pytest.raises(InputError, match=r"^a histogram cannot be made by method .* there are 'su"):
        settled(RESEARCH, "histogram", method=method)


# --- what a copy and a study version stand on ------------------------------------------------

NOISE: list[tuple[Policy, dict[str, float]]] = [
    (RESEARCH, {"deterministic": 0, "probabilistic": 0.25}),
    (RESEARCH.changed(papers={"q": 0.5}), {"deterministic": 0, "probabilistic": 0.5}),
]


@pytest.mark.parametrize(("policy", "noise"), NOISE)
def test_each_row_method_has_its_noise(policy: Policy, noise: dict[str, float]) -> None:
    none = {"condensation": 0, "microaggregation": 0, "rounding": 0}
    assert {method: policy.of_papers.noise(method) for method in ROWS} == noise | none


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


def test_bounds_and_growing_noise_decide_a_copy_where_they_are_declared() -> None:
    policy = STANDARD.changed(bounds={"t": [0, INF], "share": [0, 1]})
    growing = RESEARCH.changed(papers={"far_noise": "by-distance"})

    declared = {"bounds": {"share": ["0.0", "1.0"], "t": ["0.0", "inf"]}}
    assert policy.copy_settings() == STANDARD.copy_settings() | declared
    assert policy.settings() == STANDARD.settings() | declared
    assert growing.copy_settings() == RESEARCH.copy_settings() | {"far_noise": "by-distance"}
    for rule in ("keep", "clip"):
        found = RESEARCH.changed(papers={"outside": rule}).copy_settings()
        assert found == RESEARCH.copy_settings() | {"outside": rule}


def test_how_dates_are_written_decides_a_copy_where_it_is_declared() -> None:
    policy = STANDARD.changed(dates={"visit": "%d/%m/%Y"})

    declared = {"dates": {"visit": "%d/%m/%Y"}}
    assert policy.settings() == STANDARD.settings() | declared
    assert policy.copy_settings() == STANDARD.copy_settings() | declared


def test_values_that_stand_for_missing_ones_decide_a_copy_where_there_are_any() -> None:
    policy = STANDARD.changed(missing_values={"income": [-999, -9], "age": []})

    declared = {"missing_values": {"income": [-999, -9]}}
    assert policy.settings() == STANDARD.settings() | declared
    assert policy.copy_settings() == STANDARD.copy_settings() | declared
    # To say that a column has none changes nothing.
    assert STANDARD.changed(missing_values={"age": []}).settings() == STANDARD.settings()


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


def test_no_two_ways_to_round_have_the_same_settings() -> None:
    policies = [RESEARCH.changed(papers=given) for given, _ in ROUNDED.values()]

    assert len({json.dumps(policy.copy_settings()) for policy in policies}) == len(policies)


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


UNBINDING: dict[str, Any] = {
    "name": "ward 3",
    "limits": {"age": [0, 120]},
    "study": "cohort",
    "public": True,
    "versions": 9,
    "copy": "served",
    "copy_rows": 7,
    "copy_bytes": 7,
    "private_files": False,
    "residual_df": 20,
}


@pytest.mark.parametrize(("name", "value"), UNBINDING.items(), ids=UNBINDING)
def test_names_and_numbers_of_pictures_bind_nothing(name: str, value: Any) -> None:
    policy = STANDARD.changed(**{name: value})

    assert policy != STANDARD
    assert policy.settings() == STANDARD.settings()
    assert policy.copy_settings() == STANDARD.copy_settings()


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


@pytest.mark.parametrize("name", ROW_NAMES)
def test_a_row_method_has_one_name(name: str) -> None:
    policy = RESEARCH.changed(papers={"method": name})

    assert Policy.from_dict(policy.to_dict()) == policy
    assert policy.changed(papers={"method": name}) == policy
    assert policy.changed(papers={"method": "base"}).changed(papers={"method": name}) == policy
    assert policy.rows_by in ROW_METHODS


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
