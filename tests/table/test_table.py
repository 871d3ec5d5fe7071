"""Every frame and file gives the same answers, and no way out for a value."""

from __future__ import annotations

import copy
import math
import os
import pickle
import traceback
from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from datetime import date
from decimal import Decimal
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from discreet.columns import BinAxis, Counted, Rows, texts_of
from discreet.errors import DiscreetError, InputError, RefusedError
from discreet.table import Table, open_table

Columns = Mapping[str, list[Any]]
Make = Callable[[Columns], Any]
Write = Callable[[Path, Columns], Path]

NAN, INF = math.nan, math.inf
CANARIES = ("Canary-Alice", "Canary-Bob", "987654.321", "987654", "-31337")


def opened(
    source: object,
    *,
    kinds: Mapping[str, str] | None = None,
    roles: Mapping[str, str] | None = None,
    unit: str | None = None,
    key: str | None = None,
) -> Table:
    return open_table(source, kinds=kinds or {}, roles=roles or {}, unit=unit, key=key)


def no_canary_in(error: BaseException) -> None:
    told = [str(error), repr(error), "".join(traceback.format_exception(error))]
    for canary in CANARIES:
        assert not any(canary in text for text in told)


# Eight persons; what is left of each column is easily counted.
TOY: Columns = {
    "height": [1.5, NAN, None, 3.0, INF, 2.0, -INF, 0.25],
    "whole": [1, 2, None, 2, 1, 1, 0, 3],
    "smokes": [True, False, None, True, True, False, False, True],
    "sex": ["f", "m", "f", None, "m", "f", "m", "f"],
    "score": [1.0, 1.0, NAN, None, 2.0, 2.5, 2.0, 1.0],
    "nothing": [None] * 8,
}


class TestOpening:
    def test_columns_are_those_of_the_source_and_no_other(self, source: Make) -> None:
        table = opened(source(TOY))
        assert list(table.columns) == list(TOY)
        assert [column.kind for column in table.columns.values()] == [
            "continuous",
            "continuous",
            "categorical",
            "categorical",
            "continuous",
            "categorical",
        ]
        assert table.size == 8

    def test_a_file_has_a_name_and_a_frame_has_none(self, source: Make) -> None:
        made = source({"age": [1.0, 2.0]})
        assert opened(made).name == getattr(made, "name", None)

    def test_an_empty_table_is_refused(self, source: Make) -> None:
        made = source({"age": [], "sex": []})
        with pytest.raises(InputError, match="the table has no rows; check the file"):
            opened(made)

    def test_what_is_declared_is_checked_on_opening(self, source: Make) -> None:
        made = source({"age": [1.0, 2.0], "sex": ["f", "m"]})
        with pytest.raises(InputError, match="unit or key names column 'who'"):
            opened(made, unit="who")
        with pytest.raises(InputError, match="unit or key names column 'who'"):
            opened(made, key="who")
        with pytest.raises(InputError, match="column 'sex' holds text where numbers are needed"):
            opened(made, kinds={"sex": "continuous"})


COUNTS: dict[str, tuple[list[float | None], tuple[float, float, int], list[int], int]] = {
    "an edge belongs to the bin on its right": ([0.0, 1.0, 2.0], (0, 3, 3), [1, 1, 1], 0),
    "but the last edge to the last bin": ([3.0, 3.0, 0.5], (0, 3, 3), [1, 0, 2], 0),
    "beyond the ends are the end bins": (
        [-1e300, -0.001, 1.5, 3.001, 1e300],
        (0, 3, 3),
        [2, 1, 2],
        0,
    ),
    "tenths are where they are written": (
        [0.0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0],
        (0, 1, 10),
        [1, 1, 1, 1, 1, 1, 1, 1, 1, 2],
        0,
    ),
    "what is not finite is left out": ([NAN, None, INF, -INF, 0.5, 0.5], (0, 1, 2), [0, 2], 4),
    "no width at all": ([5.0, 5.0, 4.0], (5, 5.0 + 1e-9, 2), [3, 0], 0),
}


class TestCounting:
    def test_bins_by_hand(self, source: Make) -> None:
        rows = max(len(values) for values, *_ in COUNTS.values())
        columns = {
            name: values + [None] * (rows - len(values)) for name, (values, *_) in COUNTS.items()
        }
        # The last column keeps a row from being an empty line of the file.
        table = opened(source({**columns, "row": list(range(rows))}))
        for name, (values, axis, counts, left_out) in COUNTS.items():
            out = left_out + rows - len(values)
            counted = table.count([BinAxis(name, *axis)])
            assert counted.counts.tolist() == counts, name
            assert counted.left_out == out, name
            assert counted.people == sum(counts), name
            assert counted.persons is None
            # Once the ends are known, values near them are drawn in after they were counted.
            assert table.gaps(name) == out
            assert table.count([BinAxis(name, *axis)]).counts.tolist() == counts, name

    def test_cells_hold_the_complete_cases_of_both_columns(self, source: Make) -> None:
        table = opened(source(TOY))
        counted = table.count([BinAxis("height", 0, 4, 2), BinAxis("score", 1, 3, 2)])
        # heights 1.5, 2 and 0.25 have scores 1, 2.5 and 1; height 3 has none
        assert counted.counts.tolist() == [[2, 0], [0, 1]]
        assert counted.left_out == 5


BREAKS: dict[str, tuple[list[float | None], tuple[float, ...], list[int]]] = {
    "an edge belongs to the bin on its right": (
        [0.0, 18.0, 17.999, 65.0, 64.9],
        (0, 18, 65, 120),
        [2, 2, 1],
    ),
    "the last edge and beyond to the last bin": ([120.0, 1e300, 65.0], (0, 18, 65, 120), [0, 0, 3]),
    "one bin takes all": ([-5.0, 0.5, 7.0, NAN, None, INF], (0, 1), [3]),
    "a hair below an edge is below it": (
        [0.3, 0.1 + 0.2, math.nextafter(0.3, 0)],
        (0, 0.3, 1),
        [1, 2],
    ),
}


class TestCountingBetweenBreaks:
    @pytest.mark.parametrize(("values", "breaks", "counts"), BREAKS.values(), ids=list(BREAKS))
    def test_bins_by_hand(
        self, source: Make, values: list[float | None], breaks: tuple[float, ...], counts: list[int]
    ) -> None:
        table = opened(source({"x": values, "row": list(range(len(values)))}))
        counted = table.count([BinAxis("x", breaks[0], breaks[-1], len(breaks) - 1, breaks)])
        assert counted.counts.tolist() == counts
        assert counted.left_out == len(values) - sum(counts)


STAGES: Columns = {
    "sex": ["f", "m", None, "f", "m", "f"],
    "smokes": [True, None, True, False, True, True],
    "stage": [1.0, 2.0, NAN, 1.0, 2.0, 10.0],
    "x": [0.5, 0.5, 1.5, 1.5, NAN, 0.5],
}
OF_STAGE = {"1": 0, "2": 1, "10": 1, "": 2}


class TestLevelsCounted:
    @pytest.fixture(autouse=True, params=[2, 10_000], ids=["many", "few"])
    def held(self, request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
        """Counts of few levels are held, those of many are asked for again."""
        monkeypatch.setattr("discreet.table.table.MOST_LEVELS", request.param)

    def levels(self, source: Make) -> Table:
        return opened(source(STAGES), kinds={"stage": "categorical"})

    def test_are_counted_and_a_missing_one_is_a_level(self, source: Make) -> None:
        table = self.levels(source)
        assert table.levels("sex") == {"f": 3, "m": 2, "": 1}
        assert table.levels("smokes") == {"True": 4, "False": 1, "": 1}
        assert table.levels("stage") == {"1": 2, "2": 2, "10": 1, "": 1}

    @pytest.mark.parametrize("names", [("sex", "stage"), ("stage", "sex")])
    def test_of_two_columns_are_the_same_counted_together(
        self, source: Make, names: tuple[str, str]
    ) -> None:
        table, places = self.levels(source), {"sex": {"f": 0, "m": 1, "": 1}, "stage": OF_STAGE}
        table.require(names, "categorical")
        counted = table.count((), {name: places[name] for name in names})
        found = np.array([[2, 1, 0], [0, 2, 1]])
        assert counted.counts.tolist() == (found if names[0] == "sex" else found.T).tolist()
        assert (counted.people, counted.left_out) == (6, 0)
        assert table.levels("sex") == {"f": 3, "m": 2, "": 1}
        assert table.levels("stage") == {"1": 2, "2": 2, "10": 1, "": 1}

    def test_come_before_bins_and_leave_out_no_more_than_these(self, source: Make) -> None:
        counted = self.levels(source).count(
            [BinAxis("x", 0, 2, 2)], {"sex": {"f": 0, "m": 1, "": 2}}
        )
        assert counted.counts.tolist() == [[2, 1], [1, 0], [0, 1]]
        assert counted.left_out == 1  # m without an x

    def test_of_rows_are_those_of_the_complete_ones(self, source: Make) -> None:
        table = self.levels(source)
        rows = table.rows(["x"], levels=["sex", "stage"])
        found = zip(rows.numbers["x"], rows.texts["sex"], strict=True)
        assert sorted(found) == [(0.5, "f"), (0.5, "f"), (0.5, "m"), (1.5, ""), (1.5, "f")]
        assert sorted(rows.texts["stage"]) == ["", "1", "1", "10", "2"]

    def test_a_level_that_no_place_is_given_to_is_no_answer(self, source: Make) -> None:
        with pytest.raises(DiscreetError, match="could not be read") as told:
            self.levels(source).count((), {"sex": {"f": 0, "m": 1}})
        no_canary_in(told.value)


# Ann has been at two wards of one house, Bob at one ward twice, Cyd at two houses; Dan nowhere.
WARDS: Columns = {
    "who": ["ann", "ann", "bob", "bob", "cyd", "cyd", "dan", None],
    "ward": ["n1", "n2", "n1", "n1", "n2", "s1", None, "s1"],
    "x": [0.5, 0.5, 0.5, 1.5, 0.5, 0.5, 1.5, 0.5],
}


class TestLevelsOfPersons:
    def test_a_person_counts_once_a_level(self, source: Make) -> None:
        table = opened(source(WARDS), unit="who")
        assert table.levels("ward") == {"n1": 2, "n2": 2, "s1": 1, "": 1}

    def test_and_once_in_a_bin_of_joined_levels(self, source: Make) -> None:
        table = opened(source(WARDS), unit="who")
        axes = [BinAxis("x", 0, 2, 2)]
        apart = table.count(axes, {"ward": {"n1": 0, "n2": 1, "s1": 2, "": 3}})
        joined = table.count(axes, {"ward": {"n1": 0, "n2": 0, "s1": 0, "": 1}})
        assert apart.counts.tolist() == [[2, 1], [2, 0], [1, 0], [0, 1]]
        assert joined.counts.tolist() == [[3, 1], [0, 1]]
        assert joined.joined(np.array([0, 0, 1, 1])).tolist() == [3, 1]
        assert joined.left_out == 0


NAMES = ["cell", "unit", "value", "n", "weight", "persons", "levels", "select", "two words"]
NAMES += ['with "quotes"', "it's", "a.b", "größe", "%", "$1", "a\\b"]


class TestNames:
    @pytest.mark.slow
    def test_any_name_will_do(self, source: Make) -> None:
        columns: Columns = {name: [0.5, 0.5, 1.5, None] for name in NAMES}
        table = opened(source({**columns, "who": [1, 1, 1, 2]}), unit="who")
        assert list(table.columns) == [*NAMES, "who"]
        for name in NAMES:
            assert table.count([BinAxis(name, 0, 2, 2)]).counts.tolist() == [1, 1]
            assert [ends.tolist() for ends in table.extremes(name, 5)] == [[0.5], [1.5]]
            assert not table.is_whole(name)
            assert table.rows([name]).numbers[name].tolist() == [0.5, 0.5, 1.5]


# Ann, Bob and Cyd come several times; one visit is of nobody.
VISITS: Columns = {
    "who": ["ann", "ann", "ann", "bob", "bob", "cyd", None, "dan"],
    "age": [0.1, 0.2, 1.5, 0.3, NAN, 1.7, 1.1, INF],
    "number": [7, 7, 7, 8, 8, 9, None, 10],
    "float": [7.0, 7.0, 7.0, 8.0, 8.0, 9.0, NAN, 10.0],
}


class TestPersons:
    @pytest.mark.parametrize("unit", ["who", "float"])
    def test_each_counts_once_a_bin(self, source: Make, unit: str) -> None:
        counted = opened(source(VISITS), unit=unit).count([BinAxis("age", 0, 3, 3)])
        assert counted.counts.tolist() == [2, 2, 0]
        assert counted.people == 3
        # Dan, who has no age that is finite; what is of nobody is nobody's
        assert counted.left_out == 1

    def test_each_has_one_extreme_value(self, source: Make) -> None:
        low, high = opened(source(VISITS), unit="who").extremes("age", 2)
        assert low.tolist() == [0.1, 0.3]
        assert high.tolist() == [1.7, 1.5]

    @pytest.mark.parametrize("unit", ["who", "float"])
    def test_rows_of_nobody_are_left_out(self, source: Make, unit: str) -> None:
        rows = opened(source(VISITS), unit=unit).rows(["age"])
        assert sorted(rows.numbers["age"]) == [0.1, 0.2, 0.3, 1.5, 1.7]
        assert rows.left_out == 3

    @pytest.mark.parametrize(
        ("who", "repeat"),
        [(["a", "b", "c", None, None], False), (["a", "b", "a", None, None], True)],
        ids=["no", "yes"],
    )
    def test_whether_one_comes_again(
        self, source: Make, who: list[str | None], repeat: bool
    ) -> None:
        made = source({"who": who, "x": [1.0, 2.0, 3.0, 4.0, 5.0]})
        assert opened(made, unit="who").persons_repeat() is repeat
        assert opened(made).persons_repeat() is False


class TestExtremes:
    @pytest.mark.parametrize("k", [2, 7])
    def test_are_those_of_all_rows_where_the_first_few_show_others(
        self, source: Make, k: int, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr("discreet.table.extremes.FIRST", 5)
        monkeypatch.setattr("discreet.table.table.EXTREMES", 2)
        values = [3.0, NAN, 2.5, 4.0, None, 3.5, 3.0, -INF, 9.0, -7.0, INF, 8.0, 9.0, 2.0, -7.0]
        finite = sorted(it for it in values if it is not None and math.isfinite(it))
        table = opened(source({"x": values, "row": list(range(15))}))
        for wanted in (1, k):  # the second asks for more than is held
            low, high = table.extremes("x", wanted)
            assert low.tolist() == finite[:wanted]
            assert high.tolist() == finite[::-1][:wanted]
        assert table.gaps("x") == 4
        assert not table.is_whole("x")
        assert table.is_whole("x", but_for=3)

    @pytest.mark.parametrize("values", [[None, None], [NAN, INF]], ids=["missing", "infinite"])
    def test_a_column_without_finite_values_is_refused(
        self, source: Make, values: list[float | None]
    ) -> None:
        table = opened(source({"x": values, "row": [1, 2]}))
        with pytest.raises(RefusedError, match=r"^column 'x' has no finite value, so there is"):
            table.extremes("x", 3)


@pytest.mark.parametrize("asked", [(), ("x",)], ids=["", "one"])
def test_rows_without_a_number_are_in_no_cell(source: Make, asked: tuple[str, ...]) -> None:
    x = [0.0, NAN, 0.5, None, 1.0, INF, -INF, 1.0, 0.1, -0.0]
    y = [4, 5, None, 7, 4, 4, 5, 7, None, 6]
    level = ["a", "only", "b", "b", "a", "only", "a", None, "b", "b"]
    table = opened(source({"x": x, "y": y, "level": level}))
    for name in asked:  # so that no value is drawn in
        table.extremes(name, 1)
    axes = BinAxis("x", 0.0, 1.0, 2), BinAxis("y", 3.5, 7.5, 4)

    places = {"level": {"a": 0, "b": 1, "": 2}}
    found = table.count(axes, places)
    by_hand = np.zeros((3, 2, 4), dtype=int)
    for a, b, c in [(0, 0, 0), (0, 1, 0), (2, 1, 3), (1, 0, 2)]:
        by_hand[a, b, c] += 1
    assert found.counts.tolist() == by_hand.tolist()
    assert (found.left_out, found.people) == (6, 4)
    assert table.count(axes[:1]).counts.tolist() == [3, 3]
    assert (table.gaps("x"), table.gaps("y")) == (4, 2)
    assert (table.known_numbers("x"), table.known_numbers("y")) == (6, 8)
    assert table.count(axes[1:]).counts.tolist() == [3, 2, 1, 2]


NUMBERING: dict[str, tuple[list[Any], bool]] = {
    "from nought": ([0, 1, 2, 3], True),
    "in steps of one from a fraction": ([0.5, 2.5, 1.5, 3.5], True),
    "too far apart to say how far": ([-1.7e308, 1.7e308, 0.0, 1.0], False),
    "with a gap": ([1, 2, 4, 5], False),
    "with one twice, and from end to end": ([1, 2, 2, 4], False),
    "with one between the others": ([1.0, 2.5, 3.0, 4.0], False),
    "with an infinite one": ([1.0, 2.0, INF, 3.0], False),
    "with a missing one": ([1, 2, None, 3], False),
}


@pytest.mark.parametrize(("values", "numbers"), NUMBERING.values(), ids=NUMBERING)
def test_whether_a_column_numbers_the_rows(source: Make, values: list[Any], numbers: bool) -> None:
    table = opened(source({"x": values, "row": [9] * len(values)}))
    assert table.numbering(["row", "x"]) == {*(["x"] * numbers)}


NUMBERING_BUT_FOR_TWO: dict[str, tuple[list[Any], bool]] = {
    "two far away": ([*range(48), 999, 1000], True),
    "three far away": ([*range(47), 999, 1000, 1001], False),
    "two twice": ([*range(48), 7, 9], True),
    "three twice": ([*range(47), 7, 9, 11], False),
    "two missing": ([*range(48), None, None], True),
    "three missing": ([*range(47), None, None, None], False),
    "two no whole numbers": ([*range(48), 48.5, 49.5], True),
    "three no whole numbers": ([*range(47), 47.25, 48.5, 49.25], False),
}


@pytest.mark.parametrize(
    ("values", "numbers"), NUMBERING_BUT_FOR_TWO.values(), ids=NUMBERING_BUT_FOR_TWO
)
def test_fewer_than_three_rows_do_not_decide_whether_a_column_numbers_them(
    source: Make, values: list[Any], numbers: bool
) -> None:
    turned = [None if it is None else float(it) for it in (*values[25:], *values[:25])]
    table = opened(source({"x": turned, "row": [9] * len(values)}))
    table.few = 3
    assert table.numbering(["row", "x"]) == {*(["x"] * numbers)}


@pytest.mark.parametrize(
    ("values", "shown"),
    [
        ([f"p{i}" for i in range(20)], False),
        ([f"p{i}" for i in range(18)] + ["p0", "p1"], False),
        ([f"p{i}" for i in range(17)] + ["p0", "p1", "p2"], True),
        ([f"p{i}" for i in range(17)] + ["p0", "p0", "p0"], True),
        (["a", "b"] * 10, True),
    ],
)
def test_fewer_than_three_rows_do_not_decide_whether_a_text_names_persons(
    source: Make, values: list[str], shown: bool
) -> None:
    table = opened(source({"x": values}))
    table.few = 3
    assert table.shown(["x"], "categorical") == (("x",) if shown else ())


def test_a_table_with_other_kinds_keeps_what_was_counted(
    source: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    table = opened(source({"x": [1, 2, 2, 9, 9], "row": [*range(5)]}))
    told = table.extremes("x", 2), table.gaps("x"), table.levels("x")
    levels = {**table.columns, "x": replace(table.columns["x"], kind="categorical")}
    missing = table.changed(table.columns, {"x": [9.0]})
    assert missing.extremes("x", 2)[1].tolist() == [2, 2]
    assert missing.gaps("x") == 2
    monkeypatch.setattr(Table, "_collect", None)
    for other in (table.changed(levels, {}), table.changed(table.columns, {"x": ()})):
        low, high = other.extremes("x", 2)
        assert [low.tolist(), high.tolist()] == [it.tolist() for it in told[0]]
        assert (other.gaps("x"), other.levels("x")) == told[1:]


class TestBatches:
    def test_are_whole_columns_by_parts(
        self, source: Make, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr("discreet.table.columns.PART", 3)
        table = opened(source(TOY), kinds={"score": "categorical"})
        parts = list(table.batches([*TOY]))
        numbers = np.concatenate([part["height"] for part in parts])
        assert sorted(numbers[np.isfinite(numbers)].tolist()) == [0.25, 1.5, 2.0, 3.0]
        for name in ("smokes", "sex", "nothing"):
            words = [word for part in parts for word in part[name].to_pylist()]
            stored = ["" if it is None else str(it) for it in TOY[name]]
            assert Counter(words) == Counter(stored), name
        assert sum(len(part["score"]) for part in parts) == 8
        assert np.concatenate([part["score"] for part in parts]).dtype == np.float64

    def test_are_read_while_others_ask(self, tmp_path: Path, file_of: Write) -> None:
        columns: Columns = {"x": [float(i % 7) for i in range(300_000)]}
        table = opened(file_of(tmp_path / "a.parquet", columns))
        parts = table.batches(["x"])
        seen = len(next(parts)["x"])
        assert table.levels("x") == {str(i): len(range(i, 300_000, 7)) for i in range(7)}
        assert 0 < seen < 300_000
        assert seen + sum(len(part["x"]) for part in parts) == 300_000

    def test_a_file_with_more_rows_meanwhile_is_refused(
        self, tmp_path: Path, file_of: Write
    ) -> None:
        path = file_of(tmp_path / "a.csv", {"x": [1.0, 2.0], "y": [1.0, 2.0]})
        table = opened(path)
        assert table.size == 2
        file_of(path, {"x": [1.0, 2.0, 3.0], "y": [1.0, 2.0, 3.0]})
        with pytest.raises(InputError, match="the data changed while they were being read"):
            list(table.batches(["x"]))

    def test_errors_do_not_tell(self) -> None:
        frame = pd.DataFrame({"x": pd.Series(["Canary-Alice\ud800", "b"], dtype=object)})
        with pytest.raises(InputError, match="the data could not be read") as refused:
            list(opened(frame).batches(["x"]))
        no_canary_in(refused.value)


class TestSource:
    @pytest.mark.parametrize("ending", [".csv", ".parquet"])
    def test_a_file_that_is_written_again_is_noticed(
        self, tmp_path: Path, file_of: Write, ending: str
    ) -> None:
        path = file_of(tmp_path / f"cohort{ending}", {"age": [1.0, 2.0]})
        table = opened(path)
        assert not table.source_changed()
        file_of(path, {"age": [1.0, 2.0, 3.5]})
        assert table.source_changed()

    @pytest.mark.parametrize("ending", [".csv", ".parquet"])
    @pytest.mark.parametrize("known", [True, False])
    def test_one_that_was_moved_away_and_back_is_the_same_if_its_digest_is_known(
        self, tmp_path: Path, file_of: Write, ending: str, known: bool
    ) -> None:
        path = file_of(tmp_path / f"cohort{ending}", {"age": [1.0, 2.0]})
        table = opened(path)
        if known:
            table.source_digest()
        path.rename(tmp_path / "away")
        assert table.source_changed()
        (tmp_path / "away").rename(path)
        assert table.source_changed() is not known

    def test_one_of_other_values_is_another_whenever_it_seems_written(
        self, tmp_path: Path, file_of: Write
    ) -> None:
        path = file_of(tmp_path / "cohort.csv", {"age": [1.0, 2.0]})
        table, before = opened(path), path.stat()
        table.source_digest()
        path.write_bytes(path.read_bytes().replace(b"2", b"3"))
        os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))
        assert path.stat().st_size == before.st_size
        assert table.source_changed()


class TestRows:
    def test_are_the_complete_cases_and_of_the_named_columns_alone(self, source: Make) -> None:
        rows = opened(source(TOY)).rows(["height", "whole"], ["sex"])
        assert list(rows.numbers) == ["height", "whole"]
        assert list(rows.texts) == ["sex"]
        found = zip(rows.numbers["height"], rows.numbers["whole"], rows.texts["sex"], strict=True)
        assert sorted(found) == [(0.25, 3.0, "f"), (1.5, 1.0, "f"), (2.0, 1.0, "f")]
        assert all(values.dtype == np.float64 for values in rows.numbers.values())
        assert rows.left_out == 5
        assert len(rows) == 3

    def test_yes_no_is_text_or_number_as_declared(self, source: Make) -> None:
        made = source({"smokes": [True, False, True], "x": [1, 2, 3]})
        assert sorted(opened(made).rows([], ["smokes"]).texts["smokes"]) == [
            "False",
            "True",
            "True",
        ]
        declared = opened(made, kinds={"smokes": "continuous"})
        assert sorted(declared.rows(["smokes"]).numbers["smokes"]) == [0.0, 1.0, 1.0]

    def test_numbers_declared_levels_are_named_alike(self, source: Make) -> None:
        table = opened(source(TOY), kinds={"whole": "categorical", "score": "categorical"})
        assert Counter(table.rows([], ["whole"]).texts["whole"]) == {"0": 1, "1": 3, "2": 2, "3": 1}
        assert Counter(table.rows([], ["score"]).texts["score"]) == {"1": 3, "2": 2, "2.5": 1}
        assert table.rows([], ["score"]).left_out == 2

    def test_no_complete_case_is_refused(self, source: Make) -> None:
        table = opened(source(TOY))
        with pytest.raises(RefusedError, match="no row has values in all of 'height', 'nothing'"):
            table.rows(["height"], ["nothing"])


TEXTS: dict[str, tuple[list[Any], tuple[str, ...]]] = {
    "whole numbers however stored": ([1, 1.0, -0.0, 10**20], ("1", "1", "0", str(10**20))),
    "other numbers": ([2.5, 1e-7], ("2.5", "1e-07")),
    "yes and no": ([True, False], ("True", "False")),
    "text as it is": (["a", " b ", "1.0"], ("a", " b ", "1.0")),
    "missing as nothing": ([None, NAN, INF, -INF, ""], ("", "", "", "", "")),
    "decimals": ([Decimal("1.50")], ("1.50",)),
    "lists, which have no hash": ([[1, 2]], ("[1, 2]",)),
}


@pytest.mark.parametrize(("values", "texts"), TEXTS.values(), ids=TEXTS)
def test_a_level_has_one_text(values: list[Any], texts: tuple[str, ...]) -> None:
    assert texts_of(values) == texts


LEVELS = ["b", "a", "b", None, "a"]
CATEGORICALS: dict[str, Callable[[], Any]] = {
    "pandas": lambda: pd.DataFrame(
        {"x": range(5), "level": pd.Categorical(LEVELS, categories=["Canary-Alice", "b", "a"])}
    ),
    "polars": lambda: pl.DataFrame(
        {"x": range(5), "level": pl.Series(LEVELS, dtype=pl.Enum(["Canary-Alice", "b", "a"]))}
    ),
    "pyarrow": lambda: pa.table(
        {
            "x": range(5),
            "level": pa.DictionaryArray.from_arrays(
                pa.array([1, 2, 1, None, 2]), ["Canary-Alice", "b", "a"]
            ),
        }
    ),
    "duckdb": lambda: duckdb.connect().sql(
        "SELECT row_number() OVER () AS x, unnest(['b', 'a', 'b', NULL, 'a'])"
        "::ENUM('Canary-Alice', 'b', 'a') AS level"
    ),
}


class TestLevels:
    @pytest.mark.parametrize("make", CATEGORICALS.values(), ids=CATEGORICALS)
    def test_a_level_that_nobody_has_never_appears(self, make: Callable[[], Any]) -> None:
        table = opened(make())
        assert table.columns["level"].kind == "categorical"
        assert table.rows([], ["level"]).texts["level"] == ("b", "a", "b", "a")
        assert table.rows([], levels=["level"]).texts["level"] == ("b", "a", "b", "", "a")
        assert "Canary" not in repr(table) + repr(table.columns) + repr(
            table.rows(["x"], ["level"])
        )

    @pytest.mark.parametrize("make", CATEGORICALS.values(), ids=CATEGORICALS)
    def test_a_categorical_column_may_say_who(self, make: Callable[[], Any]) -> None:
        counted = opened(make(), unit="level").count([BinAxis("x", 0, 6, 2)])
        assert counted.people == 2
        assert counted.left_out == 0


INDEXES: dict[str, Any] = {
    "names of people": pd.Index(["Canary-Alice", "Canary-Bob", "cyd", "dan"], name="patient"),
    "named like a column": pd.Index([40, 30, 20, 10], name="age"),
    "of two levels": pd.MultiIndex.from_product(
        [["Canary-Alice", "b"], [1, 2]], names=["who", None]
    ),
}


class TestPandasIndex:
    @pytest.mark.parametrize("index", INDEXES.values(), ids=INDEXES)
    def test_never_travels(self, index: Any) -> None:
        data = {"age": [1.5, 2.5, None, 3.5], "sex": ["f", "m", "f", "m"]}
        strange, plain = opened(pd.DataFrame(data, index=index)), opened(pd.DataFrame(data))
        assert list(strange.columns) == ["age", "sex"]
        assert strange.rows(["age"], ["sex"]).numbers["age"].tolist() == [1.5, 2.5, 3.5]
        assert strange.rows(["age"], ["sex"]).texts == {"sex": ("f", "m", "m")}
        assert strange.levels("sex") == plain.levels("sex")
        assert strange.count([BinAxis("age", 0, 4, 4)]).counts.tolist() == [0, 1, 1, 1]
        assert strange.extremes("age", 2)[0].tolist() == [1.5, 2.5]
        assert "Canary" not in repr(strange)


PEOPLE: Columns = {
    "patient": [1, 2, 3, 4, 5, 6],
    "name": ["Ann", "Bob", "Cyd", "Dan", "Eve", None],
    "diagnosis": ["flu", "flu", "cold", "cold", "flu", None],
    "glucose": [5.1, 6.2, 4.8, 5.5, 5.1, 7.0],
    "glucose_after": [5.0, 6.0, 5.0, 6.0, 5.0, 7.0],
}
IDENTIFIES = "identifies people and is never shown; if it does not, declare it: roles="
ROLES = {"glucose": "identifier"}
REQUIRED: dict[str, tuple[list[Any], str | None, type[DiscreetError], str]] = {
    "unknown, but close": (
        ["glucos"],
        None,
        InputError,
        r"^there is no column 'glucos'; did you mean 'glucose', 'glucose_after'\?$",
    ),
    "named twice": (["patient"] * 2, None, InputError, "^a column is named twice; name each"),
    "a number": ([3], None, InputError, "name a column by its name, as text"),
    "a unique text": (
        ["name"],
        None,
        RefusedError,
        rf"^column 'name' {IDENTIFIES}\{{'name': 'quasi-identifier'\}}$",
    ),
    "a declared identifier": (["glucose"], None, RefusedError, f"^column 'glucose' {IDENTIFIES}"),
    "levels for numbers": (
        ["diagnosis"],
        "continuous",
        InputError,
        "^column 'diagnosis' is categorical; numbers are needed here: draw bars of it, or name an",
    ),
    "numbers for levels": (
        ["glucose_after"],
        "categorical",
        InputError,
        "^column 'glucose_after' is continuous; levels are needed here;"
        r" or declare it: kinds=\{'glucose_after': 'categorical'\}"
        r" \(on the command line --kinds glucose_after=categorical\)$",
    ),
}


class TestRequiring:
    @pytest.mark.parametrize(
        ("names", "kind", "error", "message"), REQUIRED.values(), ids=list(REQUIRED)
    )
    def test_what_may_not_be_named(
        self,
        source: Make,
        names: Sequence[Any],
        kind: str | None,
        error: type[DiscreetError],
        message: str,
    ) -> None:
        table = opened(source(PEOPLE), roles=ROLES)
        with pytest.raises(error, match=message):
            table.require(names, kind)

    def test_other_columns_may(self, source: Make) -> None:
        table = opened(source(PEOPLE))
        table.require(["glucose", "glucose_after", "patient"], "continuous")
        table.require(["diagnosis"], "categorical")
        table.require(["diagnosis", "glucose"])

    @pytest.mark.parametrize("declared", ["unit", "key"])
    @pytest.mark.parametrize("column", ["patient", "diagnosis"])
    def test_unit_and_key_identify(self, source: Make, declared: str, column: str) -> None:
        table = opened(source(PEOPLE), **{declared: column})  # type: ignore[arg-type]
        with pytest.raises(RefusedError, match=f"^column '{column}' {IDENTIFIES}"):
            table.require([column])

    def test_a_name_that_all_rows_of_a_person_share_identifies(self, source: Make) -> None:
        visits: dict[str, list[Any]] = {
            "who": [1, 1, 2, 2, 3],
            "name": ["Ann", "Ann", "Bob", "Bob", "Cyd"],
        }
        visits["ward"] = ["east", "west", "east", "east", "west"]
        table = opened(source(visits), unit="who")
        table.require(["ward"])
        with pytest.raises(RefusedError, match=f"^column 'name' {IDENTIFIES}"):
            table.require(["name"])

    def test_dates_are_not_drawn(self) -> None:
        days = pl.DataFrame({"day": [date(2020, 1, 1), date(2020, 1, 2)]})
        with pytest.raises(InputError, match="'day' holds dates; numbers are needed"):
            opened(days).require(["day"], "continuous")


class TestNothingIsTold:
    @pytest.mark.parametrize(
        ("rows", "size"),
        [(1, "fewer than 100 rows"), (99, "fewer than 100 rows"), (100, "100 rows or more")],
    )
    def test_a_table_prints_names_and_a_bound(self, source: Make, rows: int, size: str) -> None:
        table = opened(source({"age": [987654.321] * rows, "name": ["Canary-Alice"] * rows}))
        assert repr(table) == str(table) == f"Table(age, name; {size})"

    def test_rows_print_names(self) -> None:
        rows = Rows({"age": np.array([987654.321])}, {"name": ("Canary-Alice",)}, -31337)
        assert repr(rows) == str(rows) == "Rows(age, name)"

    @pytest.mark.parametrize(
        "take", [pickle.dumps, copy.copy, copy.deepcopy], ids=["pickle", "copy", "deepcopy"]
    )
    def test_a_table_is_neither_pickled_nor_copied(
        self, source: Make, take: Callable[[object], object]
    ) -> None:
        table = opened(source({"age": [987654.321], "name": ["Canary-Alice"]}))
        with pytest.raises(
            RefusedError, match="a Table contains raw data and cannot be pickled"
        ) as told:
            take(table)
        no_canary_in(told.value)


# Frames that only fail when they are read, and whose engines quote the cell they fail on.
TORN: dict[str, Callable[[], Any]] = {
    "pandas, half a character": lambda: pd.DataFrame(
        {"x": pd.Series(["Canary-Alice\ud800", "b"], dtype=object)}
    ),
    "polars lazy, text cast to numbers": lambda: pl.LazyFrame(
        {"x": ["Canary-Alice", "987654.321"]}
    ).cast(pl.Float64),
    "polars lazy, numbers too large": lambda: pl.LazyFrame({"x": [987654, -31337]}).cast(pl.Int8),
    "duckdb, text cast to numbers": lambda: duckdb.connect().sql(
        "SELECT unnest(['Canary-Alice', '987654.321'])::DOUBLE AS x"
    ),
    "duckdb, numbers too large": lambda: duckdb.connect().sql(
        "SELECT unnest([987654, -31337])::TINYINT AS x"
    ),
}
READINGS: dict[str, Callable[[Table], object]] = {
    "count": lambda table: table.count([BinAxis("x", 0, 1, 2)]),
    "extremes": lambda table: table.extremes("x", 3),
    "gaps": lambda table: table.gaps("x"),  # is_whole may say by the type
    "rows": lambda table: table.rows(["x"]),
    "texts": lambda table: table.rows([], ["x"]),
    "batches": lambda table: list(table.batches(["x"])),
}


class TestErrorsOfEngines:
    @pytest.mark.parametrize("read", READINGS.values(), ids=READINGS)
    @pytest.mark.parametrize("make", TORN.values(), ids=TORN)
    def test_do_not_come_through(
        self, make: Callable[[], Any], read: Callable[[Table], object]
    ) -> None:
        frame = make()
        with pytest.raises(InputError, match="could not be read") as told:
            read(opened(frame))
        no_canary_in(told.value)
        assert told.value.__cause__ is None
        assert told.value.__suppress_context__

    def test_planted_values_are_in_no_refusal(self, source: Make) -> None:
        made = source(
            {
                "name": ["Canary-Alice", "Canary-Bob", "Canary-Bob"],
                "age": [987654.321, -31337.0, 5.0],
                "nothing": [None, None, None],
            }
        )
        table = opened(made)
        asked: list[Callable[[], object]] = [
            lambda: table.require(["nam"]),
            lambda: table.require(["age", "age"]),
            lambda: table.require(["name"], "continuous"),
            lambda: table.require(["age"], "categorical"),
            lambda: table.rows(["age"], ["nothing"]),
            lambda: table.extremes("nothing", 3),
            lambda: opened(made, kinds={"name": "continuous"}),
            lambda: opened(made, roles={"name": "identifier"}).require(["name"]),
            lambda: opened(made, unit="nobody"),
        ]
        for ask in asked:
            with pytest.raises(DiscreetError, match=r"\w") as told:
                ask()
            no_canary_in(told.value)


ENGINES: dict[str, Make] = {
    "pandas": lambda columns: pd.DataFrame(dict(columns)),
    "pandas-pyarrow": lambda columns: pa.table(columns).to_pandas(types_mapper=pd.ArrowDtype),
    "polars": pl.DataFrame,
    "pyarrow": pa.table,
    "duckdb": lambda columns: duckdb.connect().from_arrow(pa.table(columns)),
}


ENGINE = st.sampled_from([*ENGINES])


class Grid:
    """Bins of twentieths, and values that are twentieths: every edge can be met exactly."""

    def __init__(self, values: list[int | None], low: int, width: int, bins: int) -> None:
        self.values, self.low, self.width, self.bins = values, low, width, bins

    def __repr__(self) -> str:
        return f"Grid({self.values}, {self.low}, {self.width}, {self.bins})"

    def columns(self) -> dict[str, list[Any]]:
        return {"x": [NAN if value is None else value / 20 for value in self.values]}

    def axis(self) -> BinAxis:
        return BinAxis("x", self.low / 20, (self.low + self.bins * self.width) / 20, self.bins)

    def bin_of(self, value: int) -> int:
        return min(max((value - self.low) // self.width, 0), self.bins - 1)


grids = st.builds(
    Grid,
    st.lists(st.none() | st.integers(-60, 160), min_size=1, max_size=30),
    st.integers(-40, 40),
    st.integers(1, 9),
    st.integers(1, 12),
)
floats = st.floats(allow_subnormal=False) | st.none()


class TestLaws:
    @given(engine=ENGINE, grid=grids, data=st.data())
    def test_persons_agree_with_sets_of_them(self, engine: str, grid: Grid, data: Any) -> None:
        size = len(grid.values)
        who = data.draw(
            st.lists(st.sampled_from(["a", "b", "c", None]), min_size=size, max_size=size)
        )
        starts = st.lists(st.integers(0, 1), min_size=grid.bins - 1, max_size=grid.bins - 1)
        groups = np.cumsum([0, *data.draw(starts)])
        columns = {"x": [*grid.columns()["x"], NAN], "who": [*who, "a"]}
        table = opened(ENGINES[engine](columns), unit="who")

        counted = table.count([grid.axis()])

        persons, joined = defaultdict(set), defaultdict(set)
        for value, person in zip(grid.values, who, strict=True):
            if value is not None and person is not None:
                persons[grid.bin_of(value)].add(person)
                joined[groups[grid.bin_of(value)]].add(person)
        assert counted.counts.tolist() == [len(persons[place]) for place in range(grid.bins)]
        assert counted.joined(groups).tolist() == [len(joined[i]) for i in range(groups[-1] + 1)]
        assert counted.people == len(set().union(*persons.values()))
        everybody = {person for person in columns["who"] if person is not None}
        assert counted.left_out == len(everybody) - counted.people

    @pytest.mark.slow
    @given(
        x=st.lists(floats, min_size=1, max_size=20),
        axis=st.tuples(st.floats(-1e3, 1e3), st.floats(1e-3, 1e3), st.integers(1, 9)),
    )
    def test_all_engines_say_the_same(
        self, x: list[float | None], axis: tuple[float, float, int]
    ) -> None:
        low, width, bins = axis
        columns = {"x": [*x, 0.5]}
        answers = []
        for engine, make in ENGINES.items():
            table = opened(make(columns))
            counted = table.count([BinAxis("x", low, low + width * bins, bins)])
            ends = table.extremes("x", 3)
            values = np.sort(table.rows(["x"]).numbers["x"])
            answers.append(
                (
                    counted.counts.tolist(),
                    counted.left_out,
                    [(end + 0.0).tolist() for end in ends],
                    (values + 0.0).tolist(),
                    table.is_whole("x"),
                )
            )
            finite = [value for value in columns["x"] if value is not None and math.isfinite(value)]
            assert len(values) == len(finite) == counted.people, engine
        assert all(answer == answers[0] for answer in answers)

    @given(
        engine=ENGINE,
        x=st.lists(st.none() | st.integers(-3, 12), min_size=1, max_size=20),
        edges=st.lists(st.integers(0, 10), min_size=2, max_size=6, unique=True),
    )
    def test_breaks_agree_with_numpy(
        self, engine: str, x: list[int | None], edges: list[int]
    ) -> None:
        breaks = tuple(edge / 7 for edge in sorted(edges))
        values = np.array([NAN if value is None else value / 7 for value in x])
        table = opened(ENGINES[engine]({"x": [*values.tolist(), breaks[0]]}))
        axis = BinAxis("x", breaks[0], breaks[-1], len(breaks) - 1, breaks)
        counted = table.count([axis])
        # numpy closes the last bin and knows none that are open
        known = np.append(values[np.isfinite(values)], breaks[0])
        inside = np.clip(known, breaks[0], breaks[-1])
        assert counted.counts.tolist() == np.histogram(inside, breaks)[0].tolist()
        assert np.bincount(axis.places(known), minlength=axis.bins).tolist() == (
            counted.counts.tolist()
        )

    @pytest.mark.slow
    @given(engine=ENGINE, data=st.data(), size=st.integers(1, 15))
    def test_levels_agree_with_sets_of_persons(self, engine: str, data: Any, size: int) -> None:
        def drawn(values: list[Any]) -> list[Any]:
            return list(data.draw(st.lists(st.sampled_from(values), min_size=size, max_size=size)))

        who, ward, x = drawn(["a", "b", "c", None]), drawn(["n", "s", "w", None]), drawn([0, 1])
        places = {level: data.draw(st.integers(0, 2)) for level in ("n", "s", "w", "")}
        columns: Columns = {"who": [*who, "a"], "ward": [*ward, "n"], "x": [*x, 0]}
        table = opened(ENGINES[engine](columns), unit="who")

        counted = table.count([BinAxis("x", -0.5, 1.5, 2)], {"ward": places})

        there = defaultdict(set)
        for person, level, value in zip(*columns.values(), strict=True):
            if person is not None:
                there[places[level or ""], value].add(person)
        wards = max(places.values()) + 1
        assert counted.counts.tolist() == [[len(there[i, j]) for j in (0, 1)] for i in range(wards)]
        assert counted.people == len({person for person in columns["who"] if person is not None})


Pairs = list[tuple[int, int]]


def of_pairs(pairs: Pairs, shape: tuple[int, ...], left_out: int = 0) -> Counted:
    """Count persons: `pairs` are of a cell and a person in it."""
    cells = np.array([cell for cell, _ in pairs], dtype=np.int64)
    persons = np.array([person for _, person in pairs], dtype=np.intp)
    return Counted(shape, cells, np.ones(len(pairs), dtype=np.int64), persons, left_out)


def of_weights(weights: dict[int, int], shape: tuple[int, ...], left_out: int = 0) -> Counted:
    """Count records: how many there are in each cell that has any."""
    cells = np.array(list(weights), dtype=np.int64)
    return Counted(shape, cells, np.array(list(weights.values()), np.int64), None, left_out)


BETWEEN = BinAxis("age", 0, 120, 3, (0, 18, 65, 120))
PLACES: dict[str, tuple[BinAxis, list[float], list[int]]] = {
    "of one width": (BinAxis("age", 0, 3, 3), [-9, 0, 0.999, 1, 2, 3, 99], [0, 0, 0, 1, 2, 2, 2]),
    "a third of a tenth below": (BinAxis("age", 0, 1, 10), [0.3, 0.1 * 3, 0.29999], [3, 3, 2]),
    "between breaks": (BETWEEN, [-9, 0, 17.9, 18, 64, 65, 120, 999], [0, 0, 0, 1, 1, 2, 2, 2]),
    "of one bin between breaks": (BinAxis("age", 0, 1, 1, (0, 1)), [-9, 0.5, 9], [0, 0, 0]),
}


@pytest.mark.parametrize(("axis", "values", "places"), PLACES.values(), ids=PLACES)
def test_which_bin_a_value_is_in(axis: BinAxis, values: list[float], places: list[int]) -> None:
    assert axis.places(np.array(values, dtype=float)).tolist() == places


# Four persons. Ann (0) and Bob (1) are in cells 0 and 1, Cyd (2) is in cell 3, Dan (3) in 1 and 3.
VISITED: Pairs = [(0, 0), (1, 0), (0, 1), (1, 1), (3, 2), (1, 3), (3, 3)]


@pytest.mark.parametrize(
    ("shown", "persons", "records"),
    [([], 0, 0), ([0], 2, 5), ([0, 1], 3, 5), ([1, 3], 4, 2), ([2], 0, 0), ([0, 1, 2, 3], 4, 7)],
)
def test_who_is_in_several_shown_cells_counts_once(
    shown: list[int], persons: int, records: int
) -> None:
    cells = np.isin(np.arange(4), shown)
    assert of_pairs(VISITED, (4,)).people_in(cells) == persons
    assert of_weights({0: 5, 3: 2}, (2, 2)).people_in(cells.reshape(2, 2)) == records


def test_no_count_is_printed() -> None:
    counted = of_weights({0: 987654}, (4,), left_out=123456)
    assert repr(counted) == "Counted(shape=(4,))"
    assert str(counted) == "Counted(shape=(4,))"


def twin(pairs: Pairs, groups: list[int]) -> list[int]:
    """Count the persons of joined bins one person at a time."""
    members: dict[int, set[int]] = defaultdict(set)
    for cell, person in pairs:
        members[groups[cell]].add(person)
    return [len(members[group]) for group in range(max(groups) + 1)]


@st.composite
def joins(draw: st.DrawFn) -> tuple[Pairs, list[int]]:
    bins = draw(st.integers(1, 8))
    pairs = draw(st.sets(st.tuples(st.integers(0, bins - 1), st.integers(0, 6)), max_size=30))
    starts = [0, *draw(st.lists(st.integers(0, 1), min_size=bins - 1, max_size=bins - 1))]
    groups: NDArray[Any] = np.cumsum(starts)
    return sorted(pairs), groups.tolist()


@given(joins())
def test_joining_agrees_with_counting_one_by_one(case: tuple[Pairs, list[int]]) -> None:
    pairs, groups = case
    counted = of_pairs(pairs, (len(groups),))
    assert counted.joined(np.array(groups)).tolist() == twin(pairs, groups)
    assert counted.counts.tolist() == twin(pairs, list(range(len(groups))))
    assert counted.people == len({person for _, person in pairs})
