"""The bytes of a bundle: what is read back is what was written, to the last bit."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from discreet.errors import InputError
from discreet.web.bundle import MOST_LEVELS, LevelColumn, NumberColumn, bundle
from tests.web.reading import read_bundle

NAN = float("nan")
STORED: dict[str, tuple[list[float], str, int | None]] = {
    # values, type, per
    "whole": ([1.0, -5.0, 127.0], "i1", 1),
    "whole, with a gap": ([1.0, NAN, -127.0], "i1", 1),
    "the least of a byte is a gap": ([-128.0], "i2", 1),
    "larger": ([128.0], "i2", 1),
    "the least of two bytes": ([-32768.0], "i4", 1),
    "largest": ([2147483647.0, NAN], "i4", 1),
    "too large": ([2147483648.0], "f8", None),
    "the least of four bytes": ([-2147483648.0], "f8", None),
    "tenths": ([0.1, 0.7, 12.5], "i1", 10),
    "hundredths": ([0.29, 5.0], "i2", 100),
    "nine decimals": ([0.123456789], "i4", 10**9),
    "a third": ([1 / 3], "f8", None),
    "hardly a tenth": ([0.1 + 0.2], "f8", None),
    "minus nought": ([-0.0, 1.0], "f8", None),
    "infinite": ([float("inf")], "f8", None),
    "nothing but gaps": ([NAN, NAN], "i1", 1),
    "no rows": ([], "i1", 1),
    "as small as floats are": ([5e-324], "f8", None),
}


def described(data: bytes) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = read_bundle(data)[0]["columns"]
    return found


@pytest.mark.parametrize("name", STORED)
def test_numbers_take_the_smallest_type_that_holds_them(name: str) -> None:
    values, kind, per = STORED[name]
    data = bundle("v", [NumberColumn("x", np.array(values, dtype=np.float64))])
    (column,) = described(data)
    assert (column["type"], column.get("per")) == (kind, per)
    assert same(read_bundle(data)[1]["x"], np.array(values, dtype=np.float64))


def test_a_bundle_worked_out_by_hand() -> None:
    data = bundle(
        "v1",
        [
            NumberColumn("a", np.array([1.0, NAN, 2.5])),
            NumberColumn("b", np.array([0.0, 1.0, 2.0]), dates=True),
            LevelColumn("c", np.array([1, -1, 0]), ("f", "m")),
        ],
    )
    length = int.from_bytes(data[4:8], "little")
    assert json.loads(data[8 : 8 + length]) == {
        "rows": 3,
        "version": "v1",
        "columns": [
            {"name": "a", "kind": "number", "type": "i1", "per": 10, "at": 0},
            {"name": "b", "kind": "number", "dates": True, "type": "i1", "per": 1, "at": 8},
            {"name": "c", "kind": "level", "type": "u1", "levels": ["f", "m"], "at": 16},
        ],
    }
    assert data[8 + length :] == bytes(
        [10, 128, 25, 0, 0, 0, 0, 0, 0, 1, 2, 0, 0, 0, 0, 0, 1, 255, 0, 0, 0, 0, 0, 0]
    )


LEVELS = {
    "some": (3, "u1"),
    "most of a byte": (254, "u1"),
    "more": (255, "u2"),
    "many": (999, "u2"),
}


@pytest.mark.parametrize("name", LEVELS)
def test_levels_take_two_bytes_where_one_is_too_few(name: str) -> None:
    many, kind = LEVELS[name]
    words = tuple(f"level {i}" for i in range(many))
    places = np.array([-1, 0, many - 1])
    data = bundle("v", [LevelColumn("x", places, words)])
    assert described(data)[0]["type"] == kind
    assert read_bundle(data)[1]["x"] == [None, words[0], words[-1]]


def test_what_cannot_be_written_is_refused() -> None:
    words = tuple(map(str, range(MOST_LEVELS + 1)))
    with pytest.raises(InputError, match=r"column 'x' has more than 65,535 levels"):
        bundle("v", [LevelColumn("x", np.array([0]), words)])
    with pytest.raises(InputError, match="as many rows each"):
        bundle("v", [NumberColumn("a", np.zeros(2)), NumberColumn("b", np.zeros(3))])


def same(found: np.ndarray, values: np.ndarray) -> bool:
    """Whether two columns are the same to the last bit, but for how a gap is written."""
    gaps = np.isnan(values)
    bits = found.view(np.uint64)[~gaps] == values.view(np.uint64)[~gaps]
    return bool((np.isnan(found) == gaps).all() and bits.all())


decimals = st.tuples(st.integers(-(10**10), 10**10), st.integers(0, 12)).map(
    lambda it: it[0] / 10 ** it[1]
)
floats = st.floats(allow_nan=True, allow_infinity=True) | decimals | st.just(NAN)


@given(
    st.lists(st.tuples(st.text(min_size=1), st.booleans()), max_size=5, unique_by=lambda it: it[0]),
    st.integers(0, 40),
    st.data(),
)
def test_what_is_read_back_is_what_was_written(
    names: list[tuple[str, bool]], rows: int, data: st.DataObject
) -> None:
    columns: list[NumberColumn | LevelColumn] = []
    for name, level in names:
        if level:
            words = data.draw(st.lists(st.text(min_size=1), max_size=300, unique=True))
            places = hnp.arrays(np.int32, rows, elements=st.integers(-1, len(words) - 1))
            columns.append(LevelColumn(name, data.draw(places), tuple(words)))
        else:
            one = data.draw(st.sampled_from([floats, decimals, st.integers(-300, 300).map(float)]))
            values = data.draw(st.lists(one, min_size=rows, max_size=rows))
            columns.append(NumberColumn(name, np.array(values, dtype=np.float64)))
    header, found = read_bundle(bundle("v", columns))
    assert header["rows"] == (rows if columns else 0)
    assert list(found) == [it.name for it in columns]
    for it in columns:
        if isinstance(it, NumberColumn):
            assert same(found[it.name], it.values)
        else:
            wanted = [None if at < 0 else it.levels[at] for at in it.places.tolist()]
            assert found[it.name] == wanted
