"""Tables, reports and boards are told from those that were changed, and from those of elsewhere.

The attacks are of somebody who has released files, and not the secret.
"""

from __future__ import annotations

import csv
import json
import re
import struct
from collections.abc import Callable
from dataclasses import replace
from io import StringIO
from pathlib import Path

import duckdb
import numpy as np
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import discreet as dc
from discreet.custodian.outputs import checker
from discreet.custodian.verify import Verifier, verifier_of_policy
from discreet.errors import InputError
from discreet.estimates.copy_table import CopyTable
from discreet.estimates.fidelity_report import Fidelity
from discreet.explore.file_checks import (
    ALTERED,
    AS_MADE,
    ELSEWHERE,
    FAILED,
    NOT_CHECKED,
    PASSED,
    UNKNOWN,
    UNREADABLE,
)
from discreet.measure import compare
from discreet.methods import load_points
from discreet.provenance import Provenance, checksum_of_file
from discreet.release import Pieces
from discreet.render.parquet_words import read_words
from discreet.render.sealing import CARRIERS, with_words, without_words
from discreet.rounding import JointSet
from discreet.secret import Secret
from tests.records.given import register_in

OTHER = Secret.from_text(bytes(range(100, 132)).hex())
FORMULA = "bmi ~ age + C(sex)"
Save = Callable[[dc.Study, Path], object]


@pytest.fixture(autouse=True)
def own_home(home_of_module: None) -> None:
    """Let all tests here live in one home, with one register, beside the study that is open."""


@pytest.fixture(scope="module")
def study(home_of_module: None) -> dc.Study:
    """Open a study of a public table, once for all."""
    return dc.open(dc.datasets.diabetes(), study="patients")


def few(rows: int, seed: int = 5) -> pa.Table:
    """Make a small table of other data."""
    values = np.random.default_rng(seed).normal(size=(2, rows))
    return pa.table({"age": values[0], "bmi": values[1]})


def with_report(study: dc.Study, path: Path) -> None:
    """Save a report together with its table."""
    study.anonymize(["age", "sex"]).save(path.with_name("of_report.csv"), path)


SAVED: dict[str, tuple[Save, tuple[str, ...], str]] = {
    "summary": (
        lambda study, path: study.summary(["age", "bmi"], by="sex").save(path),
        (".html", ".tex", ".txt", ".json", ".csv"),
        "copy",
    ),
    "means": (
        lambda study, path: study.means("bmi", "sex").save(path),
        (".html", ".csv", ".png", ".pdf"),
        "copy",
    ),
    "model": (
        lambda study, path: study.where("age >= 20").model(FORMULA).save(path),
        (".html", ".tex", ".json", ".csv"),
        "copy",
    ),
    "report": (
        lambda study, path: study.anonymize(["age", "bmi"]).report.save(path),
        (".html", ".txt", ".json"),
        "measured",
    ),
    "report beside its table": (with_report, (".html", ".txt", ".json"), "measured"),
    "fidelity": (
        lambda study, path: study.fidelity().save(path),
        (".txt", ".json", ".svg"),
        "measured",
    ),
    "columns": (lambda study, path: path.write_text(study.columns.to_json()), (".json",), "copy"),
    "board": (lambda study, path: study.board().save(path), (".html",), "copy"),
    "board of a release": (
        lambda study, path: dc.board(study.anonymize(["age", "bmi"])).save(path),
        (".html",),
        "copy",
    ),
    "table": (
        lambda study, path: study.anonymize(["age", "bmi", "sex"]).save(path),
        (".parquet", ".csv", ".tsv"),
        "copy",
    ),
}
TEXTS = (".csv", ".tsv")


def saved(study: dc.Study, folder: Path, what: str, suffix: str) -> Path:
    """Save something of a study."""
    path = folder / f"{what}{suffix}"
    SAVED[what][0](study, path)
    return path


# --- as made ------------------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize("what", [*SAVED])
def test_what_is_released_says_where_it_comes_from_and_another_number_is_altered(
    study: dc.Study, tmp_path: Path, what: str
) -> None:
    without_data = verifier_of_policy(study.policy)
    elsewhere = Verifier(OTHER, register_in(tmp_path / "elsewhere", OTHER), study.policy)
    for suffix in SAVED[what][1]:
        path = saved(study, tmp_path, what, suffix)
        for found in (study.verify(path), without_data.check(path)):
            assert found.verdict == AS_MADE, found.to_text()
            own = "numbers" if suffix == ".json" else "file"
            assert {found.checks[it] for it in ("seal", own, "register")} == {PASSED}
            assert found.provenance is not None
            assert found.provenance.source == SAVED[what][2]
            assert found.released is not None
            assert found.released["form"] == {"tex": "latex"}.get(suffix[1:], suffix[1:])
            assert found.released["rules"]["k"] == 5
        assert study.verify(path).checks["study"] == PASSED
        assert elsewhere.check(path).verdict == (UNKNOWN if suffix in TEXTS else ELSEWHERE)
        if suffix in (".html", ".tex", ".txt"):
            check_another_number(study, path)


def check_another_number(study: dc.Study, path: Path) -> None:
    """See that a file in which a digit is another one is altered."""
    rest, words = without_words(path.read_bytes(), path.suffix)
    assert words is not None
    path.write_bytes(with_words(another_digit(rest), path.suffix, words))
    found = study.verify(path)
    assert (found.verdict, found.checks["seal"]) == (ALTERED, PASSED)
    assert found.checks["file"] == FAILED
    assert found.says == "the content in it was changed"


REQUESTS: dict[str, dict[str, object]] = {
    "summary": {"figures": "summary", "columns": ["age", "bmi"], "by": "sex"},
    "means": {"figures": "means", "columns": ["bmi"], "by": ["sex"]},
    "model": {
        "figures": "model",
        "formula": FORMULA,
        "family": "linear",
        "derived": [["", "age >= 20"]],
    },
    "report": {"report": "table", "columns": ["age", "bmi"]},
    "fidelity": {"report": "fidelity"},
    "table": {"table": ["age", "bmi", "sex"]},
}


@pytest.mark.slow
def test_the_request_says_what_was_asked_for_and_nothing_else(
    study: dc.Study, tmp_path: Path
) -> None:
    for what, request in REQUESTS.items():
        path = saved(study, tmp_path, what, ".parquet" if what == "table" else ".json")
        found = study.verify(path).provenance
        assert found is not None
        assert found.request == request
        assert not re.search(r"patients|2026|root|tmp", found.to_text())


@pytest.mark.slow
def test_what_is_the_custodians_own_is_sealed_and_in_no_register(tmp_path: Path) -> None:
    study = dc.open(few(120), study="few", unit=False)
    attacks = study.anonymize().attack(0)
    tried = dc.Protected(study).tune(k=[5])
    for suffix in (".html", ".json", ".txt"):
        for made in (attacks, tried):
            found = study.verify(made.save(tmp_path / f"a{suffix}"))
            assert (found.verdict, found.checks["register"]) == (AS_MADE, NOT_CHECKED)
            assert found.checks["study"] == PASSED
    assert study.verify(tried.save(tmp_path / "a.png")).verdict == AS_MADE


@pytest.mark.slow
def test_attacks_that_are_released_rounded_are_recorded(tmp_path: Path) -> None:
    study = dc.open(few(120), study="few", unit=False)
    made = dc.Protected(study)
    for found in (made.attack(0), made.attack_versions(2, repeats=2)):
        before = len(study.session.register.history())
        path = found.rounded(5).save(tmp_path / "a.json")
        told = study.verify(path)
        assert (told.verdict, told.checks["register"]) == (AS_MADE, PASSED)
        assert len(study.session.register.history()) == before + 1


def test_a_report_that_no_study_made_says_nothing_of_itself(
    study: dc.Study, tmp_path: Path
) -> None:
    frame = dc.datasets.diabetes().select(["age", "bmi"])
    found = study.verify(compare(frame, frame).save(tmp_path / "a.json"))
    assert (found.verdict, found.provenance) == (UNKNOWN, None)


def test_a_table_that_is_read_back_stays_what_it_was(study: dc.Study, tmp_path: Path) -> None:
    path = study.means("bmi", "sex").save(tmp_path / "a.json")
    again = CopyTable.from_json(path.read_text())
    assert again == study.means("bmi", "sex")
    (tmp_path / "b.json").write_text(again.to_json())
    assert study.verify(tmp_path / "b.json").verdict == AS_MADE
    found = study.verify(again.save(tmp_path / "b.html"))
    assert (found.verdict, found.checks["seal"]) == (ALTERED, PASSED)
    assert "drawn elsewhere" in found.says
    near = study.fidelity().to_json()
    assert Fidelity.from_json(near) == study.fidelity()


@pytest.mark.slow
def test_public_data_have_their_seal_alone(tmp_path: Path) -> None:
    policy = dc.Policy.preset("standard", public=True, study="open")
    study = dc.open(dc.datasets.diabetes(), policy)
    for path in (
        study.summary(["age"]).save(tmp_path / "a.html"),
        study.anonymize(["age", "bmi"]).save(tmp_path / "a.parquet"),
    ):
        found = study.verify(path)
        assert (found.verdict, found.checks["register"]) == (AS_MADE, NOT_CHECKED)
    text = study.anonymize(["glucose", "sex"]).save(tmp_path / "a.csv")
    assert study.verify(text).verdict == UNKNOWN, "no register knows it"


@pytest.mark.slow
def test_tables_of_research_are_as_made(tmp_path: Path) -> None:
    release = dc.research(few(100, seed=2), study="r").anonymize(["age", "bmi"])
    release.save(tmp_path / "a.parquet", tmp_path / "a.html")
    study = dc.research(few(100, seed=2), study="r")
    for name, source, kind in (("a.parquet", "rows", "table"), ("a.html", "measured", "report")):
        found = study.verify(tmp_path / name)
        assert found.verdict == AS_MADE, found.to_text()
        assert found.provenance is not None
        assert found.released is not None
        assert (found.provenance.source, found.released["kind"]) == (source, kind)


def test_rounding_points_say_where_they_come_from(tmp_path: Path) -> None:
    study = dc.research(few(100, seed=3), study="points")
    release = study.round(["age", "bmi"], k=10)
    path = release.save_points(tmp_path / "points.json")
    found = study.verify(path)
    assert (found.verdict, found.checks["register"]) == (AS_MADE, PASSED)
    kept = load_points(path)
    assert isinstance(kept, JointSet)
    assert isinstance(release.points, JointSet)
    assert kept.to_dict() == release.points.to_dict()
    plain = json.loads(path.read_text())
    plain["counts"][0] += 5
    path.write_text(json.dumps(plain))
    assert study.verify(path).verdict == ALTERED


# --- altered ------------------------------------------------------------------------------------


def another_digit(file: bytes) -> bytes:
    """Change the last digit of the first number with a point."""
    found = re.search(rb"\d+\.\d", file)
    assert found is not None
    at = found.end() - 1
    return file[:at] + (b"1" if file[at : at + 1] != b"1" else b"2") + file[at + 1 :]


@pytest.mark.parametrize("what", ["summary", "report", "fidelity"])
def test_another_number_of_json_is_altered(study: dc.Study, tmp_path: Path, what: str) -> None:
    path = saved(study, tmp_path, what, ".json")
    plain = json.loads(path.read_text())
    path.write_text(json.dumps(plain, indent=1))
    assert study.verify(path).verdict == ALTERED
    path.write_bytes(another_digit(path.read_bytes()))
    found = study.verify(path)
    assert (found.verdict, found.checks["numbers"]) == (ALTERED, FAILED)


FIELDS: dict[str, object] = {
    "policy": "0" * 16,
    "version": "0" * 16,
    "discreet": "9.9.9",
    "source": "counts",
    "checksum": "0" * 64,
    "request": {"figures": "summary", "columns": ["glucose"]},
    "seal": "0" * 64,
    "schema": 1,
}


@pytest.mark.parametrize(("what", "suffix"), [("report", ".txt"), ("table", ".parquet")])
def test_each_field_that_is_changed_is_altered(
    study: dc.Study, tmp_path: Path, what: str, suffix: str
) -> None:
    path = saved(study, tmp_path, what, suffix)
    file, words = path.read_bytes(), carried(path)
    for field, value in FIELDS.items():
        told = replace(Provenance.from_text(words), **{field: value})  # type: ignore[arg-type]
        fitting = told.to_text()
        assert fitting != words
        if suffix == ".parquet":
            path.write_bytes(replaced(file, words, fitting))
        else:
            path.write_bytes(with_words(without_words(file, suffix)[0], suffix, fitting))
        assert study.verify(path).verdict == ALTERED, field


def carried(path: Path) -> str:
    """Read what a file says of itself."""
    parquet = path.suffix == ".parquet"
    words = read_words(path).words if parquet else without_words(path.read_bytes(), path.suffix)[1]
    assert words is not None
    return words


def replaced(file: bytes, words: str, new: str) -> bytes:
    """Write other words of a Parquet file, and how long they and the footer are."""
    old, other = (varint(len(it)) + it.encode() for it in (words, new))
    assert file.count(old) == 1
    made = file.replace(old, other)
    footer = int.from_bytes(file[-8:-4], "little") + len(other) - len(old)
    return made[:-8] + footer.to_bytes(4, "little") + b"PAR1"


def varint(number: int) -> bytes:
    """Write a number by seven bits a byte."""
    if number < 128:
        return bytes([number])
    return bytes([number & 127 | 128]) + varint(number >> 7)


def test_what_another_file_says_does_not_fit(study: dc.Study, tmp_path: Path) -> None:
    suffix = ".tex"
    one = study.summary(["age"]).save(tmp_path / f"one{suffix}")
    two = study.summary(["bmi"]).save(tmp_path / f"two{suffix}")
    rest = without_words(two.read_bytes(), suffix)[0]
    two.write_bytes(with_words(rest, suffix, carried(one)))
    assert study.verify(two).verdict == ALTERED
    # Both, one after the other, in either order.
    for first, second in ((one, two), (two, one)):
        both = with_words(with_words(rest, suffix, carried(first)), suffix, carried(second))
        two.write_bytes(both)
        assert study.verify(two).verdict == ALTERED


def test_what_another_json_says_does_not_fit(study: dc.Study, tmp_path: Path) -> None:
    """Neither that of other numbers, nor that of a file of another kind with these."""
    one, two = (json.loads(study.summary([name]).to_json()) for name in ("age", "bmi"))
    page = study.summary(["bmi"]).save(tmp_path / "a.html")
    path = tmp_path / "a.json"
    for plain, wanted in (
        (two | {"provenance": one["provenance"]}, ALTERED),
        (one | {"provenance": two["provenance"]}, ALTERED),
        ({**two, "provenance": json.loads(carried(page))}, ALTERED),  # the same table
    ):
        path.write_text(json.dumps(plain))
        assert study.verify(path).verdict == wanted
    page.write_bytes(
        with_words(
            without_words(page.read_bytes(), ".html")[0],
            ".html",
            Provenance.from_plain(two["provenance"]).to_text(),
        )
    )
    found = study.verify(page)
    assert (found.verdict, found.checks["file"]) == (ALTERED, FAILED)


@pytest.mark.slow
def test_a_text_that_is_sealed_is_none_as_a_page(study: dc.Study, tmp_path: Path) -> None:
    """A title may read like markup: as a text it is harmless, as a page it is drawn.

    The bytes beside the words are the same; but a seal is of an ending, too.
    """
    table = replace(study.summary(["age"]), title="</body> nobody is ill")
    path = table.save(tmp_path / "a.txt")
    rest, words = without_words(path.read_bytes(), ".txt")
    assert words is not None
    assert study.verify(path).verdict == AS_MADE
    page = tmp_path / "a.html"
    page.write_bytes(with_words(rest, ".html", words))
    assert without_words(page.read_bytes(), ".html") == (rest, words)
    found = study.verify(page)
    assert (found.verdict, found.checks["file"]) == (ALTERED, FAILED)
    page.write_bytes(path.read_bytes())
    assert study.verify(page).verdict == ALTERED


def test_another_ending_is_told_by_the_content(study: dc.Study, tmp_path: Path) -> None:
    path = study.summary(["age"]).save(tmp_path / "a.tex")
    for ending in {*CARRIERS, ".json", ".csv", ".parquet"} - {".tex"}:
        found = study.verify(path.rename(path.with_suffix(ending)))
        path = path.with_suffix(ending)
        assert (found.verdict, found.checks["file"]) == (ALTERED, FAILED), ending
        assert "made here as a .tex file" in found.says


# --- Parquet --------------------------------------------------------------------------------------


def released(study: dc.Study, path: Path, columns: list[str]) -> Path:
    """Release a table as Parquet."""
    return study.anonymize(columns).save(path)


def test_others_read_a_sealed_table_as_they_read_any(study: dc.Study, tmp_path: Path) -> None:
    release = study.anonymize(["age", "bmi", "sex"])
    path = release.save(tmp_path / "a.parquet")
    rows = release.table.to_pydict()
    assert pq.read_table(path).to_pydict() == rows
    assert pl.read_parquet(path).to_dict(as_series=False) == rows
    read = duckdb.execute("SELECT age FROM read_parquet($1)", [str(path)]).fetchall()
    assert [age for (age,) in read] == rows["age"]
    assert dc.research(path).session.table.size == len(rows["age"])


def test_a_table_of_several_pieces_is_sealed_as_a_whole(study: dc.Study, tmp_path: Path) -> None:
    release = study.anonymize(["age", "bmi"])
    rows = release.table
    pieces = [rows.slice(0, 100), rows.slice(100, 100), rows.slice(200)]
    several = replace(release, rows=Pieces(release.rows.names, lambda: pieces))
    path = several.save(tmp_path / "a.parquet")
    assert pq.read_metadata(path).num_row_groups == 3
    assert pq.read_table(path).equals(rows)
    assert study.verify(path).verdict == AS_MADE
    report = several.report_on(path)
    assert report.made["sha256"] == checksum_of_file(path)


def test_nothing_is_written_that_the_register_did_not_take(study: dc.Study, tmp_path: Path) -> None:
    def refuse(*_: object) -> None:
        raise InputError("the register is full")

    release = replace(study.anonymize(["age", "bmi"]), note=refuse)
    for suffix in (".parquet", ".csv"):
        with pytest.raises(InputError, match="the register is full"):
            release.save(tmp_path / f"a{suffix}")
    assert [*tmp_path.glob("*a*")] == []


def test_a_byte_of_parquet_that_is_changed_is_never_as_made(
    study: dc.Study, tmp_path: Path
) -> None:
    path = released(study, tmp_path / "a.parquet", ["age", "bmi"])
    file, verifier = path.read_bytes(), verifier_of_policy(study.policy)
    for at in range(0, len(file), 97):
        path.write_bytes(file[:at] + bytes([file[at] ^ 1]) + file[at + 1 :])
        (found,) = verifier.check_all([path])
        assert found.verdict in (ALTERED, ELSEWHERE, UNREADABLE), at


def test_two_parquet_files_that_are_glued_are_altered(study: dc.Study, tmp_path: Path) -> None:
    """A reader takes the last footer, and finds rows at the places that it names."""
    one = released(study, tmp_path / "one.parquet", ["age", "bmi"])
    two = released(study, tmp_path / "two.parquet", ["age", "glucose"])
    glued = tmp_path / "glued.parquet"
    for first, second in ((one, two), (two, one), (one, one)):
        glued.write_bytes(first.read_bytes() + second.read_bytes())
        found = study.verify(glued)
        assert (found.verdict, found.checks["seal"]) == (ALTERED, PASSED)
        assert found.says == "the content in it was changed"


def test_other_rows_under_a_genuine_provenance_are_altered(study: dc.Study, tmp_path: Path) -> None:
    path = released(study, tmp_path / "a.parquet", ["age", "bmi"])
    words = carried(path)
    rows = pq.read_table(path)
    forged = tmp_path / "forged.parquet"
    changed = rows.set_column(0, "age", pa.array([*rows["age"].to_pylist()[::-1]]))
    with pq.ParquetWriter(forged, changed.schema.remove_metadata()) as writer:
        writer.write_table(changed)
        writer.add_key_value_metadata({"provenance": words})
    assert carried(forged) == words
    found = study.verify(forged)
    assert (found.verdict, found.checks["seal"]) == (ALTERED, PASSED)


def test_other_column_statistics_are_altered(study: dc.Study, tmp_path: Path) -> None:
    """A reader that trusts them leaves rows out; no row itself is changed."""
    path = released(study, tmp_path / "a.parquet", ["age", "bmi"])
    file = path.read_bytes()
    least = pq.read_metadata(path).row_group(0).column(0).statistics.min
    bits = struct.pack("<q", least)  # ages are whole numbers in the file
    at = file.rindex(bits, 0, len(file) - 8)
    path.write_bytes(file[:at] + struct.pack("<q", least - 1000) + file[at + 8 :])
    assert pq.read_metadata(path).row_group(0).column(0).statistics.min == least - 1000
    assert study.verify(path).verdict == ALTERED


def test_a_provenance_that_stands_twice_in_parquet_is_altered(
    study: dc.Study, tmp_path: Path
) -> None:
    path = released(study, tmp_path / "a.parquet", ["age", "bmi"])
    words, rows = carried(path), pq.read_table(path)
    with pq.ParquetWriter(path, rows.schema.remove_metadata()) as writer:
        writer.write_table(rows)
        writer.add_key_value_metadata({"provenance": words, "Provenance": words})
    path.write_bytes(path.read_bytes().replace(b"Provenance", b"provenance"))
    assert study.verify(path).verdict == ALTERED


# --- tables of text -------------------------------------------------------------------------------


def changed(path: Path, change: Callable[[list[list[str]]], list[list[str]]]) -> None:
    """Change the rows of a text table, the first of which is its header."""
    sign = "\t" if path.suffix == ".tsv" else ","
    rows = [*csv.reader(StringIO(path.read_text()), delimiter=sign)]
    text = StringIO()
    csv.writer(text, delimiter=sign, lineterminator="\n").writerows(change(rows))
    path.write_text(text.getvalue())


CHANGED: dict[str, tuple[Callable[[list[list[str]]], list[list[str]]], str]] = {
    "a number": (
        lambda rows: [rows[0], [*rows[1][:-1], "12.5"], *rows[2:]],
        "are in a different order, or a few were changed|some rows were changed",
    ),
    "a row less": (lambda rows: rows[:-1], "it has fewer rows"),
    "a row more": (lambda rows: [*rows, rows[-1]], "it has more rows"),
    "sorted": (lambda rows: [rows[0], *sorted(rows[1:])[::-1]], "in a different order"),
    "a third of the rows": (
        lambda rows: rows[: len(rows) * 2 // 3],
        "it has fewer rows, some rows were changed",
    ),
    "another header": (
        lambda rows: [["glucose", *rows[0][1:]], *rows[1:]],
        "its header is different",
    ),
}


@pytest.mark.parametrize("suffix", TEXTS)
def test_a_text_table_that_was_changed_is_altered_and_its_release_named(
    study: dc.Study, tmp_path: Path, suffix: str
) -> None:
    study.anonymize(["age", "glucose"]).save(tmp_path / f"other{suffix}")
    path = study.anonymize(["age", "bmi", "sex"]).save(tmp_path / f"a{suffix}")
    file, without_data = path.read_bytes(), verifier_of_policy(study.policy)
    for what, (change, says) in CHANGED.items():
        path.write_bytes(file)
        changed(path, change)
        for found in (study.verify(path), without_data.check(path)):
            assert (found.verdict, found.checks["file"]) == (ALTERED, FAILED), what
            assert re.search(says, found.says), found.says
            assert found.released is not None
            assert found.provenance is not None
            assert found.released["form"] == suffix[1:]
            assert found.provenance.request == {"table": ["age", "bmi", "sex"]}


def test_a_table_of_figures_as_csv_that_was_changed_is_altered(
    study: dc.Study, tmp_path: Path
) -> None:
    path = saved(study, tmp_path, "model", ".csv")
    path.write_bytes(another_digit(path.read_bytes()))
    found = study.verify(path)
    assert found.verdict == ALTERED
    assert found.says.endswith("some rows were changed")
    assert found.released is not None
    assert found.released["kind"] == "model"


NOT_KNOWN: dict[str, Callable[[list[list[str]]], list[list[str]]]] = {
    "all numbers written anew": lambda rows: [
        rows[0],
        *([f"{float(it):.3e}" for it in row] for row in rows[1:]),
    ],
    "a column less": lambda rows: [row[1:] for row in rows],
    "few of the rows": lambda rows: rows[: len(rows) // 5],
    "other data": lambda rows: [rows[0], *([str(i), str(2 * i)] for i in range(400))],
}


def test_what_no_line_is_left_of_is_unknown(study: dc.Study, tmp_path: Path) -> None:
    """The page on verify says so."""
    path = study.anonymize(["age", "bmi"]).save(tmp_path / "a.csv")
    file = path.read_bytes()
    for what, change in NOT_KNOWN.items():
        path.write_bytes(file)
        changed(path, change)
        assert study.verify(path).verdict == UNKNOWN, what


def test_a_text_table_under_another_ending_is_known(study: dc.Study, tmp_path: Path) -> None:
    path = study.anonymize(["age", "bmi"]).save(tmp_path / "a.csv")
    found = study.verify(path.rename(tmp_path / "a.tsv"))
    assert (found.verdict, found.checks["file"]) == (ALTERED, FAILED)
    assert "made here as a .csv file" in found.says


@pytest.mark.slow
def test_another_secret_knows_no_line(study: dc.Study, tmp_path: Path) -> None:
    path = study.anonymize(["age", "bmi"]).save(tmp_path / "a.csv")
    path.write_bytes(path.read_bytes() + b"1,2\n")
    assert study.verify(path).verdict == ALTERED
    verifier = verifier_of_policy(study.policy)
    assert replace(verifier, secret=OTHER).check(path).verdict == UNKNOWN


# --- as outputs -----------------------------------------------------------------------------------

TYPES = {
    "summary.html": "table",
    "means.png": "plot",
    "fidelity.json": "report",
    "table.parquet": "table",
}


def test_they_are_outputs_that_pass(study: dc.Study, tmp_path: Path) -> None:
    for name, kind in TYPES.items():
        path = saved(study, tmp_path, Path(name).stem, Path(name).suffix)
        check = checker(verifier_of_policy(study.policy), "patients")
        found = check(path)
        assert found is not None, name
        assert (found.status, found.type) == ("pass", kind)
        assert found.says[0] == "made here, and unchanged since"
        assert found.command.startswith(found.kind)
        path.write_bytes(path.read_bytes()[:-1] + b"9")
        assert check(path) is None, name
