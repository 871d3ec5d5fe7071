"""Faults that harm privacy or truth, planted one at a time, and the tests that must catch each.

`tools/faults.toml` lists them. Each is planted in a copy of the checkout, where its tests are then
run by themselves; the checkout stays as it is. First all of these tests are run on the copy as it
is, and must pass. Ends with 1 unless every fault is caught. All takes some minutes.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
import time
import tomllib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

from tools.house_rules import tracked

ROOT = Path(__file__).parents[1]
LIST = ROOT / "tools" / "faults.toml"
CAUGHT, MISSED, NOT_THERE = "caught", "missed", "the text is not there"
NO_TEST, NO_END = "no test ran", "the tests did not end"
KEYS = ("name", "file", "before", "after", "tests")
OPTIONS = ("-x", "-q", "-p", "no:cacheprovider", "-p", "no:randomly", "--tb=line")
SECONDS = 1800
"""How long tests may run: these take some seconds, and a machine may have much else to do."""


class Fault(NamedTuple):
    """A fault: what is put in place of a text of a file, and the tests that must fail then."""

    name: str
    file: str
    before: str
    after: str
    tests: tuple[str, ...]


class Found(NamedTuple):
    """What became of a fault, and how long the tests ran, in seconds of the processors."""

    fault: Fault
    said: str
    seconds: float
    told: str = ""


def faults_of(path: Path = LIST) -> tuple[Fault, ...]:
    """Read the list; refuse one that is not whole.

    Raises
    ------
    ValueError
        If a fault lacks a key, has another one, or has the name of another.
    """
    listed: list[dict[str, Any]] = tomllib.loads(path.read_text(encoding="utf-8"))["fault"]
    for number, it in enumerate(listed, start=1):
        if set(it) != {*KEYS}:
            raise ValueError(f"fault {number} of {path.name} must have {', '.join(KEYS)}")
    found = tuple(Fault(**{**it, "tests": tuple(it["tests"])}) for it in listed)
    if len({it.name for it in found}) < len(found):
        raise ValueError(f"two faults of {path.name} have one name; give each its own")
    return found


def planted(text: str, fault: Fault) -> str | None:
    """Return a file's text with a fault in it; None unless what it replaces is there once.

    Examples
    --------
    >>> fault = Fault("a limit is off by one", "a.py", "n < k", "n <= k", ("tests/test_a.py",))
    >>> planted("if n < k:", fault), planted("if n > k:", fault)
    ('if n <= k:', None)
    """
    return text.replace(fault.before, fault.after) if text.count(fault.before) == 1 else None


def wrong_with(fault: Fault, root: Path = ROOT) -> str:
    """Say why a fault cannot be planted in a checkout; nothing where it can."""
    path = root / fault.file
    if not path.is_file():
        return f"there is no file {fault.file}"
    if fault.before == fault.after:
        return "it changes nothing"
    if planted(path.read_text(encoding="utf-8"), fault) is None:
        return f"{fault.before!r} is not in {fault.file} once"
    gone = [it for it in fault.tests if not _is_there(it, root)]
    return f"there is no test {gone[0]}" if gone else "" if fault.tests else "it names no test"


def _is_there(test: str, root: Path) -> bool:
    """Whether a file has a test of that name, such as `tests/test_a.py::test_b`."""
    file, _, name = test.partition("::")
    path = root / file
    return path.is_file() and f"\ndef {name}(" in path.read_text(encoding="utf-8")


@contextmanager
def copied(root: Path) -> Iterator[Path]:
    """Make a copy of what git tracks or would, and of kernels that are compiled; delete it after.

    Files keep their times, so that what was compiled of them counts in the copy.
    """
    with tempfile.TemporaryDirectory(prefix="discreet-faults-") as name:
        copy = Path(name) / "checkout"
        compiled = (it.relative_to(root) for it in root.glob("src/discreet/kernels/__pycache__/*"))
        for path in (*tracked(root), *compiled):
            (copy / path).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(root / path, copy / path)
        yield copy


ENDLESS = -1


class Ran(NamedTuple):
    """What a run of tests ended with: pytest's code, its last words, and its seconds."""

    code: int
    words: str
    seconds: float


def run(copy: Path, tests: Sequence[str]) -> Ran:
    """Run some tests of a copy, up to the first that fails."""
    data = os.environ.get("DISCREET_SHARED_DATA") or str(ROOT.parent / "shared" / "data")
    own = {"PYTHONPATH": str(copy / "src"), "DISCREET_SHARED_DATA": data}
    words = [sys.executable, "-m", "pytest", *OPTIONS, *dict.fromkeys(tests)]
    before = _seconds()
    try:
        done = subprocess.run(
            words, cwd=copy, env=os.environ | own, capture_output=True, text=True, timeout=SECONDS
        )
    except subprocess.TimeoutExpired:
        return Ran(ENDLESS, f"after {SECONDS // 60} minutes", _seconds() - before)
    said = (done.stdout.strip() or done.stderr.strip()).splitlines()
    return Ran(done.returncode, said[-1] if said else "", _seconds() - before)


def _seconds() -> float:
    """Return how long processes that have ended have kept the processors."""
    found = os.times()
    return found.children_user + found.children_system


def plant(copy: Path, fault: Fault) -> Found:
    """Plant a fault in a copy, run its tests, and put the file back as it was."""
    path = copy / fault.file
    text = path.read_text(encoding="utf-8") if path.is_file() else ""
    changed = planted(text, fault)
    if changed is None:
        return Found(fault, NOT_THERE, 0.0)
    kept, times = path.read_bytes(), path.stat()
    path.write_text(changed, encoding="utf-8")
    try:
        ran = run(copy, fault.tests)
    finally:
        path.write_bytes(kept)
        os.utime(path, ns=(times.st_atime_ns, times.st_mtime_ns))
    # 1: a test failed; 0: all passed; else there was none, or pytest could not run it.
    said = {0: MISSED, 1: CAUGHT, ENDLESS: NO_END}.get(ran.code, NO_TEST)
    return Found(fault, said, ran.seconds, ran.words)


def main(arguments: Sequence[str] | None = None) -> int:
    """Plant all faults, or one; print what became of each, and return 1 unless all are caught."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--only", metavar="NAME", help="plant one fault alone")
    parser.add_argument("--no-control", action="store_true", help="take it that all tests pass")
    chosen = parser.parse_args(arguments)
    faults = [it for it in faults_of() if chosen.only in (None, it.name)]
    if not faults:
        parser.error(f"no fault is named {chosen.only!r}; {LIST.name} has their names")
    began = time.monotonic()
    with copied(ROOT) as copy:
        seconds = 0.0
        if not chosen.no_control:
            control = run(copy, [test for it in faults for test in it.tests])
            seconds = control.seconds
            print(f"without a fault: {control.words}  ({seconds:.0f} s)", flush=True)
            if control.code:
                return 1
        found = []
        for fault in faults:
            found.append(plant(copy, fault))
            seconds += found[-1].seconds
            print(f"{found[-1].said}: {fault.name}  ({found[-1].seconds:.0f} s)", flush=True)
            if found[-1].said != CAUGHT:
                print(f"    {fault.file}; {found[-1].told}", flush=True)
    caught = sum(it.said == CAUGHT for it in found)
    spent = (
        f"{seconds / 60:.1f} minutes of a processor, {(time.monotonic() - began) / 60:.1f} in all"
    )
    print(f"{caught} of {len(found)} faults are caught ({spent}).")
    return int(caught < len(found))


if __name__ == "__main__":
    sys.exit(main())
