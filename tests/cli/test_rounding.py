"""`discreet round`: what it writes, prints and refuses."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pandas as pd
import pytest
from sklearn.datasets import load_wine

from discreet.protect import load_points
from discreet.rounding import JointSet

Run = Callable[..., tuple[int, str, str]]


@pytest.fixture
def wine(tmp_path: Path) -> Path:
    """A hundred and seventy-eight wines: thirteen numbers and a class."""
    found = load_wine(as_frame=True)
    table = found.frame.rename(columns={"target": "class"})
    path = tmp_path / "wine.csv"
    table.to_csv(path, index=False)
    return path


def test_jointly_every_row_is_shared(run: Run, wine: Path, tmp_path: Path) -> None:
    rounded, report = tmp_path / "rounded.csv", tmp_path / "rounding.html"
    words = f"round {wine} --method mdav -k 10 -o {rounded} --report {report}"

    code, out, err = run(*words.split())

    assert (code, err) == (0, "")
    assert out.startswith(f"{rounded}, {report}\n\n")
    rows = Counter(pd.read_csv(rounded).itertuples(index=False, name=None))
    assert min(rows.values()) >= 10
    assert "groups of at least 10 (found by mdav)" in report.read_text()


def test_per_column_says_what_it_costs(run: Run, wine: Path, tmp_path: Path) -> None:
    rounded = tmp_path / "rounded.csv"
    words = f"round {wine} --method optimal -k 10 --per-column --categorical class -o {rounded}"

    code, out, err = run(*words.split(), "--policy", "research")

    assert (code, err) == (0, "")
    table = pd.read_csv(rounded)
    assert len(table) == 178
    assert table.groupby("alcohol").size().min() >= 10
    assert "so the table is not k-anonymous: all are released rows that fewer than 10 rows" in (
        " ".join(out.split())
    )


def test_points_to_round_new_records_by(run: Run, wine: Path, tmp_path: Path) -> None:
    points = tmp_path / "points.json"

    code, out, err = run(*f"round {wine} --method kmeans -c 20 --points {points}".split())

    assert (code, err) == (0, "")
    assert out.startswith(f"{points}\n\n")
    assert isinstance(load_points(points), JointSet)

    words = f"round {wine} --method kmeans -c 20 --per-column --points {tmp_path / 'each.json'}"
    code, out, err = run(*words.split(), "--policy", "research")
    assert code == 4  # the same data have left under a guarded policy
    assert "'regime' is another than when something of study 'wine.csv' left before" in err


def test_json_is_the_report(run: Run, wine: Path) -> None:
    words = "--method vmdav --per-column --policy research -k freedman-diaconis --json"
    code, out, err = run("round", str(wine), *words.split())

    assert code == 0
    told = json.loads(out)
    assert told["made"]["rounding"] == "vmdav"
    assert told["made"]["k"] == "freedman-diaconis"
    assert "nothing was saved" in err


REFUSED = {
    "an unknown method": ("--method magic", 2, "rounding of the policy must be one of 'mdav'"),
    "no number": ("--method mdav -k many", 2, "k must be a whole number where rows are rounded"),
    "per column, guarded": (
        "--per-column",
        3,
        "simulated data under the policy 'research' (--policy",
    ),
    "points as a table": ("--points points.csv", 2, "rounding points"),
    "a report alone": ("--report report.html", 2, "a report leaves with its table"),
    "median jointly": ("--representative median", 2, "of columns rounded by themselves"),
}


@pytest.mark.parametrize(("words", "expected", "message"), REFUSED.values(), ids=REFUSED)
def test_what_is_refused(run: Run, wine: Path, words: str, expected: int, message: str) -> None:
    code, out, err = run("round", str(wine), *words.split())

    assert (code, out) == (expected, "")
    assert message in " ".join(err.split())


def test_the_policy_file_is_not_overruled(run: Run, wine: Path, tmp_path: Path) -> None:
    policy = tmp_path / "policy.toml"
    policy.write_text('k = 10\nrows = "rounding"\nrounding = "kmeans"\nc = 4\n')
    words = ("round", str(wine), "--policy", str(policy))

    for given in (["-k", "3"], ["--method", "equal-width"], ["-c", "5"]):
        code, out, err = run(*words, *given)
        assert (code, out) == (3, "")
        assert "the policy file says what" in err

    rounded = tmp_path / "rounded.csv"
    code, out, err = run(*words, *f"-k 10 --method kmeans -c 4 -o {rounded}".split())
    assert (code, err) == (0, "")
    rows = Counter(pd.read_csv(rounded).itertuples(index=False, name=None))
    assert min(rows.values()) >= 10

    policy.write_text('k = 10\nrows = "condensation"\n')
    code, out, err = run("round", str(wine), "--policy", str(policy))
    assert (code, out) == (3, "")
    assert "made by 'condensation'; to round, the custodian can open a study with it" in err
