"""The rules of the house that no ready-made linter knows; run by `make check`.

Prints one line for each broken rule, and ends with 1 if there was one.
"""

from __future__ import annotations

import argparse
import ast
import io
import subprocess
import sys
import tokenize
from collections.abc import Callable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import NamedTuple

PACKAGE = "discreet"
# A room is a module or folder of the package; it imports from lower floors and from itself.
BUILDING = (
    ("errors", "levels", "memory", "places", "progress"),
    ("arguments", "kernels", "secret", "use"),
    ("columns", "lines", "provenance", "spreadsheet", "unfinished"),
    ("expressions", "keys", "parallel", "records", "render", "study_file", "table"),
    ("document", "regression", "rounding", "sketch", "web"),
    ("methods",),
    ("estimates",),
    ("measure", "plots", "warm"),
    ("register", "policy", "release"),
    ("vault",),
    ("papers",),
    ("explore",),
    ("answers", "outputs"),
    ("custodian",),
    ("opening",),
    ("doctor", "serve"),
    ("cli",),
    ("__init__",),
    ("__main__",),
)
# What stands above the wall reads study files: what can reach a raw value it does not import.
ABOVE_THE_WALL = ("explore", "outputs", "serve", "web")
BELOW_THE_WALL = ("answers", "custodian", "papers", "register", "table", "vault")
FLOORS = {room: floor for floor, rooms in enumerate(BUILDING, start=1) for room in rooms}
APART = "datasets"  # imports errors alone, and is imported by floor 10 and above alone
APART_FROM_FLOOR = 10
LATE_IMPORTS_IN = "cli"  # each command imports what it needs, so that --help is quick
DOOR = "opening"  # which imports what is below the wall where data are opened, and only there
LATE_IMPORTS_OF = "kernels"  # they import numba, which takes a third of a second
PLOTS = "plots"
# What has the name of a plot and is none: the room of clusters, a mark of a Scene, measures.
NO_PLOTS = {
    ("__init__", "parallel"),
    ("render/marks", "bars"),
    ("estimates/fidelity_report", "correlations"),
    ("measure/information_loss", "correlations"),
    ("measure/utility", "correlations"),
}
RANDOM_ROOM = "secret"
RANDOM_MODULES = ("secrets", "random", "numpy.random")

FUNCTION_LINES = 50
CODE_FOLDERS = ("src", "tools", "benchmarks", "examples")
NOT_CODE = {tokenize.COMMENT, tokenize.NL, tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT}

# In pieces, so that this file keeps its own rule.
HOSTS_AND_PATHS = (
    "pypi" + ".",
    "pythonh" + "osted",
    "debian" + ".org",
    "npmjs" + ".",
    "/wo" + "rk/",
    "/fa" + "rm/",
    "/tmp/" + "bash_jobs",
)
NOT_TRACKED = {"build", "dist", "__pycache__"}

Function = ast.FunctionDef | ast.AsyncFunctionDef
Definition = Function | ast.ClassDef


class Broken(NamedTuple):
    """One broken rule: where, and what to do about it."""

    path: str
    line: int
    rule: str

    def __str__(self) -> str:
        return f"{self.path}:{self.line}: {self.rule}"


class Import(NamedTuple):
    """One name that is imported, in full; `within` are the functions around it."""

    name: str
    line: int
    within: tuple[str, ...]


@dataclass(frozen=True)
class Module:
    """One Python file; `path` is relative to the root of the checkout."""

    path: PurePosixPath
    source: str
    tree: ast.Module

    @property
    def inside(self) -> tuple[str, ...]:
        """The module's name below the package: ("plots", "scatter"); empty outside of it."""
        parts = self.path.with_suffix("").parts
        return parts[2:] if parts[:2] == ("src", PACKAGE) else ()

    @property
    def room(self) -> str:
        """The module's or folder's name on the table of floors; empty outside the package."""
        return self.inside[0] if self.inside else ""

    def broken(self, node: ast.AST | int, rule: str) -> Broken:
        """Say that `rule` is broken at `node`."""
        line = node if isinstance(node, int) else getattr(node, "lineno", 1)
        return Broken(str(self.path), line, rule)


# --- what is imported -----------------------------------------------------------------------


def floors(module: Module) -> Iterator[Broken]:
    """An import goes to a lower floor or stays in its room."""
    if not module.room:
        return
    if module.room != APART and module.room not in FLOORS:
        yield module.broken(1, f"{module.room} has no floor; give it a floor in BUILDING")
        return
    for found in imports(module):
        target = room_of(found.name)
        if target and target != module.room and not may_import(module.room, target):
            yield module.broken(
                found.line,
                f"{floor_name(module.room)} imports {floor_name(target)};"
                " an import goes to a lower floor or stays in its room",
            )


def wall(module: Module) -> Iterator[Broken]:
    """What is above the wall imports nothing of what is below it."""
    if module.room not in ABOVE_THE_WALL:
        return
    for found in imports(module):
        if (target := room_of(found.name)) in BELOW_THE_WALL:
            yield module.broken(
                found.line,
                f"{module.room} imports {target}, which can reach raw values; it reads study files",
            )


def late_imports(module: Module) -> Iterator[Broken]:
    """The package does not import itself inside functions, but for kernels, and those alone."""
    if not module.room or module.room in (LATE_IMPORTS_IN, DOOR):
        return
    for found in imports(module):
        if (room := room_of(found.name)) == LATE_IMPORTS_OF != module.room:
            if not found.within:
                yield module.broken(found.line, f"{found.name} imports numba; import it where used")
            continue
        lazy = module.path.name == "__init__.py" and found.within == ("__getattr__",)
        if found.within and room and not lazy:
            yield module.broken(
                found.line, f"{found.name} is imported inside a function; import it at the top"
            )


def randomness(module: Module) -> Iterator[Broken]:
    """Random numbers come from the secret alone."""
    if not module.room or module.inside == (RANDOM_ROOM,):
        return
    rule = f"random numbers are drawn in {RANDOM_ROOM}.py alone; {{}} is for it"
    for found in imports(module):
        for name in RANDOM_MODULES:
            if found.name == name or found.name.startswith(f"{name}."):
                yield module.broken(found.line, rule.format(name))
    for node in ast.walk(module.tree):
        if isinstance(node, ast.Attribute | ast.Name):
            name = ast.unparse(node)
            if name in {"np.random", "numpy.random", "default_rng"}:
                yield module.broken(node, rule.format(name))


def imports(module: Module) -> Iterator[Import]:
    """Find all that is imported, type checking and `import_module` too."""

    def walk(node: ast.AST, within: tuple[str, ...]) -> Iterator[Import]:
        for child in ast.iter_child_nodes(node):
            for name in imported_names(module, child):
                yield Import(name, getattr(child, "lineno", 1), within)
            inner = (*within, child.name) if isinstance(child, Function) else within
            yield from walk(child, inner)

    yield from walk(module.tree, ())


def imported_names(module: Module, node: ast.AST) -> list[str]:
    """Name in full what `node` imports; `from a import b` is a.b, whatever b is."""
    match node:
        case ast.Import(names=names):
            return [alias.name for alias in names]
        case ast.ImportFrom(module=source, names=names, level=level):
            base = in_full(module, level, source or "")
            return [f"{base}.{alias.name}" for alias in names]
        case ast.Call(
            func=ast.Name(id=called) | ast.Attribute(attr=called),
            args=[ast.Constant(value=str(name)), *_],
        ) if called in {"__import__", "import_module"}:
            bare = name.lstrip(".")
            return [in_full(module, len(name) - len(bare), bare)]
    return []


def in_full(module: Module, level: int, name: str) -> str:
    """Write `name` in full where `level` dots stand before it."""
    package = [PACKAGE, *module.inside]
    start = package[: len(package) - level] if level else []
    return ".".join(part for part in (*start, name) if part)


def room_of(name: str) -> str:
    """Name the room that a full name leads into; empty outside the package."""
    package, _, rest = name.partition(".")
    if package != PACKAGE:
        return ""
    room = rest.partition(".")[0]
    return room if room in FLOORS or room == APART else "__init__"


def may_import(room: str, target: str) -> bool:
    """Tell whether `room` stands high enough to import `target`."""
    if room == APART:
        return target == "errors"
    if target == APART:
        return FLOORS[room] >= APART_FROM_FLOOR
    return FLOORS[target] < FLOORS[room]


def floor_name(room: str) -> str:
    """Name a room and its floor, for a message."""
    return f"{room} ({'apart' if room == APART else f'floor {FLOORS[room]}'})"


def circles(modules: Sequence[Module]) -> Iterator[Broken]:
    """No module of the package imports itself, by way of others either, when it is loaded."""
    known = {module_name(module): module for module in modules if module.room}
    loads = {name: {*loaded(module, known)} - {name} for name, module in known.items()}
    reached = {name: reachable(name, loads) for name in loads}
    for name, module in known.items():
        others = sorted(it for it in reached[name] if name in reached[it])
        if name in reached[name] and name == min(others):
            yield module.broken(1, f"imports in a circle: {', '.join(others)}")


def module_name(module: Module) -> str:
    """Name a module of the package in full; a package by its folder."""
    inside = module.inside[:-1] if module.inside[-1] == "__init__" else module.inside
    return ".".join((PACKAGE, *inside))


def loaded(module: Module, known: Mapping[str, Module]) -> Iterator[str]:
    """Name the modules that are imported when this one is loaded, and not for types alone."""

    def walk(node: ast.AST) -> Iterator[str]:
        for child in ast.iter_child_nodes(node):
            types = isinstance(child, ast.If) and "TYPE_CHECKING" in ast.unparse(child.test)
            if types or isinstance(child, Function | ast.Lambda):
                continue
            for name in imported_names(module, child):
                parent = name.rpartition(".")[0]
                yield from [it for it in (name, parent) if it in known][:1]
            yield from walk(child)

    yield from walk(module.tree)


def reachable(start: str, loads: Mapping[str, Set[str]]) -> set[str]:
    """Name all modules that are loaded with one; itself only by way of others."""
    found: set[str] = set()
    ahead = [*loads[start]]
    while ahead:
        if (name := ahead.pop()) not in found:
            found.add(name)
            ahead.extend(loads[name])
    return found


def plot_names(modules: Sequence[Module]) -> Iterator[Broken]:
    """A plot's name stands in the room of plots: all others ask its class."""
    named = {name for module in modules if module.room == PLOTS for name in described(module)}
    for module in modules:
        place = "/".join(module.inside)
        if not module.room or module.room == PLOTS:
            continue
        for node in ast.walk(module.tree):
            if not isinstance(node, ast.Constant):
                continue
            if node.value in named and (place, node.value) not in NO_PLOTS:
                yield module.broken(
                    node, f"{node.value!r} is the name of a plot; ask its class, or the registry"
                )


def described(module: Module) -> Iterator[str]:
    """Name the plots that a module describes: `name = "..."` in a class of `Plot[...]`."""
    for node in module.tree.body:
        if isinstance(node, ast.ClassDef) and any("Plot[" in ast.unparse(it) for it in node.bases):
            for statement in node.body:
                match statement:
                    case ast.Assign(targets=[ast.Name(id="name")], value=ast.Constant(value=value)):
                        yield str(value)


# --- how a file is written ------------------------------------------------------------------


def no_print_no_assert(module: Module) -> Iterator[Broken]:
    """The package returns and raises; printing and asserting is for others."""
    if not module.room:
        return
    for node in ast.walk(module.tree):
        if isinstance(node, ast.Assert):
            yield module.broken(node, "assert is left out under python -O; raise an error")
        elif isinstance(node, ast.Call) and ast.unparse(node.func) == "print":
            yield module.broken(node, "print has no place in the package; return the text")


def sizes(module: Module) -> Iterator[Broken]:
    """A function is read at one glance; a file is as long as its one topic."""
    lines = code_lines(module)
    for node in ast.walk(module.tree):
        if isinstance(node, Function):
            count = sum(node.lineno <= line <= (node.end_lineno or 0) for line in lines)
            if count > FUNCTION_LINES:
                rule = f"{node.name} has {count} lines of code; the most is {FUNCTION_LINES}"
                yield module.broken(node, rule)


def code_lines(module: Module) -> set[int]:
    """Number the lines that are neither blank, nor comment, nor docstring."""
    lines: set[int] = set()
    for token in tokenize.generate_tokens(io.StringIO(module.source).readline):
        if token.type not in NOT_CODE and token.string:
            lines.update(range(token.start[0], token.end[0] + 1))
    for node in ast.walk(module.tree):
        if isinstance(node, ast.Module | Definition) and ast.get_docstring(node) is not None:
            text = node.body[0]
            lines.difference_update(range(text.lineno, (text.end_lineno or 0) + 1))
    return lines


def docstrings(module: Module) -> Iterator[Broken]:
    """Whatever is public says what it is."""
    if not module.room or any(name.startswith("_") for name in module.inside[:-1]):
        return
    private = is_private(module.inside[-1]) and module.path.name != "__init__.py"
    if not private and ast.get_docstring(module.tree) is None:
        yield module.broken(1, "the module has no docstring")
    for node in public_definitions(module.tree):
        if ast.get_docstring(node) is None:
            yield module.broken(node, f"{node.name} is public and has no docstring")


def public_definitions(node: ast.Module | ast.ClassDef) -> Iterator[Definition]:
    """Find public classes, functions and methods; overloads and setters speak for another."""
    for child in node.body:
        if not isinstance(child, Definition) or is_private(child.name):
            continue
        decorators = {ast.unparse(decorator).split(".")[-1] for decorator in child.decorator_list}
        if not decorators & {"overload", "setter", "deleter"}:
            yield child
        if isinstance(child, ast.ClassDef):
            yield from public_definitions(child)


def is_private(name: str) -> bool:
    """Tell whether a name needs no docstring: _x and __x__, but not __call__."""
    return name.startswith("_") and name != "__call__"


def matched_raises(module: Module) -> Iterator[Broken]:
    """A test of an error reads its message."""
    if module.path.parts[0] != "tests":
        return
    for node in ast.walk(module.tree):
        if (
            isinstance(node, ast.Call)
            and ast.unparse(node.func) in {"pytest.raises", "raises"}
            and not any(keyword.arg == "match" for keyword in node.keywords)
        ):
            yield module.broken(node, "pytest.raises has no match=; test the message too")


def tested_rooms(paths: Sequence[PurePosixPath]) -> Iterator[Broken]:
    """A room src/discreet/a is tested in tests/a, a module src/discreet/b.py in tests/test_b.py."""
    tested = {PurePosixPath(*path.parts[:2]) for path in paths if path.name.startswith("test_")}
    for path in paths:
        if path.parts[:2] != ("src", PACKAGE) or path.suffix != ".py":
            continue
        room = path.parts[2]
        of = PurePosixPath("tests", f"test_{room}" if room.endswith(".py") else room)
        if not room.startswith("__") and of not in tested:
            yield Broken(str(path), 1, f"its tests in {of} are missing")


# --- what a file may not name ---------------------------------------------------------------


def hosts_and_paths(path: PurePosixPath, text: str) -> Iterator[Broken]:
    """No file names a package registry or a folder of the machine it was written on."""
    for number, line in enumerate(text.splitlines(), start=1):
        for name in HOSTS_AND_PATHS:
            if name in line:
                yield Broken(str(path), number, f"{name} is a registry or a path of one machine")


# --- all of them ----------------------------------------------------------------------------

MODULE_RULES: tuple[Callable[[Module], Iterator[Broken]], ...] = (
    floors,
    wall,
    late_imports,
    randomness,
    no_print_no_assert,
    sizes,
    docstrings,
    matched_raises,
)


def broken_rules(root: Path) -> list[Broken]:
    """Check all files of the checkout at `root`."""
    paths = tracked(root)
    found = set(tested_rooms(paths))
    modules = []
    for path in paths:
        try:
            text = (root / path).read_text(encoding="utf-8")
        except UnicodeDecodeError:
            continue  # a picture
        found.update(hosts_and_paths(path, text))
        if path.suffix == ".py":
            module = Module(path, text, ast.parse(text, filename=str(path)))
            modules.append(module)
            found.update(broken for rule in MODULE_RULES for broken in rule(module))
    found.update(circles(modules))
    found.update(plot_names(modules))
    return sorted(found)


def tracked(root: Path) -> list[PurePosixPath]:
    """List what git tracks or would; outside of git, all but what is made."""
    command = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    listed = subprocess.run(command, cwd=root, capture_output=True, text=True, check=False)
    if listed.returncode == 0:
        names = [name for name in listed.stdout.split("\0") if (root / name).is_file()]
        return sorted(PurePosixPath(name) for name in names)
    files = [PurePosixPath(path.relative_to(root).as_posix()) for path in root.rglob("*")]
    return sorted(
        path
        for path in files
        if (root / path).is_file()
        and not any(part in NOT_TRACKED or part.startswith(".") for part in path.parts[:-1])
    )


def main(arguments: Sequence[str] | None = None) -> int:
    """Print what is broken in a checkout; return 1 if anything is."""
    parser = argparse.ArgumentParser(description="Check the rules of the house.")
    parser.add_argument("root", nargs="?", type=Path, default=Path(__file__).parents[1])
    found = broken_rules(parser.parse_args(arguments).root)
    for line in found:
        print(line)
    if not found:
        print("The rules of the house are kept.")
    return int(bool(found))


if __name__ == "__main__":
    sys.exit(main())
