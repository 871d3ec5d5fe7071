"""What `discreet plot parallel` takes beside what every picture does."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import discreet as dc
from discreet.cli.axes import AxesWish
from discreet.errors import InputError

Run = Callable[..., tuple[int, str, str]]

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
SECRET = ("--sensitive", "history=4", "-k", "5", "-l", "3")


def drawn(run: Run, *words: str) -> dc.ParallelView:
    """Draw parallel coordinates as JSON."""
    code, out, err = run("plot", "parallel", *words, "--json")
    assert (code, err) == (0, "")
    view = dc.View.from_json(out)
    assert isinstance(view, dc.ParallelView)
    return view


# --- pictures ---------------------------------------------------------------------------------


def check_credit(view: dc.ParallelView, axes: Sequence[str]) -> None:
    """Check what a picture of credits tells."""
    assert view.columns == tuple(axes)
    assert [axis.sensitive for axis in view.axes] == [False, False, False, True]
    assert view.axes[-1].kind == "categorical"
    assert view.parameters == {"k": 5, "pixels": 400, "l": 3}
    assert all(view.clusters)
    assert (view.sizes, view.method) == (None, "k-member-cells")


def test_the_case_of_the_paper(
    run: Run, shared_data: Callable[[str], Path], tmp_path: Path
) -> None:
    file, target = shared_data("german_credit.csv"), tmp_path / "credit.svg"
    axes = ("duration", "credit_amount", "age", "credit_history")
    words = (str(file), *axes, "--sensitive", "credit_history=4", "-k", "5", "-l", "3")

    code, out, err = run("plot", "parallel", *words, "-o", str(target))

    assert (code, err) == (0, "")
    assert out.startswith(f"{target}\nparallel coordinates of duration, credit_amount, age and")
    assert "promises: Every cluster, and every two that light up together" in out
    assert target.read_text().startswith("<?xml")
    view = drawn(run, *words)
    check_credit(view, axes)
    assert view.axes[-1].levels == ("0", "1", "2", "3", "4")
    assert {axis.low is None for axis in view.axes[:3]} == {False}


def test_the_same_on_a_made_table(run: Run, credit: Path, tmp_path: Path) -> None:
    for name in ("credit.svg", "credit.png", "credit.pdf", "credit.html", "credit.json"):
        target = tmp_path / name
        code, _, err = run("plot", "parallel", str(credit), *AXES, *SECRET, "-o", str(target))
        assert (code, err) == (0, "")
        assert target.stat().st_size > 1000
    view = dc.View.load(tmp_path / "credit.json")
    assert isinstance(view, dc.ParallelView)
    check_credit(view, AXES)
    assert view == drawn(run, str(credit), *AXES, *SECRET)
    kinds = {entry["kind"] for entry in json.loads(run("version", "list", "--json")[1])}
    assert kinds == {"parallel"}


def test_the_command_is_the_study_in_python(run: Run, credit: Path) -> None:
    policy = dc.Policy.preset(
        "standard",
        roles={"history": "sensitive"},
        kinds={"history": "categorical"},
        diversity=3,
    )
    told = run("plot", "parallel", str(credit), *AXES, *SECRET, "--json")[1]

    assert json.loads(told) == json.loads(dc.open(credit, policy).parallel(AXES).to_json())


def test_flat_clusters_and_other_pixels(run: Run, credit: Path) -> None:
    view = drawn(run, str(credit), "age", "amount", "--flat", "--pixels", "200")

    assert (view.fuzzy, view.pixels) == (False, 200)
    code, out, err = run("plot", "parallel", str(credit), "age", "amount", "--json")
    assert (code, out) == (dc.LeavingError.exit_code, "")
    assert "'pixels' is another" in err


def test_pairs_are_of_one_order_or_named(run: Run, credit: Path) -> None:
    words = ("plot", "parallel", str(credit), "--json")
    assert run(*words, "age", "amount", "sex")[0] == 0
    # a new process knows those that left
    assert run(*words, "sex", "amount")[0] == 0
    assert run(*words, "sex", "duration")[0] == 0
    code, out, err = run(*words, "age", "sex")
    assert (code, out) == (3, "")
    assert "these axes do not fit into one order" in err
    code, out, err = run(*words, "age", "sex", "--pair", "age,sex")
    assert (code, out) == (dc.LeavingError.exit_code, "")
    assert "the list of pairs is another" in err
    code, out, err = run(*words, "age", "sex", "--pair", "age,amount", "--pair", "amount, sex")
    assert (code, out) == (3, "")
    assert "'age', 'sex' may not stand side by side; the pairs of this study are" in err


def test_a_column_is_sensitive_as_a_whole(run: Run, credit: Path) -> None:
    view = drawn(run, str(credit), "amount", "age", "--sensitive", "age")

    assert [axis.sensitive for axis in view.axes] == [False, True]
    assert view.axes[1].kind == "continuous", "only named values make levels of numbers"
    assert view.parameters["l"] == 2


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
    wish = AxesWish(sensitive=given)

    assert wish.asked() == {"gradient": True} | ({"sensitive": named} if named else {})
    assert wish.levels() == [name for name, values in named.items() if values]
    roles = dict.fromkeys(named, "sensitive")
    assert wish.fields() == ({"roles": roles} if roles else {})


def test_what_a_study_is_opened_with_and_what_is_asked_of_it() -> None:
    wish = AxesWish(["ill"], 3, 200, ["a,b", " b , c "], flat=True)

    assert AxesWish(["ill"], 3, 200, flat=True).numbers() == {"diversity": 3, "pixels": 200}
    with pytest.raises(InputError, match="--pair is of guarded policies"):
        wish.numbers()
    assert wish.fields() == {
        "roles": {"ill": "sensitive"},
        "pairs": [["a", "b"], ["b", "c"]],
        "diversity": 3,
        "pixels": 200,
    }
    assert wish.asked() == {"sensitive": {"ill": []}, "gradient": False}
    assert AxesWish().fields() == AxesWish().numbers() == {}


def test_options_of_axes_are_of_parallel_coordinates_alone() -> None:
    wishes = {
        "sensitive": AxesWish(["a"]),
        "diversity": AxesWish(diversity=3),
        "pixels": AxesWish(pixels=200),
        "pair": AxesWish(pair=["a,b"]),
        "flat": AxesWish(flat=True),
    }
    for name, wish in wishes.items():
        wish.check("parallel")
        with pytest.raises(InputError, match=f"^--{name} is of parallel coordinates; leave it out"):
            wish.check("histogram")
    AxesWish().check("histogram")


# --- refused ----------------------------------------------------------------------------------

ERRORS: dict[str, tuple[list[str], int, str]] = {
    "one axis": (["age"], 2, "parallel coordinates need at least two columns"),
    "no axis": ([], 2, "Missing argument 'columns'"),
    "an axis twice": (["age", "amount", "age"], 2, "a column is named twice"),
    "an identifier": (["age", "who"], 3, "column 'who' identifies persons"),
    "nobody's": (["age", "agee"], 2, "there is no column 'agee'"),
    "by": (["age", "amount", "--by", "sex"], 2, "a parallel has no --by"),
    "a trend": (["age", "amount", "--trend"], 2, "--trend is for a scatter plot"),
    "no method": (["age", "amount", "--method", "magic"], 2, "cannot be made by method 'magic'"),
    "single records": (["age", "amount", "--method", "k-member"], 3, "pixels of single records"),
    "raw": (["age", "amount", "--method", "none"], 3, "exists under the policy 'research' alone"),
    "k above n": (["age", "amount", "-k", "201"], 3, "too few complete rows"),
    "l above the values": (
        [*AXES, "--sensitive", "history=4", "-l", "6"],
        2,
        "the diversity (l) is more than the sensitive column 'history' has values",
    ),
    "no l": ([*AXES, "-l", "0"], 2, "diversity of the policy must be a whole number"),
    "a value that nobody has": (
        [*AXES, "--sensitive", "history=9"],
        2,
        "a sensitive value of 'history' is none that its axis shows",
    ),
    "a secret that is no axis": (
        ["age", "amount", "--sensitive", "history"],
        2,
        "'history' is sensitive, but none of the columns",
    ),
    "a secret that is not last": (
        ["age", "history", "amount", "--sensitive", "history=4"],
        3,
        "the nearest allowed order is 'age', 'amount', 'history'",
    ),
    "few pixels": (["age", "amount", "--pixels", "333"], 2, "a multiple of 50 from 50 to 500"),
    "a pair of one": (["age", "amount", "--pair", "age"], 2, "a list of pairs of different column"),
    "a pair of nobody": (["age", "amount", "--pair", "age,agee"], 2, "there is no column 'agee'"),
    "another pair": (["age", "amount", "--pair", "age,sex"], 3, "may not stand side by side"),
    "a grid, under research": (
        ["age", "amount", "--policy", "research", "--grid", "5"],
        2,
        "a parallel has no use for --grid",
    ),
    "noise, under research": (
        ["age", "amount", "--policy", "research", "-q", "0.5"],
        2,
        "a parallel has no use for -",
    ),
    "bins, under research": (
        ["age", "amount", "--policy", "research", "--bins", "5"],
        2,
        "a parallel has no use for --bins",
    ),
}


@pytest.mark.parametrize(("words", "exit_code", "message"), ERRORS.values(), ids=ERRORS)
def test_what_cannot_be_drawn_is_said_in_one_line(
    run: Run, credit: Path, words: list[str], exit_code: int, message: str
) -> None:
    code, out, err = run("plot", "parallel", str(credit), *words, "--json")

    assert (code, out) == (exit_code, "")
    assert message in err
    assert err.startswith("discreet: ")
    assert err.count("\n") == 1


@pytest.mark.parametrize(
    "option",
    [["--sensitive", "age"], ["-l", "3"], ["--pixels", "200"], ["--pair", "a,b"], ["--flat"]],
    ids=lambda option: str(option[0]),
)
def test_other_pictures_have_no_axes(run: Run, credit: Path, option: list[str]) -> None:
    code, out, err = run("plot", "histogram", str(credit), "age", *option, "--json")

    assert (code, out) == (2, "")
    assert "is of parallel coordinates; leave it out" in err


# --- policies ---------------------------------------------------------------------------------


def test_under_research_records_are_clustered_and_numbers_are_the_picture_s_own(
    run: Run, credit: Path
) -> None:
    words = (*AXES, "--policy", "research", "--sensitive", "history=4,3", "-l", "3", "-k", "4")

    view = drawn(run, str(credit), *words, "--pixels", "600")

    assert view.method == "k-member"
    assert view.parameters == {"k": 4, "pixels": 500, "l": 3, "sensitive": "history = 4 or 3"}
    assert view.sizes is not None
    for method in ("k-member-joint", "none", "k-member-cells"):
        again = drawn(run, str(credit), "age", "amount", "--policy", "research", "--method", method)
        assert again.method == method


def test_a_policy_file_says_what_is_sensitive_and_the_rest_may_be_named(
    run: Run, credit: Path, tmp_path: Path
) -> None:
    policy = tmp_path / "ours.toml"
    policy.write_text('roles = {history = "sensitive"}\nkinds = {history = "categorical"}\n')
    words = ("--policy", str(policy))

    view = drawn(run, str(credit), *AXES, *words)
    assert view.axes[-1].sensitive is True
    assert view == drawn(run, str(credit), *AXES, *words, "--sensitive", "history=4")
    for option, name in (
        (["--sensitive", "age"], "roles"),
        (["-l", "3"], "diversity"),
        (["--pixels", "300"], "pixels"),
    ):
        code, _, err = run("plot", "parallel", str(credit), *AXES, *words, *option, "--json")
        assert code == 3
        assert f"the policy file says what {name} is; leave the option out" in err
    policy.write_text('pairs = [["age", "amount"]]\n')
    code, _, err = run(
        "plot", "parallel", str(credit), "age", "sex", *words, "--pair", "age,sex", "--json"
    )
    assert (code, "the policy file says what pairs is" in err) == (3, True)
