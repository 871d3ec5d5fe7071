"""Each rule of the house, with a file that keeps it and one that breaks it."""

import subprocess
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from tools import house_rules

Check = Callable[[Mapping[str, str]], list[str]]

DOCUMENTED = '"""What it is for."""\n\n'


@pytest.fixture
def check(tmp_path: Path) -> Check:
    """Write the files of a made-up checkout and say what is broken in it."""

    def run(files: Mapping[str, str]) -> list[str]:
        for name, text in files.items():
            path = tmp_path / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        return [str(line) for line in house_rules.broken_rules(tmp_path)]

    return run


def package(**rooms: str) -> dict[str, str]:
    """Make package modules out of their code, documented and with a test file each."""
    files = {}
    for room, code in rooms.items():
        name = room.replace("__", "/") if not room.startswith("__") else room
        files[f"src/discreet/{name}.py"] = DOCUMENTED + code
        folder, _, last = name.rpartition("/")
        files[str(Path("tests", folder, f"test_{last}.py"))] = ""
    return files


# A line is `room: code`; the code stands on line 3, below DOCUMENTED.
MAY = {
    "a lower floor": {"policy": "from discreet.errors import InputError"},
    "the room itself": {"plots__scatter": "from discreet.plots.view import View"},
    "another package": {"errors": "import numpy\nfrom collections.abc import Mapping"},
    "data sets from floor 10": {"custodian": "from discreet import datasets"},
    "anything from the top": {"__init__": "from discreet.cli import main"},
    "a lower floor, by name": {"cli": "import_module('discreet.custodian')"},
}
MAY_NOT = {
    "a higher floor": (
        {"table": "import discreet.custodian"},
        "table (floor 4) imports custodian (floor",
    ),
    "a room beside": (
        {"measure__risk": "from discreet.plots import View"},
        "measure (floor 8) imports plots (floor 8)",
    ),
    "a higher floor, for types": (
        {"render__scene": "if TYPE_CHECKING:\n    from discreet.cli import main"},
        "render (floor 4) imports cli (floor 17)",
    ),
    "a higher floor, by name": (
        {"secret": "study = importlib.import_module('discreet.custodian')"},
        "secret (floor 2) imports custodian (floor 14)",
    ),
    "the top": (
        {"custodian": "from discreet import open"},
        "custodian (floor 14) imports __init__ (floor 18)",
    ),
    "anything but errors from data sets": (
        {"datasets": "from discreet.table import Table"},
        "datasets (apart) imports table (floor 4)",
    ),
}


@pytest.mark.parametrize("case", MAY)
def test_imports_down_the_floors(check: Check, case: str) -> None:
    assert check(package(**MAY[case])) == []


@pytest.mark.parametrize("case", MAY_NOT)
def test_no_import_up_the_floors(check: Check, case: str) -> None:
    modules, message = MAY_NOT[case]
    (line,) = check(package(**modules))
    assert message in line


IN_A_CIRCLE = {
    "two modules": {
        "table__reading": "from discreet.table.values import codes",
        "table__values": "from .reading import read",
    },
    "three modules": {
        "table__a": "from discreet.table import b",
        "table__b": "import discreet.table.c",
        "table__c": "try:\n    from discreet.table.a import x\nexcept ImportError:\n    pass",
    },
}
IN_NO_CIRCLE = {
    "for types": {
        "table__a": "from discreet.table.b import x",
        "table__b": "if TYPE_CHECKING:\n    from discreet.table.a import y",
    },
    "a package of its parts": {
        "table____init__": "from discreet.table.a import x",
        "table__a": "from discreet.table.b import y",
    },
}


@pytest.mark.parametrize("case", IN_A_CIRCLE)
def test_no_modules_import_each_other(check: Check, case: str) -> None:
    files = {name.replace("__", "/", 1): code for name, code in IN_A_CIRCLE[case].items()}
    named = {f"src/discreet/{name}.py": DOCUMENTED + code for name, code in files.items()}
    found = check({**named, "tests/table/test_table.py": ""})
    assert len(found) == 1
    assert "imports in a circle: discreet.table" in found[0]
    assert found[0].count("discreet.table") == len(files)


@pytest.mark.parametrize("case", IN_NO_CIRCLE)
def test_imports_that_are_no_circle(check: Check, case: str) -> None:
    files = {name.replace("__", "/", 1): code for name, code in IN_NO_CIRCLE[case].items()}
    named = {f"src/discreet/{name}.py": DOCUMENTED + code for name, code in files.items()}
    assert check({**named, "tests/table/test_table.py": ""}) == []


DESCRIBED = {"plots__pie": 'class Pie(Plot[PieView]):\n    """Known."""\n    name = "pie"'}


def test_a_plot_is_named_in_its_room(check: Check) -> None:
    named = DESCRIBED | {
        "plots__registry": 'USUAL = "pie"',
        "errors": '"""Of a pie."""\nx = "a pie, by name"',
    }
    assert check(package(**named)) == []


@pytest.mark.parametrize("room", ["custodian__session", "policy"])
def test_a_plot_is_named_nowhere_else(check: Check, room: str) -> None:
    (found,) = check(package(**DESCRIBED, **{room: 'if plot == "pie":\n    pass'}))
    assert "'pie' is the name of a plot" in found


def test_a_room_without_a_floor_is_named(check: Check) -> None:
    assert check(package(attic="import discreet.cli")) == [
        "src/discreet/attic.py:1: attic has no floor; give it a floor in BUILDING"
    ]


LATE = "def f():\n    from discreet.errors import InputError\n"


def test_no_import_of_the_package_inside_a_function(check: Check) -> None:
    assert check(package(custodian=LATE + '    """Docstring too late."""\n')) == [
        "src/discreet/custodian.py:3: f is public and has no docstring",
        "src/discreet/custodian.py:4: discreet.errors.InputError is imported inside a function;"
        " import it at the top",
    ]


@pytest.mark.parametrize("name", ["f", "__dir__"])
def test_a_package_imports_itself_late_in_getattr_alone(check: Check, name: str) -> None:
    code = f'def {name}():\n    """Known."""\n    from discreet.errors import InputError\n'
    assert check(package(__init__=code)) == [
        "src/discreet/__init__.py:5: discreet.errors.InputError is imported inside a function;"
        " import it at the top"
    ]


@pytest.mark.parametrize(
    "modules",
    [
        {"cli": LATE.replace("f()", "_f()")},
        {"__init__": LATE.replace("f()", "__getattr__(name)")},
        {"custodian": "def _f():\n    import numpy\n"},
    ],
    ids=["of a command", "that is lazy", "of another package"],
)
def test_late_imports_that_have_a_reason(check: Check, modules: dict[str, str]) -> None:
    assert check(package(**modules)) == []


# Kernels import numba, which takes a third of a second.
KERNELS = ["discreet.kernels.mdav", "discreet.kernels.columns.counted"]


@pytest.mark.parametrize(
    ("room", "name"), [*zip(["custodian", "methods__rounding__groups"], KERNELS, strict=True)]
)
def test_kernels_are_imported_where_they_are_used(check: Check, room: str, name: str) -> None:
    source, _, what = name.rpartition(".")
    path = f"src/discreet/{room.replace('__', '/')}.py"
    for code in (f"from {source} import {what}", f"import {name}"):
        assert check(package(**{room: f"def _f():\n    {code}\n"})) == []
        assert check(package(**{room: f"{code}\n"})) == [
            f"{path}:3: {name} imports numba; import it where used"
        ]


def test_kernels_import_each_other_at_the_top_and_nothing_late(check: Check) -> None:
    code = "from discreet.kernels.compiled import compiled"
    assert check(package(kernels__mdav=code)) == []
    assert check(package(kernels__mdav=f"def _f():\n    {code}\n")) == [
        "src/discreet/kernels/mdav.py:4: discreet.kernels.compiled.compiled is imported inside a"
        " function; import it at the top"
    ]


@pytest.mark.parametrize(
    ("room", "code", "message"),
    [
        (
            "progress",
            "def _f():\n    from discreet.kernels import mdav\n",
            "src/discreet/progress.py:4: progress (floor 1) imports kernels (floor 2)",
        ),
        (
            "kernels__mdav",
            "from discreet.methods import Mdav",
            "src/discreet/kernels/mdav.py:3: kernels (floor 2) imports methods (floor 6)",
        ),
    ],
    ids=["below them", "out of them"],
)
def test_kernels_are_no_way_round_the_floors(
    check: Check, room: str, code: str, message: str
) -> None:
    assert check(package(**{room: code})) == [
        f"{message}; an import goes to a lower floor or stays in its room"
    ]


@pytest.mark.parametrize(
    ("code", "name"),
    [
        ("from secrets import token_hex", "secrets"),
        ("from random import shuffle", "random"),
        ("import numpy.random", "numpy.random"),
        ("noise = np.random.normal()", "np.random"),
        ("noise = default_rng()", "default_rng"),
    ],
)
def test_random_numbers_come_from_the_secret_alone(check: Check, code: str, name: str) -> None:
    (line,) = check(package(methods__noise=code))
    assert line == (
        f"src/discreet/methods/noise.py:3: random numbers are drawn in secret.py alone;"
        f" {name} is for it"
    )
    assert check({**package(secret=code), **package(methods__noise="")}) == []


@pytest.mark.parametrize(
    ("code", "message"),
    [
        ("assert True", "assert is left out under python -O; raise an error"),
        ("print(1)", "print has no place in the package; return the text"),
    ],
)
def test_the_package_neither_asserts_nor_prints(check: Check, code: str, message: str) -> None:
    assert check(package(custodian=code)) == [f"src/discreet/custodian.py:3: {message}"]
    assert check({**package(custodian=""), "tools/a.py": code, "examples/b.py": code}) == []


# One line of code a statement; what is blank, comment or docstring does not count.
def lines(count: int, indent: str = "") -> str:
    """Write `count` lines of code, and as many that are none."""
    return "".join(f"{indent}a = {i}  # code\n{indent}# none\n\n" for i in range(count))


@pytest.mark.parametrize("start", ["def f():\n", "async def f():\n", "@decorated\ndef f():\n"])
def test_a_function_has_at_most_50_lines_of_code(check: Check, start: str) -> None:
    code = start + '    """One line.\n\n    And another.\n    """\n'
    assert check({"tools/a.py": code + lines(49, "    ")}) == []
    (line,) = check({"tools/a.py": code + lines(50, "    ")})
    assert line.endswith("f has 51 lines of code; the most is 50")


@pytest.mark.parametrize(
    ("code", "name"),
    [
        ("def f(): ...", "f"),
        ("class C: ...", "C"),
        ('class C:\n """Known."""\n def m(self): ...', "m"),
        ('class C:\n """Known."""\n def __call__(self): ...', "__call__"),
    ],
)
def test_whatever_is_public_has_a_docstring(check: Check, code: str, name: str) -> None:
    (line,) = check(package(custodian=code))
    assert line.endswith(f": {name} is public and has no docstring")


@pytest.mark.parametrize(
    "code",
    [
        "def _f(): ...",
        "class _C:\n def m(self): ...",
        'class C:\n """Known."""\n def __init__(self): ...\n def _m(self): ...',
        "@overload\ndef f(): ...",
        'def f():\n """Known."""\n def inner(): ...',
    ],
)
def test_what_is_private_needs_no_docstring(check: Check, code: str) -> None:
    assert check(package(custodian=code)) == []


@pytest.mark.parametrize("name", ["custodian", "__init__"])
def test_a_module_and_a_package_have_a_docstring(check: Check, name: str) -> None:
    tests = {"tests/test_custodian.py": "", "tests/plots/test_points.py": ""}
    assert check({**tests, f"src/discreet/{name}.py": "a = 1"}) == [
        f"src/discreet/{name}.py:1: the module has no docstring"
    ]


@pytest.mark.parametrize(
    ("path", "missing", "test"),
    [
        ("src/discreet/custodian.py", "tests/test_custodian.py", "tests/test_custodian.py"),
        ("src/discreet/plots/base.py", "tests/plots", "tests/plots/test_charts.py"),
    ],
)
def test_a_room_is_tested(check: Check, path: str, missing: str, test: str) -> None:
    assert check({path: DOCUMENTED}) == [f"{path}:1: its tests in {missing} are missing"]
    assert check({path: DOCUMENTED, test: ""}) == []


@pytest.mark.parametrize("raises", ["pytest.raises(ValueError)", "raises(ValueError, f, 1)"])
def test_a_test_of_an_error_reads_its_message(check: Check, raises: str) -> None:
    assert check({"tests/test_a.py": f"with {raises}:\n    f()\n"}) == [
        "tests/test_a.py:1: pytest.raises has no match=; test the message too"
    ]


def test_a_test_that_reads_the_message_is_kept(check: Check) -> None:
    assert check({"tests/test_a.py": "with pytest.raises(ValueError, match='k'):\n    f()\n"}) == []


@pytest.mark.parametrize("name", house_rules.HOSTS_AND_PATHS)
@pytest.mark.parametrize("path", ["README.md", ".ci/run"])
def test_no_file_names_a_registry_or_a_machine(
    tmp_path: Path, check: Check, name: str, path: str
) -> None:
    subprocess.run(["git", "init", "-q", tmp_path], check=True)
    assert check({path: f"one\ntwo {name} three\n"}) == [
        f"{path}:2: {name} is a registry or a path of one machine"
    ]


def test_what_git_ignores_and_pictures_are_left_alone(tmp_path: Path, check: Check) -> None:
    subprocess.run(["git", "init", "-q", tmp_path], check=True)
    (tmp_path / "a.png").write_bytes(b"\x89PNG\xff\xfe" + house_rules.HOSTS_AND_PATHS[0].encode())
    assert check({".gitignore": "made/\n", "made/a.txt": house_rules.HOSTS_AND_PATHS[0]}) == []


def test_main_prints_a_line_for_each_and_ends_with_1(
    tmp_path: Path, check: Check, capsys: pytest.CaptureFixture[str]
) -> None:
    check(package(custodian="print(1)\nprint(2)"))
    assert house_rules.main([str(tmp_path)]) == 1
    assert capsys.readouterr().out.splitlines() == [
        "src/discreet/custodian.py:3: print has no place in the package; return the text",
        "src/discreet/custodian.py:4: print has no place in the package; return the text",
    ]
