"""A folder of outputs: what is taken up, how each file stands, and the record that ACRO reads."""

from __future__ import annotations

import hashlib
import json
import re
import subprocess
from pathlib import Path
from typing import Any

import pytest

from discreet.errors import InputError
from discreet.outputs.folder import Finding, Folder
from discreet.outputs.page import summary_of
from discreet.provenance import checksum_of_file
from discreet.records.outputs import list_outputs
from discreet.records.store import verify
from tests.records.given import NOW, register_file

ACRO = Path(__file__).parents[2] / "build" / "acro" / "bin" / "acro-ready"
CONFIG = {"safe_threshold": 5}


def check(path: Path) -> Finding | None:
    """Take a file that begins with "made" for one that the study released."""
    text = path.read_text() if path.is_file() else ""
    if not text.startswith("made"):
        return None
    kind, type = ("table", "table") if path.suffix == ".csv" else ("histogram", "plot")
    status = "review" if "by hand" in text else "pass"
    says = ("made here; and whole", "at least 5 people")
    return Finding(
        status, kind, type, ("bmi",), "merge", f"{kind}(bmi)", checksum_of_file(path), says
    )


@pytest.fixture
def folder(tmp_path: Path) -> Folder:
    """Return a folder that is not there yet."""
    return Folder(tmp_path / "request", register_file(tmp_path / "state"), "cohort.csv", NOW)


def written(path: Path, text: str = "made\n") -> Path:
    """Write a file."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    return path


def states(folder: Folder) -> dict[str, str]:
    """Return the state of each output by its name."""
    return {it.output.name: it.state for it in folder.standing()}


def results(folder: Folder) -> dict[str, Any]:
    """Write the record of a folder, and read it."""
    folder.write(CONFIG, ())
    read: dict[str, Any] = json.loads((folder.path / "results.json").read_text())
    return read


def test_what_the_study_released_is_taken_and_the_rest_left_out(
    folder: Folder, tmp_path: Path
) -> None:
    plot, notes = written(tmp_path / "bmi.svg"), written(tmp_path / "notes.txt", "mine")
    inside = written(folder.path / "table.csv", "made\n1\n")
    assert folder.collect([plot, notes, plot, inside], check) == (notes,)
    assert states(folder) == {"bmi.svg": "waiting", "table.csv": "waiting"}
    assert (folder.path / "bmi.svg").read_text() == "made\n"
    assert not (folder.path / "notes.txt").exists()


def test_collecting_again_changes_nothing(folder: Folder, tmp_path: Path) -> None:
    plot = written(tmp_path / "bmi.svg")
    folder.collect([plot], check)
    folder.review("approved", "")
    before = results(folder)
    for _ in range(2):
        folder.collect([plot], check)
    assert results(folder) == before
    assert len(list_outputs(folder.store)) == 1
    assert states(folder) == {"bmi.svg": "approved"}


@pytest.mark.parametrize("act", ["approved", "rejected"])
def test_a_file_that_is_changed_after_a_decision_shows_as_changed(
    folder: Folder, tmp_path: Path, act: str
) -> None:
    folder.collect([written(tmp_path / "bmi.svg")], check)
    folder.review(act, "because")
    target = folder.path / "bmi.svg"
    target.write_text("drawn elsewhere")
    folder.collect([], check)
    assert states(folder) == {"bmi.svg": "changed"}
    folder.write(CONFIG, ())
    said = (folder.path / "checksums" / "bmi.svg.txt").read_text()
    assert said == hashlib.sha256(b"made\n").hexdigest()  # so SACRO's viewer says so, too
    assert "changed since it was handed in" in (folder.path / "index.html").read_text()
    with pytest.raises(InputError, match=r"changed since they were handed in: 'bmi\.svg'"):
        folder.review("approved", "all the same")
    target.write_text("made\n")
    assert states(folder) == {"bmi.svg": act}


def test_a_file_that_was_made_again_waits_again(folder: Folder, tmp_path: Path) -> None:
    folder.collect([written(tmp_path / "bmi.svg")], check)
    folder.review("approved", "")
    folder.collect([written(tmp_path / "bmi.svg", "made again\n")], check)
    assert states(folder) == {"bmi.svg": "waiting"}


def test_a_folder_with_something_else_in_it_is_refused(folder: Folder, tmp_path: Path) -> None:
    written(folder.path / "cohort.csv", "age,bmi\n")
    (folder.path / "figures").mkdir()
    written(folder.path / ".DS_Store", "")
    with pytest.raises(
        InputError, match=r"did not release: '\.DS_Store', 'cohort\.csv', 'figures'; take it out"
    ):
        folder.collect([written(tmp_path / "bmi.svg")], check)
    assert not (folder.path / "bmi.svg").exists()
    assert list_outputs(folder.store) == ()


STRANGE = {
    "beside": ("raw.csv", "age\n41\n"),
    "hidden": (".raw.csv", "age\n41\n"),
    "among checksums": ("checksums/raw.csv", "age\n41\n"),
    "as a checksum": ("checksums/bmi.svg.txt", "41,52,63"),
}


@pytest.mark.parametrize(("name", "text"), STRANGE.values(), ids=STRANGE)
def test_nothing_is_decided_beside_what_was_not_handed_in(
    folder: Folder, tmp_path: Path, name: str, text: str
) -> None:
    """For the folder goes out as it is."""
    plot = written(tmp_path / "bmi.svg")
    folder.collect([plot], check)
    folder.write(CONFIG, ())
    written(folder.path / name, text)
    for act in (lambda: folder.review("approved", ""), lambda: folder.collect([plot], check)):
        with pytest.raises(InputError, match=f"did not release: '{re.escape(name)}'; take it out"):
            act()
    assert states(folder) == {"bmi.svg": "waiting"}


def test_links_out_of_the_folder_are_refused(folder: Folder, tmp_path: Path) -> None:
    plot, other = written(tmp_path / "bmi.svg"), written(tmp_path / "other.svg")
    folder.collect([plot], check)
    (folder.path / "age.svg").symlink_to(other)
    with pytest.raises(InputError, match=r"did not release: 'age\.svg'; take it out"):
        folder.collect([plot], check)
    (folder.path / "age.svg").unlink()
    folder.write(CONFIG, ())
    sums = (folder.path / "checksums").rename(tmp_path / "elsewhere")
    (folder.path / "checksums").symlink_to(sums)
    with pytest.raises(InputError, match="did not release: 'checksums'; take it out"):
        folder.review("approved", "")


@pytest.mark.parametrize("inside", [True, False])
def test_a_file_that_is_changed_after_it_was_checked_is_not_taken_up(
    folder: Folder, tmp_path: Path, inside: bool
) -> None:
    path = written((folder.path if inside else tmp_path) / "bmi.svg")

    def slow(file: Path) -> Finding | None:
        found = check(file)
        path.write_text("drawn elsewhere")
        return found

    with pytest.raises(InputError, match="was changed while it was being co"):
        folder.collect([path], slow)
    assert list_outputs(folder.store) == ()


@pytest.mark.parametrize("text", ["", '"' + "x" * 200_000, "\0"])
def test_of_a_table_that_was_changed_nothing_is_shown(
    folder: Folder, tmp_path: Path, text: str
) -> None:
    folder.collect([written(tmp_path / "t.csv", "made\n1\n")], check)
    (folder.path / "t.csv").write_text(text)
    folder.write(CONFIG, ())
    page = (folder.path / "index.html").read_text()
    assert "changed since it was handed in" in page
    assert 'href="t.csv"' not in page


def test_another_s_record_is_let_alone(folder: Folder, tmp_path: Path) -> None:
    text = json.dumps({"version": "1.0.2", "tool": {"name": "ACRO"}, "results": {}})
    written(folder.path / "results.json", text)
    with pytest.raises(InputError, match=r"holds 'results\.json' that discreet did not write"):
        folder.collect([written(tmp_path / "bmi.svg")], check)
    assert (folder.path / "results.json").read_text() == text


NAMES = {
    "two of one name": (("a/bmi.svg", "b/bmi.svg"), r"several files are called 'bmi\.svg'"),
    "of the record": (("a/results.json",), r"the folder writes 'results\.json' itself"),
}


@pytest.mark.parametrize(("names", "text"), NAMES.values(), ids=NAMES)
def test_names_that_cannot_stand_together_are_refused(
    folder: Folder, tmp_path: Path, names: tuple[str, ...], text: str
) -> None:
    with pytest.raises(InputError, match=text):
        folder.collect([written(tmp_path / name) for name in names], check)
    assert not folder.path.exists()


def test_a_name_that_the_folder_has_not_is_refused(folder: Folder, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="has no outputs yet; collect some first"):
        folder.review("approved", "")
    folder.collect([written(tmp_path / "bmi.svg")], check)
    with pytest.raises(InputError, match=r"no output 'bmi\.png'; did you mean 'bmi\.svg'"):
        folder.review("approved", "", ["bmi.png"])


def test_reviews_are_of_the_outputs_that_are_named_or_of_all(
    folder: Folder, tmp_path: Path
) -> None:
    files = [written(tmp_path / name, f"made {name}\n") for name in ("a.svg", "b.svg", "c.svg")]
    folder.collect(files, check)
    folder.review("approved", "")
    folder.review("rejected", "too fine", ["b.svg"])
    folder.review("comment", "for table 2", ["a.svg", "b.svg"])
    assert states(folder) == {"a.svg": "approved", "b.svg": "rejected", "c.svg": "approved"}
    told = results(folder)["results"]
    assert [it["comments"] for it in told.values()] == [["for table 2"], ["for table 2"], []]
    assert told["b.svg"]["review"]["reason"] == "too fine"
    assert verify(folder.store).broken == ()


def test_a_rejected_file_is_rejected_by_any_name(folder: Folder, tmp_path: Path) -> None:
    folder.collect([written(tmp_path / "bmi.svg")], check)
    folder.review("rejected", "embargoed")
    folder.collect([written(tmp_path / "figure1.svg")], check)
    assert states(folder) == {"bmi.svg": "rejected", "figure1.svg": "rejected"}
    with pytest.raises(InputError, match="give a reason"):
        folder.review("approved", "", ["figure1.svg"])


def test_the_record_has_the_fields_and_checksums_of_acro(folder: Folder, tmp_path: Path) -> None:
    folder.collect([written(tmp_path / "bmi.svg"), written(tmp_path / "t.csv")], check)
    told = results(folder)
    assert [*told] == ["version", "tool", "results"]
    assert told["tool"]["name"] == "discreet"
    output = told["results"]["bmi.svg"]
    assert [*output] == [
        *("uid", "status", "type", "properties", "files", "outcome", "command", "summary"),
        *("timestamp", "comments", "exception", "fair", "review"),
    ]
    assert output["summary"] == "pass; made here, and whole; at least 5 people; "
    assert output["files"] == [
        {"name": "bmi.svg", "sdc": {"summary": {"threshold": 0}, "cells": {}}}
    ]
    for path in folder.path.iterdir():
        if path.is_file():
            digest = (folder.path / "checksums" / f"{path.name}.txt").read_text()
            assert digest == hashlib.sha256(path.read_bytes()).hexdigest(), path.name


def test_the_summary_is_taken_apart_at_the_signs_of_sacro_s_viewer() -> None:
    status, *told = summary_of("fail", ["a; b", "c"]).split("; ")
    assert (status, told) == ("fail", ["a, b", "c", ""])


READ = """
import json, sys
from acro.record import load_records
found = load_records(sys.argv[1])
print(json.dumps({
    name: [it.uid, it.status, it.output_type, it.command, it.summary, it.comments, it.timestamp,
           it.exception, it.properties, it.sdc, it.fair, len(it.outcome), len(it.output)]
    for name, it in ((name, found.get(name)) for name in found.get_keys())
}))
"""


@pytest.mark.slow
@pytest.mark.skipif(not ACRO.exists(), reason="ACRO is not installed; `make acro` installs it")
def test_acro_s_own_reader_loads_the_record(folder: Folder, tmp_path: Path) -> None:
    files = [written(tmp_path / "bmi.svg"), written(tmp_path / "t.csv", "made,sex\n1,F\n2,M\n")]
    folder.collect(files, check)
    folder.review("comment", "for table 2", ["bmi.svg"])
    told = results(folder)["results"]
    words = [str(ACRO), "-c", READ, str(folder.path)]
    ran = subprocess.run(words, capture_output=True, text=True, cwd=tmp_path, check=False)
    assert ran.returncode == 0, ran.stderr[-2000:]
    found = json.loads(ran.stdout.splitlines()[-1])
    fields = ("uid", "status", "type", "command", "summary", "comments", "timestamp", "exception")
    for name, (*read, properties, sdc, fair, outcome, output) in found.items():
        assert read == [told[name][field] for field in fields]
        assert (properties, fair) == (told[name]["properties"], told[name]["fair"])
        assert sdc == told[name]["files"][0]["sdc"]
        assert (outcome, output) == (0, 1)
    assert found["bmi.svg"][5] == ["for table 2"]


HOSTILE = '<script>alert(1)</script>"&'


def test_the_page_asks_nobody_and_escapes_all(folder: Folder, tmp_path: Path) -> None:
    name = "a b<i>.csv"
    folder.collect([written(tmp_path / name, f"made,{HOSTILE}\n1,2\n")], check)
    folder.review("comment", HOSTILE)
    folder.review("rejected", HOSTILE)
    folder.write(CONFIG, (HOSTILE,))
    page = (folder.path / "index.html").read_text()
    assert "<script" not in page
    assert "<i>" not in page
    assert "http:" not in page
    assert "https:" not in page
    assert page.count("&lt;script&gt;") == 4
    assert 'href="a%20b%3Ci%3E.csv"' in page
