"""Hierarchies of levels, read and checked, and the chains of coarsenings."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from discreet.errors import InputError
from discreet.methods.hierarchy import (
    Chain,
    Hierarchy,
    Step,
    by_hierarchy,
    chains_of,
    coded,
    intervals,
    read_hierarchy,
    smallest,
)

TOWNS = (
    {"Leeds": "Yorkshire", "York": "Yorkshire", "Exeter": "Devon", "": "unknown"},
    {"Leeds": "north", "York": "north", "Exeter": "south", "": "south"},
)

# --- a hierarchy and its reading --------------------------------------------------------------

READ: dict[str, tuple[str, tuple[dict[str, str], ...]]] = {
    "semicolons": (
        "Leeds;Yorkshire;north\nYork;Yorkshire;north\nExeter;Devon;south\n;unknown;south\n",
        TOWNS,
    ),
    "commas, in any order": (
        "Exeter,Devon,south\n,unknown,south\nYork,Yorkshire,north\nLeeds,Yorkshire,north",
        TOWNS,
    ),
    "tabs, a mark at the start, other line ends, empty lines": (
        "\ufeffa\tx\r\n\r\nb\tx\r\n",
        ({"a": "x", "b": "x"},),
    ),
    "commas within names": ("a,b;x\nc;x\n", ({"a,b": "x", "c": "x"},)),
    "quoted separators": ('"a;b",x\n"c\nd",x\n', ({"a;b": "x", "c\nd": "x"},)),
    "a step that joins nothing": ("a;a;x\nb;b;x\n", ({"a": "a", "b": "b"}, {"a": "x", "b": "x"})),
}


@pytest.mark.parametrize(("text", "steps"), READ.values(), ids=READ)
def test_a_file(text: str, steps: tuple[dict[str, str], ...], tmp_path: Path) -> None:
    path = tmp_path / "towns.csv"
    path.write_bytes(text.encode())
    hierarchy = read_hierarchy("town", path)
    assert hierarchy.column == "town"
    assert tuple(dict(step) for step in hierarchy.steps) == steps
    assert read_hierarchy("town", str(path)) == hierarchy


NESTED: dict[str, tuple[dict[str, Any], tuple[dict[str, str], ...]]] = {
    "two steps": (
        {
            "north": {"Yorkshire": ["Leeds", "York"]},
            "south": {"Devon": ["Exeter"], "unknown": [""]},
        },
        TOWNS,
    ),
    "whole numbers": ({"low": [1, 2]}, ({"1": "low", "2": "low"},)),
}


@pytest.mark.parametrize(("source", "steps"), NESTED.values(), ids=NESTED)
def test_nested_tables(source: dict[str, Any], steps: tuple[dict[str, str], ...]) -> None:
    assert tuple(dict(step) for step in read_hierarchy("town", source).steps) == steps


BAD_FILES = {
    "a level twice": ("a;x\nb;x\na;y\n", "column 'town' names a level twice"),
    "lines of different length": ("a;x;y\nb;x\n", "give each level the same number"),
    "no coarser names": ("a\nb\n", "is empty; give each level at least one coarser name"),
    "parts what was one": ("a;x;1\nb;x;2\n", "splits at step 2 what was merged at the step before"),
}


@pytest.mark.parametrize(("text", "message"), BAD_FILES.values(), ids=BAD_FILES)
def test_bad_files(text: str, message: str, tmp_path: Path) -> None:
    path = tmp_path / "towns.csv"
    path.write_text(text)
    with pytest.raises(InputError, match=message):
        read_hierarchy("town", path)


def test_a_file_that_is_none(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"there is no file '.*towns.csv'"):
        read_hierarchy("town", tmp_path / "towns.csv")
    (tmp_path / "latin.csv").write_bytes("Zürich;x".encode("latin-1"))
    with pytest.raises(InputError, match=r"'latin.csv'.* is no CSV file in UTF-8") as caught:
        read_hierarchy("town", tmp_path / "latin.csv")
    assert caught.value.__suppress_context__


BAD_TABLES: dict[str, tuple[Any, str]] = {
    "a level twice": ({"x": ["a", "b"], "y": ["a"]}, "names a level twice"),
    "tables of different depth": ({"x": {"y": ["a"]}, "z": ["b"]}, "the same number of coarser"),
    "nothing": ({}, "column 'town' is empty"),
    "ends in a text": ({"x": "a"}, "tables within tables that end in lists"),
    "a level that is yes": ({"x": [True]}, "must name levels by texts"),
    "one name in two tables": (
        {"north": {"rest": ["a"]}, "south": {"rest": ["b"]}},
        "splits at step 2 what was merged",
    ),
    "a list": (["a"], "the path of a CSV file or nested tables"),
}


@pytest.mark.parametrize(("source", "message"), BAD_TABLES.values(), ids=BAD_TABLES)
def test_bad_tables(source: Any, message: str) -> None:
    with pytest.raises(InputError, match=message):
        read_hierarchy("town", source)


BAD_STEPS: dict[str, tuple[tuple[dict[str, str], ...], str]] = {
    "no steps": ((), "hierarchy of column 'town' is empty"),
    "other levels": (({"a": "x"}, {"b": "x"}), "has different levels at step 2"),
    "finer": (({"a": "x", "b": "x"}, {"a": "y", "b": "z"}), "splits at step 2"),
}


@pytest.mark.parametrize(("steps", "message"), BAD_STEPS.values(), ids=BAD_STEPS)
def test_bad_steps(steps: tuple[dict[str, str], ...], message: str) -> None:
    with pytest.raises(InputError, match=message):
        Hierarchy("town", steps)


SIZES = np.array([4, 1, 3, 1, 2])
CHAINS: dict[str, tuple[Chain, list[list[str]], list[tuple[str, str]]]] = {
    # the chain, the names after each step, and what is told of it
    "a hierarchy that knows more": (
        by_hierarchy(["", "York"], Hierarchy("c", TOWNS)),
        [["unknown", "Yorkshire"], ["south", "north"]],
        [("generalised", "step 1 of its hierarchy"), ("generalised", "step 2 of its hierarchy")],
    ),
    "five levels in order": (
        intervals("c", ["a", "b", "c", "d", "e"], ["e", "d", "a", "b", "c"]),
        [
            ["a to b", "a to b", "c", "e to d", "e to d"],
            ["e to b", "e to b", "c", "e to b", "e to b"],
        ],
        [
            ("joined", "intervals of 2 neighbouring levels"),
            ("joined", "intervals of 4 neighbouring levels"),
        ],
    ),
    "two levels in order": (intervals("c", ["a", "b"], ["a", "b"]), [], []),
    "the smallest, ties by name": (
        smallest("c", ["a", "b", "c", "d", "e"], SIZES),
        [
            ["a", "other", "c", "other", "e"],
            ["a", "other", "c", "other", "other"],
            ["a", "other", "other", "other", "other"],
        ],
        [
            ("joined", "the smallest levels are 'other'"),
            ("joined", "the smallest levels are 'other'"),
            ("joined", "the smallest levels are 'other'"),
        ],
    ),
    "a level is called other": (
        smallest("c", ["b", "c", "other"], np.array([1, 1, 5])),
        [["other levels", "other levels", "other"]],
        [("joined", "the smallest levels are 'other levels'")],
    ),
}


@pytest.mark.parametrize(("chain", "names", "told"), CHAINS.values(), ids=CHAINS)
def test_chains(chain: Chain, names: list[list[str]], told: list[tuple[str, str]]) -> None:
    steps = range(1, chain.last + 1)
    assert [chain.names(step) for step in steps] == names
    assert [chain.words(step) for step in steps] == [Step("c", *words) for words in told]
    assert chain.names(0) == list(chain.levels)
    assert chain.words(chain.last + 1) == Step("c", "dropped", "left out")


@pytest.mark.parametrize("chain", [chain for chain, _, _ in CHAINS.values()], ids=CHAINS)
def test_groups_are_names_and_each_step_is_coarser(chain: Chain) -> None:
    before = chain.groups(0).tolist()
    assert sorted(before) == list(range(len(chain.levels)))
    for step in range(1, chain.last + 1):
        groups, names = chain.groups(step).tolist(), chain.names(step)
        # As many pairs as either has alone: one name for each group, one group for each before.
        assert len(set(zip(groups, names, strict=True))) == len(set(groups)) == len(set(names))
        assert len(set(zip(before, groups, strict=True))) == len(set(before))
        before = groups
    assert chain.groups(chain.last + 1).tolist() == [0] * len(chain.levels)


def test_bad_orders() -> None:
    with pytest.raises(InputError, match="order of column 'age' lacks a level of the data; add"):
        intervals("age", ["secret"], ["a"])
    with pytest.raises(InputError, match="names a level twice"):
        intervals("age", ["a"], ["a", "b", "a"])
    with pytest.raises(InputError, match="two intervals one name; rename its levels"):
        intervals("age", ["a"], ["a", "b", "a to b"])
    with pytest.raises(InputError, match="must be a list of texts"):
        intervals("age", ["a"], "abc")
    with pytest.raises(InputError, match="must be a list of texts"):
        intervals("age", ["1"], [1, 2])  # type: ignore[list-item]


def test_a_level_that_the_hierarchy_lacks_is_not_named() -> None:
    with pytest.raises(
        InputError, match="hierarchy of column 'town' lacks a level of the data; add it"
    ) as caught:
        by_hierarchy(["York", "canary"], Hierarchy("town", TOWNS))
    assert "canary" not in str(caught.value)


@given(st.lists(st.text(max_size=3)))
def test_a_coded_column_is_the_column(given: list[str]) -> None:
    column = coded("town", given)
    assert [column.levels[code] for code in column.codes] == given
    assert list(column.levels) == sorted(set(given))
    assert column.sizes.tolist() == [given.count(level) for level in column.levels]


def test_each_column_gets_its_chain() -> None:
    columns = [coded(name, ["a", "b", "c", "c"]) for name in ("given", "in order", "left")]
    hierarchy = Hierarchy("given", (dict.fromkeys("abc", "all"),))
    chains = chains_of(columns, {"given": hierarchy}, {"in order": ["c", "b", "a"]})
    assert [chain.names(1) for chain in chains] == [
        ["all", "all", "all"],
        ["a", "c to b", "c to b"],
        ["other", "other", "c"],
    ]
    assert [chain.column for chain in chains] == ["given", "in order", "left"]


def test_chains_that_do_not_fit_the_columns() -> None:
    columns = [coded(name, ["a"]) for name in ("age", "sex", "home")]
    hierarchy = Hierarchy("age", ({"a": "all"},))
    with pytest.raises(InputError, match="hierarchies names column 'x'; there are 'age', 'sex', "):
        chains_of(columns, {"x": hierarchy}, {})
    with pytest.raises(InputError, match="ordered names column 'x'; there are 'age', 'sex', 'home"):
        chains_of(columns, {}, {"x": ["a"]})
    with pytest.raises(InputError, match="'age' has a hierarchy and an order; give one"):
        chains_of(columns, {"age": hierarchy}, {"age": ["a"]})
    with pytest.raises(InputError, match="hierarchy of column 'sex' is of another column"):
        chains_of(columns, {"sex": hierarchy}, {})
