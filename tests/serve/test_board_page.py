"""The board, in Chromium and against a real server."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest
from playwright.sync_api import expect

from tests.serve.cohort import PUBLIC, cohort, studies_of
from tests.serve.conftest import running
from tests.serve.looking import SIZES, keep_screen, looking, violations, widest
from tests.web.reading import read_bundle

if TYPE_CHECKING:
    from collections.abc import Iterator

    from playwright.sync_api import Browser, Locator, Page, Request

    from tests.serve.conftest import Running

RULES = """
name = "clinic"

[roles]
patient = "identifier"
diagnosis = "sensitive"

[labels]
bmi = "BMI (kg/m²)"
"""


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    """A server of a cohort with a copy of the whole table."""
    folder = tmp_path_factory.mktemp("board")
    with running(studies_of(folder, RULES), folder) as found:
        yield found


@pytest.fixture(scope="module")
def public(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    """A server of a public table, of whose rows clusters are drawn."""
    folder = tmp_path_factory.mktemp("public")
    with running(studies_of(folder, PUBLIC), folder) as found:
        yield found


CARDS = "article.card:not(.mini)"
#: What is drawn in another size than it gets is drawn again, two frames later.
FRAMES = """async () => {
  for (let i = 0; i < 4; i += 1) await new Promise((done) => requestAnimationFrame(done));
}"""


def opened_page(page: Page) -> None:
    """Wait until the columns are seen."""
    page.locator(".mini .pic svg").first.wait_for()


def pick(page: Page, *columns: str) -> None:
    for name in columns:
        page.locator(f'.col[data-column="{name}"]').click()


def make(page: Page, kind: str, *columns: str) -> Locator:
    """Make a picture of columns, and return its card."""
    before = page.url.partition("cards=")[2].partition("&")[0]
    pick(page, *columns)
    dock = page.locator(".dock")
    wanted = dock.get_by_role("button", name=re.compile(rf"^{kind}\b"))
    if not wanted.count():
        dock.get_by_role("button", name="More", exact=True).click()
        wanted = page.locator("#pop").get_by_role("button", name=re.compile(rf"^{kind}\b"))
    wanted.first.click()
    expect(page.locator(CARDS)).to_have_count(len(before.split(";")) + 1 if before else 1)
    card = page.locator(CARDS).last
    drawn(card)
    return card


def drawn(card: Locator) -> None:
    """Wait until a card has its picture."""
    card.locator(".pic :is(svg, table, canvas)").first.wait_for()
    card.page.evaluate(FRAMES)


def act(page: Page, card: Locator, name: str) -> None:
    """Do something of the menu of a card."""
    card.get_by_role("button", name="More for this picture").click()
    page.locator("#pop").get_by_role("button", name=name, exact=True).click()


def posted(page: Page) -> list[str]:
    """Return a list that fills with the paths that are posted to from now on."""
    found: list[str] = []

    def note(request: Request) -> None:
        if request.method == "POST":
            found.append(request.url.partition("/api/")[2])

    page.on("request", note)
    return found


@pytest.mark.slow
def test_every_column_is_seen_first(chromium: Browser, whole: Running) -> None:
    with looking(chromium, whole, token=whole.token) as page:
        opened_page(page)
        names = page.locator(".mini").evaluate_all("all => all.map((it) => it.dataset.column)")
        assert names == [name for name in cohort().column_names if name != "patient"]
        version = whole.served.version[:8]
        assert page.locator("h1").inner_text() == f"cohort.csv version {version}"
        assert page.locator(".promise").inner_text().startswith("Redrawn rows: nobody's.")
        keep_screen(page, "overview")
        page.get_by_label("Find a column").fill("hd")
        assert page.locator(".col").evaluate_all("a => a.map((it) => it.dataset.column)") == ["hdl"]


@pytest.mark.slow
def test_the_rows_that_filters_keep_are_read_as_a_table(chromium: Browser, whole: Running) -> None:
    with whole.client() as client:
        _, file = read_bundle(client.get("/api/rows").content)
    ages = file["age"].tolist()
    kept = [i for i, age in enumerate(ages) if age >= 40]
    size = {"width": 390, "height": SIZES[390]}
    board = "#where=age%20%3E%3D%2040&new=double:2%20*%20age"
    with looking(chromium, whole, token=whole.token, viewport=size) as page:
        opened_page(page)
        page.evaluate("(board) => { location.hash = board; }", board)
        opener = page.locator("[data-act=rows]")
        expect(opener).to_have_text(f"{len(kept)} of {len(ages)} rows")
        opener.focus()
        page.keyboard.press("Enter")
        said = page.locator("#pop [role=status]")
        expect(said).to_have_text(f"Rows 1 to 100 of {len(kept)}")
        page.get_by_role("button", name="Later").click()
        expect(said).to_have_text(f"Rows 101 to 200 of {len(kept)}")
        seen = page.locator(".rows tr").evaluate_all(
            "all => all.map((row) => [...row.cells].map((it) => it.textContent))"
        )
        names = [*file, "double"]
        assert len(seen[0]) == len(names)
        assert seen[0][-1] == "double"
        for name, of in {"age": ages, "double": [2 * it for it in ages]}.items():
            shown = [float(row[names.index(name)]) for row in seen[1:]]
            assert shown == [of[i] for i in kept[100:200]]
        place = names.index("region")
        regions = [file["region"][i] or "missing" for i in kept[100:200]]
        assert [row[place] for row in seen[1:]] == regions
        assert violations(page) == []
        assert widest(page) <= 390
        keep_screen(page, "rows")
        page.keyboard.press("Escape")
        expect(page.locator("#pop")).to_be_hidden()
        assert opener.evaluate("(it) => it === document.activeElement")
        page.keyboard.press("Control+k")
        page.keyboard.type("rows as a table")
        page.keyboard.press("Enter")
        expect(said).to_have_text(f"Rows 1 to 100 of {len(kept)}")


@pytest.mark.slow
def test_a_card_is_changed_and_the_address_holds_it(chromium: Browser, whole: Running) -> None:
    with looking(chromium, whole, token=whole.token) as page:
        opened_page(page)
        asked = posted(page)
        card = make(page, "Histogram", "bmi")
        assert card.locator("h2").inner_text() == "BMI"
        foot = card.locator(".foot")
        assert foot.inner_text().startswith("All 456 rows")
        expect(foot).to_have_text(re.compile(r"bars may be off by up to [\d.]+ points$"))
        act(page, card, "Duplicate")
        expect(page.locator(CARDS)).to_have_count(2)
        assert page.url.endswith("#cards=histogram:bmi;histogram:bmi")
        act(page, page.locator(CARDS).last, "Remove")
        expect(page.locator(CARDS)).to_have_count(1)
        page.go_back()
        expect(page.locator(CARDS)).to_have_count(2)
        page.reload()
        expect(page.locator(f"{CARDS}:has(.bar)")).to_have_count(2)
        # All of it was computed of the rows, but for how far the copy is off.
        assert {*asked} == {"copy/histogram"}


@pytest.mark.slow
def test_a_token_is_asked_for_and_stays_out_of_the_address(
    chromium: Browser, whole: Running
) -> None:
    with looking(chromium, whole) as page:
        field = page.get_by_label("Token")
        field.fill("discreet_nobody")
        page.get_by_role("button", name="Open the study").click()
        page.get_by_text("does not accept this token").wait_for()
        field.fill(whole.token)
        page.get_by_role("button", name="Open the study").click()
        opened_page(page)
        card = make(page, "Histogram", "bmi")
        drawn(card)
        page.evaluate(f"location.hash = '#token={whole.custodian}'")
        page.get_by_role("button", name="Your token").click()
        page.get_by_text("custodian", exact=True).wait_for()
        assert whole.custodian not in page.url
        assert page.url.endswith("#cards=histogram:bmi")
        history = page.evaluate("history.length")
        assert history < 6


@pytest.mark.slow
def test_of_a_public_table_clusters_are_drawn_by_the_server(
    chromium: Browser, public: Running
) -> None:
    with looking(chromium, public, token=public.token) as page:
        page.locator(".col").first.wait_for()
        assert page.locator(".promise").inner_text().startswith("PUBLIC")
        card = make(page, "Parallel", "age", "bmi", "diagnosis")
        assert card.locator("h2").inner_text()
        keep_screen(page, "public")


@pytest.mark.slow
def test_models_and_what_is_explained_are_of_the_rows_that_are_shown(
    chromium: Browser, whole: Running
) -> None:
    address = "cards=residuals::formula=glucose%20~%20age"
    with looking(chromium, whole, token=f"{whole.token}&{address}") as page:
        card = page.locator(CARDS)
        drawn(card)
        foot = card.locator(".foot")
        before = foot.inner_text()
        card.get_by_role("button", name="How this picture was made").click()
        page.evaluate("location.hash += '&where=age%20%3E%3D%2045'")
        page.locator(".where .chip").wait_for()
        expect(foot).to_have_text(re.compile(r"\bAll \d+ rows"))
        expect(foot).not_to_have_text(before)
        expect(page.locator(".drawer")).to_contain_text("Of it: only rows where age >= 45.")
        expect(page.locator(".drawer .soft").first).to_have_text(foot.inner_text())


SCRIPT = "<img src=x onerror=alert(1)>"


@pytest.mark.slow
def test_what_is_handed_in_and_what_becomes_of_it(chromium: Browser, whole: Running) -> None:
    with looking(chromium, whole, token=whole.token) as page:
        opened_page(page)
        card = make(page, "Histogram", "bmi")
        card.get_by_role("button", name="More for this picture").click()
        keep_screen(page, "card-menu")
        page.get_by_role("button", name="Hand in to the checker…").click()
        words = page.get_by_label("What it is for")
        expect(words).to_be_focused()
        page.keyboard.type(f"figure 1 {SCRIPT}")
        page.get_by_label("As a file").select_option("SVG")
        assert violations(page) == []
        keep_screen(page, "hand-in")
        page.keyboard.press("Tab")
        page.keyboard.press("Enter")
        expect(page.locator("#toast")).to_contain_text("Handed in “BMI”")
        with whole.client(whole.custodian) as custodian:
            (told,) = custodian.get("/api/custodian/outputs").json()["outputs"]
            assert told["reviews"][0]["text"] == f"figure 1 {SCRIPT}"
            body = {"what": "rejected", "text": "bins too fine"}
            assert custodian.post(f"/api/custodian/outputs/{told['id']}", json=body).is_success
        page.get_by_role("button", name="Your token").click()
        page.get_by_role("button", name="Your outputs").click()
        page.locator(".handed summary").click()
        expect(page.locator(".handed .state")).to_have_text("rejected")
        expect(page.locator(".handed .said")).to_contain_text("bins too fine")
        expect(page.locator(".handed .said")).to_contain_text(SCRIPT)
        assert page.locator("#pop img").count() == 0
        assert violations(page) == []
        page.get_by_label("Comment").fill("made again with fewer")
        page.get_by_role("button", name="Comment").click()
        expect(page.locator("#toast")).to_contain_text("Commented on")
        expect(page.locator(".handed summary")).to_be_focused()
        keep_screen(page, "your-outputs")
        expect(page.locator(".handed .said li")).to_have_count(3)
