"""The analyst's page, in Chromium and against a real server."""

from __future__ import annotations

import json
import re
import time
from importlib import resources
from typing import TYPE_CHECKING, Any

import pytest

from tests.browser import launched
from tests.serve.cohort import POLICY, opened
from tests.serve.conftest import running
from tests.serve.looking import SIZES, WINDOWS, keep_screen, looking, nameless, widest

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from playwright.sync_api import Browser, Page, Request, Route

    from tests.serve.conftest import Running

TITLES = {
    "histogram": "Histogram: age",
    "correlations": "Correlations: age and bmi",
    "density": "Density: age",
    "violin": "Violins: age",
    "ecdf": "Empirical distribution: age",
    "scatter": "Scatter plot: age and bmi",
    "heatmap": "Heat map: ldl and hdl",
    "contour": "Contour plot: ldl and hdl",
    "box": "Box plot: age",
    "bars": "Bar chart: sex",
    "crosstab": "Cross-table: sex and region",
    "parallel": "Parallel coordinates: age, bmi and glucose",
    "residuals": "Residuals: glucose ~ age + bmi",
    "qq": "Q-Q plot: glucose ~ age + bmi",
    "leverage": "Leverage: glucose ~ age + bmi",
}
PUBLISHED = """
preset = "research"
public = true

[kinds]
sex = "categorical"

[roles]
patient = "identifier"
"""
FORMS = {"PNG": b"\x89PNG", "SVG": b"<?xml", "PDF": b"%PDF", "HTML": b"<!", "JSON": b"{"}
FOLDER = resources.files("discreet.serve").joinpath("static")

# `make test` has a few of them; `make test-all` has all.
pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def chromium() -> Iterator[Browser]:
    """A browser for all tests of this module."""
    with launched() as browser:
        yield browser


def choose(page: Page, kind: str) -> None:
    """Choose a plot."""
    page.locator(f"label:has(#picture-{kind})").click()


def draw(page: Page, title: str) -> None:
    """Draw, and wait until it is there."""
    page.locator("#draw").click()
    title_is(page, title)


def title_is(page: Page, title: str) -> None:
    """Wait until the figure is called so, and is drawn."""
    page.locator("#figure-title", has_text=re.compile(f"^{re.escape(title)}$")).wait_for()
    page.locator(
        "#figure:not([aria-busy]) #figure-host :is(canvas, table):visible"
    ).first.wait_for()


def drawn(page: Page, kind: str) -> None:
    """Draw a kind of picture, of the columns that the form proposes where they are not these."""
    choose(page, kind)
    if kind in ("heatmap", "contour"):  # cells of columns whose clusters are drawn do not fit them
        page.get_by_label("Across (x)").select_option("ldl")
        page.get_by_label("Upwards (y)").select_option("hdl")
    if "~" in TITLES[kind]:
        page.get_by_label("Formula of a linear regression").fill("glucose ~ age + bmi")
    draw(page, TITLES[kind])


def pick(page: Page, columns: list[str]) -> None:
    """Choose the axes of parallel coordinates, in order."""
    rows = page.locator("#form-columns .chosen li")
    for name in columns:
        if not page.get_by_role("button", name=f"Take {name} out").count():
            page.get_by_label("Add a column").select_option(name)
    for name in rows.locator(".name").all_inner_texts():
        if name not in columns:
            page.get_by_role("button", name=f"Take {name} out").click()
    for place, name in enumerate(columns):
        while rows.locator(".name").all_inner_texts().index(name) > place:
            page.get_by_role("button", name=f"Move {name} up").click()


def until(page: Page, condition: Callable[[], bool]) -> None:
    """Wait until something holds that is no part of the page."""
    end = time.monotonic() + 20
    while not condition() and time.monotonic() < end:
        page.wait_for_timeout(50)
    assert condition()


def asked(page: Page, of: str = "/api/views/") -> list[tuple[str, dict[str, Any]]]:
    """Return a list that fills with the pictures, or tables, that are asked for from now on."""
    found: list[tuple[str, dict[str, Any]]] = []

    def note(request: Request) -> None:
        if request.method == "POST" and of in request.url:
            found.append((request.url.rpartition("/")[2], json.loads(request.post_data or "")))

    page.on("request", note)
    return found


@pytest.mark.promise
@pytest.mark.parametrize("kind", TITLES)
def test_each_picture_is_drawn_and_says_how(chromium: Browser, served: Running, kind: str) -> None:
    with looking(chromium, served, token=served.token) as page:
        drawn(page, kind)
        said = page.locator("#says-lines").inner_text()
        assert "Promises" in said
        assert "Does not protect" in said
        assert "policy clinic" in said
        keep_screen(page, f"picture-{kind}")


@pytest.mark.promise
def test_the_form_tells_the_policy_and_never_sends_what_it_fixes(
    chromium: Browser, served: Running
) -> None:
    with looking(chromium, served, token=served.token) as page:
        sent = asked(page)
        page.locator("#form").wait_for()
        assert "clinic" in page.locator("#policy").inner_text()
        assert re.search(r"of 400 views left", page.locator("#left").inner_text())
        assert "k\n5" in page.locator("#form-settings").inner_text()
        drawn(page, "histogram")
        drawn(page, "parallel")
        assert sent == [
            ("histogram", {"columns": ["age"]}),
            ("parallel", {"columns": ["age", "bmi", "glucose"]}),
        ]


def test_rows_are_offered_together_only_where_they_may_be_seen_so(
    chromium: Browser, served: Running
) -> None:
    with looking(chromium, served, token=served.token) as page:
        choose(page, "scatter")
        options = page.locator("#column-1 option:not([disabled])").all_inner_texts()
        assert options == ["bmi", "glucose"]
        assert "age, bmi, glucose" in page.locator("#form-columns").inner_text()


def test_what_the_first_picture_of_rows_settles_is_said_before(
    chromium: Browser, tmp_path: Path
) -> None:
    policy = POLICY.replace('groups = [["age", "bmi", "glucose"]]\n', "")
    own = running(opened(tmp_path, policy), tmp_path)
    with own as server, looking(chromium, server, token=server.token) as page:
        choose(page, "scatter")
        hint = page.locator("#form-columns .hint")
        assert "settles for everybody" in hint.inner_text()
        draw(page, "Scatter plot: age and bmi")
        page.get_by_text("Rows may be seen together for age, bmi.").wait_for()


@pytest.mark.parametrize("form", FORMS)
def test_downloads(chromium: Browser, served: Running, form: str, tmp_path: Path) -> None:
    with looking(chromium, served, token=served.token) as page:
        addresses: list[str] = []
        page.on("request", lambda it: addresses.append(it.url))
        drawn(page, "histogram")
        with page.expect_download() as waiting:
            page.get_by_role("button", name=f"Save as {form}").click()
        file = tmp_path / waiting.value.suggested_filename
        waiting.value.save_as(file)
        assert file.name == f"histogram-age.{form.lower()}"
        assert file.read_bytes().lstrip().startswith(FORMS[form])
        assert not [it for it in addresses if served.token in it]


def test_the_keyboard_is_enough(chromium: Browser, served: Running) -> None:
    with looking(chromium, served, token=served.token) as page:
        page.locator("#work").wait_for()
        keys = page.keyboard

        def tab_to(wanted: str) -> None:
            """Go on until the focus is where it should be."""
            for _ in range(80):
                keys.press("Tab")
                if page.evaluate("wanted => document.activeElement.matches(wanted)", wanted):
                    return
            raise AssertionError(f"the keys do not reach {wanted}")

        keys.press("Tab")
        assert page.evaluate("document.activeElement.textContent") == "Skip to the form"
        keys.press("Enter")

        def go_to(kind: str) -> None:
            """Choose a plot by the arrows, however many stand before it."""
            for _ in range(20):
                if page.locator(f"#picture-{kind}").is_checked():
                    return
                keys.press("ArrowRight")
            raise AssertionError(f"the arrows do not reach {kind}")

        tab_to("#picture-histogram")
        go_to("scatter")
        tab_to("#column-0")
        keys.press("ArrowDown")
        keys.press("Enter")
        title_is(page, "Scatter plot: bmi and age")
        assert "bmi and age" in page.locator("#status").inner_text()
        keys.press("Shift+Tab")
        go_to("parallel")
        tab_to("#row-0")
        keys.press("Alt+ArrowDown")
        assert page.evaluate("document.activeElement.id") == "row-1"
        assert "is now number 2 of" in page.locator("#status").inner_text()
        tab_to("#draw")
        keys.press("Enter")
        page.locator("#figure-title", has_text="Parallel coordinates").wait_for()
        tab_to("#downloads button")
        with page.expect_download():
            keys.press("Enter")


def test_a_refused_order_offers_the_nearest(chromium: Browser, served: Running) -> None:
    with looking(chromium, served, token=served.token) as page:
        choose(page, "parallel")
        pick(page, ["age", "diagnosis", "bmi"])
        page.locator("#draw").click()
        page.get_by_role("alert").filter(has_text="may not stand").wait_for()
        keep_screen(page, "refused-order")
        page.get_by_role("button", name="Use the nearest allowed request").click()
        page.locator("#figure-title", has_text="Parallel coordinates").wait_for()
        assert not page.locator("#problem").is_visible()
        names = page.locator("#form-columns .name").all_inner_texts()
        assert sorted(names) == ["age", "bmi", "diagnosis"]
        assert names[-1] == "diagnosis"


def test_a_formula_that_cannot_be_read_is_refused_in_words(
    chromium: Browser, served: Running
) -> None:
    with looking(chromium, served, token=served.token) as page:
        choose(page, "residuals")
        field = page.get_by_label("Formula of a linear regression")
        field.fill("glucose ~ __import__('os')")
        field.press("Enter")
        page.locator("#problem", has_text="formula").wait_for()
        assert "__import__" not in page.locator("#problem").inner_text()
        note = page.locator("#formula-note")
        field.fill("glucse ~ log(agee) + `a b` + 1e5 + C(sex)")
        field.press("Tab")
        assert note.inner_text() == "No column that can be drawn is called a b, glucse and agee."
        page.get_by_text("Insert a column").click()
        field.fill("glucose ~ ")
        assert not note.is_visible()
        page.get_by_role("button", name="age", exact=True).click()
        assert field.input_value() == "glucose ~ age"
        field.press("Enter")
        title_is(page, "Residuals: glucose ~ age")
        assert not page.locator("#problem").is_visible()


def test_another_token_can_be_waved_away(chromium: Browser, served: Running) -> None:
    with looking(chromium, served, token=served.token) as page:
        drawn(page, "histogram")
        for by_key in (True, False):
            page.locator("#change-token").click()
            page.get_by_role("dialog").wait_for()
            if by_key:
                page.keyboard.press("Escape")
            else:
                page.get_by_role("button", name="Cancel").click()
            page.get_by_role("dialog").wait_for(state="hidden")
        assert page.locator("#figure-title").inner_text() == TITLES["histogram"]
        page.locator("#change-token").click()
        page.get_by_label("Token", exact=True).fill(served.custodian)
        page.keyboard.press("Enter")
        page.locator("#custodian-link:visible").wait_for()


@pytest.mark.promise
def test_a_token_is_asked_for_and_stays_out_of_the_address(
    chromium: Browser, served: Running
) -> None:
    with looking(chromium, served) as page:
        page.get_by_role("dialog").wait_for()
        keep_screen(page, "token")
        page.get_by_label("Token", exact=True).fill("wrong")
        page.keyboard.press("Enter")
        page.locator("#token-why", has_text="does not accept").wait_for()
        page.get_by_label("Token", exact=True).fill(served.token)
        page.keyboard.press("Enter")
        page.locator("#work").wait_for()
    with looking(chromium, served, token=served.token) as page:
        page.locator("#work").wait_for()
        drawn(page, "histogram")
        assert page.url == f"{served.url}/"
        kept = json.loads(page.evaluate("JSON.stringify({...localStorage})"))
        assert served.token not in json.dumps(kept)
        assert "glucose" not in page.evaluate("JSON.stringify({...sessionStorage})")


def test_history_goes_back_without_asking_anew(chromium: Browser, served: Running) -> None:
    with looking(chromium, served, token=served.token) as page:
        drawn(page, "histogram")
        drawn(page, "bars")
        sent = asked(page)
        page.get_by_role("navigation", name="Drawn in this session").get_by_role(
            "button", name="Histogram"
        ).click()
        title_is(page, TITLES["histogram"])
        assert page.locator("#picture-histogram").is_checked()
        assert page.locator("#history [aria-current]").count() == 1
        assert sent == []


def test_waiting_shows_after_a_while(chromium: Browser, served: Running) -> None:
    with looking(chromium, served, token=served.token) as page:
        held: list[Route] = []
        page.route("**/api/views/histogram", lambda route: held.append(route))
        page.locator("#draw").click()
        page.locator("#busy").wait_for()
        until(page, lambda: bool(held))  # the page may wait before what holds it has begun to
        assert page.locator("#busy-words").inner_text() == "Drawing …"
        held[0].continue_()
        title_is(page, TITLES["histogram"])
        page.locator("#busy").wait_for(state="hidden")


def test_a_server_that_is_not_there_is_said_in_words(chromium: Browser, served: Running) -> None:
    with looking(chromium, served, token=served.token) as page:
        page.locator("#work").wait_for()
        page.evaluate("() => { window.fetch = () => Promise.reject(new TypeError('no')); }")
        page.locator("#draw").click()
        page.get_by_role("alert").filter(has_text="cannot be reached").wait_for()


def test_the_theme_is_kept(chromium: Browser, served: Running) -> None:
    with looking(chromium, served, token=served.token) as page:
        drawn(page, "histogram")
        paper = "getComputedStyle(document.querySelector('.panel')).backgroundColor"
        light = page.evaluate(paper)
        toggle = page.get_by_role("button", name="Colours:")
        toggle.click()
        assert page.evaluate(paper) == light
        toggle.click()
        dark = page.evaluate(paper)
        assert dark != light
        page.reload()
        page.locator("#work").wait_for()
        assert page.evaluate(paper) == dark


@pytest.mark.parametrize(("width", "scheme"), WINDOWS)
def test_every_width_in_light_and_dark(
    chromium: Browser, served: Running, width: int, scheme: str
) -> None:
    size = {"width": width, "height": SIZES[width]}
    how: dict[str, Any] = {"viewport": size, "color_scheme": scheme}
    with looking(chromium, served, token=served.token, **how) as page:
        page.locator("#work").wait_for()
        keep_screen(page, f"page-{width}-{scheme}-first")
        drawn(page, "scatter")
        drawn(page, "parallel")
        page.locator("#axes-hint").wait_for()
        keep_screen(page, f"page-{width}-{scheme}-parallel")
        drawn(page, "heatmap")
        keep_screen(page, f"page-{width}-{scheme}-heatmap")
        assert widest(page) <= width
        assert nameless(page) == []


def test_nothing_moves_for_whoever_does_not_want_it(chromium: Browser, served: Running) -> None:
    with looking(chromium, served, token=served.token, reduced_motion="reduce") as page:
        page.locator("#work").wait_for()
        moving = "getComputedStyle(document.querySelector('#busy'), '::before').animationName"
        assert page.evaluate(moving) == "none"


@pytest.mark.promise
@pytest.mark.parametrize("name", sorted(it.name for it in FOLDER.iterdir()))
def test_no_file_holds_what_the_content_policy_forbids(name: str) -> None:
    text = FOLDER.joinpath(name).read_text(encoding="utf-8")
    assert not re.search(r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|eval\(", text)
    assert not re.search(r"https?://(?!www\.w3\.org/)", text)
    if name.endswith(".html"):
        assert not re.search(r"<style|\sstyle=|\son\w+=|<script(?![^>]*\ssrc=)", text)
    assert len(text.splitlines()) <= 300 or name.endswith(".css")


def test_moving_an_axis_by_key_or_pointer_draws_the_new_order(
    chromium: Browser, served: Running
) -> None:
    with looking(chromium, served, token=served.token) as page:
        drawn(page, "parallel")
        page.locator("#axes-hint").wait_for()
        axes = page.locator("#figure-host")
        axes.get_by_role("button", name="age, axis 1").press("ArrowRight")
        title_is(page, "Parallel coordinates: bmi, age and glucose")
        assert page.locator("#form-columns .name").all_inner_texts() == ["bmi", "age", "glucose"]
        page.locator("#axes-hint").wait_for()
        first = axes.get_by_role("button", name="bmi, axis 1").bounding_box()
        last = axes.get_by_role("button", name="glucose, axis 3").bounding_box()
        assert first
        assert last
        page.mouse.move(first["x"] + first["width"] / 2, first["y"] + first["height"] / 2)
        page.mouse.down()
        page.mouse.move(first["x"] + first["width"], first["y"] + 10, steps=4)
        # The name is painted beneath what is grasped, which must not cover it.
        lifted = axes.get_by_role("button", name="bmi, axis 1")
        look = "(it) => getComputedStyle(it).background"
        assert lifted.evaluate(look).startswith("rgba(0, 0, 0, 0) none")
        keep_screen(page, "lifted-axis")
        page.mouse.move(last["x"] + last["width"] + 30, last["y"] + 10, steps=12)
        page.mouse.up()
        title_is(page, "Parallel coordinates: age, glucose and bmi")


def test_an_axis_may_not_go_anywhere_and_the_page_says_why(
    chromium: Browser, served: Running
) -> None:
    with looking(chromium, served, token=served.token) as page:
        choose(page, "parallel")
        pick(page, ["region", "age", "glucose"])
        draw(page, "Parallel coordinates: region, age and glucose")
        page.locator("#axes-hint").wait_for()
        sent = asked(page)
        axis = page.locator("#figure-host").get_by_role("button", name="region, axis 1")
        axis.press("ArrowRight")
        page.locator("#axes-note").wait_for()
        keep_screen(page, "closed-place")
        assert page.locator("#axes-note").inner_text()
        assert sent == []


def test_the_moves_of_an_axis_are_asked_with_what_is_sensitive_in_the_picture(
    chromium: Browser, published: Running
) -> None:
    def moves(page: Page) -> list[bool]:
        # The picture stands before its moves are asked, so what is waited for is their answer.
        with page.expect_response(lambda found: found.url.endswith("/orders")) as answer:
            page.locator("#draw").click()
        return [move["allowed"] for move in answer.value.json()["moves"]]

    with looking(chromium, published, token=published.token) as page:
        choose(page, "parallel")
        assert all(moves(page))
        names = page.locator("#form-columns .name").all_inner_texts()
        page.locator(f"#sensitive-{names[-1]}").check()
        assert not all(moves(page))
        page.locator("#figure-host [aria-label*='sensitive']").first.wait_for()


def test_what_does_not_fit_what_left_is_said_with_what_to_do(
    chromium: Browser, served: Running
) -> None:
    with looking(chromium, served, token=served.token) as page:
        drawn(page, "parallel")
        choose(page, "heatmap")
        page.get_by_label("Across (x)").select_option("age")
        page.get_by_label("Upwards (y)").select_option("bmi")
        page.locator("#draw").click()
        page.locator("#problem").wait_for()
        words = page.locator("#problem").inner_text()
        assert "It does not fit what was released before" in words
        assert "draw the plot that was drawn of these columns before" in words
        assert "choose other columns" in words
        keep_screen(page, "leaving")


@pytest.fixture(scope="module")
def published(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    """A server of the same cohort under the policy that makes pictures as published."""
    folder = tmp_path_factory.mktemp("published")
    with running(opened(folder, PUBLISHED), folder) as found:
        yield found


def test_pixels_follow_the_height_of_the_window_by_steps(
    chromium: Browser, published: Running
) -> None:
    with looking(chromium, published, token=published.token) as page:
        sent = asked(page)
        choose(page, "parallel")
        page.locator("#draw").click()
        page.locator("#axes-hint").wait_for()
        assert [body["pixels"] for _, body in sent] == [450]
        page.set_viewport_size({"width": 1280, "height": 810})
        page.wait_for_timeout(700)
        assert len(sent) == 1
        page.set_viewport_size({"width": 1280, "height": 640})
        until(page, lambda: len(sent) >= 2)
        page.set_viewport_size({"width": 1280, "height": 2000})
        until(page, lambda: len(sent) >= 3)
        assert [body["pixels"] for _, body in sent] == [450, 300, 500]


def test_numbers_that_are_free_can_be_set(chromium: Browser, published: Running) -> None:
    with looking(chromium, published, token=published.token) as page:
        sent = asked(page)
        page.locator("#form").wait_for()
        assert page.locator("#policy-k").inner_text() == "methods as published"
        page.get_by_label("bins", exact=True).fill("8")
        page.get_by_label("Method").select_option("suppression")
        page.get_by_label("Divided by the levels of").select_option("sex")
        draw(page, "Histogram: age by sex")
        assert sent == [
            ("histogram", {"columns": ["age"], "by": "sex", "method": "suppression", "bins": 8})
        ]
        keep_screen(page, "picture-published")
