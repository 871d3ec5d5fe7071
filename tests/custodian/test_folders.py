"""Where a study's things lie: beside the policy file, or in the user's own folders."""

from pathlib import Path

import pytest

from discreet.custodian.session import folder_of, register_of
from discreet.policy import PRESETS, Policy


def test_a_policy_file_has_its_things_beside_it(tmp_path: Path) -> None:
    path = tmp_path / "ours.toml"
    path.write_text("k = 6\n")
    assert folder_of(Policy.load(path)) == tmp_path / ".discreet"
    assert register_of(path).history() == []
    beside = {it.name for it in tmp_path.iterdir() if it.name != ".home"}
    assert beside - {"discreet.secret"} == {path.name}, "no register before something leaves"


@pytest.mark.parametrize("preset", PRESETS)
def test_a_preset_has_none(preset: str) -> None:
    assert folder_of(Policy.preset(preset)) is None


def test_the_state_folder_is_the_user_s_or_named(
    tmp_path: Path, own_home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for folder in (tmp_path / "named", None):
        if folder is None:
            monkeypatch.delenv("DISCREET_STATE")
        else:
            monkeypatch.setenv("DISCREET_STATE", str(folder))
        register = register_of("standard")
        found = register.store.path.parent
        assert found == folder if folder is not None else own_home in found.parents
