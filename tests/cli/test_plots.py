"""`discreet plot`: what it draws, prints and writes, and what it refuses."""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import discreet as dc
from discreet.cli.plots import SharedOptions
from discreet.plots import PLOTS as ALL_PLOTS
from tests.cases import few

pytestmark = pytest.mark.usefixtures("no_intervals")

Run = Callable[..., tuple[int, str, str]]
PLOTS = {
    "histogram": ["glucose"],
    "correlations": [],
    "density": ["glucose"],
    "violin": ["glucose"],
    "ecdf": ["glucose"],
    "scatter": ["age", "glucose"],
    "heatmap": ["age", "glucose"],
    "box": ["age", "bmi", "glucose"],
    "contour": ["age", "glucose"],
    "bars": ["sex"],
    "crosstab": ["sex", "age_group"],
    "residuals": ["glucose ~ age + bmi"],
    "qq": ["glucose ~ age + bmi"],
    "leverage": ["glucose ~ age + bmi"],
    "parallel": ["age", "bmi", "sex"],
    "survival": ["age", "sex", "--event-is", "1"],
    "over_time": ["age", "bmi"],
}


NOTES = {
    "survival": "survival over age until sex = 1: ",
    "over_time": "mean of bmi over age: ",
    "parallel": "parallel coordinates of age, bmi and sex: ",
    "residuals": "residuals of glucose ~ age + bmi: ",
    "qq": "normal QQ plot of glucose ~ age + bmi: ",
    "leverage": "residuals against leverage of glucose ~ age + bmi: ",
}


@pytest.mark.parametrize("picture", few(ALL_PLOTS, 3, every=4))
def test_plot_writes_the_picture_and_says_how_it_was_made(
    run: Run, study_file: Path, tmp_path: Path, picture: str
) -> None:
    out_file = tmp_path / f"{picture}.svg"
    code, out, err = run("plot", picture, str(study_file), *PLOTS[picture], "-o", str(out_file))
    assert (code, err) == (0, "")
    assert out_file.read_text().startswith("<?xml")
    first, *said, made = out.splitlines()
    assert first == str(out_file)
    assert len(said) <= 1
    assert f"{NOTES.get(picture, f'{picture} of ')}" in made


@pytest.mark.slow
def test_json_goes_to_standard_output_alone(run: Run, cohort: Path, tmp_path: Path) -> None:
    picture = tmp_path / "h.png"
    code, out, err = run("plot", "histogram", str(cohort), "bmi", "--json", "-o", str(picture))
    assert code == 0
    view = dc.View.from_json(out)
    assert isinstance(view, dc.HistogramView)
    assert view.columns == ("bmi",)
    assert str(picture) in err


ERRORS = {
    "unknown picture": ("plot pie F bmi --json", 2, "unknown plot 'pie'"),
    "unknown column": ("plot histogram F bmx --json", 2, "did you mean 'bmi'"),
    "too many columns": ("plot histogram F bmi age --json", 2, "exactly 1"),
    "auto with bins": ("plot auto F bmi --bins 9 --json", 2, "instead of auto"),
    "auto with event": ("plot auto F bmi --event-is 1 --json", 2, "--event-is is for single plots"),
    "auto of research": (
        "research auto F bmi --json",
        2,
        "the papers have no plot 'auto'; there are 'histogram'",
    ),
    "a policy of research": (
        "plot histogram F bmi --policy research --json",
        2,
        "a policy with papers is for the papers' methods",
    ),
    "noise of a histogram": (
        "research histogram F bmi --noise-on points --json",
        2,
        "a histogram has no --noise-on",
    ),
    "no output": ("plot histogram F bmi", 2, "say where to write the plot"),
    "raw data": ("plot scatter F bmi age --json --method none", 2, "No such option: --method"),
    "k too large": (
        "plot scatter F bmi age --json -k 60",
        3,
        "too few people for a copy of all its columns",
    ),
    "no columns": ("plot histogram F", 2, "say what a histogram is of: its columns"),
    "wrong suffix": ("plot histogram F bmi -o x.gif", 2, "saved as one of"),
    "two formulas": (
        "plot qq F 'glucose ~ age' bmi --json",
        2,
        "takes one formula, in quotes: 'y ~ x1 + C(group)'",
    ),
    "a trend of a heat map": (
        "plot heatmap F age bmi --trend --json",
        2,
        "a heat map has no --trend",
    ),
    "policy missing": ("plot histogram F bmi --json --policy no.toml", 2, "no policy file"),
}


@pytest.mark.parametrize("case", ERRORS)
def test_errors_are_one_line_and_maybe_the_place_that_is_wrong(
    run: Run, cohort: Path, case: str
) -> None:
    words, code, message = ERRORS[case]
    kinds = {"F": str(cohort)}
    got, out, err = run(*(kinds.get(word, word) for word in shlex.split(words)))
    assert got == code
    assert out == ""
    assert err.startswith("discreet: ")
    assert re.fullmatch(r".+\n(.+\n *\^+\n)?", err)
    assert message in err


@pytest.mark.slow
def test_a_second_k_is_refused_and_nothing_is_written(
    run: Run, cohort: Path, tmp_path: Path
) -> None:
    words = ("plot", "histogram", str(cohort), "bmi")
    assert run(*words, "-k", "5", "-o", str(tmp_path / "first.png"))[0] == 0
    code, _, err = run(*words, "-k", "6", "-o", str(tmp_path / "second.png"))
    assert code == dc.LeavingError.exit_code
    assert "'k' must be the same as in" in err
    assert not (tmp_path / "second.png").exists()


def test_columns_divide_a_plot_by_their_levels(run: Run, cohort: Path) -> None:
    two = ("--by", "age_group", "--by", "sex")
    code, out, _ = run("plot", "box", str(cohort), "bmi", *two, "--json")
    view = dc.View.from_json(out)
    assert (code, vars(view)["by"]) == (0, ("age_group", "sex"))
    (entry,) = json.loads(run("log", "--released", "--json")[1])
    assert entry["columns"] == ["bmi", "age_group", "sex"]


FLAGS: dict[str, tuple[list[str], list[str], Callable[[Any], object], object]] = {
    # the plot, what is asked for beside, what is looked at, and what it then is
    "percent": (["bars", "sex", "--by", "age_group"], ["--percent"], lambda it: it.percent, True),
    "overlay": (["histogram", "bmi", "--by", "sex"], ["--overlay"], lambda it: it.overlaid, True),
    "density": (
        ["scatter", "age", "bmi"],
        ["--show", "density"],
        lambda it: it.kind,
        "scatter_density",
    ),
    "trend": (["scatter", "age", "bmi"], ["--trend"], lambda it: len(it.trends), 1),
    "weights": (["bars", "sex"], ["--weights", "ldl"], lambda it: it.weights, "ldl"),
}


@pytest.mark.parametrize(("plot", "more", "look", "drawn"), FLAGS.values(), ids=FLAGS)
def test_what_a_plot_has_of_its_own_is_drawn_where_it_is_asked_for(
    run: Run,
    study_file: Path,
    plot: list[str],
    more: list[str],
    look: Callable[[Any], object],
    drawn: object,
) -> None:
    words = ("plot", plot[0], str(study_file), *plot[1:], "--json")
    assert look(dc.View.from_json(run(*words)[1])) != drawn
    assert look(dc.View.from_json(run(*words, *more)[1])) == drawn
    code, _, err = run("plot", "crosstab", str(study_file), "sex", "age_group", "--json", *more)
    assert (code, "leave it out" in err) == (2, True)


@pytest.mark.slow
def test_the_plot_that_fits_the_kinds_of_the_columns(run: Run, cohort: Path) -> None:
    asked: dict[tuple[str, ...], tuple[str, str]] = {
        ("age", "bmi", "--by", "sex"): ("scatter", "scatter, for 2 numbers"),
        ("bmi", "sex", "-k", "5"): ("box", "box, for a category and a number"),
        (): ("parallel", "parallel, for the first 8 of 12 columns"),
        ("old", "bmi", "--assign", "old=age > 50"): ("box", "box, for a category and a number"),
    }
    for words, (kind, says) in asked.items():
        code, out, err = run("plot", "auto", str(cohort), *words, "--json")
        assert (code, err) == (0, ""), words
        view = dc.View.from_json(out)
        assert view.origin.chosen == says
        (last, *_) = json.loads(run("log", "--released", "--json")[1])[::-1]
        assert last["kind"] == kind


def test_codes_are_levels_where_they_are_asked_for_as_such(run: Run, cohort: Path) -> None:
    words = ("--json", "--kinds", "sex=categorical")
    code, out, _ = run("plot", "residuals", str(cohort), "glucose ~ age + sex", *words)
    assert code == 0
    assert [*vars(dc.View.from_json(out))["coefficients"]] == ["Intercept", "age", "C(sex)[T.2]"]
    bars = dc.View.from_json(run("plot", "bars", str(cohort), "sex", *words)[1])
    assert vars(bars)["levels"] == ("1", "2")


# --- parallel coordinates -------------------------------------------------------------------------


N = 200


@pytest.fixture
def credit(tmp_path: Path) -> Path:
    """Credits as a CSV file: three numbers, and the history that is a secret, in codes."""
    rng = np.random.default_rng(7)
    columns: dict[str, Any] = {
        "duration": rng.integers(6, 60, size=N),
        "amount": rng.lognormal(8, 0.7, size=N).round(0).astype(int),
        "age": rng.integers(19, 70, size=N),
        "history": rng.choice([0, 1, 2, 3, 4], size=N, p=[0.1, 0.1, 0.4, 0.1, 0.3]),
        "sex": rng.choice(["f", "m"], size=N),
        "who": [f"person {i}" for i in range(N)],
    }
    path = tmp_path / "credit.csv"
    rows = zip(*columns.values(), strict=True)
    path.write_text("\n".join([",".join(columns), *(",".join(map(str, row)) for row in rows)]))
    return path


AXES = ("duration", "amount", "age", "history")
NUMBERS = ("-k", "5", "-l", "3")
SECRET = ("--sensitive", "history=4", *NUMBERS)


def drawn(run: Run, *words: str, command: str = "plot") -> dc.ParallelView:
    code, out, err = run(command, "parallel", *words, "--json")
    assert (code, err) == (0, "")
    view = dc.View.from_json(out)
    assert isinstance(view, dc.ParallelView)
    return view


def test_the_command_is_what_python_draws(run: Run, credit: Path, tmp_path: Path) -> None:
    table = dc.research(credit, kinds={"history": "categorical"})
    wanted = table.parallel(AXES, sensitive={"history": ["4"]}, k=5, diversity=3)
    target = tmp_path / "credit.svg"
    words = (str(credit), *AXES, *SECRET)
    assert run("research", "parallel", *words, "-o", str(target))[0] == 0
    view = drawn(run, *words, command="research")
    assert json.loads(view.to_json()) == json.loads(wanted.to_json())
    assert target.read_text().startswith("<?xml")
    assert [axis.sensitive for axis in view.axes] == [False, False, False, True]
    assert view.parameters == {"k": 5, "pixels": 400, "l": 3, "sensitive": "history = 4"}
    assert min(size for sizes in view.sizes or () for size in sizes) >= 5


SENSITIVE: dict[str, tuple[list[str], dict[str, list[str]]]] = {
    "nothing": ([], {}),
    "a column": (["age"], {"age": []}),
    "two": (["age", "sex"], {"age": [], "sex": []}),
    "a value": (["history=4"], {"history": ["4"]}),
    "values": (["history=4, 3", "history=0"], {"history": ["4", "3", "0"]}),
    "spaces": ([" history = c50 ,c61"], {"history": ["c50", "c61"]}),
    "a value with an equals sign": (["sex=a=b"], {"sex": ["a=b"]}),
}


@pytest.mark.parametrize(("given", "named"), SENSITIVE.values(), ids=SENSITIVE)
def test_what_is_named_as_sensitive(given: list[str], named: dict[str, list[str]]) -> None:
    assert SharedOptions(sensitive=given).settings().get("sensitive", {}) == named


AXES_ERRORS: dict[str, tuple[list[str], int, str]] = {
    "one axis": (["age"], 2, "parallel coordinates need at least two columns"),
    "no axis": ([], 2, "say what a plot of parallel coordinates is of: its columns"),
    "an identifier": (["age", "who"], 3, "column 'who' identifies people"),
    "by": (["age", "amount", "--by", "sex"], 2, "a plot of parallel coordinates has no --by"),
    "l of the copy": ([*AXES, "-l", "3"], 2, "diversity is for clusters of people"),
    "a secret of the copy": (
        [*AXES, "--sensitive", "history"],
        2,
        "rows of the copy belong to nobody; leave it out",
    ),
}


@pytest.mark.parametrize(
    ("words", "exit_code", "message"), AXES_ERRORS.values(), ids=[*AXES_ERRORS]
)
def test_what_cannot_be_drawn_is_said_in_one_line(
    run: Run, credit: Path, words: list[str], exit_code: int, message: str
) -> None:
    code, out, err = run("plot", "parallel", str(credit), *words, "--json")
    assert (code, out) == (exit_code, "")
    assert message in err
    assert err.startswith("discreet: ")
    assert err.count("\n") == 1


@pytest.mark.parametrize("command", ["plot", "research"])
def test_other_pictures_have_no_axes(run: Run, credit: Path, command: str) -> None:
    for option in (["--sensitive", "age"], ["-l", "3"], ["--pixels", "200"], ["--no-gradient"]):
        code, out, err = run(command, "histogram", str(credit), "age", *option, "--json")
        assert (code, out) == (2, "")
        assert "which is for a plot of parallel coordinates; leave it out" in err


def test_under_research_records_are_clustered_and_numbers_are_the_picture_s_own(
    run: Run, credit: Path
) -> None:
    words = (*AXES, "--sensitive", "history=4,3", "-l", "3", "-k", "4")
    view = drawn(run, str(credit), *words, "--pixels", "600", command="research")
    assert view.method == "k-member"
    assert view.parameters == {"k": 4, "pixels": 500, "l": 3, "sensitive": "history = 4 or 3"}
    assert view.sizes is not None
    for method in ("k-member-joint", "none"):
        asked = (str(credit), "age", "amount", "--method", method, "--public")
        again = drawn(run, *asked, command="research")
        assert again.method == method


@pytest.mark.slow
def test_a_policy_file_says_what_is_sensitive_and_the_rest_may_be_named(
    run: Run, credit: Path, tmp_path: Path
) -> None:
    policy = tmp_path / "ours.toml"
    policy.write_text('roles = {history = "sensitive"}\nkinds = {history = "categorical"}\n')
    words = ("--policy", str(policy))
    assert drawn(run, str(credit), *AXES, *words).axes[-1].kind == "categorical"
    assert drawn(run, str(credit), *AXES, *words, "--pixels", "300").pixels == 300
    for option in (["--sensitive", "age"], ["-l", "3"]):
        code, _, err = run("plot", "parallel", str(credit), *AXES, *words, *option, "--json")
        assert code == 2
        assert "is for clusters of people, and rows of the copy belong to nobody" in err


def test_a_plot_is_drawn_for_a_journal(run: Run, study_file: Path, tmp_path: Path) -> None:
    asked = ["plot", "bars", str(study_file), "sex"]
    drawing = ["--title", "Fig. 1", "--width", "85", "--no-footnote"]
    path = tmp_path / "a.svg"
    code, out, _ = run(*asked, *drawing, "-o", str(path))
    assert code == 0
    assert ">Fig. 1<" in path.read_text("utf-8")
    assert 'width="240.94' in path.read_text("utf-8")
    assert "does not protect: " in path.read_text("utf-8").partition("</metadata>")[0]
    assert len(out.splitlines()) == 3
    code, _, err = run(*asked, *drawing, "--json")
    assert code == 2
    assert "--no-footnote need a file: add -o FIGURE" in err


@pytest.mark.parametrize("words", [("plot", "--help"), ("man",)], ids=["help", "man"])
def test_the_help_names_every_plot_there_is(
    run: Run, monkeypatch: pytest.MonkeyPatch, words: tuple[str, ...]
) -> None:
    monkeypatch.setenv("COLUMNS", "300")
    another = {**ALL_PLOTS, "lorenz_curve": ALL_PLOTS["density"]}
    monkeypatch.setattr("discreet.plots.PLOTS", another)
    code, out, _ = run(*words)
    listed = ", ".join(name.replace("_", "-") for name in another)
    assert code == 0
    assert "violin" in listed
    assert f"{listed}; auto for the one that fits" in " ".join(out.replace("\\-", "-").split())


def test_a_place_that_cannot_be_written_is_no_bug(run: Run, cohort: Path, tmp_path: Path) -> None:
    (tmp_path / "folder.svg").mkdir()
    words = ("plot", "histogram", str(cohort), "bmi", "-o", str(tmp_path / "folder.svg"))
    code, _, err = run(*words)
    assert code == 2
    assert "folder" in err
    assert json.loads(run("log", "--released", "--json")[1]) == []
