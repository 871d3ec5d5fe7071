"""`discreet verify`: what is printed, and with what it ends."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from discreet.render.sealing import without_words
from tests.cli.conftest import Run

pytestmark = pytest.mark.usefixtures("no_intervals")


@pytest.fixture
def figure(run: Run, cohort: Path, tmp_path: Path) -> Path:
    """A figure that the command line saved."""
    path = tmp_path / "age.svg"
    assert run("plot", "histogram", str(cohort), "age", "--no-unit", "-o", str(path))[0] == 0
    return path


def test_a_figure_is_as_it_was_made(run: Run, figure: Path) -> None:
    code, out, err = run("verify", str(figure))
    assert (code, err) == (0, "")
    assert out.startswith("age.svg: as made\n  made here, and unchanged\n  passed: seal, file,")
    assert "each value drawn anew from at least 20 people" in out


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
    assert run("verify", str(tmp_path / "gone.svg"), str(changed))[0] == 10
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
    monkeypatch.setenv("DISCREET_CONFIG", str(tmp_path / "of another custodian"))
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


def of_file(run: Run, study_file: Path, *more: str, name: str = "age.svg") -> Path:
    """A figure that was made from a study file."""
    path = study_file.parent / name
    assert run("plot", "histogram", str(study_file), "age", *more, "-o", str(path))[0] == 0
    return path


def test_figures_of_a_study_file_are_drawn_again(run: Run, study_file: Path) -> None:
    forms = ("svg", "html", "json", "csv")
    figures = [str(of_file(run, study_file, name=f"age.{form}")) for form in forms]
    code, out, err = run("verify", *figures, "--study", str(study_file))
    assert (code, err) == (0, "")
    assert [line for line in out.splitlines() if line[0] != " "] == [
        f"age.{form}: as made" for form in forms
    ]
    code, out, _ = run("verify", figures[0], "--study", str(study_file), "--json")
    (found,) = json.loads(out)
    assert (code, found["verdict"], found["beside"]) == (0, "as made", None)
    assert found["provenance"]["request"] == {"plot": "histogram", "columns": ["age"], "bins": 20}


def test_pixels_are_drawn_again_beside(run: Run, study_file: Path, tmp_path: Path) -> None:
    figure, folder = of_file(run, study_file, name="age.png"), tmp_path / "beside"
    folder.mkdir()
    words = [str(figure), "--study", str(study_file)]
    assert run("verify", *words)[0] == 14
    code, out, _ = run("verify", *words, "--beside", str(folder))
    assert code == 14
    assert out.startswith("age.png: not comparable\n")
    assert out.endswith(f"drawn again: {folder / 'age-again.png'}\n")
    assert (folder / "age-again.png").is_file()


WRONG: dict[str, tuple[list[str], str]] = {
    "the file as data": (["--data", "FILE"], "a study file holds no data; give it as --study"),
    "both": (["--study", "FILE", "--data", "x.csv"], "a study file already says how"),
    "a policy": (["--study", "FILE", "--policy", "sacro"], "a study file already says how"),
    "beside without it": (["--beside", "."], "--beside is of figures of a study file"),
    "no file": (["--study", "none.discreet"], "the file 'none.discreet' cannot be read"),
}


def test_options_that_a_study_file_does_not_go_with_are_refused(run: Run, study_file: Path) -> None:
    for words, says in WRONG.values():
        code, out, err = run(
            "verify", "age.svg", *(str(study_file) if it == "FILE" else it for it in words)
        )
        assert (code, out) == (2, "")
        assert says in " ".join(err.split())
