"""Files that were saved are told from those that were changed, and from those of elsewhere."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from io import BytesIO
from itertools import cycle
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from PIL import Image

import discreet as dc
from discreet.custodian.verify import Verifier, verifier_of_policy
from discreet.errors import InputError
from discreet.explore.file_checks import (
    ALTERED,
    AS_MADE,
    ELSEWHERE,
    FAILED,
    NOT_CHECKED,
    PASSED,
    UNKNOWN,
    USUALLY,
)
from discreet.outputs.of_answers import PLOT_FORMS, file_of
from discreet.plots import View
from discreet.provenance import Provenance, Sealer, key_of
from discreet.render.sealing import with_words, without_words
from discreet.secret import Secret
from discreet.serve.files import picture_json
from tests.records.given import register_in

FIGURES = (".png", ".svg", ".pdf", ".html")
OTHER = bytes(range(100, 132)).hex()


@pytest.fixture(autouse=True)
def own_home(home_of_module: None) -> None:
    """Let all tests here live in one home, with one register, beside the study that is open."""


@pytest.fixture(scope="module")
def study(home_of_module: None) -> dc.Study:
    """Open a study of a public table, once for all."""
    return dc.open(dc.datasets.diabetes(), study="patients")


def pictures(study: dc.Study) -> dict[str, View]:
    """Draw a picture of each source, and of what is derived."""
    return {
        "bars": study.histogram("age"),
        "points": study.scatter("age", "bmi", by="sex", trend=True),
        "part": study.where("age >= 50").box("bmi"),
        "formula": study.residuals("bmi ~ age"),
        "panels": study.histogram("bmi", by="sex"),
        "axes": study.parallel(["age", "bmi", "glucose"]),
        "new": study.assign(band="cut(age, 40, 60)").bars("band", by="sex", percent=True),
    }


# --- as made ------------------------------------------------------------------------------------


@pytest.mark.made_anew
def test_what_was_saved_is_as_made(study: dc.Study, tmp_path: Path) -> None:
    for figure, (name, view) in zip(cycle(FIGURES), pictures(study).items(), strict=False):
        for suffix in (figure, ".json"):
            path = view.save(tmp_path / f"{name}{suffix}")
            found = study.verify(path)
            own = {"file", "numbers"} if suffix == ".json" else {"file"}
            assert found.verdict == AS_MADE, found.to_text()
            wanted = {"seal", *own, "register", "study", "drawn again", "policy"}
            assert {it for it, result in found.checks.items() if result == PASSED} == wanted
            assert found.released is not None
            assert found.released["rules"]["k"] == 5
            assert found.released["form"] in ("png", "svg", "pdf", "html", "json")


def test_without_data_the_secret_and_the_register_are_enough(
    study: dc.Study, tmp_path: Path
) -> None:
    path = study.scatter("age", "bmi").save(tmp_path / "a.png")
    found = verifier_of_policy(study.policy).check(path)
    assert found.verdict == AS_MADE
    results = {"seal": PASSED, "file": PASSED, "register": PASSED}
    later = dict.fromkeys(("study", "drawn again", "policy"), NOT_CHECKED)
    assert dict(found.checks) == results | later


@pytest.mark.slow
def test_what_a_server_sends_is_as_made(study: dc.Study, tmp_path: Path) -> None:
    sent = picture_json(study.histogram("tch").sealed(), "f" * 32)  # no other test saves it
    sealer = Sealer(key_of(study.session.secret))
    for form in PLOT_FORMS:
        path = tmp_path / form
        path.write_bytes(file_of(sent, form, sealer))
        found = study.verify(path)
        assert (found.verdict, found.checks["register"]) == (AS_MADE, NOT_CHECKED), form


def test_no_secret_is_made_to_check_with(
    study: dc.Study, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With a new one every file would be of elsewhere."""
    policy = study.policy
    monkeypatch.delenv("DISCREET_SECRET", raising=False)
    monkeypatch.setenv("DISCREET_CONFIG", str(tmp_path / "config"))
    with pytest.raises(InputError, match="there is no secret to check files with"):
        verifier_of_policy(policy)
    assert not (tmp_path / "config").exists()


def test_plots_of_research_are_as_made(tmp_path: Path) -> None:
    study = dc.research(dc.datasets.diabetes(), study="r", public=True)
    found = study.verify(study.scatter("age", "bmi").save(tmp_path / "a.json"))
    assert found.verdict == AS_MADE, found.to_text()
    assert found.checks["drawn again"] == NOT_CHECKED


# --- altered ------------------------------------------------------------------------------------


def another_pixel(file: bytes) -> bytes:
    """Change one pixel of a PNG."""
    image = Image.open(BytesIO(file))
    red, *others = image.getpixel((300, 300))  # type: ignore[misc]
    image.putpixel((300, 300), (red ^ 1, *others))
    out = BytesIO()
    image.save(out, "png")
    return out.getvalue()


def another_number(file: bytes) -> bytes:
    """Change a digit of the last number with a point that is drawn."""
    found = [*re.finditer(rb"\d\.\d{3,}", file)][-1]
    at = found.end() - 1
    digit = b"1" if file[at : at + 1] != b"1" else b"2"
    return file[:at] + digit + file[at + 1 :]


def another_stream(file: bytes) -> bytes:
    """Change what is drawn on the page of a PDF."""
    at = file.index(b"stream") + 40
    return file[:at] + bytes([file[at] ^ 1]) + file[at + 1 :]


DRAWN_ANEW: dict[str, Callable[[bytes], bytes]] = {
    ".png": another_pixel,
    ".svg": another_number,
    ".pdf": another_stream,
    ".html": another_number,
}


@pytest.mark.slow
@pytest.mark.parametrize("suffix", FIGURES)
def test_another_drawing_is_altered(study: dc.Study, tmp_path: Path, suffix: str) -> None:
    path = study.histogram("age").save(tmp_path / f"a{suffix}")
    rest, words = without_words(path.read_bytes(), suffix)
    assert words is not None
    path.write_bytes(with_words(DRAWN_ANEW[suffix](rest), suffix, words))
    found = study.verify(path)
    assert (found.verdict, found.checks["seal"]) == (ALTERED, PASSED)
    assert found.checks["file"] == FAILED
    assert found.says == "the drawing in it was changed"
    other = study.histogram("bmi").save(tmp_path / f"other{suffix}")
    path.write_bytes(with_words(without_words(other.read_bytes(), suffix)[0], suffix, words))
    assert study.verify(path).verdict == ALTERED, "what another figure says does not fit"


CHANGES: dict[str, object] = {
    "policy": "0" * 16,
    "version": "0" * 16,
    "discreet": "9.9.9",
    "source": "counts",
    "checksum": "0" * 64,
    "request": {"plot": "histogram", "columns": ["bmi"]},
    "seal": "0" * 64,
}


@pytest.mark.parametrize("suffix", [".png", ".json"])
def test_each_field_of_the_metadata_that_is_changed_is_altered(
    study: dc.Study, tmp_path: Path, suffix: str
) -> None:
    """Whether its id is as it was, or made to fit."""
    path = study.histogram("age").save(tmp_path / f"a{suffix}")
    file = path.read_bytes()
    for name, value in CHANGES.items():
        told = carried(file, suffix)
        fitting = replace(told, **{name: value}).to_plain()  # type: ignore[arg-type]
        for wrong in (fitting, fitting | {"id": told.id}):
            path.write_bytes(carrying(file, suffix, wrong))
            found = study.verify(path)
            assert found.verdict == ALTERED, (name, found.to_text())


def carried(file: bytes, suffix: str) -> Provenance:
    """Read the provenance of a file."""
    if suffix == ".json":
        return Provenance.from_plain(json.loads(file)["provenance"])
    words = without_words(file, suffix)[1]
    assert words is not None
    return Provenance.from_text(words)


def carrying(file: bytes, suffix: str, told: dict[str, object]) -> bytes:
    """Write another provenance into a file."""
    if suffix == ".json":
        return json.dumps(json.loads(file) | {"provenance": told}, ensure_ascii=False).encode()
    return with_words(without_words(file, suffix)[0], suffix, json.dumps(told))


def more_digits(text: str) -> str:
    """Write digits behind those that a number holds."""
    return re.sub(r"(\d\.\d+)", r"\g<1>000000000000000000375123", text, count=3)


SMUGGLED: dict[str, Callable[[str], str]] = {
    "in a seal that no JSON has": lambda it: it.replace(
        '"seal": "', '"file_seal": "RAW ROWS: 32.1; 21.6", "seal": "'
    ),
    "in spaces": lambda it: it + " \t  \t\t ",
    "in spaces between": lambda it: it.replace(", ", " ,\t"),
    "in digits": more_digits,
    "in how letters are written": lambda it: it.replace("histogram", "\\u0068istogram"),
    "behind a mark of the order of bytes": lambda it: "\ufeff" + it,
}


def test_json_that_is_written_anew_may_hold_more_than_it_says(
    study: dc.Study, tmp_path: Path
) -> None:
    path = study.histogram("bmi").save(tmp_path / "a.json")
    text = path.read_text()
    for how, change in SMUGGLED.items():
        path.write_text(change(text))
        assert path.read_text() != text
        with suppress(InputError):
            assert study.verify(path).verdict != AS_MADE, how


@pytest.mark.slow
def test_a_number_of_json_that_is_changed_is_named(study: dc.Study, tmp_path: Path) -> None:
    path = study.histogram("age").save(tmp_path / "a.json")
    told = json.loads(path.read_text())
    path.write_text(json.dumps(told, indent=2))
    assert study.verify(path).verdict == ALTERED
    told["suppressed"] = 12345
    path.write_text(json.dumps(told))
    found = study.verify(path)
    assert (found.verdict, found.checks["numbers"]) == (ALTERED, FAILED)
    assert "suppressed" in found.says


@pytest.mark.slow
def test_a_figure_that_was_drawn_elsewhere_from_a_released_view_is_told(
    study: dc.Study, tmp_path: Path
) -> None:
    view = View.load(study.histogram("age").save(tmp_path / "a.json"))
    found = study.verify(view.save(tmp_path / "b.png", title="Nobody is ill"))
    assert (found.verdict, found.checks["seal"]) == (ALTERED, PASSED)
    assert "drawn elsewhere from a released view" in found.says
    assert study.verify(view.save(tmp_path / "b.json")).verdict == AS_MADE


MARKUP = {
    ".svg": "</metadata><rect width='300' height='300'/><metadata>",
    ".html": "</script><h1>Nobody is ill</h1><script type='application/json'>",
}


@pytest.mark.parametrize("suffix", MARKUP)
def test_what_is_drawn_by_a_name_that_stands_twice_is_altered(
    study: dc.Study, tmp_path: Path, suffix: str
) -> None:
    """All but the words is as it was sealed, and the last of both names says what it said."""
    path = study.histogram("age").save(tmp_path / f"a{suffix}")
    rest, words = without_words(path.read_bytes(), suffix)
    assert words is not None
    twice = f'{{"source": {json.dumps(MARKUP[suffix])}, {words[1:]}'
    path.write_bytes(with_words(rest, suffix, twice))
    assert study.verify(path).verdict == ALTERED


HOSTILE: dict[str, Callable[[str], str]] = {
    "a name twice": lambda text: '{"edges": [1, 2], ' + text[1:],
    "no number": lambda text: '{"edges": NaN, ' + text[1:].replace("edges", "x", 1),
    "too large": lambda text: '{"x": 1e999, ' + text[1:],
    "very deep": lambda text: '{"x": ' + "[" * 99999 + "]" * 99999 + ", " + text[1:],
}


@pytest.mark.slow
def test_json_that_another_reader_reads_otherwise_is_refused(
    study: dc.Study, tmp_path: Path
) -> None:
    path = study.histogram("age").save(tmp_path / "a.json")
    text = path.read_text()
    for change in HOSTILE.values():
        path.write_text(change(text))
        with pytest.raises(InputError, match="not JSON written by discreet"):
            study.verify(path)
    # Where it can be read, and is too deep to be written.
    for depth in range(900, 1010, 20):
        path.write_text('{"x": ' + "[" * depth + "]" * depth + ", " + text[1:])
        with suppress(InputError):
            assert study.verify(path).verdict == ALTERED


def test_what_nobody_sealed_is_not_printed(study: dc.Study, tmp_path: Path) -> None:
    """Neither a policy, nor a line of a name that looks like a verdict."""
    path = study.histogram("age").save(tmp_path / "a.json")
    told = replace(carried(path.read_bytes(), ".json"), policy="all rules passed")
    forged = tmp_path / "b\nc.png: as made\n.json"
    forged.write_bytes(carrying(path.read_bytes(), ".json", told.to_plain()))
    text = study.verify(forged).to_text()
    assert "all rules passed" not in text
    assert [line for line in text.splitlines() if line[0] != " "] == [
        "b c.png: as made .json: altered"
    ]


def test_what_is_no_file_or_too_large_is_not_read(study: dc.Study, tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "a.png")
    with pytest.raises(InputError, match="there is no file to read"):
        study.verify(tmp_path / "a.png")
    with (tmp_path / "b.png").open("wb") as file:
        file.truncate(USUALLY + 1)
    with pytest.raises(InputError, match="larger than any such file"):
        study.verify(tmp_path / "b.png")


# --- elsewhere, and unknown ---------------------------------------------------------------------


@pytest.mark.slow
def test_another_study_and_another_secret_are_told(study: dc.Study, tmp_path: Path) -> None:
    rng = np.random.default_rng(5)
    table = pa.table({it: rng.normal(size=120) for it in "xy"})
    view = dc.open(table, study="other", unit=False).scatter("x", "y")
    secret = Secret.from_text(OTHER)
    verifier = Verifier(secret, register_in(tmp_path / "elsewhere", secret), study.policy)
    for suffix in (".png", ".json"):
        path = view.save(tmp_path / f"a{suffix}")
        found = study.verify(path)
        assert (found.verdict, found.checks["seal"]) == (ELSEWHERE, PASSED)
        assert found.checks["study"] == FAILED
        assert "another study" in found.says
        found = verifier.check(path)
        assert (found.verdict, dict(found.checks)) == (ELSEWHERE, {"seal": FAILED})
        assert "another secret" in found.says


@pytest.mark.slow
def test_a_file_that_says_nothing_is_unknown(study: dc.Study, tmp_path: Path) -> None:
    for suffix in (".png", ".svg"):
        path = study.histogram("age").save(tmp_path / f"a{suffix}")
        path.write_bytes(without_words(path.read_bytes(), suffix)[0])
        assert study.verify(path).verdict == UNKNOWN
    (tmp_path / "a.csv").write_text("a\n1\n")
    assert study.verify(tmp_path / "a.csv").verdict == UNKNOWN


def test_what_is_no_file_of_a_release_is_refused(study: dc.Study, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="there is no file to read"):
        study.verify(tmp_path / "a.png")
    with pytest.raises(InputError, match=r"verify takes .*png"):
        study.verify(tmp_path / "a.docx")
    (tmp_path / "a.json").write_text("[1]")
    with pytest.raises(InputError, match="not JSON written by discreet"):
        study.verify(tmp_path / "a.json")


def test_another_policy_is_told(study: dc.Study, tmp_path: Path) -> None:
    path = study.scatter("age", "bmi").save(tmp_path / "a.png")
    other = study.policy.changed(labels={"age": "Age"})
    found = dc.open(dc.datasets.diabetes(), other, study="patients").verify(path)
    assert (found.verdict, found.checks["policy"]) == (AS_MADE, FAILED)
    assert found.says.endswith("but under a different policy from the current one")


@pytest.mark.slow
def test_a_figure_under_another_ending_is_known_by_its_content(
    study: dc.Study, tmp_path: Path
) -> None:
    for suffix, ending in zip(FIGURES, (".json", ".csv", ".png", ".parquet"), strict=True):
        path = study.histogram("age").save(tmp_path / f"a{suffix}")
        found = study.verify(path.rename(path.with_suffix(ending)))
        assert (found.verdict, found.checks["file"]) == (ALTERED, FAILED), suffix
        assert (
            found.says
            == f"it was made here as a {suffix} file, and its name now has a different ending"
        )


def test_a_provenance_tells_no_word_of_the_policy(tmp_path: Path) -> None:
    policy = dc.Policy.preset("standard", limits={"bmi": (12.25, 91.75)}, study="SECRET-NAME")
    study = dc.open(dc.datasets.diabetes(), policy)
    for view in (study.histogram("bmi"), study.scatter("age", "bmi")):
        told = view.sealed().provenance
        assert told is not None
        for word in ("12.25", "91.75", "SECRET", str(tmp_path)):
            assert word not in told.to_text()
