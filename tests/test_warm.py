"""All kernels are compiled ahead, and nothing that is drawn later compiles another."""

import subprocess
import sys
from pathlib import Path

import pytest

from discreet import warm as module
from discreet.errors import InputError
from discreet.kernels import compiled
from discreet.kernels.compiled import Kept
from discreet.progress import listening

LATER = """
import discreet as dc, numpy as np, pandas as pd
from discreet.kernels import compiled
from discreet.warm import STEPS

def called():
    return {(it.py_func.__name__, str(each)) for it in compiled._kernels for each in it.signatures}

for step in STEPS:
    step()
before = called()
steps = np.arange(25_000)[:, None] * np.sqrt([2, 3, 5]) % 1
frame = pd.DataFrame(steps, columns=["a", "b", "c"]).assign(d=np.where(steps[:, 0] < 0.5, "x", "y"))
dc.open(frame, policy="standard").scatter("a", "b")
study = dc.research(frame)
study.parallel(["a", "b", "d"])
for method in ("mdav", "optimal", "kmeans"):
    study.anonymize(columns=["a"], method=method, k=5)
new = called() - before
assert before and not new, new
"""


@pytest.mark.slow
def test_what_is_drawn_later_calls_kernels_with_no_other_types() -> None:
    done = subprocess.run(
        [sys.executable, "-c", LATER], capture_output=True, check=False, text=True
    )
    assert done.returncode == 0, done.stderr


def test_it_is_refused_where_nothing_can_be_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        compiled, "kept_kernels", lambda: Kept((), ("mdav.sow",), Path("/a"), False)
    )
    with pytest.raises(InputError, match=r"can be kept nowhere.*NUMBA_CACHE_DIR"):
        module.warm()


def test_it_says_how_far_it_is_and_how_many_it_compiled(monkeypatch: pytest.MonkeyPatch) -> None:
    found = iter((Kept(("a",), ("b", "c"), Path("/a"), True), Kept(("a", "b"), ("c",), None, True)))
    monkeypatch.setattr(compiled, "kept_kernels", lambda: next(found))
    monkeypatch.setattr(module, "STEPS", (module._round_by_a_class, lambda: None))
    told: list[tuple[str, int, int]] = []
    with listening(lambda *step: told.append(step)):
        assert module.warm() == 1
    assert told == [("compiling kernels", 0, 2), ("compiling kernels", 1, 2)]
