"""The command line: what it prints, where it writes, and with which code it ends."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

import discreet as dc
from discreet import cli

Run = Callable[..., tuple[int, str, str]]


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    """Call the command line in this process; return exit code, standard output and error."""

    def call(*words: str) -> tuple[int, str, str]:
        monkeypatch.setattr(sys, "argv", ["discreet", *words])
        code: object = 0
        try:
            cli.main()
        except SystemExit as ended:
            code = ended.code
        out, err = capsys.readouterr()
        return (code if isinstance(code, int) else 0), out, err

    return call


@pytest.fixture
def cohort(tmp_path: Path, run: Run) -> Path:
    """A public cohort as a CSV file."""
    path = tmp_path / "cohort.csv"
    assert run("example", str(path))[0] == 0
    return path


PLOTS = {
    "histogram": ["glucose"],
    "scatter": ["age", "glucose"],
    "heatmap": ["age", "glucose"],
    "box": ["age", "bmi", "glucose"],
}


@pytest.mark.parametrize("picture", PLOTS)
def test_plot_writes_the_picture_and_says_how_it_was_made(
    run: Run, cohort: Path, tmp_path: Path, picture: str
) -> None:
    out_file = tmp_path / f"{picture}.svg"
    code, out, err = run("plot", picture, str(cohort), *PLOTS[picture], "-o", str(out_file))
    assert (code, err) == (0, "")
    assert out_file.read_text().startswith("<?xml")
    assert out.startswith(f"{out_file}\n{picture} of ")
    assert "promises: " in out


def test_json_goes_to_standard_output_alone(run: Run, cohort: Path, tmp_path: Path) -> None:
    picture = tmp_path / "h.png"
    code, out, err = run("plot", "histogram", str(cohort), "bmi", "--json", "-o", str(picture))
    assert code == 0
    view = dc.View.from_json(out)
    assert isinstance(view, dc.HistogramView)
    assert view.columns == ("bmi",)
    assert str(picture) in err


def test_a_row_method_makes_the_copy_and_a_count_method_the_picture(run: Run, cohort: Path) -> None:
    words = ("plot", "scatter", str(cohort), "age", "bmi", "--json", "--study")
    rows = dc.View.from_json(run(*words, "a", "--method", "condensation")[1])
    cells = dc.View.from_json(run(*words, "a", "--method", "suppression")[1])
    assert (rows.method, rows.origin.counted) == ("condensation", "protected rows")
    assert (cells.method, cells.origin.counted) == ("suppression", "records")


def test_single_fields_override_the_policy(run: Run, cohort: Path) -> None:
    words = ("plot", "histogram", str(cohort), "bmi", "--json", "-k", "8", "--bins", "10")
    view = dc.View.from_json(run(*words)[1])
    assert (view.parameters["k"], view.parameters["bins"]) == (8, 10)


def test_a_policy_file_is_used(run: Run, cohort: Path, tmp_path: Path) -> None:
    policy = tmp_path / "rules.toml"
    policy.write_text("k = 7\n[limits]\nbmi = [15, 45]\n")
    words = ("plot", "histogram", str(cohort), "bmi", "--json", "--policy", str(policy))
    view = dc.View.from_json(run(*words)[1])
    assert isinstance(view, dc.HistogramView)
    assert (view.edges[0], view.edges[-1], view.origin.policy) == (15, 45, "rules")
    assert (tmp_path / ".discreet" / "ledger.sqlite").exists()


ERRORS = {
    "unknown picture": (["plot", "pie", "F", "bmi", "--json"], 2, "there is no picture 'pie'"),
    "unknown column": (["plot", "histogram", "F", "bmx", "--json"], 2, "did you mean 'bmi'"),
    "unknown method": (
        ["plot", "histogram", "F", "bmi", "--json", "--method", "magic"],
        2,
        "cannot be made by method 'magic'",
    ),
    "too many columns": (["plot", "histogram", "F", "bmi", "age", "--json"], 2, "exactly 1"),
    "no output": (["plot", "histogram", "F", "bmi"], 2, "say where the picture goes"),
    "no such file": (["plot", "histogram", "nowhere.csv", "bmi", "--json"], 2, "no file"),
    "raw data": (
        ["plot", "scatter", "F", "bmi", "age", "--json", "--method", "none"],
        3,
        "exists under the policy 'research' alone",
    ),
    "k too large": (["plot", "scatter", "F", "bmi", "age", "--json", "-k", "60"], 3, "10 k"),
    "k too small": (["plot", "scatter", "F", "bmi", "age", "--json", "-k", "2"], 2, "at least 3"),
    "text column": (["plot", "histogram", "F", "sex", "--json"], 2, "numbers are needed"),
    "no such option": (["plot", "histogram", "F", "bmi", "--nope"], 2, "No such option: --nope"),
    "no such command": (["draw"], 2, "No such command 'draw'"),
    "not a number": (["plot", "histogram", "F", "bmi", "-k", "five"], 2, "Invalid value for '-k'"),
    "no columns": (["plot", "histogram", "F"], 2, "Missing argument 'columns'"),
    "wrong suffix": (["plot", "histogram", "F", "bmi", "-o", "x.gif"], 2, "saved as one of"),
    "policy missing": (
        ["plot", "histogram", "F", "bmi", "--json", "--policy", "no.toml"],
        2,
        "no policy file",
    ),
}


@pytest.mark.parametrize("case", ERRORS)
def test_errors_are_one_line_on_standard_error(run: Run, cohort: Path, case: str) -> None:
    words, code, message = ERRORS[case]
    kinds = {"F": str(cohort)}
    if case == "text column":
        cohort.write_text(cohort.read_text().replace('"1"', '"a"').replace('"2"', '"b"'))
    got, out, err = run(*(kinds.get(word, word) for word in words))
    assert got == code
    assert out == ""
    assert err.startswith("discreet: ")
    assert err.count("\n") == 1
    assert message in err


def test_a_second_k_is_refused_in_a_new_process_and_nothing_is_written(
    cohort: Path, tmp_path: Path
) -> None:
    def draw(k: str, figure: str) -> subprocess.CompletedProcess[str]:
        words = ["plot", "histogram", str(cohort), "bmi", "-k", k, "-o", str(tmp_path / figure)]
        command = [sys.executable, "-m", "discreet", *words]
        return subprocess.run(command, capture_output=True, text=True, check=False)

    assert draw("5", "first.png").returncode == 0
    again = draw("6", "second.png")
    assert again.returncode == dc.LeavingError.exit_code
    assert "'k' is another" in again.stderr
    assert not (tmp_path / "second.png").exists()


def test_version_new_opens_a_version_for_another_k(run: Run, cohort: Path) -> None:
    plot = ("plot", "histogram", str(cohort), "bmi", "--json")
    assert run(*plot)[0] == 0
    assert run(*plot, "-k", "8")[0] == dc.LeavingError.exit_code
    code, out, _ = run("version", "new", str(cohort), "-k", "8")
    assert (code, out) == (0, "version 2 is open; what leaves from now on belongs to it\n")
    assert run(*plot, "-k", "8")[0] == 0
    history = json.loads(run("version", "list", "--json")[1])
    assert [(entry["version"], entry["kind"]) for entry in history] == [
        (1, "histogram"),
        (2, "histogram"),
    ]
    assert "histogram" in run("version", "list")[1]


def test_methods_are_listed_with_what_they_leave_open(run: Run) -> None:
    code, out, _ = run("methods")
    assert code == 0
    for name in ("deterministic", "condensation", "merge", "order-means", "none"):
        assert name in out
    assert "leaves open" in out


def test_an_unexpected_error_tells_where_and_not_what(
    run: Run, cohort: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*_: object, **__: object) -> None:
        raise ValueError("could not convert 'Alice Canary'")

    monkeypatch.setattr("discreet.study.Study.histogram", broken)
    code, out, err = run("plot", "histogram", str(cohort), "bmi", "--json")
    assert code == 70
    assert "unexpected ValueError" in err
    assert "Canary" not in out + err


def test_example_does_not_overwrite(run: Run, cohort: Path) -> None:
    code, _, err = run("example", str(cohort))
    assert code == 2
    assert "already" in err


HEAVY = ("numpy", "scipy", "matplotlib", "pyarrow", "duckdb", "sklearn", "narwhals")


@pytest.mark.parametrize("code", ["import discreet", "import discreet.cli"])
def test_importing_is_light(code: str) -> None:
    script = f"import sys; {code}; print([m for m in {HEAVY!r} if m in sys.modules])"
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "[]"


@pytest.mark.parametrize("terminal", [True, False])
def test_progress_is_shown_to_a_terminal_alone(
    run: Run, cohort: Path, monkeypatch: pytest.MonkeyPatch, terminal: bool
) -> None:
    monkeypatch.delenv("FORCE_COLOR", raising=False)
    monkeypatch.setenv("TTY_COMPATIBLE", "1" if terminal else "0")
    code, out, err = run("plot", "scatter", str(cohort), "age", "bmi", "--json")
    assert code == 0
    assert out.startswith("{")
    assert ("reading and drawing" in err) is terminal
    assert bool(err) is terminal


def test_about_says_the_version(run: Run) -> None:
    assert run("about") == (0, f"discreet {dc.__version__}\n", "")


def test_a_version_may_have_other_bins(run: Run, cohort: Path) -> None:
    plot = ("plot", "histogram", str(cohort), "bmi", "--json")
    assert run(*plot)[0] == 0
    assert run(*plot, "--bins", "10")[0] == dc.LeavingError.exit_code
    assert run("version", "new", str(cohort), "--bins", "10")[0] == 0
    assert run(*plot, "--bins", "10")[0] == 0


@pytest.mark.parametrize("target", ["folder.svg", "no/such/folder/a.svg"])
def test_a_place_that_cannot_be_written_is_no_bug(
    run: Run, cohort: Path, tmp_path: Path, target: str
) -> None:
    (tmp_path / "folder.svg").mkdir()
    words = ("plot", "histogram", str(cohort), "bmi", "-o", str(tmp_path / target))
    code, _, err = run(*words)
    assert code == 2
    assert "folder" in err
    assert json.loads(run("version", "list", "--json")[1]) == []
