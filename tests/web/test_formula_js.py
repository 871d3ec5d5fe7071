"""Formulas of models on the board: written of what is chosen, and read back."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from discreet.regression import read_formula
from discreet.web.parts import script_of

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

ENTRY = """
import { chosenIn, formulaOf, pairsOf, replaced } from "./app/formula.js";
const again = (text) => {
  const chosen = chosenIn(text);
  return chosen && formulaOf(chosen);
};
globalThis.it = { again, chosenIn, formulaOf, pairsOf, replaced };
"""

READ = {
    "columns": ("bmi ~ age + sex", "bmi ~ age + sex"),
    "an interaction": ("bmi ~ age:sex", "bmi ~ age:sex"),
    "both, and what they make together": ("bmi~age*sex", "bmi ~ age + sex + age:sex"),
    "three of them": ("y ~ a*b*c", "y ~ a + b + c + a:b + a:c + b:c + a:b:c"),
    "terms of more columns last, each once": ("y ~ a:b + a + b:a + a", "y ~ a + a:b"),
    "ways of going in": (
        "log(y) ~ log(a) + sqrt( b ) + I(c**2) + C(d)",
        "log(y) ~ log(a) + sqrt(b) + I(c ** 2) + C(d)",
    ),
    "names of other signs": (
        "`y ~ x` ~ `a + b` + C(`c:d`) + `plain`",
        "`y ~ x` ~ `a + b` + C(`c:d`) + plain",
    ),
    "letters of other scripts": ("größe ~ 体重", "größe ~ 体重"),
    "a time and an event": (
        "survival (days, `left early`) ~ age",
        "survival(days, `left early`) ~ age",
    ),
    "no terms": ("y ~ ", None),
    "no outcome": ("y", None),
    "no intercept": ("y ~ a - 1", None),
    "an intercept that is written": ("y ~ 1 + a", None),
    "a sum within a function": ("y ~ log(a + 1)", None),
    "a function that is not offered": ("y ~ exp(a)", None),
    "a random term": ("y ~ a + (1 | study)", None),
    "another power": ("y ~ I(a ** 3)", None),
    "the logarithm of a time": ("survival(log(days), died) ~ a", None),
    "three of a time and an event": ("survival(days, died, other) ~ a", None),
    "a bracket that is not closed": ("y ~ log(a", None),
}


@pytest.fixture(scope="module")
def page(chromium: Browser) -> Iterator[Page]:
    found = chromium.new_page()
    found.add_script_tag(content=script_of(ENTRY))
    yield found
    found.close()


def test_what_is_read_is_written_again(page: Page) -> None:
    found = page.evaluate("(all) => all.map(it.again)", [text for text, _ in READ.values()])
    assert dict(zip(READ, found, strict=True)) == {name: again for name, (_, again) in READ.items()}


NAMES = ["y", "a", "b", "größe", "left early", "a + b", "c:d", "log", "C", "not"]
FACTORS = st.builds(
    lambda name, way: {"name": name, "way": way},
    st.sampled_from(NAMES[1:]),
    st.sampled_from(["", "log", "sqrt", "square"]),
)
TERMS = st.lists(st.lists(FACTORS, min_size=1, max_size=2, unique_by=str), min_size=1, max_size=5)
KINDS = dict.fromkeys(NAMES, "continuous")


@pytest.mark.slow
@settings(max_examples=10, deadline=None)
@given(st.lists(TERMS, min_size=20, max_size=20))
def test_formulas_mean_the_same_to_python_and_once_more(
    page: Page, many: list[list[list[dict[str, str]]]]
) -> None:
    chosen = [{"outcome": {"name": "y", "way": "log"}, "terms": terms} for terms in many]
    pairs: list[list[Any]] = page.evaluate(
        """(all) => all.map((chosen) => {
          const text = it.formulaOf(chosen);
          return [text, it.again(text), it.again(it.again(text))];
        })""",
        chosen,
    )
    for text, again, twice in pairs:
        assert again == twice
        assert read_formula(text, KINDS) == read_formula(again, KINDS)


def test_terms_follow_what_becomes_of_their_columns(page: Page) -> None:
    terms = "it.chosenIn('y ~ age + bmi + sex + age:sex + bmi:sex').terms"
    written = "(terms) => it.formulaOf({ outcome: { name: 'y', way: '' }, terms })"
    age, log = "{ name: 'age', way: '' }", "{ name: 'age', way: 'log' }"

    def asked(what: str) -> str:
        found: str = page.evaluate(f"({written})({what})")
        return found

    assert asked(f"it.replaced({terms}, {age}, {log})") == (
        "y ~ log(age) + bmi + sex + log(age):sex + bmi:sex"
    )
    assert asked(f"it.replaced({terms}, {age}, null)") == "y ~ bmi + sex + bmi:sex"
    assert asked(f"it.pairsOf({terms})") == "y ~ age:bmi"
    assert asked("it.pairsOf(it.chosenIn('y ~ age + log(age)').terms)") == "y ~ "
