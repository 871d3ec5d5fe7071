"""A model by clicking: outcome, predictors, an interaction, the forest, diagnostics, a formula."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from playwright.sync_api import expect

from tests.answers.conftest import cohort
from tests.serve.cohort import studies_of
from tests.serve.conftest import running
from tests.serve.looking import keep_screen, looking, violations, widest
from tests.serve.test_board_page import CARDS, drawn, opened_page

if TYPE_CHECKING:
    from collections.abc import Iterator

    from playwright.sync_api import Browser, Locator, Page

    from tests.serve.conftest import Running

pytestmark = pytest.mark.slow

MODEL = f"{CARDS}:has(.pic-model)"
RULES = 'name = "clinic"\n\n[labels]\nsmoker = "Smoking at baseline"\n'


@pytest.fixture(scope="module")
def study(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    """A server of people who smoke or not, and were followed."""
    folder = tmp_path_factory.mktemp("models")
    with running(studies_of(folder, RULES, cohort(900)), folder) as found:
        yield found


def rows_of(card: Locator) -> list[str]:
    """Return what stands to the left of the lines of a forest, from the top."""
    found: list[str] = card.locator(".pic > svg text[text-anchor=start]").all_text_contents()
    return found


def typed(page: Page, label: str, text: str) -> None:
    """Search a choice with the keyboard alone, and take what is found first."""
    field = page.get_by_role("combobox", name=label)
    field.focus()
    page.keyboard.type(text)
    page.keyboard.press("Enter")


def test_a_column_dropped_on_a_model_becomes_a_predictor(chromium: Browser, study: Running) -> None:
    with looking(chromium, study, token=study.token) as page:
        opened_page(page)
        for name in ("smoker", "age", "sex"):
            page.locator(f'.col[data-column="{name}"]').click()
        page.locator(".dock").get_by_role("button", name="Model…").click()
        expect(page.locator("#pop textarea")).to_have_value("smoker ~ age + sex")
        page.get_by_role("button", name="Fit the model").click()
        card = page.locator(MODEL)
        drawn(card)
        assert rows_of(card) == ["age", "sex", "F (reference)", "M"]
        expect(card.locator(".pic > svg")).to_contain_text("odds ratio, with its 95 % interval")
        page.locator('.col[data-column="bmi"]').drag_to(card)  # which becomes a predictor
        expect(card.locator("h2")).to_have_text("Logistic model: smoker ~ age + sex + bmi")
        drawn(card)
        assert rows_of(card) == ["age", "sex", "F (reference)", "M", "bmi"]
        card.get_by_role("button", name="Change…").click()
        page.get_by_label("sex is compared with").select_option("against M")
        page.get_by_role("button", name="Change the model").click()
        expect(card.locator(".pic > svg")).to_contain_text("M (reference)")
        assert rows_of(card) == ["age", "sex", "M (reference)", "F", "bmi"]


def test_the_whole_way_in_one_visit(chromium: Browser, study: Running) -> None:
    width = 390
    how: dict[str, Any] = {"viewport": {"width": width, "height": 900}, "color_scheme": "dark"}
    with looking(chromium, study, token=study.token, **how) as page:

        def looked_at(name: str) -> None:
            assert violations(page) == []
            assert widest(page) <= width
            keep_screen(page, f"model-{name}")

        opened_page(page)
        page.locator(".opens").click()
        chosen_by_keys(page)
        looked_at("form")
        page.locator("#pop textarea").press("Enter")
        card = page.locator(MODEL)
        drawn(card)
        seen_as_forest_and_table(page, card)
        looked_at("card")
        for many, name in enumerate(("Residuals", "Q-Q plot", "Leverage"), 2):
            card.get_by_role("button", name=name).press("Enter")
            expect(page.locator(CARDS)).to_have_count(many)
            drawn(page.locator(CARDS).last)
        looked_at("diagnostics")
        card.get_by_role("button", name="Change…").press("Enter")
        mistaken_and_written(page)
        looked_at("mistake")
        changed_to_cox(page)
        expect(card.locator(".pic > svg")).to_contain_text("hazard ratio, with its 95 % interval")
        expect(page.locator(CARDS)).to_have_count(4)
        expect(card.get_by_role("button", name="Residuals")).to_have_count(0)
        assert page.url.partition("#cards=")[2].startswith(
            "model::formula=survival(time%2C%20died)%20~%20log(age)%20%2B%20sex"
            ":family=cox:event_is=yes"
        )
        page.keyboard.press("Control+z")
        expect(card.locator("h2")).to_contain_text("Linear model")


def chosen_by_keys(page: Page) -> None:
    """Choose an outcome, predictors, an interaction and a logarithm with the keyboard alone."""
    pop, formula = page.locator("#pop"), page.locator("#pop textarea")
    page.get_by_role("button", name="+ Model").press("Enter")
    expect(page.get_by_role("combobox", name="Outcome")).to_be_focused()
    typed(page, "Outcome", "bmi")
    expect(pop.get_by_role("button", name="Linear")).to_have_attribute("aria-pressed", "true")
    for name in ("age", "smoking", "region"):
        typed(page, "Add a predictor", name)
    typed(page, "Add an interaction", "age smoking")
    expect(formula).to_have_value("bmi ~ age + smoker + region + age:smoker")
    pop.get_by_label("How age goes in").select_option("logarithm")
    expect(formula).to_have_value("bmi ~ log(age) + smoker + region + log(age):smoker")
    pop.get_by_role("button", name="Leave out region").press("Enter")
    expect(formula).to_have_value("bmi ~ log(age) + smoker + log(age):smoker")


def seen_as_forest_and_table(page: Page, card: Locator) -> None:
    """The forest comes first, then the table, with names in full in both."""
    assert card.locator(".pic > *").evaluate_all("all => all.map((it) => it.localName)") == [
        "svg",
        "div",
    ]
    product = "log(age) × Smoking at baseline: yes"
    named = ["log(age)", "Smoking at baseline", "no (reference)", "yes", product]
    assert [it for it in rows_of(card) if it] == named
    rows = card.locator("tbody th").all_inner_texts()
    assert rows[1:4] == ["log(age)", "Smoking at baseline: yes", product]
    card.locator(".pic > svg").focus()
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowDown")
    expect(page.locator("#tip b")).to_have_text("Smoking at baseline: yes")
    page.keyboard.press("Tab")
    expect(card.locator("table")).to_be_focused()


def mistaken_and_written(page: Page) -> None:
    """Write what cannot be read, and then a formula that says more than can be chosen."""
    pop, formula = page.locator("#pop"), page.locator("#pop textarea")
    formula.fill("died ~ log(age) + exp(bmi / 10)")
    expect(pop.locator(".soft")).to_contain_text("It is used as it is written")
    pop.get_by_role("button", name="Logistic").press("Enter")
    expect(formula).to_have_value("died ~ log(age) + exp(bmi / 10)")
    formula.fill("bmi ~ log(age) + nobody")
    formula.press("Enter")
    expect(pop.locator(".wrong")).to_contain_text("The formula cannot be read; write columns")
    expect(pop.locator("mark")).to_have_text("nobody")


def changed_to_cox(page: Page) -> None:
    """Write a formula whose outcome becomes the event of a time that is chosen."""
    pop, formula = page.locator("#pop"), page.locator("#pop textarea")
    formula.fill("died ~ log(age) + sex")
    expect(pop.get_by_role("combobox", name="Outcome")).to_have_value("died")
    pop.get_by_role("button", name="Cox").press("Enter")
    expect(formula).to_have_value("survival(, died) ~ log(age) + sex")
    typed(page, "Time", "time")
    expect(formula).to_have_value("survival(time, died) ~ log(age) + sex")
    pop.get_by_label("The event is").select_option("yes")
    formula.press("Enter")
