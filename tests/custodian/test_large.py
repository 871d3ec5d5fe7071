"""Tables protected in partitions: each as a table of its own, whoever read the rows."""

from __future__ import annotations

import json
import pickle
import shutil
import signal
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import discreet as dc
from discreet.columns import column as lazily
from discreet.columns.column import Copy
from discreet.errors import BrokenPromiseError, InputError, RefusedError
from discreet.explore.from_copy import WholeTable
from discreet.policy import Policy
from discreet.secret import Secret
from discreet.table import Table, open_table
from discreet.vault import partitions as partitions_of
from discreet.vault import stored, whole_columns
from discreet.vault.keyed_rows import protect_in_order
from discreet.vault.partitions import LargeTable
from discreet.vault.vault import Vault, load, raw_whole
from discreet.vault.whole_columns import (
    choose_columns,
    columns_of_copy,
    copy_of_whole,
    protect_partition,
)
from tests.custodian.test_whole import PLOTS, cohort, whole
from tests.forked import ran
from tests.vault.given import engines

pytestmark = pytest.mark.usefixtures("no_intervals")

SECRET = Secret.from_bytes(bytes(range(32)))
POLICY = Policy.preset("standard", k=3, m=6)
N = 1300
MOST = N * 5 // 4 + 1
"""Four partitions have so many cells: a cohort has five columns that are drawn."""


@pytest.fixture(autouse=True)
def _small_partitions(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let four partitions be made of a table of few rows, read in parts of fewer."""
    monkeypatch.setattr(whole_columns, "MOST_CELLS", MOST)
    monkeypatch.setattr("discreet.table.frames.PART", 100)


def table_of(frame: object, **how: object) -> Table:
    given = {"kinds": {}, "roles": {}, "unit": None, "key": None} | how
    return open_table(frame, **given)  # type: ignore[arg-type]


def parted(frame: pl.DataFrame, **how: object) -> dc.Study:
    """Open a study with a copy of two partitions: of more, persons would be too few."""
    return whole(frame, policy=Policy.preset("standard", m=10), **how)


def kept(copy: Copy) -> tuple[object, ...]:
    """Return a copy as plain values."""
    numbers = {name: np.nan_to_num(it, nan=-1e9).tolist() for name, it in copy.columns.items()}
    return numbers, {name: it for name, it in copy.strata.items()}, copy.version, copy.remarks


@pytest.fixture(scope="module")
def frame() -> pl.DataFrame:
    return cohort(N)


KEPT: list[Path] = []


@pytest.fixture
def copy(frame: pl.DataFrame, tmp_path: Path, tmp_path_factory: pytest.TempPathFactory) -> Copy:
    """A copy in a file of its own, which was made once."""
    if not KEPT:
        KEPT.append(tmp_path_factory.mktemp("kept"))
        Vault(SECRET, KEPT[0]).whole(table_of(frame), POLICY)
    for path in KEPT[0].iterdir():
        shutil.copy2(path, tmp_path)
    return Vault(SECRET, tmp_path).whole(table_of(frame), POLICY)


def partitions(table: Table) -> list[whole_columns.RawWhole]:
    large = LargeTable.of(table, POLICY, SECRET, choose_columns(table, POLICY))
    with large.each(None) as found:
        return [large.work.raw(rows, place, large.version) for place, rows in enumerate(found)]


# --- what a copy of partitions is -----------------------------------------------------------------


@pytest.mark.slow
def test_the_copy_is_those_of_the_partitions_one_after_the_other(
    frame: pl.DataFrame, copy: Copy
) -> None:
    found = partitions(table_of(frame))
    assert len(found) == 4
    made = [columns_of_copy(copy_of_whole(it)) for it in found]
    for name in ("age", "bmi", "glucose"):
        expected = np.concatenate([numbers[name] for numbers, _ in made])
        assert np.array_equal(copy.columns[name], expected, equal_nan=True)
    for name in ("sex", "smoker"):
        assert copy.strata[name] == tuple(word for _, words in made for word in words[name])


@pytest.mark.slow
@pytest.mark.parametrize(("most", "memory", "at_once"), [(3, 1e9, 3), (3, 1e3, 1)])
def test_however_many_are_protected_at_a_time(
    frame: pl.DataFrame,
    copy: Copy,
    most: int,
    memory: float,
    at_once: int,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(partitions_of, "AT_ONCE", most)
    monkeypatch.setattr(partitions_of, "TOGETHER", memory)
    found, vault = list[int](), Vault(SECRET, None)

    def counted(*given: Any) -> Any:
        found.append(given[-1])
        return protect_in_order(*given)

    monkeypatch.setattr(partitions_of, "protect_in_order", counted)
    assert kept(vault.whole(table_of(frame), POLICY)) == kept(copy)
    assert found == [at_once]


def test_every_row_is_in_one_partition_of_about_equal_size(frame: pl.DataFrame) -> None:
    found = partitions(table_of(frame))
    sizes = [len(it.draws.keys) for it in found]
    assert sum(sizes) == N
    assert min(sizes) > N / 4 - 4 * np.sqrt(N * 3 / 16)
    together = np.sort(np.concatenate([it.numbers["glucose"] for it in found]))
    assert np.array_equal(together, np.sort(frame["glucose"].fill_null(np.nan)), equal_nan=True)


@pytest.mark.parametrize("columns", [["sex"], ["sex", "smoker"], ["sex", "none"]])
def test_a_table_of_few_different_rows_is_spread_evenly(
    columns: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    frame = cohort(N).with_columns(none=pl.lit(None, pl.Float64)).select(columns)
    monkeypatch.setattr(whole_columns, "MOST_CELLS", N * len(columns) // 4 + 1)
    found = partitions(table_of(frame, kinds={"none": "continuous"} if "none" in columns else {}))
    sizes = [len(it.draws.keys) for it in found]
    assert len(found) == 4
    assert sum(sizes) == N
    assert min(sizes) > N / 4 - 5 * np.sqrt(N * 3 / 16)
    women = sum(it.levels["sex"].texts().count("f") for it in found)
    assert women == (frame["sex"] == "f").sum()
    assert all(0.3 < it.levels["sex"].texts().count("f") / len(it.draws.keys) < 0.7 for it in found)


@pytest.mark.slow
def test_another_process_protects_a_partition_alike() -> None:
    twice = pl.concat([cohort(N, seed) for seed in (0, 1)])
    frame = twice.with_columns(
        patient=pl.Series([f"P{i % N:05}" for i in range(2 * N)]), visit=pl.int_range(2 * N)
    )
    table = table_of(frame, unit="patient")
    large = LargeTable.of(table, POLICY, SECRET, choose_columns(table, POLICY))
    with large.each(None) as found:
        for place, rows in enumerate(found):
            here = protect_partition(large.work, rows, place, large.version)
            given = pickle.dumps((large.work, rows, place, large.version))
            there = protect_partition(*pickle.loads(given))
            assert pickle.dumps(there) == pickle.dumps(here)
            assert (here.outcome.near is None) == (place > 0)
            assert bytes(range(32)) not in given, "the secret stays here"


def test_partitions_have_noise_of_their_own(frame: pl.DataFrame) -> None:
    first, second, *_ = (it.draws for it in partitions(table_of(frame)))
    assert first.version != second.version
    assert not np.array_equal(first.of_table("counts", 5), second.of_table("counts", 5))


def test_data_that_change_while_they_are_read_make_no_copy(
    frame: pl.DataFrame, tmp_path: Path
) -> None:
    file, folder = tmp_path / "cohort.parquet", tmp_path / "vault"
    folder.mkdir()
    frame.write_parquet(file)
    table = table_of(str(file))
    large = LargeTable.of(table, POLICY, SECRET, choose_columns(table, POLICY))
    frame.with_columns(pl.col("age") + 1).write_parquet(file)
    with (
        pytest.raises(InputError, match="changed while they were being read; open them again"),
        large.each(folder),
    ):
        pass
    assert [*folder.iterdir()] == []


@pytest.mark.slow
def test_a_column_left_out_of_all_partitions_is_not_in_the_copy(tmp_path: Path) -> None:
    few = pl.Series(["yes" if i < 4 else None for i in range(N)])
    rare = pl.Series([1.5 if i < 9 else None for i in range(N)])
    frame = cohort(N).with_columns(few=few, rare=rare)
    copy = Vault(SECRET, tmp_path).whole(table_of(frame), POLICY)
    assert {"few", "rare"}.isdisjoint({*copy.columns, *copy.strata})
    assert "few (nearly empty), patient" in copy.remarks[0]
    released = parted(frame).anonymize().table
    assert {"few", "rare"}.isdisjoint(released.column_names)


@pytest.mark.slow
def test_a_level_that_a_partition_has_not_is_missing_there(tmp_path: Path) -> None:
    few = pl.Series(["yes" if i % 140 == 0 else None for i in range(N)])
    copy = Vault(SECRET, tmp_path).whole(table_of(cohort(N).with_columns(few=few)), POLICY)
    assert {*copy.strata.get("few", ())} <= {"yes", ""}


@pytest.mark.slow
def test_the_first_partition_stands_for_the_table(frame: pl.DataFrame) -> None:
    raw, first = raw_whole(table_of(frame), POLICY, SECRET), partitions(table_of(frame))[0]
    assert raw.version == first.version
    assert sorted(map(tuple, raw.draws.keys.tolist())) == sorted(
        map(tuple, first.draws.keys.tolist())
    )
    assert sorted(raw.levels["smoker"].texts()) == sorted(first.levels["smoker"].texts())


def test_a_table_that_is_small_enough_is_one_piece(
    frame: pl.DataFrame, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(whole_columns, "MOST_CELLS", N * 5)
    assert choose_columns(table_of(frame), POLICY).partitions == 1
    assert choose_columns(table_of(frame.head(N - 200)), POLICY).partitions == 1


def test_partitions_are_of_persons_enough() -> None:
    few = cohort(N).with_columns(patient=pl.Series([f"P{i % 200:03}" for i in range(N)]))
    assert (
        choose_columns(table_of(few, unit="patient"), POLICY).partitions == 1
    )  # 4 x 50 m are 1200


def test_all_rows_of_a_person_are_in_one_partition() -> None:
    who = np.arange(2 * N) % N
    twice = pl.concat([cohort(N, seed) for seed in (0, 1)]).with_columns(
        patient=pl.Series([f"P{i:05}" for i in who])
    )
    found = partitions(table_of(twice, unit="patient"))
    assert len(found) == 4  # of 1300 persons there cannot be more
    persons = [len(np.unique(it.persons)) for it in found if it.persons is not None]
    assert sum(persons) == N
    assert sum(len(it.draws.keys) for it in found) == 2 * N


# --- the same whoever read it ---------------------------------------------------------------------


@pytest.mark.slow
def test_the_same_copy_whatever_holds_the_rows(
    frame: pl.DataFrame, copy: Copy, tmp_path: Path
) -> None:
    for what, source in engines(frame, tmp_path):
        again = Vault(SECRET, None).whole(table_of(source), POLICY)
        assert kept(again) == kept(copy), what


def test_another_row_is_another_version(frame: pl.DataFrame, copy: Copy) -> None:
    other = pl.concat([frame.head(N - 1), frame.tail(1).with_columns(age=pl.lit(41.0))])
    version = Vault(SECRET, None).version_of_whole(table_of(other), POLICY)
    assert version != copy.version
    assert Vault(SECRET, None).version_of_whole(table_of(frame), POLICY) == copy.version


@pytest.mark.slow
def test_a_column_that_cannot_be_read_holds_up_no_other(frame: pl.DataFrame) -> None:
    mixed = frame.to_pandas()
    mixed["mixed"] = pd.Series([1.5, b"bird"] * (N // 2), dtype=object)
    copy = Vault(SECRET, None).whole(table_of(mixed), POLICY)
    assert "mixed" not in {*copy.columns, *copy.strata}
    assert any("mixed (cannot be read)" in it for it in copy.remarks)
    assert len(copy.columns["age"]) > N / 2


@pytest.mark.slow
def test_a_key_must_tell_rows_apart(frame: pl.DataFrame) -> None:
    fine = table_of(frame, key="visit")
    assert len(Vault(SECRET, None).whole(fine, POLICY)) > N / 2
    twice = frame.with_columns(visit=pl.col("visit") // 2)
    with pytest.raises(InputError, match="'visit' holds a value twice"):
        Vault(SECRET, None).whole(table_of(twice, key="visit"), POLICY)


# --- a copy that is kept in a file ----------------------------------------------------------------


@pytest.mark.slow
def test_a_kept_copy_is_read_again(frame: pl.DataFrame, copy: Copy, tmp_path: Path) -> None:
    assert copy.path is not None
    assert copy.path.parent == tmp_path
    before = copy.path.stat()
    again = Vault(SECRET, tmp_path).whole(table_of(frame), POLICY)
    assert kept(again) == kept(copy)
    after = copy.path.stat()
    assert (after.st_mtime_ns, after.st_mode & 0o777) == (before.st_mtime_ns, 0o600)
    assert sorted(it.suffix for it in tmp_path.iterdir()) == [".json", ".parquet"]


def test_columns_are_read_when_they_are_asked_for(
    copy: Copy, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[str] = []
    column = stored._column

    def noted(path: Path, name: str, *more: list[str]) -> pa.ChunkedArray:
        asked.append(name)
        return column(path, name, *more)

    monkeypatch.setattr(stored, "_column", noted)
    held = WholeTable(copy, {}).holding(lazily.drop_columns(copy.columns, ["age"]), copy.strata)
    assert [*held.copy.columns] == ["bmi", "glucose"]
    assert asked == []
    assert len(held.copy.columns["bmi"]) == len(copy)
    assert "bmi" in asked
    assert "glucose" not in asked
    with pytest.raises(KeyError, match="age"):
        held.copy.columns["age"]


def test_a_copy_of_another_version_is_not_taken(frame: pl.DataFrame, copy: Copy) -> None:
    other = table_of(frame.with_columns(pl.col("age") + 1))
    again = Vault(SECRET, None).version_of_whole(other, POLICY)
    assert copy.path is not None
    copy.path.rename(copy.path.with_name(f"whole-{again}.parquet"))
    with pytest.raises(InputError, match="cannot be read; move it away to have it made again"):
        Vault(SECRET, copy.path.parent).whole(other, POLICY)


def test_a_file_that_is_no_copy_is_named(frame: pl.DataFrame, copy: Copy) -> None:
    assert copy.path is not None
    copy.path.write_bytes(b"PAR1 no more")
    with pytest.raises(InputError, match="cannot be read; move it away to have it made again"):
        Vault(SECRET, copy.path.parent).whole(table_of(frame), POLICY)


def test_a_plot_of_a_copy_in_a_file_is_that_of_one_in_memory(frame: pl.DataFrame) -> None:
    study = parted(frame)
    large = {name: draw(study).to_json() for name, draw in PLOTS.items()}
    path = study.session.kept.copy.path
    assert path is not None
    version = pq.read_metadata(path).metadata[stored.VERSION].decode()
    held = load(path, bytes.fromhex(version))
    study.session.__dict__["kept"] = WholeTable(held, study.session.table.columns)
    del study.session.__dict__["whole"]
    assert large == {name: draw(study).to_json() for name, draw in PLOTS.items()}


# --- released -------------------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize("suffix", [".tsv", ".parquet"])
def test_a_table_is_released_piece_by_piece(
    frame: pl.DataFrame, tmp_path: Path, suffix: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    coded = frame.with_columns(group=pl.Series([None if i % 7 == 0 else i % 3 for i in range(N)]))
    study = parted(coded, kinds={"group": "categorical"})
    release = study.anonymize()
    whole_table = release.table.to_pandas(types_mapper={pa.int64(): pd.Int64Dtype()}.get)
    monkeypatch.setattr(stored, "PIECE", 97)
    path = study.anonymize().save(tmp_path / f"out{suffix}", report=tmp_path / "report.json")
    if suffix == ".parquet":
        assert pq.read_table(path).equals(release.table)
    else:
        sign = "\t" if suffix == ".tsv" else ","
        assert path.read_text() == whole_table.to_csv(index=False, sep=sign)
    told = json.loads((tmp_path / "report.json").read_text())
    assert any("random partitions" in note for note in told["notes"])
    assert release.frame.columns == ["age", "bmi", "glucose", "sex", "smoker", "group"]


@pytest.mark.slow
def test_a_kept_copy_of_other_data_is_found_out(frame: pl.DataFrame) -> None:
    study = parted(frame)
    copy = study.session.kept.copy
    assert copy.path is not None
    table = pq.read_table(copy.path)
    ages = table["age"].to_pylist()
    ages[0] += 1
    changed = table.set_column(table.column_names.index("age"), "age", pa.array(ages))
    pq.write_table(changed.replace_schema_metadata(pq.read_metadata(copy.path).metadata), copy.path)
    del study.session.__dict__["kept"]
    with pytest.raises(BrokenPromiseError, match="not the one that is made of these data"):
        study.anonymize()


def test_a_refusal_within_a_partition_leaves_no_file(tmp_path: Path) -> None:
    empty = cohort(N).with_columns(age=pl.lit(None, pl.Float64), bmi=pl.lit(None, pl.Float64))
    nothing = empty.select("age", "bmi")
    with pytest.raises(RefusedError, match="no column"):
        Vault(SECRET, tmp_path).whole(table_of(nothing), POLICY)
    assert [*tmp_path.iterdir()] == []


KILLED = """
import os, signal, sys
from pathlib import Path
import polars as pl
from discreet.vault import partitions, vault, whole_columns
whole_columns.MOST_CELLS = {most}
from tests.custodian.test_large import POLICY, SECRET, table_of
made = []
again = partitions.protect_partition
def copied(*given):
    made.append(given)
    if len(made) == 3:  # the first is written
        os.kill(os.getpid(), signal.SIGKILL)
    return again(*given)
partitions.protect_partition = copied
table = table_of(pl.read_parquet(sys.argv[2]))
vault.Vault(SECRET, Path(sys.argv[1])).whole(table, POLICY)
"""


@pytest.mark.slow
def test_who_is_killed_leaves_no_raw_value_behind(
    frame: pl.DataFrame, copy: Copy, tmp_path: Path
) -> None:
    marked = frame.with_columns(
        canary=pl.Series(["canary-in-the-mine", "canary-in-the-sun"] * (N // 2))
    )
    marked.write_parquet(tmp_path / "marked.parquet")
    folder, temporary = tmp_path / "vault", tmp_path / "temporary"
    temporary.mkdir()

    words = str(folder), str(tmp_path / "marked.parquet")
    code, _, err = ran(KILLED.format(most=MOST), *words, env={"TMPDIR": str(temporary)})

    assert code == -signal.SIGKILL, err
    left = [it for root in (folder, temporary) for it in root.rglob("*") if it.is_file()]
    raw = {str(value) for value in marked["glucose"].to_list()}
    assert not [it for it in left if it.name.endswith((".parquet", ".json"))], "nothing whole"
    for path in left:
        assert path.stat().st_size < 100_000
        assert not any(value.encode() in path.read_bytes() for value in [*raw][:20])
    again = Vault(SECRET, folder).whole(table_of(marked), POLICY)
    assert len(again) > N / 2
