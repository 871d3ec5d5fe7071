"""A hub: files of two custodians, served one by one and as one study, to three analysts."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any

import httpx
import pytest

from discreet.errors import InputError
from discreet.explore.questions import Questions
from discreet.policy import Policy
from discreet.serve.record import log
from discreet.serve.studies import Studies
from discreet.serve.tokens import add_token
from tests.explore.test_pooled import published, rows, saved
from tests.serve.cohort import MANY, record_in
from tests.serve.workers import beside, client

if TYPE_CHECKING:
    from playwright.sync_api import Browser

MAP = """name = "both"
[files]
north = "north.discreet"
south = "south.discreet"
[columns.bmi.studies]
north = "bmi"
south = "bmi"
[columns.sex.studies]
north = "sex"
south = "sex"
[columns.years.studies]
north = "age"
south = "age"
[columns.smoker.studies]
south = "smoker"
"""
ALONE = """name = "third"
[files]
north = "north.discreet"
alone = "lonely.discreet"
[columns.bmi.studies]
north = "bmi"
alone = "bmi"
"""
FILES = ("north", "south", "west", "lonely", "short")
WHOSE = {
    "nora": ("north", "custodian"),
    "sam": ("south", "custodian"),
    "ann": ("both", "analyst"),
    "bob": ("north", "analyst"),
    "cy": ("short", "analyst"),
}
SMOKERS = {"columns": ["bmi"], "by": "study", "where": "smoker == 'yes' or years >= 50"}


@dataclass
class Hub:
    """Five files and two maps in a folder, and when it is."""

    folder: Path
    now: float = 0.0
    day: date = date(2030, 1, 31)
    tokens: dict[str, str] = field(default_factory=dict)
    url: str = ""

    @property
    def paths(self) -> list[Path]:
        """What is served."""
        files = [self.folder / f"{name}.discreet" for name in FILES]
        return [*files, self.folder / "both.toml", self.folder / "third.toml"]

    def studies(self) -> Studies:
        """Return what is served in this process."""
        store = record_in(self.folder)
        return Studies(self.paths, store, MANY, lambda: self.now, lambda: self.day)

    def asks(self, who: str, path: str, body: Mapping[str, Any] | None = None) -> httpx.Response:
        """Return what somebody is answered, some time later."""
        self.now += 1
        with client(self.url, self.tokens[who]) as asking:
            return asking.get(path) if body is None else asking.post(path, json=body)

    def log_of(self, who: str) -> list[dict[str, Any]]:
        """Return what a custodian reads of what was done, oldest first."""
        found: list[dict[str, Any]] = self.asks(who, "/api/custodian/log").json()["log"]
        return found[::-1]


@pytest.fixture
def hub(tmp_path: Path) -> Hub:
    rules = Policy.preset("standard")
    made = {
        **{name: published(name) for name in ("north", "south", "west")},
        "lonely": saved("lonely", rows("lonely"), policy=rules.changed(combine=False)),
        "short": saved("short", rows("short"), policy=rules.changed(until="2030-01-31")),
    }
    for name, path in made.items():
        shutil.copyfile(path, tmp_path / f"{name}.discreet")
    (tmp_path / "both.toml").write_text(MAP, encoding="utf-8")
    (tmp_path / "third.toml").write_text(ALONE, encoding="utf-8")
    found = Hub(tmp_path)
    store = record_in(tmp_path)
    for who, (study, role) in WHOSE.items():
        found.tokens[who] = add_token(store, study, who, role)
    return found


@pytest.fixture
def served(hub: Hub) -> Iterator[Hub]:
    with beside(hub.studies()) as hub.url:
        yield hub


def closed(found: httpx.Response) -> str:
    """Return why a study is not served."""
    assert found.status_code == 410, found.text
    assert found.json()["error"]["code"] == "closed"
    return str(found.json()["error"]["says"])


@pytest.mark.slow
def test_a_hub_of_two_custodians_three_analysts_and_five_files(served: Hub) -> None:
    _each_sees_their_own_study(served)
    _each_custodian_reads_what_was_looked_at_of_theirs(served)
    _questions_wait_for_each_custodian(served)
    _a_day_that_is_past_ends_it(served)
    _a_file_that_is_withdrawn_takes_along_what_is_made_of_it(served)


def _each_sees_their_own_study(hub: Hub) -> None:
    for who, (study, role) in WHOSE.items():
        said = hub.asks(who, "/api/study").json()
        assert said["study"] == study
        assert hub.asks(who, "/api/custodian").status_code == (403 if role == "analyst" else 200)
    columns = [it["name"] for it in hub.asks("ann", "/api/study").json()["columns"]]
    assert columns == ["study", "bmi", "sex", "years", "smoker"]
    drawn = hub.asks("ann", "/api/views/histogram", SMOKERS).json()["id"]
    assert hub.asks("ann", f"/api/views/{drawn}").status_code == 200
    for other in ("bob", "nora", "sam", "cy"):  # custodians of one study, too
        assert hub.asks(other, f"/api/views/{drawn}").status_code == 404
    store = record_in(hub.folder)
    past = datetime.now(UTC) - timedelta(days=2)
    hub.tokens["late"] = add_token(store, "both", "late", days=1, now=past)
    hub.tokens["third"] = add_token(store, "third", "third")
    assert hub.asks("late", "/api/study").status_code == 401
    assert closed(hub.asks("third", "/api/study")) == (
        "The study third is not served now: the study 'alone', of which it is made, is not to be"
        " combined with others."
    )


def _each_custodian_reads_what_was_looked_at_of_theirs(hub: Hub) -> None:
    own = hub.asks("bob", "/api/views/box", {"columns": ["age"]}).json()["id"]
    assert hub.asks("bob", f"/api/views/{own}/figure.svg").status_code == 200
    hub.asks("ann", "/api/rows")
    table = {"value": "bmi", "by": ["sex"]}
    means = hub.asks("ann", "/api/tables/means", table).json()["id"]
    assert hub.asks("ann", f"/api/tables/{means}/table.csv").status_code == 200
    of_both = [
        ("histogram", ["age", "bmi"], "Histogram of age and bmi"),
        ("again", ["age", "bmi"], "Histogram of age and bmi"),
        ("rows", ["age", "bmi", "sex"], ""),
        ("means", ["bmi", "sex"], "Means of bmi and sex"),
        ("table.csv", ["bmi", "sex"], "Means of bmi and sex"),
    ]
    for who in ("nora", "sam"):
        by_ann = [it for it in hub.log_of(who) if it["caller"] == "token ann of both"]
        more = ["smoker"] if who == "sam" else []
        assert [(it["what"], json.loads(it["request"])["columns"]) for it in by_ann] == [
            (what, columns + more * (what not in ("means", "table.csv")))
            for what, columns, _ in of_both
        ]
        has = {it["caller"]: it for it in hub.asks(who, "/api/custodian").json()["held"]}
        assert has["token ann of both"]["rows"]
        assert has["token ann of both"]["tables"] == 1
        assert ("token bob" in has) == (who == "nora")
    assert [it["title"] for it in hub.log_of("nora") if " of both" in it["caller"]] == [
        title for _, _, title in of_both
    ]
    assert "smoker" not in json.dumps(hub.log_of("nora"))  # which the south alone has
    assert "bob" not in json.dumps(hub.log_of("sam"))
    outputs = hub.asks("nora", "/api/custodian/outputs").json()
    assert outputs["downloaded"] == [{"caller": "token bob", "files": 1}]


def _questions_wait_for_each_custodian(hub: Hub) -> None:
    bars = hub.asks("ann", "/api/views/bars", {"columns": ["sex"]}).json()["id"]
    asked = hub.asks("ann", "/api/questions", {"id": bars}).json()["question"]
    made = hub.asks("ann", "/api/views/bars", {"columns": ["smoker"]}).json()["id"]
    refused = hub.asks("ann", "/api/questions", {"id": made}).json()["error"]
    assert "the study 'north' cannot be asked this" in refused["says"]
    for who in ("nora", "sam"):
        (waiting,) = hub.asks(who, "/api/custodian/questions").json()["questions"]
        assert (waiting["id"], waiting["callers"]) == (asked["id"], ["token ann of both"])
    path = f"/api/custodian/questions/{asked['id']}"
    states = []
    for who, what in (("nora", "agreed"), ("sam", "agreed"), ("sam", "declined")):
        assert hub.asks(who, path, {"what": what, "text": "few people"}).status_code == 200
        states += [hub.asks("ann", "/api/questions").json()["questions"][0]["state"]]
    assert states == ["waiting", "agreed", "declined"]
    (own,) = hub.asks("ann", "/api/questions").json()["questions"]
    assert own["reason"] == "south: few people"
    listed = hub.asks("nora", "/api/custodian/question-list").content
    assert [it.id for it in Questions.from_json(listed)] == [asked["id"]]
    hub.tokens["all"] = add_token(record_in(hub.folder), "both", "all", "custodian")
    assert "custodian of each study decides" in hub.asks("all", path, {"what": "agreed"}).text


def _a_day_that_is_past_ends_it(hub: Hub) -> None:
    assert hub.asks("cy", "/api/study").status_code == 200
    hub.day += timedelta(days=1)
    assert closed(hub.asks("cy", "/api/study")).endswith(
        "it was to be used until 2030-01-31, which is past."
    )
    assert hub.asks("bob", "/api/study").status_code == 200


def _a_file_that_is_withdrawn_takes_along_what_is_made_of_it(hub: Hub) -> None:
    bars = hub.asks("ann", "/api/views/bars", {"columns": ["sex"]})
    file, aside = hub.folder / "south.discreet", hub.folder / "aside"
    os.rename(file, aside)
    assert closed(hub.asks("sam", "/api/custodian")).endswith("now: its file was withdrawn.")
    assert closed(hub.asks("ann", "/api/rows")).endswith(
        "the study 'south', of which it is made, is not served: its file was withdrawn."
    )
    assert hub.asks("bob", "/api/rows").status_code == 200
    assert [it["outcome"] for it in log(record_in(hub.folder), most=3)][1:] == ["closed"] * 2
    os.rename(aside, file)
    again = hub.asks("ann", f"/api/views/{bars.json()['id']}")
    assert (again.status_code, again.content) == (200, bars.content)
    before = hub.asks("ann", "/api/study").json()["version"]
    (hub.folder / "both.toml").write_text(MAP.replace("years", "age"), encoding="utf-8")
    after = hub.asks("ann", "/api/study").json()
    assert after["version"] != before
    assert "age" in {it["name"] for it in after["columns"]}
    model = {"formula": "bmi ~ age + study"}
    assert hub.asks("ann", "/api/tables/model", model).status_code == 200
    assert hub.asks("ann", "/api/copy/heatmap", {"columns": ["age", "bmi"]}).status_code == 200
    shutil.copyfile(hub.folder / "west.discreet", file)  # another study: not taken
    assert hub.asks("ann", "/api/study").json()["version"] == after["version"]


def test_a_map_serves_the_files_that_it_names(hub: Hub) -> None:
    store = record_in(hub.folder)
    studies = Studies([hub.folder / "both.toml"], store)
    assert studies.names == ("north", "south", "both")
    (hub.folder / "both.toml").write_text(MAP.replace('"both"', '"north"'), encoding="utf-8")
    with pytest.raises(InputError, match="'north'; name only one of them, or give a map another"):
        Studies([hub.folder / "both.toml"], store)


@pytest.mark.slow
def test_the_board_of_several_studies_says_which_has_which_column(
    served: Hub, chromium: Browser
) -> None:
    page = chromium.new_page(viewport={"width": 1200, "height": 800})
    wrong: list[str] = []
    page.on("pageerror", lambda it: wrong.append(str(it)))
    page.goto(f"{served.url}/#token={served.tokens['ann']}")
    page.locator("[data-act=studies]").click()
    lines = page.locator(".form table.figs tr").all_inner_texts()
    assert [it.split() for it in lines] == [
        ["north", "south"],
        ["bmi", "yes", "yes"],
        ["sex", "yes", "yes"],
        ["years", "yes", "yes"],
        ["smoker", "–", "yes"],
    ]
    page.goto("about:blank")
    page.goto(f"{served.url}/#token={served.tokens['bob']}")
    page.get_by_role("heading", name="north").wait_for()
    page.locator("[data-act=boards]").wait_for()
    assert page.locator("[data-act=studies]").count() == 0
    assert wrong == []
    page.close()
