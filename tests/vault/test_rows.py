"""Rows made ready: keys, gaps, strata that are repaired, and who is too few."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from discreet.arguments import Labels
from discreet.errors import InputError, RefusedError
from discreet.keys import row_digests, row_keys
from discreet.policy import Policy
from discreet.secret import Secret
from discreet.sketch import sketch_of, sketch_of_parts
from discreet.table import Rows
from discreet.vault.rows import (
    Prepared,
    noised,
    prepared,
    raw_rows,
    read_rows,
    repaired,
    row_digests_in_parts,
    rows_before,
    rows_like_others,
    strata_labels,
)
from discreet.vault.vault import Vault, make_copy, protect_view
from tests.vault.given import SECRET, STANDARD, columns, copied, plain, table_of

Floats = NDArray[np.float64]


@pytest.fixture
def exact_sizes(monkeypatch: pytest.MonkeyPatch) -> None:
    """Leave no row out to make the sizes of strata even."""
    monkeypatch.setattr("discreet.policy.policy.Policy.count_step", 1)


EVENED = "a few rows are left out, so that the size of each stratum is a multiple of 5"


@pytest.mark.parametrize("missing", ["complete", "median"])
@pytest.mark.parametrize("missing_levels", ["complete", "level"])
@pytest.mark.parametrize("key", [None, "visit", "name"])
def test_rows_are_sketched_in_parts_as_in_one_piece(
    missing: str, missing_levels: str, key: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What was released is known by these digests: they stay as they were."""
    given = columns(80)
    given["x"][3:9] = np.nan
    given["sex"] = [None if i % 11 == 5 else word for i, word in enumerate(given["sex"])]
    given |= {"visit": np.arange(80.0), "name": [f"N{i}" for i in range(80)]}
    table = table_of(given, key=key)
    policy = STANDARD.changed(missing=missing, missing_levels=missing_levels)
    rows = read_rows(table, policy, ["x", "y"], ["sex"])
    at_once = row_digests(SECRET, [*rows.numbers.values(), *rows.texts.values()])

    monkeypatch.setattr("discreet.table.frames.PART", 17)
    parts = [*row_digests_in_parts(table, policy, ["x", "y"], ["sex"], SECRET)]

    assert len(parts) > 3
    assert np.concatenate(parts).tolist() == at_once.tolist()
    expected, found = sketch_of(at_once), sketch_of_parts(parts)
    assert (found.mark, found.buckets.tolist()) == (expected.mark, expected.buckets.tolist())


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
    rows = ready(columns(), STANDARD)
    order = np.random.default_rng(1).permutation(120)
    moved = ready({name: values[order] for name, values in columns().items()}, STANDARD)

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
    policy = STANDARD.changed(key="id")

    copy = copied(given, policy=policy)

    assert sorted(copy.columns) == ["x", "y"]
    assert not copy.strata
    order = np.random.default_rng(4).permutation(120)
    shuffled = {name: values[order] for name, values in given.items()}
    assert plain(copied(shuffled, policy=policy)) == plain(copy)
    assert copy.version != copied(given).version


@pytest.mark.parametrize("twice", [[7001, 7001], ["P1", "P1"]])
def test_a_key_that_is_in_two_rows_is_refused_without_its_value(twice: list[Any]) -> None:
    given = columns()
    words = isinstance(twice[0], str)
    given["id"] = np.array([*twice, *[f"Q{i}" if words else i for i in range(118)]])

    with pytest.raises(InputError, match="key column 'id' holds a value twice") as refused:
        copied(given, policy=STANDARD.changed(key="id"))
    assert str(twice[0]) not in str(refused.value)


def test_a_method_that_knows_rows_alone_refuses_a_person_with_several() -> None:
    given = columns() | {"who": [i // 2 for i in range(120)]}
    research = Policy.preset("research")
    refusal = r"several rows, and method '(deterministic|probabilistic)' .* rows='condensation'"

    for rows in ("deterministic", "probabilistic"):
        with pytest.raises(RefusedError, match=refusal):
            copied(given, policy=STANDARD.changed(unit="who", rows=rows))
        asked = research.settle("scatter", ["x", "y"], method=rows)
        with pytest.raises(RefusedError, match=refusal):
            protect_view(table_of(given, unit="who"), research, asked, SECRET)
    asked = research.settle("scatter", ["x", "y"], method="microaggregation")
    found = protect_view(table_of(given, unit="who"), research, asked, SECRET)
    # three persons of two rows share a mean
    assert np.unique(found.columns["x"], return_counts=True)[1].min() >= 2 * research.k


def test_a_person_with_one_row_is_a_row() -> None:
    given = columns() | {"who": list(range(120))}

    assert plain(copied(given, policy=STANDARD.changed(unit="who"))) == plain(copied(given))


def test_strata_travel_and_groups_stay_within_them() -> None:
    # two clouds far apart: a copy within strata cannot mix them
    rng = np.random.default_rng(6)
    given = {
        "x": np.concatenate([rng.normal(0, 1, 60), rng.normal(1000, 1, 60)]),
        "y": rng.normal(size=120),
        "arm": ["a"] * 60 + ["b"] * 60,
    }

    copy = copied(given, policy=STANDARD.changed(strata=["arm"]))

    assert sorted(copy.strata["arm"]) == given["arm"]
    for level, x in zip(copy.strata["arm"], copy.columns["x"], strict=True):
        assert (x > 500) == (level == "b")
    rows = list(zip(copy.strata["arm"], *copy.columns.values(), strict=True))
    assert rows == sorted(rows)


# --- strata that are too small: 2 k = 10 of a hundred rows ---------------------------------------

SMALLEST = "small strata are merged: the smallest levels are 'other' (arm)"
LEFT_OUT = (
    "about 10 rows of strata that stayed small are left out, so what all rows of a stratum share"
    " may not be true of all persons"
)
# Levels of the raw rows and of the copy, and what is said of it.
STRATA: dict[str, tuple[dict[str, int], dict[str, int], list[str]]] = {
    "2 k in each": ({"a": 90, "b": 10}, {"a": 90, "b": 10}, []),
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


@pytest.mark.usefixtures("exact_sizes")
@pytest.mark.parametrize(("before", "after", "said"), STRATA.values(), ids=STRATA)
def test_strata_of_fewer_than_two_k_are_merged_or_left_out(
    before: dict[str, int], after: dict[str, int], said: list[str]
) -> None:
    given = arms(before)

    copy = copied(given, policy=STANDARD.changed(strata=["arm"]))

    assert Counter(copy.strata["arm"]) == after
    assert list(copy.remarks) == said
    order = np.random.default_rng(5).permutation(100)
    shuffled = {name: np.array(values)[order] for name, values in given.items()}
    assert plain(copied(shuffled, policy=STANDARD.changed(strata=["arm"]))) == plain(copy)


@pytest.mark.usefixtures("exact_sizes")
def test_no_row_is_left_out_where_the_policy_lets_none_be() -> None:
    given = arms({"a": 82, "b": 12, "c": 6})

    merged = copied(given, policy=STANDARD.changed(strata=["arm"], most_suppressed=0.0))

    assert Counter(merged.strata["arm"]) == {"a": 82, "other": 18}
    assert merged.left_out == 0


@pytest.mark.usefixtures("exact_sizes")
def test_combinations_of_strata_are_what_counts() -> None:
    two = {"a": ["p", "q"] * 50, "b": ["u"] * 50 + ["v"] * 41 + ["u"] * 9}
    few = {"a": ["p"] * 50 + ["q"] * 50, "b": (["u"] * 25 + ["v"] * 20 + ["w"] * 5) * 2}
    policy = STANDARD.changed(strata=["a", "b"], most_suppressed=0.0)

    assert Counter(
        zip(*copied(columns(100) | two, policy=policy).strata.values(), strict=True)
    ) == {
        ("p", "u"): 29,
        ("q", "u"): 30,
        ("p", "v"): 21,
        ("q", "v"): 20,
    }
    # Ten rows have w, which are enough, but five of each a.
    copy = copied(columns(100) | few, policy=policy)
    assert min(Counter(zip(*copy.strata.values(), strict=True)).values()) >= 10
    assert copy.remarks == ("small strata are merged: the smallest levels are 'other' (b)",)


@pytest.mark.usefixtures("exact_sizes")
def test_a_column_of_small_strata_alone_is_left_out() -> None:
    given = columns(100) | {"arm": [f"arm {i}" for i in range(100)], "half": ["p", "q"] * 50}
    policy = STANDARD.changed(strata=["arm", "half"], most_suppressed=0.0)

    copy = copied(given, policy=policy)

    assert list(copy.strata) == ["half"]
    assert copy.remarks[0] == "small strata are merged: left out (arm)"


TOWNS = {"north": {"York": ["York"], "Tyne": ["Leeds", "Hull"]}, "south": {"Devon": ["Exeter"]}}
TOWN_LEVELS = ["York"] * 20 + ["Leeds"] * 6 + ["Hull"] * 8 + ["Exeter"] * 66


@pytest.mark.usefixtures("exact_sizes")
def test_a_hierarchy_says_how_levels_are_merged() -> None:
    policy = STANDARD.changed(strata=["town"], hierarchies={"town": TOWNS}, most_suppressed=0.0)

    copy = copied(columns(100) | {"town": TOWN_LEVELS}, policy=policy)

    assert Counter(copy.strata["town"]) == {"York": 20, "Tyne": 14, "Devon": 66}
    assert copy.remarks == ("small strata are merged: step 1 of its hierarchy (town)",)


@pytest.mark.usefixtures("exact_sizes")
def test_a_hierarchy_need_not_know_the_level_of_missing_values() -> None:
    missing: list[Any] = [None] * 12 + TOWN_LEVELS[12:]
    policy = STANDARD.changed(strata=["town"], hierarchies={"town": TOWNS}, most_suppressed=0.0)

    copy = copied(
        columns(100) | {"town": missing}, policy=policy.changed(missing_levels="level", k=4)
    )

    assert Counter(copy.strata["town"]) == {"York": 8, "Tyne": 14, "Devon": 66, "(missing)": 12}
    assert "about 10 missing levels of town are a level of their own" in copy.remarks


@pytest.mark.usefixtures("exact_sizes")
def test_neighbours_of_ordered_levels_are_merged() -> None:
    levels = ["low"] * 40 + ["mid"] * 6 + ["high"] * 9 + ["top"] * 45
    order = ["low", "mid", "high", "top"]
    policy = STANDARD.changed(strata=["dose"], ordered={"dose": order}, most_suppressed=0.0)

    copy = copied(columns(100) | {"dose": levels}, policy=policy)

    assert Counter(copy.strata["dose"]) == {"low to mid": 46, "high to top": 54}


@pytest.mark.usefixtures("exact_sizes")
def test_a_hierarchy_that_lacks_a_level_is_refused_without_its_name() -> None:
    policy = STANDARD.changed(strata=["town"], hierarchies={"town": TOWNS})

    with pytest.raises(InputError, match="hierarchy of column 'town'") as refused:
        copied(columns(100) | {"town": [*TOWN_LEVELS[:-1], "Canary"]}, policy=policy)
    assert "Canary" not in str(refused.value)


@pytest.mark.usefixtures("exact_sizes")
def test_strata_that_leave_too_few_rows_are_refused() -> None:
    given = columns(50) | {"arm": ["a"] * 41 + ["b"] * 9}
    policy = STANDARD.changed(strata=["arm"], most_suppressed=0.2)

    with pytest.raises(RefusedError, match="too few rows are left in strata of 2 k or more"):
        copied(given, policy=policy)


def ready(given: Any, policy: Policy, secret: Secret = SECRET, carried: Any = ()) -> Prepared:
    """Make rows ready, as for a table of x and y."""
    raw = raw_rows(
        table_of(given), policy, ["x", "y"], secret, strata=policy.strata, carried=carried
    )
    return prepared(raw, policy, secret)


# Arm b has one sensitive value, and arm c the other; together they are like arm a.
TEN = {
    "x": [1.0, 2.0, 4.0, 2.5, 1.0, 3.0, 5.0, 7.0, 8.0, 9.0],
    "y": [2.0, 1.0, 2.0, 3.5, 5.0, 4.0, 6.0, 9.0, 7.0, 8.0],
    "arm": ["a"] * 4 + ["b"] * 3 + ["c"] * 3,
    "ill": ["p", "q", "p", "q", "p", "p", "p", "q", "q", "q"],
}
RESEARCH = Policy.preset("research", strata=["arm"], most_suppressed=0.0)
DEMANDS: dict[str, tuple[dict[str, Any], list[str]]] = {
    "nothing": ({}, ["a"] * 4 + ["b"] * 3 + ["c"] * 3),
    "two different values": ({"diversity": 2}, ["a"] * 4 + ["other"] * 6),
    "shares like those of all": ({"closeness": 0.25}, ["a"] * 4 + ["other"] * 6),
    "more rows": ({"k": 4}, ["a"] * 4 + ["other"] * 6),
    "all of it": ({"k": 5}, []),
}


@pytest.mark.parametrize(("demand", "levels"), DEMANDS.values(), ids=DEMANDS)
def test_strata_are_merged_for_what_is_asked_of_them(demand: Any, levels: list[str]) -> None:
    rows = ready(TEN, RESEARCH.changed(**demand), carried=["ill"])

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
    "level": (
        ("complete", "level"),
        [1, 2, 9, 4],
        [1, 2, 4, 5],
        "ff-m",
        ((), (("sex", 1),), 2),
    ),
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

    rows = ready(GAPS, Policy.preset("research", k=1, strata=["sex"], **fields))

    assert rows.values.tolist() == [[a, b] for a, b in zip(x, y, strict=True)]
    assert [word if word != "(missing)" else "-" for word in rows.levels["sex"]] == list(sex)
    assert (rows.done.filled, rows.done.named, rows.done.left_out) == done


def test_the_missing_level_has_a_name_that_none_has() -> None:
    given = GAPS | {"sex": ["(missing)", "f", "f", None, "f", "f"]}
    policy = Policy.preset("research", k=1, strata=["sex"], missing_levels="level")

    assert ready(given, policy).levels["sex"] == ("(missing)", "f", "(no value)", "f")


@pytest.mark.usefixtures("exact_sizes")
def test_what_is_carried_without_a_value_is_named_and_never_drawn() -> None:
    carried = GAPS | {"ill": ["p", None, "q", "q", None, "p"]}
    policy = Policy.preset("research", k=1, missing="median", missing_levels="drawn")

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


DRAWN = STANDARD.changed(strata=["sex"], missing="median", missing_levels="drawn")


@pytest.mark.usefixtures("exact_sizes")
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


@pytest.mark.usefixtures("exact_sizes")
def test_what_was_filled_is_said_in_rough_numbers() -> None:
    copy = copied(holes(), policy=DRAWN)

    assert copy.remarks == (
        "about 60 missing values of x are filled",
        "about 80 missing values of sex are filled",
    )
    named = copied(holes(), policy=DRAWN.changed(missing_levels="level"))
    assert named.remarks == (
        "about 60 missing values of x are filled",
        "about 80 missing levels of sex are a level of their own",
    )
    assert copy.left_out == 0
    complete = copied(holes(), policy=STANDARD.changed(strata=["sex"]))
    assert complete.remarks == ()
    assert complete.left_out == 125  # of 126


def test_few_filled_values_are_told_as_few() -> None:
    given = columns()
    given["x"][:2] = np.nan

    copy = copied(given, policy=STANDARD.changed(missing="mean"))

    assert copy.remarks == ("fewer than 5 missing values of x are filled", EVENED)


def test_a_guarded_filling_is_a_step_and_nobodys_value() -> None:
    given = columns()
    given["x"][:20] = np.nan

    for how in ("median", "mean"):
        rows = ready(given, STANDARD.changed(missing=how))
        (value,) = set(rows.values[:20, 0])
        assert value not in given["x"]
        assert value == pytest.approx(round(value, 1)), "a nice step of at most 0.02 sd"
        assert value == pytest.approx(np.nanmedian(given["x"]), abs=2)


@pytest.mark.parametrize("how", ["median", "mean"])
def test_a_far_value_moves_no_filling(how: str) -> None:
    """Or the person whose value it is could be read from the values that were filled."""
    policy = STANDARD.changed(missing=how)

    def filling(*far: float) -> float:
        given = columns()
        given["x"][:20] = np.nan
        given["x"][20 : 20 + len(far)] = far
        (value,) = set(ready(given, policy).values[:20, 0])
        return float(value)

    near = filling(90.0)
    for far in (1e3, 1e6, 1e12):
        assert filling(far) == pytest.approx(near, abs=1.0), "a tenth of a standard deviation"
        assert filling(-far, far) == pytest.approx(near, abs=1.0)
    # how far it is does not show at all
    assert filling(1e6) == pytest.approx(filling(1e12))


def test_research_fills_as_it_is_told() -> None:
    given = columns(10) | {"x": [None, *range(8), 1000]}

    rows = ready(given, Policy.preset("research", missing="mean"))

    assert rows.values[0, 0] == pytest.approx(1028 / 9)


def test_filled_rows_count_among_those_that_are_enough() -> None:
    given = columns(60)
    given["x"][:20] = np.nan

    with pytest.raises(RefusedError, match="too few complete rows"):
        copied(given)
    assert len(copied(given, policy=STANDARD.changed(missing="median")).columns["x"]) == 60


def test_another_way_with_gaps_is_another_version() -> None:
    ways = [
        STANDARD.changed(strata=["sex"], missing=how, missing_levels=levels)
        for how in ("complete", "median", "mean")
        for levels in ("complete", "level", "drawn")
    ]

    assert len({copied(holes(), policy=policy).version for policy in ways}) == len(ways)


def test_a_column_that_a_stratum_hardly_knows_is_not_filled() -> None:
    """All that is filled is one number: where few others are, those would stand out."""
    given = columns() | {"arm": ["a"] * 90 + ["b"] * 30}
    policy = STANDARD.changed(strata=["arm"], missing="median")
    few, enough = (
        given | {"x": [None if i >= n else x for i, x in enumerate(given["x"])]} for n in (99, 100)
    )

    with pytest.raises(RefusedError, match="too few values of 'x' are known in a stratum") as no:
        copied(few, policy=policy)
    assert "9" not in str(no.value)
    assert copied(enough, policy=policy)


# --- sizes of strata are multiples, as counts are ------------------------------------------------


def test_sizes_of_strata_are_multiples_of_what_counts_round_to() -> None:
    given = columns(113) | {"arm": ["a"] * 64 + ["b"] * 37 + ["c"] * 12}

    # Where counts are not rounded, of k: here 5.
    for to, step, sizes in ((5, 5, [60, 35, 10]), (4, 4, [64, 36, 12]), (1, 5, [60, 35, 10])):
        copy = copied(given, policy=STANDARD.changed(strata=["arm"], round_to=to))
        assert Counter(copy.strata["arm"]) == dict(zip("abc", sizes, strict=True))
        assert f"each stratum is a multiple of {step}" in "".join(copy.remarks)
    assert len(copied(given).columns["x"]) == 110
    assert len(ready(given, Policy.preset("research", strata=["arm"])).values) == 113


def test_which_rows_are_left_out_is_keyed_and_not_of_the_order() -> None:
    given = columns(113)
    order = np.random.default_rng(2).permutation(113)
    shuffled = {name: values[order] for name, values in given.items()}

    def rows(given: Any, secret: Secret = SECRET) -> set[tuple[float, ...]]:
        return {*map(tuple, ready(given, STANDARD, secret).values.tolist())}

    assert len(rows(given)) == 110
    assert rows(shuffled) == rows(given)
    others = [rows(given, Secret.from_bytes(bytes(range(i, i + 32)))) for i in range(1, 5)]
    assert any(other != rows(given) for other in others)


# --- who is too few ---------------------------------------------------------------------------


@pytest.mark.parametrize(("n", "enough"), [(49, False), (50, True)])
def test_a_table_has_at_least_ten_k_complete_rows(n: int, enough: bool) -> None:
    given = columns(n + 30)
    given["x"][n:] = np.inf
    if enough:
        assert len(copied(given).columns["x"]) == 50
        return
    with pytest.raises(RefusedError, match="too few complete rows: at least 10 k") as refused:
        copied(given)
    assert "49" not in str(refused.value)


BY_PERSON = STANDARD.changed(unit="who")


def visits(rows: Labels, seed: int = 1) -> dict[str, Any]:
    """Make persons of whom each has so many rows, all of one sex."""
    who = np.repeat(np.arange(len(rows)), rows)
    given = columns(len(rows), seed)
    rng = np.random.default_rng(seed)
    out = {name: given[name][who] for name in ("x", "y", "z", "sex")}
    for name in ("x", "y", "z"):
        out[name] = out[name] + 0.1 * rng.normal(size=len(who))
    return out | {"who": who}


def ready_by_person(
    given: dict[str, Any], policy: Policy = BY_PERSON, strata: tuple[str, ...] = ()
) -> Any:
    raw = raw_rows(table_of(given, policy.unit), policy, ["x", "y"], SECRET, strata=strata)
    return prepared(raw, policy, SECRET)


def rows_of(who: list[int]) -> Rows:
    return Rows({"x": np.zeros(len(who))}, {}, 0, np.array(who), tuple(map(str, range(99))))


def test_labels_number_combinations_of_levels() -> None:
    assert strata_labels({"a": [*"xxyy"], "b": [*"uvuu"]}, 4).tolist() == [0, 1, 2, 2]
    assert strata_labels({}, 2).tolist() == [0, 0]


def test_rows_of_a_person_in_a_stratum_are_numbered_by_rank() -> None:
    labels, persons = np.array([0, 0, 1, 0, 1]), np.array([3, 3, 3, 4, 4])

    assert rows_before(labels, persons, np.array([1, 0, 2, 3, 4])).tolist() == [1, 0, 0, 0, 0]


def test_nobody_has_more_rows_in_a_stratum_than_k_persons_have() -> None:
    rows = [9, 4, 3, 2, 1]
    persons = np.repeat(np.arange(5), rows)
    labels = np.zeros(len(persons), dtype=np.intp)
    before = rows_before(labels, persons, np.arange(len(persons)))

    for k, most in ((1, 9), (2, 4), (3, 3), (5, 1), (6, 1)):
        stays = rows_like_others(labels, persons, before, k)
        assert [*Counter(persons[stays].tolist()).values()] == [min(n, most) for n in rows]


def test_strata_are_merged_until_they_hold_persons_enough() -> None:
    # Twenty rows of c are of four persons; a and b have twelve each.
    who = [*range(12), *range(20, 32), *[50, 51, 52, 53] * 5]
    levels = {"g": ("a",) * 12 + ("b",) * 12 + ("c",) * 20}

    found = repaired(levels, {}, BY_PERSON, rows_of(who))
    assert "c" not in found.levels["g"]
    assert found.kept.all()
    alone = repaired(levels, {}, STANDARD, Rows({"x": np.zeros(44)}, {}, 0))
    assert found.levels != alone.levels == levels


def test_who_has_several_levels_that_are_joined_is_one_person() -> None:
    # Nine persons have a row of each of two small levels: joined they hold nine, not eighteen.
    who = [*range(100), *range(200, 209), *range(200, 209)]
    levels = {"g": ("a",) * 100 + ("b",) * 9 + ("c",) * 9}

    with pytest.raises(RefusedError, match="strata hold too few persons, some of whom are in"):
        repaired(levels, {}, BY_PERSON, rows_of(who))
    found = repaired(levels, {}, BY_PERSON.changed(most_suppressed=0.2), rows_of(who))
    assert found.suppressed == 18
    assert found.kept.tolist() == [True] * 100 + [False] * 18


def test_ten_k_persons_are_needed_however_many_rows_there_are() -> None:
    assert copied(visits(np.full(50, 4)), policy=BY_PERSON)
    with pytest.raises(RefusedError, match="the table has too few complete rows: at least 10 k"):
        copied(visits(np.full(49, 4)), policy=BY_PERSON)


def test_all_rows_but_those_of_who_has_very_many_are_released_in_multiples() -> None:
    rows = np.full(60, 3)
    rows[:4] = [50, 40, 30, 1]

    found = ready_by_person(visits(rows))

    held = Counter(Counter(found.persons.tolist()).values())
    assert max(held) == 3
    assert len(found.persons) == 175, "178 rows of at most three, rounded down"
    assert len(set(found.persons.tolist())) == 60
    said = copied(visits(rows), policy=BY_PERSON).remarks
    assert (
        "groups are of at least 5 persons (who): all rows of a person in a stratum are in one, and"
        " who has more rows than k persons have keeps as many as they"
    ) in said
    # It is said whether somebody has or not: else that would tell of one person.
    assert copied(visits(np.full(60, 3)), policy=BY_PERSON).remarks == said


def test_every_stratum_of_a_copy_holds_two_k_persons() -> None:
    rows = np.random.default_rng(2).integers(1, 4, 90)
    given = visits(rows) | {"ward": np.array(list("abcdefghi"))[np.repeat(np.arange(90) % 9, rows)]}

    found = ready_by_person(given, BY_PERSON.changed(strata=["ward"]), ("ward",))

    persons = defaultdict(set)
    for ward, person in zip(found.levels["ward"], found.persons.tolist(), strict=True):
        persons[ward].add(person)
    assert min(map(len, persons.values())) >= 10
    assert {n % 5 for n in Counter(found.levels["ward"]).values()} == {0}


def test_the_k_farthest_persons_are_drawn_in_and_not_the_k_farthest_rows() -> None:
    given = visits(np.full(60, 6))
    far = given["who"] == 0
    given["x"] = np.where(far, 1e6, given["x"])  # six rows of one person, k = 5

    raw = raw_rows(table_of(given, "who"), BY_PERSON, ["x", "y"], SECRET, strata=())
    made = make_copy(noised(prepared(raw, BY_PERSON, SECRET), SECRET, raw.version), BY_PERSON)

    assert made.trimmed[:, 0].max() < 100
    assert made.released[:, 0].max() < 200


def test_a_gap_is_filled_by_persons_and_not_by_who_has_most_rows() -> None:
    rows = np.full(60, 2)
    rows[0] = 400
    given = visits(rows)
    given["x"] = np.where(given["who"] == 0, 70.0, given["x"])
    given["x"][np.flatnonzero(given["who"] == 59)] = np.nan
    policy = BY_PERSON.changed(missing="median")

    raw = raw_rows(table_of(given, "who"), policy, ["x", "y"], SECRET, strata=())
    found = prepared(raw, policy, SECRET)

    stood_in = found.values[found.persons == 59, 0]
    middle = np.median([given["x"][given["who"] == i].mean() for i in range(59)])
    assert abs(stood_in - middle).max() < 1


def test_the_copy_depends_on_whose_rows_are_and_not_on_their_order() -> None:
    given = visits(np.full(60, 2))
    order = np.random.default_rng(3).permutation(120)
    shuffled = {name: values[order] for name, values in given.items()}
    others = given | {"who": np.roll(given["who"], 1)}
    words = given | {"who": np.array([f"P{i}" for i in given["who"]])}

    copy = copied(given, policy=BY_PERSON)
    assert plain(copied(shuffled, policy=BY_PERSON)) == plain(copy)
    versions = {copied(each, policy=BY_PERSON).version for each in (given, others, words)} | {
        copied(given, policy=STANDARD.changed(unit=False)).version
    }
    assert len(versions) == 4, "copies that are kept in one folder are told apart"


def test_persons_in_several_strata_are_in_a_group_of_k_persons_in_each() -> None:
    given = visits(np.full(60, 2)) | {"visit": np.tile(["first", "second"], 60)}
    policy = BY_PERSON.changed(strata=["visit"], rows="microaggregation")

    made = Vault(SECRET, None).made(table_of(given, "who"), policy, ("x", "y"))

    shared = Counter(zip(map(tuple, made.released.tolist()), made.levels["visit"], strict=True))
    assert min(shared.values()) >= 5, "each person has one row in each stratum"
