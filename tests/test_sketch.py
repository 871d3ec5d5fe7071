"""A sketch is equal for equal data, tells how much has changed, and holds no value."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from discreet.secret import Secret, encrypt
from discreet.sketch import (
    ENDS,
    SMALLEST,
    Ends,
    Sketch,
    Sketched,
    ends_of,
    run_digests,
    sketch_of,
    sketched,
)

SECRET = Secret.from_bytes(bytes(range(32)))
NUMBERS = st.lists(st.integers(-50, 50), min_size=1, max_size=60)


def sketch(values: object) -> Sketch:
    """Sketch a column of numbers."""
    return sketch_of(SECRET.marks(np.asarray(values, dtype=float)))


@given(NUMBERS, st.randoms())
def test_order_does_not_matter(values: list[int], chance: object) -> None:
    shuffled = sorted(values, key=lambda _: chance.random())  # type: ignore[attr-defined]
    assert sketch(values).mark == sketch(shuffled).mark
    assert sketch(values).changed_rows(sketch(shuffled)) == 0


@given(NUMBERS, NUMBERS)
def test_changed_rows_never_says_too_many(old: list[int], new: list[int]) -> None:
    """Multisets that differ in m rows by addition, removal or edit."""
    gained, lost = Counter(new) - Counter(old), Counter(old) - Counter(new)
    truth = max(gained.total(), lost.total())
    assert sketch(old).changed_rows(sketch(new)) <= truth
    assert (sketch(old).mark == sketch(new).mark) == (truth == 0)


def test_another_secret_gives_another_mark() -> None:
    other = Secret.from_bytes(bytes(range(1, 33)))
    values = np.arange(30.0)
    assert sketch(values).mark != sketch_of(other.marks(values)).mark


@pytest.mark.parametrize(("different", "distinctive"), [(5, False), (40, True)])
def test_few_different_values_may_be_anybodys(different: int, distinctive: bool) -> None:
    assert sketch(np.arange(200) % different).distinctive is distinctive


def test_a_few_changed_rows_resemble_and_another_sample_does_not() -> None:
    rng = np.random.default_rng(5)
    ages = rng.integers(18, 90, size=500)
    fewer, edited = ages[1:], np.where(np.arange(500) < 9, 99, ages)
    another = rng.integers(18, 90, size=500)
    assert sketch(ages).resembles(sketch(fewer), fewer_than=50)
    assert sketch(ages).resembles(sketch(edited), fewer_than=50)
    assert not sketch(ages).resembles(sketch(ages), fewer_than=50)
    assert not sketch(ages).resembles(sketch(another), fewer_than=500)
    assert not sketch(ages).resembles(sketch(ages[60:]), fewer_than=50)


# --- in one pass ------------------------------------------------------------------------------

ROWS = st.lists(
    st.tuples(st.integers(-5, 5), st.sampled_from(["", "a", "b", "a text of several blocks"])),
    min_size=1,
    max_size=40,
)


def batches(rows: Sequence[tuple[float, str]], size: int) -> Iterator[dict[str, object]]:
    """Part rows as a table does."""
    for start in range(0, len(rows), size):
        numbers, texts = zip(*rows[start : start + size], strict=True)
        coded = pa.array(texts).dictionary_encode()
        yield {"x": np.array(numbers, dtype=float), "place": coded}


def same(one: Sketch, two: Sketch) -> bool:
    """Compare all that a sketch holds."""
    equal = (
        np.array_equal(one.buckets, two.buckets) and one.smallest.tolist() == two.smallest.tolist()
    )
    return equal and one.mark == two.mark


def pass_of(rows: Sequence[tuple[float, str]], size: int) -> Sketched:
    """Sketch rows in one pass."""
    return sketched(SECRET, batches(rows, size), rows=["place", "x"], persons=["place"])


@given(ROWS, st.integers(1, 40), st.randoms())
def test_one_pass_gives_what_each_column_by_itself_gives(
    rows: list[tuple[float, str]], size: int, chance: object
) -> None:
    numbers, texts = np.array([row[0] for row in rows], dtype=float), [row[1] for row in rows]
    shuffled = sorted(rows, key=lambda _: chance.random())  # type: ignore[attr-defined]
    found, again = pass_of(rows, size), pass_of(shuffled, len(rows))
    assert same(found.columns["x"], sketch_of(SECRET.marks(numbers)))
    assert same(found.columns["place"], sketch_of(SECRET.marks(texts), SMALLEST))
    sums = SECRET.marks(numbers) + SECRET.marks(texts)
    digests = encrypt(SECRET.digest("whole rows")[:16], sums)
    assert same(found.rows, sketch_of(digests, SMALLEST))
    for what in found.columns:
        assert same(found.columns[what], again.columns[what])
    assert same(found.rows, again.rows)
    values = sorted(numbers.tolist())
    follow = len(values) > 1 and all(b - a == 1 for a, b in pairwise(values))
    assert found.numbering == again.numbering == ({"x"} if follow else set())


@given(NUMBERS, NUMBERS)
def test_parts_add_up_to_the_whole(one: list[int], two: list[int]) -> None:
    first, second, both = ({"x": np.array(part, dtype=float)} for part in (one, two, one + two))
    whole = sketch_of(SECRET.marks(both["x"]), SMALLEST)
    for parts in ([first, second], [second, first], [both]):
        assert same(sketched(SECRET, parts, rows=(), persons=["x"]).columns["x"], whole)
    digests = {int(digest) for digest in SECRET.marks(both["x"])[:, 0]}
    assert whole.smallest.tolist() == sorted(digests)


@given(st.lists(st.integers(0, 12), max_size=40), st.integers(1, 4))
def test_the_smallest_digests_are_the_smallest_different_ones(
    digests: list[int], kept: int
) -> None:
    """Whether many are looked at, few, or many that are alike."""
    marks = np.array([[it, 0] for it in digests], dtype=np.uint64).reshape(-1, 2)
    assert sketch_of(marks, kept).smallest.tolist() == sorted({*digests})[:kept]


NUMBERING: dict[str, tuple[list[float], bool]] = {
    "from nought": ([0, 1, 2, 3], True),
    "in any order, from below nought": ([1, -1, 0, 2], True),
    "one missing": ([0, 1, 3], False),
    "one twice": ([0, 1, 1, 3], False),
    "two twice within as wide a range": ([0, 0, 2, 2, 4], False),
    "one more twice": ([0, 1, 2, 3, 3], False),
    "fractions": ([0.5, 1.5, 2.5], False),
    "with a gap": ([0, 1, 2, np.nan], False),
    "one row": ([1], False),
    "beyond what floats count": ([2.0**53, 2.0**53 + 2], False),
}


@pytest.mark.parametrize(("values", "numbers"), NUMBERING.values(), ids=NUMBERING)
def test_what_numbers_the_rows_is_told_without_sorting(values: list[float], numbers: bool) -> None:
    parts = [{"x": np.array(part, dtype=float)} for part in (values[:2], values[2:]) if part]
    found = sketched(SECRET, parts, rows=())
    assert found.numbering == ({"x"} if numbers else set())
    assert found.rows.mark == "0" * 32


def test_many_rows_are_sketched_by_spans() -> None:
    values = np.arange(150_000.0) % 1000
    column = {"x": values}
    found = sketched(SECRET, [column], rows=["x"])
    assert same(found.columns["x"], sketch_of(SECRET.marks(values)))
    assert len(found.rows.smallest) == 1000
    assert sketched(SECRET, [{"x": np.arange(150_000.0)}], rows=()).numbering == {"x"}


Floats = NDArray[np.float64]


def shape(values: Floats) -> Sketch:
    """Sketch the shape of a column."""
    return sketch_of(run_digests(SECRET, ends_of(np.asarray(values, dtype=float))), SMALLEST)


def shared(old: Floats, new: Floats) -> float:
    """Return the share of the new column's runs that the old one has."""
    return shape(old).shared(shape(new))


def draw(kind: str, seed: int, n: int = 400) -> Floats:
    """Draw a column."""
    rng = np.random.default_rng(seed)
    found: dict[str, Callable[[], Floats]] = {
        "normal": lambda: rng.normal(100, 15, n),
        "glucose": lambda: np.round(rng.normal(95, 12, n)),
        "one decimal": lambda: np.round(rng.lognormal(1, 0.5, n), 1),
        "ages": lambda: rng.integers(18, 90, n).astype(float),
        "ages of many": lambda: rng.integers(18, 90, 30 * n).astype(float),
        "many": lambda: rng.normal(0, 1, 30 * n),
    }
    return found[kind]()


KINDS = ("normal", "glucose", "one decimal", "ages", "ages of many", "many")
CHANGES: dict[str, Callable[[Floats], Floats]] = {
    "mmol/l": lambda x: x / 18.0182,
    "z-score": lambda x: (x - x.mean()) / x.std(),
    "negated": lambda x: -x,
    "Fahrenheit": lambda x: 1.8 * x + 32,
    "turned round": lambda x: 100 - 0.1 * x,
}


@pytest.mark.parametrize("kind", KINDS)
def test_a_linear_change_leaves_the_shape(kind: str) -> None:
    x = draw(kind, 1)
    assert shape(x).told_apart
    for name, change in CHANGES.items():
        assert shared(x, np.random.default_rng(9).permutation(change(x))) > 0.99, name
    assert shared(x, x[1:] * 3) > 0.8, "with a row less"
    assert max(shared(x, draw(kind, seed)) for seed in range(2, 6)) < 0.3, "another sample"


def test_a_change_that_is_not_linear_alters_it() -> None:
    """Among very many values neighbours lie so near that any smooth change is linear there."""
    x = np.abs(draw("normal", 1)) + 0.5
    assert shared(x, np.log(x)) < 0.1
    assert shared(x, np.round(x, 1)) < 0.1


EVEN = {
    "a few levels": np.arange(200.0) % 7,
    "numbered": np.arange(300.0),
    "every tenth": np.arange(300.0) / 10,
    "balanced": np.arange(600.0) % 60,
    "constant": np.ones(50),
    "nothing": np.full(50, np.nan),
}


def test_what_is_evenly_spread_has_no_shape_of_its_own() -> None:
    assert [name for name, values in EVEN.items() if shape(values).told_apart] == []


def held(ends: Ends) -> list[dict[float, int]]:
    """Return the ends as counts of values."""
    pairs = ((ends.low, ends.low_counts), (ends.high, ends.high_counts))
    return [dict(zip(v.tolist(), c.tolist(), strict=True)) for v, c in pairs]


@given(st.lists(st.integers(0, 3000), min_size=1, max_size=60), st.integers(1, 30), st.randoms())
def test_ends_of_parts_are_those_of_the_whole(seeds: list[int], size: int, chance: object) -> None:
    values = np.repeat(seeds, 40) + np.tile(np.arange(40) * 37 % 3001, len(seeds)) * 1.0
    shuffled = np.array(sorted(values, key=lambda _: chance.random()))  # type: ignore[attr-defined]
    parts = np.array_split(shuffled, size)
    found = ends_of(parts[0])
    for part in parts[1:]:
        found = ends_of(part, found)
    counts = Counter(values.tolist())
    different = sorted(counts)
    assert held(found) == [
        {value: counts[value] for value in some} for some in (different[:ENDS], different[-ENDS:])
    ]


# --- samples ----------------------------------------------------------------------------------


def people(first: int, last: int) -> Sketch:
    return sketch_of(SECRET.marks(np.arange(first, last, dtype=float)), SMALLEST)


def test_a_sample_is_what_all_would_keep() -> None:
    small, large = people(0, 300), people(0, 100_000)
    assert len(small.sampled_with([small])) == 300
    assert small.sampled_with([large]).tolist() == [
        it for it in small.smallest.tolist() if it <= large.smallest[-1]
    ]
    assert np.isin(small.sampled_with([large]), large.smallest).all()
    assert large.sampled_with([small]).tolist() == large.smallest.tolist()


@pytest.mark.parametrize(("different", "alike"), [(300, 0), (150, 0.5), (225, 0.25)])
def test_rows_are_alike_where_there_are_fewer_different_ones(different: int, alike: float) -> None:
    found = sketch_of(SECRET.marks(np.arange(300.0) % different), SMALLEST)
    assert found.alike == pytest.approx(alike)
