"""The protected copy: made once a version, the same whatever order, frame or file it came from."""

import itertools
import os
import stat
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from discreet.errors import BrokenPromiseError, InputError, RefusedError
from discreet.policy import Policy
from discreet.protect import deterministic
from discreet.protect.order_means import winsorised
from discreet.secret import Secret, row_keys
from discreet.table import Table, open_table
from discreet.vault import Copy, Vault, protect_view, within_bounds

Floats = NDArray[np.float64]

SECRET = Secret.from_bytes(bytes(range(32)))
STANDARD = Policy.preset("standard")


def columns(n: int = 120, seed: int = 1) -> dict[str, Any]:
    """Make three related columns and one of levels."""
    rng = np.random.default_rng(seed)
    x = rng.normal(50, 10, size=n)
    return {
        "x": x,
        "y": x + rng.normal(0, 5, size=n),
        "z": rng.lognormal(size=n),
        "sex": np.where(rng.random(n) < 0.5, "f", "m"),
    }


def table_of(given: Any, unit: str | None = None, key: str | None = None) -> Table:
    """Put columns or a frame behind a table."""
    frame = pa.table(given) if isinstance(given, Mapping) else given
    return open_table(frame, kinds={}, roles={}, unit=unit, key=key)


def copied(
    given: Any,
    group: tuple[str, ...] = ("x", "y"),
    policy: Policy = STANDARD,
    secret: Secret = SECRET,
) -> Copy:
    """Make the protected copy in memory."""
    table = table_of(given, policy.unit, policy.key)
    return Vault(secret, None).copy(table, policy, group)


def plain(copy: Copy) -> tuple[Any, ...]:
    """Return a copy as plain values that can be compared."""
    return (
        {name: values.tolist() for name, values in copy.columns.items()},
        dict(copy.strata),
        copy.version,
        copy.left_out,
    )


# --- what a copy is ---------------------------------------------------------------------------


def test_a_copy_has_a_row_for_each_complete_record_sorted_by_value() -> None:
    given = columns()
    given["x"][:7] = np.nan

    copy = copied(given)

    assert sorted(copy.columns) == ["x", "y"]
    rows = list(zip(copy.columns["x"], copy.columns["y"], strict=True))
    assert len(rows) == 113
    assert rows == sorted(rows)
    assert copy.left_out == 5  # about


def test_coordinates_are_nice_steps_and_no_raw_value() -> None:
    given = columns()

    copy = copied(given, ("x", "y", "z"))

    for name, values in copy.columns.items():
        sd = np.std(winsorised(given[name], 5), ddof=1)
        step = min(
            (s for s in (m * 10.0**e for m in (1, 2, 5) for e in range(-8, 4)) if s <= 0.02 * sd),
            key=lambda s: 0.02 * sd - s,
        )
        assert np.abs(values / step - np.round(values / step)).max() < 1e-6
        assert not set(values.tolist()) & set(given[name].tolist())


def test_a_copy_looks_like_the_data() -> None:
    given = columns(1000, seed=5)

    copy = copied(given)

    for name, values in copy.columns.items():
        assert np.mean(values) == pytest.approx(np.mean(given[name]), abs=1)
        assert np.std(values) == pytest.approx(np.std(given[name]), rel=0.05)
    raw = np.corrcoef(given["x"], given["y"])[0, 1]
    assert np.corrcoef(copy.columns["x"], copy.columns["y"])[0, 1] == pytest.approx(raw, abs=0.05)


@pytest.mark.parametrize("rows", ["condensation", "deterministic", "probabilistic"])
def test_rows_in_any_order_and_columns_in_any_order_make_one_copy(rows: str) -> None:
    given = columns()
    order = np.random.default_rng(3).permutation(120)
    shuffled = {name: values[order] for name, values in reversed(list(given.items()))}
    policy = Policy.preset("standard", rows=rows)

    assert plain(copied(shuffled, ("y", "x"), policy)) == plain(copied(given, ("x", "y"), policy))


def test_every_frame_and_file_makes_one_copy(source: Callable[[Any], Any]) -> None:
    given = {name: values.tolist() for name, values in columns().items()}
    policy = Policy.preset("standard", strata=["sex"])

    assert plain(copied(source(given), policy=policy)) == plain(copied(given, policy=policy))


def test_whole_numbers_and_floats_are_the_same_records(source: Callable[[Any], Any]) -> None:
    age = np.random.default_rng(8).integers(20, 80, size=100)
    whole = {"x": age.tolist(), "y": columns(100)["y"].tolist()}
    floats = {"x": age.astype(float).tolist(), "y": whole["y"]}

    assert plain(copied(source(whole))) == plain(copied(floats))


def test_duplicates_are_records_too() -> None:
    given = {name: np.tile(values, 2) for name, values in columns(60).items()}

    assert len(copied(given).columns["x"]) == 120


# --- versions ---------------------------------------------------------------------------------


def share_kept(one: Copy, other: Copy) -> float:
    """Return the share of protected rows of one copy that are in the other."""
    rows = [set(zip(*copy.columns.values(), strict=True)) for copy in (one, other)]
    return len(rows[0] & rows[1]) / len(rows[0])


def test_a_changed_row_is_a_new_version_with_fresh_noise_for_all() -> None:
    given = columns(400)
    changed = given | {"y": given["y"].copy()}
    changed["y"][17] += 1

    old, new = copied(given), copied(changed)

    assert old.version != new.version
    assert share_kept(old, new) < 0.1
    # what is not of the group does not matter
    assert plain(copied(given | {"z": given["y"]})) == plain(old)


POLICIES: dict[str, dict[str, Any]] = {
    "bounds": {"bounds": {"x": [40, np.inf]}},
    "bounds that keep all": {"bounds": {"x": [-np.inf, np.inf]}},
    "growing noise": {"rows": "probabilistic", "far_noise": "by-distance"},
    "k": {"k": 6},
    "row method": {"rows": "probabilistic"},
    "q": {"rows": "probabilistic", "q": 0.3},
    "strata": {"strata": ["sex"]},
}


@pytest.mark.parametrize("changes", POLICIES.values(), ids=POLICIES)
def test_a_changed_policy_is_a_new_version_with_fresh_noise(changes: dict[str, Any]) -> None:
    given = columns(400)
    noised = {"q", "far_noise"} & set(changes)
    before = STANDARD.changed(rows=changes.get("rows")) if noised else STANDARD

    old, new = copied(given, policy=before), copied(given, policy=STANDARD.changed(**changes))

    assert old.version != new.version
    assert share_kept(old, new) < 0.1


UNALTERING: list[dict[str, Any]] = [
    {"bins": 10},
    {"grid": 10},
    {"name": "ours"},
    {"study": "s"},
    {"outside": "clip"},
    {"edges": {"x": [0, 1]}},
    {"bins_share": 0.5},
    {"residual_df": 20},
]


@pytest.mark.parametrize("changes", UNALTERING)
def test_a_policy_that_does_not_alter_the_copy_is_the_same_version(changes: dict[str, Any]) -> None:
    given = columns()

    assert plain(copied(given, policy=STANDARD.changed(**changes))) == plain(copied(given))


def test_another_secret_is_another_version() -> None:
    given = columns(400)
    other = Secret.from_bytes(bytes(range(1, 33)))

    assert copied(given, secret=other).version != copied(given).version
    assert share_kept(copied(given), copied(given, secret=other)) < 0.1


def test_another_group_is_another_version_with_fresh_noise() -> None:
    given = columns(400)

    two, three = copied(given, ("x", "y")), copied(given, ("x", "y", "z"))

    assert two.version != three.version
    pairs = [set(zip(c.columns["x"], c.columns["y"], strict=True)) for c in (two, three)]
    assert len(pairs[0] & pairs[1]) < 40


class Spy:
    """A row method that notes which noise each record was given."""

    name = promises = leaves_open = "spy"

    def __init__(self) -> None:
        self.noise: dict[tuple[float, ...], tuple[float, ...]] = {}
        self.seen: list[tuple[tuple[float, ...], int]] = []

    def __call__(self, values: Floats, normals: Floats, strata: Any) -> Floats:
        rows = [*map(tuple, values.tolist())]
        self.noise = dict(zip(rows, map(tuple, normals.tolist()), strict=True))
        self.seen = [*zip(rows, strata.tolist(), strict=True)]
        return values + normals


def test_columns_are_drawn_in_before_they_are_protected(monkeypatch: pytest.MonkeyPatch) -> None:
    given = columns()
    given["x"][3] = 1e6
    spy = Spy()
    monkeypatch.setattr(Policy, "row_method", lambda self, asked=None: spy)
    copied(given)

    rows = np.array([row for row, _ in spy.seen])
    for j, name in enumerate("xy"):
        assert sorted(rows[:, j]) == sorted(winsorised(given[name], 5))
    assert rows.max() < 100


def test_each_row_is_of_the_stratum_of_its_levels(monkeypatch: pytest.MonkeyPatch) -> None:
    given = columns() | {"arm": np.array(["a", "b", "c"] * 40)}
    spy = Spy()
    monkeypatch.setattr(Policy, "row_method", lambda self, asked=None: spy)

    copied(given, policy=STANDARD.changed(strata=["sex", "arm"]))

    trimmed = np.column_stack([winsorised(given[name], 5) for name in "xy"])
    words = zip(given["sex"], given["arm"], strict=True)
    levels: dict[tuple[float, ...], Any] = dict(
        zip(map(tuple, trimmed.tolist()), words, strict=True)
    )
    alone = [row for row, _ in spy.seen if [seen for seen, _ in spy.seen].count(row) == 1]
    found = {(levels[row], stratum) for row, stratum in spy.seen if row in alone}
    assert len(alone) > 100
    assert len(found) == len({stratum for _, stratum in found}) == 6


def noise_of(given: Any, monkeypatch: pytest.MonkeyPatch, secret: Secret = SECRET) -> Any:
    """Return the noise that each (winsorised) record of x and y has in the copy."""
    spy = Spy()
    monkeypatch.setattr(Policy, "row_method", lambda self, asked=None: spy)
    copied(given, secret=secret)
    return spy.noise


def test_a_record_has_one_noise_in_a_version_whatever_its_place(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    given = columns()
    before = noise_of(given, monkeypatch)

    for seed in range(3):
        order = np.random.default_rng(seed).permutation(120)
        shuffled = {name: values[order] for name, values in given.items()}
        assert noise_of(shuffled, monkeypatch) == before
    assert noise_of(pd.DataFrame(given), monkeypatch) == before
    # records that tie at the winsorised ends keep noise of their own
    assert len(set(before.values())) == len(before)
    assert all(a != b for a, b in before.values())


def test_a_new_version_has_fresh_noise_for_every_record(monkeypatch: pytest.MonkeyPatch) -> None:
    given = columns()
    changed = given | {"y": given["y"].copy()}
    changed["y"][np.argsort(given["y"])[60]] += 1e-6  # in the middle: the ends stay as they are

    old, new = noise_of(given, monkeypatch), noise_of(changed, monkeypatch)

    same_records = set(old) & set(new)
    assert len(same_records) >= 100
    assert all(old[record] != new[record] for record in same_records)


@settings(max_examples=20)
@given(st.data(), st.integers(5, 40))
def test_noise_belongs_to_the_record_in_every_order_and_filter(data: Any, n: int) -> None:
    """The rule that view, order and filter all follow: record, column and version decide."""
    values = np.random.default_rng(n).normal(size=(n, 2)).round(1)
    rows = data.draw(st.permutations(range(n)))[: data.draw(st.integers(1, n))]
    keys = row_keys(SECRET, [values[:, 0], values[:, 1]])
    everyone = SECRET.normals(b"version", keys, ["x", "y"])

    filtered = SECRET.normals(b"version", [keys[i] for i in rows], ["y", "x"])

    assert filtered[:, ::-1].tolist() == everyone[list(rows)].tolist()
    fresh = SECRET.normals(b"another", keys, ["x", "y"])
    assert (fresh != everyone).all()


# --- key, unit, strata ------------------------------------------------------------------------


@pytest.mark.parametrize("word", [False, True], ids=["a number", "a word"])
def test_a_declared_key_decides_on_the_noise_and_does_not_travel(word: bool) -> None:
    given = columns()
    number = np.arange(120) + 7000
    given["id"] = np.array([f"P{i}" for i in number]) if word else number
    policy = STANDARD.changed(key="id")

    copy = copied(given, policy=policy)

    assert sorted(copy.columns) == ["x", "y"]
    assert not copy.strata
    order = np.random.default_rng(4).permutation(120)
    shuffled = {name: values[order] for name, values in given.items()}
    assert plain(copied(shuffled, policy=policy)) == plain(copy)
    assert copy.version != copied(given).version


@pytest.mark.parametrize("twice", [[7001, 7001], ["P1", "P1"]])
def test_a_key_that_is_in_two_rows_is_refused_without_its_value(twice: list[Any]) -> None:
    given = columns()
    words = isinstance(twice[0], str)
    given["id"] = np.array([*twice, *[f"Q{i}" if words else i for i in range(118)]])

    with pytest.raises(InputError, match="key column 'id' holds a value twice") as refused:
        copied(given, policy=STANDARD.changed(key="id"))
    assert str(twice[0]) not in str(refused.value)


def test_a_person_with_several_rows_is_refused_with_advice() -> None:
    given = columns() | {"who": [i // 2 for i in range(120)]}
    research = Policy.preset("research")
    asked = research.settle("scatter", ["x", "y"])
    refusal = r"several rows.* use a histogram or heat map"

    with pytest.raises(RefusedError, match=refusal):
        copied(given, policy=STANDARD.changed(unit="who"))
    with pytest.raises(RefusedError, match=refusal):
        protect_view(table_of(given, unit="who"), research, asked, SECRET)


def test_a_person_with_one_row_is_a_row() -> None:
    given = columns() | {"who": list(range(120))}

    assert plain(copied(given, policy=STANDARD.changed(unit="who"))) == plain(copied(given))


def test_strata_travel_and_groups_stay_within_them() -> None:
    # two clouds far apart: a copy within strata cannot mix them
    rng = np.random.default_rng(6)
    given = {
        "x": np.concatenate([rng.normal(0, 1, 60), rng.normal(1000, 1, 60)]),
        "y": rng.normal(size=120),
        "arm": ["a"] * 60 + ["b"] * 60,
    }

    copy = copied(given, policy=STANDARD.changed(strata=["arm"]))

    assert sorted(copy.strata["arm"]) == given["arm"]
    for level, x in zip(copy.strata["arm"], copy.columns["x"], strict=True):
        assert (x > 500) == (level == "b")
    rows = list(zip(copy.strata["arm"], *copy.columns.values(), strict=True))
    assert rows == sorted(rows)


STRATA: dict[str, tuple[list[str], bool]] = {
    "2 k in each": (["a"] * 90 + ["b"] * 10, True),
    "fewer than 2 k": (["a"] * 91 + ["b"] * 9, False),
}


@pytest.mark.parametrize(("levels", "enough"), STRATA.values(), ids=STRATA)
def test_a_stratum_holds_at_least_two_k(levels: list[str], enough: bool) -> None:
    given = columns(100) | {"arm": levels}
    policy = STANDARD.changed(strata=["arm"])
    if enough:
        assert len(copied(given, policy=policy).columns["x"]) == 100
        return
    with pytest.raises(
        RefusedError, match="strata 'arm' has too few rows: at least 2 k"
    ) as refused:
        copied(given, policy=policy)
    assert "9" not in str(refused.value)


def test_combinations_of_strata_are_what_counts() -> None:
    given = columns(100) | {"a": ["p", "q"] * 50, "b": ["u"] * 50 + ["v"] * 41 + ["u"] * 9}

    with pytest.raises(RefusedError, match="a combination of the strata 'a', 'b'"):
        copied(given | {"b": ["u"] * 91 + ["v"] * 9}, policy=STANDARD.changed(strata=["a", "b"]))
    assert copied(given, policy=STANDARD.changed(strata=["a", "b"]))


@pytest.mark.parametrize(("n", "enough"), [(49, False), (50, True)])
def test_a_table_has_at_least_ten_k_complete_rows(n: int, enough: bool) -> None:
    given = columns(n + 30)
    given["x"][n:] = np.inf
    if enough:
        assert len(copied(given).columns["x"]) == 50
        return
    with pytest.raises(RefusedError, match="too few complete rows: at least 10 k") as refused:
        copied(given)
    assert "49" not in str(refused.value)


def test_a_constant_column_is_refused_by_name() -> None:
    given = columns() | {"y": np.array([4.5] * 116 + [5.0, 6.0, 7.0, 8.0])}

    # four values differ: drawn in to the means of five they still do
    assert copied(given)
    with pytest.raises(RefusedError, match="column 'y' is constant"):
        copied(given | {"y": np.full(120, 4.5)})


def test_a_method_that_breaks_its_word_is_a_bug(monkeypatch: pytest.MonkeyPatch) -> None:
    broken: dict[str, Callable[..., Any]] = {
        "drops a row": lambda values, normals, strata: values[1:],
        "not finite": lambda values, normals, strata: values * np.nan,
    }
    for method in broken.values():
        monkeypatch.setattr(Policy, "row_method", lambda self, asked=None, method=method: method)
        with pytest.raises(BrokenPromiseError, match="another shape, or values not finite"):
            copied(columns())


# --- bounds -----------------------------------------------------------------------------------

BOUNDED = Policy.preset("standard", rows="probabilistic", q=1.0)


def bounded(rule: str, **bounds: Any) -> Policy:
    """Declare bounds, and what becomes of values outside."""
    return BOUNDED.changed(bounds=bounds, outside=rule)


def shares(n: int = 300) -> dict[str, Any]:
    """Make a share from 0 to 1 and a time from 0 on, many of them near the ends."""
    rng = np.random.default_rng(12)
    return {"x": rng.beta(0.7, 0.7, size=n), "y": rng.exponential(3, size=n)}


def test_values_outside_of_bounds_are_kept_reflected_or_clipped() -> None:
    given, ends = shares(), {"x": [0, 1], "y": [0.0, np.inf]}
    kept, reflected, clipped = (
        copied(given, policy=bounded(rule, **ends)) for rule in ("keep", "reflect", "clip")
    )

    assert kept.columns["x"].min() < 0
    assert kept.columns["x"].max() > 1
    assert kept.columns["y"].min() < 0
    for copy in (reflected, clipped):
        assert copy.columns["x"].min() >= 0
        assert copy.columns["x"].max() <= 1
        assert copy.columns["y"].min() >= 0
        assert copy.columns["y"].max() > 1
    # clipped values pile up at the ends, reflected ones do not
    at_an_end = [np.mean(copy.columns["x"] == 0) for copy in (kept, reflected, clipped)]
    assert at_an_end[2] > 0.1 > max(at_an_end[:2])


@pytest.mark.parametrize("rule", ["reflect", "clip"])
def test_bounds_that_are_no_step_are_kept_all_the_same(rule: str) -> None:
    given = shares()
    policy = bounded(rule, x=[0.0123456, 0.9876543])

    x = copied(given, policy=policy).columns["x"]

    assert x.min() >= 0.0123456
    assert x.max() <= 0.9876543


def test_bounds_of_another_column_change_no_value(monkeypatch: pytest.MonkeyPatch) -> None:
    """The version is another, for bounds are settings; with its noise held fixed nothing moves."""
    given = shares()
    monkeypatch.setattr(Policy, "row_method", lambda self, asked=None: lambda values, *_: values)

    plain, other = copied(given), copied(given, policy=bounded("clip", z=[0, 1]))

    assert other.columns["x"].tolist() == plain.columns["x"].tolist()
    assert other.columns["y"].tolist() == plain.columns["y"].tolist()


def test_another_rule_or_end_is_another_version() -> None:
    given = shares()
    policies = [
        BOUNDED,
        bounded("keep", x=[0, 1]),
        bounded("reflect", x=[0, 1]),
        bounded("clip", x=[0, 1]),
        bounded("clip", x=[0, 2]),
        bounded("clip", x=[0, np.inf]),
        bounded("clip", y=[0, 1]),
    ]

    copies = [copied(given, policy=policy) for policy in policies]

    assert len({copy.version for copy in copies}) == len(policies)
    for one, other in itertools.pairwise(copies):
        assert share_kept(one, other) < 0.1


def test_a_stored_copy_keeps_its_bounds(tmp_path: Path) -> None:
    policy = bounded("reflect", x=[0, 1])
    made = Vault(SECRET, tmp_path).copy(table_of(shares()), policy, ("x", "y"))

    assert plain(Vault(SECRET, tmp_path).copy(table_of(shares()), policy, ("x", "y"))) == plain(
        made
    )


@pytest.mark.parametrize("method", ["probabilistic", "deterministic", "condensation"])
@pytest.mark.parametrize("rule", ["keep", "reflect", "clip"])
def test_research_views_have_the_bounds_too(rule: str, method: str) -> None:
    research = Policy.preset("research", outside=rule, bounds={"x": [0.45, 0.55]})
    asked = research.settle("scatter", ["x", "y"], method=method)
    plainly = Policy.preset("research").settle("scatter", ["x", "y"], method=method)

    copy = protect_view(table_of(shares()), research, asked, SECRET)
    without = protect_view(table_of(shares()), Policy.preset("research"), plainly, SECRET)

    inside = (without.columns["x"] >= 0.45) & (without.columns["x"] <= 0.55)
    assert 0 < inside.sum() < 300
    assert copy.columns["x"][inside].tolist() == without.columns["x"][inside].tolist()
    assert copy.columns["y"].tolist() == without.columns["y"].tolist()
    if rule == "keep":
        assert copy.columns["x"].tolist() == without.columns["x"].tolist()
    else:
        assert 0.45 <= copy.columns["x"].min() < copy.columns["x"].max() <= 0.55
    ends = np.isin(copy.columns["x"], [0.45, 0.55]).mean()
    assert bool(ends > 0.5) is (rule == "clip")


@pytest.mark.parametrize("rule", ["keep", "reflect", "clip"])
def test_a_column_without_bounds_is_left_alone(rule: str) -> None:
    values = np.array([-5.0, 0.5, 7.0])

    assert within_bounds(bounded(rule, x=[0, 1]), "y", values) is values
    assert (
        within_bounds(bounded(rule, x=[0, 1]), "x", values).tolist()
        == {
            "keep": [-5.0, 0.5, 7.0],
            "reflect": [1.0, 0.5, 1.0],
            "clip": [0.0, 0.5, 1.0],
        }[rule]
    )


# --- kept -------------------------------------------------------------------------------------


def test_a_copy_is_made_once_and_kept_in_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    vault, table = Vault(SECRET, None), table_of(columns())
    first = vault.copy(table, STANDARD, ("x", "y"))
    monkeypatch.setattr(Policy, "row_method", None)

    assert vault.copy(table, STANDARD, ("y", "x")) is first


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Return a folder that is not there yet."""
    return tmp_path / "beside" / ".discreet"


def test_a_copy_is_stored_for_its_owner_alone(folder: Path) -> None:
    vault = Vault(SECRET, folder)
    made = vault.copy(table_of(columns()), STANDARD.changed(strata=["sex"]), ("x", "y"))

    (path,) = folder.iterdir()
    assert path.name == f"copy-{made.version}.parquet"
    if os.name == "posix":
        assert stat.S_IMODE(path.stat().st_mode) == 0o600
        assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    stored = pq.read_table(path)
    assert stored.column_names == ["x", "y", "sex"]
    assert stored["x"].to_pylist() == made.columns["x"].tolist()


def test_a_stored_copy_is_read_back_and_not_made_again(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    policy = STANDARD.changed(strata=["sex"])
    made = Vault(SECRET, folder).copy(table_of(columns()), policy, ("x", "y"))
    monkeypatch.setattr(Policy, "row_method", None)

    again = Vault(SECRET, folder).copy(table_of(columns()), policy, ("x", "y"))

    assert plain(again) == plain(made)


def test_the_same_version_is_stored_as_the_same_bytes(tmp_path: Path) -> None:
    given = columns()
    order = np.random.default_rng(9).permutation(120)
    for name, rows in (("one", np.arange(120)), ("other", order)):
        shuffled = {column: values[rows] for column, values in given.items()}
        Vault(SECRET, tmp_path / name).copy(table_of(shuffled), STANDARD, ("x", "y"))

    (one,), (other,) = (tmp_path / "one").iterdir(), (tmp_path / "other").iterdir()
    assert one.name == other.name
    assert one.read_bytes() == other.read_bytes()


def test_versions_are_stored_side_by_side(folder: Path) -> None:
    for seed in (1, 2):
        Vault(SECRET, folder).copy(table_of(columns(seed=seed)), STANDARD, ("x", "y"))

    assert len(list(folder.iterdir())) == 2


DAMAGED: dict[str, Callable[[Path], Any]] = {
    "no Parquet": lambda path: path.write_bytes(b"Canary,1,2,3"),
    "cut short": lambda path: path.write_bytes(path.read_bytes()[:-20]),
    "other columns": lambda path: pq.write_table(pa.table({"w": [1.0]}), path),
    "words": lambda path: pq.write_table(pa.table({"x": ["Canary"], "y": ["Canary"]}), path),
}


@pytest.mark.parametrize("damage", DAMAGED.values(), ids=DAMAGED)
def test_a_stored_copy_that_is_damaged_is_refused(
    damage: Callable[[Path], Any], folder: Path
) -> None:
    Vault(SECRET, folder).copy(table_of(columns()), STANDARD, ("x", "y"))
    (path,) = folder.iterdir()
    damage(path)

    with pytest.raises(InputError, match="cannot be read; move it away to have it made") as refused:
        Vault(SECRET, folder).copy(table_of(columns()), STANDARD, ("x", "y"))
    assert "Canary" not in str(refused.value)


def test_a_copy_prints_no_value() -> None:
    assert "." not in repr(copied(columns())).removeprefix("<discreet.vault.Copy")


# --- research ---------------------------------------------------------------------------------


def test_research_protects_the_columns_of_one_view_as_printed() -> None:
    given = columns()
    research = Policy.preset("research")

    copy = protect_view(
        table_of(given), research, research.settle("scatter", ["x", "y"], k=4), SECRET
    )

    expected = deterministic(np.column_stack([given["x"], given["y"]]), k=4)
    assert copy.columns["x"].tolist() == expected[:, 0].tolist()
    assert copy.columns["y"].tolist() == expected[:, 1].tolist()


def test_research_noise_is_keyed_as_well() -> None:
    given = columns()
    research = Policy.preset("research")
    asked = research.settle("scatter", ["x", "y"], method="probabilistic")
    order = np.random.default_rng(2).permutation(120)
    shuffled = {name: values[order] for name, values in given.items()}

    one = protect_view(table_of(given), research, asked, SECRET)
    other = protect_view(table_of(shuffled), research, asked, SECRET)

    assert other.columns["x"].tolist() == pytest.approx(one.columns["x"][order].tolist())
    gap = (one.columns["x"] - given["x"]) / np.std(given["x"], ddof=1)
    assert np.std(gap) == pytest.approx(0.25, rel=0.25)


def test_research_names_a_constant_column() -> None:
    research = Policy.preset("research")
    table = table_of(columns() | {"y": np.full(120, 4.5)})

    with pytest.raises(RefusedError, match="column 'y' is constant"):
        protect_view(table, research, research.settle("scatter", ["x", "y"]), SECRET)


def test_research_protects_within_levels_as_they_are_named() -> None:
    # two clouds far apart: what is protected within levels cannot mix them
    rng = np.random.default_rng(6)
    given: dict[str, Any] = {
        "x": np.concatenate([rng.normal(0, 1, 60), rng.normal(1000, 1, 60)]),
        "y": rng.normal(size=120),
        "arm": ["a"] * 60 + ["b"] * 30 + ["c"] * 30,
    }
    research = Policy.preset("research")
    asked = research.settle("scatter", ["x", "y"], by="arm")

    copy = protect_view(
        table_of(given),
        research,
        asked,
        SECRET,
        lambda levels: tuple("a" if level == "a" else "other" for level in levels),
    )

    assert copy.strata == {"arm": ("a",) * 60 + ("other",) * 60}
    assert ((copy.columns["x"] > 500) == (np.array(copy.strata["arm"]) == "other")).all()
    values, strata = np.column_stack([given["x"], given["y"]]), np.repeat([0, 1], 60)
    expected = deterministic(values, k=3, strata=strata)
    assert copy.columns["x"].tolist() == expected[:, 0].tolist()


def test_research_without_a_name_for_levels_has_none() -> None:
    research = Policy.preset("research")
    asked = research.settle("scatter", ["x", "y"], by="sex")

    assert protect_view(table_of(columns()), research, asked, SECRET).strata == {}


def test_a_guarded_study_draws_from_its_copy_alone() -> None:
    asked = STANDARD.settle("scatter", ["x", "y"])

    with pytest.raises(BrokenPromiseError, match="protected copy alone"):
        protect_view(table_of(columns()), STANDARD, asked, SECRET)
