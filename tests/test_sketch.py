"""A sketch is equal for equal data, tells how much has changed, and holds no value."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from discreet.secret import Secret
from discreet.sketch import Sketch, sketch_of

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
    from collections import Counter

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
