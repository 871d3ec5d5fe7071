"""Whoever is killed, or finds the disk full, leaves nothing half done; the next run succeeds.

Each case is a job in a process of its own (`crashing`), and the same job again.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from tests.custodian.crashing import CANARY, JOBS, MOMENTS
from tests.custodian.test_whole import cohort

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not Path("/proc/self/fd").exists(), reason="needs Linux's /proc"),
]

SECRET = "8f3b1c9d2e7a4f605b1d3c8e9a7f2b4c6d1e0f8a9b7c5d3e2f1a0b9c8d7e6f5a"
POLICY = 'name = "clinic"\nk = 3\n'
KILLED = [(name, "killed") for name in MOMENTS]
#: What finds no room; that a file was opened or renamed before plays no part.
FULL = [(name, "full") for name in MOMENTS if name.endswith(("half written", "made"))]
FULL += [("the table gets its name", "full"), ("a first plot gets its name", "full")]
SMALL = [("anonymize", 0), ("anonymize", 5000), ("save", 5000)]

#: For their owner alone: raw rows, the copy, the register before it is made, its mark, releases.
HALF = re.compile(
    r"\.discreet/\.?(raw-|whole-|register)[^/]*\.part|\.discreet-[^/]*\.part"
    r"|\.?discreet\.register\.[^/]*\.part"
)
PLAIN = re.compile(r"discreet\.errors\.(InputError|RegisterError|LeavingError): [^\n]+")
Found = dict[str, dict[str, Any]]
CASES: list[tuple[str, str | int]] = [*KILLED, *FULL, *SMALL]


def tried(start: Path, cases: Sequence[tuple[str, str | int]]) -> Found:
    """Try cases, each job first as it ends when all is well."""
    name = pl.format(f"{CANARY.decode()} {{}}", "visit")
    cohort(240).with_columns(patient=name).write_csv(start / "cohort.csv")
    (start / "discreet.toml").write_text(POLICY, encoding="utf-8")
    (start / "discreet.secret").touch(mode=0o600)
    (start / "discreet.secret").write_text(SECRET, encoding="ascii")
    command = [sys.executable, "-m", "tests.custodian.crashing", str(start), json.dumps(cases)]
    plain = {name: it for name, it in os.environ.items() if not name.startswith("DISCREET")}
    ended = subprocess.run(command, env=plain, check=False, capture_output=True, text=True)
    assert ended.returncode == 0, ended.stderr[-2000:]
    told: Found = json.loads(ended.stdout)
    return told


def job_of(name: str) -> str:
    return MOMENTS[name].job if name in MOMENTS else name


def strays(files: Mapping[str, Any], whole: Mapping[str, Any]) -> dict[str, Any]:
    """Return the files that are not, to the last byte, those of a job that ended well."""
    return {name: it for name, it in files.items() if whole.get(name) != it}


def test_what_goes_wrong_is_not_there_and_goes_well_again(tmp_path: Path) -> None:
    found = tried(tmp_path, CASES)
    for job in JOBS:
        check_ends_well(found[job])
    for name, act in CASES:
        check_goes_wrong(found[f"{name} {act}"], found[job_of(name)]["found"], act)


def check_ends_well(once: Mapping[str, Any]) -> None:
    """A job that ends well does so again, and what it leaves is as it was."""
    assert (once["ended"], once["said"], once["then"]) == (0, "", 0)
    assert once["left"] == once["found"]
    raw = {name: mode for name, (mode, is_raw, _) in once["left"].items() if is_raw}
    assert [*raw] == [next(it for it in raw if it.startswith(".discreet/raw-")), "cohort.csv"]
    assert set(raw.values()) - {raw["cohort.csv"]} == {"600"}


def check_goes_wrong(it: Mapping[str, Any], whole: Mapping[str, Any], act: str | int) -> None:
    """Nothing half done has a name of its own, and the job ends well when it is done again."""
    assert it["ended"] == (-9 if act == "killed" else 1), it["said"]
    assert act == "killed" or PLAIN.fullmatch(it["said"])
    assert CANARY.decode() not in it["said"]
    for file, (mode, raw, _) in strays(it["left"], whole).items():
        assert act == "killed", "who lives clears up"
        assert HALF.fullmatch(file)
        assert mode == "600"
        assert not raw or file.startswith(".discreet/raw-")
    assert not any(raw for _, raw, _ in it["beside"].values())
    assert (it["then"], it["wrong"], it["broken"]) == (0, "", [])
    assert it["found"] == whole
    assert it["temporary"] == []
