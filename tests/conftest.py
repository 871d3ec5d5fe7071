"""Data for the tests: files that lie beside the checkout, and frames of every kind."""

import csv
import os
import re
import zlib
from collections.abc import Callable, Generator, Mapping
from importlib import import_module
from pathlib import Path
from typing import Any

import duckdb
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from _pytest.doctest import DoctestModule

from examples.public import FOLDERS
from tests.browser import chromium, close_before

__all__ = ["chromium"]

Columns = Mapping[str, list[Any]]

CONSTRUCTORS: dict[str, Callable[[Columns], Any]] = {
    "pandas": lambda columns: pd.DataFrame(dict(columns)),
    "pandas-pyarrow": lambda columns: pa.table(columns).to_pandas(types_mapper=pd.ArrowDtype),
    "polars": pl.DataFrame,
    "polars-lazy": pl.LazyFrame,
    "pyarrow": pa.table,
    "duckdb": lambda columns: duckdb.connect().from_arrow(pa.table(columns)),
}


FILES = (".csv", ".tsv", ".parquet")
#: Tests of what each kind of frame and file has to be tried for in `make test` too: opening,
#: counting, rows, and what must not be told.
OF_EVERY_KIND = re.compile(
    r"TestOpening|TestCounting\b|TestRows|TestNothingIsTold|TestErrorsOfEngines|test_leaks\.py"
    r"|test_a_frame_is_taken_as_it_is|test_a_frame_without_a_name_is_recognised"
)
IN_A_ROW = 3
#: Files with tests of pages.
PAGES: set[Path] = set()


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Leave two thirds of the kinds of frames and files to `make test-all`, of each test others.

    Tests of pages come first, and so share a browser.
    """
    for item in items:
        of = getattr(item, "callspec", None)
        kind = of and (of.params.get("source") or of.params.get("constructor"))
        kinds = [*CONSTRUCTORS, *FILES]
        if kind in kinds and not OF_EVERY_KIND.search(item.nodeid):
            place = kinds.index(kind)
            if (zlib.crc32(item.name.partition("[")[0].encode()) + place) % IN_A_ROW:
                item.add_marker(pytest.mark.slow)
    PAGES.update(item.path for item in items if "chromium" in getattr(item, "fixturenames", ()))
    items.sort(key=lambda item: item.path not in PAGES)


@pytest.hookimpl(trylast=True)
def pytest_runtest_teardown(item: pytest.Item, nextitem: pytest.Item | None) -> None:
    """Close the browser after the last test of pages."""
    close_before(nextitem, PAGES)


@pytest.hookimpl(wrapper=True)
def pytest_collect_file() -> Generator[None, list[pytest.Collector], list[pytest.Collector]]:
    """Look for no examples in the docstrings of tests: there are none, and it takes long."""
    found = yield
    return [it for it in found if not isinstance(it, DoctestModule)]


def write_file(path: Path, columns: Columns) -> Path:
    """Write a dict of lists as the kind of file that the path's ending names."""
    if path.suffix == ".parquet":
        pq.write_table(pa.table(columns), path)
        return path
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, delimiter="\t" if path.suffix == ".tsv" else ",")
        writer.writerow(columns)
        writer.writerows(zip(*columns.values(), strict=True))  # None as nothing, floats in full
    return path


@pytest.fixture(params=[*CONSTRUCTORS, *FILES])
def source(request: pytest.FixtureRequest, tmp_path: Path) -> Callable[[Columns], Any]:
    """Make each frame and file in turn that a study is opened from, out of a dict of lists."""
    if request.param in FILES:
        return lambda columns: write_file(tmp_path / f"data{request.param}", columns)
    return CONSTRUCTORS[request.param]


@pytest.fixture(scope="session")
def file_of() -> Callable[[Path, Columns], Path]:
    """Write a dict of lists as the kind of file that a path's ending names."""
    return write_file


@pytest.fixture(scope="session", params=CONSTRUCTORS)
def constructor(request: pytest.FixtureRequest) -> Callable[[Columns], Any]:
    """Make a frame of each kind in turn out of a dict of lists."""
    return CONSTRUCTORS[request.param]


@pytest.fixture(scope="session")
def shared_data() -> Callable[[str], Path]:
    """Find a public table, those of the examples among them; skip the test where it is missing."""
    beside = Path(__file__).parents[2] / "shared" / "data"
    folder = Path(os.environ.get("DISCREET_SHARED_DATA") or beside)

    def find(name: str) -> Path:
        for place in (folder, *FOLDERS):
            if (place / name).is_file():
                return place / name
        pytest.skip(f"{name} is not in {folder}; DISCREET_SHARED_DATA says where to look")

    return find


@pytest.fixture
def no_intervals(monkeypatch: pytest.MonkeyPatch) -> None:
    """Make no copies of the copy, of which intervals are found: what may leave hangs on none."""
    monkeypatch.setattr("discreet.custodian.session.AGAIN", 0)


#: By their names, and how many copies of the copy there are.
FILES_OF_COPIES: dict[tuple[str, int], bytes] = {}


@pytest.fixture
def files_are_kept(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Keep the file of each copy for the tests that follow: its name says what it is made of.

    That it is made of nothing else is tested where copies are made.
    """
    if request.node.get_closest_marker("made_anew") is not None:
        return
    publishing = import_module("discreet.custodian.publishing")
    session = import_module("discreet.custodian.session")
    written, is_kept = publishing.write_study_file, publishing.is_kept

    def write(target: Any, *what: Any) -> Any:
        found = written(target, *what)
        if isinstance(target, Path) and target.suffix == ".copy":
            FILES_OF_COPIES[target.name, session.AGAIN] = target.read_bytes()
        return found

    def kept_before(path: Path) -> bool:
        found = FILES_OF_COPIES.get((path.name, session.AGAIN))
        if found is None or is_kept(path):
            return bool(is_kept(path))
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        path.touch(mode=0o600)
        path.write_bytes(found)
        return True

    monkeypatch.setattr(publishing, "write_study_file", write)
    monkeypatch.setattr(publishing, "is_kept", kept_before)
