"""Kernels are compiled once, say so, and give what Python gives."""

import errno
import math
import os
import runpy
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from discreet import progress
from discreet.kernels import compiled
from discreet.kernels.compiled import kernel

SOURCE = """
from discreet.kernels.compiled import kernel

@kernel
def double(x):
    return 2 * x
"""


def test_it_says_when_it_compiles_and_only_then(tmp_path: Path) -> None:
    path = tmp_path / "doubling.py"  # a new one, which is not yet kept beside its code
    path.write_text(SOURCE)
    told: list[tuple[str, int, int]] = []
    with progress.listening(lambda *step: told.append(step)):
        double = runpy.run_path(str(path), run_name="discreet.doubling")["double"]
        first = double(np.array([1.0, 2.0]))
        once = len(told)
        again = double(np.array([3.0]))
    assert first.tolist() == [2.0, 4.0]
    assert again.tolist() == [6.0]
    assert len(told) == once > 0
    assert {step[0] for step in told} == {"compiling, once on this machine"}
    assert told[0][1:] == (0, 1)
    assert told[-1][1:] == (1, 1)
    assert list(tmp_path.glob("__pycache__/*.nbc"))


LOWER = """
from discreet.kernels.pairs import merged_in

@merged_in
def step():
    return {step}
"""
UPPER = """
from discreet.kernels.compiled import kernel
from discreet.kernels.lower import step

@kernel
def count(x):
    return x + step()
"""


@pytest.mark.slow
def test_what_was_kept_is_forgotten_when_a_module_that_it_calls_is_another(tmp_path: Path) -> None:
    # The package, with two modules more: the lower one is changed between two starts.
    package = tmp_path / "discreet"
    shutil.copytree(
        Path(compiled.__file__).parents[1], package, ignore=shutil.ignore_patterns("__pycache__")
    )
    upper, lower = package / "kernels" / "upper.py", package / "kernels" / "lower.py"
    upper.write_text(UPPER)
    call = (
        "from discreet.kernels.upper import count;"
        " print(count(1), sum(count.stats.cache_hits.values()))"
    )

    def told() -> str:
        run = subprocess.run(
            [sys.executable, "-B", "-c", call], cwd=tmp_path, check=True, capture_output=True
        )
        return run.stdout.decode().strip()

    lower.write_text(LOWER.format(step=1))
    assert [told(), told()] == ["2 0", "2 1"]
    lower.write_text(LOWER.format(step=5))
    assert [told(), told()] == ["6 0", "6 1"]


TRIED = """
import sys
from discreet import progress
from discreet.kernels.compiled import kept_kernels
from discreet.kernels.thirds import third
with progress.listening(lambda task, done, total: print(task) if done else None):
    third(6.0)
kept = kept_kernels()
print(third(6.0), "thirds.third" in kept.compiled, kept.writable, kept.folder)
"""
THIRDS = """
from discreet.kernels.compiled import kernel

@kernel
def third(x):
    return x / 3
"""
# So that rights of files hold for root, too.
AS_A_USER = (
    ["setpriv", "--bounding-set=-dac_override"] if os.name == "posix" and os.getuid() == 0 else []
)


@pytest.fixture
def package(tmp_path: Path) -> Path:
    """The package, with a kernel more."""
    shutil.copytree(
        Path(compiled.__file__).parents[1],
        tmp_path / "discreet",
        ignore=shutil.ignore_patterns("__pycache__", "static"),
    )
    (tmp_path / "discreet" / "kernels" / "thirds.py").write_text(THIRDS)
    return tmp_path


def tried(package: Path, home: str) -> list[str]:
    """Call the kernel in a process of its own."""
    run = subprocess.run(
        [*AS_A_USER, sys.executable, "-B", "-c", TRIED],
        cwd=package,
        env={"HOME": home, "PATH": os.environ["PATH"], "PYTHONPATH": str(package)},
        capture_output=True,
        check=False,
        text=True,
    )
    assert run.returncode == 0, run.stderr
    return run.stdout.splitlines()


@pytest.mark.slow
def test_a_kernel_that_cannot_be_kept_is_compiled_all_the_same(package: Path) -> None:
    # What is no folder nobody can write to, not even root.
    cache = package / "discreet" / "kernels" / "__pycache__"
    cache.touch()
    found = tried(package, str(cache))
    assert found == ["compiling, as at each start: see discreet doctor", f"2.0 False False {cache}"]


@pytest.mark.slow
@pytest.mark.skipif(bool(AS_A_USER) and shutil.which("setpriv") is None, reason="needs setpriv")
def test_what_was_installed_is_read_by_who_may_not_write(package: Path) -> None:
    cache = package / "discreet" / "kernels" / "__pycache__"
    nowhere = package / "a file"
    nowhere.touch()
    home = package / "home"
    home.mkdir()
    once = "compiling, once on this machine"
    assert tried(package, str(nowhere)) == [once, f"2.0 True True {cache}"]
    cache.chmod(0o555)
    assert tried(package, str(nowhere)) == [f"2.0 True False {cache}"]
    # With a home what is new is kept there, and what was installed is read all the same.
    assert tried(package, str(home))[0].startswith(f"2.0 True True {home}")
    cache.chmod(0o755)


def test_a_kernel_is_used_when_what_is_kept_cannot_be_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def no_room(*_: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    path = tmp_path / "halving.py"
    path.write_text(SOURCE)
    double = runpy.run_path(str(path), run_name="discreet.halving")["double"]
    monkeypatch.setattr(double._cache._impl.locator, "ensure_cache_path", no_room)
    assert double(2) == 4
    assert not list(tmp_path.glob("__pycache__/*.nbc"))


def test_numbers_are_those_of_the_interpreter() -> None:
    def plain(x: NDArray[np.float64]) -> float:
        total = left_over = 0.0
        for value in x:  # what fast mathematics would do away with
            new = total + value
            left_over += value - (new - total)
            total = new
        return total + left_over

    compiled = kernel(plain)
    x = np.array([1e16, 1.0, -1e16, 3.5, 1e-9, 0.1] * 50)
    assert compiled(x) == plain(x)
    assert compiled(np.array([np.inf, 1.0])) != compiled(np.array([1.0]))
    assert math.isnan(compiled(np.array([np.nan])))
