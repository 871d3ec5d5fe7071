"""The copy that the processes of a server share: what it answers, and what each of them holds."""

from __future__ import annotations

import json
import os
import signal
import time
from collections.abc import Iterator, Mapping
from contextlib import suppress
from pathlib import Path

import httpx
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from discreet.policy import Policy
from discreet.study import Study
from discreet.study import open as open_study
from discreet.study.lights import Axis, Clause, Lights
from discreet.vault.vault import Copy, store
from discreet.vault.whole import version_of_whole
from tests.serve.cohort import written
from tests.serve.workers import Process, client, process
from tests.study.test_whole import PLOTS, cohort

POLICY = 'name = "clinic"\nrows = "whole"\nk = 5\nunit = false\n'


def opened(folder: Path) -> Study:
    return open_study(folder / "cohort.csv", folder / "discreet.toml")


@pytest.fixture(scope="module")
def studies(tmp_path_factory: pytest.TempPathFactory) -> tuple[Study, Study]:
    """A study as one process has it, and as those of a server have it."""
    folder = tmp_path_factory.mktemp("study")
    written(folder, POLICY, cohort().to_arrow())
    plain, shared = opened(folder), opened(folder)
    assert plain.session.whole.copy.path is None
    shared.session.share_copy()
    assert shared.session.whole.copy.path is not None
    return plain, shared


@pytest.mark.parametrize("plot", PLOTS)
def test_plots_are_the_same_as_of_one_process(studies: tuple[Study, Study], plot: str) -> None:
    plain, shared = (PLOTS[plot](study).to_json() for study in studies)
    assert json.loads(plain) == json.loads(shared)


def test_lights_are_the_same_as_of_one_process(studies: tuple[Study, Study]) -> None:
    cards = [[Axis("age", (30.0, 45.0, 60.0))], [Axis("sex", levels=("f", "m"))]]
    light, new = [Clause("glucose", least=6.0)], [("double", "2 * bmi")]
    plain, shared = (
        Lights(it.session).counts(cards, light, ["double > 40"], new) for it in studies
    )
    assert [it.tolist() for it in plain[0]] == [it.tolist() for it in shared[0]]
    assert plain[1] == shared[1]


def test_the_copy_is_shared_by_whoever_has_drawn_from_it_before(tmp_path: Path) -> None:
    written(tmp_path, POLICY, cohort().to_arrow())
    study = opened(tmp_path)
    before = study.histogram("age").to_json()
    study.session.share_copy()
    assert study.session.whole.copy.path is not None
    assert study.histogram("age").to_json() == before


# --- what each process holds ----------------------------------------------------------------------

NAMES = ("a", "b", "c", "d")
ROWS = 1_000_000


def planted(folder: Path, rows: int) -> tuple[Path, Path]:
    """Write a table of so many rows, and a copy of it that took no time: other numbers."""
    folder.mkdir()
    chance = np.random.default_rng(rows)
    table = {name: np.round(chance.normal(50, 10, rows), 1) for name in NAMES}
    _, rules = written(folder, POLICY)
    file = folder / "large.parquet"
    pq.write_table(pa.table(table), file)
    session = open_study(file, rules).session
    version = version_of_whole(session.table, session.policy, session.secret)
    path = folder / ".discreet" / f"whole-{version.hex()[:16]}.parquet"
    store(path, Copy({**table}, {}, version.hex()[:16], 0), version)
    near = next((folder.parent / "small" / ".discreet").glob("whole-*.json"))
    path.with_suffix(".json").write_bytes(near.read_bytes())
    return file, rules


def workers_of(server: Process) -> Iterator[int]:
    """Give the numbers of the processes that answer."""
    for child in Path(f"/proc/{server.popen.pid}/task").glob("*/children"):
        for number in child.read_text().split():
            with suppress(OSError):  # it has ended meanwhile
                if "spawn_main" in Path(f"/proc/{number}/cmdline").read_text():
                    yield int(number)


def held(server: Process) -> list[int]:
    """Return how many bytes of its own each worker holds: no file that several have mapped."""
    found = []
    for number in workers_of(server):
        lines = Path(f"/proc/{number}/smaps_rollup").read_text().splitlines()
        found.append(next(1024 * int(it.split()[1]) for it in lines if it.startswith("Anonymous:")))
    return found


def drawn(url: str, token: str) -> Mapping[str, object]:
    """Draw each column of the copy, of a connection of its own; return the last."""
    for name in (*NAMES, *NAMES):
        with client(url, token) as alice:
            answer = alice.post("/api/copy/histogram", json={"columns": [name]})
            assert answer.status_code == 200, answer.text
    found: Mapping[str, object] = answer.json()
    return found


def wait(server: Process) -> None:
    """Wait until every worker is warm."""
    while httpx.get(f"{server.url}/api/ready", timeout=300).status_code != 200:
        time.sleep(0.2)


@pytest.mark.slow
@pytest.mark.skipif(not Path("/proc/self/smaps_rollup").exists(), reason="needs Linux's /proc")
def test_what_a_worker_holds_does_not_grow_with_the_table(tmp_path: Path) -> None:
    (tmp_path / "small").mkdir()
    written(tmp_path / "small", POLICY, cohort().to_arrow())
    opened(tmp_path / "small").session.share_copy()
    of_rows = []
    for rows in (ROWS, 4 * ROWS):
        server = process(
            *planted(tmp_path / str(rows), rows), "--workers", "2", env={"PYTHONPATH": ""}
        )
        try:
            wait(server)
            drawn(server.url, server.token)
            of_rows.append(held(server))
        finally:
            server.stop()
    small, large = map(sorted, of_rows)
    assert len(small) == len(large) == 2
    table = 3 * ROWS * len(NAMES) * 8  # bytes that the larger one has more
    # What a picture takes for a while, the system may not have back at once: one worker drew.
    assert max(more - less for less, more in zip(small, large, strict=True)) < 0.75 * table


def test_a_copy_lies_in_a_given_folder_where_no_policy_file_names_one(tmp_path: Path) -> None:
    policy = Policy.preset("standard", rows="whole", k=3, unit=False)
    plain, first, second = (open_study(cohort(), policy, study="clinic") for _ in range(3))
    for study in (first, second):
        study.session.share_copy(tmp_path)
        assert study.histogram("age").to_json() == (plain.histogram("age").to_json())
    assert len([*tmp_path.glob("whole-*.columns")]) == 1


@pytest.mark.slow
def test_workers_of_a_study_without_a_policy_file_share_one_copy(tmp_path: Path) -> None:
    file, _ = written(tmp_path, POLICY, cohort().to_arrow())
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    server = process(
        file, Path("standard"), "--workers", "2", env={"PYTHONPATH": "", "TMPDIR": str(temporary)}
    )
    try:
        wait(server)
        kept = [it.suffix for it in temporary.glob("*/whole-*")]
        assert sorted(kept) == [".columns", ".json", ".parquet"]
    finally:
        server.stop()
    assert not [*temporary.glob("*/whole-*")]


@pytest.mark.slow
@pytest.mark.skipif(not Path("/proc/self/smaps_rollup").exists(), reason="needs Linux's /proc")
def test_another_worker_takes_the_place_of_one_that_is_killed(tmp_path: Path) -> None:
    server = process(
        *written(tmp_path, POLICY, cohort().to_arrow()), "--workers", "2", env={"PYTHONPATH": ""}
    )
    body = {"columns": ["age"], "bins": 9}
    try:
        wait(server)
        with client(server.url, server.token) as alice:
            before = alice.post("/api/copy/histogram", json=body).content
        first, second = sorted(workers_of(server))
        os.kill(first, signal.SIGKILL)
        while len({*workers_of(server)} - {first}) < 2:
            time.sleep(0.1)
        wait(server)
        os.kill(second, signal.SIGKILL)  # the one that took the first's place answers
        while second in workers_of(server):
            time.sleep(0.1)
        with client(server.url, server.token) as alice:
            assert alice.post("/api/copy/histogram", json=body).content == before
    finally:
        server.stop()
    left = [it.name for it in (tmp_path / ".discreet").iterdir() if it.name.endswith(".part")]
    assert left == []
