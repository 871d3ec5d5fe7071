"""The repair of strata: the least loss, what it promises, and what it refuses."""

import csv
import itertools
import math
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from discreet.errors import BrokenPromiseError, InputError, RefusedError
from discreet.methods import kanonymity
from discreet.methods.hierarchy import Hierarchy, Step
from discreet.methods.kanonymity import Repair, repair
from tests.cases import examples

Levels = dict[str, list[str]]
Way = dict[str, str] | None
"""The name that each level of a column gets; None if the column is dropped."""
Chosen = tuple[Fraction, tuple[int, ...], list[bool]]
"""The loss, how many steps each column goes, and which rows are kept."""

TOWNS = Hierarchy(
    "town",
    (
        {"York": "Yorkshire", "Leeds": "Yorkshire", "Bury": "Lancashire", "Truro": "Cornwall"},
        {"York": "north", "Leeds": "north", "Bury": "north", "Truro": "south"},
    ),
)
Worked = tuple[Levels, dict[str, Any], dict[str, str], list[tuple[str, str, str]], str, float]
BY_HAND: dict[str, Worked] = {
    # a and b join: each loses 1 of 2, in 2 of 4 rows
    "the smallest are joined": (
        {"home": [*"abcc"]},
        {"least": 2, "most_suppressed": 0},
        {"home": "other other c c"},
        [("home", "joined", "the smallest levels are 'other'")],
        "1111",
        1 / 4,
    ),
    # joining costs 2 x 1/2 as well as b's suppression, 1, but suppression is fewer steps
    "fewer steps are better": (
        {"home": [*"abbcc"]},
        {"least": 2, "most_suppressed": 0.2},
        {"home": "a b b c c"},
        [],
        "01111",
        1 / 5,
    ),
    # Dropping home (its second step) costs 4, and suppressing the last row then 1; joining a and
    # b of home costs 2 x 1/2, and dropping sex 4: as much, in as many steps.
    "fewer steps of the first": (
        {"home": [*"cacb"], "sex": [*"fffm"]},
        {"least": 2, "most_suppressed": 0.25},
        {"home": "c other c other"},
        [("home", "joined", "the smallest levels are 'other'"), ("sex", "dropped", "left out")],
        "1111",
        5 / 8,
    ),
    # step 1 joins York and Leeds (1/3 each) and leaves Bury alone; step 2 joins three (2/3 each)
    "the first step of a hierarchy": (
        {"town": ["York", "Leeds", "Bury", "Bury", "Truro", "Truro"]},
        {"least": 2, "most_suppressed": 0, "hierarchies": {"town": TOWNS}},
        {"town": "Yorkshire Yorkshire Lancashire Lancashire Cornwall Cornwall"},
        [("town", "generalised", "step 1 of its hierarchy")],
        "111111",
        2 / 18,
    ),
    # the smallest would be the young and the old
    "neighbours": (
        {"age": ["child", "youth", "youth", "adult", "adult", "old"]},
        {"least": 2, "most_suppressed": 0, "ordered": {"age": ["child", "youth", "adult", "old"]}},
        {
            "age": "child_to_youth child_to_youth child_to_youth adult_to_old adult_to_old"
            " adult_to_old"
        },
        [("age", "joined", "intervals of 2 neighbouring levels")],
        "111111",
        1 / 3,
    ),
    "a missing level is a level": (
        {"home": ["", "a", "b", "b", "b"]},
        {"least": 2, "most_suppressed": 0},
        {"home": "other other b b b"},
        [("home", "joined", "the smallest levels are 'other'")],
        "11111",
        1 / 5,
    ),
}


@pytest.mark.parametrize(
    ("levels", "arguments", "renamed", "steps", "kept", "loss"), BY_HAND.values(), ids=BY_HAND
)
def test_by_hand(
    levels: Levels,
    arguments: dict[str, Any],
    renamed: dict[str, str],
    steps: list[tuple[str, str, str]],
    kept: str,
    loss: float,
) -> None:
    done = repair(levels, **arguments)
    names = {column: tuple(text.split()) for column, text in renamed.items()}
    assert {column: tuple(name.replace(" ", "_") for name in row)
            for column, row in done.levels.items()} == names  # fmt: skip
    assert done.steps == tuple(Step(*step) for step in steps)
    assert done.kept.tolist() == [mark == "1" for mark in kept]
    assert done.suppressed == kept.count("0")
    assert done.loss == pytest.approx(loss, abs=1e-15)
    assert done.complete


def test_a_share_of_rows_is_what_it_says() -> None:
    # 0.29 of 100 is 28.999999999999996 to the machine.
    levels = {"home": [*["a"] * 29, *["b"] * 71]}
    assert repair(levels, 30, most_suppressed=0.29).suppressed == 29
    assert repair(levels, 30, most_suppressed=0.28).suppressed == 0  # dropped


# --- diversity and closeness ------------------------------------------------------------------


def test_diversity() -> None:
    # All of c are well: joining it with the smallest other one, b, mends that.
    levels = {"home": [*"aaaabbcc"]}
    sick = [*"nynynyyy"]
    assert repair(levels, 2, sensitive=sick).steps == ()
    done = repair(levels, 2, sensitive=sick, diversity=2)
    assert done.levels["home"] == (*"aaaa", *["other"] * 4)
    assert done.loss == pytest.approx(4 / 16)
    done = repair(levels, 2, sensitive=sick, diversity=2, most_suppressed=0.25)
    assert done.kept.tolist() == [*[True] * 6, False, False]  # 2 rows lose 1: 2/8, but no step


def test_closeness() -> None:
    # Half are sick in all, 3 of 4 in a: half of |3/4 - 1/2| + |1/4 - 1/2| is 1/4.
    levels = {"home": [*"aaaabbbb"]}
    sick = [*"yyynynnn"]
    assert repair(levels, 2, sensitive=sick, closeness=0.25).steps == ()
    assert repair(levels, 2, sensitive=sick, closeness=0.24).steps == (
        Step("home", "dropped", "left out"),
    )


def test_closeness_is_to_all_rows_suppressed_ones_included() -> None:
    # 4 of 10 rows are sick; without the row of b it would be 4 of 9, as in a.
    levels = {"home": [*"aaaaaaaaab"]}
    sick = [*"yyyynnnnn", "n"]
    done = repair(levels, 2, sensitive=sick, closeness=0.045)
    assert done.suppressed == 1  # 4/9 - 4/10 = 0.0444...
    assert repair(levels, 2, sensitive=sick, closeness=0.044).suppressed == 0  # dropped


def test_closeness_at_the_bound_holds() -> None:
    # Distances of 1/5, which no float is.
    levels = {"home": [*"aaaaabbbbb"]}
    assert repair(levels, 2, sensitive=[*"yyynnynnnn"], closeness=0.2).steps == ()


# --- the least loss, against all ways tried ---------------------------------------------------


def all_ways(
    levels: Levels,
    hierarchies: Mapping[str, Hierarchy],
    ordered: Mapping[str, Sequence[str]],
    may_drop: bool,
) -> list[list[Way]]:
    ways: list[list[Way]] = []
    for column, rows in levels.items():
        sizes = Counter(rows)
        chain: list[Way] = [{level: level for level in sizes}]
        if column in hierarchies:
            chain += [dict(step) for step in hierarchies[column].steps]
        elif column in ordered:
            order = list(ordered[column])
            for width in (2, 4, 8, 16):
                if width < len(order):
                    parts = [order[i : i + width] for i in range(0, len(order), width)]
                    chain += [{level: f"{part[0]} to {part[-1]}" if len(part) > 1 else level
                               for part in parts for level in part}]  # fmt: skip
        else:
            by_size = sorted(sizes, key=lambda level: (sizes[level], level))
            for joined in range(2, len(sizes)):
                chain += [{level: "other" if level in by_size[:joined] else level
                           for level in by_size}]  # fmt: skip
        if len(sizes) == 1:
            chain = chain[:1]
        elif may_drop:
            chain.append(None)
        ways.append(chain)
    return ways


def cheapest(
    levels: Levels,
    ways: list[list[Way]],
    holds: Callable[[list[int]], bool],
    most_suppressed: float,
) -> Chosen | None:
    """Try all ways, row by row and in fractions."""
    n = len(next(iter(levels.values())))
    found: list[tuple[Fraction, int, tuple[int, ...], list[bool]]] = []
    for node in itertools.product(*(range(len(chain)) for chain in ways)):
        lost = [Fraction(0)] * n
        names: list[tuple[str, ...]] = [()] * n
        for chain, step, rows in zip(ways, node, levels.values(), strict=True):
            way, different = chain[step], set(rows)
            for i, level in enumerate(rows):
                together = [other for other in different if way is None or way[other] == way[level]]
                if len(different) > 1:
                    lost[i] += Fraction(len(together) - 1, len(different) - 1)
                if way is not None:
                    names[i] += (way[level],)
        rows_of = {name: [i for i in range(n) if names[i] == name] for name in names}
        kept = [holds(rows_of[name]) for name in names]
        if n - sum(kept) <= most_suppressed * n and any(kept):
            loss = sum(lost[i] if kept[i] else len(levels) for i in range(n))
            found.append((Fraction(loss) / (n * len(levels)), sum(node), node, kept))
    if not found:
        return None
    loss, _, best, kept = min(found)
    return loss, best, kept


def holds(
    least: int, sensitive: Sequence[str], diversity: int | None, closeness: float | None
) -> Callable[[list[int]], bool]:
    def check(rows: list[int]) -> bool:
        here = Counter(sensitive[i] for i in rows)
        distance = sum(
            abs(Fraction(here[value], len(rows)) - Fraction(count, len(sensitive)))
            for value, count in Counter(sensitive).items()
        ) / Fraction(2)
        return (
            len(rows) >= least
            and (diversity is None or len(here) >= diversity)
            and (closeness is None or float(distance) <= closeness)
        )

    return check


AREA = Hierarchy("1", ({"a": "ab", "b": "ab", "c": "c", "d": "d"}, {**dict.fromkeys("abcd", "z")}))
ARGUMENTS: dict[str, st.SearchStrategy[Any]] = {
    "least": st.integers(1, 5),
    "hierarchies": st.sampled_from([{}, {"1": AREA}]),
    "ordered": st.sampled_from([{}, {"2": ["d", "a", "c", "b", "e"]}]),
    "diversity": st.sampled_from([None, None, 2, 3]),
    "closeness": st.sampled_from([None, None, 0.0, 0.3, 0.5]),
    "most_suppressed": st.sampled_from([0, 0.125, 0.25, 0.5, 1]),
    "may_drop": st.booleans(),
}


@st.composite
def cases(draw: st.DrawFn) -> tuple[Levels, dict[str, Any]]:
    columns = draw(st.integers(1, 3))
    of_row = st.tuples(*[st.sampled_from("aaabbcd")] * columns, st.sampled_from("xxyz"))
    rows = draw(st.lists(of_row, min_size=1, max_size=16))
    *levels, sensitive = (list(values) for values in zip(*rows, strict=True))
    arguments = {name: draw(values) for name, values in ARGUMENTS.items()}
    table = {str(i): column for i, column in enumerate(levels)}
    for name in ("hierarchies", "ordered"):
        arguments[name] = {
            column: found for column, found in arguments[name].items() if column in table
        }
    return table, {**arguments, "sensitive": sensitive}


@settings(max_examples=examples(75))
@given(cases())
def test_no_way_loses_less(case: tuple[Levels, dict[str, Any]]) -> None:
    levels, arguments = case
    ways = all_ways(levels, *(arguments[name] for name in ("hierarchies", "ordered", "may_drop")))
    asked = [arguments[name] for name in ("least", "sensitive", "diversity", "closeness")]
    best = cheapest(levels, ways, holds(*asked), arguments["most_suppressed"])

    if best is None:
        with pytest.raises(RefusedError, match="no merging of the strata was found that reaches"):
            repair(levels, **arguments)
        return
    done = repair(levels, **arguments)

    loss, node, kept = best
    assert done.complete
    assert done.loss == float(loss)
    assert done.kept.tolist() == kept
    renamed = {}
    for (column, rows), chain, step in zip(levels.items(), ways, node, strict=True):
        way = chain[step]
        if way is not None:
            renamed[column] = tuple(way[level] for level in rows)
    assert dict(done.levels) == renamed
    assert [step.column for step in done.steps] == [
        column for column, step in zip(levels, node, strict=True) if step
    ]


def strata_of(done: Repair) -> Counter[tuple[str, ...]]:
    rows = zip(*done.levels.values(), strict=True) if done.levels else [()] * len(done.kept)
    return Counter(row for row, kept in zip(rows, done.kept, strict=True) if kept)


@given(cases(), st.integers(1, 30))
def test_a_search_that_is_cut_short_keeps_its_promise(
    case: tuple[Levels, dict[str, Any]], most_tried: int
) -> None:
    levels, arguments = case
    try:
        best = repair(levels, **arguments)
    except RefusedError:
        best = None
    try:
        done = repair(levels, **arguments, most_tried=most_tried)
    except RefusedError:
        assert best is None or arguments["closeness"] is not None
        return

    assert best is not None
    assert min(strata_of(done).values()) >= arguments["least"]
    assert done.suppressed <= arguments["most_suppressed"] * len(done.kept)
    assert done.loss >= best.loss
    if done.complete:
        assert (dict(done.levels), done.steps) == (dict(best.levels), best.steps)


@given(cases(), st.randoms(use_true_random=False), st.sampled_from([3, 20_000]))
def test_the_order_of_rows_does_not_matter(
    case: tuple[Levels, dict[str, Any]], random: Any, most_tried: int
) -> None:
    levels, arguments = case
    sensitive = arguments.pop("sensitive")
    order = list(range(len(sensitive)))
    random.shuffle(order)
    moved = {column: [rows[i] for i in order] for column, rows in levels.items()}
    try:
        one = repair(levels, **arguments, sensitive=sensitive, most_tried=most_tried)
    except RefusedError:
        with pytest.raises(RefusedError, match="no merging"):
            repair(
                moved, **arguments, sensitive=[sensitive[i] for i in order], most_tried=most_tried
            )
        return
    other = repair(
        moved, **arguments, sensitive=[sensitive[i] for i in order], most_tried=most_tried
    )

    assert (other.steps, other.loss, other.suppressed) == (one.steps, one.loss, one.suppressed)
    assert other.kept.tolist() == [one.kept[i] for i in order]
    for column, names in one.levels.items():
        assert other.levels[column] == tuple(names[i] for i in order)


# --- a search that is cut short ---------------------------------------------------------------


def many(columns: int, levels: int, n: int) -> Levels:
    """Make columns that fall off evenly, and are as good as independent."""
    shares = 0.6 ** np.arange(levels)
    edges = np.cumsum(shares) / shares.sum()
    rows = np.arange(1, n + 1)
    return {
        f"c{i}": [f"l{j}" for j in np.searchsorted(edges, rows * math.sqrt(prime) % 1).tolist()]
        for i, prime in zip(range(columns), (2, 3, 5, 7, 11, 13), strict=False)
    }


def test_more_tries_lose_no_more() -> None:
    levels = many(4, 6, 600)
    best = repair(levels, 5)
    short = [repair(levels, 5, most_tried=tried) for tried in (1, 10, 100)]
    assert best.complete
    assert not any(done.complete for done in short)
    assert all(min(strata_of(done).values()) >= 5 for done in short)
    assert all(done.loss >= best.loss for done in short)
    assert short[-1].loss < 1.2 * best.loss


def test_the_descent_mends_most_rows_per_loss() -> None:
    # Of sex (f m f f) and home (a a b b), dropping sex mends both failing rows, home but one.
    done = repair({"sex": [*"fmff"], "home": [*"aabb"]}, 2, most_suppressed=0, most_tried=1)
    assert done.steps == (Step("sex", "dropped", "left out"),)
    assert not done.complete


def test_what_the_descent_found_is_bettered_again_and_again() -> None:
    done = repair(many(6, 9, 600), 5, most_tried=3000)
    assert min(strata_of(done).values()) >= 5
    assert done.loss < 0.55  # 0.559 after bettering it once


def test_strata_are_told_apart_in_columns_of_any_number() -> None:
    # The first of 66 columns of two levels: its place value is 2 ** 65.
    levels = {f"c{i}": ["x" if i == 0 else "a", *["a"] * 5, *["x"] * 5] for i in range(66)}
    done = repair(levels, 2, most_suppressed=0)
    assert done.steps == (Step("c0", "dropped", "left out"),)
    assert done.loss == pytest.approx(1 / 66)


REFUSED: dict[str, tuple[dict[str, Any], str]] = {
    "fewer rows than k": (
        {"least": 5},
        "reaches k rows in each; the custodian can choose a smaller k, fewer strata, or allow more",
    ),
    "too few different values": (
        {"least": 1, "sensitive": [*"xxyy"], "diversity": 3},
        "reaches k rows and diversity in each",
    ),
    "no row would be left": (
        {"least": 5, "most_suppressed": 1, "sensitive": [*"xxyy"], "diversity": 3, "closeness": 0},
        "reaches k rows and diversity and closeness in each",
    ),
}


@pytest.mark.parametrize(("arguments", "message"), REFUSED.values(), ids=REFUSED)
def test_what_cannot_be_reached_is_refused(arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(RefusedError, match=message):
        repair({"sex": [*"ffmm"]}, **arguments)


SEX = {"sex": [*"ffmm"]}
BAD: dict[str, tuple[Any, dict[str, Any], str]] = {
    "no rows": ({"sex": []}, {}, "must all hold as many rows, and at least one"),
    "no text": ({"sex": ["f", None]}, {}, "column 'sex' must contain only text"),
    "least of 0": (SEX, {"least": 0}, "least must be a whole number of at least 1"),
    "closeness of 2": (SEX, {"closeness": 2}, "closeness must be at most 1"),
    "diversity of nothing": (SEX, {"diversity": 2}, "diversity and closeness need sensitive"),
    "too few values": (SEX, {"sensitive": ["x"]}, "sensitive must have one value for each row"),
    "an unknown column": (SEX, {"ordered": {"x": []}}, "ordered names column 'x'; there are 'sex'"),
    "an order that lacks one": (SEX, {"ordered": {"sex": ["f"]}}, "order of column 'sex' lacks a"),
    "a hierarchy that lacks one": (
        SEX,
        {"hierarchies": {"sex": Hierarchy("sex", ({"f": "all"},))}},
        "hierarchy of column 'sex' lacks a level of the data; add it",
    ),
}


@pytest.mark.parametrize(("levels", "arguments", "message"), BAD.values(), ids=BAD)
def test_bad_input(levels: Any, arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        repair(levels, **{"least": 2, **arguments})


@pytest.mark.parametrize(
    "arguments",
    [{"least": 2}, {"least": 1, "diversity": 2}, {"least": 1, "closeness": 0.1}],
    ids=str,
)
def test_a_wrong_outcome_does_not_get_out(
    arguments: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(
        kanonymity, "_failing", lambda strata, *_: np.zeros(len(strata.counts), dtype=bool)
    )
    with pytest.raises(BrokenPromiseError, match="does not hold what was asked"):
        repair({"sex": [*"fmmm"]}, **arguments, sensitive=[*"xxyy"])


def test_a_table_of_1e5_rows() -> None:
    done = repair(many(3, 7, 100_000), 20)
    assert done.complete
    assert min(strata_of(done).values()) >= 20


GERMAN = ("purpose", "personal_status", "job", "housing")
Measures = tuple[int, int, float]
REALISTIC: dict[str, tuple[dict[str, Any], list[int | None], int, Measures]] = {
    "k of 5": ({"least": 5}, [6, 2, 2, 2], 73, (5, 1, 0.37648327939590076)),
    "l of 2": ({"least": 5, "diversity": 2}, [7, 0, 3, 0], 59, (5, 2, 0.5066950053134962)),
    "t of 0.15, none suppressed": (
        {"least": 5, "closeness": 0.15, "most_suppressed": 0},
        [None, 2, 3, 2],
        0,
        (9, 2, 0.14285714285714282),
    ),
}


def measures(strata: Sequence[tuple[str, ...]], sensitive: Sequence[str]) -> Measures:
    """Return k, l and t of a table, t against the table itself."""
    values: dict[tuple[str, ...], Counter[str]] = {}
    for stratum, value in zip(strata, sensitive, strict=True):
        values.setdefault(stratum, Counter())[value] += 1
    distances = [
        sum(abs(here[value] / here.total() - count / len(sensitive))
            for value, count in Counter(sensitive).items()) / 2
        for here in values.values()
    ]  # fmt: skip
    return min(h.total() for h in values.values()), min(map(len, values.values())), max(distances)


@pytest.mark.parametrize(
    ("arguments", "joined", "suppressed", "measured"), REALISTIC.values(), ids=REALISTIC
)
def test_german_credit(
    arguments: dict[str, Any],
    joined: list[int | None],
    suppressed: int,
    measured: Measures,
    shared_data: Callable[[str], Path],
) -> None:
    with shared_data("german_credit.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    levels = {column: [row[column] for row in rows] for column in GERMAN}
    sensitive = [row["credit_class"] for row in rows]
    assert measures(list(zip(*levels.values(), strict=True)), sensitive) == (1, 1, 0.7)

    done = repair(levels, **arguments, sensitive=sensitive)

    assert done.complete
    assert done.suppressed == suppressed
    assert done.steps == tuple(
        Step(column, "dropped", "left out")
        if number is None
        else Step(column, "joined", "the smallest levels are 'other'")
        for column, number in zip(GERMAN, joined, strict=True)
        if number != 0
    )
    left = list(itertools.compress(zip(*done.levels.values(), strict=True), done.kept))
    found = measures(left, list(itertools.compress(sensitive, done.kept)))
    assert found == pytest.approx(measured, rel=1e-12)
