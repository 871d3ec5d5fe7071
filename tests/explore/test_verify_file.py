"""Figures of a study file are drawn again from it: those that were forged are never as made."""

from __future__ import annotations

import hashlib
import json
import re
import tracemalloc
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from PIL import Image

import discreet as dc
from discreet.errors import InputError
from discreet.explore.file_checks import (
    ALTERED,
    AS_MADE,
    ELSEWHERE,
    FAILED,
    NOT_CHECKED,
    NOT_COMPARABLE,
    PASSED,
    UNKNOWN,
    UNREADABLE,
)
from discreet.explore.from_file import FileSession, open_file
from discreet.explore.verify_file import FileVerifier
from discreet.plots import View
from discreet.provenance import Provenance, checksum_of, keyed
from discreet.render.sealing import with_words, without_words
from discreet.study_file import StudyFile, open_study_file, write_study_file
from discreet.study_file.signing import draw_key
from tests.cases import slow
from tests.explore.test_from_file import CALLS, FAST, OF, draft_of, pair

COMPARED = (".svg", ".html", ".json", ".csv")


@pytest.fixture(scope="module")
def studies(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Any]:
    return lambda name: pair(name, tmp_path_factory.mktemp(name))


@pytest.fixture
def study(studies: Callable[[str], Any]) -> dc.Study:
    """The cohort as a study file."""
    of_file: dc.Study = studies("cohort")[1]
    return of_file


def session_of(study: dc.Study) -> FileSession:
    """Return what is behind a study that is a file."""
    session = study._session
    assert isinstance(session, FileSession)
    return session


# --- as made ------------------------------------------------------------------------------------

VIEWS = [
    name for name in CALLS if not re.search(r"summary|means|model|columns|persons$|shares", name)
]
SOON = ("bars by", "parallel coordinates", "an overview", *FAST[:2])


@pytest.mark.made_anew
@pytest.mark.parametrize("name", [pytest.param(it, marks=slow(it not in SOON)) for it in VIEWS])
def test_figure_is_as_made(studies: Callable[[str], Any], name: str, tmp_path: Path) -> None:
    custodian, of_file = studies(OF.get(name, "cohort"))
    view = CALLS[name](of_file)
    assert isinstance(view, View)
    for suffix in COMPARED:
        found = of_file.verify(view.save(tmp_path / f"a{suffix}"))
        assert found.verdict == AS_MADE, found.to_text()
        assert dict(found.checks) == dict.fromkeys(("study", "seal", "drawn again", "file"), PASSED)
    # What the custodian drew of the same copy has a seal that can be checked beside the data alone.
    found = of_file.verify(CALLS[name](custodian).save(tmp_path / "own.json"))
    assert (found.verdict, found.checks["seal"]) == (AS_MADE, NOT_CHECKED)


SETTINGS: dict[str, Callable[[dc.Study], Any]] = {
    "pixels": lambda s: s.parallel(["bmi", "age"], pixels=300),
    "cells": lambda s: s.scatter("age", "bmi", show="density"),
    "an axis of its own": lambda s: s.histogram("age", limits={"age": (30.5, 60)}),
    "chosen of three": lambda s: s.plot("age", "bmi", "sex"),
    "one of several": lambda s: s.histogram("bmi", by="sex").views[1],
}


@pytest.mark.made_anew
@pytest.mark.parametrize("name", SETTINGS)
def test_settings_stand_in_the_request(study: dc.Study, name: str, tmp_path: Path) -> None:
    found = study.verify(SETTINGS[name](study).save(tmp_path / "a.json"))
    assert found.verdict == AS_MADE, found.to_text()


DRAWING: dict[str, Any] = {"title": "Übergewicht & <age>", "width": 120.5, "footnote": False}


@pytest.mark.slow
@pytest.mark.made_anew
def test_picture_says_how_it_was_drawn(study: dc.Study, tmp_path: Path) -> None:
    path = study.histogram("bmi").save(tmp_path / "a.svg", **DRAWING)
    found, told = study.verify(path), told_by(path)
    assert found.verdict == AS_MADE
    assert found.says.endswith("whoever drew it")
    assert {*told.drawing} == {*DRAWING, "matplotlib"}
    # Without it, and with that of another picture, it is another one.
    for other in ({}, {**told.drawing, "title": "No risk at all"}):
        write(path, sealed(study, path, replace(told, drawing=other)))
        assert study.verify(path).verdict == ALTERED


# --- forged -------------------------------------------------------------------------------------


def told_by(path: Path) -> Provenance:
    """Read what a file says of itself."""
    if path.suffix == ".json":
        return Provenance.from_plain(json.loads(path.read_text())["provenance"])
    words = without_words(path.read_bytes(), path.suffix)[1]
    assert words is not None
    return Provenance.from_text(words)


def write(path: Path, data: bytes) -> Path:
    """Write a forged file in place of another."""
    path.write_bytes(data)
    return path


GENUINE: dict[tuple[str, bool], bytes] = {}


@pytest.fixture
def bmi(studies: Callable[[str], Any]) -> Callable[..., Path]:
    """Write a histogram, which is drawn, and found to be as made, once for all tests."""
    custodian, of_file = studies("cohort")

    def saved(path: Path, *, custodians: bool = False) -> Path:
        which = path.suffix, custodians
        if which not in GENUINE:
            (custodian if custodians else of_file).histogram("bmi").save(path)
            comparable = custodians or path.suffix in COMPARED
            assert of_file.verify(path).verdict == (AS_MADE if comparable else NOT_COMPARABLE)
            GENUINE[which] = path.read_bytes()
        return write(path, GENUINE[which])

    return saved


def sealed(study: dc.Study, path: Path, told: Provenance, rest: bytes | None = None) -> bytes:
    """Seal a figure anew, as anybody can who has the study file."""
    key = session_of(study).key
    rest = without_words(path.read_bytes(), path.suffix)[0] if rest is None else rest
    digest = hashlib.sha256(rest).digest()
    told = told.sealed(key).sealed_file(key, digest, path.suffix)
    return with_words(rest, path.suffix, told.to_text())


def once(old: str, new: str) -> Callable[[str], str]:
    """Return what changes a text at its first place."""

    def change(text: str) -> str:
        assert old in text, old
        return text.replace(old, new, 1)

    return change


def higher(text: str) -> str:
    """Raise the first bar of an SVG."""
    bars = text[text.index("patch_3") :]
    bar = re.search(r'<path d="M (\S+) (\S+) \nL \S+ \S+ \nL \S+ (\S+) ', bars)
    assert bar is not None
    return text.replace(bar[3], str(float(bar[3]) - 20))


def in_view(change: Callable[[Any], None]) -> Callable[[str], str]:
    """Return what changes the view of a page."""

    def changed(page: str) -> str:
        before, mark, rest = page.partition('<script type="application/json" id="view">')
        view, end, after = rest.partition("</script>")
        plain = json.loads(view)
        change(plain)
        return f"{before}{mark}{json.dumps(plain, ensure_ascii=False)}{end}{after}"

    return changed


def in_json(change: Callable[[dict[str, Any]], object]) -> Callable[[str], str]:
    """Return what changes the numbers of JSON."""

    def changed(text: str) -> str:
        plain = json.loads(text)
        change(plain)
        return json.dumps(plain, ensure_ascii=False)

    return changed


FORGERIES: dict[str, tuple[str, Callable[[str], str], str]] = {
    "a higher bar": (".svg", higher, "a number in patch_3 is"),
    "another label": (".svg", once(">density<", ">persons<"), "is 'persons' in the file, but 'den"),
    "a title": (
        ".svg",
        once('<g id="figure_1">', '<g id="figure_1"><text x="9" y="9">No risk</text>'),
        "a line in",
    ),
    "a script": (".svg", once("</svg>", "<script>alert(1)</script></svg>"), "is different"),
    "an entity": (".svg", once('svg11.dtd">', 'svg11.dtd" [<!ENTITY a "b">]>'), "is different"),
    "returns": (".svg", lambda it: it.replace("\n ", "\r\n "), "is different"),
    "a taller bar of a page": (
        ".html",
        in_view(lambda it: it["counts"].__setitem__(0, 99)),
        r"counts\[0\] is 99",
    ),
    "another title of a page": (".html", once("<h1>", "<h1>Not "), "the page around"),
    "a second view": (
        ".html",
        once(
            '<script type="application/json" id="view">',
            '<script type="application/json" id="view">{}</script>'
            '<script type="application/json" id="view">',
        ),
        "is missing",
    ),
    "no policy of a page": (".html", once("default-src 'none';", ""), "around"),
    "a view that is none": (".html", once('id="view">', 'id="view">x'), "cannot be read"),
    "a count": (".json", in_json(lambda it: it["counts"].__setitem__(0, 99)), r"counts\[0\] is 99"),
    "a remark": (
        ".json",
        in_json(lambda it: it["origin"].update(remarks=["all is well"])),
        "origin.remarks has 1 entries",
    ),
    "spaces": (".json", lambda it: json.dumps(json.loads(it), indent=1), "was rewritten"),
    "a cell": (".csv", once("\n", "\n9"), "'low' of row 1"),
    "a row more": (".csv", lambda it: f"{it}1,2,3,4,\n", "rows in the file, but"),
    "another header": (".csv", once("count", "cases"), "its header is different"),
}


@pytest.mark.parametrize("name", FORGERIES)
def test_forged_figure_is_never_as_made(
    bmi: Callable[..., Path], study: dc.Study, name: str, tmp_path: Path
) -> None:
    suffix, change, says = FORGERIES[name]
    path = bmi(tmp_path / f"a{suffix}")
    data = path.read_bytes()
    write(path, change(data.decode()).encode())
    found = study.verify(path)
    assert found.verdict == ALTERED
    assert re.search(says, found.says), found.says
    if suffix != ".json":  # and sealed anew, as anybody can
        told = told_by(write(tmp_path / f"b{suffix}", data))
        rest = without_words(data, suffix)[0]
        forged = sealed(study, path, told, change(rest.decode()).encode())
        assert study.verify(write(path, forged)).verdict == ALTERED


def test_numbers_that_were_sealed_anew_are_altered(
    bmi: Callable[..., Path], study: dc.Study, tmp_path: Path
) -> None:
    """Whoever has the file can write other numbers, their checksum and a seal of it."""
    path, key = bmi(tmp_path / "a.json"), session_of(study).key
    plain = json.loads(path.read_text())
    told = Provenance.from_plain(plain.pop("provenance"))
    plain["counts"][3] += 40
    told = replace(told, checksum=keyed(key, checksum_of(plain))).sealed(key)
    path.write_text(json.dumps({**plain, "provenance": told.to_plain()}, ensure_ascii=False))
    found = study.verify(path)
    assert (found.verdict, found.checks["drawn again"]) == (ALTERED, FAILED)
    assert re.search(r"counts\[3\] is \d+ in the file, but \d+", found.says)
    # And the genuine figure with what that says.
    path = bmi(tmp_path / "a.svg")
    write(path, sealed(study, path, replace(told_by(path), checksum=told.checksum)))
    assert (study.verify(path).verdict, study.verify(path).checks["drawn again"]) == (
        ALTERED,
        FAILED,
    )


@pytest.mark.parametrize("suffix", COMPARED)
def test_what_another_figure_says_does_not_fit(
    study: dc.Study, suffix: str, tmp_path: Path
) -> None:
    one, two = (study.histogram(it).save(tmp_path / f"{it}{suffix}") for it in ("age", "bmi"))
    if suffix == ".json":
        plain = {**json.loads(one.read_text()), "provenance": told_by(two).to_plain()}
        one.write_text(json.dumps(plain, ensure_ascii=False))
    else:
        rest = without_words(one.read_bytes(), suffix)[0]
        write(one, sealed(study, one, told_by(two), rest))
    assert study.verify(one).verdict == ALTERED


@pytest.mark.parametrize("field", ["policy", "version", "discreet", "checksum", "seal"])
def test_field_that_was_changed_is_not_as_made(
    bmi: Callable[..., Path], study: dc.Study, field: str, tmp_path: Path
) -> None:
    path = bmi(tmp_path / "a.svg")
    zeros = "0" * (64 if field in ("checksum", "seal") else 16)
    other: dict[str, Any] = {field: "9.9.9" if field == "discreet" else zeros}
    told = replace(told_by(path), **other)
    rest = without_words(path.read_bytes(), ".svg")[0]
    write(path, with_words(rest, ".svg", told.to_text()))
    assert study.verify(path).verdict in (ALTERED, ELSEWHERE)
    write(path, sealed(study, path, told))
    # The seal is as it was again, and what other discreet draws may be the same.
    expected = AS_MADE if field in ("discreet", "seal") else ALTERED
    assert study.verify(path).verdict in (expected, ELSEWHERE)


def with_told(path: Path, told: Provenance) -> bytes:
    """Return a JSON with other words on where it comes from."""
    return json.dumps({**json.loads(path.read_text()), "provenance": told.to_plain()}).encode()


WORDS = "Seen and approved"
SMUGGLED: dict[str, tuple[str, bool, Mapping[str, Any]]] = {
    "a drawing of JSON": (".json", False, {"drawing": {"title": WORDS}}),
    "a seal of JSON": (".json", False, {"file_seal": "0" * 64}),
    "what drew a page": (".html", False, {"drawing": {"matplotlib": "3.9"}}),
    "what drew a picture": (".svg", False, {"drawing": {"matplotlib": WORDS}}),
    "a title of a page": (".html", False, {"drawing": {"title": WORDS}}),
    "a title of CSV": (".csv", False, {"drawing": {"title": WORDS}}),
    "a version": (".svg", False, {"discreet": WORDS}),
    "a switch": (
        ".svg",
        False,
        {"request": {"plot": "histogram", "columns": ["bmi"], "show": WORDS}},
    ),
    "an empty switch": (
        ".svg",
        False,
        {"request": {"plot": "histogram", "columns": ["bmi"], "bins": 20, "overlay": False}},
    ),
    "a seal of the custodian": (".svg", True, {"seal": WORDS}),
    "a seal of their file": (".svg", True, {"file_seal": WORDS}),
    "a policy of theirs": (".svg", True, {"policy": WORDS}),
    "a drawing of their JSON": (".json", True, {"drawing": {"title": WORDS}}),
}


@pytest.mark.parametrize("name", SMUGGLED)
def test_words_in_what_a_figure_says_are_not_as_made(
    bmi: Callable[..., Path], study: dc.Study, name: str, tmp_path: Path
) -> None:
    suffix, custodians, change = SMUGGLED[name]
    path = bmi(tmp_path / f"a{suffix}", custodians=custodians)
    told = replace(told_by(path), **change)
    if suffix == ".json":
        told = told if custodians else told.sealed(session_of(study).key)
        write(path, with_told(path, told))
    elif custodians:
        rest = without_words(path.read_bytes(), suffix)[0]
        write(path, with_words(rest, suffix, told.to_text()))
    else:
        write(path, sealed(study, path, told))
    assert study.verify(path).verdict == ALTERED


# --- pictures of pixels, and pages ----------------------------------------------------------------


@pytest.mark.slow
def test_pixels_are_never_as_made(study: dc.Study, tmp_path: Path) -> None:
    suffix = ".png"
    path = study.histogram("bmi").save(tmp_path / f"a{suffix}", title="T")
    folder = tmp_path / "beside"
    folder.mkdir()
    found = study.verify(path, beside=folder)
    assert found.verdict == NOT_COMPARABLE
    assert found.beside == str(folder / f"a-again{suffix}")
    assert "drawn again: " in found.to_text()
    assert (folder / f"a-again{suffix}").read_bytes() == path.read_bytes()
    # Nothing is written over, and nothing without a folder.
    assert study.verify(path, beside=folder).beside == str(folder / f"a-again-2{suffix}")
    assert study.verify(path).beside is None
    # Another picture with what this one says is altered, and not comparable once it is sealed anew.
    told = told_by(path)
    other = without_words(study.histogram("age").save(path).read_bytes(), suffix)[0]
    write(path, with_words(other, suffix, told.to_text()))
    assert study.verify(path).verdict == ALTERED
    write(path, sealed(study, path, told, other))
    assert study.verify(path).verdict == NOT_COMPARABLE
    write(path, sealed(study, path, replace(told, checksum="0" * 64), other))
    assert study.verify(path).verdict == ALTERED


def pixels_of(path: str | Path) -> tuple[int, int]:
    """Return how many pixels a picture has, across and up."""
    with Image.open(path) as image:
        return image.size


@pytest.mark.slow
def test_pixels_beside_are_as_many_as_usual(study: dc.Study, tmp_path: Path) -> None:
    path = study.histogram("bmi").save(tmp_path / "a.png", dpi=50)
    told = told_by(path)
    write(path, sealed(study, path, replace(told, drawing={**told.drawing, "dpi": 1200})))
    found = study.verify(path, beside=tmp_path)
    assert found.beside is not None
    usual = study.histogram("bmi").save(tmp_path / "b.png")
    assert pixels_of(found.beside) == pixels_of(usual)
    drawing = {**told.drawing, "dpi": 1200, "width": 2540}
    write(path, sealed(study, path, replace(told, drawing=drawing)))
    found = study.verify(path, beside=tmp_path)
    assert found.beside is not None
    assert max(pixels_of(found.beside)) <= 6000


# --- of other rows --------------------------------------------------------------------------------


OTHERS: dict[str, tuple[dict[str, Any], str]] = {
    "another version": ({"version": "0" * 16}, "another version of this study, or from another"),
    "another study": ({"study": "other", "version": "1" * 16}, "from another study"),
    "the same rows, other words": ({"remarks": ("mind the gap",)}, "from a different file of them"),
}


@pytest.mark.parametrize("name", OTHERS)
def test_figure_of_other_rows_is_elsewhere(
    bmi: Callable[..., Path], study: dc.Study, name: str, tmp_path: Path
) -> None:
    change, says = OTHERS[name]
    file, path = file_of(study), tmp_path / "other.discreet"
    write_study_file(path, replace(draft_of(file), **change), file.batches(), draw_key())
    other = FileSession(open_study_file(path))
    for suffix in (*COMPARED, ".png", ".pdf"):
        figure = bmi(tmp_path / f"a{suffix}")
        found = FileVerifier(other).check(figure)
        assert (found.verdict, found.checks["study"]) == (ELSEWHERE, FAILED)
        assert says in found.says
    other.close()


def test_reports_and_what_was_made_beside_the_data_are_told_apart(
    studies: Callable[[str], Any], tmp_path: Path
) -> None:
    custodian, of_file = studies("cohort")
    path = of_file.summary(["bmi"]).save(tmp_path / "a.html")
    assert of_file.verify(path).verdict == NOT_COMPARABLE
    assert "it is not a plot" in of_file.verify(path).says
    assert of_file.verify(of_file.summary(["bmi"]).save(tmp_path / "a.csv")).verdict == UNKNOWN
    public = dc.research(dc.datasets.diabetes(), study="other")
    assert of_file.verify(public.histogram("age").save(tmp_path / "a.svg")).verdict == ELSEWHERE
    path = custodian.fidelity().save(tmp_path / "a.json")
    assert of_file.verify(path).verdict in (NOT_COMPARABLE, ELSEWHERE)
    with pytest.raises(InputError, match="beside is for a study file"):
        custodian.verify(path, beside=tmp_path)


# --- drawn by others ------------------------------------------------------------------------------


def test_other_discreet_may_have_drawn_the_same(
    bmi: Callable[..., Path], study: dc.Study, tmp_path: Path
) -> None:
    path = bmi(tmp_path / "a.html")
    told = replace(told_by(path), discreet="9.9.9")
    write(path, sealed(study, path, told))
    assert study.verify(path).verdict == AS_MADE
    rest = without_words(path.read_bytes(), ".html")[0]
    write(path, sealed(study, path, told, rest.replace(b"<h1>", b"<h1>Not ")))
    found = study.verify(path)
    assert found.verdict == NOT_COMPARABLE
    assert "drawn by discreet 9.9.9, which may draw it differently; not the same when" in found.says


def test_a_version_has_no_room_for_words(
    bmi: Callable[..., Path], study: dc.Study, tmp_path: Path
) -> None:
    """What nobody sees would leave with a figure that is as made."""
    path = bmi(tmp_path / "a.html")
    told = replace(told_by(path), discreet="0.1.0+ann.smith-1961.is.ill")
    write(path, sealed(study, path, told))
    assert study.verify(path).verdict == ALTERED


def test_last_digits_may_be_of_another_machine(study: dc.Study, tmp_path: Path) -> None:
    """They are named neither altered nor as made."""
    key = session_of(study).key
    for share, verdict in ((1e-12, NOT_COMPARABLE), (1e-6, ALTERED)):
        path = study.density("bmi").save(tmp_path / "a.json")
        plain = json.loads(path.read_text())
        told = Provenance.from_plain(plain.pop("provenance"))
        text = json.dumps(plain)
        number = max(re.findall(r"0\.\d{14,}", text), key=len)
        plain = json.loads(text.replace(number, repr(float(number) * (1 + share)), 1))
        told = replace(told, checksum=keyed(key, checksum_of(plain))).sealed(key)
        path.write_text(json.dumps({**plain, "provenance": told.to_plain()}, ensure_ascii=False))
        assert study.verify(path).verdict == verdict


# --- hostile --------------------------------------------------------------------------------------

H: Mapping[str, Any] = {"plot": "histogram", "columns": ["bmi"]}
REQUESTS: dict[str, tuple[Mapping[str, Any], str]] = {
    "bins": ({**H, "bins": 10**9}, "bins must be a whole number from 2 to 1000"),
    "bins that are none": ({**H, "bins": 1e308}, "its 'bins' is not written by discreet"),
    "a long list": ({"plot": "parallel", "columns": ["age"] * 9000}, "longer than 20,000 letters"),
    "very many steps": ({**H, "derived": [["", "age > 0"]] * 41}, "its 'derived' is not"),
    "a power": ({**H, "derived": [["x", "9**9**9**9"]]}, "an exponent must be a constant"),
    "a formula": ({"plot": "residuals", "formula": "bmi ~ " + "age*sex*" * 900}, "too long"),
    "limits that are none": ({**H, "limits": {"bmi": [9, 3]}}, "limits"),
    "the settings of a session": ({**H, "secret": "x"}, "its 'secret' is not"),
    "no plot of a name": ({"plot": "__class__"}, "it does not name a plot"),
    "a list as a plot": ({"plot": ["histogram"]}, "it does not name a plot"),
    "no columns": ({"plot": "histogram"}, "not a plot of these columns"),
    "bins of axes": (
        {"plot": "parallel", "columns": ["age", "bmi"], "bins": 10**9},
        "no setting 'bins'",
    ),
    "a withheld column": ({"plot": "histogram", "columns": ["lab"]}, "lab"),
    "too few rows": ({**H, "derived": [["", "age > 1000"]]}, "fewer than 50 rows"),
    "lines of a report": ({**H, "derived": [["", "age\nb.svg: as made"]]}, "drawn: "),
}


@pytest.mark.parametrize("name", REQUESTS)
def test_request_that_no_analyst_may_ask_is_refused_in_words(
    bmi: Callable[..., Path], study: dc.Study, name: str, tmp_path: Path
) -> None:
    request, says = REQUESTS[name]
    path = bmi(tmp_path / "a.svg")
    write(path, sealed(study, path, replace(told_by(path), request=request)))
    tracemalloc.start()
    found = study.verify(path, beside=tmp_path)
    assert tracemalloc.get_traced_memory()[1] < 50_000_000
    tracemalloc.stop()
    assert (found.verdict, found.checks["drawn again"]) == (ALTERED, FAILED)
    assert says in found.says
    assert "\n" not in found.says
    assert len(found.says) < 500


@pytest.mark.parametrize("suffix", [".svg", ".json", ".png"])
def test_numbers_beyond_all_have_a_verdict(
    bmi: Callable[..., Path], study: dc.Study, suffix: str, tmp_path: Path
) -> None:
    """A checksum or a file of them may not be written."""
    path, far = bmi(tmp_path / f"a{suffix}"), [-1.7e308, 1.7e308]
    told = replace(told_by(path), request={**H, "limits": {"bmi": far}})
    if suffix == ".json":
        write(path, with_told(path, told.sealed(session_of(study).key)))
    else:
        write(path, sealed(study, path, told))
    assert study.verify(path, beside=tmp_path).verdict == ALTERED


HOW_DRAWN: dict[str, dict[str, Any]] = {
    "a long title": {"title": "t" * 10_000},
    "wider than a wall": {"width": 1e9},
    "pixels of lines": {"dpi": 300},
}


@pytest.mark.parametrize("name", HOW_DRAWN)
def test_drawing_that_no_picture_has_is_refused(
    bmi: Callable[..., Path], study: dc.Study, name: str, tmp_path: Path
) -> None:
    path = bmi(tmp_path / "a.svg")
    write(path, sealed(study, path, replace(told_by(path), drawing=HOW_DRAWN[name])))
    found = study.verify(path)
    assert (found.verdict, found.checks["drawn again"]) == (ALTERED, FAILED)
    assert "cannot be drawn" in found.says


BOMB = "".join(f'<!ENTITY a{i} "{f"&a{i - 1};" * 10}">' for i in range(1, 12))
HOSTILE: dict[str, tuple[str, Callable[[str], str], str]] = {
    "entities that unfold": (
        ".svg",
        lambda it: it.replace('svg11.dtd">', f'svg11.dtd" [<!ENTITY a0 "x">{BOMB}]>').replace(
            ">density<", ">&a11;<"
        ),
        ALTERED,
    ),
    "very many lines": (".svg", once("</svg>", "\n" * 9_000_000 + "</svg>"), ALTERED),
    "deep JSON": (".json", once("{", f'{{"a": {"[" * 90_000}{"]" * 90_000}, '), UNREADABLE),
    "a deep view": (".html", once('id="view">', f'id="view">{"[" * 90_000}'), ALTERED),
    "a long cell": (".csv", once("\n", f"\n{'9' * 200_000}"), UNKNOWN),
    "letters that are none": (".svg", once(">density<", ">\udc80<"), ALTERED),
}


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_file_has_a_verdict(
    bmi: Callable[..., Path], study: dc.Study, name: str, tmp_path: Path
) -> None:
    suffix, change, verdict = HOSTILE[name]
    path = bmi(tmp_path / f"a{suffix}")
    forged = change(path.read_text(encoding="utf-8"))
    write(path, forged.encode("utf-8", "surrogateescape"))
    (found,) = FileVerifier(session_of(study)).check_all([path])
    assert found.verdict == verdict
    assert len(found.says) < 1000


def test_what_cannot_be_read_does_not_end_the_others(
    bmi: Callable[..., Path], study: dc.Study, tmp_path: Path
) -> None:
    bare = bmi(tmp_path / "a.svg")
    good = study.histogram("age").save(tmp_path / "b.svg")
    write(bare, without_words(bare.read_bytes(), ".svg")[0])
    renamed = write(tmp_path / "c.html", good.read_bytes())
    none, other = tmp_path / "none.svg", tmp_path / "x.docx"
    with file_verifier(study) as verifier:
        found = verifier.check_all([none, bare, good, other, renamed])
    assert [it.verdict for it in found] == [UNREADABLE, UNKNOWN, AS_MADE, UNREADABLE, ALTERED]
    assert "made as a .svg file, and its name now has a different ending" in found[-1].says


def file_of(study: dc.Study) -> StudyFile:
    """Return the one file that a study is."""
    file = session_of(study).file
    assert isinstance(file, StudyFile)
    return file


@contextmanager
def file_verifier(study: dc.Study) -> Iterator[FileVerifier]:
    """Give what compares figures with the file of a study, which is opened once more and closed."""
    verifier = FileVerifier(open_file(file_of(study).path))
    yield verifier
    verifier.session.close()


def test_study_file_that_was_closed_says_so(
    bmi: Callable[..., Path], study: dc.Study, tmp_path: Path
) -> None:
    path = bmi(tmp_path / "a.svg")
    with file_verifier(study) as verifier:
        pass
    with pytest.raises(InputError, match="was closed; open it again"):
        verifier.check(path)


# --- CSV ------------------------------------------------------------------------------------------


def test_custodian_knows_the_csv_of_a_plot(studies: Callable[[str], Any], tmp_path: Path) -> None:
    study = studies("cohort")[0]
    path = study.histogram("bmi").save(tmp_path / "a.csv")
    found = study.verify(path)
    assert found.verdict == AS_MADE
    assert found.checks["drawn again"] == PASSED
    text = path.read_text()
    write(path, text.replace("\n", "\n9", 1).encode())
    assert (study.verify(path).verdict, study.verify(path).checks["file"]) == (ALTERED, FAILED)
