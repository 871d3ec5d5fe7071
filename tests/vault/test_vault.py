"""The vault: a copy made once a version, the same whatever order, frame or file it came from."""

from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from numpy.typing import NDArray

from discreet.policy import Policy
from discreet.protect.values import winsorised
from discreet.secret import Secret
from discreet.vault.rows import Done
from discreet.vault.vault import Copy, Made, Vault, copy_of, said
from tests.cases import GUARDED_ROW_METHODS
from tests.vault.given import SECRET, STANDARD, columns, copied, table_of

Floats = NDArray[np.float64]

LEFT_OUT = (
    "of strata that stayed small are left out, so what all rows of a stratum share may not be true"
    " of all persons"
)


def plain(copy: Copy) -> tuple[Any, ...]:
    """Return a copy as plain values that can be compared."""
    values = {name: values.tolist() for name, values in copy.columns.items()}
    return values, dict(copy.strata), copy.version, copy.left_out, copy.remarks


# --- what a copy is ---------------------------------------------------------------------------


def test_a_copy_has_a_row_for_each_complete_record_sorted_by_value() -> None:
    given = columns()
    given["x"][:7] = np.nan

    copy = copied(given)

    assert sorted(copy.columns) == ["x", "y"]
    rows = list(zip(copy.columns["x"], copy.columns["y"], strict=True))
    assert len(rows) == 110, "a multiple of what counts round to"
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


@pytest.mark.parametrize("rows", GUARDED_ROW_METHODS)
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
    "values put on the ends": {"outside": "clip"},
    "values kept": {"outside": "keep"},
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
    {"missing_values": {"x": []}},
    {"edges": {"x": [0, 1]}},
    {"bins_share": 0.5},
    {"residual_df": 20},
    {"rounding": "optimal"},
    {"rounding": "equal_width", "c": 4},
]


@pytest.mark.parametrize("changes", UNALTERING)
def test_a_policy_that_does_not_alter_the_copy_is_the_same_version(changes: dict[str, Any]) -> None:
    given = columns()

    assert plain(copied(given, policy=STANDARD.changed(**changes))) == plain(copied(given))


ROUNDED: dict[str, dict[str, Any]] = {
    "as it is": {},
    "another k": {"k": 6},
    "another way": {"rounding": "kmeans"},
    "with so many regions": {"rounding": "kmeans", "c": 4},
    "with others": {"rounding": "kmeans", "c": 5},
    "yet another way": {"rounding": "equal_width", "c": 4},
}


def test_no_two_ways_to_round_are_one_version() -> None:
    given = columns(200)
    copies = [
        copied(given, policy=STANDARD.changed(rows="rounding", **changes))
        for changes in ROUNDED.values()
    ]
    by_mean = copied(given, policy=STANDARD.changed(rows="microaggregation"))

    assert len({copy.version for copy in [*copies, by_mean]}) == len(ROUNDED) + 1
    # "mdav" is what microaggregation is, and nothing in it is drawn.
    assert plain(copies[0])[0] == plain(by_mean)[0]
    # Two numbers of regions may find the same groups; two ways and two k do not.
    assert len({str(plain(copy)[0]) for copy in copies}) >= len(ROUNDED) - 1


@pytest.mark.parametrize("changes", ROUNDED.values(), ids=ROUNDED)
def test_rows_of_a_rounded_copy_are_shared_in_any_order(changes: dict[str, Any]) -> None:
    policy = STANDARD.changed(rows="rounding", strata=["sex"], **changes)
    given = columns(200)
    order = np.random.default_rng(5).permutation(200)

    copy = copied(given, policy=policy)

    rows = zip(copy.strata["sex"], *(v.tolist() for v in copy.columns.values()), strict=True)
    assert min(Counter(rows).values()) >= policy.k
    assert plain(copied({name: v[order] for name, v in given.items()}, policy=policy)) == plain(
        copy
    )


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

    shared_by_k = False

    def __init__(self) -> None:
        self.noise: dict[tuple[float, ...], tuple[float, ...]] = {}
        self.seen: list[tuple[tuple[float, ...], int]] = []

    def __call__(self, values: Floats, normals: Floats, strata: Any, persons: Any = None) -> Floats:
        rows = [*map(tuple, values.tolist())]
        self.noise = dict(zip(rows, map(tuple, normals.tolist()), strict=True))
        self.seen = [*zip(rows, strata.tolist(), strict=True)]
        return values + normals


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


def test_what_was_done_is_kept_with_the_copy(folder: Path) -> None:
    given = columns() | {"arm": ["a"] * 100 + ["b"] * 11 + ["c"] * 9}
    policy = STANDARD.changed(strata=["arm"])
    made = Vault(SECRET, folder).copy(table_of(given), policy, ("x", "y"))

    again = Vault(SECRET, folder).copy(table_of(given), policy, ("x", "y"))

    assert made.remarks == (
        f"about 10 rows {LEFT_OUT}",
        "a few rows are left out, so that the size of each stratum is a multiple of 5",
    )
    assert plain(again) == plain(made)


def test_the_rows_beside_the_raw_ones_are_those_of_the_copy(folder: Path) -> None:
    policy = STANDARD.changed(strata=["sex"])
    vault, table = Vault(SECRET, folder), table_of(columns())

    made, copy = vault.made(table, policy, ("y", "x")), vault.copy(table, policy, ("x", "y"))

    rows = zip(made.levels["sex"], *made.released.T.tolist(), strict=True)
    assert made.names == ("x", "y")
    assert sorted(rows) == list(
        zip(copy.strata["sex"], *(v.tolist() for v in copy.columns.values()), strict=True)
    )
    assert made.version == copy.version
    assert [path.suffix for path in folder.iterdir()] == [".parquet"], "raw rows are kept nowhere"


@pytest.mark.parametrize("kept", [True, False], ids=["in a folder", "in memory"])
def test_the_copy_that_rows_were_made_of_is_kept(
    folder: Path, kept: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    policy, table = STANDARD.changed(strata=["sex"]), table_of(columns())
    vault = Vault(SECRET, folder if kept else None)
    made = vault.made(table, policy, ("y", "x"))
    monkeypatch.setattr(Policy, "row_method", None)

    copy = vault.copy(table, policy, ("x", "y"))

    assert plain(copy) == plain(copy_of(made, policy.k))
    if kept:
        assert plain(Vault(SECRET, folder).copy(table, policy, ("x", "y"))) == plain(copy)


def test_a_copy_that_was_kept_is_not_written_over(folder: Path) -> None:
    table = table_of(columns())
    first = Vault(SECRET, folder).copy(table, STANDARD, ("x", "y"))
    (path,) = folder.iterdir()
    before = path.stat()

    vault = Vault(SECRET, folder)
    made = vault.made(table, STANDARD, ("x", "y"))

    assert plain(vault.copy(table, STANDARD, ("x", "y"))) == plain(first)
    assert made.version == first.version
    assert [*folder.iterdir()] == [path]
    assert path.stat().st_mtime_ns == before.st_mtime_ns


NOTHING: dict[str, Any] = {}
SAID: dict[str, tuple[dict[str, Any], list[str]]] = {
    "nothing": (NOTHING, []),
    "gaps": (
        {"filled": (("x", 12), ("sex", 4))},
        [
            "about 10 missing values of x are filled",
            "fewer than 5 missing values of sex are filled",
        ],
    ),
    "levels of their own": (
        {"named": (("sex", 12), ("ill", 4)), "filled": (("x", 5),)},
        [
            "about 5 missing values of x are filled",
            "about 10 missing levels of sex are a level of their own",
            "fewer than 5 missing levels of ill are a level of their own",
        ],
    ),
    "merged": (
        {"repaired": (("arm", "left out"), ("sex", "step 1 of its hierarchy"))},
        ["small strata are merged: left out (arm); step 1 of its hierarchy (sex)"],
    ),
    "not the best perhaps": (
        {"exhaustive": False},
        ["there may be a merging of less loss: not all were tried"],
    ),
    "even sizes": (
        {"multiples_of": 10},
        ["a few rows are left out, so that the size of each stratum is a multiple of 10"],
    ),
    "few left out": (
        {"suppressed": 1},
        [f"fewer than 5 rows {LEFT_OUT}"],
    ),
    "many left out": (
        {"suppressed": 123},
        [f"about 125 rows {LEFT_OUT}"],
    ),
}


@pytest.mark.parametrize(("done", "expected"), SAID.values(), ids=SAID)
def test_what_was_done_is_said_in_rough_numbers(done: dict[str, Any], expected: list[str]) -> None:
    empty = np.empty((0, 1))
    made = Made(("x",), empty, empty, empty, {}, {}, "v", Done(**done))

    assert list(said(made.done, 5)) == expected
