"""The data's answers on a served board, whether its rows are in the browser or on the server."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from playwright.sync_api import expect

import discreet as dc
from discreet.serve.studies import Studies
from tests.answers.conftest import cohort, usual_figures
from tests.serve.cohort import MANY, record_in, written
from tests.serve.conftest import running
from tests.serve.looking import WINDOWS, keep_screen, looking, violations, widest
from tests.serve.test_board_page import CARDS, drawn

if TYPE_CHECKING:
    from collections.abc import Iterator

    from playwright.sync_api import Browser

    from tests.serve.conftest import Running

pytestmark = pytest.mark.slow

FORMULA = "bmi ~ age + sex"
SPECS = (
    "bars:region:by=smoker",
    "crosstab:region,sex",
    "histogram:age",
    "heatmap:age,bmi",
    "survival:time,died",
    "means:bmi:by=sex",
    "model:bmi:formula=bmi%20~%20age%20%2B%20sex",
)
LAID = ";".join(f"{it}:answer=true" for it in SPECS)


@pytest.fixture(scope="module", params=["browser", "served"])
def served(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Running]:
    """A server of a study with answers, whose copy is in the browser or stays on the server."""
    folder = tmp_path_factory.mktemp(request.param)
    source, rules = written(folder, f'name = "clinic"\ncopy = "{request.param}"\n', cohort(3000))
    path = dc.protect(source, policy=rules).publish(folder / "cohort.discreet")
    study = dc.open(path)
    for figure in (*usual_figures(study), study.model(FORMULA)):
        study.ask(figure)
    found = dc.answer(source, study.questions, study=path, policy=rules)
    assert [it.says for it in found.outcomes] == ["answered"] * len(SPECS)
    with running(Studies([path], record_in(folder), MANY), folder) as started:
        yield started


def test_answers_are_laid_over_each_card(chromium: Browser, served: Running) -> None:
    width, theme = WINDOWS[0]
    how: dict[str, Any] = {"viewport": {"width": width, "height": 900}, "color_scheme": theme}
    with looking(chromium, served, f"/#cards={LAID}&token={served.token}", **how) as page:
        cards = page.locator(CARDS)
        expect(cards).to_have_count(len(SPECS))
        for at, spec in enumerate(SPECS):
            card = cards.nth(at)
            drawn(card)
            expect(card.get_by_role("checkbox")).to_be_checked()
            expect(card.locator(".ctl")).to_contain_text("from the data")
            shown = ".of-data" if spec[:4] in ("cros", "mean", "mode") else ".data *"
            expect(card.locator(f".pic {shown}").first).to_be_attached()
        keep_screen(page, f"answered-{served.served.file.policy.copy}-{width}-{theme}")
        assert widest(page) <= width
        # What is not reliable of the copy is grey by purpose.
        grey = page.locator(".greyed").count()
        found = [it for it in violations(page) if not (grey and it.startswith("color-contrast"))]
        assert found == []


def test_what_is_asked_of_the_server_says_nothing_of_answers(
    chromium: Browser, served: Running
) -> None:
    with looking(chromium, served, f"/#cards=histogram:age&token={served.token}") as page:
        card = page.locator(CARDS).first
        drawn(card)
        sent: list[str] = []
        page.on("request", lambda it: sent.append(f"{it.url} {it.post_data or ''}"))
        box = card.get_by_role("checkbox")
        box.focus()
        page.keyboard.press("Space")
        card.locator(".data .data-line").first.wait_for()
        expect(box).to_be_focused()
        assert [it for it in sent if "answer" in it or "edges" in it] == []
