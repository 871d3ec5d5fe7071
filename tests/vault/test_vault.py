"""The vault: a copy made once a version, the same whatever order, frame or file it came from."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from discreet.columns.copied import Copy
from discreet.secret import Secret
from discreet.vault.vault import Vault
from tests.vault.given import SECRET, STANDARD, columns, copied, plain, table_of

# --- versions ---------------------------------------------------------------------------------


def share_kept(one: Copy, other: Copy) -> float:
    """Return the share of protected rows of one copy that are in the other."""
    rows = [set(zip(*(copy.columns[name] for name in "xyz"), strict=True)) for copy in (one, other)]
    return len(rows[0] & rows[1]) / len(rows[0])


def test_every_frame_and_file_makes_one_copy(source: Callable[[Any], Any]) -> None:
    given = {name: values.tolist() for name, values in columns().items()}
    assert plain(copied(source(given))) == plain(copied(given))


def test_whole_numbers_and_floats_are_the_same_records(source: Callable[[Any], Any]) -> None:
    age = np.random.default_rng(8).integers(20, 80, size=100)
    whole = {"x": age.tolist(), "y": columns(100)["y"].tolist()}
    floats = {"x": age.astype(float).tolist(), "y": whole["y"]}
    assert plain(copied(source(whole))) == plain(copied(floats))


def test_a_changed_row_is_a_new_version_with_fresh_noise_for_all() -> None:
    given = columns(400)
    changed = given | {"y": given["y"].copy()}
    changed["y"][17] += 1
    old, new = copied(given), copied(changed)
    assert old.version != new.version
    assert share_kept(old, new) < 0.1


def test_another_secret_is_another_version() -> None:
    given = columns(400)
    other = Secret.from_bytes(bytes(range(1, 33)))
    assert copied(given, secret=other).version != copied(given).version
    assert share_kept(copied(given), copied(given, secret=other)) < 0.1


POLICIES: dict[str, dict[str, Any]] = {
    "bounds": {"bounds": {"x": [40, np.inf]}},
    "k": {"k": 6},
    "m": {"m": 30},
}


@pytest.mark.parametrize("changes", POLICIES.values(), ids=POLICIES)
def test_a_changed_policy_is_a_new_version_with_fresh_noise(changes: dict[str, Any]) -> None:
    given = columns(400)
    old, new = copied(given), copied(given, STANDARD.changed(**changes))
    assert old.version != new.version
    assert share_kept(old, new) < 0.1


UNALTERING: list[dict[str, Any]] = [
    {"name": "ours"},
    {"study": "s"},
    {"missing_values": {"x": []}},
    {"round_to": 1},
    {"residual_df": 20},
]


@pytest.mark.parametrize("changes", UNALTERING)
def test_a_policy_that_does_not_alter_the_copy_is_the_same_version(changes: dict[str, Any]) -> None:
    given = columns()
    assert plain(copied(given, STANDARD.changed(**changes))) == plain(copied(given))


# --- kept -------------------------------------------------------------------------------------


def test_a_copy_is_made_once_and_kept_in_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    vault, table = Vault(SECRET, None), table_of(columns())
    first = vault.whole(table, STANDARD)
    monkeypatch.setattr("discreet.vault.vault.copy_of_whole", None)
    assert vault.whole(table, STANDARD) is first


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Return a folder that is not there yet."""
    return tmp_path / "beside" / ".discreet"


def test_a_stored_copy_is_read_back_and_not_made_again(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = Vault(SECRET, folder).whole(table_of(columns()), STANDARD)
    before = {path: path.stat().st_mtime_ns for path in folder.iterdir()}
    monkeypatch.setattr("discreet.vault.vault.copy_of_whole", None)
    again = Vault(SECRET, folder).whole(table_of(columns()), STANDARD)
    assert plain(again) == plain(made)
    assert {path: path.stat().st_mtime_ns for path in folder.iterdir()} == before


def test_the_same_version_is_stored_as_the_same_bytes(tmp_path: Path) -> None:
    given = columns()
    order = np.random.default_rng(9).permutation(120)
    for name, rows in (("one", np.arange(120)), ("other", order)):
        shuffled = {column: values[rows] for column, values in given.items()}
        Vault(SECRET, tmp_path / name).whole(table_of(shuffled), STANDARD)

    one, other = (
        {path.name: path.read_bytes() for path in (tmp_path / name).iterdir()}
        for name in ("one", "other")
    )
    assert len(one) == 2, "the copy, and how near it is"
    assert one == other


def test_versions_are_stored_side_by_side(folder: Path) -> None:
    for seed in (1, 2):
        Vault(SECRET, folder).whole(table_of(columns(seed=seed)), STANDARD)
    assert len(list(folder.glob("*.parquet"))) == 2
