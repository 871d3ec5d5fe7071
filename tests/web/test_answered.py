"""The data's answer on the board: laid over the copy's picture of the very same question."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from playwright.sync_api import expect

import discreet as dc
from discreet.explore import Study
from discreet.explore.answered import answer_facts
from discreet.explore.summary import average
from discreet.web.parts import script_of
from tests.answers.conftest import cohort, usual_figures
from tests.ready import opened_once
from tests.web.running import Board, board_page

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    from playwright.sync_api import Browser, Page

PEOPLE = 3000
ENTRY = """
import { answerTo, inBinsOf } from "./app/answered.js";
import { besideMeans } from "./kinds/answers-beside.js";
globalThis.it = { answerTo, inBinsOf, besideMeans };
"""
USUAL = {"bins": 20, "grid": 24, "event_is": ["yes"]}  # of a card that names none


def made(folder: Path) -> Path:
    """Publish a cohort, ask the data for a figure of each kind, and return the file of answers."""
    data = cohort(PEOPLE)
    path = dc.protect(data, study="cohort").publish(folder / "cohort.discreet")
    study = dc.open(path)
    asked = [
        *usual_figures(study),
        study.means("smoker", "sex"),
        study.box("bmi"),
        study.where("age >= 50").where("sex == 'F'").bars("smoker"),
    ]
    for figure in asked:
        study.ask(figure)
    study.ask(study.means("bmi", "sex"), holds="F > M")
    found = dc.answer(data, study.questions, study=path)
    assert [it.says for it in found.outcomes] == ["answered"] * 10
    return path


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return opened_once("a file with answers", lambda: made(tmp_path_factory.mktemp("answers")))


@pytest.fixture(scope="module")
def study(path: Path) -> Study:
    return dc.open(path)


@pytest.fixture(scope="module")
def answers(study: Study) -> list[dict[str, Any]]:
    return [answer_facts(it) for it in study.answers.values()]


@pytest.fixture(scope="module")
def board(chromium: Browser, study: Study) -> Iterator[Board]:
    with board_page(chromium) as page:
        page.open(study)
        yield page


@pytest.fixture(scope="module")
def script(chromium: Browser) -> Iterator[Page]:
    """A page with what tells to which card an answer belongs."""
    page = chromium.new_page()
    page.add_script_tag(content=script_of(ENTRY), type="module")
    page.wait_for_function("globalThis.it")
    yield page
    page.close()


# --- which answer is to what a card shows ---------------------------------------------------------

BARS = {"kind": "bars", "columns": ["region"], "by": ["smoker"]}
OLDER = [["", "age >= 50"], ["", "sex == 'F'"]]
OLD, SMOKER = ["old", "age >= 60"], {"kind": "bars", "columns": ["smoker"]}
SAME: Mapping[str, tuple[dict[str, Any], list[list[str]]]] = {
    "the same": (BARS, []),
    "in percent": ({**BARS, "percent": True, "wide": True, "answer": True}, []),
    "with a new column that it does not use": (BARS, [OLD]),
    "a crosstab": ({"kind": "crosstab", "columns": ["region", "sex"]}, []),
    "in the usual bins": ({"kind": "histogram", "columns": ["age"]}, []),
    "with as many bins": ({"kind": "histogram", "columns": ["age"], "bins": 20}, []),
    "in the usual cells": ({"kind": "heatmap", "columns": ["age", "bmi"]}, []),
    "of the event": ({"kind": "survival", "columns": ["time", "died"]}, []),
    "means": ({"kind": "means", "columns": ["bmi"], "by": ["sex"]}, []),
    "a box": ({"kind": "box", "columns": ["bmi"]}, []),
    "of the same people": (SMOKER, OLDER),
    "in the other order": (SMOKER, OLDER[::-1]),
    "written otherwise": (SMOKER, [["", '(`age`>=50.0) and ((sex == "F"))']]),
    "said twice": (SMOKER, [*OLDER, OLDER[0]]),
}
OTHER: Mapping[str, tuple[dict[str, Any], list[list[str]]]] = {
    "another column": ({**BARS, "columns": ["sex"]}, []),
    "not divided": ({**BARS, "by": []}, []),
    "divided by two": ({**BARS, "by": ["smoker", "sex"]}, []),
    "the other way": ({"kind": "bars", "columns": ["smoker"], "by": ["region"]}, []),
    "some of the people": (BARS, [["", "age >= 50"]]),
    "weighted": ({**BARS, "weights": "income"}, []),
    "other bins": ({"kind": "histogram", "columns": ["age"], "bins": 10}, []),
    "other cells": ({"kind": "heatmap", "columns": ["age", "bmi"], "grid": 12}, []),
    "another event": ({"kind": "survival", "columns": ["time", "died"], "event_is": "no"}, []),
    "all people": (SMOKER, []),
    "fewer conditions": (SMOKER, OLDER[:1]),
    "one of two conditions": (SMOKER, [["", "age >= 50 or sex == 'F'"]]),
    "neither": (SMOKER, [["", "not (age >= 50 and sex == 'F')"]]),
    "another end": (SMOKER, [["", "age >= 51"], OLDER[1]]),
    "by a column of that name": (SMOKER, [["", "old == 'yes'"], OLD]),
    "another kind": ({"kind": "violin", "columns": ["bmi"]}, []),
    "not to be read": (SMOKER, [["", "age >= (50"], ["", "sex == 'F"]]),
}


def found_of(script: Page, answers: list[dict[str, Any]], *cards: Any) -> list[str | None]:
    """Return the answer of each card: what it shows, and of which rows."""
    given = [answers, cards, USUAL]
    found: list[str | None] = script.evaluate(
        "([a, cards, u]) => cards.map(([s, d]) => it.answerTo(a, s, d, u)?.says ?? null)", given
    )
    return found


@pytest.mark.slow
def test_an_answer_is_to_a_card_of_the_same_question(
    script: Page, answers: list[dict[str, Any]]
) -> None:
    found = found_of(script, answers, *SAME.values())
    for (name, (spec, _)), says in zip(SAME.items(), found, strict=True):
        assert says is not None, name
        assert says.startswith(f"the {spec['kind']} o")  # of a column, or over time
        assert all(column in says for column in spec["columns"]), name


def test_an_answer_to_another_question_is_not_compared(
    script: Page, answers: list[dict[str, Any]]
) -> None:
    found = found_of(script, answers, *OTHER.values())
    assert dict(zip(OTHER, found, strict=True)) == dict.fromkeys(OTHER)


def test_new_columns_are_the_same_by_what_they_are(script: Page) -> None:
    request: dict[str, Any] = {"plot": "bars", "columns": ["old"], "derived": [OLD]}
    answers: list[dict[str, Any]] = [
        {"request": request, "verdict": "", "view": None, "says": "bars"}
    ]
    spec = {"kind": "bars", "columns": ["old"]}
    cards = (spec, [["old", "age>=60"]]), (spec, [["old", "age >= 61"]])
    assert found_of(script, answers, *cards) == ["bars", None]
    chain = [["old", "decade >= 6"], ["decade", "age / 10"]]
    request["derived"] = chain[::-1]
    cards = (spec, chain[::-1]), (spec, [["decade", "age / 9"], chain[0]])
    assert found_of(script, answers, *cards) == ["bars", None]


def test_models_are_the_same_by_formula_and_family(script: Page) -> None:
    request = {"figures": "model", "formula": "died ~ age + sex", "family": "logistic"}
    answers = [
        {
            "request": {**request, "event_is": ["yes"]},
            "verdict": "",
            "view": None,
            "says": "logistic",
        }
    ]
    spec = {"kind": "model", "columns": ["age"], "formula": "died~age+sex", "event_is": "yes"}
    of = {"family": "logistic"}
    others: list[dict[str, str]] = [of, {}, {**of, "event_is": "no"}]
    cards: list[tuple[Any, Any]] = [({**spec, **other}, []) for other in others]
    assert found_of(script, answers, *cards) == ["logistic", None, None]


# --- what is drawn --------------------------------------------------------------------------------


def laid(
    board: Board, script: Page, answers: list[dict[str, Any]], spec: dict[str, Any]
) -> tuple[dict[str, Any], dict[str, Any]]:
    """Draw a card with the answer laid over it; return the answer, and what was drawn."""
    (answer,) = [
        it
        for it in answers
        if not it["verdict"]
        and (it["request"].get("plot") or it["request"].get("figures")) == spec["kind"]
        and it["request"]["columns"] == spec["columns"]
    ]
    spec = script.evaluate("([answer, spec]) => it.inBinsOf(answer, spec)", [answer, spec])
    return answer, board.draw(spec, answer=answer)


COUNTED: dict[str, dict[str, Any]] = {
    "bars": BARS,
    "bars in percent": {**BARS, "percent": True},
    "crosstab": {"kind": "crosstab", "columns": ["region", "sex"]},
    "histogram": {"kind": "histogram", "columns": ["age"]},
    "heatmap": {"kind": "heatmap", "columns": ["age", "bmi"]},
}


@pytest.mark.parametrize("spec", COUNTED.values(), ids=COUNTED)
def test_each_mark_says_what_the_data_say_of_it(
    board: Board, script: Page, answers: list[dict[str, Any]], spec: dict[str, Any]
) -> None:
    answer, drawn = laid(board, script, answers, spec)
    wide = len(spec["columns"]) + len(spec.get("by", ()))
    counts = [it for it in answer["table"]["figures"] if it["figure"] == "count"]
    counts = [it["value"] for it in counts if len(it["group"]) == wide]
    said = [it["data"] for it in drawn["marks"]]
    assert said == ["few people" if it is None else f"{it:,.0f} ± 39 people" for it in counts]
    assert answer["noise"] == "from the data, ± 39 people (95 % of the noise)"
    assert drawn["keys"][-1]["name"].startswith(answer["noise"])
    assert any(it is not None for it in counts)


@pytest.mark.slow
def test_rows_of_the_copy_are_counted_in_the_bins_of_the_answer(
    board: Board, script: Page, answers: list[dict[str, Any]]
) -> None:
    answer, drawn = laid(board, script, answers, COUNTED["histogram"])
    assert drawn["view"]["edges"] == answer["view"]["edges"]
    assert sum(drawn["view"]["counts"]) == drawn["view"]["shown"]
    answer, drawn = laid(board, script, answers, COUNTED["heatmap"])
    assert drawn["view"]["x_edges"] == answer["view"]["x_edges"]
    assert drawn["view"]["y_edges"] == answer["view"]["y_edges"]


def test_a_bar_of_the_data_is_as_long_as_its_count(
    board: Board, script: Page, answers: list[dict[str, Any]]
) -> None:
    answer, drawn = laid(board, script, answers, BARS)
    html = drawn["html"]
    bars = re.findall(r'<rect x="([\d.]+)" y="[\d.]+" width="([\d.]+)"[^>]*data-m="(\d+)"', html)
    start, long = {int(m): (float(x), float(w) + 1) for x, w, m in bars}[0]
    per = long / drawn["view"]["by_counts"][0][0]
    outlines = re.findall(r'd="M([\d.]+) [\d.]+H([\d.]+)V[^"]*Z" class="data-line"', html)
    # The largest bar is drawn first, in as many parts as there are levels.
    larger = [it for it in drawn["view"]["counts"] if it > drawn["view"]["counts"][0]]
    from_, to = map(float, outlines[len(larger) * len(drawn["view"]["by_levels"])])
    assert from_ == pytest.approx(start, abs=0.2)
    assert to - from_ == pytest.approx(per * answer["view"]["by_counts"][0][0], abs=0.5)


def test_a_curve_of_the_data_is_that_of_the_answer(
    board: Board, script: Page, answers: list[dict[str, Any]]
) -> None:
    spec = {"kind": "survival", "columns": ["time", "died"]}
    answer, drawn = laid(board, script, answers, spec)
    (curve,) = answer["view"]["curves"]
    points = re.findall(r'<circle cx="([\d.]+)" cy="([\d.]+)"', drawn["html"])
    heights = [float(y) for _, y in points]
    assert heights == sorted(heights)
    shares = curve["shares"][1:]
    assert len(heights) == len(shares)
    per = (heights[-1] - heights[0]) / (shares[0] - shares[-1])
    for height, share in zip(heights, shares, strict=True):
        assert height - heights[0] == pytest.approx(per * (shares[0] - share), abs=0.2)


def test_the_noise_of_a_curve_is_that_of_its_counts(
    board: Board, script: Page, answers: list[dict[str, Any]]
) -> None:
    """The whiskers reach as far as 95 of 100 curves of counts with such noise."""
    spec = {"kind": "survival", "columns": ["time", "died"]}
    answer, drawn = laid(board, script, answers, spec)
    counts: dict[str, list[float]] = {"event": [], "no event": []}
    for it in answer["table"]["figures"]:
        if it["figure"] == "count":
            counts[it["group"]["died"]].append(it["value"] or 0)
    table = np.array([counts["event"], counts["no event"]])
    noisy = table + np.random.default_rng(5).normal(0, 20, (4000, *table.shape))
    left = noisy.sum(axis=1)[:, ::-1].cumsum(axis=1)[:, ::-1]
    shares = np.cumprod(1 - noisy[:, 0] / left, axis=1)
    wanted = 1.96 * shares.std(axis=0)
    said = [it.get("data") for it in drawn["marks"]]
    ends = [float(it["name"].split(" to ")[1]) for it in answer["table"]["lines"]]
    checked = 0
    for place, words in zip(drawn["view"]["places"], said, strict=True):
        if words:
            off = float(re.findall(r"± ([\d.]+) %", words)[0]) / 100
            assert off == pytest.approx(wanted[ends.index(place)], abs=0.01)
            checked += 1
    assert checked


def test_a_box_has_the_quartiles_of_the_answer(
    board: Board, script: Page, answers: list[dict[str, Any]]
) -> None:
    answer, drawn = laid(board, script, answers, {"kind": "box", "columns": ["bmi"]})
    (box,) = answer["view"]["groups"]
    (mark,) = drawn["marks"]
    assert mark["data"].startswith(f"median {box['median']:g} (")
    assert mark["data"].endswith(f"middle half {box['q1']:g}–{box['q3']:g}")


def test_means_stand_below_those_of_the_copy(
    board: Board, script: Page, answers: list[dict[str, Any]]
) -> None:
    spec = {"kind": "means", "columns": ["bmi"], "by": ["sex"]}
    answer, drawn = laid(board, script, answers, spec)
    lines = re.findall(r"<tr[^>]*><th[^>]*>(.*?)</th>(.*?)</tr>", drawn["html"])
    assert [name for name, _ in lines] == ["F", "the data", "M", "the data", "all", "the data"]
    own = of_all(answer)
    plain = lines[-1][1].replace("\u2060", "").replace("&nbsp;", " ")
    cells = re.findall(r"<td>(.*?)</td>", plain)
    noisy = f"{own['mean']} ± {own['± noise']}"
    assert cells[:3] == [own["people"], noisy, own["95 % interval"]]


def of_all(answer: dict[str, Any]) -> dict[str, str]:
    """Return the cells of the line of all people in an answer's table, by their heads."""
    table = answer["table"]
    (cells,) = [it["cells"] for it in table["lines"] if it["name"] == "all"]
    return dict(zip(table["head"], cells, strict=True))


def test_shares_stand_below_those_of_the_copy(
    script: Page, study: Study, answers: list[dict[str, Any]]
) -> None:
    # A server makes such a table; a board in a file has none.
    (answer,) = [it for it in answers if it["request"]["columns"] == ["smoker"] and it["table"]
                 and it["request"].get("figures") == "means"]  # fmt: skip
    copy = average(study._copy, "smoker", "sex").to_plain()
    beside = "([view, answer]) => it.besideMeans(view, null, { answer }).view"
    *_, last = script.evaluate(beside, [copy, answer])["lines"]
    own = of_all(answer)
    noisy = f"{own['share']} ± {own['± noise']}"
    assert last["name"] == "the data"
    assert last["cells"] == [own["people"], own["with it"], noisy, own["95 % interval"]]


# --- the board in one file ------------------------------------------------------------------------


@pytest.mark.slow
def test_the_switch_of_a_card_lays_the_answer_over_it(
    chromium: Browser, study: Study, tmp_path: Path
) -> None:
    path = study.board().save(tmp_path / "board.html")
    page = chromium.new_page(viewport={"width": 1280, "height": 900})
    wrong: list[str] = []
    page.on("console", lambda it: wrong.append(it.text))
    page.on("pageerror", lambda it: wrong.append(str(it)))
    page.goto(f"{path.as_uri()}#cards=bars:region:by=smoker;bars:sex;histogram:age")
    page.locator(".pic-histogram svg").wait_for()
    card = page.locator("article.card").first
    box = page.get_by_role("checkbox", name="Lay the data’s answer over it")
    expect(box).to_have_count(2)  # nobody asked for bars of sex
    box.first.focus()
    page.keyboard.press("Space")
    card.locator(".data .data-line").first.wait_for()
    expect(box.first).to_be_focused()
    assert "bars:region:by=smoker:answer=true" in page.url
    expect(card.locator(".ctl")).to_contain_text("from the data, ± 39 people")
    expect(card.get_by_role("table")).to_contain_text("People: the bars of region by smoker")
    card.locator(".pic svg").focus()
    page.keyboard.press("ArrowDown")
    expect(page.locator("#live")).to_contain_text(re.compile(r"from the data: [\d,]+ ± 39 people"))
    page.locator("[data-act=about]").first.click()
    expect(page.locator(".drawer thead")).to_have_text(re.compile("copy.*from the data"))
    page.evaluate("(it) => { location.hash += it; }", "&where=age%20%3E%3D%2050")
    expect(box).to_have_count(0)
    page.go_back()
    card.locator(".data .data-line").first.wait_for()
    page.close()
    assert wrong == []


def test_a_board_has_the_answers_of_its_file_and_nothing_else(study: Study) -> None:
    facts = re.search(r'id="facts">(.*?)</script>', study.board().to_html())
    assert facts is not None
    found = json.loads(facts[1])["answers"]
    assert found == [answer_facts(it) for it in study.answers.values()]
    part = study.where("age >= 50").board().to_html()
    assert '"asks": [["", "age \\u003e= 50"]]' in part
