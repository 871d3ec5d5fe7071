"""The public tables of the papers: all are there, each with a licence, and one missing is said."""

from collections.abc import Mapping
from pathlib import Path
from runpy import run_path

import pandas as pd
import pytest

from examples import public
from examples.anonymise import titanic
from examples.parallel import data as credit
from examples.rounding import data as rounding

EXAMPLES = Path(public.__file__).parent
NEEDS: Mapping[str, str] = {**titanic.NEEDS, **credit.NEEDS, **rounding.NEEDS}
SHAPES = {
    "titanic": (891, 8),
    "german_credit": (1000, 21),
    "boston": (506, 14),
    "faithful": (272, 2),
    "tarragona": (834, 13),
}
# Some sums that sources print: means of the Titanic's fares, Boston's values, Old Faithful's rests.
MEANS = {("titanic", "Fare"): 32.204, ("boston", "medv"): 22.533, ("faithful", "waiting"): 70.897}


@pytest.fixture
def without(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """A folder without any table, to be read instead of the examples'."""
    monkeypatch.setenv("DISCREET_SHARED_DATA", str(tmp_path))
    return tmp_path


@pytest.fixture
def shipped(monkeypatch: pytest.MonkeyPatch) -> None:
    """The tables of the examples, whatever the environment says."""
    monkeypatch.delenv("DISCREET_SHARED_DATA", raising=False)


def test_each_table_that_is_needed_is_tried_and_none_else_is_there() -> None:
    files = {path.stem for folder in public.FOLDERS for path in folder.glob("*.csv")}
    assert {*NEEDS} == {*SHAPES} == files


@pytest.mark.usefixtures("shipped")
@pytest.mark.parametrize("name", SHAPES)
def test_a_clone_has_every_table_with_its_licence(name: str) -> None:
    path = public.find(name)
    assert path is not None
    assert pd.read_csv(path).shape == SHAPES[name]
    (line,) = [
        line
        for line in (public.HERE / "NOTICE.md").read_text(encoding="utf-8").splitlines()
        if line.startswith(f"| `{path.relative_to(public.HERE).as_posix()}`")
    ]
    assert line.rstrip(" |").rpartition("| ")[2] in (
        "CC0 1.0", "CC BY 4.0", "GPL-2", "GPL-2 or GPL-3"
    )  # fmt: skip
    assert (path.parent.name == "gpl") is ("GPL-2" in line)


def test_the_licence_lies_beside_what_is_under_it() -> None:
    text = (public.HERE / "gpl" / "LICENSE").read_bytes()
    assert b"GNU GENERAL PUBLIC LICENSE" in text
    assert b"Version 2, June 1991" in text


@pytest.mark.usefixtures("shipped")
@pytest.mark.parametrize(("name", "column"), MEANS)
def test_means_are_those_that_are_printed_of_them(name: str, column: str) -> None:
    found = pd.read_csv(public.find(name) or "")[column].mean()
    assert found == pytest.approx(MEANS[name, column], abs=5e-4)


def test_nobody_is_named() -> None:
    assert "Name" not in pd.read_csv(public.HERE / "titanic.csv")


def test_a_folder_that_is_named_is_read_instead(without: Path) -> None:
    assert public.find("faithful") is None
    (without / "faithful.csv").write_text("waiting\n1\n")
    assert public.find("faithful") == without / "faithful.csv"


@pytest.mark.usefixtures("without")
@pytest.mark.parametrize("everything", [False, True])
def test_what_is_left_out_is_said_with_the_way_to_have_it(
    everything: bool, capsys: pytest.CaptureFixture[str]
) -> None:
    assert public.complete(NEEDS, everything=everything) is not everything
    out = capsys.readouterr().out
    for name, what in NEEDS.items():
        assert f"{what} left out, because {name}.csv was not found. examples/data/NOTICE.md" in out
    assert ("Nothing is drawn: --all asks for everything." in out) is everything


@pytest.mark.usefixtures("shipped")
def test_nothing_is_said_where_all_are_there(capsys: pytest.CaptureFixture[str]) -> None:
    assert public.complete(NEEDS, everything=True)
    assert capsys.readouterr().out == ""


@pytest.mark.usefixtures("without")
@pytest.mark.parametrize("module", ["anonymise", "rounding", "parallel"])
def test_all_that_cannot_be_drawn_ends_with_1(
    module: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "build"
    monkeypatch.setattr("sys.argv", ["run", str(folder), "--all"])
    with pytest.raises(SystemExit, match=r"^1$"):
        run_path(str(EXAMPLES / module / "run.py"), run_name="__main__")
    assert "was not found" in capsys.readouterr().out
    assert not folder.exists()


def test_the_command_line_names_a_folder_and_whether_all_is_asked() -> None:
    assert public.asked("build/x", []) == (Path("build/x"), False)
    assert public.asked("build/x", ["here", "--all"]) == (Path("here"), True)
