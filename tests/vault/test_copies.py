"""From ready rows to protected ones: bounds, the methods' word, and what one view is alone."""

from __future__ import annotations

import itertools
import os
import stat
import threading
from collections import Counter
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given as drawn
from hypothesis import settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from discreet.errors import BrokenPromiseError, InputError, RefusedError
from discreet.policy import Policy
from discreet.protect import (
    ColumnRounding,
    Condensation,
    Deterministic,
    Microaggregation,
    Probabilistic,
    Rounding,
    deterministic,
)
from discreet.protect.base import RowMethod
from discreet.protect.values import nice_step, safe_ends, winsorised
from discreet.vault import stored
from discreet.vault.columns import Unread
from discreet.vault.rows import Noised, noised, prepared, raw_rows
from discreet.vault.vault import (
    Copy,
    Made,
    Vault,
    load,
    make_copy,
    make_table,
    protect_view,
    store,
    within_bounds,
)
from tests.vault.given import SECRET, STANDARD, columns, copied, plain, table_of

Floats = NDArray[np.float64]


class Spy:
    """A row method that notes which noise each record was given."""

    name = promises = leaves_open = "spy"

    shared_by_k = False

    def __init__(self) -> None:
        self.noise: dict[tuple[float, ...], tuple[float, ...]] = {}
        self.seen: list[tuple[tuple[float, ...], int]] = []

    def __call__(self, values: Floats, normals: Floats, strata: Any, persons: Any = None) -> Floats:
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
    # No row is left out, so that far values are drawn in as here.
    monkeypatch.setattr("discreet.policy.policy.Policy.count_step", 1)
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


def test_a_constant_column_is_refused_by_name() -> None:
    given = columns() | {"y": np.array([4.5] * 116 + [5.0, 6.0, 7.0, 8.0])}

    # four values differ: drawn in to the means of five they still do
    assert copied(given)
    with pytest.raises(RefusedError, match="column 'y' is constant"):
        copied(given | {"y": np.full(120, 4.5)})


def test_a_method_that_breaks_its_word_is_a_bug(monkeypatch: pytest.MonkeyPatch) -> None:
    broken: dict[str, Callable[..., Any]] = {
        "drops a row": lambda values, *_: values[1:],
        "not finite": lambda values, *_: values * np.nan,
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

    class Unchanged(Spy):
        def __call__(self, values: Floats, *_: Any) -> Floats:
            return values

    given = shares()
    monkeypatch.setattr(Policy, "row_method", lambda self, asked=None: Unchanged())

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
        rows = [set(zip(*copy.columns.values(), strict=True)) for copy in (one, other)]
        assert len(rows[0] & rows[1]) < 0.1 * len(rows[0])


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


# --- one table alone, and the rows beside the raw ones -------------------------------------------


def ready(given: Any, policy: Policy, carried: tuple[str, ...] = ()) -> Noised:
    """Make the rows of x and y ready, with their noise."""
    raw = raw_rows(
        table_of(given), policy, ["x", "y"], SECRET, strata=policy.strata, carried=carried
    )
    return noised(prepared(raw, policy, SECRET), SECRET, raw.version)


METHODS: dict[str, RowMethod] = {
    "deterministic": Deterministic(k=4),
    "mahalanobis": Deterministic(k=4, metric="mahalanobis"),
    "probabilistic": Probabilistic(q=0.25),
    "condensation": Condensation(k=4),
    "microaggregation": Microaggregation(k=4),
    "rounding": Rounding(k=4),
    "rounding of columns, jointly": Rounding("kmeans", k=4),
    "rounding to so many regions": Rounding("equal_width", k=4, c=3),
    "rounding each column": ColumnRounding("optimal", k=4),
    "rounding each column to the median": ColumnRounding("kmeans", c=6, representative="median"),
    "rounding each column by a draw": ColumnRounding("kmeans", c=6, encoding="stochastic"),
}


@pytest.mark.parametrize("method", METHODS.values(), ids=METHODS)
def test_a_table_is_made_within_strata_and_row_by_row(method: RowMethod) -> None:
    given, research = columns(), Policy.preset("research", strata=["sex"])
    ready_rows = ready(given, research)
    rows = ready_rows.rows

    made = make_table(ready_rows, research, method)

    assert made.original.tolist() == np.column_stack([given["x"], given["y"]]).tolist()
    assert made.trimmed.tolist() == made.original.tolist(), "nothing is drawn in"
    assert made.levels["sex"] == tuple(given["sex"])
    if not isinstance(method, Condensation):  # whose draws follow the order of the keys
        alone = method(rows.values, ready_rows.normals, rows.strata)
        assert made.released.tolist() == pytest.approx(alone, rel=1e-9)
    order = np.random.default_rng(3).permutation(120)
    shuffled = {name: values[order] for name, values in given.items()}
    moved = make_table(ready(shuffled, research), research, method)
    assert moved.released.tolist() == made.released[order].tolist()
    assert moved.version == made.version


def test_the_same_rows_have_other_noise_in_another_version() -> None:
    research = Policy.preset("research")
    rows = ready(columns(), research)
    other = noised(rows.rows, SECRET, b"another")

    made = [make_table(each, research, Probabilistic(q=0.25)) for each in (rows, other)]

    assert made[0].version != made[1].version
    assert (made[0].released != made[1].released).all()
    assert made[0].original.tolist() == made[1].original.tolist()


def test_what_is_carried_is_no_stratum() -> None:
    given, research = columns() | {"ill": ["p"] * 119 + ["q"]}, Policy.preset("research")

    made = make_table(ready(given, research, ("ill",)), research, Deterministic(k=3))

    assert made.carried == {"ill": tuple(given["ill"])}
    assert made.levels == {}
    without = make_table(ready(columns(), research), research, Deterministic(k=3))
    assert made.released.tolist() == without.released.tolist()


def test_a_copy_is_made_beside_the_raw_rows() -> None:
    given = columns() | {"arm": ["a"] * 60 + ["b"] * 60}
    policy = STANDARD.changed(strata=["arm"])

    made = make_copy(ready(given, policy), policy)

    copy = copied(given, policy=policy)
    assert made.original.tolist() == np.column_stack([given["x"], given["y"]]).tolist()
    trimmed = np.column_stack([winsorised(given[name], 5) for name in "xy"])
    assert made.trimmed.tolist() == trimmed.tolist()
    assert (made.trimmed != made.original).any()
    assert made.levels["arm"] == tuple(given["arm"])
    rows = zip(made.levels["arm"], *made.released.T.tolist(), strict=True)
    kept = zip(copy.strata["arm"], *(v.tolist() for v in copy.columns.values()), strict=True)
    assert sorted(rows) == list(kept)
    assert made.version == copy.version


SHARED: dict[str, dict[str, Any]] = {
    "microaggregation": {"rows": "microaggregation"},
    "rounding by mdav": {"rows": "rounding"},
    "rounding by k-means": {"rows": "rounding", "rounding": "kmeans"},
    "rounding by equal widths": {"rows": "rounding", "rounding": "equal_width", "c": 4},
}


@pytest.mark.parametrize("fields", SHARED.values(), ids=SHARED)
def test_rounding_parts_no_group(fields: dict[str, Any]) -> None:
    policy = STANDARD.changed(strata=["sex"], bounds={"x": [45, 55]}, **fields)
    policy = policy.changed(outside="reflect")

    made = make_copy(ready(columns(300), policy), policy)

    shared = Counter(zip(made.levels["sex"], *made.released.T.tolist(), strict=True))
    assert min(shared.values()) >= 5
    assert 45 <= made.released[:, 0].min() < made.released[:, 0].max() <= 55


def test_tables_and_views_of_their_own_are_for_research() -> None:
    with pytest.raises(BrokenPromiseError, match="releases rows of its protected copy alone"):
        make_table(ready(columns(), STANDARD), STANDARD, Deterministic(k=5))


def test_a_table_names_its_constant_column() -> None:
    research = Policy.preset("research")
    rows = ready(columns() | {"y": np.full(120, 4.5)}, research)

    with pytest.raises(RefusedError, match="column 'y' is constant"):
        make_table(rows, research, Deterministic(k=3))


@pytest.mark.parametrize("method", [Microaggregation, Rounding])
def test_rows_that_few_share_are_a_bug(
    monkeypatch: pytest.MonkeyPatch, method: type[Microaggregation] | type[Rounding]
) -> None:
    monkeypatch.setattr(method, "__call__", lambda self, values, *_: values)
    research = Policy.preset("research")

    with pytest.raises(BrokenPromiseError, match="shared by fewer than k"):
        copied(columns(), policy=STANDARD.changed(rows=method.name))
    with pytest.raises(BrokenPromiseError, match="shared by fewer than k"):
        make_table(ready(columns(), research), research, method(k=4))


def test_columns_rounded_alone_may_be_shared_by_few() -> None:
    """It promises nothing of rows, so that is no bug; the report tells how many there are."""
    research = Policy.preset("research")

    made = make_table(ready(columns(), research), research, ColumnRounding("optimal", k=10))

    for column in made.released.T:
        assert min(Counter(column.tolist()).values()) >= 10
    assert min(Counter(map(tuple, made.released.tolist())).values()) == 1


# --- safe ends and whole numbers ------------------------------------------------------------------

ROW_METHODS_OF_COPIES = (
    "condensation",
    "deterministic",
    "microaggregation",
    "probabilistic",
    "rounding",
)


def coded(n: int = 300) -> dict[str, Any]:
    """Make ages that are coded to 80, and times of which none is negative."""
    rng = np.random.default_rng(5)
    ages = np.clip(rng.normal(60, 20, size=n).round(), 18, 80)
    return {"x": ages, "y": np.floor(rng.exponential(40, size=n)), "z": rng.exponential(3, size=n)}


def finished(given: dict[str, Any], policy: Policy) -> Made:
    """Make a copy of all columns of a table."""
    raw = raw_rows(table_of(given), policy, tuple(sorted(given)), SECRET, strata=())
    ready = prepared(raw, policy, SECRET)
    return make_copy(noised(ready, SECRET, raw.version), policy)


@pytest.mark.parametrize("rows", ROW_METHODS_OF_COPIES)
@pytest.mark.parametrize("outside", ["reflect", "clip"])
def test_a_copy_stays_within_its_columns_and_whole_numbers_are_whole(
    rows: str, outside: str
) -> None:
    """Ages of 91.8 in a column coded to 80, and negative times, came out before."""
    given = coded()
    made = finished(given, STANDARD.changed(rows=rows, outside=outside, q=0.3))

    for j, name in enumerate(made.names):
        released, trimmed = made.released[:, j], made.trimmed[:, j]
        low, high = safe_ends(trimmed.min(), trimmed.max(), whole=name != "z")
        assert low <= released.min() < released.max() <= high
        assert released.min() >= 0
        step = 1.0 if name != "z" else nice_step(float(np.std(trimmed, ddof=1)))
        assert np.allclose(released / step, np.round(released / step), atol=1e-9)
    assert made.released[:, made.names.index("x")].max() <= 80


def test_values_are_kept_where_the_policy_says_so_and_whole_all_the_same() -> None:
    made = finished(coded(), STANDARD.changed(rows="probabilistic", q=0.5, outside="keep"))

    x, y, z = made.released.T
    assert x.max() > 80
    assert y.min() < 0
    assert z.min() < 0
    assert (x == np.round(x)).all()
    assert (y == np.round(y)).all()


def test_reflected_values_do_not_pile_up_at_an_end() -> None:
    """Values of one density all over: no end of the copy has much more than its neighbours."""
    given = {"x": np.linspace(0, 100, 3000), "y": np.random.default_rng(2).normal(size=3000)}
    reflected, clipped = (
        finished(given, STANDARD.changed(rows="probabilistic", q=0.5, outside=rule)).released[:, 0]
        for rule in ("reflect", "clip")
    )

    counts = np.histogram(reflected, bins=20, range=(0, 100))[0]
    assert counts.max() < 1.35 * counts.mean()  # 150 a bin, whose sd is 12
    assert (reflected == reflected.max()).sum() < 30
    assert (clipped == clipped.max()).sum() > 100


def test_filled_gaps_and_a_few_broken_numbers_leave_a_column_whole() -> None:
    given = coded()
    given["x"] = given["x"].copy()
    given["x"][:40] = np.nan
    given["y"] = given["y"].copy()
    given["y"][:4] += 0.5  # fewer than k

    made = finished(given, STANDARD.changed(missing="median"))

    assert (made.released[:, :2] == np.round(made.released[:, :2])).all()


def test_narrow_bounds_between_two_steps_hold() -> None:
    given = shares()
    made = finished(given, STANDARD.changed(bounds={"x": [0.5001, 0.5002]}))

    x = made.released[:, 0]
    assert 0.5001 <= x.min() <= x.max() <= 0.5002


def test_bounds_that_are_beside_the_data_stand() -> None:
    given = {name: -1 - values for name, values in shares().items()}
    made = finished(given, STANDARD.changed(bounds={"x": [0, np.inf]}))

    assert made.released[:, 0].min() >= 0


@drawn(
    seed=st.integers(0, 2**16),
    most=st.sampled_from([3, 9, 50, 1000]),
    rows=st.sampled_from(ROW_METHODS_OF_COPIES),
)
@settings(max_examples=15, deadline=None)
def test_a_copy_of_whole_numbers_is_a_table_of_whole_numbers(
    seed: int, most: int, rows: str
) -> None:
    """Whatever the method; what it promises is counted again by the vault itself."""
    rng = np.random.default_rng(seed)
    table = {"x": rng.integers(0, most, size=80), "y": rng.integers(0, 5, size=80)}
    policy = STANDARD.changed(rows=rows)

    made = finished(table, policy)
    shuffled = rng.permutation(80)
    again = finished({name: values[shuffled] for name, values in table.items()}, policy)

    assert (made.released == np.floor(made.released)).all()
    assert made.released.min() >= 0
    assert made.released[:, 0].max() <= most - 1
    assert sorted(again.released.tolist()) == sorted(made.released.tolist())


VERSION = bytes(range(32))
COPY = Copy(
    {"x": np.array([1.0, 2.5]), "y": np.array([-3.0, 1e300])},
    {"arm": ("a", "b"), "sex": ("", "f")},
    VERSION.hex()[:16],
    5,
    ("small strata are merged", "über"),
)


def plain_values(copy: Copy) -> tuple[Any, ...]:
    """Return a copy as plain_values values that can be compared."""
    values = {name: values.tolist() for name, values in copy.columns.items()}
    return values, dict(copy.strata), copy.version, copy.left_out, copy.remarks


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """Name a file in folders that are not there yet."""
    return tmp_path / "beside" / ".discreet" / "copy.parquet"


def test_a_copy_is_read_back_as_it_was(path: Path) -> None:
    store(path, COPY, VERSION)

    assert plain_values(load(path, ["x", "y"], VERSION)) == plain_values(COPY)
    assert [each.name for each in path.parent.iterdir()] == [path.name]
    assert pq.read_table(path).column_names == ["x", "y", "arm", "sex"]


def test_a_copy_without_strata_or_remarks_is_one_too(path: Path) -> None:
    bare = Copy({"x": np.array([1.0])}, {}, VERSION.hex()[:16], 0)
    store(path, bare, VERSION)

    assert plain_values(load(path, ["x"], VERSION)) == plain_values(bare)


def test_threads_that_keep_the_same_copy_do_not_get_into_each_others_way(path: Path) -> None:
    at_once = threading.Barrier(8)

    def keep(_: int) -> None:
        at_once.wait(60)
        for _ in range(10):
            store(path, COPY, VERSION)
            assert plain_values(load(path, ["x", "y"], VERSION)) == plain_values(COPY)

    with ThreadPoolExecutor(8) as threads:
        list(threads.map(keep, range(8)))
    assert [each.name for each in path.parent.iterdir()] == [path.name]


@pytest.mark.skipif(os.name != "posix", reason="rights of files are those of POSIX")
def test_a_copy_is_stored_for_its_owner_alone(path: Path) -> None:
    store(path, COPY, VERSION)

    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700


def test_a_folder_that_cannot_be_written_is_named(path: Path) -> None:
    path.parent.parent.mkdir()
    path.parent.write_text("a file where the folder should be")

    with pytest.raises(InputError, match=r"cannot be kept in '.*\.discreet' \(.*\); make the"):
        store(path, COPY, VERSION)


DAMAGED: dict[str, Callable[[Path], Any]] = {
    "no Parquet": lambda path: path.write_bytes(b"Canary,1,2,3"),
    "cut short": lambda path: path.write_bytes(path.read_bytes()[:-20]),
    "not there": lambda path: path.unlink(),
    "other columns": lambda path: pq.write_table(pa.table({"w": [1.0]}), path),
    "words": lambda path: pq.write_table(pa.table({"x": ["Canary"], "y": ["Canary"]}), path),
    "of another version of discreet": lambda path: pq.write_table(
        pa.table({"x": [1.0], "y": [2.0]}), path
    ),
    "remarks that are none": lambda path: pq.write_table(
        pa.table({"x": [1.0], "y": [2.0]}).replace_schema_metadata(
            {b"discreet: how the rows were prepared": b'["Canary"]'}
        ),
        path,
    ),
}


@pytest.mark.parametrize("damage", DAMAGED.values(), ids=DAMAGED)
def test_a_copy_that_is_damaged_is_refused(damage: Callable[[Path], Any], path: Path) -> None:
    store(path, COPY, VERSION)
    damage(path)

    with pytest.raises(InputError, match="cannot be read; move it away to have it made") as refused:
        load(path, ["x", "y"], VERSION)
    assert "Canary" not in str(refused.value)


def test_a_copy_prints_no_value() -> None:
    assert repr(COPY).startswith("<discreet.vault.vault.Copy object")


@pytest.mark.parametrize("rows", [0, 1, 3, 4, 5, 7, 9])
def test_the_first_rows_of_a_copy_in_a_file_are_read_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, rows: int
) -> None:
    numbers = {"x": np.array([1.0, 2.0, np.nan, 4.0, 5.0, 6.0, 7.0]), "y": np.arange(7.0)}
    words = {"sex": ("f", "m", "", "f", "f", "m", "m")}
    held = Copy(numbers, words, VERSION.hex()[:16], 0)
    store(tmp_path / "copy.parquet", held, VERSION)
    monkeypatch.setattr(stored, "PIECE", 2)

    def nobody(name: str) -> Any:
        raise AssertionError(f"all of {name} is read")

    path = tmp_path / "copy.parquet"
    away = Copy(Unread([*numbers], nobody), Unread([*words], nobody), held.version, 0, path=path)

    for copy in (held, away):
        found, levels = copy.first(rows)
        assert levels == {"sex": words["sex"][:rows]}
        for name, values in numbers.items():
            np.testing.assert_array_equal(found[name], values[:rows])
    whole = [*away.parts(["y", "sex"])]
    assert [len(of["sex"]) for _, of in whole] == [2, 2, 2, 1]
    assert [set(of) for of, _ in whole] == [{"y"}] * 4
