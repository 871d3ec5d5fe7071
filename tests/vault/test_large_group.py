"""Groups of columns protected in random partitions: strata as in one piece, and all promises."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pyarrow.parquet as pq
import pytest
from numpy.typing import NDArray

import discreet as dc
from discreet.arguments import Labels
from discreet.errors import BrokenPromiseError, InputError, RefusedError
from discreet.keys import row_keys
from discreet.policy import Policy
from discreet.secret import FORMAT
from discreet.table import Table
from discreet.vault import whole_columns
from discreet.vault.keyed import Columns
from discreet.vault.large_group import LargeGroup
from discreet.vault.rows import prepared, raw_rows
from discreet.vault.vault import Copy, Vault, _made_of
from tests.vault.given import SECRET, table_of

K = 5
N = 3_000
GROUP = ("x", "y")
PARTITIONS = 4
Floats = NDArray[np.float64]


@pytest.fixture(autouse=True)
def _small_partitions(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let four partitions be made of a table of few rows, read in parts of fewer."""
    monkeypatch.setattr(whole_columns, "MOST_CELLS", 2 * N // PARTITIONS + 1)
    monkeypatch.setattr("discreet.table.columns.PART", 300)


def cohort(n: int = N, seed: int = 1) -> pl.DataFrame:
    """Make two related columns, and strata of which some are small and one is too small."""
    rng = np.random.default_rng(seed)
    x = rng.normal(50, 10, size=n)
    place = np.where(rng.random(n) < 0.03, "isle", np.where(rng.random(n) < 0.4, "town", "land"))
    place[:3] = "rock"
    return pl.DataFrame(
        {
            "x": x,
            "y": x + rng.normal(0, 5, size=n),
            "sex": np.where(rng.random(n) < 0.5, "f", "m"),
            "place": place,
            "who": [f"P{i * 7919 % n:05}" for i in range(n)],
        }
    )


def policy(**changes: Any) -> Policy:
    given: dict[str, Any] = {"rows": "condensation", "k": K, "strata": ("sex", "place")}
    return Policy.preset("standard", **given | changes)


def of(frame: Any, rules: Policy) -> Table:
    return table_of(frame, rules.unit, rules.key)


def large(frame: Any, rules: Policy) -> LargeGroup:
    found = LargeGroup.of(of(frame, rules), rules, SECRET, GROUP)
    assert found is not None
    return found


def in_partitions(group: LargeGroup) -> list[Columns]:
    with group.each(None) as found:
        return [{**rows} for rows in found]


def words(rows: Mapping[str, Any], names: tuple[str, ...]) -> list[tuple[str, ...]]:
    return [*zip(*(rows[name].to_pylist() for name in names), strict=True)]


def kept(copy: Copy) -> tuple[object, ...]:
    """Return a copy as plain values."""
    numbers = {name: values.tolist() for name, values in copy.columns.items()}
    levels = {name: it for name, it in copy.strata.items()}
    return numbers, levels, copy.version, copy.left_out, copy.remarks


@pytest.fixture(scope="module")
def frame() -> pl.DataFrame:
    return cohort()


# --- strata ---------------------------------------------------------------------------------------

RULES: dict[str, dict[str, Any]] = {
    "small ones joined": {},
    "small ones left out": {"most_suppressed": 0.5},
    "by a hierarchy": {
        "hierarchies": {"place": {"all": {"sea": ["isle", "rock"], "dry": ["town", "land"]}}}
    },
    "missing levels are one": {"missing_levels": "level"},
    "gaps are filled": {"missing": "median"},
    "persons of several rows": {"unit": "who"},
    "rows by their key": {"key": "who"},
    "one stratum": {"strata": ()},
}


@pytest.mark.parametrize("rules", RULES.values(), ids=RULES)
def test_strata_are_those_of_one_piece(frame: pl.DataFrame, rules: dict[str, Any]) -> None:
    given = cohort().with_columns(
        place=pl.when(pl.int_range(N) % 50 == 7).then(None).otherwise(pl.col("place")),
        x=pl.when(pl.int_range(N) % 60 == 3).then(None).otherwise(pl.col("x")),
    )
    chosen = policy(**rules)
    if chosen.unit is not None:  # three rows each, in several strata
        given = pl.concat([given, cohort(seed=2), cohort(seed=3)])
    group = large(given, chosen)
    raw = raw_rows(of(given, chosen), chosen, GROUP, SECRET, strata=chosen.strata)
    once = prepared(raw, chosen, SECRET)

    found, persons = Counter[tuple[str, ...]](), 0
    for place, rows in enumerate(in_partitions(group)):
        ready = group.noised(rows, place).rows
        levels = [*zip(*ready.levels.values(), strict=True)] or [()] * len(ready.values)
        found.update(levels)
        persons += ready.done.suppressed
        assert ready.done.repaired == once.done.repaired
    expected = Counter([*zip(*once.levels.values(), strict=True)] or [()] * len(once.values))

    assert {*found} == {*expected}
    step = chosen.count_step
    for stratum, size in expected.items():
        assert found[stratum] % step == 0
        # Rows are left out so that sizes are even, of each part of a stratum anew.
        slack = 0.1 * size if chosen.unit else PARTITIONS * step
        assert abs(found[stratum] - size) <= slack
    assert group.strata.suppressed == once.done.suppressed
    assert group.left_out == raw.rows.left_out


def test_a_stratum_is_whole_or_of_many_persons_in_each_partition(frame: pl.DataFrame) -> None:
    group = large(frame, policy(most_suppressed=0.5))
    found = [Counter(words(rows, ("sex", "place"))) for rows in in_partitions(group)]

    together = sum(found, Counter[tuple[str, ...]]())
    assert len(found) == group.partitions > 1
    least = 50 * 2 * K
    for stratum, size in together.items():
        parts = [it[stratum] for it in found if it[stratum]]
        assert len(parts) == max(1, min(len(found), size // least))
        assert min(parts) > size / len(parts) - 5 * np.sqrt(size / len(parts))
    assert not any(place == "rock" for _, place in together), "three persons are a stratum nowhere"
    assert all(sum(it.values()) > least / 2 for it in found)
