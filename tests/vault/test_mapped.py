"""The columns of a kept copy, in a file that several processes map."""

from __future__ import annotations

import json
import os
import stat
import string
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import IO

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from discreet.arguments import Floats
from discreet.errors import InputError
from discreet.vault import mapped as mapping
from discreet.vault import stored
from discreet.vault.mapped import mapped
from discreet.vault.vault import Copy, store
from tests.table.test_private import no_room

Words = Mapping[str, tuple[str, ...]]
VERSION = bytes(range(32))
NUMBERS = {"age": np.array([41.0, np.nan, 7.5]), "wéight": np.array([-0.0, 1e300, 3.0])}
LEVELS: Words = {"sex": ("f", "", "m"), "region": ("Süd", "Süd", "Nord")}


def kept(folder: Path, numbers: Mapping[str, Floats], levels: Words) -> Path:
    """Keep a copy, and return its file."""
    path = folder / "whole-1.parquet"
    store(path, Copy(numbers, levels, VERSION.hex()[:16], 0), VERSION)
    return path


def read(path: Path, numbers: Mapping[str, Floats], levels: Words) -> tuple[object, object]:
    """Return what is mapped as plain values: numbers as their bytes."""
    found, words = mapped(path, [*numbers], [*levels])
    return bytes_of(found), dict(words)


def bytes_of(numbers: Mapping[str, Floats]) -> dict[str, bytes]:
    return {name: it.tobytes() for name, it in numbers.items()}


def test_what_is_mapped_is_the_copy_to_the_last_bit(tmp_path: Path) -> None:
    path = kept(tmp_path, NUMBERS, LEVELS)
    for _ in range(2):
        assert read(path, NUMBERS, LEVELS) == (bytes_of(NUMBERS), LEVELS)
    numbers, _ = mapped(path, [*NUMBERS], [*LEVELS])
    assert not numbers["age"].flags.writeable


cells = st.tuples(
    st.floats(allow_nan=True, allow_infinity=False), st.text(string.printable + "é中", max_size=3)
)


@given(st.lists(cells, min_size=1, max_size=40), st.booleans(), st.booleans())
def test_any_copy_is_mapped(
    tmp_path_factory: pytest.TempPathFactory,
    rows: list[tuple[float, str]],
    some: bool,
    more: bool,
) -> None:
    column = np.array([number for number, _ in rows])
    words = tuple(word for _, word in rows)
    numbers = {"x": column, "y": column[::-1].copy()} if some or not more else {}
    levels = {"a": words, "b": words[::-1], "c": ("",) * len(rows)} if more else {}
    path = kept(tmp_path_factory.mktemp("copy"), numbers, levels)
    assert read(path, numbers, levels) == (bytes_of(numbers), levels)


def test_it_is_read_by_parts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stored, "PIECE", 2)
    assert read(kept(tmp_path, NUMBERS, LEVELS), NUMBERS, LEVELS)[1] == LEVELS


def test_it_is_its_owners_alone_and_written_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = kept(tmp_path, NUMBERS, LEVELS)
    mapped(path, [*NUMBERS], [*LEVELS])
    file = tmp_path / "whole-1.columns"
    assert stat.S_IMODE(file.stat().st_mode) == 0o600

    monkeypatch.setattr(mapping, "_write", None)
    assert read(path, NUMBERS, LEVELS)[1] == LEVELS


def test_levels_are_held_as_words_where_they_are_few(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = kept(tmp_path, NUMBERS, LEVELS)
    for most, held in ((10**6, True), (23, False)):  # three rows of eight bytes
        monkeypatch.setattr(mapping, "WORDS", most)
        _, words = mapped(path, [*NUMBERS], [*LEVELS])
        assert (words["sex"] is words["sex"]) == held


def cut(data: bytes) -> bytes:
    return data[: len(data) // 2]


def without_rows(data: bytes) -> bytes:
    return data[data.index(b'{"rows"') :]


@pytest.mark.parametrize("damage", [cut, without_rows, lambda _: b"", lambda _: b"x" * 100])
def test_a_damaged_file_is_not_drawn_from(tmp_path: Path, damage: object) -> None:
    path = kept(tmp_path, NUMBERS, LEVELS)
    mapped(path, [*NUMBERS], [*LEVELS])
    file = tmp_path / "whole-1.columns"
    file.write_bytes(damage(file.read_bytes()))  # type: ignore[operator]
    with pytest.raises(InputError, match=r"whole-1.columns' cannot be read; move it away to have"):
        dict(mapped(path, [*NUMBERS], [*LEVELS])[0])
    file.unlink()
    assert read(path, NUMBERS, LEVELS)[1] == LEVELS


def test_the_columns_of_another_copy_are_not_drawn_from(tmp_path: Path) -> None:
    path = kept(tmp_path, NUMBERS, LEVELS)
    mapped(path, [*NUMBERS], [*LEVELS])
    with pytest.raises(InputError, match=r"whole-1.columns' cannot be read"):
        mapped(path, ["age"], [*LEVELS])


@pytest.mark.parametrize("step", ["fsync", "replace", "open"])
def test_a_full_disk_leaves_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, step: str
) -> None:
    path = kept(tmp_path, NUMBERS, LEVELS)
    with monkeypatch.context() as patch:
        patch.setattr(os, step, no_room)
        with pytest.raises(InputError, match=r"the protected copy cannot be kept in .*room on its"):
            mapped(path, [*NUMBERS], [*LEVELS])
    assert [it.name for it in tmp_path.iterdir()] == ["whole-1.parquet"]
    assert read(path, NUMBERS, LEVELS)[1] == LEVELS


def test_a_full_disk_while_columns_are_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(path: Path, numbers: object, levels: object, out: IO[bytes]) -> None:
        out.write(b"half")
        no_room()

    path = kept(tmp_path, NUMBERS, LEVELS)
    with monkeypatch.context() as patch:
        patch.setattr(mapping, "_write", full)
        with pytest.raises(InputError, match=r"OSError\); make the folder writable, and room on"):
            mapped(path, [*NUMBERS], [*LEVELS])
    assert [it.name for it in tmp_path.iterdir()] == ["whole-1.parquet"]


MEMORY = """
import json, sys
from pathlib import Path
from discreet.vault.mapped import mapped
def own():
    lines = Path("/proc/self/smaps_rollup").read_text().splitlines()
    return sum(int(it.split()[1]) for it in lines if it.startswith("Anonymous"))
path, names = Path(sys.argv[1]), sys.argv[2:]
columns, _ = mapped(path, names, [])
sum(float(it.sum()) for it in columns.values())
before = own()
for _ in range(3):
    held = [columns[name] for name in names]
    assert all(it.max() == it.max() for it in held)
print(own() - before)
"""


@pytest.mark.skipif(not Path("/proc/self/smaps_rollup").exists(), reason="needs Linux's /proc")
def test_a_process_that_maps_a_copy_holds_none_of_it(tmp_path: Path) -> None:
    rows = 1_000_000
    column = np.arange(rows, dtype=np.float64)
    path = kept(tmp_path, {"x": column, "y": column}, {})
    command = [sys.executable, "-c", MEMORY, str(path), "x", "y"]
    found = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    assert int(json.loads(found)) * 1024 < column.nbytes / 4  # of two columns of that size
