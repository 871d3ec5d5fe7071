"""What every test lives in, the examples in the docstrings too: a home of its own."""

import gc
import os
import shutil
from collections.abc import Generator, Iterator
from functools import cache, partial
from hashlib import sha256
from importlib import import_module
from itertools import count
from pathlib import Path
from tempfile import mkdtemp
from typing import Any

import pytest
import typer
from hypothesis import settings

# Before anything imports matplotlib: no window, no user's style, one font cache for all homes.
os.environ["MPLBACKEND"] = "Agg"
os.environ["MPLCONFIGDIR"] = str(Path(__file__).parent / "build" / "matplotlib")

# Ledgers ask the disk to have written, thousands of times: memory has at once.
MEMORY = Path("/dev/shm")
if os.access(MEMORY, os.W_OK) and shutil.disk_usage(MEMORY).free > 2**31:
    os.environ.setdefault("PYTEST_DEBUG_TEMPROOT", str(MEMORY))

# The commands are the same at every call of the command line; Typer makes them anew.
typer.main.get_command = cache(typer.main.get_command)

# Always the same examples: a change is taken or not for what it does, not by chance.
settings.register_profile("fast", max_examples=15, deadline=None, derandomize=True)
settings.register_profile("thorough", max_examples=100, deadline=None, derandomize=True)
# For whoever looks for a counterexample: others each time, and kept.
settings.register_profile("search", max_examples=2000, deadline=None, print_blob=True)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "fast"))

FOLDERS = {
    "HOME": "",
    "XDG_CACHE_HOME": ".cache",
    "XDG_CONFIG_HOME": ".config",
    "XDG_DATA_HOME": ".local/share",
    "XDG_STATE_HOME": ".local/state",
    "DISCREET_CONFIG": ".config/discreet",
    "DISCREET_STATE": ".local/state/discreet",
}


# Of no meaning: where a test sets no other, chance is the same for it in every run.
SECRET = sha256(b"tests").hexdigest()


def pytest_sessionstart(session: pytest.Session) -> None:
    """Let the font cache be there before a server that a test starts says that it builds one."""
    fonts = Path(os.environ["MPLCONFIGDIR"])
    if not hasattr(session.config, "workerinput") and not any(fonts.glob("fontlist-*.json")):
        import_module("matplotlib.font_manager")


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    """Look through no garbage while tests are found, nor afterwards through what they are.

    All of it stays until the end, and is most of what there is to look through.
    """
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()
        gc.enable()


def write_secret(folder: Path) -> None:
    """Write the tests' secret where discreet looks for the user's own."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / "discreet.secret"
    path.touch(mode=0o600)
    path.write_text(SECRET, encoding="utf-8")


def pytest_configure(config: pytest.Config) -> None:
    """Give fixtures of modules the tests' secret, and let one worker compile a kernel for all."""
    if not hasattr(config, "workerinput"):
        folder = mkdtemp(prefix="discreet-tests-")
        config.add_cleanup(partial(shutil.rmtree, folder))
        write_secret(Path(folder))
        os.environ["DISCREET_CONFIG"] = folder  # which workers take over
        return
    from fcntl import LOCK_EX, flock

    from numba.core.compiler_lock import global_compiler_lock
    from numba.core.dispatcher import Dispatcher

    locks = Path(__file__).parent / "build" / "kernels"
    locks.mkdir(parents=True, exist_ok=True)
    compiled = Dispatcher.compile

    def one_at_a_time(self: Any, signature: Any) -> Any:
        name = f"{self.py_func.__module__}.{self.py_func.__qualname__}"
        if not name.startswith("discreet.") or self.overloads.get(signature):
            return compiled(self, signature)
        with global_compiler_lock, (locks / name).open("w") as lock:
            flock(lock, LOCK_EX)
            return compiled(self, signature)

    Dispatcher.compile = one_at_a_time  # type: ignore[method-assign, assignment]


@pytest.fixture(scope="session")
def homes(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """The names of the tests' homes; pytest's own numbers need a look at all there are."""
    folder = tmp_path_factory.mktemp("homes")
    return (folder / f"home{number}" for number in count())


@pytest.fixture(autouse=True)
def own_home(homes: Iterator[Path], monkeypatch: pytest.MonkeyPatch) -> Path:
    """Keep a test from the user's secret, vault and ledger, and from those of other tests."""
    home = next(homes)
    home.mkdir()
    for variable, folder in FOLDERS.items():
        monkeypatch.setenv(variable, str(home / folder))
    write_secret(home / FOLDERS["DISCREET_CONFIG"])
    # What a fixture of a module left would come back at the end, and seal the next ledger.
    os.environ.pop("DISCREET_SECRET", None)
    # Set first: so whatever a test sets without the fixture is gone after it, too.
    monkeypatch.setenv("DISCREET_SECRET", "")
    monkeypatch.delenv("DISCREET_SECRET")
    return home
