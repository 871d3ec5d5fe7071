"""`discreet verify`: what is printed, and with what it ends."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from discreet.cli.verify import EXIT_CODES
from discreet.render.metadata import without_words
from discreet.study import verdicts
from tests.cli.conftest import Run


@pytest.fixture
def figure(run: Run, cohort: Path, tmp_path: Path) -> Path:
    """A figure that the command line saved."""
    path = tmp_path / "age.svg"
    assert run("plot", "histogram", str(cohort), "age", "--no-unit", "-o", str(path))[0] == 0
    return path


def test_a_figure_is_as_it_was_made(run: Run, figure: Path) -> None:
    code, out, err = run("verify", str(figure))
    assert (code, err) == (0, "")
    assert out.startswith(
        "age.svg: as made\n  made here, and as it was made\n  passed: seal, file,"
    )
    assert (
        "study 'cohort.csv', version 1: drawn from the protected copy;"
        " each value drawn anew from at least 20 persons"
    )


def test_with_the_data_it_is_drawn_again(run: Run, cohort: Path, tmp_path: Path) -> None:
    path = tmp_path / "age.json"
    words = ["age", "bmi", "--no-unit", "-o", str(path)]
    assert run("plot", "scatter", str(cohort), *words)[0] == 0
    code, out, _ = run("verify", str(path), "--data", str(cohort), "--no-unit", "--json")
    (found,) = json.loads(out)
    assert (code, found["verdict"]) == (0, "as made")
    assert set(found["checks"].values()) == {"passed"}
    assert found["provenance"]["request"] == {"plot": "scatter", "columns": ["age", "bmi"]}


def test_the_worst_of_several_files_is_what_it_ends_with(
    run: Run, figure: Path, tmp_path: Path
) -> None:
    bare, changed = tmp_path / "bare.svg", tmp_path / "changed.svg"
    bare.write_bytes(without_words(figure.read_bytes(), ".svg")[0])
    changed.write_bytes(figure.read_bytes().replace(b"stroke", b"strike", 1))
    assert run("verify", str(figure), str(bare))[0] == 12
    code, out, _ = run("verify", str(bare), str(changed), str(figure))
    assert code == 10
    assert [line for line in out.splitlines() if line[0] != " "] == [
        "bare.svg: unknown",
        "changed.svg: altered",
        "age.svg: as made",
    ]


def test_another_secret_is_elsewhere(
    run: Run, figure: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DISCREET_SECRET", bytes(range(100, 132)).hex())
    monkeypatch.setenv("DISCREET_STATE", str(tmp_path / "elsewhere"))
    assert run("verify", str(figure))[0] == 11


def test_a_file_that_cannot_be_read_does_not_end_the_others(
    run: Run, figure: Path, tmp_path: Path
) -> None:
    broken = tmp_path / "broken.png"
    broken.write_bytes(b"no picture")
    files = [str(tmp_path / "gone.svg"), str(broken), str(tmp_path), str(figure)]
    code, out, err = run("verify", *files)
    assert (code, err) == (13, "")
    assert [line for line in out.splitlines() if line[0] != " "] == [
        "gone.svg: unreadable",
        "broken.png: unreadable",
        f"{tmp_path.name}: unreadable",
        "age.svg: as made",
    ]
    code, out, _ = run("verify", *files, "--json")
    found = json.loads(out)
    assert [it["verdict"] for it in found] == ["unreadable"] * 3 + ["as made"]
    assert "there is no file to read at" in found[0]["says"]
    assert "this is no png file, or a broken one" in found[1]["says"]


def test_what_was_changed_counts_more_than_what_cannot_be_read(
    run: Run, figure: Path, tmp_path: Path
) -> None:
    changed = tmp_path / "changed.svg"
    changed.write_bytes(figure.read_bytes().replace(b"stroke", b"strike", 1))
    assert run("verify", str(tmp_path / "gone.svg"), str(changed))[0] == 10


def test_each_verdict_has_an_exit_code() -> None:
    named = (verdicts.AS_MADE, verdicts.ALTERED, verdicts.ELSEWHERE, verdicts.UNKNOWN)
    assert {*EXIT_CODES} == {*named, verdicts.UNREADABLE, verdicts.NOT_COMPARABLE}
    assert len({*EXIT_CODES.values()}) == len(EXIT_CODES)
