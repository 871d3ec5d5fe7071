"""The vault: a copy made once a version, the same whatever order, frame or file it came from."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from discreet.columns.column import Copy
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


POLICIES: tuple[dict[str, Any], ...] = ({"bounds": {"x": [40, np.inf]}}, {"k": 6}, {"m": 30})


@pytest.mark.slow
def test_another_row_policy_or_secret_is_another_version_with_fresh_noise() -> None:
    given = columns(400)
    changed = given | {"y": given["y"].copy()}
    changed["y"][17] += 1
    made = [
        copied(given),
        copied(changed),
        copied(given, secret=Secret.from_bytes(bytes(range(1, 33)))),
    ]
    made += [copied(given, STANDARD.changed(**changes)) for changes in POLICIES]
    assert len({copy.version for copy in made}) == len(made)
    assert all(share_kept(made[0], other) < 0.1 for other in made[1:])


def test_a_policy_that_does_not_alter_the_copy_is_the_same_version() -> None:
    unaltering = STANDARD.changed(study="s", missing_values={"x": []}, round_to=1, residual_df=20)
    assert plain(copied(columns(), unaltering)) == plain(copied(columns()))


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
