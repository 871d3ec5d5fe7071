"""The board's scripts in Chromium: what they compute of rows, and what they draw."""

from __future__ import annotations

import base64
import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import pytest

from discreet.explore import Study
from discreet.explore.board import board_rows
from discreet.web.parts import figure_style, script_of

if TYPE_CHECKING:
    from pathlib import Path

    from playwright.sync_api import Browser, Page

__all__ = ["Board", "board_page", "check", "near", "plain"]

ENTRY = """
import { KINDS, kindFor } from "./kinds/index.js";
import { moves } from "./draw/grips.js";
import { lookOf } from "./draw/look.js";
import { drawPicture } from "./draw/picture.js";
import { Answers } from "./rows/answers.js";
import { hasOrder } from "./rows/order.js";
class AtOnce extends Answers {
  light(given) {
    const steps = super.light(given);
    for (;;) {
      const { done, value } = steps.next();
      if (done) return value;
    }
  }
}
globalThis.it = { KINDS, kindFor, lookOf, drawPicture, moves, hasOrder, answers: new AtOnce() };
"""
HOST = '<!doctype html><html><body><div class="pic" id="host"></div></body></html>'


@dataclass
class Board:
    """A page with the board's scripts, and the rows of a study in it."""

    page: Page

    def open(self, study: Study, **facts: Any) -> None:
        """Give the scripts the rows of a study, and what pictures of it are made with."""
        columns = [
            {"name": it.name, "dates": study._copy.whole.raw[it.name].dates is not None}
            for it in study._copy.whole.drawable.values()
        ]
        known = {"k": study.policy.k, "bins": 20, "axes": {}, "columns": columns, **facts}
        self.page.evaluate(
            """([text, facts]) => {
              const bytes = Uint8Array.from(atob(text), (it) => it.charCodeAt(0)).buffer;
              it.facts = facts;
              it.answers.open({ bytes, facts });
            }""",
            [base64.b64encode(board_rows(study._copy).data).decode(), known],
        )

    def ask(self, what: str, **given: Any) -> Any:
        """Ask the rows: what `Answers` of rows/answers.js has a method for."""
        return self.page.evaluate("([what, given]) => it.answers[what](given).found", [what, given])

    def views(
        self,
        *specs: Mapping[str, Any],
        where: Sequence[str] = (),
        assign: Sequence[tuple[str, str]] = (),
    ) -> list[dict[str, Any]]:
        """Return the view of each spec, or why it is refused."""
        part = {"where": [*where], "assign": [[*it] for it in assign]}
        found: list[dict[str, Any]] = self.ask("views", part=part, specs=[*specs])
        return found

    def draw(self, spec: Mapping[str, Any], path: Path | None = None, **how: Any) -> dict[str, Any]:
        """Draw a picture of the copy, or `where` of a part; return what its marks say.

        It is written as PNG, too, to look at: of some `width` and `height` in pixels, `dark`, with
        the mark of number `light` highlighted.
        """
        size = {"width": how.pop("width", 520), "height": how.pop("height", 300)}
        light, where = how.pop("light", None), [*how.pop("where", ())]
        self.page.set_viewport_size({"width": size["width"] + 40, "height": size["height"] + 40})
        self.page.emulate_media(color_scheme="dark" if how.get("dark") else "light")
        found: dict[str, Any] = self.page.evaluate(
            """([spec, size, how, light, where]) => {
              const host = document.getElementById("host");
              Object.assign(host.style, { width: `${size.width}px`, height: `${size.height}px`,
                margin: "20px" });
              const part = { where, assign: [] };
              const [{ view, refused }] = it.answers.views({ part, specs: [spec] }).found;
              if (refused) return { refused };
              const known = it.answers.part(part).found.columns;
              const columns = new Map(it.facts.columns.map((one) => {
                const { whole, ends } = known.find(({ name }) => name === one.name) || {};
                return [one.name, { ...one, whole, ends }];
              }));
              const look = it.lookOf(columns, { ...how, spec });
              const drawn = it.drawPicture(host, it.kindFor(spec), view, look);
              if (light !== null) {
                const conditions = drawn.marks[light].light;
                const { found } = it.answers.light({ part, conditions, specs: [spec] });
                drawn.light(found.each[0]);
              }
              const { marks, order, keys = [] } = drawn;
              return { view, marks, order, keys, html: host.innerHTML };
            }""",
            [dict(spec), size, how, light, where],
        )
        if path is not None:
            self.page.screenshot(path=path)
        return found


@contextmanager
def board_page(chromium: Browser) -> Iterator[Board]:
    """Open a page with the board's scripts; at the end nothing may have gone wrong in it."""
    wrong: list[str] = []
    page = chromium.new_page()
    page.on("pageerror", lambda error: wrong.append(str(error)))
    page.set_content(HOST)
    page.add_style_tag(content=figure_style())
    page.add_script_tag(content=script_of(ENTRY), type="module")
    page.wait_for_function("globalThis.it")
    yield Board(page)
    page.close()
    assert wrong == []


BESIDE = ("discreet", "method", "parameters", "suppressed", "origin", "provenance")
"""What a view of the package has beside its numbers."""


def plain(view: Any) -> dict[str, Any]:
    """Return the numbers of a view, and how many rows it shows."""
    found = json.loads(view.to_json())
    shown = found["origin"]["shown"]
    return {**{n: it for n, it in found.items() if n not in BESIDE}, "shown": shown}


def near(found: Any, wanted: Any) -> bool:
    """Compare plain values, numbers to a billionth."""
    if isinstance(wanted, dict):
        return found.keys() == wanted.keys() and all(near(found[n], wanted[n]) for n in wanted)
    if isinstance(wanted, list):
        return len(found) == len(wanted) and all(map(near, found, wanted))
    if isinstance(wanted, float):
        return bool(found == pytest.approx(wanted, rel=1e-9, abs=1e-12))
    return bool(found == wanted)


def check(board: Board, study: Study, kind: str, *columns: str, **how: Any) -> dict[str, Any]:
    """Compare the view of the browser with that of the package; return the former."""
    by = {"by": [how["by"]]} if "by" in how else {}
    (found,) = board.views({"kind": kind, "columns": [*columns], **how, **by})
    assert "view" in found, found
    view: dict[str, Any] = found["view"]
    with pytest.MonkeyPatch.context() as patch:  # which the page leaves out of its intervals
        patch.setattr("discreet.explore.derived.with_own_errors", lambda *given: given[-1])
        wanted = plain(getattr(study, kind)(*columns, **how))
    different = [name for name in wanted if not near(view[name], wanted[name])]
    assert different == []
    return view
