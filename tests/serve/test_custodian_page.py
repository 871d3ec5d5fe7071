"""The custodian's page, in Chromium and against a real server."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

import pytest
from playwright.sync_api import expect

from discreet.records.outputs import hand_in_bytes, list_outputs, review
from discreet.serve.outputs import rules_in_force
from discreet.serve.record import ANSWERED, LogEntry, write_entry
from discreet.serve.tokens import Caller, add_token
from tests.serve.cohort import NAME, studies_of
from tests.serve.conftest import running
from tests.serve.looking import SIZES, WINDOWS, keep_screen, looking, nameless, violations, widest

if TYPE_CHECKING:
    from collections.abc import Iterator

    from playwright.sync_api import Browser, Page

    from tests.serve.conftest import Running

PATH = "/custodian"
# Of a picture, once it is there: one without an address yet cannot be decoded.
WIDTH = """async (it) => {
  while (!it.naturalWidth) await new Promise((done) => setTimeout(done, 20));
  return it.naturalWidth;
}"""
LONG = "a-name-of-sixty-four-letters-that-goes-on-and-on-until-it-is-full"[:64]

# `make test` has one of them; `make test-all` has all.
pytestmark = pytest.mark.slow


def ask_some(served: Running) -> None:
    """Ask for some things: shown, twice, refused, saved."""
    with served.client() as client:
        view = client.post("/api/views/histogram", json={"columns": ["age"]}).json()["id"]
        client.post("/api/views/histogram", json={"columns": ["age"]})
        client.post("/api/views/bars", json={"columns": ["sex"]})
        client.post("/api/views/histogram", json={"columns": ["age"], "k": 7})
        client.get(f"/api/views/{view}/figure.svg")


@pytest.fixture(scope="module")
def asked(served: Running) -> Running:
    """Return the server, of which some things were asked, with tokens of several names."""
    ask_some(served)
    for name in ("eva", LONG, "מרים"):
        add_token(served.studies.store, NAME, name)
    hand_in_some(served)
    return served


def hand_in_some(served: Running) -> None:
    """Hand in two pictures and a table, of which the server knows what its checks said."""
    with served.client() as client:
        view = client.post("/api/views/histogram", json={"columns": ["age"]}).json()["id"]
        drawn = client.get(f"/api/views/{view}/figure.svg").content
    store, now = served.studies.store, rules_in_force(served.served)
    says = ["made of what the server answered", "at least 5 people behind each mark"]
    for name, kind, status in (
        ("age.svg", "histogram", "pass"),
        ("table.csv", "table", "review"),
        ("age, again.svg", "histogram", "pass"),
    ):
        body = drawn + f"<!-- {name} -->\n".encode()
        record = {"status": status, "kind": kind, "command": f"{kind}(age)", "says": says}
        output = hand_in_bytes(store, NAME, now, name, body, record)
    review(store, NAME, output.id, "comment", "for figure 1 of the paper", now, "token alice")
    review(store, NAME, output.id, "rejected", "bins too fine", now, "token carol")


@pytest.fixture(scope="module")
def quiet(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    """Return a server whose record tests only look at."""
    folder = tmp_path_factory.mktemp("quiet")
    with running(studies_of(folder), folder) as served:
        ask_some(served)
        yield served


def opened(page: Page) -> None:
    """Wait until all that is told at first is there."""
    page.locator("#rows > div, #rows > details").first.wait_for()
    page.get_by_text("The log is whole.").wait_for()
    expect(page.locator("#waits")).not_to_be_empty()


def rows(page: Page) -> list[str]:
    """Return what the lines of the record say that are seen, without their times."""
    lines = page.locator("#rows .line:visible, #rows summary:visible").all_inner_texts()
    return [" ".join(it.split()[1:]) for it in lines]


def counted(page: Page, count: int) -> None:
    """Wait until so many entries fit."""
    expect(page.locator("#nlog")).to_have_text(re.compile(f"^{count} of"))


def shows(page: Page, *entries: str) -> None:
    """Wait until the record shows some entries and no others."""
    for _ in range(400):
        if rows(page) == [*entries]:
            return
        page.wait_for_timeout(50)
    assert rows(page) == [*entries]


def test_a_visit_is_a_line_that_unfolds(chromium: Browser, quiet: Running) -> None:
    with looking(chromium, quiet, PATH, token=quiet.custodian) as page:
        opened(page)
        assert rows(page) == ["alice Took 1 file, looked at 3 pictures 1 refused"]
        page.locator("#rows .visit > summary").click()
        assert rows(page)[1:] == [
            "Took as SVG: Histogram of age taken",
            "Wanted: Histogram refused",
            "Looked at: Bar chart of sex",
            "Looked at: Histogram of age",
            "Looked at: Histogram of age",
        ]
        assert "5 of 5 entries" in page.locator("#nlog").inner_text()
        bars = page.locator("#hours g")
        assert bars.count() == 24
        labels = " ".join(str(it.get_attribute("aria-label")) for it in bars.all())
        for kind, count in {"shown": 3, "left": 1, "refused": 1}.items():
            assert sum(map(int, re.findall(rf"(\d+) {kind}", labels))) == count
        assert quiet.token not in page.content()


def test_the_record_is_filtered_by_kind_caller_words_and_time(
    chromium: Browser, quiet: Running
) -> None:
    with looking(chromium, quiet, PATH, token=quiet.custodian) as page:
        opened(page)
        page.get_by_role("button", name="Taken", exact=True).click()
        counted(page, 1)
        shows(page, "alice Took as SVG: Histogram of age taken")
        page.get_by_role("button", name="All", exact=True).click()
        page.get_by_label("Find in the log").fill("SEX")
        counted(page, 1)
        shows(page, "alice Looked at: Bar chart of sex looked at")
        page.get_by_label("Find in the log").fill("no such words")
        page.get_by_text("No entry fits.").wait_for()
        page.get_by_label("Find in the log").fill("")
        counted(page, 5)
        page.get_by_label("By whom").select_option("carol")
        page.get_by_text("No entry fits.").wait_for()
        page.get_by_role("button", name="Show what alice took").click()
        shows(page, "alice Took as SVG: Histogram of age taken")
        expect(page.locator("#log")).to_be_focused()
        page.get_by_label("By whom").select_option("everybody")
        page.get_by_role("button", name="Refused", exact=True).click()
        shows(page, "alice Wanted: Histogram refused")
        page.locator("#rows summary").click()
        told = page.locator(".told")
        expect(told).to_contain_text("The policy of this study does not allow it.")
        expect(told).to_contain_text("Nothing was given out.")
        page.get_by_role("button", name="All", exact=True).click()
        counted(page, 5)
        # All are of one hour, but for those of two that were asked as it struck.
        page.locator("#hours g:has(.shown, .left, .refused)").last.click()
        page.locator("#chips .chip").wait_for()
        expect(page.locator("#nlog")).to_have_text(re.compile("^[1-5] of"))
        assert page.locator("#hours g[aria-pressed=true]").count() == 1


def test_the_timeline_is_walked_by_keys(chromium: Browser, quiet: Running) -> None:
    with looking(chromium, quiet, PATH, token=quiet.custodian) as page:
        opened(page)
        assert page.locator("#hours g[tabindex='0']").count() == 1
        page.locator("#hours g[tabindex='0']").focus()
        page.keyboard.press("Home")
        page.keyboard.press("ArrowRight")
        page.keyboard.press("Enter")
        page.get_by_text("No entry fits.").wait_for()
        pressed = "[...document.querySelectorAll('#hours g')].findIndex(it => it.matches(':focus'))"
        assert page.evaluate(pressed) == 1
        page.keyboard.press("Escape")
        counted(page, 5)


def test_a_picture_is_opened_from_the_record_and_from_an_output(
    chromium: Browser, asked: Running
) -> None:
    with looking(chromium, asked, PATH, token=asked.custodian) as page:
        opened(page)
        page.get_by_label("Find in the log").fill("svg")
        page.locator("#rows summary", has_text="Took as SVG: Histogram of age").last.click()
        page.get_by_role("button", name="Open the picture: Histogram of age").last.click()
        page.locator("#view-dialog .pic svg").wait_for()
        assert page.locator("#view-title").inner_text() == "Histogram of age"
        keep_screen(page, "custodian-picture")
        assert violations(page) == []
        page.keyboard.press("Escape")
        page.locator("#view-dialog").wait_for(state="hidden")


def test_who_has_what_and_links_are_made_changed_and_revoked(
    chromium: Browser, asked: Running
) -> None:
    earlier = LogEntry(NAME, "0123456789abcdef", "rows", "", None)
    write_entry(asked.studies.store, Caller("token alice", "analyst"), earlier, ANSWERED)
    with looking(chromium, asked, PATH, token=asked.custodian) as page:
        opened(page)
        now = asked.served.version[:8]
        assert page.locator("#study-version").inner_text().strip() == f"version {now}"
        of_alice = page.locator("#people tr", has_text="alice")
        of_earlier, of_now = (it.split("\t")[1:4:2] for it in of_alice.all_inner_texts())
        assert of_earlier == ["01234567 earlier", "all rows Show"]
        assert of_now[0] == f"{now} served now"
        assert "2 figures looked at" in of_now[1]  # and more, if other tests have asked already
        expect(page.locator("#people-hint")).to_contain_text("1 person has all rows of the copy")
        assert page.locator("#versions tr").all_inner_texts()[1].split("\t")[2] == "alice"
        row = page.locator("#people tr", has_text="eva")
        before = row.inner_text()
        assert "nothing" in before
        page.get_by_role("button", name="Change the link of eva").click()
        assert violations(page) == []
        page.locator(".terms").get_by_label("Days from now").fill("900")
        page.keyboard.press("Enter")
        page.locator("#rows", has_text="Changed the link of eva: 900 days").wait_for()
        assert row.inner_text() != before
        page.get_by_role("button", name="Revoke the link of eva").click()
        page.get_by_role("button", name="Revoke the link of eva now?").click()
        page.locator("#people tr.off", has_text="eva").wait_for()
        assert page.locator("#people tr", has_text="carol").get_by_role("button").count() == 0
        page.get_by_role("button", name="New link").click()
        page.get_by_label("Name", exact=True).fill("dora")
        page.keyboard.press("Enter")
        link = page.locator("#once code").inner_text()
        page.locator("#people tr", has_text="dora").wait_for()
        assert link.startswith(f"{asked.url}/#token=discreet_")
        with asked.client(link.partition("=")[2]) as dora:
            assert dora.get("/api/study").status_code == 200
        page.get_by_label("Name", exact=True).fill("dora")
        page.keyboard.press("Enter")
        page.locator("#once.no", has_text="here is or was a token named").wait_for()


def test_columns_and_rules_of_the_policy_are_said(chromium: Browser, asked: Running) -> None:
    with looking(chromium, asked, PATH, token=asked.custodian) as page:
        opened(page)
        columns = page.locator("#columns tr").all_inner_texts()
        assert [it.split("\t")[::2] for it in columns][:2] == [
            ["age", "numbers"],
            ["sex", "levels"],
        ]
        assert (
            page.locator("#remarks").inner_text().startswith("Not in the protected copy: patient")
        )
        first = page.locator("#rules li").first
        assert first.inner_text().startswith("At least 5 people stand behind")
        shown = page.locator("#rules li").count()
        page.get_by_role("button", name="Show all").click()
        assert page.locator("#rules li").count() > shown


def test_outputs_are_looked_at_and_decided(chromium: Browser, asked: Running) -> None:
    with looking(chromium, asked, PATH, token=asked.custodian) as page:
        opened(page)
        expect(page.locator("#waits")).to_contain_text("2 outputs to check")
        shown = page.locator("#outputs img")
        assert shown.evaluate(WIDTH) > 100
        assert shown.get_attribute("alt") == "Histogram"
        expect(page.locator("#outputs pre")).to_contain_text("svg")  # how a table's text begins
        assert violations(page) == []
        page.get_by_role("button", name="Reject: Histogram (SVG)").click()
        expect(page.locator("#outputs .no").last).to_contain_text("Give a reason")
        page.locator("#outputs").get_by_label("Reason or comment").last.fill("too fine")
        page.get_by_role("button", name="Reject: Histogram (SVG)").click()
        expect(page.locator("#noutputs")).to_have_text("1 of 3 outputs waiting")
        expect(page.locator("#h-outputs")).to_be_focused()
        page.locator("#decided > summary").click()
        expect(page.locator("#decided .said").last).to_contain_text("too fine")
        assert page.locator("#decided img").first.evaluate(WIDTH) > 100
        keep_screen(page, "custodian-outputs")
        page.get_by_role("button", name="Check 1 file that alice took").click()
        expect(page.locator("#waits")).to_contain_text("2 outputs to check")
        assert page.locator("#downloaded li").count() == 0
        expect(page.locator("#h-outputs")).to_be_focused()
        expect(page.locator("#outputs h3").first).to_have_text(re.compile("Histogram of age"))
    now = rules_in_force(asked.served)
    states = {it.name: it.state(now) for it in list_outputs(asked.studies.store)}
    collected = next(name for name in states if name.startswith("discreet-"))
    assert states.pop(collected) == "waiting"
    assert states == {"age.svg": "rejected", "table.csv": "waiting", "age, again.svg": "rejected"}


def test_the_seal_is_checked_and_copied(chromium: Browser, asked: Running) -> None:
    with looking(chromium, asked, PATH, token=asked.custodian) as page:
        opened(page)
        assert "each sealed with all before it" in page.locator("#checked").inner_text()
        head = page.locator("#head").get_attribute("data-head") or ""
        assert re.fullmatch(r"[0-9a-f]{64}", head)
        page.get_by_role("button", name="Copy the seal").click()
        page.locator("#toast", has_text="eal").wait_for()
        told = {"rows": 3, "head": "0" * 64, "broken": ["asked, row 2: changed"]}
        page.route("**/api/custodian/verify", lambda route: route.fulfill(json=told))
        page.get_by_role("button", name="Check again").click()
        page.get_by_text("The log is broken in 1 place.").wait_for()
        assert page.locator("#broken li").all_inner_texts() == ["asked, row 2: changed"]
        assert violations(page) == []


def test_the_record_is_saved(chromium: Browser, asked: Running) -> None:
    with looking(chromium, asked, PATH, token=asked.custodian) as page:
        opened(page)
        for form in ("CSV", "JSON"):
            with page.expect_download() as download:
                page.get_by_role("button", name=f"Save as {form}").click()
            path = download.value.path()
            text = path.read_text(encoding="utf-8")
            assert "histogram" in text
            assert form == "CSV" or json.loads(text)["study"] == NAME


def test_an_analyst_is_turned_away(chromium: Browser, asked: Running) -> None:
    with looking(chromium, asked, PATH, token=asked.token) as page:
        page.get_by_role("dialog").wait_for()
        assert page.locator("#work").is_hidden()
        page.get_by_label("Link", exact=True).fill(f"{asked.url}/custodian#token={asked.custodian}")
        page.keyboard.press("Enter")
        opened(page)
        # A token that is pasted into the address of an open tab is taken, and removed.
        page.evaluate(f"location.hash = 'token={asked.custodian}'")
        page.wait_for_url(lambda url: "#" not in url)
        opened(page)


@pytest.mark.parametrize(("width", "scheme"), [WINDOWS[0], WINDOWS[2]])
def test_on_a_phone_and_at_a_desk(
    chromium: Browser, asked: Running, width: int, scheme: str
) -> None:
    size = {"width": width, "height": SIZES[width]}
    how: dict[str, Any] = {"viewport": size, "color_scheme": scheme}
    how["reduced_motion"] = "reduce"
    with looking(chromium, asked, PATH, token=asked.custodian, **how) as page:
        opened(page)
        page.get_by_role("button", name="New link").click()
        page.locator("#decided > summary").click()
        assert page.locator("#decided img").first.evaluate(WIDTH) > 100
        page.locator("#rows .visit > summary").first.click()
        keep_screen(page, f"custodian-{width}-{scheme}")
        assert widest(page) <= width
        assert nameless(page) == []
        assert violations(page) == []
        page.emulate_media(media="print")
        assert page.locator(".top .tools").is_hidden()
        assert page.locator("#rows").is_visible()


def test_all_is_reached_by_keys(chromium: Browser, asked: Running) -> None:
    """Tab comes to every button once, and each that has the focus is seen to have it."""
    with looking(chromium, asked, PATH, token=asked.custodian) as page:
        opened(page)
        reached: list[str] = []
        for _ in range(120):
            page.keyboard.press("Tab")
            found = page.evaluate(
                """() => { const it = document.activeElement;
                return it === document.body ? "" : it.id || it.textContent.trim() || "field"; }"""
            )
            if not found and reached:
                break
            reached.append(found)
        assert {"verify", "copy", "more-rules", "new", "who", "find", "save-csv"} <= {*reached}
        assert reached.index("new") < reached.index("find") < reached.index("verify")
