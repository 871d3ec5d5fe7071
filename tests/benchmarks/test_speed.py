"""Every benchmark of speed at a tiny size: ours and the peer's come to the same."""

from __future__ import annotations

import re
from functools import partial
from pathlib import Path

import pytest

from benchmarks.job import Job, Race, all_jobs
from benchmarks.run import HEAD, Measured, check, line_of, measured, page_of

JOBS = all_jobs()
#: One of those that differ by their data alone, which tests of each method try; none by a peer that
#: is compiled for a minute in each process. Before a race `make bench` tries each of them.
OF_EACH_KIND = {
    (it.title.partition(",")[0], it.title.partition(" / ")[2]): it
    for it in JOBS
    if not it.title.endswith("microagg1d")
}


@pytest.fixture(autouse=True)
def state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Keep secrets and registers in a folder of this test, and let the environment be put back."""
    for name in ("DISCREET_STATE", "DISCREET_CONFIG"):
        monkeypatch.setenv(name, str(tmp_path))


@pytest.mark.slow
@pytest.mark.parametrize("job", OF_EACH_KIND.values(), ids=lambda job: job.title)
def test_ours_and_the_peers_come_to_the_same(job: Job, tmp_path: Path) -> None:
    if job.missing:
        pytest.skip(f"{', '.join(job.missing)} is not there")
    check(job, job.tiny, tmp_path)


def test_each_job_is_declared_once_with_sizes_that_grow() -> None:
    assert len({job.title for job in JOBS}) == len(JOBS)
    for job in JOBS:
        assert job.tiny < job.sizes[0] < job.sizes[1]


# --- the runner -------------------------------------------------------------------------------


def race(answer: int, closed: list[int], n: int, _: Path) -> Race:
    return Race(
        lambda: n, lambda: n + answer, lambda ours, theirs: ours == theirs, lambda: closed.append(n)
    )


def test_a_race_is_measured_and_closed(tmp_path: Path) -> None:
    closed: list[int] = []
    ticks = iter(range(100))
    job = Job("a", "b", (10, 100), 1, partial(race, 0, closed), 3, clock=lambda: next(ticks) ** 2)

    found = measured(job, 10, tmp_path)

    assert closed == [1, 10]
    # Ours from 0 to 1, 4 to 5 and 8 to 9; the peer's from 2 to 3, 6 to 7 and 10 to 11: squares.
    assert (found.n, found.ours, found.peer, found.memory) == (10, 9, 13, None)


def test_results_that_differ_end_the_run(tmp_path: Path) -> None:
    closed: list[int] = []
    job = Job("a", "b", (10, 100), 1, partial(race, 1, closed))

    with pytest.raises(SystemExit, match="a / b: the results differ"):
        check(job, 1, tmp_path)
    assert closed == [1]


def test_what_needs_something_that_is_not_there_is_left_out() -> None:
    job = Job("a", "b", (10, 100), 1, partial(race, 0, []), needs=("numpy", "no_such_module"))

    assert job.missing == ("no_such_module",)
    assert "a / b (no_such_module)" in page_of([(job, [])], 60)


def test_the_page_has_a_line_for_each_size_and_the_cases_that_are_lost() -> None:
    job, other = (Job(name, "b", (10, 1000), 1, partial(race, 0, [])) for name in "ac")
    lost = [Measured(10, 1.0, 2.0, 5.0, 0.5), Measured(1000, 100.0, 50.0, None, 0.5)]
    won = [Measured(10, 1.0, 1.0, 5.0, 0.5), Measured(1000, 10.0, 10.0, 5.0, 0.5)]

    page = page_of([(job, lost), (other, won)], 600)

    assert line_of(job, lost) == ("a", "1,000", "100.00", "b", "50.00", "2.00", "1.00", "–", "0.5")
    assert page.count("\n| ") == 4
    assert len(re.findall(r"\|", page.splitlines()[0])) == len(HEAD) + 1
    assert "- a: b (0.5, 2.0 times)" in page
    assert "- c" not in page
