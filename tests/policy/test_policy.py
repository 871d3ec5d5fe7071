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
from discreet.plots import PLOTS
from discreet.plots.request import NO_AXES
from discreet.policy import FIELDS, PAPER_FIELDS, PRESETS, PaperSettings, Policy, load_policy

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


def test_every_preset_has_its_numbers_here_and_all_but_research_are_guarded() -> None:
    assert set(PRESETS) == set(AS_PRESET)
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
    asked = Policy.preset(preset).settle("bars", ["sex"])

    assert (shown >= asked.k, hidden >= asked.k) == (True, False)


def test_rows_of_a_guarded_policy_are_those_of_the_whole_table() -> None:
    for name in [name for name in PRESETS if name != "research"]:
        policy = Policy.preset(name, ordered={"a": ["low", "high"]})

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
    made = policy.row_method()

    assert made.name == policy.rows_by
    assert policy.rows_by in ROW_METHODS
    if isinstance(made, Rounding):
        assert made.method == method.replace("-", "_")
    assert Policy.from_dict(policy.to_dict()) == policy
    assert policy.changed(papers={"method": method}) == policy
    assert policy.changed(papers={"method": "base"}).changed(papers={"method": method}) == policy


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


@pytest.mark.parametrize("name", PRESETS)
def test_presets_are_equal_by_value(name: str) -> None:
    assert Policy.preset(name) == Policy.preset(name)
    assert Policy.preset(name) != Policy.preset(name, k=7)
    assert Policy.preset(name, k=7) == Policy.preset(name).changed(k=7)
    assert Policy() == STANDARD != RESEARCH


def test_a_policy_is_frozen_and_inside_too() -> None:
    for field in [field.name for field in dataclasses.fields(Policy)]:
        with pytest.raises(dataclasses.FrozenInstanceError, match=f"assign to field '{field}'"):
            setattr(STANDARD, field, None)
    for policy in (Policy(), STANDARD, RESEARCH, STANDARD.changed(k=6)):
        for field in ("limits", "bounds", "kinds", "roles"):
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


def test_what_it_just_may_be() -> None:
    for fields in ({"k": 3}, {"round_to": 10}, {"k": 3, "round_to": 6}, {"residual_df": 10}):
        policy = Policy.preset("standard", **fields)
        assert {name: getattr(policy, name) for name in fields} == fields


def test_fields_fit_together() -> None:
    both: dict[str, Any] = {"papers": {"edges": {"age": [0, 40, 120]}}}
    for preset in PRESETS:
        with pytest.raises(
            InputError, match=r"^a column has limits or edges in the policy, not bo"
        ):
            Policy.preset(preset, limits={"age": [0, 120]}, **both)
    with pytest.raises(InputError, match=r"^papers.method of the policy must be one of 'determini"):
        Policy.preset("research", papers={"method": "mdlp"})
    with pytest.raises(InputError, match=r"^'vmdav' groups rows by k alone and has no use for c$"):
        Policy.preset("research", papers={"method": "vmdav", "c": 5})


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
def test_a_preset_and_bounds_without_an_end_come_back_from_its_file(
    tmp_path: Path, name: str
) -> None:
    bounds = {"share": [0, 1], "time": [0.0, INF], "debt": [-INF, 0], "any": [-INF, INF]}
    for policy in (Policy.preset(name), Policy.preset(name, bounds=bounds)):
        path = written(tmp_path, policy.to_toml())
        assert Policy.load(path) == policy
        assert json.dumps(policy.settings(), allow_nan=False)
        assert json.dumps(policy.copy_settings(), allow_nan=False)
    assert Policy.load(path).bounds["time"] == (0, INF)


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


def test_the_folder_is_no_part_of_the_value(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    policy = Policy.load(written(tmp_path, ""))

    assert policy == STANDARD.changed(name="cohort")
    assert "folder" not in policy.to_dict()
    assert str(tmp_path) not in repr(policy)
    assert policy.changed(k=7).folder == tmp_path.resolve()
    assert policy.changed(k=7).file == policy.file
    assert "file" not in policy.to_dict()
    assert STANDARD.folder is None
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


@pytest.mark.parametrize("name", OTHER)
def test_a_guarded_policy_has_one_value_of_each_and_naming_that_one_changes_nothing(
    name: str,
) -> None:
    for value in OTHER[name]:
        way_out = rf"policy\.changed\({name}=\.\.\.\)"
        with pytest.raises(RefusedError, match=rf"^{name} is fixed when the study .* {way_out}"):
            GUARDED.settle("histogram", ["age"], **{name: value})
    asked = GUARDED.settle("histogram", ["age"])
    for value in SAME[name]:
        assert GUARDED.settle("histogram", ["age"], **{name: value}) == asked


def test_a_value_that_no_policy_may_have_is_wrong_input() -> None:
    with pytest.raises(InputError, match=r"^k of the policy must be a whole number from 1"):
        GUARDED.settle("histogram", ["age"], k=0)
    with pytest.raises(InputError, match=r"^papers\.bins of the policy must be a whole number"):
        RESEARCH.settle("histogram", ["age"], bins=1)


# A picture and method that have a use for each number.
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
    picture, method = USED_BY[name]
    for value in TAKEN[name]:
        asked = RESEARCH.settle(picture, ["a", "b"], method=method, **{name: value})
        assert getattr(asked, name) == kept(name, value)


def test_research_takes_what_no_guarded_policy_may_have() -> None:
    asked = RESEARCH.settle("histogram", ["a"], method="probabilistic", k=1, q=0, bins=2)

    assert (asked.k, asked.q, asked.bins) == (1, 0, 2)
    with pytest.raises(InputError, match=r"^k of the policy must be a whole number"):
        RESEARCH.settle("scatter", ["a", "b"], k=0)


VALUE: dict[str, Any] = {
    "k": 4,
    "q": 0.3,
    "bins": 9,
    "grid": 9,
    "limits": {"a": [0, 1]},
    "edges": {"a": [0, 1]},
}
# Which numbers each picture has a use for, by the method that draws it; k is used by all.
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
    "quantiles in cells": ("qq", "suppression", {"grid", "limits"}),
    "clusters of records": ("parallel", "k-member", {"limits"}),
    "clusters over all axes": ("parallel", "k-member-joint", {"limits"}),
}


@pytest.mark.parametrize(("picture", "method", "used"), USES.values(), ids=USES)
def test_a_number_without_a_use_is_refused_under_research(
    picture: str, method: str, used: set[str]
) -> None:
    for name, value in VALUE.items():
        if name in used | {"k"}:
            asked = RESEARCH.settle(picture, ["a"], method=method, **{name: value})
            assert getattr(asked, name) == kept(name, value)
            continue
        with pytest.raises(
            InputError,
            match=rf"^{PLOTS[picture].phrase} by '{method}' has no use for {name}=; leave it out$",
        ):
            RESEARCH.settle(picture, ["a"], method=method, **{name: value})
        assert RESEARCH.settle(picture, ["a"], method=method, **{name: None}).method == method


@pytest.mark.parametrize("plot", ["bars", "crosstab", "survival", "over_time"])
def test_plots_of_levels_and_of_time_have_no_use_for_a_number(plot: str) -> None:
    for name, value in VALUE.items():
        with pytest.raises(InputError, match=f"by 'none' has no use for {name}=; leave it out$"):
            RESEARCH.settle(plot, ["a"], **{name: value})


@pytest.mark.parametrize("name", ["round_to", "outside", "versions"])
def test_what_is_no_number_of_a_picture_is_not_passed_over_in_silence(name: str) -> None:
    given: dict[str, Any] = {name: {"round_to": 2, "outside": "clip"}.get(name, 9)}

    with pytest.raises(InputError, match=rf"^a histogram by 'suppression' has no use for {name}="):
        RESEARCH.settle("histogram", ["a"], **given)
    says = "is of the papers' methods" if name in PAPER_FIELDS else "is fixed when the study is"
    with pytest.raises(RefusedError, match=rf"^{name} {says}"):
        STANDARD.settle("histogram", ["a"], **given)


def test_declared_edges_are_of_histograms_alone() -> None:
    policy = RESEARCH.changed(papers={"edges": {"glucose": [50, 100, 200]}})

    assert policy.settle("histogram", ["glucose"]).edges == {"glucose": (50, 100, 200)}
    for picture in {*PLOTS} - {"histogram"}:
        assert policy.settle(picture, ["glucose"]).edges == {}


def test_limits_and_edges_of_one_column_are_not_asked_for_together() -> None:
    with pytest.raises(InputError, match=r"^a column has limits or edges in the policy, not both$"):
        RESEARCH.settle("histogram", ["a"], limits={"a": [0, 2]}, edges={"a": [0, 1, 2]})


def test_a_settled_question_holds_every_number() -> None:
    asked = GUARDED.settle("heatmap", ["age", "bmi"], by="sex")
    axes = dataclasses.replace(asked.axes, sensitive={})
    plain = dataclasses.replace(
        asked, limits=dict(asked.limits), edges=dict(asked.edges), axes=axes, levels={}
    )

    assert asked.axes == NO_AXES
    assert dataclasses.asdict(plain) == {
        "plot": "heatmap",
        "columns": ("age", "bmi"),
        "method": "whole",
        "k": 7,
        "q": None,
        "bins": 20,
        "grid": 30,
        "limits": {"age": (0, 120)},
        "by": "sex",
        "edges": {},
        "rounding": None,
        "c": None,
        "axes": dataclasses.asdict(axes),
        "model": None,
        "trend": False,
        "noise_on": "points",
        "of_copy": False,
        "m": None,
        "event_is": (),
        "percent": False,
        "every": "auto",
        "overlay": False,
        "show": "auto",
        "weights": None,
        "levels": {},
        "by_second": None,
        "periods": None,
        "until": 0.0,
    }


def of(name: str) -> dict[str, Any]:
    """Name a number of axes."""
    return {name: 300}


def test_axes_of_parallel_coordinates_are_numbers_of_the_papers() -> None:
    asked = STANDARD.settle("parallel", ["a", "b"], k=5)

    assert (asked.method, asked.k, asked.axes) == ("whole", 5, NO_AXES)
    for name in ("pixels", "diversity"):
        with pytest.raises(RefusedError, match=rf"^{name} is of the papers' methods; leave it out"):
            STANDARD.settle("parallel", ["a", "b"], **of(name))
    wrong: list[dict[str, Any]] = [{"pixels": 333}, {"diversity": 0}]
    for none in wrong:
        with pytest.raises(InputError, match=r"^papers\.(pixels|diversity) of the policy must be "):
            RESEARCH.settle("parallel", ["a", "b"], **none)


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
    assert {picture: policy.settle(picture, ["age"]).method for picture in PLOTS} == methods


METHODS = sorted({method for methods in METHODS_OF.values() for method in methods})


@pytest.mark.parametrize("picture", METHODS_OF)
def test_pictures_by_methods_under_research(picture: str) -> None:
    for method in [*METHODS, "rows"]:
        meant = "deterministic" if method == "rows" else method
        if meant in METHODS_OF[picture]:
            assert RESEARCH.settle(picture, ["age", "bmi"], method=method).method == meant
            continue
        with pytest.raises(
            InputError,
            match=f"^{PLOTS[picture].phrase} cannot be made by method '{meant}'; there are '",
        ):
            RESEARCH.settle(picture, ["age", "bmi"], method=method)


@pytest.mark.parametrize("method", [*METHODS, "tukey", "", ["none"], 3])
def test_a_guarded_policy_has_no_other_method_than_its_copy(method: Any) -> None:
    for picture in PLOTS:
        for same in (None, "rows", "whole"):
            assert STANDARD.settle(picture, ["age"], method=same).method == "whole"
        with pytest.raises(RefusedError, match="are drawn from its protected copy alone; leave me"):
            STANDARD.settle(picture, ["age"], method=method)


def test_no_method_and_no_plot_of_another_name() -> None:
    methods: list[Any] = ["", "mdlp", "Suppression", "non", ["suppression"], 3]
    for method in methods:
        with pytest.raises(InputError, match=r"^a histogram cannot be made by method .* there are"):
            RESEARCH.settle("histogram", ["age"], method=method)
    for policy in (STANDARD, RESEARCH):
        with pytest.raises(InputError, match=r"^there is no plot 'pie'; there are 'histogram', 'd"):
            policy.settle("pie", ["age"])


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
    asked = RESEARCH.settle("scatter", ["a", "b"], method="probabilistic", q=0.5)

    assert policy.changed(papers={"method": "condensation"}).row_method() == Condensation(k=7)
    assert policy.row_method() == Deterministic(k=7, metric="mahalanobis", q=0.0)
    assert policy.changed(papers={"method": "probabilistic"}).row_method() == Probabilistic(
        q=0.25, k=7
    )
    assert RESEARCH.row_method() == Deterministic(k=3, metric="euclidean", q=0.0)
    assert RESEARCH.row_method(asked) == Probabilistic(q=0.5, k=3)
    assert RESEARCH.row_method(RESEARCH.settle("scatter", ["a", "b"], k=9)) == Deterministic(
        k=9, metric="euclidean", q=0.0
    )


def test_noise_that_grows_with_distance_is_that_of_the_k_of_the_picture() -> None:
    of_copy = RESEARCH.changed(k=7, papers={"method": "probabilistic", "far_noise": "by-distance"})
    research = RESEARCH.changed(papers={"far_noise": "by-distance"})
    asked = research.settle("scatter", ["a", "b"], method="probabilistic", k=4)

    assert of_copy.row_method() == Probabilistic(q=0.25, far_noise="by-distance", k=7)
    assert research.row_method(asked) == Probabilistic(q=0.25, far_noise="by-distance", k=4)


DECLARED: dict[str, tuple[dict[str, Any], dict[str, Any]]] = {
    "nothing": ({"public": True}, {}),
    "k": ({"k": 7}, {"k": 7, "m": 28}),
    "bounds": (
        {"bounds": {"t": [0, INF], "share": [0, 1]}},
        {"bounds": {"share": ["0.0", "1.0"], "t": ["0.0", "inf"]}},
    ),
    "how dates are written": ({"dates": {"visit": "%d/%m/%Y"}}, {"dates": {"visit": "%d/%m/%Y"}}),
    "missing values": (
        {"missing_values": {"income": [-999, -9], "age": []}},
        {"missing_values": {"income": [-999, -9]}},
    ),
    "that there are none": ({"missing_values": {"age": []}}, {}),
}


@pytest.mark.parametrize(("given", "told"), DECLARED.values(), ids=DECLARED)
def test_what_decides_a_copy_where_it_is_declared(
    given: dict[str, Any], told: dict[str, Any]
) -> None:
    policy = STANDARD.changed(**given)

    assert policy.copy_settings() == STANDARD.copy_settings() | told
    assert policy.settings() == STANDARD.settings() | told


def test_what_decides_rows_of_the_papers_where_it_is_declared() -> None:
    for own in ({"far_noise": "by-distance"}, {"outside": "keep"}, {"outside": "clip"}):
        policy = RESEARCH.changed(papers=own)
        assert policy.copy_settings() == RESEARCH.copy_settings() | own


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


def test_how_many_regions_there_would_be_decides_no_other_copy() -> None:
    for rows in {*ROWS} - {"rounding"}:
        before = RESEARCH.changed(papers={"method": rows})
        policy = before.changed(papers={"c": 9})

        assert policy != before
        assert policy.copy_settings() == before.copy_settings()
        assert policy.row_method() == before.row_method()


def test_a_picture_under_research_is_rounded_as_the_policy_rounds() -> None:
    policy = RESEARCH.changed(papers={"method": "equal-width", "c": 4})
    asked = policy.settle("scatter", ["a", "b"], method="rounding", k=7)

    assert (asked.k, asked.q) == (7, 0.0)
    assert policy.row_method(asked) == Rounding("equal_width", 7, 4)
    assert RESEARCH.row_method(asked) == Rounding("equal_width", 7, 4)


def test_rows_of_one_record_are_no_rounding() -> None:
    """The policy `research` may hold k = 1, which suits other pictures; to round, k is 2."""
    policy = RESEARCH.changed(k=1, papers={"method": "rounding"})

    assert policy.settle("histogram", ["a"]).k == 1
    with pytest.raises(InputError, match=r"^k must be a whole number of at least 2$"):
        policy.row_method()


def test_what_decides_all_that_leaves() -> None:
    settings = STANDARD.changed(k=7, unit="patient").settings()

    of_copy = {"k": 7, "m": 28, "unit": "patient", "key": None}
    assert settings == {"regime": "guarded", "round_to": 5, **of_copy}
    # Of the papers' methods nothing binds but that they are these.
    assert RESEARCH.changed(k=9, papers={"bins": 3}).settings() == {"regime": "research"}


UNBINDING: dict[str, Any] = {
    **{"name": "ward 3", "limits": {"age": [0, 120]}, "study": "cohort", "public": True},
    **{"versions": 9, "copy": "served", "copy_rows": 7, "copy_bytes": 7},
    **{"private_files": False, "residual_df": 20},
}


def test_names_and_numbers_of_pictures_bind_nothing() -> None:
    for name, value in UNBINDING.items():
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
