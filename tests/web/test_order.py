"""The order of levels in the browser: the one of the package."""

from __future__ import annotations

import random
from importlib import resources
from typing import TYPE_CHECKING

from discreet.plots.by_level import order_of_level
from discreet.render.modules import joined, texts_below
from tests.browser import chromium

if TYPE_CHECKING:
    from playwright.sync_api import Browser

__all__ = ["chromium"]

STATIC = resources.files("discreet.web").joinpath("static")
ENTRY = 'import { inOrder } from "./rows/order.js";\nglobalThis.it = { inOrder };\n'
NAMES = [
    *("under 40", "40 to under 60", "60 or more", "<5", "≤5", "5", "≥5", ">5", "over 5", ">= 5"),
    *("-3", "-3.5 to 2", "1e3", "1e400", "nan", "inf", "0x10", "1_000", "+7", " 12 ", ".5", "5."),
    *(
        "b",
        "a",
        "B",
        "",
        "ä",
        "中文",
        "\U0001f600",
        "\uffee",
        "a b",
        "10 years",
        "9 years",
        "__proto__",
    ),
]


def test_levels_are_in_the_order_of_the_package(chromium: Browser) -> None:
    page = chromium.new_page()
    text = joined({**texts_below(STATIC), "entry.js": ENTRY}, "entry.js")
    page.add_script_tag(content=text, type="module")
    page.wait_for_function("globalThis.it")
    mixed = random.Random(1)
    for _ in range(20):
        names = mixed.sample(NAMES, len(NAMES))
        assert page.evaluate("names => it.inOrder(names)", names) == sorted(
            names, key=order_of_level
        )
    page.close()
