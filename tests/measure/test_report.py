"""A report says the same as text, JSON and page, and asks before it leaves."""

import copy
import json
import pickle
import re
from collections.abc import Callable
from html.parser import HTMLParser
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from discreet.errors import InputError, LeavingError
from discreet.measure.coefficients import Coefficients
from discreet.measure.estimate import Estimate
from discreet.measure.evaluate import Measured, Scores
from discreet.measure.report import SCHEMA, Report, histogram_picture

MODEL = Coefficients(
    "y ~ x", "linear", ("Intercept", "a term of a name that is very long indeed"),
    np.array([1.0, 2.0]), np.array([0.5, 0.2]), 9.0,
    np.array([1.0, 2.1]), np.array([0.5, 0.2]), 9.0,
)  # fmt: skip
FOUND = Measured(
    columns=("age",),
    risks={"linkage": Estimate("linked", 15, 100, 0.01), "rmd1": Estimate("r " * 60, 5, 100)},
    strata=("sex",),
    k=5,
    displacement={"age": 0.0114},
    u=0.0001,
    scores=Scores((0.1, 0.4, 0.5, 0.6, 0.9), (0.2, 0.4, 0.5, 0.6, 0.8), 5),
    model=MODEL,
    not_measured={"rmd2": "there is no <such> thing"},
    rounded_to=5,
)
MADE = {
    "method": "microaggregation",
    "k": 5,
    "strata": ("sex",),
    "missing": {"age": "median"},
    "policy": "standard",
    "share": np.float64(0.5),
    "rows": np.int64(100),
    "odd": float("nan"),
}
PICTURE = histogram_picture("age", (0.0, 10.0, 20.0), (5, None), (6, 5))


def report(**changes: Any) -> Report:
    given: dict[str, Any] = {"pictures": (PICTURE,), "notes": ("A <note> & more.",)}
    return Report("Cohort & <friends>", MADE, FOUND, **{**given, **changes})


def closed(form: str) -> None:
    raise LeavingError(f"it may not leave as {form}")


class Page(HTMLParser):
    def __init__(self, text: str) -> None:
        super().__init__()
        self.found: list[tuple[str, dict[str, str | None]]] = []
        self.words: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, dict(attrs)))

    def handle_data(self, data: str) -> None:
        self.words.append(data)


class TestText:
    def test_it_begins_with_the_summary_and_ends_with_claims_and_notes(self) -> None:
        lines = report().to_text().splitlines()
        heads = [above for above, line in pairwise(lines) if set(line) == {"-"}]
        assert lines[0] == "Cohort & <friends>"
        assert heads[:2] == ["How it was made", "What somebody could learn about a person"]
        assert heads[-2:] == ["What must not be claimed", "Notes"]
        assert heads.index("What was done") > heads.index("What the table cannot be used for")

    def test_it_fits_a_terminal(self) -> None:
        assert max(map(len, report().to_text().splitlines())) <= 88

    def test_wrapped_cells_keep_their_columns(self) -> None:
        lines = report().to_text().splitlines()
        wrapped = [line for line in lines if line.startswith("r r r")]
        assert len(wrapped) > 1
        assert wrapped[0].endswith("5 of 100         -")
        assert all(set(line) == {"r", " "} for line in wrapped[1:])

    def test_long_titles_are_wrapped(self) -> None:
        lines = Report("word " * 40, MADE, FOUND).to_text().splitlines()
        assert max(map(len, lines)) <= 88

    def test_it_is_what_str_gives(self) -> None:
        assert str(report()) == report().to_text()


class TestJson:
    def test_keys_are_stable_and_no_number_is_none(self) -> None:
        told = json.loads(report().to_json(), parse_constant=pytest.fail)
        assert list(told) == [
            "discreet", "kind", "title", "made", "summary", "measured", "pictures",
            "claims_not_to_make", "notes",
        ]  # fmt: skip
        assert (told["discreet"], told["kind"]) == (SCHEMA, "report")
        assert told["made"]["odd"] is None
        assert told["made"]["rows"] == 100
        assert told["made"]["strata"] == ["sex"]
        assert told["measured"]["risks"]["linkage"]["estimate"] == 0.15
        assert len(told["pictures"]) == 3

    def test_the_same_report_is_the_same_text(self) -> None:
        assert report().to_json() == report().to_json()
        assert report().to_html() == report().to_html()


class TestPage:
    def test_it_is_one_page_without_script_or_request(self) -> None:
        text = report().to_html()
        page = Page(text)
        tags = [tag for tag, _ in page.found]
        assert not {"script", "link", "iframe", "form"} & set(tags)
        assert "://" not in text
        ids = [attrs["id"] for _, attrs in page.found if "id" in attrs]
        assert len(ids) == len(set(ids))
        for tag, attrs in page.found:
            if tag == "img":
                assert (attrs["src"] or "").startswith("data:image/svg+xml;base64,")
                assert attrs["alt"]
            if tag == "a":
                assert (attrs["href"] or "").removeprefix("#") in ids

    def test_what_was_given_is_text(self) -> None:
        words = " ".join(Page(report().to_html()).words)
        for given in ("Cohort & <friends>", "A <note> & more.", "there is no <such> thing"):
            assert given in words

    def test_every_table_has_a_head_and_a_caption(self) -> None:
        tags = [tag for tag, _ in Page(report().to_html()).found]
        assert tags.count("table") == tags.count("caption") == tags.count("thead") > 4

    def test_it_says_what_the_text_says(self) -> None:
        words = re.sub(r"\s+", " ", " ".join(Page(report().to_html()).words))
        for section in json.loads(report().to_json())["summary"]:
            assert section["heading"] in words
            for sentence in section["sentences"]:
                assert sentence in words

    def test_claims_can_be_given(self) -> None:
        words = " ".join(Page(report(claims=("that it is free",)).to_html()).words)
        assert "that it is free" in words
        assert "differential privacy" not in words

    def test_a_notebook_shows_the_same_without_a_page_around_it(self) -> None:
        shown = report(gate=closed)._repr_html_()
        assert shown.startswith("<style>")
        assert "<html" not in shown
        assert "<body" not in shown


class TestLeaving:
    @pytest.mark.parametrize(
        "leave",
        [
            lambda given, folder: given.to_json(),
            lambda given, folder: given.to_html(),
            lambda given, folder: given.save(folder / "r.html"),
            lambda given, folder: given.save(folder / "r.json"),
            lambda given, folder: given.save(folder / "r.txt"),
            lambda given, folder: pickle.dumps(given),
            lambda given, folder: copy.copy(given),
        ],
    )
    def test_a_closed_gate_lets_nothing_out(
        self, leave: Callable[[Report, Path], object], tmp_path: Path
    ) -> None:
        with pytest.raises(LeavingError, match="it may not leave"):
            leave(report(gate=closed), tmp_path)
        assert not list(tmp_path.iterdir())

    def test_looking_is_free(self) -> None:
        given = report(gate=closed)
        assert str(given)
        assert repr(given) == "Report(Cohort & <friends>: microaggregation, k = 5)"
        assert given._repr_html_()

    def test_the_gate_is_asked_once_for_each_form(self, tmp_path: Path) -> None:
        asked: list[str] = []
        given = report(gate=asked.append)
        given.to_json()
        given.to_html()
        for suffix in ("html", "json", "txt"):
            given.save(tmp_path / f"r.{suffix}")
        assert asked == ["json", "html", "html", "json", "txt"]

    def test_the_gate_is_never_written(self) -> None:
        given = report(gate=lambda form: None)
        again = pickle.loads(pickle.dumps(given))
        assert again.gate is None
        assert again.to_json() == given.to_json()
        assert "gate" not in given.to_json()

    def test_a_file_holds_what_was_told(self, tmp_path: Path) -> None:
        given = report()
        assert given.save(tmp_path / "r.json").read_text("utf-8") == given.to_json()
        assert given.save(tmp_path / "r.html").read_text("utf-8") == given.to_html()
        assert given.save(str(tmp_path / "r.TXT")).read_text("utf-8") == given.to_text()

    @pytest.mark.parametrize(
        ("name", "words"),
        [
            ("r.pdf", "'.html', '.json', '.txt'"),
            ("no/r.html", "there is no folder"),
            ("folder.html", "is a folder; name a file"),
        ],
    )
    def test_where_it_cannot_be_written_is_told(
        self, name: str, words: str, tmp_path: Path
    ) -> None:
        (tmp_path / "folder.html").mkdir()
        with pytest.raises(InputError, match=words):
            report().save(tmp_path / name)


def test_the_file_that_was_saved_is_named_with_its_checksum() -> None:
    saved = report().saved_as("released.csv", "ab" * 32)
    assert saved.made["file"] == "released.csv"
    assert saved.made["sha256"] == "ab" * 32
    assert "ab" * 32 in saved.to_html()
    assert "file" not in report().made


def test_a_report_of_nothing_but_a_title() -> None:
    bare = Report("bare", {}, Measured(columns=(), risks={}))
    assert repr(bare) == "Report(bare)"
    assert "What must not be claimed" in bare.to_text()
    assert json.loads(bare.to_json())["measured"]["risks"] == {}
    assert bare.to_html()
