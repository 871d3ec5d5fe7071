"""Groups of columns protected in random partitions: strata as in one piece, and all promises."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pyarrow.parquet as pq
import pytest
from numpy.typing import NDArray

import discreet as dc
from discreet.errors import BrokenPromiseError, InputError, RefusedError
from discreet.policy import Policy
from discreet.table import Table
from discreet.vault import large_group
from discreet.vault.keyed import Columns
from discreet.vault.large_group import LargeGroup
from discreet.vault.rows import prepared, raw_rows
from discreet.vault.vault import Copy, Vault, _made_of
from tests.vault.given import SECRET, engines, table_of

K = 5
N = 6_000
GROUP = ("x", "y")
PARTITIONS = 4
Floats = NDArray[np.float64]


@pytest.fixture(autouse=True)
def _small_partitions(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let four partitions be made of a table of few rows, read in parts of fewer."""
    monkeypatch.setattr(large_group, "MOST_CELLS", 2 * N // PARTITIONS + 1)
    monkeypatch.setattr("discreet.table.frames.PART", 300)


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
def test_strata_are_those_of_one_piece(rules: dict[str, Any]) -> None:
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

    found = Counter[tuple[str, ...]]()
    for place, rows in enumerate(in_partitions(group)):
        ready = group.noised(rows, place).rows
        levels = [*zip(*ready.levels.values(), strict=True)] or [()] * len(ready.values)
        found.update(levels)
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


@pytest.mark.parametrize("rules", [{}, {"unit": "who"}, {"strata": ()}], ids=str)
def test_every_row_is_in_one_partition(rules: dict[str, Any]) -> None:
    chosen = policy(most_suppressed=0.5, **rules)
    twice = pl.concat([cohort(seed=2), cohort(seed=3)]).filter(pl.col("place") != "rock")

    found = in_partitions(large(twice, chosen))

    values = np.concatenate([rows["x"] for rows in found])
    assert np.array_equal(np.sort(values), np.sort(twice["x"]))
    if chosen.unit is not None:  # all rows of a person in a stratum are in one place
        homes = Counter(
            (person, *stratum, place)
            for place, rows in enumerate(found)
            for person, *stratum in words(rows, ("who", *chosen.strata))
        )
        assert len({home[:-1] for home in homes}) == len(homes)


def test_a_table_of_few_different_rows_is_spread_evenly() -> None:
    rng = np.random.default_rng(4)
    frame = cohort().with_columns(
        x=pl.Series(rng.integers(2, size=N).astype(float)),
        y=pl.Series(rng.integers(2, size=N).astype(float)),
        place=pl.lit("land"),
    )

    sizes = [len(rows["x"]) for rows in in_partitions(large(frame, policy()))]

    assert sum(sizes) == N
    assert min(sizes) > N / PARTITIONS - 5 * np.sqrt(N / PARTITIONS)


def test_partitions_that_would_be_too_small_are_fewer(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(large_group, "MOST_CELLS", 10)
    group = large(cohort(), policy(strata=()))

    assert group.partitions == N // (50 * 2 * K)
    assert all(len(rows["x"]) > 50 * K for rows in in_partitions(group))
    few = policy(k=80, strata=())
    assert LargeGroup.of(of(cohort(), few), few, SECRET, GROUP) is None


ONE_PIECE: dict[str, dict[str, Any]] = {
    "levels are drawn": {"missing_levels": "drawn"},
    "a number of regions": {"rows": "equal-width", "c": 8, "strata": ()},
}


@pytest.mark.parametrize("rules", ONE_PIECE.values(), ids=ONE_PIECE)
def test_what_is_protected_in_one_piece(frame: pl.DataFrame, rules: dict[str, Any]) -> None:
    chosen = policy(**rules)

    assert LargeGroup.of(of(frame, chosen), chosen, SECRET, GROUP) is None
    assert len(Vault(SECRET, None).copy(of(frame, chosen), chosen, GROUP)) > N / 2


# --- the copy -------------------------------------------------------------------------------------


def test_the_copy_is_those_of_the_partitions_one_after_the_other(
    frame: pl.DataFrame, tmp_path: Path
) -> None:
    chosen = policy()
    group = large(frame, chosen)
    copy = Vault(SECRET, tmp_path).copy(of(frame, chosen), chosen, GROUP)

    start = 0
    for place, rows in enumerate(in_partitions(group)):
        made = _made_of(group, rows, place)
        numbers = np.column_stack([copy.columns[name] for name in GROUP])
        part = numbers[start : start + len(made.released)]
        assert sorted(part.tolist()) == sorted(made.released.tolist())
        start += len(part)
    assert start == len(copy)
    assert copy.path is not None
    assert copy.path.stat().st_mode & 0o777 == 0o600
    assert [it.name for it in tmp_path.iterdir()] == [f"copy-{copy.version}.parquet"]
    assert any("random partitions" in remark for remark in copy.remarks)


@pytest.mark.parametrize("rules", [{}, {"unit": "who"}], ids=str)
def test_the_same_copy_whatever_holds_the_rows(
    rules: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    frame, chosen = pl.concat([cohort(), cohort(seed=2)]), policy(**rules)
    expected = kept(Vault(SECRET, None).copy(of(frame, chosen), chosen, GROUP))

    for what, source in engines(frame, tmp_path):
        again = Vault(SECRET, None).copy(of(source, chosen), chosen, GROUP)
        assert kept(again) == expected, what
    monkeypatch.setattr("discreet.vault.vault.AT_ONCE", 3)
    monkeypatch.setattr("discreet.table.frames.PART", 1_111)
    assert kept(Vault(SECRET, None).copy(of(frame, chosen), chosen, GROUP)) == expected


def test_a_kept_copy_is_read_again(frame: pl.DataFrame, tmp_path: Path) -> None:
    chosen = policy()
    copy = Vault(SECRET, tmp_path).copy(of(frame, chosen), chosen, GROUP)
    assert copy.path is not None
    before = copy.path.stat().st_mtime_ns

    again = Vault(SECRET, tmp_path).copy(of(frame, chosen), chosen, GROUP)

    assert kept(again) == kept(copy)
    assert copy.path.stat().st_mtime_ns == before


def test_data_that_change_while_they_are_read_make_no_copy(
    frame: pl.DataFrame, tmp_path: Path
) -> None:
    file, folder = tmp_path / "cohort.parquet", tmp_path / "vault"
    folder.mkdir()
    frame.write_parquet(file)
    group = large(str(file), policy())
    frame.with_columns(pl.col("x") + 1, place=pl.lit("sea")).write_parquet(file)

    with (
        pytest.raises(InputError, match="changed while they were read; open them again"),
        group.each(folder),
    ):
        pass
    assert [*folder.iterdir()] == []


def test_a_refusal_within_a_partition_leaves_no_file(frame: pl.DataFrame, tmp_path: Path) -> None:
    constant = frame.with_columns(y=pl.lit(1.5))

    with pytest.raises(RefusedError, match="column 'y' is constant"):
        Vault(SECRET, tmp_path).copy(of(constant, policy()), policy(), GROUP)
    assert [*tmp_path.iterdir()] == []


# --- promises -------------------------------------------------------------------------------------


def heavy(n: int, seed: int) -> pl.DataFrame:
    values = np.random.default_rng(seed).standard_t(3, size=(n, 2))
    return pl.DataFrame({"x": values[:, 0], "y": values[:, 1]})


@pytest.mark.promise
@pytest.mark.parametrize("seed", [1, 2])
def test_a_record_is_no_easier_to_find_than_one_of_k(seed: int) -> None:
    """Its nearest row in the whole copy is its own, for whoever knows all its values."""
    chosen = policy(strata=())
    group = large(heavy(N, seed), chosen)
    made = [_made_of(group, rows, place) for place, rows in enumerate(in_partitions(group))]
    original = np.concatenate([it.original for it in made])
    released = np.concatenate([it.released for it in made])
    spread = released.std(axis=0)

    own = []
    for row in range(0, len(original), 7):
        gaps = (((released - original[row]) / spread) ** 2).sum(axis=1)
        own.append(gaps[row] <= gaps.min())
    assert np.mean(own) <= 1 / K + 0.03
    far = np.argsort(-np.abs(original / original.std(axis=0)).max(axis=1))[:20]
    found = [
        ((((released - original[row]) / spread) ** 2).sum(axis=1).argmin() == row) for row in far
    ]
    assert np.mean(found) <= 1 / K + 0.3


@pytest.mark.promise
def test_ends_of_each_partition_stand_on_k_persons() -> None:
    """A far value moves no end of a column, whichever partition it is in."""
    frame = heavy(N, 3)
    outlier = frame.with_columns(x=pl.when(pl.int_range(N) == 17).then(1e4).otherwise(pl.col("x")))
    chosen = policy(strata=())

    copy = Vault(SECRET, None).copy(of(outlier, chosen), chosen, GROUP)

    largest = np.sort(frame["x"])[-2 * K :]
    assert copy.columns["x"].max() <= largest.max() + frame["x"].std()


@pytest.mark.promise
@pytest.mark.parametrize("unit", [None, "who"])
def test_rows_of_microaggregation_are_shared_by_k(unit: str | None) -> None:
    chosen = policy(rows="microaggregation", unit=unit, most_suppressed=0.5)
    frame = pl.concat([cohort(), cohort(seed=2)]) if unit else cohort()

    group = large(frame, chosen)
    for place, rows in enumerate(in_partitions(group)):
        made = _made_of(group, rows, place)
        shared: dict[tuple[object, ...], set[object]] = {}
        strata = zip(*made.levels.values(), strict=True)
        ready = group.noised(rows, place).rows
        whose = range(len(made.released)) if ready.persons is None else ready.persons.tolist()
        for row, stratum, person in zip(made.released.tolist(), strata, whose, strict=True):
            shared.setdefault((*row, *stratum), set()).add(person)
        assert min(map(len, shared.values())) >= K


def test_sizes_of_strata_are_rounded(frame: pl.DataFrame) -> None:
    chosen = policy()
    copy = Vault(SECRET, None).copy(of(frame, chosen), chosen, GROUP)

    sizes = Counter(zip(*copy.strata.values(), strict=True))
    assert all(size % 5 == 0 for size in sizes.values())
    assert min(sizes.values()) >= 2 * K


# --- released -------------------------------------------------------------------------------------


def test_a_table_is_released_with_its_report(frame: pl.DataFrame, tmp_path: Path) -> None:
    chosen = policy(groups=(GROUP,))
    study = dc.open(frame.drop("who"), chosen, study="s")
    release = study.anonymize([*GROUP])

    path = release.save(tmp_path / "out.parquet", report=tmp_path / "report.json")

    told = json.loads((tmp_path / "report.json").read_text())
    assert any("random partitions" in note for note in told["notes"])
    copy = study.session.copy(GROUP)
    assert pq.read_table(path).num_rows == len(copy) > 0.9 * N
    assert sorted(pq.read_table(path)["x"].to_pylist()) == sorted(copy.columns["x"].tolist())
    assert json.loads(study.scatter("x", "y").to_json())["origin"]["shown"] == len(copy)


def test_a_kept_copy_of_other_data_is_found_out(frame: pl.DataFrame) -> None:
    study = dc.open(frame.drop("who"), policy(groups=(GROUP,)), study="s")
    copy = study.session.copy(GROUP)
    numbers = {name: values.copy() for name, values in copy.columns.items()}
    numbers["x"][0] += 1
    held = study.session._vault._copies
    for what in [*held]:
        held[what] = Copy(numbers, copy.strata, copy.version, copy.left_out)

    with pytest.raises(BrokenPromiseError, match="not the one that is made of these data"):
        study.anonymize([*GROUP])
