"""Attacks: hand-worked ones, ones that must succeed on bad releases, and ones that must fail."""

from __future__ import annotations

import csv
import json
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from types import MappingProxyType

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from discreet.arguments import Floats, Labels
from discreet.errors import InputError, RefusedError
from discreet.measure.attack_report import NOT_SHOWN, AttackReport, attacked
from discreet.measure.attacks import (
    BOUNDS,
    Attack,
    Copy,
    Records,
    bounded,
    compared,
    counted_of,
    first_of,
    in_keyed_order,
    ranked,
    recognised,
    space_of,
    told_as,
    whole_maker,
)
from discreet.measure.attacks_by_copies import WHO, membership, versions
from discreet.measure.attacks_held_out import (
    held_out,
    inference,
    inference_of_copy,
    insider,
    rare_persons,
    verbatim,
)
from discreet.measure.attacks_on_copy import coincidences, linkage, rare_combinations
from discreet.measure.pairs import Side, as_side
from discreet.secret import Secret
from tests.cases import slow


def side(
    numbers: Mapping[str, Floats], levels: Mapping[str, tuple[str, ...]] | None = None
) -> Side:
    """Make a table of columns."""
    return Side(MappingProxyType(numbers), MappingProxyType(levels or {}))


def persons(n: int, seed: int = 0) -> Side:
    """Make a table of numbers that hang together, with gaps, and levels that hang on them."""
    random = np.random.default_rng(seed)
    age = random.normal(50, 12, n)
    bmi = np.where(random.uniform(size=n) < 0.1, np.nan, 20 + age / 10 + random.normal(0, 3, n))
    pulse = random.normal(70, 9, n)
    words = np.array(["no", "yes", ""])
    smokes = words[np.where(random.uniform(size=n) < 0.05, 2, (age + random.normal(0, 9, n) < 45))]
    ward = np.array([*"ABCDEFGH"])[random.integers(0, 8, n)]
    return side(
        {"age": age, "bmi": bmi, "pulse": pulse},
        {"smokes": tuple(smokes.tolist()), "ward": tuple(ward.tolist())},
    )


def drawn(secret: Secret) -> np.random.Generator:
    """Return a generator of the secret's own."""
    return np.random.default_rng(int.from_bytes(secret.digest("test")[:8], "little"))


def the_raw_rows(records: Records, secret: Secret) -> Copy:
    """Release the raw rows in another order."""
    order = drawn(secret).permutation(len(records))
    return Copy(records.table.taken(order), order)


def a_little_noise(records: Records, secret: Secret) -> Copy:
    """Release numbers with noise of a hundredth of a sd, and levels as they are."""
    random = drawn(secret)
    numbers = {
        name: values + 0.01 * np.nanstd(values) * random.normal(size=len(values))
        for name, values in records.table.numbers.items()
    }
    return Copy(Side(MappingProxyType(numbers), records.table.levels), np.arange(len(records)))


def independent_draws(records: Records, secret: Secret) -> Copy:
    """Release persons of the same kind as those of `persons`, of whom nobody is in the table."""
    seed = int.from_bytes(secret.digest("test")[:4], "little")
    return Copy(persons(len(records), seed), np.full(len(records), -1))


def keyed(n: int, seed: int = 0) -> Records:
    return in_keyed_order(Records.of(persons(n, seed)))[0]


# --- what an attack came to ---------------------------------------------------------------------


def test_a_share_is_held_against_its_baseline() -> None:
    found = counted_of("linked", 30, 100, 0.01, allowed=0.2)
    assert (found.share, found.trials) == (0.3, 100)
    assert found.low == pytest.approx(0.219, abs=5e-4)
    assert found.verdict == "beats guessing by 29.0 points; above the 20 % that groups of k allow"
    within = counted_of("linked", 15, 100, 0.01, allowed=0.2).verdict
    assert within == "beats guessing by 14.0 points; within the 20 % that groups of k allow"


VERDICTS = {
    "below": (3, 0.05, "proves nothing: no better than guessing"),
    "perhaps chance": (7, 0.05, "proves nothing: 2.0 points above guessing, which may be chance"),
    "above": (20, 0.05, "beats guessing by 15.0 points"),
}


@pytest.mark.parametrize(("count", "baseline", "words"), VERDICTS.values(), ids=VERDICTS)
def test_what_does_not_beat_its_baseline_proves_nothing(
    count: int, baseline: float, words: str
) -> None:
    assert counted_of("found", count, 100, baseline).verdict == words


def test_rows_in_a_copy_are_compared_with_the_same_rows_left_out() -> None:
    inside = np.array([1.0, 1.0, 0.0, 1.0, np.nan])
    outside = np.array([0.0, 1.0, 0.0, 0.0, 1.0])
    found = compared("right", inside, outside, np.arange(5))
    assert (found.share, found.baseline, found.trials) == (0.75, 0.25, 4)
    error = np.sqrt((4 * 0.5**2 + 0.5) / 16)  # each gain is half a success off the mean
    assert found.high - found.low == pytest.approx(
        min(1, 0.75 + 1.96 * error) - max(0, 0.75 - 1.96 * error), abs=1e-3
    )


def test_the_rows_of_a_person_count_as_one_trial() -> None:
    inside, outside = np.repeat([1.0, 0.0], 50), np.zeros(100)
    rows = compared("right", inside, outside, np.arange(100))
    whole = compared("right", inside, outside, np.repeat(np.arange(10), 10))
    assert (whole.share, whole.trials) == (rows.share, 10)
    assert whole.high - whole.low > 2 * (rows.high - rows.low)


def test_nobody_to_try_it_on_is_refused() -> None:
    with pytest.raises(RefusedError, match="nobody to try it on"):
        compared("right", np.full(3, np.nan), np.zeros(3), np.arange(3))
    with pytest.raises(RefusedError, match="nobody to try it on"):
        ranked("told apart", [(np.zeros(0), np.zeros(3))])


@given(
    st.lists(st.integers(0, 9), min_size=1, max_size=12),
    st.lists(st.integers(0, 9), min_size=1, max_size=12),
)
def test_auc_is_the_share_of_pairs_that_are_right(inside: list[int], outside: list[int]) -> None:
    found = ranked("told apart", [(np.array(inside, dtype=float), np.array(outside, dtype=float))])
    pairs = [(a > b) + (a == b) / 2 for a in inside for b in outside]
    assert found.share == pytest.approx(np.mean(pairs))
    assert found.low <= found.share <= found.high


def test_scores_of_each_group_are_ranked_by_themselves() -> None:
    groups = [(np.array([3.0, 4.0]), np.array([1.0, 2.0])), (np.array([0.0]), np.array([0.0]))]
    assert ranked("told apart", groups).share == 0.75


def test_cross_validated_scores_have_a_wider_interval() -> None:
    inside, outside = np.arange(50.0), np.arange(50.0) - 10
    plain, learned = (ranked("told apart", [(inside, outside)], folds=folds) for folds in (0, 5))
    assert learned.share == plain.share
    assert (learned.high - learned.low) > 1.4 * (plain.high - plain.low)


def test_the_interval_of_an_auc_holds_it() -> None:
    random = np.random.default_rng(1)
    truth = 0.7602  # of two normal numbers a sd apart
    inside = [
        ranked("told apart", [(random.normal(1, 1, 60), random.normal(0, 1, 60))])
        for _ in range(300)
    ]
    assert 0.92 <= np.mean([it.low <= truth <= it.high for it in inside]) <= 0.98


RECOGNISED: dict[str, tuple[list[float], int, list[tuple[float, float]]]] = {
    "too few others": ([5.0], 18, []),
    "one of twenty by chance": ([17.0, 18.0, 19.0, 20.0], 19, [(0.5, 0.05)]),  # above 18
    "two of forty": ([36.0, 37.0, 38.0, 39.0], 39, [(0.5, 0.05)]),  # above 37, the second
    "1 % as well": ([98.0, 98.5, 94.5, 1.0], 99, [(0.25, 0.01), (0.75, 0.05)]),
}


@pytest.mark.parametrize(("inside", "others", "found"), RECOGNISED.values(), ids=RECOGNISED)
def test_true_positives_by_hand(
    inside: list[float], others: int, found: list[tuple[float, float]]
) -> None:
    told = recognised([(np.array(inside), np.arange(float(others)))])
    assert [(it.share, it.baseline) for it in told] == [pytest.approx(each) for each in found]


def test_scores_without_use_find_as_many_as_chance() -> None:
    random = np.random.default_rng(0)
    told = [recognised([tuple(random.normal(size=(2, 100)))], folds=5) for _ in range(400)]
    for place, chance in enumerate((1 / 101, 5 / 101)):
        found = [each[place] for each in told]
        assert found[0].baseline == pytest.approx(chance)
        assert np.mean([it.share for it in found]) == pytest.approx(chance, abs=0.004)
        assert np.mean([it.beats for it in found]) < 0.06


def test_an_attack_rings_by_the_lower_end_of_its_interval() -> None:
    found = counted_of("told apart", 70, 100, 0.5)  # 60.4 to 78.1 %
    assert BOUNDS["member, typical"] == 0.62
    assert not bounded("member, typical", found).rings
    assert bounded("member, typical", replace(found, low=0.625)).rings
    assert not bounded("linkage", replace(found, low=0.9)).rings
    loud = bounded("versions", replace(found, low=0.621))
    assert loud.verdict == "beats guessing by 20.0 points; above the 62 % allowed for it"
    assert loud.rounded(5).rings


def test_so_many_copies_are_no_secret() -> None:
    found = replace(counted_of("told apart", 9, 12, 0.5), copies=True).rounded(10)
    assert found is not None
    assert (found.share, found.trials) == (0.75, 12)


def test_what_is_released_is_rounded() -> None:
    found = counted_of("linked", 33, 101, 0.013).rounded(5)
    assert found is not None
    assert (found.share, found.baseline, found.trials, found.step) == (0.35, 0.0, 100, 0.05)
    assert found.verdict == "beats guessing by 35 points"
    assert counted_of("linked", 1, 19, 0.013).rounded(5) is None


def test_the_space_by_hand() -> None:
    table = side({"x": np.array([1.0, 3.0, np.nan])}, {"sex": ("f", "m", "f")})
    rows = space_of(table, [table]).of(table)
    root = np.sqrt(2)  # the sd of 1 and 3
    assert rows[:, 0] == pytest.approx([-1 / root, 1 / root, 0])
    assert rows[:, 1] == pytest.approx([0, 0, 0.7])  # whether x is missing
    assert np.linalg.norm(rows[1, 2:] - rows[0, 2:]) == pytest.approx(0.7 * root)
    assert np.linalg.norm(rows[2, 2:] - rows[0, 2:]) == 0


def test_words_are_those_of_the_copy() -> None:
    raw = side({}, {"ward": ("A", "B", "C", ""), "sex": ("f", "m", "f", "m")})
    copy = side({}, {"ward": ("A", "(other)", "")})
    assert told_as(raw, copy).levels == {"ward": ("A", "(other)", "(other)", "")}


def test_columns_that_the_raw_table_lacks_are_refused() -> None:
    with pytest.raises(InputError, match="has columns that the raw one lacks: 'z'"):
        space_of(side({"x": np.zeros(2)}), [side({"z": np.zeros(2)})])


# --- on one copy --------------------------------------------------------------------------------

LINKED: dict[str, tuple[list[float], list[float], list[int], float]] = {
    "the raw rows": ([1, 2, 4, 8], [1, 2, 4, 8], [0, 1, 2, 3], 4),
    "in another order": ([1, 2, 4, 8], [8, 1, 2, 4], [3, 0, 1, 2], 4),
    "means of pairs": ([1, 2, 7, 9], [1.5, 1.5, 8, 8], [0, 1, 2, 3], 2),
    "one was withheld": ([1, 2, 4, 8], [1, 2, 4], [0, 1, 2], 3),
    "one was drawn twice": ([1, 8], [1, 1, 8], [0, 0, 1], 2),
    "drawn for nobody": ([1, 8], [1, 8], [-1, -1], 0),
}


@pytest.mark.parametrize(("raw", "rows", "source", "count"), LINKED.values(), ids=LINKED)
def test_linkage_by_hand(
    raw: list[float], rows: list[float], source: list[int], count: float
) -> None:
    records = Records.of(as_side(np.array(raw)))
    found = linkage(records, [Copy(as_side(np.array(rows)), np.array(source))], k=2).found
    assert found.share * found.trials == pytest.approx(count)
    assert found.trials == len(raw)
    assert found.baseline == pytest.approx(np.mean(np.array(source) >= 0) / len(raw))
    assert found.allowed == 0.5


def test_the_farthest_by_hand() -> None:
    raw = as_side(np.array([1.0, 2.0, 3.0, 90.0]))
    copy = Copy(as_side(np.array([2.0, 1.0, 3.0, 70.0])), np.arange(4))
    assert linkage(Records.of(raw), [copy], far=1).found.share == 1
    assert linkage(Records.of(raw), [copy]).found.share == 0.5


def test_linkage_needs_sources() -> None:
    raw = as_side(np.array([1.0, 2.0]))
    with pytest.raises(InputError, match="for which raw row each released row was drawn"):
        linkage(Records.of(raw), [Copy(raw)])


def test_coincidences_by_hand() -> None:
    raw = side({"x": np.array([1.0, 2.0, np.nan])}, {"sex": ("f", "m", "m")})
    copy = side({"x": np.array([1.0, 1.0, np.nan])}, {"sex": ("f", "m", "m")})
    found = coincidences(Records.of(raw), Copy(copy)).found
    assert found.share == pytest.approx(2 / 3)  # the second row is of nobody
    assert found.against == "independent columns"


def test_rare_combinations_by_hand() -> None:
    words = {"sex": ("f", "f", "m", "m", "m"), "ward": ("A", "A", "A", "A", "B")}
    raw = side({}, words)
    copy = side({}, {"sex": ("f", "m", "m", "f"), "ward": ("A", "B", "A", "B")})
    found = rare_combinations(Records.of(raw), Copy(copy), 2).found
    assert found.share == 0.25  # m and B: one person; f and B: nobody


def test_nothing_rare_is_refused() -> None:
    raw = side({}, {"sex": ("f", "m") * 5, "ward": ("A", "A") * 5})
    with pytest.raises(RefusedError, match="no combination of levels is rare"):
        rare_combinations(Records.of(raw), Copy(raw), 5)


# --- bad releases are found, good ones are not --------------------------------------------------


@pytest.mark.parametrize("bad", [the_raw_rows, a_little_noise])
def test_persons_in_a_bad_release_are_found(bad: object) -> None:
    records = keyed(200)
    held = held_out(records, bad)  # type: ignore[arg-type]
    near = linkage(records, [bad(records, Secret(b"one"))], k=5).found  # type: ignore[operator]
    numbers, levels = inference(held)
    half = insider(held, 0.5, k=5)
    assert near.share > 0.95
    assert near.verdict.endswith("above the 20 % that groups of k allow")
    assert numbers.found.gain > 0.5
    assert levels.found.gain > 0.1
    assert all(each.found.beats for each in (numbers, levels, half))
    assert half.found.share > 0.95
    assert half.parts[0].share > 0.9


def test_raw_rows_are_found_verbatim_and_with_their_rare_combinations() -> None:
    held = held_out(keyed(200), the_raw_rows)
    assert verbatim(held).found.share == 1
    assert verbatim(held).found.baseline == 0
    assert rare_persons(held, 5).found.beats


def test_nobody_is_found_in_independent_draws() -> None:
    records = keyed(300)
    held = held_out(records, independent_draws)
    copy = independent_draws(records, Secret(b"one"))
    tried = [
        linkage(records, [copy], k=5),
        coincidences(records, copy),
        verbatim(held),
        *inference(held),
        *inference(held, by="model"),
        insider(held, 0.5),
        insider(held, 0.9),
    ]
    assert [it.name for it in tried if it.found.beats] == []
    assert "proves nothing" in tried[0].verdict


def test_a_model_of_few_rows_is_found_out() -> None:
    random = np.random.default_rng(5)
    numbers = {f"x{j:02d}": random.normal(size=60) for j in range(40)}
    held = held_out(Records.of(side(numbers)), the_raw_rows)
    (found,) = inference(held, by="model")
    assert found.found.beats


def test_the_linear_model_finds_what_hangs_together() -> None:
    random = np.random.default_rng(5)
    x, y = random.normal(size=(2, 200))
    table = side({"x": x, "y": y, "sum": x + y}, {"up": tuple(np.where(x > 0, "u", "d").tolist())})
    held = held_out(Records.of(table), the_raw_rows)
    numbers, levels = inference(held, by="model")
    assert numbers.found.share > 0.9
    assert levels.found.share > 0.85
    assert not numbers.found.gain > 0.05  # of those held out just as well: nobody is found


def test_a_model_of_a_column_of_few_numbers_says_one_of_them() -> None:
    random = np.random.default_rng(5)
    x: Floats = random.normal(size=200)
    stage: Floats = np.rint(np.clip(x, -2.0, 2.0))
    table = side({"x": x, "stage": stage})
    held = held_out(Records.of(table), the_raw_rows)
    (found,) = inference(held, by="model")
    (told,) = [part for part in found.parts if part.what.startswith("stage")]
    assert told.share > 0.8


@pytest.mark.parametrize("value", [np.inf, -np.inf, 1e200])
def test_numbers_that_nothing_can_be_computed_with_are_gaps(value: float) -> None:
    table = persons(60)
    age = table.numbers["age"].copy()
    age[:2] = value
    odd = side({**table.numbers, "age": age}, table.levels)
    found = attacked(odd, copy=Copy(odd, np.arange(60)), k=5)
    assert found["linkage"].found.share == 1


def test_one_copy_is_held_against_a_row_at_random() -> None:
    records = keyed(200)
    numbers, levels = inference_of_copy(records, the_raw_rows(records, Secret(b"one")))
    assert numbers.found.gain > 0.5
    assert levels.found.against == "a released row at random"
    nothing = inference_of_copy(records, independent_draws(records, Secret(b"two")))
    assert nothing[0].found.share < 0.1


def test_an_insider_knows_some_but_not_all() -> None:
    held = held_out(keyed(60), the_raw_rows)
    with pytest.raises(InputError, match="share must be below 1"):
        insider(held, 1.0)


def test_of_many_records_whole_persons_are_taken() -> None:
    whose = np.repeat([3, 1, 2], [4, 3, 5])
    records = Records.of(persons(12), whose)
    assert len(first_of(records, 12)) == 12
    assert len(first_of(records, 8)) == 7
    assert len(first_of(records, 2)) == 4  # one person at least


def test_all_rows_of_a_person_are_held_out_together() -> None:
    whose = np.repeat(np.arange(40), 5)
    records = Records.of(persons(200), whose)
    held = held_out(records, the_raw_rows)
    assert all(len(set(held.part[whose == person])) == 1 for person in range(40))
    assert {*np.bincount(held.part)} == {40}


def looked_for(who: str) -> Records:
    """Return 60 records, or those of 30 persons with one to three rows."""
    if who != "rows":
        return keyed(60)
    whose = np.repeat(np.arange(30), np.arange(30) % 3 + 1)
    return in_keyed_order(Records.of(persons(60), whose))[0]


@pytest.mark.parametrize("who", WHO)
def test_membership_of_raw_rows_is_found(who: str) -> None:
    found = membership(looked_for(who), the_raw_rows, who=who, pairs=20)
    assert found.found.beats
    assert found.parts[0].share == 1


def of_the_same_people(records: Records, secret: Secret) -> Copy:
    """Release what ignores the records: persons of the same kind, always as many."""
    return independent_draws(records.taken(np.arange(50)), secret)


@pytest.mark.slow
@pytest.mark.parametrize("who", WHO)
def test_membership_is_not_found_where_the_person_is_ignored(who: str) -> None:
    for ignores in (independent_draws, of_the_same_people):
        found = membership(looked_for(who), ignores, who=who, pairs=20)
        assert not found.found.beats
        assert not found.rings
        assert not any(it.beats for it in (*found.parts, *found.at))


@pytest.mark.parametrize("who", WHO)
def test_membership_of_rows_with_a_little_noise_is_found(who: str) -> None:
    found = membership(looked_for(who), a_little_noise, who=who, pairs=20)
    assert found.found.share > 0.9
    assert found.rings
    assert [it.what for it in found.at] == [
        "true positives at 5 % false positives"
    ]  # 1 % needs 99 pairs
    assert found.at[0].share > 0.8
    assert (
        f"; {100 * found.at[0].share:.1f} % true positives at 5 % false positives" in found.verdict
    )


def one_row_less(records: Records, secret: Secret) -> Copy:
    """Release what ignores the records but for how many they are, and does not keep the number."""
    return independent_draws(records.taken(np.arange(len(records) - 1)), secret)


def test_how_many_rows_a_copy_has_is_looked_at_where_a_method_changes_it() -> None:
    assert membership(keyed(60), one_row_less, pairs=30).found.share > 0.8


def test_members_of_small_levels_are_k_and_2_k_less_1() -> None:
    asked: list[Records] = []

    def make(records: Records, secret: Secret) -> Copy:
        asked.append(records)
        return the_raw_rows(records, secret)

    found = membership(keyed(60), make, who="level", pairs=10, k=4)
    held = [records.table.levels["ward"].count("few") for records in asked]
    assert held == [3, 4] * 10 + [6, 7] * 10  # without the person, and with
    assert [len(records) for records in asked[:2]] == [59, 60]
    assert [part.what for part in found.parts[1:]] == [
        "a member of a small level, of 4 persons (AUC)",
        "a member of a small level, of 7 persons (AUC)",
    ]


def test_all_rows_of_a_member_get_the_level() -> None:
    whose = np.repeat(np.arange(30), 3)
    records, _ = in_keyed_order(Records.of(persons(90), whose))
    asked: list[Records] = []

    def make(records: Records, secret: Secret) -> Copy:
        asked.append(records)
        return the_raw_rows(records, secret)

    membership(records, make, who="level", pairs=10, k=4)
    assert asked[0].table.levels["ward"].count("few") == 9
    assert len(asked[0]) == 87


def test_all_rows_of_who_has_many_are_in_a_copy_or_none() -> None:
    asked: list[Records] = []

    def make(records: Records, secret: Secret) -> Copy:
        asked.append(records)
        return the_raw_rows(records, secret)

    found = membership(looked_for("rows"), make, who="rows", pairs=10)
    assert [len(it) for it in asked[::10]] == [57, 57, 57, 57]  # without, both have three
    assert [len(it) for it in asked[1::10]] == [60, 60, 60, 60]
    assert [part.what for part in found.parts[1:]] == [
        "a person with many rows, who has more than 90 % of all (AUC)",
        "a person with many rows, who has most (AUC)",
    ]
    with pytest.raises(RefusedError, match="nobody has several rows"):
        membership(keyed(60), make, who="rows", pairs=10)


NO_LEVELS: dict[str, tuple[Side, str]] = {
    "no column": (side({"x": np.arange(40.0)}), "no column of levels"),
    "few people": (persons(19), "too few people for a small level"),
}


def test_who_cannot_be_looked_for_is_refused() -> None:
    for table, says in NO_LEVELS.values():
        with pytest.raises(RefusedError, match=says):
            membership(Records.of(table), the_raw_rows, who="level", pairs=10)
    table = side({}, {"sex": ("f", "m") * 20, "ward": ("A", "B", "C", "D") * 10})
    with pytest.raises(RefusedError, match="too few columns of numbers"):
        membership(Records.of(table), the_raw_rows, who="joint", pairs=10)
    with pytest.raises(InputError, match="who is unknown; choose one of"):
        membership(Records.of(table), the_raw_rows, who="me", pairs=10)


def test_who_left_raw_rows_is_found() -> None:
    found = versions(keyed(100), the_raw_rows, repeats=3)
    assert found.found.share > 0.95
    assert found.parts[0].share > 0.8
    assert found.parts[0].baseline == 0.05


def test_who_left_independent_draws_is_not_found() -> None:
    found = versions(keyed(100), independent_draws, repeats=10)
    assert not found.found.beats
    assert not found.parts[0].beats


@pytest.mark.slow
def test_the_order_of_rows_changes_nothing() -> None:
    table = persons(120)
    turned = np.random.default_rng(3).permutation(120)

    def report(of: Side, source: Labels) -> AttackReport:
        return attacked(of, a_little_noise, Copy(copy, source), k=5, pairs=10)

    copy = a_little_noise(Records.of(table), Secret(b"one")).table
    place = np.argsort(turned)
    before, after = report(table, np.arange(120)), report(table.taken(turned), place)
    assert before.attacks == after.attacks
    assert before.not_tried == after.not_tried


@given(st.integers(0, 2**31), st.integers(4, 30))
def test_linkage_is_never_more_often_than_once(seed: int, n: int) -> None:
    random = np.random.default_rng(seed)
    raw = as_side(random.integers(0, 4, (n, 2)).astype(float))
    copy = Copy(as_side(random.integers(0, 4, (n, 2)).astype(float)), random.integers(-1, n, n))
    found = linkage(Records.of(raw), [copy]).found
    rows, own = copy.table.matrix, copy.source
    assert own is not None
    gaps = np.round(((raw.matrix / _sd(raw))[:, None] - (rows / _sd(raw))[None]) ** 2, 9).sum(2)
    near = gaps <= gaps.min(axis=1, keepdims=True) + 1e-9
    by_hand = (near & (own[None] == np.arange(n)[:, None])).sum(1) / near.sum(1)
    assert found.share == pytest.approx(by_hand.mean())


def _sd(table: Side) -> Floats:
    sd: Floats = table.matrix.std(axis=0, ddof=1)
    return np.where(sd > 0, sd, 1.0)


@pytest.fixture(scope="module")
def report() -> AttackReport:
    """Return all attacks on a copy of a whole table."""
    return attacked(persons(80), whole_maker(5), k=5, pairs=10, made={"method": "whole"})


def test_a_report_tells_every_attack(report: AttackReport) -> None:
    text = " ".join(report.to_text().split())
    assert "true positives at 5 % false positives" in text
    assert len(report.attacks) + len(report.not_tried) >= 15
    for attack in report.attacks:
        assert f"- {attack.title}: " in text
        assert attack.verdict in text
    assert "For the custodian: exact figures" in text


def test_a_report_as_json_says_that_it_is_no_release(report: AttackReport) -> None:
    told = json.loads(report.to_json())
    assert (told["kind"], told["release"]) == ("attacks", False)
    assert told["not_shown"] == list(NOT_SHOWN)
    first = told["attacks"][0]
    assert first["found"]["interval"][0] <= first["found"]["share"]
    by_name = {it["name"]: it for it in told["attacks"]}
    at = by_name["insider, 50 %"]["true_positives"]
    assert [it["share"] for it in at] == [it.share for it in report["insider, 50 %"].at]
    assert by_name["member, level"]["found"]["bound"] == 0.66
    assert {*first} == {"name", "title", "story", "assumptions", "found", "true_positives", "parts"}


def test_a_rounded_report_holds_no_exact_figure(report: AttackReport) -> None:
    told = json.loads(report.rounded(5).to_json())
    assert (told["release"], told["rounded_to"]) == (True, 5)
    for attack in told["attacks"]:
        for found in (attack["found"], *attack["parts"]):
            shares = [found["share"], found["baseline"], *found["interval"]]
            assert [round(20 * share, 6) % 1 for share in shares] == [0] * 4
            assert found["trials"] % 5 == 0
    assert "rounded to 5 points" in report.rounded(5).to_text()


def test_a_person_more_changes_a_rounded_report_by_a_step_at_most() -> None:
    raw = persons(150)
    copy = Copy(raw, np.arange(150))
    other = Copy(raw, np.append(np.arange(149), -1))  # one record fewer is linked
    one, another = (attacked(raw, copy=it, k=5).rounded(5)["linkage"].found for it in (copy, other))
    for name in ("share", "low", "high", "baseline"):
        assert abs(getattr(one, name) - getattr(another, name)) < 0.05 + 1e-9


def test_a_report_begins_with_the_worst_attack_its_figure_and_its_baseline() -> None:
    near, far = (
        Attack(name, name.title(), "", (), counted_of("right", count, 100, baseline))
        for name, count, baseline in (("linkage", 40, 0.01), ("records", 80, 0.5))
    )
    typical = replace(near, name="member, typical", title="Membership")
    loud = replace(typical, found=bounded(typical.name, counted_of("AUC", 80, 100, 0.5)))
    said = {
        "by gain": AttackReport("", {}, (far, near)),
        "one that rings": AttackReport("", {}, (far, near, loud)),
        "none": AttackReport("", {}, (replace(far, found=counted_of("right", 52, 100, 0.5)),)),
    }
    first = [report.in_short()[0] for report in said.values()]
    assert ["'Linkage'" in first[0], "'Membership'" in first[1]] == [True, True]
    assert first[2].startswith("No attack that was tried beats its baseline")
    assert [report.rings for report in said.values()] == [False, True, False]


@pytest.mark.slow
def test_a_report_as_csv_has_a_line_for_each_figure(report: AttackReport, tmp_path: Path) -> None:
    exact, coarse = (it.save(tmp_path / name) for it, name in
                     ((report, "a.csv"), (report.rounded(5), "b.csv")))  # fmt: skip
    lines = [*csv.DictReader(exact.read_text().splitlines())]
    assert len(lines) == sum(1 + len(it.at) + len(it.parts) for it in report.attacks)
    first = {line["attack"]: line for line in lines if line["figure"] == "found"}
    assert float(first["linkage"]["right"]) == report["linkage"].found.share
    assert (first["linkage"]["bound"], first["versions"]["bound"]) == ("", "0.62")
    shares = [float(line["right"]) for line in csv.DictReader(coarse.read_text().splitlines())]
    assert [round(20 * share, 6) % 1 for share in shares] == [0] * len(shares)


def test_what_an_attack_needs_is_asked_for() -> None:
    with pytest.raises(InputError, match="give the released table, or the method"):
        attacked(persons(20), k=5)
    with pytest.raises(InputError, match="m must be at least k"):
        whole_maker(5, 4)


def test_without_a_method_what_needs_other_copies_is_left_out() -> None:
    raw = persons(80)
    found = attacked(raw, copy=Copy(raw), k=5)
    names = {attack.name for attack in found.attacks}
    assert names >= {"coincidences", "numbers by rows"}
    assert not any("member" in name for name in names)
    assert found.not_tried["record linkage"].startswith("it is not known for which raw row")


def test_a_table_too_small_to_part_says_what_was_not_tried() -> None:
    found = attacked(persons(45), whole_maker(5), k=5, pairs=0)
    assert "too few people for a copy" in found.not_tried["persons held out"]
    assert found["linkage"].found.trials == 5 * 45


def test_a_maker_copies_gaps_and_missing_levels() -> None:
    records = Records.of(persons(200))
    copy = whole_maker(5)(records, Secret(b"one"))
    again = whole_maker(5)(records, Secret(b"two"))
    assert np.isnan(copy.table.numbers["bmi"]).any()
    assert {*copy.table.levels["smokes"]} == {"no", "yes", ""}
    assert copy.table.numbers["age"].tolist() != again.table.numbers["age"].tolist()


@pytest.mark.parametrize("seed", [pytest.param(s, marks=slow(s > 0)) for s in range(2)])
def test_a_whole_copy_links_within_what_its_groups_allow(seed: int) -> None:
    records = keyed(300, seed)
    copies = [whole_maker(5)(records, Secret(bytes([turn, seed]))) for turn in range(3)]
    assert linkage(records, copies, k=5).found.share < 0.2 + 0.03
    assert linkage(records, copies, k=5, far=5).found.share < 0.2 + 0.15
