"""A session at the board: fifteen steps of an analyst, and every kind of picture at each width."""

from __future__ import annotations

import json
import re
from collections import Counter
from datetime import date, timedelta
from typing import TYPE_CHECKING, Any
from urllib.parse import quote
from xml.etree import ElementTree

import numpy as np
import pytest
from matplotlib.image import imread
from playwright.sync_api import expect
from pyarrow import Table, array

from discreet.explore.file_checks import read
from discreet.provenance import Provenance
from discreet.serve.tokens import add_token
from tests.serve.cohort import NAME, cohort, studies_of
from tests.serve.conftest import running
from tests.serve.looking import SIZES, WINDOWS, keep_screen, looking, violations, widest
from tests.serve.test_board_page import CARDS, FRAMES, RULES, act, drawn, make, opened_page

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from playwright.sync_api import Browser, Page

    from tests.serve.conftest import Running

pytestmark = pytest.mark.slow

EVERY = {
    "histogram": "histogram:bmi",
    "outlines": "histogram:glucose:by=sex:overlay=true",
    "panels": "histogram:bmi:by=region",
    "bars": "bars:region:by=sex",
    "percent": "bars:region:by=sex:percent=true",
    "scatter": "scatter:age,bmi",
    "heatmap": "heatmap:age,bmi",
    "contour": "contour:age,bmi",
    "box": "box:bmi:by=region",
    "violin": "violin:bmi:by=sex",
    "density": "density:bmi",
    "ecdf": "ecdf:bmi:by=sex",
    "crosstab": "crosstab:sex,region",
    "correlations": "correlations:age,bmi,ldl,hdl",
    "survival": "survival:followup,died:by=smoker",
    "over_time": "over_time:visit",
    "parallel": "parallel:age,sex,bmi,glucose:colour=region:wide=true",
    "summary": "summary:age,sex,bmi:by=region",
    "means": "means:bmi:by=region",
    "model": "model::formula=glucose%20~%20age%20%2B%20bmi",
    "residuals": "residuals::formula=glucose%20~%20age%20%2B%20bmi",
    "qq": "qq::formula=glucose%20~%20age%20%2B%20bmi",
    "leverage": "leverage::formula=glucose%20~%20age%20%2B%20bmi",
}


NEW = "location.hash += '&new=log_bmi:log(bmi),age_group:cut(age%2C%2050%2C%2060)'"


def followed() -> Table:
    """Return the cohort with a visit, smoking, and a time to an event, in a known order."""
    table = cohort()
    rows = table.num_rows
    place = np.arange(rows)
    visits = [date(2019, 1, 1) + timedelta(days=int(it * 3 % 900)) for it in place]
    table = table.append_column("visit", array([it.isoformat() for it in visits]))
    table = table.append_column(
        "smoker", array([("never", "now")[int(it * 7 % 3 == 0)] for it in place])
    )
    time = 0.2 + (place * 37 % 590) / 100
    table = table.append_column("followup", array(time))
    return table.append_column(
        "died", array([("no", "yes")[int(it * 11 % 4 == 0)] for it in place])
    )


@pytest.fixture(scope="module")
def study(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    """A server of a cohort that was followed."""
    folder = tmp_path_factory.mktemp("session")
    with running(studies_of(folder, RULES, followed()), folder) as found:
        yield found


def filtered(page: Page, text: str) -> None:
    """Add a filter that is written by hand."""
    page.get_by_role("button", name="+ Filter").click()
    pop = page.locator("#pop")
    pop.get_by_role("button", name="Write it yourself").click()
    pop.locator("textarea, input[name=text]").first.fill(text)
    pop.get_by_role("button", name="Add the filter").click()


def test_fifteen_steps(chromium: Browser, study: Running) -> None:
    with looking(chromium, study, token=study.token) as page:
        opened_page(page)  # 1: the overview
        page.locator('.mini[data-column="sex"] [data-m="0"]').click()  # 2: women ...
        page.get_by_role("button", name="Keep only these").click()
        filtered(page, "age >= 40")  # ... over 40
        expect(page.locator(".where .chip")).to_have_count(2)
        page.evaluate(NEW)  # 3, 4: the log of a column, categories of another
        page.locator('.col[data-column="age_group"]').wait_for()
        card = make(page, "Scatter plot", "log_bmi", "glucose")  # 5
        assert card.locator("h2").inner_text().lower().startswith("glucose against log_bmi")
        page.get_by_role("button", name="Remove the filter").first.click()
        page.get_by_role("button", name="Remove the filter").first.click()
        card = make(page, "Survival", "followup", "died", "smoker")  # 6
        card = make(page, "Parallel", "age", "sex", "bmi", "glucose", "region")  # 7
        card.locator(".grip").first.press("ArrowRight")
        expect(page.locator(CARDS).last.locator("h2")).to_have_text(
            re.compile("^Sex → age", re.IGNORECASE)
        )
        make(page, "Correlations", "age", "bmi", "ldl", "hdl")  # 8
        make(page, "Bar chart", "region", "sex")  # 9
        expect(page.locator(".allow")).to_be_hidden()  # all of it is free
        make(page, "Box plot", "bmi", "region")  # 10
        act(page, page.locator(CARDS).last, "Duplicate")  # 11
        expect(page.locator(CARDS)).to_have_count(7)
        page.keyboard.press("Control+z")  # 12
        expect(page.locator(CARDS)).to_have_count(6)
        page.keyboard.press("Control+Shift+z")
        expect(page.locator(CARDS)).to_have_count(7)
        filtered(page, "age > 200")  # 13: a refusal, and what it offers is taken
        page.locator("main").get_by_text("Fewer than 50 rows fit these filters").wait_for()
        page.get_by_role("button", name="Switch the last filter off").click()
        expect(page.locator(CARDS)).to_have_count(7)
        assert page.get_by_text("Not drawn ·").count() == 0
        page.reload()  # 14
        expect(page.locator(f"{CARDS} .pic :is(svg, table)")).to_have_count(7)
        address = page.url.partition("#")[2]
        keep_screen(page, "session")
    other = add_token(study.studies.store, NAME, "bob")
    with looking(chromium, study, token=f"{other}&{address}") as page:  # 15: somebody else
        expect(page.locator(f"{CARDS} .pic :is(svg, table)")).to_have_count(7)


@pytest.mark.parametrize(("width", "scheme"), WINDOWS)
def test_every_kind_at_every_width(
    chromium: Browser, study: Running, width: int, scheme: str
) -> None:
    how: dict[str, Any] = {"viewport": {"width": width, "height": SIZES[width]}}
    token = f"{study.token}&cards={';'.join(EVERY.values())}"
    how |= {"color_scheme": scheme, "reduced_motion": "reduce"}
    with looking(chromium, study, token=token, **how) as page:
        cards = page.locator(CARDS)
        expect(cards).to_have_count(len(EVERY))
        for place, name in enumerate(EVERY):
            drawn(cards.nth(place))
            assert cards.nth(place).locator(".no").count() == 0, name
        keep_screen(page, f"every-kind-{width}-{scheme}")
        assert widest(page) <= width
        assert violations(page) == []
        if width == 1280:
            page.evaluate("location.hash += '&where=age%20%3E%3D%2035'")  # filtered
            all_drawn(page, len(EVERY))
            expect(page.locator(".bhead .say")).to_contain_text(re.compile(r"\d+ of \d+ rows"))


def all_drawn(page: Page, count: int) -> None:
    """Wait until so many cards are there, and each has its picture."""
    expect(page.locator(CARDS)).to_have_count(count)
    expect(page.locator(f"{CARDS} .pic:has(svg, table)")).to_have_count(count)
    expect(page.locator(f"{CARDS} .no")).to_have_count(0)
    page.evaluate(FRAMES)


def test_every_kind_can_be_walked_and_explained(chromium: Browser, study: Running) -> None:
    token = f"{study.token}&cards={';'.join(EVERY.values())}"
    with looking(chromium, study, token=token) as page:
        cards = page.locator(CARDS)
        expect(cards).to_have_count(len(EVERY))
        for place in range(len(EVERY)):
            card = cards.nth(place)
            drawn(card)
            card.get_by_role("button", name="How this picture was made").click()
            drawer = page.locator(".drawer")
            for heading in ("How it was made", "What it promises", "What it does not promise"):
                expect(drawer.get_by_role("heading", name=heading, exact=True)).to_have_count(1)
            page.keyboard.press("Escape")
            card.locator(".pic :is(svg, table)").first.focus()
            if card.locator("[data-m]").count():
                page.keyboard.press("ArrowRight")
                page.locator(".cur").first.wait_for()
                assert page.locator("#live").inner_text()
                page.keyboard.press("Escape")


SEEN_ON_CARD = """card => {
  const seen = (it) => {
    const { fill, fillOpacity, stroke, strokeWidth, display } = getComputedStyle(it);
    const inked = (ink) => ink !== "none" && !/, 0\\)$/.test(ink);
    return display !== "none" && !it.matches(".dot") &&
      ((inked(fill) && fillOpacity > 0) || (inked(stroke) && parseFloat(strokeWidth) > 0));
  };
  const names = ["d", "x", "y", "x1", "y1", "x2", "y2", "cx", "cy", "r", "width", "height"];
  const all = (what) => [...card.querySelectorAll(`.pic ${what}`)];
  const marks = all("> svg :is(rect, line, circle, path, text)").filter(seen);
  const cells = all(":is(td, th, caption, p)").filter((it) => !it.closest(".unseen"));
  const placed = (it) => [it.localName, ...names.map((name) => it.getAttribute(name) || "")];
  return {
    marks: marks.map((it) => placed(it).join(" ")),
    words: [...marks.map((it) => it.textContent), ...cells.map((it) => it.innerText)],
    title: card.querySelector("h2").textContent,
    warn: card.querySelector(".unreliable:not([hidden])")?.textContent || "",
    foot: card.querySelector(".foot").textContent,
    keys: [...card.querySelectorAll(".ctl .key")].map((it) => it.textContent),
    canvas: card.querySelector(".pic canvas") !== null,
  };
}"""
SVG = "{http://www.w3.org/2000/svg}"
PLACED = ("d", "x", "y", "x1", "y1", "x2", "y2", "cx", "cy", "r", "width", "height")
WHOLLY = ("histogram", "scatter", "survival", "parallel", "means")
"""Kinds that are saved in every form: but for SVG and PNG the server makes them."""


def test_every_kind_is_saved_as_it_stands(
    chromium: Browser, study: Running, tmp_path: Path
) -> None:
    token = f"{study.token}&cards={';'.join(EVERY.values())}"
    with looking(chromium, study, token=token, color_scheme="dark") as page:
        cards = page.locator(CARDS)
        all_drawn(page, len(EVERY))  # a card is as high as those beside it
        for place, name in enumerate(EVERY):
            card = cards.nth(place)
            drawn(card)
            forms = ["SVG", "PNG", *(["JSON", "HTML", "PDF"] if name in WHOLLY else [])]
            for form in forms:
                with page.expect_download() as found:
                    act(page, card, f"Save as {form}")
                found.value.save_as(tmp_path / f"{name}.{form.lower()}")
            page.mouse.move(0, 0)
            check_drawing(tmp_path / f"{name}.svg", card.evaluate(SEEN_ON_CARD), name)
            check_pixels(tmp_path / f"{name}.png", tmp_path / f"{name}.svg")
            for form in forms:
                words = read(tmp_path / f"{name}.{form.lower()}").words
                assert words is not None, name
                assert Provenance.from_text(words).is_genuine(study.served.file.key), name
            if name in WHOLLY:
                assert json.loads((tmp_path / f"{name}.json").read_text("utf-8"))["kind"] == name
                assert (tmp_path / f"{name}.html").read_text("utf-8").rstrip().endswith("</html>")


def check_drawing(path: Path, card: dict[str, Any], name: str) -> None:
    """Compare the marks and words of a file with those of the card, each where it stands."""
    text = path.read_text("utf-8")
    root = ElementTree.fromstring(text)
    lines = ["".join(it.itertext()) for it in root.iter(f"{SVG}text")]
    joined = "".join("".join(lines).split())
    for said in (card["title"], card["foot"], *card["keys"], *card["words"]):
        assert "".join(said.split()) in joined, (name, said)
    assert re.search(r"cohort.csv · version \w{8} · view \w{8}", " ".join(lines)), name
    above = "".join(card["warn"].split())
    keys_from = joined.index(above) + len(above)
    order = [joined.index("".join(it.split()), keys_from) for it in card["keys"]]
    assert order == sorted(order), name
    assert root.findtext(f"{SVG}title") == card["title"]
    assert card["foot"] in (root.findtext(f"{SVG}desc") or "")
    saved = Counter(
        " ".join([it.tag.removeprefix(SVG), *(it.get(at, "") for at in PLACED)])
        for it in root.iter()
    )
    missing = Counter(card["marks"]) - saved
    assert not missing, (name, missing)
    circles = sum(count for mark, count in saved.items() if mark.startswith("circle"))
    assert not card["canvas"] or circles >= 400, name  # of 429 rows, some alike
    outside = re.findall(r"https?:[^\s\"]+", text.partition('<metadata id="provenance">')[0])
    assert outside == ["http://www.w3.org/2000/svg"], name
    assert not re.search(r"var\(|url\(|class=|style=|<script|<style|<foreign", text), name


def check_pixels(png: Path, svg: Path) -> None:
    """Check that an image is twice as large as the drawing, and shows something."""
    root = ElementTree.parse(svg).getroot()
    pixels = imread(png)
    assert pixels.shape[:2] == (2 * int(root.get("height", 0)), 2 * int(root.get("width", 0)))
    assert 0.01 < np.mean(pixels[..., :3].min(axis=-1) < 0.95) < 0.8, png.name


WORDS = {
    "age": "العمر بالسنوات عند الزيارة الأولى",
    "bmi": "体格指数、初回訪問時に測定された値",
    "sex": "🧑‍🤝‍🧑 sex",
    "region": "a name that is longer than any column has room for on a phone or in a rail",
}
SEEN: dict[str, dict[str, Any]] = {
    "at 200 %": {"viewport": {"width": 640, "height": 400}},
    "in forced colours": {"forced_colors": "active"},
    "by touch": {"viewport": {"width": 390, "height": 844}, "has_touch": True},
}


@pytest.fixture(scope="module")
def named(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    """A server of a cohort whose columns and levels have names of all scripts."""
    folder, table = tmp_path_factory.mktemp("named"), cohort()
    regions = [{"north": "شمال", "south": "南の地方 🌞"}[it] for it in table["region"].to_pylist()]
    place = table.column_names.index("region")
    table = table.set_column(place, "region", array(regions))
    table = table.rename_columns([WORDS.get(it, it) for it in table.column_names])
    with running(studies_of(folder, RULES.partition("[labels]")[0], table), folder) as found:
        yield found


@pytest.mark.parametrize("how", SEEN.values(), ids=[*SEEN])
def test_names_of_all_scripts(chromium: Browser, named: Running, how: dict[str, Any]) -> None:
    names = {key: quote(word) for key, word in WORDS.items()}
    cards = (
        f"histogram:{names['bmi']}:by={names['region']}:overlay=true",
        f"bars:{names['region']}:by={names['sex']}",
        f"parallel:{names['age']},{names['sex']},{names['bmi']}:wide=true",
        f"crosstab:{names['sex']},{names['region']}",
    )
    token = f"{named.token}&cards={';'.join(cards)}"
    with looking(chromium, named, token=token, reduced_motion="reduce", **how) as page:
        all_drawn(page, len(cards))
        keep_screen(page, f"names-{how.get('forced_colors') or page.viewport_size}")
        assert widest(page) <= (page.viewport_size or {"width": 1280})["width"]
        assert violations(page) == []
        bar = page.locator(CARDS).nth(1).locator("[data-m]").first
        if how.get("has_touch"):
            bar.tap()
        else:
            bar.click()
        assert "شمال" in page.locator(".dock .held").inner_text()
        page.emulate_media(media="print")
        expect(page.locator(".rail")).to_be_hidden()
        expect(page.locator(f"{CARDS} .pic").first).to_be_visible()
