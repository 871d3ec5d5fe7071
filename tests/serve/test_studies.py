"""What is served: of each study the version that its file has now."""

from __future__ import annotations

import json
import logging
import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

import discreet as dc
from discreet.errors import InputError
from discreet.opening import open as open_study
from discreet.serve.answers import TABLE, VIEW, answer, answer_again
from discreet.serve.board import answer_part
from discreet.serve.record import Answer, log
from discreet.serve.refusals import refusal
from discreet.serve.studies import Served, Studies
from discreet.serve.tokens import Caller
from tests.serve.cohort import MANY, NAME, POLICY, narrow, published, record_in, written

ALICE, CAROL = Caller("token alice", "analyst"), Caller("token carol", "custodian")
OTHER = f'study = "other"\n{POLICY}'


def file_in(folder: Path, rows: int = 442, policy: str = POLICY) -> Path:
    """Write a study file of some rows into a folder of its own."""
    folder.mkdir(exist_ok=True)
    return published(folder, policy, narrow().slice(0, rows))


@dataclass
class Here:
    """A study that is served, and what time it is."""

    folder: Path
    path: Path
    now: float = 0.0

    def __post_init__(self) -> None:
        store = record_in(self.folder)
        self.studies = Studies([self.path], store, MANY, lambda: self.now)

    def later(self, seconds: float = 1.0) -> Served:
        """Return what is served after some time."""
        self.now += seconds
        found = self.studies.get(NAME)
        assert found is not None
        return found


@pytest.fixture
def here(tmp_path: Path) -> Here:
    return Here(tmp_path, file_in(tmp_path))


def test_a_study_is_what_its_file_says(here: Here) -> None:
    served = here.later()
    manifest = served.file.file.manifest
    assert here.studies.names == (NAME,)
    assert here.studies.all() == (served,)
    assert here.studies.get("cohort") is None
    assert (served.version, served.content) == (manifest.version, manifest.content)
    assert "patient" not in served.columns


def test_a_file_that_is_replaced_is_taken_within_a_second(
    here: Here, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    first = here.later()
    os.replace(file_in(tmp_path / "new", 300), here.path)
    assert here.later(0.5) is first
    with caplog.at_level(logging.INFO, "discreet.serve"):
        second = here.later(0.5)
    assert second.version != first.version
    assert f"study {NAME!r} is served in version {second.version} now" in caplog.text
    assert len(second.copy.whole) < len(first.copy.whole)
    assert here.later() is second


def test_of_an_earlier_version_nothing_is_given_again(here: Here, tmp_path: Path) -> None:
    def asked(served: Served) -> dict[str, str]:
        age = {"columns": ["age"]}
        plot = answer(served, ALICE, "histogram", age)
        table = answer(served, ALICE, "summary", age)
        return {VIEW: json.loads(plot.body)["id"], TABLE: json.loads(table.body)["id"]}

    before = asked(here.later())
    os.replace(file_in(tmp_path / "new", 300), here.path)
    served = here.later()
    for caller in (ALICE, CAROL):
        for held, name in before.items():
            assert answer_again(served, caller, name, "again", held) == refusal("version")
    after = asked(served)
    assert not {*before.values()} & {*after.values()}
    for held, name in after.items():
        assert isinstance(answer_again(served, ALICE, name, "again", held), Answer)
    rows = [(it["version"], it["outcome"]) for it in log(served.store) if it["what"] == "again"]
    assert rows == [(served.version, "version")] * 4 + [(served.version, "answered")] * 2


def test_that_a_caller_explores_is_written_down_of_each_version(here: Here, tmp_path: Path) -> None:
    all_rows: dict[str, list[str]] = {"where": [], "assign": []}
    first = here.later()
    for served in (first, first, Here(tmp_path, here.path).later()):
        assert isinstance(answer_part(served, ALICE, "", all_rows), Answer)
    os.replace(file_in(tmp_path / "new", 300), here.path)
    second = here.later()
    assert isinstance(answer_part(second, ALICE, "", all_rows), Answer)
    assert [it["version"] for it in log(second.store)] == [first.version, second.version]


def of_another_key(folder: Path) -> bytes:
    """Return a file of the study that somebody else signed."""
    folder.mkdir()
    table, policy = written(folder, POLICY, narrow().slice(0, 300))
    (folder / "discreet.signing-key").unlink()
    dc.Protected(open_study(table, policy)).publish(folder / "cohort.discreet")
    return (folder / "cohort.discreet").read_bytes()


NOT_TAKEN: dict[str, tuple[Callable[[Path], bytes], str]] = {
    "cut off": (lambda at: file_in(at, 300).read_bytes()[:-100], "is not a study file"),
    "of another study": (lambda at: file_in(at, 300, OTHER).read_bytes(), "it is of another study"),
    "of another key": (of_another_key, "run discreet check with --trust"),
}


@pytest.mark.parametrize(("make", "why"), NOT_TAKEN.values(), ids=NOT_TAKEN)
def test_what_cannot_be_taken_leaves_what_was_there(
    here: Here,
    tmp_path: Path,
    caplog: pytest.LogCaptureFixture,
    make: Callable[[Path], bytes],
    why: str,
) -> None:
    first = here.later()
    here.path.write_bytes(make(tmp_path / "made"))  # over what was there, and not beside it
    assert here.later() is here.later() is first
    said = [it.getMessage() for it in caplog.records if it.name == "discreet.serve"]
    assert len(said) == 1  # it is looked at once
    assert "cannot be taken" in said[0]
    assert why in said[0]
    # A column that nobody has asked for yet, of a file that has no name any more.
    assert isinstance(answer(first, ALICE, "histogram", {"columns": ["bmi"]}), Answer)
    os.replace(file_in(tmp_path / "new", 300), here.path)
    assert here.later().version != first.version


def test_a_file_that_is_gone_is_not_served_until_it_is_there_again(here: Here) -> None:
    first, data = here.later(), here.path.read_bytes()
    found = answer(first, ALICE, "histogram", {"columns": ["bmi"]})
    here.path.unlink()
    here.now += 1
    assert here.studies.get(NAME) is None
    assert here.studies.all() == ()
    assert here.studies.why_not(NAME) == "its file was withdrawn"
    here.path.write_bytes(data)
    again = here.later()
    assert again is not first  # whatever else the file may be, it has the same content
    assert answer_again(again, ALICE, json.loads(found.body)["id"], "again") == found


def test_each_study_is_served_of_its_own_file(tmp_path: Path) -> None:
    paths = [file_in(tmp_path), file_in(tmp_path / "other", policy=OTHER)]
    one, other = Studies(paths, record_in(tmp_path)).all()
    assert (one.name, other.name) == (NAME, "other")
    assert one.desk is other.desk
    asked = ("histogram", '{"columns":["age"]}')
    assert one.id_of(*asked) == one.id_of(*asked) != other.id_of(*asked)


def test_two_files_of_one_study_are_refused(tmp_path: Path) -> None:
    paths = [file_in(tmp_path), file_in(tmp_path / "other", 300)]

    with pytest.raises(
        InputError, match=f"belong to the same study, '{NAME}'; name only one of them"
    ):
        Studies(paths, record_in(tmp_path))


def test_no_file_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="name a study file to serve"):
        Studies([], record_in(tmp_path))


def test_a_file_that_cannot_be_opened_is_refused(tmp_path: Path) -> None:
    (tmp_path / "cohort.discreet").write_text("none", encoding="utf-8")
    with pytest.raises(InputError, match="is not a study file"):
        Studies([tmp_path / "cohort.discreet"], record_in(tmp_path))
    with pytest.raises(InputError, match=r"'/none/no\.discreet' cannot be read"):
        Studies([Path("/none/no.discreet")], record_in(tmp_path))
