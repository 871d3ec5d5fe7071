"""Words in a column of CSV: taken out they leave the table as it was."""

from __future__ import annotations

import csv
import datetime
import io
import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from discreet.render.csv_words import as_csv, with_column, without_column
from discreet.render.sealing import with_words, without_words

WORDS = json.dumps({"schema": 2, "request": {"columns": ["a,b", 'c"d']}})
CELLS = st.one_of(
    st.none(),
    st.integers(-(10**18), 10**18),
    st.floats(allow_infinity=False),
    st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=5),
)


def test_cells_are_as_they_are_meant() -> None:
    columns: list[tuple[str, list[object]]] = [
        ("day", [datetime.date(2020, 1, 2), None]),
        ("seen", [datetime.datetime(2020, 1, 2, 3, 4), datetime.datetime(2021, 1, 1)]),
        ("share", [np.float64(0.1), float("nan")]),
        ("count", [np.int64(3), 4]),
        ("=level", ["=1+1", "a\nb"]),
    ]
    assert as_csv(columns).decode().split("\n", 2) == [
        "day,seen,share,count,'=level",
        "2020-01-02,2020-01-02T03:04:00,0.1,3,'=1+1",
        ',2021-01-01T00:00:00,,4,"a\nb"\n',
    ]


@given(st.lists(st.tuples(CELLS, CELLS), min_size=1, max_size=4))
def test_words_are_taken_out_to_the_byte(rows: list[tuple[object, object]]) -> None:
    file = as_csv([("a", [it for it, _ in rows]), ("b", [it for _, it in rows])])
    told = with_words(file, ".csv", WORDS)
    assert without_words(told, ".csv") == (file, WORDS)
    assert without_words(file, ".csv") == (file, None)
    read = [*csv.reader(io.StringIO(told.decode(), newline=""))]
    assert [it[:-1] for it in read] == [*csv.reader(io.StringIO(file.decode(), newline=""))]


ELSEWHERE = {
    "in another row": f"a,provenance\n1,\n2,{WORDS!r}\n",
    "in another column": "provenance,a\n{},1\n",
    "of another kind": "a,provenance\n1,Vienna\n",
    "a header alone": "a,provenance\n",
    "nothing": "",
    "no letters": "\x80",
}


@pytest.mark.parametrize("name", ELSEWHERE)
def test_other_tables_have_no_words(name: str) -> None:
    file = ELSEWHERE[name].encode("latin-1")
    assert without_column(file) == (file, None)


CHANGED = {
    "words twice": lambda it: it.replace("2,", f"2,{WORDS.replace(',', ';')}"),
    "a space": lambda it: it.replace("1,", "1, ", 1),
    "quotation marks": lambda it: it.replace("2,", '"2",'),
    "no end of a line": lambda it: it[:-1],
}


@pytest.mark.parametrize("name", CHANGED)
def test_table_that_was_written_anew_is_as_it_is(name: str) -> None:
    file = CHANGED[name](with_column(b"a\n1\n2\n", WORDS).decode()).encode()
    assert without_column(file)[0] == file
