"""Reports: their text, tables, plots, JSON and page."""

import copy
import json
import pickle
import re
from collections.abc import Callable
from dataclasses import replace
from html.parser import HTMLParser
from itertools import pairwise
from pathlib import Path
from types import MappingProxyType
from typing import Any

import numpy as np
import pytest

from discreet.errors import InputError, LeavingError
from discreet.measure.evaluate import Measured, Scores
from discreet.measure.models import Coefficients
from discreet.measure.pairs import Estimate
from discreet.measure.report import (
    SCHEMA,
    Listing,
    Report,
    bullets,
    columns,
    grid_plot,
    headed,
    histogram_plot,
    listings,
    model_plot,
    scores_plot,
    told,
)
from discreet.measure.rmd import RmdGrid
from discreet.measure.utility import Preservation
from discreet.render.scene import Bars, Box, Boxes, Intervals, Lines
from discreet.render.to_matplotlib import draw

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
PICTURE = histogram_plot("age", (0.0, 10.0, 20.0), (5, None), (6, 5))


def report(**changes: Any) -> Report:
    given: dict[str, Any] = {"plots": (PICTURE,), "notes": ("A <note> & more.",)}
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


# --- The tables of a report: every number that is known, none that is not -----------------------


SHARE = Estimate("risky", 5, 100, 0.01)
KEPT = Preservation(
    means=MappingProxyType({"age": 0.05}),
    spreads=MappingProxyType({"age": 0.95}),
    quantiles=MappingProxyType({"age": (0.1, 0.0, 0.0, -0.0, -0.25)}),
    correlations=MappingProxyType({("age", "pay"): -0.1}),
    levels=MappingProxyType({"sex": 0.0}),
)
TOLD_MODEL = Coefficients(
    "y ~ x", "linear", ("Intercept", "x"), np.array([1.0, 2.0]), np.array([0.5, 0.2]), 9.0,
    np.array([1.0, 2.1]), np.array([0.5, 0.2]), 9.0,
)  # fmt: skip
FULL = Measured(
    columns=("age", "pay"),
    levels=("sex",),
    risks={"near_1": SHARE, "linkage": Estimate("linked", 17.5, 100, None)},
    strata=("sex",),
    sensitive="ill",
    k=4,
    l=2,
    t=0.25,
    displacement={"age": 0.0114},
    u=1e-33,
    ratio=0.5,
    preservation=KEPT,
    model=TOLD_MODEL,
    grid=RmdGrid((0.01,), (0.05, 0.5), (SHARE,), ((SHARE, SHARE),), ()),
    left_out=5,
)


def rows_of(found: Measured, title: str, **made: Any) -> list[tuple[str, ...]]:
    (listing,) = [one for one in listings(found, made) if one.title.startswith(title)]
    assert all(len(row) == len(listing.head) for row in listing.rows)
    return list(listing.rows)


def test_of_nothing_there_are_no_tables() -> None:
    assert listings(Measured(columns=(), risks={}), {}) == []


def test_what_was_done_is_told_in_its_order() -> None:
    rows = rows_of(FULL, "What was done", method="deterministic", missing={"age": "median"}, q=None)
    assert rows == [("method", "deterministic"), ("missing", "age: median"), ("q", "-")]


def test_risks_stand_in_their_order_with_interval_count_and_guessing() -> None:
    assert rows_of(FULL, "Risks") == [
        ("linked", "17.5 %", "11.3 to 26.1 %", "17.5 of 100", "-"),
        ("risky", "5.0 %", "2.2 to 11.2 %", "5 of 100", "1.0 %"),
    ]


@pytest.mark.parametrize(
    ("to", "title"), [(None, "Risks"), (1, "Risks"), (5, "Risks, of counts rounded to")]
)
def test_rounded_risks_say_so(to: int | None, title: str) -> None:
    found = Measured(columns=("x",), risks={"linkage": SHARE}, rounded_to=to)
    assert listings(found, {})[0].title.startswith(title)


def test_strata_columns_and_summaries() -> None:
    assert [row[1] for row in rows_of(FULL, "Strata of the released table (sex)")] == [
        "4", "2", "0.25",
    ]  # fmt: skip
    assert rows_of(FULL, "Columns") == [("age", "0.0114", "0.05", "0.95")]
    assert rows_of(FULL, "Quantiles") == [("age", "0.1", "0", "0", "0", "-0.25")]
    assert rows_of(FULL, "Correlations") == [("age, pay", "-0.1")]
    assert rows_of(FULL, "Shares of levels") == [("sex", "0")]


def test_what_is_rounding_alone_is_told_as_nothing() -> None:
    assert [row[1] for row in rows_of(FULL, "The whole table")] == ["0", "0.5", "5"]


def test_the_grid_has_a_row_for_each_width() -> None:
    assert rows_of(FULL, "Robust") == [("0.01", "5.0 %", "5.0 %", "5.0 %")]


def test_coefficients_side_by_side() -> None:
    rows = rows_of(FULL, "Regression y ~ x")
    assert [row[:6] for row in rows] == [
        ("Intercept", "1", "0.5", "1", "0.5", "0.00"),
        ("x", "2", "0.2", "2.1", "0.2", "0.50"),
    ]
    assert rows[0][6] == "1.00"


@pytest.mark.parametrize(
    ("value", "words"),
    [
        (None, "-"), (False, "no"), (12345, "12345"), (0.25, "0.25"), (1e-20, "0"), ((), "-"),
        ({}, "-"), (["a", 2], "a, 2"), ({"a": ("b", "c")}, "a: b, c"), ("text", "text"),
    ],
)  # fmt: skip
def test_values_are_written_shortly(value: Any, words: str) -> None:
    assert told(value) == words


# --- Titles, lists and tables as text: within 88 columns, words wrapped and numbers in full -----


def test_a_title_stands_over_a_rule_as_wide() -> None:
    assert headed("Risks") == ["Risks", "-----"]
    assert headed("Risks", "=") == ["Risks", "====="]


def test_a_long_title_is_wrapped_over_a_rule_as_wide_as_its_widest_line() -> None:
    *lines, rule = headed("word " * 30)

    assert len(lines) == 2
    assert len(rule) == max(map(len, lines)) <= 88


def test_sentences_hang_below_their_dash() -> None:
    first, second, third = bullets(["word " * 20, "short"])

    assert first.startswith("- word")
    assert second.startswith("  word")
    assert third == "- short"


def test_words_stand_left_and_numbers_right() -> None:
    listing = Listing("t", ("method", "share"), (("mdav", "1.5"), ("vmdav", "10.25")), words=(0,))

    assert columns(listing) == ["method  share", "mdav      1.5", "vmdav   10.25"]


def test_words_too_long_for_a_line_are_wrapped_and_numbers_are_not() -> None:
    listing = Listing("t", ("why", "n"), (("word " * 40, "1234567"),), words=(0,))

    lines = columns(listing)

    assert len(lines) > 2
    assert max(map(len, lines)) <= 88
    assert lines[1].endswith("1234567")


# --- The plots of a report hold the numbers they were given, and words beside them -----------


SCORES = Scores((0.1, 0.4, 0.5, 0.6, 0.9), (0.2, 0.45, 0.51, 0.6, 0.8), 5)
DRAWN_MODEL = Coefficients(
    "y ~ x", "logistic", ("Intercept", "x"), np.array([1.0, -2.0]), np.array([0.5, 0.2]), np.inf,
    np.array([1.5, -2.1]), np.array([0.4, 0.3]), np.inf,
)  # fmt: skip


def share(count: int) -> Estimate:
    return Estimate("risky", count, 100)


GRID = RmdGrid(
    (0.01, 0.1), (0.05, 0.5, 1.0), (share(2), share(30)),
    ((share(2), share(1), share(0)), (share(20), share(9), share(1))), (),
)  # fmt: skip


def test_scores_are_boxes_side_by_side() -> None:
    shown = scores_plot(SCORES)
    (mark,) = shown.scene.panels[0].marks
    assert mark == Boxes((Box("original", *SCORES.original), Box("released", *SCORES.released)))
    assert "the mean of 5 rows' scores" in shown.scene.notes[0]
    assert "original 0.5 and released 0.51" in shown.words


def test_single_rows_scores_are_not_said_to_be_means() -> None:
    assert "mean" not in scores_plot(SCORES._replace(k=None)).scene.notes[0]


def test_coefficients_are_in_original_standard_errors() -> None:
    shown = model_plot(DRAWN_MODEL)
    (panel,) = shown.scene.panels
    (mark,) = [mark for mark in panel.marks if isinstance(mark, Intervals)]
    assert mark.series == ("original", "released")
    # 1 / 0.5 = 2 and -2 / 0.2 = -10, half an interval 1.96 either way; 1.5 / 0.5 = 3 with
    # 1.96 * 0.4 / 0.5, and -2.1 / 0.2 = -10.5 with 1.96 * 0.3 / 0.2
    expected: list[list[tuple[float, float, float]]] = [
        [(2 - 1.96, 2, 2 + 1.96), (-10 - 1.96, -10, -10 + 1.96)],
        [(3 - 1.568, 3, 3 + 1.568), (-10.5 - 2.94, -10.5, -10.5 + 2.94)],
    ]
    assert np.allclose(np.array(mark.ends), np.array(expected), atol=1e-4)
    assert panel.y.ticks == ("Intercept", "x")
    assert panel.y.limits == (1.6, -0.6)
    assert "standard error in the original" in shown.scene.notes[1]
    assert "none of them is more than one standard error apart" in shown.words


def test_terms_that_moved_far_are_named() -> None:
    moved = Coefficients(**{**vars(DRAWN_MODEL), "released": np.array([1.6, -2.1])})
    assert "more than one standard error apart: Intercept." in model_plot(moved).words


def test_an_interval_that_is_not_known_is_left_out() -> None:
    unknown = Coefficients(**{**vars(DRAWN_MODEL), "released_se": np.array([np.nan, 0.3])})
    mark = model_plot(unknown).scene.panels[0].marks[0]
    assert isinstance(mark, Intervals)
    assert mark.ends[1][0] is None
    assert mark.ends[1][1] is not None


def test_the_grid_is_two_panels() -> None:
    shown = grid_plot(GRID)
    left, right = shown.scene.panels
    assert left.marks == (Lines(((0.01, 0.1),), ((2.0, 30.0),), "trend"),)
    (mark,) = right.marks
    assert isinstance(mark, Lines)
    assert mark.x == ((0.05, 0.5, 1.0),) * 2
    assert mark.y == ((2.0, 1.0, 0.0), (20.0, 9.0, 1.0))
    assert (mark.look, mark.label, mark.levels) == ("level", "w1", (0.01, 0.1))
    assert "from 2.0 % at the narrowest to 30.0 % at the widest" in shown.words


class TestHistograms:
    EDGES = (0.0, 10.0, 20.0, 30.0, 40.0)

    def test_bars_are_the_original_and_the_line_the_released(self) -> None:
        shown = histogram_plot("age", self.EDGES, (5, None, 7, 9), (6, 5, None, 8))
        bars, line = shown.scene.panels[0].marks
        assert bars == Bars(self.EDGES, (5, None, 7, 9))
        assert isinstance(line, Lines)
        assert line.x == ((0.0, 10.0, 10.0, 20.0), (30.0, 40.0))
        assert line.y == ((6, 6, 5, 5), (8, 8))
        assert shown.scene.notes == (
            "bars: original; line: released",
            "hatched below the axis: nobody, or too few to show",
        )

    def test_without_gaps_none_is_explained(self) -> None:
        shown = histogram_plot("age", self.EDGES, (5, 6, 7, 9), (6, 5, 5, 8))
        assert len(shown.scene.notes) == 1

    @pytest.mark.parametrize("counts", [((1, 2), (1, 2, 3, 4)), ((1, 2, 3), (1, 2, 3))])
    def test_bins_must_fit(self, counts: Any) -> None:
        with pytest.raises(InputError, match="one bin fewer than there are edges"):
            histogram_plot("age", self.EDGES, *counts)

    def test_hidden_bins_alone_can_be_drawn(self) -> None:
        shown = histogram_plot("age", self.EDGES, (None,) * 4, (None,) * 4)
        draw(shown.scene).draw_without_rendering()


def test_what_was_measured_is_drawn_and_nothing_else() -> None:
    bare = Report("bare", {}, Measured(columns=("x",), risks={}))
    every = replace(bare.measured, scores=SCORES, model=DRAWN_MODEL, grid=GRID)
    assert json.loads(bare.to_json())["pictures"] == []
    words = json.loads(replace(bare, measured=every).to_json())["pictures"]
    drawn = (scores_plot(SCORES), model_plot(DRAWN_MODEL), grid_plot(GRID))
    assert words == [shown.words for shown in drawn]
    for shown in drawn:
        draw(shown.scene).draw_without_rendering()
