"""What every test lives in, the examples in the docstrings too: a home of its own."""

import gc
import os
import shutil
import time
from collections.abc import Generator, Iterator
from functools import cache, partial
from hashlib import sha256
from importlib import import_module
from importlib.util import find_spec
from itertools import count
from pathlib import Path
from tempfile import mkdtemp
from typing import Any

import pytest
import typer
from hypothesis import settings

BUILD = Path(__file__).parent / "build"

# Before anything imports matplotlib: no window, no user's style, one font cache for all homes.
os.environ["MPLBACKEND"] = "Agg"
os.environ["MPLCONFIGDIR"] = str(BUILD / "matplotlib with its own fonts")
# Fontconfig, which browsers ask, knows the fonts of matplotlib alone, too.
os.environ["FONTCONFIG_FILE"] = str(BUILD / "fonts.conf")

# Workers share the cores: threads that wait for each other to solve what is small take twenty times
# as long. Workers read it as they begin, and so do processes that tests start.
os.environ["OPENBLAS_NUM_THREADS"] = "1"

# A machine's language, time zone and terminal are nobody's matter here, nor what its user asks
# of matplotlib and discreet.
OF_USER = (
    *("LANGUAGE", "COLUMNS", "LINES", "NO_COLOR", "FORCE_COLOR", "CLICOLOR_FORCE", "MATPLOTLIBRC"),
    *("DISCREET_DEBUG", "DISCREET_MEMORY", "DISCREET_SECRET"),
)
for variable in [it for it in os.environ if it.startswith("LC_") or it in OF_USER]:
    del os.environ[variable]
os.environ |= {"LANG": "C.UTF-8", "TZ": "UTC"}
if hasattr(time, "tzset"):
    time.tzset()

# Registers ask the disk to have written, thousands of times: memory has at once.
MEMORY = Path("/dev/shm")
if os.access(MEMORY, os.W_OK) and shutil.disk_usage(MEMORY).free > 2**31:
    os.environ.setdefault("PYTEST_DEBUG_TEMPROOT", str(MEMORY))

# The commands are the same at every call of the command line; Typer makes them anew.
typer.main.get_command = cache(typer.main.get_command)

# Always the same examples: a change is taken or not for what it does, not by chance.
settings.register_profile("fast", max_examples=15, deadline=None, derandomize=True)
settings.register_profile("thorough", max_examples=40, deadline=None, derandomize=True)
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


FONTS = """<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "fonts.dtd">
<fontconfig><dir>{fonts}</dir><cachedir>{cache}</cachedir>
<alias><family>sans-serif</family><prefer><family>DejaVu Sans</family></prefer></alias>
<alias><family>serif</family><prefer><family>DejaVu Serif</family></prefer></alias>
<alias><family>monospace</family><prefer><family>DejaVu Sans Mono</family></prefer></alias>
</fontconfig>
"""


def pytest_sessionstart(session: pytest.Session) -> None:
    """Let a test, and a server that it starts, see no fonts but those of matplotlib.

    What is drawn would depend on which a machine has, and so would whether a letter is in any.
    """
    if hasattr(session.config, "workerinput"):
        return
    spec = find_spec("matplotlib")
    own = Path(str(spec and spec.origin)).parent / "mpl-data" / "fonts" / "ttf"
    BUILD.mkdir(exist_ok=True)
    conf = Path(os.environ["FONTCONFIG_FILE"])
    conf.write_text(FONTS.format(fonts=own, cache=BUILD / "fontconfig"), encoding="utf-8")
    kept = Path(os.environ["MPLCONFIGDIR"])
    if not any(kept.glob("fontlist-*.json")):
        fonts = import_module("matplotlib.font_manager")
        known = fonts.fontManager
        known.ttflist = [it for it in known.ttflist if Path(it.fname).is_relative_to(own)]
        fonts.json_dump(known, kept / f"fontlist-v{known.__version__}.json")


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
        gc.set_threshold(50_000, 20, 20)  # looking for it is else a thirtieth of the run
        gc.enable()


def write_secret(folder: Path) -> None:
    """Write the tests' secret where discreet looks for the user's own."""
    os.makedirs(folder, exist_ok=True)
    path = os.open(folder / "discreet.secret", os.O_CREAT | os.O_WRONLY | os.O_TRUNC, 0o600)
    os.write(path, SECRET.encode())
    os.close(path)


def pytest_configure(config: pytest.Config) -> None:
    """Give fixtures of the session a home, and let one worker compile a kernel for all."""
    if not hasattr(config, "workerinput"):
        folder = mkdtemp(prefix="discreet tests ")
        config.add_cleanup(partial(shutil.rmtree, folder))
        os.environ |= homely(Path(folder))  # which workers take over
        return
    from fcntl import LOCK_EX, flock

    from numba.core.compiler_lock import global_compiler_lock
    from numba.core.dispatcher import Dispatcher

    locks = BUILD / "kernels"
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


def homely(home: Path) -> dict[str, str]:
    """Make a home with the tests' secret; return the variables that say where it is."""
    found = {variable: str(home / folder) for variable, folder in FOLDERS.items()}
    write_secret(Path(found["DISCREET_CONFIG"]))
    return found


@pytest.fixture(scope="session")
def homes(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """The names of the tests' homes; pytest's own numbers need a look at all there are."""
    folder = tmp_path_factory.mktemp("homes")
    return (folder / f"home {number}" for number in count())


@pytest.fixture(scope="module", autouse=True)
def home_of_module(homes: Iterator[Path]) -> Iterator[None]:
    """Keep what a module of tests opens once for all of them from what other modules open."""
    with pytest.MonkeyPatch.context() as patch:
        for variable, folder in homely(next(homes)).items():
            patch.setenv(variable, folder)
        yield


@pytest.fixture(autouse=True)
def made_once(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Keep copies and figures for the tests that make them of the same in the same way."""
    if request.node.get_closest_marker("made_anew") is None:
        import_module("tests.made_once").keep_what_is_made(monkeypatch)


@pytest.fixture(autouse=True)
def own_home(homes: Iterator[Path], monkeypatch: pytest.MonkeyPatch) -> Path:
    """Keep a test from the user's secret, vault and register, and from those of other tests."""
    home = next(homes)
    for variable, folder in homely(home).items():
        monkeypatch.setenv(variable, folder)
    # What a fixture of a module left would come back at the end, and seal the next register.
    os.environ.pop("DISCREET_SECRET", None)
    # Set first: so whatever a test sets without the fixture is gone after it, too.
    monkeypatch.setenv("DISCREET_SECRET", "")
    monkeypatch.delenv("DISCREET_SECRET")
    return home
