"""Levels as they may be shown: small ones joined, and their names kept back."""

import itertools
from collections.abc import Mapping
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from discreet.errors import RefusedError
from discreet.plots.by_level import Levels, joined, levels_of, panels_of
from discreet.policy import PlotRequest, Policy
from discreet.table import Table, open_table

JOINED: dict[str, tuple[dict[str, int], tuple[int, ...], tuple[str, ...], list[str]]] = {
    # counts, leasts; names, and the name of each level in the order given
    "none is small": ({"f": 9, "m": 7}, (5,), ("f", "m"), ["f", "m"]),
    "two small ones suffice together": (
        {"a": 9, "b": 2, "c": 3},
        (5,),
        ("a", "other"),
        ["a", "other", "other"],
    ),
    "the smallest of the rest joins those that do not": (
        {"a": 9, "b": 7, "c": 2},
        (3,),
        ("a", "b + other"),
        ["a", "b + other", "b + other"],
    ),
    "of two that are smallest the first by name": (
        {"c": 7, "b": 7, "z": 1},
        (3,),
        ("c", "b + other"),
        ["c", "b + other", "b + other"],
    ),
    "all are small": ({"a": 2, "b": 2}, (3,), ("other",), ["other", "other"]),
    "all together are small": ({"a": 1, "b": 1}, (3,), ("other",), ["other", "other"]),
    "one level": ({"a": 5}, (5,), ("a",), ["a"]),
    "one small level": ({"a": 4}, (5,), ("other",), ["other"]),
    "a missing value is a level": ({"a": 9, "": 5}, (5,), ("a", "(missing)"), ["a", "(missing)"]),
    "and may be small": ({"a": 9, "": 1, "b": 4}, (5,), ("a", "other"), ["a", "other", "other"]),
    "what is missing comes after words": (
        {"": 9, "~": 9, "1": 9},
        (5,),
        ("1", "~", "(missing)"),
        ["(missing)", "~", "1"],
    ),
    "numbers in their order, before words": (
        {"10": 9, "b": 9, "9": 9, "-1.5": 9, "a": 9},
        (5,),
        ("-1.5", "9", "10", "a", "b"),
        ["10", "b", "9", "-1.5", "a"],
    ),
    "what only looks like a number is a word": (
        {"nan": 9, "inf": 9, "m": 9, "1": 9},
        (5,),
        ("1", "inf", "m", "nan"),
        ["nan", "inf", "m", "1"],
    ),
    "a large level is called other": (
        {"other": 9, "a": 3, "b": 4},
        (5,),
        ("other", "other levels"),
        ["other", "other levels", "other levels"],
    ),
    "a level is called missing": (
        {"(missing)": 9, "": 9},
        (5,),
        ("(missing)", "(no value)"),
        ["(missing)", "(no value)"],
    ),
    "without a least all are named": ({"a": 1, "b": 9}, (), ("a", "b"), ["a", "b"]),
    "panels are joined from bars": (
        # bars: a, b, c and other (d + e = 4 + 2); panels of 10: b, c and the others together
        {"a": 50, "b": 8, "c": 6, "d": 4, "e": 2},
        (5, 10),
        ("a", "other"),
        ["a", "other", "other", "other", "other"],
    ),
    "what bars have joined stays joined": (
        # bars: a, b + other (8 + 1); panels of 20: a and those 9 are all, for 9 < 20
        {"a": 50, "b": 8, "c": 1},
        (5, 20),
        ("a + other",),
        ["a + other", "a + other", "a + other"],
    ),
    "what bars have joined may be enough": (
        {"a": 50, "b": 30, "c": 1},
        (5, 20),
        ("a", "b + other"),
        ["a", "b + other", "b + other"],
    ),
    "a panel joins what bars have joined": (
        # bars: a, b, other (4 + 4 + 4); panels of 12: b joins though the other are enough
        {"a": 50, "b": 6, "c": 4, "d": 4, "e": 4},
        (5, 12),
        ("a", "other"),
        ["a", "other", "other", "other", "other"],
    ),
}


@pytest.mark.parametrize(("counts", "leasts", "names", "of"), JOINED.values(), ids=JOINED)
def test_small_levels_are_joined(
    counts: dict[str, int], leasts: tuple[int, ...], names: tuple[str, ...], of: list[str]
) -> None:
    levels = joined(counts, *leasts)

    assert levels.names == names
    assert levels.named(tuple(counts)) == tuple(of)


def test_levels_cannot_be_changed() -> None:
    levels = joined({"a": 9, "b": 9}, 3)

    with pytest.raises(AttributeError, match="cannot assign to field 'names'"):
        levels.names = ()  # type: ignore[misc]
    with pytest.raises(TypeError, match="does not support item assignment"):
        levels.places["c"] = 1  # type: ignore[index]


# --- laws -------------------------------------------------------------------------------------

# Words that cannot be part of what joined levels are called.
words = st.sampled_from(["", "q1", "q2", "q3", "q4", "q5", "7", "10", "-2", "nan", "X y", "Ä"])
tallies = st.dictionaries(words, st.integers(1, 30), min_size=1)
leasts_of = st.tuples(st.integers(1, 12), st.integers(1, 4)).map(lambda t: (t[0], t[0] * t[1]))


def groups_of(levels: Levels, counts: Mapping[str, int]) -> list[set[str]]:
    """Return the stored levels of each shown one."""
    groups: list[set[str]] = [set() for _ in levels.names]
    for level in counts:
        groups[levels.places[level]].add(level)
    return groups


def persons_of(group: set[str], counts: Mapping[str, int]) -> int:
    """Count those of a group."""
    return sum(counts[level] for level in group)


@given(tallies, leasts_of)
def test_a_group_is_large_enough_unless_all_are_too_few(
    counts: dict[str, int], leasts: tuple[int, int]
) -> None:
    for least in ((leasts[0],), leasts):
        sizes = [persons_of(group, counts) for group in groups_of(joined(counts, *least), counts)]
        assert sum(sizes) == sum(counts.values())
        assert min(sizes) >= least[-1] or len(sizes) == 1


@given(tallies, leasts_of)
def test_panels_are_unions_of_bars(counts: dict[str, int], leasts: tuple[int, int]) -> None:
    bars = groups_of(joined(counts, leasts[0]), counts)
    panels = groups_of(joined(counts, *leasts), counts)

    for bar in bars:
        assert any(bar <= panel for panel in panels)


@given(tallies, leasts_of)
def test_bars_and_panels_together_give_no_fewer_than_k(
    counts: dict[str, int], leasts: tuple[int, int]
) -> None:
    if sum(counts.values()) < leasts[0]:
        return
    shown = groups_of(joined(counts, leasts[0]), counts)
    shown += groups_of(joined(counts, *leasts), counts)

    for one, other in itertools.permutations(shown, 2):
        if other < one:
            assert persons_of(one - other, counts) >= leasts[0]


@given(tallies, leasts_of, st.randoms(use_true_random=False))
def test_the_order_of_levels_does_not_matter(
    counts: dict[str, int], leasts: tuple[int, int], random: Any
) -> None:
    shuffled = list(counts.items())
    random.shuffle(shuffled)

    assert joined(dict(shuffled), *leasts) == joined(counts, *leasts)


@given(tallies, leasts_of)
def test_no_name_tells_a_small_level(counts: dict[str, int], leasts: tuple[int, int]) -> None:
    small = {level or "(missing)" for level, count in counts.items() if count < leasts[0]}
    for least in ((leasts[0],), leasts):
        names = joined(counts, *least).names
        for name in names:
            assert not small & {name, name.removesuffix(" + other")}
        assert len(set(names)) == len(names)


@given(tallies, leasts_of)
def test_a_level_that_stands_alone_keeps_its_name(
    counts: dict[str, int], leasts: tuple[int, int]
) -> None:
    levels = joined(counts, *leasts)
    for name, group in zip(levels.names, groups_of(levels, counts), strict=True):
        (level, *more) = group
        assert bool(more) or name in (level or "(missing)", "other")


# --- of a table -------------------------------------------------------------------------------


def table_of(held: dict[str | None, int]) -> Table:
    """Make a table of so many persons of each level."""
    wards = [ward for ward, n in held.items() for _ in range(n)]
    x = [float(place) for place in range(len(wards))]
    return open_table(pa.table({"ward": wards, "x": x}), kinds={}, roles={}, unit=None, key=None)


def asked(policy: str = "standard", **named: Any) -> PlotRequest:
    """Settle a histogram for each level."""
    return Policy.preset(policy).settle("histogram", ["x"], by="ward", **named)


HELD: dict[str | None, int] = {"n": 60, "s": 51, "w": 40, "e": 6, "x": 3, None: 4}


def test_bars_name_levels_of_k_persons() -> None:
    assert levels_of(table_of(HELD), "ward", asked()).names == ("e", "n", "s", "w", "other")


def test_panels_name_levels_of_ten_k_persons() -> None:
    assert panels_of(table_of(HELD), asked()).names == ("n", "s", "other")


def test_research_names_all_levels_in_tables_and_those_of_k_persons_in_panels() -> None:
    everyone = ("e", "n", "s", "w", "x", "(missing)")

    assert levels_of(table_of(HELD), "ward", asked("research")).names == everyone
    assert panels_of(table_of(HELD), asked("research")).names == everyone
    assert panels_of(table_of(HELD), asked("research", k=5)).names == (
        "e",
        "n",
        "s",
        "w",
        "other",
    )


def test_panels_count_those_who_have_what_is_drawn() -> None:
    """A level of 72 persons without a value was refused, and is joined as a small one is."""
    wards = ["n"] * 200 + ["s"] * 200 + [None] * 72
    x = [1.0] * 400 + [None] * 69 + [2.0] * 3
    table = open_table(pa.table({"ward": wards, "x": x}), kinds={}, roles={}, unit=None, key=None)

    assert panels_of(table, asked()).names == ("s", "n + other")
    assert levels_of(table, "ward", asked()).names == ("n", "s", "(missing)")


def test_more_levels_than_can_be_told_apart_are_refused() -> None:
    held: dict[str | None, int] = {f"w{i}": 60 for i in range(61)}

    assert len(levels_of(table_of(held), "ward", asked()).names) == 61
    with pytest.raises(RefusedError, match="'ward' has more than 60 levels, too many to be told"):
        panels_of(table_of(held), asked())
    del held["w60"]
    assert len(panels_of(table_of(held), asked()).names) == 60
