"""What pictures of rows share in the browser: orders, quantiles and digits, as the package has."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

import numpy as np
import pytest
from scipy.special import stdtrit

from discreet.levels import in_order
from discreet.plots.ecdf import steps_of
from discreet.web.parts import script_of
from tests.test_levels import DECLARED, NATURAL

if TYPE_CHECKING:
    from collections.abc import Iterator

    from playwright.sync_api import Browser, Page

ENTRY = """
import { placesOf } from "./draw/colour.js";
import { stepsOf } from "./rows/curves.js";
import { short } from "./rows/ends.js";
import { quantile } from "./rows/groups.js";
import { inOrder } from "./rows/order.js";
import { quantileOfT } from "./rows/student.js";
globalThis.it = { inOrder, placesOf, quantile, quantileOfT, short, stepsOf };
"""
NAMES = [
    *("under 40", "40 to under 60", "60 or more", "<5", "≤5", "5", "≥5", ">5", "over 5", ">= 5"),
    *("-3", "-3.5 to 2", "1e3", "1e400", "nan", "inf", "0x10", "1_000", "+7", " 12 ", ".5", "5."),
    *("b", "a", "B", "", "ä", "中文", "\U0001f600", "\uffee", "a b", "9 years", "__proto__"),
    *(level for levels in NATURAL.values() for level in levels),
]


@pytest.fixture(scope="module")
def page(chromium: Browser) -> Iterator[Page]:
    """A page with what is tested."""
    page = chromium.new_page()
    text = script_of(ENTRY)
    page.add_script_tag(content=text, type="module")
    page.wait_for_function("globalThis.it")
    yield page
    page.close()


def test_levels_are_in_the_order_of_the_package(page: Page) -> None:
    mixed = random.Random(1)
    for _ in range(20):
        names = mixed.sample(NAMES, len(NAMES))
        declared = mixed.sample(NAMES, mixed.choice((0, 3, 9)))
        found = page.evaluate(
            "([names, declared]) => it.inOrder(names, declared)", [names, declared]
        )
        assert found == [*in_order(names, declared)]


@pytest.mark.parametrize(("levels", "declared", "order"), DECLARED.values(), ids=DECLARED)
def test_a_declared_order_comes_first(
    page: Page, levels: list[str], declared: list[str], order: list[str]
) -> None:
    found = page.evaluate(
        "([levels, declared]) => it.inOrder(levels, declared)", [levels, declared]
    )
    assert found == order


PLACES: dict[str, tuple[list[str], list[str], list[int]]] = {
    "all levels": ([*"abc"], [*"abc"], [0, 1, 2]),
    "one is missing": ([*"ac"], [*"abc"], [0, 2]),
    "in another order": ([*"ca"], [*"abc"], [2, 0]),
    "one that the copy has not": (["a", "new"], [*"abc"], [0, 3]),
    "a missing value is grey": (["a", "(missing)"], [*"abc"], [0, -1]),
    "no order is known": ([*"xy"], [], [0, 1]),
    "more levels than colours": ([*"abcdefg"], [*"abcdefg"], [0, 1, 2, 3, 4, 5, 6]),
    "two of one colour": ([*"af"], [*"abcdefg"], [0, 1]),
    "the one whose colour it is keeps it": ([*"afb"], [*"abcdefg"], [0, 2, 1]),
}


@pytest.mark.parametrize(("drawn", "order", "places"), PLACES.values(), ids=PLACES)
def test_a_level_has_the_colour_of_its_place_among_all(
    page: Page, drawn: list[str], order: list[str], places: list[int]
) -> None:
    assert page.evaluate("([drawn, order]) => it.placesOf(drawn, order)", [drawn, order]) == places


def test_a_number_between_two_is_rounded_to_the_even_one(page: Page) -> None:
    drawn = np.random.default_rng(3)
    numbers = [18123.25, 18123.75, -18123.25, 0.5, 2.5, 0.15, 1e-7, 123456.5, 123457.5, 0.0]
    numbers += (drawn.integers(-(2**24), 2**24, 300) / 2 ** drawn.integers(0, 12, 300)).tolist()
    for digits in (1, 3, 6, 12):
        found = page.evaluate("([all, n]) => all.map((one) => it.short(one, n))", [numbers, digits])
        assert found == [float(f"{number:.{digits}g}") for number in numbers]


def test_quantiles_are_those_of_numpy(page: Page) -> None:
    drawn = np.random.default_rng(4)
    for size in (1, 2, 3, 10, 101):
        values = np.sort(drawn.normal(size=size))
        shares = [0.0, 0.1, 0.25, 0.5, 0.75, 0.9, 1.0]
        found = page.evaluate(
            "([values, shares]) => shares.map((share) => it.quantile(values, share))",
            [values.tolist(), shares],
        )
        assert found == np.quantile(values, shares).tolist()


def test_quantiles_of_t_are_those_of_scipy(page: Page) -> None:
    degrees = [*range(1, 260), 1000, 100_000, 10_000_000]
    found = page.evaluate("all => all.map(it.quantileOfT)", degrees)
    assert found == pytest.approx(stdtrit(np.array(degrees, float), 0.975).tolist(), rel=1e-10)


def test_a_distribution_of_many_values_is_drawn_in_a_thousand_steps(page: Page) -> None:
    values = np.sort(np.random.default_rng(5).normal(size=4321).round(3))
    found = page.evaluate("values => it.stepsOf(Float64Array.from(values))", values.tolist())
    wanted = steps_of("", values)
    assert (found["x"], found["y"]) == ([*wanted.x], [*wanted.y])
    assert len(found["x"]) <= 1001
