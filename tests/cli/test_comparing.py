"""`discreet compare`: many ways to round one table; what it writes, prints and refuses."""

import csv
import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from discreet.rounding import METHODS

Run = Callable[..., tuple[int, str, str]]

CANARY = "Canary"


@pytest.fixture
def small(tmp_path: Path) -> Path:
    """Sixty rows of two numbers, a class and a name each, as a file."""
    rng = np.random.default_rng(2)
    x = rng.normal(size=60)
    table = {
        "name": [f"{CANARY}{i:02}" for i in range(60)],
        "x": x,
        "y": x + rng.normal(size=60),
        "kind": np.where(x > 0, "high", "low"),
    }
    path = tmp_path / "small.csv"
    pd.DataFrame(table).to_csv(path, index=False)
    return path


def test_the_line_of_the_issue(run: Run, small: Path, tmp_path: Path) -> None:
    page, numbers = tmp_path / "compare.html", tmp_path / "compare.csv"
    words = f"compare {small} --rounding all -k 6,12 --target kind -o {page} -o {numbers}"
    code, out, err = run(*words.split())
    assert (code, err) == (0, "")
    told = "Rounding methods compared: small.csv\nFor the custodian: exact numbers"
    assert out.startswith(f"{page}, {numbers}\n{told}")
    assert "<html" in page.read_text()[:200]
    with numbers.open() as file:
        methods = {row["method"] for row in csv.DictReader(file)}
    assert methods == {"none", *METHODS}
    for text in (out, page.read_text(), numbers.read_text()):
        assert CANARY not in text


def test_json_is_printed(run: Run, small: Path) -> None:
    words = f"compare {small} --rounding mdav,equal-width -k 6:12 --drop name,kind --json"
    code, out, _ = run(*words.split())
    told = json.loads(out)
    assert code == 0
    assert told["release"] is False
    tried = [(t["method"], t["k"]) for t in told["trials"] if t["rule"] == "number"]
    assert tried == [(m, k) for m in ("mdav", "equal_width") for k in (6, 7, 10, 12)]


def test_nothing_is_tried_for_a_file_that_cannot_be_written(run: Run, small: Path) -> None:
    code, _, err = run("compare", str(small), "-o", "absent/compare.html")
    assert code == 2
    assert "no folder" in err
    code, _, err = run("compare", str(small), "-o", "compare.png")
    assert code == 2
    assert "a comparison is saved as one of" in err


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("--rounding all,mdav", "--rounding is all, or a list"),
        ("--rounding mdva", "no way to round 'mdva'"),
        ("-k few", "--k must be whole numbers"),
        ("--target z", "no column 'z'"),
        ("--rounding mdlp", "name a target that has classes"),
    ],
)
def test_what_is_refused_is_said_in_one_line(run: Run, small: Path, words: str, said: str) -> None:
    code, out, err = run("compare", str(small), *words.split())
    assert (code, out) == (2, "")
    assert said in err
    assert err.count("\n") == 1
