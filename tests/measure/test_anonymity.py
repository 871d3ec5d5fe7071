"""Combinations of what may be known: worked by hand, naive twins, and pycanon as an oracle."""

import math
import warnings
from collections import Counter, defaultdict
from collections.abc import Callable
from itertools import permutations
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from discreet.errors import InputError
from discreet.measure.anonymity import (
    anonymity,
    attribute_disclosure,
    closeness,
    combination_sizes,
    combinations_of,
    diversity,
    entropy_diversity,
    shared_by_fewer,
    uniqueness,
    uniqueness_of_every,
)
from discreet.measure.pairs import as_side

Rows = list[tuple[Any, ...]]

# (sex, town, illness): f-x twice, f-y once, m-x three times
PATIENTS = pa.table(
    {
        "sex": ["f", "f", "f", "m", "m", "m"],
        "town": ["x", "x", "y", "x", "x", "x"],
        "illness": ["flu", "cold", "flu", "flu", "flu", "flu"],
        "stay": [1.0, 2.0, 3.0, 4.0, 4.0, 4.0],
    }
)


def test_combinations_by_hand() -> None:
    assert anonymity(PATIENTS, ["sex", "town"]) == 1
    assert anonymity(PATIENTS, ["sex"]) == 3
    assert combination_sizes(PATIENTS, ["sex", "town"]) == {1: 1, 2: 1, 3: 1}
    assert combination_sizes(PATIENTS, ["sex"]) == {3: 2}
    found = uniqueness(PATIENTS, ["sex", "town"])
    assert (found.count, found.trials, found.baseline) == (1, 6, None)


def test_sensitive_values_by_hand() -> None:
    known = ["sex", "town"]
    assert diversity(PATIENTS, ["town"], "illness") == 1  # town y
    assert diversity(PATIENTS, ["sex"], "illness") == 1  # m
    assert diversity(PATIENTS, ["sex"], "stay") == 1
    assert entropy_diversity(PATIENTS, known, "illness") == 1
    found = attribute_disclosure(PATIENTS, known, "illness")
    assert (found.count, found.trials) == (4, 6)
    # Five flu and one cold dealt out: alone one is given away, two are alike in 10 of 15 ways and
    # three in 10 of 20.
    assert found.baseline == pytest.approx((1 + 2 * 10 / 15 + 3 * 10 / 20) / 6, rel=1e-12)
    # shares 5/6 and 1/6 of all; of f: 2/3 and 1/3, of m: 1 and 0
    assert closeness(PATIENTS, ["sex"], "illness") == pytest.approx(1 / 6)


def test_ordered_distance_by_hand() -> None:
    # Ranks 1 to 4 with shares 1/6, 1/6, 1/6, 1/2 of all. f: 1/3, 1/3, 1/3, 0, so that the sums
    # differ by 1/6, 2/6, 3/6, 0; m: 1/6, 2/6, 3/6, 0 as well. Divided by 3.
    assert closeness(PATIENTS, ["sex"], "stay") == pytest.approx(1 / 3)


def test_the_salaries_of_the_paper() -> None:
    # Li et al. 2007, section 4.1: {3k,4k,5k} is 0.375 and {6k,8k,11k} 0.167 from {3k, ..., 11k}.
    salary = [3, 4, 5, 6, 8, 11, 7, 9, 10]
    table = pa.table({"group": ["a"] * 3 + ["b"] * 3 + ["c"] * 3, "salary": salary})
    rest = pa.table({"group": ["c"] * 3 + ["b"] * 3 + ["c"] * 3, "salary": salary})
    assert closeness(table, ["group"], "salary") == pytest.approx(0.375)
    assert closeness(rest, ["group"], "salary") == pytest.approx(1 / 6)


def test_missing_values_are_one_value() -> None:
    table = pa.table({"a": [1.5, None, None, 1.5], "b": ["x", None, None, "x"]})
    assert anonymity(table, ["a", "b"]) == 2
    assert diversity(table, ["b"], "a") == 1


def test_every_combination() -> None:
    found = uniqueness_of_every(PATIENTS, ["sex", "town", "illness"])
    assert [(known.columns, known.k, known.uniqueness.count) for known in found] == [
        (("sex",), 3, 0),
        (("town",), 1, 1),
        (("illness",), 1, 1),
        (("sex", "town"), 1, 1),
        (("sex", "illness"), 1, 1),
        (("town", "illness"), 1, 2),
        (("sex", "town", "illness"), 1, 3),
    ]
    assert len(uniqueness_of_every(PATIENTS, ["sex", "town", "illness"], most=1)) == 3


# Of the patients: rows of (sex, town) are shared by 2, 2, 1, 3, 3 and 3 rows.
FEW: dict[str, tuple[list[str], int, int]] = {
    "by none": (["sex", "town"], 1, 0),
    "alone": (["sex", "town"], 2, 1),
    "alone or two": (["sex", "town"], 3, 3),
    "one column, all": (["sex"], 4, 6),
    "a number": (["stay"], 2, 3),
}


@pytest.mark.parametrize(("columns", "k", "count"), FEW.values(), ids=FEW)
def test_rows_that_few_share_by_hand(columns: list[str], k: int, count: int) -> None:
    found = shared_by_fewer(as_side(PATIENTS), columns, k)
    assert (found.count, found.trials, found.baseline) == (count, 6, None)
    assert found.what == f"released rows that fewer than {k} rows share in all columns"


def twin(rows: Rows) -> dict[str, float]:
    """Measure everything with dictionaries; rows of (known, known, sensitive level, number)."""
    groups: dict[Any, list[tuple[Any, ...]]] = defaultdict(list)
    for row in rows:
        groups[row[:2]].append(row)
    values = sorted({row[3] for row in rows})

    def shares(part: Rows, j: int) -> dict[Any, float]:
        return {v: c / len(part) for v, c in Counter(row[j] for row in part).items()}

    def ordered(part: Rows) -> float:
        here, all_ = shares(part, 3), shares(rows, 3)
        gaps = np.cumsum([here.get(v, 0) - all_[v] for v in values])
        return float(np.abs(gaps).sum()) / max(1, len(values) - 1)

    def equal(part: Rows) -> float:
        here, all_ = shares(part, 2), shares(rows, 2)
        return sum(abs(here.get(v, 0) - share) for v, share in all_.items()) / 2

    parts = list(groups.values())
    return {
        "k": min(map(len, parts)),
        "unique": sum(len(part) == 1 for part in parts),
        "l": min(len(shares(part, 2)) for part in parts),
        "entropy": min(
            math.exp(-sum(p * math.log(p) for p in shares(part, 2).values())) for part in parts
        ),
        "equal": max(map(equal, parts)),
        "ordered": max(map(ordered, parts)),
        "disclosed": sum(len(part) for part in parts if len(shares(part, 2)) == 1),
    }


ROWS = st.lists(
    st.tuples(st.sampled_from("ab"), st.integers(1, 3), st.sampled_from("xyz"), st.integers(0, 5)),
    min_size=1,
    max_size=30,
)


@pytest.mark.slow
@given(ROWS)
def test_twin(rows: Rows) -> None:
    columns = [list(column) for column in zip(*rows, strict=True)]
    table = pa.table(dict(zip("pqst", columns, strict=True)))
    known = ["p", "q"]
    found = {
        "k": anonymity(table, known),
        "unique": uniqueness(table, known).count,
        "l": diversity(table, known, "s"),
        "entropy": entropy_diversity(table, known, "s"),
        "equal": closeness(table, known, "s"),
        "ordered": closeness(table, known, "t"),
        "disclosed": attribute_disclosure(table, known, "s").count,
    }
    assert found == pytest.approx(twin(rows), abs=1e-12)
    assert anonymity(table.take(list(reversed(range(len(rows))))), known) == found["k"]
    assert 1 <= found["entropy"] <= found["l"] + 1e-12
    assert (found["l"] == 1) == (found["disclosed"] > 0)


@given(ROWS, st.integers(1, 8))
def test_twin_of_rows_that_few_share(rows: Rows, k: int) -> None:
    columns = [list(column) for column in zip(*rows, strict=True)]
    table = as_side(pa.table(dict(zip("pqst", columns, strict=True))))
    shared = Counter(row[:2] for row in rows)
    found = shared_by_fewer(table, ["p", "q"], k)
    assert found.count == sum(shared[row[:2]] < k for row in rows)
    assert (found.count == 0) == (min(shared.values()) >= k)
    more = shared_by_fewer(table, ["p", "q", "s"], k)
    assert more.count >= found.count, "another column parts rows and joins none"
    assert shared_by_fewer(table, ["p", "q"], 2).count == uniqueness(table, ["p", "q"]).count


@pytest.mark.slow
@given(ROWS.filter(lambda rows: len(rows) <= 6))
def test_guessing_is_what_every_way_to_deal_gives_in_the_mean(rows: Rows) -> None:
    columns = dict(zip("pqst", [list(column) for column in zip(*rows, strict=True)], strict=True))
    found = attribute_disclosure(pa.table(columns), ["p", "q"], "s")
    counts = [
        twin([(p, q, s, t) for (p, q, _, t), s in zip(rows, dealt, strict=True)])["disclosed"]
        for dealt in permutations(columns["s"])
    ]
    assert found.baseline == pytest.approx(np.mean(counts) / len(rows), rel=1e-9)


# The sensitive values of ten rows in combinations of two, and how likely two are alike.
DEALT: dict[str, tuple[list[int], float]] = {
    "one value": ([1] * 10, 1),
    "all different": (list(range(10)), 0),
    "five of each of two": ([1, 2] * 5, 4 / 9),
}


@pytest.mark.parametrize(("values", "chance"), DEALT.values(), ids=DEALT)
def test_guessing_at_the_limits(values: list[int], chance: float) -> None:
    table = pa.table({"pair": [i // 2 for i in range(10)], "value": values})
    found = attribute_disclosure(table, ["pair"], "value", categorical=["pair"])
    assert found.baseline == pytest.approx(chance, rel=1e-12, abs=1e-12)


@pytest.mark.parametrize("n", [1_000, 100_003])
def test_guessing_of_one_value_in_a_large_table_is_no_more_than_certain(n: int) -> None:
    table = pa.table({"a": np.arange(n) // 7, "b": np.ones(n)})
    found = attribute_disclosure(table, ["a"], "b")
    assert found.share == 1
    assert found.baseline is not None
    assert 1 - 1e-6 < found.baseline <= 1


def test_guessing_of_a_number_of_each_row_is_quick() -> None:
    """As many values as rows and many sizes: no table of the ones by the others."""
    n = 50_000
    sizes = np.repeat(np.arange(316), np.arange(316))[:n]
    table = pa.table({"a": sizes, "b": np.arange(len(sizes), dtype=float)})
    found = attribute_disclosure(table, ["a"], "b")
    assert found.baseline == pytest.approx(1 / len(sizes))  # the one row that is alone


@pytest.fixture
def titanic(shared_data: Callable[[str], Path]) -> pd.DataFrame:
    """Return the passengers with their family and the tens of their fare."""
    table = pd.read_csv(shared_data("titanic.csv"))
    table["Family"] = (table["SibSp"] + table["Parch"] > 0).astype(str)
    table["Class"] = table["Pclass"].astype(str)
    table["Fate"] = table["Survived"].map({0: "lost", 1: "saved"})
    table["Tens"] = table["Fare"] // 10 * 10
    return table[["Class", "Sex", "Family", "Fate", "Tens"]]


KNOWN = ["Class", "Sex", "Family"]


def test_as_pycanon(titanic: pd.DataFrame) -> None:
    oracle = pytest.importorskip("pycanon.anonymity")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        k = oracle.k_anonymity(titanic, KNOWN)
        distinct = oracle.l_diversity(titanic, KNOWN, ["Fate"])
        entropy = oracle.entropy_l_diversity(titanic, KNOWN, ["Fate"])
        levels = oracle.t_closeness(titanic, KNOWN, ["Fate"])
        numbers = oracle.t_closeness(titanic, KNOWN, ["Tens"])
    assert anonymity(titanic, KNOWN) == k
    assert diversity(titanic, KNOWN, "Fate") == distinct
    assert int(entropy_diversity(titanic, KNOWN, "Fate")) == entropy
    assert closeness(titanic, KNOWN, "Fate") == pytest.approx(levels, abs=1e-12)
    assert closeness(titanic, KNOWN, "Tens") == pytest.approx(numbers, abs=1e-12)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: anonymity(PATIENTS, []), "at least one column"),
        (lambda: anonymity(PATIENTS, ["sex", "sex"]), "each column once"),
        (lambda: anonymity(PATIENTS, ["sx"]), "column 'sx' is not in the table; it has 'stay'"),
        (lambda: diversity(PATIENTS, ["sex"], "ill"), "column 'ill' is not in the table"),
        (lambda: diversity(PATIENTS, ["sex"], "sex"), "'sex' is among the columns that are known"),
        (lambda: uniqueness_of_every(PATIENTS, ["sex"], most=0), "most must be a whole number"),
        (lambda: combinations_of([]), "at least one column whose combinations"),
        (
            lambda: closeness(pa.table({"a": ["x", "y"], "b": [1.0, None]}), ["a"], "b"),
            "a value of the sensitive column 'b' is missing",
        ),
    ],
)
def test_bad_input(call: Callable[[], object], message: str) -> None:
    with pytest.raises(InputError, match=message):
        call()


def test_a_sensitive_column_of_one_value() -> None:
    table = pa.table({"a": ["x", "y"], "b": [2.0, 2.0], "c": ["u", "u"]})
    assert closeness(table, ["a"], "b") == closeness(table, ["a"], "c") == 0
