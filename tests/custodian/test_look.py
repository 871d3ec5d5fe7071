"""One look at the data for a release: each row is read once, and nothing is found but what was."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow.parquet as pq
import pytest

import discreet as dc
from discreet.custodian.gate import Look, ReleaseGate
from discreet.policy import Policy
from discreet.secret import Secret
from discreet.sketch import Sketch, Sketched
from discreet.table import Table, frames, open_table
from discreet.vault import whole_columns
from discreet.vault.vault import Vault, raw_whole
from tests.custodian.test_gate import Heard

SECRET = Secret.from_bytes(bytes(range(32)))
POLICY = Policy.preset("standard", k=3, m=6)
N = 700
KINDS = {"ward": "categorical"}


def frame() -> pl.DataFrame:
    """Make rows of all kinds: gaps, infinities, levels that are numbers, dates, repeats."""
    rng = np.random.default_rng(4)
    x = np.round(rng.normal(size=N), 1)
    x[:3] = np.nan, np.inf, -0.0
    days = pl.date_range(pl.date(2020, 1, 1), pl.date(2020, 1, 9), eager=True)
    out = pl.DataFrame(
        {
            "x": x,
            "age": rng.integers(20, 80, N),
            "ward": rng.integers(1, 4, N),
            "sex": np.where(rng.random(N) < 0.5, "f", "m"),
            "seen": days.sample(N, with_replacement=True, seed=1),
            "row": np.arange(N),
            "name": [f"name {i}" for i in range(N)],
        }
    ).with_columns(sex=pl.when(pl.col("age") > 25).then("sex"))
    alike = out.head(40).with_columns(row=pl.int_range(N, N + 40), name=pl.lit("one more"))
    return pl.concat([out, alike.cast(out.schema)])


def sources(folder: Path) -> dict[str, Any]:
    """Return the rows as several engines have them."""
    rows = frame()
    pq.write_table(rows.to_arrow(), folder / "rows.parquet")
    return {
        "polars": rows,
        "lazy": rows.lazy(),
        "pandas": rows.to_pandas(),
        "file": folder / "rows.parquet",
    }


def gate_of(source: Any, **how: Any) -> ReleaseGate:
    given = {"kinds": KINDS, "roles": {"name": "identifier"}, "unit": None, "key": None} | how
    return ReleaseGate(open_table(source, **given), POLICY, SECRET, Heard(), "s")


def plain(found: Sketched) -> Any:
    """Return sketches as values that can be compared."""

    def of(one: Sketch) -> Any:
        return one.mark, one.buckets.tolist(), one.smallest.tolist()

    columns = {name: of(it) for name, it in found.columns.items()}
    shapes = {name: of(it) for name, it in found.shapes.items()}
    return columns, of(found.rows), found.numbering, found.persons, shapes


@pytest.fixture(params=[1, 4], ids=["one partition", "several"])
def _partitions(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(whole_columns, "MOST_CELLS", N * 8 // request.param)
    monkeypatch.setattr("discreet.table.frames.PART", 97)


def version_of(gate: ReleaseGate, look: Look | None) -> str:
    read = None if look is None else look.in_parts
    return Vault(SECRET, None).version_of_whole(gate.table, POLICY, read)


@pytest.mark.usefixtures("_partitions")
@pytest.mark.parametrize("engine", ["lazy", "pandas", "file"])
def test_what_is_seen_at_once_is_what_is_seen_one_after_the_other(
    engine: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    gate = gate_of(sources(tmp_path)[engine])
    several = whole_columns.choose_columns(gate.table, POLICY).partitions > 1
    assert several == (whole_columns.MOST_CELLS < N * 5)
    look = Look(gate)
    apart = version_of(gate, None), plain(gate._all_columns())
    assert raw_whole(gate.table, POLICY, SECRET).version.hex()[:16] == apart[0]
    passes: list[int] = []
    real = frames.parts

    def counted(frame: Any, wanted: Any, keep: Any) -> Iterator[Any]:
        passes.append(len(wanted))
        return real(frame, wanted, keep)

    monkeypatch.setattr("discreet.table.table.parts", counted)
    at_once = version_of(gate, look), plain(look.all_columns())
    assert at_once == apart
    assert passes == [len(frame().columns) + 1]  # the levels that are numbers are read as both


APART: dict[str, dict[str, Any]] = {
    "codes for missing values": {"missing_values": {"age": [79.0]}},
    "persons": {"unit": "name"},
    "a key": {"key": "row"},
}


@pytest.mark.usefixtures("_partitions")
@pytest.mark.parametrize("how", APART.values(), ids=APART)
def test_rows_that_are_not_read_alike_are_read_apart(how: dict[str, Any]) -> None:
    gate = gate_of(frame(), **how)
    look = Look(gate)
    assert not gate.table.alike
    assert version_of(gate, look) == version_of(gate, None)
    assert plain(look.all_columns()) == plain(gate._all_columns())


@pytest.mark.usefixtures("_partitions")
@pytest.mark.parametrize("role", ["identifier", "other"])
def test_a_column_that_cannot_be_read_holds_up_no_other(role: str) -> None:
    mixed = frame().to_pandas()
    mixed["mixed"] = pd.Series([1.5, b"bird"] * (len(mixed) // 2), dtype=object)
    gate = gate_of(mixed, roles={"name": "identifier", "mixed": role})
    look = Look(gate)
    assert version_of(gate, look) == version_of(gate, None)
    found = look.all_columns()
    assert "mixed" not in found.columns
    assert plain(found) == plain(gate._all_columns())


def test_a_study_that_is_known_is_not_sketched_anew(monkeypatch: pytest.MonkeyPatch) -> None:
    gate = gate_of(frame())
    monkeypatch.setattr(Heard, "knows", lambda *_: True)
    monkeypatch.setattr(Table, "both_ways", lambda *_: pytest.fail("all columns were read"))
    assert version_of(gate, Look(gate)) == version_of(gate, None)


def test_a_first_save_reads_the_rows_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What is read column by column to draw is counted apart: whole rows come by parts."""
    monkeypatch.setenv("DISCREET_STATE", str(tmp_path / "state"))
    monkeypatch.setenv("DISCREET_SECRET", "7" * 12 + "0123456789abcdef" * 3)
    view = dc.open(sources(tmp_path)["file"], study="s", unit=False).histogram("x")
    passes = []
    real = frames.parts

    def counted(frame: Any, wanted: Any, keep: Any) -> Iterator[Any]:
        passes.append(len(wanted))
        return real(frame, wanted, keep)

    monkeypatch.setattr("discreet.table.table.parts", counted)
    view.to_json()
    assert len(passes) == 1
