"""One protected copy of a whole table."""

from __future__ import annotations

import numpy as np
import pytest

from discreet.arguments import Floats, Labels
from discreet.errors import RefusedError
from discreet.keys import row_keys, total
from discreet.protect.whole import Draws, Levels, Settings, WholeCopy, whole_copy
from discreet.secret import Secret

SECRET = Secret.from_bytes(bytes(range(32)))


def table(n: int, seed: int = 0) -> tuple[dict[str, Floats], dict[str, Levels]]:
    """Make columns that hang together: numbers, an end after its start, gaps and levels."""
    random = np.random.default_rng(seed)
    age = np.round(random.normal(50, 12, n))
    start = np.round(random.uniform(0, 900, n))
    bmi = np.where(random.uniform(size=n) < 0.2, np.nan, 20 + age / 10 + random.normal(0, 3, n))
    numbers = {"age": age, "start": start, "end": start + random.integers(0, 400, n), "bmi": bmi}
    sex = (random.uniform(size=n) < 1 / (1 + np.exp((50 - age) / 8))).astype(np.intp)
    return numbers, {"sex": Levels(("f", "m"), sex)}


def copied(
    numbers: dict[str, Floats],
    levels: dict[str, Levels],
    *,
    k: int = 5,
    m: int = 10,
    persons: Labels | None = None,
) -> WholeCopy:
    """Make a copy with draws that are keyed by the records."""
    texts = [tuple(it.words[i] if i >= 0 else "" for i in it.codes) for it in levels.values()]
    keys = row_keys(SECRET, [*numbers.values(), *texts])
    draws = Draws(SECRET, SECRET.digest("version", total(keys)), keys)
    return whole_copy(numbers, levels, draws, Settings(k, m), persons)


def test_the_order_of_rows_and_columns_changes_nothing() -> None:
    numbers, levels = table(300)
    found = copied(numbers, levels)
    turned = np.random.default_rng(1).permutation(300)
    names = ["bmi", "start", "age", "end"]
    texts = {"sex": Levels(("f", "m"), levels["sex"].codes[turned])}
    again = copied({name: numbers[name][turned] for name in sorted(names)}, texts)
    ordered = copied({name: numbers[name] for name in sorted(names)}, levels)

    for name in names:
        np.testing.assert_array_equal(ordered.numbers[name], again.numbers[name])
    np.testing.assert_array_equal(ordered.levels["sex"].codes, again.levels["sex"].codes)
    assert set(found.numbers) == set(names)


def test_no_end_comes_before_its_start() -> None:
    found = copied(*table(300)).numbers

    assert (found["end"] >= found["start"]).all()


def test_groups_are_of_m_rows_or_more() -> None:
    found = copied(*table(300))

    assert np.bincount(found.groups[found.groups >= 0]).min() >= 10


def test_a_table_of_few_persons_is_refused() -> None:
    with pytest.raises(RefusedError, match="too few persons for a copy"):
        copied(*table(39))
