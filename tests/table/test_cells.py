"""Cells of text files: one kind a column or text, and what parts them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from discreet.errors import InputError
from discreet.table import Table, open_table


def opened(path: Path, text: str | bytes, name: str = "t.csv") -> Table:
    (path / name).write_bytes(text if isinstance(text, bytes) else text.encode())
    return open_table(path / name, kinds={}, roles={}, unit=None, key=None)


def column(values: list[str], beside: str = "a") -> str:
    return f"{beside};x\n" + "".join(f"{i};{it}\n" for i, it in enumerate(values))


NUMBERS: dict[str, tuple[list[str], list[float]]] = {
    "plus signs": (["+5", "-3", "0"], [5, -3, 0]),
    "powers of ten": (["1.5e3", "2E-05", "1e+05"], [1500, 2e-05, 100_000]),
    "blanks around": ([" 5", "6 ", " 7 "], [5, 6, 7]),
    "in quotes": (['"5"', '"6.5"', "7"], [5, 6.5, 7]),
}


@pytest.mark.parametrize(("cells", "values"), NUMBERS.values(), ids=NUMBERS)
def test_numbers_are_what_is_written(tmp_path: Path, cells: list[str], values: list[float]) -> None:
    found = opened(tmp_path, column(cells))
    assert found.columns["x"].kind == "continuous"
    assert found.rows([], gaps=["x"]).numbers["x"].tolist() == values


TEXTS: dict[str, list[str]] = {
    "hexadecimal": ["0x1f", "0x2a", "0x30"],
    "low lines between digits": ["1_000", "2_000", "300"],
    "codes with an E": ["1001", "12E3", "1002"],
    "leading noughts": ["007", "12", "13"],
    "telephone numbers": ["+491234567", "+491234568", "+4912345699"],
    "decimal commas": ["1,5", "2,25", "3"],
    "thousands and a comma": ["1.234,50", "2.000,00", "17,25"],
    "a word beside numbers": ["5", "6", "seven"],
}


@pytest.mark.parametrize("cells", TEXTS.values(), ids=TEXTS)
def test_what_is_no_number_is_text(tmp_path: Path, cells: list[str]) -> None:
    found = opened(tmp_path, column(cells))
    assert found.columns["x"].kind == "categorical"
    assert {*found.levels("x")} == {*cells}


GROUPED = "age;rate;x\n" + "".join(f"{i};{i},5;{20 + i}.000\n" for i in range(9))
POINTS: dict[str, tuple[str, str]] = {
    "beside decimal commas": (GROUPED, "categorical"),
    "one of them, beside decimal commas": (
        GROUPED.replace("21.000", "850").replace("22.000", "3.5"),
        "categorical",
    ),
    "cells that semicolons part": ("a;x\n1;20.000\n2;35.500\n3;850\n", "categorical"),
    "another decimal says it": ("a;x\n1;20.000\n2;35.5\n3;850\n", "continuous"),
    "cells that commas part": ("a,x\n1,20.000\n2,35.500\n3,850\n", "continuous"),
    "cells in quotes beside commas": ('a,x\n"1,5",20.000\n"2,5",35.500\n', "categorical"),
    "thousands in English": ('a,x\n"1,000",20.125\n"2,000",35.500\n', "continuous"),
}


@pytest.mark.parametrize(("text", "kind"), POINTS.values(), ids=POINTS)
def test_a_point_before_thousands_is_no_decimal_point(tmp_path: Path, text: str, kind: str) -> None:
    assert opened(tmp_path, text).columns["x"].kind == kind


PARTED: dict[str, tuple[str, list[str]]] = {
    "a comma in a name": ("id;weight (kg, dry)\n1;2,5\n3;4,5\n", ["id", "weight (kg, dry)"]),
    "semicolons in names": ("a;1,b;2,c\n1,2,3\n4,5,6\n", ["a;1", "b;2", "c"]),
    "tabs, commas in each cell": ("a, b\tc\n1,5\tx\n2,5\ty\n", ["a, b", "c"]),
    "lines between columns": ("a|b, c|d\n1|2,3|4\n5|6|7\n", ["a", "b, c", "d"]),
}


@pytest.mark.parametrize(("text", "names"), PARTED.values(), ids=PARTED)
def test_the_sign_that_gives_each_row_as_many_cells_parts_them(
    tmp_path: Path, text: str, names: list[str]
) -> None:
    assert list(opened(tmp_path, text).columns) == names


OTHER_SIGNS = {
    "blanks": "age sex bmi\n50 F 26.1\n60 M 25.0\n",
    "the sign ^": "age^sex\n50^F\n60^M\n",
}


@pytest.mark.parametrize("text", OTHER_SIGNS.values(), ids=OTHER_SIGNS)
def test_a_sign_that_is_not_read_is_named(
    tmp_path: Path, text: str, request: pytest.FixtureRequest
) -> None:
    sign = request.node.callspec.id.removeprefix("several ")
    with pytest.raises(
        InputError, match=f"separated by {sign.replace('^', r'.')}; separate them by a"
    ):
        opened(tmp_path, text)


LINES = {
    "Windows, then Unix": b"a,b\r\n1,x\n2,y\r\n3,z\n",
    "old Mac, then Unix": b"a,b\r1,x\n2,y\r3,z\n",
    "behind a byte order mark": b"\xef\xbb\xbfa,b\r\n1,x\n2,y\n3,z\n",
}


@pytest.mark.parametrize("text", LINES.values(), ids=LINES)
def test_lines_may_end_in_several_ways(tmp_path: Path, text: bytes) -> None:
    found = opened(tmp_path, text)
    assert found.rows([], gaps=["a"]).numbers["a"].tolist() == [1, 2, 3]
    assert {*found.levels("b")} == {"x", "y", "z"}


QUOTES: dict[str, tuple[bytes, int]] = {
    "that does not end": (b'a,b\n1,x\n2,"Canary-x\n3,y\n', 3),
    "with letters behind its end": (b'a,b\n1,x\n2,y\n3,"Canary-x"y\n', 4),
    "escaped otherwise": (b'a,b\n1,"Canary \\"x\\" y"\n2,y\n', 2),
    "behind a cell of two lines": (b'a,b\n1,"x\ny"\n2,"Canary-x\n', 4),
}


@pytest.mark.parametrize(("text", "row"), QUOTES.values(), ids=QUOTES)
def test_a_quote_that_cannot_be_read_is_named_by_its_row(
    tmp_path: Path, text: bytes, row: int
) -> None:
    with pytest.raises(InputError, match=f"row {row} has a cell in double quotes") as refused:
        opened(tmp_path, text)
    assert "Canary" not in str(refused.value)


@pytest.mark.parametrize("line", [b"SEP=;\r\n", b"\xef\xbb\xbfsep=;\n"])
def test_a_line_for_spreadsheets_above_the_names_is_refused(tmp_path: Path, line: bytes) -> None:
    with pytest.raises(InputError, match=r"\(sep=\): remove this line"):
        opened(tmp_path, line + b"a;b\n1;2\n3;4\n")


MIXED: dict[str, tuple[list[Any], str]] = {
    "times of day": (["08:30", "17:45:30"], "continuous"),
    "hours that are none": (["25:30", "08:30"], "categorical"),
}


@pytest.mark.parametrize(("cells", "kind"), MIXED.values(), ids=MIXED)
@pytest.mark.parametrize("ending", ["csv", "jsonl"])
def test_times_are_read_alike_of_all_text(
    tmp_path: Path, cells: list[str], kind: str, ending: str
) -> None:
    csv = column(cells)
    lines = "".join(f'{{"a": {i}, "x": "{it}"}}\n' for i, it in enumerate(cells))
    found = opened(tmp_path, csv if ending == "csv" else lines, f"t.{ending}")
    assert found.columns["x"].kind == kind
