"""The tree of errors: what its docstring draws is what there is."""

import inspect
import re
from pathlib import Path

import numpy as np
import pytest
from IPython.core.interactiveshell import InteractiveShell

import discreet as dc
from discreet import errors
from discreet.errors import (
    BrokenPromiseError,
    InputError,
    LeavingError,
    RefusedError,
    RegisterError,
    needing,
    one_of,
)
from discreet.methods.counts import check_counts

TREE = {
    "DiscreetError": ("Exception", 1),
    "InputError": ("DiscreetError", 2),
    "RefusedError": ("DiscreetError", 3),
    "LeavingError": ("RefusedError", 4),
    "RegisterError": ("LeavingError", 4),
    "BrokenPromiseError": ("DiscreetError", 70),
}


@pytest.mark.parametrize(("name", "parent", "code"), [(n, *rest) for n, rest in TREE.items()])
def test_each_error_has_its_parent_and_exit_code(name: str, parent: str, code: int) -> None:
    error = getattr(errors, name)
    assert error.__bases__[0].__name__ == parent
    assert error.exit_code == code
    assert getattr(dc, name) is error


def test_the_tree_is_whole() -> None:
    classes = {name for name, _ in inspect.getmembers(errors, inspect.isclass)}
    assert {name for name in classes if name.endswith("Error")} == set(TREE)
    assert set(errors.__all__) == {*TREE, "UseWarning", "WideTableWarning"}


def test_the_docstring_draws_it() -> None:
    drawn = re.findall(r"^( *[│ ]*[├└]── )(\w+)", errors.__doc__ or "", flags=re.MULTILINE)
    depths = {name: branch.index("──") // 4 for branch, name in drawn}
    assert depths == {
        "InputError": 1,
        "RefusedError": 1,
        "LeavingError": 2,
        "RegisterError": 3,
        "BrokenPromiseError": 1,
    }


def test_wrong_input_is_a_value_error_and_no_other_is() -> None:
    others = [getattr(errors, name) for name in TREE if name != "InputError"]
    assert issubclass(errors.InputError, ValueError)
    assert not any(issubclass(error, ValueError) for error in others)


def test_what_may_not_leave_names_the_choice_that_differs() -> None:
    told = errors.LeavingError("the group of 'age' is another", "group of 'age'")
    assert (str(told), told.what) == ("the group of 'age' is another", "group of 'age'")
    assert told.args == ("the group of 'age' is another",)
    assert errors.LeavingError("the register is damaged").what == ""
    assert errors.LeavingError().what == ""


LISTS: dict[str, tuple[list[str], str]] = {
    "three words": (["merge", "suppression", "none"], "'merge', 'suppression', 'none'"),
    "one word": (["merge"], "'merge'"),
    "words with quotes": (["it's", 'so "called"', "a"], "\"it's\", 'so \"called\"', 'a'"),
    "nothing": ([], ""),
}


def test_every_choice_is_listed() -> None:
    for words, listed in LISTS.values():
        assert one_of(words) == one_of(iter(words)) == listed


class TestNeeding:
    def test_it_names_the_extra(self) -> None:
        said = r"a tree needs packages that are not installed: pip install 'discreet\[trees\]'"
        with pytest.raises(InputError, match=said), needing("trees", "a tree"):
            raise ModuleNotFoundError("No module named 'woods'", name="woods")

    def test_a_module_of_ours_that_is_missing_is_a_mistake(self) -> None:
        with pytest.raises(ModuleNotFoundError, match="oaks"), needing("trees", "a tree"):
            raise ModuleNotFoundError("No module named 'discreet.oaks'", name="discreet.oaks")

    def test_a_package_without_its_own_library_is_needed_too(self) -> None:
        said = r"pip install 'discreet\[trees\]', or plant them$"
        with pytest.raises(InputError, match=said), needing("trees", "a tree", "plant them"):
            raise ImportError("no pq wrapper available")


CELLS = {
    "a call": ("study.histogram('nothing')", ["line 1: study.histogram('nothing')"]),
    "a call in a function": (
        "def draw(name):\n    return study.box(name)\n\ndraw('nothing')",
        ["line 4: draw('nothing')", "line 2: return study.box(name)"],
    ),
    "a call within pandas": (
        "import pandas as pd\npd.Series(['nothing']).map(lambda it: study.histogram(it))",
        [
            "line 2: pd.Series(['nothing']).map(lambda it: study.histogram(it))",
            "line 2: pd.Series(['nothing']).map(lambda it: study.histogram(it))",
        ],
    ),
}


@pytest.mark.parametrize(("cell", "lines"), CELLS.values(), ids=CELLS)
def test_a_notebook_shows_the_lines_of_the_cell_and_one_message(
    capsys: pytest.CaptureFixture[str], cell: str, lines: list[str]
) -> None:
    shell = InteractiveShell()  # type: ignore[no-untyped-call]
    shell.user_ns["study"] = dc.open(dc.datasets.diabetes())
    result = shell.run_cell(cell)  # type: ignore[no-untyped-call]
    assert isinstance(result.error_in_exec, InputError)
    printed = capsys.readouterr().out.splitlines()
    assert printed[:-1] == lines
    assert printed[-1].startswith("InputError: there is no column 'nothing'; ")


def test_a_bug_says_where_in_discreet_it_is() -> None:
    with pytest.raises(BrokenPromiseError, match="is about to be shown") as raised:
        check_counts(np.array([1]), np.array([True]), k=2)
    *own, place, message = raised.value._render_traceback_()
    assert [it.partition(",")[0] for it in own] == [Path(__file__).name]
    assert place.startswith("counts.py, line ")
    assert message == (
        "BrokenPromiseError: a cell that stands on fewer than k people is about to be shown"
    )


def test_the_kinds_of_errors_are_shown_alike() -> None:
    for kind in (InputError, RefusedError, LeavingError, RegisterError):
        assert kind("what is wrong")._render_traceback_() == [f"{kind.__name__}: what is wrong"]
