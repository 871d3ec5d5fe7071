"""Canaries in every column: none reaches the browser, whatever a scripted analyst does there."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

import pytest

from tests.serve.canaries import CANARIES, planted
from tests.serve.conftest import running
from tests.serve.listening import Ear, hearing
from tests.serve.looking import looking
from tests.web.reading import read_bundle

if TYPE_CHECKING:
    from pathlib import Path

    from playwright.sync_api import Browser, Page, Response

NUMBERS = ("age", "bmi", "glucose", "income", "visits", "half")
LEVELS = ("ward", "sex", "illness", "smoker")
#: Of each kind: how many numbers and levels it takes, and whether a level may divide it.
KINDS = {
    "histogram": (1, 0, True),
    "bars": (0, 1, True),
    "scatter": (2, 0, True),
    "heatmap": (2, 0, False),
    "contour": (2, 0, False),
    "box": (1, 0, True),
    "violin": (1, 0, True),
    "density": (1, 0, True),
    "ecdf": (1, 0, True),
    "crosstab": (0, 2, False),
    "correlations": (3, 0, False),
    "parallel": (2, 1, False),
    "summary": (2, 1, False),
    "means": (1, 0, True),
    "survival": (1, 1, False),
}
WHERE = (
    "age > 40",
    "bmi < 30 or sex == 'f'",
    "not missing(glucose)",
    "smoker == 'yes'",
    "age > 999",
)
STEPS = 60
NEW = ("log_bmi:log(bmi)", "group:cut(age, 45, 60)", "ratio:glucose / bmi", "old:age >= 60")


def some_card(chance: random.Random) -> str:
    """Return a picture as it stands in an address."""
    kind = chance.choice([*KINDS])
    numbers, levels, divided = KINDS[kind]
    columns = [*chance.sample(NUMBERS, numbers), *chance.sample(LEVELS, levels)]
    by = f":by={chance.choice(LEVELS)}" if divided and chance.random() < 0.4 else ""
    by = ":by=sex" if kind == "means" and not by else by
    return f"{kind}:{','.join(columns)}{by}"


def some_state(chance: random.Random) -> str:
    """Return an address: some pictures, filters and new columns."""
    cards = ";".join(some_card(chance) for _ in range(chance.randint(1, 3)))
    where = ",".join(quote(it) for it in chance.sample(WHERE, chance.choice([0, 0, 1, 2])))
    new = ",".join(quote(it, safe=":") for it in chance.sample(NEW, chance.choice([0, 0, 1])))
    parts = {"cards": cards, "where": where, "new": new}
    return "&".join(f"{name}={it}" for name, it in parts.items() if it)


def step(page: Page, chance: random.Random) -> None:
    """Do one thing of what an analyst does, if it is there to be done."""
    what = chance.random()
    if what < 0.3:
        page.evaluate(PRESS, ".card [data-m]")
    elif what < 0.4:
        page.evaluate(PRESS, "[data-act=undo]:enabled")
    elif what < 0.5:
        page.evaluate(PRESS, "[data-act=about]")
        page.keyboard.press("Escape")
    else:
        page.evaluate("(state) => { location.hash = state; }", some_state(chance))
    for _ in range(500):
        if page.evaluate(SETTLED):
            break
        page.wait_for_timeout(10)


PRESS = """(selector) => document.querySelector(selector)
  ?.dispatchEvent(new MouseEvent("click", { bubbles: true }))"""
SETTLED = "document.querySelector('[aria-busy=true]') === null"


def heard(ear: Ear, response: Response) -> None:
    """Listen to what the browser received, the rows of the copy as numbers, too."""
    if response.status == 304:
        return
    data = response.body()
    ear.listen(response.url, data)
    if response.url.endswith("/api/rows") and response.ok:
        ear.listen("rows", str(read_bundle(data)))


@pytest.mark.slow
def test_no_canary_reaches_the_browser(chromium: Browser, tmp_path: Path) -> None:
    chance = random.Random(60)
    with running(planted(tmp_path), tmp_path) as served, hearing(CANARIES) as ear:
        answers: list[Any] = []
        with looking(chromium, served) as page:
            page.on("requestfinished", lambda it: answers.append(it.response()))
            page.get_by_label("Token").fill(served.token)
            page.get_by_role("button", name="Open the study").click()
            page.locator(".mini .pic svg").first.wait_for()
            for place in range(STEPS):
                step(page, chance)
                if place % 20 == 0:
                    ear.listen("the page", page.content())
                    while answers:
                        heard(ear, answers.pop())
            for it in answers:
                heard(ear, it)
        assert ear.heard > 20
