"""A board whose copy stays on the server, in Chromium: it shows what one with the rows shows."""

from __future__ import annotations

import re
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

import pytest
from playwright.sync_api import expect

from discreet.serve.record import log
from discreet.serve.studies import Studies
from tests.serve.cohort import MANY, NAME, WHOLE, published, studies_of
from tests.serve.conftest import running
from tests.serve.looking import looking
from tests.serve.test_board_page import CARDS, FRAMES, RULES
from tests.serve.test_board_session import EVERY, followed
from tests.serve.workers import beside

if TYPE_CHECKING:
    from pathlib import Path

    from playwright.sync_api import Browser, Route

    from tests.serve.conftest import Running

PICTURES = ("histogram:age", "bars:region:by=sex", "crosstab:region,diagnosis", "heatmap:age,bmi")
STATE = f"cards={';'.join(PICTURES)}&where=age%20%3E%3D%2040&new=ratio:ldl%20%2F%20hdl"
ONE_A_ROW = {"width": 1000, "height": 800}
MARKS = """all => all.map((it) => [...it.querySelectorAll("[data-m], .hot")].map((mark) =>
    [mark.tagName, mark.textContent, ...["x", "y", "width", "height", "d"].map((name) =>
        mark.getAttribute(name)), mark.style.getPropertyValue("--lit")].join(" ")))"""


def seen(chromium: Browser, served: Running) -> tuple[list[list[str]], list[list[str]], set[str]]:
    """Return the marks of all cards, those with one of them lit, and what was asked for."""
    asked: set[str] = set()
    # Cards stand one below the other: what one says more than its twin makes no neighbour higher.
    with looking(chromium, served, token=f"{served.token}&{STATE}", viewport=ONE_A_ROW) as page:
        page.on("request", lambda it: asked.add(it.url.partition("/api/")[2]))
        page.locator(CARDS).nth(3).locator("[data-m]").first.wait_for()
        page.locator(".where .chip").first.wait_for()
        page.evaluate(FRAMES)
        pictures = page.locator(f"{CARDS} .pic")
        plain = pictures.evaluate_all(MARKS)
        page.locator(CARDS).first.locator("[data-m='3']").hover()
        page.locator(CARDS).nth(1).locator(".hot").first.wait_for()
        return plain, pictures.evaluate_all(MARKS), asked


def light_after_a_late_answer(chromium: Browser, served: Running) -> dict[str, Any]:
    """Return how light is asked for once rows that are shown no more were answered for."""
    with looking(chromium, served, token=served.token) as page:
        page.locator(".mini .pic svg").first.wait_for()
        assert page.locator("[data-act=rows]").count() == 0  # they stay on the server
        late: list[Route] = []
        page.route(re.compile(r"/api/copy/part$"), lambda it: held_back(it, late))
        page.evaluate("location.hash = 'where=age%20%3E%3D%2040'")
        page.evaluate("location.hash = 'where=age%20%3E%3D%2050'")
        expect(page.locator(".where .chip")).to_have_text("age ≥ 50")
        page.locator('.mini[data-column="age"] [data-m]').first.wait_for()
        with page.expect_response(re.compile(r"/api/copy/part$")):
            late[0].continue_()
        page.evaluate(FRAMES)
        with page.expect_request(re.compile(r"/api/copy/light$")) as asked:
            page.locator('.mini[data-column="age"] [data-m]').last.hover()
        return dict(asked.value.post_data_json or {})


def held_back(route: Route, late: list[Route]) -> None:
    """Keep the question for one part of the rows until it is let go."""
    if (route.request.post_data_json or {})["where"] == ["age >= 40"]:
        late.append(route)
    else:
        route.continue_()


@pytest.mark.slow
def test_pictures_and_lights_are_the_same(chromium: Browser, tmp_path: Path) -> None:
    with running(studies_of(tmp_path), tmp_path) as here:
        (tmp_path / "kept").mkdir()
        file = published(tmp_path / "kept", f'copy = "served"\n{WHOLE}')
        with beside(Studies([file], here.studies.store, MANY)) as url:
            one = seen(chromium, here)
            other = seen(chromium, replace(here, url=url))
            light = light_after_a_late_answer(chromium, replace(here, url=url))
        whats = [it["what"] for it in log(here.studies.store, study=NAME)]
    assert all(one[0])
    assert other[:2] == one[:2]
    assert one[0] != one[1]
    assert "rows" not in other[2]
    assert "copy/light" in other[2]
    assert light["where"] == ["age >= 50"]
    assert (whats.count("rows"), whats.count("copy")) == (1, 1)


@pytest.mark.slow
def test_what_is_not_reliable_is_said_first_and_shown_grey(
    chromium: Browser, tmp_path: Path
) -> None:
    studies = studies_of(tmp_path, f'copy = "served"\n{WHOLE}')
    few = "not reliable: differences in bmi by region may be off by up to 2.5"
    others = "differences in age by region may be off by up to 1"

    def answer(route: Route, said: list[str]) -> None:
        """Give what the server answers with other remarks."""
        found = route.fetch()
        told = found.json()
        (told.get("view", {}).get("origin") or told["table"])[
            "remarks" if "view" in told else "notes"
        ] = said
        route.fulfill(response=found, json=told)

    with running(studies, tmp_path) as served:
        for kind, address, said in (("box", "copy", [few]), ("means", "tables", [others])):
            with looking(chromium, served, token=served.token) as page:
                pattern = re.compile(rf"/api/{address}/{kind}$")
                page.route(pattern, partial(answer, said=said))
                page.evaluate(f"location.hash = 'cards={kind}:bmi:by=region'")
                shown = page.locator(f"{CARDS} .pic :is(svg, table)").first
                shown.wait_for()
                warns = page.locator(f"{CARDS} .unreliable")
                expect(warns).to_have_text(few.capitalize() if few in said else "")
                assert warns.is_visible() is (few in said)
                # A plot is pale; a table has no colour, for its numbers are read.
                filters = shown.evaluate(
                    """(it) => [it, it.querySelector("td") || it]
                      .map((seen) => getComputedStyle(seen).filter)"""
                )
                assert ("grayscale(1)" in filters) is (said == [few])


BANDS = """() => [...document.querySelectorAll(".pic path[opacity], .pic path[fill-opacity]")]
    .map((it) => it.getAttribute("d"))"""


@pytest.mark.slow
def test_intervals_hold_the_copys_own_error_where_the_page_has_the_rows(
    chromium: Browser, tmp_path: Path
) -> None:
    """As where the server draws them; without its answer they are those of the rows alone."""
    cards = f"cards={EVERY['survival']};over_time:visit,bmi"

    def bands(served: Running, *, alone: bool = False) -> list[str]:
        with looking(chromium, served, token=served.token, viewport=ONE_A_ROW) as page:
            if alone:
                page.route("**/api/copy/*", lambda route: route.fulfill(status=429, json={}))
            page.evaluate(f"location.hash = '{cards}'")
            expect(page.locator(f"{CARDS} .pic svg")).to_have_count(2)
            page.wait_for_load_state("networkidle")
            page.evaluate(FRAMES)
            return list(page.evaluate(BANDS))

    found: dict[str, list[str]] = {}
    for where in ("served", "browser"):
        folder = tmp_path / where
        folder.mkdir()
        studies = studies_of(folder, f'copy = "{where}"\n{RULES}', followed())
        with running(studies, folder) as served:
            found[where] = bands(served)
            if where == "browser":
                found["alone"] = bands(served, alone=True)
    assert len(found["served"]) >= 3
    assert found["browser"] == found["served"]
    assert found["alone"] != found["served"]
