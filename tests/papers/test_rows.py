"""Rows made ready: keys, gaps, strata that are repaired, and who is too few."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from discreet.arguments import Labels
from discreet.columns import Rows
from discreet.errors import InputError, RefusedError
from discreet.keys import row_keys
from discreet.papers.protected import protect_view, said
from discreet.papers.rows import Prepared, noised, prepared, raw_rows, repaired, strata_labels
from discreet.policy import How, Policy
from discreet.secret import Secret
from tests.cases import policy_of
from tests.vault.given import SECRET, columns, table_of

RESEARCH = Policy.preset("research")
FIVE = RESEARCH.changed(k=5)


def ready(given: Any, policy: Policy, secret: Secret = SECRET, carried: Any = ()) -> Prepared:
    """Make rows ready, as for a table of x and y."""
    table = table_of(given, policy.unit, policy.key)
    raw = raw_rows(
        table, policy, ["x", "y"], secret, strata=policy.of_papers.strata, carried=carried
    )
    return prepared(raw, policy, secret)


def version_of(given: Any, policy: Policy) -> bytes:
    """Return the version of rows of x and y."""
    table = table_of(given, policy.unit, policy.key)
    return raw_rows(table, policy, ["x", "y"], SECRET, strata=policy.of_papers.strata).version


@settings(max_examples=20)
@given(st.data(), st.integers(5, 40))
def test_noise_belongs_to_the_record_in_every_order_and_filter(data: Any, n: int) -> None:
    """The rule that view, order and filter all follow: record, column and version decide."""
    values = np.random.default_rng(n).normal(size=(n, 2)).round(1)
    rows = data.draw(st.permutations(range(n)))[: data.draw(st.integers(1, n))]
    keys = row_keys(SECRET, [values[:, 0], values[:, 1]])
    everyone = SECRET.normals(b"version", keys, ["x", "y"])

    filtered = SECRET.normals(b"version", keys[rows], ["y", "x"])

    assert filtered[:, ::-1].tolist() == everyone[list(rows)].tolist()
    fresh = SECRET.normals(b"another", keys, ["x", "y"])
    assert (fresh != everyone).all()


def test_noise_is_of_the_record_and_of_the_version() -> None:
    rows = ready(columns(), RESEARCH)
    order = np.random.default_rng(1).permutation(120)
    moved = ready({name: values[order] for name, values in columns().items()}, RESEARCH)

    one, again, other = (noised(rows, SECRET, version) for version in (b"one", b"one", b"other"))

    assert one.rows is rows
    assert one.normals.shape == rows.values.shape
    assert (one.version, other.version) == (b"one".hex(), b"other".hex())
    assert one.normals.tolist() == again.normals.tolist()
    assert (one.normals != other.normals).all()
    assert abs(np.corrcoef(one.normals[:, 0], other.normals[:, 0])[0, 1]) < 0.3
    assert noised(moved, SECRET, b"one").normals.tolist() == one.normals[order].tolist()
    foreign = noised(rows, Secret.from_bytes(bytes(range(7, 39))), b"one")
    assert (foreign.normals != one.normals).all()
    assert len(noised(rows, SECRET, bytes(32)).version) == 16


# --- key, unit, strata ------------------------------------------------------------------------


@pytest.mark.parametrize("word", [False, True], ids=["a number", "a word"])
def test_a_declared_key_decides_on_the_noise_and_does_not_travel(word: bool) -> None:
    given = columns()
    number = np.arange(120) + 7000
    given["id"] = np.array([f"P{i}" for i in number]) if word else number
    policy = RESEARCH.changed(key="id")

    rows = ready(given, policy)

    assert (rows.names, rows.levels, rows.carried) == (("x", "y"), {}, {})
    order = np.random.default_rng(4).permutation(120)
    shuffled = {name: values[order] for name, values in given.items()}
    assert ready(shuffled, policy).keys.tolist() == rows.keys[order].tolist()
    assert ready(given, RESEARCH).keys.tolist() != rows.keys.tolist()
    assert version_of(shuffled, policy) == version_of(given, policy) != version_of(given, RESEARCH)


@pytest.mark.parametrize("twice", [[7001, 7001], ["P1", "P1"]])
def test_a_key_that_is_in_two_rows_is_refused_without_its_value(twice: list[Any]) -> None:
    given = columns()
    words = isinstance(twice[0], str)
    given["id"] = np.array([*twice, *[f"Q{i}" if words else i for i in range(118)]])

    with pytest.raises(InputError, match="key column 'id' holds a value twice") as refused:
        ready(given, RESEARCH.changed(key="id"))
    assert str(twice[0]) not in str(refused.value)


def test_a_method_that_knows_rows_alone_refuses_a_person_with_several() -> None:
    given = columns() | {"who": [i // 2 for i in range(120)]}
    refusal = r"several rows, and method '(deterministic|probabilistic)' .* rows='condensation'"

    for rows in ("deterministic", "probabilistic"):
        with pytest.raises(RefusedError, match=refusal):
            protect_view(table_of(given, unit="who"), RESEARCH, ["x", "y"], How(rows, k=3), SECRET)
    how = How("microaggregation", k=3)
    found = protect_view(table_of(given, unit="who"), RESEARCH, ["x", "y"], how, SECRET)
    # three persons of two rows share a mean
    assert np.unique(found.columns["x"], return_counts=True)[1].min() >= 2 * RESEARCH.k


def test_a_person_with_one_row_is_a_row() -> None:
    given = columns() | {"who": list(range(120))}

    rows = ready(given, RESEARCH.changed(unit="who"))

    assert rows.persons is None
    assert rows.values.tolist() == ready(given, RESEARCH).values.tolist()


# --- strata that are too small: k = 10 of a hundred rows ---------------------------------------

TEN_ROWS = RESEARCH.changed(k=10)
SMALLEST = "small strata are merged: the smallest levels are 'other' (arm)"
LEFT_OUT = (
    "about 10 rows of strata that stayed small are left out, so what all rows of a stratum share"
    " may not be true of all people"
)
# Levels of the raw rows and of the copy, and what is said of it.
STRATA: dict[str, tuple[dict[str, int], dict[str, int], list[str]]] = {
    "k in each": ({"a": 90, "b": 10}, {"a": 90, "b": 10}, []),
    "few enough to leave out": ({"a": 91, "b": 9}, {"a": 91}, [LEFT_OUT]),
    "two that are enough together": (
        {"a": 80, "b": 12, "c": 3, "d": 5},
        {"a": 80, "b": 12},
        [LEFT_OUT],
    ),
    "too many to leave out": (
        {"a": 70, "b": 12, "c": 9, "d": 9},
        {"a": 70, "b": 12, "other": 18},
        [SMALLEST],
    ),
    "other is a level already": (
        {"other": 82, "c": 9, "d": 9},
        {"other": 82, "other levels": 18},
        ["small strata are merged: the smallest levels are 'other levels' (arm)"],
    ),
}


def arms(sizes: Mapping[str, int]) -> dict[str, Any]:
    """Make a hundred rows of which so many have each level."""
    return columns(100) | {"arm": [level for level, n in sizes.items() for _ in range(n)]}


@pytest.mark.parametrize(("before", "after", "remarks"), STRATA.values(), ids=STRATA)
def test_strata_of_fewer_than_k_are_merged_or_left_out(
    before: dict[str, int], after: dict[str, int], remarks: list[str]
) -> None:
    given = arms(before)

    rows = ready(given, TEN_ROWS.changed(papers={"strata": ["arm"]}))

    assert Counter(rows.levels["arm"]) == after
    assert list(said(rows.done, 5)) == remarks
    order = np.random.default_rng(5).permutation(100)
    shuffled = {name: np.array(values)[order] for name, values in given.items()}
    assert (
        Counter(ready(shuffled, TEN_ROWS.changed(papers={"strata": ["arm"]})).levels["arm"])
        == after
    )


def test_no_row_is_left_out_where_the_policy_lets_none_be() -> None:
    given = arms({"a": 82, "b": 12, "c": 6})

    merged = ready(given, TEN_ROWS.changed(papers={"strata": ["arm"], "most_suppressed": 0.0}))

    assert Counter(merged.levels["arm"]) == {"a": 82, "other": 18}
    assert (merged.done.left_out, merged.done.suppressed) == (0, 0)


def test_combinations_of_strata_are_what_counts() -> None:
    two = {"a": ["p", "q"] * 50, "b": ["u"] * 50 + ["v"] * 41 + ["u"] * 9}
    few = {"a": ["p"] * 50 + ["q"] * 50, "b": (["u"] * 25 + ["v"] * 20 + ["w"] * 5) * 2}
    policy = TEN_ROWS.changed(papers={"strata": ["a", "b"], "most_suppressed": 0.0})

    assert Counter(zip(*ready(columns(100) | two, policy).levels.values(), strict=True)) == {
        ("p", "u"): 29,
        ("q", "u"): 30,
        ("p", "v"): 21,
        ("q", "v"): 20,
    }
    # Ten rows have w, which are enough, but five of each a.
    rows = ready(columns(100) | few, policy)
    assert min(Counter(zip(*rows.levels.values(), strict=True)).values()) >= 10
    assert said(rows.done, 10) == ("small strata are merged: the smallest levels are 'other' (b)",)


def test_a_column_of_small_strata_alone_is_left_out() -> None:
    given = columns(100) | {"arm": [f"arm {i}" for i in range(100)], "half": ["p", "q"] * 50}
    policy = TEN_ROWS.changed(papers={"strata": ["arm", "half"], "most_suppressed": 0.0})

    rows = ready(given, policy)

    assert list(rows.levels) == ["half"]
    assert said(rows.done, 10)[0] == "small strata are merged: left out (arm)"


TOWNS = {"north": {"York": ["York"], "Tyne": ["Leeds", "Hull"]}, "south": {"Devon": ["Exeter"]}}
TOWN_LEVELS = ["York"] * 20 + ["Leeds"] * 6 + ["Hull"] * 8 + ["Exeter"] * 66


def test_a_hierarchy_says_how_levels_are_merged() -> None:
    policy = TEN_ROWS.changed(
        papers={"strata": ["town"], "hierarchies": {"town": TOWNS}, "most_suppressed": 0.0}
    )

    rows = ready(columns(100) | {"town": TOWN_LEVELS}, policy)

    assert Counter(rows.levels["town"]) == {"York": 20, "Tyne": 14, "Devon": 66}
    assert said(rows.done, 10) == ("small strata are merged: step 1 of its hierarchy (town)",)


def test_a_hierarchy_need_not_know_the_level_of_missing_values() -> None:
    missing: list[Any] = [None] * 12 + TOWN_LEVELS[12:]
    policy = TEN_ROWS.changed(
        papers={"strata": ["town"], "hierarchies": {"town": TOWNS}, "most_suppressed": 0.0}
    )

    rows = ready(
        columns(100) | {"town": missing}, policy.changed(k=8, papers={"missing_levels": "level"})
    )

    assert Counter(rows.levels["town"]) == {"York": 8, "Tyne": 14, "Devon": 66, "(missing)": 12}
    assert "about 10 missing levels of town are a level of their own" in said(rows.done, 5)


def test_neighbours_of_ordered_levels_are_merged() -> None:
    levels = ["low"] * 40 + ["mid"] * 6 + ["high"] * 9 + ["top"] * 45
    order = ["low", "mid", "high", "top"]
    policy = TEN_ROWS.changed(
        ordered={"dose": order}, papers={"strata": ["dose"], "most_suppressed": 0.0}
    )

    rows = ready(columns(100) | {"dose": levels}, policy)

    assert Counter(rows.levels["dose"]) == {"low to mid": 46, "high to top": 54}


def test_a_hierarchy_that_lacks_a_level_is_refused_without_its_name() -> None:
    policy = TEN_ROWS.changed(papers={"strata": ["town"], "hierarchies": {"town": TOWNS}})

    with pytest.raises(InputError, match="hierarchy of column 'town'") as refused:
        ready(columns(100) | {"town": [*TOWN_LEVELS[:-1], "Canary"]}, policy)
    assert "Canary" not in str(refused.value)


# Arm b has one sensitive value, and arm c the other; together they are like arm a.
TEN = {
    "x": [1.0, 2.0, 4.0, 2.5, 1.0, 3.0, 5.0, 7.0, 8.0, 9.0],
    "y": [2.0, 1.0, 2.0, 3.5, 5.0, 4.0, 6.0, 9.0, 7.0, 8.0],
    "arm": ["a"] * 4 + ["b"] * 3 + ["c"] * 3,
    "ill": ["p", "q", "p", "q", "p", "p", "p", "q", "q", "q"],
}
OF_ARMS = RESEARCH.changed(papers={"strata": ["arm"], "most_suppressed": 0.0})
DEMANDS: dict[str, tuple[dict[str, Any], list[str]]] = {
    "nothing": ({}, ["a"] * 4 + ["b"] * 3 + ["c"] * 3),
    "two different values": ({"papers": {"diversity": 2}}, ["a"] * 4 + ["other"] * 6),
    "shares like those of all": ({"papers": {"closeness": 0.25}}, ["a"] * 4 + ["other"] * 6),
    "more rows": ({"k": 4}, ["a"] * 4 + ["other"] * 6),
    "all of it": ({"k": 5}, []),
}


@pytest.mark.parametrize(("demand", "levels"), DEMANDS.values(), ids=DEMANDS)
def test_strata_are_merged_for_what_is_asked_of_them(demand: Any, levels: list[str]) -> None:
    rows = ready(TEN, OF_ARMS.changed(**demand), carried=["ill"])

    assert list(rows.levels.get("arm", ())) == levels
    assert list(rows.carried["ill"]) == TEN["ill"]
    assert rows.strata.tolist() == [
        int(level != "a") + (level == "c") for level in levels or "a" * 10
    ]


# --- missing values ------------------------------------------------------------------------------

GAPS = {
    "x": [1.0, 2.0, None, 9.0, 4.0, 4.0],
    "y": [1.0, 2.0, 3.0, 4.0, 5.0, None],
    "sex": ["f", "f", "f", None, "m", "m"],
}
NUMBERS = ("missing", "missing_levels")
# What the policy says; then x, y and the sexes that are left, and what was done.
FILLINGS: dict[str, tuple[tuple[str, str], list[float], list[float], str, Any]] = {
    "complete": (("complete", "complete"), [1, 2, 4], [1, 2, 5], "ffm", ((), (), 3)),
    "median": (
        ("median", "complete"),
        [1, 2, 3, 4, 4],
        [1, 2, 3, 5, 2.5],
        "fffmm",
        ((("x", 1), ("y", 1)), (), 1),
    ),
    "mean": (
        ("mean", "complete"),
        [1, 2, 2.75, 4, 4],
        [1, 2, 3, 5, 2.75],
        "fffmm",
        ((("x", 1), ("y", 1)), (), 1),
    ),
    "level": (("complete", "level"), [1, 2, 9, 4], [1, 2, 4, 5], "ff-m", ((), (("sex", 1),), 2)),
    "both": (
        ("median", "level"),
        [1, 2, 4, 9, 4, 4],
        [1, 2, 3, 4, 5, 3],
        "fff-mm",
        ((("x", 1), ("y", 1)), (("sex", 1),), 0),
    ),
}


@pytest.mark.parametrize(("how", "x", "y", "sex", "done"), FILLINGS.values(), ids=FILLINGS)
def test_missing_values_by_hand(
    how: tuple[str, str], x: list[float], y: list[float], sex: str, done: Any
) -> None:
    fields = dict(zip(NUMBERS, how, strict=True))

    rows = ready(GAPS, policy_of(k=1, strata=["sex"], **fields))

    assert rows.values.tolist() == [[a, b] for a, b in zip(x, y, strict=True)]
    assert [word if word != "(missing)" else "-" for word in rows.levels["sex"]] == list(sex)
    assert (rows.done.filled, rows.done.named, rows.done.left_out) == done


def test_the_missing_level_has_a_name_that_none_has() -> None:
    given = GAPS | {"sex": ["(missing)", "f", "f", None, "f", "f"]}
    policy = Policy.preset("research", k=1, papers={"strata": ["sex"], "missing_levels": "level"})

    assert ready(given, policy).levels["sex"] == ("(missing)", "f", "(no value)", "f")


def test_what_is_carried_without_a_value_is_named_and_never_drawn() -> None:
    carried = GAPS | {"ill": ["p", None, "q", "q", None, "p"]}
    policy = Policy.preset("research", k=1, papers={"missing": "median", "missing_levels": "drawn"})

    rows = ready(carried, policy, carried=["ill"])

    assert rows.carried["ill"] == ("p", "(missing)", "q", "q", "(missing)", "p")
    assert rows.done.named == (("ill", 2),)
    assert rows.done.filled == (("x", 1), ("y", 1))


def holes(n: int = 400) -> dict[str, Any]:
    """Make rows of which every fifth lacks its sex, and every seventh its x."""
    made = columns(n)
    made["sex"] = [None if i % 5 == 0 else word for i, word in enumerate(made["sex"])]
    made["x"] = [None if i % 7 == 0 else value for i, value in enumerate(made["x"].tolist())]
    return made


DRAWN = FIVE.changed(papers={"strata": ["sex"], "missing": "median", "missing_levels": "drawn"})


def test_drawn_levels_are_the_records_own_and_the_secrets() -> None:
    given = holes()
    order = np.random.default_rng(1).permutation(400)
    shuffled = {name: [values[i] for i in order] for name, values in given.items()}

    once, again = (ready(given, DRAWN).levels["sex"] for _ in range(2))
    moved = ready(shuffled, DRAWN).levels["sex"]
    other = ready(given, DRAWN, Secret.from_bytes(bytes(range(7, 39)))).levels["sex"]

    assert once == again
    assert moved == tuple(once[i] for i in order)
    known = [i for i in range(400) if given["sex"][i] is not None]
    assert all(once[i] == other[i] == given["sex"][i] for i in known)
    drawn = [[words[i] for i in range(400) if i not in set(known)] for words in (once, other)]
    assert drawn[0] != drawn[1]
    for words in drawn:
        assert set(words) == {"f", "m"}
        assert abs(words.count("f") / 80 - 0.5) < 0.2


def test_what_was_filled_is_said_in_rough_numbers() -> None:
    assert said(ready(holes(), DRAWN).done, 5) == (
        "about 60 missing values of x are filled",
        "about 80 missing values of sex are filled",
    )
    named = ready(holes(), DRAWN.changed(papers={"missing_levels": "level"}))
    assert said(named.done, 5) == (
        "about 60 missing values of x are filled",
        "about 80 missing levels of sex are a level of their own",
    )
    complete = ready(holes(), FIVE.changed(papers={"strata": ["sex"]}))
    assert said(complete.done, 5) == ()
    assert complete.done.left_out == 126


def test_research_fills_as_it_is_told() -> None:
    given = columns(10) | {"x": [None, *range(8), 1000]}

    rows = ready(given, Policy.preset("research", papers={"missing": "mean"}))

    assert rows.values[0, 0] == pytest.approx(1028 / 9)


def test_another_way_with_gaps_is_another_version() -> None:
    ways = [
        FIVE.changed(papers={"strata": ["sex"], "missing": how, "missing_levels": levels})
        for how in ("complete", "median", "mean")
        for levels in ("complete", "level", "drawn")
    ]

    assert len({version_of(holes(), policy) for policy in ways}) == len(ways)


# --- persons ----------------------------------------------------------------------------------

BY_PERSON = RESEARCH.changed(k=10, unit="who")


def visits(rows: Labels, seed: int = 1) -> dict[str, Any]:
    """Make persons of whom each has so many rows, all of one sex."""
    who = np.repeat(np.arange(len(rows)), rows)
    given = columns(len(rows), seed)
    rng = np.random.default_rng(seed)
    out = {name: given[name][who] for name in ("x", "y", "z", "sex")}
    for name in ("x", "y", "z"):
        out[name] = out[name] + 0.1 * rng.normal(size=len(who))
    return out | {"who": who}


def rows_of(who: list[int]) -> Rows:
    return Rows({"x": np.zeros(len(who))}, {}, 0, np.array(who), tuple(map(str, range(99))))


def test_labels_number_combinations_of_levels() -> None:
    assert strata_labels({"a": [*"xxyy"], "b": [*"uvuu"]}, 4).tolist() == [0, 1, 2, 2]
    assert strata_labels({}, 2).tolist() == [0, 0]


def test_strata_are_merged_until_they_hold_persons_enough() -> None:
    # Twenty rows of c are of four persons; a and b have twelve each.
    who = [*range(12), *range(20, 32), *[50, 51, 52, 53] * 5]
    levels = {"g": ("a",) * 12 + ("b",) * 12 + ("c",) * 20}

    found = repaired(levels, {}, BY_PERSON, rows_of(who))
    assert "c" not in found.levels["g"]
    assert found.kept.all()
    alone = repaired(levels, {}, TEN_ROWS, Rows({"x": np.zeros(44)}, {}, 0))
    assert found.levels != alone.levels == levels


def test_who_has_several_levels_that_are_joined_is_one_person() -> None:
    # Nine persons have a row of each of two small levels: joined they hold nine, not eighteen.
    who = [*range(100), *range(200, 209), *range(200, 209)]
    levels = {"g": ("a",) * 100 + ("b",) * 9 + ("c",) * 9}

    with pytest.raises(RefusedError, match="strata hold too few people, some of whom are in"):
        repaired(levels, {}, BY_PERSON, rows_of(who))
    found = repaired(levels, {}, BY_PERSON.changed(papers={"most_suppressed": 0.2}), rows_of(who))
    assert found.suppressed == 18
    assert found.kept.tolist() == [True] * 100 + [False] * 18


def test_of_persons_it_is_said_that_groups_are_of_them() -> None:
    assert said(ready(visits(np.full(60, 3)), BY_PERSON).done, 10) == (
        "groups are of at least 10 people (who): all rows of a person in a stratum are in one",
    )


def test_the_version_depends_on_whose_rows_are_and_not_on_their_order() -> None:
    given = visits(np.full(60, 2))
    order = np.random.default_rng(3).permutation(120)
    shuffled = {name: values[order] for name, values in given.items()}
    others = given | {"who": np.roll(given["who"], 1)}
    words = given | {"who": np.array([f"P{i}" for i in given["who"]])}

    assert version_of(shuffled, BY_PERSON) == version_of(given, BY_PERSON)
    versions = {version_of(each, BY_PERSON) for each in (given, others, words)}
    assert len(versions | {version_of(given, BY_PERSON.changed(unit=False))}) == 4
