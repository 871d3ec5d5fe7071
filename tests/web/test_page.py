"""The board in one file: what it holds, that it asks nobody, and that its gates are asked."""

from __future__ import annotations

import base64
import gzip
import hashlib
import html
import json
import pickle
import re
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

import discreet as dc
from discreet.errors import InputError, LeavingError, RefusedError
from discreet.explore import Study
from discreet.explore.board import board_rows
from discreet.web.page import board_page
from tests.serve.canaries import CANARIES, COHORT, RULES
from tests.serve.canaries import ROLES as ROLES_OF_CANARIES
from tests.serve.cohort import narrow, opened, written
from tests.web.reading import read_bundle

ROLES = '[roles]\npatient = "identifier"\n'
#: What scripts of others and drawings name, and no page asks for.
NAMED = {"http://www.w3.org", "https://d3js.org"}


SMALL = narrow().slice(0, 150)


def small(folder: Path, rules: str = ROLES) -> Study:
    """Open a few persons and columns of the cohort: what is tested is not of how many they are."""
    return opened(folder, rules, SMALL)


@pytest.fixture(scope="module")
def study(tmp_path_factory: pytest.TempPathFactory) -> Study:
    return opened(tmp_path_factory.mktemp("file"), ROLES)


@pytest.fixture(scope="module")
def page(study: Study) -> str:
    return study.board().to_html()


def block(page: str, name: str) -> str:
    """Return what stands in a block of the page."""
    found = re.search(rf'<script type="[^"]+" id="{name}">(.*?)</script>', page, re.DOTALL)
    assert found is not None
    return found[1]


def facts(page: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(block(page, "facts"))
    return found


def rows_of(page: str) -> tuple[dict[str, Any], dict[str, Any]]:
    return read_bundle(gzip.decompress(base64.b64decode(block(page, "rows"))))


def released(study: Study) -> list[tuple[str, str]]:
    history = study.session.register.history(study.session.name)
    return [(it["kind"], it["form"]) for it in history]


def test_it_names_no_address_outside(page: str) -> None:
    assert {*re.findall(r"https?://[\w.-]+", page)} <= NAMED
    markup = re.sub(r"<(script|style)\b[^>]*>.*?</\1>", "", page, flags=re.DOTALL)
    assert not re.search(r"\b(?:src|href|srcset|style|on\w+)=", markup)


def test_its_policy_lets_its_own_script_and_style_run_alone(page: str) -> None:
    found = re.search(r'Content-Security-Policy" content="([^"]*)"', page)
    assert found is not None
    rules = dict(it.strip().split(" ", 1) for it in html.unescape(found[1]).split(";"))
    scripts = re.findall(r'<script type="module">(.*?)</script>', page, re.DOTALL)
    styles = re.findall(r"<style>(.*?)</style>", page, re.DOTALL)
    assert len(scripts) == len(styles) == 1
    assert rules == {
        "default-src": "'none'",
        "script-src": digest(scripts[0]),
        "style-src": digest(styles[0]),
        "worker-src": "blob:",
        "img-src": "blob: data:",
        "base-uri": "'none'",
        "form-action": "'none'",
    }


def digest(text: str) -> str:
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"


def test_it_holds_the_rows_of_the_copy_and_no_count_of_the_data(study: Study, page: str) -> None:
    told = facts(page)
    assert rows_of(page)[0]["rows"] == told["rows"]["rows"] == len(study.session.whole)
    assert gzip.decompress(base64.b64decode(block(page, "rows"))) == board_rows(study._copy).data
    assert 'id="views"' not in page
    assert [it["name"] for it in told["columns"]] == [
        it["name"] for it in rows_of(page)[0]["columns"]
    ]
    assert {"k": 5, "bins": 20, "axes": {}}.items() <= told["drawn"].items()
    assert (
        told["policy"]["promise"]
        == "Redrawn rows: nobody's. Each group behind them holds at least 20 people."
    )
    assert told["python"] == "study"


def test_the_same_study_gives_the_same_page(study: Study, page: str) -> None:
    assert study.board().to_html() == page


def test_what_is_given_is_text() -> None:
    name = "</script><script>alert(1)</script>\u2028"
    found = board_page({"study": name}, b"", name)
    assert "alert(1)</script>" not in found
    assert facts(found) == {"study": name}
    assert "<title>&lt;/script&gt;" in found


@pytest.mark.slow
def test_no_canary_sings_in_it(tmp_path: Path) -> None:
    study = opened(tmp_path, RULES + ROLES_OF_CANARIES, COHORT)
    for of in (study, study.where("age > 40").assign(x="log(visits + 1)")):
        found = of.board().to_html()
        _, rows = rows_of(found)
        assert {*COHORT.column_names} - {"patient", "note"} <= {*rows}
        assert CANARIES.found(block(found, "facts")) == []
        assert CANARIES.found(block(found, "rows")) == []
        assert CANARIES.found(json.dumps([[*it] for it in rows.values()], default=float)) == []


@pytest.mark.slow
def test_a_part_holds_its_rows_and_its_new_columns(study: Study) -> None:
    part = study.where("age >= 50").assign(log_bmi="log(bmi)")
    found = part.board().to_html()
    told, (header, rows) = facts(found), rows_of(found)
    two = study.assign(**{"two words": "bmi * 2"}).board().to_html()
    assert facts(two)["python"] == "study.assign(**{'two words': 'bmi * 2'})"
    assert header["rows"] == told["rows"]["rows"] < len(study.session.whole)
    assert min(rows["age"]) >= 50
    assert np.allclose(rows["log_bmi"], np.log(rows["bmi"]))
    assert told["part"] == "where age >= 50; log_bmi is log(bmi)"
    assert told["python"] == "study.where('age >= 50').assign(log_bmi='log(bmi)')"
    assert "log_bmi" in {it["name"] for it in told["columns"]}


@pytest.mark.slow
def test_it_is_recorded_when_it_is_saved_and_not_before(tmp_path: Path) -> None:
    study = small(tmp_path)
    board = study.board()
    with pytest.raises(InputError, match="a board is saved as one of"):
        board.save(tmp_path / "board.pdf")
    with pytest.raises(RefusedError, match="save it as a file"):
        pickle.dumps(board)
    assert released(study) == []
    assert re.fullmatch(r"Board\(cohort.csv: 1\d\d rows, 6 columns\)", repr(board))
    path = board.save(tmp_path / "board.html")
    assert path.read_text(encoding="utf-8") == board.to_html()
    found = released(study)
    assert {*found} == {("rows", "html")}


@pytest.mark.slow
def test_what_may_not_be_released_is_not_written(tmp_path: Path) -> None:
    file, rules = written(tmp_path, ROLES, SMALL)
    study = dc.open(file, rules)
    board = study.board()
    board.to_html()
    rules.write_text(f"left_out = 0.3\n{ROLES}", encoding="utf-8")
    dc.open(file, rules).session.release_gate.new_version()
    with pytest.raises(LeavingError, match="version"):
        board.save(tmp_path / "board.html")
    assert not (tmp_path / "board.html").exists()


REFUSED = {
    "kept on the server": ('copy = "served"\n', "keeps the copy on a server"),
    "too many rows": ("copy_rows = 100\n", "larger than the policy lets a browser have"),
}


@pytest.mark.slow
@pytest.mark.parametrize(("rules", "says"), REFUSED.values(), ids=REFUSED)
def test_what_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, rules: str, says: str
) -> None:
    monkeypatch.setattr("discreet.explore.board.bundle", None)  # before rows are packed
    with pytest.raises(RefusedError, match=says):
        small(tmp_path, rules + ROLES).board()


@pytest.mark.slow
def test_a_board_of_more_bytes_than_values_is_refused_once_it_is_packed(tmp_path: Path) -> None:
    study = small(tmp_path)
    whole = study.session.whole
    least = len(whole) * len(whole.drawable)
    with pytest.raises(RefusedError, match="larger than the policy lets a browser have"):
        small(tmp_path, f"copy_bytes = {least}\n{ROLES}").board()


FRAME = pa.table(
    {
        "weight (kg)": [float(i) for i in range(60)],
        "visit": pa.array([i if i else None for i in range(60)], pa.date32()),
        "arm": ["a", "b", None] * 20,
        "code": [1, 2] * 30,
        "who": [f"person {i}" for i in range(60)],
        "gaps": [float("inf"), float("nan"), None] * 20,
    }
)


def test_of_a_frame_nothing_is_promised() -> None:
    board = dc.board(FRAME)
    found = board.to_html()
    told, (_, rows) = facts(found), rows_of(found)
    assert repr(board) == "Board(Table: 60 rows, 5 columns)"
    assert told["policy"] == {
        "promise": "discreet did not make this table, and promises nothing about it.",
        "drawn_from": "a table that discreet did not make",
    }
    assert told["copy"]["promises"] == told["policy"]["promise"]
    assert told["python"] is None
    assert rows["weight (kg)"].tolist() == [*map(float, range(60))]
    assert np.isnan(rows["visit"][0])
    assert rows["visit"][1:].tolist() == [*map(float, range(1, 60))]
    assert rows["arm"][:3] == ["a", "b", None]
    assert rows["code"][:3] == ["1", "2", "1"]
    assert np.isnan(rows["gaps"]).all()
    assert [(it["name"], it["unit"], it["dates"]) for it in told["columns"]] == [
        ("weight (kg)", "kg", False),
        ("visit", None, True),
        ("arm", None, False),
        ("code", None, False),
        ("gaps", None, False),
    ]


@pytest.mark.slow
def test_a_released_table_says_how_it_was_made_and_is_recorded(tmp_path: Path) -> None:
    study = small(tmp_path)
    release = study.anonymize(columns=["age", "sex"])
    board = dc.board(release, title="Two columns")
    assert released(study) == []
    told = facts(board.to_html())
    assert released(study) == [("table", "html")]
    assert board.columns == ("age", "sex")
    assert told["study"] == "Two columns"
    assert told["policy"] == {
        "k": 5,
        "m": 20,
        "promise": "A protected table, made by whole (k = 5, m = 20).",
        "drawn_from": "a protected table",
    }
    assert told["copy"]["promises"].startswith("One copy of the whole table")


def test_a_table_without_anything_to_draw_is_refused() -> None:
    with pytest.raises(InputError, match="no column that can be drawn"):
        dc.board(pa.table({"who": [f"person {i}" for i in range(60)]}))


def test_a_file_may_be_raw_and_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "cohort.csv"
    path.write_text("age,sex\n" + "41,f\n50,m\n" * 30)
    for given in (path, str(path)):
        with pytest.raises(InputError, match="a file may hold raw records"):
            dc.board(given)


def test_without_anywidget_it_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "anywidget", None)
    board = dc.board(pa.table({"age": [20.0 + i % 40 for i in range(90)]}))
    text = board._repr_mimebundle_()["text/plain"]
    assert text.startswith("Board(Table: 90 rows, 1 column)\n")
    assert "pip install 'discreet[jupyter]'" in text
