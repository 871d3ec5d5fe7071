"""`discreet policy init`: what it writes, says and refuses."""

from __future__ import annotations

from pathlib import Path

import pytest

import discreet as dc
from discreet.cli.policies import policy_init
from discreet.errors import InputError
from discreet.study.guesses import proposed_policy


def test_a_policy_is_written_and_the_next_steps_said(
    cohort: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "policy.toml"
    policy_init(cohort, path)
    out, err = capsys.readouterr()

    assert out == f"{path}\n"
    assert f"discreet plot histogram {cohort} COLUMN --policy {path} -o try.png" in err
    assert f"discreet token add NAME --policy {path}" in err
    assert f"discreet serve {cohort} --policy {path}" in err
    assert path.read_text(encoding="utf-8") == proposed_policy(cohort)
    assert dc.open(cohort, path).histogram("age").columns == ("age",)


def test_a_file_is_not_written_over(cohort: Path, tmp_path: Path) -> None:
    path = tmp_path / "policy.toml"
    path.write_text("k = 7")
    with pytest.raises(InputError, match=r"there is a file .* already; name another one"):
        policy_init(cohort, path)
    assert path.read_text() == "k = 7"


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("policy.txt", "a policy is a .toml file"),
        ("policy", "a policy is a .toml file"),
        ("none/policy.toml", "there is no folder"),
    ],
)
def test_odd_places_are_refused(cohort: Path, tmp_path: Path, name: str, message: str) -> None:
    with pytest.raises(InputError, match=message):
        policy_init(cohort, tmp_path / name)


def test_a_link_to_nowhere_is_not_followed(cohort: Path, tmp_path: Path) -> None:
    path = tmp_path / "policy.toml"
    path.symlink_to(tmp_path / "elsewhere.toml")
    with pytest.raises(InputError, match=r"could not be written .* FileExistsError"):
        policy_init(cohort, path)
    assert not (tmp_path / "elsewhere.toml").exists()


def test_a_file_that_cannot_be_read_leaves_none(tmp_path: Path) -> None:
    path = tmp_path / "policy.toml"
    with pytest.raises(InputError, match="there is no file"):
        policy_init(tmp_path / "none.csv", path)
    assert not path.exists()
