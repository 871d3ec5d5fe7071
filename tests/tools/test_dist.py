"""Wheel and sdist: whole, the same bytes each time, with every licence."""

from __future__ import annotations

import os
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path, PurePosixPath

import pytest

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[2]
# What the source distribution leaves out: large pictures, and tables under another licence.
LEFT_OUT = ("docs/images/", "examples/data/gpl/")
MOST_BYTES = 5_000_000


def listed(*folders: str) -> set[str]:
    """Name all files that git has, or would take."""
    words = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard", "--", *folders]
    found = subprocess.run(words, cwd=ROOT, capture_output=True, check=False, text=True)
    if found.returncode:
        pytest.skip("this is no checkout of git")
    return {name for name in found.stdout.split("\0") if name and (ROOT / name).exists()}


def the(ending: str, folder: Path) -> Path:
    """Return the one file of a folder whose name ends so."""
    (found,) = folder.glob(f"discreet-*{ending}")
    return found


def built(to: Path) -> Path:
    """Build both into a folder."""
    env = {**os.environ, "SOURCE_DATE_EPOCH": "1700000000"}
    words = [sys.executable, "-m", "hatchling", "build", "-d", str(to)]
    subprocess.run(words, cwd=ROOT, env=env, check=True, capture_output=True)
    return to


@pytest.fixture(scope="module")
def dist(tmp_path_factory: pytest.TempPathFactory) -> Path:
    pytest.importorskip("hatchling", reason="what builds wheels is of the extra `dev`")
    return built(tmp_path_factory.mktemp("dist"))


def test_the_wheel_has_each_file_of_the_package(dist: Path) -> None:
    with zipfile.ZipFile(the("-py3-none-any.whl", dist)) as wheel:
        names = set(wheel.namelist())
    of_package = {name.removeprefix("src/") for name in listed("src/discreet")}
    assert {name for name in names if ".dist-info/" not in name} == of_package
    for ending in (".js", ".css", ".html", ".csv", ".toml", "py.typed"):
        assert any(name.endswith(ending) for name in names)


def test_every_licence_is_among_the_metadata(dist: Path) -> None:
    licences = {
        name
        for name in listed()
        if PurePosixPath(name).name.endswith("LICENSE") and not name.startswith(LEFT_OUT)
    }
    with zipfile.ZipFile(the("-py3-none-any.whl", dist)) as wheel:
        within = {name for name in wheel.namelist() if "/licenses/" in name}
    assert {name.partition("/licenses/")[2] for name in within} == licences
    scripts = {name for name in listed("src") if name.endswith(".min.js")}  # of others
    assert {f"{name.removesuffix('.min.js')}.LICENSE" for name in scripts} == licences - {"LICENSE"}


def test_the_sdist_has_all_but_what_is_left_out(dist: Path) -> None:
    with tarfile.open(the(".tar.gz", dist)) as sdist:
        names = {name.partition("/")[2] for name in sdist.getnames()}
    expected = {name for name in listed() if not name.startswith(LEFT_OUT)}
    assert names == expected | {"PKG-INFO"}
    assert the(".tar.gz", dist).stat().st_size < MOST_BYTES


def test_both_are_the_same_bytes_each_time(dist: Path, tmp_path: Path) -> None:
    again = built(tmp_path)
    for path in dist.iterdir():
        assert path.read_bytes() == (again / path.name).read_bytes(), path.name
