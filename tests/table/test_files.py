"""One table in every format of files is one table; what is none is refused."""

from __future__ import annotations

import datetime
import gzip
import io
import json
import math
import sys
import traceback
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import openpyxl
import pandas as pd
import pyarrow as pa
import pyarrow.csv as pcsv
import pyarrow.feather as feather
import pyarrow.parquet as pq
import pyreadstat
import pytest

import discreet as dc
from discreet.errors import InputError
from discreet.policy import Policy
from discreet.table import Table, files, open_table
from discreet.table.files import digest_of, stamp_of
from tests.table.sas_file import write_sas

SIZE = 60
DAY = datetime.date(2020, 1, 1)
GAP = 7
"""Every so many rows something is missing."""


def gaps(values: list[Any]) -> list[Any]:
    return [None if i % GAP == 0 else value for i, value in enumerate(values)]


def columns() -> dict[str, list[Any]]:
    """Return a small table of all that a file may hold; what is missing is None."""
    every = range(SIZE)
    return {
        "count": gaps([i % 9 for i in every]),
        "weight": gaps([50 + i / 4 for i in every]),
        "member": gaps([i % 3 == 0 for i in every]),
        "sex": gaps(["fm"[i % 2] for i in every]),
        "ward": [f"ward {i % 4}, é" for i in every],
        "day": gaps([DAY + datetime.timedelta(days=i) for i in every]),
        "seen": gaps([datetime.datetime(2021, 3, 1, 12, i) for i in every]),
        "at": gaps([datetime.time(i % 24, 30) for i in every]),
    }


def arrow() -> pa.Table:
    made = pa.table(columns())
    return made.set_column(7, "at", made["at"].cast(pa.time64("us")))


def with_odd_numbers(made: pa.Table) -> pa.Table:
    """Write NaN and infinite for some of the missing weights: they mean the same."""
    weights = made["weight"].to_pylist()
    weights[0], weights[GAP], weights[2 * GAP] = math.nan, math.inf, -math.inf
    return made.set_column(1, "weight", pa.array(weights))


def csv_bytes(made: pa.Table) -> bytes:
    text = io.BytesIO()
    pcsv.write_csv(made, text)
    return text.getvalue()


def write_csv(path: Path) -> None:
    path.write_bytes(csv_bytes(with_odd_numbers(arrow())))


def write_tsv(path: Path) -> None:
    made = arrow().to_pandas()
    made.to_csv(path, sep="\t", index=False)


def write_gz(path: Path) -> None:
    path.write_bytes(gzip.compress(csv_bytes(arrow())))


def write_zst(path: Path) -> None:
    with pa.output_stream(path, compression="zstd") as file:
        file.write(csv_bytes(arrow()))


def write_parquet(path: Path) -> None:
    pq.write_table(with_odd_numbers(arrow()), path)


def write_folder(path: Path) -> None:
    """Write a folder as Spark does, with notes beside the parts."""
    (path / "_notes").mkdir(parents=True)
    (path / "_SUCCESS").touch()
    (path / "_notes" / "part.parquet").write_bytes(b"no table")
    for i in range(3):
        pq.write_table(arrow().slice(20 * i, 20), path / f"part-{i}.parquet")


def write_pattern(path: Path) -> None:
    for i in range(3):
        pq.write_table(arrow().slice(20 * i, 20), path.parent / f"part-{i}.parquet")


def write_feather(path: Path) -> None:
    feather.write_feather(with_odd_numbers(arrow()), str(path))


def write_stream(path: Path) -> None:
    with pa.ipc.new_stream(str(path), arrow().schema) as writer:
        writer.write_table(arrow())


def lines_of_json() -> bytes:
    rows = with_odd_numbers(arrow()).to_pylist()
    return "".join(json.dumps(row, default=str) + "\n" for row in rows).encode()


def write_json(path: Path) -> None:
    path.write_bytes(lines_of_json())


def write_json_gz(path: Path) -> None:
    path.write_bytes(gzip.compress(lines_of_json()))


def write_excel(path: Path) -> None:
    book = openpyxl.Workbook()
    sheet = book.worksheets[0]
    sheet.append([*columns()])
    for row in zip(*columns().values(), strict=True):
        sheet.append(row)
    book.create_sheet("empty")
    book.save(path)


def for_pyreadstat(*, times: bool) -> pd.DataFrame:
    """Return the table as those formats have it: yes/no is 1 and 0 with labels."""
    made = columns()
    made["member"] = [None if it is None else float(it) for it in made["member"]]
    made["sex"] = [{"f": 1.0, "m": 2.0}.get(it) for it in made["sex"]]
    if not times:
        del made["at"]
    frame = pd.DataFrame(made)
    frame["seen"] = pd.to_datetime(frame["seen"])
    return frame


LABELS: dict[str, str | None] = {"weight": "Weight (kg)", "sex": "Sex at birth"}
VALUE_LABELS: dict[str, dict[float, str]] = {
    "sex": {1: "f", 2: "m"},
    "member": {0: "False", 1: "True"},
}


def write_dta(path: Path) -> None:
    pyreadstat.write_dta(
        for_pyreadstat(times=False),
        str(path),
        column_labels=LABELS,
        variable_value_labels=VALUE_LABELS,
    )


def write_sav(path: Path) -> None:
    frame = for_pyreadstat(times=True)
    frame["weight"] = frame["weight"].fillna(-9.0)
    pyreadstat.write_sav(
        frame,
        str(path),
        compress=path.suffix == ".zsav",
        column_labels=LABELS,
        variable_value_labels={**VALUE_LABELS, "weight": {-9: "refused"}},
        missing_ranges={"weight": [-9]},
    )


def write_por(path: Path) -> None:
    frame = for_pyreadstat(times=False)
    frame.columns = [name.upper() for name in frame.columns]
    frame["WARD"] = frame["WARD"].str.replace("é", "e")  # it has the letters of English alone
    pyreadstat.write_por(frame, str(path))


def write_xpt(path: Path) -> None:
    pyreadstat.write_xport(for_pyreadstat(times=True), str(path), column_labels=LABELS)


def write_sas7bdat(path: Path) -> None:
    """Write days and seconds since 1960, as SAS has them; the library's dates need no more."""
    frame, first = for_pyreadstat(times=True), pd.Timestamp(1960, 1, 1)
    held: dict[str, list[Any]] = {}
    for name, values in frame.items():
        known = [None if pd.isna(it) else it for it in values]
        if name == "day":
            known = [None if it is None else (pd.Timestamp(it) - first).days for it in known]
        elif name == "seen":
            known = [None if it is None else (it - first).total_seconds() for it in known]
        elif name == "at":
            known = [None if it is None else 3600 * it.hour + 60 * it.minute for it in known]
        held[str(name)] = known
    write_sas(path, held, {"day": "DATE", "seen": "DATETIME", "at": "TIME"}, LABELS)


WRITE: Mapping[str, Callable[[Path], None]] = {
    "t.csv": write_csv,
    "t.tsv": write_tsv,
    "t.csv.gz": write_gz,
    "t.csv.zst": write_zst,
    "t.parquet": write_parquet,
    "folder": write_folder,
    "part-*.parquet": write_pattern,
    "t.feather": write_feather,
    "t.arrow": write_stream,
    "t.jsonl": write_json,
    "t.ndjson.gz": write_json_gz,
    "t.xlsx": write_excel,
    "t.xlsx#Sheet": lambda path: write_excel(path.with_name("t.xlsx")),
    "t.dta": write_dta,
    "t.sav": write_sav,
    "t.zsav": write_sav,
    "t.por": write_por,
    "t.xpt": write_xpt,
    "t.sas7bdat": write_sas7bdat,
}
NO_TIMES = ("t.dta", "t.por")  # these formats, or what writes them, have no times of day
CODED = ("t.xpt", "t.sas7bdat", "t.por")  # no labels of values: 1 and 2, 0 and 1


def opened(source: object, private: Path | None = None) -> Table:
    return open_table(source, kinds={}, roles={}, unit=None, key=None, private=private)


def days(value: Any) -> Any:
    if isinstance(value, datetime.datetime):
        return (value - datetime.datetime(1970, 1, 1)) / datetime.timedelta(days=1)
    if isinstance(value, datetime.date):
        return float((value - datetime.date(1970, 1, 1)).days)
    if isinstance(value, datetime.time):
        return value.hour + value.minute / 60
    return value


def held(table: Table) -> dict[str, list[Any]]:
    """Return every column as plain values: dates are days, and what is missing is None."""
    out: dict[str, list[Any]] = {name: [] for name in table.columns}
    for batch in table.batches([*table.columns]):
        for name, values in batch.items():
            plain = values.tolist() if isinstance(values, np.ndarray) else values.to_pylist()
            known = [it if isinstance(it, str) or math.isfinite(it) else None for it in plain]
            out[name] += [None if it == "" else it for it in known]
    return out


def expected(name: str) -> dict[str, list[Any]]:
    """Return what each column holds: yes/no are levels, as they are written."""
    made = {key: [days(it) for it in values] for key, values in columns().items()}
    made["member"] = [None if it is None else str(it) for it in made["member"]]
    if name in NO_TIMES:
        del made["at"]
    if name in CODED:
        made["sex"] = [{"f": 1, "m": 2}.get(it) for it in made["sex"]]
        made["member"] = [{"False": 0, "True": 1}.get(it) for it in made["member"]]
    if name == "t.por":
        made["ward"] = [it.replace("é", "e") for it in made["ward"]]
        made = {key.upper(): values for key, values in made.items()}
    return made


KINDS = {
    "count": "continuous",
    "weight": "continuous",
    "member": "categorical",
    "sex": "categorical",
    "ward": "categorical",
    "day": "date",
    "seen": "date",
    "at": "continuous",
}


@pytest.mark.parametrize(
    ("name", "kept"),
    [
        *((it, True) for it in WRITE),
        *((it, False) for it in ("t.csv", "t.jsonl", "t.xlsx", "t.sav")),
    ],
)
def test_one_table_in_every_format(tmp_path: Path, name: str, kept: bool) -> None:
    WRITE[name](tmp_path / name)
    private = tmp_path / "private" if kept else None
    tables = [opened(tmp_path / name, private) for _ in range(2 if kept else 1)]
    wanted = expected(name)
    for table in tables:
        found = held(table)
        assert [*found] == [*wanted]
        for column, values in found.items():
            assert values == pytest.approx(wanted[column], abs=1e-6), column
        kinds = {it.name.lower(): it.kind for it in table.columns.values()}
        if name not in CODED:
            assert kinds == {it: KINDS[it] for it in kinds}
        assert table.framework == "pandas"


def drawn_of(view: Any) -> str:
    """Return the JSON of a view, but for where it says that it is from: roles may differ."""
    told = json.loads(view.to_json())
    del told["provenance"]
    return json.dumps(told)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["t.csv", "folder", "t.xlsx", "t.sav"])
def test_one_histogram_and_one_copy_of_every_format(tmp_path: Path, name: str) -> None:
    WRITE[name](tmp_path / name)
    write_parquet(tmp_path / "first.parquet")
    roles = {} if name in NO_TIMES else {"at": "identifier"}
    policy = Policy.preset("standard", public=True, unit=False, limits={"weight": [50, 70]})
    first = dc.open(tmp_path / "first.parquet", policy, study="one", roles={"at": "identifier"})
    other = dc.open(tmp_path / name, policy, study="one", roles=roles)

    pictures = [
        drawn_of(study.histogram(column))
        for column in ("weight", "count")
        for study in (first, other)
    ]
    assert first.session.whole.copy.version == other.session.whole.copy.version

    assert "Weight (kg)" in pictures[1] or name not in ("t.dta", "t.sav", "t.zsav")
    if "Weight (kg)" not in pictures[1]:
        assert pictures[0] == pictures[1]
    assert pictures[2] == pictures[3]


@pytest.mark.parametrize("name", ["t.parquet", "t.feather"])
def test_durations_are_days(tmp_path: Path, name: str) -> None:
    private = tmp_path / "private"
    stays = [datetime.timedelta(hours=12 * i) for i in range(5)]
    for unit in ("s", "ms", "us", "ns"):
        made = pa.table({"stay": pa.array([*stays, None], pa.duration(unit))})
        if name == "t.parquet":
            pq.write_table(made, tmp_path / name)
        else:
            feather.write_feather(made, str(tmp_path / name))
        for _ in range(2):
            found = held(opened(tmp_path / name, private))
            assert found == {"stay": [0, 0.5, 1, 1.5, 2, None]}


@pytest.mark.parametrize(("name", "unit"), [("t.parquet", "s"), ("t.feather", "ns")])
def test_moments_are_told_in_their_zone(tmp_path: Path, name: str, unit: str) -> None:
    noon = datetime.datetime(2021, 3, 1, 12, tzinfo=datetime.UTC)
    made = pa.table({'"seen"': pa.array([noon, None], pa.timestamp(unit, "Europe/Berlin"))})
    if name == "t.parquet":
        pq.write_table(made, tmp_path / name)
    else:
        feather.write_feather(made, str(tmp_path / name))
    for private in (None, tmp_path / "private", tmp_path / "private"):
        table = opened(tmp_path / name, private)
        assert held(table) == {'"seen"': [pytest.approx(18687 + 13 / 24), None]}
        assert table.columns['"seen"'].kind == "date"


def test_labels_of_a_file_stand_where_the_policy_has_none(tmp_path: Path) -> None:
    write_sav(tmp_path / "t.sav")
    policy = Policy.preset("standard", unit=False, labels={"sex": "Sex"})
    for private in (None, tmp_path / "private", tmp_path / "private"):
        assert opened(tmp_path / "t.sav", private).labels == LABELS
    labels = dc.open(tmp_path / "t.sav", policy).session.labels
    assert labels == {"weight": "Weight (kg)", "sex": "Sex"}


@pytest.mark.parametrize(
    ("labels", "levels"),
    [
        ({1: "A", 2: "A", 3: "A (1)"}, ["A (1)", "A (2)", "A (1) (3)"]),
        ({1_000_001: "A", 1_000_002: "A", -9: "none"}, ["A (1000001)", "A (1000002)", "none"]),
    ],
)
def test_values_with_one_label_stay_apart(
    tmp_path: Path, labels: dict[float, str], levels: list[str]
) -> None:
    frame = pd.DataFrame({"ward": [float(it) for it in labels]})
    pyreadstat.write_sav(frame, str(tmp_path / "t.sav"), variable_value_labels={"ward": labels})
    assert held(opened(tmp_path / "t.sav"))["ward"] == levels


def in_folders(path: Path, **columns: list[Any]) -> Path:
    """Write two files of the folders `year=2020` and `year=2021`."""
    for i, year in enumerate((2020, 2021)):
        (path / f"year={year}").mkdir(parents=True)
        part = {name: values[i : i + 1] for name, values in columns.items()}
        pq.write_table(pa.table(part), path / f"year={year}" / "part-0.parquet")
    return path


def test_a_folder_with_some_of_its_columns_in_the_files_is_refused(tmp_path: Path) -> None:
    for name in ("b", "c"):
        in_folders(tmp_path / "t" / f"ward={name}", x=[0.5, 1.5], year=[7, 8])
    with pytest.raises(InputError, match=r"column 'year' of 't' stands in its files and in"):
        opened(tmp_path / "t")


# --- standard input ------------------------------------------------------------------------------


@pytest.fixture
def given_by_input(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[bytes], None]]:
    def give(content: bytes) -> None:
        files._standard_input.cache_clear()
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(content)))

    yield give
    files._standard_input.cache_clear()


BY_INPUT = ["t.csv", "t.csv.gz", "t.parquet", "t.arrow"]


@pytest.mark.parametrize("name", BY_INPUT)
def test_a_table_comes_by_standard_input(
    tmp_path: Path, given_by_input: Callable[[bytes], None], name: str
) -> None:
    WRITE[name](tmp_path / name)
    given_by_input((tmp_path / name).read_bytes())
    tables = [opened("-"), opened("-")]  # it comes once, and some commands open it twice
    assert [held(it) == held(opened(tmp_path / name)) for it in tables] == [True, True]
    assert (tables[0].name, tables[0].path, tables[0].source_digest()) == (None, None, None)
    assert not tables[0].source_changed()


# --- what is no table ----------------------------------------------------------------------------

BEGINS = r"^file '{0}' is no {1} file: it begins like those of {2}; give it the matching extension"
LIES: Mapping[str, tuple[str, str, str]] = {
    "Parquet as CSV": ("t.parquet", "x.csv", BEGINS.format("x.csv", "CSV", "Parquet")),
    "Feather as Parquet": ("t.feather", "x.pq", BEGINS.format("x.pq", "Parquet", "Arrow")),
    "packed as plain": ("t.csv.gz", "x.csv", BEGINS.format("x.csv", "CSV", "compressed text")),
    "plain as packed": (
        "t.csv",
        "x.csv.gz",
        "could not be read as CSV .*; its extension says that",
    ),
    "CSV as Parquet": ("t.csv", "x.parquet", "^file 'x.parquet' could not be read as Parquet"),
    "CSV as JSON": ("t.csv", "x.ndjson", "^file 'x.ndjson' could not be read as JSON lines"),
    "CSV as Excel": ("t.csv", "x.xlsx", "^file 'x.xlsx' could not be read as Excel"),
    "Stata as SPSS": ("t.dta", "x.sav", "^file 'x.sav' could not be read as Stata, SPSS or SAS"),
}


@pytest.mark.parametrize(("of", "name", "message"), LIES.values(), ids=LIES)
@pytest.mark.parametrize("kept", [True])
def test_a_file_that_is_another_than_it_says_is_refused(
    tmp_path: Path, of: str, name: str, message: str, kept: bool
) -> None:
    WRITE[of](tmp_path / of)
    (tmp_path / of).rename(tmp_path / name)
    private = tmp_path / "private" if kept else None
    with pytest.raises(InputError, match=message) as told:
        opened(tmp_path / name, private)
    assert "ward" not in "".join(traceback.format_exception(told.value, chain=True)).split("\n")[-1]
    assert private is None or not [*private.glob("*")]


@pytest.mark.parametrize("name", ["t.csv", "t.csv.gz", "t.feather", "t.jsonl", "t.xlsx", "t.dta"])
def test_an_empty_file_is_refused(tmp_path: Path, name: str) -> None:
    (tmp_path / name).touch()
    with pytest.raises(InputError, match=rf"^file '{name}' is empty or no .* file$"):
        opened(tmp_path / name)


@pytest.mark.parametrize(
    ("name", "kept"),
    [("t.csv.gz", True), ("t.csv.zst", False), ("t.feather", True), ("t.dta", True)],
)
def test_half_a_file_is_refused(tmp_path: Path, name: str, kept: bool) -> None:
    WRITE[name](tmp_path / name)
    content = (tmp_path / name).read_bytes()
    (tmp_path / name).write_bytes(content[: len(content) // 2])
    private = tmp_path / "private" if kept else None
    with pytest.raises(InputError, match=rf"^file '{name}' could not be read as .*; \w"):
        opened(tmp_path / name, private)
    assert private is None or not [*private.glob("*")]


def test_files_of_other_columns_are_refused(tmp_path: Path) -> None:
    others = {
        "fewer": pa.table({"x": [1.0]}),
        "more": pa.table({"x": [1.0], "name": ["Canary"], "z": [1]}),
        "another type": pa.table({"x": ["Canary"], "name": ["a"]}),
    }
    pq.write_table(pa.table({"x": [1.0], "name": ["a"]}), tmp_path / "a.parquet")
    for made in others.values():
        pq.write_table(made, tmp_path / "b.parquet")
        with pytest.raises(
            InputError, match=r"^file 'b.parquet' of .* has not the columns of 'a.parquet': column"
        ) as told:
            opened(tmp_path)
        assert "Canary" not in str(told.value)


NOT_FOUND = {
    "a pattern that finds nothing": ("none-*.parquet", "^there is no file like '.*none-"),
    "a folder without a table": ("empty", "^there is no Parquet file in folder '.*empty'$"),
    "a file that is not there": ("none.csv", "^there is no file '.*none.csv'$"),
    "a pattern of text": ("*.csv", r"names other files than Parquet, and only Parquet may lie"),
    "a sheet that is not there": ("t.xlsx#two", "has no filled sheet 'two'; there are 'Sheet'$"),
    "a sheet of what has none": ("t.csv#1", "^file 't.csv' has no sheets, so none can be named"),
    "Parquet that is compressed": ("u.parquet.gz", "^file 'u.parquet.gz' must end in one of"),
}


@pytest.mark.parametrize(("name", "message"), NOT_FOUND.values(), ids=NOT_FOUND)
def test_what_names_no_table_is_refused(tmp_path: Path, name: str, message: str) -> None:
    (tmp_path / "empty").mkdir()
    (tmp_path / "u.parquet.gz").write_bytes(b"x")
    for each in ("t.csv", "t.parquet", "t.xlsx"):
        WRITE[each](tmp_path / each)
    with pytest.raises(InputError, match=message):
        opened(tmp_path / name)


@pytest.mark.parametrize("name", ["t.csv#1.csv", "t.parquet#1.parquet"])
def test_a_name_may_hold_the_sign_of_sheets(tmp_path: Path, name: str) -> None:
    for each in ("t.csv", "t.parquet"):
        WRITE[each](tmp_path / each)
    made = pa.table({"x": [1]})
    pcsv.write_csv(made, tmp_path / name) if name.endswith("csv") else pq.write_table(
        made, tmp_path / name
    )
    assert held(opened(tmp_path / name)) == {"x": [1]}


ELSEWHERE = ["file:{there}/t", "file:t", "~/t", "s3:/bucket/t"]


@pytest.mark.parametrize(
    ("name", "ending"),
    [(name, ending) for name in ELSEWHERE for ending in (".csv", ".parquet")]
    + [("~/t", ".dta"), ("file:t", ".jsonl"), ("s3:/bucket/t", ".feather")],
)
def test_the_file_is_read_that_was_looked_at(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, ending: str
) -> None:
    """Engines take some names for a file elsewhere: of the home folder, or of another system."""
    there, here = tmp_path / "home", tmp_path / "work"
    monkeypatch.setenv("HOME", str(there))
    for folder in (there, here):
        folder.mkdir()
    monkeypatch.chdir(here)
    path = Path(f"{name.format(there=there)}{ending}")
    path.parent.mkdir(parents=True, exist_ok=True)
    for file, size in ((there / f"t{ending}", 2), (here / f"t{ending}", 2), (path.absolute(), 3)):
        made = pa.table({"x": [*range(size)]})
        if ending == ".csv":
            pcsv.write_csv(made, file)
        elif ending == ".parquet":
            pq.write_table(made, file)
        elif ending == ".feather":
            feather.write_feather(made, str(file))
        elif ending == ".jsonl":
            file.write_text("".join(f'{{"x": {i}}}\n' for i in range(size)))
        else:
            pyreadstat.write_dta(made.to_pandas(), str(file))

    for private in (None, tmp_path / "private"):
        assert held(opened(str(path), private)) == {"x": [0, 1, 2]}


@pytest.mark.parametrize("name", ["-/../-"])
def test_a_file_may_have_the_name_of_standard_input(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(InputError, match=r"^there is no file '.*-'$"):
        opened(name)


def book(path: Path, sheets: Mapping[str, list[list[Any]]]) -> Path:
    made = openpyxl.Workbook()
    made.remove(made.worksheets[0])
    for name, rows in sheets.items():
        sheet = made.create_sheet(name)
        for row in rows:
            sheet.append(row)
    made.save(path)
    return path


def test_one_sheet_of_several_is_named(tmp_path: Path) -> None:
    path = book(tmp_path / "t.xlsx", {"one": [["a"], [1]], "two": [["a"], [2], ["x"]]})
    with pytest.raises(InputError, match=r"several sheets: 'one', 'two'; name one behind a #: 't"):
        opened(path)
    assert held(opened(f"{path}#two")) == {"a": ["2", "x"]}


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ([["a", None], [1, 2]], "must name its columns in the first row of its sheet"),
        ([["a", "A"], [1, 2]], "two columns of the table have the same name"),
        ([], "is empty"),
    ],
)
def test_a_sheet_without_a_table_is_refused(
    tmp_path: Path, rows: list[list[Any]], message: str
) -> None:
    with pytest.raises(InputError, match=message):
        opened(book(tmp_path / "t.xlsx", {"one": rows}))


def test_cells_of_excel_are_taken_as_they_are_meant(tmp_path: Path) -> None:
    path = tmp_path / "t.xlsx"
    rows: list[list[Any]] = [
        ["n", "word", "seen", "void"],
        [1.5, 2, DAY, None],
        ["NA", "x", None, None],
    ]
    rows += [["=1/0", "007", datetime.datetime(2020, 1, 1, 12), None]]
    assert held(opened(book(path, {"one": rows}))) == {
        "n": [1.5, None, None],
        "word": ["2", "x", "007"],
        "seen": [18262, None, 18262.5],
        "void": [None, None, None],
    }


# --- which version -------------------------------------------------------------------------------


def test_a_folder_is_another_when_any_of_its_files_is(tmp_path: Path) -> None:
    write_folder(tmp_path / "t")
    first = (digest_of(tmp_path / "t"), stamp_of(tmp_path / "t"))
    table = opened(tmp_path / "t")
    assert not table.source_changed()
    pq.write_table(arrow().slice(0, 3), tmp_path / "t" / "part-9.parquet")
    assert table.source_changed()
    assert digest_of(tmp_path / "t") != first[0]
    (tmp_path / "t" / "part-9.parquet").unlink()
    assert (digest_of(tmp_path / "t"), stamp_of(tmp_path / "t")) == first
    (tmp_path / "t" / "part-0.parquet").rename(tmp_path / "t" / "part-8.parquet")
    assert digest_of(tmp_path / "t") != first[0]
