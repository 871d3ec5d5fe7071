"""Documents: how blocks are written as text and pages, and that all kinds ask before they leave."""

from __future__ import annotations

import copy
import json
import pickle
import re
from collections.abc import Callable, Mapping
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path
from types import MappingProxyType

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from discreet.document import Document, Documented, Listing, Words, bullets, underlined
from discreet.errors import InputError, LeavingError, RefusedError
from discreet.estimates.column_list import ColumnFacts, ColumnList
from discreet.estimates.copy_table import CopyTable, Line
from discreet.estimates.fidelity_report import Beside, ColumnFit, Fidelity, PairFit, SubsetFit
from discreet.estimates.figures import OF_INTERVAL, Figure
from discreet.measure.attack_report import AttackReport
from discreet.measure.attacks import Attack, counted_of
from discreet.measure.evaluate import Measured
from discreet.measure.frontier import Point, RiskUtilityMap, Setting
from discreet.measure.pairs import Estimate
from discreet.measure.report import Report
from discreet.measure.roundings_report import RoundingComparison, RoundingGrid, Trial

NASTY = "<b>name</b> & \"more\" of a column that is called by so very many words, '=1+1'"
SUCCESS = counted_of("right", 40, 100, 0.1)
ATTACK = Attack("linkage", NASTY, f"the story of {NASTY}", ("it is assumed",), SUCCESS)
FITS = tuple(ColumnFit(name, "number", 0.02, 0.06, 0.05) for name in (NASTY, "bmi"))
FIGURES_OF_MEANS = tuple(
    Figure("bmi", None, (("sex", level),), name, value)
    for level in ("f", NASTY)
    for name, value in zip(OF_INTERVAL, (20.0, 21.0, 22.0), strict=True)
)

KINDS: Mapping[str, Documented] = {
    "report": Report(
        NASTY,
        {"method": "microaggregation", "k": 5, "of": NASTY},
        Measured(columns=("age",), risks={"linkage": Estimate(NASTY, 15, 100, 0.01)}),
        notes=(NASTY,),
        attacks=AttackReport("within", {}, (ATTACK,)),
    ),
    "attacks": AttackReport(NASTY, {"of": NASTY}, (ATTACK,), {"other": "too few"}),
    "nearness": Fidelity(
        500, 0.02, FITS, (PairFit(NASTY, "bmi", 0.06, 0.05),), Beside(0.03, 0.02), None,
        (SubsetFit(30, 50, 0.1, 0.2, 0.1, 0.06, 0.05),),
    ),
    "map": RiskUtilityMap(
        (
            Point(Setting("deterministic", k=3), Estimate("linked", 40, 100, 0.01), 0.01),
            Point(Setting("deterministic", k=9), refused=NASTY),
        ),
        note=NASTY,
    ),
    "comparison": RoundingComparison(
        RoundingGrid(
            NASTY,
            (
                Trial("mdav", "k", k=20, c=5, rung=0, points={"x": 3}, values={"score": 2.5}),
                Trial("kmeans", "c", k=20, c=5, rung=0, refused=NASTY),
            ),
            ("x", NASTY),
            100,
        )
    ),
    "columns": ColumnList(
        NASTY,
        (
            ColumnFacts(NASTY, "level", None, ("f", NASTY), 0.1, counts=(3, 1), in_copy=True),
            ColumnFacts("id", "identifier", label=NASTY),
        ),
        (NASTY,),
    ),
    "table": CopyTable(
        "means", NASTY, ("sex", "sex"), ("mean",), (Line("age", NASTY, ("40.5",)),), (NASTY,),
        FIGURES_OF_MEANS,
    ),
}  # fmt: skip
COPIED_AS: Mapping[str, Callable[[Documented], object]] = MappingProxyType(
    {
        "json": lambda it: it.to_json(),
        "html": lambda it: it.to_html(),
        "pickle": pickle.dumps,
        "copy": copy.copy,
    }
)


@pytest.fixture(params=[*KINDS.values()], ids=[*KINDS])
def made(request: pytest.FixtureRequest) -> Documented:
    found: Documented = request.param
    return found


PAGES: dict[int, tuple[str, str]] = {}


def pages_of(made: Documented) -> tuple[str, str]:
    """Return its page, and what a notebook shows of it, drawn once for all tests."""
    if id(made) not in PAGES:
        PAGES[id(made)] = made.to_html(), made._repr_html_()
    return PAGES[id(made)]


class Page(HTMLParser):
    """Collects what a page is made of; fails where a tag does not close."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.words: list[str] = []
        self.open: list[str] = []
        self.feed(text)
        assert not self.open

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        if tag not in ("meta", "img", "br"):
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.words.append(data)

    @property
    def text(self) -> str:
        return " ".join(" ".join(self.words).split())


# --- what asks before it leaves -------------------------------------------------------------------


def test_a_closed_gate_lets_nothing_out(made: Documented, tmp_path: Path) -> None:
    def closed(form: str) -> None:
        raise LeavingError(f"it may not leave as {form}")

    gated = replace(made, gate=closed)
    assert str(gated)
    assert repr(gated)
    assert gated._repr_html_()
    for suffix in gated.forms():
        with pytest.raises(LeavingError, match="it may not leave"):
            gated.save(tmp_path / f"it{suffix}")
    for release in COPIED_AS.values():
        with pytest.raises((LeavingError, RefusedError), match=r"may not leave|cannot be pickled"):
            release(gated)
    assert not [*tmp_path.iterdir()]


def test_the_gate_is_asked_once_for_each_file_and_is_not_in_it(
    made: Documented, tmp_path: Path
) -> None:
    asked: list[str] = []
    gated = replace(made, gate=asked.append)
    place = [*KINDS.values()].index(made)
    for number, suffix in enumerate(gated.forms()):
        file = gated.save(tmp_path / f"it{suffix.upper()}")
        if (number + place) % 4 == 0:
            assert file.read_bytes() == made.save(tmp_path / f"open{suffix}").read_bytes()
    assert asked == [it[1:].replace("tex", "latex") for it in gated.forms()]
    if not isinstance(made, ColumnList):
        assert pickle.loads(pickle.dumps(made)).to_json() == made.to_json()


def test_where_it_cannot_be_written_is_said_and_nothing_asked(
    made: Documented, tmp_path: Path
) -> None:
    asked: list[str] = []
    (tmp_path / "folder.html").mkdir()
    gated = replace(made, gate=asked.append)
    for name, why in (
        ("it.docx", f"{made.what} is saved as one of '.html', '.json', '.txt'"),
        ("no/it.html", "there is no folder"),
        ("folder.html", "is a folder; name a file"),
    ):
        with pytest.raises(InputError, match=why):
            gated.save(tmp_path / name)
    assert not asked


# --- what all forms say ---------------------------------------------------------------------------


def test_a_page_needs_no_script_and_no_other_file_and_names_are_no_markup(made: Documented) -> None:
    whole, shown = pages_of(made)
    for text in (whole, shown):
        page = Page(text)
        assert not {"b", "script", "link", "iframe", "form"} & {tag for tag, _ in page.tags}
        assert "://" not in text
        assert not re.search(r"\son\w+=|@import|url\(", text)
        for tag, attrs in page.tags:
            if tag == "img":
                assert (attrs["src"] or "").startswith("data:image/svg+xml;base64,")
                assert len(attrs["alt"] or "") > 10
        tags = [tag for tag, _ in page.tags]
        assert tags.count("table") == tags.count("caption") == tags.count("thead")
    assert whole.startswith("<!DOCTYPE html>")
    assert not {"html", "body"} & {tag for tag, _ in Page(shown).tags}


def test_the_page_says_what_the_text_says(made: Documented) -> None:
    page = Page(pages_of(made)[0]).text
    for block in made.document().blocks:
        if isinstance(block, Words):
            for sentence in (block.title, *block.sentences):
                assert " ".join(sentence.split()) in page
        elif isinstance(block, Listing):
            assert all(" ".join(cell.split()) in page for row in block.rows for cell in row)


def test_text_is_as_wide_as_a_terminal(made: Documented) -> None:
    lines = made.to_text().splitlines()
    assert max(map(cell_len, lines)) <= 88
    assert all(line == line.rstrip() for line in lines)
    assert str(made) == made.to_text()


def test_no_letter_of_a_name_can_move_the_cursor() -> None:
    bad = "a\x1b[31m\tb\nc"
    blocks = (Words(bad, (bad,), ""), Words("", (bad,)), Listing(bad, (bad, bad), ((bad, bad),)))
    text = Document(bad, blocks).to_text()
    assert not {"\x1b", "\t"} & {*text}
    assert "a [31m b c" in text


def test_json_has_no_number_that_is_none_and_is_always_the_same(made: Documented) -> None:
    plain = json.loads(made.to_json(), parse_constant=pytest.fail)
    assert plain["discreet"] == 1
    assert plain["kind"]
    assert made.to_json() == made.to_json()


# --- text of 88 columns ---------------------------------------------------------------------------


def test_titles_stand_over_a_rule_as_wide_as_their_widest_line() -> None:
    assert underlined("Risks") == ["Risks", "-----"]
    assert underlined("名前", "=") == ["名前", "===="]
    *lines, rule = underlined("word " * 30)
    assert len(lines) == 2
    assert len(rule) == max(map(len, lines)) <= 88


def test_sentences_hang_below_their_dash_on_one_line_each() -> None:
    first, second, third = bullets(["word " * 20, "sh\x1bort\n"])
    assert first.startswith("- word")
    assert second.startswith("  word")
    assert third == "- sh ort"


def test_words_stand_left_and_numbers_right() -> None:
    listing = Listing("", ("method", "share"), (("mdav", "1.5"), ("vmdav", "10.25")))
    assert listing.text() == ["method  share", "mdav      1.5", "vmdav   10.25"]


def test_words_too_long_for_a_line_are_wrapped_and_numbers_are_not() -> None:
    lines = Listing("", ("why", "n"), (("word " * 40, "1234567"),)).text()
    assert len(lines) > 2
    assert max(map(len, lines)) <= 88
    assert lines[-1].endswith("1234567")
    assert not any("1234567" in line for line in lines[:-1])


def test_a_table_of_no_rows_is_left_out() -> None:
    found = Document("Title", (Listing("none", ("a",), ()), Words("Notes", ("one",))))
    assert found.to_text() == "Title\n=====\n\nNotes\n-----\n- one"
    assert "none" not in "".join(found.html())


CELLS = st.text("ab <&1名\u0301", max_size=60)


@given(st.integers(2, 12).flatmap(lambda n: st.lists(st.tuples(*[CELLS] * n), min_size=1)))
def test_every_table_has_all_its_cells_within_the_screen(rows: list[tuple[str, ...]]) -> None:
    words = (0, len(rows[0]) - 1)
    rows = [tuple(it if j in words else it[:30] for j, it in enumerate(row)) for row in rows]
    head = tuple(f"column {j}" for j in range(len(rows[0])))
    text = "\n".join(Listing("A title", head, tuple(rows), words).text())

    def letters(of: str) -> str:
        return "".join(sorted(of.replace("column", "").replace("title", "")))

    assert all(letters(it.strip()) for it in text.splitlines() if it.strip("- "))
    for j, name in enumerate(head):
        assert name.split()[1] in text, j
    for letter in "<&名":
        found = text.count(letter)
        names = sum(row[0].count(letter) for row in rows)
        cells = sum(it.count(letter) for row in rows for it in row[1:])
        assert found >= names + cells  # names stand again beside the columns that go on below
