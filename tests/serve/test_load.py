"""Eight analysts who explore a board at once: nobody is answered with a fault of the server."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchmarks.board_load import ANALYSTS, ASKED, cohort, explored
from discreet.serve.record import log
from discreet.serve.tokens import add_token
from tests.serve.cohort import NAME, studies_of
from tests.serve.conftest import running


@pytest.mark.slow
def test_no_answer_is_a_fault(tmp_path: Path) -> None:
    studies = studies_of(tmp_path, "unit = false\n", cohort(600))
    tokens = [add_token(studies.store, NAME, f"analyst-{i}") for i in range(ANALYSTS)]
    with running(studies, tmp_path) as server:
        found = explored(server.url, tokens, 3)
    assert found.faults == 0
    assert {*found.statuses} <= {200, 304}
    assert {*found.seconds} == {*ASKED}
    # However often they explore, the record has of each that he does, and no more.
    whats = [it["what"] for it in log(studies.store, study=NAME)]
    assert whats.count("copy") <= ANALYSTS
    assert whats.count("rows") <= ANALYSTS
