"""`discreet anonymize`, `round`, `protect` to a table, `evaluate` and `tune`."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_wine

import discreet as dc
from discreet.cli.tables import Files, ladder
from discreet.errors import InputError
from discreet.methods import load_points
from discreet.rounding import JointSet
from tests.cases import few

pytestmark = pytest.mark.usefixtures("no_intervals")

Run = Callable[..., tuple[int, str, str]]

CANARY = "Canary"


@pytest.fixture
def small(tmp_path: Path) -> Path:
    """A hundred and twenty persons with two numbers, two columns of levels and a name each."""
    rng = np.random.default_rng(2)
    n = 120
    x = rng.normal(50, 10, size=n)
    path = tmp_path / "small.csv"
    pd.DataFrame(
        {
            "name": [f"{CANARY}{i:03}" for i in range(n)],
            "x": x,
            "y": x + rng.normal(0, 5, size=n),
            "arm": ["a"] * 70 + ["b"] * 40 + ["c"] * 10,
            "ill": rng.choice(["no", "yes"], size=n),
        }
    ).to_csv(path, index=False)
    return path


# --- where it goes --------------------------------------------------------------------------------

# A table and a report, and what is said of them.
PATHS: dict[str, tuple[str | None, str | None, str | None]] = {
    "nothing": (None, None, None),
    "a table": ("t.csv", None, None),
    "both": ("t.parquet", "r.html", None),
    "a report alone": (None, "r.html", "a report is released with its table"),
    "a table of another ending": ("t.xlsx", None, "a released table is saved as one of"),
    "a report of another ending": ("t.csv", "r.pdf", "a report is saved as one of"),
    "a report in no folder": ("t.csv", "no/r.html", "there is no folder"),
}


@pytest.mark.parametrize(("table", "report", "text"), PATHS.values(), ids=PATHS)
def test_files_that_cannot_be_written_are_refused_before_the_work(
    tmp_path: Path, table: str | None, report: str | None, text: str | None
) -> None:
    paths = [None if name is None else tmp_path / name for name in (table, report)]
    if text is None:
        Files(*paths).check()
    else:
        with pytest.raises(InputError, match=text):
            Files(*paths).check()
    assert list(tmp_path.iterdir()) == []


def test_points_that_there_are_not_are_an_error(tmp_path: Path) -> None:
    release = dc.research(dc.datasets.diabetes()).anonymize(["age", "bmi"])
    with pytest.raises(InputError, match="was not rounded and has no points"):
        Files().save(release, tmp_path / "p.json", as_json=False)
    assert list(tmp_path.iterdir()) == []


# --- anonymize ------------------------------------------------------------------------------------


def test_the_report_goes_to_standard_output_as_json(run: Run, small: Path, tmp_path: Path) -> None:
    released = tmp_path / "r.parquet"
    code, out, err = run(
        *f"anonymize {small} --columns x,y --strata arm --json".split(), *f"-o {released}".split()
    )
    assert code == 0
    assert json.loads(out)["made"]["strata"] == ["arm"]
    assert str(released) in err
    assert len(pd.read_parquet(released)) == 120
    assert CANARY not in out + err


@pytest.mark.parametrize("command", ["anonymize", "round", "protect"])
def test_without_a_file_it_is_a_look_and_nothing_leaves(
    run: Run, small: Path, tmp_path: Path, command: str
) -> None:
    before = sorted(tmp_path.iterdir())
    code, out, err = run(*f"{command} {small} --columns x,y".split())
    assert (code, err) == (0, "")
    assert out.startswith("nothing was saved; -o RELEASED.csv releases the table\n\n")
    assert CANARY not in out
    assert sorted(tmp_path.iterdir()) == before
    assert json.loads(run("log", "--released", "--json")[1]) == []


# The command and its words, and what is then in the report of what was done.
CHOSEN: dict[str, tuple[str, str, dict[str, Any]]] = {
    "the copy": ("protect", "", {"method": "whole", "k": 5, "policy": "standard"}),
    "the copy's own k": ("protect", "-k 6 -m 12", {"method": "whole", "k": 6}),
    "the default": ("anonymize", "-k 4", {"method": "deterministic", "k": 4, "policy": "research"}),
    "nearness": (
        "anonymize",
        "--metric mahalanobis --method deterministic",
        {"method": "deterministic", "metric": "mahalanobis"},
    ),
    "sensitive": ("anonymize", "--sensitive ill -l 2", {"sensitive": "ill"}),
    "a risk": ("anonymize", "--risk-below 0.3 --method microaggregation", {"policy": "research"}),
    "a formula": ("protect", "--formula y~x", {"formula": "y~x"}),
}


@pytest.mark.parametrize(("command", "words", "made"), few(CHOSEN.values(), 4, every=2), ids=CHOSEN)
def test_choices_are_those_of_python(
    run: Run, small: Path, tmp_path: Path, command: str, words: str, made: dict[str, Any]
) -> None:
    line = f"{command} {small} --columns x,y {words} --json -o {tmp_path / 'r.csv'}"
    code, out, _ = run(*line.split())
    assert code == 0
    found = json.loads(out)["made"]
    assert {name: found.get(name) for name in made} == made


# --- risk -----------------------------------------------------------------------------------------


@pytest.fixture
def moved(small: Path, tmp_path: Path) -> Path:
    """The small table with noise, as somebody else released it."""
    frame = pd.read_csv(small).drop(columns="name")
    frame["x"] += np.random.default_rng(1).normal(0, 2, size=len(frame))
    path = tmp_path / "moved.csv"
    frame.to_csv(path, index=False)
    return path


@pytest.mark.slow
def test_risk_prints_a_report_or_json_and_saves_a_page(
    run: Run, small: Path, moved: Path, tmp_path: Path
) -> None:
    code, out, err = run("evaluate", str(small), str(moved), "-o", str(tmp_path / "risk.html"))
    assert (code, err) == (0, "")
    assert "For the custodian" in out
    assert (tmp_path / "risk.html").exists()
    words = ("--strata", "arm", "--sensitive", "ill", "--drop", "y", "--formula", "x ~ arm")
    code, out, err = run("evaluate", str(small), str(moved), "--json", *words)
    assert (code, err) == (0, "")
    found = json.loads(out)["measured"]
    assert (found["columns"], found["strata"], found["sensitive"]) == (["x"], ["arm"], "ill")
    assert found["model"] is not None
    assert json.loads(run("log", "--released", "--json")[1]) == [], "it is not for release"


def test_rows_in_another_order_are_compared_when_that_is_said(
    run: Run, small: Path, moved: Path
) -> None:
    pd.read_csv(moved).sort_values(["arm", "x"]).iloc[::-1].to_csv(moved, index=False)
    code, out, err = run("evaluate", str(small), str(moved), "--drop", "arm,ill")
    assert (code, out) == (2, "")
    assert "--no-same-rows" in err
    code, out, _ = run("evaluate", str(small), str(moved), "--no-same-rows", "--json")
    assert code == 0
    assert "linkage" in json.loads(out)["measured"]["not_measured"]


# --- sweep ----------------------------------------------------------------------------------------


@pytest.mark.slow
def test_a_map_is_printed_as_text_or_json_and_saved(run: Run, small: Path, tmp_path: Path) -> None:
    words = f"tune {small} --columns x,y --methods probabilistic,microaggregation -k 3,6 -q 0.1,1"
    code, out, err = run(*words.split(), "-o", str(tmp_path / "map.svg"))
    assert (code, err) == (0, "")
    assert out.startswith(f"{tmp_path / 'map.svg'}\nRisk and utility of the settings\n")
    assert "\nFor the custodian: not for release.\n" in out
    assert (tmp_path / "map.svg").exists()
    code, out, _ = run(*words.split(), "--json", "--risk", "within 5 %", "--loss", "propensity")
    assert code == 0
    assert [point["name"] for point in json.loads(out)["points"]] == [
        "probabilistic q=0.1",
        "probabilistic q=1.0",
        "microaggregation k=3",
        "microaggregation k=6",
    ]


@pytest.mark.parametrize(
    ("text", "numbers"), [("7", [7]), ("4:4", [4]), ("90:120", [90, 100, 120]), ("8, 9", [8, 9])]
)
def test_a_ladder_is_a_list_or_nice_numbers_of_a_range(text: str, numbers: list[int]) -> None:
    assert ladder(text) == numbers
    for wrong in ("", "a", "3:", ":", "3:5:7", "5:3", "0:3", "3.5", "-1:4"):
        with pytest.raises(InputError, match="--k"):
            ladder(wrong)


# --- what is refused ------------------------------------------------------------------------------

# F is the file; where the words say so, a table is written to the file O.
ERRORS: dict[str, tuple[str, int, str]] = {
    "a wrong ending": ("anonymize F --columns x -o O.xlsx", 2, "is saved as one of"),
    "a name": ("anonymize F --strata name --columns x -o O", 3, "'name' identifies people"),
    "a kind to evaluate": ("evaluate F F --kinds x=continuous", 2, "--kinds names codes"),
    "tune, a target of rows": ("tune F --target x", 2, "--target is for --per-column alone"),
    "tune, columns and a policy": (
        "tune F --per-column --policy sacro",
        2,
        "--policy is not for --per-column; leave it out",
    ),
    "no hierarchy file": (
        "anonymize F --columns x --strata arm --hierarchies arm=no.csv -o O",
        2,
        "there is no file 'no.csv', the hierarchy of column 'arm'",
    ),
    "a risk not reached": (
        "anonymize F --columns x,y --risk-below 0.0001 -o O",
        3,
        "no setting of the map meets this risk",
    ),
    "risk, a wrong ending": ("evaluate F F --drop name -o r.csv", 2, "a report is saved as one of"),
    "tune, no such k": ("tune F --columns x -k three", 2, "--k must be whole numbers"),
    "tune, a comparison's ending": ("tune F --per-column -o c.png", 2, "a comparison is saved"),
    "tune, a wrong ending": (
        "tune F --columns x --methods microaggregation -k 3 -o m.xlsx",
        2,
        "a map is saved as one of",
    ),
}


@pytest.mark.parametrize("case", ERRORS)
def test_errors_are_one_line_without_a_cell_and_maybe_the_place_that_is_wrong(
    run: Run, small: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, case: str
) -> None:
    line, code, text = ERRORS[case]
    (tmp_path / "empty").mkdir()
    monkeypatch.chdir(tmp_path / "empty")
    out_file = tmp_path / "empty" / "out.csv"
    names = {"F": str(small), "O": str(out_file), "O.xlsx": str(out_file.with_suffix(".xlsx"))}
    got, out, err = run(*(names.get(word, word) for word in line.split()))
    assert (got, out) == (code, "")
    assert err.startswith("discreet: ")
    assert re.fullmatch(r".+\n(.+\n *\^+\n)?", err)
    assert text in err
    assert CANARY not in err
    values = pd.read_csv(small)[["x", "y"]].to_numpy().ravel()
    assert not [value for value in values if f"{value:.4f}" in err]
    assert list((tmp_path / "empty").iterdir()) == []
    assert json.loads(run("log", "--released", "--json")[1]) == []


# --- round --------------------------------------------------------------------------------------


@pytest.fixture
def wine(tmp_path: Path) -> Path:
    """A hundred and seventy-eight wines: thirteen numbers and a class."""
    found = load_wine(as_frame=True)
    table = found.frame.rename(columns={"target": "class"})
    path = tmp_path / "wine.csv"
    table.to_csv(path, index=False)
    return path


def test_per_column_says_what_it_costs(run: Run, wine: Path, tmp_path: Path) -> None:
    rounded = tmp_path / "rounded.csv"
    how = "--columns alcohol,hue,ash --method optimal -k 10 --per-column --kinds class=categorical"
    words = f"round {wine} {how} -o {rounded}"
    code, out, err = run(*words.split())
    assert (code, err) == (0, "")
    table = pd.read_csv(rounded)
    assert len(table) == 178
    assert table.groupby("alcohol").size().min() >= 10
    assert "so the table is not k-anonymous: all are released rows that fewer than 10 rows" in (
        " ".join(out.split())
    )


@pytest.mark.slow
def test_points_to_round_new_records_by(run: Run, wine: Path, tmp_path: Path) -> None:
    points = tmp_path / "points.json"
    how = f"round {wine} --columns alcohol,hue --public --method kmeans -c 20"
    code, out, err = run(*f"{how} --points {points}".split())
    assert (code, err) == (0, "")
    assert out.startswith(f"{points}\n\n")
    assert isinstance(load_points(points), JointSet)
    each = tmp_path / "each.json"
    code, out, err = run(*f"{how} --per-column --points {each}".split())
    assert (code, err) == (0, "")


# --- tune --per-column ----------------------------------------------------------------------------


@pytest.fixture
def sixty(tmp_path: Path) -> Path:
    """Sixty rows of two numbers, a class and a name each, as a file."""
    rng = np.random.default_rng(2)
    x = rng.normal(size=60)
    table = {
        "name": [f"{CANARY}{i:02}" for i in range(60)],
        "x": x,
        "y": x + rng.normal(size=60),
        "kind": np.where(x > 0, "high", "low"),
    }
    path = tmp_path / "sixty.csv"
    pd.DataFrame(table).to_csv(path, index=False)
    return path


@pytest.mark.slow
def test_methods_are_compared_column_by_column(run: Run, sixty: Path, tmp_path: Path) -> None:
    page, numbers = tmp_path / "compare.html", tmp_path / "compare.csv"
    words = f"tune {sixty} --per-column --methods mdav,equal-width -k 6,12 --target kind --json"
    code, out, _ = run(*words.split(), "-o", str(page), "-o", str(numbers))
    for text in (out, page.read_text(), numbers.read_text()):
        assert CANARY not in text
    told = json.loads(out)
    assert code == 0
    assert told["release"] is False
    tried = [(t["method"], t["k"]) for t in told["trials"] if t["rule"] == "number"]
    assert tried == [(m, k) for m in ("mdav", "equal_width") for k in (6, 12)]
