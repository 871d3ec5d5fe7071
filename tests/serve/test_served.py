"""What is served: one version, one policy, one state of the data."""

from __future__ import annotations

import secrets
from pathlib import Path

import pytest
from pyarrow.csv import write_csv

from discreet.datasets import diabetes
from discreet.errors import InputError
from discreet.policy import Policy
from discreet.serve.served import serve_study
from discreet.study import open as open_study
from tests.serve.cohort import POLICY, cohort, opened


def test_all_that_answers_depend_on_is_settled_at_the_start(tmp_path: Path) -> None:
    served = serve_study(opened(tmp_path))

    assert (served.name, served.version) == ("cohort.csv", 1)
    assert "patient" not in served.columns
    assert served.columns["diagnosis"].role == "sensitive"
    assert (served.allowance.views, served.allowance.a_minute) == (400, 100000)
    assert serve_study(served.study).edition == served.edition


def test_other_data_another_policy_and_another_secret_are_other_editions(tmp_path: Path) -> None:
    def edition(policy: str = POLICY, rows: int = 442, secret: bool = False) -> str:
        write_csv(cohort().slice(0, rows), tmp_path / "cohort.csv")
        (tmp_path / "discreet.toml").write_text(policy)
        if secret:
            (tmp_path / "discreet.secret").write_text(secrets.token_hex(32))
        return serve_study(open_study(tmp_path / "cohort.csv", tmp_path / "discreet.toml")).edition

    opened(tmp_path)
    first = edition()
    others = {edition(f"k = 7\n{POLICY}"), edition(rows=441), edition(secret=True)}
    assert len({first, *others}) == 4
    assert edition(POLICY.replace("budget = 400", "budget = 5")) == edition()


def test_a_frame_is_known_by_its_columns() -> None:
    policy = Policy.preset("standard", public=True, study="frame")
    table = diabetes()

    first = serve_study(open_study(table, policy)).edition
    assert serve_study(open_study(table.to_pandas(), policy)).edition == first
    assert serve_study(open_study(table.slice(1), policy)).edition != first


def test_research_is_served_of_public_data_alone(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="public or simulated data alone"):
        serve_study(opened(tmp_path, 'preset = "research"\n'))
    assert serve_study(opened(tmp_path, 'preset = "research"\npublic = true\n')).version == 1


def test_a_study_without_a_name_is_not_served() -> None:
    with pytest.raises(InputError, match="needs a name"):
        serve_study(open_study(diabetes(), Policy.preset("standard", public=True)))
