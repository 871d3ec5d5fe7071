"""Tables whose names would break a page that takes them for anything but text: each board opens."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

import numpy as np
import pandas as pd
import pytest

import discreet as dc

if TYPE_CHECKING:
    from playwright.sync_api import Browser

    from discreet.web.board import Board

LONG = (
    "how_often_in_the_last_twelve_months_the_respondent_was_seen_by_a_physician_or_a_nurse_at_home_"
)
#: What stands in place of a name: its unit stands beside it, unless two would be alike without
#: theirs; what runs from right to left is set apart, so that it turns nothing else around.
LABELS = {
    "weight [kg]": "weight",
    "身高 [cm]": "身高",
    "体重\uff08kg\uff09": "体重",
    "❤️ rate (bpm)": "❤️ rate",
    "عمر": "\u2068عمر\u2069",
    "دخل (USD)": "\u2068دخل\u2069",
    "ארץ": "\u2068ארץ\u2069",
    "a\u202eb": "\u2068ab\u2069",
    "\u200fsex": "\u2068sex\u2069",
    "\u2067x": "\u2068x\u2069",
}
#: The first half of the names of each table are columns of numbers, the others of levels.
NAMES: dict[str, tuple[str, ...]] = {
    "units": (
        "income (USD)",
        "income (EUR)",
        "weight [kg]",
        "outpatient (physician)",
        "f(x)",
        "(a)",
    ),
    "brackets": ("a (b) (c)", "{curly}", "[[x]]", "(", "a [", "<b>"),
    "quotes": ("it's", 'say "a"', "“curly”", "'", '"', "a\\b"),
    "right to left": ("عمر", "دخل (USD)", "a\u202eb", "ארץ", "\u200fsex", "\u2067x"),
    "letters of Asia": ("年齢", "体重\uff08kg\uff09", "身高 [cm]", "性別", "名前", "한국어"),
    "emoji": ("🙂", "❤️ rate (bpm)", "👩‍👩‍👧", "🇩🇪", "Z̷a̷l̷", "\U0001f937🏽‍♀️"),
    "what objects have": (
        "__proto__",
        "constructor",
        "length",
        "toString",
        "hasOwnProperty",
        "then",
    ),
    "what frames have": ("index", "0", "nan", "null", "undefined", "Unnamed: 0"),
    "long and alike": (f"{LONG}1", f"{LONG}2", "Age", "age", "AGE", "aGe"),
    "markup and signs": (
        "</script><script>throw 1</script>",
        "a%20b%",
        "a,b;c:d=e",
        "a\nb",
        "${x}$&",
        "&lt;!--",
    ),
    "hardly anything": (" a ", "a", "\u00a0", ".", "_", "a  b"),
}
LEVELS = ("__proto__", "constructor", "</script>", "a\nb", "(missing)")


def table_of(names: Sequence[str]) -> pd.DataFrame:
    """Return a table of 90 persons, half of whose columns are numbers."""
    chance = np.random.default_rng(7)
    numbers = len(names) // 2
    columns: dict[str, Any] = {it: chance.normal(50, 9, 90).round(1) for it in names[:numbers]}
    for name in names[numbers:]:
        columns[name] = np.array(LEVELS, dtype=object)[chance.integers(0, len(LEVELS), 90)]
    return pd.DataFrame(columns)


def board_of(names: Sequence[str]) -> Board:
    return dc.open(table_of(names), study="hostile names", unit=False).board()


def cards_of(names: Sequence[str]) -> dict[str, str]:
    """Return a picture of each sort that takes these columns, as it stands in an address."""
    x, y, z, u, v, _ = (quote(it, safe="") for it in names)
    return {
        "scatter": f"scatter:{x},{y}:by={u}",
        "parallel": f"parallel:{x},{y},{u}:colour={v}",
        "correlations": f"correlations:{x},{y},{z}",
        "box": f"box:{z}:by={u}",
        "bars": f"bars:{u}:by={v}",
        "histogram": f"histogram:{y}:by={v}",
        "summary": f"summary:{x},{u}:by={v}",
    }


#: Two of these in one table, whose names are not alike.
TOGETHER = [
    ("units", "what frames have"),
    ("brackets", "what objects have"),
    ("quotes", "long and alike"),
    ("right to left", "letters of Asia"),
    ("emoji", "markup and signs"),
    ("hardly anything",),
]


@pytest.mark.slow
@pytest.mark.parametrize("groups", TOGETHER, ids=" and ".join)
def test_the_board_of_a_table_opens(
    chromium: Browser, tmp_path: Path, groups: tuple[str, ...]
) -> None:
    numbers = [it for group in groups for it in NAMES[group][:3]]
    names = [*numbers, *(it for group in groups for it in NAMES[group][3:])]
    file = board_of(names).save(tmp_path / "board.html")
    page = chromium.new_page()
    wrong: list[str] = []
    page.on("console", lambda it: wrong.append(it.text))
    page.on("pageerror", lambda it: wrong.append(str(it)))
    page.goto(file.as_uri())
    page.locator(".mini .pic svg").nth(len(names) - 1).wait_for()
    shown = page.locator(".mini").evaluate_all("all => all.map((it) => it.dataset.column)")
    labels = page.locator(".col b bdi").evaluate_all("all => all.map((it) => it.textContent)")
    refused: list[str] = []
    for group in groups:
        cards = cards_of(NAMES[group])
        page.evaluate("(it) => { location.hash = it; }", f"cards={';'.join(cards.values())}")
        page.locator("article.card:not(.mini)").nth(len(cards) - 1).wait_for()
        for kind in cards:
            page.locator(f".pic-{kind} :is(svg, table, canvas)").first.wait_for()
        refused += page.locator(".no").all_inner_texts()
    page.close()
    assert wrong == []
    assert refused == []
    assert shown == [*names]
    assert [LABELS.get(it, it) for it in names] == labels


@pytest.mark.slow
def test_what_a_card_says_is_of_its_numbers(chromium: Browser, tmp_path: Path) -> None:
    names = [*"xyz", *(f"group {i}" for i in range(9))]
    table = table_of(names[:6])
    table.loc[:19, "x"] = np.nan
    for name in names[6:]:
        table[name] = table["group 0"].to_numpy()[::-1]
    file = dc.open(table, study="groups", unit=False).board().save(tmp_path / "board.html")
    page = chromium.new_page()
    cards = ("parallel:x,y,group%200", "correlations:x,y,z", "histogram:y")
    page.goto(f"{file.as_uri()}#cards={';'.join(cards)}")
    card = page.locator("article.card")
    card.nth(2).locator(".pic svg").wait_for()
    foot = card.nth(0).locator(".foot").inner_text()
    card.nth(0).locator("[data-act=menu]").click()
    with page.expect_download() as download:
        page.locator("[data-act=save][data-form=SVG]").click()
    saved = Path(download.value.path()).read_text(encoding="utf-8")
    assert foot.endswith(" have no x")
    assert foot in saved
    card.nth(1).locator("[data-act=about]").click()
    numbers = page.locator(".drawer td:last-child").all_inner_texts()
    squares = card.nth(1).locator("svg text.on").all_text_contents()
    assert len(numbers) == 3
    assert sorted(numbers) == sorted(squares)
    card.nth(1).locator("[data-act=about]").click()
    card.nth(2).locator("[data-act=menu]").click()
    page.locator("[data-act=kinds]").click()
    page.get_by_role("combobox", name="For each level of").click()
    choice = page.get_by_role("listbox", name="For each level of")
    assert choice.get_by_role("option").all_inner_texts() == ["nothing", *names[3:]]
    choice.get_by_text("group 8", exact=True).click()
    page.wait_for_function("location.hash.includes('by=group%208')")
    page.close()
