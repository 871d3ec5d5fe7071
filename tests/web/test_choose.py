"""A searchable choice: typed, walked by keys, pressed, and said to a screen reader."""

from __future__ import annotations

from typing import TYPE_CHECKING

from playwright.sync_api import expect

from discreet.web import page_files
from discreet.web.parts import script_of
from tests.serve.looking import violations

if TYPE_CHECKING:
    from playwright.sync_api import Browser

ENTRY = """
import { choose } from "./app/choose.js";
import { open } from "./app/floating.js";
globalThis.it = { choose, open };
"""
HOST = """<!doctype html><html lang="en"><head><title>Choices</title></head><body>
<main><h1>Choices</h1><button>Open</button></main>
<div id="pop" popover></div></body></html>"""
SHOW = """() => {
  it.picked = [];
  const choices = Array.from({ length: 40 }, (_, i) => ({ name: `c${i}`, label: `Column ${i}` }));
  choices.push({ name: "bmi", label: "Body mass index", more: "kg/m²" });
  const pick = (name) => it.picked.push(name);
  const made = it.choose({ label: "Outcome", choices, chosen: "c3", pick });
  const form = document.createElement("form");
  form.className = "form";
  form.append(made.element);
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    it.picked.push("submitted");
  });
  it.open(document.querySelector("button"), form, 320, "A form");
}"""


def test_a_choice_is_searched_walked_and_taken(chromium: Browser) -> None:
    page = chromium.new_page(viewport={"width": 390, "height": 600})
    page.set_content(HOST)
    page.add_style_tag(content=page_files()["board.css"])
    page.add_script_tag(content=script_of(ENTRY))
    page.evaluate(SHOW)
    field, options = page.get_by_role("combobox", name="Outcome"), page.get_by_role("option")
    expect(field).to_have_value("Column 3")
    expect(field).to_have_attribute("aria-expanded", "false")
    field.press("ArrowDown")  # the list opens at what is chosen
    expect(options).to_have_count(41)
    expect(page.locator("[aria-selected=true]")).to_have_text("Column 3")
    assert violations(page) == []
    box = page.get_by_role("listbox").bounding_box()
    assert box is not None
    assert box["x"] >= 0
    assert box["x"] + box["width"] <= 390
    assert box["y"] + box["height"] <= 600
    field.press("Escape")  # closes the list, and not the form
    expect(field).to_have_attribute("aria-expanded", "false")
    expect(page.locator("#pop")).to_be_visible()
    field.press("Enter")
    assert page.evaluate("it.picked") == ["submitted"]
    field.fill("mass kg")  # words in any place, those beside the label too
    expect(options).to_have_text(["Body mass indexkg/m²"])
    expect(field).to_have_attribute("aria-activedescendant", options.get_attribute("id") or "")
    field.press("Enter")
    expect(field).to_have_value("Body mass index")
    field.fill("none of them")
    expect(options).to_have_text(["Nothing has “none of them” in its name."])
    field.press("Enter")  # takes nothing
    expect(field).to_have_attribute("aria-expanded", "true")
    field.press("Tab")  # what was typed goes, what is chosen stays
    expect(field).to_have_value("Body mass index")
    field.click()
    options.nth(7).click()
    expect(field).to_have_value("Column 7")
    assert page.evaluate("it.picked") == ["submitted", "bmi", "c7"]
    page.close()
