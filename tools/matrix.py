"""Some tests under each version of Python that discreet is for: `make matrix`.

A version whose interpreter is not here is skipped, and that is said. Interpreters are looked for on
the path and among pyenv's; each has its packages in build/matrix.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]
VERSIONS = ("3.11", "3.12", "3.13", "3.14")
TESTS = ("tests/kernels", "tests/policy", "tests/table", "tests/plots")


def main() -> int:
    """Run the tests under each version; return 1 where one failed."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("tests", nargs="*", default=TESTS)
    tests = parser.parse_args().tests
    said = {version: outcome(version, tests) for version in VERSIONS}
    for version, came in said.items():
        print(f"Python {version}: {came}")
    return 1 if any(came.startswith("failed") for came in said.values()) else 0


def outcome(version: str, tests: list[str]) -> str:
    """Run the tests under one version, and say how that went."""
    found = interpreter(version)
    if found is None:
        return "skipped, for there is no such interpreter here"
    print(f"Python {version}: {found}", flush=True)
    folder = ROOT / "build" / "matrix" / version
    python = str(folder / "bin" / "python")
    install = [sys.executable, "-m", "uv", "pip", "install", "--quiet", "--python", python]
    steps = {
        "to make an environment": [found, "-m", "venv", str(folder)],
        "to install": [*install, "-c", "constraints.txt", "-e", ".[dev]"],
        "in tests": [python, "-m", "pytest", "-q", "-n0", "-m", "not slow", *tests],
    }
    for what, words in steps.items():
        if subprocess.run(words, cwd=ROOT).returncode:
            return f"failed {what}"
    return "passed"


def interpreter(version: str) -> str | None:
    """Return the path of a version's interpreter that runs, None where there is none."""
    pyenv = Path(os.environ.get("PYENV_ROOT") or Path.home() / ".pyenv")
    others = sorted(pyenv.glob(f"versions/{version}.*/bin/python{version}"))
    ours = sys.executable if sys.version.startswith(f"{version}.") else None
    for path in (ours, shutil.which(f"python{version}"), *map(str, others)):
        if path and subprocess.run([path, "-c", ""], capture_output=True).returncode == 0:
            return path
    return None


if __name__ == "__main__":
    sys.exit(main())
