"""How much memory a process may take."""

import os
from pathlib import Path

import pytest

from discreet import memory

MACHINE = 4096 * 1000.0


@pytest.mark.parametrize(
    ("limits", "most"),
    [
        ([], MACHINE),
        (["max\n"], MACHINE),
        (["2000000\n"], 2e6),
        (["9000000\n"], MACHINE),
        (["max\n", "1000\n"], 1000.0),
        (["0\n"], MACHINE),
    ],
    ids=["none", "no limit", "a container's", "more than there is", "of two systems", "nought"],
)
def test_there_is_what_the_machine_has_or_its_container_may_take(
    limits: list[str], most: float, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    files = [tmp_path / str(i) for i, _ in enumerate(limits)]
    for file, text in zip(files, limits, strict=True):
        file.write_text(text, encoding="ascii")
    monkeypatch.setattr(memory, "LIMITS", [*map(str, files), str(tmp_path / "none")])
    sizes = {"SC_PHYS_PAGES": 1000, "SC_PAGE_SIZE": 4096}
    monkeypatch.setattr(os, "sysconf", sizes.__getitem__)
    assert memory.there_is() == most


def test_where_the_system_says_nothing_it_is_not_known(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(memory, "LIMITS", ())
    monkeypatch.delattr(os, "sysconf")
    assert memory.there_is() is None
