"""A second session at the board: fifteen steps from what is suggested to the custodian's answer."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

import pytest
from playwright.sync_api import expect

from tests.serve.cohort import studies_of
from tests.serve.conftest import running
from tests.serve.looking import SIZES, keep_screen, looking, violations, widest
from tests.serve.test_board_page import CARDS, RULES, drawn, opened_page
from tests.serve.test_board_session import followed

if TYPE_CHECKING:
    from pathlib import Path

    from playwright.sync_api import Browser, Locator, Page

pytestmark = pytest.mark.slow

HAS_FOCUS = "(it) => it === document.activeElement"
NARROW = 821
"""Below so many pixels the columns are a sheet, which takes a press to open."""


@dataclass
class Visitor:
    """Somebody at a page, with a mouse or with the keyboard alone, whose presses are counted."""

    page: Page
    width: int
    keys: bool
    presses: int = 0

    def press(self, it: Locator, *, shift: bool = False) -> None:
        self.presses += 1
        if not self.keys:
            it.click(modifiers=["Shift"] if shift else [])
            return
        self.reach(it)
        key = "Space" if it.get_attribute("type") == "checkbox" else "Enter"
        self.page.keyboard.press(f"Shift+{key}" if shift else key)

    def reach(self, it: Locator) -> None:
        """Go on with Tab until something has the focus."""
        it.wait_for()
        for _ in range(250):
            if it.evaluate(HAS_FOCUS):
                return
            self.page.keyboard.press("Tab")
        pytest.fail(f"Tab does not come to {it}")

    def button(self, name: str, within: str = "body", **how: Any) -> None:
        self.press(self.page.locator(within).get_by_role("button", name=name, **how).last)

    @contextmanager
    def at_most(self, presses: int) -> Iterator[None]:
        """Count what is pressed meanwhile; of columns in a sheet, but for opening it."""
        self.presses = 0
        yield
        assert self.presses <= presses

    def pick(self, *columns: str, last: str = "") -> None:
        """Choose columns; with `last`, all from the last of them to this one."""
        if self.width < NARROW:
            self.press(self.page.locator(".opens"))
            self.presses -= 1
        for name in columns:
            self.press(self.page.locator(f'.col[data-column="{name}"]'))
        if last:
            self.press(self.page.locator(f'.col[data-column="{last}"]'), shift=True)

    def make(self, kind: str) -> Locator:
        """Draw the columns that are chosen, and return the card."""
        many = self.page.locator(CARDS).count() if "cards=" in self.page.url else 0
        offered = self.page.locator(".dock").get_by_role("button", name=re.compile(rf"^{kind}\b"))
        self.press(offered.first)
        expect(self.page.locator(CARDS)).to_have_count(many + 1)
        card = self.page.locator(CARDS).last
        drawn(card)
        return card

    def menu(self, card: Locator, name: str) -> None:
        self.press(card.locator("[data-act=menu]"))
        self.button(name, "#pop", exact=True)

    def write(self, label: str, text: str) -> None:
        field = self.page.get_by_label(label, exact=True)
        if self.keys:
            self.reach(field)
        else:
            field.click()
        self.page.keyboard.type(text)

    def see(self, name: str) -> None:
        """Check a state as it is seen, in light and dark."""
        schemes: tuple[tuple[Literal["light", "dark"], str], ...]
        schemes = (("light", "all"), ("dark", "color-contrast"))  # as nothing else is
        for scheme, rules in schemes:
            self.page.emulate_media(color_scheme=scheme)
            assert violations(self.page, rules) == [], (name, scheme)
            keep_screen(self.page, f"shown-{name}-{self.width}-{scheme}")
        assert widest(self.page) <= self.width, name


@pytest.mark.parametrize(("width", "keys"), [(390, False), (1280, True)])
def test_fifteen_steps_to_an_answer(
    chromium: Browser, tmp_path: Path, width: int, *, keys: bool
) -> None:
    how: dict[str, Any] = {"viewport": {"width": width, "height": SIZES[width]}}
    how["reduced_motion"] = "reduce"
    with running(studies_of(tmp_path, RULES, followed()), tmp_path) as study:
        with looking(chromium, study, token=study.token, **how) as page:
            visitor = Visitor(page, width, keys)
            looks_around(visitor)  # 1 to 5
            models_and_axes(visitor)  # 6 to 8
            words_and_name(visitor)  # 9 to 11
            saves_and_asks(visitor)  # 12, 13
        with looking(chromium, study, "/custodian", token=study.custodian, **how) as page:
            decides(Visitor(page, width, keys))  # 14
        with looking(chromium, study, token=study.token, **how) as page:
            reads_what_was_decided(Visitor(page, width, keys))  # 15


def looks_around(visitor: Visitor) -> None:
    """A suggestion, two numbers, bars that are brushed, a filter off and on, one sex alone."""
    page = visitor.page
    opened_page(page)
    page.locator(".first svg").first.wait_for()
    visitor.see("first")
    visitor.press(page.locator(".first:has(.pic svg) .pick").first)  # 1
    drawn(page.locator(CARDS))
    with visitor.at_most(3):
        visitor.pick("smoker")
        card = visitor.make("Survival.* by smoker")
    expect(card.locator(".key")).to_have_count(2)
    for keys, name in (("Control+k", "palette"), ("Shift+?", "keys")):
        page.keyboard.press(keys)
        visitor.see(name)
        page.keyboard.press("Escape")
        page.keyboard.press("Escape")
    with visitor.at_most(3):
        visitor.pick("age", "bmi")  # 2
        visitor.make("Scatter plot")
    visitor.pick("diagnosis", "sex")
    card = visitor.make("Bar chart")
    visitor.see("cards")
    said, chips = page.locator(".bhead .say"), page.locator(".where .chip")
    brushed(visitor, card.locator(".pic"))  # 3
    held = page.locator(".dock .held")
    expect(held).to_have_text(re.compile(r"diagnosis: .* or .* · [\d,]+ rows"))
    visitor.see("brushed")
    page.keyboard.press("Enter")
    expect(said).to_have_text(re.compile(r"^\d+ of \d+ rows$"))
    visitor.press(chips.locator("input"))  # 4
    expect(said).to_have_text(re.compile(r"^All \d+ rows$"))
    visitor.see("switched-off")
    visitor.press(chips.locator("input"))
    expect(said).to_have_text(re.compile(r"^\d+ of \d+ rows$"))
    with visitor.at_most(1):
        visitor.press(page.locator(CARDS).last.locator(".key", has_text=re.compile("^1")))  # 5
    expect(chips).to_have_text([re.compile("^diagnosis"), "sex = 1"])
    drawn(page.locator(CARDS).last)
    visitor.see("one-sex")
    for left in (1, 0):
        visitor.press(page.get_by_role("button", name="Remove the filter").first)
        expect(chips).to_have_count(left)


def brushed(visitor: Visitor, pic: Locator) -> None:
    """Choose the bars in the middle of a bar chart."""
    page = visitor.page
    if visitor.keys:
        visitor.reach(pic.locator("svg"))
        for key in ("ArrowRight", *["Shift+ArrowDown"] * 2):
            page.keyboard.press(key)
        return
    pic.scroll_into_view_if_needed()
    box = pic.locator("svg").bounding_box()
    assert box is not None
    page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] * 0.55)
    page.mouse.down()
    page.mouse.move(box["x"] + box["width"] * 0.9, box["y"] + box["height"] * 0.9, steps=4)
    page.mouse.up()


def models_and_axes(visitor: Visitor) -> None:
    """A logistic model, and parallel axes of ten columns."""
    page = visitor.page
    with visitor.at_most(5):
        visitor.pick("died", "age", "smoker")  # 6
        visitor.button("Model…", ".dock")
        visitor.see("model-form")
        visitor.button("Fit the model")
    card = page.locator(f"{CARDS}:has(.pic-model)")
    drawn(card)
    expect(card.locator("h2")).to_have_text("Logistic model: died ~ age + smoker")
    visitor.see("model")
    with visitor.at_most(6):
        visitor.pick("age", last="glucose")  # 7
        expect(page.locator(".dock .chip")).to_have_count(10)
        visitor.see("ten-columns")
        card = visitor.make("Parallel")
    assert card.locator(".grip").count() == 10
    visitor.see("ten-axes")
    visitor.press(card.locator("[data-act=about]"))  # 8
    page.get_by_role("heading", name="What it promises", exact=True).wait_for()
    visitor.see("explained")
    page.keyboard.press("Escape")


def words_and_name(visitor: Visitor) -> None:
    """A title with a note, a card of text, a named board, which is presented."""
    page, cards = visitor.page, visitor.page.locator(CARDS)
    visitor.menu(cards.nth(2), "Title and note…")  # 9
    visitor.write("Title", "Weight over the years")
    visitor.write("Note", "Of those who came to the first visit.")
    visitor.see("words-form")
    visitor.button("Write it")
    expect(cards.nth(2).locator("h2")).to_have_text("Weight over the years")
    visitor.button("+ Text")  # 10
    visitor.write("Text", "What we saw, and what we did not.")
    visitor.button("Write it")
    expect(cards.last.locator(".note")).to_have_text("What we saw, and what we did not.")
    visitor.see("with-words")
    visitor.button("Boards: name, keep, open")  # 11
    visitor.write("Name of this board", "Weight and age")
    visitor.see("boards")
    visitor.button("Keep it")
    expect(page.locator("#toast")).to_contain_text("Kept “Weight and age”")
    visitor.button("Present", exact=True)
    expect(cards.nth(0)).to_be_focused()
    for place in (1, 2):
        page.keyboard.press("ArrowRight")
        expect(cards.nth(place)).to_be_focused()
    visitor.see("presented")
    page.keyboard.press("Escape")
    expect(page.locator(".presents")).to_have_count(0)


def saves_and_asks(visitor: Visitor) -> None:
    """Files of a card, what is handed in of it, and two questions to the data."""
    page, cards = visitor.page, visitor.page.locator(CARDS)
    for form, start in {"SVG": b"<svg ", "PNG": b"\x89PNG", "PDF": b"%PDF"}.items():
        with visitor.at_most(2), page.expect_download() as found:
            visitor.menu(cards.nth(2), f"Save as {form}")  # 12
        assert found.value.path().read_bytes().startswith(start)
        assert found.value.suggested_filename == f"weight-over-the-years.{form.lower()}"
    visitor.press(cards.nth(2).locator("[data-act=menu]"))
    visitor.see("menu")
    visitor.button("Hand in to the checker…", "#pop")
    visitor.write("What it is for", "figure 1")
    visitor.see("hand-in")
    visitor.button("Hand in", "#pop", exact=True)
    expect(page.locator("#toast")).to_contain_text("Handed in “Weight over the years”")
    for place, says in ((3, "the bars of diagnosis"), (4, "model")):
        visitor.menu(cards.nth(place), "Ask the data…")  # 13
        visitor.see("ask")
        if place == 3:
            visitor.write("Only whether this holds (optional)", "no statement")
            page.keyboard.press("Enter")
            expect(page.locator("#pop .fits")).to_contain_text("a statement compares names")
            page.get_by_label("Only whether this holds").fill("")
        visitor.button("Ask the data", "#pop", exact=True)
        expect(page.locator("#toast")).to_contain_text(re.compile(f"On the list: .*{says}"))


def decides(visitor: Visitor) -> None:
    """One question is agreed to, the other declined; an output by its title; who has what."""
    page = visitor.page
    expect(page.locator("#waits")).to_contain_text("2 questions to the data")
    expect(page.locator("#people tr", has_text="alice")).to_contain_text("all rows")
    page.get_by_text("The log is whole.").wait_for()
    visitor.see("custodian")
    visitor.button("Agree: Bar chart of diagnosis by sex")
    expect(page.locator("#h-questions")).to_be_focused()  # once all is shown as it is now
    expect(page.locator("#command")).to_contain_text("discreet answer cohort.csv questions.json")
    visitor.press(page.get_by_role("button", name=re.compile("^Decline: Model")))
    page.keyboard.type("too few people died")
    visitor.see("declined")
    visitor.press(page.locator("#questions form:not([hidden]) button"))
    expect(page.locator("#h-questions")).to_be_focused()
    expect(page.locator("#waits")).not_to_contain_text("question to the data")
    expect(page.locator("#outputs h3")).to_have_text(re.compile("^Scatter plot of age and bmi"))
    visitor.write("Reason or comment", "its points are many")
    visitor.button("Approve: Scatter plot of age and bmi (PNG)")
    expect(page.locator("#noutputs")).to_have_text("0 of 1 output waiting")
    visitor.see("decided")


def reads_what_was_decided(visitor: Visitor) -> None:
    """Who asked reads both decisions, and opens the board by its name again."""
    page = visitor.page
    opened_page(page)
    visitor.button("Your token")
    visitor.button("Your questions", "#pop")
    said = page.locator(".handed")
    expect(said).to_contain_text("The custodian says: too few people died")
    expect(said).to_contain_text("agreed: the answer comes with the next study file")
    visitor.see("questions")
    page.keyboard.press("Escape")
    visitor.button("Boards: name, keep, open")
    visitor.button("Weight and age", "#pop", exact=True)
    expect(page.locator("h2.named")).to_have_text("Weight and age")
    drawn(page.locator(CARDS).nth(1))
    visitor.see("again")
