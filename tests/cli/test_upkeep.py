"""`doctor`, `warm` and `man`: what they print, and how they end."""

import json
import shutil
import subprocess

import pytest

from discreet import warm
from tests.cli.conftest import Run


def test_doctor_ends_well_where_nothing_keeps_discreet_from_working(run: Run) -> None:
    code, out, _ = run("doctor")
    assert code == 0
    assert out.splitlines()[-1] == "Everything is in order."


def test_doctor_ends_with_1_where_something_does(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DISCREET_SECRET", "short")
    code, out, _ = run("doctor", "--json")
    assert code == 1
    assert len(json.loads(out)["problems"]) == 1


def test_warm_says_how_many_and_where(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(warm, "warm", lambda: 3)
    code, out, _ = run("warm")
    assert code == 0
    assert out.startswith("3 compiled; ")
    assert "kernels are kept in" in out


class TestManual:
    def test_it_has_all_commands_and_their_options(self, run: Run) -> None:
        code, out, err = run("man")
        assert (code, err) == (0, "")
        for section in ("NAME", "SYNOPSIS", "COMMANDS", "EXIT STATUS", "ENVIRONMENT", "FILES"):
            assert f".SH {section}" in out
        for command in ("plot", "round", "log", "version new", "token revoke", "doctor"):
            assert f'.SS "discreet {command}"' in out
        assert r"\fB\-\-no\-unit\fR" in out

    @pytest.mark.skipif(shutil.which("groff") is None, reason="needs groff")
    def test_it_is_typeset_without_a_warning(self, run: Run) -> None:
        page = run("man")[1]
        done = subprocess.run(
            ["groff", "-man", "-Tutf8", "-ww"],
            input=page,
            capture_output=True,
            check=True,
            text=True,
        )
        assert done.stderr == ""
        assert "draws sensitive data without giving anyone away" in done.stdout
