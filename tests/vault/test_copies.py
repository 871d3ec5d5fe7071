"""Copies that are kept: read back as they were, for their owner alone, refused if damaged."""

from __future__ import annotations

import os
import stat
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from discreet.columns.column import Copy, Unread
from discreet.errors import InputError
from discreet.vault import stored
from discreet.vault.stored import pieces_of
from discreet.vault.vault import load, store

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
    assert plain_values(load(path, VERSION)) == plain_values(COPY)
    assert [each.name for each in path.parent.iterdir()] == [path.name]
    assert pq.read_table(path).column_names == ["x", "y", "arm", "sex"]


def test_a_copy_without_strata_or_remarks_is_one_too(path: Path) -> None:
    bare = Copy({"x": np.array([1.0])}, {}, VERSION.hex()[:16], 0)
    store(path, bare, VERSION)
    assert plain_values(load(path, VERSION)) == plain_values(bare)


def test_threads_that_keep_the_same_copy_do_not_get_into_each_others_way(path: Path) -> None:
    at_once = threading.Barrier(8)

    def keep(_: int) -> None:
        at_once.wait(60)
        for _ in range(4):
            store(path, COPY, VERSION)
            assert plain_values(load(path, VERSION)) == plain_values(COPY)

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
        load(path, VERSION)
    assert "Canary" not in str(refused.value)


def test_a_copy_prints_no_value() -> None:
    assert repr(COPY).startswith("<discreet.columns.column.Copy object")


@pytest.mark.parametrize("rows", [0, 3, 4, 9])
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
    away = Copy(
        Unread([*numbers], nobody),
        Unread([*words], nobody),
        held.version,
        0,
        pieces=partial(pieces_of, path),
    )

    for copy in (held, away):
        found, levels = copy.first(rows)
        assert levels == {"sex": words["sex"][:rows]}
        for name, values in numbers.items():
            np.testing.assert_array_equal(found[name], values[:rows])
    whole = [*away.parts(["y", "sex"])]
    assert [len(of["sex"]) for _, of in whole] == [2, 2, 2, 1]
    assert [set(of) for of, _ in whole] == [{"y"}] * 4
