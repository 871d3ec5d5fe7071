"""The custodian's page, in Chromium and against a real server."""

from __future__ import annotations

import re
import tomllib
from typing import TYPE_CHECKING, Any

import pytest
import tomli_w

from tests.browser import launched
from tests.serve.looking import SIZES, WINDOWS, keep_screen, looking, nameless, widest

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from playwright.sync_api import Browser, Page, Route

    from tests.serve.conftest import Running

PATH = "/custodian"
LONG = [f"a column of the study, number {i}" for i in range(4)]
LISTS = tomli_w.dumps(
    {
        "name": "a = [",
        "pairs": [["a]", "[b"], ["c, d", 'e"'], ["f", "g"], ["a name of some length", "g"]],
        "groups": [["age", "bmi"]],
        "strata": LONG,
        "none": [],
        "roles": {"list": ["x"]},
    }
)
IN_LINE = """name = "a = ["
pairs = [
    ["a]", "[b"],
    ["c, d", "e\\""],
    ["f", "g"],
    ["a name of some length", "g"],
]
groups = [["age", "bmi"]]
strata = [
    "a column of the study, number 0",
    "a column of the study, number 1",
    "a column of the study, number 2",
    "a column of the study, number 3",
]
none = []

[roles]
list = ["x"]
"""

# `make test` has one of them; `make test-all` has all.
pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def chromium() -> Iterator[Browser]:
    """A browser for all tests of this module."""
    with launched() as browser:
        yield browser


def open_with(page: Page, served: Running, told: Callable[[Route], None]) -> None:
    """Give the token; the page is told what the test makes of the answer."""
    page.route("**/api/custodian", told)
    page.get_by_label("Token", exact=True).fill(served.custodian)
    page.keyboard.press("Enter")
    page.locator("#work").wait_for()


def test_policy_tokens_and_log_are_told(chromium: Browser, served: Running) -> None:
    with served.client() as client:
        client.post("/api/views/histogram", json={"columns": ["age"]})
        client.post("/api/views/histogram", json={"columns": ["age"], "bins": 7})
    with looking(chromium, served, PATH, token=served.custodian) as page:
        page.locator("#work").wait_for()
        assert 'name = "clinic"' in page.locator("#policy-text").inner_text()
        tokens = page.locator("#tokens tr").all_inner_texts()
        assert [it.split()[:3] for it in tokens] == [
            ["alice", "analyst", "valid"],
            ["carol", "custodian", "valid"],
        ]
        log = page.locator("#log tr")
        assert "refused: policy" in log.nth(0).inner_text()
        assert "columns: age" in log.nth(1).inner_text()
        page.get_by_label("refused alone").check()
        assert log.count() == page.locator("#log tr.refused").count() >= 1
        page.get_by_label("refused alone").uncheck()
        page.get_by_label("Rows that contain").fill("no such words")
        assert "No such row." in page.locator("#log").inner_text()
        page.get_by_label("Rows that contain").fill("HISTOGRAM")
        assert log.count() >= 2
        assert "histogram" in page.locator("#left").inner_text()
        assert served.token not in page.content()


OUTCOMES = {
    "answered": "answered",
    "begun": "begun",
    "repeated": "repeated",
    "busy": "not answered: busy",
    "slow": "not answered: slow",
    "broken": "not answered: broken",
    "data": "refused: data",
    "role": "refused: role",
    "rate": "refused: rate",
}


def test_what_was_not_answered_was_not_refused(chromium: Browser, served: Running) -> None:
    def told(route: Route) -> None:
        """Answer with one row of each outcome."""
        given = route.fetch().json()
        row = {"at": "", "caller": "token alice", "study": "", "version": 1, "what": "bars"}
        given["log"] = [
            {**row, "id": i, "request": "", "outcome": outcome}
            for i, outcome in enumerate(OUTCOMES, 1)
        ]
        route.fulfill(json=given)

    with looking(chromium, served, PATH) as page:
        open_with(page, served, told)
        outcome = page.locator("#log td:last-child")
        assert outcome.all_inner_texts() == [*OUTCOMES.values()]
        page.get_by_label("refused alone").check()
        assert outcome.all_inner_texts() == ["refused: data", "refused: role", "refused: rate"]
        page.get_by_label("refused alone").uncheck()
        page.get_by_label("Rows that contain").fill("not answered")
        assert len(outcome.all_inner_texts()) == 3


def test_every_column_of_the_tokens_is_seen_and_short_lists_stand_in_a_line(
    chromium: Browser, served: Running
) -> None:
    def told(route: Route) -> None:
        """Answer with a token of a long name, of which much was used, and a policy of lists."""
        given = route.fetch().json()
        given["tokens"][0] |= {"name": "alice-of-a-long-department", "used": 1234}
        given["tokens"][0]["state"] = "revoked"
        given["allowance"]["views"] = 4000
        given["policy"] = LISTS
        route.fulfill(json=given)

    with looking(chromium, served, PATH) as page:
        open_with(page, served, told)
        assert re.fullmatch(
            r"\d{4}-\d\d-\d\d", page.locator("#tokens tr").first.locator("td").last.inner_text()
        )
        room = "(it) => it.closest('.scroll').scrollWidth - it.closest('.scroll').clientWidth"
        assert page.locator("#tokens").evaluate(room) == 0
        assert page.locator("#policy-text").inner_text() == IN_LINE
        assert tomllib.loads(IN_LINE) == tomllib.loads(LISTS)


def test_the_ledger_is_checked(chromium: Browser, served: Running) -> None:
    with looking(chromium, served, PATH, token=served.custodian) as page:
        page.get_by_role("button", name="Check the ledger").click()
        page.get_by_text("The ledger is whole").wait_for()
        assert re.fullmatch(r"[0-9a-f]{64}", page.get_by_label("Head seal").input_value())
        page.get_by_role("button", name="Copy").click()
        page.locator("#status", has_text="head seal").wait_for(state="attached")


def test_what_is_broken_is_named(chromium: Browser, served: Running) -> None:
    with looking(chromium, served, PATH, token=served.custodian) as page:
        told = {"rows": 3, "head": "0" * 64, "broken": ["asked, row 2: changed"]}
        page.route("**/api/custodian/verify", lambda route: route.fulfill(json=told))
        page.get_by_role("button", name="Check the ledger").click()
        page.get_by_text("The ledger is broken in 1 place").wait_for()
        assert page.locator("#verified li").all_inner_texts() == ["asked, row 2: changed"]


def test_older_rows_follow(chromium: Browser, served: Running) -> None:
    with served.client() as client:
        client.post("/api/views/bars", json={"columns": ["sex"]})
    with looking(chromium, served, PATH, token=served.custodian) as page:
        page.locator("#work").wait_for()
        page.get_by_role("button", name="Older rows").click()
        # Not what it says while it waits: "Fetching older rows …".
        said = re.compile(r"^(\d+|There are no) older rows$")
        page.locator("#status", has_text=said).wait_for(state="attached")
        numbers = [int(it) for it in page.locator("#log td:first-child").all_inner_texts()]
        assert numbers == sorted({*numbers}, reverse=True)


def test_the_summary_draws_every_column(chromium: Browser, served: Running) -> None:
    with looking(chromium, served, PATH, token=served.custodian) as page:
        page.locator("#work").wait_for()
        assert "your own allowance" in page.locator("#summary-hint").inner_text()
        before = page.locator("#log tr").first.inner_text()
        page.get_by_role("button", name="Draw every column").click()
        page.locator("#status", has_text="columns are drawn").wait_for(state="attached")
        newest = "before => document.querySelector('#log tr').innerText !== before"
        page.wait_for_function(newest, arg=before)
        names = page.locator("#summary > figure > figcaption").all_inner_texts()
        assert {"age", "sex", "diagnosis"} <= {*names}
        assert "patient" not in names
        assert page.locator("#summary > figure:has(canvas:visible)").count() == len(names)


@pytest.mark.promise
def test_an_analyst_is_turned_away(chromium: Browser, served: Running) -> None:
    with looking(chromium, served, PATH, token=served.token) as page:
        page.get_by_role("dialog").wait_for()
        page.get_by_label("Token", exact=True).fill(served.custodian)
        page.keyboard.press("Enter")
        page.locator("#work").wait_for()
        assert page.locator("#policy-text").inner_text()


@pytest.mark.parametrize(("width", "scheme"), WINDOWS)
def test_every_width_in_light_and_dark(
    chromium: Browser, served: Running, width: int, scheme: str
) -> None:
    size = {"width": width, "height": SIZES[width]}
    how: dict[str, Any] = {"viewport": size, "color_scheme": scheme}
    with looking(chromium, served, PATH, token=served.custodian, **how) as page:
        page.get_by_role("button", name="Draw every column").click()
        page.locator("#status", has_text="columns are drawn").wait_for(state="attached")
        page.get_by_role("button", name="Check the ledger").click()
        page.get_by_text("The ledger is whole").wait_for()
        keep_screen(page, f"custodian-{width}-{scheme}")
        assert widest(page) <= width
        assert nameless(page) == []
