"""Conditions in one form: what means the same is the same, and cuts lie on the grid."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from discreet.columns import KINDS, Column
from discreet.columns.column import Copy
from discreet.columns.dates import DATE, Dates
from discreet.errors import RefusedError
from discreet.explore.conditions import NOBODY, Asked, Condition, Factor
from discreet.explore.derived import rows_where
from discreet.explore.from_copy import WholeTable
from discreet.explore.new_columns import with_column
from discreet.explore.questions import Question, parts_of

RANDOM = np.random.default_rng(4)
ROWS = 400
SEXES = tuple(RANDOM.choice(["F", "M", ""], ROWS, p=[0.5, 0.4, 0.1]).tolist())
WARDS = tuple(RANDOM.choice(["a", "b", "c"], ROWS).tolist())
AGES = RANDOM.integers(18, 90, ROWS).astype(np.float64)
BMIS = np.where(RANDOM.random(ROWS) < 0.1, np.nan, RANDOM.normal(27, 5, ROWS).round(1))
DAYS = RANDOM.integers(17_000, 18_500, ROWS).astype(np.float64)


def whole() -> WholeTable:
    columns = {"age": AGES, "bmi": BMIS, "visit": DAYS}
    raw = {name: Column(name, KINDS[1]) for name in ("sex", "ward")}
    raw |= {name: Column(name, KINDS[0]) for name in ("age", "bmi")}
    raw["visit"] = Column("visit", DATE, dates=Dates("day"))
    return WholeTable(Copy(columns, {"sex": SEXES, "ward": WARDS}, "1", 0), raw)


MADE = {"old": "age >= 60", "band": "cut(age, 40, 60)", "year": "year(visit)"}
ASKED = Asked(whole(), MADE)


def condition(text: str) -> Condition:
    return Condition.of(ASKED.condition(text))


@pytest.mark.parametrize(
    "texts",
    [
        ("age >= 50 and sex == 'F'", "sex == 'F' and not (age < 50)"),
        ("age > 49", "age >= 50"),
        ("old == 'yes'", "age >= 60", "old"),
        ("band == '60 or more'", "age >= 60"),
        ("age < 40 or age >= 40", "ward != 'zzz'"),
        ("ward in ('a', 'b', 'c')", "ward != 'zzz'"),
        ("sex == 'F' or sex == 'M'", "not (sex != 'F' and sex != 'M')"),
        ("not (age < 50 or ward == 'a')", "age >= 50 and ward in ('b', 'c')"),
        ("(age >= 50 and ward == 'a') or (age >= 50 and ward == 'b')", "age >= 50 and ward != 'c'"),
        ("year == 2018", "visit >= '2018-01-01' and visit < '2019-01-01'"),
    ],
)
def test_texts_that_mean_the_same_have_one_form(texts: tuple[str, ...]) -> None:
    assert len({condition(text) for text in texts}) == 1


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("bmi > 30", "bmi >= 30"),
        ("age >= 50", "age >= 51"),
        ("sex == 'F'", "sex != 'M' or age >= 50"),
        ("age >= 50 or ward == 'a'", "age >= 50 and ward == 'a'"),
    ],
)
def test_texts_that_mean_other_people_have_other_forms(one: str, other: str) -> None:
    assert condition(one) != condition(other)


def test_what_holds_for_all_is_everyone_and_what_holds_for_none_is_nobody() -> None:
    assert condition("age >= 18 or age < 18") == Condition()
    assert condition("age >= 50 and age < 50") == NOBODY
    assert condition("age >= 5000 and ward == 'a'") == NOBODY


def test_a_column_without_any_value_has_no_grid() -> None:
    rows = whole()
    empty = rows.holding({**rows.copy.columns, "bmi": np.full(ROWS, np.nan)}, rows.copy.strata)
    with pytest.raises(RefusedError, match="column 'bmi' has no value in any row of the copy"):
        Asked(empty, {}).grid("bmi")


CUTS = ("age {} 40", "age {} 55", "bmi {} 25", "bmi {} 30")
DATES = ("visit < '2018-01-01'", "visit >= '2018-01-01'", "year == 2017")
TESTS = st.one_of(
    st.sampled_from(
        ["sex == 'F'", "ward == 'a'", "ward in ('a', 'b')", "old", "band == 'under 40'"]
    ),
    st.sampled_from(DATES),
    st.builds(str.format, st.sampled_from(CUTS), st.sampled_from(["<", "<=", ">", ">="])),
)
TEXTS = st.recursive(
    TESTS,
    lambda inner: st.one_of(
        st.builds("({} and {})".format, inner, inner),
        st.builds("({} or {})".format, inner, inner),
        st.builds("not ({})".format, inner),
    ),
    max_leaves=4,
)


def factors(text: str) -> tuple[Factor, ...]:
    try:
        return ASKED.condition(text)
    except RefusedError as error:
        assume(error.rule != "atoms")
        raise


def form(found: Sequence[Factor]) -> Condition | None:
    """What they are together; none where they compare too many columns at once."""
    try:
        return Condition.of(found)
    except RefusedError as error:
        if error.rule != "atoms":
            raise
        return None


def holds(found: Condition) -> list[int]:
    atoms = {name: ASKED.grid(name).places_in(ASKED.whole.copy) for name in found.columns}
    return np.flatnonzero(found.holds(atoms, ROWS)).tolist()


@given(TEXTS)
def test_by_atoms_a_condition_holds_for_the_rows_for_which_it_holds_by_values(text: str) -> None:
    rows = whole()
    for name, made in MADE.items():
        rows = with_column(rows, name, made)
    assert holds(Condition.of(factors(text))) == rows_where(rows, text)[1].tolist()


@given(st.lists(TEXTS, min_size=1, max_size=3))
def test_the_order_of_conditions_and_saying_one_twice_change_nothing(texts: Sequence[str]) -> None:
    found = [it for text in texts for it in factors(text)]
    assert form(found) == form([*reversed(found), *found])


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("bmi > 30.123", "cut bmi at"),
        ("age >= 0", "cuts age between the steps"),
        ("age + bmi > 80", "cuts age and bmi between the steps"),
        ("visit >= '2018-01-15'", "first days of months"),
        ("age == bmi", "between the steps"),
    ],
)
def test_a_cut_between_the_steps_of_a_grid_is_refused(text: str, says: str) -> None:
    with pytest.raises(RefusedError, match=says):
        condition(text)


def test_a_condition_of_too_many_columns_at_once_is_refused() -> None:
    with pytest.raises(RefusedError, match="compares too many columns at once"):
        condition("age < 40 or bmi < 30 or visit < '2018-01-01' or sex == 'F'")


@given(st.integers(0, 2**12 - 1))
def test_a_factor_is_taken_apart_as_far_as_it_goes(bits: int) -> None:
    # Brute force: of 2 x 3 x 2 truths each way to part the columns is tried.
    truths = np.array([bits >> i & 1 for i in range(12)], dtype=bool).reshape(2, 3, 2)
    found = Condition.of([Factor(("a", "b", "c"), truths)])
    joined = np.ones((2, 3, 2), dtype=bool)
    for it in found.factors:
        shape = [truths.shape["abc".index(name)] if name in it.columns else 1 for name in "abc"]
        joined &= it.truths.reshape(shape)
    assert (joined == truths).all()
    for it in found.factors:
        if len(it.columns) == 2 and it.truths.any():
            rows, columns = it.truths.any(axis=1), it.truths.any(axis=0)
            assert not (np.outer(rows, columns) == it.truths).all()


def test_people_without_a_value_where_the_copy_has_no_gap_count_as_others_do() -> None:
    grid = ASKED.grid("ward")
    assert not grid.gaps
    assert grid.places_of_words(["", "zzz", "b"]).tolist() == [0, 0, 1]
    assert ASKED.grid("sex").places_of_words(["", "zzz", "M"]).tolist() == [2, 2, 1]


def test_bins_of_dates_are_called_by_their_days() -> None:
    (part,) = parts_of(Question({"plot": "histogram", "columns": ["visit"], "bins": 3}), ASKED)
    (dim,) = part.dims
    ends = [label.split(" to ") for label in dim.labels]
    assert [*map(len, ends)] == [2] * len(dim.labels)
    assert all(word[4] == "-" and word.endswith("-01") for pair in ends for word in pair)
    days = np.array([ends[0][0], *(pair[1] for pair in ends)], dtype="datetime64[D]")
    assert days.astype(np.float64).tolist() == [*dim.edges]
